package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"weirkeep/abi"
)

// vector is one of the golden vectors.
type vector struct {
	Name, Description, Hex string
	Decoded                json.RawMessage
}

// examples are the golden vectors, which the page has its examples from.
type examples []vector

// readExamples reads the vectors below the top folder.
func readExamples(top string) (all examples, err error) {
	text, err := os.ReadFile(filepath.Join(top, "abi/testdata/vectors.json"))
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(text, &all)
}

func (e examples) functions() template.FuncMap {
	return template.FuncMap{
		"vectors": e.list, "exampleRouter": e.router, "workedView": e.view, "workedRoute": e.route,
		"workedOps": e.ops, "workedOpsSize": e.opsSize,
	}
}

// find returns a vector and its bytes.
func (e examples) find(name string) (vector, []byte, error) {
	for _, v := range e {
		if v.Name == name {
			b, err := hex.DecodeString(v.Hex)
			return v, b, err
		}
	}
	return vector{}, nil, fmt.Errorf("no vector %q", name)
}

// list names all vectors.
func (e examples) list() *markdown {
	m := newMarkdown("name", "what it is")
	for _, v := range e {
		m.row(code(v.Name), v.Description)
	}
	return m
}

// router is what the example answers.
func (e examples) router() (*markdown, error) {
	v, _, err := e.find("example-router")
	if err != nil {
		return nil, err
	}
	var cases []struct {
		Target string
		Result any
	}
	if err := json.Unmarshal(v.Decoded, &cases); err != nil {
		return nil, err
	}
	m := newMarkdown("target", "answer")
	for _, c := range cases {
		answer := strings.ReplaceAll(fmt.Sprint(c.Result), "-", "−")
		if list, ok := c.Result.([]any); ok {
			answer = strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
		}
		m.row(code(c.Target), answer)
	}
	return m, nil
}

func (e examples) route() (string, error) {
	_, b, err := e.find("route-result")
	return fmt.Sprintf("0000  % x", b), err
}

func (e examples) opsSize() (int, error) {
	_, b, err := e.find("ops-edit")
	return len(b), err
}

// view is the view of the example, its head by fields.
func (e examples) view() (string, error) {
	_, b, err := e.find("request-view-router")
	if err != nil {
		return "", err
	}
	v, err := abi.DecodeView(b)
	if err != nil {
		return "", err
	}
	d := dump{bytes: b}
	for _, f := range abi.ViewLayout.Fields {
		d.field(f)
	}
	at := abi.ViewLayout.Size
	for i, o := range v.Origins {
		d.line(at, 8, fmt.Sprintf("origin %d: health %d, state %d, %d of %d in flight, metric %d, flags %d", i, o.Health, o.State, o.InFlight, o.Capacity, o.Metric, o.Flags))
		at += 8
	}
	for i, h := range v.Headers {
		d.line(at, 8, fmt.Sprintf("header %d: name of %d bytes at 0x%x, value of %d", i, len(h.Name), binary.LittleEndian.Uint32(b[at:]), len(h.Value)))
		at += 8
	}
	d.text(at, len(b))
	return d.String(), nil
}

// ops are the operations of the example.
func (e examples) ops() (string, error) {
	_, b, err := e.find("ops-edit")
	if err != nil {
		return "", err
	}
	ops, err := abi.ReadOps(b, int32(len(b)), nil)
	if err != nil {
		return "", err
	}
	d, at := dump{bytes: b}, 0
	for _, o := range ops {
		d.line(at, 8, fmt.Sprintf("%s: key of %d bytes, value of %d", abi.Ops[o.Code-1].Name, len(o.Key), len(o.Value)))
		end := at + 8 + len(o.Key) + len(o.Value)
		d.text(at+8, end)
		at = (end + 3) &^ 3
		if at > end {
			d.line(end, at-end, "padding")
		}
	}
	return d.String(), nil
}
