package discover

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// DNS is a name that is looked up.
type DNS struct {
	Name    string        // in full
	SRV     bool          // its SRV records count; else its addresses
	Port    int           // of the servers, unless SRV
	V4, V6  bool          // which addresses count
	Server  string        // host or host:port of who is asked; empty: those of /etc/resolv.conf
	Timeout time.Duration // for one answer of one server
}

// ErrNoAddress means that an answer came and has nothing that a server could be at.
var ErrNoAddress = errors.New("the answer has no address")

// ErrNoName means that there is no such name (NXDOMAIN).
var ErrNoName = errors.New("the name does not exist (NXDOMAIN)")

// Patience is the longest time that a look takes.
func (d DNS) Patience() time.Duration { return 3 * d.Timeout }

// Look asks, for Patience at most.
func (d DNS) Look(ctx context.Context) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, d.Patience())
	defer cancel()
	servers, err := d.servers()
	if err != nil {
		return Answer{}, err
	}
	l := &look{ctx: ctx, d: d, servers: servers, ttl: maxTTL}
	if d.SRV {
		err = l.services()
	} else {
		err = l.addresses(d.Name, d.Port, "", 0)
	}
	origins := l.found.origins()
	if err == nil && len(origins) == 0 {
		err = ErrNoAddress
	}
	if err != nil {
		return Answer{}, err
	}
	return Answer{origins, l.ttl, l.left}, nil
}

// maxTTL is more than anybody believes an answer for.
const maxTTL = 7 * 24 * time.Hour

// resolvConf names the DNS servers of this machine.
const resolvConf = "/etc/resolv.conf"

// servers are who is asked, in turn.
func (d DNS) servers() (all []string, err error) {
	if d.Server != "" {
		if _, _, err := net.SplitHostPort(d.Server); err != nil {
			return []string{net.JoinHostPort(strings.Trim(d.Server, "[]"), "53")}, nil
		}
		return []string{d.Server}, nil
	}
	conf, err := dns.ClientConfigFromFile(resolvConf)
	if err != nil {
		return nil, err
	}
	for _, s := range conf.Servers[:min(len(conf.Servers), 3)] {
		all = append(all, net.JoinHostPort(s, conf.Port))
	}
	if len(all) == 0 {
		return nil, errors.New(resolvConf + " names no server")
	}
	return all, nil
}

// look is one look.
type look struct {
	ctx     context.Context
	d       DNS
	servers []string
	found   found
	ttl     time.Duration
	left    int
}

// addresses adds the addresses of a name.
func (l *look) addresses(name string, port int, host string, weight int) error {
	for _, family := range l.families() {
		answer, err := l.ask(name, family)
		if err != nil {
			return err
		}
		l.take(answer.Answer, name, port, host, weight)
	}
	return nil
}

func (l *look) families() (all []uint16) {
	if l.d.V4 {
		all = append(all, dns.TypeA)
	}
	if l.d.V6 {
		all = append(all, dns.TypeAAAA)
	}
	return all
}

// take adds the addresses that records have for a name, or for what it is an alias
// of, and reports whether there are any.
func (l *look) take(records []dns.RR, name string, port int, host string, weight int) (any bool) {
	owner, ttl := canonical(records, dns.CanonicalName(name))
	for _, rr := range records {
		h := rr.Header()
		var a netip.Addr
		switch rr := rr.(type) {
		case *dns.A:
			a, _ = netip.AddrFromSlice(rr.A.To4())
		case *dns.AAAA:
			a, _ = netip.AddrFromSlice(rr.AAAA.To16())
		default:
			continue
		}
		if dns.CanonicalName(h.Name) != owner || a.Unmap().Is4() && !l.d.V4 || a.Unmap().Is6() && !l.d.V6 {
			continue
		}
		any = true
		l.found.add(a, port, host, weight)
		l.age(min(ttl, h.Ttl))
	}
	return any
}

// canonical follows aliases, as far as the records have them, and says how long they
// hold.
func canonical(records []dns.RR, name string) (owner string, ttl uint32) {
	ttl = ^uint32(0)
	for range 16 { // aliases may go in circles
		i := slices.IndexFunc(records, func(rr dns.RR) bool {
			_, alias := rr.(*dns.CNAME)
			return alias && dns.CanonicalName(rr.Header().Name) == name
		})
		if i < 0 {
			break
		}
		name, ttl = dns.CanonicalName(records[i].(*dns.CNAME).Target), min(ttl, records[i].Header().Ttl)
	}
	return name, ttl
}

// age makes the answer as short-lived as what it is made from.
func (l *look) age(seconds uint32) {
	l.ttl = min(l.ttl, time.Duration(seconds)*time.Second)
}

// ask asks one server after the other, twice, until one answers. That there is no
// such name is an answer.
func (l *look) ask(name string, kind uint16) (answer *dns.Msg, err error) {
	for range 2 {
		for _, server := range l.servers {
			if answer, err = l.askOf(server, name, kind); err == nil || errors.Is(err, ErrNoName) {
				return answer, err
			}
			if l.ctx.Err() != nil {
				return nil, err
			}
		}
	}
	return nil, err
}

// askOf asks one server, by TCP if its answer does not fit.
func (l *look) askOf(server, name string, kind uint16) (*dns.Msg, error) {
	question := new(dns.Msg).SetQuestion(dns.Fqdn(name), kind)
	answer, err := l.exchange("udp", server, question)
	if err == nil && answer.Truncated {
		answer, err = l.exchange("tcp", server, question)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", dns.TypeToString[kind], name, err)
	}
	switch {
	case len(answer.Question) != 1 || !strings.EqualFold(answer.Question[0].Name, dns.Fqdn(name)) || answer.Question[0].Qtype != kind || !answer.Response:
		err = errors.New("the answer is to another question")
	case answer.Rcode == dns.RcodeNameError:
		err = ErrNoName
	case answer.Rcode != dns.RcodeSuccess:
		err = errors.New("the server says " + dns.RcodeToString[answer.Rcode])
	case answer.Truncated:
		err = errors.New("the answer is cut off, by TCP too")
	default:
		return answer, nil
	}
	return nil, fmt.Errorf("%s %s at %s: %w", dns.TypeToString[kind], name, server, err)
}

func (l *look) exchange(network, server string, question *dns.Msg) (*dns.Msg, error) {
	client := dns.Client{Net: network, Timeout: l.d.Timeout}
	ctx, cancel := context.WithTimeout(l.ctx, l.d.Timeout)
	defer cancel()
	conn, err := client.DialContext(ctx, server)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(l.ctx, func() { conn.Close() })() // nobody waits for an answer that nobody wants
	answer, _, err := client.ExchangeWithConnContext(ctx, question, conn)
	if err != nil && l.ctx.Err() != nil {
		err = context.Cause(l.ctx)
	}
	return answer, err
}
