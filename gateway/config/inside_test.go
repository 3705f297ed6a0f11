package config

import (
	"strings"
	"testing"
)

// ruleWith is a configuration of one rule whose condition is written so.
func ruleWith(when string) string {
	return smallest + "rules:\n  - name: a\n" + when + "\n    reject: {}\n"
}

// placeOf is line and column of a word in a text, from 1, in characters.
func placeOf(text, word string) (line, column int) {
	before, _, _ := strings.Cut(text, word)
	last := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Count(before, "\n") + 1, len([]rune(last)) + 1
}

// underCaret is what the caret of a problem points to, in a text.
func underCaret(text string, p Problem) string {
	line := []rune(strings.Split(text, "\n")[p.Line-1])
	return string(line[p.Column-1 : min(p.Column-1+strings.Count(p.Excerpt, "^"), len(line))])
}

// TestPlacesInsideTexts: the place of a word in the text that YAML gave is the
// place of the word in the file.
func TestPlacesInsideTexts(t *testing.T) {
	for _, tt := range []struct {
		name, when string
		word       string // in the text that YAML gave
		want       string // under the caret
	}{
		{"plain", `    when: path == "/a" and mthod == "GET"`, "mthod", "mthod"},
		{"plain, at its begin", `    when: mthod == "GET"`, "mthod", "mthod"},
		{"plain, before a comment", `    when: path == nothing # mthod`, "nothing", "nothing"},
		{"plain, in the next line", "    when:\n      mthod == \"GET\"", "mthod", "mthod"},
		{"plain with letters of several bytes", `    when: path == "/äöü" and mthod == "ß"`, "mthod", "mthod"},
		{"plain with an anchor", `    when: &w path == mthod`, "mthod", "mthod"},
		{"plain over two lines, in the first", "    when: mthod == \"a\"\n      and path == \"b\"", "mthod", "mthod"},
		{"plain over two lines, in the second", "    when: method == \"a\"\n      and pth == \"b\"", "pth", "method == \"a\""},
		{"single quotes", `    when: 'path == "/a" and mthod == "GET"'`, "mthod", "mthod"},
		{"single quotes, doubled ones before it", `    when: 'path == ''/a'' and mthod == ''GET'''`, "mthod", "mthod"},
		{"single quotes, doubled ones in it", `    when: 'path == ''/a'''`, "'/a'", "''/a''"},
		{"double quotes", `    when: "path == 'a' and mthod == 'GET'"`, "mthod", "mthod"},
		{"double quotes, escapes before it", `    when: "path == \"/a\\\" and mthod == \"GET\""`, "mthod", "mthod"},
		{"double quotes, escapes in it", `    when: "path == \"/a\""`, `"/a"`, `\"/a\"`},
		{"double quotes, escape by number before it", `    when: "path == '\u00e9' and mthod == 'GET'"`, "mthod", `"path == '\u00e9' and mthod == '`},
		{"double quotes, escape by number behind it", `    when: "mthod == '\u00e9'"`, "mthod", "mthod"},
		{"double quotes with an anchor", `    when: &w "path == mthod"`, "mthod", "mthod"},
		{"double quotes over two lines, in the second", "    when: \"path == 'a'\n      and mthod == 'GET'\"", "mthod", `"path == 'a'`},
		{"literal block", "    when: |\n      path == \"/a\" and mthod == \"GET\"", "mthod", "mthod"},
		{"literal block, third line", "    when: |\n      path == \"/a\"\n        or path == \"/b\"\n        or mthod == \"GET\"", "mthod", "mthod"},
		{"literal block, stripped", "    when: |-\n      path == \"/a\"\n      or mthod == \"GET\"", "mthod", "mthod"},
		{"literal block, kept", "    when: |+\n      path == \"/a\"\n      or mthod == \"GET\"\n", "mthod", "mthod"},
		{"literal block with a comment", "    when: | # why\n      path == \"/a\"\n      or mthod == \"GET\"", "mthod", "mthod"},
		{"literal block with blank lines before and in it", "    when: |\n\n      path == \"/a\"\n\n      or mthod == \"GET\"", "mthod", "mthod"},
		{"literal block with an anchor", "    when: &w |\n      path == \"/a\"\n      or mthod == \"GET\"", "mthod", "mthod"},
		{"literal block with a written indentation", "    when: |2\n        path == \"/a\"\n      or mthod == \"GET\"", "mthod", "|2"},
		{"folded block", "    when: >\n      path == \"/a\"\n      or mthod == \"GET\"", "mthod", ">"},
		{"folded block, stripped", "    when: >-\n      path == \"/a\"\n      or mthod == \"GET\"", "mthod", ">-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := ruleWith(tt.when)
			cfg := parsed(t, text)
			given := string(cfg.Rules[0].When)
			if !strings.Contains(given, tt.word) {
				t.Fatalf("YAML gave %q, without %s", given, tt.word)
			}
			line, column := placeOf(given, tt.word)
			p := cfg.Inside("rules[0].when", line, column, len(tt.word), Error, "E301", "said", "do")
			if got := underCaret(text, p); got != tt.want {
				t.Errorf("%v\nis under %s, want %s", p, got, tt.want)
			}
		})
	}
}

