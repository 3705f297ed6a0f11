package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/capacity"
	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/origin"
)

func (c *compiler) allClusters() {
	for _, name := range sortedKeys(c.cfg.Clusters) {
		cl := c.cluster(name, c.cfg.Clusters[name])
		c.clusters[name] = cl
		c.snap.clusters = append(c.snap.clusters, cl)
	}
}

func (c *compiler) cluster(name string, cfg config.Cluster) *cluster {
	cl := &cluster{
		name: name,
		timeouts: origin.Timeouts{
			FirstByte: time.Duration(cfg.FirstByteTimeout),
			BodyIdle:  time.Duration(cfg.BodyIdleTimeout),
		},
		policy:       policy(cfg.Failover),
		maxEjected:   cfg.Failover.MaxEjected,
		panicBelow:   cfg.PanicThreshold,
		countTunnels: *cfg.CountTunnels,
		queue:        c.uses.queue(name, admission.Options{Size: cfg.Queue.Size, Timeout: time.Duration(cfg.Queue.Timeout)}),
		overflows:    cfg.Queue.Overflow == "failover",
		comeback:     comeback(cfg),
		retry:        retries(cfg.Retry),
		budget:       newRetryBudget(cfg.Retry.Budget, largest(cfg.Origins)),
		hostOrigin:   cfg.HostHeader == "origin",
		metrics:      c.set.Cluster(name),
	}
	cl.cell, cl.short = c.cfg.CellOf(name)
	cl.path = []byte(cl.cell + "/" + cl.short)
	for _, u := range cfg.Upgrades {
		cl.upgrades = append(cl.upgrades, strings.ToLower(u))
	}
	if cfg.HostHeader != "client" && !cl.hostOrigin {
		cl.hostHeader = []byte(cfg.HostHeader)
	}
	c.members(cl, cfg)
	return cl
}

func (c *compiler) members(cl *cluster, cfg config.Cluster) {
	secure, ca, err := originTLS(cfg.TLS)
	if err != nil {
		path := "clusters." + cl.name
		c.fail(path+".tls.ca", "E601", "%s.tls.ca: %v", path, err)
		return
	}
	for _, o := range cfg.Origins {
		key := poolKey{
			address: o.HostPort, scheme: o.Scheme, proxy: o.Kind == "proxy",
			ca: ca, serverName: cfg.TLS.ServerName, verify: *cfg.TLS.Verify,
			connect: time.Duration(cfg.ConnectTimeout), keepAlive: time.Duration(cfg.KeepAlive),
		}
		m := c.member(cl, o, key, secure)
		cl.members = append(cl.members, m)
		c.checks(m, cfg, key)
		if o.Expected && cfg.Health != nil {
			c.newcomer(m, cfg)
		}
	}
}

func (c *compiler) member(cl *cluster, o config.Origin, key poolKey, secure *tls.Config) *member {
	state := c.uses.state(o.Scheme, o.HostPort, o.Name, capacity.Bounds(o.Capacity), adminStateOf(o.State))
	m := &member{
		name:     o.Name,
		address:  addressOf(&o),
		identity: c.identity(addressOf(&o), state),
		host:     []byte(hostOf(o)),
		proxy:    key.proxy,
		stateBy:  o.StateBy,
		cluster:  cl,
		state:    state,
		pool:     c.uses.pool(key, state.origin, secure),
		metrics:  c.set.Origin(metrics.OriginLabels{Cluster: cl.name, Origin: o.Name}),
		balanced: c.balancedMember(cl, &o),
	}
	if o.Kind == "redirect" {
		m.location = []byte(o.Scheme + "://" + hostOf(o))
	}
	return m
}

// balancedMember is an origin of a cluster as its balancers see it.
func (c *compiler) balancedMember(cl *cluster, o *config.Origin) balance.Member {
	address := addressOf(o)
	return balance.Member{
		Name: o.Name, Key: address, Host: o.Host, HostWeight: c.cfg.HostWeight(o.Host), Weight: o.Weight,
		Live: c.uses.live(cl.name + " " + address),
	}
}

// identity is the number of the origin at an address.
func (c *compiler) identity(address string, state *originState) int {
	i, known := c.known[address]
	if !known {
		i = len(c.snap.origins)
		c.known[address] = i
		c.snap.origins = append(c.snap.origins, state)
	}
	return i
}

