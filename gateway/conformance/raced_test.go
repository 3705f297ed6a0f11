//go:build race

package conformance

// raced says that the race detector is on, which makes everything slow.
const raced = true
