package gateway

import (
	"weirkeep/gateway/cache"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/metrics"
)

// esiNames are the names of kinds and failures, as metrics count them.
func esiNames() (n metrics.ESINames) {
	for i, kind := range esi.Kinds() {
		n.Problems[i] = kind.String()
	}
	for f := esi.None + 1; int(f) < esi.FailureCount; f++ {
		n.Failures[f] = f.String()
	}
	return n
}

// tell says how many fragments have been asked for so far, and how many of these were in memory. Of a page
// that asks for none (HEAD) there is nothing to say.
func (p *fragments) tell(s *cache.Status) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Fragments = len(p.asked)
	for i := range p.asked {
		if a := &p.asked[i]; a.f == nil && a.told.failure == esi.None {
			s.Ready++
		}
	}
}
