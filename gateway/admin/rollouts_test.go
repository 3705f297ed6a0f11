package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway/rollout"
	"weirkeep/gateway/unit"
)

// stewardAt knows one roll-out, of shop; it refuses everything with its error, if
// there is one, and notes what it was asked.
type stewardAt struct {
	mu     sync.Mutex
	err    error
	asked  []string
	status rollout.Status
}

func newSteward() *stewardAt {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	return &stewardAt{status: rollout.Status{
		Options: rollout.Options{Application: "shop", From: "1.0", To: "2.0", Strategy: rollout.Grouped, Drain: unit.Duration(90 * time.Second)},
		Phase:   rollout.Running, Active: []string{"1.0"}, Batch: 1, Batches: 2, Total: 2, Began: at,
		Origins: []rollout.MemberStatus{{Name: "web1", Label: "1.0", Stage: rollout.Draining, State: rollout.Drains, Since: at, Until: at.Add(90 * time.Second), Sessions: -1, Up: true}},
	}}
}

func (s *stewardAt) note(format string, args ...any) (rollout.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, fmt.Sprintf(format, args...))
	return s.status, s.err
}

func (s *stewardAt) Rollouts() []rollout.Status {
	if s.status.Application == "" {
		return []rollout.Status{}
	}
	return []rollout.Status{s.status}
}

func (s *stewardAt) StartRollout(application, to string) (rollout.Status, error) {
	return s.note("start %q %q", application, to)
}

func (s *stewardAt) ConfirmRollout(application string, origins ...string) (rollout.Status, error) {
	return s.note("confirm %q %q", application, origins)
}

func (s *stewardAt) CancelRollout(application string) (rollout.Status, error) {
	return s.note("cancel %q", application)
}

func (s *stewardAt) ForgetRollout(application string) error {
	_, err := s.note("forget %q", application)
	return err
}

// post sends a body, with the token unless the fields say otherwise.
func post(t *testing.T, url, body string, fields ...string) (status int, header http.Header, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/json")
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		r.Header.Set(name, value)
	}
	return do(t, &http.Transport{DisableKeepAlives: true}, r)
}

// startSteward serves what a steward can do, and logs.
func startSteward(t *testing.T, s *stewardAt, log io.Writer) string {
	t.Helper()
	o := options(running(), log)
	o.Rollouts = s
	return startTCP(t, o)
}

const shopStatus = `{"application":"shop","from":"1.0","to":"2.0","strategy":"grouped","drain":"1m30s","phase":"running","active":["1.0"],"batch":1,"batches":2,"done":0,"total":2,"began":"2026-11-29T12:00:00Z",` +
	`"origins":[{"name":"web1","label":"1.0","stage":"draining","state":"draining","since":"2026-11-29T12:00:00Z","until":"2026-11-29T12:01:30Z","sessions":-1,"in_flight":0,"up":true}]}`

// rolloutChanges are those of a roll-out that can be asked for, each with what the steward is
// asked then.
var rolloutChanges = []struct{ what, body, asked, answer string }{
	{"start", `{}`, `start "shop" ""`, shopStatus},
	{"start", `{"to":"3.0"}`, `start "shop" "3.0"`, shopStatus},
	{"confirm", `{}`, `confirm "shop" []`, shopStatus},
	{"confirm", `{"origins":["web1","main/shop/web2"]}`, `confirm "shop" ["web1" "main/shop/web2"]`, shopStatus},
	{"cancel", ``, `cancel "shop"`, shopStatus},
	{"forget", ``, `forget "shop"`, `{"application":"shop"}`},
}

func TestRolloutsAreListed(t *testing.T) {
	s := newSteward()
	url := startSteward(t, s, io.Discard)
	status, header, body := ask(t, "GET", url+"/v1/rollouts")
	if want := `{"rollouts":[` + shopStatus + "]}\n"; status != 200 || body != want || header.Get("ETag") != `"rev-4"` {
		t.Errorf("%d, tag %s\n got %s\nwant %s", status, header.Get("ETag"), body, want)
	}
	s.status = rollout.Status{}
	if _, _, body := ask(t, "GET", url+"/v1/rollouts"); body != `{"rollouts":[]}`+"\n" {
		t.Errorf("where there is none: %s", body)
	}
}

