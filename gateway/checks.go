package gateway

import "weirkeep/gateway/origin"

// checkKey is all that makes two checks different: whom, over which kind of
// connection, and how.
type checkKey struct {
	pool    poolKey
	options string // text of the origin.CheckOptions
}

// watch makes the checks that are wanted the ones that run. One that is wanted
// still goes on as it was. New ones begin before others end, so that what an origin
// has told at a path that is asked for still is not forgotten.
func (r *registry) watch(wanted map[checkKey]func() *origin.Check) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, start := range wanted {
		if r.checks[key] == nil {
			r.checks[key] = start()
		}
	}
	for key, check := range r.checks {
		if wanted[key] == nil {
			check.Stop()
			delete(r.checks, key)
		}
	}
}
