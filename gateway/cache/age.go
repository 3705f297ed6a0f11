package cache

import (
	"strconv"
	"time"
)

// longest is the longest time that a cache tells from a longer one: what RFC 9111,
// 1.2.2 has it take for all that is too large to count. Four of them still fit in a
// Duration.
const longest = 1 << 31 * time.Second

// saturated returns d, or the bound it is beyond.
func saturated(d time.Duration) time.Duration { return max(min(d, longest), -longest) }

// parseSeconds returns a delta-seconds, and whether b is one (F7).
func parseSeconds(b []byte) (time.Duration, bool) {
	n, ok := parseDigits(b)
	return time.Duration(min(n, int64(longest/time.Second))) * time.Second, ok
}

// parseAge returns the value of Age, 0 if it is none: the first member counts (A1, A2).
func parseAge(value []byte) time.Duration {
	for len(value) > 0 {
		var m []byte
		if m, value, _ = cutMember(value); len(m) > 0 {
			age, _ := parseSeconds(m)
			return age
		}
	}
	return 0
}

// ageOnArrival returns how old an answer was when it was received (A4; RFC 9111, 4.2.3).
// Date names a whole second and not the instant that it begins with, so a part of a
// second that has passed since is no age.
func ageOnArrival(a *Answer, age []byte, date time.Time) time.Duration {
	apparent := a.Received.Sub(date).Truncate(time.Second)
	corrected := parseAge(age) + max(a.Received.Sub(a.Sent), 0)
	return saturated(max(apparent, corrected, 0))
}

// mostAhead is how long after the time of an exchange an answer may have been received that
// it is given: it may have waited for that.
const mostAhead = time.Hour

// AgeAt returns how old the answer is, never less than when it was received. Of one that was
// received long after now nothing is known but that one of the clocks was wrong: it may have
// been kept on a disk for longer than there is time.
func (s *Stored) AgeAt(now time.Time) time.Duration {
	resident := now.Sub(s.Fresh.Received)
	if resident < -mostAhead {
		return longest
	}
	return saturated(s.Fresh.Age + saturated(max(resident, 0)))
}

// TTLAt returns for how long the answer is still fresh. It is fresh while that is more
// than 0; less than 0 is for how long it has been stale (F3).
func (s *Stored) TTLAt(now time.Time) time.Duration {
	ttl := s.Fresh.Lifetime - s.AgeAt(now)
	if s.Fresh.Expired {
		ttl = min(ttl, 0)
	}
	return ttl
}

// Expire returns the answer as one that is stale, whatever its age: what a soft purge
// makes of it. How long it may be used stale counts from when it would have expired.
func (s *Stored) Expire() *Stored {
	expired := *s
	expired.Fresh.Expired = true
	return &expired
}

// AppendAge appends the value of an Age field, in whole seconds (A5).
func AppendAge(dst []byte, age time.Duration) []byte {
	return strconv.AppendInt(dst, int64(saturated(max(age, 0))/time.Second), 10)
}
