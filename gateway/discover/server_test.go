package discover

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// nameserver is a DNS server on the loopback, by UDP and TCP at one port.
type nameserver struct {
	addr string
	udp  atomic.Int64 // questions that came
	tcp  atomic.Int64

	mu      sync.Mutex
	records map[string][]string                   // by "name type", in the form of zone files
	extra   []string                              // sent along with everything
	spoil   func(network string, a *dns.Msg) bool // changes an answer; false: none is sent
}

func startNameserver(t *testing.T) *nameserver {
	t.Helper()
	n := &nameserver{records: make(map[string][]string)}
	packets, streams := sockets(t)
	n.addr = packets.LocalAddr().String()
	for _, s := range []*dns.Server{{PacketConn: packets, Handler: n}, {Listener: streams, Handler: n}} {
		go s.ActivateAndServe()
		t.Cleanup(func() { s.Shutdown() })
	}
	return n
}

// sockets are one port for UDP and for TCP.
func sockets(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	for range 50 { // somebody else may have it for the other
		packets, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if streams, err := net.Listen("tcp", packets.LocalAddr().String()); err == nil {
			return packets, streams
		}
		packets.Close()
	}
	t.Fatal("no port is free")
	return nil, nil
}

// change changes what it answers, which it may be about to do.
func (n *nameserver) change(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

// has sets the records of a name.
func (n *nameserver) has(name, kind string, records ...string) {
	n.change(func() { n.records[name+" "+kind] = records })
}

// ServeDNS implements dns.Handler.
func (n *nameserver) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	network := w.LocalAddr().Network()
	if network == "udp" {
		n.udp.Add(1)
	} else {
		n.tcp.Add(1)
	}
	a := new(dns.Msg).SetReply(q)
	n.mu.Lock()
	n.answer(a, q.Question[0])
	spoil := n.spoil
	n.mu.Unlock()
	if network == "udp" {
		a.Truncate(dns.MinMsgSize)
	}
	if spoil == nil || spoil(network, a) {
		w.WriteMsg(a)
	}
}

func (n *nameserver) answer(a *dns.Msg, q dns.Question) {
	known, name := false, strings.ToLower(q.Name)
	for _, kind := range []string{"A", "AAAA", "SRV", "CNAME"} {
		records, ok := n.records[name+" "+kind]
		known = known || ok
		if kind == dns.TypeToString[q.Qtype] || kind == "CNAME" {
			a.Answer = append(a.Answer, parsed(records)...)
		}
	}
	for _, rr := range a.Answer {
		if alias, ok := rr.(*dns.CNAME); ok {
			a.Answer = append(a.Answer, parsed(n.records[alias.Target+" "+dns.TypeToString[q.Qtype]])...)
		}
	}
	a.Extra = parsed(n.extra)
	if !known {
		a.Rcode = dns.RcodeNameError
	}
}

func parsed(records []string) (all []dns.RR) {
	for _, text := range records {
		rr, err := dns.NewRR(text)
		if err != nil {
			panic(err)
		}
		all = append(all, rr)
	}
	return all
}

// looks is a look-up of a name there, of addresses at port 80.
func (n *nameserver) looks(name string) DNS {
	return DNS{Name: name, Port: 80, V4: true, V6: true, Server: n.addr, Timeout: 10 * time.Second}
}
