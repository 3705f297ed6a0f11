package admin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// operatorAt notes what it is asked, and answers with an error, if it has one.
type operatorAt struct {
	asked []Operation
	err   error
}

func (o *operatorAt) Operate(op Operation) ([]Operated, error) {
	o.asked = append(o.asked, op)
	if o.err != nil {
		return nil, o.err
	}
	if op.State == "" {
		op.State = "serving"
	}
	set := &StateSet{State: op.State, Over: "serving", By: "x", At: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	return []Operated{{
		Cell: "main", Cluster: "shop", Name: "web1", Address: "127.0.0.1:9001", Configured: "serving",
		Before: Standing{State: "serving", StateBy: "configuration"}, Now: Standing{State: op.State, StateBy: "operator", StateSet: set},
	}}, nil
}

// patch sends a body, with the token.
func patch(t *testing.T, url, body string) (status int, header http.Header, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/json")
	return do(t, &http.Transport{DisableKeepAlives: true}, r)
}

func startOperator(t *testing.T, o *operatorAt, log io.Writer) string {
	t.Helper()
	options := options(running(), log)
	options.Operator = o
	return startTCP(t, options)
}

// What is wanted is done, answered with what was before, and logged: who, what, from
// what to what.
func TestOperate(t *testing.T) {
	const answer = `"origins":[{"cell":"main","cluster":"shop","name":"web1","address":"127.0.0.1:9001","state_configured":"serving","weighed":false,` +
		`"before":{"state":"serving","state_by":"configuration"},` +
		`"now":{"state":"%s","state_by":"operator","state_set":{"state":"%[1]s","over":"serving","by":"x","at":"2026-11-29T12:00:00Z"}}}]}` + "\n"
	for _, tt := range []struct {
		path, body string
		asked      Operation
		dry        string
	}{
		{"/v1/origins", `{"origins":["web1","dr/*"],"state":"draining"}`, Operation{Origins: []string{"web1", "dr/*"}, State: "draining"}, ""},
		{"/v1/origins", `{"origins":["web1"],"state":"disabled","force":true,"dry_run":true}`, Operation{Origins: []string{"web1"}, State: "disabled", Force: true, DryRun: true}, `"dry_run":true,`},
		{"/v1/origins/main/shop/web1", `{"state":"maintenance"}`, Operation{Origins: []string{"main/shop/web1"}, State: "maintenance"}, ""},
		{"/v1/origins/main/shop/http:%2F%2F10.0.0.1:80", `{"state":"disabled"}`, Operation{Origins: []string{"main/shop/http://10.0.0.1:80"}, State: "disabled"}, ""},
	} {
		t.Run(tt.path+tt.body, func(t *testing.T) {
			var log bytes.Buffer
			o := &operatorAt{}
			status, header, body := patch(t, startOperator(t, o, &log)+tt.path, tt.body)
			if want := "{" + tt.dry + fmt.Sprintf(answer, tt.asked.State); status != 200 || body != want || header.Get("ETag") != `"rev-4"` {
				t.Errorf("%d, tag %s\n got %s\nwant %s", status, header.Get("ETag"), body, want)
			}
			if len(o.asked) != 1 || !strings.HasPrefix(o.asked[0].By, "127.0.0.1:") {
				t.Fatalf("asked %+v", o.asked)
			}
			o.asked[0].By = ""
			if got, want := fmt.Sprint(o.asked[0]), fmt.Sprint(tt.asked); got != want {
				t.Errorf("asked %s, want %s", got, want)
			}
			logged := strings.Contains(log.String(), `what="origins/main/shop/web1: `+tt.asked.State+`" result="serving by configuration -> `+tt.asked.State+` by operator"`) &&
				strings.Contains(log.String(), "who=127.0.0.1:")
			if logged != (tt.dry == "") {
				t.Errorf("in the log: %v: %s", logged, &log)
			}
		})
	}
}

// A weight is set, or taken back, as a state is.
func TestOperateWeight(t *testing.T) {
	for _, tt := range []struct {
		body   string
		weight int
		state  string
		log    string
	}{
		{`{"weight":3}`, 3, "", `what="origins/main/shop/web1: weight 3" result="0 -> 0"`},
		{`{"weight":0}`, 0, "", `what="origins/main/shop/web1: weight 0"`},
		{`{"weight":7,"state":"draining"}`, 7, "draining", `what="origins/main/shop/web1: draining, weight 7" result="serving by configuration, weight 0 -> draining by operator, weight 0"`},
	} {
		t.Run(tt.body, func(t *testing.T) {
			var log bytes.Buffer
			o := &operatorAt{}
			status, _, body := patch(t, startOperator(t, o, &log)+"/v1/origins/main/shop/web1", tt.body)
			if status != 200 || len(o.asked) != 1 || o.asked[0].Weight == nil || *o.asked[0].Weight != tt.weight || o.asked[0].State != tt.state {
				t.Fatalf("%d %s, asked %+v", status, body, o.asked)
			}
			if !strings.Contains(log.String(), tt.log) {
				t.Errorf("want %s in the log %s", tt.log, &log)
			}
		})
	}
}

// What cannot be done says why; that is logged too.
func TestOperateRefusals(t *testing.T) {
	const one = `{"origins":["web1"],"state":"draining"}`
	for _, tt := range []struct {
		name, body string
		err        error
		status     int
		want       string
		asked      bool
	}{
		{"no origin", one, fmt.Errorf(`%w "web9"`, ErrNoOrigin), 404, `"detail":"no such origin \"web9\"","suggestion":"GET /v1/origins lists what there is"`, true},
		{"the last one", one, fmt.Errorf("%w of shop", ErrLast), 409, `{"type":"urn:weirkeep:problem:last-origin","title":"last origin","status":409,"detail":"the last origin of shop","suggestion":"\"force\": true does it all the same"}`, true},
		{"anything else", one, errors.New("not serving"), 409, `"detail":"not serving"`, true},
		{"nothing", `{"origins":["web1"]}`, nil, 422, "neither a state nor a weight is wanted", false},
		{"too much weight", `{"origins":["web1"],"weight":101}`, nil, 422, "weight", false},
		{"a state that there is not", `{"origins":["web1"],"state":"down"}`, nil, 422, "serving", false},
		{"no origins", `{"origins":[],"state":"draining"}`, nil, 422, "origins", false},
		{"a misspelt key", `{"origin":["web1"],"state":"draining"}`, nil, 422, "origin", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			o := &operatorAt{err: tt.err}
			status, header, body := patch(t, startOperator(t, o, &log)+"/v1/origins", tt.body)
			if status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("%d %s, want %d %s", status, body, tt.status, tt.want)
			}
			checkProblem(t, status, header, body)
			if asked := len(o.asked) > 0; asked != tt.asked || asked != strings.Contains(log.String(), "refused: ") {
				t.Errorf("asked %+v, log %s", o.asked, &log)
			}
		})
	}
}

