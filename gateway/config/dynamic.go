package config

import (
	"cmp"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Dynamic is a number of servers that are alike. Server i, from 1,
// is called prefix and i, listens at the port base_port + i, and is on the hosts in
// turn. They need not run yet.
type Dynamic struct {
	Prefix   string   `yaml:"prefix" required:"true" check:"label"`       // of their names; required
	Size     int      `yaml:"size" range:"0..800"`                        // how many at peak load; required
	BasePort int      `yaml:"base_port" range:"0..65534"`                 // the port before that of the first; required
	Hosts    []string `yaml:"hosts" required:"true" check:"host-pattern"` // host names or addresses; with a *, names of hosts in the order of the alphabet; at least one
}

// Template is what origins are like that nobody has written one by one.
type Template struct {
	Scheme   string   `yaml:"scheme" default:"http" enum:"http|https"`      // http (default) | https
	Kind     string   `yaml:"kind" default:"app" enum:"app|proxy|redirect"` // as of origins; default app
	Capacity Capacity `yaml:"capacity" default:"1000" foreign:"capacity"`   // as of origins; default 1000
	Weight   int      `yaml:"weight" default:"1" range:"1..100"`            // as of origins; default 1; SRV records have their own
}

// Complete is an origin of dynamic or discover with what it does not say itself. Its
// HostPort must be known.
func (c Cluster) Complete(o Origin) Origin {
	o.Scheme = cmp.Or(o.Scheme, c.Template.Scheme)
	o.Address = cmp.Or(o.Address, o.Scheme+"://"+o.HostPort)
	o.Name = cmp.Or(o.Name, o.HostPort)
	o.Kind, o.Capacity = cmp.Or(o.Kind, c.Template.Kind), cmp.Or(o.Capacity, c.Template.Capacity)
	o.Weight = cmp.Or(o.Weight, c.Template.Weight)
	o.State, o.Expected = cmp.Or(o.State, "serving"), true
	if host, _, ok := splitPort(o.HostPort); ok && o.Host == "" {
		o.Host = strings.Trim(host, "[]")
	}
	if o.Edition == (EditionLabel{}) {
		o.Edition = c.Edition
	}
	return o
}

// allDynamic adds the origins of dynamic to the clusters' origins.
func (l *loader) allDynamic() {
	for _, name := range l.clusterNames() {
		c, path := l.cfg.Clusters[name], join("clusters", name)
		if c.Dynamic == nil || !l.fits(c.Dynamic, path+".dynamic") {
			continue
		}
		for _, o := range l.calculated(c.Dynamic, path+".dynamic") {
			l.cfg.places[index(path+".origins", len(c.Origins))] = l.cfg.places.at(path + ".dynamic")
			c.Origins = append(c.Origins, c.Complete(o))
		}
		l.cfg.Clusters[name] = c
	}
}

// fits looks for what is missing, and what lies outside of the ports.
func (l *loader) fits(d *Dynamic, path string) bool {
	for _, key := range []string{"size", "base_port"} {
		if at := join(path, key); !l.written(at) && !l.bad[at] {
			l.fail(at, "E106", fmt.Sprintf("%s has no %s", path, key), "")
		}
	}
	switch last := d.BasePort + d.Size; {
	case l.anyBad(path):
		return false
	case last > 65535:
		l.fail(path+".base_port", "E207", fmt.Sprintf("%s: server %d would listen at port %d, and there are 65535", path, d.Size, last), "")
		return false
	case grammarLabel(d.Prefix+strconv.Itoa(d.Size)) != "":
		l.fail(path+".prefix", "E207", fmt.Sprintf("%s: the name of server %d would be longer than 64 characters", path, d.Size), "")
		return false
	}
	return true
}

// calculated are the servers.
func (l *loader) calculated(d *Dynamic, path string) (all []Origin) {
	hosts := l.machines(d.Hosts, path+".hosts")
	for i := 1; i <= d.Size && len(hosts) > 0; i++ {
		host := hosts[(i-1)%len(hosts)]
		all = append(all, Origin{
			Name:     d.Prefix + strconv.Itoa(i),
			HostPort: net.JoinHostPort(strings.Trim(canonicalHost(host), "[]"), strconv.Itoa(d.BasePort+i)),
			Host:     strings.Trim(host, "[]"),
		})
	}
	return all
}

// machines are hosts with what patterns stand for.
func (l *loader) machines(hosts []string, at string) (all []string) {
	for i, host := range hosts {
		if !strings.Contains(host, "*") {
			all = append(all, host)
			continue
		}
		fitting := slices.DeleteFunc(sortedKeys(l.cfg.Hosts), func(name string) bool {
			fits, _ := path.Match(host, name)
			return !fits
		})
		if len(fitting) == 0 {
			l.refer(index(at, i), index(at, i), "host", host, sortedKeys(l.cfg.Hosts))
		}
		all = append(all, fitting...)
	}
	return all
}

// lintDynamic warns of servers that may not run and that nobody looks for: requests
// find out.
func (l *loader) lintDynamic(c Cluster, path string) {
	if c.Dynamic != nil && c.Dynamic.Size > 0 && c.Health == nil && !l.anyBad(path) {
		l.warn(path+".dynamic", "W345", path+" has no health: a server that does not run yet is taken to be up until requests fail there")
	}
}

func grammarHostPattern(s string) string {
	if isHost(s) || grammarHostName(s) == "" {
		return ""
	}
	return "must be a host name or address, without port; * stands for any characters of a name"
}

// grammarHostName is a name of hosts, perhaps with *.
func grammarHostName(s string) string {
	if !strings.Contains(s, "*") || grammarLabel(strings.ReplaceAll(s, "*", "x")) != "" || strings.ContainsAny(s, "[]") {
		return "must hold a *"
	}
	return ""
}
