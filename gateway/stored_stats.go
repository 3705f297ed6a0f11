package gateway

import (
	"math"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
)

// StoredStats are what is stored, and what became of it.
type StoredStats struct {
	Objects   int         `json:"objects"` // each slice of an answer counts as one, beside its head
	Filling   int         `json:"filling"`
	Bytes     int64       `json:"bytes"`
	Limit     int64       `json:"limit"`   // of Bytes
	Fetches   int64       `json:"fetches"` // under way, that others may wait for
	Waiting   int64       `json:"waiting"` // exchanges, for these
	Evicted   int64       `json:"evicted"`
	Rejected  int64       `json:"rejected"`
	Removed   uint64      `json:"removed"` // by operators
	Expired   uint64      `json:"expired"` // the same, by soft purges
	Sites     []SiteStats `json:"sites"`   // never null
	MaxObject int64       `json:"max_object"`
	Disk      *DiskStats  `json:"disk,omitempty"` // nil: nothing is kept on a disk
}

// DiskStats are what is kept behind memory, also of what is in memory too.
type DiskStats struct {
	Objects int64 `json:"objects"`
	Waiting int64 `json:"waiting"` // still to be written
	Bytes   int64 `json:"bytes"`   // of all files
	Limit   int64 `json:"limit"`   // of Bytes
	Hits    int64 `json:"hits"`    // brought back into memory
	Evicted int64 `json:"evicted"` // to make room
	Dropped int64 `json:"dropped"` // not written, since too many waited
	Failed  int64 `json:"failed"`  // could not be written or deleted
	Corrupt int64 `json:"corrupt"` // were damaged
	Errors  int64 `json:"errors"`  // of the disk itself
}

// SiteStats are those of one site.
type SiteStats struct {
	Site      string            `json:"site"`
	Objects   int               `json:"objects"`
	Bytes     int64             `json:"bytes"`
	Outcomes  map[string]uint64 `json:"outcomes"`
	Ratio     float64           `json:"ratio"` // of exchanges that needed no whole answer of an origin
	Stored    uint64            `json:"stored"`
	Refreshes uint64            `json:"refreshes"`
}

// StoredStats are what is stored, and what became of it.
func (g *Gateway) StoredStats() (StoredStats, error) {
	snap, _, err := g.hold()
	if err != nil {
		return StoredStats{}, err
	}
	defer snap.release()
	if snap.stored.Memory == 0 {
		return StoredStats{}, ErrNoCache
	}
	st, m := g.cache.Stats(), &g.metrics.Store
	stats := StoredStats{
		Objects: st.Objects, Filling: st.Filling, Bytes: st.Bytes, Limit: snap.stored.Memory, MaxObject: snap.stored.MaxObject, Fetches: st.Flights, Waiting: st.Waiting,
		Evicted: st.Evictions, Rejected: st.Rejected, Removed: m.Removed.Load(), Expired: m.Expired.Load(), Sites: []SiteStats{},
	}
	for _, name := range snap.siteNames() {
		stats.Sites = append(stats.Sites, g.siteStats(name))
	}
	if d := g.tier.Stats(); d.Limit > 0 {
		stats.Disk = &DiskStats{d.Objects, d.Waiting, d.Bytes, d.Limit, d.Hits, d.Evicted, d.Dropped, d.Failed, d.Corrupt, d.Errors}
	}
	return stats, nil
}

func (g *Gateway) siteStats(name string) SiteStats {
	s := SiteStats{Site: name, Outcomes: make(map[string]uint64)}
	for _, e := range g.cache.List(store.SelectSite(name), store.ByHits, math.MaxInt) {
		s.Objects++
		s.Bytes += e.Bytes()
	}
	for site, m := range g.metrics.Current().Caches() {
		if site == name {
			s.count(m)
		}
	}
	return s
}

// count takes over what was counted of the site.
func (s *SiteStats) count(m *metrics.Cache) {
	all, asked := uint64(0), uint64(0)
	for o := range m.Outcomes {
		n := m.Outcomes[o].Load()
		s.Outcomes[metrics.CacheOutcome(o).String()] = n
		all += n
		switch metrics.CacheOutcome(o) {
		case metrics.CacheMiss, metrics.CachePass, metrics.CacheUnreachable:
			asked += n
		}
	}
	if all > 0 {
		s.Ratio = float64(all-asked) / float64(all)
	}
	s.Stored, s.Refreshes = m.Stored.Load(), m.Refreshes.Load()
}
