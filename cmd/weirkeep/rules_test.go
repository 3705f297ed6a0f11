package main

import "testing"

func TestConditionsInOneLine(t *testing.T) {
	for _, tt := range []struct{ name, when, want string }{
		{"plain", "path == \"/\"\n  and true", `path == "/" and true`},
		{"comments to the end of lines", "// who\npath == \"/\" // root\nand method == \"GET\"", `path == "/" and method == "GET"`},
		{"a comment within", "path /* the\ncanonical */ == \"/\"", `path == "/"`},
		{"texts with slashes", `url == "http://a/*" or url == 'it\'s // b' or url == "*/"`, `url == "http://a/*" or url == 'it\'s // b' or url == "*/"`},
		{"between other quotes", "path == `//` // c", "path == `//`"},
		{"long", `path == "/0123456789012345678901234567890123456789"`, `path == "/01234567890123456789012345678…`},
		{"none", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			limit := 40
			if tt.name != "long" {
				limit = 100
			}
			if got := conditionText(tt.when, limit); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
