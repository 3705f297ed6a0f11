package main

import (
	"context"
	"fmt"
	"net/http"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
)

func newCacheStats(a *app) *cobra.Command {
	var q chosen
	c := &cobra.Command{
		Use:   "stats",
		Short: "Say how much is stored, and what became of it",
		Long: "Stats says how full the memory and the disk are, and what the cache of each site has done since the start:\n\n" +
			"  RATIO        part of the exchanges for which no origin had to make an answer\n" +
			"  HIT          answered from the store, fresh\n" +
			"  STALE        answered from the store, although it had expired\n" +
			"  REVALIDATED  answered from the store, after an origin said that it still holds\n" +
			"  COLLAPSED    answered by what was fetched for another request\n" +
			"  MISS         an origin was asked\n" +
			"  PASS         an origin was asked without a look at the store\n" +
			"  UNREACHABLE  none was asked, as the last request for the same had just reached none",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml"},
		RunE:        func(c *cobra.Command, _ []string) error { return a.cacheStats(c.Context(), q.file) },
	}
	fileFlag(c.Flags(), &q.file)
	return c
}

// statsFound is what `cache stats -o json` prints.
type statsFound struct {
	Schema int `json:"schema"`
	gateway.StoredStats
}

func (a *app) cacheStats(ctx context.Context, file string) error {
	found := statsFound{Schema: 1}
	if err := a.askCache(ctx, file, http.MethodGet, "/v1/cache/stats", nil, &found); err != nil {
		return err
	}
	if a.machine() {
		return a.print(found)
	}
	return a.sayStats(found.StoredStats)
}

func (a *app) sayStats(st gateway.StoredStats) error {
	fmt.Fprintf(a.stdout, "%s, %s of %s (%.0f %%)\n", numbered(st.Objects, "object"), bytesText(st.Bytes), bytesText(st.Limit), 100*float64(st.Bytes)/float64(max(st.Limit, 1)))
	fmt.Fprintf(a.stdout, "being stored: %s   fetches: %s   evicted: %s   too long, or no room: %s   purged: %s, and %s softly\n",
		grouped(int64(st.Filling)), grouped(st.Fetches), grouped(st.Evicted), grouped(st.Rejected), grouped(int64(st.Removed)), grouped(int64(st.Expired)))
	a.sayDisk(st.Disk)
	fmt.Fprintln(a.stdout)
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SITE\tOBJECTS\tSIZE\tRATIO\tHIT\tSTALE\tREVALIDATED\tCOLLAPSED\tMISS\tPASS\tUNREACHABLE")
	for _, s := range st.Sites {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.1f %%", printable(s.Site), grouped(int64(s.Objects)), bytesText(s.Bytes), 100*s.Ratio)
		for _, o := range []string{"hit", "stale", "revalidated", "collapsed", "miss", "pass", "unreachable"} {
			fmt.Fprintf(t, "\t%s", grouped(int64(s.Outcomes[o])))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// sayDisk says what is kept on a disk, if anything is.
func (a *app) sayDisk(d *gateway.DiskStats) {
	if d == nil {
		return
	}
	fmt.Fprintf(a.stdout, "on the disk: %s, %s of %s (%.0f %%)\n", numbered(int(d.Objects), "object"), bytesText(d.Bytes), bytesText(d.Limit), 100*float64(d.Bytes)/float64(max(d.Limit, 1)))
	fmt.Fprintf(a.stdout, "being written: %s   brought back: %s   evicted: %s   not written for want of time: %s   not kept: %s   damaged: %s   errors: %s\n",
		grouped(d.Waiting), grouped(d.Hits), grouped(d.Evicted), grouped(d.Dropped), grouped(d.Failed), grouped(d.Corrupt), grouped(d.Errors))
}
