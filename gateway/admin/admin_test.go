package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
)

const secret = "test-token-0123456789"

// gatewayAt is a gateway with a status; a reload finds the problems.
type gatewayAt struct {
	mu       sync.Mutex
	status   Status
	problems config.Problems
}

func (g *gatewayAt) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.status
}

func (g *gatewayAt) Reload(context.Context) config.Problems {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.problems.Errors() == 0 {
		g.status.Revision++
	}
	return g.problems
}

// Explain knows one question: whether anybody asks from an address.
func (g *gatewayAt) Explain(q Question) (any, error) {
	if q.Head == "" {
		return nil, errors.New("the request has no head")
	}
	return map[string]any{"schema": 1, "from": q.From, "down": q.Down}, nil
}

func (g *gatewayAt) Rules() any { return []string{"banned"} }

func (g *gatewayAt) Plugins() any { return []string{"chooser"} }

// running is a gateway that serves.
func running() *gatewayAt {
	return &gatewayAt{status: Status{
		Ready: true, Revision: 4, Connections: 3, Exchanges: 2,
		Started:     time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
		LastRefusal: &Refusal{At: time.Date(2026, 11, 29, 13, 0, 0, 0, time.UTC), Problem: "w.yaml:1:2: error E102: unknown key", Errors: 3},
		Listeners:   []ListenerStatus{{Name: "http", Address: "127.0.0.1:8080"}},
		Clusters:    []ClusterStatus{{Name: "shop", Balancer: "capacity", Waiting: 2, QueueSize: 200}},
		Origins: []OriginStatus{
			{
				Cell: "main", Cluster: "shop", Name: "web1", Address: "127.0.0.1:9001", State: "serving", StateBy: "configuration", Configured: "serving",
				Health: "up", Up: true, Checked: true, Load: 50, Capacity: 50, Waiting: 2, Tunnels: 1, InFlight: 50, Sessions: 6, Attempts: 7, Transitions: []Transition{},
			},
			{
				Cell: "main", Cluster: "shop", Name: "web2", Address: "127.0.0.1:9002", State: "draining", StateBy: "operator", Configured: "serving",
				StateSet: &StateSet{State: "draining", Over: "serving", By: "unix socket", At: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)},
				Health:   "ejected", Capacity: 10, Uncounted: []Uncounted{{Session: "s", Binding: "passive"}},
				Transitions: []Transition{{
					At: time.Date(2026, 11, 29, 12, 30, 0, 0, time.UTC), From: "up", To: "ejected", Why: "connect: connection refused", Failures: 1, By: "requests", Cluster: "shop",
				}},
				Since:     time.Date(2026, 11, 29, 12, 30, 0, 0, time.UTC),
				LastError: "origin 127.0.0.1:9002: connect: connection refused", LastErrorAt: time.Date(2026, 11, 29, 12, 31, 0, 0, time.UTC),
			},
		},
	}}
}

// options are those of a test; it adds where to listen.
func options(g Gateway, log io.Writer) Options {
	return Options{
		Token: secret, TokenHint: "the token is in /state/token", Version: "0.1.0",
		Gateway: g, Metrics: metrics.New([]metrics.Reason{{Name: "no_site", Unrouted: true}}),
		Logger: slog.New(slog.NewTextHandler(log, nil)),
	}
}

// start serves until the test ends.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		if err := s.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Errorf("close: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s
}

// startTCP serves on a port of its own and returns the URL.
func startTCP(t *testing.T, o Options) string {
	t.Helper()
	o.Address = "127.0.0.1:0"
	return "http://" + start(t, o).Address().String()
}

// ask sends one request, with the token unless the fields say otherwise.
// Fields are "Name: value".
func ask(t *testing.T, method, url string, fields ...string) (status int, header http.Header, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
	return do(t, &http.Transport{DisableKeepAlives: true}, r)
}

