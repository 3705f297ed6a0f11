package gateway

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/wire"
)

// there is no request in what a filter of stage store is shown, but for the time and the site.
func TestStoreFilterIsShownNoRequest(t *testing.T) {
	s := newStoreShop(t, parrot, ", method, scheme, host, path, query, target, client, session, site, body, \"cookie:a\", \"header:authorization\"", "reject", "")
	snap := s.g.current.Load()
	p := snap.sites[0].toStore.all[0].attachment.Plugin()
	now := time.Unix(7, 9)
	x := &Exchange{
		Method: []byte("GET"), Secure: true, Minor: 1, Now: now, number: 5, attempts: 2, clientIP: netip.MustParseAddr("192.0.2.7"),
		snap: snap, site: &snap.sites[0], mapping: &snap.mappings[0],
	}
	x.reset()
	x.site, x.mapping, x.number, x.attempts = &snap.sites[0], &snap.mappings[0], 5, 2
	x.Target.Parse([]byte("/a?b"))
	x.Authority.Parse([]byte("w.example"))
	x.Head.Fields = []wire.Field{{Name: []byte("Cookie"), Value: []byte("a=b")}, {Name: []byte("X-Asked"), Value: []byte("1")}}
	d := &draft{status: 203, fields: []wire.Field{
		{Name: []byte("X-Said"), Value: []byte("2")}, {Name: []byte("Connection"), Value: []byte("x"), Class: wire.Hop},
		{Name: []byte("Set-Cookie"), Value: []byte("c=d")},
	}, length: 8}
	got := *x.work().showDraft(p.Needs(), d)
	got.Args, got.Cookies, got.Origins = nil, nil, nil
	want := abi.View{
		Flags: abi.FlagBody, Now: uint64(now.UnixNano()), Granted: p.Needs().Granted, Status: 203, BodyLength: 8, Site: []byte("w"),
		Headers: []abi.Field{{Name: []byte("X-Said"), Value: []byte("2")}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it is shown\n%+v, want\n%+v", got, want)
	}
}

// Of the answer it is shown what any filter is.
func TestStoreFilterIsShownTheBody(t *testing.T) {
	s := newStoreShop(t, bodyGuest, ", body", "reject", "")
	s.answer = func(head string) (string, string) {
		if strings.HasPrefix(head, "GET /none") {
			return stored60, ""
		}
		return stored60, "page"
	}
	for path, want := range map[string]string{"/x": "6 4 4 2170419830", "/none": "0 0"} {
		for range 2 {
			if got := s.visit(t, path).header.Get("X-Shown"); got != want {
				t.Errorf("%s: it was shown %q, want %q", path, got, want)
			}
		}
	}
}

// What is decided by an answer is decided by what the filter makes of it: whether it is stored, for how
// long, under what it varies by, with which tags, and which caching rule is true of it.
func TestStoreFilterMakesWhatIsDecidedBy(t *testing.T) {
	for _, tt := range []struct {
		name, cache, fields, want string
		ops                       []abi.Op
	}{
		{"it can be stored", "", "Cache-Control: no-store\r\nSet-Cookie: a=b\r\n", "hit; ttl=9", []abi.Op{op(abi.OpSetHeader, "Cache-Control", "max-age=9"), op(abi.OpDeleteHeader, "Set-Cookie", "")}},
		{"it cannot", "", stored60, "fwd=uri-miss", []abi.Op{op(abi.OpSetHeader, "Cache-Control", "private")}},
		{"it varies", "", stored60, "fwd=vary-miss", []abi.Op{op(abi.OpSetHeader, "Vary", "X-Turn")}},
		{"a rule sees it", `, rules: [{ name: made, when: 'response_header("x-made") == "here"', ttl: 7s }]`, "", "hit; ttl=7", []abi.Op{op(abi.OpSetHeader, "X-Made", "here")}},
		{"a rule sees what is gone", `, rules: [{ name: came, when: 'response_header("x-came") == "so"', pass: true }]`, stored60 + "X-Came: so\r\n", "hit; ttl=60", []abi.Op{op(abi.OpDeleteHeader, "X-Came", "")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStoreShop(t, parrot, "", "reject", tt.cache)
			s.answer = func(string) (string, string) { return tt.fields + says(tt.ops...), "page" }
			s.visit(t, "/x", "X-Turn: 1")
			if got := s.visit(t, "/x", "X-Turn: 2").header.Get("Cache-Status"); !strings.HasPrefix(got, "edge; "+tt.want) {
				t.Errorf("%q, want %s", got, tt.want)
			}
		})
	}
	s := newStoreShop(t, parrot, "", "reject", "")
	s.answer = func(string) (string, string) {
		return stored60 + says(op(abi.OpSetHeader, "Surrogate-Key", "made")), "page"
	}
	s.visit(t, "/x")
	if p, err := s.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: "tag:made"}}); err != nil || p.Count != 1 {
		t.Errorf("purged by its tag: %+v, %v", p, err)
	}
}

