// Package dnstest is a name server for tests: it listens on the loopback and answers
// every question from a few records, which a test may change at any time.
package dnstest

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

// Server is a DNS server by UDP.
type Server struct {
	Addr  string       // its host:port
	Looks atomic.Int64 // questions that were answered, those for AAAA apart

	mu      sync.Mutex
	records []string // in the form of zone files
	rcode   int
	dead    bool // it does not answer
}

// Start runs a server that has some records, in the form of zone files, until the test
// ends.
func Start(tb testing.TB, records ...string) *Server {
	tb.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{Addr: socket.LocalAddr().String(), records: records}
	server := &dns.Server{PacketConn: socket, Handler: s}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.ActivateAndServe()
	}()
	tb.Cleanup(func() {
		socket.Close()
		<-done
	})
	return s
}

// Says sets what it answers: a code of RFC 1035, 4.1.1, and records.
func (s *Server) Says(rcode int, records ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rcode, s.records, s.dead = rcode, records, false
}

// Dies makes it answer nobody, until it says something again.
func (s *Server) Dies() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
}

// ServeDNS implements [dns.Handler].
func (s *Server) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return
	}
	a := new(dns.Msg).SetReply(q)
	a.Rcode = s.rcode
	for _, text := range s.records {
		rr, err := dns.NewRR(text)
		if err != nil {
			panic("dnstest: " + err.Error())
		}
		if rr.Header().Rrtype == q.Question[0].Qtype && strings.EqualFold(rr.Header().Name, q.Question[0].Name) {
			a.Answer = append(a.Answer, rr)
		}
	}
	w.WriteMsg(a)
	if q.Question[0].Qtype != dns.TypeAAAA {
		s.Looks.Add(1)
	}
}
