package metrics

// ESI counts what became of the templates of a site.
type ESI struct {
	Pages     Counter     // that were assembled, to their end
	Broken    Counter     // that were not: a fragment failed, or there was too much
	Left      Counter     // that were not, since the client went away
	Templates Counter     // that were read
	Problems  [13]Counter // problems in them, by kind, as [ESINames] has them
	Fragments Counter     // that pages asked for
	Ready     Counter     // of these, that needed no fetch: they were in memory, or another include had asked for the same
	Failures  [11]Counter // of these, that failed, as [ESINames] has them
	Recovered Counter     // failures that the markup made good
	Lost      Counter     // failures that nothing did: the site's policy stands in their place, or the page broke
	Injected  Counter     // requests that were refused since they held markup
}

// ESINames are label values, in the order in which [ESI] counts. An empty one is of what is
// never counted.
type ESINames struct {
	Problems [len(ESI{}.Problems)]string
	Failures [len(ESI{}.Failures)]string
}
