package metrics

import (
	"iter"
	"sync/atomic"
)

// MaxSeries is how many series a family may have. A histogram is one series.
const MaxSeries = 10_000

// Overflow is the value of every label of what is counted together because its
// family is full.
const Overflow = "__overflow__"

// A Registry holds what one gateway counts.
type Registry struct {
	Process Process
	Store   Store

	// Refusals are by reason, in the order of the reasons given to [New].
	Refusals []Refusal

	// Gauge, if set, is called before a reading: it sets the gauges that nobody
	// keeps up to date.
	Gauge func()

	// Guests, if set, are the metrics that the guests of plugins have defined.
	Guests func() []GuestMetric

	// ESI has the names of what [ESI] counts.
	ESI ESINames

	reasons []Reason
	current atomic.Pointer[Set]
}

// A Reason is one for which a gateway answers itself: its label value, and
// whether it can be found once a site is known, and before.
type Reason struct {
	Name             string
	Routed, Unrouted bool
}

// New makes a registry with nothing counted. Reasons is the closed list of
// reasons for which a gateway answers itself.
func New(reasons []Reason) *Registry {
	r := &Registry{Refusals: make([]Refusal, len(reasons)), reasons: reasons}
	r.current.Store(newSet(nil))
	return r
}

// Reason is that of Refusals[i].
func (r *Registry) Reason(i int) Reason { return r.reasons[i] }

// NewSet starts the set of a configuration that is being compiled. It knows the
// children in use; others it makes, and nobody sees these before [Registry.Use].
// A set that is never used needs no undoing.
func (r *Registry) NewSet() *Set { return newSet(r.current.Load()) }

// Use shows the children of s and no others. Sets must be used in the order in
// which they were started, or children in use may be counted twice.
func (r *Registry) Use(s *Set) { r.current.Store(s.sealed()) }

// Current is the set in use.
func (r *Registry) Current() *Set { return r.current.Load() }

// A Set has the children of one configuration. It is filled by one goroutine,
// and not after it is in use.
type Set struct {
	mappings  table[MappingLabels, Mapping]
	origins   table[OriginLabels, Origin]
	clusters  table[string, Cluster]
	sessions  table[string, Session]
	rules     table[string, Rule]
	listeners table[string, Listener]
	certs     table[CertificateLabels, Certificate]
	plugins   table[string, Plugin]
	places    table[PlaceLabels, Place]
	caches    table[string, Cache]
	esi       table[string, ESI]
}

// newSet makes an empty set that takes children over from last, which may be nil.
func newSet(last *Set) *Set {
	if last == nil {
		last = &Set{}
	}
	return &Set{
		mappings:  succeed(&last.mappings, len(Mapping{}.Exchanges), MappingLabels{Overflow, Overflow, Overflow}),
		origins:   succeed(&last.origins, len(Origin{}.Failures), OriginLabels{Overflow, Overflow}),
		clusters:  succeed(&last.clusters, 1, Overflow),
		sessions:  succeed(&last.sessions, 4, Overflow),
		rules:     succeed(&last.rules, 2, Overflow),
		listeners: succeed(&last.listeners, len(Listener{}.Handshakes), Overflow),
		certs:     succeed(&last.certs, 1, CertificateLabels{Overflow, Overflow}),
		plugins:   succeed(&last.plugins, len(PluginErrors), Overflow),
		places:    succeed(&last.places, len(BreakerStates), PlaceLabels{Overflow, Overflow}),
		caches:    succeed(&last.caches, len(CacheOutcomes), Overflow),
		esi:       succeed(&last.esi, len(ESI{}.Problems), Overflow),
	}
}

// sealed is s without what it took children from, so that these can go.
func (s *Set) sealed() *Set {
	s.mappings.last, s.origins.last, s.listeners.last, s.certs.last = nil, nil, nil, nil
	s.clusters.last, s.sessions.last, s.rules.last = nil, nil, nil
	s.plugins.last, s.places.last, s.caches.last, s.esi.last = nil, nil, nil, nil
	return s
}

// Mapping is the child with the labels; the same for the same labels.
func (s *Set) Mapping(l MappingLabels) *Mapping { return s.mappings.child(l) }

// Origin is the child with the labels; the same for the same labels.
func (s *Set) Origin(l OriginLabels) *Origin { return s.origins.child(l) }

