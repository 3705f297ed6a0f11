package rules

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write RULES.md from the tables")

// rulesIntro is what stands before the tables of RULES.md.
const rulesIntro = `# Rule expressions

Made from the tables of this package by ` + "`go test ./rules -run TestRulesPage -rewrite`" + `: do not edit.

A rule is a name, a condition (` + "`when`" + `) and one action. The first rule whose condition is true of a request decides it. Conditions
are expressions of expr-lang/expr over the names below, and nothing else. What is absent is "" or 0, or an empty list, never nil, and compared
as that: of a field that is not there, ` + "`header(\"X\") != \"a\"`" + ` is true, and ` + "`header(\"X\") matches \"a\"`" + ` is false. Only an entry that a list
does not have (` + "`headers(\"X\")[1]`" + `) cannot be evaluated: the rule does not match then, whatever it says of the entry; the log tells, and a counter.

` + "```yaml" + `
rules:
  - { name: banned, when: 'cidr(client.ip, "203.0.113.0/24") and method != "GET"', reject: { status: 403 } }
  - { name: old,    when: 'path == "/start"', redirect: { location: "https://{host}/shop/" } }
  - { name: beta,   when: 'cookie("beta") == "1" or percent(5)', permit: { to: "app:shop@2.0", failover: [main/shop] } }
` + "```" + `

` + "`weirkeep rules repl`" + ` tries expressions out, ` + "`weirkeep explain`" + ` says which rule decides a request and why, ` + "`weirkeep check`" + ` finds
every mistake with its place.

## Operators

` + "`and or not == != < <= > >= in contains startsWith endsWith matches ?: ??`" + `. Texts are compared letter by letter; names of headers and
hosts in any case. ` + "`matches`" + ` takes a literal RE2 pattern and costs %d. There are no loops, ranges, arithmetic, pipes, variables of
one's own, slices, maps and no nil. An expression has at most 16 KiB and %d parts, and brackets that are nested %d deep.

## Cost

The costs of all functions and of ` + "`matches`" + ` in an expression are added up; the limit is %d for a rule and 5000 for the rules of a
site. Comparisons of the parts below with constants run on the request's bytes and allocate nothing; what does not is
called slow by ` + "`check -v`" + ` and ` + "`rules list`" + `.

`

func rulesPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, rulesIntro, matchesCost, maxNodes, maxNesting, defaultCostLimit)
	b.WriteString("## Variables\n\n| Name | Type | What it is |\n|---|---|---|\n")
	for _, v := range Variables() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, v.Type, v.About)
	}
	b.WriteString(functionsIntro)
	writeRequest(&b, request())
	b.WriteString("\n| Function | Cost | What it does | Example | Result |\n|---|--:|---|---|---|\n")
	for _, f := range Functions() {
		fmt.Fprintf(&b, "| `%s` | %d | %s | `%s` | `%s` |\n", f.Signature, f.Cost, f.About, f.Example, f.Result)
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
