//go:build race

package socket

// bare is false under the race detector: it takes what passes through a socket for
// order between goroutines, and sees that only in the net package's calls.
const bare = false
