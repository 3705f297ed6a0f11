//go:build !race

package promises

const raced = false
