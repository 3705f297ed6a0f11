package gateway

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/rollout"
)

// serversTest is a gateway in front of WebLogic servers, of which the first are
// written in its configuration. What each tells can be changed.
type serversTest struct {
	homes
	t     *testing.T
	addr  string
	g     *Gateway
	state string
	lists map[string]*atomic.Value // by the server's name
}

func newServers(t *testing.T, names ...string) *serversTest {
	s := &serversTest{homes: newHomes(t, names...), t: t, state: t.TempDir(), lists: make(map[string]*atomic.Value)}
	for _, h := range s.homes {
		list := new(atomic.Value)
		list.Store("")
		s.lists[h.name] = list
		h.script = func(head string) (fields, body string) {
			if list := list.Load().(string); list != "" && strings.Contains(head, "\r\nX-WebLogic-Request-ClusterInfo: true\r\n") {
				fields = "X-WebLogic-Cluster-List: " + list + "\r\n"
			}
			return fields, head
		}
	}
	return s
}

// startServers starts a gateway that has a and b in its configuration, and c not.
func startServers(t *testing.T) *serversTest {
	s := newServers(t, "a", "b", "c")
	s.start()
	return s
}

func (s *serversTest) start() { s.addr, s.g = start(s.t, s.text("true", ""), s.options()) }

// text is a configuration that goes by what servers tell, or not; more is added to it.
func (s *serversTest) text(dynamic, more string) string {
	return plainListener + fmt.Sprintf(`
node: { state_dir: %q }
clusters:
  shop:
    origins: %s
    edition: { application: shop, label: "1.0" }
    health: { path: /up, interval: 100ms, timeout: 5s, down_after: 1, up_after: 2 }
    weblogic: { dynamic_server_list: %s }
sessions: { wls: { cookie: JSESSIONID, url_param: jsessionid, binding: passive, extract: { format: weblogic } } }
applications: { shop: { clusters: [shop] } }
sites: { w: { hosts: ["**"], session: wls } }
mappings: [{ site: w, applications: [shop] }]
%s
`, s.state, s.homes[:2].text(), dynamic, more)
}

// id is what session ids call a server.
func (s *serversTest) id(name string) string { return wlsIDs[name[0]-'a'] }

// list is what servers tell.
func (s *serversTest) list(names ...string) string {
	var list []string
	for _, name := range names {
		host, port, _ := strings.Cut(s.named(s.t, name).addr, ":")
		list = append(list, s.id(name)+"!"+host+"!"+port+"!-1")
	}
	return strings.Join(list, "|")
}

// tells makes some servers tell a list.
func (s *serversTest) tells(list string, names ...string) {
	for _, name := range names {
		s.lists[name].Store(list)
	}
}

// origins are those of the status, by their servers: "a, b draining, c down".
func (s *serversTest) origins() string {
	var list []string
	for _, o := range s.g.Status().Origins {
		for _, h := range s.homes {
			if h.addr == o.Address {
				text := h.name
				if o.State != "serving" {
					text += " " + o.State
				}
				if !o.Up {
					text += " " + o.Health
				}
				list = append(list, text)
			}
		}
	}
	return strings.Join(list, ", ")
}

// want waits until the origins are so.
func (s *serversTest) want(what, origins string) {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); s.origins() != origins; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%s: the origins are %q, want %q", what, s.origins(), origins)
		}
	}
}

// awaitChecks waits until some servers have been checked twice more, and so what they
// told in the first of those has been heard.
func (s *serversTest) awaitChecks(names ...string) {
	s.t.Helper()
	for _, name := range names {
		h := s.named(s.t, name)
		before := h.heads.Load()
		until(s.t, name+" is checked", func() bool { return h.heads.Load() >= before+3 })
	}
}

// newcomers are the servers that requests without a session get, in order.
func (s *serversTest) newcomers() string {
	s.t.Helper()
	seen := ""
	for _, name := range answerers(s.t, s.addr, "/", 12) {
		if !strings.ContainsRune(seen, name) {
			seen += string(name)
		}
	}
	return seen
}

// session wants the answers to a session of one server to come from another, or itself.
func (s *serversTest) session(of, want string) {
	s.t.Helper()
	for range 4 {
		if got := by(s.t, s.addr, wlsID(s.id(of))); got != want {
			s.t.Errorf("a session of %s is answered by %q, want %s", of, got, want)
		}
	}
}

// D-WL-10: a server that nobody has written gets requests, and the sessions that
// name it; status and explain show it.
func TestServerListAddsOrigins(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	if got := s.newcomers(); got != "ab" {
		t.Fatalf("before anything is told answered by %q", got)
	}
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.want("a list with one more", "a, b, c")
	if got := s.newcomers(); len(got) != 3 {
		t.Errorf("answered by %q, want all three", got)
	}
	for _, name := range []string{"a", "b", "c"} { // none has ids in the configuration
		s.session(name, name)
	}
	c := statusOf(t, s.g, s.named(t, "c").addr)
	if c.Cluster != "shop" || c.Capacity != 1000 || !c.Checked {
		t.Errorf("status: %+v", c)
	}
	e, err := s.g.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\nCookie: JSESSIONID=" + wlsID(s.id("c")) + "\r\n\r\n")})
	if err != nil || !strings.Contains(fmt.Sprintf("%+v", *e), c.Name) {
		t.Errorf("explain: %v, and no %s in %+v", err, c.Name, e)
	}
	s.awaitChecks("c") // is asked as well
}

