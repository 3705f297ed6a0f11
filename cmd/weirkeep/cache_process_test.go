package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// newShopWithCache is a process that keeps on a disk what an origin says, whose answers are
// of 20 kB. Asked counts what that is asked.
func newShopWithCache(t *testing.T) (p *process, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Cache-Control", "max-age=3600")
		io.WriteString(w, strings.Repeat(r.URL.Path[:2], 10_000))
	}))
	t.Cleanup(origin.Close)
	return newProcess(t, origin.Listener.Addr().String(),
		"cache: { enabled: true, disk: { path: folder, size: 16MiB } }\ndrain: { delay: 0s, timeout: 10s }\n"), asked
}

// status is Cache-Status of the answer to a path.
func (p *process) status(path string) string {
	p.t.Helper()
	c := newCustomer(p.t, p.gateway)
	answer, err := c.Get("http://" + p.gateway + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != strings.Repeat(path[:2], 10_000) {
		p.t.Fatalf("%s: %d bytes, %v", path, len(body), err)
	}
	return answer.Header.Get("Cache-Status")
}

// metric is what the admin API says of one, "" if it says nothing.
func (p *process) metric(name string) string {
	answer, err := http.Get("http://" + p.admin + "/metrics")
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindSubmatch(text)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// Where the kernel lets no file become long, neither those of the cache nor the log, the
// gateway goes on: the signal that it then sends ends nothing.
func TestLimitOfFilesEndsNothing(t *testing.T) {
	p, _ := newShopWithCache(t)
	p.start("ulimit -f 256;", nil) // 128 or 256 KiB
	const errors = `weirkeep_cache_disk_failures_total{what="disk"}`
	for n := 0; n < 600 || p.metric(errors) == "0"; n++ {
		if n == 5000 {
			t.Fatal("no file became as long as it may be")
		}
		p.status(fmt.Sprintf("/%c%d", 'a'+n%26, n))
	}
	p.signal(syscall.SIGTERM)
	p.ends()
}

// A program that is replaced by another leaves it what it has stored.
func TestUpgradeKeepsWhatIsStored(t *testing.T) {
	p, asked := newShopWithCache(t)
	p.start("", nil)
	for _, path := range []string{"/a", "/b", "/c"} {
		p.status(path)
	}
	p.signal(syscall.SIGUSR2)
	p.follow(1)
	p.await("the folder with stored answers was taken over", 1)
	for _, path := range []string{"/a", "/b", "/c"} {
		if got := p.status(path); !strings.Contains(got, "; hit; ttl=") {
			t.Errorf("%s after the upgrade: %s", path, got)
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("the origin was asked %d times, want 3", n)
	}
	if hits := p.metric("weirkeep_cache_disk_hits_total"); hits != "3" {
		t.Errorf("%q were brought back, want 3", hits)
	}
	p.signal(syscall.SIGTERM)
	p.ends()
}
