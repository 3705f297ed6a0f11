package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
	"weirkeep/gateway/admin"
)

// asked is what the command line of explain says of a request.
type asked struct {
	file    string // -c
	live    bool
	raw     string // --file
	headers []string
	from    string
	down    []string
	states  []string
}

func newExplain(a *app) *cobra.Command {
	var q asked
	c := &cobra.Command{
		Use:   "explain METHOD URL",
		Short: "Say what happens to a request, and why",
		Long: "Explain decides a request with the functions that decide live traffic, and sends nothing. It prints\n" +
			"each step in its order: the mapping, who could serve the request at all (the best set), the binding\n" +
			"of its session, every rule with its value or why it was not looked at, and the origin that would\n" +
			"be picked, with what stands against the others.\n\n" +
			"Without --live it reads the configuration: every origin is up and has nothing to do, and no session\n" +
			"is bound but by its own cookie. With --live a running gateway answers: origins are as they are.\n" +
			"URL may be a path alone, where a site takes every host.",
		Example: "  weirkeep explain GET https://shop.example/cart --from 10.1.2.3 -H 'Cookie: beta=1'\n" +
			"  weirkeep explain POST /cart --down main/shop/web1 --live",
		Args:        cobra.MaximumNArgs(2),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE:        func(c *cobra.Command, args []string) error { return a.explainRequest(c, args, q) },
	}
	f := c.Flags()
	fileFlag(f, &q.file)
	f.StringArrayVarP(&q.headers, "header", "H", nil, "a `FIELD` of the request's header, 'Name: value'; may be repeated")
	f.StringVar(&q.from, "from", "", "`ADDRESS` that the request comes from, with or without a port (default 127.0.0.1)")
	f.StringArrayVar(&q.down, "down", nil, "`ORIGIN` that is assumed to be down: origin, cluster/origin, cell/cluster/origin, an address or a cluster; may be repeated")
	f.StringArrayVar(&q.states, "assume", nil, "`ORIGIN=STATE` that is assumed: up, down, serving, draining, maintenance, disabled or full; may be repeated")
	f.StringVar(&q.raw, "file", "", "`FILE` with the request's head as bytes, in place of METHOD and URL; - is standard input")
	f.BoolVar(&q.live, "live", false, "ask the running gateway")
	return c
}

func (a *app) explainRequest(c *cobra.Command, args []string, q asked) error {
	question, err := a.question(args, q)
	if err != nil {
		return usage(c, err)
	}
	e, err := a.answer(c.Context(), q, question)
	if err != nil {
		return err
	}
	if a.machine() {
		return a.print(e)
	}
	return a.sayExplanation(e)
}

// question makes the request of the command line.
func (a *app) question(args []string, q asked) (gateway.Question, error) {
	question := gateway.Question{Down: q.down, States: make(map[string]string)}
	for _, s := range q.states {
		origin, state, ok := strings.Cut(s, "=")
		if !ok {
			return question, fmt.Errorf("--assume %q: write ORIGIN=STATE", s)
		}
		question.States[origin] = state
	}
	var err error
	if question.From, err = parseFrom(q.from); err != nil {
		return question, err
	}
	switch {
	case q.raw != "" && len(args) > 0:
		return question, errors.New("--file has the whole request: leave METHOD and URL away")
	case q.raw != "":
		question.Raw, err = a.readHead(q.raw)
	case len(args) < 2:
		return question, errors.New("a method and a URL are needed: weirkeep explain GET /cart")
	default:
		question.Raw, question.Secure, err = headOf(args[0], args[1], q.headers)
	}
	return question, err
}

// parseFrom reads an address, with or without a port.
func parseFrom(text string) (netip.AddrPort, error) {
	if text == "" {
		return netip.AddrPort{}, nil
	}
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return ap, nil
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("--from %q is no address", text)
	}
	return netip.AddrPortFrom(ip, 0), nil
}

