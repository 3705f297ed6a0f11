package gateway

import (
	"cmp"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"weirkeep/gateway/config"
	"weirkeep/gateway/origin"
)

// server is one that a WebLogic cluster has told of (D-WL-10).
type server struct {
	id        string // that session ids call it
	host      string
	port, tls int // zero: it has none
}

// maxServers is how many of a list are believed: so many a cluster can have (D-WL-20).
const maxServers = 800

// parseServers reads a list "id!host!port!sslport|...". What is no server is left out.
func parseServers(list string) (all []server) {
	for entry := range strings.SplitSeq(list, "|") {
		part := strings.Split(strings.TrimSpace(entry), "!")
		if len(part) < 3 || part[0] == "" || !isHost(part[1]) || len(all) == maxServers {
			continue
		}
		s := server{id: part[0], host: strings.Trim(part[1], "[]"), port: portNumber(part[2])}
		if len(part) > 3 {
			s.tls = portNumber(part[3])
		}
		if s.port != 0 || s.tls != 0 {
			all = append(all, s)
		}
	}
	return all
}

// isHost reports whether a text is an address or a name of letters, digits, dots
// and dashes.
func isHost(text string) bool {
	if _, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return true
	}
	return text != "" && len(text) <= 253 && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}

// portNumber is a port, zero if the text is none: servers write -1 for none.
func portNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 65535 {
		return 0
	}
	return n
}

// address is the host:port that origins of a scheme have; empty: the server has none.
func (s server) address(scheme string) string {
	port := s.port
	if scheme == "https" {
		port = s.tls
	}
	if port == 0 {
		return ""
	}
	return net.JoinHostPort(s.host, strconv.Itoa(port))
}

// addServers makes the origins of WebLogic clusters in cfg, which is a copy, those
// that the clusters have told of. One that nobody tells of any more takes no new
// sessions: that it is gone altogether, its health check finds out.
func (p present) addServers(cfg *config.Config) {
	for _, name := range sortedKeys(p.servers) {
		if c := cfg.Clusters[name]; c.Weblogic.DynamicServerList && len(p.servers[name]) > 0 {
			c.Origins = withServers(c, p.servers[name])
			cfg.Clusters[name] = c
		}
	}
}

// withServers are a cluster's origins with what its servers have told.
func withServers(c config.Cluster, told []server) []config.Origin {
	all, written := c.Origins, len(c.Origins)
	listed := make([]bool, written)
	for _, s := range told {
		address := s.address(all[0].Scheme)
		i := slices.IndexFunc(all, func(o config.Origin) bool { return o.HostPort == address || slices.Contains(o.IDs, s.id) })
		switch {
		case address == "":
		case i < 0:
			all = append(all, s.origin(c, address))
		case i < written:
			listed[i] = true
			if !slices.Contains(all[i].IDs, s.id) {
				all[i].IDs = append(slices.Clone(all[i].IDs), s.id)
			}
		}
	}
	for i := range listed {
		if !listed[i] {
			all[i].State = max(adminStateOf(all[i].State), draining).String()
		}
	}
	return all
}

// origin is the server as an origin of the cluster. What nobody has written of it is
// as of the first one.
func (s server) origin(c config.Cluster, address string) config.Origin {
	first := c.Origins[0]
	return config.Origin{
		Name: address, Address: first.Scheme + "://" + address, Scheme: first.Scheme, HostPort: address,
		Kind: first.Kind, Capacity: first.Capacity, State: serving.String(),
		Host: s.host, IDs: []string{s.id}, Edition: c.Edition,
	}
}

// hearServers makes what WebLogic servers have told current, if it is news.
func (g *Gateway) hearServers() {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.applied == nil || g.closing.Load() {
		return
	}
	told := g.toldServers()
	if maps.EqualFunc(told, g.present.servers, slices.Equal[[]server]) {
		return
	}
	if err := g.reapply(present{g.present.rollouts, told}, nil); err != nil {
		g.log.Error("the servers that a WebLogic cluster has told of are not used", "because", err)
		return
	}
	for _, name := range sortedKeys(told) {
		g.log.Info("servers of a WebLogic cluster", "cluster", name, "servers", addressesOf(told[name]))
	}
}

// toldServers are the servers that those of each cluster tell of that are up,
// together: one that was cut off from the others tells of itself alone.
func (g *Gateway) toldServers() map[string][]server {
	told := make(map[string][]server)
	for _, cl := range g.current.Load().clusters {
		if !g.applied.config.Clusters[cl.name].Weblogic.DynamicServerList {
			continue
		}
		var all []server
		for _, m := range cl.members {
			if m.state.origin.Health() == origin.Up {
				all = append(all, parseServers(m.state.origin.Told().Cluster)...)
			}
		}
		slices.SortFunc(all, func(a, b server) int {
			return cmp.Or(strings.Compare(a.host, b.host), a.port-b.port, a.tls-b.tls, strings.Compare(a.id, b.id))
		})
		if all = slices.Compact(all); len(all) > 0 {
			told[cl.name] = all[:min(len(all), maxServers)]
		}
	}
	return told
}

func addressesOf(all []server) string {
	var list []string
	for _, s := range all {
		list = append(list, net.JoinHostPort(s.host, strconv.Itoa(cmp.Or(s.port, s.tls))))
	}
	return strings.Join(list, " ")
}
