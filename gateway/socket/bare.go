//go:build !race

package socket

// bare says that calls are made without telling the runtime.
const bare = true
