package gateway

import (
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
)

// expiresSoon is how long before a certificate ends that is warned of.
const expiresSoon = 14 * 24 * time.Hour

// certificateWarnings are what is probably not meant about the certificates of
// a listener. Nil: it has none.
func certificateWarnings(cfg *config.Config, i int, c *certificates, now time.Time) (ps config.Problems) {
	if c == nil {
		return nil
	}
	for k, pair := range *c.loaded.Load() {
		path := fmt.Sprintf("listeners[%d].tls.certificates[%d].cert", i, k)
		if why := whyNotValid(pair.Leaf, now); why != "" {
			ps = append(ps, cfg.At(path, config.Warning, "W603", path+": "+why, ""))
		}
		if !coversAny(pair.Leaf, cfg.Sites) {
			message := fmt.Sprintf("%s: no host of any site is among its names (%s)", path, strings.Join(certificateNames(pair.Leaf), ", "))
			ps = append(ps, cfg.At(path, config.Warning, "W604", message, ""))
		}
	}
	return ps
}

func whyNotValid(leaf *x509.Certificate, now time.Time) string {
	const day = "2006-01-02 15:04 MST"
	switch left := leaf.NotAfter.Sub(now); {
	case left <= 0:
		return "the certificate has expired on " + leaf.NotAfter.UTC().Format(day)
	case now.Before(leaf.NotBefore):
		return "the certificate is not valid before " + leaf.NotBefore.UTC().Format(day)
	case left < expiresSoon:
		return "the certificate expires on " + leaf.NotAfter.UTC().Format(day)
	}
	return ""
}

// certificateNames are what a certificate is for: its alternative names, or
// where there is none, which no client accepts, its common name.
func certificateNames(leaf *x509.Certificate) []string {
	names := append([]string(nil), leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		names = append(names, leaf.Subject.CommonName)
	}
	return names
}

// coversAny reports whether a site has a host that the certificate is for.
func coversAny(leaf *x509.Certificate, sites map[string]config.Site) bool {
	for _, s := range sites {
		for _, host := range s.Hosts {
			if covers(leaf, host) {
				return true
			}
		}
	}
	return false
}

// covers reports whether some host that a pattern fits is one of the
// certificate's. Only a pattern that is a wildcard in its first label, and
// there alone, is looked at closely; others may fit anything.
func covers(leaf *x509.Certificate, pattern string) bool {
	host := strings.ToLower(hostOfPattern(pattern))
	if !strings.Contains(host, "*") {
		return leaf.VerifyHostname(host) == nil
	}
	parent, ok := strings.CutPrefix(host, "*.")
	if !ok || strings.Contains(parent, "*") {
		return true
	}
	for _, name := range leaf.DNSNames {
		if _, above, _ := strings.Cut(strings.ToLower(name), "."); above == parent {
			return true
		}
	}
	return false
}

// hostOfPattern is a host as a site names it, without port and brackets.
func hostOfPattern(pattern string) string {
	if host, _, err := net.SplitHostPort(pattern); err == nil {
		return host
	}
	return strings.Trim(pattern, "[]")
}

// count makes the children of metrics for the pairs of a listener.
func (c *certificates) count(listener string, set *metrics.Set) {
	for _, f := range c.files {
		c.metrics = append(c.metrics, set.Certificate(metrics.CertificateLabels{Listener: listener, Certificate: f.Cert}))
	}
}
