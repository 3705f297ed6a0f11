package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
	"weirkeep/gateway/admin"
	"weirkeep/gateway/config"
)

// asked is what the command line of explain says of a request.
type asked struct {
	file     string // -c
	live     bool
	raw      string // --file
	answer   string // --answer
	secure   bool   // what raw holds comes by TLS
	fragment bool   // a page includes it
	headers  []string
	from     string
	down     []string
	states   []string
}

func newExplain(a *app) *cobra.Command {
	var q asked
	c := &cobra.Command{
		Use:   "explain METHOD URL",
		Short: "Say what happens to a request, and why",
		Long: "Explain decides a request with the functions that decide live traffic, and sends nothing. It prints\n" +
			"each step in its order: the mapping, who could serve the request at all (the best set), the binding\n" +
			"of its session, every rule with its value or why it was not looked at, what the cache does, what a\n" +
			"router lists, and the origin that would be picked, with what stands against the others. With --answer it\n" +
			"says whether the cache would store an answer, for how long, or why not.\n\n" +
			"Without --live it reads the configuration: every origin is up and has nothing to do, and no session\n" +
			"is bound but by its own cookie. With --live, with --admin, and where there is no configuration, a\n" +
			"running gateway answers: origins are as they are.\n" +
			"URL may be a path alone, where a site takes every host. That a request is refused or reaches nobody\n" +
			"is an answer too: the exit status is 0.",
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
	f.StringVar(&q.answer, "answer", "", "`FILE` with the head of an answer as bytes: would the cache store it? - is standard input")
	f.BoolVar(&q.secure, "tls", false, "with --file: the request comes by TLS")
	f.BoolVar(&q.fragment, "fragment", false, "a page includes it (ESI), and no client asks for it")
	f.BoolVar(&q.live, "live", false, "ask the running gateway")
	return c
}

func (a *app) explainRequest(c *cobra.Command, args []string, q asked) error {
	var head []byte
	if q.raw != "" {
		text, err := a.readInput(q.raw)
		if err != nil {
			return err
		}
		head = cutHead(text)
	}
	question, err := q.question(args, head)
	if err != nil {
		return usage(c, err)
	}
	if q.answer != "" {
		text, err := a.readInput(q.answer)
		if err != nil {
			return err
		}
		question.Answer = cutHead(text)
	}
	q.live = q.live || c.Flags().Changed("admin") && !c.Flags().Changed("config")
	e, err := a.answer(c.Context(), q, question)
	if err != nil {
		return err
	}
	if a.machine() {
		return a.print(e)
	}
	return a.sayExplanation(e)
}

// question makes the question of the command line. The head is what --file holds.
func (q *asked) question(args []string, head []byte) (gateway.Question, error) {
	question := gateway.Question{Down: q.down, States: make(map[string]string), Raw: head, Secure: q.secure, Fragment: q.fragment}
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
	case q.raw != "" && len(args)+len(q.headers) > 0:
		return question, errors.New("--file has the whole request: leave METHOD, URL and -H away")
	case q.raw != "":
		return question, nil
	case q.secure:
		return question, errors.New("--tls is about --file: the URL says it by https://")
	case len(args) < 2:
		return question, errors.New("a method and a URL are needed: weirkeep explain GET /cart")
	}
	question.Raw, question.Secure, err = headOf(args[0], args[1], "1.1", q.headers)
	return question, err
}

// parseFrom reads an address, with or without a port.
func parseFrom(text string) (netip.AddrPort, error) {
	if text == "" {
		return netip.AddrPort{}, nil
	}
	from, err := parseAddress(text)
	if err != nil {
		return from, fmt.Errorf("--from is %w", err)
	}
	return from, nil
}

// answer asks the running gateway, or compiles the configuration.
func (a *app) answer(ctx context.Context, q asked, question gateway.Question) (*gateway.Explanation, error) {
	if _, err := findFile(q.file); !q.live && err == nil {
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
		Head: latin1Text(question.Raw), Answer: latin1Text(question.Answer), Secure: question.Secure, Fragment: question.Fragment, From: from, Down: question.Down, States: question.States,
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
	_, e, err := a.compiled(named)
	return e, err
}

// compiled is a configuration, and who can say what it does.
func (a *app) compiled(named string) (*config.Config, *gateway.Explainer, error) {
	file, err := findFile(named)
	if err != nil {
		return nil, nil, err
	}
	cfg, problems := fileSource(file).read()
	if problems.Errors() > 0 {
		a.sayProblems(problems)
		return nil, nil, &failure{status: exitConfig}
	}
	e, problems := gateway.NewExplainer(cfg)
	if problems.Errors() > 0 {
		a.sayProblems(problems)
		return nil, nil, &failure{status: exitConfig}
	}
	return cfg, e, nil
}
