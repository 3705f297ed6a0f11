package gateway

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var reportRow = regexp.MustCompile(`"([A-Z][A-Z0-9]-\d\d):`)

// Every report of testdata/reports.txt is the name of a row, or has a reason why
// it is not.
func TestReportsAreAllTested(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	files, _ := filepath.Glob("reports_*_test.go")
	for _, file := range files {
		for _, m := range reportRow.FindAllStringSubmatch(reportText(t, file), -1) {
			tested[m[1]] = true
		}
	}
	listed := map[string]bool{}
	for line := range strings.Lines(reportText(t, "testdata/reports.txt")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
		listed[id] = true
		if tested[id] == (reason != "") {
			t.Errorf("%s: tested %v, reason %q; want one of both", id, tested[id], reason)
		}
	}
	for id := range tested {
		if !listed[id] {
			t.Errorf("%s is tested and not in the list", id)
		}
	}
	if len(listed) < 60 {
		t.Errorf("the list has %d reports", len(listed))
	}
}

func reportText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
