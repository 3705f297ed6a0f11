package origin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// FetchOptions are what an origin is asked for, apart from requests.
type FetchOptions struct {
	// Path is asked for with GET. It begins with a slash and has, as Host has,
	// no blank and no control byte.
	Path string

	// Host is the Host field. Empty: the origin's address.
	Host string

	// Limit is the longest body, in bytes.
	Limit int
}

// Fetch asks the origin once and returns the body of a good answer, 200..299. It makes
// a connection as the pool does, but not of the pool's, takes no slot, and follows
// nothing. The error is for people, without the origin's name: ctx bounds how long it
// may take.
func (p *Pool) Fetch(ctx context.Context, o FetchOptions) ([]byte, error) {
	body, err := p.fetch(ctx, o)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = ErrTimeout
	}
	if err != nil {
		return nil, fmt.Errorf("GET %s: %s", o.Path, brief(err))
	}
	return body, nil
}

func (p *Pool) fetch(ctx context.Context, o FetchOptions) ([]byte, error) {
	nc, err := p.connect(ctx)
	defer nc.discard()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(past) })
	defer stop()
	if _, err := nc.Write(p.appendFetch(nil, o)); err != nil {
		return nil, err
	}
	return readFetched(nc, o.Limit)
}

func (p *Pool) appendFetch(dst []byte, o FetchOptions) []byte {
	host := o.Host
	if host == "" {
		host = p.origin.Address
	}
	dst = append(dst, "GET "+o.Path+" HTTP/1.1\r\nHost: "+host...)
	return append(dst, "\r\nUser-Agent: weirkeep-metric\r\nAccept: */*\r\nConnection: close\r\n\r\n"...)
}

// readFetched reads a final answer with a body of at most limit bytes. What comes on
// the wire beyond that is bounded as well: a chunk of one byte has a line of its own.
func readFetched(in io.Reader, limit int) ([]byte, error) {
	bounded := &io.LimitedReader{R: in, N: maxHeadBytes}
	r := bufio.NewReader(bounded)
	answer, err := http.ReadResponse(r, nil)
	for n := 0; err == nil && answer.StatusCode < 200; n++ {
		if n == maxInterims {
			return nil, ErrInterims
		}
		answer, err = http.ReadResponse(r, nil)
	}
	switch {
	case err != nil && bounded.N <= 0:
		return nil, ErrHeadLarge
	case err != nil:
		return nil, err
	case answer.StatusCode > 299:
		return nil, fmt.Errorf("status %d, must be 200 to 299", answer.StatusCode)
	}
	bounded.N = int64(limit)*8 + maxHeadBytes
	body, err := io.ReadAll(io.LimitReader(answer.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > limit:
		return nil, fmt.Errorf("the answer has more than %d bytes", limit)
	}
	return body, nil
}
