package store

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// stream is a body of unknown length that is being written, and those who read it.
type stream struct {
	t    *testing.T
	c    *Cache
	fill *Fill
	body []byte
	err  chan error // of the writer
}

func newStream(t *testing.T, c *Cache, size int) *stream {
	fill := lead(t, c, key("/a"), plain).Store(answer(-1), nil)
	return &stream{t: t, c: c, fill: fill, body: noise(3, size), err: make(chan error, 1)}
}

// write writes all of the body at once, in the background, and ends it.
func (s *stream) write() {
	go func() {
		for at := 0; at < len(s.body); at += 10_000 {
			if err := s.fill.Write(s.body[at:min(at+10_000, len(s.body))]); err != nil {
				s.err <- err
				return
			}
		}
		s.fill.Done()
		s.err <- nil
	}()
	synctest.Wait()
}

// reading is one who reads the stream, a piece whenever it is told to.
type reading struct {
	s     *stream
	r     Reader
	got   []byte
	from  int64
	ended error
}

func (s *stream) reader(from int64) *reading {
	return &reading{s: s, r: s.fill.Entry().Body().Reader(from, -1), from: from}
}

func (r *reading) next() { r.nextFor(patient{}) }

func (r *reading) nextFor(w Waiter) {
	p, err := r.r.Next(w)
	r.got = append(r.got, p...)
	r.ended = err
}

// hasty goes at the first look.
type hasty struct{}

func (hasty) Gone() bool { return true }

// all reads what can be had without waiting for another reader.
func (r *reading) all() {
	for r.ended == nil {
		r.nextFor(hasty{})
	}
	if r.ended == ErrGone {
		r.ended = nil
	}
}

// finish reads to the end, compares and closes.
func (r *reading) finish() {
	for r.ended == nil {
		r.next()
	}
	if r.ended != io.EOF {
		r.s.t.Errorf("reading ended with %v", r.ended)
	}
	same(r.s.t, "read", r.got, r.s.body[r.from:])
	r.r.Close()
}

// A body that turns out too long leaves the index; those who read it get all of it, and
// no more of it is held than they are apart, however slow one of them is.
func TestTooLongBodiesAreReadToTheEnd(t *testing.T) {
	for _, tt := range []struct {
		name            string
		memory, longest int64
		room            int64 // bytes that may be held
	}{
		{"longer than MaxObject", 64 << 20, 1 << 20, 5 << 18},
		{"longer than a MaxObject that is very small", 64 << 20, 10, leastRoom},
		{"longer than memory", 300 << 10, 64 << 20, 300 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newCache(tt.memory, tt.longest)
				s := newStream(t, c, 3<<20)
				quick, slow, late := s.reader(0), s.reader(0), s.reader(2<<20)
				s.write()
				slow.next()
				quick.all()
				if int64(len(quick.got)) > tt.room+int64(len(slow.got)) {
					t.Errorf("the quick one has %d bytes, and the slow one is at %d", len(quick.got), len(slow.got))
				}
				if f := c.Lookup(key("/a"), plain, policy); f.Entry != nil || !f.Passing {
					t.Errorf("found: %+v, want nothing, and that nobody waits", f)
				}
				if held := c.Stats().Bytes; held > tt.room+10<<10 {
					t.Errorf("%d bytes are held", held)
				}
				for _, r := range []*reading{slow, quick, late} {
					go r.finish()
				}
				if err := <-s.err; err != nil {
					t.Errorf("writing ended with %v", err)
				}
				synctest.Wait()
				if st := c.Stats(); st.Filling != 0 || st.Objects != 0 || st.Marks != 1 || st.Rejected != 1 {
					t.Errorf("in the end: %+v, want the mark alone", st)
				}
				balanced(t, c)
			})
		})
	}
}

// With nobody to read it, a body that is too long need not be fetched.
func TestTooLongBodiesEndWithTheirReaders(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCache(64<<20, 1<<20)
		s := newStream(t, c, 3<<20)
		r := s.reader(0)
		s.write()
		r.next()
		r.r.Close()
		if err := <-s.err; err != ErrUnwanted {
			t.Errorf("writing ended with %v, want %v", err, ErrUnwanted)
		}
		if _, err := read(s.fill.Entry().Body(), 0, -1); !errors.Is(err, ErrCut) && !errors.Is(err, ErrPast) {
			t.Errorf("who comes later reads to %v", err)
		}
		balanced(t, c)
	})
}

// Who takes nothing for half a minute is left behind; the others go on.
func TestStalledReadersAreLeftBehind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCache(64<<20, 1<<20)
		s := newStream(t, c, 3<<20)
		quick, stalled := s.reader(0), s.reader(0)
		began := time.Now()
		s.write()
		stalled.next()
		quick.finish()
		if err := <-s.err; err != nil {
			t.Errorf("writing ended with %v", err)
		}
		if took := time.Since(began); took != stallAfter {
			t.Errorf("it took %v, want %v", took, stallAfter)
		}
		for stalled.ended == nil {
			stalled.next()
		}
		if stalled.ended != ErrCut {
			t.Errorf("the stalled one ended with %v, want %v", stalled.ended, ErrCut)
		}
		same(t, "what it has", stalled.got, s.body[:len(stalled.got)])
	})
}

