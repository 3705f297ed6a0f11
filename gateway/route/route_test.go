package route

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// request makes a request from a URL; "http:///x" has no host information.
func request(t testing.TB, text string) *Request {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	port, _ := strconv.Atoi(u.Port())
	r := &Request{Method: []byte("GET"), Scheme: u.Scheme, Host: []byte(u.Hostname()), Port: port, Path: []byte(u.EscapedPath())}
	if u.RawQuery != "" || u.ForceQuery {
		r.Query = []byte(u.RawQuery)
	}
	return r
}

func mustNew(t testing.TB, o Options) *Table {
	t.Helper()
	table, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// row is a request and the mapping that decides it, or the code of its refusal.
type row struct{ url, want string }

// check decides each row's request; a mapping is named by its index.
func check(t *testing.T, o Options, rows []row) {
	t.Helper()
	table := mustNew(t, o)
	for _, tt := range rows {
		t.Run(tt.url, func(t *testing.T) {
			d := Decide(table, request(t, tt.url), nil, noon, nil)
			got := d.Reason.String()
			if d.Reason == Matched {
				got = strconv.Itoa(d.Mapping)
				if m := o.Mappings[d.Mapping]; d.Site != m.Site {
					t.Errorf("site %d, want that of mapping %d", d.Site, d.Mapping)
				}
			}
			if got != tt.want {
				t.Errorf("decided by %s, want %s", got, tt.want)
			}
		})
	}
}

// one makes a site of one name without default site, and mappings of it.
func one(hosts []string, prefixes ...string) Options {
	o := Options{Sites: []Site{{Name: "s", Hosts: hosts}}, DefaultSite: -1}
	for _, p := range prefixes {
		o.Mappings = append(o.Mappings, Mapping{Prefix: p})
	}
	return o
}

// M-SITE-03
func TestSiteListsNamesAndPorts(t *testing.T) {
	hosts := []string{"www.1st.company.com:80", "1st.company.com:80", "1st.company.com:8443", "any.company.com", "[2001:db8::1]:80", "::1"}
	check(t, one(hosts, ""), []row{
		{"http://www.1st.company.com:80/", "0"},
		{"http://www.1st.company.com/", "0"},
		{"http://1st.company.com/", "0"},
		{"https://1st.company.com:8443/", "0"},
		{"https://1st.company.com/", "no_site"},
		{"https://www.1st.company.com:80/", "0"},
		{"http://www.1st.company.com:8080/", "no_site"},
		{"http://any.company.com:8080/", "0"},
		{"https://any.company.com/", "0"},
		{"http://2nd.company.com/", "no_site"},
		{"http://[2001:db8::1]/", "0"},
		{"https://[2001:db8::1]/", "no_site"},
		{"http://[::1]:99/", "0"},
	})
}

// M-SITE-04
func TestPathPrefixTellsSitesOfOneHostApart(t *testing.T) {
	o := Options{DefaultSite: -1, Sites: []Site{
		{Name: "portal", Hosts: []string{"www.company.com"}, PathPrefix: "/portal"},
		{Name: "rest", Hosts: []string{"www.company.com"}},
	}, Mappings: []Mapping{{Site: 0}, {Site: 1}}}
	check(t, o, []row{
		{"http://www.company.com/portal/x", "0"},
		{"http://www.company.com/portal", "0"},
		{"http://www.company.com/portalx", "1"},
		{"http://www.company.com/x", "1"},
	})
}

// M-SITE-06, X-35
func TestRefusalSaysWhetherASiteWasFound(t *testing.T) {
	o := Options{DefaultSite: -1, Sites: []Site{
		{Name: "unmapped", Hosts: []string{"bare.example"}},
		{Name: "api", Hosts: []string{"both.example"}, PathPrefix: "/api"},
		{Name: "www", Hosts: []string{"both.example", "*.both.example"}},
	}, Mappings: []Mapping{{Site: 1, Prefix: "/api/v1"}, {Site: 2, Prefix: "/www"}}}
	table := mustNew(t, o)
	for _, tt := range []struct {
		url    string
		reason Reason
		site   int
		source Source
	}{
		{"http://unknown.example/", NoSite, -1, FromNothing},
		{"http:///", NoSite, -1, FromNothing},
		{"http://bare.example/", NoMapping, 0, FromHost},
		{"http://both.example/api/v2", NoMapping, 1, FromHost},
		{"http://both.example/other", NoMapping, 2, FromHost},
		{"http://x.both.example/www", Matched, 2, FromHost},
	} {
		d := Decide(table, request(t, tt.url), nil, noon, nil)
		if d.Reason != tt.reason || d.Site != tt.site || d.Source != tt.source {
			t.Errorf("%s: %v at site %d by %v, want %v at %d by %v", tt.url, d.Reason, d.Site, d.Source, tt.reason, tt.site, tt.source)
		}
		if d.Reason != Matched && (d.Mapping != -1 || d.Order != -1) {
			t.Errorf("%s: a refusal has mapping %d, order %d", tt.url, d.Mapping, d.Order)
		}
	}
}

// M-MAP-02
func TestReorderingOverlappingMappingsChangesTheDecision(t *testing.T) {
	url := "http://a.example/shop/x"
	check(t, one([]string{"a.example"}, "/shop", "/shop/x"), []row{{url, "0"}, {"http://a.example/shop/y", "0"}})
	check(t, one([]string{"a.example"}, "/shop/x", "/shop"), []row{{url, "0"}, {"http://a.example/shop/y", "1"}})
}

// workedExample is the three mappings of the manual, in the order given.
func workedExample(order ...int) Options {
	all := []string{"/portal/page?_pageid=33,4232&_dad=portal", "/um/traffic_cop?mailid=inbox", ""}
	var prefixes []string
	for _, i := range order {
		prefixes = append(prefixes, all[i])
	}
	return one([]string{"www.company.com"}, prefixes...)
}

// M-MAP-03
func TestWorkedExampleInTheRightOrderHitsEach(t *testing.T) {
	check(t, workedExample(0, 1, 2), []row{
		{"http://www.company.com/portal/page?_pageid=33,4232&_dad=portal", "0"},
		{"http://www.company.com/um/traffic_cop?mailid=inbox", "1"},
		{"http://www.company.com/", "2"},
	})
}

// M-MAP-03
func TestWorkedExampleWithTheBareHostFirstHitsOnlyThat(t *testing.T) {
	check(t, workedExample(2, 0, 1), []row{
		{"http://www.company.com/portal/page?_pageid=33,4232&_dad=portal", "0"},
		{"http://www.company.com/um/traffic_cop?mailid=inbox", "0"},
		{"http://www.company.com/", "0"},
	})
}

// figure is the mappings of figure 1-3, the wildcard first or last.
func figure(wildcardFirst bool) Options {
	o := Options{DefaultSite: -1, Sites: []Site{
		{Name: "1st", Hosts: []string{"www.1st.company.com:80", "1st.company.com:80"}},
		{Name: "2nd", Hosts: []string{"www.2nd.company.com:80"}},
		{Name: "others", Hosts: []string{"www.*.company.com:80"}},
	}, Mappings: []Mapping{{Site: 0}, {Site: 1}, {Site: 2}}}
	if wildcardFirst {
		o.Mappings = []Mapping{o.Mappings[2], o.Mappings[0], o.Mappings[1]}
	}
	return o
}

// M-MAP-01, M-MAP-04
func TestFigure13(t *testing.T) {
	check(t, figure(false), []row{
		{"http://www.1st.company.com/", "0"},
		{"http://1st.company.com/", "0"},
		{"http://www.2nd.company.com/", "1"},
		{"http://www.3rd.company.com/", "2"},
		{"http://3rd.company.com/", "no_site"},
		{"http://www.a.b.company.com/", "no_site"},
		{"http://www.company.com/", "no_site"},
	})
	check(t, figure(true), []row{
		{"http://www.1st.company.com/", "0"},
		{"http://1st.company.com/", "1"},
		{"http://www.2nd.company.com/", "0"},
		{"http://www.3rd.company.com/", "0"},
	})
}

//
func TestWildcardsStandForWholeLabels(t *testing.T) {
	for _, tt := range []struct {
		pattern   string
		fits, not string
	}{
		{"*.company.com", "a.company.com", "company.com a.b.company.com a.company.org xcompany.com"},
		{"**.company.com", "a.company.com a.b.company.com a.b.c.company.com", "company.com xcompany.com"},
		{"www.*.company.com", "www.a.company.com", "www.company.com www.a.b.company.com a.company.com"},
		{"www.**.company.com", "www.a.company.com www.a.b.company.com", "www.company.com ww.a.company.com"},
		{"*", "localhost", "a.b"},
		{"**", "localhost a.b a.b.c ::1 10.0.0.1", ""},
		{"*.**", "a.b a.b.c", "a"},
		{"a.**.b.**.c", "a.x.b.y.c a.b.b.b.c a.x.b.b.y.b.z.c", "a.b.c a.b.b.c a.x.c"},
		{"**.b.*", "a.b.c a.b.b.c a.c.b.b", "b.c a.b a.b.c.d"},
		{"WWW.Company.com.", "www.company.com", "company.com"},
	} {
		h, err := parseHost(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		for host := range strings.FieldsSeq(tt.fits) {
			if !h.fitsHost([]byte(host)) {
				t.Errorf("%s does not fit %s", tt.pattern, host)
			}
		}
		for host := range strings.FieldsSeq(tt.not) {
			if h.fitsHost([]byte(host)) {
				t.Errorf("%s fits %s", tt.pattern, host)
			}
		}
	}
}

// M-MAP-05
func TestPrefixMayReachIntoTheQuery(t *testing.T) {
	check(t, one([]string{"h.example"}, "/portal/page?_pageid=33,4232&_dad=portal", "/s?q=a%2cb", "/t?a=1&", ""), []row{
		{"http://h.example/portal/page?_pageid=33,4232&_dad=portal", "0"},
		{"http://h.example/portal/page?_pageid=33,4232&%5Fdad=portal", "0"},
		{"http://h.example/portal/page?%5fp%61geid=33,4232&_dad=portal", "0"},
		{"http://h.example/portal/page?_pageid=33,4232&_dad=portal&x=1", "0"},
		{"http://h.example/portal/page?_pageid=33,4232&_dad=portal2", "3"},
		{"http://h.example/portal/page?_pageid=33%2C4232&_dad=portal", "3"},
		{"http://h.example/portal/page?_pageid=1", "3"},
		{"http://h.example/portal/page?_pageid=33,4232&_dad=porta", "3"},
		{"http://h.example/portal/page?", "3"},
		{"http://h.example/portal/page", "3"},
		{"http://h.example/portal/page/x?_pageid=33,4232&_dad=portal", "3"},
		{"http://h.example/s?q=a%2Cb", "1"},
		{"http://h.example/s?q=%61%2cb&z", "1"},
		{"http://h.example/s?q=a,b", "3"},
		{"http://h.example/t?a=1&b", "2"},
		{"http://h.example/t?a=1&", "2"},
		{"http://h.example/t?a=1", "3"},
	})
}

// A broken escape is bytes like any other.
func TestBrokenEscapesInAQueryDoNotMatchWholeOnes(t *testing.T) {
	for query, want := range map[string]Why{
		"a%2C": Fits, "a%2c": Fits, "%61%2C": Fits,
		"a%": OtherQuery, "a%2": OtherQuery, "a%%32C": OtherQuery, "a%252C": OtherQuery, "%a": OtherQuery, "": OtherQuery,
	} {
		p, err := parsePrefix("/?a%2C")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.fit(&Request{Path: []byte("/"), Query: []byte(query)}); got != want {
			t.Errorf("query %q: %v, want %v", query, got, want)
		}
	}
}

// M-MAP-06, X-35
func TestPrefixEndsAtASegmentBoundary(t *testing.T) {
	check(t, one([]string{"h.example"}, "/portal", "/dir/", "/%61pi/%c3%a4", "/ö"), []row{
		{"http://h.example/portal", "0"},
		{"http://h.example/portal/", "0"},
		{"http://h.example/portal/x", "0"},
		{"http://h.example/portalx", "no_mapping"},
		{"http://h.example/porta", "no_mapping"},
		{"http://h.example/x/portal", "no_mapping"},
		{"http://h.example/dir/", "1"},
		{"http://h.example/dir/x", "1"},
		{"http://h.example/dir", "no_mapping"},
		{"http://h.example/api/%C3%A4/x", "2"},
		{"http://h.example/%C3%B6", "3"},
	})
}

func TestTargetsWithoutAPathFitMappingsWithoutAPrefix(t *testing.T) {
	table := mustNew(t, one([]string{"h.example"}, "/x", "/"))
	for _, path := range []string{"*", "", "/"} {
		if d := Decide(table, &Request{Host: []byte("h.example"), Path: []byte(path)}, nil, noon, nil); d.Mapping != 1 {
			t.Errorf("path %q: mapping %d, want 1", path, d.Mapping)
		}
	}
}

// M-MAP-07
func TestMappingsOfOneSiteDoNotCombine(t *testing.T) {
	check(t, one([]string{"h.example"}, "", ""), []row{{"http://h.example/", "0"}, {"http://h.example/x", "0"}})
}

// M-DEF-01
func TestRequestsWithoutHostGoToTheDefaultSite(t *testing.T) {
	o := Options{DefaultSite: 1, Sites: []Site{
		{Name: "all", Hosts: []string{"**"}},
		{Name: "company", Hosts: []string{"www.company.com:8080"}},
	}, Mappings: []Mapping{{Site: 0}, {Site: 1, Prefix: "/shop"}}}
	check(t, o, []row{
		{"http:///shop/x", "1"},
		{"https:///shop/x", "1"},
		{"http:///other", "no_mapping"},
		{"http://x.example/shop", "0"},
	})
	if d := Decide(mustNew(t, o), request(t, "http:///shop"), nil, noon, nil); d.Source != FromDefault || d.Site != 1 {
		t.Errorf("site %d from %v, want 1 from %v", d.Site, d.Source, FromDefault)
	}
	o.DefaultSite = -1
	check(t, o, []row{{"http:///shop/x", "no_site"}})
}

// M-DEF-02
func TestDefaultSitesPathPrefixDoesNotCount(t *testing.T) {
	o := Options{DefaultSite: 0, Sites: []Site{
		{Name: "default", Hosts: []string{"www.company.com:80"}, PathPrefix: "/portal"},
		{Name: "shop", Hosts: []string{"www.company.com"}, PathPrefix: "/shop"},
	}, Mappings: []Mapping{{Site: 0, Prefix: "/img"}, {Site: 0}, {Site: 1}}}
	check(t, o, []row{
		{"http:///other", "1"},
		{"http:///portal", "1"},
		{"http://www.company.com/other", "1"},
		{"http://www.company.com/portal/x", "1"},
		{"http://www.company.com/img/x", "0"},
		{"http://www.company.com/shop/x", "2"},
		{"http://www.company.com:81/shop/x", "2"},
		{"http://www.company.com:81/other", "no_mapping"},
		{"http://else.company.com/other", "no_site"},
	})
	o.DefaultSite, o.Mappings = -1, o.Mappings[1:]
	check(t, o, []row{
		{"http://www.company.com/other", "no_mapping"},
		{"http://www.company.com/portal/x", "0"},
	})
}

func TestStripTakesThePrefixAndLeavesASlash(t *testing.T) {
	for _, tt := range []struct{ prefix, path, want string }{
		{"/api", "/api/x", "/x"},
		{"/api", "/api", ""},
		{"/api/", "/api/x", "/x"},
		{"/%61pi", "/api/", "/"},
		{"", "/x", "/x"},
		{"/", "/x", "/x"},
		{"/p?a=1", "/p", ""},
	} {
		o := one([]string{"**"}, tt.prefix)
		for _, strip := range []bool{true, false} {
			o.Mappings[0].StripPrefix = strip
			want := tt.want
			if !strip {
				want = tt.path
			}
			r := &Request{Host: []byte("h"), Path: []byte(tt.path), Query: []byte("a=1")}
			if got := tt.path[Decide(mustNew(t, o), r, nil, noon, nil).Strip:]; got != want {
				t.Errorf("prefix %q, strip_prefix %v: %q leaves %q, want %q", tt.prefix, strip, tt.path, got, want)
			}
		}
	}
}

func TestNewNamesEveryMistake(t *testing.T) {
	_, err := New(Options{DefaultSite: 7, Sites: []Site{
		{Name: "a", Hosts: []string{"www*.x", "a..b", "h:0", "h:65536", "h:x", "bücher.example", "[::1", "[h]:80", "a:b:c", "", "h/x"}},
		{Name: "b", PathPrefix: "/x?y"},
		{Name: "c", Hosts: []string{"c.example"}, PathPrefix: "/portal"},
	}, Mappings: []Mapping{
		{Site: 0}, {Site: 3}, {Site: 0, Prefix: "x"}, {Site: 0, Prefix: "/%zz"}, {Site: 0, Prefix: "/a/../b"},
		{Site: 0, Prefix: "/a?"}, {Site: 0, Prefix: "/a#b"}, {Site: 2, Prefix: "/um"}, {Site: 0, Prefix: "/%2e"},
	}})
	if err == nil {
		t.Fatal("no error")
	}
	for i := range 11 {
		if want := "sites.a.hosts[" + strconv.Itoa(i) + "]: "; !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not speak of %s", want)
		}
	}
	for _, want := range []string{
		"default_site: ", "sites.b.hosts: ", "sites.b.path_prefix: ", "mappings[1].site: ", "mappings[2].prefix: ", "mappings[3].prefix: ",
		"mappings[4].prefix: ", "mappings[5].prefix: ", "mappings[6].prefix: ", `mappings[7].prefix: "/um" can never match`, "mappings[8].prefix: ",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not speak of %s:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "mappings[0]") {
		t.Errorf("mappings[0] is right:\n%v", err)
	}
}

// TestNames: a pattern of all hosts names none.
func TestNames(t *testing.T) {
	table, err := New(Options{DefaultSite: -1, Sites: []Site{
		{Name: "all", Hosts: []string{"**", "**:8080"}},
		{Name: "named", Hosts: []string{"shop.example", "*.many.example", "odd.example:8080"}},
	}, Mappings: []Mapping{{Site: 0}, {Site: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		host, scheme string
		port         int
		want         bool
	}{
		{"shop.example", "http", 0, true},
		{"shop.example", "https", 9999, true},
		{"one.many.example", "http", 0, true},
		{"many.example", "http", 0, false},
		{"a.b.many.example", "http", 0, false},
		{"odd.example", "http", 8080, true},
		{"odd.example", "http", 0, false},
		{"other.example", "http", 0, false},
		{"other.example", "http", 8080, false},
		{"169.254.169.254", "http", 0, false},
	} {
		r := Request{Host: []byte(tt.host), Scheme: tt.scheme, Port: tt.port}
		if got := table.Names(&r); got != tt.want {
			t.Errorf("%s://%s:%d is named: %v, want %v", tt.scheme, tt.host, tt.port, got, tt.want)
		}
	}
}
