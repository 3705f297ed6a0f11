package esi

import (
	"strings"
	"testing"
)

// tested is what a test comes to, and whether it is well-formed.
func tested(t testing.TB, text string, c *Client) (holds, formed bool) {
	t.Helper()
	var b builder
	compiled, err := b.compile(text)
	r := reader{client: c, query: []byte("own=1")}
	return compiled.run(&r, b.program.variables), err == nil
}

func TestExpressions(t *testing.T) {
	const malformed = "malformed"
	for _, tt := range []struct{ id, test, want string }{
		{"X1 equal", `'a'=='a'`, "true"},
		{"X1 not equal", `'a'=='b'`, "false"},
		{"X1 comparison before not", `!'a'=='b'`, "true"},
		{"X1 not before and", `!0 & 0`, "false"},
		{"X1 and before or", `1 | 1 & 0`, "true"},
		{"X1 and before or, other order", `0 & 0 | 1`, "true"},
		{"X1 parentheses", `(1 | 1) & 0`, "false"},
		{"X1 doubled operators", `1 && 1 || 0`, "true"},
		{"X1 no blanks", `1&0|1`, "true"},
		{"X1 long chains", `0|0|0|0|1`, "true"},
		{"X1 not not", `!!1`, "true"},
		{"X1 not not not", `! ! !1`, "false"},
		{"X1 nested parentheses", `((('a')))==(('a'))`, "true"},
		{"X1 a result is compared", `(1==1)=='true'`, "true"},
		{"X1 of the specification", `$(HTTP_COOKIE{tier})=='gold' & !($(QUERY_STRING{lite})=='1')`, "true"},

		{"X2 numbers", `10 > 9`, "true"},
		{"X2 numbers in quotes", `'10' > '9'`, "true"},
		{"X2 one is none", `'10a' > '9'`, "false"},
		{"X2 two dots make none", `'3.01.2' == '3.010.2'`, "false"},
		{"X2 fractions", `1.50 == 1.5`, "true"},
		{"X2 leading zeros", `007 == 7`, "true"},
		{"X2 negative", `-2 < -1`, "true"},
		{"X2 negative and positive", `-2 < 1`, "true"},
		{"X2 minus zero", `-0 == 0.0`, "true"},
		{"X2 large", `123456789012345678901234567890 < 123456789012345678901234567891`, "true"},
		{"X2 small", `0.00000000000000000001 > 0`, "true"},
		{"X2 a dot at the end", `'1.' == '1'`, "false"},
		{"X2 strings", `'abc' < 'abd'`, "true"},
		{"X2 at most", `2 <= 2`, "true"},
		{"X2 at least", `2 >= 3`, "false"},
		{"X2 less", `2 < 2`, "false"},
		{"X2 not equal", `2 != 3`, "true"},

		{"X3 undefined", `$(QUERY_STRING{none})`, "false"},
		{"X3 undefined is not equal", `$(QUERY_STRING{none})=='a'`, "false"},
		{"X3 undefined is not unequal", `$(QUERY_STRING{none})!='a'`, "false"},
		{"X3 nothing equals nothing", `$(QUERY_STRING{none})==''`, "false"},
		{"X3 less than nothing", `''<'a'`, "false"},
		{"X3 defined", `$(QUERY_STRING{c})`, "true"},
		{"X3 zero", `'0'`, "false"},
		{"X3 the word false", `false`, "false"},
		{"X3 the word true", `true`, "true"},
		{"X3 zero point zero is a text", `'0.0'`, "true"},
		{"X3 a default", `$(QUERY_STRING{none}|'a')=='a'`, "true"},

		{"X4 nothing", ``, malformed},
		{"X4 blanks", ` `, malformed},
		{"X4 no operand", `'a'==`, malformed},
		{"X4 no operator", `'a' 'b'`, malformed},
		{"X4 open parenthesis", `('a'=='a'`, malformed},
		{"X4 closed parenthesis", `'a')`, malformed},
		{"X4 open quote", `'a'=='a`, malformed},
		{"X4 assignment", `'a'='a'`, malformed},
		{"X4 two comparisons", `1<2<3`, malformed},
		{"X4 not alone", `!`, malformed},
		{"X4 variable that is none", `$(query)`, malformed},
		{"X4 double quotes", `"a"=="a"`, "true"},
		{"X4 operators in quotes", `'a==b & c'=='a==b & c'`, "true"},
		{"X4 malformed behind what decides", `1 | (`, malformed},

		{"X5 nesting", strings.Repeat("(", maxParens) + "1" + strings.Repeat(")", maxParens), "true"},
		{"X5 nested too deep", strings.Repeat("(", maxParens+1) + "1" + strings.Repeat(")", maxParens+1), malformed},
		{"X5 nesting with values", strings.Repeat("1==(", maxParens) + "1" + strings.Repeat(")", maxParens), "false"},
		{"X5 nesting with chains", strings.Repeat("1&(0|(", maxParens/2) + "1" + strings.Repeat("))", maxParens/2), "true"},

		{"has", `'abc' has 'b'`, "true"},
		{"has not", `'abc' has 'd'`, "false"},
		{"has nothing", `'abc' has ''`, "false"},
		{"has needs blanks", `'abc'has 'b'`, malformed},
		{"has is a word too", `has has has`, "true"},
		{"matches", `$(HTTP_USER_AGENT) matches '^Mozilla/[0-9.]+ .*Windows'`, "true"},
		{"matches not", `'abc' matches '^b'`, "false"},
		{"matches nothing", `'' matches 'a*'`, "false"},
		{"matches what is no expression", `'abc' matches '('`, malformed},
		{"matches what is not fixed", `'abc' matches $(QUERY_STRING{c})`, malformed},
		{"matches what is large", `'a' matches '(a{100}){100}'`, malformed},
		{"matches what takes long elsewhere", `'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' matches '^(a+)+$'`, "false"},
		{"not matches", `!'abc' matches 'b'`, "false"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			holds, formed := tested(t, tt.test, visitor())
			got := map[bool]string{true: "true", false: "false"}[holds]
			if !formed {
				got = malformed
			}
			if got != tt.want {
				t.Errorf("%s is %s, want %s", tt.test, got, tt.want)
			}
			if !formed && holds {
				t.Error("it is malformed and true")
			}
		})
	}
}

