package gateway

import (
	"sync/atomic"

	"weirkeep/gateway/unit"
)

// retryBudget keeps repeated attempts a share of all: when a whole cluster
// fails, sending everything twice is the last thing it needs. Each exchange
// earns a share of an attempt, each further attempt spends one. What is saved
// is bounded, and full at the start, so that the requests under way at one
// origin that dies can all be repeated at once.
type retryBudget struct {
	share int64        // of an attempt, in parts of unit.Percent's hundred
	saved atomic.Int64 // the same
}

const (
	oneAttempt  = 100 * 100 // 100%, as unit.Percent counts
	savedAtMost = 100 * oneAttempt
)

func newRetryBudget(share unit.Percent) *retryBudget {
	b := &retryBudget{share: int64(share)}
	b.saved.Store(savedAtMost)
	return b
}

// earn is called once an exchange. It writes only while something was spent.
func (b *retryBudget) earn() {
	if b.saved.Load() < savedAtMost {
		b.saved.Add(b.share)
	}
}

// spend reports whether a further attempt may be made.
func (b *retryBudget) spend() bool {
	if b.saved.Add(-oneAttempt) >= 0 {
		return true
	}
	b.saved.Add(oneAttempt)
	return false
}
