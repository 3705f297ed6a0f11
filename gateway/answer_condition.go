package gateway

import (
	"log/slog"
	"sync/atomic"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
	"weirkeep/rules"
)

// answerCondition is an expression on a request and the answer of an origin.
type answerCondition struct {
	program *rules.Program
	path    string // in the configuration
	errors  *metrics.Counter
	told    atomic.Bool // the log knows that it cannot be evaluated
}

// meets reports whether the answer of the attempt meets a condition. What it asks of the
// request is as the origin saw it, whatever filters have made of it.
func (x *Exchange) meets(c *answerCondition) bool {
	return x.meetsWith(c, x.trip.Status.Code, x.trip.Answer.Fields)
}

// meetsWith is meets for an answer that was made of it, or of what is stored.
func (x *Exchange) meetsWith(c *answerCondition, status int, fields []wire.Field) bool {
	x.fillAsk()
	x.ask.Response = rules.Response{Status: status, Fields: fields, Attempts: x.attempts}
	met, err := c.program.Match(&x.ask)
	x.ask.Response = rules.Response{}
	if err != nil {
		c.failed(x.snap.log, err)
	}
	return met
}

// failed counts an answer of which the condition could not be evaluated, and tells of the
// first one.
func (c *answerCondition) failed(log *slog.Logger, err error) {
	c.errors.Inc()
	if !c.told.Swap(true) {
		log.Warn("a condition could not be evaluated, and was not true", slog.String("at", c.path), slog.Any("error", err))
	}
}

// retryConditions compiles which answers clusters pass over. A matcher that one asks and
// that fails makes it false: then the answer stands.
func (c *compiler) retryConditions() {
	names := c.names
	names.Scope = rules.OfRetry
	language := rules.New(names)
	for _, cl := range c.snap.clusters {
		text := c.cfg.Clusters[cl.name].Retry.When
		if text == "" {
			continue
		}
		path := "clusters." + cl.name + ".retry.when"
		program, errs := language.Compile(path, string(text))
		c.mistakes(path, path, errs)
		if len(errs) == 0 {
			c.warnAlways(path, string(text), program, language)
		}
		cl.retry.when = &answerCondition{program: program, path: path, errors: &cl.metrics.RetryErrors}
	}
}

// warnAlways looks for a condition that passes over good answers too.
func (c *compiler) warnAlways(path, text string, program *rules.Program, language *rules.Language) {
	for _, f := range rules.Lint([]rules.Linted{{When: text, Cost: program.Cost()}}, language) {
		if f.Code == rules.CodeAlways {
			c.warn(path, "W375", path+" is always true: good answers are passed over as well, and each request that may be repeated is sent to as many origins as retries allows",
				"say which answers are bad, as in status >= 500")
		}
	}
}
