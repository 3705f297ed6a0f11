package gateway

import (
	"errors"
	"fmt"
	"math"
	"time"

	"weirkeep/gateway/config"
)

// MetricReport is what somebody pushes of an origin: the number that its cluster's
// metric is made of.
type MetricReport struct {
	Cluster, Origin string
	Value           float64 // NaN: something that is no number was pushed
	Collector       string  // what made it, to compare with others of the cluster; empty: it does not say
}

// ReportMetric takes a number that is pushed, and tells how the origin stands then: by
// the collector value the very next request goes by it, by log-delta the next sample. The
// error may be [ErrNoOrigin].
func (g *Gateway) ReportMetric(r MetricReport) (OriginStatus, error) {
	g.applying.Lock()
	defer g.applying.Unlock()
	m, err := g.reported(r)
	if err != nil {
		return OriginStatus{}, err
	}
	err = m.tally.account.pushed(r, m.cluster, time.Now())
	return m.status(), err
}

// reported is the origin that a report is of.
func (g *Gateway) reported(r MetricReport) (*member, error) {
	snap := g.current.Load()
	if snap == nil || g.applied == nil {
		return nil, errors.New("the gateway serves nothing")
	}
	cl, err := snap.clusterNamed(r.Cluster)
	if err != nil {
		return nil, err
	}
	m, err := cl.memberNamed(r.Origin)
	if err != nil {
		return nil, err
	}
	return m, cl.takesPushes(g.applied.served.Clusters[cl.name].Metric)
}

func (s *snapshot) clusterNamed(name string) (*cluster, error) {
	var names []string
	for _, cl := range s.clusters {
		if cl.name == name {
			return cl, nil
		}
		names = append(names, cl.name)
	}
	return nil, &notFound{fmt.Errorf("no cluster is called %q. Known: %s", name, config.Listing(names))}
}

func (c *cluster) memberNamed(name string) (*member, error) {
	var names []string
	for _, m := range c.members {
		if m.name == name {
			return m, nil
		}
		names = append(names, m.name)
	}
	return nil, &notFound{fmt.Errorf("no origin of cluster %s is called %q. Known: %s", c.name, name, config.Listing(names))}
}

// notFound is an [ErrNoOrigin] that says it in other words.
type notFound struct{ error }

// Is makes it an ErrNoOrigin.
func (*notFound) Is(target error) bool { return target == ErrNoOrigin }

// takesPushes says why a cluster with the metric takes no pushes.
func (c *cluster) takesPushes(m *config.Metric) error {
	switch {
	case m == nil:
		return fmt.Errorf("cluster %s has no metric; clusters.%s.metric: { collector: value, source: push } would take it", c.name, c.name)
	case !m.Stock():
		return fmt.Errorf("nothing is pushed to cluster %s: its metric comes from the plugin %s", c.name, m.Collector)
	case m.Source != config.SourcePush:
		return fmt.Errorf("nothing is pushed to cluster %s: clusters.%s.metric.source is %q; push would take it", c.name, c.name, m.Source)
	}
	return nil
}

// pushed takes a report. Where others of the cluster have another collector it is taken
// as well: only the operator knows which of them is wrong (M-MET-08).
func (a *account) pushed(r MetricReport, cl *cluster, now time.Time) error {
	others := cl.collectors(a)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.plan == nil {
		return errors.New("the gateway is ending")
	}
	if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
		a.nonsense(errNoNumber)
		return errNoNumber
	}
	a.compare(r.Collector, others)
	a.hear(r.Value, now)
	return nil
}

// collectors are those that the other origins have, as pushes say, with the origin of
// each.
func (c *cluster) collectors(of *account) map[string]string {
	all := make(map[string]string)
	for _, m := range c.members {
		if a := m.tally.account; a != of {
			a.mu.Lock()
			if a.collector != "" {
				all[a.collector] = m.name
			}
			a.mu.Unlock()
		}
	}
	return all
}

// compare notes when the origin's collector is another than that of others. The lock is
// held.
func (a *account) compare(collector string, others map[string]string) {
	a.collector = collector
	odd := ""
	for other, origin := range others {
		if collector != "" && other != collector && (odd == "" || origin < odd) {
			odd = origin
		}
	}
	if odd == "" {
		a.odd = false
		return
	}
	a.plan.member.metrics.Odd.Inc()
	if !a.odd {
		a.note(news{what: newsOdd, why: fmt.Sprintf("its collector is %q, that of %s is another", collector, odd)})
	}
	a.odd = true
}
