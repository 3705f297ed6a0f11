package admin

import (
	"log/slog"
	"net/http"
	"runtime"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"weirkeep/gateway/metrics"
)

// scrapes is how many scrapes may run at once.
const scrapes = 4

// exposition shows what the gateway counts, with the Go run time and the
// process, to Prometheus and its like.
func exposition(o Options) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(
		&collector{registry: o.Metrics, version: o.Version},
		&guests{registry: o.Metrics},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(o.Logger.Handler(), slog.LevelError),
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapes,
	})
}

// collector reads a registry when it is scraped.
type collector struct {
	registry *metrics.Registry
	version  string
}

// family describes a metric: its name without weirkeep_, what it is, its labels.
func family(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("weirkeep_"+name, help, labels, nil)
}

// The families, each with the labels in the order in which collect gives them.
var (
	exchanges     = family("gateway_exchanges_total", "Ended exchanges by class of status; none: the client left before there was one and no status was logged. Without labels: no mapping took them.", "site", "mapping", "cluster", "class")
	duration      = family("gateway_exchange_duration_seconds", "From the head of the request to the last byte of the answer.", "site", "mapping", "cluster")
	requestBytes  = family("gateway_request_body_bytes_total", "Bodies received from clients.", "site", "mapping", "cluster")
	responseBytes = family("gateway_response_body_bytes_total", "Bodies sent to clients.", "site", "mapping", "cluster")
	refusals      = family("gateway_refusals_total", "Exchanges that the gateway answered itself, by reason; routed: a site was known.", "reason", "routed")
	panics        = family("gateway_panics_total", "Bugs of weirkeep that were caught.")
	tunnels       = family("gateway_open_tunnels", "Upgraded connections that are open.")

	attempts = family("origin_attempts_total", "Requests sent to an origin, or tried to be sent, retries too.", "cluster", "origin")
	retries  = family("origin_retries_total", "Attempts after the first of their exchange.", "cluster", "origin")
	failures = family("origin_failures_total", "Failed attempts by phase: connect, send, wait, read.", "cluster", "origin", "phase")
	load     = family("origin_load_slots", "Slots of the origin that are taken, over all clusters.", "cluster", "origin")
	capacity = family("origin_capacity_slots", "Slots that the origin has.", "cluster", "origin")
	auto     = family("origin_capacity_learned", "1 if that is how many the gateway has found that the origin can take, 0 if it is written.", "cluster", "origin")
	awaited  = family("origin_waiting_exchanges", "Exchanges that would take a slot at the origin; some would take one elsewhere as well.", "cluster", "origin")
	upgraded = family("origin_open_tunnels", "Upgraded connections to the origin, over all clusters.", "cluster", "origin")
	changes  = family("origin_health_changes_total", "Times that the origin went out or came back.", "cluster", "origin")
	up       = family("origin_up", "1 if the origin is up, 0 if it is down or ejected.", "cluster", "origin")
	state    = family("origin_state", "What the origin may be sent, by the most closed of all words: 0 serving, 1 draining, 2 maintenance, 3 disabled.", "cluster", "origin")
	operated = family("origin_state_by_operator", "1 if an operator closes the origin further than the configuration and roll-outs do.", "cluster", "origin")
	metric   = family("origin_metric", "How busy the origin is by its cluster's collector: 0 is busy, 100 is idle. Only of clusters that have one.", "cluster", "origin")
	clamped  = family("origin_metric_clamped_total", "Numbers of the origin that were out of 0 to 100, where they are its metric.", "cluster", "origin")
	nonsense = family("origin_metric_nonsense_total", "Times that there was something else in place of a number, and pulls that failed.", "cluster", "origin")
	stale    = family("origin_metric_stale_total", "Times that nothing had been said for so long that the default metric came into force.", "cluster", "origin")
	odd      = family("origin_metric_mixed_total", "Pushes of another collector than that of another origin of the cluster.", "cluster", "origin")
	idle     = family("origin_idle_connections", "Connections that wait in the pool.", "cluster", "origin")
	opened   = family("origin_connections_opened_total", "Connections opened.", "cluster", "origin")
	reused   = family("origin_connections_reused_total", "Attempts on a connection that had served before.", "cluster", "origin")

	misjudged = family("cluster_retry_errors_total", "Answers of which the condition retry.when could not be evaluated, and so was not true.", "cluster")
	panicking = family("cluster_panic", "1: too few of the cluster's origins are up (panic_threshold), and those that are out get requests, too.", "cluster")
	queued    = family("admission_waiting_exchanges", "Exchanges in line for a slot, by the cluster that leads their group.", "cluster")
	wait      = family("admission_wait_seconds", "How long exchanges waited in line that did, whatever came of it.", "cluster")

	foundOrigins = family("discovery_origins", "Origins of the last good answer, which is in use. Only of clusters whose origins are looked for.", "cluster")
	foundOK      = family("discovery_up", "1 if the last look for a cluster's origins was answered, 0 if it failed, so that those of before stay.", "cluster")
	looks        = family("discovery_looks_total", "Looks for a cluster's origins by result: ok, failed.", "cluster", "result")
	foundChanges = family("discovery_changes_total", "Answers that were other than the one before.", "cluster")

	sessionRequests = family("session_requests_total", "Requests by what their session id is: bound, unknown, none; lost: its origin was out or gone, so it was bound anew.", "session", "binding")
	learned         = family("session_learned_total", "Times that a session was bound to an origin.", "session")
	bindings        = family("session_bindings", "Sessions that are bound.", "session")
	ruleHits        = family("rules_hits_total", "Requests that the rule decided.", "rule")
	ruleErrors      = family("rules_errors_total", "Requests for which the rule could not be evaluated, and so did not match.", "rule")
	evicted         = family("session_bindings_evicted_total", "Bindings that were dropped because there was no room.", "session")

	accepted = family("listener_connections_accepted_total", "Connections accepted.", "listener")
	refused  = family("listener_connections_refused_total", "Connections closed at once, for a limit or a bad PROXY header.", "listener")
	opencons = family("listener_open_connections", "Connections that are open.", "listener")
	hellos   = family("listener_handshakes_failed_total", "Connections on which TLS could not be set up, by reason: not_tls, protocol_version, client_certificate, closed, other.", "listener", "reason")
	expiry   = family("certificate_expiry_seconds", "How long a certificate is still valid; negative: it has expired.", "listener", "certificate")

	outcomes      = family("cache_exchanges_total", "Exchanges of sites with a cache by what it did: hit, stale, revalidated, collapsed, miss, pass, unreachable.", "site", "outcome")
	stored        = family("cache_stored_total", "Answers that were stored.", "site")
	refreshes     = family("cache_refreshes_total", "Fetches of what is stored that no client waited for.", "site")
	invalidated   = family("cache_invalidated_targets_total", "Targets, and answers in groups, that answers to unsafe methods invalidated.", "site")
	slicesGot     = family("cache_slices_fetched_total", "Slices of long answers that origins sent.", "site")
	slicesSent    = family("cache_slices_sent_total", "Slices, stored or just fetched, that answers to clients were put together of.", "site")
	unjudged      = family("cache_rule_errors_total", "Caching rules that could not be evaluated, and so did not match.", "site")
	encoded       = family("cache_encoded_total", "Stored answers that were encoded in a content coding, once for each, and are kept in it.", "site")
	coded         = family("cache_coded_total", "Answers that were sent in a coding that they did not come in.", "site")
	savedBytes    = family("cache_coded_saved_bytes_total", "Bytes by which these were shorter than as they came.", "site")
	objects       = family("cache_objects", "Answers that are stored, of all sites.")
	filling       = family("cache_filling_objects", "Answers that are being stored.")
	keptBytes     = family("cache_bytes", "Bytes that all of it takes.")
	byteLimit     = family("cache_limit_bytes", "Bytes that it may take.")
	flights       = family("cache_fetches", "Fetches under way that others may wait for.")
	evictions     = family("cache_evicted_total", "Answers that went because memory was full.")
	diskObjects   = family("cache_disk_objects", "Stored answers that are on the disk.")
	diskWaiting   = family("cache_disk_waiting", "Stored answers that are still to be written to it.")
	diskBytes     = family("cache_disk_bytes", "Bytes that all files there have.")
	diskLimit     = family("cache_disk_limit_bytes", "Bytes that they may have.")
	diskHits      = family("cache_disk_hits_total", "Answers that were brought back into memory.")
	diskEvictions = family("cache_disk_evictions_total", "Answers that were removed from it to make room.")
	diskDropped   = family("cache_disk_dropped_total", "Answers that were not written, since too many waited for it.")
	diskFailed    = family("cache_disk_failures_total", "What the disk was asked for and did not do, by what became of it: answers that could not be kept or deleted, answers that were damaged, and errors of the disk itself.", "what")
	rejected      = family("cache_rejected_total", "Answers that were too long to be stored, or found no room.")
	purged        = family("cache_purged_total", "Answers that operators purged: soft made them stale, hard took them away.", "how")

	pages     = family("esi_pages_total", "Pages that were begun by what became of them: whole; broken: a fragment failed, or there was too much; left: the client went away.", "site", "outcome")
	templates = family("esi_templates_read_total", "Templates that were read: those that are stored once, others for each page.", "site")
	problems  = family("esi_problems_total", "Problems in templates that were read, by kind.", "site", "kind")
	fragments = family("esi_fragments_total", "Fragments that pages asked for, by how they were had: ready: in memory, or asked for already by another include of the page; fetched.", "site", "had")
	missing   = family("esi_failures_total", "Fragments that could not be had, by failure.", "site", "failure")
	mended    = family("esi_failures_ended_total", "What these ended in: recovered: alt, onerror or except made them good; lost: on_error did, or the page broke. One that led to alt is counted with what that ended in.", "site", "end")
	injected  = family("esi_injected_requests_total", "Requests for templates that were refused, since they held markup.", "site")

	reloads    = family("config_reloads_total", "Reloads by result: ok, failed.", "result")
	reloadOK   = family("config_last_reload_ok", "1 if the configuration that came last is current, 0 if it was refused.")
	revision   = family("config_revision", "Configurations made current since the start.")
	applied    = family("config_applied_timestamp_seconds", "When the configuration was made current.")
	written    = family("access_log_records_written_total", "Records of the access log that were written.")
	lost       = family("access_log_records_lost_total", "Records of the access log that were lost.")
	overflowed = family("metrics_overflowed_labels", "Labels of the configuration that are counted together under __overflow__ because a family is full.")
	build      = family("build_info", "1, with what is running.", "version", "goversion")
)

