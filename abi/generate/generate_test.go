package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const top = "../.."

// Generating changes nothing: what is in the tree is what the tables say.
func TestTheTreeIsWhatIsGenerated(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join(top, f.path))
		if err != nil || !bytes.Equal(got, f.text) {
			t.Errorf("%s is not what the tables say (%v); run make generate", f.path, err)
		}
	}
}

func TestNamesOfOtherLanguages(t *testing.T) {
	for name, want := range map[string]string{
		"OpSetHeader": "OP_SET_HEADER", "KVAlways": "KV_ALWAYS", "ViewRequestID": "VIEW_REQUEST_ID", "CollectorP50": "COLLECTOR_P50",
		"FlagHTTPS": "FLAG_HTTPS", "HTTP10": "HTTP10", "MethodGET": "METHOD_GET", "ViewUpstreamNS": "VIEW_UPSTREAM_NS", "MaxHTTPCalls": "MAX_HTTP_CALLS",
	} {
		if got := snake(name); got != want {
			t.Errorf("snake(%q) = %q, want %q", name, got, want)
		}
	}
}

// Every language has every constant, once, and says the same number.
func TestLanguagesAgree(t *testing.T) {
	value := regexp.MustCompile(`(?m)^(?:pub const |export const |#define GW1_)(\w+)(?:: \w+ =)? (.*?);?(?: /\*.*)?$`)
	for _, l := range languages {
		text, err := l.constants()
		if err != nil {
			t.Fatal(err)
		}
		if l.path == "sdk/go/constants.go" {
			continue
		}
		found := make(map[string]string)
		for _, m := range value.FindAllStringSubmatch(string(text), -1) {
			if _, twice := found[m[1]]; twice {
				t.Errorf("%s has %s twice", l.path, m[1])
			}
			found[m[1]] = m[2]
		}
		for _, g := range groups() {
			for _, c := range g.constants {
				if got := strings.Trim(found[snake(c.name)], "()uLU"); got != digits(g.kind, c.number) && c.number != -1<<31 {
					t.Errorf("%s says %s is %q, want %s", l.path, snake(c.name), got, digits(g.kind, c.number))
				}
			}
		}
	}
}
