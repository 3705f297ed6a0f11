package discover

import (
	"errors"
	"strings"

	"github.com/miekg/dns"
)

// services adds the servers that the SRV records of the name with the lowest priority
// number name (RFC 2782). A name of theirs that has no address costs its record alone.
func (l *look) services() error {
	answer, err := l.ask(l.d.Name, dns.TypeSRV)
	if err != nil {
		return err
	}
	records, ttl := l.first(answer.Answer)
	l.age(ttl)
	weights := scaled(records)
	for i, r := range records[:min(len(records), MaxOrigins)] {
		err := l.target(r, weights[i], answer.Extra)
		if err != nil && !errors.Is(err, ErrNoName) {
			return err
		}
	}
	return nil
}

// first are the records of the name with the lowest priority number, and how long they
// hold. Those of the others are counted.
func (l *look) first(answer []dns.RR) (records []*dns.SRV, ttl uint32) {
	owner, ttl := canonical(answer, dns.CanonicalName(l.d.Name))
	for _, rr := range answer {
		r, ok := rr.(*dns.SRV)
		switch {
		case !ok || dns.CanonicalName(r.Hdr.Name) != owner || r.Target == ".": // which says: no such service
			continue
		case len(records) > 0 && r.Priority > records[0].Priority:
			l.left++
			continue
		case len(records) > 0 && r.Priority < records[0].Priority:
			l.left += len(records)
			records = nil
		}
		records, ttl = append(records, r), min(ttl, r.Hdr.Ttl)
	}
	return records, ttl
}

// target adds the addresses of a record's server: as the answer has them, else as
// they are looked up.
func (l *look) target(r *dns.SRV, weight int, extra []dns.RR) error {
	host := strings.ToLower(strings.TrimSuffix(r.Target, "."))
	if l.take(extra, r.Target, int(r.Port), host, weight) {
		return nil
	}
	return l.addresses(r.Target, int(r.Port), host, weight)
}

// mostWeight is the most that an origin can weigh.
const mostWeight = 100

// scaled are the weights of records, from 1 to 100: as they are if they fit, else all
// smaller by one factor.
func scaled(records []*dns.SRV) (weights []int) {
	most := mostWeight
	for _, r := range records {
		most = max(most, int(r.Weight))
	}
	for _, r := range records {
		weights = append(weights, max(1, int(r.Weight)*mostWeight/most))
	}
	return weights
}
