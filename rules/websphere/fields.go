package websphere

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A draft is a rule as it was read, in any of the formats: its text, and what it
// says by name.
type draft struct {
	line, column int
	original     string
	fields       []field
	faults       []*fault // of reading it
	garbled      bool     // not all that it says could be read
}

// A field is one thing that a rule says.
type field struct{ name, value string }

// fieldNames are the fields that rules have, by every spelling in lower case. What
// is not here makes a rule one that is not understood.
var fieldNames = map[string]string{
	"name": "name", "rulename": "name", "ruleid": "name", "id": "name",
	"order": "order", "priority": "order", "ruleorder": "order", "ordernumber": "order",
	"expression": "expression", "matchexpression": "expression", "ruleexpression": "expression", "condition": "expression",
	"action": "action", "matchaction": "action", "actiontype": "action", "ruleaction": "action",
	"destination": "argument", "destinations": "argument", "routinglocation": "argument", "routinglocations": "argument",
	"location": "argument", "url": "argument", "redirecturl": "argument", "redirectlocation": "argument",
	"code": "argument", "errorcode": "argument", "statuscode": "argument", "rejectcode": "argument", "status": "argument", "actionvalue": "argument",
	"multiclusteraction": "spread",
	"overrideaffinity":   "override",
	"cell":               "cell", "cellname": "cell", "collective": "cell",
	"webservers": "scope", "webserver": "scope", "webservername": "scope", "nodename": "scope", "node": "scope", "servername": "scope", "server": "scope", "odrname": "scope", "odr": "scope",
	"description": "", "xmi:id": "", "xmi:version": "", "comment": "",
}

// add keeps what a rule says under a name.
func (d *draft) add(name, value string) {
	known, ok := fieldNames[strings.ToLower(name)]
	switch {
	case name == "":
		d.faults = append(d.faults, &fault{code: codeRule, message: "what " + strconv.Quote(value) + " means, which no option is before, is not known", at: -1})
	case !ok:
		d.faults = append(d.faults, &fault{code: codeRule, message: "what " + name + " of a rule means is not known", hint: "take it away if the rule means the same without it", at: -1})
	case known == "scope":
		d.scope(name, value)
	case known != "":
		d.fields = append(d.fields, field{known, strings.TrimSpace(value)})
	}
}

// scopeKinds are what a rule may be said to be of, by the names that say so in lower
// case; a name that is not here says a web server.
var scopeKinds = map[string]string{
	"nodename": "node", "node": "node", "odrname": "on demand router", "odr": "on demand router", "cluster": "cluster", "clustername": "cluster",
}

// scope keeps of what a rule is, which changes nothing of what it does.
func (d *draft) scope(name, value string) {
	if value = strings.TrimSpace(value); value == "" || value == "*" {
		return
	}
	kind := cmp.Or(scopeKinds[strings.ToLower(name)], "web server")
	d.fields = append(d.fields, field{"scope", kind + " " + value})
}

// scopes are all of which the rule is.
func (d *draft) scopes() (all []string) {
	for _, f := range d.fields {
		if f.name == "scope" && !slices.Contains(all, f.value) {
			all = append(all, f.value)
		}
	}
	return all
}

// option keeps what a command says. There, a cluster is that whose rules are meant.
func (d *draft) option(o field) {
	if kind := strings.ToLower(o.name); kind == "cluster" || kind == "clustername" {
		d.scope(o.name, o.value)
		return
	}
	d.add(o.name, o.value)
}

// set replaces what a rule says under a name.
func (d *draft) set(name, value string) {
	d.fields = slices.DeleteFunc(d.fields, func(f field) bool { return f.name == name })
	d.fields = append(d.fields, field{name, value})
}

// get is what a rule says under a name. Saying two different things is a fault.
func (d *draft) get(name string) (string, bool) {
	value, found := "", false
	for _, f := range d.fields {
		if f.name != name {
			continue
		}
		if found && f.value != value {
			d.faults = append(d.faults, &fault{code: codeRule, message: "the rule says two things of its " + name + ": " + value + " and " + f.value, at: -1})
			return value, true
		}
		value, found = f.value, true
	}
	return value, found
}

// A reading is what a file says.
type reading struct {
	drafts    []*draft
	override  bool   // rules override affinity, all of them
	authority string // the cell whose rules count; empty: not said
	cells     []string
	findings  []Finding
}

// property takes a property of the rules as a whole, and reports whether it is
// known.
func (r *reading) property(name, value string) bool {
	switch strings.ToLower(name) {
	case "overrideaffinity":
		r.override = strings.EqualFold(strings.TrimSpace(value), "true")
	case "routingrulesconnectorclustername":
		r.authority = strings.TrimSpace(value)
	default:
		return false
	}
	return true
}

func (r *reading) unread(line, column int, message string) {
	r.findings = append(r.findings, Finding{Line: line, Column: column, Code: codeUnread, Message: message})
}
