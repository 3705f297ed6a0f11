package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway/cache"
)

// pattern is bytes of which no two stretches are alike; bodies are cut out of it, each
// where its nonce says.
var pattern = noise(99, 65521)

// patterned is the bytes from at on, n at most, of the body with a nonce.
func patterned(nonce uint64, at int64, n int) []byte {
	from := int((nonce*7919 + uint64(at)) % uint64(len(pattern)))
	return pattern[from:min(from+n, len(pattern))]
}

// isPatterned reports whether p is the body with a nonce, from at on.
func isPatterned(nonce uint64, at int64, p []byte) bool {
	for len(p) > 0 {
		want := patterned(nonce, at, len(p))
		if !bytes.Equal(p[:len(want)], want) {
			return false
		}
		p, at = p[len(want):], at+int64(len(want))
	}
	return true
}

// hammer is one run: answers of some targets, each with a nonce in its head.
type hammer struct {
	t       *testing.T
	c       *Cache
	nonce   atomic.Uint64
	targets int
	longest int

	wrong, hits, waited, ranges, coded, made, cut atomic.Int64
}

func (h *hammer) key(r *rand.Rand) *Key {
	return &Key{Site: "shop", Secure: r.IntN(2) == 0, Target: fmt.Appendf(nil, "/%d", min(r.IntN(h.targets), r.IntN(h.targets)))}
}

// ask is one request as a gateway makes it.
func (h *hammer) ask(r *rand.Rand) {
	k, req := h.key(r), with("tier", []string{"gold", "iron"}[r.IntN(2)])
	if f := h.c.Lookup(k, req, policy); f.Entry != nil {
		h.hits.Add(1)
		h.read(r, f.Entry)
		return
	}
	f, leads := h.c.Fetch(k, req, policy)
	for !leads {
		e, o := f.Wait(h, time.Minute)
		switch o {
		case Answered:
			h.waited.Add(1)
			h.read(r, e)
			return
		case Leads:
			leads = true
		default:
			return
		}
	}
	h.lead(r, f, req)
}

func (h *hammer) Gone() bool { return rand.IntN(4) == 0 }

func (h *hammer) lead(r *rand.Rand, f *Flight, req *cache.Request) {
	switch r.IntN(16) {
	case 0:
		f.Fail()
		return
	case 1:
		f.Pass(time.Duration(r.IntN(2))*time.Millisecond, 0)
		return
	case 2:
		f.Leave()
		return
	}
	runtime.Gosched() // so that others come
	nonce := h.nonce.Add(1)
	length := r.IntN(h.longest)
	s := varied(req, "tier")
	s.Tags = []string{fmt.Sprint("t", r.IntN(4))}
	if r.IntN(2) == 0 {
		s.Length = int64(length)
	}
	fill := f.Store(s, binary.BigEndian.AppendUint64(nil, nonce))
	if fill == nil {
		return
	}
	var client sync.WaitGroup
	if r.IntN(2) == 0 {
		fill.Unread()
	} else {
		client.Go(func() { h.read(rand.New(rand.NewPCG(nonce, 1)), fill.Entry()) })
	}
	h.fill(r, fill, nonce, length)
	client.Wait()
}

func (h *hammer) fill(r *rand.Rand, fill *Fill, nonce uint64, length int) {
	cut := r.IntN(8) == 0
	for at := 0; at < length; {
		p := patterned(nonce, int64(at), min(1+r.IntN(8<<10), length-at))
		if fill.Write(p) != nil {
			return // nobody wants it
		}
		at += len(p)
		runtime.Gosched()
		if cut && r.IntN(4) == 0 {
			fill.Fail()
			return
		}
	}
	fill.Done()
}

// read reads all of an entry, or a range, and now and then goes away in the middle.
func (h *hammer) read(r *rand.Rand, e *Entry) {
	nonce := binary.BigEndian.Uint64(e.Head())
	h.code(r, e)
	h.make(r, e)
	if r.IntN(2) == 0 {
		h.c.Filed(e)
	}
	if whole := e.Body().Whole(); whole != nil && r.IntN(2) == 0 {
		h.compare(nonce, 0, whole)
		return
	}
	from, to := int64(0), int64(-1)
	if r.IntN(2) == 0 {
		h.ranges.Add(1)
		from = int64(r.IntN(h.longest / 2))
		to = from + int64(r.IntN(h.longest/2))
	}
	rd := e.Body().Reader(from, to)
	defer rd.Close()
	for at := from; ; {
		p, err := rd.Next(h)
		if err != nil {
			h.ended(err)
			return
		}
		h.compare(nonce, at, p)
		if at += int64(len(p)); to >= 0 && at > to {
			h.t.Errorf("%d bytes past the end of a range", at-to)
		}
		if r.IntN(64) == 0 {
			return
		}
	}
}

