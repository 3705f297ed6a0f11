//go:build race

package promises

// raced says that the race detector is on: what the process takes of memory and
// time is not the gateway's then, and is measured, but not judged.
const raced = true
