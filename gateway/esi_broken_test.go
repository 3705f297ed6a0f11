package gateway

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weirkeep/gateway/esi"
)

// 25, R4: fragments that break off. What is short was not sent yet; of what is long the beginning was.
func TestPagesWhoseFragmentsBreakOff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 100<<10/16)
	for _, stored := range []string{"", stored60} {
		for _, tt := range []struct {
			name, page, body string
			status           int
			want             string // empty: it is broken off, or refused
		}{
			{"short, and the page goes on", `before <esi:include src="/f" onerror="continue"/> after`, "half", 200, "before  after"},
			{"short, and there is another", `before <esi:include src="/f" alt="/g"/> after`, "half", 200, "before G after"},
			{"short, and there is nothing", `before <esi:include src="/f"/> after`, "half", 200, ""},
			{"short, and nothing was sent", `<esi:include src="/f"/> after`, "half", 502, ""},
			{"short, in an attempt", `<esi:try><esi:attempt>a<esi:include src="/f"/></esi:attempt><esi:except>b</esi:except></esi:try>`, "half", 200, "b"},
			{"long, in an attempt", `<esi:try><esi:attempt>a<esi:include src="/f"/></esi:attempt><esi:except>b</esi:except></esi:try>`, long, 200, "b"},
			{"long", `before <esi:include src="/f" onerror="continue"/> after`, long, 200, ""},
		} {
			t.Run(tt.name+", "+stored, func(t *testing.T) {
				t.Parallel()
				k := newKiosk(t, "", map[string]served{"/page": {asTemplate, tt.page, ""}, "/f": {cutShort + stored, tt.body, ""}, "/g": {stored60, "G", ""}})
				for range 2 {
					raw := send(t, k.addr, "GET /page HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
					if tt.want != "" {
						wantBody(t, "the page", parseTold(t, "GET", raw), tt.want)
					} else if !strings.HasPrefix(raw, fmt.Sprintf("HTTP/1.1 %d ", tt.status)) || tt.status == 200 && (strings.HasSuffix(raw, "0\r\n\r\n") || strings.Contains(raw, "after")) {
						t.Errorf("%q ... %q", raw[:20], raw[len(raw)-20:])
					}
				}
				untilIdle(t, k.g)
				if n := k.g.fetching.Load(); n != 0 {
					t.Errorf("%d fragments are under way", n)
				}
			})
		}
	}
}

// A template that breaks off is no page, whatever of it had come.
func TestTemplatesThatBreakOff(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{asTemplate, unstoredTemplate} {
		k := newKiosk(t, "", map[string]served{"/page": {cutShort + fields, `a<esi:include src="/f"/>b`, ""}, "/f": {stored60, "F", ""}})
		for range 2 {
			if got := k.get(t, "/page"); got.status != 502 || strings.Contains(got.body, "F") {
				t.Errorf("%d %q", got.status, got.body)
			}
		}
		if n := k.count("/f"); n != 0 {
			t.Errorf("its fragment was asked for %d times", n)
		}
	}
}

// 38: a page of a failed page is sent as it is, markup and all; if that is not to be had either, the refusal is plain.
func TestFailedPagesOfFailedPages(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "network.html")
	const text = `sorry <esi:include src="/gone"/>`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	k := newKiosk(t, "", map[string]served{"/page": {asTemplate, `<esi:include src="/gone" alt="/gone2"/>`, ""}})
	k.configure(t, "sites: { w: { hosts: [\"**\"], pages: { network: "+file+" } } }\nmappings: [{ site: w, cluster: a }]")
	for range 2 {
		if got := k.get(t, "/page"); got.status != 502 || got.body != text {
			t.Errorf("%d %q", got.status, got.body)
		}
	}
	if n := k.counts().Broken.Load(); n != 2 {
		t.Errorf("%d are counted, want 2", n)
	}
}

// 31, D7: a client that goes while its page is made takes all that is for it alone along. It runs alone: it
// counts all goroutines there are.
func TestClientsThatLeavePages(t *testing.T) {
	var before goleak.Option
	for round := range 2 { // the first starts what libraries start once
		if round == 1 {
			before = goleak.IgnoreCurrent()
		}
		k := newKiosk(t, "", map[string]served{
			"/page":   {asTemplate, `ready<esi:include src="/hold/1" no-store="on"/><esi:include src="/nested"/><esi:include src="/3"/>`, ""},
			"/nested": {unstoredTemplate, `<esi:include src="/hold/2"/>`, ""}, "/3": {"", "3", ""}, "/hold/1": {"", "1", ""}, "/hold/2": {stored60, "2", ""},
		})
		var clients []net.Conn
		for range 3 {
			c := dialTo(t, k.addr)
			c.SetDeadline(time.Now().Add(30 * time.Second))
			io.WriteString(c, "GET /page HTTP/1.1\r\nHost: shop.example\r\n\r\n")
			readUntil(t, c, "ready")
			clients = append(clients, c)
		}
		until(t, "fragments are asked for", func() bool { return k.held.Load() >= 4 }) // /hold/2 is fetched once
		for _, c := range clients {
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
		until(t, "no fragment is under way", func() bool { return k.g.fetching.Load() == 0 })
		until(t, "nobody has the configuration but the gateway", func() bool { return k.g.current.Load().users.Load() <= 2 }) // what is stored goes on
		close(k.letGo)
		untilIdle(t, k.g)
		until(t, "nobody has it at all", func() bool { return k.g.current.Load().users.Load() == 1 })
		if n := k.failures(esi.TimedOut) + k.counts().Pages.Load(); n != 0 {
			t.Errorf("%d are counted as pages, or as fragments that were late", n)
		}
		k.g.Close()
		k.cut()
	}
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction(sweeper), goleak.IgnoreAnyFunction("weirkeep/gateway.rawOriginAt.func2"))
}

// D7: a client that goes in the midst of a long fragment takes that along, if it is for nobody else.
func TestClientsThatLeaveLongFragments(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 1900<<10/16)
	for _, fields := range []string{"Cache-Control: no-store\r\n", stored60, "Cache-Control: no-store\r\nContent-Encoding: x-none\r\n"} {
		k := newKiosk(t, "", map[string]served{
			"/page": {asTemplate, `ready` + strings.Repeat(`<esi:include src="/long" no-store="on" onerror="continue"/><esi:include src="/long?2" onerror="continue"/>`, 8), ""}, "/long": {fields, long, ""},
		})
		for range 4 {
			c := dialTo(t, k.addr)
			c.SetReadBuffer(4 << 10)
			c.SetDeadline(time.Now().Add(30 * time.Second))
			io.WriteString(c, "GET /page HTTP/1.1\r\nHost: shop.example\r\n\r\n")
			readUntil(t, c, "ready")
			c.SetLinger(0)
			c.Close()
		}
		untilIdle(t, k.g)
		until(t, "all of it is let go", func() bool { return k.g.fetching.Load() == 0 && k.g.current.Load().users.Load() == 1 })
		if st := k.g.cache.Stats(); st.Filling != 0 || st.Flights != 0 {
			t.Errorf("%q: %+v", fields, st)
		}
	}
}
