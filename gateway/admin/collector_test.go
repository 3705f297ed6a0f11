package admin

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/metrics"
)

// counted is a registry in which everything has happened once.
func counted() *metrics.Registry {
	r := metrics.New([]metrics.Reason{{Name: "served"}, {Name: "no_site", Unrouted: true}, {Name: "busy", Routed: true}})
	s := r.NewSet()
	m := s.Mapping(metrics.MappingLabels{Site: "shop", Mapping: "2", Cluster: "web"})
	m.Exchange(200)
	m.Duration.Observe(20 * time.Millisecond)
	m.RequestBytes.Add(10)
	m.ResponseBytes.Add(1024)
	o := s.Origin(metrics.OriginLabels{Cluster: "web", Origin: `w"1\` + "\n\xff"})
	o.Attempts.Inc()
	o.Failures[metrics.Wait].Inc()
	o.Up.Set(1)
	o.State.Set(2)
	o.Operated.Set(1)
	o.Load.Set(3)
	o.Capacity.Set(50)
	o.Learned.Set(1)
	o.Changes.Set(2)
	o.Sampled.Set(1)
	o.Metric.Set(40)
	o.Nonsense.Add(3)
	s.Cluster("web").Waiting.Set(4)
	s.Cluster("web").Wait.Observe(20 * time.Millisecond)
	s.Cluster("web").Discovers.Set(1)
	s.Cluster("web").Found.Set(3)
	s.Cluster("web").FoundOK.Set(1)
	s.Cluster("web").LooksLost.Set(2)
	s.Cluster("web").Changes.Set(6)
	s.Session("JSESSIONID").Bound.Inc()
	s.Session("JSESSIONID").Evicted.Set(5)
	s.Listener("http").Accepted.Inc()
	s.Listener("http").Handshakes[metrics.ClientCertificate].Inc()
	s.Certificate(metrics.CertificateLabels{Listener: "http", Certificate: "/tls/a.pem"}).Expiry.Set(-60)
	p := s.Plugin("chooser")
	p.Calls.Add(5)
	p.Fuel.Add(1200)
	p.Duration.Observe(20 * time.Millisecond)
	p.Codes[3].Inc()
	p.Faults[3].Add(2)
	p.NotCalled[2].Inc()
	p.Unlisted[1].Inc()
	p.Waits.Inc()
	p.Generation.Set(2)
	at := s.Place(metrics.PlaceLabels{Plugin: "chooser", Place: "cluster main/web"})
	at.Instances.Set(3)
	at.Idle.Set(1)
	at.Memory.Set(131072)
	at.Breaker[1].Set(1)
	r.Guests = func() []metrics.GuestMetric {
		return []metrics.GuestMetric{
			{Plugin: "chooser", Name: "hits", Counter: true, Value: 7},
			{Plugin: "chooser", Name: "size", Value: -0.5},
			{Plugin: "other", Name: "hits", Counter: true, Value: 8},
			{Plugin: "other", Name: "hits_total", Value: 9},
		}
	}
	s.Cache("shop").Outcomes[metrics.CacheStale].Add(2)
	s.Cache("shop").Stored.Add(3)
	s.Cache("shop").RuleErrors.Inc()
	s.Cache("shop").Encoded.Add(2)
	s.Cache("shop").Coded.Add(9)
	s.Cache("shop").Saved.Add(4096)
	e := s.ESI("shop")
	e.Pages.Add(9)
	e.Broken.Add(2)
	e.Left.Inc()
	e.Templates.Add(3)
	e.Problems[1].Add(4)
	e.Fragments.Add(30)
	e.Ready.Add(25)
	e.Failures[1].Add(5)
	e.Recovered.Add(3)
	e.Lost.Add(2)
	e.Injected.Add(6)
	r.ESI.Problems[0], r.ESI.Problems[1] = "loose", "unknown-element"
	r.ESI.Failures[1] = "too-deep"
	r.Store.Limit.Set(1 << 20)
	r.Store.Bytes.Set(4096)
	r.Store.Evictions.Set(7)
	r.Store.Expired.Add(5)
	r.Store.Disk.Limit.Set(4 << 20)
	r.Store.Disk.Hits.Set(6)
	r.Store.Disk.Evicted.Set(7)
	r.Store.Disk.Corrupt.Set(2)
	r.Refusals[1].Unrouted.Inc()
	r.Process.ReloadsFailed.Inc()
	r.Process.AccessLog.Lost.Add(3)
	r.Use(s)
	return r
}

func TestExposition(t *testing.T) {
	o := options(running(), io.Discard)
	o.Metrics = counted()
	url := startTCP(t, o)
	_, _, body := ask(t, "GET", url+"/metrics")
	const origin = `cluster="web",origin="w\"1\\\n�"`
	for _, line := range []string{
		`weirkeep_gateway_exchanges_total{class="2xx",cluster="web",mapping="2",site="shop"} 1`,
		`weirkeep_gateway_exchanges_total{class="5xx",cluster="web",mapping="2",site="shop"} 0`,
		`weirkeep_gateway_exchange_duration_seconds_bucket{cluster="web",mapping="2",site="shop",le="0.01"} 0`,
		`weirkeep_gateway_exchange_duration_seconds_bucket{cluster="web",mapping="2",site="shop",le="0.025"} 1`,
		`weirkeep_gateway_exchange_duration_seconds_sum{cluster="web",mapping="2",site="shop"} 0.02`,
		`weirkeep_gateway_request_body_bytes_total{cluster="web",mapping="2",site="shop"} 10`,
		`weirkeep_gateway_response_body_bytes_total{cluster="web",mapping="2",site="shop"} 1024`,
		`weirkeep_gateway_refusals_total{reason="no_site",routed="false"} 1`,
		`weirkeep_gateway_refusals_total{reason="busy",routed="true"} 0`,
		`weirkeep_origin_attempts_total{` + origin + `} 1`,
		`weirkeep_origin_failures_total{` + origin + `,phase="wait"} 1`,
		`weirkeep_origin_up{` + origin + `} 1`,
		`weirkeep_origin_state{` + origin + `} 2`,
		`weirkeep_origin_state_by_operator{` + origin + `} 1`,
		`weirkeep_origin_load_slots{` + origin + `} 3`,
		`weirkeep_origin_capacity_slots{` + origin + `} 50`,
		`weirkeep_origin_metric{` + origin + `} 40`,
		`weirkeep_origin_metric_clamped_total{` + origin + `} 0`,
		`weirkeep_origin_metric_nonsense_total{` + origin + `} 3`,
		`weirkeep_origin_metric_stale_total{` + origin + `} 0`,
		`weirkeep_origin_metric_mixed_total{` + origin + `} 0`,
		`weirkeep_origin_health_changes_total{` + origin + `} 2`,
		`weirkeep_admission_waiting_exchanges{cluster="web"} 4`,
		`weirkeep_admission_wait_seconds_bucket{cluster="web",le="0.025"} 1`,
		`weirkeep_discovery_up{cluster="web"} 1`,
		`weirkeep_discovery_origins{cluster="web"} 3`,
		`weirkeep_discovery_looks_total{cluster="web",result="failed"} 2`,
		`weirkeep_discovery_changes_total{cluster="web"} 6`,
		`weirkeep_session_requests_total{binding="bound",session="JSESSIONID"} 1`,
		`weirkeep_session_requests_total{binding="none",session="JSESSIONID"} 0`,
		`weirkeep_session_bindings_evicted_total{session="JSESSIONID"} 5`,
		`weirkeep_listener_connections_accepted_total{listener="http"} 1`,
		`weirkeep_listener_handshakes_failed_total{listener="http",reason="client_certificate"} 1`,
		`weirkeep_listener_handshakes_failed_total{listener="http",reason="not_tls"} 0`,
		`weirkeep_certificate_expiry_seconds{certificate="/tls/a.pem",listener="http"} -60`,
		`weirkeep_plugins_calls_total{plugin="chooser"} 5`,
		`weirkeep_plugins_call_duration_seconds_sum{plugin="chooser"} 0.02`,
		`weirkeep_plugins_call_duration_seconds_count{plugin="chooser"} 1`,
		`weirkeep_plugins_fuel_total{plugin="chooser"} 1200`,
		`weirkeep_plugins_errors_total{code="bad-argument",plugin="chooser"} 1`,
		`weirkeep_plugins_faults_total{kind="exhausted",plugin="chooser"} 2`,
		`weirkeep_plugins_faults_total{kind="trap",plugin="chooser"} 0`,
		`weirkeep_plugins_not_called_total{plugin="chooser",reason="breaker-open"} 1`,
		`weirkeep_plugins_skipped_origins_total{plugin="chooser",reason="not_permitted"} 1`,
		`weirkeep_plugins_instance_waits_total{plugin="chooser"} 1`,
		`weirkeep_plugins_generation{plugin="chooser"} 2`,
		`weirkeep_plugins_instances{place="cluster main/web",plugin="chooser"} 3`,
		`weirkeep_plugins_idle_instances{place="cluster main/web",plugin="chooser"} 1`,
		`weirkeep_plugins_memory_bytes{place="cluster main/web",plugin="chooser"} 131072`,
		`weirkeep_plugins_breaker_state{place="cluster main/web",plugin="chooser",state="open"} 1`,
		`weirkeep_plugins_breaker_state{place="cluster main/web",plugin="chooser",state="closed"} 0`,
		`weirkeep_plugins_guest_hits_total{plugin="chooser"} 7`,
		`weirkeep_plugins_guest_hits_total{plugin="other"} 8`,
		`weirkeep_plugins_guest_size{plugin="chooser"} -0.5`,
		`weirkeep_cache_exchanges_total{outcome="stale",site="shop"} 2`,
		`weirkeep_cache_exchanges_total{outcome="hit",site="shop"} 0`,
		`weirkeep_cache_stored_total{site="shop"} 3`,
		`weirkeep_cache_refreshes_total{site="shop"} 0`,
		`weirkeep_cache_invalidated_targets_total{site="shop"} 0`,
		`weirkeep_cache_slices_fetched_total{site="shop"} 0`,
		`weirkeep_cache_slices_sent_total{site="shop"} 0`,
		`weirkeep_cache_rule_errors_total{site="shop"} 1`,
		`weirkeep_cache_encoded_total{site="shop"} 2`,
		`weirkeep_cache_coded_total{site="shop"} 9`,
		`weirkeep_cache_coded_saved_bytes_total{site="shop"} 4096`,
		`weirkeep_esi_pages_total{outcome="whole",site="shop"} 9`,
		`weirkeep_esi_pages_total{outcome="broken",site="shop"} 2`,
		`weirkeep_esi_pages_total{outcome="left",site="shop"} 1`,
		`weirkeep_esi_templates_read_total{site="shop"} 3`,
		`weirkeep_esi_problems_total{kind="unknown-element",site="shop"} 4`,
		`weirkeep_esi_problems_total{kind="loose",site="shop"} 0`,
		`weirkeep_esi_fragments_total{had="ready",site="shop"} 25`,
		`weirkeep_esi_fragments_total{had="fetched",site="shop"} 5`,
		`weirkeep_esi_failures_total{failure="too-deep",site="shop"} 5`,
		`weirkeep_esi_failures_ended_total{end="recovered",site="shop"} 3`,
		`weirkeep_esi_failures_ended_total{end="lost",site="shop"} 2`,
		`weirkeep_esi_injected_requests_total{site="shop"} 6`,
		`weirkeep_cache_objects 0`,
		`weirkeep_cache_bytes 4096`,
		`weirkeep_cache_limit_bytes 1.048576e+06`,
		`weirkeep_cache_fetches 0`,
		`weirkeep_cache_evicted_total 7`,
		`weirkeep_cache_rejected_total 0`,
		`weirkeep_cache_purged_total{how="soft"} 5`,
		`weirkeep_cache_purged_total{how="hard"} 0`,
		`weirkeep_cache_disk_objects 0`,
		`weirkeep_cache_disk_limit_bytes 4.194304e+06`,
		`weirkeep_cache_disk_hits_total 6`,
		`weirkeep_cache_disk_evictions_total 7`,
		`weirkeep_cache_disk_failures_total{what="damaged"} 2`,
		`weirkeep_cache_disk_failures_total{what="unkept"} 0`,
		`weirkeep_config_reloads_total{result="failed"} 1`,
		`weirkeep_config_last_reload_ok 0`,
		`weirkeep_access_log_records_lost_total 3`,
		`weirkeep_metrics_overflowed_labels 0`,
	} {
		if !strings.Contains(body, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	for _, impossible := range []string{`reason="served"`, `reason="no_site",routed="true"`, `reason="busy",routed="false"`, `hits_total{plugin="other"} 9`, `failure="",`, `kind="",`} {
		if strings.Contains(body, impossible) {
			t.Errorf("there are rows with %s, which can never be counted", impossible)
		}
	}
	for _, part := range []string{`weirkeep_build_info{goversion="go`, "go_goroutines ", "process_open_fds "} {
		if !strings.Contains(body, "\n"+part) {
			t.Errorf("no %s", part)
		}
	}
}

func TestNamesAreRegular(t *testing.T) {
	o := options(running(), io.Discard)
	o.Metrics = counted()
	url := startTCP(t, o)
	_, _, body := ask(t, "GET", url+"/metrics")
	types := regexp.MustCompile(`(?m)^# TYPE (weirkeep_\S+) (\S+)$`).FindAllStringSubmatch(body, -1)
	if len(types) != 107 {
		t.Errorf("%d families, want 107", len(types))
	}
	for _, f := range types {
		if counter := f[2] == "counter"; counter != strings.HasSuffix(f[1], "_total") {
			t.Errorf("%s is a %s", f[1], f[2])
		}
	}
}

// OB-06: a scrape shows no series of what a reload took away.
func TestScrapeForgetsWhatIsGone(t *testing.T) {
	o := options(running(), io.Discard)
	o.Metrics = counted()
	url := startTCP(t, o)
	o.Metrics.Use(o.Metrics.NewSet())
	o.Metrics.Guests = nil // as of a configuration without plugins
	_, _, body := ask(t, "GET", url+"/metrics")
	for _, label := range []string{`site=`, `origin=`, `listener=`, `cluster=`, `session=`, `plugin=`} {
		if strings.Contains(body, label) {
			t.Errorf("series with %s are left", label)
		}
	}
}
