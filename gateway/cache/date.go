package cache

import (
	"time"

	"weirkeep/gateway/wire"
)

// imfDate is the form that dates are written in.
const imfDate = "Mon, 02 Jan 2006 15:04:05 GMT"

// appendDate appends t in the form that RFC 9110, 5.6.7 asks of senders.
func appendDate(dst []byte, t time.Time) []byte { return t.UTC().AppendFormat(dst, imfDate) }

// parseDate reads one of the three forms of RFC 9110, 5.6.7 (D1). Names have any case
// (D2), the weekday need not be the date's (D3); whatever else is not exactly so is no
// date (D5). A year of two digits that would be more than 50 years after now is one of
// the century before.
func parseDate(b []byte, now time.Time) (t time.Time, ok bool) {
	d := dateReader{rest: b}
	switch {
	case len(b) == len(imfDate) && b[3] == ',':
		d.imf()
	case len(b) == len("Mon Jan  2 15:04:05 2006") && b[3] == ' ':
		d.asctime()
	default:
		d.rfc850(now)
	}
	return d.time()
}

// dateReader takes a date apart. Once something is not as it should be, bad stays.
type dateReader struct {
	rest []byte
	bad  bool

	year, month, day, hour, minute, second int
}

var months = [...]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

var (
	weekdays     = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	longWeekdays = [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
)

func (d *dateReader) imf() {
	d.word(weekdays[:])
	d.literal(", ")
	d.day = d.digits(2)
	d.literal(" ")
	d.month = d.word(months[:]) + 1
	d.literal(" ")
	d.year = d.digits(4)
	d.literal(" ")
	d.clock()
	d.literal(" gmt")
}

func (d *dateReader) rfc850(now time.Time) {
	d.word(longWeekdays[:])
	d.literal(", ")
	d.day = d.digits(2)
	d.literal("-")
	d.month = d.word(months[:]) + 1
	d.literal("-")
	d.year = fullYear(d.digits(2), now)
	d.literal(" ")
	d.clock()
	d.literal(" gmt")
}

func (d *dateReader) asctime() {
	d.word(weekdays[:])
	d.literal(" ")
	d.month = d.word(months[:]) + 1
	d.literal(" ")
	if len(d.rest) > 0 && d.rest[0] == ' ' {
		d.literal(" ")
		d.day = d.digits(1)
	} else {
		d.day = d.digits(2)
	}
	d.literal(" ")
	d.clock()
	d.literal(" ")
	d.year = d.digits(4)
}

func (d *dateReader) clock() {
	d.hour = d.digits(2)
	d.literal(":")
	d.minute = d.digits(2)
	d.literal(":")
	d.second = d.digits(2)
}

// fullYear returns the year that one of two digits is.
func fullYear(year int, now time.Time) int {
	year += now.Year() / 100 * 100
	if year > now.Year()+50 {
		year -= 100
	}
	return year
}

// literal takes a text in lower case.
func (d *dateReader) literal(lowered string) {
	if len(d.rest) < len(lowered) || !wire.EqualFold(d.rest[:len(lowered)], lowered) {
		d.bad = true
		return
	}
	d.rest = d.rest[len(lowered):]
}

// word takes one of the words and returns which.
func (d *dateReader) word(words []string) int {
	n := 0
	for n < len(d.rest) && ('a' <= d.rest[n]|0x20 && d.rest[n]|0x20 <= 'z') {
		n++
	}
	for i, w := range words {
		if wire.EqualFold(d.rest[:n], w) {
			d.rest = d.rest[n:]
			return i
		}
	}
	d.bad = true
	return 0
}

// digits takes a number of n digits.
func (d *dateReader) digits(n int) int {
	if len(d.rest) < n {
		d.bad = true
		return 0
	}
	v, ok := parseDigits(d.rest[:n])
	d.rest, d.bad = d.rest[n:], d.bad || !ok
	return int(v)
}

// time returns the date, and whether there is such a one. A leap second is the one
// before it.
func (d *dateReader) time() (time.Time, bool) {
	if d.bad || len(d.rest) > 0 || d.hour > 23 || d.minute > 59 || d.second > 60 || d.day == 0 {
		return time.Time{}, false
	}
	t := time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, min(d.second, 59), 0, time.UTC)
	return t, t.Day() == d.day
}
