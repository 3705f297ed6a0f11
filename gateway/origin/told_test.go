package origin

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// X-41, D-WL-10: what of an answer's head counts as told.
func TestWhatAnswersTell(t *testing.T) {
	const (
		ok   = "HTTP/1.1 200 OK\r\n"
		list = "1!a.example!7001!7002"
	)
	long, longest := strings.Repeat("x", maxLabel+1), strings.Repeat("x", maxList)
	for _, tt := range []struct {
		name, answer string
		want         Told
	}{
		{"neither", ok + "\r\n", Told{}},
		{"both", ok + "X-Edition: 2.0\r\nX-WebLogic-Cluster-List: " + list + "\r\n\r\n", Told{"2.0", list}},
		{"in any case", ok + "x-eDITION: 2.0\r\nx-weblogic-CLUSTER-list: " + list + "\r\n\r\n", Told{"2.0", list}},
		{"blanks around it", ok + "X-Edition: \t 2.0 \t\r\n\r\n", Told{Edition: "2.0"}},
		{"blanks in it", ok + "X-Edition: 2 0\r\n\r\n", Told{Edition: "2 0"}},
		{"no blank", ok + "X-Edition:2.0\r\n\r\n", Told{Edition: "2.0"}},
		{"empty", ok + "X-Edition:\r\nX-WebLogic-Cluster-List: \r\n\r\n", Told{}},
		{"twice: the first", ok + "X-Edition: 2.0\r\nX-Edition: 3.0\r\n\r\n", Told{Edition: "2.0"}},
		{"twice, the first empty", ok + "X-Edition:\r\nX-Edition: 3.0\r\n\r\n", Told{}},
		{"control bytes", ok + "X-Edition: 2\x00.0\r\nX-WebLogic-Cluster-List: 1!a\x1b[2J!7001\r\n\r\n", Told{}},
		{"a bare line feed hides no field", ok + "X-Other: 1\nX-Edition: 2.0\r\n\r\n", Told{}},
		{"a bare line feed in it", ok + "X-Edition: 2.0\nX-Other: 1\r\n\r\n", Told{}},
		{"a folded line is no field", ok + "X-Other: 1\r\n X-Edition: 2.0\r\n\r\n", Told{}},
		{"a blank before the colon", ok + "X-Edition : 2.0\r\n\r\n", Told{}},
		{"a longer name", ok + "X-Edition-Next: 2.0\r\nAX-Edition: 2.0\r\n\r\n", Told{}},
		{"in the status line", "HTTP/1.1 200 X-Edition: 2.0\r\n\r\n", Told{}},
		{"in the content", ok + "Content-Length: 16\r\n\r\nX-Edition: 2.0\r\n", Told{}},
		{"the longest label", ok + "X-Edition: " + long[1:] + "\r\n\r\n", Told{Edition: long[1:]}},
		{"a longer one", ok + "X-Edition: " + long + "\r\n\r\n", Told{}},
		{"the longest list", ok + "X-WebLogic-Cluster-List: " + longest + "\r\n\r\n", Told{Cluster: longest}},
		{"a longer one", ok + "X-WebLogic-Cluster-List: " + longest + "x\r\n\r\n", Told{}},
		{"in an interim answer", "HTTP/1.1 103 Early Hints\r\nX-Edition: 2.0\r\n\r\n" + ok + "\r\n", Told{}},
		{"behind an interim answer", "HTTP/1.1 103 Early Hints\r\nX-Edition: 1.0\r\n\r\n" + ok + "X-Edition: 2.0\r\n\r\n", Told{Edition: "2.0"}},
		{"404 is good where nothing else is expected", "HTTP/1.1 404 Not Found\r\nX-Edition: 2.0\r\n\r\n", Told{Edition: "2.0"}},
		{"a bad answer", "HTTP/1.1 503 Service Unavailable\r\nX-Edition: 2.0\r\n\r\n", Told{}},
		{"half a head", ok + "X-Edition: 2.0\r\n", Told{}},
		{"no HTTP", "X-Edition: 2.0\r\n\r\n", Told{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) { p.head(); p.say(tt.answer) })
				defer end()
				c := p.Check(CheckOptions{Path: "/", Interval: time.Hour, Timeout: time.Second, ClusterInfo: true})
				defer c.Stop()
				time.Sleep(time.Minute)
				if got := p.Origin().Told(); got != tt.want {
					t.Errorf("told %.80q, want %.80q", got, tt.want)
				}
			})
		})
	}
}

