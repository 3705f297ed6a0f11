//go:build wasip1

// Command goguest is a router that does what the path says, and abstains.
package main

import (
	"os"

	gw1 "weirkeep/sdk/go"
)

//go:wasmexport gw_route
func gwRoute(size int32) int32 { return gw1.ServeRoute(size, route) }

var (
	waste []byte
	hoard [][]byte
)

func route(v gw1.View, _ *gw1.List) int32 {
	switch string(v.Path()) {
	case "/waste": // garbage of 10 KiB
		waste = make([]byte, 10<<10)
		waste[0] = 1
	case "/waste-60": // of 60 KiB
		waste = make([]byte, 60<<10)
		waste[0] = 1
	case "/panic":
		panic("no such shop")
	case "/index":
		waste = append(waste[:0], waste[len(waste)+int(v.Now()%2)])
	case "/exit":
		os.Exit(3)
	case "/deep":
		waste = append(waste, byte(deep(v.Now())))
	case "/memory":
		for {
			hoard = append(hoard, make([]byte, 1<<20))
		}
	}
	return gw1.OK
}

// deep has no end.
func deep(n int64) int64 { return 1 + deep(n+1) }

func main() {}
