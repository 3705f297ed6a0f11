package gateway

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/expr-lang/expr/builtin"

	"weirkeep/gateway/config"
	"weirkeep/rules"
)

// nested is a text between so many openings and closings.
func nested(open, inner, end string, n int) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// What is too deep, too long or too much is refused while it is read, by a limit
// that the message names; what was there goes on.
func TestReportTooMuchOfARule(t *testing.T) {
	t.Parallel()
	const large, parts, deep = "the limit is 16384", "more than 300 parts", "nested more than 100 deep"
	for _, tt := range []struct{ name, when, code, message string }{
		{"RX-08: 101 parentheses", nested("(", "true", ")", 101), "E313", deep},
		{"RX-08: 5000 parentheses", nested("(", "true", ")", 5000), "E313", deep},
		{"RX-08: 8000 parentheses that do not close", nested("(", "true", "", 8000), "E313", deep},
		{"RX-08: 5000 brackets", nested("[", "", "]", 5000), "E313", deep},
		{"RX-08: 5000 braces", nested("{", "", "}", 5000), "E313", deep},
		{"RX-08: 5000 parentheses, then none", nested("(", "true", ")", 5000) + " or true", "E313", deep},
		{"RX-08: calls in calls", nested("lower(", "host", ")", 2000) + ` == ""`, "E313", deep},
		{"RX-08: 150000 parentheses", nested("(", "true", ")", 150_000), "E313", large},
		{"RX-08: 4000 nots", strings.Repeat("not ", 4000) + "true", "E313", parts},
		{"RX-08: 16000 exclamation marks", strings.Repeat("!", 16_000) + "true", "E313", parts},
		{"RX-08: 16000 minus signs", strings.Repeat("-", 16_000) + "1 == port", "E313", parts},
		{"RX-08: 1000 choices", "true" + strings.Repeat(" ? true : true", 1000), "E313", parts},
		{"RX-08: 5000 fields of fields", "host" + strings.Repeat(".a", 5000), "E313", parts},
		{"RX-08: 1500 ors", "true" + strings.Repeat(" or true", 1500), "E313", parts},
		{"RX-08: 100000 ors", "true" + strings.Repeat(" or true", 100_000), "E313", large},
		{"RX-08: half a MiB", "true" + strings.Repeat(" ", 512<<10), "E313", large},
		{"RX-08: a deep expression of matches", `path matches "` + nested("(", "a", ")", 5000) + `"`, "E307", "nests too deep"},
		{"RX-08: a large expression of matches", `path matches "` + strings.Repeat("(a|b|c){100}", 20) + `"`, "E307", "the limit is 2000"},
		{"RX-08: repetitions in repetitions", `path matches "((a{1,30}){1,30}){1,30}"`, "E307", "at most 1000 times"},
		{"RX-08: a deep pattern of glob", `glob(path, "` + nested("{ab,c", "d", "}", 2500) + `")`, "E307", "nests too deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reportRefused(t, tt.when, tt.code, 0, tt.message)
		})
	}
}

