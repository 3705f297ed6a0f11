package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// open are the paths that need no token.
var open = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// guardToken lets in who has the token. Hint says where people find it.
func guardToken(token, hint string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if open[r.URL.Path] || hasToken(r, want) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="weirkeep admin"`)
		writeProblem(w, &problem{
			Status:     http.StatusUnauthorized,
			Detail:     "this needs the admin token: Authorization: Bearer TOKEN",
			Suggestion: hint,
		})
	})
}

// hasToken compares digests, so that time says neither content nor length.
func hasToken(r *http.Request, want [sha256.Size]byte) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if user, password, ok := r.BasicAuth(); ok && user == invalidator && r.URL.Path == invalidatePath {
		scheme, token = "Bearer", password
	}
	got := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// guardOrigin refuses what a page of another site makes a browser write.
func guardOrigin(next http.Handler) http.Handler {
	p := http.NewCrossOriginProtection()
	p.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, &problem{
			Status: http.StatusForbidden,
			Detail: "a page of another site may change nothing here",
		})
	}))
	return p.Handler(next)
}

// guardHost refuses names that a stranger could have pointed at this machine,
// so that no page can reach a loopback address through a browser by its own
// name. It is for loopback addresses alone: others are known by many names.
func guardHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ownName(r.Host) {
			next.ServeHTTP(w, r)
			return
		}
		writeProblem(w, &problem{
			Status:     http.StatusForbidden,
			Detail:     "this is not the name of a loopback address",
			Suggestion: "use localhost or the address itself",
		})
	})
}

// ownName reports whether a Host field is an address or localhost.
func ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}
