package gateway

import (
	"crypto/tls"
	"fmt"
	"testing"

	"weirkeep/gateway/corpus"
)

// The corpus of HTTP/1 messages: every hostile request is refused or made
// harmless, every legitimate one passes, every answer goes to who asked.
func TestCorpusPlain(t *testing.T) {
	corpus.Run(t, corpus.Options{}, func(t testing.TB, origin string) string {
		addr, _ := start(t, fmt.Sprintf(corpusConfig, "", origin), Options{})
		return addr
	})
}

func TestCorpusTLS(t *testing.T) {
	pair := newAuthority(t).issue(t, "a.example")
	secure := fmt.Sprintf(", tls: { certificates: [{ cert: %q, key: %q }] }", pair.cert, pair.key)
	corpus.Run(t, corpus.Options{TLS: &tls.Config{InsecureSkipVerify: true}}, func(t testing.TB, origin string) string {
		addr, _ := start(t, fmt.Sprintf(corpusConfig, secure, origin), Options{})
		return addr
	})
}

const corpusConfig = `
listeners: [{ address: "127.0.0.1:0"%s }]
timeouts: { head: 3s, body_idle: 3s }
clusters:
  app:
    origins: [{ address: %q }]
    first_byte_timeout: 3s
    body_idle_timeout: 3s
    upgrades: [websocket]
access_log: { format: off }
`
