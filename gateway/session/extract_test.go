package session

import (
	"fmt"
	"strings"
	"testing"
)

// id52 and id32 are the first parts of session ids, as long as a server makes
// them by default and when it is told to.
const (
	id52 = "hpb2GJfVQyTzq1vLTb8Z0nFRCkjMDv9n5lwXKhHj6YPT7sScWgQx"
	id32 = "hpb2GJfVQyTzq1vLTb8Z0nFRCkjMDv9n"
)

var (
	asWebLogic = ExtractOptions{Format: "weblogic"}
	asPlain    = ExtractOptions{Format: "plain"}
	at53       = ExtractOptions{Offset: 53, StopChars: ":!"}
)

// reading is a definition that reads ids so.
func reading(t testing.TB, o ExtractOptions) *Definition {
	t.Helper()
	extract, err := NewExtract(o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return &Definition{Name: "wls", Cookie: "JSESSIONID", URLParam: "jsessionid", Extract: extract, Binding: Passive}
}

// named is what an id names, as one text: "P S"; "-" is what it does not name.
func named(primary, secondary []byte) string {
	text := func(part []byte) string {
		if part == nil {
			return "-"
		}
		return string(part)
	}
	return text(primary) + " " + text(secondary)
}

func TestServersAreReadOffIDs(t *testing.T) {
	for _, tt := range []struct {
		name string
		as   ExtractOptions
		id   string
		want string
	}{
		{"D-WL-10: a captured cookie", asWebLogic, id52 + "!1104478448!1625602300", "1104478448 1625602300"},
		{"M-PERS-03: three parts", asWebLogic, "id!primary!secondary", "primary secondary"},
		{"M-PERS-03: a fourth part, a time", asWebLogic, id52 + "!1104478448!1625602300!1173283914012", "1104478448 1625602300"},
		{"M-PERS-03: a fourth part behind NONE", asWebLogic, id52 + "!1104478448!NONE!1173283914012", "1104478448 -"},
		{"M-PERS-03: an empty fourth part", asWebLogic, id52 + "!1104478448!1625602300!", "1104478448 1625602300"},
		{"M-PERS-04: 52 characters", asWebLogic, id52 + "!1104478448", "1104478448 -"},
		{"M-PERS-04: 32 characters", asWebLogic, id32 + "!1104478448", "1104478448 -"},
		{"M-PERS-04: 1 character", asWebLogic, "x!1104478448", "1104478448 -"},
		{"M-PERS-04: 8000 characters", asWebLogic, strings.Repeat("x", 8000) + "!1104478448", "1104478448 -"},
		{"X-14: 9 characters", asWebLogic, id52 + "!110447844!162560230", "110447844 162560230"},
		{"X-14: 10 characters with a sign", asWebLogic, id52 + "!-110447844!-162560230", "-110447844 -162560230"},
		{"X-14: 11 characters with a sign", asWebLogic, id52 + "!-1104478448!-1625602300", "-1104478448 -1625602300"},
		{"X-14: with a sign and without are two", asWebLogic, id52 + "!-1104478448!1104478448", "-1104478448 1104478448"},
		{"M-PERS-06: no secondary", asWebLogic, id52 + "!1104478448", "1104478448 -"},
		{"M-PERS-06: an empty secondary", asWebLogic, id52 + "!1104478448!", "1104478448 -"},
		{"M-PERS-07: NONE", asWebLogic, id52 + "!1104478448!NONE", "1104478448 -"},
		{"M-PERS-07: another word is a server", asWebLogic, id52 + "!1104478448!NONE2", "1104478448 NONE2"},
		{"M-PERS-07: none in lower case is a server", asWebLogic, id52 + "!1104478448!none", "1104478448 none"},
		{"no primary", asWebLogic, id52 + "!!1625602300", "- 1625602300"},
		{"primary is NONE", asWebLogic, id52 + "!NONE!1625602300", "- 1625602300"},
		{"no parts", asWebLogic, id52, "- -"},
		{"no first part", asWebLogic, "!1104478448!1625602300", "1104478448 1625602300"},
		{"nothing but separators", asWebLogic, "!!!!", "- -"},
		{"nothing", asWebLogic, "", "- -"},
		{"escaped separators", asWebLogic, id52 + "%211104478448%211625602300", "1104478448 1625602300"},
		{"one separator of the two escaped", asWebLogic, id52 + "!1104478448%21NONE", "1104478448 -"},
		{"another escape is part of it", asWebLogic, "a%2!%221%2", "%221%2 -"},

		{"M-PERS-02: offset and length", ExtractOptions{Offset: 53, Length: 10}, id52 + "!1104478448!1625602300", "1104478448 -"},
		{"M-PERS-02: the id ends before the length", ExtractOptions{Offset: 53, Length: 10}, id52 + "!11044", "11044 -"},
		{"M-PERS-02: length from the start", ExtractOptions{Length: 4}, "0001abcdef:10", "0001 -"},
		{"M-PERS-05: stop characters win over a length", ExtractOptions{Offset: 53, Length: 11, StopChars: "!"}, id52 + "!110447844!1625602300", "110447844 -"},
		{"M-PERS-05: the length is a cap", ExtractOptions{Offset: 53, Length: 11, StopChars: "!"}, id52 + "!-1104478448000", "-1104478448 -"},
		{"M-PERS-12: up to an exclamation mark", at53, id52 + "!1104478448!1625602300", "1104478448 -"},
		{"M-PERS-12: up to a colon", at53, id52 + "!-1104478448:1625602300!x", "-1104478448 -"},
		{"M-PERS-12: up to the end", at53, id52 + "!110447844", "110447844 -"},
		{"M-PERS-12: escaped separators", at53, id52 + "%21-1104478448%3a1625602300", "-1104478448 -"},
		{"M-PERS-12: the second separator escaped", at53, id52 + "!-1104478448%211625602300", "-1104478448 -"},
		{"M-PERS-12: other escapes are characters", ExtractOptions{Offset: 4, StopChars: "!"}, "a%2fb%zz%2!x", "b%zz%2 -"},
		{"M-PERS-12: an id of another length names something else", at53, id32 + "!1104478448!1625602300", "0 -"},
		{"M-PERS-12: nothing at the place", at53, id52 + "!!1625602300", "- -"},
		{"M-PERS-12: the place is the id's end", at53, id52 + "!", "- -"},
		{"M-PERS-12: the place is inside an escape", ExtractOptions{Offset: 2, StopChars: "!"}, "a%21", "- -"},
		{"an escape is a stop character", ExtractOptions{StopChars: "%"}, "ab%21", "ab -"},
		{"stop characters alone", ExtractOptions{StopChars: "."}, "node1.0123", "node1 -"},

		{"regex with a first group", ExtractOptions{Regex: `\.(\w+)$`}, "0A1B.node2", "node2 -"},
		{"regex with names", ExtractOptions{Regex: `^(?P<secondary>\w+)-(?P<primary>\w+)`}, "b-a", "a b"},
		{"regex with a first group and a named one", ExtractOptions{Regex: `\.(\w+)(?:\.(?P<secondary>\w+))?`}, "x.a.b", "a b"},
		{"regex, a group that takes no part", ExtractOptions{Regex: `\.(\w+)(?:\.(?P<secondary>\w+))?`}, "x.a", "a -"},
		{"regex, a group that is empty", ExtractOptions{Regex: `(\d*)(?P<secondary>\d*)`}, "x", "- -"},
		{"regex that does not match", ExtractOptions{Regex: `\.(\w+)$`}, "0A1B", "- -"},

		{"plain", asPlain, "a!b%21", "a!b%21 -"},
		{"plain without being said", ExtractOptions{}, "a!b", "a!b -"},
		{"plain and nothing", asPlain, "", "- -"},
		{"nothing without being said", ExtractOptions{}, "", "- -"},
	} {
		if got := named(reading(t, tt.as).Parts([]byte(tt.id))); got != tt.want {
			t.Errorf("%s: %q names %q, want %q", tt.name, tt.id, got, tt.want)
		}
	}
}

// M-PERS-01, D-WL-04, D-WL-06: whatever carries an id, the servers in it are the
// same.
func TestServersAreReadOffEveryCarrier(t *testing.T) {
	const id, want = id52 + "!-1104478448!1625602300!1173283914012", "-1104478448 1625602300"
	escaped := strings.ReplaceAll(id, "!", "%21")
	for _, tt := range []struct{ name, cookie, url string }{
		{"cookie", "JSESSIONID=" + id, "/"},
		{"cookie in quotes, among others", `a=b!c!d; JSESSIONID="` + id + `"; z=1`, "/"},
		{"cookie with escapes", "JSESSIONID=" + escaped, "/"},
		{"path parameter", "", "/cart;jsessionid=" + id},
		{"path parameter before a segment, and a query", "", "/shop;v=1;jsessionid=" + id + "/cart?x=1"},
		{"path parameter with escapes", "", "/cart;jsessionid=" + escaped},
		{"path parameter, every other letter escaped", "", "/cart;jsession%69d=%68" + escaped[1:]},
		{"query parameter", "", "/cart?x=1&jsessionid=" + id + "&y=2"},
		{"query parameter with escapes", "", "/cart?jsessionid=" + escaped},
	} {
		target := parsed(t, tt.url)
		for _, as := range []struct {
			ExtractOptions
			want string
		}{{asWebLogic, want}, {at53, "-1104478448 -"}} {
			d := reading(t, as.ExtractOptions)
			found, _ := d.Find(fields("Cookie: "+tt.cookie), target.Path, target.Query)
			if got := named(d.Parts(found)); got != as.want {
				t.Errorf("%s, %+v: %q names %q, want %q", tt.name, as.ExtractOptions, found, got, as.want)
			}
		}
	}
}

// SS-09: an application that renames its cookie, which ends in the server's name.
func TestServersAreReadOffRenamedCookies(t *testing.T) {
	request := fields("Cookie: APPSESSION=id!srv1")
	for _, tt := range []struct{ name, cookie, want string }{
		{"SS-09: the default name never comes", "JSESSIONID", "- -"},
		{"SS-09: the name that it has", "APPSESSION", "srv1 -"},
	} {
		d := reading(t, asWebLogic)
		d.Cookie = tt.cookie
		id, _ := d.Find(request, []byte("/"), nil)
		if got := named(d.Parts(id)); got != tt.want {
			t.Errorf("%s: %q names %q, want %q", tt.name, id, got, tt.want)
		}
	}
}

func TestBuiltinDefinitionsAreLearnedAndPlain(t *testing.T) {
	for name, d := range Builtin() {
		if d.Binding != Learned || d.Extract != (Extract{}) || d.Gateway != nil {
			t.Errorf("%s is %+v", name, d)
		}
	}
}

func TestExtractMistakesAreRefused(t *testing.T) {
	const several = "write one of format, regex, and offset with length or stop_chars"
	for _, tt := range []struct {
		name string
		o    ExtractOptions
		want string
	}{
		{"format with an offset", ExtractOptions{Format: "weblogic", Offset: 53}, several},
		{"format with a length", ExtractOptions{Format: "plain", Length: 10}, several},
		{"format with stop characters", ExtractOptions{Format: "weblogic", StopChars: "!"}, several},
		{"format with a regex", ExtractOptions{Format: "weblogic", Regex: "(x)"}, several},
		{"regex with stop characters", ExtractOptions{Regex: "(x)", StopChars: "!"}, several},
		{"no such format", ExtractOptions{Format: "tomcat"}, `format "tomcat" does not exist: there is plain, weblogic`},
		{"offset alone", ExtractOptions{Offset: 53}, "offset alone does not say where the id ends: write length or stop_chars"},
		{"negative offset", ExtractOptions{Offset: -1, StopChars: "!"}, "offset and length are counts of characters, 0 or more"},
		{"negative length", ExtractOptions{Length: -1}, "offset and length are counts of characters, 0 or more"},
		{"stop characters of several bytes", ExtractOptions{StopChars: "!§"}, `stop_chars "!§" are not all ASCII: the bytes of an id are no other characters`},
		{"broken regex", ExtractOptions{Regex: "("}, "regex: missing closing ): `(`"},
		{"regex without a group", ExtractOptions{Regex: "[0-9]+"}, "regex: it has no group for the id: write one in parentheses, or (?P<primary>...)"},
		{"regex with a group for the secondary alone", ExtractOptions{Regex: "(?P<secondary>x)(y)"}, "regex: it has no group for the id: write one in parentheses, or (?P<primary>...)"},
		{"regex with a slip in a name", ExtractOptions{Regex: "(?P<primry>x)"}, `regex: a group is named "primry": there is primary and secondary`},
	} {
		extract, err := NewExtract(tt.o)
		if err == nil || err.Error() != tt.want || extract != (Extract{}) {
			t.Errorf("%s: %v, %v; want %q", tt.name, extract, err, tt.want)
		}
	}
}

func TestDoubtfulLengthsAreToldOf(t *testing.T) {
	const alone, beside = "alone cuts", "leave it out"
	for _, tt := range []struct {
		name string
		o    ExtractOptions
		want string // a part of the doubt; empty: there is none
	}{
		{"M-PERS-05: 10 alone", ExtractOptions{Offset: 53, Length: 10}, alone},
		{"M-PERS-05: 11 alone runs over shorter ids", ExtractOptions{Offset: 53, Length: 11}, alone},
		{"M-PERS-05: 10 beside stop characters", ExtractOptions{Offset: 53, Length: 10, StopChars: ":!"}, beside},
		{"M-PERS-05: 11 beside stop characters", ExtractOptions{Offset: 53, Length: 11, StopChars: ":!"}, ""},
		{"M-PERS-12: no length", at53, ""},
		{"as long as no id of a server is", ExtractOptions{Length: 12}, ""},
		{"no place", asWebLogic, ""},
		{"nothing", ExtractOptions{}, ""},
	} {
		got := tt.o.Doubts()
		if (len(got) > 0) != (tt.want != "") || len(got) > 0 && !strings.Contains(got[0], tt.want) {
			t.Errorf("%s: doubts %q, want %q", tt.name, got, tt.want)
		}
		if begin := fmt.Sprint("length: ", tt.o.Length, " "); len(got) > 0 && !strings.HasPrefix(got[0], begin) {
			t.Errorf("%s: %q does not begin with %q", tt.name, got[0], begin)
		}
	}
}