func do(t *testing.T, tr *http.Transport, r *http.Request) (int, http.Header, string) {
	t.Helper()
	resp, err := (&http.Client{Transport: tr}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func TestWhoIsLetIn(t *testing.T) {
	url := startTCP(t, options(running(), io.Discard))
	const none = "Authorization: "
	for _, tt := range []struct {
		name, method, path string
		field              string
		status             int
		body               string // part of it
	}{
		{"health needs no token", "GET", "/healthz", none, 200, "ok"},
		{"readiness needs no token", "HEAD", "/readyz", none, 200, ""},
		{"metrics need no token", "GET", "/metrics", none, 200, "weirkeep_config_revision 0"},
		{"overview needs one", "GET", "/v1/overview", none, 401, "the token is in /state/token"},
		{"reload needs one", "POST", "/v1/config:reload", none, 401, "Authorization: Bearer TOKEN"},
		{"profiles need one", "GET", "/debug/pprof/", none, 401, ""},
		{"the document needs one", "GET", "/openapi.json", none, 401, ""},
		{"what is not there needs one", "GET", "/nothing", none, 401, ""},
		{"a path that looks open needs one", "GET", "/healthz/../v1/overview", none, 401, ""},
		{"wrong token", "GET", "/v1/overview", "Authorization: Bearer " + secret + "x", 401, ""},
		{"other scheme", "GET", "/v1/overview", "Authorization: Basic " + secret, 401, ""},
		{"token with scheme in lower case", "GET", "/v1/overview", "Authorization: bearer " + secret, 200, ""},
		{"profiles with token", "GET", "/debug/pprof/", "", 200, "goroutine"},
		{"one profile with token", "GET", "/debug/pprof/goroutine?debug=1", "", 200, "goroutine profile"},
		{"write sent by a page of another site", "POST", "/v1/config:reload", "Origin: http://evil.example", 403, "another site"},
		{"write that a browser calls cross-site", "POST", "/v1/config:reload", "Sec-Fetch-Site: cross-site", 403, ""},
		{"write of our own page", "POST", "/v1/config:reload", "Origin: " + url, 200, ""},
		{"name of a stranger", "GET", "/metrics", "Host: evil.example", 403, "use localhost"},
		{"localhost", "GET", "/metrics", "Host: localhost:9900", 200, ""},
		{"address of the next version", "GET", "/metrics", "Host: [::1]:9900", 200, ""},
		{"no such path", "GET", "/nothing", "", 404, "/openapi.json"},
		{"other method", "GET", "/v1/config:reload", "", 405, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var fields []string
			if tt.field != "" {
				fields = []string{tt.field}
			}
			status, header, body := ask(t, tt.method, url+tt.path, fields...)
			if status != tt.status || !strings.Contains(body, tt.body) {
				t.Errorf("%d, want %d, with %q in %s", status, tt.status, tt.body, body)
			}
			checkProblem(t, status, header, body)
		})
	}
}

// checkProblem checks that an error is a problem document.
func checkProblem(t *testing.T, status int, header http.Header, body string) {
	t.Helper()
	if status < 400 {
		return
	}
	var p problem
	if err := json.Unmarshal([]byte(body), &p); err != nil || p.Status != status || p.Title == "" || p.Type == "" {
		t.Errorf("error %v, problem %+v", err, p)
	}
	if got := header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %s", got)
	}
	if challenge := header.Get("WWW-Authenticate"); (status == 401) != strings.HasPrefix(challenge, "Bearer ") {
		t.Errorf("status %d with the challenge %q", status, challenge)
	}
	if allow := header.Get("Allow"); (status == 405) != (allow != "") {
		t.Errorf("status %d with Allow %q", status, allow)
	}
}

