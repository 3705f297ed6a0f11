package gateway

import (
	"sync/atomic"

	"weirkeep/gateway/esi"
	"weirkeep/gateway/metrics"
)

// siteESI is what a site's configuration says of ESI, compiled.
type siteESI struct {
	options esi.Options // of its pages
	limits  esi.Limits  // of its templates
	shown   esi.Shown   // what its pages may see of a request

	types    []string // media types of templates, in lower case
	statuses []int    // of templates
	byType   bool     // every answer of those types is a template, whatever Surrogate-Control says

	clientTTL clientTTL
	deferred  bool   // a surrogate closer to the client that can do it assembles pages
	detects   bool   // who sends markup gets no page
	unmapped  bool   // fragments may come from hosts that no site has
	device    string // name of this node in Surrogate-Capability and Surrogate-Control
	obeys     bool   // invalidations that stand in its answers are carried out

	metrics *metrics.ESI
	told    atomic.Int64 // second in which a template's mistakes were logged last
	mixed   atomic.Int64 // the same, for a fragment's charset
}

// clientTTL is for how long clients may keep a page.
type clientTTL uint8

// What they are told.
const (
	ttlNone     clientTTL = iota // to ask each time
	ttlLeast                     // the least of what is left of its parts
	ttlTemplate                  // what the template says
)

// assembled is what an exchange knows of the page that its answer was made into.
type assembled struct {
	on        bool // the answer was a template
	report    esi.Report
	fragments []fragment // that were asked for, in the order in which they came
}

// fragment is what became of one that a page asked for.
type fragment struct {
	url     esi.URL
	depth   int
	status  int    // of the answer; 0: there was none
	cache   string // outcome, as the access log has it; empty: no cache was asked
	failure esi.Failure
	why     string // of a host that no site has: why it is not asked; empty: it is not known, or it was
	millis  int64  // until its head was here
}
