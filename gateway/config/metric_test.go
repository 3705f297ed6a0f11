package config

import (
	"reflect"
	"testing"
	"time"

	"weirkeep/gateway/collect"
	"weirkeep/gateway/unit"
)

const millisecond = unit.Duration(time.Millisecond)

func TestMetricFile(t *testing.T) {
	c, problems := Load("testdata/good/metric.yaml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	of := func(cluster string) *Metric { return c.Clusters[cluster].Metric }
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"a field of answers", of("field").SourceField(), "x-load"},
		{"no field", of("told").SourceField(), ""},
		{"what is pulled", *of("pulled"), Metric{
			Collector: "log-delta", Source: "pull", Pull: &Pull{Path: "/metrics", Series: `busy{pool="web"}`, Timeout: 2000 * millisecond},
			Interval: 30_000 * millisecond, Initial: 50, Default: 50, StaleAfter: 3, History: 1, Base: 10, Debug: true,
		}},
		{"a scale by default", of("field").Scale(40), collect.Identity},
		{"of seconds", of("seen").Scale(40), collect.Scale{Idle: 0.01, Busy: 0.5}},
		{"of percent", of("failing").Scale(40), collect.Scale{Idle: 0, Busy: 12.5}},
		{"of a capacity", of("full").Scale(40), collect.Scale{Idle: 0, Busy: 40}},
		{"of numbers", of("told").Scale(40), collect.Scale{Idle: 0, Busy: -1500}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.what, tt.got, tt.want)
		}
	}
}

// Levels, shares and bases can be read again as they are printed.
func TestMetricTexts(t *testing.T) {
	for _, text := range []string{"0", "1.5", "-3", "1e+15", "500ms", "1m30s", "12.5%"} {
		var l Level
		if err := l.UnmarshalText([]byte(text)); err != nil || l.String() != text {
			t.Errorf("%s is %v, %v", text, l, err)
		}
	}
	for _, text := range []string{"", "NaN", "inf", "1e16", "-5ms", "101%", "10 ms", "many"} {
		var l Level
		if err := l.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, l)
		}
	}
	for _, text := range []string{"0", "0.3", "1"} {
		var s Share
		if err := s.UnmarshalText([]byte(text)); err != nil || s.String() != text {
			t.Errorf("%s is %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"1.2", "-0.1", "NaN", "30%", ""} {
		var s Share
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}
