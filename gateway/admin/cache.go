package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Cache is what the API needs of what the gateway has stored. It may be called at any
// time, also at the same time. Errors are for people; they may be [ErrNotStored] or
// [ErrNoCache]. The forms of results are those of weirkeep cache -o json.
type Cache interface {
	// ListStored lists what is selected, at most limit answers, in an order: hits, size or age.
	ListStored(s Selection, order string, limit int) (any, error)
	// Stored is all that is stored of a URL.
	Stored(url string) (any, error)
	// PurgeStored makes what is selected go, or stale; a dry run only says what it would.
	// The sentence is for the log.
	PurgeStored(s Selection, soft, dryRun bool) (result any, sentence string, err error)
	// StoredStats are what is stored, and what became of it.
	StoredStats() (any, error)
	// PopularPaths are the paths that are asked for most, at most limit: all, stored or unstored.
	PopularPaths(of string, limit int) (any, error)
	// WarmStored fetches URLs, with fields, to have them stored.
	WarmStored(ctx context.Context, urls, fields []string) (any, error)
	// Invalidate does what a message of Web Cache's invalidation protocol wants, and returns
	// the answer to it. The sentences are for the log, one for each object.
	Invalidate(message []byte) (answer []byte, sentences []string, err error)
}

// ErrNotStored means that nothing is stored of a URL.
var ErrNotStored = errors.New("nothing is stored")

// ErrNoCache means that no site has a cache.
var ErrNoCache = errors.New("no site has a cache")

// Selection selects stored answers. It is exported for huma, which looks into it.
type Selection struct {
	Match string `json:"match,omitempty" maxLength:"65536" example:"site:shop tag:catalog path:/img/**" doc:"Words, separated by blanks: site:NAME, tag:TAG, group:GROUP, path:GLOB (* within a segment, ** across; with ? compared with path and query), or a full URL, which selects its path at its site. Different words are and-ed, several of the same word, and URLs, or-ed."`
	Where string `json:"where,omitempty" maxLength:"16384" example:"content_type startsWith \"image/\" and age > 3600" doc:"An expression on what is stored, in the language of rules, that must be true, too."`
	All   bool   `json:"all,omitempty" doc:"Without a word, select all there is. A purge refuses it beside words."`
}

// String is the selection, for the log.
func (s Selection) String() string {
	text := s.Match
	if s.All && text == "" {
		text = "all"
	}
	if s.Where != "" {
		text += " where " + s.Where
	}
	return strings.TrimSpace(text)
}

// registerCache adds what operates the cache.
func (a *api) registerCache(h huma.API) {
	errs := []int{http.StatusConflict, http.StatusUnprocessableEntity}
	huma.Register(h, huma.Operation{
		OperationID: "cacheObjects", Method: http.MethodGet, Path: "/v1/cache/objects",
		Summary: "What is stored", Errors: errs,
	}, a.cacheObjects)
	huma.Register(h, huma.Operation{
		OperationID: "cacheObject", Method: http.MethodGet, Path: "/v1/cache/object",
		Summary: "All that is stored of a URL", Errors: append(errs, http.StatusNotFound),
	}, a.cacheObject)
	huma.Register(h, huma.Operation{
		OperationID: "cacheStats", Method: http.MethodGet, Path: "/v1/cache/stats",
		Summary: "How much is stored, and what became of it", Errors: errs,
	}, a.cacheStats)
	huma.Register(h, huma.Operation{
		OperationID: "cachePopular", Method: http.MethodGet, Path: "/v1/cache/popular",
		Summary: "What is asked for most", Errors: errs,
		Description: "Paths of sites with a cache, whatever the query: with how often they were found in the store, and how often answered by what was not stored.",
	}, a.cachePopular)
	huma.Register(h, huma.Operation{
		OperationID: "cachePurge", Method: http.MethodPost, Path: "/v1/cache:purge",
		Summary: "Take away what is stored, or make it stale", Errors: errs,
		Description: "What is being fetched, and was asked for before, is treated as if it was stored. The 100 largest are listed.",
	}, a.cachePurge)
	huma.Register(h, huma.Operation{
		OperationID: "cacheWarm", Method: http.MethodPost, Path: "/v1/cache:warm",
		Summary: "Fetch URLs to have them stored", Errors: errs,
		Description: "Each is decided and fetched like a client's request; what is stored and fresh is not fetched anew. The answer comes when all are here.",
	}, a.cacheWarm)
}

