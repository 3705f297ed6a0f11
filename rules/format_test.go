package rules

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, source, want string }{
		{"spacing", `  path   startsWith"/a"and(method=="GET")`, `path startsWith "/a" and method == "GET"`},
		{"words for signs", `!a.b || c && d`, `not a.b or c and d`},
		{"double quotes", `header('X') == 'say "hi"'`, `header("X") == "say \"hi\""`},
		{"backquotes that save nothing", "path == `/a`", `path == "/a"`},
		{"backquotes that save escapes", "path matches `^/\\d+$`", "path matches `^/\\d+$`"},
		{"a line break between backquotes", "host == `a\nb`", `host == "a\nb"`},
		{"escapes", `host == "\u00fc\x41\t"`, `host == "üA\t"`},
		{"needless parentheses", `((a) and (b)) and (c)`, `a and b and c`},
		{"parentheses that join", `a and (b or c)`, `a and (b or c)`},
		{"parentheses of a right operand", `a and (b and c)`, `a and (b and c)`},
		{"not of a comparison", `!(a == b)`, `not (a == b)`},
		{"not beside a comparison", `(not a) == b`, `(not a) == b`},
		{"not in", `!(a in ["x","y"])`, `a not in ["x", "y"]`},
		{"not matches", `not (path matches "x")`, `path not matches "x"`},
		{"a chain of order", `1 < port < 5`, `1 < port and port < 5`},
		{"an order of orders", `(1 < port) < 5`, `(1 < port) < 5`},
		{"conditional", `(a?b:c)?(d):e?f:g`, `(a ? b : c) ? d : e ? f : g`},
		{"short conditional", `a?:b`, `a ?: b`},
		{"if", `if a { b } else { c }`, `a ? b : c`},
		{"??", `(a??b)==c and(d??e)`, `(a ?? b) == c and (d ?? e)`},
		{"numbers as written", `port in [0x1F90,8_080,-1]`, `port in [0x1F90, 8_080, -1]`},
		{"fields", `client["ip"] == headers("x")[0]`, `client.ip == headers("x")[0]`},
		{"trailing comma", `cidr(client.ip,"10.0.0.0/8",)`, `cidr(client.ip, "10.0.0.0/8")`},
		{"a comment above", "// office\na", "// office\na"},
		{"comments behind", "a   // one\nand b // two", "a // one\nand b // two"},
		{"a comment that ends no line", `a and /* why */ b`, "a\n/* why */\nand b"},
		{"a comment inside of an operand", `a and host /* why */ == "x"`, "a\n/* why */\nand host == \"x\""},
		{"no comment", `url == "http://a/*b*/" and host == 'c\'//' and path == ` + "`//`", `url == "http://a/*b*/" and host == "c'//" and path == "//"`},
		{
			"a long chain",
			`cidr(client.ip, "203.0.113.0/24") and header("User-Agent") contains "Mobile" and (host == "a.example.com" or host == "b.example.com")`,
			"cidr(client.ip, \"203.0.113.0/24\")\nand header(\"User-Agent\") contains \"Mobile\"\nand (host == \"a.example.com\" or host == \"b.example.com\")",
		},
		{
			"chains in a chain",
			"(a //1\n and b) or c and (d or //2\n e)",
			"a //1\n  and b\nor c\n  and (\n    d //2\n    or e\n  )",
		},
		{
			"a long list",
			`host not in ["one.example.com", "two.example.com", "three.example.com", "four.example.com", "five.example.com"]`,
			"host not in [\n  \"one.example.com\",\n  \"two.example.com\",\n  \"three.example.com\",\n  \"four.example.com\",\n  \"five.example.com\"\n]",
		},
		{
			"comments in a list",
			"in_list(client.ip, // who\n \"office\" /* where */ )",
			"in_list(\n  client.ip, // who\n  \"office\"\n)\n/* where */",
		},
		{
			"a broken conditional",
			"not (a // x\n and b) ? c : // y\n d",
			"not (\n  a // x\n  and b\n)\n  ? c // y\n  : d",
		},
	} {
		got, err := Format(tt.source)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got != tt.want {
			t.Errorf("%s: %s becomes\n%s\nwant\n%s", tt.name, tt.source, got, tt.want)
		}
		if again, err := Format(got); err != nil || again != got {
			t.Errorf("%s: formatted once more, it becomes\n%s\n(%v)", tt.name, again, err)
		}
	}
}

// Exactly 100 columns stay on a line.
func TestFormatWidth(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ length, lines int }{{maxColumns, 1}, {maxColumns + 1, 2}} {
		rest := ` or path == "/"`
		source := fmt.Sprintf(`host == "%s"`, strings.Repeat("a", tt.length-len(`host == ""`)-len(rest))) + rest
		got, err := Format(source)
		if err != nil || strings.Count(got, "\n")+1 != tt.lines {
			t.Errorf("%d columns become\n%s\n(%v), want %d lines", tt.length, got, err, tt.lines)
		}
	}
}

