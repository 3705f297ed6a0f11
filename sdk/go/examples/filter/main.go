// Command filter is a plugin of kind filter: every shop has a host of its own
// under one domain.
//
// blue.shops.example is the shop "blue": the origins learn it from X-Tenant, the
// access record from a tag. Another host is answered here. X-Debug is ours to
// send, not the client's; what the origins run on is nobody's business.
//
//	plugins:
//	  shops:
//	    kind: filter
//	    module: filter.wasm
//	    params: { domain: shops.example }
//	    needs: [host]
//	    on_error: reject
package main

import (
	"bytes"
	"encoding/json"
	"errors"

	gw1 "weirkeep/sdk/go"
)

// domain has the dot before it.
var domain []byte

//go:wasmexport gw_configure
func gwConfigure(size int32) int32 { return gw1.ServeConfigure(size, configure) }

//go:wasmexport gw_on_request
func gwOnRequest(size int32) int32 { return gw1.ServeFilter(size, onRequest) }

//go:wasmexport gw_on_response
func gwOnResponse(size int32) int32 { return gw1.ServeFilter(size, onResponse) }

func configure(params []byte) error {
	var p struct {
		Domain string `json:"domain"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.Domain == "" {
		return errors.New("domain must be a host name")
	}
	domain = []byte("." + p.Domain)
	return nil
}

func onRequest(v gw1.View, ops *gw1.Ops) int32 {
	shop := shopOf(v.Host())
	if shop == nil {
		ops.Respond(404, []byte("no such shop\n"))
		ops.SetHeader("Content-Type", []byte("text/plain"))
		return gw1.OK
	}
	ops.SetHeader("X-Tenant", shop)
	ops.DeleteHeader("X-Debug")
	ops.Tag("tenant", shop)
	return gw1.OK
}

func onResponse(_ gw1.View, ops *gw1.Ops) int32 {
	ops.DeleteHeader("X-Powered-By")
	return gw1.OK
}

// shopOf is what stands before the domain, if it is one label; else nil.
func shopOf(host []byte) []byte {
	shop, found := bytes.CutSuffix(host, domain)
	if !found || len(shop) == 0 || bytes.IndexByte(shop, '.') >= 0 {
		return nil
	}
	return shop
}

func main() {}
