package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/admin"
)

// left is what is left of origins that drain.
type left struct {
	Sessions  int               `json:"sessions"`
	InFlight  int64             `json:"in_flight"`                    // exchanges and tunnels
	Uncounted []admin.Uncounted `json:"sessions_uncounted,omitempty"` // there may be any number

	reopened string // an origin that takes new sessions again; empty: none
}

// leftOf is what is left of an origin. One that is gone has nothing.
func leftOf(o admin.Operated, all []admin.OriginStatus, dry bool) (l left) {
	for _, s := range all {
		if s.Address != o.Address || s.Name != o.Name {
			continue
		}
		l.Sessions, l.InFlight = max(l.Sessions, s.Sessions), max(l.InFlight, s.InFlight)
		l.uncounted(s.Uncounted)
		if s.State == "serving" && !dry {
			l.reopened = s.Name
		}
	}
	return l
}

// uncounted adds sessions that nobody counts, each definition once.
func (l *left) uncounted(us []admin.Uncounted) {
	for _, u := range us {
		if !slices.ContainsFunc(l.Uncounted, func(known admin.Uncounted) bool { return known.Session == u.Session }) {
			l.Uncounted = append(l.Uncounted, u)
		}
	}
}

// sumOf is what is left of all.
func sumOf(all []drainedLeft) (sum left) {
	for _, o := range all {
		sum.Sessions += o.Sessions
		sum.InFlight += o.InFlight
		sum.uncounted(o.Uncounted)
		if o.reopened != "" {
			sum.reopened = o.reopened
		}
	}
	return sum
}

// counted is how much is left that can be counted.
func (l left) counted() int64 { return int64(l.Sessions) + l.InFlight }

// none reports that surely nothing is left.
func (l left) none() bool { return l.counted() == 0 && len(l.Uncounted) == 0 }

// forever reports whether there are sessions that nobody will ever count.
func (l left) forever() bool {
	return slices.ContainsFunc(l.Uncounted, func(u admin.Uncounted) bool { return u.Until.IsZero() })
}

// String is what can be counted.
func (l left) String() string {
	return plural(l.Sessions, "session") + ", " + plural(int(l.InFlight), "exchange")
}

// besides tells of what cannot be counted.
func (l left) besides() string {
	if len(l.Uncounted) == 0 {
		return ""
	}
	var texts []string
	for _, u := range l.Uncounted {
		text := u.Session + " (" + u.Binding + ")"
		if !u.Until.IsZero() {
			text += " before " + u.Until.Local().Format(time.TimeOnly)
		}
		texts = append(texts, text)
	}
	return "; nobody can count sessions of " + strings.Join(texts, ", ")
}

// part is how much of the most there was is gone, and how long the rest may take at
// the rate at which that went; zero: nothing has ended, so nobody knows. Exchanges
// count where there are no sessions.
func (l left) part(most left, took time.Duration) (gone float64, rest time.Duration) {
	now, all := int64(l.Sessions), int64(most.Sessions)
	if all == 0 {
		now, all = l.InFlight, most.InFlight
	}
	if now >= all {
		return 0, 0
	}
	return float64(all-now) / float64(all), time.Duration(float64(took) * float64(now) / float64(all-now))
}

// drainTold is how long nothing is said, where that is not a terminal.
const drainTold = 10 * time.Second

// progress tells what is left: on a terminal in one line, elsewhere when it has
// changed, now and then; programs that read lines get all changes.
func (w *drainWatch) progress(all []drainedLeft, sum left, now time.Time) error {
	w.most.Sessions, w.most.InFlight = max(w.most.Sessions, sum.Sessions), max(w.most.InFlight, sum.InFlight)
	changed := w.told.IsZero() || sum.Sessions != w.last.Sessions || sum.InFlight != w.last.InFlight
	switch {
	case terminal(w.stderr) && !w.machine() && !w.quiet:
		w.shown = true
		fmt.Fprint(w.stderr, "\r\x1b[K"+w.line(sum, now)+"   Ctrl-C stops waiting, not the drain")
		return nil
	case !changed:
		return nil
	case w.output == "jsonl":
		w.last, w.told = sum, now
		return w.printLeft(all, false)
	case !w.machine() && now.Sub(w.told) >= drainTold:
		w.last, w.told = sum, now
		w.say("%s", w.line(sum, now))
	}
	return nil
}

// line is how far it is.
func (w *drainWatch) line(sum left, now time.Time) string {
	gone, rest := sum.part(w.most, now.Sub(w.began))
	text := "unknown"
	if gone > 0 {
		text = rest.Round(time.Second).String()
	}
	const width = 15
	bar := strings.Repeat("█", int(gone*width)) + strings.Repeat("░", width-int(gone*width))
	return fmt.Sprintf("draining: left %s   [%s]   est. %s%s", sum, bar, text, sum.besides())
}

// clear takes the line of a terminal away.
func (w *drainWatch) clear() {
	if w.shown {
		w.shown = false
		fmt.Fprint(w.stderr, "\r\x1b[K")
	}
}
