package cache

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"weirkeep/gateway/wire"
)

// ErrRecord means bytes that are no record of a stored answer, or one of another version.
var ErrRecord = errors.New("not a record of a stored answer")

// recordVersion is the first byte of every record. It changes with what is in one.
const recordVersion = 4

// AppendRecord appends all of s as bytes, to be kept where memory does not last.
func (s *Stored) AppendRecord(dst []byte) []byte {
	w := recordWriter{append(dst, recordVersion)}
	w.number(int64(s.Status))
	w.bytes(s.Reason)
	w.fields(s.Fields)
	w.fields(s.Source)
	w.number(s.Length, s.Part.First, s.Part.Size)
	w.bytes(s.Part.Asked)
	w.slices(s.Slices)
	w.time(s.Date, s.Modified, s.Fresh.Received)
	w.bytes(s.ETag)
	w.text(s.Content)
	w.vary(&s.Vary)
	w.number(int64(len(s.Tags)))
	for _, t := range s.Tags {
		w.text(t)
	}
	w.number(int64(len(s.Codings)))
	for _, c := range s.Codings {
		w.b = append(w.b, byte(c))
	}
	f := &s.Fresh
	w.number(int64(f.Age), int64(f.Lifetime), int64(f.WhileRevalidate), int64(f.IfError))
	w.flags(f.Stated, f.Validate, f.Strict, f.Expired, s.Authorized, s.Part.Loose, s.Vary.Never)
	return w.b
}

// ReadRecord returns what AppendRecord has written, or ErrRecord. Nothing in it is a view.
func ReadRecord(b []byte) (*Stored, error) {
	r := recordReader{rest: b}
	s := new(Stored)
	if r.byte() != recordVersion {
		return nil, ErrRecord
	}
	s.Status, s.Reason = int(r.number()), r.bytes()
	s.Fields, s.Source = r.fields(), r.fields()
	s.Length, s.Part.First, s.Part.Size = r.number(), r.number(), r.number()
	s.Part.Asked, s.Slices = r.bytes(), r.slices()
	s.Date, s.Modified, s.Fresh.Received = r.time(), r.time(), r.time()
	s.ETag, s.Content = r.bytes(), r.text()
	s.Vary = r.vary()
	s.Tags = r.tags()
	s.Codings = r.codings()
	f := &s.Fresh
	f.Age, f.Lifetime, f.WhileRevalidate, f.IfError = r.duration(), r.duration(), r.duration(), r.duration()
	r.flags(&f.Stated, &f.Validate, &f.Strict, &f.Expired, &s.Authorized, &s.Part.Loose, &s.Vary.Never)
	if r.bad || len(r.rest) > 0 || !s.plausible() {
		return nil, ErrRecord
	}
	return s, nil
}

// plausible reports whether the numbers of a record are such that the rest of this
// package can count on them.
func (s *Stored) plausible() bool {
	p := &s.Part
	whole := p.Size == 0 && p.First == 0
	part := p.Size >= -1 && p.First >= 0 && s.Length > 0 && p.First+s.Length > 0
	return 200 <= s.Status && s.Status <= 599 && s.Length >= -1 && (whole || p.Size != 0 && part) && s.Slices.plausible(s)
}

func (l *Slices) plausible(s *Stored) bool {
	return l == nil || l.Each > 0 && l.Size > 0 && l.Size < math.MaxInt64-l.Each && len(l.Version) > 0 && s.Status == 200 && s.Length == 0 && !s.isPart()
}

// recordWriter appends the parts of a record.
type recordWriter struct{ b []byte }

func (w *recordWriter) number(list ...int64) {
	for _, n := range list {
		w.b = binary.LittleEndian.AppendUint64(w.b, uint64(n))
	}
}

// bytes appends a string of bytes. None is told from an empty one.
func (w *recordWriter) bytes(b []byte) {
	if b == nil {
		w.number(-1)
		return
	}
	w.number(int64(len(b)))
	w.b = append(w.b, b...)
}

func (w *recordWriter) text(s string) { w.bytes([]byte(s)) }

