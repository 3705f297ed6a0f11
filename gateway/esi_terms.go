package gateway

import (
	"slices"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/esi"
)

// terms are what an include says of how its fragment is stored and used (C7). The zero value
// says nothing. They may outlive the page: what they are stands in its template.
type terms struct {
	*esi.Attributes
	lasting bool // they hold for what is stored too: the fragment is the page's site's own, or a provider's
}

// pass reports whether the store has nothing to do with the fragment.
func (t terms) pass() bool { return t.Attributes != nil && t.NoStore }

// use says what may be done with a stored answer.
func (t terms) use(p *cache.Policy, s *cache.Stored, r *cache.Request, now time.Time) cache.Use {
	if t.Attributes == nil || !t.HasTTL || t.Longer {
		return p.Use(s, r, now)
	}
	return p.UseWithin(s, r, now, t.TTL, t.Stale)
}

// add adds them to what a caching rule says. A page must not have what another site's clients
// get be older than that site says.
func (t terms) add(say cache.Override) cache.Override {
	if t.Attributes == nil || !t.lasting {
		return say
	}
	if t.HasTTL {
		say.Minds = !say.HasTTL // a rule that says how long has said that it holds in any case
		say.HasTTL, say.TTL, say.Stale, say.Least = true, t.TTL, t.Stale, t.Longer
	}
	if len(t.Tags) > 0 {
		say.Tags = append(slices.Clip(say.Tags), t.Tags...)
	}
	return say
}
