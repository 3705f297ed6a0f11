package invalidation

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

const declaration = `<?xml version="1.0"?>` + "\n" + `<!DOCTYPE INVALIDATION SYSTEM "internal:///WCSinvalidation.dtd">` + "\n"

// object is a message with one object.
func object(inner string) string {
	return declaration + `<INVALIDATION VERSION="WCS-1.1"><SYSTEM><SYSTEMINFO NAME="a" VALUE="b"/></SYSTEM><OBJECT>` + inner + `</OBJECT></INVALIDATION>`
}

// stored is something of which everything is known.
var stored = &Stored{
	Target: "/shop/item.html?id=7&lang=de", Tags: []string{"catalog", "item-7"},
	Cookies: func(name string) (string, bool) { return "gold", name == "tier" },
	Headers: func(name string) (string, bool) { return "de", name == "accept-language" },
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	for inner, want := range map[string]bool{
		`<ADVANCEDSELECTOR URIPREFIX="/"/>`:                                                                                                                              true,
		`<ADVANCEDSELECTOR URIPREFIX="/shop/"/>`:                                                                                                                         true,
		`<ADVANCEDSELECTOR URIPREFIX="/shoq/"/>`:                                                                                                                         false,
		`<ADVANCEDSELECTOR URIPREFIX="/shop/" URIEXP="item\.html"/>`:                                                                                                     true,
		`<ADVANCEDSELECTOR URIPREFIX="/shop/" URIEXP="^item"/>`:                                                                                                          false,
		`<ADVANCEDSELECTOR URIPREFIX="/" METHOD="GET"/>`:                                                                                                                 true,
		`<ADVANCEDSELECTOR URIPREFIX="/" METHOD="POST,get"/>`:                                                                                                            true,
		`<ADVANCEDSELECTOR URIPREFIX="/" METHOD="POST"/>`:                                                                                                                false,
		`<ADVANCEDSELECTOR URIPREFIX="/" BODYEXP="x"/>`:                                                                                                                  false,
		`<ADVANCEDSELECTOR URIPREFIX="/"><COOKIE NAME="tier" VALUE="gold"/></ADVANCEDSELECTOR>`:                                                                          true,
		`<ADVANCEDSELECTOR URIPREFIX="/"><COOKIE NAME="tier" VALUE="iron"/></ADVANCEDSELECTOR>`:                                                                          false,
		`<ADVANCEDSELECTOR URIPREFIX="/"><COOKIE NAME="other" VALUE="gold"/></ADVANCEDSELECTOR>`:                                                                         false,
		`<ADVANCEDSELECTOR URIPREFIX="/"><HEADER NAME="Accept-Language" VALUE="de"/></ADVANCEDSELECTOR>`:                                                                 true,
		`<ADVANCEDSELECTOR URIPREFIX="/"><HEADER NAME="Accept-Language" VALUE="en"/></ADVANCEDSELECTOR>`:                                                                 false,
		`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="URI" TYPE="SUBSTRING" VALUE="item"/></ADVANCEDSELECTOR>`:                                                           true,
		`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="URI" TYPE="REGEX" VALUE="^/shop/.*html"/></ADVANCEDSELECTOR>`:                                                      true,
		`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="QUERYSTRING_PARAMETER" TYPE="REGEX" VALUE="^id=7$"/></ADVANCEDSELECTOR>`:                                           true,
		`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="QUERYSTRING_PARAMETER" TYPE="REGEX" VALUE="^id=7&amp;"/></ADVANCEDSELECTOR>`:                                       false,
		`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="SEARCHKEY" TYPE="SUBSTRING" VALUE="item-"/></ADVANCEDSELECTOR>`:                                                    true,
		`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="SEARCHKEY" TYPE="REGEX" VALUE="^item$"/></ADVANCEDSELECTOR>`:                                                       false,
		`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="BODY" TYPE="SUBSTRING" VALUE="x"/></ADVANCEDSELECTOR>`:                                                             false,
		`<ADVANCEDSELECTOR URIPREFIX="/shop/" METHOD="GET"><COOKIE NAME="tier" VALUE="gold"/><OTHER NAME="SEARCHKEY" TYPE="SUBSTRING" VALUE="none"/></ADVANCEDSELECTOR>`: false,
	} {
		m, err := Parse([]byte(object(inner)))
		if err != nil {
			t.Errorf("%s: %v", inner, err)
		} else if got := m.Objects[0].Selector.Matches(stored); got != want {
			t.Errorf("%s is %v", inner, got)
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"exact", object(`<BASICSELECTOR URI="/a?b=1&amp;c=2"/><ACTION REMOVALTTL="30"/><INFO VALUE="by hand"/>`), ` "/a?b=1&c=2" 30s "by hand"`},
		{"a whole URL", object(`<BASICSELECTOR URI="http://shop.example:8080/a"/>`), `shop.example:8080 "/a" 0s ""`},
		{"a host alone", object(`<BASICSELECTOR URI="https://shop.example"/><ACTION/>`), `shop.example "/" 0s ""`},
		{"a host beside", object(`<ADVANCEDSELECTOR URIPREFIX="http://a/x" HOST="b:80"/>`), `b:80 "" 0s ""`},
		{"a long removal", object(`<BASICSELECTOR URI="/"/><ACTION REMOVALTTL="2147483647"/>`), ` "/" 8760h0m0s ""`},
		{"without a declaration", `<INVALIDATION VERSION="WCS-1.1"><OBJECT><BASICSELECTOR URI="/"/></OBJECT></INVALIDATION>`, ` "/" 0s ""`},
		{"several", `<INVALIDATION VERSION="WCS-1.1"><OBJECT><BASICSELECTOR URI="/a"/></OBJECT><OBJECT><BASICSELECTOR URI="/b"/></OBJECT></INVALIDATION>`, ` "/a" 0s "";  "/b" 0s ""`},
	} {
		m, err := Parse([]byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []string
		for _, o := range m.Objects {
			got = append(got, fmt.Sprintf("%s %q %v %q", o.Selector.Host, o.Selector.URI, o.Removal, o.Info))
		}
		if all := strings.Join(got, "; "); all != tt.want || m.Preview {
			t.Errorf("%s: %s, want %s", tt.name, all, tt.want)
		}
	}
	m, err := Parse([]byte(`<INVALIDATIONPREVIEW VERSION="WCS-1.1" STARTNUM="5" MAXNUM="20"><BASICSELECTOR URI="/a"/></INVALIDATIONPREVIEW>`))
	if err != nil || !m.Preview || m.Start != 5 || m.Max != 20 || len(m.Objects) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// What is no message, or selects other than it seems to, is refused, and so is what would
// cost too much. It is said where and why.
func TestMessagesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":            {"", "is empty"},
		"blanks before":      {" " + object(`<BASICSELECTOR URI="/"/>`), "white space stands before the XML declaration"},
		"no XML":             {"purge /", "text stands between elements"},
		"cut off":            {`<INVALIDATION VERSION="WCS-1.1"><OBJECT>`, "unexpected EOF"},
		"another root":       {`<INVALIDATE/>`, "the message is INVALIDATE"},
		"another version":    {`<INVALIDATION VERSION="WCS-2.0"><OBJECT><BASICSELECTOR URI="/"/></OBJECT></INVALIDATION>`, `the version is "WCS-2.0"`},
		"two roots":          {`<A/><B/>`, "B stands behind the end of A"},
		"text":               {`<INVALIDATION VERSION="WCS-1.1">x</INVALIDATION>`, "text stands between elements"},
		"no object":          {`<INVALIDATION VERSION="WCS-1.1"/>`, "there is no OBJECT"},
		"no selector":        {object(`<ACTION/>`), "it has 0 selectors"},
		"two selectors":      {object(`<BASICSELECTOR URI="/a"/><BASICSELECTOR URI="/b"/>`), "it has 2 selectors"},
		"no URI":             {object(`<BASICSELECTOR/>`), "URI must be a path"},
		"no prefix":          {object(`<ADVANCEDSELECTOR URIEXP="x"/>`), "/ is everything"},
		"another attribute":  {object(`<ADVANCEDSELECTOR URIPREFIX="/" URLEXP="x"/>`), "ADVANCEDSELECTOR has no attribute URLEXP"},
		"an attribute twice": {object(`<BASICSELECTOR URI="/a" URI="/b"/>`), "BASICSELECTOR has URI twice"},
		"another condition":  {object(`<ADVANCEDSELECTOR URIPREFIX="/"><COOKIES NAME="a"/></ADVANCEDSELECTOR>`), "ADVANCEDSELECTOR has no element COOKIES"},
		"a bad expression":   {object(`<ADVANCEDSELECTOR URIPREFIX="/" URIEXP="("/>`), "missing closing )"},
		"another kind":       {object(`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="URI" TYPE="GLOB" VALUE="x"/></ADVANCEDSELECTOR>`), `TYPE of OTHER is "GLOB"`},
		"another name":       {object(`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="URL" TYPE="REGEX" VALUE="x"/></ADVANCEDSELECTOR>`), `NAME of OTHER is "URL"`},
		"no value":           {object(`<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="URI" TYPE="REGEX"/></ADVANCEDSELECTOR>`), "OTHER has no VALUE"},
		"no name":            {object(`<ADVANCEDSELECTOR URIPREFIX="/"><COOKIE VALUE="x"/></ADVANCEDSELECTOR>`), "COOKIE has no NAME"},
		"no number":          {object(`<BASICSELECTOR URI="/"/><ACTION REMOVALTTL="-1"/>`), `REMOVALTTL of ACTION is "-1"`},
		"entities":           {`<!DOCTYPE INVALIDATION [<!ENTITY a "b">]><INVALIDATION VERSION="WCS-1.1"/>`, "declares more than the name"},
		"a file":             {`<!DOCTYPE A [<!ENTITY a SYSTEM "file:///etc/passwd">]><A>&a;</A>`, "declares more than the name"},
		"an entity":          {object(`<BASICSELECTOR URI="/&a;"/>`), "invalid character entity"},
		"another encoding":   {`<?xml version="1.0" encoding="UTF-16"?><INVALIDATION/>`, "encoding"},
		"too deep":           {strings.Repeat("<A>", 100), "8 deep"},
		"too many":           {"<A>" + strings.Repeat("<B/>", maxParts), "more than 10000 elements"},
		"too many objects":   {`<INVALIDATION VERSION="WCS-1.1">` + strings.Repeat(`<OBJECT><BASICSELECTOR URI="/"/></OBJECT>`, MaxObjects+1) + `</INVALIDATION>`, "more than 1000 objects"},
		"a long value":       {object(`<BASICSELECTOR URI="/` + strings.Repeat("a", maxValue) + `"/>`), "at most 8192 are read"},
		"too long":           {strings.Repeat("a", MaxBytes+1), "at most 1048576 are read"},
	} {
		if _, err := Parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	m, err := Parse([]byte(`<INVALIDATION VERSION="WCS-1.1"><OBJECT><BASICSELECTOR URI="/a?b&amp;&quot;"/><INFO VALUE="&lt;x&gt;"/></OBJECT>` +
		`<OBJECT><ADVANCEDSELECTOR URIPREFIX="/b/"><COOKIE NAME="c" VALUE="d"/></ADVANCEDSELECTOR></OBJECT></INVALIDATION>`))
	if err != nil {
		t.Fatal(err)
	}
	got := string(m.Answer([]Result{{Success, 3}, {NotFound, 0}}))
	const want = xml.Header + `<!DOCTYPE INVALIDATIONRESULT SYSTEM "internal:///WCSinvalidation.dtd">
<INVALIDATIONRESULT VERSION="WCS-1.1">
<OBJECTRESULT>
<BASICSELECTOR URI="/a?b&amp;&#34;"/>
<RESULT ID="1" STATUS="SUCCESS" NUMINV="3"/>
<INFO VALUE="&lt;x&gt;"/>
</OBJECTRESULT>
<OBJECTRESULT>
<ADVANCEDSELECTOR URIPREFIX="/b/" URIEXP="" HOST="" METHOD="" BODYEXP="">
<COOKIE NAME="c" VALUE="d"/>
</ADVANCEDSELECTOR>
<RESULT ID="2" STATUS="URI NOT FOUND" NUMINV="0"/>
</OBJECTRESULT>
</INVALIDATIONRESULT>
`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	m, _ = Parse([]byte(`<INVALIDATIONPREVIEW VERSION="WCS-1.1" STARTNUM="1"><BASICSELECTOR URI="http://h/a"/></INVALIDATIONPREVIEW>`))
	got = string(m.AnswerPreview(Listing{Success, 2, []string{"/a?x&y"}}))
	if want := `<INVALIDATIONPREVIEWRESULT VERSION="WCS-1.1" STATUS="SUCCESS" STARTNUM="1" NUMURLS="1" TOTALNUMURLS="2">` + "\n" +
		`<BASICSELECTOR URI="http://h/a"/>` + "\n" + `<SELECTEDURL VALUE="/a?x&amp;y"/>`; !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// FuzzParse: any bytes are refused, or are a message whose removals are within the bounds and whose answer
// is well-formed and repeats every selector as one that is parsed to the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(object(`<BASICSELECTOR URI="http://a/b?c"/><ACTION REMOVALTTL="3"/><INFO VALUE="x"/>`)))
	f.Add([]byte(object(`<ADVANCEDSELECTOR URIPREFIX="/" URIEXP="a.b"><HEADER NAME="A" VALUE="b"/><OTHER NAME="URI" TYPE="REGEX" VALUE="c+"/></ADVANCEDSELECTOR>`)))
	f.Add([]byte(`<INVALIDATIONPREVIEW VERSION="WCS-1.1" STARTNUM="1" MAXNUM="2"><BASICSELECTOR URI="/"/></INVALIDATIONPREVIEW>`))
	f.Add([]byte(`<!DOCTYPE A [<!ENTITY a "b">]><A>&a;</A>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		for _, o := range m.Objects {
			if o.Removal < 0 || o.Removal > maxRemoval || o.Removal%time.Second != 0 {
				t.Fatalf("removal %v", o.Removal)
			}
			w := begin("INVALIDATION")
			w.open("INVALIDATION", Pair{"VERSION", Version})
			w.open("OBJECT")
			w.selector(&o.Selector)
			w.end("OBJECT")
			w.end("INVALIDATION")
			again, err := Parse(w.b.Bytes())
			if err != nil {
				t.Fatalf("%s: %v", w.b.Bytes(), err)
			}
			if a, b := selectorText(&o.Selector), selectorText(&again.Objects[0].Selector); a != b {
				t.Fatalf("%s is %s again", a, b)
			}
		}
		for d := xml.NewDecoder(bytes.NewReader(m.Answer(make([]Result, len(m.Objects))))); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func selectorText(s *Selector) string {
	w := &writer{}
	w.selector(s)
	return w.b.String()
}
