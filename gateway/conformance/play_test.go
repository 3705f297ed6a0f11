package conformance

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"weirkeep/gateway"
)

// A play is a row that is being run in a world.
type play struct {
	*world
	*scene
	path    string
	began   time.Time // T
	clients map[string]*client
	kept    *line // of C, for its next exchange; nil: there is none
	looked  int   // so many requests to the origin were looked at
	before  int   // so many answers there were before what the client got was asked for
}

// play runs a row, and says where it is not what happens.
func (w *world) play(r row) error {
	p := &play{world: w, path: w.nextPath(), began: w.nextHour(), clients: make(map[string]*client)}
	p.scene = w.origin.scene(p.path, w.tick)
	steps, err := parse(r.steps, p.path, p.began)
	if err != nil {
		return err
	}
	defer p.end()
	for _, s := range steps {
		if err := p.step(&s); err != nil {
			return fmt.Errorf("%s\n\t%w", s.text, err)
		}
	}
	if extra := p.since(p.looked, 0); len(extra) > 0 {
		return fmt.Errorf("at the end\n\tthe origin was asked%s", tell(extra))
	}
	return nil
}

// end lets go of all that still waits.
func (p *play) end() {
	p.refuses.Store(false)
	p.release(ever)
	for _, c := range p.clients {
		c.Close()
	}
	if p.kept != nil {
		p.kept.Close()
	}
}

// send begins an exchange of a client. C has one connection for all of its own, so that
// an answer that is framed badly spoils the next.
func (p *play) send(who string, r request) (c *client, err error) {
	r.last = who != "C" || r.version != "HTTP/1.1" || r.secure
	var l *line
	switch {
	case r.secure:
		l, err = dialSecure(p.secure)
	case r.last || p.kept == nil:
		l, err = dial(p.addr)
	default:
		l, p.kept = p.kept, nil
	}
	if err != nil {
		return nil, err
	}
	return l.send(r, p.patience)
}

func (p *play) step(s *step) error {
	if s.timed {
		p.at(p.began.Add(s.at))
	}
	switch {
	case s.actor == "":
		return p.arrives(s)
	case s.actor == "O":
		p.refuses.Store(slices.Contains(s.says, "refuse"))
		p.say(s.says)
		return nil
	case s.actor == "go":
		p.release(1)
		return p.arrives(s)
	case strings.HasPrefix(s.actor, "waiting"):
		return p.gathers(s.actor)
	case s.actor == "purge", s.actor == "expire":
		_, err := p.gateway.PurgeStored(gateway.StoredPurge{
			StoredSelection: gateway.StoredSelection{Match: s.says[0]}, Soft: s.actor == "expire",
		})
		return err
	case strings.HasPrefix(s.actor, "gone"):
		p.clients[strings.TrimPrefix(s.actor, "gone ")].Close()
		return nil
	}
	if s.until {
		return p.repeat(s)
	}
	return p.exchange(s)
}

// gathers waits until so many exchanges wait for the fetch of another.
func (p *play) gathers(actor string) error {
	want, _ := strconv.ParseInt(strings.TrimPrefix(actor, "waiting "), 10, 64)
	for limit := time.Now().Add(p.patience); ; time.Sleep(time.Millisecond) {
		stats, err := p.gateway.StoredStats()
		if err != nil || stats.Waiting == want {
			return err
		}
		if time.Now().After(limit) {
			return fmt.Errorf("%d wait", stats.Waiting)
		}
	}
}

// repeat asks until what comes is as it must be: what happens behind clients' backs takes
// its time.
func (p *play) repeat(s *step) error {
	for limit := time.After(p.patience); ; {
		err := p.exchange(s)
		select {
		case <-limit:
			return err
		case <-time.After(time.Millisecond):
		}
		if err == nil {
			return nil
		}
	}
}

// arrives waits for a request that no client waits for, if the step says so.
func (p *play) arrives(s *step) error {
	if s.asked == nil {
		return nil
	}
	return p.checkAsked(s.asked, p.patience)
}

// exchange asks, or looks at what an earlier asking has brought, or both.
func (p *play) exchange(s *step) (err error) {
	if s.begun {
		p.before = len(p.answers())
		c, err := p.send(s.actor, requestOf(s.says, p.path))
		if err != nil {
			return err
		}
		p.clients[s.actor] = c
	}
	if s.actor != "C" && s.begun && s.got == nil {
		return p.arrives(s)
	}
	c := p.clients[s.actor]
	if c == nil {
		return fmt.Errorf("there is no %s", s.actor)
	}
	if n := len(s.got); n > 0 && s.got[n-1] == "so far" {
		return c.await(func(g *got) error { return p.checkSoFar(s.got[:n-1], g) })
	}
	g := c.all()
	if s.actor == "C" && p.kept == nil && g.err == nil && !g.final.Close {
		p.kept = c.line
	}
	return p.look(s, &g)
}