// X5: there are no more steps than bytes, and all jumps lead on, so that each is done once
// at most.
func TestExpressionsAreLinear(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("!!'a'=='b'|", 700) + "0",
		strings.Repeat("1&", 4000) + "1",
		strings.Repeat("(1|", maxParens) + "0" + strings.Repeat(")", maxParens),
		strings.Repeat("$(HTTP_HOST) has 'x' & ", 300) + "1",
	} {
		var b builder
		compiled, err := b.compile(text)
		if err != nil || len(compiled) > len(text)+1 {
			t.Errorf("%.20q has %d steps: %v", text, len(compiled), err)
		}
		for i, s := range compiled {
			if (s.op == stepAnd || s.op == stepOr) && int(s.to) <= i {
				t.Errorf("%.20q: step %d leads to %d", text, i, s.to)
			}
		}
	}
}

// X5: regular expressions take memory and time to compile, however short they are. A
// template has so many, and those that would be large are refused before they are written out.
func TestPatternsAreBounded(t *testing.T) {
	const choose = `<esi:choose><esi:when test="'a' matches 'a'">1</esi:when><esi:otherwise>0</esi:otherwise></esi:choose>`
	p, problems := parse(t, strings.Repeat(choose, maxPatterns+2))
	if got := page(t, p); got != strings.Repeat("1", maxPatterns)+"00" || kindsOf(problems) != "test test" {
		t.Errorf("the page is %q, with problems %v", got, problems.List)
	}
	for pattern, want := range map[string]error{
		"^(a|b){300}$": nil, "a{990}": nil, "[a-z]{900}": nil, `\pL+`: nil,
		"(abc){900}": errBigPattern, "(a{30}b{30}){30}": errBigPattern, strings.Repeat("a{900}", 30): errBigPattern, "(a{100}){100}": errPattern, "(": errPattern,
	} {
		if _, err := new(builder).compilePattern(pattern); err != want {
			t.Errorf("%s: %v, want %v", pattern, err, want)
		}
	}
}

// What is evaluated for every request allocates nothing, but for values that are decoded.
func TestExpressionAllocs(t *testing.T) {
	var b builder
	compiled, err := b.compile(`($(HTTP_COOKIE{tier})=='gold' | $(HTTP_ACCEPT_LANGUAGE{de})) & !($(QUERY_STRING{lite})=='1') & 10 > 9.5 & $(HTTP_HOST) has 'example'`)
	if err != nil {
		t.Fatal(err)
	}
	r := reader{client: visitor()}
	if !compiled.run(&r, b.program.variables) {
		t.Error("it is false")
	}
	if n := testing.AllocsPerRun(100, func() { compiled.run(&r, b.program.variables) }); n != 0 {
		t.Errorf("it allocates %v times, want 0", n)
	}
}

// BenchmarkExpression has a budget of 2 µs and 0 allocations.
func BenchmarkExpression(b *testing.B) {
	var build builder
	compiled, _ := build.compile(`$(HTTP_COOKIE{tier})=='gold' & !($(QUERY_STRING{lite})=='1')`)
	r := reader{client: visitor()}
	b.ReportAllocs()
	for b.Loop() {
		compiled.run(&r, build.program.variables)
	}
}