// D-WL-10: an origin that is listed no more takes no new sessions.
func TestServerNoLongerListedDrains(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.want("all", "a, b, c")
	s.tells(s.list("a", "c"), "a", "b", "c")
	s.want("b is listed no more", "a, b draining, c")
	if got := s.newcomers(); len(got) != 2 || strings.Contains(got, "b") {
		t.Errorf("answered by %q, want a and c", got)
	}
	s.session("b", "b")
	s.tells(s.list("a", "b"), "a", "b", "c")
	s.want("b is back, c is listed no more", "a, b, c draining")
	if got := s.newcomers(); len(got) != 2 || strings.Contains(got, "c") {
		t.Errorf("answered by %q, want a and b", got)
	}
	s.session("c", "c")
	s.named(t, "c").kill()
	s.want("c has ended", "a, b")
}

// D-WL-10: who is cut off from the others tells of itself alone; while others are up,
// that empties no list. Who tells nothing any more stays with what it has told, and
// when nobody who tells is up, what was told last holds.
func TestServerCutOff(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.want("all", "a, b, c")
	s.tells(s.list("b"), "b")
	s.awaitChecks("a", "b", "c")
	s.want("b is cut off", "a, b, c")
	s.tells("", "a", "b", "c")
	s.awaitChecks("a", "b", "c")
	s.want("nobody tells anything", "a, b, c")
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.awaitChecks("a", "b", "c")
	for _, h := range s.homes {
		h.kill()
	}
	s.want("all are down", "a down, b down, c down")
	s.named(t, "c").down.Store(false)
	s.want("the one that was told of is back", "a down, b down, c")
	if got := s.newcomers(); got != "c" {
		t.Errorf("answered by %q, want c", got)
	}
	s.tells(s.list("c"), "c")
	s.want("the others are listed no more", "a draining down, b draining down, c")
}

// What a server tells while it is out counts when it is up.
func TestServerTellsBeforeItIsUp(t *testing.T) {
	t.Parallel()
	s := newServers(t, "a", "b", "c")
	s.homes[0].down.Store(true)
	s.homes[1].down.Store(true)
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.start()
	s.want("both are down", "a down, b down")
	s.homes[1].down.Store(false)
	s.want("one is up", "a down, b, c")
}

// Lists that are none, or of servers that have no port for the cluster, change nothing.
func TestJunkListsChangeNothing(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.want("all", "a, b, c")
	for _, junk := range []string{"junk", "!!!|!!!", "1!a b!7001!7002", "1!10.0.0.1!-1!7002", strings.Repeat("x", 65<<10)} {
		s.tells(junk, "a", "b", "c")
		s.awaitChecks("a", "b", "c")
		if got := s.origins(); got != "a, b, c" {
			t.Errorf("after the list %.20q the origins are %q", junk, got)
		}
	}
	s.session("c", "c")
}

// A reload keeps what was told, unless it says that nobody is to go by it.
func TestReloadKeepsServers(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.want("all", "a, b, c")
	for _, text := range []string{
		s.text("true", "limits: { header_bytes: 32KiB }"),
		strings.Replace(s.text("true", ""), "interval: 100ms", "interval: 101ms", 1),
		strings.Replace(s.text("true", ""), "path: /up", "path: /well", 1),
	} {
		apply(t, s.g, text)
		if got := s.origins(); got != "a, b, c" {
			t.Errorf("after a reload the origins are %q", got)
		}
		s.session("c", "c")
		s.awaitChecks("a", "b", "c")
		if got := s.origins(); got != "a, b, c" {
			t.Errorf("a while after a reload the origins are %q", got)
		}
	}
	if p := s.g.Apply(load(t, strings.Replace(s.text("true", ""), "127.0.0.1:0", s.homes[0].addr, 1))); p.Errors() == 0 {
		t.Fatal("the address is in use")
	}
	if got := s.origins(); got != "a, b, c" {
		t.Errorf("after a reload that was refused the origins are %q", got)
	}
	apply(t, s.g, s.text("false", ""))
	if got := s.origins(); got != "a, b" {
		t.Errorf("where nobody goes by lists the origins are %q", got)
	}
	s.awaitChecks("a", "b")
	if got := s.origins() + ": " + s.newcomers(); got != "a, b: ab" && got != "a, b: ba" {
		t.Errorf("a while later the origins are %q", got)
	}
	apply(t, s.g, s.text("true", ""))
	s.want("again they do", "a, b, c")
}

