package gateway

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway/balance"
	"weirkeep/gateway/config"
)

// The table of balancers in the README says what each of them does.
func TestReportTableOfBalancers(t *testing.T) {
	t.Parallel()
	features := map[string]func(t *testing.T, balancer string) string{
		"looks at load":           looksAtLoad,
		"in turn while idle":      takesTurns,
		"stays within capacity":   staysWithinCapacity,
		"keeps sessions":          keepsSessions,
		"passes over what drains": passesOver,
		"options":                 optionsOf,
	}
	head, rows := readmeTable(t, "| balancer |")
	var names []string
	for _, row := range rows {
		name := strings.Trim(strings.TrimSuffix(row[0], " (default)"), "`")
		names = append(names, name)
		if isDefault := name == balance.Default; isDefault != strings.HasSuffix(row[0], "(default)") {
			t.Errorf("%s: the default is %s", row[0], balance.Default)
		}
		for i, feature := range head[1:] {
			t.Run("DX-03: "+name+" "+feature, func(t *testing.T) {
				t.Parallel()
				try := features[feature]
				if try == nil {
					t.Fatal("nobody tries it")
				}
				if got := try(t, name); got != strings.Trim(row[i+1], "`") {
					t.Errorf("the table says %s, the gateway %s", row[i+1], got)
				}
			})
		}
	}
	if !slices.Equal(names, balance.Names()) || len(head) != 1+len(features) {
		t.Errorf("the table has %q by %q; there are %q", names, head[1:], balance.Names())
	}
}

func yes(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}

// balancing runs two origins with sessions, balanced by the balancer. The key of
// hash is the cookie key.
func balancing(t *testing.T, balancer, settings string) (hs homes, addr string) {
	t.Helper()
	hs = newHomes(t, "a", "b")
	hs.say(atCookie)
	hs[0].settings = settings
	if balancer == "hash" {
		balancer += `, balancer_options: { by: "cookie:key" }`
	}
	addr, _ = start(t, hs.boundText(", balancer: "+balancer, byCookie, ""), hs.options())
	return hs, addr
}

// looksAtLoad: while one origin is busy, the other one is asked, at least 28 times of 30. One
// that goes by times as well may be misled by a machine that stalls: it is tried again. Who
// does not look gets there once in a hundred thousand times.
func looksAtLoad(t *testing.T, balancer string) string {
	for range 12 {
		if avoidsTheBusy(t, balancer) {
			return "yes"
		}
	}
	return "no"
}

func avoidsTheBusy(t *testing.T, balancer string) bool {
	hs, addr := balancing(t, balancer, "")
	cookie := enterAt(t, addr, "a")
	var held []<-chan told
	for range 3 {
		held = append(held, hs[0].hold(t, addr, cookie))
	}
	asked := answerers(t, addr, "/", 30)
	close(hs[0].letGo)
	for _, h := range held {
		wantAnswerOf(t, "what was held", h, "a")
	}
	return strings.Count(asked, "b") >= 28
}

// takesTurns: while nothing is under way, the origins take turns; for some only what
// has no key does.
func takesTurns(t *testing.T, balancer string) string {
	_, addr := balancing(t, balancer, "")
	asked := answerers(t, addr, "/", 20)
	if asked != strings.Repeat("ab", 10) && asked != strings.Repeat("ba", 10) {
		return "no"
	}
	keyed := map[string]bool{}
	for range 5 {
		keyed[visit(t, addr, "/", "key=1").origin()] = true
	}
	if len(keyed) == 1 {
		return "without a key"
	}
	return "yes"
}

func staysWithinCapacity(t *testing.T, balancer string) string {
	var all []*reportBusy
	for _, name := range []string{"a", "b"} {
		all = append(all, newReportBusy(t, name, func(int32) string { return reportOK }))
	}
	g := startReportYAML(t, reportCluster(all, 2, ", balancer: "+balancer+", queue: { size: 100, timeout: 30s }"))
	if counts := reportStorm(t, g, 30, 20); counts[200] != 30*20 {
		t.Errorf("answered %v", counts)
	}
	return yes(all[0].most.Load() <= 2 && all[1].most.Load() <= 2)
}

func keepsSessions(t *testing.T, balancer string) string {
	_, addr := balancing(t, balancer, "")
	cookie := enterAt(t, addr, "a")
	for range 20 {
		if visit(t, addr, "/", cookie).origin() != "a" {
			return "no"
		}
	}
	return "yes"
}

func passesOver(t *testing.T, balancer string) string {
	_, addr := balancing(t, balancer, ", state: draining")
	return yes(answerers(t, addr, "/", 20) == strings.Repeat("b", 20))
}

