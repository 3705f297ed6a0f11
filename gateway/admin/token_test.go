package admin

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestTokenIsMadeOnceAndKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	first, made, err := Token(dir)
	if err != nil || !made || len(first) < minToken {
		t.Fatalf("Token() = %q, %v, %v", first, made, err)
	}
	file, err := os.Stat(TokenFile(dir))
	if err != nil || file.Mode() != 0o600 {
		t.Errorf("file %v, %v; want mode 0600", file, err)
	}
	again, made, err := Token(dir)
	if err != nil || made || again != first {
		t.Errorf("again: %q, %v, %v; want %q", again, made, err, first)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestTokenOfTheFile(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		mode       os.FileMode
		token, err string
	}{
		{"as we wrote it", "0123456789abcdef\n", 0o600, "0123456789abcdef", ""},
		{"read-only", "0123456789abcdef", 0o400, "0123456789abcdef", ""},
		{"readable by all", "0123456789abcdef\n", 0o644, "", "may be read by others (mode 0644)"},
		{"readable by the group", "0123456789abcdef\n", 0o640, "", "may be read by others"},
		{"empty", "\n", 0o600, "", "16 or more"},
		{"too short", "0123456789abcde", 0o600, "", "16 or more"},
		{"two lines", "0123456789abcdef\n0123456789abcdef", 0o600, "", "visible"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(TokenFile(dir), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(TokenFile(dir), tt.mode); err != nil {
				t.Fatal(err)
			}
			token, made, err := Token(dir)
			if token != tt.token || made {
				t.Errorf("token %q, made %v", token, made)
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || !strings.Contains(err.Error(), TokenFile(dir))) {
				t.Errorf("error %v, want %q and the path in it", err, tt.err)
			}
		})
	}
}

func TestHammerToken(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	tokens := map[string]int{}
	makers := 0
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			token, made, err := Token(dir)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			tokens[token]++
			if made {
				makers++
			}
		})
	}
	wg.Wait()
	if len(tokens) != 1 || makers != 1 {
		t.Errorf("%d tokens by %d makers, want one", len(tokens), makers)
	}
}
