// Package esi is the language ESI 1.0: it reads templates, and assembles pages
// from them.
//
// A [Parser] takes a template in pieces of any size and makes a [Program] of it:
// flat, immutable, made once and run for many requests. Markup that is not ESI is
// passed on byte for byte. What is wrong in it are [Problems]; they cost the tag that
// they are in and never the page.
//
// [Assemble] runs a program for one request. It starts all fetches that the page
// is sure to need, sends what is ready in the order of the document, and deals
// with fragments that fail: alt, onerror, try and except, the site's policy. How
// a fragment is had is a [Fetcher]'s matter, where the page goes a [Sink]'s. [Plan] says what
// a page would ask for, and fetches nothing.
//
// Values of the client's request are escaped wherever they go: for HTML in the
// page, for URLs in src and alt, where they can be neither host nor scheme nor
// lead out of their segment of the path.
//
// The package knows nothing of servers, sockets, caches or header fields of
// answers, and looks at no clock but for the deadlines of fetches.
package esi
