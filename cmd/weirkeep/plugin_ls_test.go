package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const somePlugins = `{"schema":1,"plugins":[
	{"name":"by-customer","kind":"router","engine":"wazero","sha256":"00","generation":3,"calls":40,"errors":2,"faults":1,
	 "last_fault":{"at":"2026-01-01T00:00:00Z","kind":"trap","export":"gw_route","message":"unreachable"},
	 "last_faults":[
	  {"at":"2026-01-01T00:00:00Z","kind":"trap","place":"cluster main/shop","export":"gw_route","request":"00000000000000ff","message":"unreachable","stack":"f1\nf2\nf3\nf4\nf5\nf6\nf7\nf8\nf9\nf10","stderr":"first\n2\n3\n4\n5\n6\n7\n8\npanic: no such \u001b[31mshop\n"},
	  {"at":"2025-12-31T00:00:00Z","kind":"init","place":"cluster dr/shop","export":"","message":"gw_buffer refuses"}],
	 "attachments":[{"place":"cluster main/shop","instances":2,"idle":1,"most":4,"memory":131072,"breaker":"closed"},{"place":"cluster dr/shop","instances":1,"most":4,"breaker":"open"}]},
	{"name":"redact","kind":"filter","engine":"wazero","sha256":"00","generation":1,"calls":1,"errors":0,"faults":0,"last_fault":null,
	 "attachments":[{"place":"site shop","stages":["deliver","store"],"instances":1,"most":4,"breaker":"closed"},{"place":"site api","stages":["deliver"],"instances":1,"most":4,"breaker":"closed"}]},
	{"name":"idle","kind":"matcher","engine":"wazero","sha256":"00","calls":0,"errors":0,"faults":0,"last_fault":null,"attachments":[]}]}`

// The plugins of a gateway are listed, one line for each place; a gateway that knows
// no plugins is no riddle.
func TestPluginsAreListed(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		status     int
		args       []string
		ends       int
		stdout     []string // words of its lines
		stderr     string
	}{
		{"table", somePlugins, 200, nil, exitOK, []string{"PLUGIN KIND", "by-customer router wazero 3 cluster main/shop 2 of 4 1 131.1 kB closed 40 2 1 trap in gw_route, unreachable, ", "by-customer router wazero 3 cluster dr/shop 1 of 4 0 0 B open", "redact filter wazero 1 site shop, stage deliver and store 1 of 4", "redact filter wazero 1 site api 1 of 4", "idle matcher wazero 0 nowhere 0 of 0 0 0 B - 0 0 0 -"}, ""},
		{"faults", somePlugins, 200, []string{"--faults"}, exitOK, []string{
			"by-customer: the last faults, of 1 2026-01-01T00:00:00Z, ", " ago, at cluster main/shop, request 00000000000000ff: trap in gw_route: unreachable stack f1 f2 f3 f4 f5 f6 f7 f8 … 2 more stderr 2 3 4 5 6 7 8 panic: no such ?[31mshop 2025-12-31T00:00:00Z, ",
			" ago, at cluster dr/shop: init: gw_buffer refuses"}, ""},
		{"json", somePlugins, 200, []string{"-o", "json"}, exitOK, []string{`"schema": 1,`, `"breaker": "open"`, `"last_fault": null,`, `"stack": "f1\nf2`, `"generation": 3,`, `"memory": 131072,`}, ""},
		{"jsonl", somePlugins, 200, []string{"-o", "jsonl"}, exitOK, []string{`{"name":"by-customer"`, `{"name":"idle"`}, ""},
		{"none", `{"schema":1,"plugins":[]}`, 200, nil, exitOK, []string{"the gateway has no plugins"}, ""},
		{"an older gateway", `{"detail":"no such path"}`, 404, nil, exitFailure, nil, "the running gateway does not know of plugins"},
		{"no gateway at all", `<html>`, 200, nil, exitUnreachable, nil, "this is no answer of weirkeep"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/plugins" {
				t.Errorf("%s: it asks for %s", tt.name, r.URL.Path)
			}
			w.WriteHeader(tt.status)
			w.Write([]byte(tt.body))
		}))
		var stdout, stderr bytes.Buffer
		status := run(append([]string{"plugin", "ls", "--admin", s.URL}, tt.args...), strings.NewReader(""), &stdout, &stderr)
		s.Close()
		if status != tt.ends || !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s: it ends with %d, want %d, and says %q, want %q", tt.name, status, tt.ends, &stderr, tt.stderr)
		}
		said := strings.Join(strings.Fields(stdout.String()), " ")
		for _, w := range tt.stdout {
			if !strings.Contains(said, w) {
				t.Errorf("%s: it prints %q, which lacks %q", tt.name, said, w)
			}
		}
	}
}
