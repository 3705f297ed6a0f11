package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"weirkeep/gateway"
	"weirkeep/gateway/session"
)

// shop is an origin that knows the sessions that it has begun, and nobody else's.
func shop(t *testing.T, name string) (address string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("JSESSIONID")
		if known := err == nil && strings.HasPrefix(c.Value, name+"-"); !known && r.URL.Path != "/login" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		} else if !known {
			http.SetCookie(w, &http.Cookie{Name: "JSESSIONID", Value: name + "-" + r.URL.RawQuery, Path: "/", HttpOnly: true})
		}
		io.WriteString(w, name)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// customer is a browser with a cookie of its own, which connects anew each time.
type customer struct {
	http.Client
	gateway string
}

func newCustomer(t *testing.T, gateway string) *customer {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &customer{http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}, gateway}
}

// get wants a 200.
func (c *customer) get(path string) error {
	answer, err := c.Get("http://" + c.gateway + path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		u, _ := url.Parse("http://" + c.gateway)
		return fmt.Errorf("%s with %v is answered %s", path, c.Jar.Cookies(u), answer.Status)
	}
	return nil
}

// Nobody is logged out by an upgrade, nor by the one after it, though none of the
// origins sets a cookie again.
func TestUpgradesKeepSessions(t *testing.T) {
	t.Parallel()
	p := newProcess(t, echo(t), "")
	p.configure(fmt.Sprintf("node: { state_dir: state }\nlisteners: [{ address: %q }]\nadmin: { address: off }\ndrain: { delay: 0s, timeout: 10s }\n"+
		"clusters: { shop: { session: JSESSIONID, origins: [{ address: %q }, { address: %q }, { address: %q }] } }\n",
		p.gateway, shop(t, "a"), shop(t, "b"), shop(t, "c")))
	p.start("", nil)
	customers := make([]*customer, 20)
	for i := range customers {
		customers[i] = newCustomer(t, p.gateway)
		if err := customers[i].get(fmt.Sprintf("/login?%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= 2; n++ {
		p.signal(syscall.SIGUSR2)
		p.follow(n)
		p.await(`"msg":"session bindings taken over","bindings":20,"dropped":0`, n)
		for _, c := range customers {
			if err := c.get("/account"); err != nil {
				t.Errorf("after %d upgrades %v", n, err)
			}
		}
	}
	p.signal(syscall.SIGTERM)
	p.ends()
}

// A file in memory takes all the bindings before anybody reads them.
func TestBindingsAreWrittenBeforeTheyAreRead(t *testing.T) {
	k := &keeper{log: slog.New(slog.DiscardHandler), gateway: gateway.New(gateway.Options{})}
	f := k.bindings()
	defer f.Close()
	if all, err := session.ReadBindings(f); len(all) != 0 || err != nil {
		t.Errorf("of a gateway without a configuration: %v, %v", all, err)
	}
}

// What a variable names is taken if it is what it should be; the descriptors of
// somebody else stay as they are.
func TestWhatAPredecessorGives(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	bindings, err := memoryFile("bindings")
	if err != nil {
		t.Fatal(err)
	}
	defer bindings.Close()
	words := map[string]*os.File{"pipe": w, "file": bindings}
	for _, tt := range []struct {
		name, ready, bindings string
		wantPipe, wantFile    bool
	}{
		{"nothing", "", "", false, false},
		{"an older program's", "pipe", "", true, false},
		{"both", "pipe", "file", true, true},
		{"bindings and nobody who waits", "", "file", false, false},
		{"a pipe twice", "pipe", "pipe", true, false},
		{"a file twice", "file", "file", false, false},
		{"no numbers", "x", "y", false, false},
		{"standard output", "1", "1", false, false},
		{"what this process has opened", strconv.Itoa(int(descriptor(w))), strconv.Itoa(int(descriptor(bindings))), false, false},
		{"what is not open", "pipe", "99999", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(readyFD, lent(t, words, tt.ready))
			t.Setenv(bindingsFD, lent(t, words, tt.bindings))
			p := findPredecessor()
			if (p.pipe != nil) != tt.wantPipe || (p.bindings != nil) != tt.wantFile || (p.sessions() != nil) != tt.wantFile {
				t.Errorf("%+v, want a pipe: %v, and bindings: %v", p, tt.wantPipe, tt.wantFile)
			}
			if os.Getenv(readyFD)+os.Getenv(bindingsFD) != "" {
				t.Error("the variables are for the next program still")
			}
			p.pipe.Close()
			p.bindings.Close()
		})
	}
}

// lent is a word, or the number of a descriptor that belongs to who takes it, if it
// names one. Those that nobody takes are there until the tests end.
func lent(t *testing.T, files map[string]*os.File, word string) string {
	t.Helper()
	if files[word] == nil {
		return word
	}
	n, err := unix.Dup(int(descriptor(files[word])))
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(n)
}
