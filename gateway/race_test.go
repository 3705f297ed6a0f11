//go:build race

package gateway

// raceDetector says that the race detector is on: pools then drop what is put
// into them now and then, so allocations cannot be counted.
const raceDetector = true
