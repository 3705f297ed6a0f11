package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// reportSticky is a configuration of several origins with a session.
func reportSticky(hs homes, cluster, session string) string {
	return strings.Replace(hs.boundText(cluster, session, ""), "access_log: { format: off }\n", "access_log: { path: stderr }\n", 1)
}

// A session whose origin has gone is answered by another one, and from then on
// by that: no client is sent to where nobody answers, and none has to delete a
// cookie.
func TestReportSessionsOfOriginsThatAreGone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		goes func(t *testing.T, g *Gateway, hs homes)
	}{
		{"SS-02: scaled from 5 to 3", func(t *testing.T, g *Gateway, hs homes) { apply(t, g, reportSticky(hs[:3], "", byCookie)) }},
		{"SS-02: there, and down", func(_ *testing.T, _ *Gateway, hs homes) { hs[4].kill() }},
		{"SS-02: disabled", func(t *testing.T, g *Gateway, hs homes) {
			hs[4].settings = ", state: disabled"
			apply(t, g, reportSticky(hs, "", byCookie))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c", "d", "e")
			hs.say(atCookie)
			o := hs.options()
			o.Stderr = new(reportLog)
			addr, g := start(t, reportSticky(hs, "", byCookie), o)
			cookie := enterAt(t, addr, "e")
			tt.goes(t, g, hs)
			a := visit(t, addr, "/", cookie)
			if a.status != 200 || a.origin() == "e" {
				t.Fatalf("the old cookie: %d from %q, want an answer of another one", a.status, a.origin())
			}
			stays(t, addr, cookie, a.origin())
		})
	}
}

// After a failed attempt a session is bound to who really answered.
func TestReportSessionsBegunByARetry(t *testing.T) {
	t.Parallel()
	t.Run("SS-03: 20 fresh clients, the first origin refuses", func(t *testing.T) {
		t.Parallel()
		hs := newHomes(t, "a", "b")
		hs.say(atCookie)
		hs[0].kill()
		o := hs.options()
		o.Stderr = new(reportLog)
		addr, g := start(t, reportSticky(hs, ", retry: { retries: 2 }, failover: { connect_failures: same, threshold: 1000 }", byCookie), o)
		for n := range 20 {
			if home := enter(t, addr, fmt.Sprint("fresh", n)); home != "b" {
				t.Fatalf("client %d was answered by %q", n, home)
			}
		}
		if o := statusOf(t, g, "a"); o.Attempts < 10 || o.Sessions != 0 {
			t.Errorf("%d attempts and %d sessions at the one that refuses, want at least 10 and none", o.Attempts, o.Sessions)
		}
		hs[0].down.Store(false)
		for n := range 20 {
			if a := visit(t, addr, "/", fmt.Sprint("SID=fresh", n)); a.origin() != "b" {
				t.Errorf("client %d goes to %q, want where it was answered", n, a.origin())
			}
		}
	})
}

// When the application renames its cookie, a counter tells that the one which is
// looked for never comes, and the next configuration binds.
func TestReportRenamedSessionCookie(t *testing.T) {
	t.Parallel()
	t.Run("SS-09: JSESSIONID is bound, APPSESSION comes", func(t *testing.T) {
		t.Parallel()
		hs := newHomes(t, "a", "b")
		hs.say(func(head string) (string, string) {
			if requestTarget(head) == "/in" {
				return "Set-Cookie: APPSESSION=id!srv1; Path=/\r\n", ""
			}
			return "", head
		})
		o := hs.options()
		o.Stderr = new(reportLog)
		addr, g := start(t, reportSticky(hs, "", "cookie: JSESSIONID"), o)
		visit(t, addr, "/in", "")
		balanced(t, addr, "APPSESSION=id!srv1", 2)
		if s := sessionCounts(g, "s"); s.None.Load() != 5 || s.Learned.Load()+s.Bound.Load()+s.Unknown.Load() != 0 {
			t.Errorf("%d requests without the cookie, %d learned, %d bound; want 5 and nothing else", s.None.Load(), s.Learned.Load(), s.Bound.Load())
		}
		apply(t, g, reportSticky(hs, "", "cookie: APPSESSION"))
		home := visit(t, addr, "/in", "").origin()
		stays(t, addr, "APPSESSION=id!srv1", home)
		if s := sessionCounts(g, "s"); s.Bound.Load() != 6 || s.Learned.Load() != 1 {
			t.Errorf("%d bound, %d learned; want 6 and 1", s.Bound.Load(), s.Learned.Load())
		}
	})
}
