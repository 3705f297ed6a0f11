package esi

import (
	"errors"
	"fmt"
	"time"
)

// OnError is what becomes of a page if an include in it fails for good, without
// onerror="continue" and outside of attempts.
type OnError uint8

// The policies of failed includes.
const (
	Fail        OnError = iota // the page fails
	Empty                      // nothing stands in its place
	UseFallback                // the site's fragment stands in its place
)

// FirstByte is when the first byte of a page is sent.
type FirstByte uint8

// The policies of the first byte.
const (
	Early FirstByte = iota // when it is there
	Held                   // when it is known that no include fails
)

// Options bound the assembly of a page, and say what becomes of failures. Default has the
// usual ones; the zero value fetches nothing.
type Options struct {
	// Depth is how deep includes may be nested. Zero means that none is fetched: all fail.
	// The maximum is 32.
	Depth int

	// Includes is how many fragments a page may ask for, alternatives among them.
	Includes int

	// Concurrent is how many fragments of a page are waited for at once. One more may be,
	// which is the one that stands next in the page.
	Concurrent int

	// Fragment is the longest body of a fragment in bytes, Page the most that a page is
	// made of, Values the most bytes of values of variables.
	Fragment, Page, Values int64

	// Hold is how many bytes of a fragment are here before any of it is used, so that one
	// that breaks off is not used at all. Longer fragments are used as they come.
	Hold int

	// FragmentTimeout is how long an include may wait for the head of its fragment and the
	// first Hold bytes. Timeout is after which time nothing more is waited for: what is not
	// here yet has failed. Neither ends a fragment that is being sent.
	FragmentTimeout, Timeout time.Duration

	OnError   OnError
	Fallback  []byte // used with UseFallback
	FirstByte FirstByte

	// Verbatim puts values of variables into the page as they are, and lets whoever makes
	// a link write markup into it.
	Verbatim bool
}

// Default returns the options of a site that says nothing of ESI.
func Default() Options {
	return Options{
		Depth: 5, Includes: 100, Concurrent: 8,
		Fragment: 2 << 20, Page: 32 << 20, Values: 1 << 20, Hold: 64 << 10,
		FragmentTimeout: 5 * time.Second, Timeout: 15 * time.Second,
	}
}

// maxDepth bounds Options.Depth, and with it the stack.
const maxDepth = 32

// Validate reports every option that is out of range.
func (o *Options) Validate() error {
	var errs []error
	check := func(ok bool, name, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s: must be %s", name, want))
		}
	}
	check(0 <= o.Depth && o.Depth <= maxDepth, "max_depth", "0 to 32")
	check(o.Includes >= 0, "max_includes", "0 or more")
	check(o.Concurrent >= 1, "concurrent", "1 or more")
	check(o.Fragment > 0 && o.Page > 0, "max_fragment, max_page", "more than 0")
	check(o.Values >= 0 && o.Hold >= 0, "max_values, hold", "0 or more")
	check(o.Timeout > 0 && o.FragmentTimeout > 0, "timeout, fragment_timeout", "more than 0")
	return errors.Join(errs...)
}
