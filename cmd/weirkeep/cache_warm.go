package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
)

// warming is what `cache warm` is asked for, as the admin API takes it.
type warming struct {
	URLs   []string `json:"urls"`
	Fields []string `json:"fields,omitempty"`

	config string
	files  []string
}

// warmBatch is how many URLs are asked for at a time; the gateway fetches as many at once.
const warmBatch = 8

// warmTimeout is how long a batch may take, unless --timeout says longer.
const warmTimeout = 2 * time.Minute

func newCacheWarm(a *app) *cobra.Command {
	var w warming
	c := &cobra.Command{
		Use:   "warm [URL...]",
		Short: "Fetch URLs to have them stored",
		Long: "Warm lets the gateway ask for URLs as clients would: decided by mappings and rules, fetched from origins,\n" +
			"and stored as caching rules and the answer say. What is stored and fresh already is not fetched. Up to 8\n" +
			"are fetched at once. URLs are arguments, or lines of files; - is standard input. What could not be stored is\n" +
			"listed with the reason, and makes the exit status 1.",
		Example: "  weirkeep cache warm https://shop.example/ https://shop.example/img/hero.jpg\n" +
			"  weirkeep cache warm --file urls.txt -H 'Accept-Encoding: gzip'",
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			urls, err := a.urlsOf(args, w.files)
			if err != nil {
				return err
			}
			if len(urls) == 0 {
				return usage(c, errors.New("no URL is named: weirkeep cache warm https://shop.example/, or --file FILE"))
			}
			w.URLs = urls
			return a.cacheWarm(c.Context(), w)
		},
	}
	fileFlag(c.Flags(), &w.config)
	c.Flags().StringArrayVar(&w.files, "file", nil, "`FILE` with a URL a line; # begins a comment; - is standard input; may be repeated")
	c.Flags().StringArrayVarP(&w.Fields, "header", "H", nil, "a `FIELD` of the requests' header, 'Name: value'; may be repeated")
	return c
}

// urlsOf are the URLs of the command line and of files.
func (a *app) urlsOf(args, files []string) ([]string, error) {
	urls := append([]string{}, args...)
	for _, file := range files {
		text, err := a.readInput(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				urls = append(urls, line)
			}
		}
	}
	return urls, nil
}

// warmedFound is what `cache warm -o json` prints.
type warmedFound struct {
	Schema int              `json:"schema"`
	Failed int              `json:"failed"`
	URLs   []gateway.Warmed `json:"urls"` // never null
}

func (a *app) cacheWarm(ctx context.Context, w warming) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	patient := *a
	patient.timeout = max(a.timeout, warmTimeout)
	all := warmedFound{Schema: 1, URLs: []gateway.Warmed{}}
	began, rest := time.Now(), w.URLs
	for len(rest) > 0 {
		batch := w
		batch.URLs = rest[:min(warmBatch, len(rest))]
		rest = rest[len(batch.URLs):]
		var done warmedFound
		err := patient.askCache(ctx, w.config, http.MethodPost, "/v1/cache:warm", batch, &done)
		if ctx.Err() != nil {
			a.clearWarming()
			return &failure{status: exitInterrupted, err: fmt.Errorf("interrupted: %d of %d were asked for", len(all.URLs), len(w.URLs))}
		}
		if err != nil {
			a.clearWarming()
			return err
		}
		all.URLs = append(all.URLs, done.URLs...)
		a.sayWarming(len(all.URLs), len(w.URLs), began)
	}
	a.clearWarming()
	return a.sayWarmed(all, time.Since(began))
}

// sayWarming shows on a terminal how far it is.
func (a *app) sayWarming(done, all int, began time.Time) {
	if a.quiet || a.machine() || !terminal(a.stderr) || done == all {
		return
	}
	left := time.Since(began) / time.Duration(done) * time.Duration(all-done)
	fmt.Fprintf(a.stderr, "\r\x1b[Kwarming: %d of %d   est. %s", done, all, durationText(left))
}

// clearWarming takes the line of sayWarming away.
func (a *app) clearWarming() {
	if !a.quiet && !a.machine() && terminal(a.stderr) {
		fmt.Fprint(a.stderr, "\r\x1b[K")
	}
}

// sayWarmed says what became of the URLs, those in full that failed.
func (a *app) sayWarmed(all warmedFound, took time.Duration) error {
	counts := map[string]int{}
	size := int64(0)
	for _, w := range all.URLs {
		counts[w.Done]++
		if w.Done == "fetched" {
			size += w.Length
		}
	}
	all.Failed = counts["failed"]
	if err := a.tellWarmed(all, fmt.Sprintf("%d fetched (%s), %d fresh already, %d stale, %d failed, in %s",
		counts["fetched"], bytesText(size), counts["fresh"], counts["stale"], counts["failed"], durationText(took))); err != nil {
		return err
	}
	if all.Failed > 0 {
		return &failure{status: exitFailure}
	}
	return nil
}

func (a *app) tellWarmed(all warmedFound, summary string) error {
	switch {
	case a.output == "jsonl":
		for _, w := range all.URLs {
			if err := a.print(w); err != nil {
				return err
			}
		}
		return nil
	case a.machine():
		return a.print(all)
	}
	for _, w := range all.URLs {
		if w.Why != "" {
			fmt.Fprintf(a.stdout, "%s %s: %s\n", w.Done, printable(w.URL), printable(w.Why))
		}
	}
	return a.sayResult("%s", summary)
}
