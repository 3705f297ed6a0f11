package gateway

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// message is an invalidation of one object.
func message(selector, removal string) []byte {
	return []byte(`<?xml version="1.0"?><INVALIDATION VERSION="WCS-1.1"><OBJECT>` + selector + `<ACTION REMOVALTTL="` + removal + `"/><INFO VALUE="x"/></OBJECT></INVALIDATION>`)
}

// What messages select goes, and what they do not stays.
func TestInvalidationMessagesAreDone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, selector, removal, result string
		left, stale                     int
	}{
		{"exact", `<BASICSELECTOR URI="/img/b/c.png?w=2"/>`, "0", `STATUS="SUCCESS" NUMINV="1"`, 5, 0},
		{"exact of a host", `<BASICSELECTOR URI="http://shop.example/%7Euser"/>`, "0", `STATUS="SUCCESS" NUMINV="1"`, 5, 0},
		{"all that a URI is chosen by", `<BASICSELECTOR URI="/news/1"/>`, "0", `STATUS="SUCCESS" NUMINV="2"`, 4, 0},
		{"without its query", `<BASICSELECTOR URI="/img/b/c.png"/>`, "0", `STATUS="URI NOT FOUND" NUMINV="0"`, 6, 0},
		{"a prefix", `<ADVANCEDSELECTOR URIPREFIX="/img/"/>`, "0", `STATUS="SUCCESS" NUMINV="3"`, 3, 0},
		{"an expression", `<ADVANCEDSELECTOR URIPREFIX="/" URIEXP="w=[12]$"/>`, "0", `STATUS="SUCCESS" NUMINV="2"`, 4, 0},
		{"a search key", `<ADVANCEDSELECTOR URIPREFIX="/"><OTHER NAME="SEARCHKEY" TYPE="REGEX" VALUE="^pictures$"/></ADVANCEDSELECTOR>`, "0", `NUMINV="3"`, 3, 0},
		{"a field", `<ADVANCEDSELECTOR URIPREFIX="/news/"><HEADER NAME="Accept-Language" VALUE="de"/></ADVANCEDSELECTOR>`, "0", `NUMINV="1"`, 5, 0},
		{"to be removed later", `<ADVANCEDSELECTOR URIPREFIX="/img/"/>`, "3600", `NUMINV="3"`, 6, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStocked(t)
			answer, told, err := s.g.Invalidate(message(tt.selector, tt.removal))
			if err != nil || !strings.Contains(string(answer), tt.result) || len(told) != 1 || !strings.Contains(told[0], `info: "x"`) {
				t.Fatalf("%s, %q, %v", answer, told, err)
			}
			list, err := s.g.ListStored(StoredSelection{All: true}, "", 100)
			stale := 0
			for _, o := range list.Objects {
				if o.State == "stale" {
					stale++
				}
			}
			if err != nil || list.Matched != tt.left || stale != tt.stale {
				t.Errorf("%d are left, %d of them stale, %v", list.Matched, stale, err)
			}
		})
	}
}

// A preview lists what would go, a page of it, and changes nothing.
func TestInvalidationPreviews(t *testing.T) {
	t.Parallel()
	s := newStocked(t)
	for _, tt := range []struct{ start, max, want string }{
		{"0", "100", `STARTNUM="0" NUMURLS="3" TOTALNUMURLS="3"`},
		{"1", "1", `STARTNUM="1" NUMURLS="1" TOTALNUMURLS="3"`},
		{"9", "1", `STARTNUM="9" NUMURLS="0" TOTALNUMURLS="3"`},
	} {
		text := fmt.Sprintf(`<INVALIDATIONPREVIEW VERSION="WCS-1.1" STARTNUM="%s" MAXNUM="%s"><ADVANCEDSELECTOR URIPREFIX="/img/"/></INVALIDATIONPREVIEW>`, tt.start, tt.max)
		answer, told, err := s.g.Invalidate([]byte(text))
		if err != nil || told != nil || !strings.Contains(string(answer), tt.want) {
			t.Errorf("%s, %q, %v", answer, told, err)
		}
	}
	if st, _ := s.g.StoredStats(); st.Objects != 6 {
		t.Errorf("%d are left", st.Objects)
	}
}

// A removal TTL is for how long what is invalid may still be used: then it goes, unless it
// was asked for anew.
func TestInvalidRemovedWhenItsTimeIsOver(t *testing.T) {
	text := plainListener + "clusters: { a: { origins: [{ address: \"a.example:80\" }] } }\ncache: { enabled: true }\n"
	cacheable := func(r *bufio.Reader, c net.Conn) {
		for readHead(r) != "" {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: 2\r\n\r\nok")
		}
	}
	inBubbleOf(t, text, Options{}, everywhere(cacheable), func(t *testing.T, b *bubble) {
		ask := func(target string) { b.get("GET " + target + " HTTP/1.1\r\nHost: a.example\r\n\r\n") }
		ask("/left")
		ask("/asked")
		if _, _, err := b.g.Invalidate(message(`<ADVANCEDSELECTOR URIPREFIX="/"/>`, "30")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(29 * time.Second)
		if list, _ := b.g.ListStored(StoredSelection{All: true}, "", 9); list.Matched != 2 || list.Objects[0].State != "stale" {
			t.Errorf("before its time: %+v", list)
		}
		ask("/asked")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if list, _ := b.g.ListStored(StoredSelection{All: true}, "", 9); list.Matched != 1 || list.Objects[0].Target != "/asked" || list.Objects[0].State != "fresh" {
			t.Errorf("after its time: %+v", list)
		}
		if n := b.g.removals.Load(); n != 0 {
			t.Errorf("%d removals are due", n)
		}
	})
}

// Hosts and sites of which nothing can be stored are told apart.
func TestInvalidationOfOtherHosts(t *testing.T) {
	t.Parallel()
	_, g := start(t, plainListener+`clusters: { a: { origins: [{ address: "127.0.0.1:1" }] } }
cache: { enabled: true }
sites: { shop: { hosts: [shop.example] }, api: { hosts: [api.example], cache: { enabled: false } } }
mappings: [{ site: shop, cluster: a }, { site: api, cluster: a }]
`, Options{})
	for host, want := range map[string]string{"shop.example": "URI NOT FOUND", "api.example": "URI NOT CACHEABLE", "other.example": "URI NOT FOUND"} {
		answer, _, err := g.Invalidate(message(`<BASICSELECTOR URI="http://`+host+`/a"/>`, "0"))
		if err != nil || !strings.Contains(string(answer), `STATUS="`+want+`" NUMINV="0"`) {
			t.Errorf("%s: %s, %v", host, answer, err)
		}
	}
	if _, _, err := g.Invalidate([]byte("<A/>")); err == nil {
		t.Error("no message is one")
	}
	_, plain := start(t, plainListener+"clusters: { a: { origins: [{ address: \"127.0.0.1:1\" }] } }\n", Options{})
	if _, _, err := plain.Invalidate(message(`<BASICSELECTOR URI="/a"/>`, "0")); !errors.Is(err, ErrNoCache) {
		t.Errorf("without a cache: %v", err)
	}
}
