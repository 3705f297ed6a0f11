package gateway

import (
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// cached is what the cache of its site knows of an exchange. Without one, on is false
// and the rest means nothing.
type cached struct {
	on      bool
	asked   bool          // the store is: it may answer, and may be given the answer
	raw     bool          // a filter of stage store has failed at the answer, which goes on as it came
	terms   terms         // of the include that it is asked for by; the zero value: none
	rule    *cacheRule    // that is true whatever the answer will be; nil: none, or not known yet
	request cache.Request // what is asked for
	key     store.Key
	text    []byte // what key is made of
	choice  []byte // what a router has chosen, as a part of it
	mark    []byte // of the site's filters of stage store, as a part of it
	flight  *store.Flight
	stale   *store.Entry // has expired, and may be validated, or used if nothing better is to be had
	entry   *store.Entry // is the answer
	source  []wire.Field // of the answer as it came, where filters of stage store have changed it; nil: they have not
	asking  asking
	sent    time.Time // when the origin was asked
	outcome metrics.CacheOutcome
	refusal cache.Refusal // why the answer is not stored; 0: it is, or it was not asked whether it may be
	status  cache.Status
	reply   cache.Reply  // what is sent of the entry
	coded   *store.Coded // in which form; nil: as it came
	age     [20]byte
	shown   []byte // value of Cache-Status
	between []byte // what stands between parts
	fields  []wire.Field
	pieces  replySource

	slices   *sliceWalk // reads the answer's body; nil: that is in one piece
	unsliced bool       // nothing is stored in slices, since there have been none of it not long ago
	probing  bool       // a range is asked for of which nothing is known: the answer tells whether there are slices
}

// reset readies it for another request. Buffers stay.
func (c *cached) reset() {
	c.on, c.asked, c.asking = false, false, askAsIs
	c.rule, c.flight, c.stale, c.entry, c.coded, c.slices = nil, nil, nil, nil, nil, nil
	c.source, c.raw, c.choice, c.terms = nil, false, c.choice[:0], terms{}
}
