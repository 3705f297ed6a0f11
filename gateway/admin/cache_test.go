package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// cacheAt notes what it is asked, and answers with an error, if it has one.
type cacheAt struct {
	asked string
	err   error
}

func (c *cacheAt) note(format string, args ...any) (any, error) {
	c.asked = fmt.Sprintf(format, args...)
	return map[string]int{"matched": 3}, c.err
}

func (c *cacheAt) ListStored(s Selection, order string, limit int) (any, error) {
	return c.note("list %v by %s, %d", s, order, limit)
}

func (c *cacheAt) Stored(url string) (any, error) { return c.note("get %s", url) }

func (c *cacheAt) PurgeStored(s Selection, soft, dryRun bool) (any, string, error) {
	done, err := c.note("purge %v, soft %v, dry %v", s, soft, dryRun)
	return done, "removed: 3, bytes: 9", err
}

func (c *cacheAt) PopularPaths(of string, limit int) (any, error) {
	return c.note("popular %s, %d", of, limit)
}

func (c *cacheAt) StoredStats() (any, error) { return c.note("stats") }

func (c *cacheAt) WarmStored(_ context.Context, urls, fields []string) (any, error) {
	return c.note("warm %q with %q", urls, fields)
}

func (c *cacheAt) Invalidate(message []byte) ([]byte, []string, error) {
	_, err := c.note("invalidate %s", message)
	return []byte("<A/>"), []string{"object 1: SUCCESS", "object 2: SUCCESS"}, err
}

// Messages of Web Cache's invalidation protocol are taken from who has the token, also as
// the password of the user whom its clients know, and answered in XML.
func TestInvalidationMessages(t *testing.T) {
	for _, tt := range []struct {
		name, user, password, path string
		err                        error
		status                     int
		kind, body, log            string
	}{
		{"bearer", "", secret, invalidatePath, nil, 200, "text/xml; charset=utf-8", "<A/>", `result="object 2: SUCCESS"`},
		{"password", "invalidator", secret, invalidatePath, nil, 200, "text/xml; charset=utf-8", "<A/>", `what=cache:invalidate result="object 1: SUCCESS"`},
		{"another user", "administrator", secret, invalidatePath, nil, 401, "application/problem+json", "this needs the admin token", ""},
		{"another password", "invalidator", "secret", invalidatePath, nil, 401, "application/problem+json", "this needs the admin token", ""},
		{"another path", "invalidator", secret, "/v1/cache:purge", nil, 401, "application/problem+json", "this needs the admin token", ""},
		{"refused", "invalidator", secret, invalidatePath, errors.New("line 1: no"), 400, "application/problem+json", "line 1: no", `result="refused: line 1: no"`},
		{"no cache", "invalidator", secret, invalidatePath, ErrNoCache, 409, "application/problem+json", "no site has a cache", "refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			o, c := options(running(), &log), &cacheAt{err: tt.err}
			o.Cache = c
			r, err := http.NewRequestWithContext(t.Context(), "POST", startTCP(t, o)+tt.path, strings.NewReader("<M/>"))
			if err != nil {
				t.Fatal(err)
			}
			if r.SetBasicAuth(tt.user, tt.password); tt.user == "" {
				r.Header.Set("Authorization", "Bearer "+tt.password)
			}
			status, header, body := do(t, &http.Transport{DisableKeepAlives: true}, r)
			if status != tt.status || header.Get("Content-Type") != tt.kind || !strings.Contains(body, tt.body) || !strings.Contains(log.String(), tt.log) {
				t.Errorf("%d, %s: %s, logged %s", status, header.Get("Content-Type"), body, log.String())
			}
			if asked := c.asked == "invalidate <M/>"; asked != (status != 401) {
				t.Errorf("asked %q", c.asked)
			}
		})
	}
}

