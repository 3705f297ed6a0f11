package discover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// text is an answer: its origins, for how long they hold, and how many were left out.
func text(a Answer, err error) string {
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, o := range a.Origins {
		part := o.String()
		if o.Host != "" {
			part += " on " + o.Host
		}
		list = append(list, part)
	}
	s := strings.Join(list, ", ") + fmt.Sprintf("; %v", a.TTL)
	if a.Left > 0 {
		s += fmt.Sprintf("; %d left out", a.Left)
	}
	return s
}

// What becomes of the records that a name has.
func TestLook(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		records []string // of all names
		extra   []string
		change  func(*DNS)
		want    string
	}{
		{name: "addresses", records: []string{"a. 30 A 10.0.0.10", "a. 20 A 10.0.0.9"}, want: "10.0.0.9:80, 10.0.0.10:80; 20s"},
		{name: "of both families", records: []string{"a. 30 A 10.0.0.1", "a. 10 AAAA 2001:db8::1"}, want: "10.0.0.1:80, [2001:db8::1]:80; 10s"},
		{name: "of IPv6 alone", records: []string{"a. 30 A 10.0.0.1", "a. 10 AAAA 2001:db8::1"}, change: func(d *DNS) { d.V4 = false }, want: "[2001:db8::1]:80; 10s"},
		{name: "of IPv4 alone", records: []string{"a. 30 A 10.0.0.1", "a. 10 AAAA 2001:db8::1"}, change: func(d *DNS) { d.V6 = false }, want: "10.0.0.1:80; 30s"},
		{name: "one address twice", records: []string{"a. 30 A 10.0.0.1", "a. 30 A 10.0.0.1"}, want: "10.0.0.1:80; 30s"},
		{name: "an address in the other's form", records: []string{"a. 30 AAAA ::ffff:10.0.0.1"}, want: "10.0.0.1:80; 30s"},
		{name: "an alias", records: []string{"a. 5 CNAME b.", "b. 30 A 10.0.0.1"}, want: "10.0.0.1:80; 5s"},
		{name: "an alias of nothing", records: []string{"a. 5 CNAME b."}, want: ErrNoAddress.Error()},
		{name: "an alias of itself", records: []string{"a. 5 CNAME a."}, want: ErrNoAddress.Error()},
		{name: "a TTL of zero", records: []string{"a. 0 A 10.0.0.1"}, want: "10.0.0.1:80; 0s"},
		{name: "no server is there", records: []string{"a. 30 A 0.0.0.0", "a. 30 A 224.0.0.1", "a. 30 AAAA ::", "a. 30 A 255.255.255.255"}, want: ErrNoAddress.Error()},
		{name: "no address", records: []string{"a. 30 SRV 1 1 80 b."}, want: ErrNoAddress.Error()},
		{name: "no such name", records: []string{"b. 30 A 10.0.0.1"}, want: "A a at : the name does not exist (NXDOMAIN)"},
		{name: "an address of another name", records: []string{"a. 30 A 10.0.0.1", "a. 30 CNAME c.", "b. 30 A 10.0.0.66"}, want: ErrNoAddress.Error()},

		{name: "SRV", change: srv, records: []string{"a. 30 SRV 0 10 8001 b.", "a. 20 SRV 0 20 8002 c.", "b. 30 A 10.0.0.1", "c. 30 A 10.0.0.2"},
			want: "10.0.0.1:8001 weight 10 on b, 10.0.0.2:8002 weight 20 on c; 20s"},
		{name: "SRV, the answer has the addresses", change: srv, records: []string{"a. 30 SRV 0 10 8001 b."}, extra: []string{"b. 7 A 10.0.0.1"},
			want: "10.0.0.1:8001 weight 10 on b; 7s"},
		{name: "SRV, several at one server", change: srv, records: []string{"a. 30 SRV 0 1 8001 b.", "a. 30 SRV 0 1 8002 b.", "b. 30 A 10.0.0.1", "b. 30 AAAA ::1"},
			want: "10.0.0.1:8001 weight 1 on b, 10.0.0.1:8002 weight 1 on b, [::1]:8001 weight 1 on b, [::1]:8002 weight 1 on b; 30s"},
		{name: "SRV, priorities", change: srv, records: []string{"a. 30 SRV 20 1 80 c.", "a. 30 SRV 10 1 80 b.", "a. 30 SRV 30 1 80 c.", "b. 30 A 10.0.0.1", "c. 30 A 10.0.0.2"},
			want: "10.0.0.1:80 weight 1 on b; 30s; 2 left out"},
		{name: "SRV, weights out of range", change: srv, records: []string{"a. 30 SRV 0 1000 80 b.", "a. 30 SRV 0 500 80 c.", "a. 30 SRV 0 0 80 d.", "b. 30 A 10.0.0.1", "c. 30 A 10.0.0.2", "d. 30 A 10.0.0.3"},
			want: "10.0.0.1:80 weight 100 on b, 10.0.0.2:80 weight 50 on c, 10.0.0.3:80 weight 1 on d; 30s"},
		{name: "SRV, a server that is not there", change: srv, records: []string{"a. 30 SRV 0 1 80 b.", "a. 30 SRV 0 1 80 gone.", "b. 30 A 10.0.0.1"},
			want: "10.0.0.1:80 weight 1 on b; 30s"},
		{name: "SRV, port zero", change: srv, records: []string{"a. 30 SRV 0 1 0 b.", "b. 30 A 10.0.0.1"}, want: ErrNoAddress.Error()},
		{name: "SRV, no such service", change: srv, records: []string{"a. 30 SRV 0 0 0 ."}, want: ErrNoAddress.Error()},
		{name: "SRV, none", change: srv, records: []string{"a. 30 A 10.0.0.1"}, want: ErrNoAddress.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := startNameserver(t)
			n.change(func() {
				n.extra = tt.extra
				for _, record := range tt.records {
					p := strings.Fields(record)
					n.records[p[0]+" "+p[2]] = append(n.records[p[0]+" "+p[2]], record)
				}
			})
			d := n.looks("A") // case does not matter
			if tt.change != nil {
				tt.change(&d)
			}
			if got := strings.ReplaceAll(strings.ReplaceAll(text(d.Look(t.Context())), n.addr, ""), "A A at", "A a at"); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func srv(d *DNS) { d.SRV, d.Port = true, 0 }

// An answer that does not fit is asked for by TCP.
func TestLookByTCP(t *testing.T) {
	t.Parallel()
	n := startNameserver(t)
	var records []string
	for i := range 1000 {
		records = append(records, fmt.Sprintf("a. 30 A 10.0.%d.%d", i/250, i%250+1))
	}
	n.has("a.", "A", records...)
	a, err := n.looks("a").Look(t.Context())
	if err != nil || len(a.Origins) != MaxOrigins || a.Origins[799].Address != "10.0.3.50:80" || n.tcp.Load() == 0 {
		t.Errorf("%d origins, %v; %d questions by TCP", len(a.Origins), err, n.tcp.Load())
	}
}

// Answers that are not believed, and servers that do not answer: the error says what
// came of the last one.
func TestLookFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(network string, a *dns.Msg) bool
		want  string
	}{
		{"a server that cannot", func(_ string, a *dns.Msg) bool { a.Rcode, a.Answer = dns.RcodeServerFailure, nil; return true }, "SERVFAIL"},
		{"a server that will not", func(_ string, a *dns.Msg) bool { a.Rcode, a.Answer = dns.RcodeRefused, nil; return true }, "REFUSED"},
		{"to another question", func(_ string, a *dns.Msg) bool { a.Question[0].Name = "b."; return true }, "another question"},
		{"no answer but a question", func(_ string, a *dns.Msg) bool { a.Response = false; return true }, "another question"},
		{"nothing", func(string, *dns.Msg) bool { return false }, "timeout"},
		{"nothing that fits", func(_ string, a *dns.Msg) bool { a.Truncated = true; return true }, "cut off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := startNameserver(t)
			n.has("a.", "A", "a. 30 A 10.0.0.1")
			n.change(func() { n.spoil = tt.spoil })
			d := n.looks("a")
			if tt.want == "timeout" {
				d.Timeout = 50 * time.Millisecond
			}
			began := time.Now()
			if got := text(d.Look(t.Context())); !strings.Contains(got, tt.want) {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
			if took := time.Since(began); took > d.Patience()+20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A server that recovers within a look is asked again.
func TestLookAsksTwice(t *testing.T) {
	t.Parallel()
	n := startNameserver(t)
	n.has("a.", "A", "a. 30 A 10.0.0.1")
	n.change(func() {
		n.spoil = func(_ string, a *dns.Msg) bool {
			if n.udp.Load() == 1 {
				a.Rcode = dns.RcodeServerFailure
			}
			return true
		}
	})
	if got := text(n.looks("a").Look(t.Context())); got != "10.0.0.1:80; 30s" {
		t.Error(got)
	}
}

func TestLookEndsWithItsContext(t *testing.T) {
	t.Parallel()
	n := startNameserver(t)
	n.change(func() { n.spoil = func(string, *dns.Msg) bool { return false } })
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := n.looks("a").Look(ctx); err == nil || errors.Is(err, ErrNoAddress) {
		t.Errorf("%v", err)
	}
}

// FuzzTake: whatever records come, what is found are addresses with ports that a
// server can be at, each once.
func FuzzTake(f *testing.F) {
	for _, rr := range []string{"a. 30 A 10.0.0.1", "a. 1 CNAME b.", "b. 3 AAAA ::1", "a. 30 SRV 0 1 80 b."} {
		parsed, _ := dns.NewRR(rr)
		wire := make([]byte, 512)
		n, err := dns.PackRR(parsed, wire, 0, nil, false)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire[:n], 80)
	}
	f.Fuzz(func(t *testing.T, wire []byte, port int) {
		var records []dns.RR
		for at := 0; at < len(wire) && len(records) < 50; {
			rr, next, err := dns.UnpackRR(wire, at)
			if err != nil {
				break
			}
			records, at = append(records, rr), next
		}
		l := &look{d: DNS{Name: "a", V4: true, V6: true}, ttl: maxTTL}
		l.take(records, "a", port, "", 0)
		l.first(records)
		seen := map[string]bool{}
		for _, o := range l.found.origins() {
			if o.Address == "" || seen[o.Address] || port < 1 || port > 65535 || compareAddresses(o.Address, "0.0.0.0:0") == 0 {
				t.Fatalf("%+v of port %d", o, port)
			}
			seen[o.Address] = true
		}
	})
}
