package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weirkeep/gateway/config"
)

// What the README shows works: its configurations are good ones.
func TestConfigurationsOfTheReadme(t *testing.T) {
	blocks := readmeBlocks(t, "yaml")
	if len(blocks) < 2 {
		t.Fatalf("%d yaml blocks in the README, want the two there were", len(blocks))
	}
	head := "listeners: [{ address: \":8080\" }]\n"
	for _, block := range blocks {
		if strings.HasPrefix(block, "tests:") {
			continue // of rules: see below
		}
		if !strings.Contains(block, "listeners:") {
			block = head + block
		}
		file := filepath.Join(readmeFolder(t), "weirkeep.yaml")
		if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, problems := config.Load(file); len(problems) > 0 {
			t.Errorf("%v\nin\n%s", problems, block)
		}
	}
}

// The tests of rules that it shows pass, with the rules that it shows.
func TestRuleTestsOfTheReadme(t *testing.T) {
	dir := t.TempDir()
	tests, rules := filepath.Join(dir, "rules_test.yaml"), filepath.Join(dir, "weirkeep.yaml")
	for _, block := range readmeBlocks(t, "yaml") {
		file := filepath.Join(dir, "other.yaml")
		switch {
		case strings.HasPrefix(block, "tests:"):
			file = tests
		case strings.Contains(block, "\nrules:"):
			file = rules
		}
		if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	code := run([]string{"rules", "test", tests, "-c", rules}, strings.NewReader(""), &out, &out)
	if code != exitOK || !strings.Contains(out.String(), "2 passed, 0 failed") {
		t.Errorf("exit %d:\n%s", code, &out)
	}
}

// The program says what it is in the README's words.
func TestPurposeIsTheReadmes(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\n"+purpose+"\n") {
		t.Errorf("the README does not say %q", purpose)
	}
}

// readmeFolder has the files that the README's configurations name.
func readmeFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"tls/site.pem", "tls/site.key", "tls/origins.pem", "pages/network.html", "pages/busy.html", "pages/fragment.html", "redact.wasm"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("here"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Every command that the README or a help text tells people to type is one, with
// the flags and as many arguments as it takes (DX-04).
func TestCommandsThatAreShown(t *testing.T) {
	blocks := readmeBlocks(t, "console")
	for _, name := range commandNames((&app{}).root()) {
		if c, _, err := (&app{}).root().Find([]string{name}); err == nil {
			for _, c := range append(c.Commands(), c) {
				blocks = append(blocks, c.Example)
			}
		}
	}
	shown := regexp.MustCompile(`(?m)(?:^|[|$#&]) *weirkeep ([^#|>&\n]*)`)
	n := 0
	for _, block := range blocks {
		for _, m := range shown.FindAllStringSubmatch(block, -1) {
			n++
			if err := understood(shellWords(m[1])); err != nil {
				t.Errorf("weirkeep %s: %v", m[1], err)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d commands are shown, want at least 20", n)
	}
}

// understood says what is wrong with a command line; nothing is run.
func understood(args []string) error {
	c, rest, err := (&app{}).root().Find(args)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil || !c.Runnable() {
		return fmt.Errorf("not runnable, or %v", err)
	}
	return c.ValidateArgs(c.Flags().Args())
}

// shellWords splits a line at blanks, but not within single quotes.
func shellWords(line string) (words []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// readmeBlocks are the fenced blocks of one language.
func readmeBlocks(t *testing.T, language string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?s)```" + language + "\n(.*?)```")
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}
