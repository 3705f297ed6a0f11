package gateway

import "weirkeep/abi"

// filters tells of the filters of the site that took the request.
func (e *explanation) filters() {
	d := &e.x.decision
	if d.Site < 0 {
		return
	}
	for _, f := range e.cfg.Sites[e.snap.sites[d.Site].name].Filters {
		e.Filters = append(e.Filters, ExplainedFilter{Plugin: f.Plugin, Stage: f.Stage, Sees: e.snap.sees(f.Plugin, f.Stage), OnError: f.OnError})
	}
}

// sees is what a filter is called for.
func (s *snapshot) sees(plugin, stage string) (all []string) {
	p := s.plugins[plugin]
	if stage != "store" && p.Serves(abi.OnRequest) {
		all = append(all, "requests")
	}
	if p.Serves(abi.OnResponse) {
		all = append(all, "answers")
	}
	return all
}