// checkSoFar compares what has come by now.
func (p *play) checkSoFar(items []string, g *got) error {
	if last := messages(items); g.final == nil && last[len(last)-1].status/100 != 1 {
		return errors.New("nothing has come")
	}
	return p.checkGot(items, g, 0)
}

// look compares what has come with what must have.
func (p *play) look(s *step, g *got) error {
	asked := p.since(p.looked, 0)
	if s.asked != nil {
		if err := p.checkAsked(s.asked, 0); err != nil {
			return fmt.Errorf("%w\n\tand the client got %s", err, g)
		}
	}
	if g.final == nil && !slices.Equal(s.got, []string{"cut"}) {
		return fmt.Errorf("no answer: %w", g.err)
	}
	n := len(asked)
	if !s.begun {
		n = unknown
	}
	if err := p.checkGot(s.got, g, n); err != nil {
		return fmt.Errorf("%w\n\tthe client got %s\n\tthe origin was asked%s", err, g, tell(asked))
	}
	if s.asked == nil && !unlooked(s.got) {
		p.looked += len(asked)
	}
	return nil
}

// unlooked reports whether what the client got says nothing of whether the origin was asked:
// that is for a later step.
func unlooked(items []string) bool {
	return slices.ContainsFunc(items, func(item string) bool { _, stale := word(item, "stale"); return stale })
}

// checkAsked compares the requests that have come to the origin with what is said of
// them. All are looked at then.
func (p *play) checkAsked(items []string, patience time.Duration) error {
	want := 1
	if len(items) > 0 {
		if n, err := strconv.Atoi(items[0]); err == nil {
			want, items = n, items[1:]
		} else if items[0] == "nothing" {
			want, items = 0, items[1:]
		}
	}
	if want == 0 {
		patience = 0
	}
	asked := p.since(p.looked, patience)
	for n := 1; patience > 0 && len(asked) < want && n < want; n++ {
		asked = append(asked, p.since(p.looked+len(asked), patience)...)
	}
	p.looked += len(asked)
	if len(asked) != want {
		return fmt.Errorf("the origin was asked %d times, want %d:%s", len(asked), want, tell(asked))
	}
	for _, item := range items {
		if err := asked[want-1].is(item); err != nil {
			return fmt.Errorf("%w: the origin was asked%s", err, tell(asked))
		}
	}
	return nil
}

// is compares a request with one item.
func (a *asking) is(item string) error {
	if body, ok := word(item, "body"); ok {
		return equal("the body", a.body, text(body))
	}
	if strings.HasPrefix(item, "/") {
		return equal("the target", a.RequestURI, item)
	}
	if !strings.ContainsAny(item, ": ") {
		return equal("the method", a.Method, item)
	}
	if f, ok := fieldOf(item); ok && strings.EqualFold(f.name, "Host") {
		return equal("the host", a.Host, f.value)
	}
	return checkField(a.Header, item, nil)
}

// checkGot compares what a client got with all that is said of it.
func (p *play) checkGot(items []string, g *got, asked int) error {
	interims := g.interims
	for _, m := range messages(items) {
		r := g.final
		if m.status/100 == 1 {
			if len(interims) == 0 {
				return fmt.Errorf("no %d came", m.status)
			}
			r, interims = interims[0], interims[1:]
		}
		if m.status != 0 && r.StatusCode != m.status {
			return fmt.Errorf("the status is %d, want %d", r.StatusCode, m.status)
		}
		for _, item := range m.items {
			if err := p.checkItem(item, r, g, asked, m.items); err != nil {
				return err
			}
		}
	}
	return ended(g, interims, items)
}

// ended says what is wrong after all that was to be compared.
func ended(g *got, interims []*http.Response, items []string) error {
	if len(interims) > 0 {
		return fmt.Errorf("%d further interim answers came", len(interims))
	}
	if g.err != nil && !slices.Contains(items, "cut") {
		return fmt.Errorf("the answer is cut: %w", g.err)
	}
	return nil
}

// A message is what is said of one answer, final or not.
type message struct {
	status int // 0: nothing is said of it
	items  []string
}

