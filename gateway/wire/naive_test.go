package wire

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The naive readers are a second opinion: strings and regular expressions,
// written from the RFCs and not from the code under test. They are only asked
// about input that was accepted, so they may panic on other.

var naiveField = regexp.MustCompile("^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*((?s:[^\\x00-\\x08\\x0a-\\x1f\\x7f]*?))[ \\t]*$")

// naiveChunks decodes a chunked body.
func naiveChunks(s string) (out outcome) {
	var line string
	for {
		line, s, _ = strings.Cut(s, "\r\n")
		digits, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseUint(strings.TrimRight(digits, " \t"), 16, 63)
		if err != nil {
			return outcome{err: err}
		}
		if n == 0 {
			break
		}
		out.content += s[:n]
		if s[n:n+2] != "\r\n" {
			return outcome{err: ErrChunk}
		}
		s = s[n+2:]
	}
	for {
		if line, s, _ = strings.Cut(s, "\r\n"); line == "" {
			out.left = s
			return out
		}
		m := naiveField.FindStringSubmatch(line)
		if m == nil {
			return outcome{err: ErrTrailer}
		}
		out.trailer += m[1] + ": " + m[2] + "\r\n"
	}
}

// naiveHead is what the naive reader takes from the fields of a request.
type naiveHead struct {
	fields []string // "name: value"
	host   string
	length int64
	close  bool
}

// readNaively reads a block of request fields, with or without its blank line.
func readNaively(block string) (h naiveHead, err error) {
	lines := strings.Split(block, "\r\n")
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	values := map[string][]string{}
	for _, line := range lines {
		m := naiveField.FindStringSubmatch(line)
		if m == nil {
			return h, fmt.Errorf("no field line: %q", line)
		}
		h.fields = append(h.fields, m[1]+": "+m[2])
		name := strings.ToLower(m[1])
		values[name] = append(values[name], m[2])
	}
	h.host = strings.Join(values["host"], " and ")
	h.length, err = naiveLength(values["content-length"], values["transfer-encoding"])
	for _, option := range strings.Split(strings.Join(values["connection"], ","), ",") {
		h.close = h.close || strings.EqualFold(strings.Trim(option, " \t"), "close")
	}
	return h, err
}

// naiveLength frames a request by its two framing fields.
func naiveLength(lengths, codings []string) (int64, error) {
	switch {
	case len(lengths)+len(codings) > 1:
		return 0, fmt.Errorf("framed twice: %q, %q", lengths, codings)
	case len(lengths) == 1:
		return strconv.ParseInt(lengths[0], 10, 64)
	case len(codings) == 1 && strings.ToLower(codings[0]) == "chunked":
		return Chunked, nil
	case len(codings) == 1:
		return 0, fmt.Errorf("coding %q", codings[0])
	}
	return NoLength, nil
}