// TestPlacesInsideOtherTexts: where the text does not stand, its reference does.
func TestPlacesInsideOtherTexts(t *testing.T) {
	files := map[string]string{
		"/etc/w.yaml": smallest + `rules:
  - { name: a, when: &w "path == mthod", permit: { to: main/app } }
  - { name: b, when: *w, reject: {} }
  - { name: c, when: "${file:when}", reject: {} }
  - { name: d, reject: {} }
include: [more.yaml]
`,
		"/etc/when": "path == mthod",
		"/etc/more.yaml": `rules:
  - { name: e, when: 'path == mthod', reject: {} }
  - name: f
    when: |
      path == "/a"
      or path == mthod
    reject: {}
`,
	}
	cfg, problems := loadFrom(files)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, tt := range []struct {
		name, path   string
		line, column int
		file         string
		want         string // under the caret
	}{
		{"in braces", "rules[0].when", 1, 9, "/etc/w.yaml:4", "mthod"},
		{"alias", "rules[1].when", 1, 9, "/etc/w.yaml:5", "*"},
		{"substitution", "rules[2].when", 1, 9, "/etc/w.yaml:6", `"${file:when}"`},
		{"not written", "rules[3].when", 1, 9, "/etc/w.yaml:7", "{"},
		{"list written as one text", "rules[0].permit.to[0]", 1, 6, "/etc/w.yaml:4", "main/app"},
		{"map", "rules[0].permit", 1, 9, "/etc/w.yaml:4", "permit"},
		{"included file", "rules[4].when", 1, 9, "/etc/more.yaml:2", "mthod"},
		{"block of an included file", "rules[5].when", 2, 12, "/etc/more.yaml:6", "mthod"},
		{"the end of the text", "rules[4].when", 1, 14, "/etc/more.yaml:2", "'"},
		{"nothing at all", "rules[9]", 1, 1, "/etc/w.yaml:3", "rules"},
	} {
		p := cfg.Inside(tt.path, tt.line, tt.column, 5, Warning, "W312", "said", "do")
		if got := underCaret(files[p.File], p); p.Place() != tt.file || got != tt.want {
			t.Errorf("%s: %v\nis under %s, want %s, in %s", tt.name, p, got, tt.want, tt.file)
		}
		if p.Severity != Warning || p.Code != "W312" || p.Message != "said" || p.Hint != "do" {
			t.Errorf("%s: problem is %+v", tt.name, p)
		}
	}
}

// TestPlacesInsideStayInTheFile: whatever is asked for.
func TestPlacesInsideStayInTheFile(t *testing.T) {
	for _, when := range []string{
		`    when: path == "a"`, `    when: 'path == ''a'''`, `    when: "path == \"a\u0020\""`, "    when: &w |\n\n      path\n      == \"a\"",
		"    when: >\n      path", "    when: \"path\n\n      == 'a'\"", "    when: &w\n      path", "    when:\n      'path'",
	} {
		text := ruleWith(when)
		cfg, problems := Parse("w.yaml", []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		src, _ := newSource("w.yaml", "", 1, []byte(text))
		for line := -1; line < 6; line++ {
			for column := -1; column < 30; column++ {
				inside(t, src, cfg.Inside("rules[0].when", line, column, column, Error, "E301", "said", ""))
			}
		}
	}
}
