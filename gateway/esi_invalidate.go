package gateway

import (
	"bytes"
	"log/slog"

	"weirkeep/gateway/esi"
	"weirkeep/gateway/invalidation"
)

// obey does what the invalidate elements of a template say. It is called when the template is
// read, for sites that are trusted with it: once for each answer that is stored. Nothing of the outcome
// is shown in the page.
func (g *Gateway) obey(orders []esi.Invalidation, url string) {
	snap := g.acquire()
	defer snap.release()
	for i := range orders {
		m, err := invalidation.Parse(bytes.TrimSpace(orders[i].Body))
		if err != nil || m.Preview {
			g.log.Warn("an esi:invalidate is no invalidation message, and nothing is done", slog.String("url", url), slog.Any("error", err))
			continue
		}
		for j := range m.Objects {
			result := g.invalidateObject(snap, &m.Objects[j])
			g.log.Info("a template has invalidated", slog.String("url", url), slog.Int("object", j+1),
				slog.String("status", string(result.Status)), slog.Int("objects", result.Count))
		}
	}
}
