package collect

import (
	"strings"
	"testing"
)

const exposition = `# HELP jobs_busy Busy workers.
# TYPE jobs_busy gauge
jobs_busy{pool="web",host="a"} 3
jobs_busy{pool="mail",host="a"} 4 1700000000000
jobs_busy_max 9
  plain 12.5
tabbed	7	1700000000
java 1.0E9
plus +Inf
nan NaN
text many
nothing
odd{path="C:\\DIR\\",say="\"hi\"\n",} 8
exemplar_total{} 17 # {trace_id="x"} 0.67
twice 1
twice 2
broken{a="b 1
:rule:name 5
spaced { a = "b" , c="d" } 6
`

func TestSeries(t *testing.T) {
	for series, want := range map[string]float64{
		`jobs_busy{pool="web"}`:            3,
		`jobs_busy{host="a",pool="mail"}`:  4,
		`jobs_busy{pool="web",absent=""}`:  3,
		`jobs_busy_max`:                    9,
		`jobs_busy_max{}`:                  9,
		` plain `:                          12.5,
		`tabbed`:                           7,
		`java`:                             1e9,
		`odd{path="C:\\DIR\\"}`:            8,
		`odd{say="\"hi\"\n"}`:              8,
		`exemplar_total`:                   17,
		`:rule:name`:                       5,
		`spaced{c="d"}`:                    6,
		`jobs_busy { pool = "web" , } `:    3,
		`jobs_busy{pool="mail",pool="web"`: 0, // see below
	} {
		s, err := ParseSeries(series)
		if want == 0 {
			if err == nil {
				t.Errorf("%s was taken", series)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", series, err)
			continue
		}
		if got, err := s.Number([]byte(exposition)); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", series, got, err, want)
		}
		if got, err := s.Number([]byte(strings.ReplaceAll(exposition, "\n", "\r\n"))); err != nil || got != want {
			t.Errorf("with CRLF %s is %v, %v; want %v", series, got, err, want)
		}
	}
}

func TestSeriesFindsNothing(t *testing.T) {
	for _, tt := range []struct{ series, text, want string }{
		{"jobs", exposition, "the answer has no series jobs with these labels"},
		{`jobs_busy{pool="we"}`, exposition, "the answer has no series jobs_busy with these labels"},
		{`jobs_busy_max{pool="web"}`, exposition, "the answer has no series jobs_busy_max with these labels"},
		{"jobs_busy", exposition, "the answer has 2 series jobs_busy that fit; name more of their labels"},
		{"twice", exposition, "the answer has 2 series twice that fit; name more of their labels"},
		{"plus", exposition, "the value of plus is not finite"},
		{"nan", exposition, "the value of nan is not finite"},
		{"text", exposition, "the value of text is no number"},
		{"nothing", exposition, "the answer has no series nothing with these labels"},
		{"broken", exposition, "the answer has a line of broken that cannot be read"},
		{"plain", "", "the answer has no series plain with these labels"},
		{"plain", "plain ", "the answer has no series plain with these labels"},
		{"plain", "plain \t\n", "the answer has no series plain with these labels"},
		{"plain", "plain{}", "the value of plain is no number"},
		{"PLAIN", exposition, "the answer has no series PLAIN with these labels"},
	} {
		s, err := ParseSeries(tt.series)
		if err != nil {
			t.Errorf("%s: %v", tt.series, err)
			continue
		}
		if n, err := s.Number([]byte(tt.text)); err == nil || err.Error() != tt.want {
			t.Errorf("%s is %v, %v; want %s", tt.series, n, err, tt.want)
		}
	}
}

func TestSeriesIsRefused(t *testing.T) {
	for _, text := range []string{"", " ", "9lives", "a b", `a{`, `a{b}`, `a{b=}`, `a{b="c}`, `a{b="c"d="e"}`, `a{b="\t"}`, `a{b="c"} 1`, `{a="b"}`, `a{1b="c"}`, `a{b:c="d"}`, "näme"} {
		if s, err := ParseSeries(text); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
}
