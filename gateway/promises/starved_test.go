package promises

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// G15: with 256 descriptors and 400 clients the gateway does not crash and does
// not spin; what it reserves lets the administrators' listener of the same
// process answer; and when the clients have gone it serves within a second.
func TestRunningOutOfDescriptorsIsSurvived(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		limits string
		say    string
		admin  bool // the other listener is promised to answer
	}{
		{"idle clients", "", "", true},
		{"clients that wait for origins", "", getX, true},
		{"idle clients, with a limit that is too high", "limits: { connections: 5000 }", "", false},
		{"clients that wait for origins, with a limit that is too high", "limits: { connections: 5000 }", getX, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := startOrigin(t, answerSane)
			c := startChild(t, configure(o.addr, "    connect_timeout: 5s\n    first_byte_timeout: 5m", tt.limits+"\ntimeouts: { head: 5m, keep_alive: 5m }"),
				childFiles+"=256", childHTTP+"=1")
			var clients []*net.TCPConn
			for range 400 {
				client := dial(t, c.addr)
				io.WriteString(client, tt.say)
				clients = append(clients, client)
			}
			starved := within(10*time.Second, func() bool { return c.count().connections >= 100 && steady(c) })
			t.Logf("%s: %d descriptors, %+v", tt.name, c.files(), c.count())
			if !starved {
				t.Fatal("the gateway did not come to rest")
			}
			expectCalm(t, c)
			if tt.admin {
				expectAlive(t, c)
			}
			for _, client := range clients {
				client.Close()
			}
			expectRecovery(t, c)
		})
	}
}

// answerSane answers /sane and leaves all else waiting.
func answerSane(c *net.TCPConn) {
	requests(c, func(r *http.Request) bool {
		if r.URL.Path == "/sane" {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			return true
		}
		io.Copy(io.Discard, c)
		return false
	})
}

// steady reports whether the child has as many connections as a moment ago.
func steady(c *child) bool {
	before := c.count().connections
	time.Sleep(100 * time.Millisecond)
	return c.count().connections == before
}

// expectCalm measures the processor for a second.
func expectCalm(t *testing.T, c *child) {
	t.Helper()
	used, began := c.cpu(), time.Now()
	time.Sleep(time.Second) // the measurement
	share := float64(c.cpu()-used) / float64(time.Since(began))
	t.Logf("while starved it uses %.1f %% of a processor", 100*share)
	if share > 0.5 {
		t.Errorf("while starved the gateway uses %.0f %% of a processor, want less than 50", 100*share)
	}
}

// expectAlive asks the other listener of the process.
func expectAlive(t *testing.T, c *child) {
	t.Helper()
	conn := dial(t, c.http)
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || r.StatusCode != 200 {
		t.Errorf("the other listener of the process answered %v, %v", r, err)
	}
}

// expectRecovery asks until it is served as usual.
func expectRecovery(t *testing.T, c *child) {
	t.Helper()
	began := time.Now()
	var last string
	ok := within(20*time.Second, func() bool {
		r, err := get(c.addr, "/sane")
		last = fmt.Sprint(r, err)
		return err == nil && r.StatusCode == 200
	})
	took := time.Since(began)
	t.Logf("served again after %v", took.Round(time.Millisecond))
	if !ok || took > 2*time.Second {
		t.Errorf("the gateway served again after %v, want 1 s (2 on a busy machine); it said %s", took, strings.TrimSpace(last))
	}
}
