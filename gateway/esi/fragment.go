package esi

import "context"

// Include is what a fetcher is asked for.
type Include struct {
	URL   URL
	Own   bool // the page has the same scheme, host and port
	Depth int  // 1: it stands in the page itself
	*Attributes
}

// Fetcher gets fragments. It decides what may be fetched at all, and with which request. What
// it is asked for holds until Assemble returns.
type Fetcher interface {
	// Ready returns the fragment if it is in memory as a whole, or if it is known already
	// that there is none. It must not wait. It is called by the goroutine that called
	// Assemble, also while fetches run.
	Ready(i *Include) (Fragment, bool)

	// Fetch gets the fragment and waits for the head of its answer. When the context is
	// done it returns soon; so does Next of the body, which holds until it is closed.
	// Fetch is called on goroutines of their own, several at a time. A panic in it ends
	// the page and is passed on to who called Assemble.
	Fetch(ctx context.Context, i *Include) Fragment
}

// Fragment is the answer to an include.
type Fragment struct {
	// Failure is why there is no answer. All else is of no meaning then.
	Failure Failure

	// Status is that of the answer. 200, 203 and 204 make a fragment, all others a
	// failure, and the body is not looked at.
	Status int

	// Program is the fragment, if it is a template itself.
	Program *Program

	// Whole is the body, if it is in memory. It must hold, and never change.
	Whole []byte

	// Body is the body as it comes, without any content coding. Nil: Whole has it.
	Body Body
}

// Body is a body that is still to come.
type Body interface {
	// Next returns the next bytes, which hold until the next call; at the end io.EOF.
	// Any other error means that the body broke off. It is Next that must find out if
	// nobody waits for it any more: Assemble itself waits for Next. Until more than
	// Options.Hold bytes, and three, have come it is called by the goroutine of Fetch, from then
	// on by that of Assemble.
	Next() ([]byte, error)

	// Close ends the reading. It is called once, from any goroutine, after Next returned.
	Close()
}

// Sink is where a page goes.
type Sink interface {
	// Write passes on bytes that are never empty. They must not be changed, and are of no
	// use later. It may join what is small.
	Write(p []byte) error

	// Flush sends what Write holds back. It is called before each wait.
	Flush() error

	// Gone reports whether nobody waits for the page any more. It is asked every 100 ms
	// of a wait.
	Gone() bool
}
