package gateway

import (
	"slices"

	"weirkeep/gateway/metrics"
	"weirkeep/plugins"
)

// attached is an attachment with the gauges of its place.
type attached struct {
	*plugins.Attachment
	metrics *metrics.Place
	stages  []string // of a filter, in the order of the file
}

// note notes an attachment of the snapshot; a filter may stand at a site twice.
func (c *compiler) note(a *plugins.Attachment) {
	if slices.ContainsFunc(c.snap.attachments, func(b attached) bool { return b.Attachment == a }) {
		return
	}
	labels := metrics.PlaceLabels{Plugin: a.Plugin().Info().Name, Place: a.Place().String()}
	c.snap.attachments = append(c.snap.attachments, attached{Attachment: a, metrics: c.set.Place(labels)})
}

// measure sets the gauges of the place.
func (a attached) measure() {
	s, m := a.Standing(), a.metrics
	m.Instances.Set(int64(s.Instances))
	m.Idle.Set(int64(s.Idle))
	m.Most.Set(int64(s.Most))
	m.Memory.Set(s.Memory)
	m.Table.Set(int64(s.Table))
	for i, state := range metrics.BreakerStates {
		m.Breaker[i].Set(boolGauge(string(s.Breaker) == state))
	}
}

// guestMetrics are the metrics that guests have defined, by plugin, in their order.
func (g *Gateway) guestMetrics() (all []metrics.GuestMetric) {
	snap := g.current.Load()
	if snap == nil {
		return nil
	}
	for _, name := range sortedKeys(snap.plugins) {
		for _, m := range snap.plugins[name].GuestMetrics() {
			all = append(all, metrics.GuestMetric{Plugin: name, Name: m.Name, Counter: m.Counter, Value: m.Value()})
		}
	}
	return all
}
