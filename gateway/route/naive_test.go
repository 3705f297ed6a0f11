package route

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naive decides by reading the options from the top, with none of the table's
// means: it is what the words of the requirements say.
func naive(o Options, r *Request) Decision {
	for i, m := range o.Mappings {
		if s := o.Sites[m.Site]; naiveHosts(s, r) && naivePrefix(s.PathPrefix, r) && naivePrefix(m.Prefix, r) {
			return naiveDecision(Matched, m.Site, i, FromHost)
		}
	}
	if d, ok := naiveDefault(o, r); ok {
		return d
	}
	inside := func(s Site) bool { return naiveHosts(s, r) && naivePrefix(s.PathPrefix, r) }
	site := slices.IndexFunc(o.Sites, inside)
	if site < 0 {
		site = slices.IndexFunc(o.Sites, func(s Site) bool { return naiveHosts(s, r) })
	}
	if site < 0 {
		return naiveDecision(NoSite, -1, -1, FromNothing)
	}
	return naiveDecision(NoMapping, site, -1, FromHost)
}

// naiveDecision is a decision with nothing but a mapping.
func naiveDecision(reason Reason, site, mapping int, source Source) Decision {
	d := Decision{Site: site, Mapping: mapping, Reason: reason, Source: source, set: mapping}
	d.Application, d.Primary, d.Secondary, d.Home, d.Rule, d.Order, d.Variant = -1, -1, -1, -1, -1, -1, -1
	if reason == Matched {
		d.Variant = 0 // nothing tells the answers of one mapping from those of another
	}
	return d
}

func naiveDefault(o Options, r *Request) (Decision, bool) {
	if o.DefaultSite < 0 || len(r.Host) > 0 && !naiveHosts(o.Sites[o.DefaultSite], r) {
		return Decision{}, false
	}
	source := FromHost
	if len(r.Host) == 0 {
		source = FromDefault
	}
	for i, m := range o.Mappings {
		if m.Site == o.DefaultSite && naivePrefix(m.Prefix, r) {
			return naiveDecision(Matched, m.Site, i, source), true
		}
	}
	return naiveDecision(NoMapping, o.DefaultSite, -1, source), source == FromDefault
}

func naiveHosts(s Site, r *Request) bool {
	return len(r.Host) > 0 && slices.ContainsFunc(s.Hosts, func(text string) bool {
		name, port, found := strings.Cut(text, ":")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(name), `\*\*`, `[^.]+(\.[^.]+)*`)
		pattern = strings.ReplaceAll(pattern, `\*`, `[^.]+`)
		pattern = strings.ReplaceAll(pattern, `[^.]+([^.]+`, `[^.]+(`)
		return regexp.MustCompile("^"+pattern+"$").Match(r.Host) && (!found || port == strconv.Itoa(portOf(r)))
	})
}

func naivePrefix(prefix string, r *Request) bool {
	path, query, hasQuery := strings.Cut(prefix, "?")
	switch {
	case hasQuery:
		return string(r.Path) == path && naiveBegins(naiveDecode(string(r.Query)), query, "&")
	case path == "" || path == "/":
		return true
	}
	return naiveBegins(string(r.Path), path, "/")
}

// naiveBegins reports whether s is begin, or goes on after it behind a separator.
func naiveBegins(s, begin, separator string) bool {
	return s == begin || strings.HasPrefix(s, strings.TrimSuffix(begin, separator)+separator)
}

// naiveDecode knows the escapes that the generated queries contain.
func naiveDecode(query string) string {
	return strings.NewReplacer("%61", "a", "%5F", "_", "%5f", "_", "%2c", "%2C").Replace(query)
}

