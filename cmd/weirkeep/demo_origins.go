package main

import (
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// demoOrigins are the origins of the demo, by the name that their answers carry.
var demoOrigins = []struct {
	name    string
	answers http.HandlerFunc
}{
	{"fast", answer("fast", http.StatusOK)},
	{"slow", after(300*time.Millisecond, answer("slow", http.StatusOK))},
	{"flaky", oneIn(20, answer("flaky", http.StatusServiceUnavailable), answer("flaky", http.StatusOK))},
}

// demoTemplate is a page of two fragments: one that is stored, and one that is not.
const demoTemplate = `<h1>A page made of fragments</h1>
<esi:include src="/img/banner" onerror="continue"/>
<esi:include src="/shop/greeting" onerror="continue"/>
`

// answer names the origin, in X-Origin and in the body. /page is a template.
func answer(name string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Origin", name)
		if r.URL.Path == "/page" && status == http.StatusOK {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Surrogate-Control", `max-age=60, content="ESI/1.0"`)
			fmt.Fprint(w, demoTemplate)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		fmt.Fprintf(w, "%s %s: %d from origin %s\n", r.Method, r.URL.Path, status, name)
	}
}

// after answers late.
func after(wait time.Duration, late http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(wait):
			late(w, r)
		case <-r.Context().Done():
		}
	}
}

// oneIn answers every n-th request in another way than the rest.
func oneIn(n uint64, nth, rest http.HandlerFunc) http.HandlerFunc {
	var asked atomic.Uint64
	return func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%n == 0 {
			nth(w, r)
			return
		}
		rest(w, r)
	}
}

// demoOrigin is a running origin, as demo.yaml names it.
type demoOrigin struct{ Name, Address string }

// startDemoOrigins runs the demo's origins on free loopback ports. They end
// with the program.
func startDemoOrigins() ([]demoOrigin, error) {
	var running []demoOrigin
	for _, o := range demoOrigins {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("demo origin %s: %w", o.name, err)
		}
		server := &http.Server{Handler: o.answers, ReadHeaderTimeout: 10 * time.Second}
		go server.Serve(l)
		running = append(running, demoOrigin{o.name, l.Addr().String()})
	}
	return running, nil
}