// optionsOf are those of all options in the table which the balancer takes.
func optionsOf(t *testing.T, balancer string) string {
	var taken []string
	for _, option := range []string{"tie: weighted", "by: client", "bounded_load: 150"} {
		file := reportFile(t, reportYAML(newReportOKOrigin(t), fmt.Sprintf(", balancer: %s, balancer_options: { %s }", balancer, option), ""))
		if _, problems := config.Load(file); problems.Errors() == 0 {
			name, _, _ := strings.Cut(option, ":")
			taken = append(taken, name)
		}
	}
	if len(taken) == 0 {
		return "none"
	}
	return strings.Join(taken, ", ")
}

// readmeTable is a table of the README, by how its first line begins.
func readmeTable(t *testing.T, begin string) (head []string, rows [][]string) {
	t.Helper()
	_, table, found := strings.Cut(reportText(t, "../README.md"), "\n"+begin)
	if !found {
		t.Fatalf("the README has no table %s", begin)
	}
	for line := range strings.Lines(begin + table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case head == nil:
			head = cells
		case !strings.HasPrefix(cells[0], "---"):
			rows = append(rows, cells)
		}
	}
	return head, rows
}

// Every configuration that is shown is one that runs and serves.
func TestReportDocumentedConfigurations(t *testing.T) {
	t.Parallel()
	blocks := yamlBlocks(t, "../README.md")
	for i, block := range blocks {
		if strings.HasPrefix(block, "tests:") {
			continue // a file of rule tests: the command line's own tests run it
		}
		t.Run(fmt.Sprint("DX-04: README, configuration ", i+1), func(t *testing.T) {
			t.Parallel()
			serveDocumented(t, block)
		})
	}
	if len(blocks) < 4 {
		t.Errorf("%d configurations in the README", len(blocks))
	}
}