// A caching rule that asks for the answer is true of a whole that was renewed, and not of the 304.
func TestRulesSeeWhatWasRenewed(t *testing.T) {
	s := newShop(t, `, rules: [{ name: pages, when: 'status == 200 and content_type startsWith "text/"', ttl: 30s }]`)
	s.answer = func(string) (string, string) { return "Content-Type: text/html\r\nETag: \"v1\"\r\n", "page" }
	s.get(t, "/x")
	s.at(100)
	s.status = func() string { return "304 Not Modified" }
	s.answer = func(string) (string, string) { return "ETag: \"v1\"\r\n", "" }
	s.get(t, "/x")
	s.at(110)
	wants(t, "the rule holds on", s.get(t, "/x"), "edge; hit; ttl=20\r\n")
}

// A refresh behind the client's back is filtered too. If the filter fails at it, what there is
// stays, and the next try is later.
func TestStoreFilterRefreshes(t *testing.T) {
	for _, onError := range []string{"reject", "skip"} {
		for _, tag := range []string{"", "ETag: \"v1\"\r\n"} {
			t.Run(onError+tag, func(t *testing.T) {
				s := newStoreShop(t, parrot, "", onError, ", stale: { while_revalidate: 1h }")
				var mu sync.Mutex
				say, secret := says(op(abi.OpDeleteHeader, "X-Secret", ""), op(abi.OpSetHeader, "X-Made", "1")), "s"
				s.answer = func(string) (string, string) {
					mu.Lock()
					defer mu.Unlock()
					return stored60 + tag + "X-Secret: " + secret + "\r\n" + say, "page"
				}
				s.visit(t, "/x")
				if tag != "" {
					s.status = func() string { return "304 Not Modified" }
				}
				to := func(now string) {
					mu.Lock()
					defer mu.Unlock()
					say = now
				}
				to("X-Say: trap\r\n")
				s.at(100)
				seen := func() told {
					got := s.visit(t, "/x")
					if got.body != "page" || got.header.Get("X-Secret") != "" {
						t.Errorf("%d %q %v", got.status, got.body, got.header)
					}
					return got
				}
				seen()
				until(t, "the refresh has failed", func() bool { return len(s.g.Plugins()[0].Faults) == 1 && s.g.refreshes.Load() == 0 })
				if seen(); s.g.refreshes.Load() != 0 || s.heads.Load() != 2 {
					t.Errorf("it is tried again at once: %d requests", s.heads.Load())
				}
				to(says(op(abi.OpDeleteHeader, "X-Secret", ""), op(abi.OpSetHeader, "X-Made", "2")))
				s.at(110)
				until(t, "it is refreshed", func() bool { return seen().header.Get("X-Made") == "2" })
				until(t, "no slot is taken", func() bool { return s.g.Status().Origins[0].Load == 0 })
			})
		}
	}
}

