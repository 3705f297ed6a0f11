package esi

import (
	"strings"
	"testing"
)

func TestVariables(t *testing.T) {
	for _, tt := range []struct{ id, text, html, url string }{
		{"V1 host", `$(HTTP_HOST)`, `Web.example`, `Web.example`},
		{"V1 blanks", `$( HTTP_COOKIE { tier } | none )`, `gold`, `gold`},
		{"V1 key in quotes", `$(HTTP_COOKIE{'tier'})$(HTTP_COOKIE{"tier"})`, `goldgold`, `goldgold`},
		{"V1 keys are case-sensitive", `$(HTTP_COOKIE{Tier})`, ``, ``},
		{"V1 names are in upper case", `$(http_host)`, `$(http_host)`, `$(http_host)`},
		{"V1 no nesting", `$(HTTP_COOKIE{$(HTTP_HOST)})`, `$(HTTP_COOKIE{Web.example})`, `$(HTTP_COOKIE{Web.example})`},
		{"V1 referer", `$(HTTP_REFERER)`, `http://r.example/?a=1&amp;b=2`, `http%3A%2F%2Fr.example%2F%3Fa%3D1%26b%3D2`},
		{"V1 languages, as whole tags", `$(HTTP_ACCEPT_LANGUAGE{en})$(HTTP_ACCEPT_LANGUAGE{en-gb})$(HTTP_ACCEPT_LANGUAGE{de})$(HTTP_ACCEPT_LANGUAGE{fr})`, `falsetruetruefalse`, `falsetruetruefalse`},
		{"V1 all languages", `$(HTTP_ACCEPT_LANGUAGE)`, `en-GB, de;q=0.5, fr;q=0`, `en-GB%2C%20de%3Bq%3D0.5%2C%20fr%3Bq%3D0`},
		{"V1 user agent", `$(HTTP_USER_AGENT{browser}) $(HTTP_USER_AGENT{version}) $(HTTP_USER_AGENT{os})$(HTTP_USER_AGENT{x})`, `MOZILLA 5.0 WIN`, `MOZILLA 5.0 WIN`},
		{"V1 the whole query", `$(QUERY_STRING)`, `c=Bergen&amp;x=1&amp;e=%3Cb%3E+%26&amp;d=%2e%2e&amp;n=%00`, ``},
		{"V1 own query", `$(REQUEST_QUERY{own})$(REQUEST_QUERY{c})`, `1`, `1`},

		{"V2 missing", `[$(QUERY_STRING{z})]`, `[]`, `[]`},
		{"V2 default", `$(QUERY_STRING{z}|'two words')$(QUERY_STRING{z}|one)`, `two wordsone`, `two%20wordsone`},
		{"V2 default that is not needed", `$(QUERY_STRING{x}|'none')`, `1`, `1`},
		{"V2 default with a parenthesis", `$(QUERY_STRING{z}|'a)b')`, `a)b`, `a%29b`},
		{"V2 a default is escaped like a value", `$(QUERY_STRING{z}|'<b>')`, `&lt;b&gt;`, `%3Cb%3E`},
		{"V2 unterminated", `$(HTTP_HOST`, `$(HTTP_HOST`, `$(HTTP_HOST`},
		{"V2 no such variable", `[$(HTTP_NONE)$(HTTP_NONE|'a')]`, `[a]`, `[a]`},

		{"V3 the first cookie", `$(HTTP_COOKIE{tier})`, `gold`, `gold`},
		{"V3 decoded in the page, and not in URLs", `$(QUERY_STRING{e})`, `&lt;b&gt; &amp;`, `%3Cb%3E%20%26`},
		{"V3 as it came", `$(QUERY_STRING_ENCODED{e})`, `%3Cb%3E+%26`, `%3Cb%3E%20%26`},
		{"V3 decoded everywhere", `$(QUERY_STRING_DECODED{e})`, `&lt;b&gt; &amp;`, `%3Cb%3E%20%26`},

		{"Z2 a cookie", `$(HTTP_COOKIE{id})`, `../../admin?x`, `..%2F..%2Fadmin%3Fx`},
		{"Z2 hidden cookies", `$(HTTP_COOKIE{JSESSIONID})`, ``, ``},
		{"Z2 all cookies but hidden ones", `$(HTTP_COOKIE)`, `tier=gold; id=../../admin?x; tier=second`, `tier%3Dgold%3B%20id%3D..%2F..%2Fadmin%3Fx%3B%20tier%3Dsecond`},
		{"Z2 header fields that are shown", `$(HTTP_HEADER{x-seen})$(HTTP_HEADER{Referer})$(HTTP_HEADER)`, `yes`, `yes`},
		{"Z2 credentials are never shown", `$(HTTP_HEADER{Authorization})$(HTTP_HEADER{Cookie})`, ``, ``},
	} {
		t.Run(tt.id, func(t *testing.T) {
			p, _ := parse(t, "<esi:vars>"+tt.text+"</esi:vars>")
			splits(t, "<esi:vars>"+tt.text+"</esi:vars>")
			own := pageURL
			own.Target = "/?own=1"
			if got := pageOf(t, p, own, Default()); got != tt.html {
				t.Errorf("%s is %q in the page, want %q", tt.text, got, tt.html)
			}
			var b builder
			r := reader{client: visitor(), query: []byte("own=1")}
			if got, _ := r.expand(b.mix("/?"+tt.text), b.program.variables); tt.url != "" && got != "/?"+tt.url {
				t.Errorf("%s is %q in a URL, want %q", tt.text, got, "/?"+tt.url)
			}
		})
	}
}

