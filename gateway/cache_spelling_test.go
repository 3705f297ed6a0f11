package gateway

import (
	"net"
	"strings"
	"testing"
)

// TestSpellingsOfOneURLPoisonNoOther: what an origin makes of a host or path that is written
// otherwise than usual is stored for who writes it so, and for nobody else.
func TestSpellingsOfOneURLPoisonNoOther(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, host, path string
	}{
		{"a port that the site does not name", "shop.example:9999", "/a?q"},
		{"the scheme's own port", "shop.example:80", "/a?q"},
		{"a final dot", "shop.example.", "/a?q"},
		{"a final dot of a pattern's host", "one.blog.example.", "/a?q"},
		{"a final dot before a port", "shop.example.:8080", "/a?q"},
		{"an escape of what needs none", "shop.example", "/%61?q"},
		{"an escape in lower case", "shop.example", "/%c3%a9?q"},
		{"no escape of what needs one", "shop.example", "/\xc3\xa9?q"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShop(t, "")
			apply(t, s.g, s.text+"\nsites: { shop: { hosts: [shop.example, \"other.example:8080\"] }, blog: { hosts: [\"*.blog.example\"] } }\nmappings: [{ site: shop, cluster: a }, { site: blog, cluster: a }]\n")
			s.answer = func(head string) (string, string) {
				line, _, _ := strings.Cut(head, "\r\n")
				return stored60, "to " + fieldIn(head, "Host") + " " + line
			}
			ask := func(host, path string) string {
				return send(t, s.addr, "GET "+path+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
			}
			usualHost := strings.TrimSuffix(strings.Split(tt.host, ":")[0], ".")
			usualPath := strings.NewReplacer("%61", "a", "%c3%a9", "%C3%A9", "\xc3\xa9", "%C3%A9").Replace(tt.path)
			for range 2 {
				wants(t, "as it is written", ask(tt.host, tt.path), "to "+tt.host+" GET "+tt.path)
				wants(t, "as all write it", ask(usualHost, usualPath), "to "+usualHost+" GET "+usualPath)
			}
			wants(t, "as it is written, again", ask(tt.host, tt.path), "; hit")
			if n, err := s.g.PurgeStored(StoredPurge{StoredSelection{"http://" + usualHost + usualPath, "", false}, false, false}); err != nil || n.Count != 2 {
				t.Errorf("a purge of the URL took %+v, %v, want 2", n, err)
			}
		})
	}
}

// TestPortsOfListenersShare: what is fetched for a host without a port is there for who says where
// it came in.
func TestPortsOfListenersShare(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	_, port, _ := net.SplitHostPort(freeAddress(t))
	apply(t, s.g, strings.Replace(s.text, "listeners: [", "listeners: [{ name: more, address: \"127.0.0.1:"+port+"\" }, ", 1)+
		"\nsites: { shop: { hosts: [shop.example] } }\nmappings: [{ site: shop, cluster: a }]\n")
	s.answer = func(string) (string, string) { return stored60, "page" }
	for _, tt := range []struct{ host, want string }{{"shop.example", "stored"}, {"shop.example:" + port, "; hit"}, {"shop.example:1", "stored"}} {
		wants(t, tt.host, send(t, s.addr, "GET /a HTTP/1.1\r\nHost: "+tt.host+"\r\nConnection: close\r\n\r\n"), tt.want)
	}
}

// TestPortsThatASiteNamesShare: who writes several ports says that they are one site.
func TestPortsThatASiteNamesShare(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	apply(t, s.g, s.text+"\nsites: { shop: { hosts: [\"shop.example:80\", \"shop.example:8080\"] } }\nmappings: [{ site: shop, cluster: a }]\n")
	s.answer = func(string) (string, string) { return stored60, "page" }
	ask := func(host string) string {
		return send(t, s.addr, "GET /a HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
	}
	ask("shop.example")
	for _, host := range []string{"shop.example:80", "shop.example:8080", "SHOP.example"} {
		wants(t, host, ask(host), "; hit")
	}
}