// Every change is done, answered, and logged: who, what, and what came of it.
func TestRolloutChanges(t *testing.T) {
	for _, tt := range rolloutChanges {
		t.Run(tt.what+tt.body, func(t *testing.T) {
			var log bytes.Buffer
			s := newSteward()
			status, header, body := post(t, startSteward(t, s, &log)+"/v1/rollouts/shop/"+tt.what, tt.body)
			if status != 200 || body != tt.answer+"\n" || header.Get("ETag") != `"rev-4"` {
				t.Errorf("%d, tag %s\n got %s\nwant %s", status, header.Get("ETag"), body, tt.answer)
			}
			if len(s.asked) != 1 || s.asked[0] != tt.asked {
				t.Errorf("asked %q, want %q", s.asked, tt.asked)
			}
			if want := "what=rollouts/shop/" + tt.what + " result=done"; strings.Count(log.String(), want) != 1 || !strings.Contains(log.String(), "who=127.0.0.1:") {
				t.Errorf("want %s in the log %s", want, &log)
			}
		})
	}
}

// What cannot be done is answered 409, with the reason as it is; that is logged too.
func TestRolloutChangesThatAreRefused(t *testing.T) {
	for _, tt := range rolloutChanges {
		t.Run(tt.what+tt.body, func(t *testing.T) {
			var log bytes.Buffer
			s := newSteward()
			s.err = errors.New(`there is no "shop" & that is <it>`)
			status, header, body := post(t, startSteward(t, s, &log)+"/v1/rollouts/shop/"+tt.what, tt.body)
			var p problem
			if err := json.Unmarshal([]byte(body), &p); status != http.StatusConflict || err != nil || p.Detail != s.err.Error() {
				t.Errorf("%d %s, want 409 with %q", status, body, s.err)
			}
			checkProblem(t, status, header, body)
			if want := `result="refused: there is no \"shop\" & that is <it>"`; !strings.Contains(log.String(), want) || strings.Contains(log.String(), "result=done") {
				t.Errorf("want %s in the log %s", want, &log)
			}
		})
	}
}

// Without the token, from a page of another site, or with a request that is none,
// nothing is asked and nothing is logged as a change.
func TestRolloutChangesThatNobodyMayAskFor(t *testing.T) {
	var log bytes.Buffer
	s := newSteward()
	url := startSteward(t, s, &log)
	const json = "Content-Type: application/json"
	for _, tt := range []struct {
		name, what, body, field string
		status                  int
	}{
		{"no token", "", "", "Authorization: ", 401},
		{"another token", "", "", "Authorization: Bearer " + secret + "x", 401},
		{"another site", "", "", "Origin: http://evil.example", 403},
		{"a browser that was sent", "", "", "Sec-Fetch-Site: cross-site", 403},
		{"no body", "start", "", json, 400},
		{"no body", "confirm", "", json, 400},
		{"no JSON", "start", "to=2.0", json, 400},
		{"an array", "start", "[]", json, 422},
		{"a label that is none", "start", `{"to":7}`, json, 422},
		{"a label too long", "start", `{"to":"` + strings.Repeat("x", 65) + `"}`, json, 422},
		{"a key that is not there", "start", `{"label":"2.0"}`, json, 422},
		{"origins that are none", "confirm", `{"origins":"web1"}`, json, 422},
		{"too many origins", "confirm", `{"origins":["a"` + strings.Repeat(`,"a"`, 1000) + `]}`, json, 422},
		{"too large a body", "start", `{"to":"` + strings.Repeat("x", maxBody) + `"}`, json, 413},
	} {
		for _, change := range rolloutChanges {
			if tt.what != "" && change.what != tt.what {
				continue
			}
			body := tt.body
			if tt.what == "" {
				body = change.body
			}
			status, header, answer := post(t, url+"/v1/rollouts/shop/"+change.what, body, tt.field)
			if status != tt.status {
				t.Errorf("%s, %s: %d %s, want %d", tt.name, change.what, status, answer, tt.status)
			}
			checkProblem(t, status, header, answer)
		}
	}
	for path, want := range map[string]int{
		"/v1/rollouts/" + strings.Repeat("x", 65) + "/cancel": 422, "/v1/rollouts//cancel": 404, "/v1/rollouts/shop": 404,
		"/v1/rollouts/shop/begin": 404, "/v1/rollouts": 405,
	} {
		status, header, answer := post(t, url+path, "{}")
		if status != want {
			t.Errorf("POST %.40s: %d %s, want %d", path, status, answer, want)
		}
		checkProblem(t, status, header, answer)
	}
	if status, _, _ := ask(t, "GET", url+"/v1/rollouts", "Authorization: "); status != 401 {
		t.Errorf("GET without the token: %d, want 401", status)
	}
	if status, _, _ := ask(t, "GET", url+"/v1/rollouts/shop/start"); status != 405 {
		t.Errorf("GET of a change: %d, want 405", status)
	}
	if len(s.asked) != 0 || strings.Contains(log.String(), "admin change") {
		t.Errorf("asked %q, log %s", s.asked, &log)
	}
}

