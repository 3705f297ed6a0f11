package metrics

import (
	"maps"
	"strconv"
	"testing"
)

var shop = OriginLabels{Cluster: "shop", Origin: "web1"}

func origins(r *Registry) map[OriginLabels]*Origin { return maps.Collect(r.Current().Origins()) }

func TestChildOutlivesReloadByItsLabels(t *testing.T) {
	r := New(nil)
	first := r.NewSet()
	first.Origin(shop).Attempts.Inc()
	r.Use(first)

	second := r.NewSet()
	second.Origin(shop).Attempts.Inc()
	r.Use(second)
	if n := origins(r)[shop].Attempts.Load(); n != 2 {
		t.Errorf("attempts = %d, want 2: one before the reload, one after", n)
	}
}

func TestChildIsOneForOneSetOfLabels(t *testing.T) {
	s := New(nil).NewSet()
	if s.Origin(shop) != s.Origin(shop) || s.Listener("a") != s.Listener("a") {
		t.Error("the same labels gave two children")
	}
	a, b := s.Mapping(MappingLabels{"s", "m", "c"}), s.Mapping(MappingLabels{"s", "m", "d"})
	if a == b {
		t.Error("two sets of labels gave one child")
	}
}

func TestRefusedConfigurationLeavesNoTrace(t *testing.T) {
	r := New(nil)
	s := r.NewSet()
	s.Origin(shop)
	r.Use(s)
	refused := r.NewSet()
	refused.Origin(OriginLabels{"shop", "new"}).Attempts.Inc()
	if got := origins(r); len(got) != 1 || got[shop] == nil {
		t.Errorf("origins = %v, want shop alone", got)
	}
}

// OB-06: series of origins that are gone stayed for ever.
func TestSeriesOfRemovedOriginsVanishAtOnce(t *testing.T) {
	r := New(nil)
	for i := range 1000 {
		s := r.NewSet()
		s.Origin(OriginLabels{"shop", strconv.Itoa(i)}).Attempts.Inc()
		r.Use(s)
		if n := len(origins(r)); n != 1 {
			t.Fatalf("after reload %d there are %d origins, want 1", i, n)
		}
	}
	s := r.NewSet()
	s.Origin(OriginLabels{"shop", "0"})
	r.Use(s)
	if n := origins(r)[OriginLabels{"shop", "0"}].Attempts.Load(); n != 0 {
		t.Errorf("an origin that came back has %d attempts, want 0", n)
	}
	if r.Current().origins.last != nil {
		t.Error("the set in use holds on to its predecessor")
	}
}

// OB-05: no family grows over its limit, however large the configuration.
func TestFamiliesAreBounded(t *testing.T) {
	r := New(nil)
	const asked = MaxSeries + 100
	s := r.NewSet()
	for i := range asked {
		name := strconv.Itoa(i)
		s.Mapping(MappingLabels{"s", name, "c"}).Exchange(200)
		s.Origin(OriginLabels{"c", name}).Attempts.Inc()
		s.Cluster(name).Waiting.Inc()
		s.Session(name).Bound.Inc()
		s.Listener(name).Accepted.Inc()
		s.Certificate(CertificateLabels{"l", name}).Expiry.Inc()
		s.Plugin(name).Calls.Inc()
		s.Place(PlaceLabels{"p", name}).Idle.Inc()
		s.Cache(name).Outcomes[CacheHit].Inc()
		s.ESI(name).Pages.Inc()
	}
	r.Use(s)

	mappings, listeners := maps.Collect(s.Mappings()), maps.Collect(s.Listeners())
	clusters, sessions, certs := maps.Collect(s.Clusters()), maps.Collect(s.Sessions()), maps.Collect(s.Certificates())
	plugins, places, caches, esi := maps.Collect(s.Plugins()), maps.Collect(s.Places()), maps.Collect(s.Caches()), maps.Collect(s.ESIs())
	for _, tt := range []struct {
		kind           string
		children, each int
		rest           uint64 // counted in the overflow child
	}{
		{"mappings", len(mappings), 6, mappings[MappingLabels{Overflow, Overflow, Overflow}].Exchanges[2].Load()},
		{"origins", len(origins(r)), 4, origins(r)[OriginLabels{Overflow, Overflow}].Attempts.Load()},
		{"clusters", len(clusters), 1, uint64(clusters[Overflow].Waiting.Load())},
		{"sessions", len(sessions), 4, sessions[Overflow].Bound.Load()},
		{"listeners", len(listeners), 5, listeners[Overflow].Accepted.Load()},
		{"certificates", len(certs), 1, uint64(certs[CertificateLabels{Overflow, Overflow}].Expiry.Load())},
		{"plugins", len(plugins), 11, plugins[Overflow].Calls.Load()},
		{"caches", len(caches), len(CacheOutcomes), caches[Overflow].Outcomes[CacheHit].Load()},
		{"esi", len(esi), len(ESI{}.Problems), esi[Overflow].Pages.Load()},
		{"places", len(places), 3, uint64(places[PlaceLabels{Overflow, Overflow}].Idle.Load())},
	} {
		if series := tt.children * tt.each; series > MaxSeries || series <= MaxSeries-tt.each {
			t.Errorf("%s: %d series, want just %d", tt.kind, series, MaxSeries)
		}
		if own := uint64(tt.children - 1); own+tt.rest != asked {
			t.Errorf("%s: %d in own series and %d in the overflow, want %d together", tt.kind, own, tt.rest, asked)
		}
	}
	if over := s.Overflowed(); over != 10*asked-(len(mappings)+len(origins(r))+len(clusters)+len(sessions)+len(listeners)+len(certs)+len(plugins)+len(places)+len(caches)+len(esi)-10) {
		t.Errorf("overflowed = %d", over)
	}
}

func TestOverflowChildOutlivesReload(t *testing.T) {
	r := New(nil)
	for range 2 {
		s := r.NewSet()
		for i := range MaxSeries/len(Listener{}.Handshakes) + 1 {
			s.Listener(strconv.Itoa(i)).Accepted.Inc()
		}
		r.Use(s)
	}
	listeners := maps.Collect(r.Current().Listeners())
	if n := listeners[Overflow].Accepted.Load(); n != 4 {
		t.Errorf("overflow counted %d, want 4: two at each of two applies", n)
	}
}

func TestReasonsNameTheirRefusals(t *testing.T) {
	r := New([]Reason{{Name: "no-site"}, {Name: "busy"}})
	r.Refusals[1].Routed.Inc()
	if len(r.Refusals) != 2 || r.Reason(1).Name != "busy" {
		t.Errorf("%d refusals, the second named %q", len(r.Refusals), r.Reason(1).Name)
	}
}

// Whoever reads while sets change sees a whole set, and no count is lost of a
// child that stays.
func TestHammerUse(t *testing.T) {
	r := New(nil)
	s := r.NewSet()
	kept := s.Origin(shop)
	r.Use(s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 500 {
			s := r.NewSet()
			s.Origin(shop)
			s.Origin(OriginLabels{"shop", strconv.Itoa(i)})
			r.Use(s)
		}
	}()
	hammer(4, 2000, func() {
		kept.Attempts.Inc()
		if origins(r)[shop] != kept {
			t.Error("the child that stays was exchanged")
		}
	})
	<-done
	if n := kept.Attempts.Load(); n != 8000 {
		t.Errorf("attempts = %d, want 8000", n)
	}
}
