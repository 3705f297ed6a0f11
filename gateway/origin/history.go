package origin

import (
	"slices"
	"time"
)

// remembered is how many changes of its health an origin keeps.
const remembered = 20

// Transition is one change of an origin's health, with its evidence.
type Transition struct {
	At       time.Time
	From, To Health
	Why      string // what was seen last: the failure, the check's answer
	Failures int    // how many were seen in a row; zero: it came back
	By       By     // who saw it
	Cluster  string // whose requests saw it; empty: a check did, or a trial that was answered
}

// By is who found that an origin's health has changed.
type By uint8

const (
	Requests By = iota
	Trial       // one request that tried it out
	HealthCheck
	Ping
	Collector // a plugin that samples it
)

// String is the word for it in status.
func (b By) String() string { return [...]string{"requests", "trial", "check", "ping", "collector"}[b] }

// history is the last changes, the oldest first. An origin that flaps for ever
// takes no more room than one that did 20 times.
type history []Transition

func (h *history) add(t Transition) {
	if len(*h) == remembered {
		*h = slices.Delete(*h, 0, 1)
	}
	*h = append(*h, t)
}

// last is the zero value if nothing ever changed.
func (h history) last() (t Transition) {
	if n := len(h); n > 0 {
		t = h[n-1]
	}
	return t
}

func (h history) clone() []Transition { return slices.Clone(h) }
