package metrics

// ESI counts what became of the templates of a site. Kinds and failures are counted as package
// esi numbers them.
type ESI struct {
	Pages     Counter     // that were assembled, to their end
	Broken    Counter     // that were not, since a fragment failed
	Templates Counter     // that were read
	Problems  [16]Counter // mistakes in them, by kind
	Fragments Counter     // that pages asked for
	Ready     Counter     // of these, that were in memory
	Failures  [16]Counter // of these, that failed, by failure
	Recovered Counter     // failures that the markup made good
	Injected  Counter     // requests that were refused since they held markup
}
