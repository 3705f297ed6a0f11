package rollout

import (
	"encoding/json"
	"testing"
	"time"
)

var epoch = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// A world is origins as they are, for a roll-out to look at.
type world map[string]*server

type server struct {
	sessions, inFlight int
	tells              string // the label in its health answers; "": it has none
	down               bool
}

func (w world) Sessions(origin string) int { return w[origin].sessions }
func (w world) InFlight(origin string) int { return w[origin].inFlight }
func (w world) Up(origin string) bool      { return !w[origin].down }
func (w world) Edition(origin string) (string, bool) {
	label := w[origin].tells
	return label, label != ""
}

// restart saves the roll-out, writes it as JSON, and loads that.
func restart(t interface{ Fatal(...any) }, r *Rollout) *Rollout {
	text, err := json.Marshal(r.Save())
	if err != nil {
		t.Fatal(err)
	}
	var s Saved
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// origins are some of cluster "app" with the old label.
func origins(names ...string) (all []Origin) {
	for _, name := range names {
		all = append(all, Origin{Name: name, Cluster: "app", Label: "1.0"})
	}
	return all
}

func shop(s Strategy) Options {
	return Options{Application: "shop", From: "1.0", To: "2.0", Strategy: s}
}

func mustNew(t *testing.T, o Options, origins []Origin) *Rollout {
	t.Helper()
	r, err := New(o, origins, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