func TestCacheOperations(t *testing.T) {
	for _, tt := range []struct {
		method, path, body string
		err                error
		status             int
		asked, log         string
	}{
		{"GET", "/v1/cache/objects", "", nil, 200, "list all by hits, 100", ""},
		{"GET", "/v1/cache/objects?match=site:a+tag:b&where=age%3E1&sort=size&limit=5", "", nil, 200, "list site:a tag:b where age>1 by size, 5", ""},
		{"GET", "/v1/cache/objects?sort=name", "", nil, 422, "", ""},
		{"GET", "/v1/cache/object?url=http://a/b", "", nil, 200, "get http://a/b", ""},
		{"GET", "/v1/cache/object", "", nil, 422, "", ""},
		{"GET", "/v1/cache/object?url=http://a/b", "", ErrNotStored, 404, "get http://a/b", ""},
		{"GET", "/v1/cache/stats", "", nil, 200, "stats", ""},
		{"GET", "/v1/cache/stats", "", ErrNoCache, 409, "stats", ""},
		{"GET", "/v1/cache/popular", "", nil, 200, "popular all, 20", ""},
		{"GET", "/v1/cache/popular?of=unstored&limit=3", "", nil, 200, "popular unstored, 3", ""},
		{"GET", "/v1/cache/popular?of=some", "", nil, 422, "", ""},
		{"POST", "/v1/cache:purge", `{"match":"tag:a","where":"age > 1","soft":true}`, nil, 200, "purge tag:a where age > 1, soft true, dry false", `what="cache:purge tag:a where age > 1" result="removed: 3, bytes: 9"`},
		{"POST", "/v1/cache:purge", `{"all":true,"dry_run":true}`, nil, 200, "purge all, soft false, dry true", ""},
		{"POST", "/v1/cache:purge", `{"all":true}`, nil, 200, "purge all, soft false, dry false", `what="cache:purge all"`},
		{"POST", "/v1/cache:purge", `{}`, errors.New("it has no word"), 422, "purge , soft false, dry false", `result="refused: it has no word"`},
		{"POST", "/v1/cache:purge", `{"soft":"yes"}`, nil, 422, "", ""},
		{"POST", "/v1/cache:warm", `{"urls":["http://a/b"],"fields":["A: b"]}`, nil, 200, `warm ["http://a/b"] with ["A: b"]`, `what=cache:warm result="URLs: 1"`},
		{"POST", "/v1/cache:warm", `{"urls":[]}`, nil, 422, "", ""},
	} {
		t.Run(tt.method+tt.path+tt.body, func(t *testing.T) {
			var log bytes.Buffer
			o, c := options(running(), &log), &cacheAt{err: tt.err}
			o.Cache = c
			r, err := http.NewRequestWithContext(t.Context(), tt.method, startTCP(t, o)+tt.path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+secret)
			r.Header.Set("Content-Type", "application/json")
			status, header, body := do(t, &http.Transport{DisableKeepAlives: true}, r)
			if status != tt.status || c.asked != tt.asked {
				t.Errorf("%d, asked %q: %s", status, c.asked, body)
			}
			if status == 200 && (body != `{"matched":3}`+"\n" || header.Get("ETag") != `"rev-4"`) {
				t.Errorf("%s, tag %s", body, header.Get("ETag"))
			}
			if !strings.Contains(log.String(), tt.log) || (tt.log == "") != (log.Len() == 0) {
				t.Errorf("logged %q, want %q", log.String(), tt.log)
			}
		})
	}
}

// TestBodiesSayThatTheyAreJSON: who sends one as curl -d does by itself is told what to say.
func TestBodiesSayThatTheyAreJSON(t *testing.T) {
	var log bytes.Buffer
	o := options(running(), &log)
	o.Cache = &cacheAt{}
	r, err := http.NewRequestWithContext(t.Context(), "POST", startTCP(t, o)+"/v1/cache:purge", strings.NewReader(`{"all":true}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, _, body := do(t, &http.Transport{DisableKeepAlives: true}, r)
	if status != http.StatusUnsupportedMediaType || !strings.Contains(body, `"suggestion":"send JSON, and say so: Content-Type: application/json"`) {
		t.Errorf("%d: %s", status, body)
	}
}
