package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/discover"
	"weirkeep/gateway/metrics"
)

// finder looks for the origins of one cluster, where its discover says.
type finder struct {
	cluster string
	where   *config.Discover
	log     *slog.Logger
	stop    context.CancelFunc // nil: it does not look by itself; guarded by the gateway's applying

	reading  sync.Mutex // one look at the file at a time: what was read last is heard last
	mu       sync.Mutex
	origins  []config.Origin // of the last good answer; nil: there was none
	ttl      time.Duration   // of that
	left     int             // records that it has and that do not count
	at       time.Time       // when it came; zero: it is of before the start, or never did
	problem  string          // why the last look failed; empty: it did not
	failedAt time.Time       // when looks began to fail
	looks    uint64
	failures uint64
	changes  uint64
}

// sameSource reports whether two find the same.
func sameSource(a, b *config.Discover) bool {
	return a.File == b.File && reflect.DeepEqual(a.DNS, b.DNS)
}

// look looks once, and reports whether the answer is another one.
func (f *finder) look(ctx context.Context) (news bool) {
	if f.where.DNS != nil {
		return f.heard(f.lookUp(ctx))
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	origins, problems := config.LoadOrigins(f.where.File)
	if problems.Errors() > 0 {
		return f.heard(discover.Answer{}, fileProblem(problems))
	}
	return f.hear(origins, discover.Answer{}, nil)
}

// fileProblem is what is wrong with a file of origins, in one line.
func fileProblem(ps config.Problems) error {
	p := ps[0]
	text := p.Message
	if p.File != "" {
		text = fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
	}
	if n := ps.Errors(); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return errors.New(text)
}

func (f *finder) lookUp(ctx context.Context) (discover.Answer, error) {
	d := f.where.DNS
	return discover.DNS{
		Name: d.Name, SRV: d.Type == "srv", Port: d.Port, V4: d.Family != "ipv6", V6: d.Family != "ipv4",
		Server: d.Resolver, Timeout: time.Duration(d.Timeout),
	}.Look(ctx)
}

// heard takes what comes of a look-up.
func (f *finder) heard(a discover.Answer, err error) (news bool) {
	return f.hear(dnsOrigins(a.Origins), a, err)
}

// dnsOrigins are the origins that DNS has, as far as it knows them.
func dnsOrigins(all []discover.Origin) []config.Origin {
	origins := make([]config.Origin, 0, len(all))
	for _, o := range all {
		origins = append(origins, config.Origin{HostPort: o.Address, Host: o.Host, Weight: o.Weight})
	}
	return origins
}

// hear takes what comes of a look. One that fails changes nothing but is told of,
// once until it succeeds again, or another mistake is in the file.
func (f *finder) hear(origins []config.Origin, a discover.Answer, err error) (news bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	before := f.problem
	if err != nil {
		f.failures++
		if f.problem = err.Error(); before == "" {
			f.failedAt = time.Now()
		}
		if before == "" || f.where.DNS == nil && f.problem != before {
			f.log.Warn("origins could not be found; those that are known stay", "cluster", f.cluster, "discover", f.where.String(), "because", f.problem)
		}
		return false
	}
	if f.problem = ""; before != "" {
		f.log.Info("origins are found again", "cluster", f.cluster, "discover", f.where.String())
	}
	if origins == nil {
		origins = []config.Origin{}
	}
	if a.Left > 0 && a.Left != f.left {
		f.log.Info("SRV records with a higher priority number are left out", "cluster", f.cluster, "discover", f.where.String(), "records", a.Left)
	}
	news = !reflect.DeepEqual(f.origins, origins)
	if news && f.origins != nil {
		f.changes++
	}
	f.origins, f.ttl, f.left, f.at = origins, a.TTL, a.Left, time.Now()
	return news
}

// remember gives it an answer of before the start, if it has none.
func (f *finder) remember(origins []discover.Origin) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.origins == nil && len(origins) > 0 {
		f.origins = dnsOrigins(origins)
	}
}

// latest is the last good answer; nil: there was none.
func (f *finder) latest() []config.Origin {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.origins
}

// status is how it goes.
func (f *finder) status() *DiscoveryStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &DiscoveryStatus{
		Source: f.where.String(), Origins: len(f.origins), LeftOut: f.left, Found: f.at, Problem: f.problem,
		Looks: f.looks, Failures: f.failures, Changes: f.changes,
	}
	if f.problem != "" {
		s.ProblemSince = f.failedAt
	}
	return s
}

// measure sets the gauges of the cluster. Nil: its origins are written.
func (f *finder) measure(m *metrics.Cluster) {
	m.Discovers.Set(boolGauge(f != nil))
	if f == nil {
		return
	}
	s := f.status()
	m.Found.Set(int64(s.Origins))
	m.FoundOK.Set(boolGauge(s.Problem == ""))
	m.Looks.Set(int64(s.Looks - s.Failures))
	m.LooksLost.Set(int64(s.Failures))
	m.Changes.Set(int64(s.Changes))
}

// begin has it look again and again, unless it does. Files are watched together. One
// that was ended may begin again. The caller holds applying.
func (f *finder) begin(news func()) {
	if f.stop != nil || f.where.DNS == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	pace := discover.Pace{Min: time.Duration(f.where.DNS.MinTTL), Max: time.Duration(f.where.DNS.MaxTTL)}
	go discover.Watch(ctx, pace, f.lasts(), f.lookUp, func(a discover.Answer, err error) {
		if f.heard(a, err) {
			news()
		}
	})
}

// lasts is how long the last good answer may be believed.
func (f *finder) lasts() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ttl
}

// end has it look no more. The caller holds applying.
func (f *finder) end() {
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
}
