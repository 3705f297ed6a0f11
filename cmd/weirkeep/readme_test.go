package main

import (
	"io"
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
	for _, name := range []string{"tls/site.pem", "tls/site.key", "tls/origins.pem", "pages/network.html", "pages/busy.html"} {
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

// Every command that the README tells people to type is one.
func TestCommandsOfTheReadme(t *testing.T) {
	commands := regexp.MustCompile(`weirkeep ((?:config )?[a-z]+)`)
	n := 0
	for _, block := range readmeBlocks(t, "console") {
		for _, m := range commands.FindAllStringSubmatch(block, -1) {
			n++
			if code := run(append(strings.Fields(m[1]), "--help"), strings.NewReader(""), io.Discard, io.Discard); code != 0 {
				t.Errorf("weirkeep %s --help: exit %d", m[1], code)
			}
		}
	}
	if n < 4 {
		t.Errorf("%d commands in the README, want at least 4", n)
	}
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
