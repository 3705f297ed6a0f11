package gateway

import (
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/coding"
	"weirkeep/gateway/esi"
)

// outOfCoding is a body without its coding. What is behind the end of the coding, and a checksum that is
// another one, are errors.
func outOfCoding(as, body string) (string, error) {
	var r io.Reader
	src := strings.NewReader(body)
	switch as {
	case "":
		return body, nil
	case "gzip": // another reader than the gateway's
		g, err := gzip.NewReader(src)
		if err != nil {
			return "", err
		}
		g.Multistream(false)
		r = g
	case "br", "zstd":
		c := map[string]cache.Coding{"br": cache.Brotli, "zstd": cache.Zstd}[as]
		d, err := coding.NewReader(c, src)
		if err != nil {
			return "", err
		}
		defer d.Close()
		r = d
	default:
		return "", fmt.Errorf("coding %q", as)
	}
	text, err := io.ReadAll(r)
	if err == nil && src.Len() > 0 {
		err = fmt.Errorf("%d bytes behind its end", src.Len())
	}
	return string(text), err
}

var allCodings = []cache.Coding{cache.Identity, cache.Gzip, cache.Brotli, cache.Zstd}

// fragmentsInCodings are fragments of some length in every coding, by path, with what they are.
func fragmentsInCodings() (pages map[string]served, texts map[string]string) {
	pages, texts = make(map[string]served), make(map[string]string)
	for _, as := range allCodings {
		for name, text := range map[string]string{"empty": "", "short": "x", "500": strings.Repeat("<p>5</p>\n", 55) + "12345", "long": strings.Repeat("0123456789abcdef", 100<<10/16)} {
			path := "/" + as.String() + "-" + name
			pages[path], texts[path] = served{stored60 + sayingCoding(as), inCoding(as, text), ""}, text
		}
	}
	pages["/none"], texts["/none"] = served{stored60 + "Content-Encoding: gzip\r\n", "", "204 No Content"}, ""
	pages["/said"], texts["/said"] = served{stored60 + "Content-Encoding: gzip\r\n", "", ""}, ""
	return pages, texts
}

// 20: whatever coding a template and its fragments have, and wherever these stand, the page is in a coding
// that its client takes, and is what it would be without any.
func TestPagesOfAllCodings(t *testing.T) {
	t.Parallel()
	for _, as := range allCodings {
		t.Run(as.String(), func(t *testing.T) {
			t.Parallel()
			pages, texts := fragmentsInCodings()
			k := newKiosk(t, "", pages)
			for path := range texts {
				tag := `<esi:include src="` + path + `"/>`
				for place, template := range map[string]string{"first": tag + "<b>", "middle": "<a>" + tag + "<b>", "last": "<a>" + tag, "only": tag} {
					page, want := "/"+place+path, strings.ReplaceAll(template, tag, texts[path])
					k.set(page, served{asTemplate + sayingCoding(as), inCoding(as, template), ""})
					for _, accept := range []string{"identity", "gzip", "br", "zstd"} {
						wantCoded(t, page, k.get(t, page, "Accept-Encoding: "+accept), as, accept, want)
					}
				}
			}
			if n := k.counts().Broken.Load(); n != 0 {
				t.Errorf("%d pages are counted as broken", n)
			}
		})
	}
}

// wantCoded complains of a page that is another one, or in a coding that nobody has offered.
func wantCoded(t *testing.T, page string, got told, as cache.Coding, accept, want string) {
	t.Helper()
	said := got.header.Get("Content-Encoding")
	text, err := outOfCoding(said, got.body)
	if got.status != 200 || err != nil || text != want {
		t.Errorf("%s of %v for %q: %d, %q, %d bytes, want %d; %v", page, as, accept, got.status, said, len(text), len(want), err)
	}
	list := strings.Split(accept, ", ")
	if said != "" && !slices.Contains(list, said) {
		t.Errorf("%s for %q is sent in %q", page, accept, said)
	}
	if as != cache.Identity && slices.Contains(list, as.String()) != (said != "") && said != "gzip" {
		t.Errorf("%s of %v for %q is sent in %q", page, as, accept, said)
	}
	if as != cache.Identity && !strings.Contains(strings.Join(got.header.Values("Vary"), ","), "Accept-Encoding") {
		t.Errorf("%s of %v: Vary: %v", page, as, got.header.Values("Vary"))
	}
}

// 20: in templates within templates, too, and where the page is sent in pieces.
func TestPagesOfNestedCodings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("<p>long</p>\r\n", 8<<10)
	for _, fields := range []string{asTemplate, unstoredTemplate} {
		pages := make(map[string]served)
		k := newKiosk(t, "", pages)
		want := "innermost"
		k.set("/4", served{fields + sayingCoding(cache.Identity), want, ""})
		for n, as := range []cache.Coding{cache.Gzip, cache.Brotli, cache.Zstd, cache.Gzip} {
			level := 3 - n
			text := fmt.Sprintf(`%d%s<esi:include src="/%d"/>%s%d`, level, long, level+1, long, level)
			k.set(fmt.Sprint("/", level), served{fields + sayingCoding(as), inCoding(as, text), ""})
			want = strings.Replace(text, fmt.Sprintf(`<esi:include src="/%d"/>`, level+1), want, 1)
		}
		for range 2 {
			wantCoded(t, "/0", k.get(t, "/0", "Accept-Encoding: gzip"), cache.Gzip, "gzip", want)
			wantCoded(t, "/0", k.get(t, "/0"), cache.Gzip, "", want)
		}
	}
}