// Files that are too large, and nesting of the file itself.
func TestReportTooMuchOfAFile(t *testing.T) {
	t.Parallel()
	o := newReportOKOrigin(t)
	rule := func(i int) string {
		return fmt.Sprintf("  - { name: r%d, when: 'path == \"/%d\"', reject: {} }\n", i, i)
	}
	list := func(bytes int) string {
		var b strings.Builder
		b.WriteString("rules:\n")
		for i := 0; b.Len() < bytes; i++ {
			b.WriteString(rule(i))
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, rules   string
		size          int64 // of the file; 0: as it is
		code, message string
	}{
		{"RX-09: 10 KiB of rules", list(10 << 10), 0, "", ""},
		{"RX-09: 1 MiB of rules", list(1 << 20), 0, "E101", "larger than 1048576 bytes"},
		{"RX-09: 100 MiB", list(10 << 10), 100 << 20, "E101", "larger than 1048576 bytes"},
		{"RX-09: 400000 brackets in the file", "rules: " + nested("[", "", "]", 400_000), 0, "E109", "nested more than 64 deep"},
		{"RX-09: 30000 lines", "rules:\n" + strings.Repeat("#\n", 30_000), 0, "E109", "more than 25000 lines"},
		{"RX-09: a location of 100000 braces", "rules: [{ name: r, redirect: { location: '" + strings.Repeat("{", 100_000) + "' } }]", 0, "E321", `rule "r"`},
		{"RX-09: a destination of 100000 parts", "rules: [{ name: r, permit: { to: '" + strings.Repeat("a/", 100_000) + "' } }]", 0, "E314", `rule "r"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := reportFile(t, reportYAML(o, "", tt.rules))
			if tt.size > 0 {
				if err := os.Truncate(file, tt.size); err != nil {
					t.Fatal(err)
				}
			}
			cfg, problems := config.Load(file)
			if cfg != nil {
				problems = append(problems, Check(cfg)...)
			}
			switch {
			case tt.code == "" && problems.Errors() > 0:
				t.Errorf("it is refused: %.300s", problems.Error())
			case tt.code != "" && (problems.Errors() == 0 || problems[0].Code != tt.code || !strings.Contains(problems[0].Message, tt.message)):
				t.Errorf("the problems are %.300s; want %s %q", problems.Error(), tt.code, tt.message)
			}
		})
	}
}

// The language's own functions, of which many loop or make values as large as
// they like, are not there, and neither is any other way to make one.
func TestReportValuesThatGrow(t *testing.T) {
	t.Parallel()
	for _, when := range []string{
		`map(1..1000000000, #) == []`, `len(1..1000000000) > 0`, `1 in 1..1000000000`, `all(1..9, # > 0)`, `reduce(1..9, #acc + #, 0) > 0`,
		`repeat(header("X"), 1000000) == ""`, `replace(header("X"), "", header("X")) == ""`, `header("X") + header("X") == ""`,
		`port ** 9 > 1`, `port * port > 1`, `{"a": host} == host`, `let a = host; a == host`, `host | lower() == "a"`, `toJSON(host) == ""`,
	} {
		t.Run("RX-09: "+when, func(t *testing.T) {
			t.Parallel()
			reportRefused(t, when, "E309", 0, `rule "suspect"`)
		})
	}
	ours := map[string]bool{}
	for _, f := range rules.Functions(rules.OfRequest) {
		ours[f.Name] = true
	}
	language, tried := rules.New(rules.Options{}), 0
	for _, f := range builtin.Builtins {
		if ours[f.Name] {
			continue
		}
		tried++
		for _, arguments := range []string{"", "host", "1", "host, 1", "host, host", "host, host, 9", "[host], # == host", "[1], 1, 1"} {
			when := fmt.Sprintf("%s(%s) == 1", f.Name, arguments)
			if _, errs := language.Compile("r", when); errs == nil {
				t.Errorf("RX-09: %s compiles", when)
			}
		}
	}
	if tried < 40 {
		t.Errorf("the language has %d functions that are not ours", tried)
	}
}

// What a request can make a rule do is bounded: expressions with which other
// machines never end, and texts that are made anew again and again.
func TestReportLargeValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, when string
		want       int
	}{
		{"RX-08: plus of plus", `header("X") matches "(a+)+$"`, 200},
		{"RX-08: two ways to the same", `header("X") matches "(a|a)*b$"`, 200},
		{"RX-08: one or two", `header("X") matches "^(a|aa)+$"`, 200},
		{"RX-08: anything, twelve times", `header("X") matches "(.*a){12}b"`, 200},
		{"RX-08: twice plus", `header("X") matches "(a+a+)+b"`, 200},
		{"RX-08: 30 that may be there", `header("X") matches "` + strings.Repeat("a?", 30) + strings.Repeat("a", 30) + `$"`, 200},
		{"RX-08: many stars", `glob(header("X"), "` + strings.Repeat("**a", 20) + `**b")`, 200},
		{"RX-08: many percent signs", `like(header("X"), "` + strings.Repeat("%a", 20) + `%b")`, 200},
		{"RX-09: 90 times in lower case", nested("lower(", `header("X")`, ")", 90) + ` endsWith "!"`, 410},
		{"RX-09: 40 times a part", nested("trim(after(", `header("X")`, `, "a"))`, 40) + ` endsWith "!"`, 410},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReportYAML(t, reportRule(o, tt.when))
			if a := g.do(t, "GET / HTTP/1.1\r\nHost: a.example\r\nX: "+strings.Repeat("a", 64<<10)+"!\r\n\r\n"); a.code != tt.want {
				t.Errorf("answered %q, want %d", a.head, tt.want)
			}
			if r := g.Rules()[0]; r.Errors != 0 {
				t.Errorf("%s failed", r.When)
			}
		})
	}
}
