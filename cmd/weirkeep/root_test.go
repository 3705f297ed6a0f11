package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestTheNearWordIsMeant(t *testing.T) {
	known := []string{"check", "config", "reload", "serve", "version"}
	for _, tt := range []struct{ written, want string }{
		{"chek", `did you mean "check"?`},
		{"chekc", `did you mean "check"?`},
		{"relaod", `did you mean "reload"?`},
		{"ver", `did you mean "version"?`},
		{"conf", `did you mean "config"?`},
		{"s", "look there"},
		{"frobnicate", "look there"},
	} {
		if got := didYouMean(tt.written, known, "look there"); got != tt.want {
			t.Errorf("didYouMean(%q) = %q, want %q", tt.written, got, tt.want)
		}
	}
}

// TestCommandsExplainThemselves: each has a line for the list, and a help text
// on standard output.
func TestCommandsExplainThemselves(t *testing.T) {
	for _, c := range (&app{}).root().Commands() {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: the line for the list is %q", c.Name(), c.Short)
		}
		var stdout, stderr bytes.Buffer
		status := run([]string{c.Name(), "--help"}, strings.NewReader(""), &stdout, &stderr)
		if status != exitOK || !strings.Contains(stdout.String(), "Usage:") || stderr.Len() > 0 {
			t.Errorf("%s --help ends with %d, prints %q and says %q", c.Name(), status, &stdout, &stderr)
		}
	}
}

// TestAdviceCanBePasted: it calls the program as it was called.
func TestAdviceCanBePasted(t *testing.T) {
	if advice := strings.Join(demoAdvice(demoPlan{}, "bin/weirkeep"), "\n"); !strings.Contains(advice, " bin/weirkeep init weirkeep.yaml ") {
		t.Errorf("the demo's advice is\n%s", advice)
	}
}