// yamlBlocks are the blocks of YAML of a page.
func yamlBlocks(t *testing.T, page string) (blocks []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(reportText(t, page), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// documentedFile writes a configuration of a page, and the files that it names.
func documentedFile(t *testing.T, text string) (file string, roots *authority) {
	t.Helper()
	roots = newAuthority(t)
	p := roots.issue(t, "www.company.example", "company.example")
	file = reportFile(t, text)
	for name, content := range map[string]string{
		"tls/site.pem": reportText(t, p.cert), "tls/site.key": reportText(t, p.key), "tls/origins.pem": reportText(t, roots.file),
		"pages/network.html": "network", "pages/busy.html": "busy", "pages/fragment.html": "fragment",
		"redact.wasm": reportText(t, guestFile(parrot)),
	} {
		path := filepath.Join(filepath.Dir(file), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file, roots
}

// serveDocumented runs a configuration as it is written, but for where listeners
// listen and origins are, and asks each listener for a page of each of its sites.
func serveDocumented(t *testing.T, text string) {
	t.Helper()
	file, roots := documentedFile(t, text)
	cfg, problems := config.Load(file)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	o := newReportOKOrigin(t)
	at := map[string]string{} // where listeners really listen
	g := New(Options{
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) { return dialTCP(ctx, network, o.addr) },
		Listen: func(address string) (net.Listener, error) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err == nil {
				at[address] = l.Addr().String()
			}
			return l, err
		},
		Stderr: new(reportLog), Stdout: new(reportLog),
	})
	defer g.Close()
	if problems := g.Apply(cfg); len(problems) > 0 {
		t.Fatal(problems)
	}
	hosts := map[string]bool{}
	for _, s := range cfg.Sites {
		if s.IsProvider() {
			continue // no client is answered there
		}
		for _, host := range s.Hosts {
			hosts[strings.Replace(host, "**", "any.example", 1)] = true
		}
	}
	for _, l := range cfg.Listeners {
		for host := range hosts {
			head, want := "GET /shop/cart HTTP/1.1\r\nHost: "+host, 200
			answer := told{}
			switch {
			case l.TLS != nil:
				answer = askTLS(t, at[l.Address], &tls.Config{RootCAs: roots.pool(), ServerName: host}, head)
			default:
				answer = ask(t, at[l.Address], head)
			}
			if l.RedirectToHTTPS {
				want = 308
			}
			if answer.status != want {
				t.Errorf("%s at %s is answered %d %q, want %d", host, l.Address, answer.status, answer.body, want)
			}
		}
	}
}

// The rules that are shown are read, and do what the text beside them says.
func TestReportDocumentedRules(t *testing.T) {
	t.Parallel()
	var shown string // the configuration of the README whose rules are explained
	for _, block := range yamlBlocks(t, "../README.md") {
		if strings.Contains(block, "\nrules:\n") {
			shown = block
		}
	}
	around, _, _ := strings.Cut(shown, "\nrules:\n")
	pages := map[string]string{"README": shown}
	for i, block := range yamlBlocks(t, "../rules/RULES.md") {
		pages[[]string{"RULES", "RULES, permits"}[i]] = strings.Replace(around, "context_root: /shop", "context_root: /", 1) + "\n" + block
	}
	for _, tt := range []struct {
		name, page, request, from string
		rule                      string // that decides
		outcome                   string // status and location, or the origins
	}{
		{"DX-04: README, banned", "README", "POST /shop/", "203.0.113.9", "banned", "403"},
		{"DX-04: README, banned may read", "README", "GET /shop/", "203.0.113.9", "main", "main/shop/web1, dr/shop/west"},
		{"DX-04: README, bookmarks", "README", "GET /shop/start", "192.0.2.1", "bookmarks", "302 https://a.example/shop/"},
		{"DX-04: README, testers", "README", "GET /shop/?cookie", "10.1.2.3", "testers", "main/shop/web2"},
		{"DX-04: README, testers outside of the office", "README", "GET /shop/?cookie", "10.2.2.3", "main", "main/shop/web1, dr/shop/west"},
		{"DX-04: README, the main rule", "README", "GET /shop/", "10.1.2.3", "main", "main/shop/web1, dr/shop/west"},
		{"DX-04: RULES, banned", "RULES", "POST /shop/", "203.0.113.9", "banned", "403"},
		{"DX-04: RULES, old", "RULES", "GET /start", "10.1.2.3", "old", "302 https://a.example/shop/"},
		{"DX-04: RULES, testers", "RULES, permits", "GET /shop/", "10.1.2.3", "testers", "main/shop/web1"},
		{"DX-04: RULES, beta", "RULES", "GET /shop/?cookie", "10.1.2.3", "beta", "main/shop/web2, main/shop/web1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, _ := documentedFile(t, pages[tt.page])
			cfg, problems := config.Load(file)
			if problems.Errors() > 0 {
				t.Fatal(problems)
			}
			x, problems := NewExplainer(cfg)
			if problems.Errors() > 0 {
				t.Fatal(problems)
			}
			fields := ""
			if strings.HasSuffix(tt.request, "?cookie") {
				fields = "Cookie: beta=1\r\n"
			}
			e, err := x.Explain(Question{
				Raw:  []byte(tt.request + " HTTP/1.1\r\nHost: a.example\r\n" + fields + "\r\n"),
				From: netip.AddrPortFrom(netip.MustParseAddr(tt.from), 4711),
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := documentedOutcome(e); e.Rule != tt.rule || got != tt.outcome {
				t.Errorf("decided by %q: %s; want %q: %s", e.Rule, got, tt.rule, tt.outcome)
			}
		})
	}
}

// documentedOutcome is what an explanation comes to: an answer, or the origins of
// each group.
func documentedOutcome(e *Explanation) string {
	if e.Outcome.Status != 0 {
		return strings.TrimSpace(fmt.Sprint(e.Outcome.Status, " ", e.Outcome.Location))
	}
	var all []string
	for _, g := range e.Groups {
		all = append(all, strings.Join(g.Origins, "+"))
	}
	return strings.Join(all, ", ")
}

// The guide says that an instance which was stopped is dropped, and so it is: with one
// instance the next request is answered, by another one.
func TestReportStoppedGuests(t *testing.T) {
	t.Parallel()
	t.Run("DX-05: instances that were stopped", stoppedGuests)
}

func stoppedGuests(t *testing.T) {
	if guide := reportText(t, "../abi/ABI.md"); !regexp.MustCompile("(?i)\\| `exhausted` \\|[^\n]*drop").MatchString(guide) {
		t.Error("ABI.md does not say that an instance is dropped when its fuel is used up")
	}
	hs := newHomes(t, "a", "b")
	addr, g := start(t, routerText(hs, moody, ", limits: { instances: 1 }", ""), hs.options())
	for range 3 {
		visit(t, addr, at("l"), "") // it never ends by itself
		until(t, "another instance answers", func() bool { return visit(t, addr, at("1"), "").origin() == "b" })
	}
	p := g.Plugins()[0]
	if built, there := p.Counters.Built.Load(), p.Standings[0].Instances; built < 4 || there != 1 {
		t.Errorf("%d instances were made and %d is there, want one for each that was stopped", built, there)
	}
}
