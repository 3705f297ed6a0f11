package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
)

// purging is what `cache purge` is asked for, as the admin API takes it.
type purging struct {
	chosen
	Soft   bool `json:"soft,omitempty"`
	DryRun bool `json:"dry_run,omitempty"`
}

func newCachePurge(a *app) *cobra.Command {
	var p purging
	c := &cobra.Command{
		Use:   "purge SELECTOR",
		Short: "Take away what is stored, or make it stale",
		Long: "Purge removes stored answers, so that the next request for each is answered by an origin. With --soft\n" +
			"they stay and are stale: who asks next lets them be asked for anew, an origin may say that one still holds,\n" +
			"and they are used where stale answers may be, so that a large purge brings no storm of requests.\n" +
			"What is being fetched, and was asked for before the purge, is treated as if it was stored already.\n" +
			"What is stored in slices goes as a whole, and counts as one object.\n" +
			"A condition without a selector needs --all, which stands without a selector.\n\n" + ofSelectors,
		Example: "  weirkeep cache purge https://shop.example/img/hero.jpg\n" +
			"  weirkeep cache purge site:shop tag:catalog --dry-run\n" +
			"  weirkeep cache purge site:shop 'path:/img/**' --where 'content_type startsWith \"image/\" and age > 3600' --soft\n" +
			"  weirkeep cache purge --all",
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			p.Match = strings.Join(args, " ")
			return a.cachePurge(c.Context(), p)
		},
	}
	cacheFlags(c.Flags(), &p.chosen)
	c.Flags().BoolVar(&p.Soft, "soft", false, "make it stale, and keep it")
	c.Flags().BoolVar(&p.DryRun, "dry-run", false, "say what would go, and do nothing")
	c.Flags().BoolVar(&p.All, "all", false, "without a selector: everything, of all sites")
	return c
}

// purgedFound is what `cache purge -o json` prints.
type purgedFound struct {
	Schema int `json:"schema"`
	gateway.StoredPurged
}

func (a *app) cachePurge(ctx context.Context, p purging) error {
	done := purgedFound{Schema: 1}
	if err := a.askCache(ctx, p.file, http.MethodPost, "/v1/cache:purge", p, &done); err != nil {
		return err
	}
	if a.machine() {
		return a.print(done)
	}
	return a.sayPurged(done.StoredPurged)
}

func (a *app) sayPurged(done gateway.StoredPurged) error {
	if done.Count == 0 {
		if err := a.sayResult("nothing is stored that is selected"); err != nil {
			return err
		}
		a.say("hint: %s", printable(done.Hint))
		return nil
	}
	what, size := numbered(done.Count, "object"), bytesText(done.Bytes)
	switch {
	case done.DryRun && done.Soft:
		return a.sayResult("would make %s stale (%s)%s.%s", what, size, alone(done.OnDisk), largest(done))
	case done.DryRun:
		return a.sayResult("would remove %s (%s)%s.%s", what, size, alone(done.OnDisk), largest(done))
	case done.Soft && done.Count == 1:
		return a.sayResult("%s is stale now, in %.0f ms", what, done.Millis)
	case done.Soft:
		return a.sayResult("%s are stale now, in %.0f ms", what, done.Millis)
	}
	return a.sayResult("removed %s (%s), in %.0f ms", what, size, done.Millis)
}

// largest is the largest of what is in memory of what was found.
func largest(done gateway.StoredPurged) string {
	if len(done.Largest) == 0 {
		return ""
	}
	return " Largest: " + printable(done.Largest[0].Target) + " " + bytesText(done.Largest[0].Bytes)
}
