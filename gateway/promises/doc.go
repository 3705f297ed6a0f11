// Package promises holds a running gateway to what it promises, each promise
// with its figure. It has tests only.
//
//	G2   no answer goes to the wrong request          answers_test.go
//	G3   no input crashes it                          input_test.go
//	G5   a hostile origin costs little memory         hostile_test.go
//	G6   memory is bounded                            memory_test.go
//	G7   slow clients cost only themselves            slow_test.go
//	G8   closing idle connections loses no request    stale_test.go
//	G9   a killed origin fails only what it had       killed_test.go
//	G10  a silent origin costs others nothing         frozen_test.go
//	G11  a cut answer is seen as cut                  cut_test.go
//	G12  a client that has gone frees its origin      gone_test.go
//	G13  restarts fail no request                     drain_test.go
//	G14  reloads fail no request and leave nothing    reload_test.go
//	G15  running out of descriptors is survived       starved_test.go
//	G17  a clock that jumps ends nothing              clock_test.go
//	G19  who asks is not the client's to say          identity_test.go
//	G21  strictness is cheap                          strict_test.go
//	G22  all of it at once, for long                  soak_test.go
//
// Of guests, on each engine: whatever one does, it costs its own exchange and no
// other one (faults_test.go); a hundred swaps of modules under load fail no request
// (swap_test.go); the garbage of Go guests is borne (garbage_test.go); no module
// crashes the gateway (modules_test.go).
//
// And of surges: a burst never gives an origin more than its capacity
// (burst_test.go); origins that flap are borne, also under ten times the load
// that they can take (flap_test.go). Whichever balancer chooses, no GET fails
// when one of three origins does, and nothing when DNS names another in its
// place (balancers_test.go, dns_test.go).
//
// The tests know the gateway from outside: its configuration, its addresses,
// what it counts. Clients and origins are raw connections and net/http's
// parsers, never the gateway's own code. Everything that is asked for carries a
// nonce, and content is made from the nonce, so that a byte at the wrong place
// is seen. After every scenario the goroutines and descriptors must be those
// from before it.
//
// Memory, processor time and descriptors are measured in a process of its own
// that holds the gateway and nothing else: the test binary, run again. So are
// origins that are killed and frozen.
//
// The short forms run with all tests; -soak runs the long ones.
package promises
