package gateway

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// sideBySide is how many tests run at once, unless -parallel says otherwise or there
// are more processors. Most wait for time-outs, intervals and drains, and compute little;
// under the race detector they compute ten times as much.
var sideBySide = map[bool]int{false: 8, true: 3}[raceDetector]

func TestMain(m *testing.M) {
	if task := os.Getenv(volumeTask); task != "" {
		serveVolume(task)
		return
	}
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		most, _ := strconv.Atoi(parallel.DefValue)
		flag.Set("test.parallel", strconv.Itoa(max(sideBySide, most)))
	}
	os.Exit(m.Run())
}
