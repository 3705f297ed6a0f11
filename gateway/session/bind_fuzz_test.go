package session

import (
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway/wire"
)

// FuzzWeblogic: the parts of an id are those that splitting strings finds, and
// are views of it.
func FuzzWeblogic(f *testing.F) {
	f.Add([]byte(id52 + "!1104478448!1625602300"))
	f.Add([]byte("x!-1104478448!NONE!1173283914012"))
	f.Add([]byte("x%211%21NONE%2"))
	f.Add([]byte("!!%%21!\x00"))
	f.Fuzz(func(t *testing.T, id []byte) {
		primary, secondary := weblogic{}.parts(id)
		if got, want := named(primary, secondary), naiveWeblogic(string(id)); got != want {
			t.Errorf("%q names %q, want %q", id, got, want)
		}
		checkView(t, id, primary)
		checkView(t, id, secondary)
	})
}

// FuzzPlace: the part at a place is the one that a reader finds who takes an id
// to pieces first.
func FuzzPlace(f *testing.F) {
	f.Add([]byte(id52+"!1104478448!1625602300"), uint16(53), uint16(0), ":!")
	f.Add([]byte("ab%21-110%3a4"), uint16(3), uint16(11), ":!")
	f.Add([]byte("a%25b%"), uint16(1), uint16(0), "%")
	f.Fuzz(func(t *testing.T, id []byte, offset, length uint16, stops string) {
		o := ExtractOptions{Offset: int(offset), Length: int(length), StopChars: stops}
		extract, err := NewExtract(o)
		if err != nil || !o.byPlace() {
			return
		}
		d := Definition{Extract: extract}
		primary, secondary := d.Parts(id)
		if got, want := named(primary, secondary), naivePlace(o, string(id)); got != want {
			t.Errorf("%+v: %q names %q, want %q", o, id, got, want)
		}
		checkView(t, id, primary)
	})
}

// checkView checks that a part is of the id's own bytes.
func checkView(t *testing.T, id, part []byte) {
	t.Helper()
	for i := range id {
		if len(part) > 0 && &id[i] == &part[0] {
			return
		}
	}
	if part != nil {
		t.Errorf("part %q is no view of %q", part, id)
	}
}

// FuzzExtract: whatever the options are, they are refused or read every id; and
// what an expression finds is of the id.
func FuzzExtract(f *testing.F) {
	f.Add([]byte("0A1B.node2"), "", `\.(\w+)`, "")
	f.Add([]byte("b-a"), "", `(?P<secondary>\w+)-(?P<primary>\w*)`, "")
	f.Add([]byte("x!1!2"), "weblogic", "", "")
	f.Add([]byte("x"), "", "", "!")
	f.Fuzz(func(t *testing.T, id []byte, format, regex, stops string) {
		extract, err := NewExtract(ExtractOptions{Format: format, Regex: regex, StopChars: stops})
		if err != nil {
			return
		}
		d := Definition{Extract: extract}
		primary, secondary := d.Parts(id)
		checkView(t, id, primary)
		checkView(t, id, secondary)
		if again, and := d.Parts(id); named(again, and) != named(primary, secondary) {
			t.Errorf("%q names %q, then %q", id, named(primary, secondary), named(again, and))
		}
	})
}

// FuzzCookie: an origin is found if, and only if, a cookie of the name has one of
// its tokens as its value, and then the first one's. "@" and "^" in what is sent
// stand for genuine ones.
func FuzzCookie(f *testing.F) {
	c := newCookie(f, cookieOptions())
	f.Add("gw=@", "gw=^")
	f.Add(`a=b; gw="^"`, "")
	f.Add("gw=@A; gw = @ ;", "gw=@@")
	f.Add("gw=home/shop/a; GW=@", "gw==^")
	f.Fuzz(func(t *testing.T, first, second string) {
		var request []wire.Field
		for _, v := range []string{first, second} {
			v = strings.NewReplacer("@", newA, "^", oldB).Replace(v)
			request = append(request, wire.Field{Name: []byte("Cookie"), Value: []byte(v)})
		}
		if got, want := c.Find(request), naiveCookie(request); got != want {
			t.Errorf("%q: found %q, want %q", request, got, want)
		}
	})
}

// naiveWeblogic reads an id by splitting it.
func naiveWeblogic(id string) string {
	parts := strings.Split(strings.ReplaceAll(id, "%21", "!"), "!")
	parts = append(parts, "", "")
	for i, part := range parts {
		if part == "NONE" || part == "" {
			parts[i] = "-"
		}
	}
	return parts[1] + " " + parts[2]
}

// naivePlace takes an id to characters first, and marks those that end a part.
func naivePlace(o ExtractOptions, id string) string {
	var characters []string
	for len(id) > 0 {
		n := 1
		if v, ok := wire.CutOctet([]byte(id)); ok && v.Taken == 3 && strings.IndexByte(o.StopChars, v.Value) >= 0 {
			n = 3
		}
		characters, id = append(characters, id[:n]), id[n:]
	}
	part := characters[min(o.Offset, len(characters)):]
	if i := slices.IndexFunc(part, func(c string) bool { return len(c) == 3 || strings.Contains(o.StopChars, c) }); i >= 0 {
		part = part[:i]
	}
	if o.Length > 0 && len(part) > o.Length {
		part = part[:o.Length]
	}
	if len(part) == 0 {
		return "- -"
	}
	return strings.Join(part, "") + " -"
}

// naiveCookie looks for the tokens by splitting strings.
func naiveCookie(request []wire.Field) string {
	origins := map[string]string{newA: "home/shop/a", newB: "home/shop/b", oldA: "home/shop/a", oldB: "home/shop/b"}
	for _, f := range request {
		for _, pair := range strings.Split(string(f.Value), ";") {
			name, value, _ := strings.Cut(pair, "=")
			value = strings.Trim(value, " \t")
			if n := len(value); n > 1 && value[0] == '"' && value[n-1] == '"' {
				value = value[1 : n-1]
			}
			if origin := origins[value]; strings.Trim(name, " \t") == "gw" && origin != "" {
				return origin
			}
		}
	}
	return ""
}
