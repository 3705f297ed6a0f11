package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/gateway/balance"
)

// rawOptions are options as they were written.
type rawOptions struct {
	node    ast.Node
	path    string
	at      place
	src     *source
	aliases map[*ast.AliasNode]ast.Node
	host    machine
	decoded string // what the balancer made of them
}

// options keeps a node for whoever knows what it must be.
func (r *reader) options(n ast.Node, o *Options, path string) {
	o.raw = &rawOptions{node: n, path: path, at: r.cfg.places[path], src: r.src, aliases: r.aliases, host: r.host}
}

// Decode reads the options into a struct, by pointer, whose fields have the tags
// of this package. What was not written gets its default. The error, if any, is
// [Problems], each with its place. It is safe for concurrent use.
func (o Options) Decode(into any) error {
	l, path, v := newLoader(thisMachine), "", reflect.ValueOf(into).Elem()
	if raw := o.raw; raw != nil {
		path, l.host = raw.path, raw.host
		l.cfg.places[path] = raw.at
		r := &reader{loader: l, src: raw.src, aliases: raw.aliases}
		r.value(raw.node, v, path, rules{})
	}
	l.complete(v, path)
	if l.problems.Errors() == 0 {
		return nil
	}
	return l.problems
}

// checkBalancer holds the options of a cluster's balancer against what it takes, and
// its name against the cluster's locality. Whatever else the balancer refuses is for
// who makes it.
func (l *loader) checkBalancer(c Cluster, path string) {
	options := path + ".balancer_options"
	if l.bad[options] || l.bad[path+".balancer"] || len(l.problems) > maxProblems {
		return
	}
	var known []string
	var problems Problems
	_, err := balance.New(c.Balancer, nil, func(into any) error {
		known = keysOf(reflect.TypeOf(into).Elem())
		err := c.BalancerOptions.Decode(into)
		if raw := c.BalancerOptions.raw; raw != nil {
			raw.decoded = fmt.Sprintf("%+v", into)
		}
		return err
	})
	if !errors.As(err, &problems) {
		l.checkLocality(c, path)
		return
	}
	l.spoil(options)
	for i, p := range problems {
		problems[i] = explainOptions(p, options, optionsOf(c.Balancer, known))
	}
	l.problems = append(l.problems, problems...)
}

// explainOptions adds to a problem of options which ones there are, if that helps.
func explainOptions(p Problem, path, known string) Problem {
	if p.Code == "E102" {
		p.Message += ": " + known
	}
	if strings.HasPrefix(p.Message, path+" is ") {
		p.Hint = known
	}
	return p
}

// optionsOf says which options a balancer has.
func optionsOf(balancer string, keys []string) string {
	if len(keys) == 0 {
		return "the balancer " + balancer + " has no options"
	}
	return "the options of the balancer " + balancer + " are: " + Listing(keys)
}

// String tells options of one balancer apart: it is empty when none were
// written, else what they came to, aliases and substitutions resolved.
func (o Options) String() string {
	if o.raw == nil {
		return ""
	}
	return o.raw.decoded
}

// checkLocality refuses a locality that says something else than the balancer's name.
func (l *loader) checkLocality(c Cluster, path string) {
	at := path + ".locality"
	if balance.Local(c.Balancer) && l.written(at) && c.Locality != "prefer-local" && !l.bad[at] {
		l.fail(at, "E207", fmt.Sprintf("%s is %s, and the balancer %s prefers local origins", at, l.shown(at, c.Locality), c.Balancer),
			"take locality away, or write prefer-local; or take the balancer without :local")
	}
}

// grammarBalanceKey is what a balancer may go by.
func grammarBalanceKey(s string) string {
	place, name, named := strings.Cut(s, ":")
	if s == "client" || s == "session" || named && (place == "header" || place == "cookie") && isToken(name) {
		return ""
	}
	return `must be client, session, "header:NAME" or "cookie:NAME"`
}
