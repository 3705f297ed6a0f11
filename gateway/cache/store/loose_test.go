package store

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// passing is a stream that is written for one reader.
func passing(t *testing.T, max int64, length int64, size int) *stream {
	c := newCache(0, max) // there is no room for anything that is counted
	return &stream{t: t, c: c, fill: c.Passing(key("/a"), answer(length)), body: noise(3, size), err: make(chan error, 1)}
}

// What is for one reader does not wait for him, unless it is longer than what may be held.
func TestPassingIsHeld(t *testing.T) {
	for _, tt := range []struct {
		name   string
		length int64
		size   int
		held   bool
	}{
		{"nothing", -1, 0, true},
		{"short, length known", 20_000, 20_000, true},
		{"long, length known", 900_000, 900_000, true},
		{"length not known", -1, 900_000, true},
		{"all that may be", -1, 1 << 20, true},
		{"longer than may be", -1, 3 << 20, false},
		{"longer than may be, length known", 3 << 20, 3 << 20, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := passing(t, 1<<20, tt.length, tt.size)
				s.write()
				if _, all := s.fill.Entry().Body().Size(); all != tt.held || s.fill.Entry().Stored().Length != tt.length {
					t.Fatalf("it is here before anybody reads: %v, want %v", all, tt.held)
				}
				time.Sleep(25 * time.Second) // as long as the page has something else to send
				s.reader(0).finish()
				if err := <-s.err; err != nil {
					t.Errorf("writing ended with %v", err)
				}
				if st := s.c.Stats(); st.Bytes+st.Rejected != 0 || st.Filling+st.Marks+st.Objects != 0 || s.fill.taken > 5<<18 {
					t.Errorf("%+v, and %d bytes are held; want nothing, and no more than may be", st, s.fill.taken)
				}
			})
		})
	}
}

// Nothing goes on for nobody.
func TestPassingEndsWithItsReader(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(s *stream)
	}{
		{"who does not come", func(s *stream) { s.fill.Entry().Body().Decline(); s.write() }},
		{"who goes", func(s *stream) {
			r := s.reader(0)
			r.r.Close()
			s.write()
		}},
		{"who is not seen for long", func(s *stream) {
			s.write()
			time.Sleep(stallAfter + time.Second)
			synctest.Wait()
		}},
		{"who takes nothing for long", func(s *stream) {
			r := s.reader(0)
			s.write()
			time.Sleep(stallAfter + time.Second)
			synctest.Wait()
			if r.next(); r.ended != ErrCut {
				s.t.Errorf("he reads on: %v", r.ended)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := passing(t, 1<<20, -1, 3<<20)
				tt.do(s)
				if err := <-s.err; err != ErrUnwanted {
					t.Errorf("writing ended with %v, want %v", err, ErrUnwanted)
				}
				if _, err := read(s.fill.Entry().Body(), 0, -1); err != ErrCut && err != ErrPast {
					t.Errorf("who comes later reads to %v", err)
				}
			})
		})
	}
}

// What was read and is held can be read again.
func TestPassingIsReadTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := passing(t, 1<<20, -1, 500_000)
		s.write()
		for range 2 {
			if got, err := read(s.fill.Entry().Body(), 0, -1); err != nil || !bytes.Equal(got, s.body) {
				t.Errorf("%d bytes are read, %v", len(got), err)
			}
		}
	})
}
