package provider

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// dialer connects to what may be asked.
type dialer struct {
	net.Dialer
	allowed []netip.Prefix
}

func newDialer(o *Options) *dialer {
	d := &dialer{allowed: o.Allowed}
	d.Dialer = net.Dialer{Timeout: o.Timeout, Resolver: o.Resolver, Control: d.check}
	return d
}

// dial connects to a host, whose name is looked up once. A name is meant in full: no domain
// of this machine's is put behind it.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err != nil {
		host += "."
	}
	return d.DialContext(ctx, network, net.JoinHostPort(host, port))
}

// check is called with the very address that is going to be connected to.
func (d *dialer) check(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if refusal := d.refusal(a); refusal != nil {
		return refusal
	}
	return nil
}

// Refuses says why a URL will not be asked, as far as that is known before its name is looked
// up; nil: it may be.
func (c *Client) Refuses(r *Request) *Refusal {
	req, refusal := r.build(context.Background())
	if refusal != nil {
		return refusal
	}
	port := req.URL.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[r.Secure]
	}
	d := newDialer(&c.o)
	if a, err := netip.ParseAddrPort(net.JoinHostPort(req.URL.Hostname(), port)); err == nil {
		return d.refusal(a)
	}
	if len(d.allowed) == 0 && port != "80" && port != "443" {
		return refusedPort(port)
	}
	return nil
}

// refusal says why an address is not asked, if it is not.
func (d *dialer) refusal(a netip.AddrPort) *Refusal {
	for _, p := range d.allowed {
		if p.Contains(a.Addr().Unmap()) {
			return nil
		}
	}
	if s := specialOf(a.Addr()); s != nil {
		return &Refusal{s.name, a.Addr().String() + " is in " + s.network + ", " + s.name + " (" + s.source +
			"), and only public addresses are asked; give the host a site and a mapping if it is meant"}
	}
	if p := a.Port(); p != 80 && p != 443 {
		return refusedPort(strconv.Itoa(int(p)))
	}
	return nil
}

func refusedPort(port string) *Refusal {
	return &Refusal{"port", "port " + port + " is neither 80 nor 443; give the host a site and a mapping if it is meant"}
}
