package rules

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"weirkeep/gateway/wire"
)

var rewrite = flag.Bool("rewrite", false, "write RULES.md from the tables")

// rulesIntro is what stands before the tables of RULES.md.
const rulesIntro = `# Rule expressions

Made from the tables of this package by ` + "`go test ./rules -run TestRulesPage -rewrite`" + `: do not edit.

A rule is a name, a condition (` + "`when`" + `) and one action. The first rule whose condition is true of a request decides it. Conditions
are expressions of expr-lang/expr over the names below, and nothing else. What is absent is "" or 0, or an empty list, never nil, and compared
as that: of a field that is not there, ` + "`header(\"X\") != \"a\"`" + ` is true, and ` + "`header(\"X\") matches \"a\"`" + ` is false; an entry that a list does
not have (` + "`headers(\"X\")[1]`" + `) is "", too. Should a condition be one that cannot be evaluated all the same, it is false; the log tells, and a counter.

` + "```yaml" + `
rules:
  - { name: banned, when: 'cidr(client.ip, "203.0.113.0/24") and method != "GET"', reject: { status: 403 } }
  - { name: old,    when: 'path == "/start"', redirect: { location: "https://{host}/shop/" } }
  - { name: beta,   when: 'cookie("beta") == "1" or percent(5)', permit: { to: "app:shop@2.0", failover: [main/shop] } }
` + "```" + `

` + "`weirkeep rules repl`" + ` tries expressions out, ` + "`weirkeep explain`" + ` says which rule decides a request and why, ` + "`weirkeep check`" + ` finds
every mistake with its place, and ` + "`weirkeep rules lint`" + ` what can hardly be meant. ` + "`weirkeep help RULES`" + ` prints this page, and
` + "`weirkeep help operators`, `variables` and `functions`" + ` its tables.

Which answers make a request be sent to another origin is written in the same language (` + "`clusters.*.retry.when`" + `): [Answers](#answers) has the names for it.

## Texts

A text stands in double or single quotes, or in backticks. In quotes a ` + "`\\`" + ` begins an escape: ` + "`\\\\`" + ` is a backslash, ` + "`\\\"`" + ` the quote, ` + "`\\n` `\\r` `\\t`" + ` are line feed,
carriage return and tab, ` + "`\\x41`" + ` is a byte, ` + "`\\u00e4`" + ` a character; a ` + "`\\d`" + ` or what else begins none of them is a mistake. In backticks ` + "`\\`" + ` stands for itself,
which is how patterns are written best: ` + "``path matches `^/\\d+$` ``" + ` is ` + "`path matches \"^/\\\\d+$\"`" + `. In YAML put the condition in single quotes, or behind ` + "`>-`" + ` on lines of its own.

## The canonical path

What ` + "`path`" + ` is, for rules, mappings and the cache. The origin gets the path as it was received, which is ` + "`raw_path`" + `.

- Escapes of letters, digits and ` + "`-._~`" + ` are decoded: ` + "`/%%7Euser`" + ` is ` + "`/~user`" + `.
- All other escapes are kept, with their digits in upper case: ` + "`/a%%2fb`" + ` is ` + "`/a%%2Fb`" + `, which is not ` + "`/a/b`" + `.
- What no URI may hold is escaped: ` + "`/ä`" + ` is ` + "`/%%C3%%A4`" + `, and so are ` + "`\"<>^{|}`" + ` and the backtick.
- Nothing else is changed: ` + "`//`, `;x=1`" + ` and the case of letters stay.
- Refused with 400 before any rule is asked: segments that are ` + "`.` or `..`" + `, however they are written and also before a ` + "`;`" + `; backslashes; blanks
  and control characters; ` + "`#`" + `; ` + "`%%`" + ` that begins no escape, ` + "`%%00`" + `, and UTF-8 that is longer than it need be.

Many origins read ` + "`/shop//admin`, `/shop/;a=1/admin` and `/shop/%%2fadmin`" + ` as ` + "`/shop/admin`" + `. This is true of a path in every one of these spellings,
and should be what a rule that protects one rejects:

` + "```\n%s\n```" + `

It is true of other paths that have ` + "`//`, `%%2F`, `%%3B`, `%%5C` or `%%25`" + `, or a ` + "`;` before a `/`" + `: let those who may have both in, not one. ` + "`;jsessionid=...`" + `
at the end of a path is none of them.

## Permits and sessions

A permit does not move a request whose session is bound to another origin that works, unless the rule says ` + "`override_affinity: true`" + ` or
names an edition which that origin does not run: who has a session already does not get to an origin in maintenance by a permit alone.
Nor does a binding hold a session at an origin in maintenance: name that origin, not its cluster. So usually write
` + "`override_affinity: true` together with `allow_maintenance: true`" + `:

` + "```yaml" + `
rules:
  - { name: testers, when: 'in_list(client.ip, "office")', override_affinity: true, permit: { to: main/shop/web1, allow_maintenance: true } }
` + "```" + `

## Operators

Texts are compared letter by letter; names of headers and hosts in any case. ` + "`matches`" + ` costs %d. There are no loops, ranges, arithmetic,
pipes, variables of one's own, slices, maps and no nil.

| Operator | What it does | Example |
|---|---|---|
%s
## Cost

The costs of all functions and of ` + "`matches`" + ` in an expression are added up; the limit is %d for a rule and 5000 for the rules of a
site. An expression may be %d bytes long, have %d parts (names, literals, calls and operators) and brackets that are nested %d deep. Many
values are a list of the configuration, for in_list(), which costs the same whatever its length. Comparisons of the parts below with constants run on the
request's bytes and allocate nothing; what does not is called slow by ` + "`check -v`" + ` and ` + "`rules list`" + `.

`

