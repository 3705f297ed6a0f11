package gateway

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"weirkeep/gateway/metrics"
)

// handshake does TLS with a client that has connected. One that speaks HTTP
// without TLS is told, in its own words, what is amiss.
func (c *h1Conn) handshake() error {
	err := c.hello()
	c.hello = nil
	if err == nil {
		return nil
	}
	c.options.metrics.Handshakes[handshakeFailure(err)].Inc()
	if record, ok := errors.AsType[tls.RecordHeaderError](err); ok && record.Conn != nil && isLetter(record.RecordHeader[0]) {
		c.answerPlain(record.Conn)
	}
	return err
}

// isLetter reports whether a method may begin with b: TLS begins with 22.
func isLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }

// answerPlain answers below TLS. The socket stays in its place, for it may be
// closed by others meanwhile.
func (c *h1Conn) answerPlain(below net.Conn) {
	below.SetWriteDeadline(time.Now().Add(lingerTime))
	if _, err := io.WriteString(below, speaksHTTPS); err == nil {
		c.lingerAt(below)
	}
}

const speaksHTTPS = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n" +
	"Content-Length: 23\r\nConnection: close\r\n\r\nthis port speaks https\n"

// handshakeFailure is why a handshake with a client has failed. Most errors of
// crypto/tls have no type, so their words must do; a test knows when these change.
func handshakeFailure(err error) metrics.HandshakeFailure {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return metrics.NotTLS
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return metrics.ClientCertificate
	}
	text := err.Error()
	switch {
	case hasEnded(err):
		return metrics.ClientClosed
	case strings.Contains(text, "unsupported versions") || strings.Contains(text, "protocol version not supported"):
		return metrics.ProtocolVersion
	case strings.Contains(text, "tls: client didn't provide a certificate"):
		return metrics.ClientCertificate
	}
	return metrics.OtherHandshake
}

// hasEnded reports whether the client closed the connection or fell silent.
func hasEnded(err error) bool {
	for _, end := range [...]error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE, os.ErrDeadlineExceeded} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
