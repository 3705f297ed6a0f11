package gateway

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/coding"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/metrics"
)

// asTemplate are fields of an answer that is a template, and is stored.
const asTemplate = "Content-Type: text/html\r\nSurrogate-Control: max-age=60, content=\"ESI/1.0\"\r\n"

// unstoredTemplate are those of one that is not stored.
const unstoredTemplate = "Content-Type: text/html\r\nSurrogate-Control: no-store, content=\"ESI/1.0\"\r\n"

// desk is what an origin serves, by target or else by path, and what it was asked for.
type desk struct {
	mu    sync.Mutex
	pages map[string]served
	asked map[string]int    // requests by path
	heads map[string]string // of the last one
}

// served is what an origin serves under a path.
type served struct {
	fields, body string
	status       string // empty: 200
}

func newDesk(pages map[string]served) *desk {
	return &desk{pages: pages, asked: make(map[string]int), heads: make(map[string]string)}
}

// reply is the script of the origin.
func (d *desk) reply(head string) (fields, body string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	target := requestTarget(head)
	path, _, _ := strings.Cut(target, "?")
	d.asked[path]++
	d.heads[path] = head
	p, ok := d.pages[target]
	if !ok {
		p, ok = d.pages[path]
	}
	if !ok {
		p = served{status: "404 Not Found"}
	}
	if p.status != "" {
		p.fields = ":status " + p.status + "\r\n" + p.fields
	}
	if strings.HasPrefix(head, "HEAD ") {
		return p.fields, ""
	}
	return p.fields, p.body
}

// set changes what is served.
func (d *desk) set(path string, p served) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pages[path] = p
}

// count is how often the origin was asked for a path.
func (d *desk) count(path string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[path]
}

// head is that of the last request for a path.
func (d *desk) head(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.heads[path]
}

// kiosk is a shop that makes pages: what its origin answers stands in a table by path.
type kiosk struct {
	*shop
	*desk
}

func newKiosk(t *testing.T, cache string, pages map[string]served) *kiosk {
	t.Helper()
	return newKioskOf(t, cache, pages, Options{})
}

// newKioskOf is a kiosk whose gateway has options.
func newKioskOf(t *testing.T, cache string, pages map[string]served, o Options) *kiosk {
	t.Helper()
	k := &kiosk{newShopOf(t, cache, o), newDesk(pages)}
	k.answer = k.reply
	return k
}

// configure adds lines to the configuration, in the place of those that were added before.
func (k *kiosk) configure(t *testing.T, more string) {
	t.Helper()
	apply(t, k.g, k.text+"\n"+more+"\n")
}

// get asks the gateway for a path.
func (k *kiosk) get(t *testing.T, path string, fields ...string) told {
	t.Helper()
	return ask(t, k.addr, "GET "+path+" HTTP/1.1\r\n"+strings.Join(append([]string{"Host: shop.example"}, fields...), "\r\n"))
}

// counts are what is counted of its pages.
func (k *kiosk) counts() *metrics.ESI { return k.g.current.Load().sites[0].esi.metrics }

// failures is how many includes have failed in a way.
func (k *kiosk) failures(f esi.Failure) uint64 { return k.counts().Failures[f].Load() }

// wantBody complains of an answer that is no page of this content.
func wantBody(t *testing.T, what string, got told, want string) {
	t.Helper()
	if got.status != 200 || got.body != want {
		t.Errorf("%s: %d %q, want %q", what, got.status, got.body, want)
	}
}

// inCoding is text in a content coding.
func inCoding(as cache.Coding, text string) string {
	if as == cache.Identity {
		return text
	}
	var out bytes.Buffer
	w := coding.NewWriter(as, &out)
	w.Write([]byte(text))
	w.Close()
	return out.String()
}

// sayingCoding is Content-Encoding, if there is any.
func sayingCoding(as cache.Coding) string {
	if as == cache.Identity {
		return ""
	}
	return "Content-Encoding: " + as.String() + "\r\n"
}