// The token is asked for, and the methods that are there are told.
func TestOperateIsGuarded(t *testing.T) {
	o := &operatorAt{}
	url := startOperator(t, o, io.Discard)
	if status, _, _ := ask(t, "PATCH", url+"/v1/origins", "Authorization: none"); status != 401 {
		t.Errorf("without a token: %d", status)
	}
	status, header, _ := ask(t, "DELETE", url+"/v1/origins")
	if status != 405 || header.Get("Allow") != "GET, PATCH" {
		t.Errorf("DELETE: %d, allowed %s", status, header.Get("Allow"))
	}
	if len(o.asked) != 0 {
		t.Errorf("asked %+v", o.asked)
	}
}

// A parameter of the query that nothing reads is refused, whatever is asked: it may be
// what makes the difference, such as dry_run, which belongs into the body.
func TestUnknownParametersAreRefused(t *testing.T) {
	o := &operatorAt{}
	url := startOperator(t, o, io.Discard)
	for _, path := range []string{"/v1/origins", "/v1/origins/main/shop/web1"} {
		status, header, body := patch(t, url+path+"?dry_run=true", `{"origins":["web1"],"state":"draining"}`)
		if status != 422 || !strings.Contains(body, "dry_run") {
			t.Errorf("%s: %d %s", path, status, body)
		}
		checkProblem(t, status, header, body)
	}
	for _, asked := range []string{"GET /v1/origins", "GET /v1/overview", "GET /v1/rules", "POST /v1/config:reload"} {
		method, path, _ := strings.Cut(asked, " ")
		if status, _, body := ask(t, method, url+path+"?cluster=shop"); status != 422 || !strings.Contains(body, "cluster") {
			t.Errorf("%s: %d %s", asked, status, body)
		}
	}
	if len(o.asked) != 0 {
		t.Errorf("asked %+v", o.asked)
	}
}
