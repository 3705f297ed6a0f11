package corpus

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// serve accepts connections for handle until t ends.
func serve(t testing.TB, handle func(*net.TCPConn)) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go handle(c.(*net.TCPConn))
		}
	}()
	return ln.Addr().String()
}

// passThrough hands all bytes on, as they are, both ways.
func passThrough(t testing.TB, origin string) string {
	return serve(t, func(c *net.TCPConn) {
		defer c.Close()
		o, err := net.Dial("tcp", origin)
		if err != nil {
			return
		}
		defer o.Close()
		go func() {
			io.Copy(o, c)
			o.(*net.TCPConn).CloseWrite()
		}()
		io.Copy(c, o)
	})
}

// refuser answers 400 to everything.
func refuser(t testing.TB, _ string) string {
	return serve(t, func(c *net.TCPConn) {
		defer c.Close()
		c.Read(make([]byte, 1))
		io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		c.CloseWrite()
		io.Copy(io.Discard, c)
	})
}

// swapper answers everybody with an answer meant for somebody else.
func swapper(t testing.TB, _ string) string {
	return serve(t, func(c *net.TCPConn) {
		defer c.Close()
		c.Read(make([]byte, 1))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\ncanary:n0")
		c.CloseWrite()
		io.Copy(io.Discard, c)
	})
}

// hangUp closes every connection at once.
func hangUp(t testing.TB, _ string) string {
	return serve(t, func(c *net.TCPConn) { c.Close() })
}

// library is the standard library's reverse proxy: a good one, not a strict one.
func library(t testing.TB, origin string) string {
	server := httptest.NewServer(reverseProxy(origin))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func reverseProxy(origin string) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: origin})
	proxy.Transport = &http.Transport{}
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	return proxy
}