// C10: what a filter has made is not taken for another version than the origin's.
func TestStoreFilterAndHead(t *testing.T) {
	for _, needs := range []string{"", ", body"} {
		for tag, cacheStatus := range map[string]string{`"v1"`: "edge; hit", `"v2"`: "edge; fwd=stale"} {
			t.Run(needs+tag, func(t *testing.T) {
				s := newStoreShop(t, parrot, needs, "reject", ", client_directives: honour")
				ops := []abi.Op{op(abi.OpDeleteHeader, "ETag", ""), op(abi.OpSetHeader, "X-Made", "here")}
				if needs != "" {
					ops = append(ops, op(abi.OpSetBody, "", "made of it"))
				}
				tagged := `"v1"`
				s.answer = func(head string) (string, string) {
					fields := stored60 + "ETag: " + tagged + "\r\n" + says(ops...)
					if strings.HasPrefix(head, "HEAD") {
						return fields, ""
					}
					return fields, "page"
				}
				s.visit(t, "/x")
				tagged = tag
				got := send(t, s.addr, "HEAD /x HTTP/1.1\r\nHost: w.example\r\nConnection: close\r\nCache-Control: no-cache\r\n\r\n")
				if !strings.Contains(got, "X-Made: here\r\n") || strings.Contains(got, "ETag") || strings.Contains(got, "Content-Length") == (needs != "") {
					t.Errorf("HEAD gets %s", got)
				}
				if got := s.visit(t, "/x").header.Get("Cache-Status"); !strings.HasPrefix(got, cacheStatus) {
					t.Errorf("then GET: %s, want %s", got, cacheStatus)
				}
			})
		}
	}
}

// What was stored before a filter was there, or by another one, is not sent.
func TestStoreFilterIsPartOfTheKey(t *testing.T) {
	s := newStoreShop(t, parrot, "", "reject", "")
	s.answer = func(string) (string, string) { return stored60 + "X-Say: 0\r\n", "page" }
	with := s.text
	without := strings.Replace(with, `filters: [{ plugin: edit, on_error: reject, stage: store }]`, "filters: []", 1)
	did := func() string {
		word, _, _ := strings.Cut(strings.TrimPrefix(s.visit(t, "/x").header.Get("Cache-Status"), "edge; "), ";")
		return word
	}
	for i, tt := range []struct{ text, want string }{
		{without, "fwd=uri-miss"}, {without, "hit"},
		{with, "fwd=uri-miss"}, {with, "hit"},
		{strings.Replace(with, "reject", "skip", 1), "hit"},
		{strings.Replace(with, "needs: [headers]", "needs: [headers, site]", 1), "fwd=uri-miss"},
		{strings.Replace(with, parrot, bodyGuest, 1), "fwd=uri-miss"},
		{with, "hit"}, {without, "hit"},
	} {
		apply(t, s.g, tt.text)
		if got := did(); got != tt.want {
			t.Errorf("%d: %s, want %s", i, got, tt.want)
		}
	}
	send(t, s.addr, "DELETE /x HTTP/1.1\r\nHost: w.example\r\nConnection: close\r\n\r\n")
	if n := s.g.cache.Stats().Objects; n != 0 {
		t.Errorf("%d answers are left of what was invalidated", n)
	}
}

// A request that waits for a slot, while a reload brings a filter and another origin, has its answer
// filtered as the site says now; and what it gets is no answer to what the store was asked before.
func TestStoreFilterOfAReload(t *testing.T) {
	s := newStoreShop(t, parrot, "", "reject", "")
	s.answer = func(string) (string, string) { return "", "held" }
	origin := "address: \"" + s.home.addr
	with := strings.Replace(s.text, origin, "capacity: 1, "+origin, 1)
	without := strings.Replace(with, "filters: [{ plugin: edit, on_error: reject, stage: store }]", "filters: []", 1)
	apply(t, s.g, without)
	held, waits := make(chan string, 1), make(chan string, 1)
	go func() { held <- s.get(t, "/hold") }()
	until(t, "the origin is busy", func() bool { return s.held.Load() == 1 })
	go func() { waits <- s.get(t, "/x") }()
	untilWaitingIn(t, s.g, "a")
	next := newHomes(t, "b")[0]
	next.script = func(string) (string, string) {
		return stored60 + "X-Secret: s\r\n" + says(op(abi.OpDeleteHeader, "X-Secret", "")), "new"
	}
	apply(t, s.g, strings.Replace(with, "{ capacity: 1,", "{ address: \""+next.addr+"\" }, { state: disabled, capacity: 1,", 1))
	if got := <-waits; !strings.HasSuffix(got, "new") || strings.Contains(got, "X-Secret") {
		t.Errorf("who waited got %s", got)
	}
	s.letGo <- struct{}{}
	<-held
	if n := s.g.cache.Stats().Objects; n != 0 {
		t.Errorf("%d answers are stored", n)
	}
}

