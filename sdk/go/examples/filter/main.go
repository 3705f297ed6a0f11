// Command filter is a plugin of kind filter that serves many tenants from one
// site.
//
// The tenant is what the host has before the suffix of params. The origins are
// told of it in the field X-Tenant, the access record in a tag, and what the
// client says in X-Debug is taken away. Tenants that are closed are answered
// at once. Answers lose their Server field and tell the origin they came from.
//
//	plugins:
//	  tenants:
//	    kind: filter
//	    module: filter.wasm
//	    params: { suffix: .shop.example, closed: [red] }
//	    needs: [host, site]
//	    on_error: reject
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	gw1 "weirkeep/sdk/go"
)

var params struct {
	Suffix string   `json:"suffix"`
	Closed []string `json:"closed"`
}

//go:wasmexport gw_configure
func gwConfigure(size int32) int32 { return gw1.ServeConfigure(size, configure) }

//go:wasmexport gw_on_request
func gwOnRequest(size int32) int32 { return gw1.ServeFilter(size, onRequest) }

//go:wasmexport gw_on_response
func gwOnResponse(size int32) int32 { return gw1.ServeFilter(size, onResponse) }

func configure(text []byte) error {
	if len(text) > 0 {
		if err := json.Unmarshal(text, &params); err != nil {
			return err
		}
	}
	if params.Suffix == "" {
		return errors.New("suffix is missing: say which hosts are tenants', such as .shop.example")
	}
	return nil
}

func onRequest(v gw1.View, ops *gw1.Ops) int32 {
	tenant, ours := bytes.CutSuffix(v.Host(), []byte(params.Suffix))
	if !ours || len(tenant) == 0 {
		return gw1.OK
	}
	if slices.Contains(params.Closed, string(tenant)) {
		ops.Respond(403, []byte("this shop is closed\n"))
		ops.SetHeader("Content-Type", []byte("text/plain"))
		return gw1.OK
	}
	ops.SetHeader("X-Tenant", tenant)
	ops.DeleteHeader("X-Debug")
	ops.Tag("tenant", tenant)
	return gw1.OK
}

func onResponse(v gw1.View, ops *gw1.Ops) int32 {
	ops.DeleteHeader("Server")
	if origin := v.Origin(); len(origin) > 0 {
		ops.SetHeader("X-Origin", origin)
	}
	return gw1.OK
}

func main() {}
