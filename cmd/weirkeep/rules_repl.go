package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"weirkeep/rules"
)

func newRulesRepl(a *app) *cobra.Command {
	var q tried
	c := &cobra.Command{
		Use:   "repl",
		Short: "Try out expressions on a request",
		Long: "Repl reads expressions of the rule language, one a line, and prints what each is of a request: the\n" +
			"value, its type and, of a condition, what it costs and how long it takes. Lists and clusters are those\n" +
			"of the configuration, whose origins are all taken to be up and idle; where there is none, the example\n" +
			"of weirkeep init is used. :help lists what else can be typed.\n\n" +
			"Where standard input is no terminal there is no prompt, and an expression with a mistake is a failure\n" +
			"in the end.",
		Example: "  weirkeep rules repl --request req.http\n" +
			"  echo 'glob(path, \"/shop/*\")' | weirkeep rules repl --request req.http",
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.rulesRepl(c, q)
		},
	}
	fileFlag(c.Flags(), &q.file)
	c.Flags().StringVar(&q.request, "request", "", "`FILE` with a request's head as bytes (default GET / of the first site)")
	c.Flags().StringVar(&q.from, "from", "", "`ADDRESS` that the request comes from, with or without a port (default 127.0.0.1)")
	c.Flags().BoolVar(&q.tls, "tls", false, "the request has come by TLS")
	return c
}

func (a *app) rulesRepl(c *cobra.Command, q tried) error {
	if q.request == "-" {
		return usage(c, fmt.Errorf("--request - is not possible: standard input is where expressions come from"))
	}
	t, err := a.try(q)
	if err != nil {
		return err
	}
	s := &conversation{out: a.stdout, wrong: a.stderr, trial: t}
	if terminal(a.stdin) {
		s.prompt, s.wrong = "> ", a.stdout
		a.say("%s; :help lists what can be typed, ^D ends", t.line)
	}
	if err := s.read(a.stdin); err != nil {
		return err
	}
	if s.mistakes > 0 && s.prompt == "" {
		return &failure{status: exitFailure}
	}
	return nil
}

// conversation is expressions and their answers.
type conversation struct {
	out, wrong io.Writer
	prompt     string // empty: nobody sees it
	trial      *trial
	mistakes   int
}

// read answers line by line.
func (s *conversation) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	for {
		fmt.Fprint(s.out, s.prompt)
		if !lines.Scan() {
			break
		}
		line := strings.TrimSpace(lines.Text())
		if line == ":quit" || line == ":q" {
			return nil
		}
		if err := s.answer(line); err != nil {
			return err
		}
	}
	if s.prompt != "" {
		fmt.Fprintln(s.out)
	}
	return lines.Err()
}

// answer answers one line.
func (s *conversation) answer(line string) error {
	if line == "" || strings.HasPrefix(line, "//") {
		return nil
	}
	if !strings.HasPrefix(line, ":") {
		return s.evaluate(line)
	}
	name, rest, _ := strings.Cut(line, " ")
	return s.command(name, strings.TrimSpace(rest))
}

// replCommands are what can be typed besides expressions: name, and what it does.
var replCommands = [][2]string{
	{":vars", "the variables, with their values here"},
	{":functions", "the functions, with what they cost"},
	{":operators", "the operators, with an example of each"},
	{":type", "NAME or EXPRESSION: its type"},
	{":request", "the request that is asked about"},
	{":help", "this; with NAME, what a function, a variable or an operator is"},
	{":quit", "end, as ^D does"},
}

// command answers what begins with a colon.
func (s *conversation) command(name, rest string) error {
	switch name {
	case ":vars":
		return s.vars()
	case ":functions":
		return printFunctions(s.out, rules.OfRequest)
	case ":operators":
		return printOperators(s.out)
	case ":type":
		return s.typeOf(rest)
	case ":request":
		return s.say("%s", s.trial.line)
	case ":help":
		return s.help(rest)
	}
	var names []string
	for _, c := range replCommands {
		names = append(names, c[0])
	}
	return s.mistake(fmt.Sprintf("unknown command %q", printable(name)), didYouMean(name, names, ":help lists them"))
}

func (s *conversation) mistake(message, hint string) error {
	s.mistakes++
	if hint != "" {
		message += " — " + hint
	}
	_, err := fmt.Fprintln(s.wrong, message)
	return err
}

