package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/abi"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
)

// parsedHead is a request, read as the gateway reads it.
type parsedHead struct {
	method    []byte
	target    wire.Target
	authority wire.Authority
	head      wire.Head
	version   uint8
}

// parse reads the head.
func (x *testExchange) parse() (*parsedHead, error) {
	line, block, _ := bytes.Cut(x.head, []byte("\r\n"))
	words := bytes.SplitN(line, []byte(" "), 3)
	if len(words) != 3 {
		return nil, errors.New("it has no request line")
	}
	p := &parsedHead{method: words[0], version: abi.HTTP11}
	minor := 1
	if string(words[2]) == "HTTP/1.0" {
		p.version, minor = abi.HTTP10, 0
	}
	if err := p.head.ParseRequest(block, minor, &wire.Rules{}); err != nil {
		return nil, err
	}
	return p, errors.Join(p.target.Parse(words[1]), p.authority.Parse(p.head.Host))
}

// parseFields reads header fields of an answer.
func parseFields(lines []string) ([]abi.Field, error) {
	var block bytes.Buffer
	for _, line := range lines {
		block.WriteString(line + "\r\n")
	}
	var h wire.Head
	if err := h.ParseResponse(block.Bytes(), 1, &wire.Rules{}); err != nil {
		return nil, err
	}
	return forwarded(&h), nil
}

// forwarded are the fields that would be forwarded.
func forwarded(h *wire.Head) (all []abi.Field) {
	for _, f := range h.Fields {
		if f.Class != wire.Hop && !wire.EqualFold(f.Name, "transfer-encoding") {
			all = append(all, abi.Field{Name: f.Name, Value: f.Value})
		}
	}
	return all
}

// methodIDs are the numbers of methods.
var methodIDs = map[string]uint8{
	"GET": abi.MethodGET, "HEAD": abi.MethodHEAD, "POST": abi.MethodPOST, "PUT": abi.MethodPUT, "DELETE": abi.MethodDELETE,
	"OPTIONS": abi.MethodOPTIONS, "PATCH": abi.MethodPATCH, "CONNECT": abi.MethodCONNECT, "TRACE": abi.MethodTRACE,
}

// view is what the plugin is shown of the test's exchange.
func (t *pluginTest) view(generation uint32) (*abi.View, error) {
	needs := needsOf(&t.config)
	x := t.request
	v := &abi.View{Granted: needs.Granted, Now: uint64(x.now.UnixNano())}
	if t.response != nil && t.response.stage == "store" {
		show(&needs, plugins.NeedSite, &v.Site, x.site)
		return v, t.showResponse(v, &needs)
	}
	p, err := x.parse()
	if err != nil {
		return nil, err
	}
	v.RequestID, v.Attempts, v.Args = x.id, x.attempts, x.args
	v.Method, v.Version, v.Port = methodIDs[string(p.method)], p.version, p.port(x.secure)
	v.Flags = x.flags(p)
	x.show(v, p, &needs)
	fields := forwarded(&p.head)
	v.Cookies = shownCookies(fields, &needs) // the request's, in gw_on_response too
	if t.response != nil {
		return v, t.showResponse(v, &needs)
	}
	v.Headers = shownFields(fields, &needs)
	v.BodyLength = uint64(len(x.body))
	showBody(v, x.body, &t.config, &needs)
	if t.config.Kind == plugins.Router {
		v.Generation = generation
		v.Origins = t.origins
	}
	return v, nil
}

// needsOf are the tokens of a configuration, read.
func needsOf(c *plugins.Config) plugins.Needs {
	tokens := c.Needs
	if tokens == nil && c.Kind != plugins.Collector {
		tokens = plugins.DefaultNeeds
	}
	n, _ := plugins.ParseNeeds(c.Kind, tokens)
	return n
}

func (p *parsedHead) port(secure bool) uint16 {
	switch {
	case p.authority.Port != 0:
		return uint16(p.authority.Port)
	case secure:
		return 443
	}
	return 80
}

func (x *testExchange) flags(p *parsedHead) (flags uint16) {
	for _, f := range []struct {
		bit uint16
		on  bool
	}{
		{abi.FlagHTTPS, x.secure}, {abi.FlagBody, len(x.body) > 0}, {abi.FlagInternal, x.internal},
		{abi.FlagAttempted, x.attempts > 0}, {abi.FlagUpgrade, p.head.Upgrade != nil},
	} {
		if f.on {
			flags |= f.bit
		}
	}
	return flags
}

// show puts a text into a view, if it is granted.
func show(n *plugins.Needs, bit uint32, field *[]byte, text []byte) {
	if n.Granted&bit != 0 {
		*field = text
	}
}