// What a filter was shown of a long answer is stored with the rest, which comes later and while others
// are served.
func TestStoreFilterOfAPrefix(t *testing.T) {
	long := strings.Repeat("0123456789", 40_000)
	s := newStoreShop(t, parrot, ", body-prefix", "reject", "")
	s.answer = func(head string) (string, string) {
		if strings.HasPrefix(head, "GET /short") {
			return "X-Say: 0\r\n", "short"
		}
		return stored60 + says(op(abi.OpSetHeader, "X-Made", "here")), long
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 6 {
				got := s.visit(t, fmt.Sprintf("/long%d", (i+j)%4))
				if got.body != long || got.header.Get("X-Made") != "here" {
					t.Errorf("%d bytes came, %v", len(got.body), got.header)
				}
				if got := s.visit(t, "/short"); got.body != "short" {
					t.Errorf("%q", got.body)
				}
			}
		})
	}
	all.Wait()
}

// Both stages have their turn: that of delivery sees what is stored, each time.
func TestFiltersOfBothStages(t *testing.T) {
	s := newStoreShop(t, parrot, "", "reject", "")
	s.text = strings.Replace(s.text, "plugins: {", fmt.Sprintf("plugins: { shown: { kind: filter, module: %q, needs: [body] },", guestFile(bodyGuest)), 1)
	s.text = strings.Replace(s.text, "filters: [", "filters: [{ plugin: shown, on_error: reject }, { plugin: shown, on_error: reject, stage: store }, ", 1)
	s.text = strings.Replace(s.text, "needs: [headers]", "needs: [headers, body]", 1)
	apply(t, s.g, s.text)
	s.answer = func(string) (string, string) { return stored60 + says(op(abi.OpSetBody, "", "0123456")), "page" }
	for range 2 {
		got := s.visit(t, "/x")
		if got.body != "0123456" || got.header.Get("X-Shown") != "6 7 7 1468505912" {
			t.Errorf("%q, the filter at delivery was shown %s", got.body, got.header.Get("X-Shown"))
		}
	}
	var stages string
	for _, p := range s.g.Plugins() {
		for _, at := range p.Standings {
			stages += fmt.Sprintln(p.Name, at.Place, at.Stages)
		}
	}
	if stages != "edit site w [store]\nshown site w [deliver store]\n" {
		t.Error(stages)
	}
}

// A plugin that sees requests alone has nothing to do before the store.
func TestStoreFilterWithoutResponses(t *testing.T) {
	hs := newHomes(t, "a")
	text := strings.Replace(filterText(hs, "evil/call/request-trap", ", on_error: skip", ""), "{ plugin: edit }", "{ plugin: edit, stage: store }", 1)
	_, problems := NewExplainer(load(t, text))
	if len(problems) != 1 || problems[0].Code != "E513" || !strings.Contains(problems[0].Message, "plugin edit has no gw_on_response") {
		t.Errorf("%v", problems)
	}
}

// Who waits for a fetch whose answer a filter fails at goes to the origin itself, at once with the others.
func TestStoreFilterFailsForAllWhoWait(t *testing.T) {
	for onError, want := range map[string]string{"reject": "503", "skip": "200 page"} {
		s := newStoreShop(t, parrot, "", onError, "")
		s.answer = func(string) (string, string) { return stored60 + "X-Say: -4\r\n", "page" }
		var all sync.WaitGroup
		one := func() {
			if got := s.visit(t, "/hold"); !strings.HasPrefix(fmt.Sprint(got.status, " ", got.body), want) {
				t.Errorf("%s: %d %q", onError, got.status, got.body)
			}
		}
		all.Go(one)
		until(t, "the origin is asked", func() bool { return s.held.Load() == 1 })
		for range 3 {
			all.Go(one)
		}
		until(t, "the others wait", func() bool { return s.g.cache.Stats().Waiting == 3 })
		s.letGo <- struct{}{}
		until(t, "all of them ask", func() bool { return s.held.Load() == 3 })
		for range 3 {
			s.letGo <- struct{}{}
		}
		all.Wait()
		if n := s.g.cache.Stats(); n.Objects != 0 || n.Flights != 0 {
			t.Errorf("%s: %d answers are stored, %d fetches are under way", onError, n.Objects, n.Flights)
		}
	}
}