// code encodes what is there now and then, and looks at what is there in a coding: that is the
// body backwards, so to speak, with the head of the entry.
func (h *hammer) code(r *rand.Rand, e *Entry) {
	as := codings[r.IntN(len(codings))]
	if d := e.Coded(as); d != nil {
		h.coded.Add(1)
		whole := slices.Clone(d.Body())
		slices.Reverse(whole)
		h.compare(binary.BigEndian.Uint64(e.Head()), 0, whole)
		if d.stored != e.Stored() {
			h.t.Error("the head in a coding is that of another answer")
		}
		return
	}
	whole := e.Body().Whole()
	if whole == nil || !h.c.Encodes(e, as) {
		return
	}
	var body []byte
	if r.IntN(8) > 0 {
		body = slices.Clone(whole)
		slices.Reverse(body)
	}
	h.c.KeepCoded(e, as, body)
}

// make makes something of a body now and then, and looks at what is there: it is of this body.
func (h *hammer) make(r *rand.Rand, e *Entry) {
	nonce := binary.BigEndian.Uint64(e.Head())
	if what := e.Made(); what != nil {
		h.made.Add(1)
		if what != nonce {
			h.t.Errorf("%v is made of %d", what, nonce)
		}
		return
	}
	if r.IntN(4) == 0 {
		h.c.KeepMade(e, nonce, int64(r.IntN(32<<10)))
	}
}

func (h *hammer) ended(err error) {
	switch err {
	case io.EOF, ErrGone:
	case ErrCut, ErrPast:
		h.cut.Add(1)
	default:
		h.t.Errorf("Next: %v", err)
	}
}

func (h *hammer) compare(nonce uint64, at int64, p []byte) {
	if !isPatterned(nonce, at, p) {
		h.wrong.Add(1)
	}
}

// disturb purges, invalidates, updates and changes sizes.
func (h *hammer) disturb(r *rand.Rand) {
	switch r.IntN(8) {
	case 0:
		sel, _ := ParseSelector(fmt.Sprint("tag:t", r.IntN(4)), false, nil)
		h.c.Purge(sel, How(r.IntN(2)), false)
	case 1:
		sel, _ := ParseSelector(fmt.Sprintf("path:/%d*", r.IntN(10)), false, nil)
		h.c.Purge(sel, How(r.IntN(2)), r.IntN(2) == 0)
	case 2:
		k := h.key(r)
		h.c.InvalidateTarget(k.Site, k.Secure, k.Target)
	case 3:
		for _, e := range h.c.List(&Selector{}, Order(r.IntN(3)), 5) {
			s := *e.Stored()
			s.Tags = append([]string{"updated"}, s.Tags...)
			h.c.Alone(e.Key()).Update(e, &s, e.Head())
			h.c.Update(e, &s, e.Head())
		}
	case 4:
		balanced(h.t, h.c)
	case 5:
		runtime.GC() // lets go what is in the file for nobody
		h.c.Resize(Options{Memory: 256<<10 + r.Int64N(2<<20), MaxObject: 64<<10 + r.Int64N(64<<10)})
	}
}

// Fills, readers of ranges, purges, invalidations, updates, evictions and changes of
// size, all at once: not one byte is another body's, and no more is used than may be.
func TestHammer(t *testing.T) {
	t.Run("on the heap", func(t *testing.T) { hammerOn(t, newCache(2<<20, 96<<10)) })
	t.Run("in a file", func(t *testing.T) { hammerOn(t, filedCache(t, 2<<20, 96<<10)) })
}

func hammerOn(t *testing.T, c *Cache) {
	processors := runtime.GOMAXPROCS(0)
	workers := max(8, 2*processors)
	runtime.GOMAXPROCS(max(1, processors/2))
	defer runtime.GOMAXPROCS(processors)
	h := &hammer{t: t, c: c, targets: 12, longest: 128 << 10}
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(7, uint64(i)))
			for n := range 600 {
				h.ask(r)
				if n%16 == 0 {
					h.disturb(r)
				}
			}
		})
	}
	all.Wait()
	if n := h.wrong.Load(); n != 0 {
		t.Errorf("%d wrong pieces", n)
	}
	h.c.Resize(Options{Memory: 2 << 20, MaxObject: 128 << 10})
	balanced(t, h.c)
	for what, n := range map[string]*atomic.Int64{"hits": &h.hits, "waits": &h.waited, "ranges": &h.ranges, "bodies in codings": &h.coded, "things made of bodies": &h.made} {
		if n.Load() == 0 {
			t.Errorf("there were no %s", what)
		}
	}
	t.Logf("%d hits, %d waited, %d ranges, %d cut; %+v", h.hits.Load(), h.waited.Load(), h.ranges.Load(), h.cut.Load(), h.c.Stats())
	if st := h.c.Stats(); st.Flights != 0 || st.Filling != 0 {
		t.Errorf("in the end there are %d flights and %d fills", st.Flights, st.Filling)
	}
}
