package cache

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestGroups: what an answer says of its groups is kept, in the bounds, beside its tags.
func TestGroups(t *testing.T) {
	many := func(n, length int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"%0*d"`, length, i))
		}
		return strings.Join(all, ", ")
	}
	for _, tt := range []struct {
		answer string
		groups []string
		tags   string
		why    Refusal
	}{
		{`Cache-Groups: "a"`, []string{"a"}, "", 0},
		{`Cache-Groups: "b", "a" / CACHE-GROUPS: "c","a"`, []string{"a", "b", "c"}, "", 0},
		{`Cache-Groups: "A", "a b", "x\"\\", ""`, []string{"", "A", "a b", `x"\`}, "", 0},
		{`Cache-Groups: "a";p;q="x,y", "b"`, []string{"a", "b"}, "", 0},
		{`Cache-Groups: "a" / Surrogate-Key: b a`, []string{"a"}, "a b", 0},
		{`Surrogate-Key: "a"`, nil, `"a"`, 0},
		{`Cache-Groups: `, nil, "", 0},
		{`Cache-Groups: a`, nil, "", 0},
		{`Cache-Groups: "a", b`, nil, "", 0},
		{`Cache-Groups: "a", ("b")`, nil, "", 0},
		{`Cache-Groups: "a",`, nil, "", 0},
		{`Cache-Groups: "a" "b"`, nil, "", 0},
		{`Cache-Groups: "a`, nil, "", 0},
		{`Cache-Groups: "a\b"`, nil, "", 0},
		{`Cache-Groups: "a" / Cache-Groups: b`, nil, "", 0},
		{"Cache-Groups: \"\u00e4\"", nil, "", 0},
		{`Cache-Groups: ` + many(32, 32) + ` / Surrogate-Key: ` + strings.ReplaceAll(many(128, 3), `"`, ""), strings.Split(strings.ReplaceAll(many(32, 32), `"`, ""), ", "), "", 0},
		{`Cache-Groups: ` + many(129, 3), nil, "", RefusedTags},
		{`Cache-Groups: ` + many(1, 257), nil, "", RefusedTags},
	} {
		a := answer(t, "Cache-Control: max-age=60 / "+tt.answer)
		s, why := policies()[""].Store(request(t, ""), a, Override{})
		if why != tt.why {
			t.Errorf("%.80s: %v", tt.answer, why)
		}
		if s == nil {
			continue
		}
		if got := s.Groups(); !slices.Equal(got, tt.groups) {
			t.Errorf("%.80s: %q, want %q", tt.answer, got, tt.groups)
		}
		if got := strings.Join(s.OwnTags(), " "); len(s.OwnTags()) < 128 && got != tt.tags {
			t.Errorf("%.80s: tags %q, want %q", tt.answer, got, tt.tags)
		}
	}
}

// TestInvalidatedGroups: they are those that an answer to an unsafe method names that is no
// error.
func TestInvalidatedGroups(t *testing.T) {
	for _, tt := range []struct{ method, answer, want string }{
		{"POST", `200 Cache-Group-Invalidation: "b", "a"`, "a b"},
		{"PUT", `303 Cache-Group-Invalidation: "a" / Cache-Group-Invalidation: "c"`, "a c"},
		{"BREW", `204 cache-group-invalidation: "a";x=1`, "a"},
		{"POST", `200 Cache-Groups: "a"`, ""},
		{"POST", `200 Cache-Group-Invalidation: a`, ""},
		{"POST", `404 Cache-Group-Invalidation: "a"`, ""},
		{"DELETE", `500 Cache-Group-Invalidation: "a"`, ""},
		{"GET", `200 Cache-Group-Invalidation: "a"`, ""},
		{"HEAD", `200 Cache-Group-Invalidation: "a"`, ""},
		{"OPTIONS", `200 Cache-Group-Invalidation: "a"`, ""},
	} {
		got := InvalidatedGroups(request(t, tt.method+" "), answer(t, tt.answer))
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.method, tt.answer, got, tt.want)
		}
	}
}

// TestGroupsOfUpdates: a 304 that names groups sets them, and one that does not keeps them.
func TestGroupsOfUpdates(t *testing.T) {
	p, r := policies()[""], request(t, "")
	s := stored(t, p, r, answer(t, `Cache-Control: max-age=60 / ETag: "v" / Cache-Groups: "a"`))
	for text, want := range map[string]string{`304 ETag: "v"`: "a", `304 Cache-Groups: "b", "c"`: "b c"} {
		fresh, why := refresh(p, s, r, answer(t, text), Override{})
		if why != 0 || strings.Join(fresh.Groups(), " ") != want {
			t.Errorf("%s: %q, %v", text, fresh.Groups(), why)
		}
	}
}
