package gateway

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"weirkeep/gateway/metrics"
	"weirkeep/rules"
)

// handshake does TLS with a client that has connected. One that speaks HTTP
// without TLS is told, in its own words, what is amiss.
func (c *h1Conn) handshake() error {
	err := c.hello()
	c.hello = nil
	if err == nil {
		c.secured = agreed(c.Conn)
		return nil
	}
	c.options.metrics.Handshakes[handshakeFailure(err)].Inc()
	if record, ok := errors.AsType[tls.RecordHeaderError](err); ok && record.Conn != nil && isLetter(record.RecordHeader[0]) {
		c.answerPlain(record.Conn)
	}
	return err
}

// agreed is what the two sides of a TLS connection have agreed on, in the form
// in which rules ask for it.
func agreed(conn net.Conn) *rules.TLS {
	secure, ok := conn.(*tls.Conn)
	if !ok {
		return nil
	}
	state := secure.ConnectionState()
	t := &rules.TLS{Version: strings.TrimPrefix(tls.VersionName(state.Version), "TLS "), SNI: state.ServerName}
	if len(state.PeerCertificates) > 0 {
		t.Cert = shown(state.PeerCertificates[0])
	}
	return t
}

// shown is what rules can ask about a client's certificate.
func shown(c *x509.Certificate) *rules.Cert {
	sum := sha256.Sum256(c.Raw)
	cert := &rules.Cert{Subject: c.Subject.String(), Issuer: c.Issuer.String(), Fingerprint: hex.EncodeToString(sum[:])}
	cert.SAN = append(append(cert.SAN, c.DNSNames...), c.EmailAddresses...)
	for _, ip := range c.IPAddresses {
		cert.SAN = append(cert.SAN, ip.String())
	}
	for _, u := range c.URIs {
		cert.SAN = append(cert.SAN, u.String())
	}
	return cert
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
