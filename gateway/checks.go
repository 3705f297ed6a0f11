package gateway

import "weirkeep/gateway/origin"

// checkKey is all that makes two checks different: whom, over which kind of
// connection, and how.
type checkKey struct {
	pool    poolKey
	options string // text of the origin.CheckOptions
}

// watch makes the checks that are wanted the ones that run. One that is wanted
// still goes on as it was.
func (r *registry) watch(wanted map[checkKey]func() *origin.Check) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, check := range r.checks {
		if wanted[key] == nil {
			check.Stop()
			delete(r.checks, key)
		}
	}
	for key, start := range wanted {
		if r.checks[key] == nil {
			r.checks[key] = start()
		}
	}
}
