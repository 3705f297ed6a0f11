package gateway

import (
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway/wire"
)

// What an origin is told of this node: with ESI what it can do, with a cache alone nothing that
// a client makes up, and without one what the client says, as ever.
func TestCapabilitiesGoToOrigins(t *testing.T) {
	t.Parallel()
	const (
		cached, plainSite = "cache: { enabled: true }", ""
		noESI             = cached + "\nesi: { mode: \"off\" }"
		edited            = cached + "\nsites: { w: { hosts: [\"**\"], headers: { request: { set: { Surrogate-Capability: own, Accept-Encoding: \"gzip, deflate\" } } } } }\nmappings: [{ site: w, cluster: app }]"
		own               = `edge="Surrogate/1.0 ESI/1.0"`
	)
	origin := newTeller(t, "o")
	addr, g := start(t, plainListener+"node: { name: edge }\nclusters: { app: { origins: "+inline(origin)+" } }\n", Options{})
	for _, tt := range []struct {
		name, site string
		trusted    bool
		fields     string
		want       string // Surrogate-Capability / Accept-Encoding / CDN-Loop, as lists
	}{
		{"H1", cached, false, "", own + " /  / edge"},
		{"a provider of fragments as well", cached + "\nsites: { w: { hosts: [w.example] }, v: { kind: esi-provider, hosts: [v.example] } }\nmappings: [{ site: w, cluster: app }, { site: v, cluster: app }]", false, "", own + " /  / edge"},
		{"Z6 a client's is dropped", cached, false, "Surrogate-Capability: x=\"Surrogate/1.0 ESI/1.0\"\r\n", own + " /  / edge"},
		{"H1 a trusted peer's comes first", cached, true, "Surrogate-Capability: x=\"Surrogate/1.0\"\r\n", `x="Surrogate/1.0", ` + own + " /  / edge"},
		{"H1 two lines of it", cached, true, "Surrogate-Capability: x=\"A/1\"\r\nAccept: */*\r\nsurrogate-capability: y=\"B/1\"\r\n", `x="A/1", y="B/1", ` + own + " /  / edge"},
		{"H1 one that says nothing", cached, true, "Surrogate-Capability:\r\n", own + " /  / edge"},
		{"Z6 where nothing is assembled", noESI, false, "Surrogate-Capability: x=\"ESI/1.0\"\r\nAccept-Encoding: deflate\r\n", " / deflate / "},
		{"a trusted peer's, where nothing is assembled", noESI, true, "Surrogate-Capability: x=\"ESI/1.0\"\r\n", `x="ESI/1.0" /  / `},
		{"no cache", plainSite, false, "Surrogate-Capability: x=\"ESI/1.0\"\r\nAccept-Encoding: deflate\r\nCDN-Loop: other\r\n", `x="ESI/1.0" / deflate / other`},
		{"what the site sets is the site's", edited, false, "Surrogate-Capability: x=\"ESI/1.0\"\r\n", "own / gzip / edge"},
		{"E3", cached, false, "Accept-Encoding: gzip;q=0.5, deflate , br,zstd, x-gzip, identity;q=0.1, *;q=0, compress\r\n", own + " / gzip;q=0.5, br, zstd, x-gzip, identity;q=0.1 / edge"},
		{"E3 in any case", cached, false, "Accept-Encoding: GZIP, Deflate\r\n", own + " / GZIP / edge"},
		{"E3 two lines", cached, false, "Accept-Encoding: deflate\r\nAccept-Encoding: br\r\nAccept-Encoding: gzip\r\n", own + " / br, gzip / edge"},
		{"E3 none that can be read", cached, false, "Accept-Encoding: deflate, *\r\n", own + " / identity / edge"},
		{"E3 none at all", cached, false, "Accept-Encoding:\r\n", own + " / identity / edge"},
		{"E3 no coding by a name that only begins so", cached, false, "Accept-Encoding: gzipped, b\r\n", own + " / identity / edge"},
		{"RFC 8586", cached, false, "CDN-Loop: a.example; x=1, b\r\n", own + " /  / a.example; x=1, b, edge"},
	} {
		text := plainListener + "node: { name: edge }\nclusters: { app: { origins: " + inline(origin) + " } }\n" + tt.site + "\n"
		if tt.trusted {
			text += "trusted_proxies: [127.0.0.1]\n"
		}
		apply(t, g, text)
		for _, method := range []string{"GET", "POST"} {
			got := ask(t, addr, method+" / HTTP/1.1\r\nHost: w.example\r\nContent-Length: 0\r\n"+strings.TrimSuffix(tt.fields+"X-Last: 1", "\r\n"))
			told := fieldIn(got.body, "Surrogate-Capability") + " / " + fieldIn(got.body, "Accept-Encoding") + " / " + fieldIn(got.body, "CDN-Loop")
			if told != tt.want {
				t.Errorf("%s, %s: %d, the origin is told\n%s, want\n%s", tt.name, method, got.status, told, tt.want)
			}
		}
	}
}

