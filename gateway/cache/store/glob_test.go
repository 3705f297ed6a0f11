package store

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naiveGlob is a glob as a regular expression.
func naiveGlob(glob string) *regexp.Regexp {
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	for i := 0; i < len(glob); i++ {
		switch {
		case strings.HasPrefix(glob[i:], "**"):
			re.WriteString(`.*`)
			i++
		case glob[i] == '*':
			re.WriteString(`[^/?]*`)
		default:
			re.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	return regexp.MustCompile(re.String() + `\z`)
}

func TestGlobIsLikeARegularExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		glob := rapid.StringMatching(`(\*\*|\*|[ab/?]){0,9}`).Draw(t, "glob")
		text := rapid.StringMatching(`[ab/?]{0,14}`).Draw(t, "text")
		if got, want := matchGlob(glob, []byte(text)), naiveGlob(glob).MatchString(text); got != want {
			t.Fatalf("glob %q, text %q: %v, want %v", glob, text, got, want)
		}
	})
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		glob, target string
		want         bool
	}{
		{"/a", "/a", true},
		{"/a", "/a?q=1", true}, // the path alone
		{"/a?q=1", "/a?q=1", true},
		{"/a?q=1", "/a", false},
		{"/a?*", "/a?q=1", true},
		{"/a?**", "/a?u=/b/c", true},
		{"/img/*", "/img/a.png", true},
		{"/img/*", "/img/", true},
		{"/img/*", "/img/a/b.png", false},
		{"/img/**", "/img/a/b.png?v=2", true},
		{"/img/**", "/img", false},
		{"**/b.png", "/img/a/b.png", true},
		{"/*/a/**", "/x/a/y/z", true},
		{"/*/a/**", "/x/y/a/z", false},
		{"/**/*.css", "/s/main.css", true},
		{"/**/*.css", "/s/main.css/x", false},
	} {
		if got := matchTarget(tt.glob, []byte(tt.target)); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.glob, tt.target, got, tt.want)
		}
	}
}

// A glob of many stars takes no longer than the product of the lengths says: with a step
// for each pair of bytes of the text, the longest of these would take an hour.
func TestGlobsOfManyStarsAreQuick(t *testing.T) {
	long := strings.Repeat("a", 2<<20)
	for _, tt := range []struct{ glob, text string }{
		{strings.Repeat("**a", 2000) + "b", long[:20000]},
		{"/**a*b", "/" + long},
		{"/**a*b", "/" + long + "/x"},
		{"/**a*c*b", "/" + long + "c" + long},
		{"/**a*/b", "/" + long + "/c"},
		{"/**a*/**a*b", "/" + long + "/" + long},
		{"/**" + strings.Repeat("a*", 60) + "b", "/" + long + "?" + long},
	} {
		if matchGlob(tt.glob, []byte(tt.text)) {
			t.Errorf("%.20q matches", tt.glob)
		}
	}
}
