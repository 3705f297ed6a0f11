package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loadFrom loads /etc/w.yaml on a machine that has these files only.
func loadFrom(files map[string]string) (*Config, Problems) {
	l := newLoader(machine{
		read: func(path string, most int64) ([]byte, error) {
			text, ok := files[path]
			switch {
			case !ok:
				return nil, errors.New("no such file or directory")
			case text == "unreadable":
				return nil, errors.New("permission denied")
			case int64(len(text)) > most:
				return nil, errors.New("too large")
			}
			return []byte(text), nil
		},
		glob: func(pattern string) (names []string, err error) {
			for _, name := range sortedKeys(files) {
				if ok, err := filepath.Match(pattern, name); ok || err != nil {
					names = append(names, name)
				}
			}
			return names, nil
		},
		env:  func(string) (string, bool) { return "", false },
		host: func() (string, error) { return "", errors.New("none") },
	})
	return l.load("/etc/w.yaml", []byte(files["/etc/w.yaml"]))
}

const smallest = "listeners: [{ address: \":8080\" }]\nclusters: { app: { origins: [{ address: \"127.0.0.1:9001\" }] } }\n"

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, make([]byte, maxFileBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"missing", dir + "/none.yaml", "no such file or directory"},
		{"directory", dir, "it is a directory"},
		{"device", "/dev/zero", "it is not a regular file"},
		{"too large", large, "it is larger than 1048576 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := Load(tt.path)
			want := "error E101: cannot read " + tt.path + ": " + tt.want
			if got, _, _ := strings.Cut(problems.Error(), "\n"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if missing := tt.name == "missing"; strings.Contains(problems.Error(), "weirkeep init "+tt.path) != missing {
				t.Errorf("offers to make it, want that for a missing file alone:\n%v", problems)
			}
		})
	}
}

func TestUnreadableFilesAreNamed(t *testing.T) {
	_, problems := loadFrom(map[string]string{
		"/etc/w.yaml":      smallest + "include: [conf/*.yaml]\nadmin: { token: \"${file:secret}\" }\n",
		"/etc/conf/a.yaml": "unreadable",
		"/etc/secret":      "unreadable",
	})
	for _, want := range []string{
		"/etc/w.yaml:3:11: error E101: include[0]: cannot read /etc/conf/a.yaml: permission denied",
		"/etc/w.yaml:4:17: error E107: admin.token: cannot read /etc/secret: permission denied",
	} {
		if !strings.Contains(problems.Error(), want) {
			t.Errorf("%s\nis not in\n%v", want, problems)
		}
	}
}

func TestTooMuchIsRefused(t *testing.T) {
	many := strings.Repeat("*h, ", 2000)
	for _, tt := range []struct{ name, text, want string }{
		{"aliases of aliases", smallest + "sites:\n  a: &s { hosts: &l [" + strings.Repeat("x, ", 2000) + "] }\n" +
			repeat(2000, "  s%d: *s\n"), "more than 300000 values"},
		{"aliases in a list", smallest + "sites: { a: { hosts: [&h x, " + many + "] } }\n", ""},
		{"mistakes", smallest + repeat(2000, "k%d: 1\n"), "so many mistakes"},
		{"lines", smallest + repeat(maxLines, "# %d\n"), "w.yaml:25001:1: error E109: more than 25000 lines"},
		{"tags", smallest + "node: " + strings.Repeat("!a ", 100) + "b\n", "nested more than 64 deep"},
		{"entries", smallest + "include: " + "\n" + strings.Repeat("- ", 100) + "b\n", "nested more than 64 deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := Parse("w.yaml", []byte(tt.text))
			if len(problems) > maxProblems+1 || !strings.Contains(problems.Error(), tt.want) {
				t.Errorf("%d problems, none with %q; the first: %v", len(problems), tt.want, problems[:min(1, len(problems))])
			}
		})
	}
}

// repeat is n lines of a format with the line's number.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestIncludesEndSomewhere(t *testing.T) {
	files := map[string]string{"/etc/w.yaml": smallest + "include: [\"conf/*.yaml\"]\n"}
	for i := range maxFiles + 1 {
		files[fmt.Sprintf("/etc/conf/%04d.yaml", i)] = "# nothing\n"
	}
	_, problems := loadFrom(files)
	if !strings.Contains(problems.Error(), "larger than 1000 files") {
		t.Errorf("problems: %v", problems)
	}
}

