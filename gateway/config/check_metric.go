package config

import "fmt"

// checkMetric looks at who finds out how busy the origins of a cluster are.
func (l *loader) checkMetric(m *Metric, path string) {
	if m == nil || m.Collector == "" || l.bad[path+".collector"] {
		return
	}
	if !m.Stock() {
		if _, known := l.referPlugin(path+".collector", path, "collector", m.Collector, StockCollectors...); known {
			l.checkPluginMetric(m, path)
		}
		return
	}
	if m.Pull != nil && m.Source == "" && !l.bad[path+".source"] {
		m.Source = SourcePull
	}
	l.checkStockSource(m, path)
	l.checkPull(m, path)
	l.checkLevels(m, path)
	l.checkOwner(m.Collector, path)
}

// stockKeys are the keys of a metric that only one stock collector has; "": both.
var stockKeys = []struct{ key, collector string }{
	{"source", ""}, {"pull", ""},
	{"idle", CollectValue}, {"busy", CollectValue},
	{"history", CollectLogDelta}, {"base", CollectLogDelta},
}

// checkOwner refuses the keys of the other stock collector.
func (l *loader) checkOwner(collector, path string) {
	for _, k := range stockKeys {
		if at := path + "." + k.key; k.collector != "" && k.collector != collector && l.written(at) {
			l.fail(at, "E504", fmt.Sprintf("%s is for the collector %s, and %s has %s", at, k.collector, path, collector), "take it away")
		}
	}
}

// checkPluginMetric refuses the keys of the stock collectors where a plugin collects.
func (l *loader) checkPluginMetric(m *Metric, path string) {
	for _, k := range stockKeys {
		if at := path + "." + k.key; l.written(at) {
			l.fail(at, "E504", fmt.Sprintf("%s is for the collectors %s, and %s has the plugin %s", at, choice(StockCollectors), path, m.Collector),
				"what a plugin goes by is params of the plugin, the fields of answers params.source")
		}
	}
}

// checkStockSource looks at where a stock collector has its numbers from.
func (l *loader) checkStockSource(m *Metric, path string) {
	at := path + ".source"
	switch {
	case l.bad[at]:
	case m.Source == "":
		l.fail(at, "E106", fmt.Sprintf("%s has no source: the collector %s must know where its number comes from", path, m.Collector), "write source: "+choice(metricSources))
	case m.Source == SourceInFlight && m.Collector == CollectLogDelta:
		l.fail(at, "E207", fmt.Sprintf("%s is in-flight, which does not only grow, as the number of log-delta must", at), "write collector: value")
	case m.Source == SourcePull && m.Pull == nil && !l.bad[path+".pull"]:
		l.fail(at, "E207", fmt.Sprintf("%s is pull, and nothing says what to pull", at), "write pull: { path: /status, pointer: /load } or { path: /metrics, series: 'jobs_busy{pool=\"web\"}' }")
	case m.Source != SourcePull && m.Pull != nil:
		l.fail(path+".pull", "E207", fmt.Sprintf("%s.pull is there and the source is %s", path, l.shown(at, m.Source)), "take one of them away")
	}
}

// checkPull looks at what is pulled.
func (l *loader) checkPull(m *Metric, path string) {
	if m.Pull == nil || l.anyBad(path+".pull") {
		return
	}
	if at := path + ".pull"; m.Pull.Pointer != "" && m.Pull.Series != "" {
		l.fail(at+".series", "E207", at+" has pointer and series", "pointer is for JSON, series for a Prometheus text: take one of them away")
	}
	if at := path + ".pull.timeout"; m.Pull.Timeout > m.Interval && !l.bad[path+".interval"] {
		l.fail(at, "E207", fmt.Sprintf("%s is %s, longer than the interval, %s", at, m.Pull.Timeout, m.Interval), "")
	}
}

// checkLevels looks at the numbers that the collector value counts as 100 and as 0.
func (l *loader) checkLevels(m *Metric, path string) {
	if m.Collector != CollectValue || l.bad[path+".source"] || m.Source == "" {
		return
	}
	l.checkLevel(m.Idle, m.Source, path+".idle")
	l.checkLevel(m.Busy, m.Source, path+".busy")
	switch idle, busy, known := m.levels(); {
	case l.bad[path+".busy"] || l.bad[path+".idle"]:
	case m.Source == SourceLatency && m.Busy == nil:
		l.fail(path+".busy", "E106", path+" has no busy: nothing says which latency counts as 0", "write busy: 500ms, or another duration")
	case known && idle == busy:
		at := path + ".busy"
		if m.Busy == nil {
			at = path + ".idle"
		}
		l.fail(at, "E207", fmt.Sprintf("%s: idle and busy are the same, so that no number lies between them", path), "")
	}
}

// checkLevel holds a level against the unit of the source.
func (l *loader) checkLevel(level *Level, source, path string) {
	want := levelUnits[source]
	if want == "" {
		want = LevelPlain
	}
	if level != nil && !l.bad[path] && level.Unit != want && level.Number != 0 {
		l.fail(path, "E111", fmt.Sprintf("%s is %s, must be %s, as source is %s", path, l.shown(path, level.String()), want, source), "")
	}
}

// levels are the numbers that count as 100 and as 0, with the defaults of the source;
// not known: the second is the origin's capacity.
func (m *Metric) levels() (idle, busy float64, known bool) {
	scale := m.Scale(0)
	return scale.Idle, scale.Busy, m.Source != SourceInFlight || m.Busy != nil
}
