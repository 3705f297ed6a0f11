package route

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// farm is origins in two cells and two clusters each.
func farm() []Origin {
	return []Origin{
		{Cell: "main", Cluster: "shop", Name: "web1", Host: "host-a", UserDir: "wlp", Edition: Edition{"shop", "1.0"}},
		{Cell: "main", Cluster: "shop", Name: "web2", Host: "host-b", Edition: Edition{"shop", "2.0"}},
		{Cell: "main", Cluster: "api", Name: "10.0.0.1:8080", Host: "10.0.0.1", Edition: Edition{"api", "2.0"}},
		{Cell: "dr", Cluster: "shop", Name: "web1", Host: "prod7", UserDir: "wlp2", Edition: Edition{"shop", "1.0"}},
	}
}

// M-DEST-01, M-DEST-02, M-DEST-03, M-DEST-04, X-41, D-WS-02: what each form selects.
func TestDestinations(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"main/shop", "01"}, {"shop", "01"}, {"dr/shop", "3"}, {"*/shop", "013"}, {"main/*", "012"}, {"*/*", "0123"}, {"*/s*p", "013"},
		{"main/shop/web1", "0"}, {"*/shop/web1", "03"}, {"main/api/10.0.0.1:8080", "2"}, {"main/shop/*2", "1"},
		{"main/shop@2.0", "1"}, {"*/*@2.0", "12"}, {"*/shop@1.*", "03"}, {"app:shop@2.0", "1"}, {"app:shop", "013"}, {"app:*@2.0", "12"},
		{"cluster=main,shop", "01"}, {"cluster=main,*", "012"}, {"cluster=*,shop", "013"}, {"cluster=m*n,*", "012"},
		{"server=main,*,*,*", "012"}, {"server=*,*,*,web1", "03"}, {"server=*,prod*,*,*", "3"}, {"server=*,*,wlp,*", "0"}, {"server=dr,host-a,*,*", ""},
		{"ma*", ""}, {"sh*@1.0", "0"}, {"*@2.0", "12"}, {"*/*/*", "0123"}, {"**/s*h*p", "013"}, {"main/shop/*e*b*1", "0"}, {"main/sho", ""}, {"ain/shop", ""},
		{"main/none", ""},
	} {
		d, err := ParseDestination(tt.text, "main")
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		got := ""
		for i, o := range farm() {
			if d.Selects(&o) {
				got += string(rune('0' + i))
			}
		}
		if got != tt.want || d.String() != tt.text {
			t.Errorf("%s selects %q, want %q (it is shown as %q)", tt.text, got, tt.want, d.String())
		}
	}
}

// An origin without a name is called by its address, whatever that looks like.
func TestOriginsNamedByAddresses(t *testing.T) {
	for _, name := range []string{"10.0.0.1:8080", "[::1]:80", "c:80", "http://c", "https://c:8443", "https://[::1]:8443"} {
		o := Origin{Cell: "main", Cluster: "shop", Name: name, Host: "c"}
		other := Origin{Cell: "main", Cluster: "shop", Name: name + "0", Host: "c"}
		for _, text := range []string{"main/shop/" + name, "*/*/" + name, "server=main,c,*," + name} {
			d, err := ParseDestination(text, "")
			if err != nil || !d.Selects(&o) || d.Selects(&other) {
				t.Errorf("%s does not select %s alone (%v)", text, name, err)
			}
		}
	}
}

