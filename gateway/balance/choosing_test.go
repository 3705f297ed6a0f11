package balance

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write CHOOSING.md and choosing.svg from what is simulated")

// choosingIntro is what stands before the tables of CHOOSING.md.
const choosingIntro = `# Which balancer to choose

Made by ` + "`go test ./gateway/balance -run Simulat -rewrite`" + `: do not edit.

- **You have no reason to choose:** leave ` + "`capacity`" + `, the default, and write capacities that fit what each origin can do.
- **Origins differ in size:** ` + "`capacity`" + `, or ` + "`weight-based`" + ` with weights that fit. Not ` + "`round-robin`, `random` or `hash`" + `, which drown the small ones;
  nor ` + "`p2c`, `peak-ewma` or `least-load`" + `, which do so as soon as there is much to do.
- **One origin is slow, now:** ` + "`capacity`, `least-load`, `p2c` and `peak-ewma`" + ` go round it; ` + "`metric`" + ` does if its metric falls. The others give it its part
  until its capacity is full, and those requests wait for seconds: change the balancer, or lower that origin's ` + "`capacity`" + `.
- **One origin fails, and fast:** no balancer takes it out, and ` + "`capacity` and `least-load`" + ` make it worst: who answers at once always looks idle, and gets
  half of everything. Write ` + "`state: disabled`" + ` at it, and ` + "`failover: { count: [connect, reset, timeout, all-5xx] }`" + ` so that it is ejected next time.
- **Origins that keep something for each client:** ` + "`hash`, with `balancer_options: { bounded_load: 125 }`" + `. Without the bound it is no better than ` + "`random`" + `.
- **Many gateways before equal origins:** ` + "`p2c`" + `; where their speed changes: ` + "`peak-ewma`" + `.
- **More than 90 %% busy, and slow:** that is a lack of origins. The right balancer takes the edge off, and no more.

A change of ` + "`balancer`" + ` is a reload, and loses no request. ` + "`weirkeep help NAME`" + ` says how each picks.

![p99 by load, origins of different size and one slow origin](choosing.svg)

Blue goes by load, green by times, orange by what it is told (weights, metrics), grey by keys, violet by nothing.

## What was simulated

%d requests each, which come by chance (Poisson) and need 100 ms on the mean (exponential), so that an idle group answers half of
them within 70 ms and 99 of 100 within 460 ms. An origin works on four at a time, unless the table says another number, and takes
%d times as many, its capacity, which wait there in order. %d more wait at the gateway when all are full. How busy the group is, in percent,
is what it would be in good health. The times, in ms, are those of answers without error, **p50 / p99**, waits included, and rounded to
10 ms; share and errors are in percent of all requests, at 50 / 80 / 95 %%. All balancers get the same requests at the same times, from one gateway.
Keys of ` + "`hash`" + ` are those of %d clients; ` + "`hash-bounded`" + ` is hash with ` + "`bounded_load: 125`" + `. Trouble begins after a tenth of the requests.
`

// choosing are all simulations, by scenario, balancer and percent.
type choosing map[string]map[string]map[int]*traffic

func chooseAll(t *testing.T) choosing {
	all := make(choosing)
	for _, s := range scenarios {
		all[s.name] = make(map[string]map[int]*traffic)
		for _, name := range simulated() {
			all[s.name][name] = make(map[int]*traffic)
			for _, p := range percents {
				all[s.name][name][p] = drive(t, s, name, p)
			}
		}
	}
	return all
}

// CHOOSING.md and its picture say what the balancers do as they stand.
func TestSimulationsAreThoseOfThePage(t *testing.T) {
	all := chooseAll(t)
	holds(t, "CHOOSING.md", all.page())
	holds(t, "choosing.svg", all.picture())
}

// holds compares a file with what it should say, or writes that.
func holds(t *testing.T, file string, want []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the simulations come to: if they are right, go test ./gateway/balance -run Simulat -rewrite", file)
	}
}

func (c choosing) page() []byte {
	page := fmt.Appendf(nil, choosingIntro, requests, slotsPer, lineSize, clients)
	for _, s := range scenarios {
		page = fmt.Appendf(page, "\n## %s\n\n%s\n\n", strings.ToUpper(s.name[:1])+s.name[1:], s.about)
		page = append(page, c.table(s)...)
	}
	return page
}

// table has the balancers of one scenario, the one with the shortest p99 at 80 %
// first.
func (c choosing) table(s scenario) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| balancer | 50 %% | 80 %% | 95 %% | %s | errors |\n|---|---|---|---|---|---|\n", s.shareHead())
	names := simulated()
	slices.SortStableFunc(names, func(x, y string) int {
		return int(rounded(c[s.name][x][80].percentile(99)) - rounded(c[s.name][y][80].percentile(99)))
	})
	for _, name := range names {
		fmt.Fprintf(&b, "| `%s` |%s\n", name, row(c[s.name][name]))
	}
	return b.String()
}

// shareHead is what the column of shares is about.
func (s scenario) shareHead() string {
	if s.trouble == none {
		return "most that one is off its fair share"
	}
	return "share of the first origin"
}

func row(by map[int]*traffic) string {
	var times string
	var shares, errors []string
	for _, p := range percents {
		f := by[p]
		times += fmt.Sprintf(" %d / %d |", rounded(f.percentile(50)), rounded(f.percentile(99)))
		shares = append(shares, fmt.Sprintf("%.0f", f.share()*100))
		errors = append(errors, fmt.Sprintf("%.0f", f.errors()*100))
	}
	return times + " " + strings.Join(shares, " / ") + " | " + strings.Join(errors, " / ") + " |"
}

// share is what the column of shares says.
func (f *traffic) share() float64 {
	if f.scenario.trouble == none {
		return f.off()
	}
	return f.part(0)
}

// rounded is a time in ms, to tens.
func rounded(d time.Duration) int64 { return d.Round(10 * time.Millisecond).Milliseconds() }