// pageOf is a page of any URL.
func pageOf(t testing.TB, p *Program, u URL, o Options) string {
	t.Helper()
	out := &paper{t: t}
	if _, err := Assemble(t.Context(), &Page{Template: p, URL: u, Client: visitor(), Options: &o}, &shelf{}, out); err != nil {
		t.Error(err)
	}
	return out.text.String()
}

func TestVerbatimValues(t *testing.T) {
	o := Default()
	o.Verbatim = true
	p, _ := parse(t, "<esi:vars>$(QUERY_STRING{e})</esi:vars>")
	if got := pageOf(t, p, pageURL, o); got != "<b> &" {
		t.Errorf("the value is %q", got)
	}
}

func TestUserAgents(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)":                              "MSIE 6.0 WIN",
		"Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko":                   "MSIE 11.0 WIN",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605": "MOZILLA 5.0 MAC",
		"Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0":          "MOZILLA 5.0 UNIX",
		"curl/8.5.0":        "OTHER 8.5.0 OTHER",
		"Opera/9.8 (Win32)": "OTHER 9.8 WIN",
		"odd":               "OTHER  OTHER",
		"":                  "  ",
	} {
		p, _ := parse(t, "<esi:vars>$(HTTP_USER_AGENT{browser}) $(HTTP_USER_AGENT{version}) $(HTTP_USER_AGENT{os})</esi:vars>")
		out, o := &paper{t: t}, Default()
		c := visitor("User-Agent: " + agent)
		if _, err := Assemble(t.Context(), &Page{Template: p, URL: pageURL, Client: c, Options: &o}, &shelf{}, out); err != nil {
			t.Error(err)
		}
		if got := out.text.String(); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}

func TestCookiesAreShownByName(t *testing.T) {
	standard := DefaultShown()
	narrow := Shown{Cookies: []string{"tier", "ab_*"}, Hidden: []string{"*_x"}}
	for _, tt := range []struct {
		name             string
		standard, narrow bool
	}{
		{"tier", true, true},
		{"Tier", true, false},
		{"ab_1", true, true},
		{"ab_x", true, false},
		{"AB_X", true, false},
		{"other", true, false},
		{"JSESSIONID", false, false},
		{"PHPSESSID", false, false},
		{"ASP.NET_SessionId", false, false},
		{"connect.sid", false, false},
		{"__Host-id", false, false},
		{"XSRF-TOKEN", false, false},
		{"remember_me_auth", false, false},
	} {
		if got := standard.cookie(tt.name); got != tt.standard {
			t.Errorf("%s is shown by default: %v, want %v", tt.name, got, tt.standard)
		}
		if got := narrow.cookie(tt.name); got != tt.narrow {
			t.Errorf("%s is shown by a list: %v, want %v", tt.name, got, tt.narrow)
		}
	}
}

// Programs say what of the request they look at, for Vary (C9).
func TestUses(t *testing.T) {
	for template, want := range map[string]Uses{
		`a`:              0,
		`$(HTTP_COOKIE)`: 0,
		`<esi:vars>$(HTTP_COOKIE{a})$(HTTP_HOST)</esi:vars>`:                                                                UsesCookies | UsesHost,
		`<esi:include src="/$(HTTP_ACCEPT_LANGUAGE)" alt="/$(HTTP_REFERER)"/>`:                                              UsesLanguage | UsesReferer,
		`<esi:choose><esi:when test="$(HTTP_USER_AGENT)|$(QUERY_STRING)|$(HTTP_HEADER{x})|$(REQUEST_QUERY)"/></esi:choose>`: UsesAgent | UsesQuery | UsesFields,
	} {
		if p, _ := parse(t, template); p.Uses() != want {
			t.Errorf("%s uses %b, want %b", template, p.Uses(), want)
		}
	}
}

// Values that tests and URLs look at are no part of the page: however many do, they take no memory
// that stays.
func TestValuesThatAreNotShownAreNotKept(t *testing.T) {
	long := strings.Repeat("%41+", 1000)
	client := visitor("Cookie: " + strings.Repeat("a=b; ", 1000))
	client.Query = []byte("a=" + long)
	for _, reference := range []string{"$(QUERY_STRING{a})", "$(QUERY_STRING_DECODED)", "$(HTTP_COOKIE)", "$(REQUEST_QUERY{a})"} {
		for _, unit := range []string{
			`<esi:choose><esi:when test="` + reference + `=='x'">1</esi:when></esi:choose>`,
			`<esi:include src="` + reference + `"/>`,
			`<esi:include src="/"><esi:param name="p" value="` + reference + `"/></esi:include>`,
		} {
			program, problems, err := Parse([]byte(strings.Repeat(unit, 100)), Limits{})
			if err != nil || problems.Total() > 0 {
				t.Fatal(unit, err, problems)
			}
			d := &document{program: program, url: pageURL}
			d.reader = reader{client: client, query: client.Query}
			for _, test := range program.tests {
				test.run(&d.reader, program.variables)
			}
			for i := range program.includes {
				d.resolve(program.includes[i].src, program.includes[i].params)
			}
			if n := len(d.reader.buf); n > 0 || cap(d.reader.buf) > 64<<10 || len(d.reader.jar) > 8<<10 {
				t.Errorf("%s: %d bytes of values stay, in %d, and %d of cookies", unit, n, cap(d.reader.buf), len(d.reader.jar))
			}
		}
	}
}
