package surrogate

import (
	"bytes"
	"strconv"
	"time"

	"weirkeep/gateway/wire"
)

// Control is what Surrogate-Control says to one device. The zero value says nothing.
type Control struct {
	NoStore       bool
	NoStoreRemote bool // no device far from the origin stores the answer

	// MaxAge is how long the answer is fresh, and Extension how long after that it may be
	// used while it is asked for anew. A number that is none is 0.
	MaxAge, Extension time.Duration
	HasMaxAge         bool

	// Content is what has to be done with the body, in this order: tokens between blanks. It
	// is a view of the field.
	Content    []byte
	HasContent bool

	// VaryHeaders and VaryCookies are names of what the answer depends on, between blanks,
	// commas or semicolons.
	VaryHeaders, VaryCookies []byte

	Compress    bool // the answer is to be compressed, or not
	HasCompress bool

	seen, own targets // directives that were read, and those that were for the device alone
}

// Longest is what max-age=infinity is, and any time that is longer.
const Longest = (1<<31 - 1) * time.Second

// Needs reports whether content names something that has to be done with the body.
func (c *Control) Needs(what string) bool { return hasToken(c.Content, what) }

// Beyond reports whether content names something else than what the device can do: the body
// is then passed on as it is.
func (c *Control) Beyond(can ...string) bool {
	for _, token := range bytes.Fields(c.Content) {
		if !isOneOf(token, can) {
			return true
		}
	}
	return false
}

// The directives that are known, as index into directives.
const (
	noStore = iota
	noStoreRemote
	maxAge
	content
	compress
	vary
)

// directives are the names of those that are known, in lower case.
var directives = [...]string{"no-store", "no-store-remote", "max-age", "content", "compress", "vary"}

// targets is a set of directives.
type targets uint8

func (t targets) has(index int) bool { return t>>index&1 != 0 }

// directive is one member of the field.
type directive struct {
	index    int    // in directives; -1: it is none that is known
	argument []byte // without quotes
	rest     []byte // parameters, which name a device
	device   []byte // that it is for; empty: for all
	bad      bool   // its quotes do not match
}

// Read adds what one line of Surrogate-Control says to a device. Directives for others are
// passed over, and one for the device beats one for all, wherever that stands (H2): also
// its max-age a no-store for all. Names are read in any case (H5). The first of two of a
// kind counts.
func (c *Control) Read(value []byte, device string) {
	for len(value) > 0 {
		var member []byte
		member, value = cut(value, ',')
		d := parseDirective(member)
		if d.index >= 0 && !d.bad && (len(d.device) == 0 || string(d.device) == device) {
			c.take(&d, len(d.device) > 0)
		}
	}
	if c.own.has(maxAge) && !c.own.has(noStore) {
		c.NoStore = false
	}
}

// take does what a directive says, unless one was read that comes before it.
func (c *Control) take(d *directive, own bool) {
	if c.seen.has(d.index) && !(own && !c.own.has(d.index)) {
		return
	}
	c.seen |= 1 << d.index
	if own {
		c.own |= 1 << d.index
	}
	switch d.index {
	case noStore:
		c.NoStore = true
	case noStoreRemote:
		c.NoStoreRemote = true
	case maxAge:
		c.takeMaxAge(d.argument)
	case content:
		c.Content, c.HasContent = d.argument, true
	case compress:
		c.Compress = wire.EqualFold(d.argument, "yes")
		c.HasCompress = c.Compress || wire.EqualFold(d.argument, "no")
	case vary:
		c.VaryHeaders, c.VaryCookies = nil, nil
		c.takeVary(d.argument)
		c.takeVary(d.rest)
	}
}

// parseDirective reads one member of the field.
func parseDirective(member []byte) directive {
	word, rest := cut(member, ';')
	name, argument, _ := bytes.Cut(word, []byte("="))
	d := directive{index: -1, argument: wire.Unquote(wire.TrimBlanks(argument)), rest: rest}
	d.bad = bytes.IndexByte(d.argument, '"') >= 0 || bytes.Count(member, []byte(`"`))%2 == 1
	name = wire.TrimBlanks(name)
	for i := range directives {
		if wire.EqualFold(name, directives[i]) {
			d.index = i
		}
	}
	for rest := rest; len(rest) > 0; {
		var p []byte
		if p, rest = cut(rest, ';'); wire.IsToken(p) {
			d.device = p
		}
	}
	return d
}

// takeMaxAge reads fresh[+extension], either of which may be infinity.
func (c *Control) takeMaxAge(arg []byte) {
	fresh, extension, _ := bytes.Cut(arg, []byte("+"))
	c.MaxAge, c.Extension, c.HasMaxAge = age(fresh), age(extension), true
}

// age reads a number of seconds, or infinity.
func age(b []byte) time.Duration {
	b = wire.TrimBlanks(b)
	switch {
	case wire.EqualFold(b, "infinity"):
		return Longest
	case !allDigits(b):
		return 0
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil || n > uint64(Longest/time.Second) {
		return Longest
	}
	return time.Duration(n) * time.Second
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// takeVary reads headers(...) and cookies(...), between semicolons.
func (c *Control) takeVary(parts []byte) {
	for len(parts) > 0 {
		var part []byte
		part, parts = cut(parts, ';')
		name, list, _ := bytes.Cut(part, []byte("("))
		list, closed := bytes.CutSuffix(list, []byte(")"))
		switch {
		case !closed:
		case wire.EqualFold(name, "headers"):
			c.VaryHeaders = list
		case wire.EqualFold(name, "cookies"):
			c.VaryCookies = list
		}
	}
}

// AppendRest appends what is left of a line of Surrogate-Control for a surrogate closer to
// the client, after the device has done of content what done says: no directive that was for
// the device alone, and no token of content that was dealt with (H3). Nothing may be left.
func AppendRest(dst, value []byte, device string, done ...string) []byte {
	begun := false
	for len(value) > 0 {
		var member []byte
		member, value = cut(value, ',')
		d := parseDirective(member)
		if d.index == content && len(d.device) == 0 {
			member = contentWithout(d.argument, done)
		}
		if len(member) == 0 || d.bad || string(d.device) == device {
			continue
		}
		if begun {
			dst = append(dst, ", "...)
		}
		dst, begun = append(dst, member...), true
	}
	return dst
}

// contentWithout is a content directive without the tokens that are done, nil if none is
// left.
func contentWithout(tokens []byte, done []string) []byte {
	var left [][]byte
	for _, token := range bytes.Fields(tokens) {
		if !isOneOf(token, done) {
			left = append(left, token)
		}
	}
	if left == nil {
		return nil
	}
	return append(append([]byte(`content="`), bytes.Join(left, []byte(" "))...), '"')
}

func isOneOf(token []byte, list []string) bool {
	for _, t := range list {
		if bytes.EqualFold(token, []byte(t)) {
			return true
		}
	}
	return false
}
