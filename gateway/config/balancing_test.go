package config

import (
	"reflect"
	"testing"
)

// hashOptions are what the balancer hash takes; those here are a copy.
type hashOptions struct {
	By          string `yaml:"by" default:"client" check:"balance-key"`
	BoundedLoad *int   `yaml:"bounded_load" range:"101..1000"`
}

func TestBalancingFile(t *testing.T) {
	c := good(t, "balancing.yaml")
	bound := 150
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"a name is kept as it was written", c.Clusters["hosts"].Balancer, "roundrobin:weighted"},
		{"of a mapping, too", c.Mappings[0].Balancer, "roundrobin:local"},
		{"weight of a host", c.HostWeight("host-a"), 3},
		{"weight of a host of which something else is said", c.HostWeight("host-b"), 1},
		{"weight of a host of which nothing is said", c.HostWeight("10.0.0.4"), 1},
		{"weight of an origin", c.Clusters["weights"].Origins[0].Weight, 100},
		{"weight of an origin of which nothing is said", c.Clusters["weights"].Origins[2].Weight, 1},
		{"locality", c.Clusters["weights"].Locality, "collocated"},
		{"locality by default", c.Clusters["hosts"].Locality, "any"},
		{"options", decoded(t, c.Clusters["keyed"].BalancerOptions), hashOptions{"header:X-User", &bound}},
		{"no options", decoded(t, c.Clusters["plain"].BalancerOptions), hashOptions{By: "client"}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.what, tt.got, tt.want)
		}
	}
}

func decoded(t *testing.T, o Options) (into hashOptions) {
	t.Helper()
	if err := o.Decode(&into); err != nil {
		t.Error(err)
	}
	return into
}
