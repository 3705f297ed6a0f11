// Command router is a plugin of kind router that splits calls by an argument.
//
// The method that is called is the last segment of the path, its argument the
// first arg in the query. Calls of foo whose argument sorts before n go to
// server1, all others to server2, and to server3 when that one cannot take
// them. Whatever is not a call of foo is left to the cluster's balancer; foo
// without an argument that can be read is an error, for which on_error decides.
//
//	plugins:
//	  by-argument: { kind: router, module: router.wasm, needs: [path, query] }
package main

import (
	"bytes"

	gw1 "weirkeep/sdk/go"
)

// Positions in the cluster table, -1 for an origin that is not in the cluster.
var server1, server2, server3 = -1, -1, -1

// argument is where an argument is decoded; its memory is used again.
var argument []byte

//go:wasmexport gw_on_cluster
func gwOnCluster(size int32) int32 { return gw1.ServeCluster(size, onCluster) }

//go:wasmexport gw_route
func gwRoute(size int32) int32 { return gw1.ServeRoute(size, route) }

func onCluster(c gw1.Cluster) int32 {
	server1, server2, server3 = c.Find("server1"), c.Find("server2"), c.Find("server3")
	return gw1.OK
}

func route(v gw1.View, list *gw1.List) int32 {
	path := v.Path()
	if method := path[bytes.LastIndexByte(path, '/')+1:]; string(method) != "foo" {
		return gw1.OK
	}
	value, _ := gw1.QueryValue(v.Query(), "arg")
	var ok bool
	if argument, ok = gw1.AppendDecoded(argument[:0], value); !ok || len(argument) == 0 {
		return gw1.BadArgument
	}
	if string(argument) < "n" {
		list.Add(server1)
	} else {
		list.Add(server2)
	}
	list.Add(server3)
	return gw1.OK
}

func main() {}
