package esi

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/golden/*.html anew")

// goldenFragments are what the templates of testdata/golden may ask for; what is never asked
// for is a panic.
var goldenFragments = map[string]string{
	"/nav?c=Bergen": "200 <b>Bergen</b>", "/offers/gold": `esi <esi:vars>for $(HTTP_HOST)</esi:vars> <esi:include src="1"/>`, "/offers/1": "200 one",
	"/news": "500 oops", "/basket": "404 oops", "/ads": "fail unreachable", "/never": "panic",
}

// The page of each testdata/golden/*.esi, one for each element and one with all of them, is
// that of the file beside it, with the problems of the template behind it.
func TestGoldenPages(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.esi")
	if err != nil || len(files) < 12 {
		t.Fatalf("there are %d templates: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			template := golden(t, file)
			splits(t, template)
			p, problems := parse(t, template)
			text, _, err := assembled(t, p, &shelf{fragments: goldenFragments}, Default())
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			got.WriteString(text)
			for _, q := range problems.List {
				got.WriteString("-- " + q.Kind.String() + ": " + q.String() + "\n")
			}
			expectGolden(t, strings.TrimSuffix(file, ".esi")+".html", got.String())
		})
	}
}

// expectGolden compares with a file, or writes it.
func expectGolden(t *testing.T, file, got string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := golden(t, file); got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
}

func golden(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