// Cluster is the child with the name; the same for the same name.
func (s *Set) Cluster(name string) *Cluster { return s.clusters.child(name) }

// Session is the child with the name; the same for the same name.
func (s *Set) Session(name string) *Session { return s.sessions.child(name) }

// Rule is the child with the name; the same for the same name.
func (s *Set) Rule(name string) *Rule { return s.rules.child(name) }

// Listener is the child with the name; the same for the same name.
func (s *Set) Listener(name string) *Listener { return s.listeners.child(name) }

// Certificate is the child with the labels; the same for the same labels.
func (s *Set) Certificate(l CertificateLabels) *Certificate { return s.certs.child(l) }

// Plugin is the child with the name; the same for the same name.
func (s *Set) Plugin(name string) *Plugin { return s.plugins.child(name) }

// Place is the child with the labels; the same for the same labels.
func (s *Set) Place(l PlaceLabels) *Place { return s.places.child(l) }

// Cache is the child with the name of a site; the same for the same name.
func (s *Set) Cache(site string) *Cache { return s.caches.child(site) }

// ESI is the child with the name of a site; the same for the same name.
func (s *Set) ESI(site string) *ESI { return s.esi.child(site) }

// Mappings are all children, in no order.
func (s *Set) Mappings() iter.Seq2[MappingLabels, *Mapping] { return s.mappings.all() }

// Origins are all children, in no order.
func (s *Set) Origins() iter.Seq2[OriginLabels, *Origin] { return s.origins.all() }

// Clusters are all children by name, in no order.
func (s *Set) Clusters() iter.Seq2[string, *Cluster] { return s.clusters.all() }

// Sessions are all children by name, in no order.
func (s *Set) Sessions() iter.Seq2[string, *Session] { return s.sessions.all() }

// Rules are all children by name, in no order.
func (s *Set) Rules() iter.Seq2[string, *Rule] { return s.rules.all() }

// Listeners are all children by name, in no order.
func (s *Set) Listeners() iter.Seq2[string, *Listener] { return s.listeners.all() }

// Certificates are all children, in no order.
func (s *Set) Certificates() iter.Seq2[CertificateLabels, *Certificate] { return s.certs.all() }

// Plugins are all children by name, in no order.
func (s *Set) Plugins() iter.Seq2[string, *Plugin] { return s.plugins.all() }

// Places are all children, in no order.
func (s *Set) Places() iter.Seq2[PlaceLabels, *Place] { return s.places.all() }

// Caches are all children by the name of their site, in no order.
func (s *Set) Caches() iter.Seq2[string, *Cache] { return s.caches.all() }

// ESIs are all children by the name of their site, in no order.
func (s *Set) ESIs() iter.Seq2[string, *ESI] { return s.esi.all() }

// Overflowed is how often a child was asked for whose family was full.
func (s *Set) Overflowed() int {
	return s.mappings.over + s.origins.over + s.clusters.over + s.sessions.over + s.rules.over + s.listeners.over + s.certs.over +
		s.plugins.over + s.places.over + s.caches.over + s.esi.over
}

// A table has the children of one kind.
type table[L comparable, C any] struct {
	children map[L]*C
	last     map[L]*C // children to take over
	limit    int      // of children, so that no family exceeds MaxSeries
	overflow L
	over     int // calls of child that were given the overflow child
}

// succeed starts the table that comes after last. Width is how many series a
// child has in the widest of its families. One child is kept for the overflow.
func succeed[L comparable, C any](last *table[L, C], width int, overflow L) table[L, C] {
	return table[L, C]{
		children: map[L]*C{},
		last:     last.children,
		limit:    MaxSeries/width - 1,
		overflow: overflow,
	}
}

func (t *table[L, C]) child(l L) *C {
	if c := t.children[l]; c != nil {
		return c
	}
	if len(t.children) >= t.limit {
		t.over++
		l = t.overflow
	}
	return t.make(l)
}

// make is the child with the labels, from here, from the last set, or new.
func (t *table[L, C]) make(l L) *C {
	if c := t.children[l]; c != nil {
		return c
	}
	c := t.last[l]
	if c == nil {
		c = new(C)
	}
	t.children[l] = c
	return c
}

func (t *table[L, C]) all() iter.Seq2[L, *C] {
	return func(yield func(L, *C) bool) {
		for l, c := range t.children {
			if !yield(l, c) {
				return
			}
		}
	}
}
