package admin

import (
	"github.com/prometheus/client_golang/prometheus"

	"weirkeep/gateway/metrics"
)

func (s sink) esi(e *metrics.ESI, names *metrics.ESINames, site string) {
	s.counter(pages, &e.Pages, site, "whole")
	s.counter(pages, &e.Broken, site, "broken")
	s.counter(pages, &e.Left, site, "left")
	s.counter(templates, &e.Templates, site)
	s.named(problems, e.Problems[:], names.Problems[:], site)
	ready := e.Ready.Load() // before all of them, so that it is not more
	s.total(fragments, int64(ready), site, "ready")
	s.total(fragments, int64(e.Fragments.Load()-ready), site, "fetched")
	s.named(missing, e.Failures[:], names.Failures[:], site)
	s.counter(mended, &e.Recovered, site, "recovered")
	s.counter(mended, &e.Lost, site, "lost")
	s.counter(injected, &e.Injected, site)
}

// named shows counters whose labels have names, but for those that are never counted.
func (s sink) named(d *prometheus.Desc, counters []metrics.Counter, names []string, site string) {
	for i := range counters {
		if names[i] != "" {
			s.counter(d, &counters[i], site, names[i])
		}
	}
}