// A name that has to be escaped in a path arrives as it is, and makes no second line
// in the log.
func TestRolloutOfAStrangeName(t *testing.T) {
	var log bytes.Buffer
	s := newSteward()
	url := startSteward(t, s, &log)
	for escaped, name := range map[string]string{"a%20b": "a b", "a%2Fb": "a/b", "a%0Ab": "a\nb", "%C3%A9": "é", "..%2F..": "../.."} {
		s.asked = nil
		log.Reset()
		status, _, body := post(t, url+"/v1/rollouts/"+escaped+"/cancel", "")
		if status != 200 || len(s.asked) != 1 || s.asked[0] != fmt.Sprintf("cancel %q", name) {
			t.Errorf("%s: %d %s, asked %q", escaped, status, body, s.asked)
		}
		if strings.Count(log.String(), "\n") != 1 {
			t.Errorf("%s: the log is %q", escaped, &log)
		}
	}
}

// The document says of roll-outs what there is: a length of time is a text, as in the
// configuration.
func TestDocumentOfRollouts(t *testing.T) {
	_, _, body := ask(t, "GET", startSteward(t, newSteward(), io.Discard)+"/openapi.json")
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Responses   map[string]any
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Type any }
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Paths["/v1/rollouts"]["get"].OperationID != "rollouts" {
		t.Errorf("GET /v1/rollouts is %+v", doc.Paths["/v1/rollouts"])
	}
	for _, tt := range rolloutChanges {
		o := doc.Paths["/v1/rollouts/{application}/"+tt.what]["post"]
		if o.OperationID != tt.what || o.Responses["200"] == nil || o.Responses["409"] == nil {
			t.Errorf("%s is %+v", tt.what, o)
		}
	}
	refs := regexp.MustCompile(`"\$ref":"#/components/schemas/(\w+)"`).FindAllStringSubmatch(body, -1)
	for _, ref := range refs {
		if _, known := doc.Components.Schemas[ref[1]]; !known {
			t.Errorf("there is no schema %s", ref[1])
		}
	}
	if len(refs) < 20 {
		t.Errorf("%d references to schemas", len(refs))
	}
	for name, want := range map[string]string{"drain": "string", "began": "string", "strategy": "string", "done": "integer"} {
		if got := doc.Components.Schemas["Status"].Properties[name].Type; got != want {
			t.Errorf("%s is a %v, want a %s", name, got, want)
		}
	}
}
