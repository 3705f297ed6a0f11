package balance

import "sync/atomic"

// metric gives each origin its metric's part of the sum of all that are usable
// (M-MET-02). Where all of them are 0 they take turns (M-MET-11).
type metric struct {
	*shares
	told   atomic.Uint64 // for which metrics it was told that all are 0; 0: for none
	onZero func()        // nil: nobody wants to know
}

const aboutMetric = `An origin gets its metric's part of the sum of all metrics: of 20, 40 and 90 the parts are 2, 4 and 9 of 15, as evenly
spread as can be. A metric is from 0 (busy) to 100 (idle); it is what the cluster's collector finds out (metric), and 50
where nothing is known. A new one holds from the next request on. An origin with 0 gets nothing; where all have 0, they
are taken in turn. It has no options.`

func newMetric(members []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	return &metric{shares: newShares(members, func(m *Member) part { return part{live: m.Live} })}, nil
}

// Zeroed is a balancer that goes by metrics, and tells when they are of no use.
type Zeroed interface {
	// OnZero has f called when the metrics of all origins that may be picked have
	// become 0: once, until a metric changes. It must be called before the first
	// Pick.
	OnZero(f func())
}

// OnZero implements [Zeroed].
func (m *metric) OnZero(f func()) { m.onZero = f }

// Pick implements [Balancer].
func (m *metric) Pick(cs []Candidate, _ uint64) int {
	set, metrics, usable := m.look(cs)
	if m.onZero != nil && usable > 0 && (metrics == 0 || m.told.Load() != 0) {
		m.tell(metrics == 0)
	}
	return m.pick(cs, set, usable)
}

// tell tells that all is 0, unless that was told and no metric has changed since: who
// is usable may change with every pick, and is no news.
func (m *metric) tell(zero bool) {
	now := m.standing()
	switch told := m.told.Load(); {
	case told == now || !m.told.CompareAndSwap(told, 0):
	case zero && m.told.CompareAndSwap(0, now):
		m.onZero()
	}
}

// standing tells the metrics of the group from others; it is never 0.
func (m *metric) standing() uint64 {
	sum := uint64(0)
	for i := range m.members {
		sum += m.members[i].key * uint64(m.members[i].live.Metric())
	}
	return max(sum, 1)
}
