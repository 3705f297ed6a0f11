package main

import (
	"strings"
	"testing"

	"weirkeep/gateway/config"
)

// formatted is a configuration with a rule whose condition is written as given, once
// it is formatted. The rest of the text must not change.
func formatted(t *testing.T, value string) string {
	t.Helper()
	const before, after = "listeners: [{ address: \":0\" }]\nclusters: { app: { origins: [{ address: \"127.0.0.1:1\" }] } }\nrules:\n  - name: \"e\" # é\n    ", "\n    reject: {}\n"
	text, _, err := formatYAML(t, before+value+after)
	if err != nil {
		t.Errorf("%s: %v", value, err)
		return ""
	}
	got, here := strings.CutPrefix(text, before)
	got, there := strings.CutSuffix(got, after)
	if !here || !there {
		t.Errorf("%s: the rest has changed, too: %s", value, text)
	}
	return got
}

func formatYAML(t *testing.T, text string) (changed string, made []change, err error) {
	t.Helper()
	cfg, problems := config.Parse("gate.yaml", []byte(text))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	changes, _, problems := conditionsOf(cfg)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return rewrite(text, changes)
}

// Each way in which YAML can write a condition.
func TestFormatInYAML(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60)
	for _, tt := range []struct{ name, value, want string }{
		{"plain", `when: path=="/"`, `when: path == "/"`},
		{"blanks behind it", `when: path=="/"    `, `when: path == "/"    `},
		{"plain, over two lines", "when: path==\"/\" and\n          host==\"a\" # c", `when: path == "/" and host == "a" # c`},
		{"plain, below its key", "when:\n\n      path==\"/\"", "when:\n\n      path == \"/\""},
		{"a quoted key", `"when": path=="/"`, `"when": path == "/"`},
		{"what plain cannot be", `when: "'a'==host"`, `when: '"a" == host'`},
		{"what would be a comment", `when: "path=='/ #'"`, `when: 'path == "/ #"'`},
		{"single quotes", `when: 'path=="/it''s"'`, `when: 'path == "/it''s"'`},
		{"double quotes over two lines", "when: \"path=='/'\n         and   host == 'a'\"", `when: path == "/" and host == "a"`},
		{"escapes", `when: "path == \"/\u00e9\" and(host == 'a')"`, `when: path == "/é" and host == "a"`},
		{"a literal block", "when: |\n        path=='/'\n", "when: |\n        path == \"/\"\n"},
		{"a block with a written indentation", "when: |2-\n      path=='/'", "when: |-\n      path == \"/\""},
		{"a folded block that becomes long", "when: > # c\n      host == '" + long + "'\n      and path == '" + long + "'", "when: | # c\n      host == \"" + long + "\"\n      and path == \"" + long + "\""},
		{"a long line", "when: host == '" + long + "' and path == '" + long + "' # c", "when: |- # c\n      host == \"" + long + "\"\n      and path == \"" + long + "\""},
		{"a name for aliases", `when: &a   path=="/"`, `when: &a   path == "/"`},
		{"comments", "when: |\n      // one\n\n      path=='/' // two", "when: |\n      // one\n      path == \"/\" // two"},
		{"formatted", "when: |+\n     path == \"/\"\n\n", "when: |+\n     path == \"/\"\n\n"},
	} {
		got := formatted(t, tt.value)
		if got != tt.want {
			t.Errorf("%s: %s becomes\n%s\nwant\n%s", tt.name, tt.value, got, tt.want)
		}
		if again := formatted(t, got); again != got {
			t.Errorf("%s: formatted once more, it becomes\n%s", tt.name, again)
		}
	}
}

// Between braces a value stays on its line; one with comments stays as it is.
func TestFormatInFlow(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60)
	const around = "listeners: [{ address: \":0\" }]\nclusters: { app: { origins: [{ address: \"127.0.0.1:1\" }] } }\nrules: [{ name: a, when: %, reject: {} }]\n"
	for _, tt := range []struct{ value, want string }{
		{`path=="/"`, `path == "/"`},
		{`'host in["a","b"]'`, `'host in ["a", "b"]'`},
		{`"host in['a','b']"`, `'host in ["a", "b"]'`},
		{`"host == '` + long + `' and path == '` + long + `'"`, `host == "` + long + `" and path == "` + long + `"`},
		{`'(path=="/") // why'`, `'(path=="/") // why'`},
	} {
		got, _, err := formatYAML(t, strings.Replace(around, "%", tt.value, 1))
		if want := strings.Replace(around, "%", tt.want, 1); err != nil || got != want {
			t.Errorf("%s becomes\n%s(%v), want\n%s", tt.value, got, err, want)
		}
		if _, made, err := formatYAML(t, got); len(made) > 0 || err != nil {
			t.Errorf("%s: formatted once more, %v is changed (%v)", tt.value, made, err)
		}
	}
}

// Line ends and a byte order mark stay.
func TestFormatKeepsLineEnds(t *testing.T) {
	t.Parallel()
	const unix = "\ufefflisteners: [{ address: \":0\" }]\nclusters: { app: { origins: [{ address: \"127.0.0.1:1\" }] } }\nrules:\n  - name: a\n    when: (path==\"/\") \n    reject: {}\n"
	dos := strings.ReplaceAll(unix, "\n", "\r\n")
	for _, text := range []string{unix, dos} {
		got, _, err := formatYAML(t, text)
		if want := strings.Replace(text, `(path=="/")`, `path == "/"`, 1); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, _, err := formatYAML(t, strings.Replace(dos, "\r\n", "\n", 1)); err == nil {
		t.Error("a file whose lines end in different ways is rewritten")
	}
}
