package websphere

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"weirkeep/rules"
)

// A page is YAML that is written line by line.
type page struct{ bytes.Buffer }

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format+"\n", args...)
}

// comment writes a text of any number of lines as comments.
func (p *page) comment(indent, text string) {
	for _, l := range strings.FieldsFunc(text, isBreak) {
		l = strings.TrimRight(strings.Map(printable, l), " ")
		p.line("%s", strings.TrimRight(indent+"# "+l, " "))
	}
}

func isBreak(c rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", c) }

// printable keeps out of a comment what YAML does not take.
func printable(c rune) rune {
	switch {
	case c == '\t':
		return ' '
	case !unicode.IsPrint(c) || c == unicode.ReplacementChar:
		return '?'
	}
	return c
}

// plainScalar is a text that YAML takes for nothing else, also between brackets.
var plainScalar = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./@*+-]*$`)

// words are plain scalars that YAML takes for something else.
var words = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// scalar is a text as YAML has it, in quotes where it needs them.
func scalar(text string) string {
	if plainScalar.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) {
		return text
	}
	if strings.IndexFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) >= 0 {
		return strconv.QuoteToASCII(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// plainExpression is one that YAML takes as it is, outside brackets.
var plainExpression = regexp.MustCompile(`^[a-z(][^#:]*$`)

// expression is an expression as YAML has it: as it is, so that it can be read,
// where that is possible.
func expression(text string) string {
	if plainExpression.MatchString(text) && strings.IndexFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) < 0 && text != "false" {
		return text
	}
	return scalar(text)
}

// condition writes a condition in the form of rules fmt.
func (p *page) condition(text string) {
	if formatted, bad := rules.Format(text); bad == nil {
		text = strings.ReplaceAll(formatted, "${", `\u0024{`) // see quote
	}
	if !strings.Contains(text, "\n") {
		p.line("    when: %s", expression(text))
		return
	}
	p.line("    when: |-")
	for line := range strings.SplitSeq(text, "\n") {
		p.line("      %s", line)
	}
}

func flow(texts []string) string {
	all := make([]string, len(texts))
	for i, t := range texts {
		all[i] = scalar(t)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// config is the configuration that the rules are.
func (b *book) config() []byte {
	var p page
	b.head(&p)
	b.affinity(&p)
	if cell := b.reading.authority; cell != "" {
		p.line("rules_authority: %s\n", scalar(cell))
	}
	b.lists(&p)
	if len(b.active()) == 0 {
		p.line("rules: []")
	} else {
		p.line("rules:")
	}
	for _, r := range b.rules {
		b.rule(&p, r)
	}
	return p.Bytes()
}

func (b *book) head(p *page) {
	n := len(b.active())
	p.comment("", fmt.Sprintf("Routing rules of %s: %d converted, %d disabled.", b.options.Name, n, len(b.rules)-n))
	p.comment("", "Put these keys beside clusters, sites and mappings. Rules are evaluated in this")
	p.comment("", "order, and the first that matches decides.")
	if n < len(b.rules) {
		p.comment("", "A disabled rule is a comment: the requests that it took go on to the rules after")
		p.comment("", "it. Where it rejected, they are let through.")
	}
	b.needs(p)
	p.line("")
}

// needs lists what the rest of the configuration must have.
func (b *book) needs(p *page) {
	var clusters, servers []string
	for _, r := range b.active() {
		for _, d := range r.action.all() {
			if strings.HasPrefix(d, "server=") {
				servers = append(servers, d)
			} else {
				clusters = append(clusters, d)
			}
		}
	}
	needed(p, "The rules send to these clusters, which the configuration must have:", clusters)
	needed(p, "They send to these servers: cell, host, user_dir and name of an origin:", servers)
	if slices.ContainsFunc(b.active(), func(r *rule) bool { return r.action.sticky }) {
		p.comment("", "Rules that are sticky need a session with binding: gateway-cookie.")
	}
}

func needed(p *page, title string, all []string) {
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return
	}
	p.comment("", title)
	for _, one := range all {
		p.comment("", "  "+one)
	}
}

// affinity writes whether bindings shield from rules.
func (b *book) affinity(p *page) {
	if b.overridden() {
		p.line("override_affinity: true\n")
		return
	}
	p.comment("", "The original's default: no rule applies to a request whose server is found by")
	p.comment("", "its session. A session id is something a client can write, so that a forged one")
	p.comment("", "walks past a reject. The value permit is safer: reject and redirect then hold for")
	p.comment("", "every request.")
	p.line("affinity_shields: all\n")
}

// overridden reports whether all rules override affinity, so that it is said once.
func (b *book) overridden() bool {
	return b.reading.override || len(b.active()) > 0 && !slices.ContainsFunc(b.active(), func(r *rule) bool { return !r.override })
}

func (b *book) lists(p *page) {
	if len(b.writer.lists) == 0 {
		return
	}
	entries := b.writer.lists.entries()
	p.line("lists:")
	for _, l := range b.writer.lists {
		p.line("  %s: %s", scalar(l.name), flow(entries[l.name]))
	}
	p.line("")
}

// rule writes one rule below its original; a disabled one is a comment.
func (b *book) rule(p *page, r *rule) {
	p.comment("  ", fmt.Sprintf("%s:%d", b.options.Name, r.line))
	p.comment("  ", r.original)
	var body page
	b.body(&body, r)
	if r.refused == nil {
		p.Write(body.Bytes())
		return
	}
	for _, f := range r.refused {
		p.comment("  ", "disabled: "+f.code+": "+f.message)
	}
	p.comment("  ", strings.ReplaceAll("\n"+body.String(), "\n  ", "\n"))
}

func (b *book) body(p *page, r *rule) {
	p.line("  - name: %s", scalar(r.name))
	if b.numbered && r.ordered {
		p.line("    order: %d", r.order)
	}
	if r.cell != "" {
		p.line("    cell: %s", scalar(r.cell))
	}
	switch {
	case r.when.text == "":
		p.line("    when: ? # it cannot be written")
	case r.when != always:
		p.condition(r.when.text)
	}
	if r.override && !b.overridden() {
		p.line("    override_affinity: true")
	}
	r.action.write(p, r.refused != nil)
}

// write writes an action. That of a disabled rule may not be there.
func (a action) write(p *page, disabled bool) {
	switch {
	case len(a.to) > 0:
		p.line("    permit:")
		p.line("      to: %s", flow(a.to))
		a.options(p)
	case a.location != "":
		p.line("    redirect: { location: %s }", scalar(a.location))
	case a.status != 0:
		p.line("    reject: { status: %d }", a.status)
	case disabled:
		p.line("    # its action cannot be written")
	}
}

// options writes what a permit has beside its destinations.
func (a action) options(p *page) {
	if len(a.failover) > 0 {
		groups := make([]string, len(a.failover))
		for i, g := range a.failover {
			groups[i] = flow(g)
		}
		p.line("      failover: [%s]", strings.Join(groups, ", "))
	}
	if a.sticky {
		p.line("      sticky: true")
	}
	if a.maintenance {
		p.line("      allow_maintenance: true")
	}
}
