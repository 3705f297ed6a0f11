package balance

import (
	"errors"
	"strings"
)

// hash sends equal keys to the same origin while that one is usable, and spreads
// different ones evenly. Each origin has a score for each key, and the highest of the
// usable ones wins: where one comes or goes, only the keys that it wins move.
type hash struct {
	by      By
	bound   int // load that one may have, in percent of the mean; 0: any
	keys    []uint64
	keyless roundRobin
}

const aboutHash = `Requests with the same key go to the same origin, as long as it has room; different keys are spread evenly. Which key has
which origin follows from the addresses alone: every gateway comes to the same, also after a restart, and where one of N
origins comes or goes about one in N keys moves. Requests without the key are taken in turn. What a request is sent by
its session goes before.

Options (balancer_options):
  by: client         (default) the client's address
  by: session        the session's id, as the site or cluster defines it
  by: header:NAME    the value of a header field
  by: cookie:NAME    the value of a cookie
  bounded_load: 125  an origin that would have more than 125 % of the mean load in hand is passed over: the key's next
                     one gets the request. From 101 to 1000; the nearer to 100 the more even, and the more keys move.
                     (default: no bound)`

type hashOptions struct {
	By          string `yaml:"by" default:"client" check:"balance-key"`                                                             // what the key is: client (default) | session | header:NAME | cookie:NAME
	BoundedLoad *int   `yaml:"bounded_load" range:"101..1000" hint:"it is in percent of the mean load; for no bound, leave it out"` // what one may have in hand; default: no bound
}

// By says what the key of a pick is. The caller makes it of that, with [KeyOf].
type By struct {
	What string // client, session, header or cookie
	Name string // of the header field, in lower case, or of the cookie
}

// Keyed is a balancer that goes by the key of a pick.
type Keyed interface {
	// KeyedBy is what the key has to be made of.
	KeyedBy() By
}

// KeyedBy implements [Keyed].
func (h *hash) KeyedBy() By { return h.by }

func newHash(members []Member, decode func(into any) error) (Balancer, error) {
	var o hashOptions
	if err := decode(&o); err != nil {
		return nil, err
	}
	by, err := byOf(o.By)
	if err != nil {
		return nil, err
	}
	h := &hash{by: by}
	if o.BoundedLoad != nil {
		h.bound = *o.BoundedLoad
	}
	for i := range members {
		h.keys = append(h.keys, KeyOf([]byte(members[i].Key)))
	}
	return h, nil
}

// byOf reads what keys are made of; empty: the default.
func byOf(text string) (By, error) {
	what, name, named := strings.Cut(text, ":")
	switch {
	case text == "":
		return By{What: "client"}, nil
	case !named && (what == "client" || what == "session"):
		return By{What: what}, nil
	case what == "header" && name != "":
		return By{What: what, Name: strings.ToLower(name)}, nil
	case what == "cookie" && name != "":
		return By{What: what, Name: name}, nil
	}
	return By{}, errors.New("by is " + text + ", must be client, session, header:NAME or cookie:NAME")
}

// KeyOf is the key that bytes stand for. It is the same on every machine, and 0 for
// none alone.
func KeyOf(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	sum := uint64(0xCBF29CE484222325)
	for _, c := range b {
		sum = (sum ^ uint64(c)) * 0x100000001B3
	}
	return max(mix(sum), 1)
}

// Pick implements [Balancer].
func (h *hash) Pick(cs []Candidate, key uint64) int {
	if key == 0 {
		return h.keyless.Pick(cs, 0)
	}
	return h.choose(cs, key)
}

// Peek implements [Balancer].
func (h *hash) Peek(cs []Candidate, key uint64) (int, bool) {
	if key == 0 {
		return h.keyless.Peek(cs, 0)
	}
	return h.choose(cs, key), true
}

// choose is the usable one with the highest score that is not above its bound; -1:
// none is usable.
func (h *hash) choose(cs []Candidate, key uint64) int {
	most := h.mostLoad(cs)
	best, score := -1, uint64(0)
	for i := range cs {
		if !cs[i].Usable || cs[i].Load >= most {
			continue
		}
		if s := mix(key ^ h.keys[i]); best < 0 || s > score {
			best, score = i, s
		}
	}
	return best
}

// mostLoad is the load of which one has enough: the bound times the mean, with the
// new request in it, and rounded up, so that there is always one that has less.
func (h *hash) mostLoad(cs []Candidate) int64 {
	const any = 1<<63 - 1
	if h.bound == 0 {
		return any
	}
	sum, usable := int64(1), int64(0)
	for i := range cs {
		if cs[i].Usable {
			sum, usable = sum+cs[i].Load, usable+1
		}
	}
	if usable == 0 {
		return any
	}
	per := usable * 100
	return (sum*int64(h.bound) + per - 1) / per
}

// mix makes a number of which every bit depends on every bit of x.
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
