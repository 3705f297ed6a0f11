// Package discover finds out where servers are, again and again.
//
// [DNS.Look] asks for the addresses of a name, or for its SRV records, and says how
// long the answer may be believed. [Watch] looks whenever the last answer is too old,
// and tells what came of it. A look that fails, or an answer without any address, is
// an error and says nothing of the servers: who has an answer of before keeps it.
//
// The package knows nothing of clusters, health and configurations. It asks the DNS
// servers that it is told, or those of /etc/resolv.conf, by UDP and, where an answer
// does not fit, by TCP. It believes an answer only if it is to the question that was
// asked.
package discover

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Origin is where one server is.
type Origin struct {
	Address string `json:"address"`          // host:port, the host is an IP address
	Host    string `json:"host,omitempty"`   // name of the machine, where records have one
	Weight  int    `json:"weight,omitempty"` // 1 to 100 of SRV records; 0: nobody has said
}

// Answer is what a look has found: at least one origin, each once, in the order of
// their addresses.
type Answer struct {
	Origins []Origin
	TTL     time.Duration // for which it may be believed
	Left    int           // SRV records that were left out: their priority is not the first
}

// MaxOrigins is how many origins of an answer are believed, the first ones.
const MaxOrigins = 800

// Pace bounds the time between two looks.
type Pace struct {
	Min, Max time.Duration // both positive
}

// slowest is the longest pause after looks that fail, unless Pace.Min is longer, or
// Pace.Max shorter.
const slowest = 30 * time.Second

// Watch looks again and again until ctx ends: first after the time that an answer with
// the TTL may be believed, then whenever the last one is too old. After looks that
// fail the pauses grow. Told is called after each.
func Watch(ctx context.Context, p Pace, ttl time.Duration, look func(context.Context) (Answer, error), told func(Answer, error)) {
	failed := 0
	for wait := p.after(ttl, nil, &failed); pause(ctx, wait); {
		a, err := look(ctx)
		if ctx.Err() != nil {
			return
		}
		told(a, err)
		wait = p.after(a.TTL, err, &failed)
	}
}

// after is how long to wait after a look; failed counts those in a row that failed.
func (p Pace) after(ttl time.Duration, err error, failed *int) time.Duration {
	if err == nil {
		*failed = 0
		return min(max(ttl, p.Min), p.Max)
	}
	wait, longest := max(p.Min, time.Second), min(slowest, max(p.Max, time.Second))
	for i := 0; i < *failed && wait < longest; i++ {
		wait *= 2
	}
	*failed++
	return max(min(wait, longest), p.Min)
}

// pause waits; false: ctx has ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// found collects origins.
type found struct{ all []Origin }

// add adds an address, unless no server can be there.
func (f *found) add(a netip.Addr, port int, host string, weight int) {
	a = a.Unmap()
	if !a.IsValid() || a.IsUnspecified() || a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) || port < 1 || port > 65535 {
		return
	}
	f.all = append(f.all, Origin{netip.AddrPortFrom(a, uint16(port)).String(), host, weight})
}

// origins are those that were added, each once, in order.
func (f *found) origins() []Origin {
	slices.SortFunc(f.all, func(a, b Origin) int {
		return cmp.Or(compareAddresses(a.Address, b.Address), cmp.Compare(a.Host, b.Host), cmp.Compare(b.Weight, a.Weight))
	})
	all := slices.CompactFunc(f.all, func(a, b Origin) bool { return a.Address == b.Address })
	return all[:min(len(all), MaxOrigins)]
}

// compareAddresses compares as numbers, so that 10.0.0.9 comes before 10.0.0.10.
func compareAddresses(a, b string) int {
	x, _ := netip.ParseAddrPort(a)
	y, _ := netip.ParseAddrPort(b)
	return cmp.Or(x.Addr().Compare(y.Addr()), cmp.Compare(x.Port(), y.Port()))
}

// String is the origin for people.
func (o Origin) String() string {
	if o.Weight == 0 {
		return o.Address
	}
	return o.Address + " weight " + strconv.Itoa(o.Weight)
}
