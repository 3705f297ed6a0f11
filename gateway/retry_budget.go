package gateway

import (
	"sync/atomic"

	"weirkeep/gateway/unit"
)

// retryBudget keeps repeated attempts a share of all: when a whole cluster
// fails, sending everything twice is the last thing it needs. Each exchange
// earns a share of an attempt, each further attempt spends one. What is saved
// is bounded, and full at the start: it is the reserve, for the requests under
// way at one origin that dies, which can all be repeated at once. An attempt that
// reached nobody costs nothing.
type retryBudget struct {
	share   int64        // of an attempt, in parts of unit.Percent's hundred
	reserve int64        // the same: most that is saved
	saved   atomic.Int64 // the same
}

const (
	oneAttempt   = 100 * 100 // 100%, as unit.Percent counts
	leastReserve = 100       // attempts
)

// newRetryBudget makes a full one, with a reserve of so many attempts.
func newRetryBudget(share unit.Percent, reserve int) *retryBudget {
	b := &retryBudget{share: int64(share), reserve: int64(max(reserve, leastReserve)) * oneAttempt}
	b.saved.Store(b.reserve)
	return b
}

// earn is called once an exchange. It writes only while something was spent.
func (b *retryBudget) earn() {
	if b.saved.Load() < b.reserve {
		b.saved.Add(b.share)
	}
}

// lasts reports whether a further attempt could be made.
func (b *retryBudget) lasts() bool { return b.saved.Load() >= oneAttempt }

// refund takes back what was spent for an attempt that nobody made.
func (b *retryBudget) refund() { b.saved.Add(oneAttempt) }

// spend reports whether a further attempt may be made.
func (b *retryBudget) spend() bool {
	if b.saved.Add(-oneAttempt) >= 0 {
		return true
	}
	b.saved.Add(oneAttempt)
	return false
}
