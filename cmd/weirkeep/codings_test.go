package main

import (
	"bytes"
	"strings"
	"testing"

	"weirkeep/gateway"
)

// What is kept in codings, and what is sent, is told in words.
func TestCodingsAreToldInWords(t *testing.T) {
	all := []gateway.StoredCoding{{Coding: "br", State: "kept", Length: 2345}, {Coding: "zstd", State: "unasked"}, {Coding: "gzip", State: "useless"}, {Coding: "x", State: "encoding"}}
	if got, want := codingsText(all), "br 2.3 kB, zstd when it is asked for, gzip not worth it, x being encoded"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var out bytes.Buffer
	(&teller{out: &out}).cache(&gateway.ExplainedCache{Does: "fresh", Why: "it is sent as it is stored", Sent: "in br"})
	if !strings.Contains(out.String(), "  sent    in br\n") {
		t.Errorf("%q", out.String())
	}
}
