package route

import (
	"errors"
	"fmt"
	"slices"

	"weirkeep/gateway/session"
)

// Options are the sites and mappings of one configuration.
type Options struct {
	Sites    []Site
	Mappings []Mapping // in order: the first that fits decides

	// DefaultSite is the index of the site that takes requests without host
	// information; -1: none, they are refused. Its path prefix does not count
	// for them, nor for requests with its host that no mapping takes as written.
	DefaultSite int

	Clusters     []Cluster
	Applications []Application
	Rules        []Rule // in the order in which they are tried: those of all sites, then those of each

	// Active are the labels of the editions that serve an application's requests
	// which no rule sends to an edition, by the application's name. The origins
	// of an application that is not here serve them whatever their edition.
	Active map[string][]string

	// ShieldsAll: a binding shields from every rule, not only from permits.
	ShieldsAll bool

	// OverrideAffinity: no binding shields from anything.
	OverrideAffinity bool
}

// A Cluster is a named set of origins.
type Cluster struct {
	Origins []Origin
}

// A Site is the names that clients may use for one site.
type Site struct {
	Name       string
	Hosts      []string // "name" or "name:port", "*" being one label and "**" one or more; no port: any. At least one
	PathPrefix string   // of the whole path, ends at a segment boundary; empty or "/": every path
}

// A Mapping sends a site's requests, or those that a prefix fits, to a group.
type Mapping struct {
	Site        int    // index into Options.Sites
	Prefix      string // of the whole path, not of what follows the site's; may have a query. Empty or "/": every request
	StripPrefix bool   // the origin does not see the prefix's path

	// Clusters are balanced over as one group; or the application that fits best
	// says which. Failover are clusters for when no origin of those before can be
	// used, one group each.
	Clusters     []int // indexes into Options.Clusters
	Applications []int // indexes into Options.Applications; nil: Clusters count
	Failover     []int
	Balancer     string // handed back in the groups of Clusters; empty: the lead cluster's

	Session   *session.Definition // nil: its requests are of no session
	OnPrimary OnPrimaryDown       // what holds when the origin of a session is out
}

// A Table is compiled from [Options] by [New] and never changes.
type Table struct {
	sites       []site
	mappings    []mapping
	doors       map[string]*door // by host: every host that some site names without wildcards
	elsewhere   door             // for all other hosts
	defaultSite int              // -1: none
	ofDefault   []int            // the default site's mappings

	clusters     []Cluster
	applications []application
	clustersOf   [][]int // of applications
	active       map[string][]string
	identities   int            // how many origins there are
	byName       map[string]int // identity, by BindName
	byID         map[string]int // identity, by the ids that sessions name origins with
	names        [][]string     // BindName, by cluster and origin

	groups   []Group
	orders   [][]int // of groups
	sets     []bestSet
	variants []string
	interned interned

	rules      []rule
	permits    []permit // that rules have
	judges     []*judge // by site
	shieldsAll bool
	override   bool
}

type site struct {
	name  string
	hosts []hostPattern
	path  prefix
}

type mapping struct {
	site   int
	prefix prefix
	strip  int

	apps     []int // its applications; nil: none are named
	sets     []int // its best sets: one for each application, or one
	session  *session.Definition
	onDown   OnPrimaryDown
	balancer string
}

// setFor is the index of the best set of one of the mapping's applications.
func (m *mapping) setFor(app int) int {
	if app < 0 {
		return m.sets[0]
	}
	return m.sets[slices.Index(m.apps, app)]
}

// A door is what a host can come to. Order is that of the options.
type door struct {
	sites    []candidate
	mappings []candidate
}

// A candidate is a site, or a mapping of it, that may have the door's host.
type candidate struct {
	site    int
	mapping int           // -1 among a door's sites
	hosts   []hostPattern // the site's that may fit
}

// New compiles a table. Its error names every mistake, by configuration key.
func New(o Options) (*Table, error) {
	t := &Table{
		defaultSite: o.DefaultSite, clusters: o.Clusters, active: o.Active,
		shieldsAll: o.ShieldsAll, override: o.OverrideAffinity,
	}
	t.nameOrigins()
	err := errors.Join(t.addSites(o.Sites), t.addApplications(o.Applications), t.addMappings(o.Mappings))
	if o.DefaultSite < -1 || o.DefaultSite >= len(o.Sites) {
		err = errors.Join(err, fmt.Errorf("default_site: there is no site %d", o.DefaultSite))
	}
	if err != nil {
		return nil, err
	}
	t.openDoors()
	t.addRules(o.Rules)
	t.addSets(o.Mappings)
	return t, nil
}