func TestDefaultsOfTheMachine(t *testing.T) {
	env := func(vars map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	}
	for _, tt := range []struct {
		name      string
		machine   machine
		dir, node string
	}{
		{"root", machine{root: true, host: hostNamed("edge"), env: env(nil)}, "/var/lib/weirkeep", "edge"},
		{"state home", machine{host: hostNamed("a.example"), env: env(map[string]string{"XDG_STATE_HOME": "/s", "HOME": "/h"})}, "/s/weirkeep", "a.example"},
		{"service manager", machine{root: true, host: hostNamed("a.example"), env: env(map[string]string{"STATE_DIRECTORY": "/run/state", "HOME": "/h"})}, "/run/state", "a.example"},
		{"home", machine{host: hostNamed("not a token"), env: env(map[string]string{"XDG_STATE_HOME": "relative", "HOME": "/h"})}, "/h/.local/state/weirkeep", "weirkeep"},
	} {
		if dir, node := tt.machine.stateDir(), tt.machine.nodeName(); dir != tt.dir || node != tt.node {
			t.Errorf("%s: %s and %s, want %s and %s", tt.name, dir, node, tt.dir, tt.node)
		}
	}
}

func hostNamed(name string) func() (string, error) {
	return func() (string, error) { return name, nil }
}

func TestProblemsAtPaths(t *testing.T) {
	cfg, problems := loadFrom(map[string]string{
		"/etc/w.yaml": smallest + `sites: { shop: { hosts: [shop.example] } }
mappings:
  - { site: shop, prefix: /a, cluster: app }
include: [more.yaml]
`,
		"/etc/more.yaml": "mappings:\n  - site: shop\n    cluster: app\norigins: {}\n",
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, tt := range []struct{ name, path, file, caret string }{
		{"value", "mappings[0].prefix", "/etc/w.yaml:5:27", "/a"},
		{"entry of a block list in an included file", "mappings[1]", "/etc/more.yaml:2:5", "site"},
		{"value in an included file", "mappings[1].cluster", "/etc/more.yaml:3:14", "app"},
		{"key that was not written", "mappings[1].prefix", "/etc/more.yaml:2:5", "site"},
		{"default far below", "clusters.app.retry.retries", "/etc/w.yaml:2:13", "app"},
		{"origin", "clusters.app.origins[0].address", "/etc/w.yaml:2:41", `"127.0.0.1:9001"`},
		{"nothing near", "access_log.format", "/etc/w.yaml:1:1", "listeners"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := cfg.At(tt.path, Warning, "W310", "said", "do")
			place := fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
			lines := strings.Split(p.Excerpt, "\n")
			if place != tt.file || strings.Count(lines[len(lines)-1], "^") != len(tt.caret) {
				t.Errorf("%s\nis not at %s under %s", p, tt.file, tt.caret)
			}
			if p.Severity != Warning || p.Code != "W310" || p.Message != "said" || p.Hint != "do" {
				t.Errorf("problem is %+v", p)
			}
		})
	}
}

func TestProblemsAreCountedAndSorted(t *testing.T) {
	cfg, problems := Parse("w.yaml", []byte(smallest+"trusted_proxies: [0.0.0.0/0]\n"))
	if cfg == nil || problems.Warnings() != 1 || problems.Errors() != 0 {
		t.Fatalf("config %v, %d warnings, %d errors", cfg, problems.Warnings(), problems.Errors())
	}
	problems = append(problems, cfg.At("listeners[0].address", Error, "E202", "taken", ""))
	problems.Sort()
	if problems[0].Code != "E202" || problems.Errors() != 1 {
		t.Errorf("problems are %v", problems)
	}
}

func TestProblemIsPrintedAsInTheManual(t *testing.T) {
	_, problems := Parse("weirkeep.yaml", []byte(`listeners: [{ address: ":8080" }]
clusters:
  shop:
    origins:
      - { name: web1, adress: "127.0.0.1:9001" }
`))
	want := `weirkeep.yaml:5:23: error E102: unknown key "adress" in clusters.shop.origins[0]
   4 |     origins:
>  5 |       - { name: web1, adress: "127.0.0.1:9001" }
                             ^^^^^^  did you mean "address"?`
	if got := problems.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is wrong is one line, also where several errors were joined; what would steer a
// terminal is not passed on.
func TestProblemsAreOneLine(t *testing.T) {
	cfg, problems := Parse("weirkeep.yaml", []byte("listeners: [{ address: \":8080\" }]\nclusters: { a: { origins: [{ address: \"127.0.0.1:1\" }] } }\n"))
	if problems.Errors() != 0 {
		t.Fatal(problems)
	}
	joined := errors.Join(errors.New("phase: \"x\ty\" is not known"), errors.New("the editions are two\r\x1b[2J")).Error()
	p := cfg.At("clusters.a", Error, "E806", joined, joined)
	if want := "phase: \"x\\ty\" is not known; the editions are two\ufffd\ufffd[2J"; p.Message != want || p.Hint != want {
		t.Errorf("got %q, hint %q, want %q", p.Message, p.Hint, want)
	}
}

func TestSubstitutionsAreNoSecrets(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		shown      bool
	}{
		{"variable", `admin: { token: "${env:HUSH}", adress: x }`, true},
		{"file in single quotes", `admin: { token: '${file:run/HUSH}', adress: x }`, true},
		{"without quotes", "admin:\n  token: ${env:HUSH} # a comment\n  adress: x", true},
		{"a default", `admin: { token: "${env:A:-HUSH}", adress: x }`, false},
		{"more text", `admin: { token: "${env:A}HUSH", adress: x }`, false},
		{"more text without quotes", "admin:\n  token: ${env:A} HUSH\n  adress: x", false},
		{"list in brackets", `sessions: { a: { keys: [ "${file:HUSH}", '${env:B}' ], adress: x } }`, true},
		{"list in which one is written", `sessions: { a: { keys: ["${file:a}", "HUSH"], adress: x } }`, false},
		{"list in which one has a default", `sessions: { a: { keys: ["${env:A:-HUSH}"], adress: x } }`, false},
		{"key of inputs", `access_log: { inputs_key: "${env:HUSH}" }`, true},
		{"another secret behind it", `admin: { token: "${env:A}", token: HUSH }`, false},
		{"the next line belongs to it", "admin:\n  token: ${env:A}\n    HUSH\n  adress: x", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := strings.Split(tt.text, "\n")
			if shown := strings.Join(maskSecrets(lines), "\n"); strings.Contains(shown, "HUSH") != tt.shown {
				t.Errorf("shown is\n%s", shown)
			}
		})
	}
}

