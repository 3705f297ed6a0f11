package corpus

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
)

var (
	statusLine = regexp.MustCompile(`^HTTP/1\.[01] ([0-9]{3})(?: [^\r\n]*)?\r\n`)
	answerTE   = regexp.MustCompile(`(?i)\r\ntransfer-encoding:[ \t]*([^\r\n]*)`)
	answerCL   = regexp.MustCompile(`(?i)\r\ncontent-length:[ \t]*([^\r\n]*)`)
)

// A response is one answer as a strict client reads it.
type response struct {
	status   int
	body     []byte
	complete bool
	framing  string // "tunnel", "none", "chunked", "bad-chunked", "length" or "close"
}

// parseResponses splits what a client got into final and interim answers and
// what follows them. methods are those of the requests, in order; beyond them
// GET is assumed. end is how the connection ended, "" if it has not.
func parseResponses(data []byte, methods []string, end string) (finals, interim []response, rest []byte) {
	for len(data) > 0 {
		head, after, ok := cutAnswerHead(data)
		if !ok {
			break
		}
		status, _ := strconv.Atoi(string(statusLine.FindSubmatch(head)[1]))
		if status >= 100 && status < 200 && status != 101 {
			interim = append(interim, response{status: status})
			data = after
			continue
		}
		method := "GET"
		if len(finals) < len(methods) {
			method = methods[len(finals)]
		}
		r := response{status: status}
		data = r.readBody(head, after, method, end)
		finals = append(finals, r)
		if r.framing == "bad-chunked" {
			break
		}
	}
	return finals, interim, data
}

// cutAnswerHead takes a head that begins with a well-formed status line.
func cutAnswerHead(data []byte) (head, after []byte, ok bool) {
	i := bytes.Index(data, []byte("\r\n\r\n"))
	if i < 0 {
		return nil, nil, false
	}
	head, after = data[:i+4], data[i+4:]
	return head, after, statusLine.Match(head)
}

// readBody takes the body from data as the head frames it and returns the rest.
func (r *response) readBody(head, data []byte, method, end string) (rest []byte) {
	length := answerCL.FindSubmatch(head)
	switch {
	case r.status == 101:
		r.framing, r.complete, r.body = "tunnel", true, data
		return nil
	case method == "HEAD" || r.status == 204 || r.status == 304:
		r.framing, r.complete = "none", true
		return data
	case answerTE.Match(head):
		r.framing = "chunked"
		return r.readChunked(data)
	case length != nil && digits.MatchString(trim(string(length[1]))):
		r.framing = "length"
		return r.readLength(data, decimal(trim(string(length[1]))))
	}
	r.framing, r.complete, r.body = "close", end == "fin", data
	return nil
}

func (r *response) readLength(data []byte, n int) (rest []byte) {
	k := min(n, len(data))
	r.body, r.complete = data[:k], k == n
	return data[k:]
}

func (r *response) readChunked(data []byte) (rest []byte) {
	for {
		line, after, ok := bytes.Cut(data, []byte("\r\n"))
		if !ok {
			return nil
		}
		part := chunkLine.FindSubmatch(line)
		if part == nil {
			r.framing = "bad-chunked"
			return data
		}
		n := chunkSize(part[1])
		if n == 0 {
			return r.readTrailer(after)
		}
		if len(after) < n+2 {
			r.body = append(r.body, after[:min(n, len(after))]...)
			return nil
		}
		r.body = append(r.body, after[:n]...)
		data = after[n+2:]
	}
}

func (r *response) readTrailer(data []byte) (rest []byte) {
	for {
		line, after, ok := bytes.Cut(data, []byte("\r\n"))
		if !ok {
			return nil
		}
		data = after
		if len(line) == 0 {
			r.complete = true
			return data
		}
	}
}

// decimal reads digits; a number that does not fit is as large as can be.
func decimal(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return math.MaxInt
	}
	return n
}