func (s *conversation) say(format string, args ...any) error {
	_, err := fmt.Fprintf(s.out, format+"\n", args...)
	return err
}

// evaluate prints what an expression is of the request.
func (s *conversation) evaluate(source string) error {
	v, errs := s.trial.language.Eval(source, s.trial.request)
	if errs != nil {
		return s.mistake(printable(errs[0].Message), s.place(errs[0]))
	}
	if fields := fieldsOf(source); fields != "" {
		return s.say("%s", fields)
	}
	if v.Type == "cluster" {
		return s.say("%s  cluster", s.clusterText(source))
	}
	if v.Type != "bool" {
		return s.say("%s  %s", printable(v.Text), v.Type)
	}
	slow := ""
	if len(v.Slow) > 0 {
		slow = " · slow: " + printable(strings.Join(v.Slow, ", "))
	}
	return s.say("%s  bool     cost %d of %d · %s%s", v.Text, v.Cost, rules.CostLimit, s.took(source), slow)
}

// clusterText is what can be asked of a cluster, with the answers.
func (s *conversation) clusterText(source string) string {
	var parts []string
	for _, field := range []string{".up", ".inflight", ".capacity_left"} {
		v, errs := s.trial.language.Eval("("+source+"\n)"+field, s.trial.request)
		if errs != nil {
			return printable(errs[0].Message)
		}
		parts = append(parts, field+" "+v.Text)
	}
	return strings.Join(parts, ", ")
}

// place is what to write instead, or else where the mistake is.
func (s *conversation) place(e *rules.Error) string {
	if e.Hint != "" {
		return printable(e.Hint) + strings.Repeat("?", strings.Count(e.Hint, "did you mean"))
	}
	return fmt.Sprintf("at column %d", e.Column)
}

// took is how long an evaluation takes, as the mean of many.
func (s *conversation) took(source string) string {
	p, errs := s.trial.language.Compile("repl", source)
	if errs != nil {
		return printable(errs[0].Message)
	}
	const times = 1000
	start := time.Now()
	for range times {
		p.Match(s.trial.request)
	}
	return fmt.Sprintf("%.2f µs", float64(time.Since(start))/times/float64(time.Microsecond))
}

func (s *conversation) vars() error {
	t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, v := range rules.Variables(rules.OfRequest) {
		value, errs := s.trial.language.Eval(v.Name, s.trial.request)
		if errs != nil {
			value.Text = errs[0].Message
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", v.Name, v.Type, excerpt(value.Text, 40), v.About)
	}
	return t.Flush()
}

// help lists what can be typed, or explains a name.
func (s *conversation) help(name string) error {
	if name != "" {
		return s.explain(name)
	}
	s.say("An expression, such as  header(\"Accept-Language\") startsWith \"de\"  is evaluated.")
	t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, c := range replCommands {
		fmt.Fprintf(t, "%s\t%s\n", c[0], c[1])
	}
	return t.Flush()
}

func (s *conversation) explain(name string) error {
	if about := aboutName(name); about != "" {
		return s.say("%s", about)
	}
	return s.mistake(fmt.Sprintf("unknown name %q", printable(name)), didYouMean(name, languageNames(), ":vars, :functions and :operators list them"))
}

// typeOf prints the type of a variable, a function or an expression.
func (s *conversation) typeOf(what string) error {
	if what == "" {
		return s.mistake(":type needs a name or an expression", ":type client")
	}
	for _, f := range rules.Functions(rules.OfRequest) {
		if f.Name == what {
			return s.say("%s", f.Signature)
		}
	}
	if fields := fieldsOf(what); fields != "" {
		return s.say("%s", fields)
	}
	v, errs := s.trial.language.Eval(what, s.trial.request)
	if errs != nil {
		return s.mistake(printable(errs[0].Message), s.place(errs[0]))
	}
	return s.say("%s", v.Type)
}

// fieldsOf are the fields of a variable with their types, in braces; empty: it has
// none.
func fieldsOf(name string) string {
	var parts []string
	seen := ""
	for _, v := range rules.Variables(rules.OfRequest) {
		field, ok := strings.CutPrefix(v.Name, name+".")
		if !ok {
			continue
		}
		field, _, deep := strings.Cut(field, ".")
		switch {
		case deep && field == seen:
		case deep:
			parts, seen = append(parts, field+": "+fieldsOf(name+"."+field)), field
		default:
			parts = append(parts, field+": "+v.Type)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
