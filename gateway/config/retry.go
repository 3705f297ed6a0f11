package config

import (
	"slices"

	"weirkeep/gateway/unit"
)

// Retry says when a request may be sent again. Where that may do harm, it never is.
type Retry struct {
	Retries        *int          `yaml:"retries" default:"1" range:"0..5"`            // further attempts, default 1; 0..5; never nil after Load
	Budget         unit.Percent  `yaml:"budget" default:"20%"`                        // of exchanges that may be tried again, beyond a reserve, the capacity of the largest origin, at least 100; default 20%
	Statuses       []int         `yaml:"statuses" range:"400..599"`                   // of answers that are not passed on while another origin can be asked instead; default: none
	When           Expression    `yaml:"when"`                                        // condition on the request and the answer, in the language of RULES.md, that is asked beside statuses; default: none
	PerTryTimeout  unit.Duration `yaml:"per_try_timeout" default:"0s" range:"0s..1d"` // for the answer of an attempt, after which another origin is asked, if one can be; default 0s: first_byte_timeout ends it, and no other is asked
	IdempotencyKey bool          `yaml:"idempotency_key" default:"false"`             // whether a request with Idempotency-Key may be sent twice whatever its method; default false
}

// same reports whether both say the same.
func (r Retry) same(o Retry) bool {
	return *r.Retries == *o.Retries && r.Budget == o.Budget && slices.Equal(r.Statuses, o.Statuses) && r.When == o.When &&
		r.PerTryTimeout == o.PerTryTimeout && r.IdempotencyKey == o.IdempotencyKey
}

// lintRetry looks for settings of further attempts where there are none.
func (l *loader) lintRetry(c Cluster, path string) {
	r, at := c.Retry, path+".retry"
	if l.anyBad(at) {
		return
	}
	for _, s := range []struct {
		key string
		set bool
	}{
		{".statuses", len(r.Statuses) > 0},
		{".when", r.When != ""},
		{".per_try_timeout", r.PerTryTimeout > 0},
	} {
		switch {
		case !s.set:
		case *r.Retries == 0:
			l.warn(at+s.key, "W374", at+s.key+" has no effect: retries is 0")
		case s.key == ".per_try_timeout" && r.PerTryTimeout >= c.FirstByteTimeout && !l.bad[path+".first_byte_timeout"]:
			l.warn(at+s.key, "W374", at+s.key+" has no effect: first_byte_timeout is not longer, and what that ends is not repeated")
		}
	}
}
