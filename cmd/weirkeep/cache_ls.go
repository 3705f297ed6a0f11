package main

import (
	"context"
	"errors"
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

func newCacheGet(a *app) *cobra.Command {
	var q chosen
	c := &cobra.Command{
		Use:   "get URL",
		Short: "Show all that is stored of a URL",
		Long: "Get shows what is stored of a URL, with the fields of its header: one answer for http and https each,\n" +
			"and for everything that answers are chosen by. The query counts as the site's key says.",
		Example:     "  weirkeep cache get https://shop.example/img/hero.jpg",
		Args:        oneURL,
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE:        func(c *cobra.Command, args []string) error { return a.cacheGet(c.Context(), q.file, args[0]) },
	}
	fileFlag(c.Flags(), &q.file)
	return c
}

// oneURL is the argument of a command that takes a URL.
func oneURL(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(c, errors.New("one full URL is needed: "+c.CommandPath()+" https://shop.example/a"))
	}
	return nil
}

// storedAt is what `cache get -o json` prints.
type storedAt struct {
	Schema  int                    `json:"schema"`
	Objects []gateway.StoredObject `json:"objects"` // never null
}

func (a *app) cacheGet(ctx context.Context, file, of string) error {
	found := storedAt{Schema: 1}
	if err := a.askCache(ctx, file, http.MethodGet, "/v1/cache/object?"+url.Values{"url": {of}}.Encode(), nil, &found); err != nil {
		return err
	}
	switch {
	case a.output == "jsonl":
		return a.printObjects(found.Objects)
	case a.machine():
		return a.print(found)
	}
	for i, o := range found.Objects {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := a.sayObject(o); err != nil {
			return err
		}
	}
	return nil
}

// sayObject shows one stored answer.
func (a *app) sayObject(o gateway.StoredObject) error {
	ink := a.paint(a.stdout)
	t := tabwriter.NewWriter(a.stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "%s\n", ink.bold(printable(o.Site+" "+o.Target)))
	fmt.Fprintf(t, "state\t%s, age %s, ttl %s\n", o.State, secondsText(o.Age), secondsText(o.TTL))
	fmt.Fprintf(t, "key\t%s\n", printable(chosenBy(gateway.StoredObject{Scheme: o.Scheme, Variant: o.Variant, Parts: o.Parts, Vary: o.Vary, Part: o.Part})))
	if o.Slices != "" {
		fmt.Fprintf(t, "size\t%s, for %s of a body of %s\n", bytesText(o.Bytes), o.Slices, bytesText(o.Length))
	} else {
		fmt.Fprintf(t, "size\t%s, of which the body is %s\n", bytesText(o.Bytes), bodyText(o.Length))
	}
	fmt.Fprintf(t, "place\t%s\n", o.Place)
	if len(o.Codings) > 0 {
		fmt.Fprintf(t, "codings\t%s\n", codingsText(o.Codings))
	}
	fmt.Fprintf(t, "found\t%s since %s\n", numbered(int(o.Hits), "time"), o.Received.Local().Format("2006-01-02 15:04:05"))
	if len(o.Tags) > 0 {
		fmt.Fprintf(t, "tags\t%s\n", printable(strings.Join(o.Tags, " ")))
	}
	if len(o.Groups) > 0 {
		fmt.Fprintf(t, "groups\t%s\n", printable(strings.Join(o.Groups, ", ")))
	}
	fmt.Fprintf(t, "status\t%d\n", o.Status)
	for _, f := range o.Fields {
		fmt.Fprintf(t, "\t%s: %s\n", printable(f[0]), printable(f[1]))
	}
	return t.Flush()
}

// codingsText is what is kept in codings, and what became of the rest.
func codingsText(all []gateway.StoredCoding) string {
	words := map[string]string{"unasked": "when it is asked for", "encoding": "being encoded", "useless": "not worth it"}
	var parts []string
	for _, c := range all {
		if c.State == "kept" {
			parts = append(parts, c.Coding+" "+bytesText(c.Length))
		} else {
			parts = append(parts, c.Coding+" "+words[c.State])
		}
	}
	return strings.Join(parts, ", ")
}

// bodyText is the length of a body, which may not be known yet.
func bodyText(n int64) string {
	if n < 0 {
		return "not known yet"
	}
	return bytesText(n)
}