// Describe names every family.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range append([]*prometheus.Desc{
		exchanges, duration, requestBytes, responseBytes, refusals, panics, tunnels,
		attempts, retries, failures, load, capacity, auto, awaited, upgraded, changes, up, state, operated, metric, clamped, nonsense, stale, odd, idle, opened, reused,
		panicking, queued, wait, misjudged, foundOrigins, foundOK, looks, foundChanges, sessionRequests, learned, bindings, evicted, ruleHits, ruleErrors,
		accepted, refused, opencons, hellos, expiry,
		outcomes, stored, refreshes, invalidated, unjudged, encoded, coded, savedBytes, objects, filling, keptBytes, byteLimit, flights, evictions, rejected, purged, diskObjects, diskWaiting, diskBytes, diskLimit, diskHits, diskEvictions, diskDropped, diskFailed,
		pages, templates, problems, fragments, missing, mended, injected,
		reloads, reloadOK, revision, applied, written, lost, overflowed, build,
	}, pluginFamilies...) {
		ch <- d
	}
}

// Collect reads everything.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	if c.registry.Gauge != nil {
		c.registry.Gauge()
	}
	s := sink{ch}
	set := c.registry.Current()
	s.process(&c.registry.Process)
	s.gauge(overflowed, int64(set.Overflowed()))
	s.gauge(build, 1, c.version, runtime.Version())
	s.refusals(c.registry)
	for l, m := range set.Mappings() {
		s.mapping(m, l.Site, l.Mapping, l.Cluster)
	}
	for l, o := range set.Origins() {
		s.origin(o, l.Cluster, l.Origin)
	}
	for name, c := range set.Clusters() {
		s.gauge(queued, c.Waiting.Load(), name)
		s.gauge(panicking, c.Panics.Load(), name)
		s.histogram(wait, &c.Wait, name)
		s.counter(misjudged, &c.RetryErrors, name)
		if c.Discovers.Load() == 1 {
			s.discovery(c, name)
		}
	}
	for name, rule := range set.Rules() {
		s.counter(ruleHits, &rule.Hits, name)
		s.counter(ruleErrors, &rule.Errors, name)
	}
	for name, session := range set.Sessions() {
		s.session(session, name)
	}
	for name, l := range set.Listeners() {
		s.listener(l, name)
	}
	for l, c := range set.Certificates() {
		s.gauge(expiry, c.Expiry.Load(), l.Listener, l.Certificate)
	}
	for name, c := range set.Caches() {
		s.cache(c, name)
	}
	for name, e := range set.ESIs() {
		s.esi(e, &c.registry.ESI, name)
	}
	s.store(&c.registry.Store)
	for name, p := range set.Plugins() {
		s.plugin(p, name)
	}
	for l, p := range set.Places() {
		s.place(p, l.Plugin, l.Place)
	}
}