// E3: what an origin is told of codings tells stored answers apart as what the client says
// does: one is not sent in a coding that another client has asked for.
func TestReducedCodingsAreToldApart(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	s.answer = func(head string) (string, string) {
		accepted := fieldIn(head, "Accept-Encoding")
		return stored60 + "Vary: Accept-Encoding\r\n", "for " + accepted
	}
	for _, tt := range []struct{ accept, want string }{
		{"gzip, deflate", "for gzip"}, {"gzip", "for gzip"}, {"deflate", "for identity"}, {"br, gzip", "for br, gzip"}, {"gzip", "for gzip"}, {"deflate", "for identity"},
	} {
		if got := ask(t, s.addr, "GET /x HTTP/1.1\r\nHost: shop.example\r\nAccept-Encoding: "+tt.accept); got.body != tt.want {
			t.Errorf("Accept-Encoding: %s gets what is %q, want %q", tt.accept, got.body, tt.want)
		}
	}
}

// RFC 8586, E3: a request that names this node goes in a circle, also if somebody on its way has
// taken Via off. Surrogate-Capability is believed of a trusted peer alone.
func TestCirclesAreCut(t *testing.T) {
	t.Parallel()
	origin := newTeller(t, "o")
	const node = plainListener + "node: { name: edge }\n"
	app := "clusters: { app: { origins: " + inline(origin) + " } }\n"
	addr, g := start(t, node+app, Options{})
	for _, tt := range []struct {
		more, field string
		status      int
	}{
		{"cache: { enabled: true }", "CDN-Loop: edge", 508},
		{"cache: { enabled: true }", "CDN-Loop: other, edge", 508},
		{"cache: { enabled: true }", "cdn-loop: other; v=1 ,edge;x=y", 508},
		{"cache: { enabled: true }", "CDN-Loop: other\r\nCDN-Loop: edge", 508},
		{"cache: { enabled: true }", "CDN-Loop: edge2, the-edge, other;edge", 200},
		{"cache: { enabled: true }", `Surrogate-Capability: edge="ESI/1.0"`, 200},
		{"cache: { enabled: true }\ntrusted_proxies: [127.0.0.1]", `Surrogate-Capability: other="A/1", edge="ESI/1.0"`, 508},
		{"cache: { enabled: true }\ntrusted_proxies: [127.0.0.1]", `Surrogate-Capability: other="edge"`, 200},
		{"cache: { enabled: true }\nesi: { mode: \"off\" }", "CDN-Loop: edge", 200},
		{"", "CDN-Loop: edge", 200},
	} {
		apply(t, g, node+app+tt.more+"\n")
		got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a\r\n"+tt.field)
		if got.status != tt.status || tt.status == 508 && !strings.Contains(got.body, "reason: loop") {
			t.Errorf("%q with %s is answered %d %s, want %d", tt.more, tt.field, got.status, got.body, tt.status)
		}
	}
}

