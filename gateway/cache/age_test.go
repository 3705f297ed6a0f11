package cache

import (
	"testing"
	"time"
)

func TestAgeIsWritten(t *testing.T) {
	p := policies()[""]
	for _, tt := range []struct {
		id, answer string
		after      float64
		want       string
	}{
		{"A5", "Cache-Control: max-age=600", 7, "7"},
		{"A5", "Cache-Control: max-age=600 / Age: 30", 7, "37"},
		{"A5", "Expires: D(600) / Age: 30", 7, "37"},
		{"A5 floored once", "Cache-Control: max-age=600 / Age: 30", 7.999, "37"},
		{"A4", "Cache-Control: max-age=600 / Date: D(-60) / Age: 30", 7, "67"},
		{"A4 a fast clock", "Cache-Control: max-age=600 / Date: D(60) / Age: 30", 7, "37"},
		{"a clock set back", "Cache-Control: max-age=600", -60, "0"},
		{"a clock set right, that nothing is known by", "Cache-Control: max-age=600 / Age: 30", -3601, "2147483648"},
		{"no end of it", "Cache-Control: max-age=600", 9e9, "2147483648"},
	} {
		s := stored(t, p, request(t, ""), answer(t, tt.answer))
		if got := string(AppendAge(nil, s.AgeAt(at(tt.after)))); got != tt.want {
			t.Errorf("%s: %q after %v s: %q, want %s", tt.id, tt.answer, tt.after, got, tt.want)
		}
	}
}

// TestAgeCountsFromTheRequest: what the answer took to come is part of its age (A4), to
// the millisecond. What Date lacks of a second is not.
func TestAgeCountsFromTheRequest(t *testing.T) {
	p := policies()[""]
	for _, tt := range []struct {
		answer         string
		sent, received float64
		want           time.Duration
	}{
		{"Date: D(0)", 0, 0.9, 900 * time.Millisecond},
		{"Date: D(0)", 0.9, 0.9, 0},
		{"Date: D(0)", 1.9, 1.9, time.Second},
		{"Date: D(0) / Age: 5", 0.25, 0.5, 5250 * time.Millisecond},
		{"Date: D(-9) / Age: 5", 0, 0.5, 9 * time.Second},
		{"Date: D(0)", 0.5, 0.25, 0},
	} {
		a := answer(t, tt.answer+" / Cache-Control: max-age=60")
		a.Sent, a.Received = at(tt.sent), at(tt.received)
		s := stored(t, p, request(t, ""), a)
		if got := s.AgeAt(a.Received); got != tt.want {
			t.Errorf("%q sent at %v and received at %v: %v, want %v", tt.answer, tt.sent, tt.received, got, tt.want)
		}
	}
}

func TestTTL(t *testing.T) {
	p := policies()[""]
	s := stored(t, p, request(t, ""), answer(t, "Cache-Control: max-age=60 / Age: 10"))
	for _, tt := range []struct {
		s     *Stored
		after float64
		want  time.Duration
	}{
		{s, 0, 50 * time.Second},
		{s, 50, 0},
		{s, 50.5, -500 * time.Millisecond},
		{s.Expire(), 0, 0},
		{s.Expire(), 60, -10 * time.Second},
	} {
		if got := tt.s.TTLAt(at(tt.after)); got != tt.want {
			t.Errorf("after %v s, expired %v: %v, want %v", tt.after, tt.s.Fresh.Expired, got, tt.want)
		}
	}
	if s.Fresh.Expired {
		t.Error("Expire has changed what it was given")
	}
}
