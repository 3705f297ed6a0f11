package abi

// Presence is whether a guest must export a function.
type Presence string

// The presences.
const (
	Required Presence = "required"
	Optional Presence = "optional"
)

// Export is a function that a guest exports.
type Export struct {
	Name     string
	Args     []Argument
	Result   ValueType // empty: none
	Kinds    []Kind    // which plugins it is for; empty: all
	Presence Presence
	When     string // what makes an optional one necessary; what may stand in its place
	Returns  string
	Does     string
}

// blobArg is the argument of an export that is given a blob: its size.
var blobArg = args(I32, "size")

// Exports are all functions that a guest may export, in the order in which a
// host calls them. Beside them, the memory is exported as "memory".
var Exports = []Export{
	{Name: "_initialize", Presence: Optional, When: "tool chains make it",
		Does: "Sets up the language's run time. It is the first thing called after the start function."},
	{Name: "gw_abi_1", Result: I32, Presence: Required,
		Returns: "the minor it was built for: 0", Does: "Says that the guest speaks gw1."},
	{Name: "gw_buffer", Args: args(I32, "size"), Result: I32, Presence: Required,
		Returns: "the address of a buffer of `size` bytes, a multiple of 16; 0 refuses",
		Does:    "Says where blobs may be put. It is called once, and the buffer stays for the instance's life."},
	{Name: "gw_configure", Args: blobArg, Result: I32, Presence: Optional, When: "must be there if the plugin has `params`",
		Returns: "0; a negative number refuses", Does: "Reads the params: JSON. It is called once, with 0 when there are none."},
	{Name: "gw_enable", Args: args(I32, "on"), Result: I32, Presence: Optional,
		Returns: "0; all else refuses", Does: "Is called once with 1, after the params were accepted."},
	{Name: "gw_on_cluster", Args: blobArg, Result: I32, Kinds: []Kind{Router, Collector}, Presence: Optional,
		Returns: "0; all else refuses", Does: "Reads the cluster table: at the start, and again whenever it has changed."},
	{Name: "gw_route", Args: blobArg, Result: I32, Kinds: []Kind{Router}, Presence: Required, When: "or `gw_route_names`",
		Returns: "how many positions it wrote, 1 to 256; 0 abstains; negative: an error", Does: "Lists origins for a request, the best first."},
	{Name: "gw_route_names", Args: blobArg, Result: I32, Kinds: []Kind{Router}, Presence: Required, When: "instead of `gw_route`",
		Returns: "how many names it wrote, 1 to 256; 0 abstains; negative: an error", Does: "The same, by names."},
	{Name: "gw_match", Args: blobArg, Result: I32, Kinds: []Kind{Matcher}, Presence: Required,
		Returns: "1 match, 0 no match, 2 unknown; negative: an error", Does: "Says whether a request matches."},
	{Name: "gw_enabled", Result: I32, Kinds: []Kind{Collector}, Presence: Optional,
		Returns: "0 not to be asked this time, as if it had no opinion; else it is asked", Does: "Is called before each sampling."},
	{Name: "gw_collect", Args: blobArg, Result: I32, Kinds: []Kind{Collector}, Presence: Required,
		Returns: "0 to 100, 100 idle (more counts as 100); −2147483648 no opinion; other negatives: an error",
		Does:    "Gives the metric of one origin."},
	{Name: "gw_on_request", Args: blobArg, Result: I32, Kinds: []Kind{Filter}, Presence: Required, When: "or `gw_on_response`, or both",
		Returns: "how many bytes of operations it wrote; 0 changes nothing; negative: an error", Does: "Edits or answers a request."},
	{Name: "gw_on_response", Args: blobArg, Result: I32, Kinds: []Kind{Filter}, Presence: Required, When: "or `gw_on_request`, or both",
		Returns: "how many bytes of operations it wrote; 0 changes nothing; negative: an error", Does: "Edits or replaces an answer."},
	{Name: "gw_tick", Args: blobArg, Result: I32, Kinds: []Kind{Router, Collector, Filter}, Presence: Optional, When: "must be there if `tick` is set",
		Returns: "0", Does: "Is called every `tick`, on an instance that serves no requests."},
	{Name: "gw_on_http_response", Args: blobArg, Result: I32, Kinds: []Kind{Router, Collector, Filter}, Presence: Optional, When: "must be there if `http_call` is imported",
		Returns: "0", Does: "Reads the answer to an `http_call`."},
}

// ExportOf returns the export of a name, nil if there is none.
func ExportOf(name string) *Export {
	for i := range Exports {
		if Exports[i].Name == name {
			return &Exports[i]
		}
	}
	return nil
}

// OwnNames begin the names that are reserved: those of exports that this
// contract has or will have, and those that the meter adds.
var OwnNames = []string{"gw_", "__gw_"}

// MemoryExport is the name that a guest's memory is exported by.
const MemoryExport = "memory"

// What the meter adds to a module.
const (
	StartExport = "__gw_start" // the start function, if the module has one
	FuelExport  = "__gw_fuel"  // global, i64: fuel left
	DepthExport = "__gw_depth" // global, i64: calls left
	MarkExport  = "__gw_mark"  // global, i32: not 0 when memory.grow was refused
)