// H3: what is left of Surrogate-Control goes to a trusted peer that has announced itself, and
// to nobody else. Of what is stored that is what has still to be done with the body.
func TestRestOfSurrogateControl(t *testing.T) {
	t.Parallel()
	const (
		said    = `max-age=60, content="X/1.0", no-store-remote;edge, vary=cookies(a);other`
		capable = `Surrogate-Capability: cdn="Surrogate/1.0"`
		trusted = "trusted_proxies: [127.0.0.1]"
	)
	s := newShop(t, "")
	s.answer = func(string) (string, string) { return "Surrogate-Control: " + said + "\r\n", "page" }
	for _, tt := range []struct {
		name, more, field string
		passed, stored    string // what is left of an answer to POST, and of one that is stored
	}{
		{"a client", "", "X-A: b", "", ""},
		{"a client that announces itself", "", capable, "", ""},
		{"a trusted peer", trusted, "X-A: b", "", ""},
		{"one that can do something else", trusted, `Surrogate-Capability: cdn="Surrogate/2.0"`, "", ""},
		{"one that announces itself", trusted, capable, `max-age=60, content="X/1.0", vary=cookies(a);other`, `content="X/1.0"`},
		{"where nothing is assembled", trusted + "\nesi: { mode: \"off\" }", capable, `max-age=60, content="X/1.0", vary=cookies(a);other`, `content="X/1.0"`},
	} {
		apply(t, s.g, s.text+"\n"+tt.more+"\n")
		for _, want := range []struct{ request, left string }{{"POST /p HTTP/1.1\r\nContent-Length: 0", tt.passed}, {"GET /x HTTP/1.1", tt.stored}, {"GET /x HTTP/1.1", tt.stored}} {
			got := ask(t, s.addr, want.request+"\r\nHost: shop.example\r\n"+tt.field)
			if left := strings.Join(got.header.Values("Surrogate-Control"), " | "); got.status != 200 || left != want.left {
				t.Errorf("%s, %q: %d, gets %q, want %q", tt.name, want.request, got.status, left, want.left)
			}
		}
	}
}

// H3: two lines are one list.
func TestRestOfTwoLines(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	s.answer = func(string) (string, string) {
		return "Surrogate-Control: no-store;edge\r\nSurrogate-Control: max-age=5\r\nSurrogate-Control: content=\"X/1.0\"\r\n", "page"
	}
	apply(t, s.g, s.text+"\ntrusted_proxies: [127.0.0.1]\n")
	got := ask(t, s.addr, "POST /p HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\nSurrogate-Capability: cdn=\"Surrogate/1.0\"")
	if left := strings.Join(got.header.Values("Surrogate-Control"), " | "); left != `max-age=5, content="X/1.0"` {
		t.Errorf("gets %q", left)
	}
}

