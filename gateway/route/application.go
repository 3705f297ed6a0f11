package route

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Application is what is deployed below a context root (M-BEST-01).
type Application struct {
	Name        string
	Hosts       []string // as those of a site; none: any
	ContextRoot string   // of the path, ends at a segment boundary; empty or "/": every path
	Patterns    []string // below the context root: "/exact", "/path/*", "*.ext", "/" for what nothing else fits; none: "/*"
	Clusters    []int    // indexes into Options.Clusters
}

// application is a compiled [Application].
type application struct {
	name     string
	hosts    []virtualHost
	root     prefix
	patterns []servletPattern // the best first
}

// A virtualHost is one entry of an application's hosts.
type virtualHost struct {
	hostPattern
	weight int // the one with more fits better
}

// A patternKind says how a pattern fits; the greater, the better.
type patternKind uint8

const (
	defaultPattern patternKind = iota // "/"
	byExtension                       // "*.ext"
	byPath                            // "/path/*"
	exact                             // "/path"
)

// servletPattern is one pattern of an application.
type servletPattern struct {
	kind patternKind
	text string // as configured
	want string // path or extension, without wildcard
}

func compileApplication(a Application) (application, error) {
	c := application{name: a.Name}
	var errs []error
	wrong := func(key, text string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("applications.%s.%s: %q: %w", a.Name, key, text, err))
		}
	}
	for i, text := range a.Hosts {
		h, err := parseHost(text)
		wrong(fmt.Sprintf("hosts[%d]", i), text, err)
		c.hosts = append(c.hosts, virtualHost{h, weigh(&h)})
	}
	root, err := parsePath(strings.TrimSuffix(a.ContextRoot, "/"))
	wrong("context_root", a.ContextRoot, err)
	c.root = root
	for i, text := range a.Patterns {
		p, err := parsePattern(text)
		wrong(fmt.Sprintf("patterns[%d]", i), text, err)
		c.patterns = append(c.patterns, p)
	}
	if c.patterns == nil {
		c.patterns = []servletPattern{{kind: byPath, text: "/*"}}
	}
	slices.SortStableFunc(c.patterns, byFitness)
	return c, errors.Join(errs...)
}

// weigh is the more, the fewer hosts a pattern fits: by what is written beside
// wildcards, then a wildcard for one label before one for more, then one port
// before any. Of what fits the same host, a name without wildcard has the most
// written. It is never 0.
func weigh(h *hostPattern) int {
	weight := 1 + 4*(len(h.name)-strings.Count(h.name, "*"))
	if !strings.Contains(h.name, "**") {
		weight += 2
	}
	if h.port != 0 {
		weight += 1
	}
	return weight
}

// byFitness sorts the better patterns first.
func byFitness(a, b servletPattern) int {
	return cmp.Or(cmp.Compare(b.kind, a.kind), cmp.Compare(len(b.want), len(a.want)))
}

// parsePath reads a path, and brings it to canonical form.
func parsePath(text string) (prefix, error) {
	p, err := parsePrefix(text)
	if err == nil && p.query != "" {
		err = errors.New("must be a path, without a query")
	}
	return p, err
}

// parsePattern reads a pattern; its path gets the canonical form.
func parsePattern(text string) (servletPattern, error) {
	p := servletPattern{text: text}
	switch below, isPath := strings.CutSuffix(text, "/*"); {
	case text == "/":
		p.kind = defaultPattern
		return p, nil
	case strings.HasPrefix(text, "*."):
		return parseExtension(text)
	case isPath:
		p.kind, p.want = byPath, below
	default:
		p.kind, p.want = exact, text
	}
	if strings.Contains(p.want, "*") || p.want != "" && p.want[0] != '/' {
		return p, errors.New(`write "/path", "/path/*", "*.ext", or "/" for what no other pattern fits`)
	}
	path, err := parsePath(p.want)
	p.want = path.path
	return p, err
}

func parseExtension(text string) (servletPattern, error) {
	p := servletPattern{kind: byExtension, text: text}
	if len(text) == len("*.") || strings.ContainsAny(text[1:], "*/") {
		return p, errors.New(`write an extension as "*.jsp"`)
	}
	path, err := parsePath("/" + text[1:])
	if err == nil {
		p.want = path.path[1:]
	}
	return p, err
}

// fits reports whether the pattern fits what of a path lies below the context root.
func (p *servletPattern) fits(below []byte) bool {
	switch p.kind {
	case exact:
		return string(below) == p.want
	case byPath:
		n := len(p.want)
		return len(below) >= n && string(below[:n]) == p.want && (len(below) == n || below[n] == '/')
	case byExtension:
		n := len(below) - len(p.want)
		return n >= 0 && string(below[n:]) == p.want
	}
	return true
}

// pattern is the index of the best of the application's patterns that fit the
// path, -1 if none does.
func (a *application) pattern(path []byte) int {
	if !a.root.fitsPath(path) {
		return -1
	}
	below := path[len(a.root.path):]
	for i := range a.patterns {
		if a.patterns[i].fits(below) {
			return i
		}
	}
	return -1
}

// bestApplication is the one of some applications that fits best: by its virtual
// host, then by its context root, then by its pattern, the longer first; -1: none
// fits.
func bestApplication(all []application, list []int, r *Request) (index int, pattern string) {
	index = -1
	var best fitness
	for _, i := range list {
		f, p, ok := all[i].fit(r)
		if ok && (index < 0 || f.better(&best)) {
			index, best, pattern = i, f, all[i].patterns[p].text
		}
	}
	return index, pattern
}

// fitness is how well an application fits, the more important first.
type fitness struct {
	host, root int
	kind       patternKind
	length     int
}

func (f *fitness) better(o *fitness) bool {
	switch {
	case f.host != o.host:
		return f.host > o.host
	case f.root != o.root:
		return f.root > o.root
	case f.kind != o.kind:
		return f.kind > o.kind
	}
	return f.length > o.length
}

func (a *application) fit(r *Request) (f fitness, pattern int, ok bool) {
	host := a.hostFit(r)
	if host < 0 {
		return f, -1, false
	}
	if pattern = a.pattern(r.Path); pattern < 0 {
		return f, -1, false
	}
	p := &a.patterns[pattern]
	return fitness{host, len(a.root.path), p.kind, len(p.want)}, pattern, true
}

// hostFit is how well the request's host fits: -1 not at all, 0 as any host does,
// else as the heaviest entry of hosts that it fits.
func (a *application) hostFit(r *Request) int {
	if a.hosts == nil {
		return 0
	}
	best, port := -1, portOf(r)
	for i := range a.hosts {
		h := &a.hosts[i]
		if h.weight > best && h.fitsHost(r.Host) && h.fitsPort(port) {
			best = h.weight
		}
	}
	return best
}

// why says why the application does not decide, in words.
func (a *application) why(r *Request) string {
	switch {
	case a.hostFit(r) < 0:
		return "has no such host"
	case !a.root.fitsPath(r.Path):
		return fmt.Sprintf("context root %q does not match", a.root.text)
	case a.pattern(r.Path) < 0:
		return "no pattern of it matches"
	}
	return "fits, but another fits better"
}
