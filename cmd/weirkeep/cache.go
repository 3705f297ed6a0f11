package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newCache(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "What a running gateway has stored: list, purge, warm and count it",
		Long:  "Cache operates what a running gateway has stored of origins' answers.\n\n" + ofSelectors,
		Args:  onlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, build := range cacheCommands {
		c.AddCommand(build(a))
	}
	return c
}

// cacheCommands are the commands below cache. To add one, write it and add its line here.
var cacheCommands = []func(*app) *cobra.Command{
	newCacheGet,
	newCacheLs,
	newCachePurge,
	newCacheStats,
	newCacheTop,
	newCacheWarm,
}

// ofSelectors is how stored answers are selected.
const ofSelectors = "A SELECTOR is words, in quotes where a shell would read * as files:\n\n" +
	"  site:NAME   of a site; its aliases share what is stored\n" +
	"  tag:TAG     that the origin gave a tag, in Surrogate-Key or Cache-Tag, or a caching rule\n" +
	"  group:GROUP in a group that the origin names in Cache-Groups (RFC 9875), without blanks\n" +
	"  path:GLOB   of a path; * is anything within a segment, ** across them; with ?… it is compared with\n" +
	"              path and query, else with the path, whatever the query\n" +
	"  URL         a full URL selects its path at its site, whatever the scheme\n\n" +
	"Different words are and-ed, several of the same word, and URLs, or-ed. --where adds a condition on what is stored, in\n" +
	"the language of rules: age, ttl, size, hits, tags, status, content_type, path; weirkeep help RULES has all."

// chosen is which stored answers a command is about, as the admin API takes it.
type chosen struct {
	Match string `json:"match,omitempty"`
	Where string `json:"where,omitempty"`
	All   bool   `json:"all,omitempty"`

	file string // of the configuration
}

func cacheFlags(f *pflag.FlagSet, q *chosen) {
	fileFlag(f, &q.file)
	f.StringVar(&q.Where, "where", "", "`CONDITION` on what is stored that must be true, too: 'age > 3600 and hits == 0'")
}

// askCache asks the admin API of the cache. What it refuses is a mistake of the command
// line.
func (a *app) askCache(ctx context.Context, file, method, path string, question, into any) error {
	e, err := a.endpoint(file)
	if err != nil {
		return err
	}
	if method == http.MethodGet {
		err = e.get(ctx, a, path, into)
	} else {
		err = e.askBy(ctx, a, method, path, question, into)
	}
	var refused *apiError
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.status {
	case http.StatusUnprocessableEntity:
		return &failure{status: exitUsage, err: errors.New(refused.Detail), hint: helpWith(refused.Detail)}
	case http.StatusNotFound:
		return &failure{status: exitFailure, err: errors.New(refused.Detail), hint: "weirkeep cache ls lists what there is: the query counts, unless key.query or key.ignore_params say otherwise"}
	case http.StatusConflict:
		return &failure{status: exitFailure, err: errors.New(refused.Detail), hint: "cache: { enabled: true } in the configuration lets answers be stored"}
	}
	return err
}

// helpWith is who explains what was refused: a condition or the words of a selector.
func helpWith(detail string) string {
	if strings.HasPrefix(detail, "where ") {
		return "weirkeep help RULES says what a condition on stored answers can ask"
	}
	return "weirkeep cache --help says what a selector is"
}

// numbered is a number of things, as people write it: 1 842 objects.
func numbered(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(int64(n)) + " " + what + "s"
}

// grouped is a number with a blank between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

// bytesText is a number of bytes with two or three digits that count: 3.1 MB.
func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	value, unit := float64(n), 0
	for value >= 999.5 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	if unit == 0 || value >= 9.95 {
		return fmt.Sprintf("%.0f %s", value, units[unit])
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}

// secondsText is a number of seconds, to two units; less than 0: since then.
func secondsText(n int64) string {
	if n < 0 {
		return "-" + durationText(time.Duration(-n)*time.Second)
	}
	return durationText(time.Duration(n) * time.Second)
}
