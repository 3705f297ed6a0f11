package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"weirkeep/gateway"
)

// teller writes an explanation for people: a heading, then lines that belong to it.
type teller struct {
	out  io.Writer
	ink  paint
	name string // heading of the next line
	err  error
}

const headingWidth = 10

func (t *teller) line(heading, format string, args ...any) {
	if t.err != nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	_, t.err = fmt.Fprintf(t.out, "%s%s\n", t.ink.bold(fmt.Sprintf("%-*s", headingWidth, heading)), printableLines(text))
}

// printableLines is printable, but for the ends of lines.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

func (a *app) sayExplanation(e *gateway.Explanation) error {
	t := &teller{out: a.stdout, ink: a.paint(a.stdout)}
	if e.Refused != "" {
		t.line("refused", "%s: %d, %s", e.Refused, e.Outcome.Status, e.Outcome.Text)
		return t.err
	}
	t.request(e)
	t.mapping(e.Mapping)
	t.bestSet(e.BestSet)
	t.binding(e.Binding)
	t.rules(e)
	t.groups(e.Groups)
	if e.Variant != "" {
		t.line("variant", "%s", e.Variant)
	}
	t.filters(e.Filters)
	t.cache(e.Cache)
	t.page(e.Page)
	t.router(e.Router)
	if len(e.Still) > 0 {
		t.line("plugins", "%s: kept still here, without ticks, calls and samples; a running gateway may know more (--live)", strings.Join(e.Still, ", "))
	}
	t.pick(e)
	t.outcome(e)
	return t.err
}

// filters writes which filters the site has, and when they are called.
func (t *teller) filters(all []gateway.ExplainedFilter) {
	label := "filters"
	for _, f := range all {
		when := "at delivery"
		if f.Stage == "store" {
			when = "before the store, and not on hits"
		}
		t.line(label, "%-8s %s, %s; on_error: %s", f.Plugin, strings.Join(f.Sees, " and "), when, f.OnError)
		label = ""
	}
}

func (t *teller) request(e *gateway.Explanation) {
	r := &e.Request
	host, target := cmp.Or(r.Host, "(no host)"), r.Path
	if r.Port != 0 {
		host = fmt.Sprintf("%s:%d", host, r.Port)
	}
	if r.Query != "" {
		target += "?" + r.Query
	}
	proxy := "no trusted proxy before it"
	if r.Proxied {
		proxy = "by the trusted proxy " + r.Peer
	}
	t.line("request", "%s %s://%s%s   client %s (%s)", r.Method, r.Scheme, host, target, r.Client, proxy)
}

func (t *teller) mapping(m *gateway.ExplainedMapping) {
	if m == nil {
		return
	}
	heading := "mapping"
	if m.Index >= 0 {
		t.line(heading, "%d of %d, mappings[%d]   site %s (%s)", m.Index+1, m.Total, m.Index, m.Site, hostText(m))
		heading = ""
	} else {
		t.line(heading, "none of %d   %s", m.Total, siteText(m.Site))
	}
	for _, s := range m.Considered {
		t.line("", "  %d: %s", s.Mapping+1, s.Why)
	}
}

// hostText is through what a site has the request.
func hostText(m *gateway.ExplainedMapping) string {
	switch {
	case m.Host == "":
		return "the default site"
	case m.From == "target":
		return fmt.Sprintf("host %q, in the target", m.Host)
	case m.From == "src":
		return fmt.Sprintf("host %q, in the src of an include", m.Host)
	}
	return fmt.Sprintf("host %q", m.Host)
}

func siteText(site string) string {
	if site == "" {
		return "no site has this host and port"
	}
	return "of site " + site
}

func (t *teller) bestSet(b *gateway.ExplainedBestSet) {
	if b == nil {
		return
	}
	application := ""
	if b.Application != "" {
		application = fmt.Sprintf("application %s, %s   ->   ", b.Application, b.Pattern)
	}
	t.line("best set", "%s%s", application, groupText(&b.Group))
	for _, c := range b.Considered {
		t.line("", "  application %s: %s", c.Application, c.Why)
	}
}

// groupText is the clusters of a group with the names of their origins.
func groupText(g *gateway.ExplainedGroup) string {
	var parts []string
	for _, cluster := range g.Clusters {
		parts = append(parts, fmt.Sprintf("%s [%s]", cluster, strings.Join(namesIn(g, cluster), " ")))
	}
	return cmp.Or(strings.Join(parts, "   "), "nobody")
}

// namesIn are the names of a cluster's origins in a group.
func namesIn(g *gateway.ExplainedGroup, cluster string) (names []string) {
	for _, o := range g.Origins {
		if name, ok := strings.CutPrefix(o, cluster+"/"); ok {
			names = append(names, name)
		}
	}
	return names
}

