package esi

import (
	"flag"
	"os"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/page.html anew")

// The page of testdata/page.esi is that of testdata/page.html.
func TestGoldenPage(t *testing.T) {
	template := golden(t, "testdata/page.esi")
	p, problems := parse(t, template)
	if got := kindsOf(problems); got != "unknown-element unknown-element" {
		t.Errorf("the problems are %v", problems.List)
	}
	splits(t, template)
	s := &shelf{fragments: map[string]string{
		"/nav?c=Bergen": "200 <b>Bergen</b>", "/offers/gold": `esi <esi:vars>for $(HTTP_HOST)</esi:vars> <esi:include src="1"/>`, "/offers/1": "200 one",
		"/news": "500 oops", "/basket": "404 oops", "/ads": "fail unreachable", "/never": "panic",
	}}
	got, _, err := assembled(t, p, s, Default())
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile("testdata/page.html", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := golden(t, "testdata/page.html"); got != want {
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
