package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
)

func newCacheTop(a *app) *cobra.Command {
	var file, of string
	var limit int
	c := &cobra.Command{
		Use:   "top",
		Short: "List what is asked for most, stored or not",
		Long: "Top lists paths of sites with a cache, whatever the query, those first that are asked for most.\n\n" +
			"  REQUESTS  STORED and UNSTORED\n" +
			"  STORED    how often what is stored now was found\n" +
			"  UNSTORED  how often, since the start, the answer was not stored: at most so many\n" +
			"  WHY       it was not the last time: the word of Cache-Status, or the reason of a failure\n\n" +
			"Of what is not stored some 2000 paths are counted; those that are asked for most are among them.",
		Example: "  weirkeep cache top\n" +
			"  weirkeep cache top --of unstored --limit 50",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml"},
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains(gateway.PopularLists, of) {
				return usage(c, fmt.Errorf("--of is %q, must be one of %s", of, strings.Join(gateway.PopularLists, ", ")))
			}
			return a.cacheTop(c.Context(), file, of, limit)
		},
	}
	fileFlag(c.Flags(), &file)
	c.Flags().StringVar(&of, "of", "all", "`WHICH` paths: all, stored, or unstored")
	c.Flags().IntVarP(&limit, "limit", "n", 20, "most `PATHS` that are listed")
	return c
}

// popularFound is what `cache top -o json` prints.
type popularFound struct {
	Schema int                   `json:"schema"`
	Paths  []gateway.PopularPath `json:"paths"` // never null
}

func (a *app) cacheTop(ctx context.Context, file, of string, limit int) error {
	found := popularFound{Schema: 1}
	query := url.Values{"of": {of}, "limit": {strconv.Itoa(limit)}}
	if err := a.askCache(ctx, file, http.MethodGet, "/v1/cache/popular?"+query.Encode(), nil, &found); err != nil {
		return err
	}
	if a.machine() {
		return a.print(found)
	}
	if len(found.Paths) == 0 {
		return a.sayResult("nothing has been asked for that would be listed")
	}
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SITE\tPATH\tREQUESTS\tSTORED\tUNSTORED\tWHY")
	for _, p := range found.Paths {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(p.Site), printable(p.Path),
			grouped(int64(p.Requests)), grouped(int64(p.Stored)), grouped(int64(p.Unstored)), printable(p.Why))
	}
	return t.Flush()
}