// Small alphabets, so that patterns and requests meet often.
var (
	genHost    = rapid.StringMatching(`(a|b|\*|\*\*)(\.(a|b|c|\*|\*\*)){0,2}(:80|:443)?`)
	genPath    = rapid.StringMatching(`(/(a|b|aa)){0,2}/?`)
	genPrefix  = rapid.Custom(func(t *rapid.T) string { return genPath.Draw(t, "path") + genBegin.Draw(t, "query") })
	genBegin   = rapid.SampledFrom([]string{"", "", "", "?a", "?a=_", "?a=_&b", "?a&", "?a%2C"})
	genQuery   = rapid.StringMatching(`((a|%61)(=(_|%5F|%5f))?(%2C|%2c)?(&b?)?)?`)
	genOptions = rapid.Custom(drawOptions)
	genRequest = rapid.Custom(func(t *rapid.T) *Request {
		return &Request{
			Scheme: rapid.SampledFrom([]string{"http", "https"}).Draw(t, "scheme"),
			Host:   []byte(rapid.StringMatching(`((a|b|d)(\.(a|b|c)){0,3})?`).Draw(t, "host")),
			Port:   rapid.SampledFrom([]int{0, 0, 80, 443, 8080}).Draw(t, "port"),
			Path:   []byte("/" + strings.TrimPrefix(genPath.Draw(t, "path"), "/")),
			Query:  []byte(genQuery.Draw(t, "query")),
		}
	})
)

// drawOptions draws options that New takes: mappings that can never match are
// left out.
func drawOptions(t *rapid.T) Options {
	var o Options
	for i := range rapid.IntRange(1, 4).Draw(t, "sites") {
		hosts := rapid.SliceOfN(genHost, 1, 3).Draw(t, "hosts")
		prefix := rapid.SampledFrom([]string{"", "/", "/a", "/a/", "/b"}).Draw(t, "site prefix")
		o.Sites = append(o.Sites, Site{Name: strconv.Itoa(i), Hosts: hosts, PathPrefix: prefix})
	}
	o.DefaultSite = rapid.IntRange(-1, len(o.Sites)-1).Draw(t, "default")
	for range rapid.IntRange(0, 6).Draw(t, "mappings") {
		m := Mapping{Site: rapid.IntRange(0, len(o.Sites)-1).Draw(t, "site"), Prefix: genPrefix.Draw(t, "prefix")}
		if strings.HasPrefix(m.Prefix, "?") {
			m.Prefix = "/" + m.Prefix
		}
		if _, err := New(Options{Sites: o.Sites, Mappings: []Mapping{m}, DefaultSite: o.DefaultSite}); err == nil {
			o.Mappings = append(o.Mappings, m)
		}
	}
	return o
}

// The table decides what the words say, twice the same, with and without trace.
func TestTableDecidesLikeTheNaiveReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := genOptions.Draw(t, "options")
		table, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			r, tr := genRequest.Draw(t, "request"), &Trace{}
			want := naive(o, r)
			for _, tr := range []*Trace{nil, tr} {
				if got := Decide(table, r, nil, noon, tr); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s:%d%s?%s: %+v, want %+v", r.Host, r.Port, r.Path, r.Query, got, want)
				}
			}
			checkTrace(t, o, r, want, tr)
		}
	})
}

// checkTrace holds a trace against what it must say whatever the options.
func checkTrace(t *rapid.T, o Options, r *Request, d Decision, tr *Trace) {
	for i, s := range tr.Steps {
		if last := i == len(tr.Steps)-1; (s.Why == Fits) != (last && d.Reason == Matched) {
			t.Fatalf("step %d of %d fits: %v, but the decision is %+v", i, len(tr.Steps), s.Why == Fits, d)
		}
		if s.Why == OtherHost && slices.ContainsFunc(o.Sites[s.Site].Hosts, func(h string) bool { return naiveHosts(Site{Hosts: []string{strings.Split(h, ":")[0]}}, r) }) {
			t.Fatalf("step %d says that site %d does not have the host %s", i, s.Site, r.Host)
		}
	}
	if d.Reason == Matched && tr.Steps[len(tr.Steps)-1].Mapping != d.Mapping {
		t.Fatalf("the last step is not the mapping %d", d.Mapping)
	}
	if d.Source == FromHost && d.Reason == NoMapping && len(tr.Steps) < len(o.Mappings) {
		t.Fatalf("%d steps do not speak of all %d mappings", len(tr.Steps), len(o.Mappings))
	}
}

// What is called unreachable is never reached.
func TestUnreachableMappingsDecideNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := genOptions.Draw(t, "options")
		table, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		shadows := table.Unreachable()
		for range 20 {
			r := genRequest.Draw(t, "request")
			d := Decide(table, r, nil, noon, nil)
			if slices.ContainsFunc(shadows, func(s Shadow) bool { return s.Mapping == d.Mapping }) {
				t.Fatalf("%s:%d%s?%s is decided by the unreachable mapping %d", r.Host, r.Port, r.Path, r.Query, d.Mapping)
			}
		}
	})
}
