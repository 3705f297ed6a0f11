package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway/admin"
)

// clusters are those of a running gateway: some may have no origins.
type clusters struct {
	Clusters []admin.ClusterStatus `json:"clusters"`
}

// namedCluster is what there is of one cluster; of all, if none is named.
func (a *app) namedCluster(ctx context.Context, e endpoint, all []admin.OriginStatus, cluster string) ([]admin.OriginStatus, []admin.ClusterStatus, error) {
	var known clusters
	if err := e.get(ctx, a, "/v1/overview", &known); err != nil {
		return nil, nil, err
	}
	if cluster == "" {
		return all, known.Clusters, nil
	}
	i := slices.IndexFunc(known.Clusters, func(c admin.ClusterStatus) bool { return c.Name == cluster })
	if i < 0 {
		return nil, nil, noCluster(cluster, known.Clusters)
	}
	its := slices.DeleteFunc(all, func(o admin.OriginStatus) bool { return o.Cluster != cluster })
	return its, known.Clusters[i : i+1], nil
}

func noCluster(cluster string, all []admin.ClusterStatus) error {
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return &failure{status: exitUsage, err: fmt.Errorf("the gateway has no cluster %q", cluster),
		hint: didYouMean(cluster, names, "it has "+strings.Join(names, ", "))}
}

// sayEmpty tells of clusters that have no origins now, and why.
func (a *app) sayEmpty(all []admin.ClusterStatus, origins []admin.OriginStatus) {
	for _, c := range all {
		if slices.ContainsFunc(origins, func(o admin.OriginStatus) bool { return o.Cluster == c.Name }) {
			continue
		}
		why := ""
		if d := c.Discovery; d != nil {
			why = ": " + printable(d.Source) + ": " + printable(cmp.Or(d.Problem, "nothing is listed"))
		}
		fmt.Fprintf(a.stdout, "%s has no origin now%s\n", c.Name, why)
	}
}
