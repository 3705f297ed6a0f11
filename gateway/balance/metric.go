package balance

import "sync/atomic"

// metric gives each origin its metric's part of the sum of all that are usable
// (M-MET-02). Where all of them are 0 they take turns (M-MET-11).
type metric struct {
	*shares
	told   atomic.Uint64 // of which metrics it was told that all are 0
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
	if metrics == 0 && usable > 0 && m.onZero != nil {
		m.tell()
	}
	return m.pick(cs, set, usable)
}

// tell tells that all is 0, unless the metrics of the group are those of last time:
// who is usable may change with every pick, and is no news.
func (m *metric) tell() {
	now := uint64(1)
	for i := range m.members {
		now += m.members[i].key * uint64(m.members[i].live.Metric())
	}
	if m.told.Swap(now) != now {
		m.onZero()
	}
}
