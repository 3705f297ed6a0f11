package esi

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// languageRules are the numbered rules of the specification that are about the language and
// the assembly of pages: when a response is a template (E), syntax (S), elements (I),
// variables (V), expressions (X), errors (R), caching (C), delivery (D), security (Z), limits
// (7) and corner cases (13).
const languageRules = `E4 S1 S2 S3 S4 S5 S6 S7 I1 I2 I3 V1 V2 V3 V4 V5 X1 X2 X3 X4 X5 R1 R2 R3 R4 R5 R6 C8 C9 D1 D2 D3 D5 D7 Z1 Z2 7
13-1 13-2 13-3 13-4 13-5 13-6 13-7 13-8 13-9 13-10 13-13 13-16 13-17 13-18 13-19 13-23 13-24 13-25 13-26 13-27 13-31 13-32 13-33 13-34
13-36 13-37 13-38`

// Every rule has a row or a test that names it, by its id at the start of the row's name or
// of the test's comment, so that it can be found.
func TestEveryRuleHasATest(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests were found: %v", err)
	}
	named := regexp.MustCompile(`(?m)(?:\{(?:id: )?"|^// |\()((?:(?:, )?(?:[A-Z]\d|13-\d+|7))+)[ :)]`)
	seen := make(map[string]bool)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			for rule := range strings.SplitSeq(string(m[1]), ", ") {
				seen[rule] = true
			}
		}
	}
	rules := strings.Fields(languageRules)
	for _, rule := range rules {
		if !seen[rule] {
			t.Errorf("no test names rule %s", rule)
		}
	}
	for rule := range seen {
		if !slices.Contains(rules, rule) {
			t.Errorf("tests name rule %s, which is none of the language's", rule)
		}
	}
}