// Where there is one line only, no line is too long.
func TestFormatLine(t *testing.T) {
	t.Parallel()
	long := `host == "` + strings.Repeat("a", maxColumns) + `" and path == "/"`
	if got, err := FormatLine("(" + long + ")"); err != nil || got != long {
		t.Errorf("got %s, %v, want %s", got, err, long)
	}
	if _, err := FormatLine("a and // b\n c"); err == nil || err.Column != 7 {
		t.Errorf("got %+v, want an error at the comment", err)
	}
}

func TestFormatRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`host == "a" and`, `1:15 E301 unexpected end of the expression`},
		{`host = "a"`, `1:6 E301 unexpected "="`},
		{"host == \"a\"\n/* never ends", "2:14 E301 unclosed comment"},
		{`path | lower()`, `1:6 E309 "|" is not part of rules`},
		{``, `1:1 E301 it is empty`},
		{"host == \"\xff\"", `1:1 E301 it is not UTF-8`},
	} {
		_, err := Format(tt.source)
		if err == nil {
			t.Errorf("%s is formatted", tt.source)
			continue
		}
		if got := fmt.Sprintf("%d:%d %s %v", err.Line, err.Column, err.Code, err); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.source, got, tt.want)
		}
	}
}

// Whatever is formatted means the same, keeps its comments, and does not change when
// it is formatted once more.
func TestFormatOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkFormat(t, sourceOf(t, 4))
	})
}

// fataler is what rapid and fuzzing have in common.
type fataler interface{ Fatalf(string, ...any) }

func checkFormat(t fataler, source string) {
	once, err := Format(source)
	if err != nil {
		t.Fatalf("Format(%q): %v", source, err)
	}
	twice, err := Format(once)
	if err != nil || twice != once {
		t.Fatalf("Format(%q) =\n%s\nformatted once more, it is\n%s\n(%v)", source, once, twice, err)
	}
	if had, has := commentsOf(source), commentsOf(once); len(had) != len(has) {
		t.Fatalf("Format(%q) =\n%s\nof %d comments it has %d", source, once, len(had), len(has))
	}
}

// FuzzFormat: what Compile would parse, Format formats, to something that it leaves
// alone.
func FuzzFormat(f *testing.F) {
	f.Add("a and /* x */ (b or // y\n c)")
	f.Add("-1 < port <= 0x10 ? not a : `x\\` in b[\"c d\"]")
	f.Fuzz(func(t *testing.T, source string) {
		if _, errs := new(Language).parse(source); errs != nil || !utf8.ValidString(source) {
			return
		}
		checkFormat(t, source)
	})
}

// sourceOf draws an expression with any spacing, spelling and comments.
func sourceOf(t *rapid.T, depth int) string {
	gap := func() string {
		return rapid.SampledFrom([]string{" ", " ", "  ", "\n", "\t", " /* c */ ", " // d\n", "\n// e\n"}).Draw(t, "gap")
	}
	leaf := func() string {
		return rapid.SampledFrom([]string{`a`, `client.ip`, `"x"`, `'y"'`, "`\\d`", `12`, `0x1f`, `-3`, `1.5`, `true`, `header("X")`, `headers('b')[0]`, `c["d e"]`, `[]`, `f()`}).Draw(t, "leaf")
	}
	if depth == 0 {
		return leaf()
	}
	sub := func() string {
		text := sourceOf(t, depth-1)
		if rapid.Bool().Draw(t, "parentheses") {
			text = "(" + gap() + text + gap() + ")"
		}
		return text
	}
	operator := func() string {
		return rapid.SampledFrom([]string{"and", "or", "&&", "||", "==", "!=", "<", "<=", ">", "in", "not in", "contains", "startsWith", "not endsWith", "??"}).Draw(t, "operator")
	}
	binary := func() string {
		op := operator()
		left, right := sub(), sub()
		if op == "??" || strings.Contains(left+right, "??") { // it is mixed with nothing
			left, right = "("+left+"\n)", "("+right+"\n)"
		}
		return left + gap() + op + gap() + right
	}
	switch rapid.IntRange(0, 8).Draw(t, "form") {
	case 0:
		return leaf()
	case 1:
		return rapid.SampledFrom([]string{"not ", "!"}).Draw(t, "not") + gap() + "(" + sub() + "\n)"
	case 2:
		return "f(" + gap() + sub() + gap() + "," + gap() + sub() + "\n)"
	case 3:
		return "[" + gap() + sub() + gap() + "," + gap() + sub() + "\n]"
	case 4:
		return "(" + sub() + gap() + "?" + gap() + sub() + gap() + ":" + gap() + sub() + gap() + ")"
	case 5:
		return "(" + sub() + gap() + "?:" + gap() + sub() + gap() + ")"
	}
	return binary()
}

// What does not compile because it is too large is not formatted: each layer of it
// would be written anew for all that it is in.
func TestFormatIsBounded(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		strings.Repeat("not ", 4000) + "true",
		strings.Repeat("!", 9000) + "true",
		strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000),
		strings.Repeat("lower(", 1000) + "host" + strings.Repeat(")", 1000) + ` == ""`,
	} {
		for _, format := range []func(string) (string, *Error){Format, FormatLine} {
			if _, err := format(source); err == nil || err.Code != codeLarge {
				t.Errorf("%.20s... is formatted, or refused with %v", source, err)
			}
		}
	}
}
