package corpus

import (
	"crypto/tls"
	"net"
	"net/http/httptest"
	"testing"
	"time"
)

func TestEndOfConnection(t *testing.T) {
	secure := httptest.NewTLSServer(nil)
	defer secure.Close()
	for _, tt := range []struct {
		name string
		tls  bool
		end  func(raw *net.TCPConn, over net.Conn)
		want string
	}{
		{name: "FIN", end: func(raw *net.TCPConn, _ net.Conn) { raw.CloseWrite() }, want: "fin"},
		{name: "RST", end: func(raw *net.TCPConn, _ net.Conn) { raw.SetLinger(0); raw.Close() }, want: "rst"},
		{name: "end of TLS", tls: true, end: func(_ *net.TCPConn, over net.Conn) { over.Close() }, want: "fin"},
		{name: "TLS cut by a FIN", tls: true, end: func(raw *net.TCPConn, _ net.Conn) { raw.CloseWrite() }, want: "rst"},
		{name: "left open", end: func(*net.TCPConn, net.Conn) {}, want: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var cfg *tls.Config
			addr := serve(t, func(raw *net.TCPConn) {
				over := net.Conn(raw)
				if tt.tls {
					over = tls.Server(raw, secure.TLS)
				}
				over.Read(make([]byte, 1))
				tt.end(raw, over)
			})
			if tt.tls {
				cfg = &tls.Config{InsecureSkipVerify: true}
			}
			c, err := dial(addr, cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			c.send([]byte("x"))
			c.pump(time.Now().Add(200*time.Millisecond), nil)
			if got := c.ended(); got != tt.want {
				t.Errorf("end %q, want %q", got, tt.want)
			}
		})
	}
}
