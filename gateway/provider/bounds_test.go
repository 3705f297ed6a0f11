package provider

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// playClient is a client whose connections are all played by the test, from when a request
// is there, and closed then. Gone is closed when the client has closed its end.
func playClient(t *testing.T, o Options, play func(conn io.Writer, gone <-chan struct{})) *Client {
	t.Helper()
	c := newClient(t, o)
	c.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		gone := make(chan struct{})
		asked := make(chan struct{})
		go func() {
			defer close(gone)
			http.ReadRequest(bufio.NewReader(theirs))
			close(asked)
			io.Copy(io.Discard, theirs)
		}()
		go func() {
			defer theirs.Close()
			<-asked
			play(theirs, gone)
		}()
		return ours, nil
	}
	return c
}

var plain = &Request{Authority: "parts.example", Target: "/"}

// Each wait is bounded: for the head, and for each part of the body. A body that comes
// slowly but steadily takes as long as it takes.
func TestWaitsAreBounded(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
	for _, tt := range []struct {
		name   string
		opts   Options
		sent   []string
		pause  time.Duration // before each
		kind   error
		waited time.Duration
		body   string
	}{
		{"no head", Options{}, nil, 0, ErrTimeout, defaultTimeout, ""},
		{"no head, as configured", Options{Timeout: 2 * time.Second}, nil, 0, ErrTimeout, 2 * time.Second, ""},
		{"half a head", Options{}, []string{head[:9]}, 0, ErrTimeout, defaultTimeout, ""},
		{"a head drop by drop", Options{}, strings.SplitAfter(head, ""), time.Second, ErrTimeout, defaultTimeout, ""},
		{"no body", Options{}, []string{head}, 0, ErrTimeout, defaultIdle, ""},
		{"half a body", Options{Idle: 3 * time.Second}, []string{head, "01234"}, time.Second, ErrTimeout, 5 * time.Second, "01234"},
		{"a slow body", Options{Idle: 3 * time.Second}, strings.SplitAfter("|0123456789", ""), 2 * time.Second, nil, 22 * time.Second, "0123456789"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := playClient(t, tt.opts, func(conn io.Writer, gone <-chan struct{}) {
					for _, part := range tt.sent {
						select {
						case <-time.After(tt.pause):
						case <-gone:
							return
						}
						io.WriteString(conn, strings.Replace(part, "|", head, 1))
					}
					<-gone
				})
				began := time.Now()
				body, err := take(c, context.Background())
				if body != tt.body || time.Since(began) != tt.waited {
					t.Errorf("body %q after %v, want %q after %v", body, time.Since(began), tt.body, tt.waited)
				}
				if tt.kind != nil {
					expectFailure(t, err, tt.kind)
				} else if err != nil {
					t.Error(err)
				}
				c.Close()
			})
		})
	}
}

// take returns what came of a body, and how it ended.
func take(c *Client, ctx context.Context) (string, error) {
	a, err := c.Get(ctx, plain)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	return string(b), err
}

// The caller's context holds for head and body.
func TestCallerBoundsTheTime(t *testing.T) {
	for _, sent := range []string{"", "HTTP/1.1 200 OK\r\n\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			c := playClient(t, Options{}, func(conn io.Writer, gone <-chan struct{}) {
				io.WriteString(conn, sent)
				<-gone
			})
			began := time.Now()
			_, err := take(c, ctx)
			expectFailure(t, err, ErrTimeout)
			if waited := time.Since(began); waited != time.Second {
				t.Errorf("after %q it was waited for %v, want 1s", sent, waited)
			}
		})
	}
}

// A head is read strictly, and a body must be whole and not too long.
func TestAnswersThatAreOfNoUse(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	long := strings.Repeat("x", 4096)
	for _, tt := range []struct {
		name, sent string
		kind       error
		body       string
	}{
		{"nothing", "", ErrUnreachable, ""},
		{"half a head", "HTTP/1.1 200 OK\r\nA:", ErrUnreachable, ""},
		{"no HTTP", "220 mail.example ESMTP\r\n\r\n", ErrAnswer, ""},
		{"a status that is none", "HTTP/1.1 2x0 OK\r\n\r\n", ErrAnswer, ""},
		{"an upgrade that nobody asked for", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", ErrAnswer, ""},
		{"a head that is too large", ok + strings.Repeat("A: "+long+"\r\n", 20) + "\r\n", ErrAnswer, ""},
		{"too many fields", ok + strings.Repeat("A: b\r\n", 200) + "\r\n", ErrAnswer, ""},
		{"interim heads without end", strings.Repeat("HTTP/1.1 103 Early\r\nA: "+long+"\r\n\r\n", 100), ErrAnswer, ""},
		{"a blank before the colon", ok + "A : b\r\n\r\n", ErrAnswer, ""},
		{"two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", ErrAnswer, ""},
		{"a length that is too large", ok + "Content-Length: 101\r\n\r\n", ErrBody, ""},
		{"as long as may be", ok + "Content-Length: 100\r\n\r\n" + long[:100], nil, long[:100]},
		{"longer, without a length", ok + "\r\n" + long, ErrBody, long[:100]},
		{"as long as may be, without a length", ok + "\r\n" + long[:100], nil, long[:100]},
		{"longer, in chunks", ok + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + long[:101] + "\r\n0\r\n\r\n", ErrBody, long[:100]},
		{"cut short", ok + "Content-Length: 5\r\n\r\nabc", ErrBody, "abc"},
		{"cut short in a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc", ErrBody, "abc"},
		{"no last chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", ErrBody, "abc"},
		{"no chunk", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc", ErrBody, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := playClient(t, Options{MaxBytes: 100}, func(conn io.Writer, _ <-chan struct{}) { io.WriteString(conn, tt.sent) })
			body, err := take(c, context.Background())
			if body != tt.body {
				t.Errorf("body %q, want %q", body, tt.body)
			}
			if tt.kind != nil {
				expectFailure(t, err, tt.kind)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// Nobody listens there.
func TestNobodyIsThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	c := newClient(t, Options{Allowed: []netip.Prefix{home}})
	_, _, err = read(c, &Request{Authority: listener.Addr().String(), Target: "/"})
	expectFailure(t, err, ErrUnreachable)
}

// A body that is closed before its end lets go of everything, a read that waits too.
func TestBodyIsClosedWhileItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := make(chan struct{})
		c := playClient(t, Options{}, func(conn io.Writer, gone <-chan struct{}) {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\nab")
			<-gone
			close(left)
		})
		a, err := c.Get(context.Background(), plain)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			_, err := io.ReadAll(a.Body)
			ended <- err
		}()
		synctest.Wait()
		a.Body.Close()
		expectFailure(t, <-ended, context.Canceled)
		<-left
	})
}

func TestOptionsAreValidated(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"nothing said", Options{}, ""},
		{"a network", Options{Allowed: []netip.Prefix{home}}, ""},
		{"less than nothing", Options{Idle: -1}, "timeout, idle, max_bytes: must be 0 or more"},
		{"no network", Options{Allowed: []netip.Prefix{home, {}}}, "allowed[1]: must be a network such as 10.1.0.0/16 or fd00:1::/48"},
		{"a mapped network", Options{Allowed: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}}, "allowed[0]: must be a network such as 10.1.0.0/16 or fd00:1::/48"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			if err := tt.o.Validate(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("Validate() = %q, want %q", got, tt.want)
			}
		})
	}
}
