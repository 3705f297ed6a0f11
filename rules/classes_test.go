package rules

import (
	"strings"
	"testing"
	"time"
)

// Few bytes of a pattern can take seconds to read: those are refused before it is
// read, and nothing that people write is.
func TestClassesThatTakeLong(t *testing.T) {
	t.Parallel()
	repeat := strings.Repeat
	long := []string{
		`(?i)[` + repeat("B-𞥂", 300) + `]`, `(?si)` + repeat("[B-𞥂]", 200), `(?i:[` + repeat(`B-\x{1E942}`, 300) + `])`, `a(?-s)(?mi)[` + repeat("B-𞥂", 17) + `]`,
		`[` + repeat(`\pL`, 3500) + `]`, repeat(`\PL`, 1900), `[^` + repeat(`\p{Greek}`, 600) + `]`,
	}
	for _, pattern := range long {
		began := time.Now()
		_, errs := language(t).Compile("test", "path matches `"+pattern+"`")
		if errs == nil || !strings.Contains(errs[0].Message, "too many classes") {
			t.Errorf("%.40s: %v, want that there are too many classes", pattern, errs)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%.40s: refused after %v", pattern, took)
		}
	}
	if _, errs := language(t).Compile("test", repeat("path matches `(?i)["+repeat("B-𞥂", 4)+"]` and ", 8)+"true"); errs == nil {
		t.Error("the patterns of one expression are not counted together")
	}
	for _, pattern := range []string{
		`(?i)^/[a-zà-öø-ÿ0-9_-]+$`, `^(?i:` + repeat(`\w{8}-\w{4}-\w{4}-\w{4}-\w{12}/`, 10) + `)`, `^[\p{L}\p{N}]+$`, `(?i)` + repeat("google-bot|", 60) + "x",
		`[` + repeat("Ā-ɏ", 100) + `]`,
	} {
		compile(t, language(t), "path matches `"+pattern+"`")
	}
}
