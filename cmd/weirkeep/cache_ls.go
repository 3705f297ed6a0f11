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

// listing is what `cache ls` is asked for.
type listing struct {
	chosen
	sort  string
	limit int
}

func newCacheLs(a *app) *cobra.Command {
	var q listing
	c := &cobra.Command{
		Use:   "ls [SELECTOR]",
		Short: "List what is stored",
		Long: "Ls lists stored answers, those first that were asked for most often.\n\n" +
			"  TARGET  path and query, as they are stored\n" +
			"  STATE   fresh, stale, or filling: it is still on its way\n" +
			"  SIZE    bytes of memory that it takes; on the disk alone: bytes of its body\n" +
			"  AGE     since the origin made it, or said that it still holds\n" +
			"  TTL     for how long it is still fresh; negative: since when it is stale\n" +
			"  HITS    how often it was found in memory\n" +
			"  PLACE   memory, disk, or both\n\n" +
			"With -v, a line follows with what else it was chosen by: the decision, key.headers and key.cookies, and\n" +
			"the request's fields that the origin named in Vary.\n\n" + ofSelectors,
		Example: "  weirkeep cache ls\n" +
			"  weirkeep cache ls site:shop 'path:/img/**' --sort size\n" +
			"  weirkeep cache ls --where 'hits == 0 and age > 3600' --limit 1000 -o jsonl",
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			q.Match = strings.Join(args, " ")
			if !slices.Contains(gateway.StoredOrders, q.sort) {
				return usage(c, fmt.Errorf("--sort is %q, must be one of %s", q.sort, strings.Join(gateway.StoredOrders, ", ")))
			}
			if q.limit < 0 {
				return usage(c, fmt.Errorf("--limit is %d, must be 0 or more", q.limit))
			}
			return a.cacheLs(c.Context(), q)
		},
	}
	cacheFlags(c.Flags(), &q.chosen)
	c.Flags().StringVar(&q.sort, "sort", "hits", "`ORDER`: hits, size, or age (the oldest first)")
	c.Flags().IntVarP(&q.limit, "limit", "n", 100, "most `OBJECTS` that are listed")
	a.verboseFlag(c.Flags(), "what else each was chosen by, and its tags")
	return c
}

// storedFound is what `cache ls -o json` prints.
type storedFound struct {
	Schema int `json:"schema"`
	gateway.StoredList
}

func (a *app) cacheLs(ctx context.Context, q listing) error {
	found := storedFound{Schema: 1}
	query := url.Values{"match": {q.Match}, "where": {q.Where}, "sort": {q.sort}, "limit": {strconv.Itoa(q.limit)}}
	if err := a.askCache(ctx, q.file, http.MethodGet, "/v1/cache/objects?"+query.Encode(), nil, &found); err != nil {
		return err
	}
	switch {
	case a.output == "jsonl":
		return a.printObjects(found.Objects)
	case a.machine():
		return a.print(found)
	}
	return a.sayObjects(found.StoredList)
}

// printObjects prints one object a line.
func (a *app) printObjects(all []gateway.StoredObject) error {
	for _, o := range all {
		if err := a.print(o); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) sayObjects(list gateway.StoredList) error {
	if list.Matched == 0 {
		return a.sayResult("nothing is stored that is selected")
	}
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SITE\tTARGET\tSTATUS\tSTATE\tSIZE\tAGE\tTTL\tHITS\tPLACE")
	for _, o := range list.Objects {
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			printable(o.Site), printable(o.Target), o.Status, o.State, bytesText(o.Bytes), secondsText(o.Age), secondsText(o.TTL), grouped(o.Hits), o.Place)
		if a.verbose {
			fmt.Fprintf(t, "\t  %s\n", printable(chosenBy(o)))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if list.Incomplete != "" {
		a.say("warning: not all of the disk could be listed: %s", printable(list.Incomplete))
	}
	all := numbered(list.Matched, "object") + " (" + bytesText(list.Bytes) + ")" + alone(list.OnDisk)
	if n := len(list.Objects); n < list.Matched {
		return a.sayResult("%s of %s: --limit says how many are listed", grouped(int64(n)), all)
	}
	return a.sayResult("%s", all)
}

// alone says how many of some answers are on the disk alone.
func alone(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + grouped(int64(n)) + " on the disk alone"
}

// chosenBy is what tells a stored answer from others to the same target, and its tags.
func chosenBy(o gateway.StoredObject) string {
	parts := []string{o.Scheme}
	for _, p := range []struct{ what, is string }{
		{"variant ", o.Variant}, {"", o.Parts}, {"by ", o.Vary}, {"part ", o.Part}, {"", o.Slices}, {"type ", o.ContentType}, {"tags ", strings.Join(o.Tags, " ")}, {"groups ", strings.Join(o.Groups, ", ")},
	} {
		if p.is != "" {
			parts = append(parts, p.what+p.is)
		}
	}
	return strings.Join(parts, ", ")
}
