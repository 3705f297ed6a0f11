package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
)

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
