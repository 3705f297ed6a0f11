// Package admin is the HTTP API for administrators of a running gateway: how it
// is, what it counts, why it decides as it does, reloading its configuration, rolling
// out editions, and operating origins and the cache.
//
// It listens apart from the gateway's own listeners, with its own goroutines,
// time-outs and limits, and nothing here is called while a request is served.
// GET /healthz, /readyz and /metrics are open to whoever can connect. All else
// needs the bearer token, except through the unix socket: whoever its mode 0600
// lets in has the right. A browser that another site has sent is refused.
//
// Errors are problem documents (RFC 9457). Every change is logged: who, what,
// and what came of it.
package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/net/netutil"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
)

// Gateway is what the API needs of a running gateway. Both may be called at any
// time, also at the same time.
type Gateway interface {
	// Status is how the gateway is now.
	Status() Status
	// Reload reads the configuration again and makes it current, or leaves
	// things as they were if any of the problems is an error. Reloads are done
	// one after the other, whoever asks for them.
	Reload(context.Context) config.Problems
	// Explain says what would happen to a request, and why. An error is of a
	// question that cannot be asked.
	Explain(Question) (any, error)
	// Rules are the rules in the order in which they are tried.
	Rules() any
	// Plugins are the plugins by their names, with what they have done.
	Plugins() any
}

// Options say where the API listens and what it shows.
type Options struct {
	// Address is host:port for TCP. Empty or "off" means none.
	Address string
	// Socket is the path of a unix socket. Empty means none.
	Socket string
	// Token lets a client of Address in. It must not be empty if there is one.
	Token string
	// TokenHint says where people find the token, in answers to those who have
	// none. It must not say what it is.
	TokenHint string
	// Inherited gives the socket that another process opened for a network, tcp
	// or unix, and an address of these options. Nil, or a nil result: a new one is
	// made.
	Inherited func(network, address string) net.Listener
	// Version is the gateway's own.
	Version string

	Gateway  Gateway
	Rollouts Rollouts
	Reports  Reports
	Operator Operator
	Cache    Cache
	Metrics  *metrics.Registry
	Logger   *slog.Logger // changes and failures; nil: discards
}

// Bounds of the server, so that no client of it can hold the process up.
const (
	headTimeout  = 5 * time.Second
	readTimeout  = 30 * time.Second
	writeTimeout = 2 * time.Minute // the longest profile; pprof refuses longer ones
	idleTimeout  = time.Minute
	maxHead      = 16 << 10
	maxBody      = 1 << 20
	maxConns     = 32 // of a listener; within what the gateway leaves of descriptors
)

// A Server is the API with its listeners bound.
type Server struct {
	address net.Addr // nil: no TCP
	parts   []part
}

// part is one listener with the server on it.
type part struct {
	address  string // as the options have it
	door     *door
	listener net.Listener // the door, limited
	server   *http.Server
}

// Listen binds what the options say; it answers nothing before [Server.Serve].
// With neither address nor socket Serve has nothing to do and returns at once.
func Listen(o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{}
	if err := s.listen(o); err != nil {
		s.closeListeners()
		return nil, fmt.Errorf("admin: %w", err)
	}
	return s, nil
}

func (s *Server) listen(o Options) error {
	api := newHandler(o)
	if o.Address != "" && o.Address != "off" {
		if err := s.listenTCP(o, api); err != nil {
			return err
		}
	}
	if o.Socket == "" {
		return nil
	}
	l, err := openSocket(o)
	if err != nil {
		return err
	}
	s.add(o.Socket, l, guardOrigin(api), o.Logger)
	return nil
}

func (s *Server) listenTCP(o Options, api http.Handler) error {
	if o.Token == "" {
		return errors.New("an address needs a token")
	}
	l := o.inherited("tcp", o.Address)
	if l == nil {
		var err error
		if l, err = net.Listen("tcp", o.Address); err != nil {
			return err
		}
	}
	s.address = l.Addr()
	handler := guardOrigin(guardToken(o.Token, o.TokenHint, api))
	if loopback(l.Addr()) {
		handler = guardHost(handler)
	} else {
		o.Logger.Warn("admin API can be reached from other machines without TLS: the token can be read on the way", "address", l.Addr().String())
	}
	s.add(o.Address, l, handler, o.Logger)
	return nil
}

// loopback reports whether only this machine can connect to the address.
func loopback(a net.Addr) bool {
	ap, err := netip.ParseAddrPort(a.String())
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

func (s *Server) add(address string, l net.Listener, h http.Handler, log *slog.Logger) {
	d := newDoor(l)
	s.parts = append(s.parts, part{address, d, netutil.LimitListener(d, maxConns), &http.Server{
		Handler:           http.MaxBytesHandler(h, maxBody),
		ReadHeaderTimeout: headTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHead,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}})
}

// Address is what TCP is bound to, nil if nothing is.
func (s *Server) Address() net.Addr { return s.address }

// Serve answers until [Server.Close], and then returns nil. Any other end of a
// listener is an error, and ends all.
func (s *Server) Serve() error {
	ended := make(chan error, len(s.parts))
	for _, p := range s.parts {
		go func() { ended <- p.server.Serve(p.listener) }()
	}
	var errs []error
	for range s.parts {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			errs = append(errs, fmt.Errorf("admin: %w", err))
			s.kill()
		}
	}
	return errors.Join(errs...)
}

// Close stops listening and lets running requests end until ctx is done; then
// it cuts them off and returns the context's error.
func (s *Server) Close(ctx context.Context) error {
	var errs []error
	for _, p := range s.parts {
		errs = append(errs, p.server.Shutdown(ctx))
	}
	s.kill()
	s.closeListeners()
	return errors.Join(errs...)
}

// kill ends every server now.
func (s *Server) kill() {
	for _, p := range s.parts {
		p.server.Close()
	}
}

// closeListeners frees what Listen bound, for a server that never served.
func (s *Server) closeListeners() {
	for _, p := range s.parts {
		p.listener.Close()
	}
}
