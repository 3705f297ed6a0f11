package cache

import (
	"weirkeep/gateway/wire"
)

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
// bytes and is meant to be reused, by one goroutine at a time.
type Request struct {
	Method Method
	Fields []wire.Field // all of them, as they came

	// Target is only needed for what methods other than GET and HEAD do: set it after
	// Read, before Store or [Invalidated].
	Target Target

	Authorization bool   // there is such a field
	OnlyIfCached  bool   // the client wants no answer that is not stored (504)
	Range         []byte // its value, if the method is GET; nil: none

	post       bool
	control    control
	pragma     bool // Pragma says no-cache
	conditions condition
	since      once // If-Modified-Since
	ifRange    []byte
	room       []byte // for a value that is compared: kept from request to request
}

// Target is the URI that a request is for.
type Target struct {
	Secure    bool
	Authority []byte // host and perhaps port
	Path      []byte // path and query, as received
}

// condition is a set of conditions.
type condition uint8

const (
	ifNoneMatch condition = 1 << iota
	ifModifiedSince
	ifMatch
	ifUnmodifiedSince
)

// Read reads a request. GET and HEAD with content are of kind Safe: no other request
// may have the answer to one.
func (r *Request) Read(method []byte, fields []wire.Field) {
	*r = Request{Method: methodOf(method), Fields: fields, room: r.room}
	r.post = string(method) == "POST"
	content := false
	for i := range fields {
		n := nameOf(fields[i].Name)
		content = content || statesContent(n, fields[i].Value)
		r.field(n, fields[i].Value)
	}
	if content && r.Method <= Head {
		r.Method = Safe
	}
	if r.Method != Get {
		r.Range = nil
	}
	r.OnlyIfCached = r.control.has(onlyIfCached)
}

// methodOf returns the kind of a method. Those of RFC 9110 and of the registry that are
// safe are known; methods have one case.
func methodOf(method []byte) Method {
	switch string(method) {
	case "GET":
		return Get
	case "HEAD":
		return Head
	case "OPTIONS", "TRACE", "PROPFIND", "QUERY", "REPORT", "SEARCH":
		return Safe
	}
	return Unsafe
}

// statesContent reports whether a field says that the message has content.
func statesContent(n name, value []byte) bool {
	return n == nameTransferEncoding || n == nameContentLength && string(value) != "0"
}

// field notes one field.
func (r *Request) field(n name, value []byte) {
	switch n {
	case nameAuthorization:
		r.Authorization = true
	case nameCacheControl:
		r.control.read(value)
	case namePragma:
		r.pragma = r.pragma || hasMember(value, "no-cache")
	case nameRange:
		r.Range = value
	case nameIfRange:
		r.ifRange = value
	case nameIfNoneMatch:
		r.conditions |= ifNoneMatch
	case nameIfModifiedSince:
		r.conditions |= ifModifiedSince
		r.since.add(value)
	case nameIfMatch:
		r.conditions |= ifMatch
	case nameIfUnmodifiedSince:
		r.conditions |= ifUnmodifiedSince
	}
}

// ForOrigin reports whether the client has set conditions that only the origin can
// judge (C4).
func (r *Request) ForOrigin() bool { return r.conditions&(ifMatch|ifUnmodifiedSince) != 0 }

// wantsNew reports whether the client asks for an answer that has been validated.
// Pragma counts where there is no Cache-Control.
func (r *Request) wantsNew() bool {
	return r.control.has(noCache) || r.pragma && !r.control.there
}
