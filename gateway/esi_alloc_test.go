package gateway

import "testing"

// A page of three stored fragments allocates no more than the texts of its URLs and of its Vary: what it is
// put together with is used again, and it goes out in one write.
func TestPageAllocs(t *testing.T) {
	g, client := pageGateway(t)
	run := func(n int) {
		client.left, client.at, client.writes = n+1, len(client.request), 0
		if err := g.ServeConn(client); err != nil {
			t.Fatal(err)
		}
	}
	run(100) // what is kept of earlier exchanges is there from now on
	const pages = 200
	all := testing.AllocsPerRun(5, func() { run(pages) })
	if per := all / pages; per > 7.5 && !raceDetector {
		t.Errorf("a page costs %.1f allocations, want 6", per)
	}
	if client.writes != pages {
		t.Errorf("%d pages took %d writes", pages, client.writes)
	}
}
