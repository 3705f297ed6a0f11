package gateway

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"

	"weirkeep/gateway/origin"
)

// registry holds what belongs to origins and outlives snapshots: their states,
// by address, and their pools, by all that shapes a connection. Each snapshot
// names what it uses; what the last one that named it has let go is closed.
type registry struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	log  *slog.Logger // told of origins that go down and come up

	mu     sync.Mutex
	states map[string]*held[*origin.Origin]
	pools  map[poolKey]*held[*origin.Pool]
}

// held is a thing with the number of times it was named.
type held[T any] struct {
	thing T
	users int
}

// poolKey is all that makes the connections of two pools different.
type poolKey struct {
	address, scheme    string
	proxy              bool
	ca, serverName     string
	verify             bool
	connect, keepAlive time.Duration
}

func newRegistry(dial func(ctx context.Context, network, address string) (net.Conn, error), log *slog.Logger) *registry {
	return &registry{
		dial:   dial,
		log:    log,
		states: make(map[string]*held[*origin.Origin]),
		pools:  make(map[poolKey]*held[*origin.Pool]),
	}
}

// uses is what one snapshot has named.
type uses struct {
	r    *registry
	keys []poolKey
}

// pool returns the pool for key; TLS is used if the pool is new and the key
// asks for it.
func (u *uses) pool(key poolKey, secure *tls.Config) *origin.Pool {
	u.keys = append(u.keys, key)
	return u.r.take(key, secure)
}

func (r *registry) take(key poolKey, secure *tls.Config) *origin.Pool {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := r.states[key.address]
	if state == nil {
		state = &held[*origin.Origin]{thing: &origin.Origin{Address: key.address}}
		r.states[key.address] = state
	}
	state.users++
	p := r.pools[key]
	if p == nil {
		p = &held[*origin.Pool]{thing: r.newPool(key, state.thing, secure)}
		r.pools[key] = p
	}
	p.users++
	return p.thing
}

func (r *registry) newPool(key poolKey, state *origin.Origin, secure *tls.Config) *origin.Pool {
	o := origin.PoolOptions{
		Origin: state, Proxy: key.proxy, ProxyTLS: secure,
		ConnectTimeout: key.connect, KeepAlive: key.keepAlive, Dial: r.dial,
		OnTransition: func(up bool, err error) { r.tell(key.address, up, err) },
	}
	if key.scheme == "https" {
		o.TLS = secure.Clone()
		if o.TLS.ServerName == "" {
			o.TLS.ServerName, _, _ = net.SplitHostPort(key.address)
		}
	}
	return origin.NewPool(o)
}

// tell logs that an origin, whichever cluster has tried it, went down or came up.
func (r *registry) tell(address string, up bool, err error) {
	if up {
		r.log.Info("origin up", slog.String("origin", address))
		return
	}
	r.log.Warn("origin down", slog.String("origin", address), slog.Any("error", err))
}

// release lets go what the snapshot has named.
func (u *uses) release() {
	u.r.mu.Lock()
	var idle []*origin.Pool
	for _, key := range u.keys {
		if p := u.r.pools[key]; p.drop() {
			delete(u.r.pools, key)
			idle = append(idle, p.thing)
		}
		if u.r.states[key.address].drop() {
			delete(u.r.states, key.address)
		}
	}
	u.keys = nil
	u.r.mu.Unlock()
	for _, p := range idle {
		p.Close()
	}
}

// drop reports whether nobody is left.
func (h *held[T]) drop() bool {
	h.users--
	return h.users == 0
}
