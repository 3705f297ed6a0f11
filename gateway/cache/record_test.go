package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// TestRecordsAreReadBack, all of them: what is read is written the same again, and used
// like what was written.
func TestRecordsAreReadBack(t *testing.T) {
	p := policies()["conformance"]
	r := request(t, "Range: bytes=0-4 / Tier: gold, 1")
	a := answer(t, "206 Content-Range: bytes 0-4/10 / ETag: \"v1\" / Last-Modified: D(-9) / Vary: Tier, Other / Surrogate-Key: a b / "+
		"Cache-Control: max-age=60, public, stale-while-revalidate=5, stale-if-error=6")
	a.Length, a.Reason = 5, []byte{}
	for name, s := range map[string]*Stored{
		"a part":         stored(t, p, r, a),
		"a loose part":   stored(t, p, r, partOf(t, "Content-Range: bytes 0-5/*", 5)),
		"a whole":        stored(t, p, request(t, ""), answer(t, "Cache-Control: no-cache / ETag: \"v1\"")),
		"a stale one":    stored(t, p, request(t, ""), answer(t, "404 Cache-Control: max-age=9").later(0.123456789)).Expire(),
		"one of codings": stored(t, offering(all...), request(t, ""), long(t, "Content-Type: text/html / ETag: \"v1\" / Cache-Control: max-age=60")),
		"of all time":    stored(t, p, request(t, ""), answer(t, "Date: Sat, 01 Jan 0000 00:00:00 GMT / Last-Modified: Fri, 31 Dec 9999 23:59:59 GMT")),
		"one made here":  madeOf(t, p, "Cache-Control: max-age=9 / ETag: \"v1\" / X-Secret: s", "Cache-Control: max-age=9"),
		"in slices":      sliced(t),
		"a template":     stored(t, p, request(t, ""), answer(t, "Surrogate-Control: content=\"ESI/1.0 x\", max-age=60")),
		"one that never": {Status: 200, Length: -1, Vary: Vary{Never: true}},
	} {
		record := s.AppendRecord(nil)
		read, err := ReadRecord(record)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(read.AppendRecord(nil), record) || !bytes.Equal(read.AppendHead(nil), s.AppendHead(nil)) {
			t.Errorf("%s: %+v is read as %+v", name, s, read)
		}
		if read.Fits(r, p) != s.Fits(r, p) || p.Use(read, r, at(1)) != p.Use(s, r, at(1)) || !read.SameVariant(s) {
			t.Errorf("%s is used in another way", name)
		}
		for n := range record {
			if _, err := ReadRecord(record[:n]); !errors.Is(err, ErrRecord) {
				t.Fatalf("%s: %d of %d bytes: %v", name, n, len(record), err)
			}
		}
		if _, err := ReadRecord(append(record, 0)); err == nil {
			t.Errorf("%s is read with a byte too many", name)
		}
	}
}

// TestRecordsOfAnotherVersionAreNone, nor is one in which a string is not there: it would be
// written in another way than it was read.
func TestRecordsOfAnotherVersionAreNone(t *testing.T) {
	s := stored(t, policies()[""], request(t, "Tier: a"), answer(t, "Surrogate-Control: content=A, max-age=60 / Vary: Tier / Surrogate-Key: tag, b"))
	record := s.AppendRecord(nil)
	for version := range byte(recordVersion) {
		record[0] = version
		if _, err := ReadRecord(record); !errors.Is(err, ErrRecord) {
			t.Errorf("version %d: %v", version, err)
		}
	}
	record[0] = recordVersion
	for _, text := range []string{"A", "tier", "tag"} {
		there := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
		without := bytes.Replace(record, there, binary.LittleEndian.AppendUint64(nil, 1<<64-1), 1)
		if _, err := ReadRecord(without); len(without) == len(record) || !errors.Is(err, ErrRecord) {
			t.Errorf("a record without %q: %v", text, err)
		}
	}
}

// FuzzRecord: any bytes are refused, or are a record that is written the same again and
// whose head has the fields and no other line.
func FuzzRecord(f *testing.F) {
	p := policies()["conformance"]
	r := request(f, "Range: bytes=0-4 / Tier: gold")
	a := answer(f, "206 Content-Range: bytes 0-4/10 / ETag: \"v1\" / Vary: Tier / Surrogate-Key: a / Cache-Control: max-age=60")
	a.Length = 5
	f.Add(stored(f, p, r, a).AppendRecord(nil))
	f.Add(stored(f, p, request(f, ""), answer(f, "ETag: \"v1\"")).AppendRecord(nil))
	f.Add(stored(f, offering(all...), request(f, ""), long(f, "Content-Type: text/html / Cache-Control: max-age=60")).AppendRecord(nil))
	f.Add(stored(f, p, request(f, ""), answer(f, "Surrogate-Control: content=\"ESI/1.0\", max-age=60")).AppendRecord(nil))
	f.Add(sliced(f).AppendRecord(nil))
	f.Add([]byte{recordVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReadRecord(b)
		if err != nil {
			return
		}
		if again := s.AppendRecord(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x is written as %x", b, again)
		}
		checkBounds(t, s, at(60))
		checkReply(t, s, r)
		p.Use(s, r, at(60))
	})
}