func (t *teller) binding(b *gateway.ExplainedBinding) {
	if b == nil {
		return
	}
	where := ""
	if b.Primary != "" {
		where = fmt.Sprintf("   ->   %s (%s)", b.Primary, b.PrimaryState)
	}
	if b.Secondary != "" {
		where += fmt.Sprintf(", replica %s (%s)", b.Secondary, b.SecondaryState)
	}
	shields := ""
	if b.Shields {
		shields = ": shields from permits"
	}
	t.line("binding", "session %s, %s%s   %s%s", b.Session, cmp.Or(b.Carrier, b.Kind), where, b.Why, shields)
}

// groups are the sets of origins that are tried one after the other, if there are
// several.
func (t *teller) groups(all []gateway.ExplainedGroup) {
	if len(all) < 2 {
		return
	}
	var texts []string
	for i := range all {
		texts = append(texts, groupText(&all[i]))
	}
	t.line("groups", "%s", strings.Join(texts, ", else "))
}

// rules are a table: number, name, value, condition.
func (t *teller) rules(e *gateway.Explanation) {
	if len(e.Rules) == 0 {
		return
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	unreached := 0
	for _, r := range e.Rules {
		if r.Value == "unreached" {
			unreached++
			continue
		}
		value, mark := r.Value, ""
		if r.Value == "true" {
			value, mark = "TRUE", "   <- ends the pass"
		}
		fmt.Fprintf(w, "%d %s\t%s\t%s\t%s%s\n", r.Index+1, r.Name, value, ruleText(&r), tookText(r.Nanoseconds), mark)
		if r.Effect != "" {
			fmt.Fprintf(w, "  %s\n", r.Effect)
		}
	}
	w.Flush()
	heading := "rules"
	for line := range strings.Lines(b.String()) {
		t.line(heading, "%s", strings.TrimRight(line, " \n"))
		heading = ""
	}
	if unreached > 0 {
		t.line(heading, "%s after it: not evaluated", plural(unreached, "rule"))
	}
}

// ruleText is a rule's condition, or why it was left out.
func ruleText(r *gateway.ExplainedRule) string {
	if r.Why != "" {
		return r.Why
	}
	return cmp.Or(conditionText(r.When, 100), "always")
}

// tookText is how long it took to evaluate a rule; empty: it was not.
func tookText(nanoseconds int64) string {
	if nanoseconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f µs", float64(nanoseconds)/1000)
}

// router is what the plugin that chooses origins says.
func (t *teller) router(r *gateway.ExplainedRouter) {
	if r == nil {
		return
	}
	said := r.Why
	if len(r.Listed) > 0 {
		said = "lists " + strings.Join(r.Listed, ", ")
		if r.Why != "" {
			said += "; " + r.Why
		}
	} else if r.Called && len(r.Skipped) > 0 {
		said = "lists nobody that counts; " + r.Why
	}
	t.line("router", "%s, of %s   %s", r.Plugin, r.Cluster, said)
	for _, s := range r.Skipped {
		t.line("", "  skipped %s", s)
	}
}

func (t *teller) pick(e *gateway.Explanation) {
	p := e.Pick
	if p == nil {
		return
	}
	how := p.Why
	if p.Failover && p.Origin != "" {
		how += fmt.Sprintf(", of failover group %d", p.Group)
	}
	if !p.Sure && p.Origin != "" {
		how += ", or another one: chance decides"
	}
	t.line("pick", "%s   %s", cmp.Or(p.Origin, "none"), how)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	for _, c := range p.Candidates {
		fmt.Fprintf(w, "  %s\t%.2f free\t%d of %s%s%s\t%s\t%s\n", c.Origin, c.Free, c.Load, capacityText(c.Capacity, c.Learned), column("weight", c.Weight), column("metric", c.Metric), c.State, c.Why)
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		t.line("", "%s", strings.TrimRight(line, " \n"))
	}
}

// column is one of a number that not every origin has.
func column(what string, n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf("\t%s %d", what, *n)
}

func (t *teller) outcome(e *gateway.Explanation) {
	switch o := &e.Outcome; {
	case o.Stored && e.Page != nil && e.Page.Does == "assembled":
		t.line("would", "be answered with a page, made of the template in the store")
	case o.Stored:
		t.line("would", "be answered from the store")
	case o.Address != "" && e.Mapping != nil && e.Mapping.Index < 0:
		t.line("would", "be asked of %s as %s: %s", o.Address, o.Target, o.Text)
	case o.Address != "":
		t.line("would", "be sent to %s as %s", o.Address, o.Target)
	case o.Location != "":
		t.line("would", "be answered %d, %s: %s", o.Status, o.Reason, o.Location)
	case o.Status != 0:
		t.line("would", "be answered %d, %s: %s", o.Status, o.Reason, o.Text)
	default:
		t.line("would", "wait: %s", o.Text)
	}
}
