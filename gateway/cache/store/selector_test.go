package store

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// resolver knows the hosts of two sites.
func resolver(url string) (site, path string, err error) {
	_, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	sites := map[string]string{"shop.example": "shop", "www.shop.example": "shop", "blog.example": "blog"}
	if site = sites[host]; site == "" {
		return "", "", fmt.Errorf("no site has the host %q", host)
	}
	return site, "/" + path, nil
}

func TestSelector(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"site:shop", "site:shop"},
		{"  site:shop\ttag:a  ", "site:shop tag:a"},
		{"tag:b site:shop tag:a tag:b", "site:shop tag:a tag:b"},
		{"tag:a:b", "tag:a:b"},
		{"group:b tag:a group:a", "tag:a group:a group:b"},
		{"path:/img/** path:**.png", "path:**.png path:/img/**"},
		{"path:/a?b=http://c", "path:/a?b=http://c"},
		{"http://shop.example/a tag:x http://blog.example/b", "tag:x http://shop.example/a http://blog.example/b"},
	} {
		s, err := ParseSelector(tt.text, false, resolver)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		} else if s.String() != tt.want {
			t.Errorf("%q is %q, want %q", tt.text, s, tt.want)
		}
	}
}

func TestBadSelectors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", `selector: it has no word, so it would select all there is; write --all if you mean that, or words like "site:shop", "tag:news", "path:/img/**"`},
		{"shop", `selector: "shop": it is none of "site:NAME", "tag:TAG", "group:GROUP", "path:GLOB" and a full URL like "https://shop.example/a"`},
		{"/img/**", `selector: "/img/**": a path is written "path:/img/**"`},
		{"site=shop", `selector: "site=shop": did you mean "site:shop"?`},
		{"Site:shop", `selector: "Site:shop": did you mean "site:shop"?`},
		{"tags:a", `selector: "tags:a": did you mean "tag:a"?`},
		{"tga:a", `selector: "tga:a": did you mean "tag:a"?`},
		{"groups:a", `selector: "groups:a": did you mean "group:a"?`},
		{"pth:/a", `selector: "pth:/a": did you mean "path:/a"?`},
		{"host:shop", `selector: "host:shop": it is none of "site:NAME", "tag:TAG", "group:GROUP", "path:GLOB" and a full URL like "https://shop.example/a"`},
		{"tag:", `selector: "tag:": nothing stands after the colon; write for example "tag:news"`},
		{"tag: a", "selector: \"tag:\": nothing stands after the colon; write for example \"tag:news\"\n" +
			`selector: "a": it is none of "site:NAME", "tag:TAG", "group:GROUP", "path:GLOB" and a full URL like "https://shop.example/a"`},
		{"path:img", `selector: "path:img": a path begins with a slash; write "path:/img"`},
		{"path:/a/***", `selector: "path:/a/***": "***" says nothing that "**" does not; write "**"`},
		{"path:/a#b", `selector: "path:/a#b": what stands after "#" is never sent to a server; leave it out`},
		{"https://shopp.example/a", `selector: "https://shopp.example/a": no site has the host "shopp.example"`},
		{"http://shop.example/***", `selector: "http://shop.example/***": "***" says nothing that "**" does not; write "**"`},
	} {
		_, err := ParseSelector(tt.text, false, resolver)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v\nwant %s", tt.text, err, tt.want)
		}
	}
	if _, err := ParseSelector("http://shop.example/", false, nil); err == nil {
		t.Error("a URL is understood with nobody to ask for its site")
	}
	if _, err := ParseSelector(" ", false, nil); !errors.Is(err, ErrAll) {
		t.Errorf("no word: %v", err)
	}
	if _, err := ParseSelector(" ", true, nil); err != nil {
		t.Errorf("no word, but all: %v", err)
	}
}

// TestURLsSelect: each URL selects at its own site, other words hold as well, and globs are
// such in URLs, too.
func TestURLsSelect(t *testing.T) {
	for _, tt := range []struct{ text, site, target, tag, want string }{
		{"http://shop.example/a http://blog.example/b", "shop", "/a", "", "yes"},
		{"http://shop.example/a http://blog.example/b", "blog", "/b", "", "yes"},
		{"http://shop.example/a http://blog.example/b", "shop", "/b", "", "no"},
		{"http://shop.example/a http://shop.example/b", "shop", "/b", "", "yes"},
		{"http://shop.example/a tag:x", "shop", "/a", "", "no"},
		{"http://shop.example/a tag:x", "shop", "/a", "x", "yes"},
		{"http://shop.example/a site:blog", "shop", "/a", "", "no"},
		{"http://www.shop.example/img/**", "shop", "/img/b/c", "", "yes"},
	} {
		s, err := ParseSelector(tt.text, false, resolver)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Selects(&Key{Site: tt.site, Target: []byte(tt.target)}, []string{tt.tag}); got != (tt.want == "yes") {
			t.Errorf("%s selects %s of %s with tag %q: %t", tt.text, tt.target, tt.site, tt.tag, got)
		}
	}
}

// TestMadeSelectors: what is made without a text is what the text says.
func TestMadeSelectors(t *testing.T) {
	for _, tt := range []struct {
		made *Selector
		text string
	}{
		{SelectAll(), ""},
		{SelectSite("shop"), "site:shop"},
		{SelectGroups("shop", []string{"a", "b"}), "site:shop group:a group:b"},
	} {
		if read, err := ParseSelector(tt.text, true, nil); err != nil || !reflect.DeepEqual(tt.made, read) {
			t.Errorf("%q: %+v is made, %+v is read, %v", tt.text, tt.made, read, err)
		}
	}
}

// FuzzParseSelector: any text is refused with an error of one line a word, or is a
// selector whose text is read as itself again.
func FuzzParseSelector(f *testing.F) {
	for _, s := range []string{"site:a tag:b path:/c", "group:a group:\x00b tag:\x00c", "http://shop.example/a?b#c", "tag::", "path:***", "://", "a://b", "=:", "site:http://shop.example"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSelector(text, true, resolver)
		if err != nil {
			if n := strings.Count(err.Error(), "\n"); n >= len(strings.Fields(text)) {
				t.Fatalf("%q: an error of %d lines: %v", text, n+1, err)
			}
			return
		}
		again, err := ParseSelector(s.String(), true, resolver)
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q is %q, which is %q, %v", text, s, again, err)
		}
	})
}

// FuzzMatchTarget: a glob matches what a regular expression says.
func FuzzMatchTarget(f *testing.F) {
	f.Add("/**/a*", "/b/a?q")
	f.Add("/a?**", "/a?b")
	f.Fuzz(func(t *testing.T, glob, target string) {
		if len(glob) > 100 || len(target) > 1000 || strings.ContainsFunc(glob+target, func(r rune) bool { return r >= 0x80 }) {
			return // a regular expression takes other bytes for characters
		}
		path := target
		if !strings.Contains(glob, "?") {
			path, _, _ = strings.Cut(target, "?")
		}
		if got, want := matchTarget(glob, []byte(target)), naiveGlob(glob).MatchString(path); got != want {
			t.Fatalf("%q and %q: %v, want %v", glob, target, got, want)
		}
	})
}
