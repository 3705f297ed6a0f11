package main

import (
	"context"
	"errors"
	"fmt"

	"weirkeep/gateway"
	"weirkeep/gateway/admin"
)

// selection is what the admin API selects.
func selection(s admin.Selection) gateway.StoredSelection {
	return gateway.StoredSelection{Match: s.Match, Where: s.Where, All: s.All}
}

// ListStored is for the admin API.
func (k *keeper) ListStored(s admin.Selection, order string, limit int) (any, error) {
	list, err := k.gateway.ListStored(selection(s), order, limit)
	return list, ofCache(err)
}

// storedOf is what is stored of a URL.
type storedOf struct {
	Objects []gateway.StoredObject `json:"objects"`
}

// Stored is for the admin API.
func (k *keeper) Stored(url string) (any, error) {
	all, err := k.gateway.Stored(url)
	return storedOf{all}, ofCache(err)
}

// PurgeStored is for the admin API.
func (k *keeper) PurgeStored(s admin.Selection, soft, dryRun bool) (any, string, error) {
	done, err := k.gateway.PurgeStored(gateway.StoredPurge{StoredSelection: selection(s), Soft: soft, DryRun: dryRun})
	how := "removed"
	if soft {
		how = "made stale"
	}
	return done, fmt.Sprintf("%s: %d, bytes: %d", how, done.Count, done.Bytes), ofCache(err)
}

// popularPaths is what is asked for most.
type popularPaths struct {
	Paths []gateway.PopularPath `json:"paths"`
}

// PopularPaths is for the admin API.
func (k *keeper) PopularPaths(of string, limit int) (any, error) {
	all, err := k.gateway.PopularPaths(of, limit)
	return popularPaths{all}, ofCache(err)
}

// StoredStats is for the admin API.
func (k *keeper) StoredStats() (any, error) {
	stats, err := k.gateway.StoredStats()
	return stats, ofCache(err)
}

// warmed is what became of URLs, in their order.
type warmed struct {
	URLs []gateway.Warmed `json:"urls"`
}

// WarmStored is for the admin API.
func (k *keeper) WarmStored(ctx context.Context, urls, fields []string) (any, error) {
	all, err := k.gateway.WarmStored(ctx, urls, fields)
	return warmed{all}, ofCache(err)
}

// Invalidate is for the admin API.
func (k *keeper) Invalidate(message []byte) ([]byte, []string, error) {
	answer, told, err := k.gateway.Invalidate(message)
	return answer, told, ofCache(err)
}

// ofCache is an error of the cache as the admin API knows it.
func ofCache(err error) error {
	switch {
	case errors.Is(err, gateway.ErrNotStored):
		return &translated{err, admin.ErrNotStored}
	case errors.Is(err, gateway.ErrNoCache):
		return &translated{err, admin.ErrNoCache}
	}
	return err
}
