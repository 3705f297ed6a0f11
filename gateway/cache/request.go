package cache

import "weirkeep/gateway/wire"

// Method is what a method means to a cache.
type Method uint8

// The kinds of methods.
const (
	Get    Method = iota
	Head          // may be answered from what GET has stored
	Safe          // neither stored nor invalidating: OPTIONS, TRACE, PROPFIND and their like
	Unsafe        // invalidates: POST, PUT, DELETE, PATCH, and every method that is not known
)

// Request is what a cache looks at of a request. It holds views of the request's
// bytes and is meant to be reused.
type Request struct {
	Method Method
	Fields []wire.Field // all of them, as they came
}
