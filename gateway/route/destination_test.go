package route

import "testing"

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

func TestDestinationsThatAreNone(t *testing.T) {
	for _, text := range []string{
		"", "/", "main/", "/shop", "main//web1", "main/shop/", "main/shop@", "app:", "app:@2.0", "app:shop@",
		"cluster=main", "cluster=main,", "cluster=,shop", "cluster=main,shop,x", "cluster=", "server=main,a,b", "server=main,,b,c", "server=a,b,c,d,e",
		"main /shop", " main/shop", "main/shop\n", "cluster=main, shop",
	} {
		if d, err := ParseDestination(text, "main"); err == nil {
			t.Errorf("%q is taken for %+v", text, d)
		}
	}
}

// What is a destination stays one, and is read in one way.
func FuzzDestination(f *testing.F) {
	for _, s := range []string{"main/shop", "a/b/c:80", "app:x@*", "cluster=*,*", "server=a,b,c,d", "@", "*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDestination(text, "main")
		if err != nil {
			return
		}
		again, err := ParseDestination(d.String(), "main")
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, o := range farm() {
			if d.Selects(&o) != again.Selects(&o) {
				t.Errorf("%q selects %v in two ways", text, o)
			}
		}
	})
}
