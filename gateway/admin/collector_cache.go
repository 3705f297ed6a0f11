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
	s.counter(unjudged, &c.RuleErrors, site)
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
}
