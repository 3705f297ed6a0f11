package admin

import (
	"github.com/prometheus/client_golang/prometheus"

	"weirkeep/gateway/metrics"
)

// The families of plugins. A place is a cluster, a site, or the rules.
var (
	pluginCalls      = family("plugins_calls_total", "Calls of guests.", "plugin")
	pluginDuration   = family("plugins_call_duration_seconds", "How long calls took.", "plugin")
	pluginSlow       = family("plugins_slow_calls_total", "Calls that took over 10 ms.", "plugin")
	pluginFuel       = family("plugins_fuel_total", "Fuel that calls have used.", "plugin")
	pluginErrors     = family("plugins_errors_total", "Answers that were error codes, by code.", "plugin", "code")
	pluginFaults     = family("plugins_faults_total", "Calls, and instances that were to be made, that ended in a fault, by its kind.", "plugin", "kind")
	pluginUncalled   = family("plugins_not_called_total", "Calls that were not made, by reason: the view or the body is too large, the breaker is open.", "plugin", "reason")
	pluginUnlisted   = family("plugins_skipped_origins_total", "Origins that a router listed and that do not count: invalid_origin: there is none; not_permitted: the request may not go there.", "plugin", "reason")
	pluginClamped    = family("plugins_clamped_metrics_total", "Metrics of a collector above 100.", "plugin")
	pluginWaits      = family("plugins_instance_waits_total", "Calls that waited for an instance.", "plugin")
	pluginBuilt      = family("plugins_instances_built_total", "Instances that were made.", "plugin")
	pluginRetired    = family("plugins_instances_retired_total", "Instances that were replaced because their memory had grown.", "plugin")
	pluginLines      = family("plugins_log_lines_dropped_total", "Lines that a plugin logged beyond its rate.", "plugin")
	pluginGeneration = family("plugins_generation", "How often the plugin was loaded since it was first named: one more when a reload brings another module, other params or limits.", "plugin")

	placeInstances = family("plugins_instances", "Instances that there are at a place.", "plugin", "place")
	placeIdle      = family("plugins_idle_instances", "Instances that nobody has in use.", "plugin", "place")
	placeMost      = family("plugins_instances_limit", "Instances that there may be.", "plugin", "place")
	placeMemory    = family("plugins_memory_bytes", "Memory of all instances, as of the last call of each.", "plugin", "place")
	placeTable     = family("plugins_table_generation", "Generation of the cluster table that the guests have; 0: none.", "plugin", "place")
	placeBreaker   = family("plugins_breaker_state", "1 for the state that the breaker is in: closed, open, half-open.", "plugin", "place", "state")
)

// pluginFamilies are all of them.
var pluginFamilies = []*prometheus.Desc{
	pluginCalls, pluginDuration, pluginSlow, pluginFuel, pluginErrors, pluginFaults, pluginUncalled, pluginUnlisted,
	pluginClamped, pluginWaits, pluginBuilt, pluginRetired, pluginLines, pluginGeneration,
	placeInstances, placeIdle, placeMost, placeMemory, placeTable, placeBreaker,
}

func (s sink) plugin(p *metrics.Plugin, name string) {
	s.counter(pluginCalls, &p.Calls, name)
	s.histogram(pluginDuration, &p.Duration, name)
	s.counter(pluginSlow, &p.Slow, name)
	s.counter(pluginFuel, &p.Fuel, name)
	s.counters(pluginErrors, p.Codes[:], metrics.PluginErrors[:], name)
	s.counters(pluginFaults, p.Faults[:], metrics.PluginFaults[:], name)
	s.counters(pluginUncalled, p.NotCalled[:], metrics.PluginUncalled[:], name)
	s.counters(pluginUnlisted, p.Unlisted[:], metrics.PluginUnlisted[:], name)
	s.counter(pluginClamped, &p.Clamped, name)
	s.counter(pluginWaits, &p.Waits, name)
	s.counter(pluginBuilt, &p.Built, name)
	s.counter(pluginRetired, &p.Retired, name)
	s.counter(pluginLines, &p.LogDropped, name)
	s.gauge(pluginGeneration, p.Generation.Load(), name)
}

// counters are those of one name by a second label.
func (s sink) counters(d *prometheus.Desc, all []metrics.Counter, values []string, name string) {
	for i := range all {
		s.counter(d, &all[i], name, values[i])
	}
}

func (s sink) place(p *metrics.Place, labels ...string) {
	s.gauge(placeInstances, p.Instances.Load(), labels...)
	s.gauge(placeIdle, p.Idle.Load(), labels...)
	s.gauge(placeMost, p.Most.Load(), labels...)
	s.gauge(placeMemory, p.Memory.Load(), labels...)
	s.gauge(placeTable, p.Table.Load(), labels...)
	for i := range p.Breaker {
		s.gauge(placeBreaker, p.Breaker[i].Load(), append(labels[:len(labels):len(labels)], metrics.BreakerStates[i])...)
	}
}

// guests shows the metrics that the guests of plugins have defined. Their names are
// known when they are asked for, so it describes none.
type guests struct{ registry *metrics.Registry }

// Describe names nothing.
func (g *guests) Describe(chan<- *prometheus.Desc) {}

// Collect reads them, MaxSeries at most. A name is one family, of one type: where it
// is that of a counter, gauges of the same name are left out.
func (g *guests) Collect(ch chan<- prometheus.Metric) {
	if g.registry.Guests == nil {
		return
	}
	all := g.registry.Guests()
	all = all[:min(len(all), metrics.MaxSeries)]
	s, counters := sink{ch}, make(map[string]bool)
	for _, m := range all {
		if m.Counter {
			counters[m.Name+"_total"] = true
			s.guest(m.Name+"_total", prometheus.CounterValue, m)
		}
	}
	for _, m := range all {
		if !m.Counter && !counters[m.Name] {
			s.guest(m.Name, prometheus.GaugeValue, m)
		}
	}
}

func (s sink) guest(name string, t prometheus.ValueType, m metrics.GuestMetric) {
	s.value(family("plugins_guest_"+name, "Defined by guests of plugins.", "plugin"), t, m.Value, []string{m.Plugin})
}
