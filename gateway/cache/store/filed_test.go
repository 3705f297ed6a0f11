package store

import (
	"bytes"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"
)

// untilFiled collects garbage until the file of a cache has so many bytes.
func untilFiled(t *testing.T, c *Cache, n int64) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); c.file().Held() != n; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("the file has %d bytes, want %d", c.file().Held(), n)
		}
		runtime.GC()
	}
}

// A reader that came while the body was filled has all of it, whether it stands in a piece or
// waits for one when the body goes into the file.
func TestReadersGoOnInTheFile(t *testing.T) {
	for _, known := range []bool{true, false} {
		for _, first := range []int{0, 1, 30_000, 199_999, 200_000} {
			bubble(t, func(t *testing.T) {
				c, body, s := filedCache(t, 8<<20, 1<<20), noise(3, 200_000), answer(-1)
				if known {
					s.Length = int64(len(body))
				}
				fill := c.Alone(key("/a")).Store(s, nil)
				r := fill.Entry().Body().Reader(0, -1)
				defer r.Close()
				fill.Write(body[:first])
				var got []byte
				if first > 0 && !(known && first == len(body)) { // the last bytes come with the end
					p, err := r.Next(patient{})
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, p...)
				}
				go func() {
					time.Sleep(time.Second)
					fill.Write(body[first:])
					fill.Done()
					if c.Filed(fill.Entry()) == nil {
						t.Error("it is not in the file")
					}
				}()
				for {
					p, err := r.Next(patient{})
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatalf("after %d bytes: %v", len(got), err)
					}
					if got = append(got, p...); len(got) > 150_000 {
						time.Sleep(2 * time.Second) // the body is in the file by now
					}
				}
				same(t, "all", got, body)
			})
		}
	}
}

// What has left the cache is let go, but for what somebody still has.
func TestFiledBodiesAreLetGo(t *testing.T) {
	c, body := filedCache(t, 1<<20, 1<<20), noise(4, 100_000)
	held := put(t, c, key("/held"), answer(100_000), body)
	c.Filed(held)
	for i := range 50 {
		c.Filed(put(t, c, key("/"+string(rune('a'+i))), answer(100_000), noise(uint64(i), 100_000)))
	}
	if c.Filed(put(t, c, key("/short"), answer(leastFiled-1), noise(1, leastFiled-1))) != nil {
		t.Error("a short one is in the file")
	}
	if find(c, key("/held"), plain) != nil {
		t.Fatal("it has not left the cache")
	}
	c.Purge(&Selector{}, Hard, false)
	untilFiled(t, c, 25*4096)
	got, err := read(held.Body(), 0, -1)
	if err != nil || !bytes.Equal(got, body) {
		t.Errorf("what is held: %d other bytes, %v", len(got), err)
	}
	runtime.KeepAlive(held)
	held = nil
	untilFiled(t, c, 0)
}

// Whatever way bodies leave the cache, the file learns of it: it does not wait for a collection
// that the heap has use for.
func TestTheFileLearnsOfWhatLeaves(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	body := noise(6, 1<<20)
	for name, leave := range map[string]func(c *Cache, e *Entry){
		"evicted":  func(*Cache, *Entry) {},
		"replaced": func(c *Cache, e *Entry) { put(t, c, e.Key(), answer(0), nil) },
		"removed":  func(c *Cache, e *Entry) { c.Remove(e) },
		"purged":   func(c *Cache, e *Entry) { c.Purge(&Selector{}, Hard, false) },
		"resized":  func(c *Cache, e *Entry) { c.Resize(Options{}); c.Resize(Options{Memory: 4 << 20, MaxObject: 1 << 20}) },
	} {
		c := filedCache(t, 4<<20, 1<<20)
		for i := range 200 {
			e := put(t, c, key("/"+strconv.Itoa(i)), answer(1<<20), body)
			c.Filed(e)
			leave(c, e)
			if held := c.file().Held(); held > 96<<20 {
				t.Errorf("%s: the file has %d bytes", name, held)
				break
			}
		}
	}
}

// The budget counts what is in the file: its pages are what bodies on the heap would take.
func TestFiledBodiesAreCounted(t *testing.T) {
	c := filedCache(t, 64<<20, 4<<20)
	for i, size := range []int{leastFiled - 1, leastFiled, leastFiled + 1, 100_000, 1 << 20, 3<<20 + 7} {
		before := c.Stats().Bytes
		e := put(t, c, key("/"+string(rune('a'+i))), answer(-1), noise(uint64(i), size))
		c.Filed(e)
		if more := c.Stats().Bytes - before; more < int64(size) || more > int64(size)*9/8+4096 || e.Bytes() != more {
			t.Errorf("%d bytes count as %d, the entry as %d", size, more, e.Bytes())
		}
	}
	if filed := c.file().Held(); filed > c.Stats().Bytes {
		t.Errorf("the file has %d bytes, %d are counted", filed, c.Stats().Bytes)
	}
}

// Budget: reading from the file costs no allocation.
func TestFiledReadAllocs(t *testing.T) {
	c := filedCache(t, 8<<20, 1<<20)
	e := put(t, c, key("/a"), answer(-1), noise(5, 200_000))
	b := e.Body()
	c.Filed(e)
	if n := testing.AllocsPerRun(100, func() {
		r := b.Reader(10, -1)
		for {
			if _, err := r.Next(patient{}); err != nil {
				break
			}
		}
		r.Close()
	}); n >= 1 {
		t.Errorf("reading allocates %v times, want 0", n)
	}
}