// show puts the request into a view, as far as it is granted.
func (x *testExchange) show(v *abi.View, p *parsedHead, n *plugins.Needs) {
	scheme := "http"
	if x.secure {
		scheme = "https"
	}
	show(n, plugins.NeedMethod, &v.MethodText, p.method)
	show(n, plugins.NeedScheme, &v.Scheme, []byte(scheme))
	show(n, plugins.NeedHost, &v.Host, p.authority.Host)
	show(n, plugins.NeedPath, &v.Path, p.target.Path)
	show(n, plugins.NeedQuery, &v.Query, p.target.Query)
	show(n, plugins.NeedTarget, &v.Target, p.target.Raw)
	show(n, plugins.NeedClient, &v.Client, []byte(x.client))
	show(n, plugins.NeedSession, &v.Session, x.session)
	show(n, plugins.NeedSite, &v.Mapping, x.mapping)
	show(n, plugins.NeedSite, &v.Site, x.site)
	show(n, plugins.NeedSite, &v.Cluster, x.cluster)
	show(n, plugins.NeedSite, &v.Application, x.application)
	show(n, plugins.NeedSession, &v.OriginName, x.origin) // the bound one
}

// showResponse puts the answer into a view, and the origin that it came from.
func (t *pluginTest) showResponse(v *abi.View, n *plugins.Needs) error {
	r := t.response
	fields, err := parseFields(r.fields)
	v.Status, v.BodyLength = r.status, uint64(len(r.body))
	v.Flags &^= abi.FlagBody
	if len(r.body) > 0 {
		v.Flags |= abi.FlagBody
	}
	v.OriginName = nil
	if r.stage != "store" { // there, it is nobody's answer
		show(n, plugins.NeedSite, &v.OriginName, t.request.origin)
		v.UpstreamNS = r.upstreamNS
		if r.cached {
			v.Flags |= abi.FlagCached
		}
	}
	v.Headers = shownFields(fields, n)
	showBody(v, r.body, &t.config, n)
	return err
}

// shownFields are the fields that are granted.
func shownFields(all []abi.Field, n *plugins.Needs) (shown []abi.Field) {
	for _, f := range all {
		if n.ShowsField([]byte(strings.ToLower(string(f.Name)))) {
			shown = append(shown, f)
		}
	}
	return shown
}

// shownCookies are the cookies that are granted.
func shownCookies(all []abi.Field, n *plugins.Needs) (shown []abi.Field) {
	for _, f := range all {
		if !strings.EqualFold(string(f.Name), "cookie") {
			continue
		}
		for _, pair := range bytes.Split(f.Value, []byte(";")) {
			name, value, ok := bytes.Cut(wire.TrimBlanks(pair), []byte("="))
			if ok && n.Granted&plugins.NeedCookie != 0 && slices.Contains(n.Cookies, string(name)) {
				shown = append(shown, abi.Field{Name: name, Value: value})
			}
		}
	}
	return shown
}

// defaultBody is limits.body where it is not said.
const defaultBody = 64 << 10

// bodyLimit is limits.body.
func bodyLimit(c *plugins.Config) int {
	if c.Limits.Body == 0 {
		return defaultBody
	}
	return c.Limits.Body
}

// body is the one that the plugin may be shown.
func (t *pluginTest) body() []byte {
	switch {
	case t.response != nil:
		return t.response.body
	case t.request != nil:
		return t.request.body
	}
	return nil
}

// showsWholeBody reports whether the plugin is shown all of it.
func (t *pluginTest) showsWholeBody() bool {
	return needsOf(&t.config).Granted&plugins.NeedBody != 0 && len(t.body()) <= bodyLimit(&t.config)
}

// bodyTooLarge reports whether the plugin is not called, since it wants all of it.
func (t *pluginTest) bodyTooLarge() bool {
	return needsOf(&t.config).WholeBody && len(t.body()) > bodyLimit(&t.config)
}

// showBody puts a body into a view, or its begin.
func showBody(v *abi.View, body []byte, c *plugins.Config, n *plugins.Needs) {
	if n.Granted&plugins.NeedBody == 0 || len(body) == 0 {
		return
	}
	v.Body = body[:min(len(body), bodyLimit(c))]
	if len(v.Body) == len(body) {
		v.Flags |= abi.FlagWhole
	}
}

// sources reads numbers that an origin reported.
func (f *yamlFile) sources(n ast.Node, what string) (all []abi.Source) {
	f.entries(n, what, func(name string, _, value ast.Node) {
		text, ok := f.text(value, what+"."+name)
		v, err := strconv.ParseFloat(text, 64)
		if ok && err != nil {
			f.fail(value, "E112", fmt.Sprintf("%s.%s is %q, must be a number", what, name, text), "")
		}
		all = append(all, abi.Source{Name: name, Value: v})
	})
	return all
}