// protected is true of a path below /shop/admin, however it is written for origins that
// read it so.
const protected = "lower(path) startsWith \"/shop/admin\" or path matches `//|;.*/|%(2F|3B|5C|25)`"

func rulesPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, rulesIntro, protected, matchesCost, operatorRows(), defaultCostLimit, maxSource, maxNodes, maxNesting)
	b.WriteString("## Variables\n\n| Name | Type | What it is |\n|---|---|---|\n")
	for _, v := range Variables(OfRequest) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, v.Type, v.About)
	}
	b.WriteString(functionsIntro)
	writeRequest(&b, request())
	b.WriteString("\n| Function | Cost | What it does | Example | Result |\n|---|--:|---|---|---|\n")
	for _, f := range Functions(OfRequest) {
		fmt.Fprintf(&b, "| `%s` | %d | %s | `%s` | `%s` |\n", f.Signature, f.Cost, f.About, f.Example, f.Result)
	}
	b.WriteString(answersIntro)
	writeAnswers(&b)
	writeStored(&b)
	return b.String()
}

// answersIntro is what stands before the tables of what only some expressions can name.
const answersIntro = `
## Answers

Where an origin has answered, an expression can name everything above, and what is known of the answer. Elsewhere that is a mistake, which says where
the name can stand: a rule is asked before any origin is, and has no answer to look at. What ` + "`header()`" + ` reads is always the request's.

` + "```" + `
status in [502, 503] and response_header("X-Retry") != "no" and attempts < 2
` + "```" + `

`

// writeAnswers writes the tables of what is beyond the scope of rules.
func writeAnswers(b *strings.Builder) {
	b.WriteString("| Name | Type | What it is | Where |\n|---|---|---|---|\n")
	for _, v := range Variables(widest) {
		if v.Scope != OfRequest {
			fmt.Fprintf(b, "| `%s` | %s | %s | `%s` |\n", v.Name, v.Type, v.About, v.Scope.Places())
		}
	}
	r := request().Response
	fmt.Fprintf(b, "\nExamples are of this answer to the request above:\n\n```\nHTTP/1.1 %d\n", r.Status)
	for _, f := range r.Fields {
		fmt.Fprintf(b, "%s: %s\n", f.Name, f.Value)
	}
	b.WriteString("```\n\n| Function | Cost | What it does | Example | Result | Where |\n|---|--:|---|---|---|---|\n")
	for _, f := range Functions(widest) {
		if f.Scope != OfRequest {
			fmt.Fprintf(b, "| `%s` | %d | %s | `%s` | `%s` | `%s` |\n", f.Signature, f.Cost, f.About, f.Example, f.Result, f.Scope.Places())
		}
	}
}

// storedIntro is what stands before the tables of what can be said of stored answers.
const storedIntro = `
## Stored answers

` + "`weirkeep cache ls` and `purge`" + ` select by ` + "`--where`" + `: an expression that is asked of each stored answer. It can name what is known of that, and no more: the URL
as it is stored, whose path is canonical and whose query has neither ignored parameters nor, where they are sorted, an order; the answer; and how it has fared. ` + "`now`" + ` is the time of the command.

` + "```" + `
content_type startsWith "image/" and age > 3600 and hits == 0
` + "```" + `

`

