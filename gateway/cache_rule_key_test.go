package gateway

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// a caching rule says what tells its answers apart, beyond the cache's own key; those of
// other rules are as they were.
func TestRulesTellAnswersApart(t *testing.T) {
	t.Parallel()
	s := newShop(t, `, key: { headers: [X-Tenant] }, rules: [
  { name: themes, when: 'path startsWith "/themes"', key: { headers: [x-theme], cookies: [theme] } },
  { name: pictures, when: 'content_type == "image/png"', ttl: 1h }]`)
	n := 0
	s.answer = func(string) (string, string) { n++; return "Cache-Control: max-age=60\r\n", fmt.Sprint("page ", n) }
	for _, tt := range []struct {
		path, lines, want string
	}{
		{"/themes", "X-Theme: dark", "page 1"},
		{"/themes", "X-Theme: light", "page 2"},
		{"/themes", "X-Theme: dark", "page 1"},
		{"/themes", "X-Theme: dark|Cookie: theme=a", "page 3"},
		{"/themes", "X-Theme: dark|Cookie: other=a; theme=a", "page 3"},
		{"/themes", "X-Theme: dark|X-Tenant: b", "page 4"},
		{"/themes", "", "page 5"},
		{"/themes", "X-Theme:", "page 6"},
		{"/other", "X-Theme: dark", "page 7"},
		{"/other", "X-Theme: light|Cookie: theme=b", "page 7"},
	} {
		if got := s.get(t, tt.path, strings.FieldsFunc(tt.lines, func(c rune) bool { return c == '|' })...); !strings.HasSuffix(got, "\r\n\r\n"+tt.want) {
			t.Errorf("%s by %q: %s, want %s", tt.path, tt.lines, got, tt.want)
		}
	}
	all, err := s.g.Stored("http://shop.example/themes")
	if err != nil || len(all) != 6 || !strings.Contains(fmt.Sprint(all), "field x-theme=dark; cookie theme=a") {
		t.Errorf("%v: %v", err, all)
	}
	if n := s.g.cache.InvalidateTarget("default", false, []byte("/themes")); n != 6 {
		t.Errorf("an unsafe method takes %d of 6 away", n)
	}
}

// Of a query, the parameters that the key names tell answers apart; origins are sent all of it.
func TestParametersOfTheKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, first, second, does string }{
		{`ignore_params: ["utm_*", gclid]`, "?a=1&utm_source=x", "?utm_medium=y&a=1&gclid=7", "hit"},
		{`ignore_params: ["utm_*", gclid]`, "?a=1&utm=x", "?a=1", "fwd=uri-miss"},
		{`ignore_params: ["utm_*", gclid]`, "?a=1&gclid2=x", "?a=1", "fwd=uri-miss"},
		{`ignore_params: ["*"]`, "?a=1", "?b=2", "hit"},
		{`only_params: [id, "p*"]`, "?id=1&x=1&page=2", "?id=1&page=2&y", "hit"},
		{`only_params: [id, "p*"]`, "?id=1&page=2", "?id=1&page=3", "fwd=uri-miss"},
		{`only_params: [id, "p*"]`, "?id=1", "?id=2", "fwd=uri-miss"},
		{`only_params: [id, "p*"]`, "?id=1", "?ID=1", "fwd=uri-miss"},
		{`only_params: [id], sort_params: true`, "?id=1&x&id=2", "?id=2&id=1", "hit"},
		{`only_params: ["p*"], ignore_params: [page]`, "?p=1&page=2", "?p=1&page=3", "hit"},
		{`only_params: [id]`, "?x=1", "", "hit"},
		{`query: none, only_params: [id]`, "?id=1", "?id=2", "hit"},
	} {
		s := newShop(t, ", key: { "+tt.key+" }")
		asked := ""
		s.answer = func(head string) (string, string) { asked = targetOfHead(head); return stored60, "page" }
		if s.get(t, "/a"+tt.first); asked != "/a"+tt.first {
			t.Errorf("%s: the origin was asked for %s, the client for /a%s", tt.key, asked, tt.first)
		}
		if got := s.get(t, "/a"+tt.second); !strings.Contains(got, "edge; "+tt.does) {
			t.Errorf("%s: %s after %s: %s, want %s", tt.key, tt.second, tt.first, got, tt.does)
		}
	}
}

// What tells answers apart must be known before the store is asked: not in a rule that asks what the
// answer says, nor behind one, where sessions would share what they must not.
func TestKeysMustBeKnownInTime(t *testing.T) {
	t.Parallel()
	const late, behind = "its when names what the answer says", `the caching rule "late" stands before it, and asks what the answer says`
	rule := `{ name: late, when: 'status == 200', ttl: 1h }`
	for _, tt := range []struct{ site, top, want string }{
		{"", `{ name: a, when: 'path == "/"', session: own, key: { headers: [a] } }, ` + rule, ""},
		{"", `{ name: a, when: 'status == 200', session: own }`, "cache.rules[0].session must be known before the answer is: " + late},
		{"", `{ name: a, when: 'status == 200', key: { cookies: [a] } }`, "cache.rules[0].key must be known before the answer is: " + late},
		{"", rule + `, { name: a, session: own }`, "cache.rules[1].session must be known before the answer is: " + behind},
		{"", rule + `, { name: a, session: without, key: { headers: [a] } }`, "cache.rules[1].session must be known before the answer is: " + behind + "\ncache.rules[1].key must be known before the answer is: " + behind},
		{rule, `{ name: a, session: with }`, "cache.rules[0].session must be known before the answer is: " + behind},
		{"", rule + `, { name: a, when: 'path == "/"', vary: [a], tags: [a], pass: false }`, ""},
	} {
		cfg := load(t, plainListener+`clusters: { a: { origins: [{ address: "127.0.0.1:1" }] } }
sites: { shop: { hosts: [shop.example], cache: { rules: [`+tt.site+`] } } }
mappings: [{ site: shop, cluster: a }]
cache: { enabled: true, rules: [`+tt.top+`] }
`)
		_, problems := NewExplainer(cfg)
		var got []string
		for _, p := range problems {
			got = append(got, p.Message)
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%s behind %s: %q, want %q", tt.top, tt.site, strings.Join(got, "\n"), tt.want)
		}
	}
}

// A mistake in what sites share is said once, however many they are; what is a mistake at one
// of them alone, too.
func TestMistakesOfManySitesAreSaidOnce(t *testing.T) {
	t.Parallel()
	cfg := load(t, plainListener+`clusters: { a: { origins: [{ address: "127.0.0.1:1" }] } }
sites:
  one: { hosts: [one.example] }
  two: { hosts: [two.example] }
  own: { hosts: [own.example], cache: { rules: [{ name: mine, when: 'status == 404', ttl: 1s }] } }
mappings: [{ site: one, cluster: a }, { site: two, cluster: a }, { site: own, cluster: a }]
cache:
  enabled: true
  rules: [{ name: early, when: 'path == "/"', session: own }, { name: wrong, when: 'pth == "/"' }, { name: late, when: 'status == 200', session: own }]
`)
	_, problems := NewExplainer(cfg)
	var got []string
	for _, p := range problems {
		got = append(got, p.Message)
	}
	want := []string{
		`caching rule "wrong": unknown name "pth"`,
		`cache.rules[2].session must be known before the answer is: its when names what the answer says`,
		`cache.rules[0].session must be known before the answer is: the caching rule "mine" stands before it, and asks what the answer says`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
