package main

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
	"weirkeep/gateway/session"
	"weirkeep/gateway/wire"
	"weirkeep/rules"
)

// tried is what the command line of repl says.
type tried struct {
	file    string // -c
	request string // file with a head; empty: a request is made
	from    string
	tls     bool
}

// trial is a request, and the language that expressions on it are in.
type trial struct {
	language *rules.Language
	request  *rules.Request
	line     string // the request in words
}

// try compiles the configuration and decides the request, so that what expressions
// see is what rules see.
func (a *app) try(q tried) (*trial, error) {
	cfg, e, err := a.compiledOrSample(q.file)
	if err != nil {
		return nil, err
	}
	question := gateway.Question{Secure: q.tls, Now: time.Now(), Raw: firstRequest(cfg)}
	if q.request != "" {
		text, err := a.readInput(q.request)
		if err != nil {
			return nil, err
		}
		question.Raw = cutHead(text)
	}
	if question.From, err = parseFrom(q.from); err != nil {
		return nil, &failure{status: exitUsage, err: err}
	}
	x, err := explained(e.Explain(question))
	if err != nil {
		return nil, err
	}
	if x.Refused != "" {
		return nil, fmt.Errorf("the gateway refuses this request before any rule: %s", x.Outcome.Reason)
	}
	r, err := requestOf(cfg, question, x)
	if err != nil {
		return nil, err
	}
	return &trial{language: languageOf(cfg, rules.OfRequest), request: r, line: lineOf(x)}, nil
}

// compiledOrSample is compiled, of the example where there is no configuration.
func (a *app) compiledOrSample(named string) (*config.Config, *gateway.Explainer, error) {
	if _, err := findFile(named); err == nil {
		return a.compiled(named)
	}
	cfg, problems := config.Parse("example", config.Sample(""))
	if problems.Errors() > 0 {
		return nil, nil, problems
	}
	e, problems := gateway.NewExplainer(cfg)
	if problems.Errors() > 0 {
		return nil, nil, problems
	}
	return cfg, e, nil
}

// lineOf is the request in words.
func lineOf(x *gateway.Explanation) string {
	site := "of no site"
	if x.Mapping != nil && x.Mapping.Site != "" {
		site = "of site " + x.Mapping.Site
	}
	r := x.Request
	return printable(fmt.Sprintf("%s %s://%s%s from %s, %s", r.Method, r.Scheme, r.Host, r.Path, r.Client, site))
}

// firstRequest asks for the root of the first host that is written out.
func firstRequest(cfg *config.Config) []byte {
	host := "localhost"
	for _, m := range slices.Backward(cfg.Mappings) {
		for _, h := range cfg.Sites[m.Site].Hosts {
			if !strings.Contains(h, "*") {
				host = h
			}
		}
	}
	return []byte("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
}

// requestOf is the request as rules see it. What the gateway makes of its head is
// read with its own functions, or off its explanation.
func requestOf(cfg *config.Config, q gateway.Question, x *gateway.Explanation) (*rules.Request, error) {
	h, err := readRequest(cfg, q.Raw)
	if err != nil {
		return nil, err
	}
	raw, _, _ := bytes.Cut(h.target.Raw, []byte("?"))
	r := &rules.Request{
		Method: []byte(x.Request.Method), Scheme: x.Request.Scheme, Host: []byte(x.Request.Host), Port: x.Request.Port,
		Path: []byte(x.Request.Path), RawPath: raw, Query: h.target.Query, URL: h.target.Raw,
		Fields: h.Fields, Size: max(h.Length, -1), HTTP: h.version, Now: q.Now, Clusters: idleOf(cfg),
		Client: addressOf(x.Request.Client, q.From), Peer: addressOf(x.Request.Peer, q.From),
		Session: rules.Session{New: true},
	}
	if x.Mapping != nil {
		r.Site = x.Mapping.Site
	}
	if x.Binding != nil {
		r.Session = sessionOf(cfg, x.Binding.Session, r)
	}
	return r, nil
}

// requestHead is a head that the gateway takes.
type requestHead struct {
	wire.Head
	target  wire.Target
	version string // "1.1"
}

func readRequest(cfg *config.Config, raw []byte) (*requestHead, error) {
	line, block, _ := bytes.Cut(raw, []byte("\r\n"))
	words := bytes.Fields(line)
	if len(words) != 3 {
		return nil, fmt.Errorf("%q is no request line", line)
	}
	h := &requestHead{version: strings.TrimPrefix(string(words[2]), "HTTP/")}
	if err := h.target.Parse(words[1]); err != nil {
		return nil, err
	}
	minor, err := wire.ParseVersion(words[2])
	if err != nil {
		return nil, err
	}
	return h, h.ParseRequest(block, minor, headRules(cfg))
}

func headRules(cfg *config.Config) *wire.Rules {
	underscores := map[string]wire.Underscore{"drop": wire.Drop, "refuse": wire.Refuse, "pass": wire.Pass}
	l := cfg.Limits
	return &wire.Rules{NameBytes: l.HeaderNameBytes, Count: l.HeaderCount, Underscores: underscores[l.UnderscoreNames]}
}

// addressOf reads an address of an explanation. The port is known if it is the
// peer's.
func addressOf(text string, peer netip.AddrPort) netip.AddrPort {
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return ap
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return netip.AddrPort{}
	}
	if ip == peer.Addr().Unmap() {
		return netip.AddrPortFrom(ip, peer.Port())
	}
	return netip.AddrPortFrom(ip, 0)
}

// sessionOf is the request's session, as its definition reads it.
func sessionOf(cfg *config.Config, name string, r *rules.Request) rules.Session {
	s := cfg.Sessions[name]
	extract, err := session.NewExtract(s.Extract.Options())
	if err != nil {
		return rules.Session{New: true} // what compiles has none such
	}
	d := session.Definition{Name: name, Cookie: s.Cookie, URLParam: s.URLParam, Extract: extract}
	id, _ := d.Find(r.Fields, r.Path, r.Query)
	if id == nil {
		return rules.Session{New: true}
	}
	primary, secondary := d.Parts(id)
	return rules.Session{ID: id, Primary: primary, Secondary: secondary}
}

// idle are clusters whose origins are all up, as configured, and idle.
type idle [][2]int // origins that serve, and their capacity

func idleOf(cfg *config.Config) (all idle) {
	for _, name := range sortedNames(cfg.Clusters) {
		up, capacity := 0, 0
		for _, o := range cfg.Clusters[name].Origins {
			if o.State == "serving" {
				up, capacity = up+1, capacity+o.Capacity.Most
			}
		}
		all = append(all, [2]int{up, capacity})
	}
	return all
}

// ClusterState implements rules.Clusters.
func (s idle) ClusterState(i int) (up, inflight, capacityLeft int) { return s[i][0], 0, s[i][1] }
