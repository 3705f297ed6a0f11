package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAdminIsFoundInAFileWithMistakes(t *testing.T) {
	for _, tt := range []struct {
		name, text      string
		address, socket string
		token           Secret
		unknown         bool
	}{
		{name: "nothing wrong", text: smallest + `admin: { address: "127.0.0.1:1", token: a }`, address: "127.0.0.1:1", token: "a"},
		{name: "the default", text: smallest, address: "127.0.0.1:9900"},
		{name: "mistakes elsewhere", text: `lisners: 5` + "\n" + `admin: { address: "127.0.0.1:1" }`, address: "127.0.0.1:1"},
		{name: "a certificate is missing", text: `listeners: [{ address: ":1", tls: { certificates: [{ cert: no, key: no }] } }]`, address: "127.0.0.1:9900"},
		{name: "a socket", text: `admin: { socket: /run/s }`, address: "127.0.0.1:9900", socket: "/run/s"},
		{name: "an unknown key beside it", text: `admin: { address: "127.0.0.1:1", tokn: a }`, address: "127.0.0.1:1"},
		{name: "a token that is not there", text: `admin: { address: "127.0.0.1:1", token: "${env:WEIRKEEP_NONE}" }`, address: "127.0.0.1:1"},
		{name: "an include that is no YAML", text: `admin: { address: "127.0.0.1:1" }` + "\ninclude: [broken.yaml]", address: "127.0.0.1:1"},
		{name: "an include that is no YAML and might say it", text: smallest + "include: [broken.yaml]", unknown: true},
		{name: "no YAML", text: smallest + `admin: { address: "127.0.0.1:1"`, unknown: true},
		{name: "misspelt", text: `admin: { adress: "127.0.0.1:1" }`, unknown: true},
		{name: "misspelt above", text: `admn: { address: "127.0.0.1:1" }`, unknown: true},
		{name: "malformed", text: `admin: { address: "127.0.0.1" }`, unknown: true},
		{name: "empty", text: "", unknown: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"w.yaml": tt.text, "broken.yaml": "a: ]"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			a, _, problems := AdminOf(filepath.Join(dir, "w.yaml"))
			if (problems.Errors() > 0) != tt.unknown {
				t.Errorf("problems, want some: %v\n%v", tt.unknown, problems)
			}
			if want := (Admin{Address: tt.address, Socket: tt.socket, Token: tt.token}); a != want {
				t.Errorf("got %q, %q, %q, want %q, %q, %q", a.Address, a.Socket, string(a.Token), want.Address, want.Socket, string(want.Token))
			}
		})
	}
}

func TestStateDirectoryIsFoundInAFileWithMistakes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "w.yaml"), []byte("nodes: 5\nnode: { state_dir: state }"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, got, problems := AdminOf(filepath.Join(dir, "w.yaml")); got != filepath.Join(dir, "state") || len(problems) > 0 {
		t.Errorf("state directory %s, problems %v", got, problems)
	}
	if _, _, problems := AdminOf(filepath.Join(dir, "none.yaml")); problems.Errors() != 1 || problems[0].Code != "E101" {
		t.Errorf("problems %v, want E101", problems)
	}
}