func TestReadinessSaysWhyNot(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status Status
		code   int
		body   string
	}{
		{"ready", Status{Ready: true}, 200, "ready\n"},
		{"no origin", Status{NotReady: "no origin is up"}, 503, `"detail":"no origin is up"`},
		{"no reason", Status{}, 503, `"detail":"not ready"`},
		{"draining, though all else is well", Status{Ready: true, Draining: true}, 503, `"detail":"draining"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := startTCP(t, options(&gatewayAt{status: tt.status}, io.Discard))
			status, _, body := ask(t, "GET", url+"/readyz")
			if status != tt.code || !strings.Contains(body, tt.body) {
				t.Errorf("%d %s, want %d %s", status, body, tt.code, tt.body)
			}
		})
	}
}

func TestOverviewAndOrigins(t *testing.T) {
	o := options(running(), io.Discard)
	s := o.Metrics.NewSet()
	s.Mapping(metrics.MappingLabels{Site: "a"}).Exchange(200)
	s.Mapping(metrics.MappingLabels{Site: "b"}).Exchange(204)
	o.Metrics.Use(s)
	url := startTCP(t, o)

	_, header, body := ask(t, "GET", url+"/v1/overview")
	want := `{"version":"0.1.0","ready":true,"draining":false,"revision":4,"started":"2026-11-29T12:00:00Z","applied":"0001-01-01T00:00:00Z",` +
		`"last_refusal":{"at":"2026-11-29T13:00:00Z","problem":"w.yaml:1:2: error E102: unknown key","errors":3},` +
		`"connections":3,"exchanges":2,"listeners":[{"name":"http","address":"127.0.0.1:8080","tls":false}],"clusters":[{"name":"shop","balancer":"capacity","waiting":2,"queue_size":200,"panicking":false}],` +
		`"origins":{"up":1,"down":1},"answers":{"1xx":0,"2xx":2,"3xx":0,"4xx":0,"5xx":0,"none":0},"tunnels":0,"access_log_lost":0,"panics":0}` + "\n"
	if body != want || header.Get("ETag") != `"rev-4"` {
		t.Errorf("overview, tag %s\n got %s\nwant %s", header.Get("ETag"), body, want)
	}

	_, _, body = ask(t, "GET", url+"/v1/origins")
	want = `{"origins":[{"cluster":"shop","name":"web1","address":"127.0.0.1:9001","cell":"main","state":"serving","state_by":"configuration","state_configured":"serving","health":"up","up":true,"checked":true,"load":50,"capacity":50,"capacity_learned":false,"waiting":2,"tunnels":1,"in_flight":50,"sessions":6,"idle":0,"attempts":7,"failures":0,"transitions":[]},` +
		`{"cluster":"shop","name":"web2","address":"127.0.0.1:9002","cell":"main","state":"draining","state_by":"operator","state_configured":"serving","state_set":{"state":"draining","over":"serving","by":"unix socket","at":"2026-11-29T12:00:00Z"},"health":"ejected","up":false,"checked":false,"load":0,"capacity":10,"capacity_learned":false,"waiting":0,"tunnels":0,"in_flight":0,"sessions":0,"idle":0,"attempts":0,"failures":0,"sessions_uncounted":[{"session":"s","binding":"passive"}],` +
		`"since":"2026-11-29T12:30:00Z","last_error":"origin 127.0.0.1:9002: connect: connection refused","last_error_at":"2026-11-29T12:31:00Z",` +
		`"transitions":[{"at":"2026-11-29T12:30:00Z","from":"up","to":"ejected","why":"connect: connection refused","failures":1,"by":"requests","cluster":"shop"}]}]}` + "\n"
	if body != want {
		t.Errorf("origins\n got %s\nwant %s", body, want)
	}
}

func TestReload(t *testing.T) {
	warning := config.Problem{File: "w.yaml", Line: 1, Column: 2, Severity: config.Warning, Code: "W332", Message: "nobody"}
	unknown := config.Problem{File: "w.yaml", Line: 5, Column: 50, Code: "E102", Message: `unknown key "wieght"`, Hint: `did you mean "weight"?`}
	missing := config.Problem{Code: "E101", Message: "no configuration"}
	for _, tt := range []struct {
		name     string
		problems config.Problems
		ifMatch  string
		status   int
		body     []string // parts of it
		log      string
	}{
		{"done", nil, "", 200, []string{`{"revision":5,"warnings":[]}`}, `what=config:reload result="revision 5"`},
		{"done, with a warning", config.Problems{warning}, `"rev-4"`, 200, []string{`"revision":5`, `"code":"W332"`, `"instance":"w.yaml:1:2"`}, "revision 5"},
		{
			"refused", config.Problems{unknown, missing, warning}, "*", 422,
			[]string{
				`"title":"configuration refused"`, `"detail":"errors: 2, warnings: 1; nothing was changed"`,
				`"code":"E102","severity":"error","title":"unknown key","detail":"unknown key \"wieght\"","instance":"w.yaml:5:50","suggestion":"did you mean \"weight\"?"`,
				`"code":"E101"`, `"code":"W332","severity":"warning"`,
			},
			"refused: errors: 2",
		},
		{"lost race", nil, `"rev-3"`, 412, []string{`the revision is \"rev-4\"`}, "rev-4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			g := running()
			g.problems = tt.problems
			url := startTCP(t, options(g, &log))
			status, header, body := ask(t, "POST", url+"/v1/config:reload", "If-Match: "+tt.ifMatch)
			if status != tt.status {
				t.Errorf("%d, want %d", status, tt.status)
			}
			for _, part := range tt.body {
				if !strings.Contains(body, part) {
					t.Errorf("want %s in %s", part, body)
				}
			}
			checkProblem(t, status, header, body)
			if !strings.Contains(log.String(), tt.log) || !strings.Contains(log.String(), "who=127.0.0.1:") {
				t.Errorf("want %s in the log %s", tt.log, &log)
			}
		})
	}
}

