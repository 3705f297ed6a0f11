package unit

import (
	"encoding"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// quantities are the types of the package, with the pattern of each.
var quantities = map[string]struct {
	zero    any
	pattern string
}{
	"duration": {Duration(0), DurationPattern},
	"size":     {Size(0), SizePattern},
	"rate":     {Rate(0), RatePattern},
	"percent":  {Percent(0), PercentPattern},
}

// read reads text as the named quantity.
func read(name, text string) (int64, error) {
	v := reflect.New(reflect.TypeOf(quantities[name].zero))
	err := v.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	return v.Elem().Int(), err
}

func TestTextsThatAreQuantities(t *testing.T) {
	for _, tt := range []struct {
		kind, text string
		want       int64
	}{
		{"duration", "0", 0},
		{"duration", "0s", 0},
		{"duration", "150ms", int64(150 * time.Millisecond)},
		{"duration", "1h30m", int64(90 * time.Minute)},
		{"duration", "1.5h", int64(90 * time.Minute)},
		{"duration", "7d", int64(7 * day)},
		{"duration", "1d12h", int64(36 * time.Hour)},
		{"duration", "2us", 2000},
		{"size", "0", 0},
		{"size", "512B", 512},
		{"size", "32KiB", 32 << 10},
		{"size", "1kB", 1000},
		{"size", "10GiB", 10 << 30},
		{"size", "9223372036854775807B", math.MaxInt64},
		{"rate", "0", 0},
		{"rate", "0B/s", 0},
		{"rate", "240B/s", 240},
		{"rate", "64KiB/s", 64 << 10},
		{"percent", "0", 0},
		{"percent", "20%", 2000},
		{"percent", "0.5%", 50},
		{"percent", "0.05%", 5},
		{"percent", "100%", 10000},
	} {
		if got, err := read(tt.kind, tt.text); err != nil || got != tt.want {
			t.Errorf("%s %q = %d, %v, want %d", tt.kind, tt.text, got, err, tt.want)
		}
	}
}

func TestTextsThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ kind, text, want string }{
		{"duration", "10", `"10" must have a unit, for example 10s`},
		{"duration", "", "must be a duration"},
		{"duration", "-5s", "must be a duration"},
		{"duration", "+5s", "must be a duration"},
		{"duration", "5 s", "must be a duration"},
		{"duration", "1d-1h", "must be a duration"},
		{"duration", "1h2d", "must be a duration"},
		{"duration", "106752d", "must be a duration"},
		{"duration", "106751d24h", "must be a duration"},
		{"duration", "fast", "must be a duration"},
		{"size", "10", `"10" must have a unit, for example 10KiB`},
		{"size", "", "must be a size"},
		{"size", "-1B", "must be a size"},
		{"size", "64M", "one of the units"},
		{"size", "64mib", "one of the units"},
		{"size", "1.5GiB", "must be a whole number"},
		{"size", "9007199254740992KiB", "must be under 8 EiB"},
		{"size", "99999999999999999999B", "must be a size"},
		{"rate", "240", `"240" must have a unit, for example 240B/s`},
		{"rate", "240B", "must be a size per second"},
		{"rate", "240/s", "must be a size per second"},
		{"rate", "0/s", "must be a size per second"},
		{"percent", "20", `"20" must have a unit, for example 20%`},
		{"percent", "101%", "at most 100%"},
		{"percent", "0.555%", "must be a percentage"},
		{"percent", "-1%", "must be a percentage"},
		{"percent", ".5%", "must be a percentage"},
		{"percent", "5.%", "must be a percentage"},
	} {
		_, err := read(tt.kind, tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q: %v, want %q", tt.kind, tt.text, err, tt.want)
		}
	}
}

func TestPrintedForms(t *testing.T) {
	for _, tt := range []struct {
		value interface{ String() string }
		want  string
	}{
		{Duration(0), "0s"},
		{Duration(time.Hour), "1h"},
		{Duration(90 * time.Minute), "1h30m"},
		{Duration(time.Hour + time.Second), "1h0m1s"},
		{Duration(10 * time.Minute), "10m"},
		{Duration(7 * day), "7d"},
		{Duration(36 * time.Hour), "1d12h"},
		{Size(0), "0B"},
		{Size(32 << 10), "32KiB"},
		{Size(1000), "1kB"},
		{Size(1025), "1025B"},
		{Rate(240), "240B/s"},
		{Percent(2000), "20%"},
		{Percent(50), "0.5%"},
		{Percent(5), "0.05%"},
		{Percent(10000), "100%"},
	} {
		if got := tt.value.String(); got != tt.want {
			t.Errorf("%d is written %s, want %s", tt.value, got, tt.want)
		}
	}
}

// TestWhatIsPrintedIsRead: the text of any value reads back as the same value,
// and matches the pattern that the schema shows to editors.
func TestWhatIsPrintedIsRead(t *testing.T) {
	limits := map[string]int64{"percent": Whole}
	for name, q := range quantities {
		pattern := regexp.MustCompile(q.pattern)
		high, ok := limits[name]
		if !ok {
			high = math.MaxInt64
		}
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			n := rapid.Int64Range(0, high).Draw(t, "n")
			v := reflect.New(reflect.TypeOf(q.zero)).Elem()
			v.SetInt(n)
			text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
			got, readErr := read(name, string(text))
			if err != nil || readErr != nil || got != n || !pattern.Match(text) {
				t.Fatalf("%d is written %s and read as %d (%v, %v)", n, text, got, err, readErr)
			}
		}))
	}
}

// TestPatternsCoverWhatIsRead: a text that is read matches the pattern.
func TestPatternsCoverWhatIsRead(t *testing.T) {
	for name, q := range quantities {
		pattern := regexp.MustCompile(q.pattern)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			text := rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3})?(d|h|m|s|ms|us|ns|B|kB|KiB|MiB|%)?(/s|[0-9]m)?`).Draw(t, "text")
			if _, err := read(name, text); err == nil && !pattern.MatchString(text) {
				t.Fatalf("%q is read, but does not match %s", text, q.pattern)
			}
		}))
	}
}
