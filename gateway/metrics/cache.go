package metrics

// CacheOutcome is what a cache did for an exchange.
type CacheOutcome uint8

// The outcomes.
const (
	CacheHit         CacheOutcome = iota // answered from the store, fresh
	CacheStale                           // answered from the store, although it had expired
	CacheRevalidated                     // answered from the store, after the origin was asked whether it still holds
	CacheCollapsed                       // answered by what was fetched for another exchange
	CacheMiss                            // the origin was asked
	CachePass                            // it was asked without a look at the store
	CacheUnreachable                     // none was asked, as the last exchange for the same had reached none
)

// CacheOutcomes are the outcomes as labels say them.
var CacheOutcomes = [...]string{CacheHit: "hit", CacheStale: "stale", CacheRevalidated: "revalidated", CacheCollapsed: "collapsed", CacheMiss: "miss", CachePass: "pass", CacheUnreachable: "unreachable"}

// String is the outcome as labels and logs have it.
func (o CacheOutcome) String() string { return CacheOutcomes[o] }

// Cache counts what the cache of a site did.
type Cache struct {
	Outcomes   [len(CacheOutcomes)]Counter // of exchanges
	Stored     Counter                     // answers that were stored
	Refreshes  Counter                     // fetches that no client waited for
	RuleErrors Counter                     // caching rules that could not be evaluated
	Purged     Counter                     // targets, and answers in groups, that answers to unsafe methods invalidated
	Encoded    Counter                     // bodies that were encoded, and are kept so
	Coded      Counter                     // answers that were sent in a coding that they did not come in
	Saved      Counter                     // bytes by which these were shorter

	SlicesFetched Counter // slices of long answers that origins sent
	SlicesSent    Counter // slices that answers were put together of
}

// Store is what is kept of all sites, and what has become of what was.
type Store struct {
	Objects   Gauge   // answers that are complete
	Filling   Gauge   // answers that are being stored
	Bytes     Gauge   // that all of it takes
	Limit     Gauge   // bytes that it may take; 0: no site has a cache
	Flights   Gauge   // fetches under way for all who wait for the same
	Evictions Gauge   // answers that went because memory was full, ever
	Rejected  Gauge   // answers that were too long, or found no room, ever
	Removed   Counter // answers that operators purged
	Expired   Counter // answers that operators made stale

	Disk Disk
}

// Disk is what is kept behind memory.
type Disk struct {
	Objects Gauge // answers that are there
	Waiting Gauge // answers that are still to be written
	Bytes   Gauge // of all files
	Limit   Gauge // bytes that these may have; 0: there is none
	Hits    Gauge // answers that were brought back, ever
	Evicted Gauge // answers that went to make room
	Dropped Gauge // answers that were not written since too many waited, ever
	Failed  Gauge // answers that could not be written or deleted, ever
	Corrupt Gauge // answers that were damaged
	Errors  Gauge // of the disk itself
}
