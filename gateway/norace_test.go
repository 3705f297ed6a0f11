//go:build !race

package gateway

// raceDetector says that the race detector is off.
const raceDetector = false
