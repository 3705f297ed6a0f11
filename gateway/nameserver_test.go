package gateway

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

// nameserver is a DNS server on the loopback that knows one name.
type nameserver struct {
	addr  string
	looks atomic.Int64 // questions of A that came

	mu      sync.Mutex
	records []string // in the form of zone files
	rcode   int
	dead    bool // it does not answer
}

func startNameserver(tb testing.TB, records ...string) *nameserver {
	tb.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	n := &nameserver{addr: socket.LocalAddr().String(), records: records}
	s := &dns.Server{PacketConn: socket, Handler: n}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.ActivateAndServe()
	}()
	tb.Cleanup(func() {
		socket.Close()
		<-done
	})
	return n
}

// says sets what it answers.
func (n *nameserver) says(rcode int, records ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rcode, n.records, n.dead = rcode, records, false
}

// dies makes it answer nobody.
func (n *nameserver) dies() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dead = true
}

// ServeDNS implements dns.Handler.
func (n *nameserver) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dead {
		return
	}
	a := new(dns.Msg).SetReply(q)
	a.Rcode = n.rcode
	for _, text := range n.records {
		rr, err := dns.NewRR(text)
		if err != nil {
			panic(err)
		}
		if rr.Header().Rrtype == q.Question[0].Qtype && strings.EqualFold(rr.Header().Name, q.Question[0].Name) {
			a.Answer = append(a.Answer, rr)
		}
	}
	w.WriteMsg(a)
	if q.Question[0].Qtype != dns.TypeAAAA {
		n.looks.Add(1)
	}
}

// srv are SRV records of origins on the loopback, and the address of their machine.
func (hs homes) srv(ttl int) (records []string) {
	for _, h := range hs {
		_, port, _ := strings.Cut(h.addr, ":")
		records = append(records, fmt.Sprintf("shop.test. %d SRV 0 10 %s host-a.test.", ttl, port))
	}
	return append(records, fmt.Sprintf("host-a.test. %d A 127.0.0.1", ttl))
}

// say has it answer with some origins.
func (n *nameserver) say(hs ...*home) { n.says(dns.RcodeSuccess, homes(hs).srv(0)...) }

// discovers is the discover of a cluster that asks it ever so often.
func (n *nameserver) discovers() string {
	return fmt.Sprintf("discover: { dns: { name: shop.test, type: srv, resolver: %q, min_ttl: 100ms, timeout: 5s } }", n.addr)
}
