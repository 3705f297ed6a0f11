package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"weirkeep/gateway/rollout"
)

// RolloutsFile is where a gateway keeps its roll-outs, so that they go on after a
// restart.
func RolloutsFile(stateDir string) string { return filepath.Join(stateDir, "rollouts.json") }

// savedRollouts is the file's content.
type savedRollouts struct {
	Schema   int            `json:"schema"` // 1
	Rollouts []savedRolling `json:"rollouts"`
}

type savedRolling struct {
	Active  string        `json:"active"` // that the configuration said when it began
	Rollout rollout.Saved `json:"rollout"`
}

func (rs rollouts) encode() []byte {
	s := savedRollouts{Schema: 1, Rollouts: []savedRolling{}}
	for _, name := range sortedKeys(rs) {
		s.Rollouts = append(s.Rollouts, savedRolling{rs[name].Active, rs[name].Save()})
	}
	text, _ := json.MarshalIndent(s, "", "  ") // of types that can all be written
	return append(text, '\n')
}

// equal reports whether two would be the same file.
func (rs rollouts) equal(others rollouts) bool { return string(rs.encode()) == string(others.encode()) }

// save writes the file, which is whole whenever it is there.
func (rs rollouts) save(stateDir string) error {
	file := RolloutsFile(stateDir)
	err := os.MkdirAll(stateDir, 0o700)
	if err == nil {
		err = renameio.WriteFile(file, rs.encode(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("the roll-out cannot be kept in node.state_dir: %w", err)
	}
	return nil
}

// loadRollouts reads the file. That there is none means that there are no roll-outs.
func loadRollouts(stateDir string) (rollouts, error) {
	all, file := make(rollouts), RolloutsFile(stateDir)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	var s savedRollouts
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if s.Schema != 1 {
		return nil, fmt.Errorf("%s: schema %d is not known, only 1 is", file, s.Schema)
	}
	for _, saved := range s.Rollouts {
		r, err := rollout.Load(saved.Rollout)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all[saved.Rollout.Application] = &rolling{r, saved.Active}
	}
	return all, nil
}
