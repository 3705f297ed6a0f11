package gw1

import "unicode/utf8"

// What is written in a call. Handlers get pointers to these, which would
// allocate if they pointed to variables of the call.
var (
	list  List
	names NameList
	ops   Ops
)

// ServeConfigure is for the export gw_configure: params are the plugin's params
// as JSON, empty if there are none. The text of an error is what the operator
// reads; the gateway keeps its old configuration then.
func ServeConfigure(size int32, configure func(params []byte) error) int32 {
	params := open(size, 0)
	if params == nil {
		return BadArgument
	}
	if err := configure(params); err != nil {
		return refuse(err.Error())
	}
	return OK
}

// refuse writes why params are refused.
func refuse(message string) int32 {
	n := min(len(message), MaxMessage, len(buffer)-4)
	for n > 0 && n < len(message) && !utf8.RuneStart(message[n]) {
		n--
	}
	if n > 0 {
		le.PutUint32(buffer, uint32(n))
		copy(buffer[4:], message[:n])
	}
	return BadArgument
}

// ServeCluster is for the export gw_on_cluster of routers and collectors.
func ServeCluster(size int32, onCluster func(Cluster) int32) int32 {
	b := open(size, ClusterHead)
	if b == nil {
		return BadArgument
	}
	return onCluster(Cluster{b})
}

// ServeRoute is for the export gw_route of routers. A router that lists nothing
// abstains.
func ServeRoute(size int32, route func(View, *List) int32) int32 {
	b := open(size, ViewHead)
	if b == nil {
		return BadArgument
	}
	v := View{b}
	list = List{area: v.behind()}
	if code := route(v, &list); code < 0 {
		return code
	}
	return int32(list.n)
}

// ServeRouteNames is for the export gw_route_names, which a router may have
// instead of gw_route.
func ServeRouteNames(size int32, route func(View, *NameList) int32) int32 {
	b := open(size, ViewHead)
	if b == nil {
		return BadArgument
	}
	v := View{b}
	names = NameList{area: v.behind()}
	if code := route(v, &names); code < 0 {
		return code
	}
	return int32(names.n)
}

// ServeMatch is for the export gw_match of matchers: match returns Match,
// NoMatch, Unknown or an error code.
func ServeMatch(size int32, match func(View) int32) int32 {
	b := open(size, ViewHead)
	if b == nil {
		return BadArgument
	}
	return match(View{b})
}

// ServeCollect is for the export gw_collect of collectors: collect returns 0
// (no room) to MetricIdle, NoOpinion or an error code.
func ServeCollect(size int32, collect func(Sample) int32) int32 {
	b := open(size, CollectorHead)
	if b == nil {
		return BadArgument
	}
	return collect(Sample{b})
}

// ServeFilter is for the exports gw_on_request and gw_on_response of filters. A
// filter that writes no operation changes nothing.
func ServeFilter(size int32, filter func(View, *Ops) int32) int32 {
	b := open(size, ViewHead)
	if b == nil {
		return BadArgument
	}
	v := View{b}
	ops = Ops{area: v.behind()}
	if code := filter(v, &ops); code < 0 {
		return code
	}
	if ops.failed != OK {
		return ops.failed
	}
	return int32(ops.n)
}

// ServeTick is for the export gw_tick.
func ServeTick(size int32, tick func(Tick) int32) int32 {
	b := open(size, TickHead)
	if b == nil {
		return BadArgument
	}
	return tick(Tick{b})
}

// ServeHTTPResponse is for the export gw_on_http_response, which a plugin that
// calls HTTPCall must have.
func ServeHTTPResponse(size int32, onResponse func(HTTPResponse) int32) int32 {
	b := open(size, ResponseHead)
	if b == nil {
		return BadArgument
	}
	return onResponse(HTTPResponse{b})
}