// writeStored writes the tables of what is known of stored answers.
func writeStored(b *strings.Builder) {
	b.WriteString(storedIntro + "| Name | Type | What it is |\n|---|---|---|\n")
	var others, calls []string
	for _, v := range Variables(OfStored) {
		if v.Scope != OfStored {
			others = append(others, "`"+v.Name+"`")
		} else {
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", v.Name, v.Type, v.About)
		}
	}
	for _, f := range Functions(OfStored) {
		calls = append(calls, "`"+f.Name+"()`")
	}
	fmt.Fprintf(b, "\nFrom the tables above: %s; and %s.\n", strings.Join(others, ", "), strings.Join(calls, ", "))
}

// operatorRows are the rows of the table of operators. A bar would end a cell.
func operatorRows() string {
	var b strings.Builder
	for _, o := range Operators() {
		fmt.Fprintf(&b, "| `%s` | %s | `` %s `` |\n", o.Name, strings.ReplaceAll(o.About, "|", `\|`), o.Example)
	}
	return b.String()
}

// functionsIntro is what stands before the table of functions.
const functionsIntro = `
## Functions

Names of header fields are read in any case, those of cookies and query arguments letter by letter. All Cookie fields are read. A query
argument is decoded: %XX is a byte, + a blank, and a % that begins no such escape itself. Patterns, networks, zones, and names of lists
and clusters are literal. What depends on a share or a bucket is the same for the same request id or client on every node and after
every restart. A regular expression or pattern that takes more than about 2000 steps is refused.

Examples are of this request:

`

// writeRequest writes a request as people see it.
func writeRequest(b *strings.Builder, r *Request) {
	fmt.Fprintf(b, "```\n%s %s HTTP/%s\nHost: %s:%d\n", r.Method, r.URL, r.HTTP, r.Host, r.Port)
	for _, f := range r.Fields {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%s: %s", f.Name, f.Value), " ") + "\n")
	}
	fmt.Fprintf(b, "```\n\nfrom %s, by TLS %s, request id %s, at %s; the list `office` holds 10.1.0.0/16, and one origin of main/shop is in service.\n",
		r.Client.Addr(), r.TLS.Version, r.ID, r.Now.Format("Monday 2006-01-02 15:04:05 MST"))
}

// Each operator's example is true of the request, and uses it.
func TestOperatorExamples(t *testing.T) {
	t.Parallel()
	for _, o := range Operators() {
		if !strings.Contains(o.Example, " "+o.Name+" ") && !strings.HasPrefix(o.Example, o.Name+" ") {
			t.Errorf("the example of %s does not use it: %s", o.Name, o.Example)
		}
		if got := matches(t, o.Example, request()); !got {
			t.Errorf("%s is %v", o.Example, got)
		}
	}
}

// A path is protected in every spelling that the gateway lets through, and others are
// let alone.
func TestProtectedPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw  string
		want string // protected, open, or 400
	}{
		{"/shop/admin", "protected"},
		{"/shop/admin/x", "protected"},
		{"/shop/ADMIN", "protected"},
		{"/shop/%61dmin", "protected"},
		{"/shop//admin", "protected"},
		{"//shop/admin", "protected"},
		{"/shop/;a=1/admin", "protected"},
		{"/shop;a=1/admin", "protected"},
		{"/shop/%3ba=1/admin", "protected"},
		{"/shop/admin;a=1", "protected"},
		{"/shop/%2fadmin", "protected"},
		{"/shop%2Fadmin", "protected"},
		{"/shop%252fadmin", "protected"},
		{"/shop%5cadmin", "protected"},
		{"/shop/%2e/admin", "400"},
		{"/shop/x/../admin", "400"},
		{"/shop/..;/shop/admin", "400"},
		{"/shop\\admin", "400"},
		{"/shop/%c0%afadmin", "400"},
		{"/shop/adm%00in", "400"},
		{"/shop/cart", "open"},
		{"/shop/caf\xc3\xa9", "open"},
		{"/shop/cart;jsessionid=1!2", "open"},
		{"/shop/a%20b", "open"},
	} {
		var target wire.Target
		got := "open"
		if err := target.Parse([]byte(tt.raw)); err != nil {
			got = "400"
		} else if matches(t, protected, &Request{Path: target.Path}) {
			got = "protected"
		}
		if got != tt.want {
			t.Errorf("%s is %s, want %s", tt.raw, got, tt.want)
		}
	}
}

// The page is what the tables say; its examples are run by TestExamples.
func TestRulesPage(t *testing.T) {
	want := rulesPage()
	if *rewrite {
		if err := os.WriteFile("RULES.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("RULES.md")
	if err != nil || string(got) != want {
		t.Errorf("RULES.md is not what the tables say (%v): go test ./rules -run TestRulesPage -rewrite", err)
	}
}
