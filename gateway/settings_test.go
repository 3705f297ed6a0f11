package gateway

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/config"
)

// A reload that closes an origin in another way than was so when an operator closed
// it says that this has no effect.
func TestReloadWarnsOfSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, set, after, want string }{
		{"unchanged", "serving", "disabled", "serving", ""},
		{"changed below it", "serving", "disabled", "draining", "state is draining, and was serving when an operator made it disabled for a ("},
		{"opened below it", "draining", "maintenance", "serving", "state is serving, and was draining when an operator made it maintenance for a ("},
		{"as closed", "serving", "draining", "draining", ""},
		{"more closed", "serving", "draining", "disabled", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := startOperate(t, "a", "b")
			a := o.homes[0]
			a.settings = ", state: " + tt.before
			apply(t, o.g, o.text())
			o.operate(tt.set, "a")
			a.settings = ", state: " + tt.after
			cfg := load(t, o.text())
			for what, problems := range map[string]config.Problems{"reload": o.g.Apply(cfg), "check": Check(cfg)} {
				found := ""
				for _, p := range problems {
					if p.Code == "W811" {
						found = p.Message
						if p.Line == 0 || !strings.Contains(p.Hint, "weirkeep origin enable a ") {
							t.Errorf("%s: %+v", what, p)
						}
					}
				}
				if found == "" != (tt.want == "") || !strings.Contains(found, tt.want) {
					t.Errorf("%s warns %q, want %q", what, found, tt.want)
				}
			}
		})
	}
}

// What is set of an origin waits for it while the configuration does not name it, and
// is forgotten in the end.
func TestSettingOfAnOriginThatIsGone(t *testing.T) {
	t.Parallel()
	all := func(t *testing.T) *operateTest {
		o := startOperate(t, "a", "b")
		o.operate("disabled", "a")
		o.homes = o.homes[1:]
		apply(t, o.g, o.text())
		o.want("gone", "b")
		return o
	}
	back := func(o *operateTest, after time.Duration, want string) {
		o.t.Helper()
		o.ahead += after
		o.restart()
		o.homes = append(newHomes(o.t, "a"), o.homes...)
		o.homes[0].addr = o.gone()
		apply(o.t, o.g, o.text())
		o.want("back", want)
	}
	t.Run("back after a week", func(t *testing.T) {
		t.Parallel()
		back(all(t), 7*24*time.Hour, "a disabled by operator, b")
	})
	t.Run("back after long", func(t *testing.T) {
		t.Parallel()
		o := all(t)
		address := o.gone()
		o.ahead = 31 * 24 * time.Hour
		o.restart()
		if kept, err := loadSettings(o.state); err != nil || len(kept) != 0 {
			t.Errorf("%v of %s is kept, %v", kept, address, err)
		}
	})
	t.Run("taken back", func(t *testing.T) {
		t.Parallel()
		o := all(t)
		done := o.operate("serving", "a")
		if len(done) != 1 || done[0].Before != (Standing{}) || done[0].Cluster != "" {
			t.Errorf("%+v", done)
		}
		if kept, err := loadSettings(o.state); err != nil || len(kept) != 0 {
			t.Errorf("%v is kept, %v", kept, err)
		}
	})
}

// gone is the address of the one origin that is set and not there.
func (o *operateTest) gone() string {
	o.t.Helper()
	kept, err := loadSettings(o.state)
	if err != nil || len(kept) != 1 {
		o.t.Fatalf("%v, %v", kept, err)
	}
	for address := range kept {
		return hostPortOf(address)
	}
	return ""
}

// A file that is none of settings costs what is set, and is kept.
func TestSettingsFileThatIsWrong(t *testing.T) {
	t.Parallel()
	const web = `{"schema":1,"settings":[{"address":%q,"name":"a","state":{"value":%q,"over":"serving","by":"x","at":"2026-01-01T00:00:00Z"}}]}`
	for _, tt := range []struct{ name, text, want string }{
		{"no JSON", "settings", "invalid character"},
		{"empty", "", "unexpected end"},
		{"half a file", fmt.Sprintf(web, "http://a", "disabled")[:40], "unexpected end"},
		{"later schema", `{"schema":2,"settings":[]}`, "schema 2 is not known"},
		{"no address", fmt.Sprintf(web, "", "disabled"), "has no address"},
		{"unknown state", fmt.Sprintf(web, "http://a", "asleep"), `state "asleep" is none`},
		{"serving", fmt.Sprintf(web, "http://a", "serving"), `state "serving" is none`},
		{"weight", `{"schema":1,"settings":[{"address":"http://a","weight":{"value":101}}]}`, "weight 101 is none"},
		{"nothing", `{"schema":1,"settings":[{"address":"http://a"}]}`, "nothing is set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := &operateTest{homes: newHomes(t, "a", "b"), t: t, state: t.TempDir()}
			if err := os.WriteFile(SettingsFile(o.state), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg := load(t, o.text())
			if ps := Check(cfg); ps.Warnings() != 1 || ps[0].Code != "W812" || !strings.Contains(ps[0].Message, tt.want) {
				t.Errorf("check: %v", ps)
			}
			g := New(o.options())
			t.Cleanup(func() { g.Close() })
			if ps := g.Apply(cfg); ps.Errors() != 0 || ps.Warnings() != 1 || ps[0].Code != "W812" || !strings.Contains(ps[0].Message, tt.want) {
				t.Errorf("start: %v", ps)
			}
			o.g = g
			o.operate("draining", "a")
			kept, err := filepath.Glob(SettingsFile(o.state) + ".broken-*")
			if err != nil || len(kept) != 1 {
				t.Fatalf("kept aside: %q, %v", kept, err)
			}
			if got, _ := os.ReadFile(kept[0]); string(got) != tt.text {
				t.Errorf("kept %q, want %q", got, tt.text)
			}
			if ps := g.Apply(cfg); len(ps) != 0 {
				t.Errorf("a reload tells it again: %v", ps)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		t.Parallel()
		o := &operateTest{homes: newHomes(t, "a", "b"), t: t, state: t.TempDir()}
		if err := os.Mkdir(SettingsFile(o.state), 0o700); err != nil {
			t.Fatal(err)
		}
		g := New(o.options())
		t.Cleanup(func() { g.Close() })
		if ps := g.Apply(load(t, o.text())); ps.Errors() != 1 || ps[0].Code != "E807" {
			t.Errorf("%v, want E807", ps)
		}
	})
}

// Files that were kept aside do not pile up: the newest few stay, whatever else is there.
func TestBrokenSettingsDoNotPileUp(t *testing.T) {
	dir := t.TempDir()
	file := SettingsFile(dir)
	other := filepath.Join(dir, "rollouts.json")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var all []string
	for n := range 2 * mostAside {
		if err := os.WriteFile(file, fmt.Append(nil, n), 0o600); err != nil {
			t.Fatal(err)
		}
		as, err := putAside(dir, time.Date(2026, 12, 31, 23, 59, 55+n, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, as)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "*"))
	if want := append([]string{other}, all[mostAside:]...); err != nil || !slices.Equal(kept, want) {
		t.Errorf("%q are kept, want %q", kept, want)
	}
}
