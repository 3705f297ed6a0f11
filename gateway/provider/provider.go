// Package provider gets fragments from hosts that no site has: providers without settings,
// whose names are resolved by DNS and which are asked directly.
//
// Whoever writes a template says which host is asked, so [Client.Get] asks only what is
// public. A host is a name, or an address in its one usual spelling. Its address is
// checked when it is dialled, so that a name that means another address the second time
// gains nothing: loopback, private, link-local and all others that the registries of IANA
// keep from the internet are refused, and ports other than 80 and 443. Redirects are
// answers like others. No proxy is asked, no cookie kept, no certificate taken on trust.
//
// A name is looked up once for a connection, and connections are kept for a while. Time,
// the head and the body of an answer are bounded.
//
// The package knows nothing of sites, caches, templates and content codings: what is sent,
// and what an answer is good for, is the caller's matter. So are loops: the public address
// of this gateway is an address like others.
package provider

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Options are what a client goes by. The zero value has the defaults.
type Options struct {
	// Timeout is how long an answer's head may take: looking up the name and connecting are
	// part of that. Zero means the default, 10 s.
	Timeout time.Duration

	// Idle is the longest wait for the next bytes of a body. Zero means the default, 30 s.
	Idle time.Duration

	// MaxBytes is the longest body in bytes, as it is sent. Zero means the default, 32 MiB.
	MaxBytes int64

	// Allowed are networks that an operator vouches for: what is there is asked, at any
	// port, though it is not public.
	Allowed []netip.Prefix

	// Resolver looks up names. Nil means this machine's.
	Resolver *net.Resolver

	// Roots are who may vouch for certificates. Nil means this machine's.
	Roots *x509.CertPool
}

const (
	defaultTimeout  = 10 * time.Second
	defaultIdle     = 30 * time.Second
	defaultMaxBytes = 32 << 20
)

// What is bounded and not configured.
const (
	maxHeadBytes = 64 << 10         // of an answer
	maxConns     = 64               // to one host and port
	maxIdle      = 64               // connections that are kept, to all hosts
	maxIdleHost  = 8                // and to one
	keptFor      = 30 * time.Second // without a request
)

// Validate reports every option that is out of range.
func (o *Options) Validate() error {
	var errs []error
	if o.Timeout < 0 || o.Idle < 0 || o.MaxBytes < 0 {
		errs = append(errs, errors.New("timeout, idle, max_bytes: must be 0 or more"))
	}
	for i, p := range o.Allowed {
		if !p.IsValid() || p.Addr().Is4In6() {
			errs = append(errs, fmt.Errorf("allowed[%d]: must be a network such as 10.1.0.0/16 or fd00:1::/48", i))
		}
	}
	return errors.Join(errs...)
}

// Client asks providers. It is safe for concurrent use.
type Client struct {
	o         Options
	transport *http.Transport
}

// New returns a client. The options must be valid.
func New(o Options) *Client {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	return &Client{o, &http.Transport{
		DialContext:            newDialer(&o).dial,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: o.Timeout, PingTimeout: o.Timeout},
		TLSClientConfig:        &tls.Config{RootCAs: o.Roots},
		TLSHandshakeTimeout:    o.Timeout,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeadBytes,
		MaxConnsPerHost:        maxConns,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdleHost,
		IdleConnTimeout:        keptFor,
	}}
}

// Close closes the connections that are kept. Requests go on, and the client may still be
// used.
func (c *Client) Close() { c.transport.CloseIdleConnections() }