// Each mistake is told in words, with what to write.
func TestDestinationsThatAreNone(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "the cluster is empty (* stands for any): write " + shortForm},
		{"/", "the cell is empty (* stands for any): write " + shortForm},
		{"/shop", "the cell is empty (* stands for any): write " + shortForm},
		{"main/", "the cluster is empty (* stands for any): write " + shortForm},
		{"main//web1", "the cluster is empty (* stands for any): write " + shortForm},
		{"main/shop/", "the origin is empty (* stands for any): write " + shortForm},
		{"main/shop@", "the edition is empty (* stands for any): write " + shortForm},
		{"main/@2.0", "the cluster is empty (* stands for any): write " + shortForm},
		{"main/shop@2@3", `"@" cannot stand in the edition: write ` + shortForm},
		{"main@2/shop", `"@" cannot stand in the cell: write ` + shortForm},
		{"main/shop/web1@2.0", `"@" cannot stand in the origin: write ` + shortForm},
		{"main/shop@2.0/web1", `"@" cannot stand in the cluster: write ` + shortForm},
		{"main/shop/web1/x", `"/" cannot stand in the origin: write ` + shortForm},
		{"main/shop/https://a/b", `"/" cannot stand in the origin: write ` + shortForm},
		{"main,shop", `"," cannot stand in the cluster: write ` + shortForm},
		{"main/shop\x00", `"\x00" cannot stand in the cluster: write ` + shortForm},
		{"app:", "the application is empty (* stands for any): write " + appForm},
		{"app:@2.0", "the application is empty (* stands for any): write " + appForm},
		{"app:shop@", "the edition is empty (* stands for any): write " + appForm},
		{"app:main/shop", `"/" cannot stand in the application: write ` + appForm},
		{"cluster=", "2 parts are wanted, not 1: write cluster=CELL,CLUSTER"},
		{"cluster=main", "2 parts are wanted, not 1: write cluster=CELL,CLUSTER"},
		{"cluster=main/shop", "2 parts are wanted, not 1: write cluster=CELL,CLUSTER"},
		{"cluster=main,shop,x", "2 parts are wanted, not 3: write cluster=CELL,CLUSTER"},
		{"cluster=main,", "the cluster is empty (* stands for any): write cluster=CELL,CLUSTER"},
		{"cluster=,shop", "the cell is empty (* stands for any): write cluster=CELL,CLUSTER"},
		{"cluster=main,shop@2", `"@" cannot stand in the cluster: write cluster=CELL,CLUSTER`},
		{"server=main,a,b", "4 parts are wanted, not 3: write server=CELL,HOST,USERDIR,ORIGIN"},
		{"server=main/node/web1", "4 parts are wanted, not 1: write server=CELL,HOST,USERDIR,ORIGIN"},
		{"server=a,b,c,d,e", "4 parts are wanted, not 5: write server=CELL,HOST,USERDIR,ORIGIN"},
		{"server=main,,b,c", "the host is empty (* stands for any): write server=CELL,HOST,USERDIR,ORIGIN"},
		{"server=main,a,,c", "the user directory is empty (* stands for any): write server=CELL,HOST,USERDIR,ORIGIN"},
		{"module=c,app", `nothing begins with "module=": write cluster=CELL,CLUSTER or server=CELL,HOST,USERDIR,ORIGIN`},
		{"main /shop", `a destination has no blanks: write "main/shop"`},
		{" main/shop", `a destination has no blanks: write "main/shop"`},
		{"main/shop\n", `a destination has no blanks: write "main/shop"`},
		{"main/\u00a0shop", `a destination has no blanks: write "main/shop"`},
		{"cluster=main, shop", `a destination has no blanks: write "cluster=main,shop"`},
	} {
		if d, err := ParseDestination(tt.text, "main"); err == nil {
			t.Errorf("%q is taken for %+v", tt.text, d)
		} else if err.Error() != tt.want {
			t.Errorf("%q: %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Only a destination with an edition is one that names an edition.
func TestDestinationsThatNameAnEdition(t *testing.T) {
	for text, want := range map[string]bool{
		"shop": false, "main/shop": false, "main/shop/web1": false, "app:shop": false, "cluster=main,shop": false, "server=*,*,*,*": false,
		"shop@1": true, "main/shop@1": true, "main/shop@*": true, "app:shop@1": true, "app:*@*": true,
	} {
		if d, err := ParseDestination(text, "main"); err != nil || d.namesEdition() != want {
			t.Errorf("%s names an edition: %v, want %v (%v)", text, d.namesEdition(), want, err)
		}
	}
}

// No byte of a text stands for two of a wildcard.
func TestWildcards(t *testing.T) {
	for _, tt := range []struct {
		wildcard, text string
		want           bool
	}{
		{"*", "", true}, {"**", "", true}, {"a", "a", true}, {"a", "aa", false}, {"a*", "a", true}, {"*a", "ba", true}, {"*a", "ab", false},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"*a*a*", "a", false}, {"*a*a*", "aba", true}, {"*ab*b", "ab", false}, {"*ab*ba*", "aba", false},
		{"*aab*", "aaab", true}, {"a*b*c", "acbc", true}, {"a*b*c", "acb", false},
	} {
		if got := newWildcard(tt.wildcard).fits(tt.text); got != tt.want {
			t.Errorf("%q fits %q: %v, want %v", tt.wildcard, tt.text, got, tt.want)
		}
	}
}

// A wildcard fits what the regular expression for it does.
func TestWildcardsFitLikeRegularExpressions(t *testing.T) {
	some := rapid.StringMatching(`[ab*]{0,8}`)
	text := rapid.StringMatching(`[ab]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		w, s := some.Draw(t, "wildcard"), text.Draw(t, "text")
		want := regexp.MustCompile("^" + strings.ReplaceAll(w, "*", ".*") + "$").MatchString(s)
		if got := newWildcard(w).fits(s); got != want {
			t.Errorf("%q fits %q: %v, want %v", w, s, got, want)
		}
	})
}

// What is a destination is read in one way: what it is shown as is read as the
// same again, and what parts its forms stands in it once at most.
func FuzzDestination(f *testing.F) {
	for _, s := range []string{"main/shop", "shop", "a/b/c:80", "a/b/[::1]:80", "a/b/https://c:1", "a/b@1", "app:x", "app:x@*", "cluster=*,*", "server=a,b,c,d", "@", "*", "a b", "x=y", "app:="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDestination(text, "main")
		if err != nil {
			return
		}
		if d.String() != text || strings.ContainsFunc(text, unicode.IsSpace) || strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("%q is taken, and shown as %q", text, d.String())
		}
		again, err := ParseDestination(d.String(), "main")
		if err != nil || !reflect.DeepEqual(d, again) {
			t.Errorf("%q is %+v, then %+v (%v)", text, d, again, err)
		}
		if strings.Count(text, "@") > 1 || strings.Count(text, "=") > 1 || strings.Contains(text, "@") != d.namesEdition() {
			t.Errorf("%q is taken for %+v", text, d)
		}
	})
}
