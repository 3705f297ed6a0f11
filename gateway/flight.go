package gateway

import (
	"time"

	"weirkeep/gateway/cache"
)

// How an exchange that leads the fetch for others ends it. What is stored ends it too, with an
// answer for all of them; each of these does nothing where that, or another, has done so.

// passMarker is how long requests for what was not stored are not held together.
const passMarker = 2 * time.Minute

// endFlight ends the fetch for others that has brought nothing, if it has not ended.
func (x *Exchange) endFlight() {
	if f := x.cached.flight; f != nil {
		x.cached.flight = nil
		f.Fail()
	}
}

// leaveFlight leaves the fetch for others to one of them: it is the client that has gone, and
// not the origin.
func (x *Exchange) leaveFlight() {
	if f := x.cached.flight; f != nil {
		x.cached.flight = nil
		f.Leave()
	}
}

// passFlight ends the fetch for others with an answer that is not for them.
func (x *Exchange) passFlight(why cache.Refusal) {
	f := x.cached.flight
	if f == nil {
		return
	}
	x.cached.flight = nil
	if why.Lasting() {
		f.Pass(passMarker, uint8(why))
	} else {
		f.Pass(0, 0)
	}
}

// failFlight ends the fetch for others without an answer, and lets them know why.
func (x *Exchange) failFlight(reason Reason) {
	if f := x.cached.flight; f != nil {
		x.cached.flight = nil
		f.FailFor(x.site.cache.failing, uint8(reason))
	}
}