// teller is an origin whose answers tell what it was given last, at each path.
type teller struct {
	fields [2]atomic.Value // of answers at /a and /b
	status atomic.Value
}

func newTeller() *teller {
	o := new(teller)
	o.tell("", "")
	o.status.Store("200 OK")
	return o
}

func (o *teller) tell(a, b string) {
	o.fields[0].Store(a)
	o.fields[1].Store(b)
}

func (o *teller) script(_ int, p *peer) {
	head, at := p.head(), 0
	if strings.HasPrefix(head, "GET /b ") {
		at = 1
	}
	p.say("HTTP/1.1 " + o.status.Load().(string) + "\r\n" + o.fields[at].Load().(string) + "\r\n")
}

// Who wants to know is told of news, and of nothing else.
func TestOnlyNewsIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newTeller()
		var told []Told
		p, end := inMemory(t, o.script, func(po *PoolOptions) {
			po.Origin.OnTold = func(o *Origin) { told = append(told, o.Told()) } // the lock is free
		})
		defer end()
		c := p.Check(CheckOptions{Path: "/a", Interval: time.Second, Timeout: time.Second})
		for _, step := range []struct {
			what, fields, status string
			want                 Told
			news                 bool
		}{
			{"nothing", "", "200 OK", Told{}, false},
			{"a label", "X-Edition: 1.0\r\n", "200 OK", Told{Edition: "1.0"}, true},
			{"the same", "X-Edition: 1.0\r\n", "200 OK", Told{Edition: "1.0"}, false},
			{"the same with other fields", "Date: today\r\nX-Edition:  1.0\r\n", "204 No Content", Told{Edition: "1.0"}, false},
			{"another in bad answers", "X-Edition: 2.0\r\n", "500 Oops", Told{Edition: "1.0"}, false},
			{"another", "X-Edition: 2.0\r\n", "200 OK", Told{Edition: "2.0"}, true},
			{"servers, which nobody asked for", "X-Edition: 2.0\r\nX-WebLogic-Cluster-List: 1!a!80\r\n", "200 OK", Told{Edition: "2.0"}, false},
			{"nothing any more", "", "200 OK", Told{}, true},
		} {
			told = nil
			o.status.Store(step.status)
			o.tell(step.fields, "")
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if got := p.Origin().Told(); got != step.want || step.news != (len(told) == 1) || len(told) > 1 {
				t.Errorf("%s: told %+v with news %+v", step.what, got, told)
			}
		}
		c.Stop()
		o.tell("X-Edition: 9\r\n", "")
		time.Sleep(10 * time.Second)
		if got := p.Origin().Told(); got != (Told{}) {
			t.Errorf("after its end the check has heard %+v", got)
		}
	})
}

// An answer without a list of servers takes none back.
func TestServersStayToldWithoutNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, news := newTeller(), 0
		p, end := inMemory(t, o.script, func(po *PoolOptions) { po.Origin.OnTold = func(*Origin) { news++ } })
		defer end()
		c := p.Check(CheckOptions{Path: "/a", Interval: time.Second, Timeout: time.Second, ClusterInfo: true})
		defer c.Stop()
		for _, step := range []struct{ fields, want string }{
			{"X-WebLogic-Cluster-List: 1!a!80\r\n", "1!a!80"},
			{"", "1!a!80"},
			{"X-WebLogic-Cluster-List:\r\n", "1!a!80"},
			{"X-WebLogic-Cluster-List: 2!b!80\r\n", "2!b!80"},
		} {
			o.tell(step.fields, "")
			time.Sleep(time.Minute)
			if got := p.Origin().Told().Cluster; got != step.want {
				t.Errorf("after %q told %q, want %q", step.fields, got, step.want)
			}
		}
		if news != 2 {
			t.Errorf("%d times news, want 2", news)
		}
	})
}