// sink takes the series of a scrape.
type sink struct{ ch chan<- prometheus.Metric }

func (s sink) counter(d *prometheus.Desc, c *metrics.Counter, labels ...string) {
	s.value(d, prometheus.CounterValue, float64(c.Load()), labels)
}

func (s sink) gauge(d *prometheus.Desc, n int64, labels ...string) {
	s.value(d, prometheus.GaugeValue, float64(n), labels)
}

func (s sink) value(d *prometheus.Desc, t prometheus.ValueType, v float64, labels []string) {
	m, err := prometheus.NewConstMetric(d, t, v, clean(labels)...)
	s.send(d, m, err)
}

func (s sink) histogram(d *prometheus.Desc, h *metrics.Histogram, labels ...string) {
	r := h.Load()
	buckets := make(map[float64]uint64, len(r.Buckets))
	for i, n := range r.Buckets {
		buckets[metrics.Bounds[i].Seconds()] = n
	}
	m, err := prometheus.NewConstHistogram(d, r.Count, r.Sum.Seconds(), buckets, clean(labels)...)
	s.send(d, m, err)
}

// send hands a series over. An error makes that one fail, not the scrape.
func (s sink) send(d *prometheus.Desc, m prometheus.Metric, err error) {
	if err != nil {
		m = prometheus.NewInvalidMetric(d, err)
	}
	s.ch <- m
}

