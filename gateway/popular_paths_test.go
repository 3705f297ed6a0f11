package gateway

import (
	"fmt"
	"testing"
)

// TestPopularPaths is D-WC-31: what is asked for most, of all, of what is stored and of what is
// not, by path; why it is not is told, too.
func TestPopularPaths(t *testing.T) {
	s := newStocked(t) // has asked for /img/a.png three times and been answered from the store twice
	ask := func(n int, method, target string) {
		for range n {
			send(t, s.addr, method+" "+target+" HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}
	}
	ask(3, "GET", "/private?a=1")
	ask(2, "GET", "/private?a=2")
	ask(1, "POST", "/cart")
	ask(1, "GET", "/img/b/c.png?w=1")
	until(t, "all are counted", func() bool {
		n := uint64(0)
		for _, p := range s.g.unstored.List() {
			n += p.Requests
		}
		return n == 6
	})
	for _, tt := range []struct {
		of    string
		limit int
		want  string
	}{
		{"", 2, "[/private 5 0 5 private, /img/a.png 2 2 0 ]"},
		{"all", 9, "[/private 5 0 5 private, /img/a.png 2 2 0 , /cart 1 0 1 method, /img/b/c.png 1 1 0 ]"},
		{"stored", 9, "[/img/a.png 2 2 0 , /img/b/c.png 1 1 0 ]"},
		{"unstored", 9, "[/private 5 0 5 private, /cart 1 0 1 method]"},
		{"unstored", 0, "[]"},
	} {
		list, err := s.g.PopularPaths(tt.of, tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		got := "["
		for i, p := range list {
			got += map[bool]string{true: ", "}[i > 0] + fmt.Sprint(p.Path, " ", p.Requests, " ", p.Stored, " ", p.Unstored, " ", p.Why)
			if (p.Last != nil) != (p.Unstored > 0) || p.Site != "default" {
				t.Errorf("%+v", p)
			}
		}
		if got += "]"; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.of, got, tt.want)
		}
	}
	if _, err := s.g.PopularPaths("some", 1); err == nil {
		t.Error("a list that is none is given")
	}
}