// Where two clusters ask one origin in two ways, neither takes back what the other
// has heard, and what was told at a path that is asked for no more is forgotten.
func TestChecksDoNotContradictEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, news := newTeller(), 0
		p, end := inMemory(t, o.script, func(po *PoolOptions) { po.Origin.OnTold = func(*Origin) { news++ } })
		defer end()
		o.tell("X-WebLogic-Cluster-List: 1!a!80\r\n", "X-Edition: 2.0\r\nX-WebLogic-Cluster-List: 9!z!80\r\n")
		ask := func(path string, servers bool) *Check {
			return p.Check(CheckOptions{Path: path, Interval: time.Second, Timeout: time.Second, ClusterInfo: servers})
		}
		want := func(when string, want Told) {
			t.Helper()
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := p.Origin().Told(); got != want {
				t.Errorf("%s: told %+v, want %+v", when, got, want)
			}
		}
		a, same, b := ask("/a", true), ask("/a", false), ask("/b", false)
		want("three checks", Told{"2.0", "1!a!80"})
		if news != 2 {
			t.Errorf("%d times news in a minute, want 2", news)
		}
		a.Stop()
		want("another one asks at that path", Told{"2.0", "1!a!80"})
		same.Stop()
		want("none does", Told{Edition: "2.0"})
		b.Stop()
		want("no check", Told{})
	})
}

// D-WL-10: who wants to know the servers asks for them.
func TestChecksAskForServers(t *testing.T) {
	for asks, want := range map[bool]string{true: "X-WebLogic-Request-ClusterInfo: true\r\n", false: ""} {
		synctest.Test(t, func(t *testing.T) {
			var heard atomic.Value
			p, end := inMemory(t, func(_ int, p *peer) { heard.Store(p.head()); p.say(okAnswer) })
			defer end()
			c := p.Check(CheckOptions{Path: "/up", Interval: time.Hour, Timeout: time.Second, ClusterInfo: asks})
			defer c.Stop()
			time.Sleep(time.Minute)
			want := "GET /up HTTP/1.1\r\nHost: a.example:80\r\nUser-Agent: weirkeep-check\r\nAccept: */*\r\n" + want + "Connection: close\r\n\r\n"
			if got := heard.Load(); got != want {
				t.Errorf("the origin heard %q, want %q", got, want)
			}
		})
	}
}

// That an origin is up is a guess until a health check has been answered well, at a
// path that is asked for still.
func TestUpIsAGuessUntilAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newTeller()
		p, end := inMemory(t, o.script)
		defer end()
		watch := func(path string) *Check {
			return p.Check(CheckOptions{Path: path, Interval: time.Second, Timeout: time.Second, DownAfter: 100})
		}
		want := func(when string, answers bool) {
			t.Helper()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if got := p.Origin().Answers(); got != answers || p.Origin().Health() != Up {
				t.Errorf("%s: answers %v and is %v, want %v and up", when, got, p.Origin().Health(), answers)
			}
		}
		want("no check", true)
		ping := p.Check(CheckOptions{Path: "/a", Interval: time.Second, Timeout: time.Second, WhileDown: true})
		defer ping.Stop()
		want("a ping, which does not ask", true)
		o.status.Store("500 Oops")
		a := watch("/b")
		want("bad answers", false)
		o.status.Store("200 OK")
		want("good answers", true)
		o.status.Store("500 Oops")
		want("bad ones again, too few", true)
		next := watch("/a")
		a.Stop()
		want("asked elsewhere", false)
		next.Stop()
		want("no health check", true)
	})
}