// messages divides items: each status begins one.
func messages(items []string) []message {
	all := []message{{}}
	for _, item := range items {
		if code, err := strconv.Atoi(item); err == nil {
			all = append(all, message{status: code})
			continue
		}
		last := &all[len(all)-1]
		last.items = append(last.items, item)
	}
	return all
}

// checkItem compares with one item that is no status.
func (p *play) checkItem(item string, r *http.Response, g *got, asked int, all []string) error {
	verb, rest, _ := strings.Cut(item, " ")
	switch verb {
	case "hit", "stale", "revalidated", "miss":
		return p.checkOutcome(verb, rest, g, asked)
	case "body":
		return equal("the body", g.body, text(rest))
	case "reason":
		return equal("the reason phrase", r.Status, fmt.Sprintf("%d %s", r.StatusCode, rest))
	case "cut":
		if g.err == nil {
			return errors.New("the answer is not cut")
		}
		return nil
	}
	return checkField(r.Header, item, all)
}

// unknown is how often the origin was asked by who was not waited for at once.
const unknown = -1

// checkOutcome compares who answered. Of an answer that says which it is, the body
// and the status are compared; none of the others' may be.
func (p *play) checkOutcome(outcome, which string, g *got, asked int) error {
	n, answers := 0, p.answers()
	switch {
	case outcome == "hit" && asked > 0:
		return errors.New("no hit: the origin was asked")
	case outcome != "hit" && outcome != "stale" && asked != 1 && asked != unknown:
		return fmt.Errorf("no %s: the origin was asked %d times", outcome, asked)
	case which != "":
		n, _ = strconv.Atoi(which)
	case outcome == "miss":
		n = len(answers)
	}
	if outcome == "revalidated" && answers[len(answers)-1].status != 304 {
		return errors.New("the origin did not say 304")
	}
	return whichAnswer(g, answers, n, outcome)
}

// whichAnswer says whether what came is answer n, or, if that is 0, an earlier one.
func whichAnswer(g *got, answers []given, n int, outcome string) error {
	if g.final.Request.Method == "HEAD" {
		return nil
	}
	if n > 0 {
		if n > len(answers) || answers[n-1] != (given{g.final.StatusCode, g.body}) {
			return fmt.Errorf("no %s: it is not answer %d", outcome, n)
		}
		return nil
	}
	if !slices.Contains(answers, given{g.final.StatusCode, g.body}) {
		return fmt.Errorf("no %s: it is none of the origin's answers", outcome)
	}
	return nil
}

// checkField compares a head with "Name: value", "no Name", "Name ~ part" or "Name !~ part". All
// lines of a name are compared: those that all says.
func checkField(h http.Header, item string, all []string) error {
	if name, ok := word(item, "no"); ok {
		if v, there := h[http.CanonicalHeaderKey(name)]; there {
			return fmt.Errorf("%s is there: %q", name, v)
		}
		return nil
	}
	if name, part, ok := strings.Cut(item, " !~ "); ok {
		return contains(h, name, part, false)
	}
	if name, part, ok := strings.Cut(item, " ~ "); ok {
		return contains(h, name, part, true)
	}
	f, ok := fieldOf(item)
	if !ok {
		return fmt.Errorf("%q says nothing that can be compared", item)
	}
	lines := h.Values(f.name)
	if slices.Contains(lines, f.value) && len(lines) == countField(all, f.name) {
		return nil
	}
	return fmt.Errorf("%s is %q", f.name, lines)
}

// countField counts the items about a field; none are known: it is one.
func countField(all []string, name string) (n int) {
	for _, item := range all {
		if f, ok := fieldOf(item); ok && strings.EqualFold(f.name, name) {
			n++
		}
	}
	return max(n, 1)
}

func contains(h http.Header, name, part string, want bool) error {
	if value := strings.Join(h.Values(name), ", "); strings.Contains(value, part) != want {
		return fmt.Errorf("%s is %q", name, value)
	}
	return nil
}

func equal(what, got, want string) error {
	if got != want {
		return fmt.Errorf("%s is %q, want %q", what, got, want)
	}
	return nil
}

// tell shows requests.
func tell(all []asking) string {
	if len(all) == 0 {
		return " nothing"
	}
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "\n\t\t%s %s %v", a.Method, a.RequestURI, a.Header)
	}
	return b.String()
}

// String shows what a client got.
func (g *got) String() string {
	if g.final == nil {
		return fmt.Sprint("nothing: ", g.err)
	}
	return fmt.Sprintf("%s %v %q", g.final.Status, g.final.Header, g.body)
}
