package cache

import (
	"strings"
	"testing"
)

func TestDictionaries(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"   ", ""},
		{"a", "a {6 1}"},
		{"  a=1  ", "a {1 1}"},
		{"a=1,b=-2", "a {1 1} b {1 -2}"},
		{"a=1 \t,\t b=?0", "a {1 1} b {6 0}"},
		{"a;x, b;x=1;y=\"z\"; q=t", "a {6 1} b {6 1}"},
		{"a=1;x=?1", "a {1 1}"},
		{"a=999999999999999, b=-999999999999999", "a {1 999999999999999} b {1 -999999999999999}"},
		{"a=1.5, b=123456789012.123", "a {2 0} b {2 0}"},
		{`a="", b="x\"y\\z ~"`, "a {3 0} b {3 0}"},
		{"a=t, b=*x/y:z!", "a {4 0} b {4 0}"},
		{"a=::, b=:aGk=:", "a {5 0} b {5 0}"},
		{`a=(), b=( 1 "x"  t;q=1 ), c=(1);d`, "a {7 0} b {7 0} c {7 0}"},
		{"*a=1, b_-.*9=2", "*a {1 1} b_-.*9 {1 2}"},
		{"a=1, a=2", "a {1 1} a {1 2}"},
	} {
		list, ok := members(tt.text)
		if got := strings.Join(list, " "); got != tt.want || !ok {
			t.Errorf("%q is %q, %v, want %q", tt.text, got, ok, tt.want)
		}
	}
	for _, text := range []string{
		"\ta", "A", "1a", "-a", "a=", "a =1", "a= 1", "a,", "a, ", ",a", "a,,b", "a b", "a=1 b", "a\x00", "é", "a=é",
		"a=-", "a=1.", "a=.5", "a=1.1234", "a=1234567890123.1", "a=1234567890123456", "a=--1", "a=+1", "a=1e3",
		`a="`, `a="x`, `a="\`, `a="\x"`, "a=\"\t\"", "a=\"\x7f\"", "a=\"é\"",
		"a=?", "a=?2", "a=?true", "a=:", "a=:a", "a=:!:",
		"a=(", "a=(1", "a=(1 ", "a=(1,2)", `a=(1"x")`, "a=(1\t2)", "a=((1))", "a=(1);", "a=(1;)",
		"a;", "a;=1", "a;X", "a ;x", "a;x=", "a;x=(1)", "a=@1", `a=%"x"`,
	} {
		if list, ok := members(text); ok {
			t.Errorf("%q is %q", text, list)
		}
	}
}
