package rollout

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"weirkeep/gateway/unit"
)

// Phase is how far a roll-out is as a whole.
type Phase string

// The phases.
const (
	Running   Phase = "running"
	Finished  Phase = "finished"
	Cancelled Phase = "cancelled"
)

// Stage is how far one origin is.
type Stage string

// The stages, in order.
const (
	Pending  Stage = "pending"           // it serves the old edition
	Draining Stage = "draining"          // its sessions are waited for
	Waiting  Stage = "waiting-for-ready" // it is closed: somebody renews it
	Ready    Stage = "ready"             // atomic: renewed, and closed until all of its half are
	Done     Stage = "done"              // it serves the new edition
)

var (
	phases = []Phase{Running, Finished, Cancelled}
	stages = []Stage{Pending, Draining, Waiting, Ready, Done}
)

// Saved is all that a roll-out is. As JSON it is a file that the next process
// reads.
type Saved struct {
	Schema int `json:"schema"` // 1
	Options
	Phase    Phase         `json:"phase"`
	Switched bool          `json:"switched,omitempty"` // atomic: the first half serves
	Began    time.Time     `json:"began"`
	Ended    time.Time     `json:"ended,omitzero"`
	Batch    time.Time     `json:"batch,omitzero"` // when the batch began that is on its way; zero: none is
	Batches  int           `json:"batches"`        // that are through
	Took     unit.Duration `json:"took"`           // all of those together
	Members  []Member      `json:"origins"`
}

// Member is an origin on its way.
type Member struct {
	Origin
	Stage     Stage     `json:"stage"`
	Since     time.Time `json:"since"`               // when it came to that stage
	Confirmed bool      `json:"confirmed,omitempty"` // somebody says that it runs the new edition
	First     bool      `json:"first,omitempty"`     // atomic: it is of the half that changes first
	Unsure    bool      `json:"unsure,omitempty"`    // cancelled while it was being renewed: nobody knows what it runs
}

const schema = 1

// Save returns what Load makes the same roll-out of.
func (r *Rollout) Save() Saved {
	s := r.s
	s.Members = slices.Clone(s.Members)
	return s
}

// Clone returns another roll-out that stands where this one does.
func (r *Rollout) Clone() *Rollout { return &Rollout{r.Save()} }

// Load makes the roll-out that was saved. The error says what cannot be.
func Load(s Saved) (*Rollout, error) {
	errs := []error{s.Options.Validate()}
	if s.Schema != schema {
		errs = append(errs, fmt.Errorf("schema: %d is not known, only %d is", s.Schema, schema))
	}
	if !slices.Contains(phases, s.Phase) {
		errs = append(errs, fmt.Errorf("phase: %q is not known", s.Phase))
	}
	seen := make(map[string]bool)
	for _, m := range s.Members {
		if !slices.Contains(stages, m.Stage) {
			errs = append(errs, fmt.Errorf("origin %s: stage %q is not known", m.Name, m.Stage))
		}
		if seen[m.Name] {
			errs = append(errs, fmt.Errorf("origin %s is named twice", m.Name))
		}
		seen[m.Name] = true
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("saved roll-out of %q: %w", s.Application, err)
	}
	s.Members = slices.Clone(s.Members)
	return &Rollout{s}, nil
}