// An operator's word holds over what servers tell, and servers keep their other
// settings.
func TestServerListAndOperator(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	s.homes[0].settings, s.homes[1].settings = ", state: disabled, capacity: 9", ", capacity: 9"
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	apply(t, s.g, s.text("true", ""))
	s.want("a is disabled", "a disabled, b, c")
	if c := statusOf(t, s.g, s.named(t, "c").addr); c.Capacity != 9 {
		t.Errorf("what nobody has written is as of the first origin: %+v", c)
	}
	s.tells(s.list("b", "c"), "a", "b", "c")
	s.awaitChecks("b", "c")
	s.want("a is not listed", "a disabled, b, c")
}

// D-WL-10: where origins speak TLS, so do those that are told of, at their port for it.
func TestServerListOfSecureOrigins(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	p := authority.issue(t, "127.0.0.1")
	a, c := newSecureTeller(t, "a", p), newSecureTeller(t, "c", p)
	_, portA, _ := strings.Cut(a.addr, ":")
	_, portC, _ := strings.Cut(c.addr, ":")
	a.fields = fmt.Sprintf("X-WebLogic-Cluster-List: 1!127.0.0.1!7001!%s|2!127.0.0.1!7001!%s\r\n", portA, portC)
	c.fields = a.fields
	addr, g := start(t, plainListener+fmt.Sprintf(`
clusters:
  shop:
    origins: [{ name: a, address: "https://%s" }]
    tls: { ca: %q }
    health: { path: /up, interval: 100ms, timeout: 5s }
    weblogic: { dynamic_server_list: true }
`, a.addr, authority.file), Options{})
	until(t, "c is told of", func() bool { return len(g.Status().Origins) == 2 })
	seen := answerers(t, addr, "/", 8)
	if !strings.Contains(seen, "a") || !strings.Contains(seen, "c") {
		t.Errorf("answered by %q, want both", seen)
	}
	if o := statusOf(t, g, c.addr); !o.Up || o.Failures != 0 {
		t.Errorf("%+v", o)
	}
}

// Who asks for lists and not for health is told so.
func TestServerListsNeedHealth(t *testing.T) {
	t.Parallel()
	s := newServers(t, "a", "b")
	text := s.text("true", "")
	from := strings.Index(text, "    health:")
	text = text[:from] + text[from+strings.Index(text[from:], "\n")+1:]
	if _, problems := config.Parse("w.yaml", []byte(text)); !strings.Contains(problems.Error(), "needs health checks") {
		t.Errorf("%v", problems)
	}
}

// rolling is the configuration with editions.
func (s *serversTest) rolling() string {
	return s.text("true", `editions: { shop: { active: "1.0", next: "2.0", rollout: { drain: 0s } } }`)
}

// stages are those of the roll-out, by the server's name.
func (s *serversTest) stages() string {
	var list []string
	for _, r := range s.g.Rollouts() {
		for _, o := range r.Origins {
			name := o.Name
			for _, h := range s.homes {
				if h.addr == name {
					name = h.name
				}
			}
			list = append(list, name+" "+string(o.Stage))
		}
	}
	return strings.Join(list, ", ")
}

func (s *serversTest) wantStages(what, stages string) {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); s.stages() != stages; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%s: the roll-out is %q, want %q", what, s.stages(), stages)
		}
		s.g.step()
	}
}

// X-41, D-WL-10: what servers tell of is rolled out with the rest, stays so under
// reloads and after a restart, and is waited for no more when it has gone.
func TestRolloutOfServersThatAreToldOf(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	apply(t, s.g, s.rolling())
	s.tells(s.list("a", "b"), "a", "b", "c")
	s.awaitChecks("a", "b")
	if _, err := s.g.StartRollout("shop", ""); err != nil {
		t.Fatal(err)
	}
	s.wantStages("begun", "a waiting-for-ready, b pending")
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.wantStages("c is told of", "a waiting-for-ready, b pending, c pending")
	apply(t, s.g, s.rolling())
	if got := s.stages(); got != "a waiting-for-ready, b pending, c pending" {
		t.Errorf("after a reload the roll-out is %q", got)
	}
	for _, name := range []string{"a", "b"} {
		if _, err := s.g.ConfirmRollout("shop", name); err != nil {
			t.Fatal(err)
		}
		s.wantStages("confirmed", map[string]string{"a": "a done, b waiting-for-ready, c pending", "b": "a done, b done, c waiting-for-ready"}[name])
	}

	s.tells("", "a", "b", "c") // for a while nobody tells the new gateway anything
	s.g.Close()
	s.addr, s.g = start(t, s.rolling(), s.options())
	s.awaitChecks("a", "b")
	s.wantStages("after a restart", "a done, b done, c waiting-for-ready")
	s.tells(s.list("a", "b", "c"), "a", "b", "c")
	s.want("c is told of again, and being renewed", "a, b, c disabled")
	s.wantStages("it is waited for", "a done, b done, c waiting-for-ready")
	s.tells(s.list("a", "b"), "a", "b")
	s.named(t, "c").kill()
	s.wantStages("c is gone", "a done, b done")
	until(t, "the roll-out is over", func() bool { s.g.step(); return s.g.Rollouts()[0].Phase == rollout.Finished })
}
