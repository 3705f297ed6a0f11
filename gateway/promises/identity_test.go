package promises

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway"
)

// identityNames say who asks, or for what: only a trusted proxy may.
var identityNames = []string{
	"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Prefix", "X-Forwarded-Ssl",
	"X-Forwarded-Client-Cert", "X-Forwarded-User", "X-Forwarded", "Forwarded", "X-Real-IP", "X-Client-IP", "Client-IP", "True-Client-IP", "CF-Connecting-IP",
	"Fastly-Client-IP", "X-Cluster-Client-IP", "X-Original-Forwarded-For", "X-Originating-IP", "X-Remote-IP", "X-Remote-Addr", "X-Envoy-External-Address",
	"X-Original-URL", "X-Rewrite-URL", "X-Original-Host", "X-Host", "X-HTTP-Host-Override", "Client-Cert", "Client-Cert-Chain",
}

// hopNames end at the gateway, in both directions.
var hopNames = []string{
	"Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info", "Upgrade", "HTTP2-Settings", "X-Listed", "Listed",
}

// recased writes a name in another case, now and then with underscores.
func recased(r *rand.Rand, name string) string {
	b := []byte(name)
	for i := range b {
		switch {
		case b[i] == '-' && r.IntN(8) == 0:
			b[i] = '_'
		case r.IntN(2) == 0:
			b[i] = strings.ToUpper(name)[i]
		default:
			b[i] = strings.ToLower(name)[i]
		}
	}
	return string(b)
}

// hostileFields is a header block with marked values of names that must not be
// passed on, at random places among honest ones.
func hostileFields(r *rand.Rand, names []string, mark string) string {
	lines := []string{"Accept: */*\r\n", "Cookie: honest=1\r\n"}
	var listed []string
	for _, i := range r.Perm(len(names))[:1+r.IntN(6)] {
		name := names[i]
		written := recased(r, name)
		if strings.HasSuffix(name, "Listed") {
			written = strings.ReplaceAll(written, "_", "-")
			listed = append(listed, recased(r, name))
		}
		lines = append(lines, written+": "+mark+"\r\n")
		if name != "Upgrade" && r.IntN(4) == 0 { // Upgrade may stand once only
			lines = append(lines, recased(r, strings.ReplaceAll(written, "_", "-"))+": "+mark+"\r\n")
		}
	}
	for _, name := range listed {
		lines = append(lines, "Connection: "+strings.ReplaceAll(name, "_", "-")+"\r\n")
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(lines, "")
}

// recordingOrigin answers requests with fields and shows what it got, byte for byte.
func recordingOrigin(t *testing.T, fields func() string, got func(raw string)) *origin {
	return startOrigin(t, func(c *net.TCPConn) {
		var raw bytes.Buffer
		in := bufio.NewReader(io.TeeReader(c, &raw))
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			got(raw.String())
			raw.Reset()
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\n%sContent-Length: 2\r\n\r\nok", fields())
		}
	})
}

// G19: whatever names, cases, places and repetitions a client tries, no field
// that says who asks and none that ends at the gateway reaches an origin.
func TestNoHostileFieldReachesAnOrigin(t *testing.T) {
	watchLeaks(t)
	var got atomic.Value // string: the last request, as the origin got it
	o := recordingOrigin(t, func() string { return "" }, func(raw string) { got.Store(raw) })
	addr, _ := start(t, configure(o.addr, "", ""), gateway.Options{})
	c := dial(t, addr)
	r := rand.New(rand.NewPCG(1, 19))
	names := slices.Concat(identityNames, hopNames)
	passed := 0
	for range either(4000, 100_000) {
		fields := hostileFields(r, names, "10.6.6.6")
		request := "GET / HTTP/1.1\r\nHost: a.example\r\n" + fields + "\r\n"
		if r.IntN(4) == 0 {
			trailer := strings.ReplaceAll(recased(r, identityNames[r.IntN(len(identityNames))]), "_", "-")
			request = "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n" + fields + "\r\n1\r\na\r\n0\r\n" + trailer + ": 10.6.6.6\r\n\r\n"
		}
		got.Store("")
		answer, err := ask(c, request)
		if err != nil || answer.Close {
			c.Close()
			c = dial(t, addr)
		}
		last := got.Load().(string)
		if last == "" {
			continue // refused: that is safe too
		}
		passed++
		if strings.Contains(last, "10.6.6.6") {
			t.Fatalf("of %q\nthe origin got %q", request, last)
		}
		if !strings.Contains(last, "Cookie: honest=1\r\n") || !strings.Contains(last, "\r\nX-Forwarded-For: 127.0.0.1\r\n") {
			t.Fatalf("of %q\nthe origin got %q, without an honest field or the gateway's own", request, last)
		}
	}
	t.Logf("%d requests reached the origin", passed)
	if passed < either(2000, 50_000) {
		t.Errorf("only %d requests reached the origin", passed)
	}
}

// G19: a trusted proxy is believed.
func TestIdentityOfTrustedPeersIsPassedOn(t *testing.T) {
	watchLeaks(t)
	var got atomic.Value // string: the last request, as the origin got it
	o := recordingOrigin(t, func() string { return "" }, func(raw string) { got.Store(raw) })
	addr, _ := start(t, configure(o.addr, "", `trusted_proxies: ["127.0.0.1"]`), gateway.Options{})
	c := dial(t, addr)
	for _, name := range identityNames {
		if _, err := ask(c, "GET / HTTP/1.1\r\nHost: a.example\r\n"+name+": 10.6.6.6\r\n\r\n"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		last := got.Load().(string)
		if n := strings.Count(last, "10.6.6.6"); n != 1 {
			t.Errorf("%s of a trusted proxy stands %d times in %q, want once", name, n, last)
		}
	}
}

// G19: no field of an origin's answer that ends at the gateway reaches a client.
func TestNoHopFieldReachesAClient(t *testing.T) {
	watchLeaks(t)
	r := rand.New(rand.NewPCG(2, 19))
	names := slices.DeleteFunc(slices.Clone(hopNames), func(n string) bool { return n == "Proxy-Authenticate" || n == "Proxy-Authentication-Info" })
	var sent string
	o := recordingOrigin(t, func() string {
		sent = strings.ReplaceAll(hostileFields(r, names, "leak"), "_", "-")
		return sent
	}, func(string) {})
	addr, _ := start(t, configure(o.addr, "", ""), gateway.Options{})
	c := dial(t, addr)
	c.SetDeadline(time.Now().Add(10 * time.Minute))
	for range either(2000, 100_000) {
		answer, err := ask(c, getX)
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("an origin's %q was answered %v, %v", sent, answer, err)
		}
		for name, values := range answer.Header {
			if slices.Contains(values, "leak") {
				t.Fatalf("%s reached the client: %v", name, answer.Header)
			}
		}
	}
}
