package gateway

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// splitShop is a cluster whose router sends ?arg= before n to server1, others to
// server2, in front of a store that does not look at the query.
func splitShop(t *testing.T, plugin, more string) (addr string, hs homes) {
	t.Helper()
	hs = newHomes(t, "server1", "server2", "server3")
	for _, h := range hs {
		h.script = func(string) (string, string) { return "Cache-Control: max-age=60\r\n", "of " + h.name }
	}
	const patient = ", limits: { instances: 16, wait: 1s }" // who finds none is balanced
	text := routerText(hs, "../sdk/c/examples/router", plugin+patient, "") + "\ncache: { enabled: true, " + more + "key: { query: none } }\n"
	addr, _ = start(t, text, hs.options())
	return addr, hs
}

// what a router chooses for one tenant is never shown to another, however many ask
// at once; who abstains is a third.
func TestStoredAnswersAreOfTheRoutersChoice(t *testing.T) {
	addr, hs := splitShop(t, "", "")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				arg, want := "a", "of server1"
				if (i+n)%2 == 1 {
					arg, want = "z", "of server2"
				}
				got := send(t, addr, "GET /foo?arg="+arg+" HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
				if !strings.HasSuffix(got, want) {
					t.Errorf("arg=%s: %s", arg, got)
					return
				}
			}
		})
	}
	all.Wait()
	if n := hs.count(); n != 2 {
		t.Errorf("the origins were asked %d times, want twice: once for each choice", n)
	}
	if got := send(t, addr, "GET /bar?arg=a HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "uri-miss") {
		t.Error(got)
	}
}

// Of a router that says cache: shared, the first choice is for all; of one that says pass, nothing
// is stored.
func TestRoutersSayWhatIsStored(t *testing.T) {
	for _, tt := range []struct {
		plugin string
		want   []string // bodies of a, z, a
		asked  int64
	}{
		{", cache: shared", []string{"of server1", "of server1", "of server1"}, 1},
		{", cache: pass", []string{"of server1", "of server2", "of server1"}, 3},
		{", cache: per-choice", []string{"of server1", "of server2", "of server1"}, 2},
	} {
		t.Run(tt.plugin[2:], func(t *testing.T) {
			addr, hs := splitShop(t, tt.plugin, "")
			for i, arg := range []string{"a", "z", "a"} {
				got := send(t, addr, fmt.Sprintf("GET /foo?arg=%s HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n", arg))
				if !strings.HasSuffix(got, tt.want[i]) {
					t.Errorf("request %d: %s, want %s", i, got, tt.want[i])
				}
			}
			if n := hs.count(); n != tt.asked {
				t.Errorf("the origins were asked %d times, want %d", n, tt.asked)
			}
		})
	}
}

// TestChoiceOfAnotherRequest is no part of a key: what answers a POST, and would be stored for GET,
// is not given to those for whom the router chooses another origin.
func TestChoiceOfAnotherRequest(t *testing.T) {
	addr, hs := splitShop(t, "", "post_location: true, ")
	for _, h := range hs {
		h.script = func(string) (string, string) {
			return "Cache-Control: max-age=60\r\nContent-Location: /foo?arg=z\r\n", "of " + h.name
		}
	}
	for range 10 {
		for _, request := range []string{"GET /foo?arg=a", "POST /foo?arg=z", "GET /foo?arg=a"} {
			want := map[byte]string{'a': "of server1", 'z': "of server2"}[request[len(request)-1]]
			got := send(t, addr, request+" HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			if !strings.HasSuffix(got, want) {
				t.Fatalf("%s: %s, want %s", request, got, want)
			}
		}
	}
}
