package admin

import (
	"io"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// newHandler is everything there is, open to all: guards go before it.
func newHandler(o Options) http.Handler {
	useProblems()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthy)
	mux.HandleFunc("GET /readyz", ready(o.Gateway))
	mux.Handle("GET /metrics", exposition(o))
	handleProfiles(mux)
	a := &api{gateway: o.Gateway, steward: o.Rollouts, reports: o.Reports, operator: o.Operator, cache: o.Cache, metrics: o.Metrics, log: o.Logger, version: o.Version}
	h := humago.New(mux, apiConfig(o.Version))
	a.register(h)
	mux.HandleFunc("POST "+invalidatePath, a.invalidate)
	mux.HandleFunc("GET /openapi.json", document(h.OpenAPI()))
	mux.HandleFunc("/", noSuchPath(mux))
	return noStore(mux)
}

// apiConfig is huma's with nothing besides what is registered: no pages that
// load scripts from elsewhere, and no $schema in bodies. A parameter of the query that
// nothing reads is a mistake, not one to skip: with ?dry_run=true it would be done.
func apiConfig(version string) huma.Config {
	c := huma.DefaultConfig("weirkeep admin", version)
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil
	c.RejectUnknownQueryParameters = true
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "Not needed through the unix socket."},
	}
	c.Security = []map[string][]string{{"token": {}}}
	return c
}

// document answers with the description of the API.
func document(d *huma.OpenAPI) http.HandlerFunc {
	render := sync.OnceValues(d.MarshalJSON)
	return func(w http.ResponseWriter, _ *http.Request) {
		text, err := render()
		if err != nil {
			writeProblem(w, &problem{Status: http.StatusInternalServerError, Detail: err.Error()})
			return
		}
		w.Header().Set("Content-Type", "application/openapi+json")
		w.Write(text)
	}
}

// handleProfiles offers the profiles of the Go run time.
func handleProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
}

// healthy says that the process is alive.
func healthy(w http.ResponseWriter, _ *http.Request) { say(w, "ok") }

// ready says whether the gateway should get new clients, or why not.
func ready(g Gateway) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if why := g.Status().notReady(); why != "" {
			writeProblem(w, &problem{Status: http.StatusServiceUnavailable, Title: "not ready", Detail: why})
			return
		}
		say(w, "ready")
	}
}

func say(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, text+"\n")
}

// methods are those that a path may be there for.
var methods = []string{http.MethodGet, http.MethodPatch, http.MethodPost}

// noSuchPath answers what nothing else is registered for: 405 if the path is
// there for another method, else 404.
func noSuchPath(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		allowed := allowedMethods(mux, r)
		if len(allowed) == 0 {
			writeProblem(w, &problem{Status: http.StatusNotFound, Detail: "there is nothing at " + r.URL.Path, Suggestion: "GET /openapi.json lists what there is"})
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, &problem{Status: http.StatusMethodNotAllowed, Detail: r.URL.Path + " is not there for " + r.Method})
	}
}

func allowedMethods(mux *http.ServeMux, r *http.Request) (allowed []string) {
	for _, m := range methods {
		other := *r
		other.Method = m
		if _, pattern := mux.Handler(&other); pattern != "/" {
			allowed = append(allowed, m)
		}
	}
	return allowed
}

// noStore keeps answers out of caches and out of frames of other pages.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		next.ServeHTTP(w, r)
	})
}