// 21: clients that take gzip and those that do not share what is stored of a fragment, and a template that is the same
// for both.
func TestPagesShareWhatIsCoded(t *testing.T) {
	t.Parallel()
	for vary, templates := range map[string]int{"": 1, "Vary: Accept-Encoding\r\n": 3} {
		k := newKiosk(t, "", map[string]served{
			"/page": {asTemplate + vary + "Content-Encoding: gzip\r\n", inCoding(cache.Gzip, `(<esi:include src="/f"/>)`), ""},
			"/f":    {stored60 + "Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n", inCoding(cache.Gzip, "F"), ""},
		})
		for range 2 {
			for _, accept := range []string{"identity", "gzip", "gzip, deflate, br"} {
				wantCoded(t, "/page", k.get(t, "/page", "Accept-Encoding: "+accept), cache.Gzip, accept, "(F)")
			}
		}
		if k.count("/page") != templates || k.count("/f") != 1 || k.g.cache.Stats().Objects != templates+1 {
			t.Errorf("%q: the origin was asked %v, and %d answers are stored; want %d and 1", vary, k.asked, k.g.cache.Stats().Objects, templates)
		}
	}
}

// A page of a template that came in no coding is sent in those that the cache is told to send what it stores in.
func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("<p>page</p>\n", 500)
	k := newKiosk(t, ", compress: [zstd, gzip]", map[string]served{
		"/page": {asTemplate, body + `<esi:include src="/f"/>`, ""}, "/f": {stored60 + "Content-Type: text/html\r\n", body, ""},
		"/transformed": {asTemplate + "Cache-Control: no-transform\r\n", body, ""},
	})
	for range 2 {
		for accept, want := range map[string]string{"identity": "", "gzip": "gzip", "zstd": "zstd", "gzip, zstd": "zstd", "br": "", "gzip;q=0": ""} {
			got := k.get(t, "/page", "Accept-Encoding: "+accept)
			said := got.header.Get("Content-Encoding")
			if text, err := outOfCoding(said, got.body); got.status != 200 || err != nil || text != body+body || said != want {
				t.Errorf("%q: %d in %q, %d bytes, %v; want it in %q", accept, got.status, said, len(text), err, want)
			}
		}
		if got := k.get(t, "/transformed", "Accept-Encoding: gzip"); got.header.Get("Content-Encoding") != "" || got.body != body {
			t.Errorf("what must not be transformed is in %q", got.header.Get("Content-Encoding"))
		}
	}
}

// 30: what is not in the coding that it says is no template, and no fragment.
func TestPagesOfBrokenCodings(t *testing.T) {
	t.Parallel()
	for _, as := range []cache.Coding{cache.Gzip, cache.Brotli, cache.Zstd} {
		for _, storing := range []string{asTemplate, unstoredTemplate} {
			fields := storing + sayingCoding(as)
			whole := inCoding(as, strings.Repeat(`<esi:include src="/f"/>`, 100))
			fragment := inCoding(as, strings.Repeat("secret ", 200))
			bad := map[string]string{"cut": whole[:len(whole)-5], "none": "<p>plain</p>", "more": whole + "garbage"}
			worse := map[string]string{"cut": fragment[:len(fragment)-5], "none": "<p>plain</p>", "more": fragment + "garbage"}
			pages := map[string]served{
				"/f": {stored60, "F", ""}, "/unknown": {storing + "Content-Encoding: x\r\n", "a", ""}, "/x": {storing + "Content-Encoding: x\r\n", "a", ""},
				"/with-x": {asTemplate, `a<esi:include src="/x" onerror="continue"/>b`, ""},
			}
			for name, body := range bad {
				pages["/"+name] = served{fields, body, ""}
				pages["/in-"+name] = served{stored60 + sayingCoding(as), worse[name], ""}
				pages["/with-"+name] = served{asTemplate, `a<esi:include src="/in-` + name + `" onerror="continue"/>b`, ""}
			}
			k := newKiosk(t, "", pages)
			for _, name := range []string{"cut", "none", "more", "unknown"} {
				for range 2 {
					if got := k.get(t, "/"+name); got.status != 502 || !strings.Contains(got.body, "bad_template") {
						t.Errorf("%v, a template: %s: %d, %d bytes", as, name, got.status, len(got.body))
					}
				}
			}
			for _, name := range []string{"cut", "none", "more", "x"} {
				for range 2 {
					wantBody(t, fmt.Sprint(as, ", a fragment: ", name), k.get(t, "/with-"+name), "ab")
				}
			}
			if k.failures(esi.BadBody) == 0 {
				t.Error("nothing is counted")
			}
		}
	}
}
