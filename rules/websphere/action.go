package websphere

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// actionKind is which of our actions one of the original is.
type actionKind uint8

const (
	actionPermit actionKind = iota
	actionRedirect
	actionReject
)

// An action is what a rule does.
type action struct {
	kind        actionKind
	sticky      bool
	maintenance bool
	to          []string // destinations; of permit
	failover    [][]string
	location    string // of redirect
	status      int    // of reject
}

// actions is every action of the original, by its name in lower case. Those that
// have no name here say why.
var actions = map[string]struct {
	is  action
	why string
}{
	"permit":         {is: action{kind: actionPermit}},
	"permitmm":       {is: action{kind: actionPermit, maintenance: true}},
	"permitsticky":   {is: action{kind: actionPermit, sticky: true}},
	"permitstickymm": {is: action{kind: actionPermit, sticky: true, maintenance: true}},
	"redirect":       {is: action{kind: actionRedirect}},
	"reject":         {is: action{kind: actionReject}},
	"localresource":  {why: "a rule here does not serve files"},
}

// actionOf is the action that an element is named by, as permitAction is; empty:
// none.
func actionOf(element string) string {
	name := strings.TrimSuffix(strings.ToLower(element), "action")
	if _, known := actions[name]; known {
		return name
	}
	return ""
}

func badAction(hint, format string, args ...any) *fault {
	return &fault{code: codeAction, message: fmt.Sprintf(format, args...), hint: hint, at: -1}
}

// newAction reads an action such as permit or reject:404, with its argument where
// that stands apart.
func newAction(text, argument, spread string) (action, *fault) {
	name, rest, joined := cutAction(text)
	if joined && argument != "" && argument != rest {
		return action{}, badAction("", "the action is %q and has %q beside it", text, argument)
	}
	if joined {
		argument = rest
	}
	known, ok := actions[strings.ToLower(name)]
	switch {
	case !ok:
		return action{}, badAction("actions are permit, permitMM, permitsticky, permitstickyMM, redirect and reject", "the action %q is not known", name)
	case known.why != "":
		return action{}, badAction("", "the action %s does not exist here: %s", name, known.why)
	}
	a := known.is
	return a, a.take(argument, spread)
}

// cutAction parts an action from what follows it after a colon, a blank or =.
func cutAction(text string) (name, rest string, joined bool) {
	i := strings.IndexAny(text, ": =")
	if i < 0 {
		return text, "", false
	}
	return text[:i], strings.TrimSpace(text[i+1:]), true
}

// take reads the argument of an action.
func (a *action) take(argument, spread string) (f *fault) {
	switch a.kind {
	case actionRedirect:
		a.location, f = location(argument)
	case actionReject:
		a.status, f = status(argument)
	case actionPermit:
		f = a.destinations(argument, spread)
	}
	return f
}

func status(text string) (int, *fault) {
	if text == "" {
		return 0, badAction(`say it, as in code="403"`, "the rule rejects, and does not say with which status")
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 400 || n > 599 {
		return 0, badAction("a reject answers with a status from 400 to 599", "the rule rejects with %q", text)
	}
	return n, nil
}

// location is that of a redirect, if the gateway would send it: with a scheme and a
// host, or a path, and as it is, without what it would put in for {name}.
func location(text string) (string, *fault) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "", badAction("", "the rule redirects, and does not say where")
	case err != nil || u.User != nil || strings.ContainsFunc(text, notInLocation):
		return "", badAction("", "the rule redirects to %q, which is no location", text)
	case !absolute(u, text) && (u.Host != "" || !strings.HasPrefix(text, "/")):
		return "", badAction("a location begins with http://, https:// or /", "the rule redirects to %q, which does not say where that is", text)
	}
	return text, nil
}

// absolute reports whether a URL names a scheme that clients follow, and a host.
func absolute(u *url.URL, text string) bool {
	return u.Host != "" && (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://"))
}

func notInLocation(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune("{}\"<>\\", c) }

// destinations reads those of a permit: & joins the members of a group, | parts
// the groups, of which the first is the primary one.
func (a *action) destinations(text, spread string) *fault {
	and, f := spreading(spread)
	if f != nil {
		return f
	}
	if and == "|" {
		text = strings.ReplaceAll(text, "&", "|")
	}
	if text == "" {
		return badAction("", "the rule permits, and names no destination")
	}
	if strings.HasPrefix(text, "|") {
		return badAction("", "the rule permits, and names only failover destinations: those before them, the loadBalanceEndpoints, are missing")
	}
	var groups [][]string
	for group := range strings.SplitSeq(text, "|") {
		g, f := readGroup(group)
		if f != nil {
			return f
		}
		groups = append(groups, g)
	}
	a.to, a.failover = groups[0], groups[1:]
	return nil
}

// spreading is the mark that parts destinations under a multicluster action.
func spreading(name string) (mark string, f *fault) {
	switch strings.ToLower(name) {
	case "", "wrr", "wlor", "lb", "loadbalance":
		return "&", nil
	case "failover":
		return "|", nil
	}
	return "", badAction("it is Failover, WRR or WLOR", "the multicluster action %q is not known", name)
}

func readGroup(text string) (group []string, f *fault) {
	for d := range strings.SplitSeq(text, "&") {
		d, f := destination(strings.TrimSpace(d))
		if f != nil {
			return nil, f
		}
		group = append(group, d)
	}
	return group, nil
}

// part is what one part of a destination may hold.
var part = regexp.MustCompile(`^[A-Za-z0-9._*-]{1,64}$`)

// destination is one of the original as it is written here. Commas part what
// belongs to cells and clusters under either name; with a slash, as commands have
// it, there is no user directory.
func destination(text string) (string, *fault) {
	kind, rest, _ := strings.Cut(text, "=")
	commas := strings.Contains(rest, ",")
	parts := strings.FieldsFunc(rest, func(c rune) bool { return c == ',' || c == '/' })
	mark := "/"
	if commas {
		mark = ","
	}
	whole := strings.Join(parts, mark) == rest
	for _, p := range parts {
		whole = whole && part.MatchString(p)
	}
	if whole {
		switch strings.ToLower(kind) + mark + strconv.Itoa(len(parts)) {
		case "cluster/1":
			return parts[0], nil
		case "cluster/2":
			return parts[0] + "/" + parts[1], nil
		case "cluster,2", "server,4":
			return strings.ToLower(kind) + "=" + rest, nil
		case "server/3":
			return "server=" + parts[0] + "," + parts[1] + ",*," + parts[2], nil
		}
	}
	return "", &fault{
		code:    codeDestination,
		message: fmt.Sprintf("%q is no destination that can be taken over", text),
		hint:    "write cluster=CELL/CLUSTER, server=CELL/NODE/SERVER, cluster=CELL,CLUSTER or server=CELL,HOST,USERDIR,SERVER, without blanks",
		at:      -1,
	}
}