// objectsRequest asks for a list.
type objectsRequest struct {
	Match string `query:"match" maxLength:"8192" doc:"A selector; absent: everything."`
	Where string `query:"where" maxLength:"8192" doc:"An expression on what is stored."`
	Sort  string `query:"sort" enum:"hits,size,age" default:"hits"`
	Limit int    `query:"limit" minimum:"0" maximum:"100000" default:"100"`
}

func (a *api) cacheObjects(_ context.Context, r *objectsRequest) (*tagged[any], error) {
	return a.ofCache(a.cache.ListStored(Selection{r.Match, r.Where, true}, r.Sort, r.Limit))
}

func (a *api) cacheObject(_ context.Context, r *struct {
	URL string `query:"url" required:"true" maxLength:"16384" example:"https://shop.example/a"`
}) (*tagged[any], error) {
	return a.ofCache(a.cache.Stored(r.URL))
}

func (a *api) cacheStats(context.Context, *struct{}) (*tagged[any], error) {
	return a.ofCache(a.cache.StoredStats())
}

// popularRequest asks for a list of paths.
type popularRequest struct {
	Of    string `query:"of" enum:"all,stored,unstored" default:"all"`
	Limit int    `query:"limit" minimum:"0" maximum:"100000" default:"20"`
}

func (a *api) cachePopular(_ context.Context, r *popularRequest) (*tagged[any], error) {
	return a.ofCache(a.cache.PopularPaths(r.Of, r.Limit))
}

// purgeRequest asks for a purge.
type purgeRequest struct {
	Asker
	Body struct {
		Selection
		Soft   bool `json:"soft,omitempty" doc:"It stays, and is stale from now on."`
		DryRun bool `json:"dry_run,omitempty" doc:"Say what would go, and do nothing."`
	}
}

func (a *api) cachePurge(_ context.Context, r *purgeRequest) (*tagged[any], error) {
	result, sentence, err := a.cache.PurgeStored(r.Body.Selection, r.Body.Soft, r.Body.DryRun)
	switch {
	case err != nil:
		a.audit(r.who, purging(r.Body.Selection), "refused: "+err.Error())
	case !r.Body.DryRun:
		a.audit(r.who, purging(r.Body.Selection), sentence)
	}
	return a.ofCache(result, err)
}

// purging is what the log calls a purge.
func purging(s Selection) string { return fmt.Sprintf("cache:purge %s", s) }

// warmRequest names what is to be fetched.
type warmRequest struct {
	Asker
	Body struct {
		URLs   []string `json:"urls" minItems:"1" maxItems:"1000" doc:"Full URLs."`
		Fields []string `json:"fields,omitempty" maxItems:"100" doc:"Header fields of the requests: Name: value."`
	}
}

func (a *api) cacheWarm(ctx context.Context, r *warmRequest) (*tagged[any], error) {
	result, err := a.cache.WarmStored(ctx, r.Body.URLs, r.Body.Fields)
	if err == nil {
		a.audit(r.who, "cache:warm", fmt.Sprintf("URLs: %d", len(r.Body.URLs)))
	}
	return a.ofCache(result, err)
}

// ofCache is the answer to an operation on the cache.
func (a *api) ofCache(result any, err error) (*tagged[any], error) {
	if err == nil {
		return &tagged[any]{tag(a.gateway.Status().Revision), result}, nil
	}
	p := &problem{Status: http.StatusUnprocessableEntity, Detail: err.Error()}
	switch {
	case errors.Is(err, ErrNotStored):
		p.Status, p.Suggestion = http.StatusNotFound, "GET /v1/cache/objects lists what there is"
	case errors.Is(err, ErrNoCache):
		p.Status, p.Suggestion = http.StatusConflict, "cache: { enabled: true } lets answers be stored"
	}
	return nil, p.complete()
}