// H4: a page is left to a trusted peer that can do it, where the site says so. A fragment
// never is.
func TestWhoIsLeftThePage(t *testing.T) {
	t.Parallel()
	defers, assembles := &site{esi: &siteESI{deferred: true}}, &site{esi: &siteESI{}}
	for _, tt := range []struct {
		name  string
		x     Exchange
		field string
		want  bool
	}{
		{"a peer that can", Exchange{site: defers, trusted: true}, `cdn="Surrogate/1.0 ESI/1.0"`, true},
		{"one before it that can", Exchange{site: defers, trusted: true}, `far="esi/1.0", near="Surrogate/1.0"`, true},
		{"one that cannot", Exchange{site: defers, trusted: true}, `cdn="Surrogate/1.0"`, false},
		{"a client", Exchange{site: defers}, `cdn="ESI/1.0"`, false},
		{"a site that does not", Exchange{site: assembles, trusted: true}, `cdn="ESI/1.0"`, false},
		{"a site without ESI", Exchange{site: &site{}, trusted: true}, `cdn="ESI/1.0"`, false},
		{"a fragment", Exchange{site: defers, trusted: true, within: new(Exchange)}, `cdn="ESI/1.0"`, false},
		{"a refresh", Exchange{site: defers, trusted: true, clientless: true}, `cdn="ESI/1.0"`, false},
	} {
		tt.x.Head.Fields = []wire.Field{{Name: []byte("Accept"), Value: []byte("ESI/1.0")}, {Name: []byte("Surrogate-capability"), Value: []byte(tt.field)}}
		if got := tt.x.defersESI(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Budget: what is told to origins costs no allocation, also if a trusted peer has told of itself.
func TestCapabilitiesAllocs(t *testing.T) {
	for _, more := range []string{"", "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\"\r\nCDN-Loop: cdn; v=1\r\n"} {
		x := &Exchange{site: &site{cache: &siteCache{}, esi: &siteESI{device: "edge"}}, snap: &snapshot{device: "edge"}, trusted: true}
		block := "Host: a\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" + more + "\r\n"
		if err := x.Head.ParseRequest([]byte(block), 1, &storedHeads); err != nil {
			t.Fatal(err)
		}
		var head []byte
		if n := testing.AllocsPerRun(100, func() {
			if x.inCircle() {
				t.Error("it has not been here")
			}
			head = x.appendCapabilities(x.appendFields(head[:0]))
		}); n != 0 {
			t.Errorf("allocates %v times, want 0: %s", n, head)
		}
		if !strings.Contains(string(head), "\r\nAccept-Encoding: gzip, br, zstd\r\n") {
			t.Errorf("the origin is told %s", head)
		}
	}
}

// FuzzCapabilities: of a list of codings none is left but those that can be read, and of what
// is left all; and a list of CDN-Loop that goes on with this node's name names it, whatever stands
// before that.
func FuzzCapabilities(f *testing.F) {
	for _, seed := range []string{"gzip, deflate;q=0.5 ,br", "a.example; x=1, b", ", ,;,", "*;q=0, identity", "\x00,\"edge"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		left := appendReadable(nil, 0, []byte(list))
		if again := appendReadable(nil, 0, left); string(again) != string(left) {
			t.Fatalf("of %q is left %q, and of that %q", list, left, again)
		}
		for member := range strings.SplitSeq(string(left), ",") {
			name, _, _ := strings.Cut(member, ";")
			if name = strings.ToLower(strings.Trim(name, " \t")); len(left) > 0 && !slices.Contains(readable[:], name) {
				t.Fatalf("of %q is left %q", list, left)
			}
		}
		if !namesCDN([]byte(list+", edge;v=1"), "edge") {
			t.Fatalf("%q, edge does not name it", list)
		}
	})
}

// H3, H4: a template is made into a page for whoever asks, of whose Surrogate-Control nothing is
// left; a trusted peer that can do that gets the template where the site defers, and is told.
func TestTemplatesForPeers(t *testing.T) {
	t.Parallel()
	const template = `<p>a<esi:comment text="x"/>b</p>`
	s := newShop(t, "")
	s.answer = func(head string) (string, string) {
		return "Content-Type: text/html\r\nSurrogate-Control: max-age=60, content=\"ESI/1.0\"\r\n", template
	}
	for _, tt := range []struct{ name, more, field, control, body string }{
		{"a client", "", `Surrogate-Capability: cdn="Surrogate/1.0 ESI/1.0"`, "", "<p>ab</p>"},
		{"a peer", "esi: { defer: false }", `Surrogate-Capability: cdn="Surrogate/1.0 ESI/1.0"`, "", "<p>ab</p>"},
		{"a peer that cannot", "esi: { defer: true }", `Surrogate-Capability: cdn="Surrogate/1.0"`, "", "<p>ab</p>"},
		{"a peer that can", "esi: { defer: true }", `Surrogate-Capability: cdn="Surrogate/1.0 ESI/1.0"`, `content="ESI/1.0"`, template},
	} {
		text := s.text + "\n" + tt.more + "\n"
		if tt.name != "a client" {
			text += "trusted_proxies: [127.0.0.1]\n"
		}
		apply(t, s.g, text)
		for _, target := range []string{"/" + strings.ReplaceAll(tt.name, " ", "-"), "/all", "/all"} {
			got := ask(t, s.addr, "GET "+target+" HTTP/1.1\r\nHost: shop.example\r\n"+tt.field)
			if control := got.header.Get("Surrogate-Control"); got.status != 200 || control != tt.control || got.body != tt.body {
				t.Errorf("%s, %s: %d, %q, %s; want %q, %s", tt.name, target, got.status, control, got.body, tt.control, tt.body)
			}
		}
	}
}