// Who comes when the beginning is gone is told so, before it has sent anything.
func TestLateReadersOfALongBody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCache(64<<20, 100<<10)
		s := newStream(t, c, 3<<20)
		first := s.reader(0)
		s.write()
		for range 30 {
			first.next()
		}
		late := s.reader(0)
		if late.next(); late.ended != ErrPast {
			t.Errorf("the late one gets %v, want %v", late.ended, ErrPast)
		}
		inTime := s.reader(2 << 20)
		go inTime.finish()
		first.finish()
		<-s.err
	})
}

// Whoever has been given the entry may take a moment before it reads: nothing is
// dropped meanwhile. Who does not come is not waited for much longer.
func TestReadersAreAwaited(t *testing.T) {
	for _, comes := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			c := newCache(64<<20, 10)
			f := lead(t, c, key("/a"), plain)
			w := join(t, c, key("/a"))
			s := &stream{t: t, c: c, fill: f.Store(answer(-1), nil), body: noise(3, 1<<20), err: make(chan error, 1)}
			s.fill.Unread()
			s.write()
			time.Sleep(comeWithin - 1)
			want := ErrUnwanted
			if expect(t, "the head has come", "answered", w); comes {
				s.reader(0).finish()
				want = nil
			}
			if err := <-s.err; err != want {
				t.Errorf("the reader comes %v: writing ended with %v", comes, err)
			}
		})
	}
}

// Who says that it is not going to read keeps nobody waiting.
func TestNobodyAwaitsWhoDeclines(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCache(64<<20, 10)
		f := lead(t, c, key("/a"), plain)
		w := join(t, c, key("/a"))
		s := &stream{t: t, c: c, fill: f.Store(answer(-1), nil), body: noise(3, 1<<20), err: make(chan error, 1)}
		first, began := s.reader(0), time.Now()
		s.write()
		go first.finish()
		synctest.Wait() // it has all that there is, and the writer waits
		expect(t, "the head has come", "answered", w)
		w.entry.Body().Decline()
		if err, took := <-s.err, time.Since(began); err != nil || took != 0 {
			t.Errorf("writing ended with %v after %v", err, took)
		}
	})
}

// A leader without a client takes nobody else's place.
func TestUnreadCountsTheLeaderAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCache(64<<20, 10)
		s := newStream(t, c, 1<<20)
		r := s.reader(0)
		s.fill.Unread()
		s.write()
		r.finish()
		if err := <-s.err; err != nil {
			t.Errorf("writing ended with %v", err)
		}
	})
}

// Who has all of a body whose length is known takes it for complete: so nobody has it before
// it is, and of one that is not, nobody ever has.
func TestLastBytesComeWithTheEnd(t *testing.T) {
	for _, tt := range []struct {
		length int64
		end    func(f *Fill)
		before string
		got    string
		err    error
	}{
		{6, (*Fill).Done, "abc", "abcdef", nil},
		{6, (*Fill).Fail, "abc", "abc", ErrCut},
		{-1, (*Fill).Done, "abcdef", "abcdef", nil},
		{-1, (*Fill).Fail, "abcdef", "abcdef", ErrCut},
	} {
		fill := newCache(1<<20, 1<<20).Alone(key("/a")).Store(answer(tt.length), nil)
		fill.Write([]byte("abc"))
		fill.Write([]byte("def"))
		if n, all := fill.Entry().Body().Size(); n != int64(len(tt.before)) || all {
			t.Errorf("of %d bytes %d are seen before the end, and all are: %v", tt.length, n, all)
		}
		tt.end(fill)
		if got, err := read(fill.Entry().Body(), 0, -1); string(got) != tt.got || err != tt.err {
			t.Errorf("of %d bytes %q are read, %v; want %q, %v", tt.length, got, err, tt.got, tt.err)
		}
	}
}

// G5: what broke off is not kept; readers get what there is, and know that it is not all.
func TestCutBodiesAreNotKept(t *testing.T) {
	for _, tt := range []struct {
		name   string
		length int64
		end    func(f *Fill)
	}{
		{"failed", -1, func(f *Fill) { f.Fail() }},
		{"shorter than it says", 10, func(f *Fill) { f.Done() }},
		{"longer than it says", 3, func(f *Fill) {
			if err := f.Write([]byte("d")); err != ErrLong {
				t.Errorf("writing too much: %v, want %v", err, ErrLong)
			}
		}},
		{"longer than nothing", 0, func(f *Fill) { f.Done() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, k := newCache(1<<20, 1<<20), key("/a")
				fill := lead(t, c, k, plain).Store(answer(tt.length), nil)
				fill.Write([]byte("abc"))
				e := fill.Entry()
				var got []byte
				var err error
				go func() { got, err = read(e.Body(), 0, -1) }()
				synctest.Wait()
				tt.end(fill)
				synctest.Wait()
				if err != ErrCut {
					t.Errorf("reading ended with %v after %q", err, got)
				}
				if find(c, k, plain) != nil {
					t.Error("it is found")
				}
				if st := c.Stats(); st.Bytes != 0 || st.Filling != 0 {
					t.Errorf("%+v, want nothing", st)
				}
			})
		})
	}
}
