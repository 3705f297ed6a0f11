package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"weirkeep/gateway/discover"
)

// FoundFile is where a gateway keeps what DNS has told, so that it has origins when it
// starts while DNS is down.
func FoundFile(stateDir string) string { return filepath.Join(stateDir, "found.json") }

// savedFound is the file's content.
type savedFound struct {
	Schema   int                     `json:"schema"` // 1
	Clusters map[string]savedOrigins `json:"clusters"`
}

type savedOrigins struct {
	Source  string            `json:"source"` // where they were found
	Origins []discover.Origin `json:"origins"`
}

// keepFound writes the file, if it would be another one. The caller holds applying.
func (g *Gateway) keepFound() {
	s := savedFound{1, make(map[string]savedOrigins)}
	for name, f := range g.discovery.all() {
		if f.where.DNS == nil {
			continue
		}
		var origins []discover.Origin
		for _, o := range f.latest() {
			origins = append(origins, discover.Origin{Address: o.HostPort, Host: o.Host, Weight: o.Weight})
		}
		if len(origins) > 0 {
			s.Clusters[name] = savedOrigins{f.where.String(), origins}
		}
	}
	if len(s.Clusters) == 0 && g.discovery.kept == "" {
		return
	}
	text, _ := json.MarshalIndent(s, "", "  ") // of types that can all be written
	if string(text) == g.discovery.kept {
		return
	}
	dir := g.applied.config.Node.StateDir
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = renameio.WriteFile(FoundFile(dir), append(text, '\n'), 0o600)
	}
	if err != nil {
		g.log.Error("after a restart without DNS there would be other origins than now", "because", err)
		return
	}
	g.discovery.kept = string(text)
}

// recall gives finders that have no answer what DNS told before the start.
func (g *Gateway) recall(stateDir string, finders map[string]*finder) {
	var silent []*finder
	for _, f := range finders {
		if f.where.DNS != nil && f.latest() == nil {
			silent = append(silent, f)
		}
	}
	if len(silent) == 0 {
		return
	}
	saved, err := loadFound(stateDir)
	if err != nil {
		g.log.Error("the origins that DNS told of before the start are not known", "because", err)
	}
	for _, f := range silent {
		if s := saved.Clusters[f.cluster]; s.Source == f.where.String() && len(s.Origins) > 0 {
			f.remember(s.Origins)
			g.log.Warn("origins are those of before the start", "cluster", f.cluster, "origins", foundText(f.latest()))
		}
	}
}

// loadFound reads the file. That there is none means that nothing was found.
func loadFound(stateDir string) (s savedFound, err error) {
	file := FoundFile(stateDir)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return savedFound{}, fmt.Errorf("%s: %w", file, err)
	}
	if s.Schema != 1 {
		return savedFound{}, fmt.Errorf("%s: schema %d is not known, only 1 is", file, s.Schema)
	}
	return s, nil
}