// readHead reads a head from a file; what follows it is left out.
func (a *app) readHead(file string) ([]byte, error) {
	text, err := a.readInput(file)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	head, _, _ := bytes.Cut(text, []byte("\r\n\r\n"))
	return append(bytes.TrimRight(head, "\r\n"), "\r\n\r\n"...), nil
}

// headOf makes the bytes of a request.
func headOf(method, target string, headers []string) (head []byte, secure bool, err error) {
	u, err := url.Parse(target)
	switch {
	case err != nil:
		return nil, false, err
	case u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https", u.Scheme == "" && !strings.HasPrefix(target, "/"):
		return nil, false, fmt.Errorf("%q is neither a URL with http:// or https:// nor a path", target)
	case strings.ContainsAny(method+target, " \r\n"):
		return nil, false, fmt.Errorf("%q: a blank in a URL is written %%20", method+" "+target)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", method, originForm(u, target))
	if host := hostIn(headers, u); host != "" {
		fmt.Fprintf(&b, "Host: %s\r\n", host)
	}
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.ContainsAny(h, "\r\n") {
			return nil, false, fmt.Errorf("-H %q: write 'Name: value'", h)
		}
		fmt.Fprintf(&b, "%s: %s\r\n", name, strings.TrimSpace(value))
	}
	b.WriteString("\r\n")
	return b.Bytes(), u.Scheme == "https", nil
}

// originForm is what follows the host, as it was written.
func originForm(u *url.URL, target string) string {
	if u.Host == "" {
		return target
	}
	_, rest, _ := strings.Cut(target, "://")
	i := strings.IndexAny(rest, "/?")
	switch {
	case i < 0:
		return "/"
	case rest[i] == '?':
		return "/" + rest[i:]
	}
	rest, _, _ = strings.Cut(rest[i:], "#")
	return rest
}

// hostIn is the host to ask for, unless a header says it.
func hostIn(headers []string, u *url.URL) string {
	for _, h := range headers {
		if name, _, _ := strings.Cut(h, ":"); strings.EqualFold(strings.TrimSpace(name), "host") {
			return ""
		}
	}
	if u.Host == "" {
		return "localhost"
	}
	return u.Host
}

// answer asks the running gateway, or compiles the configuration.
func (a *app) answer(ctx context.Context, q asked, question gateway.Question) (*gateway.Explanation, error) {
	if !q.live {
		e, err := a.explainer(q.file)
		if err != nil {
			return nil, err
		}
		return explained(e.Explain(question))
	}
	e, err := a.endpoint(q.file)
	if err != nil {
		return nil, err
	}
	from := ""
	if question.From.IsValid() {
		from = question.From.String()
	}
	var answer gateway.Explanation
	err = e.ask(ctx, a, "/v1/explain", admin.Question{
		Head: string(question.Raw), Secure: question.Secure, From: from, Down: question.Down, States: question.States,
	}, &answer)
	return &answer, err
}

// explained makes a question that cannot be asked a mistake of the command line.
func explained(e *gateway.Explanation, err error) (*gateway.Explanation, error) {
	if err != nil {
		return nil, &failure{status: exitUsage, err: err}
	}
	return e, nil
}

// explainer compiles a configuration; its mistakes are told.
func (a *app) explainer(named string) (*gateway.Explainer, error) {
	file, err := findFile(named)
	if err != nil {
		return nil, err
	}
	cfg, problems := fileSource(file).read()
	if problems.Errors() > 0 {
		a.sayProblems(problems)
		return nil, &failure{status: exitConfig}
	}
	e, problems := gateway.NewExplainer(cfg)
	if problems.Errors() > 0 {
		a.sayProblems(problems)
		return nil, &failure{status: exitConfig}
	}
	return e, nil
}

// readInput reads a file, or standard input for "-".
func (a *app) readInput(file string) ([]byte, error) {
	if file == "-" {
		return readAll(a.stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}