// What is warmed is filtered, and who warms is told of a filter that fails.
func TestStoreFilterOfWhatIsWarmed(t *testing.T) {
	for say, want := range map[string]string{"0": "", "-4": "a filter of stage: store has failed"} {
		s := newStoreShop(t, parrot, "", "skip", "")
		s.answer = func(string) (string, string) { return stored60 + "X-Say: " + say + "\r\n", "page" }
		done, err := s.g.WarmStored(t.Context(), []string{"http://w.example/x"}, nil)
		if err != nil || (want == "") != (done[0].Why == "") || !strings.Contains(done[0].Why, want) || s.g.cache.Stats().Objects != map[string]int{"0": 1}[say] {
			t.Errorf("%s: %+v, %v", say, done, err)
		}
	}
}

// What a filter has made is found again after a start: on disk, too, its key is what makes the filter.
func TestStoreFilterHasOneMark(t *testing.T) {
	marks := map[string]bool{}
	for range 2 {
		s := newStoreShop(t, parrot, "", "reject", "")
		marks[string(s.g.current.Load().sites[0].toStore.mark)] = true
	}
	if len(marks) != 1 || marks[""] {
		t.Errorf("%v", marks)
	}
}

// Explain tells of the filters, and does not promise what they would change.
func TestStoreFilterIsExplained(t *testing.T) {
	for _, needs := range []string{"", ", body"} {
		s := newStoreShop(t, parrot, needs, "reject", "")
		s.answer = func(string) (string, string) { return stored60 + "ETag: \"v1\"\r\nX-Say: 0\r\n", "page" }
		s.visit(t, "/x")
		s.at(100)
		before := s.calls()
		e, err := s.g.Explain(Question{Raw: []byte("GET /x HTTP/1.1\r\nHost: w.example\r\n\r\n"), Answer: []byte("HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\n\r\n")})
		if err != nil {
			t.Fatal(err)
		}
		if want := []ExplainedFilter{{"edit", "store", []string{"answers"}, "reject"}}; !reflect.DeepEqual(e.Filters, want) {
			t.Errorf("%+v, want %+v", e.Filters, want)
		}
		does := map[string]string{"": "validate", ", body": "miss"}[needs]
		if c := e.Cache; c.Does != does || !c.Answer.Raw || !c.Answer.Stored || !strings.Contains(c.Key.Parts, "filter edit@") || s.calls() != before {
			t.Errorf("%+v %+v, %d calls", c, c.Key, s.calls()-before)
		}
	}
}

// A session that an origin begins is bound, whatever filters make of the cookie.
func TestStoreFilterLeavesSessionsAlone(t *testing.T) {
	hs := newHomes(t, "a", "b")
	hs.say(func(string) (string, string) {
		return "Set-Cookie: SID=one\r\n" + says(op(abi.OpDeleteHeader, "Set-Cookie", "")), "page"
	})
	text := strings.Replace(filterText(hs, parrot, ", on_error: reject", "sessions: { s: { cookie: SID } }"), "{ plugin: edit }", "{ plugin: edit, stage: store }", 1)
	addr, _ := start(t, strings.NewReplacer("w: { hosts", "w: { session: s, hosts", "app: { ", "app: { balancer: round-robin, ").Replace(text), hs.options())
	first := ask(t, addr, "GET / HTTP/1.1\r\nHost: w.example")
	if first.header.Get("Set-Cookie") != "" {
		t.Errorf("%v", first.header)
	}
	for range 4 {
		if got := ask(t, addr, "GET / HTTP/1.1\r\nHost: w.example\r\nCookie: SID=one"); got.header.Get("X-Origin") != first.header.Get("X-Origin") {
			t.Errorf("%s has answered, the session is of %s", got.header.Get("X-Origin"), first.header.Get("X-Origin"))
		}
	}
}
