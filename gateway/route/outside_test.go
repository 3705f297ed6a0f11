package route

import (
	"reflect"
	"testing"
)

// A permit is told of only if it cannot work; not if it does in another site, or
// for a part of its paths.
func TestOutsideBestSetIsSure(t *testing.T) {
	all := farm()
	for i := range all {
		all[i].Identity = i
	}
	o := Options{
		DefaultSite: -1,
		Sites:       []Site{{Name: "a", Hosts: []string{"a.example"}}, {Name: "b", Hosts: []string{"*.b.example"}}},
		Clusters:    []Cluster{{all[:2]}, {all[2:3]}, {all[3:]}},
		Mappings: []Mapping{
			{Site: 0, Prefix: "/api/v2", Clusters: []int{1}},
			{Site: 0, Prefix: "/x?new=1", Clusters: []int{1}},
			{Site: 0, Clusters: []int{0}},
			{Site: 1, Clusters: []int{2}},
		},
	}
	var second = all[2].Cell + "/" + all[2].Cluster
	for _, tt := range []struct {
		name, when string
		site       int
		want       []Outside
	}{
		{"nowhere", `path == "/y"`, 0, []Outside{{0, 2}}},
		{"below a path of another mapping", `path startsWith "/api/v2/x"`, 0, nil},
		{"a part of the paths is another mapping's", `path startsWith "/api"`, 0, nil},
		{"the path is, what is below it is not", `path == "/api"`, 0, []Outside{{0, 2}}},
		{"a query is another mapping's", `path == "/x" and query("new") == "1"`, 0, nil},
		{"of every site, and none but one of its host", `host == "a.example" and method == "GET"`, -1, nil},
		{"of a host that only a site without it has", `host == "www.b.example" and method == "GET"`, -1, []Outside{{0, -1}}},
		{"nowhere in one site", `method == "GET"`, -1, []Outside{{0, -1}}},
	} {
		o.Rules = []Rule{{Name: "r", Site: tt.site, When: when(t, tt.when), Action: Permit, To: to(t, second)}}
		table, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.OutsideBestSet(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
