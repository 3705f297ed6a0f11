package origin

import (
	"sync"
	"time"
)

// announcedPerMinute is how many changes of one origin's health a log is to
// bear in a minute: three times out and back.
const announcedPerMinute = 6

// limiter counts what is said within a minute, which begins with the first
// thing said, and what is left unsaid.
type limiter struct {
	mu    sync.Mutex
	began time.Time
	said  int
	left  int
}

// Announce reports whether the change should be logged: not if 6 of this origin
// were within the minute. left is how many were left out since the last one that
// was, and belongs in the line. What is left out last waits for the next line;
// [Origin.Transitions] has it, and [Origin.Health] what came of it.
func (o *Origin) Announce(t Transition) (say bool, left int) {
	return o.announced.allow(t.At)
}

func (l *limiter) allow(now time.Time) (say bool, left int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.began) >= time.Minute {
		l.began, l.said = now, 0
	}
	if l.said == announcedPerMinute {
		l.left++
		return false, 0
	}
	l.said++
	left, l.left = l.left, 0
	return true, left
}
