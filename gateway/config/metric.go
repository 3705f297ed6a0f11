package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"weirkeep/gateway/collect"
	"weirkeep/gateway/unit"
)

// Metric says how the gateway finds out how busy the origins of a cluster are: 0 is
// busy, 100 is idle.
type Metric struct {
	Collector  string        `yaml:"collector" required:"true"`                // value: a number is the metric | log-delta: how much a number has grown that only grows, on a logarithmic scale | or the name of a plugin of kind collector; required
	Source     string        `yaml:"source" check:"metric-source"`             // where value and log-delta have the number from: "header:NAME", a field of the origin's answers | pull: it is asked, see pull | push: it is told to the admin API | latency: of its answers | errors: attempts that failed | in-flight: requests there; default with pull: that
	Pull       *Pull         `yaml:"pull"`                                     // what the origin is asked for; nil: nothing
	Interval   unit.Duration `yaml:"interval" default:"30s" range:"100ms..1h"` // between two samples or pulls, default 30s
	Initial    int           `yaml:"initial" default:"50" range:"0..100"`      // before the first sample, default 50
	Default    int           `yaml:"default" default:"50" range:"0..100"`      // when nothing is known, default 50
	StaleAfter int           `yaml:"stale_after" default:"3" range:"1..1000"`  // intervals without a sample, after which nothing is known; default 3
	Idle       *Level        `yaml:"idle"`                                     // value: the number that counts as 100; default 100, of latency, errors and in-flight 0
	Busy       *Level        `yaml:"busy"`                                     // value: the number that counts as 0; default 0, of errors 100%, of in-flight the origin's capacity; of latency it is required
	History    Share         `yaml:"history" default:"0.3"`                    // log-delta: how much of the metric before goes into the next, 0..1; default 0.3
	Base       Base          `yaml:"base" default:"e"`                         // log-delta: of the logarithm: e (default) | 10
	Debug      bool          `yaml:"debug" default:"false"`                    // log each sample; default false
}

// Pull says what an origin is asked for, once an interval, and where in its answer the
// number stands: the whole answer is the number, unless pointer or series says more.
type Pull struct {
	Path    string        `yaml:"path" required:"true" check:"request-path"` // path, perhaps with a query; required
	Pointer string        `yaml:"pointer" check:"pointer"`                   // JSON pointer (RFC 6901) to the number in a JSON document, such as /pools/0/busy
	Series  string        `yaml:"series" check:"series"`                     // name of the one series in a Prometheus text, perhaps with labels, such as jobs_busy{pool="web"}
	Timeout unit.Duration `yaml:"timeout" default:"2s" range:"1ms..1m"`      // for the answer, default 2s
}

// The collectors that need no plugin.
const (
	CollectValue    = "value"
	CollectLogDelta = "log-delta"
)

// StockCollectors are the collectors that need no plugin.
var StockCollectors = []string{CollectValue, CollectLogDelta}

// Stock reports whether the collector needs no plugin.
func (m *Metric) Stock() bool { return slices.Contains(StockCollectors, m.Collector) }

// Making is all that says what the metric is made of, and how: two that say the same can
// be compared with each other, and one that is written anew goes on.
func (m *Metric) Making() string {
	text := fmt.Sprint(m.Collector, " ", m.Source, " ", m.History, " ", m.Base)
	if m.Pull != nil {
		text += fmt.Sprint(" ", m.Pull.Path, " ", m.Pull.Pointer, " ", m.Pull.Series)
	}
	for _, level := range []*Level{m.Idle, m.Busy} {
		text += " " + fmt.Sprint(level)
	}
	return text
}

// The sources of stock collectors, besides fields of answers.
const (
	SourcePull     = "pull"
	SourcePush     = "push"
	SourceLatency  = "latency"
	SourceErrors   = "errors"
	SourceInFlight = "in-flight"
)

// metricSources are the sources of stock collectors in the words of the file.
var metricSources = []string{`"header:NAME"`, SourcePull, SourcePush, SourceLatency, SourceErrors, SourceInFlight}