func (t *Table) addApplications(all []Application) error {
	var errs []error
	for _, a := range all {
		c, err := compileApplication(a)
		if err != nil {
			errs = append(errs, err)
		}
		t.applications = append(t.applications, c)
		t.clustersOf = append(t.clustersOf, a.Clusters)
	}
	return errors.Join(errs...)
}

func (t *Table) addSites(sites []Site) error {
	var errs []error
	for _, s := range sites {
		path, err := parsePrefix(s.PathPrefix)
		if err == nil && path.query != "" {
			err = errors.New("a site's prefix is a path, without a query")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("sites.%s.path_prefix: %q: %w", s.Name, s.PathPrefix, err))
		}
		hosts, err := parseHosts(s)
		errs = append(errs, err)
		t.sites = append(t.sites, site{name: s.Name, hosts: hosts, path: path})
	}
	return errors.Join(errs...)
}

func parseHosts(s Site) ([]hostPattern, error) {
	if len(s.Hosts) == 0 {
		return nil, fmt.Errorf("sites.%s.hosts: none is given; \"**\" stands for every host", s.Name)
	}
	var hosts []hostPattern
	var errs []error
	for i, text := range s.Hosts {
		h, err := parseHost(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("sites.%s.hosts[%d]: %q: %w", s.Name, i, text, err))
		}
		hosts = append(hosts, h)
	}
	return hosts, errors.Join(errs...)
}

func (t *Table) addMappings(mappings []Mapping) error {
	var errs []error
	for i, m := range mappings {
		if err := t.addMapping(m); err != nil {
			errs = append(errs, fmt.Errorf("mappings[%d]%w", i, err))
		}
	}
	return errors.Join(errs...)
}

func (t *Table) addMapping(m Mapping) error {
	if m.Site < 0 || m.Site >= len(t.sites) {
		return fmt.Errorf(".site: there is no site %d", m.Site)
	}
	p, err := parsePrefix(m.Prefix)
	if err != nil {
		return fmt.Errorf(".prefix: %q: %w", m.Prefix, err)
	}
	s := &t.sites[m.Site]
	if m.Site != t.defaultSite && !p.within(&s.path) {
		return fmt.Errorf(".prefix: %q can never match: it lies outside path_prefix %q of site %q", m.Prefix, s.path.text, s.name)
	}
	c := mapping{site: m.Site, prefix: p, apps: m.Applications, session: m.Session, onDown: m.OnPrimary, balancer: m.Balancer}
	if m.StripPrefix {
		c.strip = p.strip()
	}
	if m.Site == t.defaultSite {
		t.ofDefault = append(t.ofDefault, len(t.mappings))
	}
	t.mappings = append(t.mappings, c)
	return nil
}

// openDoors sorts out what each host that is named can come to, and what is
// left for the others: the sites with wildcards.
func (t *Table) openDoors() {
	t.doors = map[string]*door{}
	for _, s := range t.sites {
		for _, h := range s.hosts {
			if h.labels == nil && t.doors[h.name] == nil {
				t.doors[h.name] = t.newDoor(func(o hostPattern) (hostPattern, bool) {
					o.settled = o.fitsHost([]byte(h.name))
					return o, o.settled
				})
			}
		}
	}
	t.elsewhere = *t.newDoor(func(h hostPattern) (hostPattern, bool) { return h, h.labels != nil })
}

// newDoor keeps the host patterns that keep lets through, and with them the
// sites that have any, and their mappings.
func (t *Table) newDoor(keep func(hostPattern) (hostPattern, bool)) *door {
	d := &door{}
	kept := make([][]hostPattern, len(t.sites))
	for i, s := range t.sites {
		for _, h := range s.hosts {
			if h, ok := keep(h); ok {
				kept[i] = append(kept[i], h)
			}
		}
		if kept[i] != nil {
			d.sites = append(d.sites, candidate{site: i, mapping: -1, hosts: kept[i]})
		}
	}
	for i, m := range t.mappings {
		if kept[m.site] != nil {
			d.mappings = append(d.mappings, candidate{site: m.site, mapping: i, hosts: kept[m.site]})
		}
	}
	return d
}