// checks notes the check that the cluster wants of an origin: its health check,
// which then is who readmits it, or else its ping. What the operator has
// taken out of service is checked all the same: it shows when it can come back.
func (c *compiler) checks(m *member, cfg config.Cluster, key poolKey) {
	o := origin.CheckOptions{Host: checkHost(m, &cfg)}
	switch h, p := cfg.Health, cfg.Failover.Ping; {
	case h != nil:
		o.Path, o.Interval, o.Timeout = h.Path, time.Duration(h.Interval), time.Duration(h.Timeout)
		o.DownAfter, o.UpAfter, o.Expect, o.Contains = h.DownAfter, h.UpAfter, h.Expect.Ranges, h.Contains
	case p != nil:
		o.Path, o.Interval, o.Timeout, o.WhileDown = p.Path, time.Duration(p.Interval), time.Duration(p.Timeout), true
	default:
		return
	}
	o.ClusterInfo = cfg.Weblogic.DynamicServerList
	m.checked = true
	c.uses.checks[checkKey{key, fmt.Sprint(o)}] = func() *origin.Check { return m.pool.Check(o) }
}

// checkHost is the Host of what the gateway itself asks an origin.
func checkHost(m *member, cfg *config.Cluster) string {
	if cfg.HostHeader != "client" && cfg.HostHeader != "origin" {
		return cfg.HostHeader
	}
	return string(m.host)
}

// patience is how long newcomers are waited for at most, all of them together.
const patience = 2 * time.Second

// newcomer has an origin that need not run yet asked before anybody is sent there
// (M-CLU-04), unless it is known.
func (c *compiler) newcomer(m *member, cfg config.Cluster) {
	if !c.uses.fresh[m.state] {
		return
	}
	o, h := origin.CheckOptions{Host: checkHost(m, &cfg)}, cfg.Health
	o.Path, o.Timeout = h.Path, min(time.Duration(h.Timeout), patience)
	o.Expect, o.Contains = h.Expect.Ranges, h.Contains
	c.uses.newcomers[m.state] = func(ctx context.Context) { m.pool.Try(ctx, o) }
}

// tryNewcomers asks them all at the same time, before the snapshot is current.
func (u *uses) tryNewcomers() {
	var all sync.WaitGroup
	for _, try := range u.newcomers {
		all.Go(func() { try(context.Background()) })
	}
	all.Wait()
	u.newcomers = nil
}

// policy is what counts against an origin of the cluster.
func policy(cfg config.Failover) origin.Policy {
	p := origin.Policy{Threshold: cfg.Threshold, ConnectFailures: int(cfg.ConnectFailures)}
	for _, name := range cfg.Count {
		faults, _ := origin.FaultsNamed(name)
		p.Count |= faults
	}
	if r := cfg.ErrorRate; r != nil {
		p.Rate = &origin.RatePolicy{
			Share: r.Share, Window: time.Duration(r.Window), Attempts: r.Attempts,
			Out: time.Duration(r.Out), LongestOut: time.Duration(r.LongestOut),
		}
	}
	return p
}

// largest is the largest capacity that there may be: so many requests one origin can take with it.
func largest(origins []config.Origin) (most int) {
	for _, o := range origins {
		most = max(most, o.Capacity.Most)
	}
	return most
}

// comeback is how long an origin that is out stays so at least, where all are.
func comeback(cfg config.Cluster) time.Duration {
	switch {
	case cfg.Health != nil:
		return time.Duration(cfg.Health.Interval) * time.Duration(cfg.Health.UpAfter)
	case cfg.Failover.Ping != nil:
		return time.Duration(cfg.Failover.Ping.Interval)
	}
	return time.Second
}

// hostOf is the origin's own name for Host: without the scheme's default port.
func hostOf(o config.Origin) string {
	host, port, err := net.SplitHostPort(o.HostPort)
	if err != nil || !(o.Scheme == "http" && port == "80" || o.Scheme == "https" && port == "443") {
		return o.HostPort
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// originTLS is how https origins of a cluster are spoken to, and the text of
// the authorities that are believed. HTTP/1.1 is the only protocol offered.
func originTLS(cfg config.OriginTLS) (secure *tls.Config, ca string, err error) {
	secure = &tls.Config{
		ServerName:         cfg.ServerName,
		InsecureSkipVerify: !*cfg.Verify,
		NextProtos:         []string{"http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(64),
		MinVersion:         tls.VersionTLS12,
	}
	if cfg.CA == "" {
		return secure, "", nil
	}
	secure.RootCAs, ca, err = authorities(cfg.CA)
	return secure, ca, err
}

// authorities reads a PEM file of certificates.
func authorities(path string) (*x509.CertPool, string, error) {
	pem, err := config.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, "", fmt.Errorf("%s holds no certificate in PEM form", path)
	}
	return pool, string(pem), nil
}