func TestSecretsAreMaskedInExcerpts(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"plain", "admin:\n  token: hush\n  adress: x\n"},
		{"quoted in braces", "admin: { token: \"hu}sh hush\", adress: x }\n"},
		{"JSON", "\"admin\": { \"token\": \"hush\", \"adress\": \"x\" }\n"},
		{"block", "admin:\n  token: |\n    hush\n  adress: x\n"},
		{"folded over blank lines", "admin:\n  token: >\n\n    hush\n  adress: x\n"},
		{"on its own line", "admin:\n  token:\n    hush\n  adress: x\n"},
		{"not closed", "admin:\n  token: \"hush\n  adress: x\n"},
		{"a number", "admin: { token: 4815162342, adress: x }\n"},
		{"list in braces", "sessions: { a: { keys: [\"hush]\", 'hu''sh', hush], adress: x } }\n"},
		{"list over lines", "sessions:\n  a: { keys: [\n  hush,\n\n\"hush\" ], adress: x }\n"},
		{"list over lines, not closed", "sessions:\n  a: { keys: [hush,\n  hush\n  adress: x }\n"},
		{"list with an anchor", "sessions:\n  a: { keys: &k [a, hush], adress: x }\n"},
		{"block list", "sessions:\n  a:\n    keys:\n      - hush\n      - |\n        hush\n    adress: x\n"},
		{"block list below its key", "sessions:\n  a:\n    keys:\n    - hush\n    adress: x\n"},
		{"two in a line", "access_log: { inputs_key: a, inputs_key: hush }\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := Parse("w.yaml", []byte(tt.text))
			if len(problems) == 0 || strings.Contains(problems.Error(), "hush") || strings.Contains(problems.Error(), "4815") {
				t.Errorf("problems: %v", problems)
			}
		})
	}
}

// A network of IPv4 that is written as one of IPv6 is that of IPv4.
func TestMappedNetworks(t *testing.T) {
	cfg, problems := Parse("w.yaml", []byte(smallest+"trusted_proxies: [\"::ffff:10.0.0.0/104\", \"::ffff:192.0.2.7\", \"::/0\"]\n"))
	if cfg == nil {
		t.Fatal(problems)
	}
	for i, want := range []string{"10.0.0.0/8", "192.0.2.7/32", "::/0"} {
		if got := cfg.TrustedProxies[i].String(); got != want {
			t.Errorf("network %d is %s, want %s", i, got, want)
		}
	}
}