// clean makes labels what the exposition allows, UTF-8.
func clean(labels []string) []string {
	for i, l := range labels {
		labels[i] = strings.ToValidUTF8(l, "\ufffd")
	}
	return labels
}

func (s sink) process(p *metrics.Process) {
	s.counter(panics, &p.Panics)
	s.gauge(tunnels, p.Tunnels.Load())
	s.counter(reloads, &p.ReloadsOK, "ok")
	s.counter(reloads, &p.ReloadsFailed, "failed")
	s.gauge(reloadOK, p.LastReloadOK.Load())
	s.gauge(revision, p.Revision.Load())
	s.gauge(applied, p.Applied.Load())
	s.counter(written, &p.AccessLog.Written)
	s.counter(lost, &p.AccessLog.Lost)
}

func (s sink) refusals(r *metrics.Registry) {
	for i := range r.Refusals {
		reason := r.Reason(i)
		if reason.Routed {
			s.counter(refusals, &r.Refusals[i].Routed, reason.Name, "true")
		}
		if reason.Unrouted {
			s.counter(refusals, &r.Refusals[i].Unrouted, reason.Name, "false")
		}
	}
}

// classes are the label values of [metrics.Mapping.Exchanges].
var classes = [...]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}

func (s sink) mapping(m *metrics.Mapping, labels ...string) {
	for i := range m.Exchanges {
		s.counter(exchanges, &m.Exchanges[i], append(labels[:len(labels):len(labels)], classes[i])...)
	}
	s.histogram(duration, &m.Duration, labels...)
	s.counter(requestBytes, &m.RequestBytes, labels...)
	s.counter(responseBytes, &m.ResponseBytes, labels...)
}

