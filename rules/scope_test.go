package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What is known of an answer, there and not there.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source string
		full   bool // of the answer that has everything
		empty  bool // of the one that has nothing
	}{
		{`status == 503`, true, false},
		{`status in [502, 503] and attempts == 2 and method == "GET"`, true, false},
		{`status >= 500 and status < 504`, true, false},
		{`status == 0 and attempts == 0`, false, true},
		{`content_type == "text/html"`, true, false},
		{`content_type == ""`, false, true},
		{`content_type in ["text/html", "text/plain"]`, true, false},
		{`(session.new ? host : content_type) == "text/html"`, true, false},
		{`response_header("Content-Type") == "Text/HTML; charset=utf-8"`, true, false},
		{`response_header("x-CACHE") == "MISS"`, true, false},
		{`response_header(lower("X-CACHE")) == "MISS"`, true, false},
		{`response_header("X-None") == ""`, true, true},
		{`response_header("X-Cache") != header("X-Cache")`, true, false}, // which the request does not have
		{`response_header("X-Kind") == ""`, true, true},                  // which the request has
	} {
		l := languageOf(t, OfRetry)
		for _, of := range []struct {
			r    *Request
			want bool
		}{{request(), tt.full}, {&Request{}, tt.empty}} {
			if got, err := compile(t, l, tt.source).Match(of.r); got != of.want || err != nil {
				t.Errorf("%s is %v, %v of status %d; want %v", tt.source, got, err, of.r.Response.Status, of.want)
			}
		}
	}
}

// A media type is compared as RFC 9110 8.3.1 says: whatever the case of its letters, and
// without what follows it.
func TestContentType(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"text/html": "text/html", "TEXT/Html;charset=UTF-8": "text/html", "text/html ;a=b": "text/html", "\tapplication/json ": "application/json",
		"": "", ";": "", "text": "text",
	} {
		r := &Request{Response: Response{Fields: fields("CONTENT-TYPE", written, "Content-Type", "image/png")}}
		v, errs := languageOf(t, OfAnswer).Eval("content_type", r)
		if errs != nil || v.Text != fmt.Sprintf("%q", want) {
			t.Errorf("of %q it is %s (%v), want %q", written, v.Text, errs, want)
		}
	}
}

// A name stands where what it is of is known, and nowhere else.
func TestScopes(t *testing.T) {
	t.Parallel()
	const (
		rule    = "rules are asked before an origin is"
		answer  = "it is asked of the answer that stands, however many attempts it took"
		places  = "it can be named in cache.rules[].when, sites.*.cache.rules[].when or clusters.*.retry.when"
		retries = "it can be named in clusters.*.retry.when"
	)
	for _, tt := range []struct {
		scope  Scope
		source string
		want   string // empty: it compiles
	}{
		{OfRequest, `status == 503`, "1:1 E301 status cannot be named here: " + rule + ": " + places},
		{OfRequest, `method == "GET" and content_type == "text/html"`, "1:21 E301 content_type cannot be named here: " + rule + ": " + places},
		{OfRequest, `attempts < 2`, "1:1 E301 attempts cannot be named here: " + rule + ": " + retries},
		{OfRequest, `response_header("X") == ""`, "1:1 E301 response_header cannot be named here: " + rule + ": " + places},
		{OfRequest, `response.status == 503`, "1:1 E301 response cannot be named here: " + rule + ": " + places},
		{OfRequest, `stats == 503`, `1:1 E301 unknown name "stats"`},
		{OfAnswer, `attempts < 2`, "1:1 E301 attempts cannot be named here: " + answer + ": " + retries},
		{OfAnswer, `status == 503 and response_header("X") != content_type`, ""},
		{OfRetry, `status == 503 and attempts < 2 and header("X") == ""`, ""},
		{OfRetry, `stats == 503`, `1:1 E301 unknown name "stats": did you mean "status"`},
		{OfRetry, `response.status == 503`, `1:1 E301 unknown name "response": write status`},
		{OfRetry, `response.headers["X"] == ""`, `1:1 E301 unknown name "response": write response_header("X")`},
		{OfRetry, `resp.header("X") == ""`, `1:1 E301 unknown name "resp": write response_header("X")`},
		{OfRetry, `request.headers["X"] == ""`, `1:9 E301 request has no "headers": write header("X")`},
		{OfRetry, `status == "503"`, `1:8 E301 invalid operation: == (mismatched types int and string): numbers stand without quotes: status == 503`},
		{OfRetry, `status`, `1:1 E302 the condition is an int, it must be true or false: compare it with something, as in header("X") == "a"`},
		{OfRetry, ` `, `1:1 E301 it is empty: without when, retry.statuses alone says which answers are passed over`},
		{OfRetry, `age > 5`, `1:1 E301 age cannot be named here: it is asked of an answer that is not stored yet: it can be named in --where of weirkeep cache`},
		{OfRequest, `hits > 5`, `1:1 E301 hits cannot be named here: ` + rule + `: it can be named in --where of weirkeep cache`},
		{OfStored, `age > 5 and ttl < 0 and size > 1024 and hits == 0 and "news" in tags and variant == ""`, ""},
		{OfStored, `status == 200 and content_type startsWith "image/" and response_header("X") == "" and glob(path, "/img/**") and query("w") == "1" and now.hour > 1`, ""},
		{OfStored, `client.ip == ip("10.0.0.1")`, `1:1 E301 client cannot be named here: of the request that a stored answer was to, only the URL is known: it can be named in rules[].when, sites.*.rules[].when, cache.rules[].when, sites.*.cache.rules[].when or clusters.*.retry.when`},
		{OfStored, `header("X") == ""`, `1:1 E301 header cannot be named here: of the request that a stored answer was to, only the URL is known: it can be named in rules[].when, sites.*.rules[].when, cache.rules[].when, sites.*.cache.rules[].when or clusters.*.retry.when`},
		{OfStored, `hit == 0`, `1:1 E301 unknown name "hit": did you mean "hits"`},
		{OfStored, ` `, `1:1 E301 it is empty: without --where, the selector alone selects`},
		{OfRetry, `response_header("a b") == ""`, `1:17 E307 response_header(): "a b" is no name of a header field`},
	} {
		got := ""
		if _, errs := languageOf(t, tt.scope).Compile("r", tt.source); errs != nil {
			got = fmt.Sprintf("%d:%d %s %v", errs[0].Line, errs[0].Column, errs[0].Code, errs[0])
		}
		if got != tt.want {
			t.Errorf("in scope %d, %s:\n got %s\nwant %s", tt.scope, tt.source, got, tt.want)
		}
	}
}

