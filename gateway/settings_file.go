package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"weirkeep/gateway/config"
)

// SettingsFile is where a gateway keeps what operators have set, so that it holds
// after a restart.
func SettingsFile(stateDir string) string { return filepath.Join(stateDir, "settings.json") }

// savedSettings is the file's content.
type savedSettings struct {
	Schema   int       `json:"schema"` // 1
	Settings []setting `json:"settings"`
}

func (ss settings) encode() []byte {
	s := savedSettings{Schema: 1, Settings: []setting{}}
	for _, address := range sortedKeys(ss) {
		s.Settings = append(s.Settings, ss[address])
	}
	text, _ := json.MarshalIndent(s, "", "  ") // of types that can all be written
	return append(text, '\n')
}

// equal reports whether two would be the same file.
func (ss settings) equal(others settings) bool { return bytes.Equal(ss.encode(), others.encode()) }

// save writes the file, which is whole whenever it is there.
func (ss settings) save(stateDir string) error {
	err := os.MkdirAll(stateDir, 0o700)
	if err == nil {
		err = renameio.WriteFile(SettingsFile(stateDir), ss.encode(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("what is set cannot be kept in node.state_dir: %w", err)
	}
	return nil
}

// errNoSettings means that a file is there and is not one of settings.
var errNoSettings = errors.New("this is not what operators have set")

// loadSettings reads the file. That there is none means that nothing is set. An error
// is [errNoSettings], or one of reading.
func loadSettings(stateDir string) (settings, error) {
	text, err := os.ReadFile(SettingsFile(stateDir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return settings{}, nil
	case err != nil:
		return settings{}, err
	}
	all, err := decodeSettings(text)
	if err != nil {
		return settings{}, fmt.Errorf("%w: %w", errNoSettings, err)
	}
	return all, nil
}

func decodeSettings(text []byte) (settings, error) {
	var s savedSettings
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	if s.Schema != 1 {
		return nil, fmt.Errorf("schema %d is not known, only 1 is", s.Schema)
	}
	all := make(settings)
	for _, one := range s.Settings {
		if err := one.validate(); err != nil {
			return nil, err
		}
		all[one.Address] = one
	}
	return all, nil
}

// maxWeight is the largest weight of an origin.
const maxWeight = 100

// empty reports that nothing is set.
func (s setting) empty() bool { return s.State.Value == "" && s.Weight.Value == 0 }

// validate refuses what no operator can have set.
func (s setting) validate() error {
	switch a := adminStateOf(s.State.Value); {
	case s.Address == "":
		return errors.New("a setting has no address")
	case s.State.Value != "" && (a == serving || a.String() != s.State.Value):
		return fmt.Errorf("%s: state %q is none that can be set", s.Address, s.State.Value)
	case s.Weight.Value < 0 || s.Weight.Value > maxWeight:
		return fmt.Errorf("%s: weight %d is none that can be set", s.Address, s.Weight.Value)
	case s.empty():
		return fmt.Errorf("%s: nothing is set", s.Address)
	}
	return nil
}

// brokenSettings is what is to be said of a file of settings that cannot be used.
func brokenSettings(cfg *config.Config, err error) config.Problem {
	const path = "node.state_dir"
	file := SettingsFile(cfg.Node.StateDir)
	if errors.Is(err, errNoSettings) {
		return cfg.At(path, config.Warning, "W812", fmt.Sprintf("%s: %s: %v", path, file, err),
			"a gateway that starts keeps the file aside, and goes by the configuration alone: weirkeep origin ls says how origins are then")
	}
	return cfg.At(path, config.Error, "E807", fmt.Sprintf("%s: what operators have set cannot be read: %v", path, err), "")
}

// mostAside is how many files of settings are kept aside, the newest.
const mostAside = 5

// putAside gives a file of settings that cannot be used another name, so that it is
// not lost when the next one is written. The oldest such files go.
func putAside(stateDir string, now time.Time) (as string, err error) {
	file := SettingsFile(stateDir)
	as = file + ".broken-" + now.UTC().Format("20060102T150405.000Z")
	if err := os.Rename(file, as); err != nil {
		return as, err
	}
	aside := filesAside(file)
	for _, old := range aside[:max(len(aside)-mostAside, 0)] {
		os.Remove(old) // nobody needs it, and it harms nobody
	}
	return as, nil
}

// filesAside are the files that were kept aside, the oldest first: their names have the time.
func filesAside(file string) (all []string) {
	entries, _ := os.ReadDir(filepath.Dir(file)) // in order
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(file)+".broken-") {
			all = append(all, filepath.Join(filepath.Dir(file), e.Name()))
		}
	}
	return all
}

// checkSettings says what a start would say of what operators have set, as far as it
// can be read: who checks a configuration is not always the gateway's user.
func checkSettings(cfg *config.Config) config.Problems {
	kept, err := loadSettings(cfg.Node.StateDir)
	if errors.Is(err, errNoSettings) {
		return config.Problems{brokenSettings(cfg, err)}
	}
	return kept.warnings(cfg, time.Now())
}

// saveBroken keeps a file of settings aside that cannot be used, when its place is
// about to be taken by another one.
func (p *preparation) saveBroken() {
	if !slices.ContainsFunc(p.problems, func(p config.Problem) bool { return p.Code == "W812" }) {
		return
	}
	as, err := putAside(p.cfg.Node.StateDir, p.g.now(time.Now()))
	if err != nil {
		p.problem("node.state_dir", "E807", "node.state_dir: what operators have set cannot be read, and not be kept aside: %v", err)
		return
	}
	p.g.log.Error("what operators have set cannot be read: origins are as the configuration says", "kept_as", as)
}
