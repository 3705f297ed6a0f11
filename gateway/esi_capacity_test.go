package gateway

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// a page whose template, and templates within it, and fragments all come from one origin that does one thing at a
// time does not wait for itself. With a queue it is complete.
func TestPagesOfAnOriginWithOneSlot(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 200<<10/16)
	for _, tt := range []struct {
		name, template, fragment, body string // fields of templates and fragments
	}{
		{"stored", asTemplate, stored60, "F"},
		{"stored, and long", asTemplate, stored60, long},
		{"not stored", unstoredTemplate, "Cache-Control: no-store\r\n", "F"},
		{"not stored, and long", unstoredTemplate, "Cache-Control: no-store\r\n", long},
	} {
		for _, queue := range []int{0, 1000} {
			t.Run(fmt.Sprintf("%s, queue of %d", tt.name, queue), func(t *testing.T) {
				t.Parallel()
				pages := map[string]served{}
				const continues = `" onerror="continue"/>`
				page := ""
				for n := range 4 {
					nested := fmt.Sprint("/nested", n)
					page += `(<esi:include src="` + nested + continues + `)`
					inner := ""
					for m := range 3 {
						path := fmt.Sprintf("/f%d%d", n, m)
						inner += `<esi:include src="` + path + continues
						pages[path] = served{tt.fragment, tt.body, ""}
					}
					pages[nested] = served{tt.template, inner, ""}
				}
				pages["/page"] = served{tt.template, page, ""}
				k := newKiosk(t, "", pages)
				k.text = strings.Replace(k.text, `origins: [{ address: "`, fmt.Sprintf(`queue: { size: %d, timeout: 30s }, origins: [{ capacity: 1, address: "`, queue), 1)
				k.configure(t, "esi: { fragment_timeout: 30s, timeout: 60s }")
				k.pagesAtOnce(t, queue > 0, strings.Repeat("("+strings.Repeat(tt.body, 3)+")", 4))
				untilIdle(t, k.g)
				until(t, "no fragment is under way", func() bool { return k.g.fetching.Load() == 0 })
			})
		}
	}
}

// pagesAtOnce has three clients ask for a page at once. Without room to wait some may be refused, or lack fragments;
// none hangs.
func (k *kiosk) pagesAtOnce(t *testing.T, room bool, want string) {
	t.Helper()
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			switch got := k.get(t, "/page"); {
			case room && (got.status != 200 || got.body != want):
				t.Errorf("with room for all: %d, %d bytes; want %d", got.status, len(got.body), len(want))
			case !room && got.status != 503 && (got.status != 200 || strings.Count(got.body, ")") != 4):
				t.Errorf("without room: %d, %d bytes", got.status, len(got.body))
			}
		})
	}
	clients.Wait()
}

// One at a time, a page of short fragments needs no more than one slot and no queue.
func TestPagesOneFragmentAtATime(t *testing.T) {
	t.Parallel()
	for _, storing := range []string{stored60, "Cache-Control: no-store\r\n"} {
		pages := map[string]served{"/page": {asTemplate, "", ""}}
		template, want := "", ""
		for n := range 5 {
			template += fmt.Sprintf(`<esi:include src="/%d"/>`, n)
			pages[fmt.Sprint("/", n)] = served{storing, fmt.Sprint(n), ""}
			want += fmt.Sprint(n)
		}
		pages["/page"] = served{asTemplate, template, ""}
		k := newKiosk(t, "", pages)
		k.text = strings.Replace(k.text, `origins: [{ address: "`, `queue: { size: 0 }, origins: [{ capacity: 1, address: "`, 1)
		k.configure(t, "esi: { concurrent: 1 }")
		wantBody(t, storing, k.get(t, "/page"), want)
	}
}
