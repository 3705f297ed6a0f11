package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins"
)

// outside makes the http calls of plugins to addresses: to whom the configuration lets them, which
// package plugins sees to. Redirects are not followed, no proxy is asked, and nothing
// of a call is routed or cached.
var outside = &http.Client{
	Transport: &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       30 * time.Second,
		DisableCompression:    true,
		ResponseHeaderTimeout: 30 * time.Second,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// fetch implements plugins.Fetch.
func (g *Gateway) fetch(r *plugins.Request, most int) (func(context.Context) plugins.Answer, abi.Code) {
	u, err := url.Parse(r.URL)
	switch {
	case err != nil:
		return nil, abi.BadArgument // of nobody who is granted anything
	case u.Scheme == "cluster":
		return g.errand(r, u, most)
	}
	return func(ctx context.Context) plugins.Answer { return fetchURL(ctx, r, most) }, 0
}

// fetchURL calls an address. Of the answer's body so many bytes are taken at most.
func fetchURL(ctx context.Context, r *plugins.Request, most int) plugins.Answer {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return plugins.Answer{Code: abi.Unreachable}
	}
	for _, f := range r.Headers {
		req.Header.Add(string(f.Name), string(f.Value))
	}
	answer, err := outside.Do(req)
	if err != nil {
		return plugins.Answer{Code: codeOfFetch(err)}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, int64(most)+1))
	if err != nil {
		return plugins.Answer{Code: codeOfFetch(err)}
	}
	a := plugins.Answer{Status: answer.StatusCode, Whole: len(body) <= most, Body: body[:min(len(body), most)]}
	for name, values := range answer.Header {
		for _, value := range values {
			if !endsHere(answer.Header, name) {
				a.Headers = append(a.Headers, abi.Field{Name: []byte(name), Value: []byte(value)})
			}
		}
	}
	return a
}

// hopByHop are fields of an answer that end at this hop.
var hopByHop = map[string]bool{
	"Connection": true, "Keep-Alive": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// endsHere reports whether a field of an answer ends at this hop, by its name or
// because Connection names it.
func endsHere(h http.Header, name string) bool {
	if hopByHop[name] || strings.HasPrefix(name, "Proxy-") {
		return true
	}
	for _, list := range h["Connection"] {
		for named := range strings.SplitSeq(list, ",") {
			if strings.EqualFold(strings.TrimSpace(named), name) {
				return true
			}
		}
	}
	return false
}

func codeOfFetch(err error) abi.Code {
	if errors.Is(err, context.DeadlineExceeded) {
		return abi.Timeout
	}
	return abi.Unreachable
}