// What of an answer can hardly be meant.
func TestLintOfAnswers(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`status == 5033`: `W352: it is never true: it is from 200 to 999: delete it, or correct it`,
		`status == 100 or content_type == "text/html"`: `W354: it is from 200 to 999`,
		`attempts > 0`:                                     `W353: it is always true: it is never below 1: delete it, or correct it`,
		`content_type == "Text/HTML"`:                      `W352: it is never true: content_type is in lower case, and "Text/HTML" is not: delete it, or correct it`,
		`content_type startsWith "text/html;"`:             `W352: it is never true: content_type ends before the ";": response_header("Content-Type") has what follows: delete it, or correct it`,
		`status in [502, 503] and attempts < 2`:            ``,
		`content_type contains "json" and status >= 500`:   ``,
		`status == 502 and status == 503`:                  `W352: it is never true: delete it, or correct it`,
		`response_header("X") == "A" or path == "/cart/a"`: ``,
	} {
		var found []string
		for _, f := range Lint([]Linted{{When: source}}, languageOf(t, OfRetry)) {
			found = append(found, f.Code+": "+f.Error.Error())
		}
		if got := strings.Join(found, "; "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", source, got, want)
		}
	}
}

// What is known of a stored answer, and how it is counted.
func TestStoredAnswers(t *testing.T) {
	t.Parallel()
	l := languageOf(t, OfStored)
	r := &Request{
		Scheme: "https", Site: "shop", Path: []byte("/img/a.png"), Query: []byte("w=1"), URL: []byte("/img/a.png?w=1"), Now: request().Now,
		Response: Response{Status: 200, Fields: fields("Content-Type", "image/PNG")},
		Stored:   Stored{Age: 3601 * time.Second, TTL: -1500 * time.Millisecond, Size: 2048, Hits: 3, Tags: []string{"news", "home"}, Variant: "beta"},
	}
	for source, want := range map[string]bool{
		`content_type startsWith "image/" and age > 3600`: true,
		`age > 3601`:                        false,
		`ttl == -2`:                         true,
		`ttl < 0 and size >= 2048`:          true,
		`hits in [3, 4]`:                    true,
		`"news" in tags and len(tags) == 2`: true,
		`"new" in tags`:                     false,
		`tags[0] == "news"`:                 true,
		`tags[7] == ""`:                     true,
		`variant == "beta" and site == "shop" and scheme == "https" and status == 200`: true,
		`query("w") == "1" and url endsWith "?w=1" and glob(path, "/img/*")`:           true,
	} {
		if got, err := compile(t, l, source).Match(r); got != want || err != nil {
			t.Errorf("%s is %v, %v; want %v", source, got, err, want)
		}
	}
}