func TestDocumentDescribesWhatThereIs(t *testing.T) {
	url := startTCP(t, options(running(), io.Discard))
	_, header, body := ask(t, "GET", url+"/openapi.json")
	var doc struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/overview", "/v1/origins", "/v1/rules", "/v1/explain", "/v1/config:reload", "/v1/rollouts", "/v1/metrics/{cluster}/{origin}", "/v1/origins/{cell}/{cluster}/{name}", "/v1/cache/objects", "/v1/cache/object", "/v1/cache/stats", "/v1/cache/popular", "/v1/cache:purge", "/v1/cache:warm"} {
		if doc.Paths[path] == nil {
			t.Errorf("%s is missing", path)
		}
	}
	if len(doc.Paths) != 19 || !strings.HasPrefix(doc.OpenAPI, "3.1") || header.Get("Content-Type") != "application/openapi+json" {
		t.Errorf("openapi %s, %d paths, %s", doc.OpenAPI, len(doc.Paths), header.Get("Content-Type"))
	}
	if strings.Contains(body, "$schema") || !strings.Contains(body, "application/problem+json") {
		t.Error("bodies have $schema, or errors are no problem documents")
	}
}

func TestSocketNeedsNoToken(t *testing.T) {
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "admin.sock")
	o := options(running(), &log)
	o.Socket, o.Token = path, ""
	start(t, o)
	file, err := os.Stat(path)
	if err != nil || file.Mode().Perm() != 0o600 {
		t.Fatalf("socket %v, error %v; want mode 0600", file, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".admin*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}

	r, _ := http.NewRequest("POST", "http://admin/v1/config:reload", nil)
	status, _, body := do(t, &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", path)
	}}, r)
	if status != 200 || !strings.Contains(log.String(), `who="unix socket"`) {
		t.Errorf("%d %s, log %s", status, body, &log)
	}
}

func TestSocketThatIsLeftIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	o := options(running(), io.Discard)
	o.Socket = path

	dead, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(o); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a socket that answers: %v", err)
	}
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	dead.Close()
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestWhatCannotBeListenedOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, address, socket, token, want string }{
		{"no token", "127.0.0.1:0", "", "", "needs a token"},
		{"no address", "nowhere", "", secret, "nowhere"},
		{"a file", "127.0.0.1:0", file, secret, "no socket"},
		{"no folder", "", file + "/s", secret, file},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(running(), io.Discard)
			o.Address, o.Socket, o.Token = tt.address, tt.socket, tt.token
			if _, err := Listen(o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
	if text, _ := os.ReadFile(file); string(text) != "precious" {
		t.Errorf("the file holds %q", text)
	}
}

func TestOpenAddressIsWarnedOf(t *testing.T) {
	var log bytes.Buffer
	o := options(running(), &log)
	o.Address = "0.0.0.0:0"
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Close(t.Context())
	if !strings.Contains(log.String(), "without TLS") {
		t.Errorf("log: %s", &log)
	}
}

// stuck is a gateway that does not say how it is before its test ends.
type stuck struct {
	gatewayAt
	asked chan struct{} // closed when somebody asks
	end   <-chan struct{}
}

func (g *stuck) Status() Status {
	close(g.asked)
	<-g.end
	return Status{}
}

func TestCloseCutsOffAtTheDeadline(t *testing.T) {
	g := &stuck{asked: make(chan struct{}), end: t.Context().Done()}
	o := options(g, io.Discard)
	o.Address = "127.0.0.1:0"
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	c, err := net.Dial("tcp", s.Address().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-g.asked

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("close: %v, want the deadline: a request runs", err)
	}
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
	if answer, _ := io.ReadAll(c); len(answer) != 0 {
		t.Errorf("an answer came: %s", answer)
	}
}

func TestServerClosedBeforeItServesEndsAtOnce(t *testing.T) {
	o := options(running(), io.Discard)
	o.Address = "127.0.0.1:0"
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := s.Serve(); err != nil {
		t.Errorf("serve: %v", err)
	}
	if _, err := net.Dial("tcp", s.Address().String()); err == nil {
		t.Error("the port is still bound")
	}
}