// SourceField is the field of answers that the numbers are in, in lower case; empty:
// they come from elsewhere.
func (m *Metric) SourceField() string {
	name, _ := strings.CutPrefix(m.Source, "header:")
	if name == m.Source {
		return ""
	}
	return strings.ToLower(name)
}

func grammarMetricSource(s string) string {
	name, field := strings.CutPrefix(s, "header:")
	if field && isToken(name) && len(name) <= 256 || !field && slices.Contains(metricSources, s) {
		return ""
	}
	return "must be " + choice(metricSources)
}

// sourceHint is the source that was probably meant by a text that is none.
func sourceHint(text string) string {
	if hint := Suggest(text, metricSources[1:]); hint != "" || !isToken(text) {
		return hint
	}
	return "write " + quote("header:"+text)
}

func grammarPointer(s string) string {
	_, err := collect.ParsePointer(s)
	return reasonOf(err)
}

func grammarSeries(s string) string {
	_, err := collect.ParseSeries(s)
	return reasonOf(err)
}

// Share is a part of a whole, 0..1.
type Share float64

// UnmarshalText reads a number from 0 to 1.
func (s *Share) UnmarshalText(text []byte) error {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(0 <= n && n <= 1) {
		return errors.New("must be a number from 0 to 1, for example 0.3")
	}
	*s = Share(n)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (s Share) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String is the number.
func (s Share) String() string { return strconv.FormatFloat(float64(s), 'g', -1, 64) }

// Base is that of a logarithm: a number, or zero for the word "e".
type Base int

// UnmarshalText reads 10 or the word e.
func (b *Base) UnmarshalText(text []byte) error {
	switch string(text) {
	case "e":
		*b = 0
	case "10":
		*b = 10
	default:
		return errors.New("must be e or 10")
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (b Base) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String is the number or the word e.
func (b Base) String() string {
	if b == 0 {
		return "e"
	}
	return printInt(int64(b))
}

// Level is a number that a source may come to: plain, a duration or a percentage.
type Level struct {
	Number float64 // of a duration: seconds; of a percentage: percent
	Unit   string  // LevelPlain, LevelTime or LevelPercent
}

// The units of a Level, with an example of each.
const (
	LevelPlain   = "a number without a unit, for example 100"
	LevelTime    = "a duration, for example 500ms"
	LevelPercent = "a percentage, for example 20%"
)

// levelUnits are the units of the sources that have one.
var levelUnits = map[string]string{SourceLatency: LevelTime, SourceErrors: LevelPercent}

// maxLevel is the largest plain level, so that scales are finite.
const maxLevel = 1e15

// UnmarshalText reads a number, a duration or a percentage.
func (l *Level) UnmarshalText(text []byte) error {
	var d unit.Duration
	var p unit.Percent
	n, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err == nil && math.Abs(n) <= maxLevel:
		*l = Level{n, LevelPlain}
	case d.UnmarshalText(text) == nil:
		*l = Level{time.Duration(d).Seconds(), LevelTime}
	case p.UnmarshalText(text) == nil:
		*l = Level{float64(p) / 100, LevelPercent}
	default:
		return errors.New("must be a number, a duration or a percentage, for example 100, 500ms or 20%")
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// String is the level with its unit.
func (l Level) String() string {
	switch l.Unit {
	case LevelTime:
		return unit.Duration(math.Round(l.Number * float64(time.Second))).String()
	case LevelPercent:
		return unit.Percent(math.Round(l.Number * 100)).String()
	}
	return strconv.FormatFloat(l.Number, 'g', -1, 64)
}

// Scale is what the collector value makes of the numbers of an origin with the
// capacity. A latency is in seconds, errors are in percent.
func (m *Metric) Scale(capacity int) collect.Scale {
	scale := collect.Identity
	switch m.Source {
	case SourceLatency:
		scale = collect.Scale{}
	case SourceErrors:
		scale = collect.Scale{Busy: 100}
	case SourceInFlight:
		scale = collect.Scale{Busy: float64(capacity)}
	}
	if m.Idle != nil {
		scale.Idle = m.Idle.Number
	}
	if m.Busy != nil {
		scale.Busy = m.Busy.Number
	}
	return scale
}