func (s sink) origin(o *metrics.Origin, labels ...string) {
	s.counter(attempts, &o.Attempts, labels...)
	s.counter(retries, &o.Retries, labels...)
	for i := range o.Failures {
		s.counter(failures, &o.Failures[i], append(labels[:len(labels):len(labels)], metrics.Phase(i).String())...)
	}
	s.gauge(load, o.Load.Load(), labels...)
	s.gauge(capacity, o.Capacity.Load(), labels...)
	s.gauge(auto, o.Learned.Load(), labels...)
	s.gauge(awaited, o.Waiting.Load(), labels...)
	s.gauge(upgraded, o.Tunnels.Load(), labels...)
	s.value(changes, prometheus.CounterValue, float64(o.Changes.Load()), labels)
	s.gauge(up, o.Up.Load(), labels...)
	s.gauge(state, o.State.Load(), labels...)
	s.gauge(operated, o.Operated.Load(), labels...)
	if o.Sampled.Load() == 1 {
		s.gauge(metric, o.Metric.Load(), labels...)
		s.counter(clamped, &o.Clamped, labels...)
		s.counter(nonsense, &o.Nonsense, labels...)
		s.counter(stale, &o.Stale, labels...)
		s.counter(odd, &o.Odd, labels...)
	}
	s.gauge(idle, o.Idle.Load(), labels...)
	s.counter(opened, &o.Opened, labels...)
	s.counter(reused, &o.Reused, labels...)
}

func (s sink) discovery(c *metrics.Cluster, name string) {
	s.gauge(foundOrigins, c.Found.Load(), name)
	s.gauge(foundOK, c.FoundOK.Load(), name)
	s.value(looks, prometheus.CounterValue, float64(c.Looks.Load()), []string{name, "ok"})
	s.value(looks, prometheus.CounterValue, float64(c.LooksLost.Load()), []string{name, "failed"})
	s.value(foundChanges, prometheus.CounterValue, float64(c.Changes.Load()), []string{name})
}

func (s sink) session(m *metrics.Session, name string) {
	s.counter(sessionRequests, &m.Bound, name, "bound")
	s.counter(sessionRequests, &m.Unknown, name, "unknown")
	s.counter(sessionRequests, &m.None, name, "none")
	s.counter(sessionRequests, &m.Lost, name, "lost")
	s.counter(learned, &m.Learned, name)
	s.gauge(bindings, m.Entries.Load(), name)
	s.value(evicted, prometheus.CounterValue, float64(m.Evicted.Load()), []string{name})
}

func (s sink) listener(l *metrics.Listener, name string) {
	s.counter(accepted, &l.Accepted, name)
	s.counter(refused, &l.Refused, name)
	s.gauge(opencons, l.Open.Load(), name)
	for i := range l.Handshakes {
		s.counter(hellos, &l.Handshakes[i], name, metrics.HandshakeFailure(i).String())
	}
}