func (w *recordWriter) fields(list []wire.Field) {
	w.number(int64(len(list)))
	for i := range list {
		w.bytes(list[i].Name)
		w.bytes(list[i].Value)
		w.number(int64(list[i].Class))
	}
}

func (w *recordWriter) time(list ...time.Time) {
	for _, t := range list {
		w.number(t.Unix(), int64(t.Nanosecond()))
	}
}

// slices appends what is known of slices: 0 if there are none.
func (w *recordWriter) slices(l *Slices) {
	if l == nil {
		w.number(0)
		return
	}
	w.number(l.Each, l.Size)
	w.bytes(l.Version)
}

func (w *recordWriter) vary(v *Vary) {
	w.number(int64(len(v.Names)))
	for i, n := range v.Names {
		w.text(n)
		w.bytes(v.Values[i])
	}
}

func (w *recordWriter) flags(list ...bool) {
	var set byte
	for i, f := range list {
		if f {
			set |= 1 << i
		}
	}
	w.b = append(w.b, set)
}

// recordReader takes a record apart. Once something is not as it should be, bad stays.
type recordReader struct {
	rest []byte
	bad  bool
}

// take takes n bytes, none if there are fewer.
func (r *recordReader) take(n int64) []byte {
	if r.bad = r.bad || n < 0 || n > int64(len(r.rest)); r.bad {
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *recordReader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *recordReader) number() int64 {
	if b := r.take(8); len(b) == 8 {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// count returns of how many parts a list is: no more than there are bytes.
func (r *recordReader) count() int64 {
	n := r.number()
	if r.bad = r.bad || n < 0 || n > int64(len(r.rest)); r.bad {
		return 0
	}
	return n
}

func (r *recordReader) bytes() []byte {
	n := r.number()
	if n == -1 || r.bad {
		return nil
	}
	return append([]byte{}, r.take(n)...)
}

// text takes a string, which is always there.
func (r *recordReader) text() string {
	b := r.bytes()
	r.bad = r.bad || b == nil
	return string(b)
}

func (r *recordReader) time() time.Time {
	sec, nanosecond := r.number(), r.number()
	r.bad = r.bad || nanosecond < 0 || nanosecond >= int64(time.Second)
	return time.Unix(sec, nanosecond).UTC()
}

// duration takes a time that is within what can be added up.
func (r *recordReader) duration() time.Duration {
	d := time.Duration(r.number())
	r.bad = r.bad || d < 0 || d > longest
	return d
}

// fields takes the fields, of which each has to be one that a head may have.
func (r *recordReader) fields() (list []wire.Field) {
	for n := r.count(); n > 0 && !r.bad; n-- {
		f := wire.Field{Name: r.bytes(), Value: r.bytes()}
		class := r.number()
		f.Class = wire.Class(class)
		r.bad = r.bad || int64(f.Class) != class || !wire.IsToken(f.Name) || !wire.IsValue(f.Value)
		list = append(list, f)
	}
	return list
}

func (r *recordReader) tags() (list []string) {
	for n := r.count(); n > 0 && !r.bad; n-- {
		list = append(list, r.text())
	}
	return list
}

// codings takes those that an answer may be sent in, each once.
func (r *recordReader) codings() (list []Coding) {
	for n := r.count(); n > 0 && !r.bad; n-- {
		c := Coding(r.byte())
		r.bad = r.bad || c == Identity || c >= Codings || slices.Contains(list, c)
		list = append(list, c)
	}
	return list
}

func (r *recordReader) slices() *Slices {
	each := r.number()
	if each == 0 {
		return nil
	}
	return &Slices{Each: each, Size: r.number(), Version: r.bytes()}
}

func (r *recordReader) vary() (v Vary) {
	for n := r.count(); n > 0 && !r.bad; n-- {
		v.Names = append(v.Names, r.text())
		v.Values = append(v.Values, r.bytes())
	}
	return v
}

func (r *recordReader) flags(list ...*bool) {
	set := r.byte()
	r.bad = r.bad || set>>len(list) != 0
	for i, f := range list {
		*f = set&(1<<i) != 0
	}
}
