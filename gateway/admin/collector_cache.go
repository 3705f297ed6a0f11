package admin

import (
	"github.com/prometheus/client_golang/prometheus"

	"weirkeep/gateway/metrics"
)

func (s sink) cache(c *metrics.Cache, site string) {
	for i := range c.Outcomes {
		s.counter(outcomes, &c.Outcomes[i], site, metrics.CacheOutcome(i).String())
	}
	s.counter(stored, &c.Stored, site)
	s.counter(refreshes, &c.Refreshes, site)
	s.counter(invalidated, &c.Purged, site)
	s.counter(slicesGot, &c.SlicesFetched, site)
	s.counter(slicesSent, &c.SlicesSent, site)
	s.counter(unjudged, &c.RuleErrors, site)
	s.counter(encoded, &c.Encoded, site)
	s.counter(coded, &c.Coded, site)
	s.counter(savedBytes, &c.Saved, site)
}

// store shows what is kept, while a site has a cache.
func (s sink) store(m *metrics.Store) {
	if m.Limit.Load() == 0 {
		return
	}
	s.gauge(objects, m.Objects.Load())
	s.gauge(filling, m.Filling.Load())
	s.gauge(keptBytes, m.Bytes.Load())
	s.gauge(byteLimit, m.Limit.Load())
	s.gauge(flights, m.Flights.Load())
	s.value(evictions, prometheus.CounterValue, float64(m.Evictions.Load()), nil)
	s.value(rejected, prometheus.CounterValue, float64(m.Rejected.Load()), nil)
	s.counter(purged, &m.Expired, "soft")
	s.counter(purged, &m.Removed, "hard")
	s.disk(&m.Disk)
}

// disk shows what is kept behind memory, if anything is.
func (s sink) disk(m *metrics.Disk) {
	if m.Limit.Load() == 0 {
		return
	}
	s.gauge(diskObjects, m.Objects.Load())
	s.gauge(diskWaiting, m.Waiting.Load())
	s.gauge(diskBytes, m.Bytes.Load())
	s.gauge(diskLimit, m.Limit.Load())
	s.total(diskHits, m.Hits.Load())
	s.total(diskEvictions, m.Evicted.Load())
	s.total(diskDropped, m.Dropped.Load())
	s.total(diskFailed, m.Failed.Load(), "unkept")
	s.total(diskFailed, m.Corrupt.Load(), "damaged")
	s.total(diskFailed, m.Errors.Load(), "disk")
}

// total shows a count that is kept elsewhere.
func (s sink) total(d *prometheus.Desc, n int64, labels ...string) {
	s.value(d, prometheus.CounterValue, float64(n), labels)
}
