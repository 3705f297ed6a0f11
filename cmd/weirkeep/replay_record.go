package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway"
	"weirkeep/gateway/wire"
)

// A logRecord is a line of the access log in its json format.
type logRecord struct {
	Time      time.Time         `json:"time"`
	Site      string            `json:"site"`
	Cluster   string            `json:"cluster"`
	Origin    string            `json:"origin"`
	Session   string            `json:"session"`
	Bound     string            `json:"bound"`
	Rule      string            `json:"rule"`
	Method    latin1            `json:"method"`
	Target    latin1            `json:"target"`
	Host      latin1            `json:"host"`
	Protocol  latin1            `json:"protocol"`
	Status    int               `json:"status"`
	Reason    string            `json:"reason"`
	Client    netip.Addr        `json:"client"`
	Peer      netip.Addr        `json:"peer"`
	UserAgent latin1            `json:"user_agent"`
	Referer   latin1            `json:"referer"`
	RequestID latin1            `json:"request_id"`
	TLS       bool              `json:"tls"`
	Cut       []string          `json:"cut"`
	Inputs    map[string]latin1 `json:"inputs"` // nil: none are recorded

	Message *string `json:"msg"` // of the gateway's own log, which may stand in the same file
}

// latin1 is bytes of which each is written as the character of its number.
type latin1 string

// UnmarshalJSON turns the characters into bytes.
func (t *latin1) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	b, err := latin1Bytes(s)
	*t = latin1(b)
	return err
}

// errOtherLog is that a line is of the gateway's own log.
var errOtherLog = errors.New("a line of the gateway's own log")

// parseRecord reads a line. The error says in words what is wrong with it.
func parseRecord(line []byte) (r logRecord, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return r, jsonFault(line, err)
	}
	switch {
	case r.Message != nil && r.Method == "":
		return r, errOtherLog
	case r.Time.IsZero():
		return r, errors.New("it is no record of the access log: it has no time")
	case r.undecidable() != "":
		return r, nil
	case r.Method == "" || r.Target == "":
		return r, errors.New("it is no record of the access log: it has no method or no target")
	case strings.ContainsAny(string(r.Method+r.Target+r.Protocol), " \r\n"):
		return r, errors.New("there is a blank in its method or target")
	}
	return r, r.checkFields()
}

// checkFields refuses what cannot stand in a header field.
func (r *logRecord) checkFields() error {
	for name, value := range r.Inputs {
		kind, key, ok := strings.Cut(name, ":")
		if !ok || kind != "header" && kind != "cookie" || !wire.IsToken([]byte(key)) {
			return fmt.Errorf("inputs has %q, which names neither a header nor a cookie", name)
		}
		if strings.ContainsAny(string(value), "\r\n\x00") {
			return fmt.Errorf("inputs.%s has an end of line in it", name)
		}
	}
	if strings.ContainsAny(string(r.Host+r.UserAgent+r.Referer), "\r\n\x00") {
		return errors.New("there is an end of line in a header field")
	}
	return nil
}

// jsonFault says what is wrong with a line that is not JSON.
func jsonFault(line []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(line) == 0:
		return errors.New("it is empty")
	case line[0] != '{':
		return errors.New("it is no JSON object: only the json format of the access log can be replayed")
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON: %w, at byte %d", err, syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%s is %s, must be %s", kind.Field, kind.Value, kind.Type)
	}
	return err
}

// decisions are the reasons of records that a decision gave.
var decisions = []string{"no_site", "no_mapping", "site_not_public", "rejected_by_rule", "redirected_by_rule", "no_permitted_destination"}

// undecidable says why a record is of no decision that could be made again; empty:
// it is of one.
func (r *logRecord) undecidable() string {
	reason, known := findReason(r.Reason)
	switch {
	case r.Reason == "" || slices.Contains(decisions, r.Reason):
	case !known:
		return fmt.Sprintf("its reason %q is not known here", printable(r.Reason))
	case reason.SetBy == "wire check" || r.Reason == "redirected_to_https" || r.Site == "":
		return "it ended before a decision (" + r.Reason + ")"
	}
	for _, text := range r.Cut {
		if text != "user_agent" && text != "referer" && text != "cause" {
			return "its " + text + " was too long for the log"
		}
	}
	return ""
}

// has reports whether the record says what a header field or cookie held, or
// that there was none.
func (r *logRecord) has(name string, recorded map[string]bool) bool {
	if _, there := r.Inputs[name]; there || r.Inputs != nil && recorded[name] {
		return true
	}
	return name == "header:host" || name == "header:user-agent" && !slices.Contains(r.Cut, "user_agent") || name == "header:referer" && !slices.Contains(r.Cut, "referer")
}

// question is the request of the record. The inputs are those of the record, and
// more that are assumed.
func (r *logRecord) question(assumed []string, seal *logSeal) gateway.Question {
	q := gateway.Question{
		Secure: r.TLS, From: netip.AddrPortFrom(r.Peer, 0), Now: r.Time, RequestID: string(r.RequestID), Seal: seal,
	}
	if !r.Peer.IsValid() {
		q.From = netip.AddrPort{}
	}
	version := strings.TrimPrefix(string(r.Protocol), "HTTP/")
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/%s\r\n", r.Method, r.Target, version)
	for _, f := range r.fields(assumed) {
		fmt.Fprintf(&b, "%s: %s\r\n", f[0], f[1])
	}
	b.WriteString("\r\n")
	q.Raw = []byte(b.String())
	return q
}

// fields are the header fields that are known of the request, each a name and a
// value.
func (r *logRecord) fields(assumed []string) (all [][2]string) {
	add := func(name, value string) { all = append(all, [2]string{name, value}) }
	if r.Host != "" || r.Protocol == "HTTP/1.1" { // it came as far as a decision: one without a name had an empty Host
		add("Host", string(r.Host))
	}
	inputs := make(map[string]string)
	if r.UserAgent != "" {
		inputs["header:user-agent"] = string(r.UserAgent)
	}
	if r.Referer != "" {
		inputs["header:referer"] = string(r.Referer)
	}
	if r.Client.IsValid() && r.Client != r.Peer {
		inputs["header:x-forwarded-for"] = r.Client.String()
	}
	for name, value := range r.Inputs {
		inputs[name] = string(value)
	}
	for _, name := range assumed {
		inputs[name] = unknownInput
	}
	var cookies []string
	for _, name := range sortedNames(inputs) {
		switch kind, key, _ := strings.Cut(name, ":"); {
		case kind == "cookie":
			cookies = append(cookies, key+"="+inputs[name])
		case key != "host":
			add(key, inputs[name])
		}
	}
	if len(cookies) > 0 {
		add("Cookie", strings.Join(cookies, "; "))
	}
	return all
}
