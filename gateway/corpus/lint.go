package corpus

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"

var (
	requestLine = regexp.MustCompile(`^` + token + ` [\x21-\x7e\x{80}-\x{ff}]+ HTTP/1\.[01]$`) // over Latin-1
	fieldName   = regexp.MustCompile(`^` + token + `$`)
	hostPort    = regexp.MustCompile(`^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*(?::[0-9]{0,5})?$` +
		`|^\[[0-9A-Fa-f:.]+(?:%25[A-Za-z0-9._~-]+)?\](?::[0-9]{0,5})?$`)
	chunkLine  = regexp.MustCompile(`^([0-9A-Fa-f]{1,15})(;[^\r\n\x00]*)?$`)
	digits     = regexp.MustCompile(`^[0-9]+$`)
	lengthSane = regexp.MustCompile(`^[0-9]{1,15}$`)
)

// notInTrailers are fields that nobody may send after the body.
var notInTrailers = []string{
	"content-length", "transfer-encoding", "host", "trailer", "authorization",
	"content-encoding", "content-type", "content-range", "connection", "te",
}

// framed are the names that decide where a request ends and where it goes.
var framed = []string{"content-length", "transfer-encoding", "host"}

// A field is a header field as a strict reader sees it: the name in lower case.
type field struct{ name, value string }

// fields are those of one head, in order.
type fields []field

// all returns the values of every field of that name.
func (f fields) all(name string) []string {
	var out []string
	for _, x := range f {
		if x.name == name {
			out = append(out, x.value)
		}
	}
	return out
}

// framing says how a body ends: "none", "length", "chunked" or "until-close".
type framing struct {
	kind   string
	length int
}

// readHead reads the message's head strictly, notes every finding in its lint,
// and returns the fields and how the body is framed.
func readHead(m *message) (fields, framing) {
	m.lintBytes()
	lines := strings.Split(strings.ReplaceAll(string(m.head), "\r\n", "\n"), "\n")
	v10 := m.readLine(lines[0])
	fs := m.readFields(lines[1:])
	m.lintHost(fs.all("host"), v10)
	m.lintLength(fs, v10)
	m.lintLookAlike(fs)
	m.lintHop(fs)
	return fs, frame(fs)
}

// found notes a finding.
func (m *message) found(finding string) { m.lint = append(m.lint, finding) }

// lintBytes looks for bytes that no head may hold.
func (m *message) lintBytes() {
	crlf := bytes.Count(m.head, []byte("\r\n"))
	if bytes.Count(m.head, []byte("\n")) > crlf {
		m.found("bare-lf")
	}
	if bytes.Count(m.head, []byte("\r")) > crlf {
		m.found("bare-cr")
	}
	if bytes.IndexByte(m.head, 0) >= 0 {
		m.found("nul")
	}
}

// readLine takes method and target from the request line.
func (m *message) readLine(line string) (v10 bool) {
	if !requestLine.MatchString(latin1([]byte(line))) {
		m.found("bad-request-line")
	}
	parts := strings.Split(line, " ")
	m.method = parts[0]
	if len(parts) > 1 {
		m.target = parts[1]
	}
	if strings.Contains(m.target, "#") {
		m.found("fragment")
	}
	return strings.HasSuffix(line, "HTTP/1.0")
}

// readFields takes the fields from the lines after the request line.
func (m *message) readFields(lines []string) fields {
	var fs fields
	for _, line := range lines {
		if line == "" {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			m.found("obs-fold")
			continue
		}
		name, value, colon := strings.Cut(line, ":")
		if !colon {
			m.found("no-colon")
			continue
		}
		fs = append(fs, m.readField(name, value))
	}
	return fs
}

func (m *message) readField(name, value string) field {
	if name == "" {
		m.found("empty-name")
	} else if !fieldName.MatchString(name) {
		m.found("bad-name")
	}
	value = strings.Trim(value, " \t")
	if strings.ContainsFunc(value, control) {
		m.found("ctl-in-value")
	}
	return field{lower(trim(name)), value}
}

// control reports whether r is a control character, tab, CR and LF apart.
func control(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
}

func (m *message) lintHost(host []string, v10 bool) {
	switch {
	case len(host) > 1:
		m.found("host-dup")
	case len(host) == 0 && !v10:
		m.found("host-missing")
	case len(host) == 1 && !hostPort.MatchString(host[0]):
		m.found("host-bad")
	}
}

// lintLength looks at the two fields that frame a body.
func (m *message) lintLength(fs fields, v10 bool) {
	cl, te := fs.all("content-length"), fs.all("transfer-encoding")
	if len(cl) > 1 {
		m.found("cl-dup")
	}
	if slices.ContainsFunc(cl, func(v string) bool { return !digits.MatchString(v) }) {
		m.found("cl-bad")
	}
	if len(te) == 0 {
		return
	}
	if len(te) > 1 {
		m.found("te-dup")
	}
	if lower(te[0]) != "chunked" {
		m.found("te-bad")
	}
	if len(cl) > 0 {
		m.found("cl+te")
	}
	if v10 {
		m.found("te-in-1.0")
	}
}

// lintLookAlike looks for names that a careless origin takes for framing.
func (m *message) lintLookAlike(fs fields) {
	for _, f := range fs {
		if !slices.Contains(framed, f.name) && slices.Contains(framed, dashed(f.name)) {
			m.found("look-alike")
			return
		}
	}
}

// dashed is name with a dash for each underscore, space and control character.
func dashed(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c == '_' || c <= ' ' {
			b[i] = '-'
		}
	}
	return string(b)
}

// lintHop looks for what concerns one connection only and went on all the same.
func (m *message) lintHop(fs fields) {
	listed := connectionOptions(fs)
	for _, name := range listed {
		if !slices.Contains([]string{"close", "keep-alive", "upgrade", "te", ""}, name) && fs.all(name) != nil {
			m.found("hop-listed")
		}
	}
	for _, name := range []string{"keep-alive", "proxy-connection"} {
		if fs.all(name) != nil {
			m.found("hop-leak:" + name)
		}
	}
	if fs.all("upgrade") != nil && !slices.Contains(listed, "upgrade") {
		m.found("hop-leak:upgrade")
	}
	if slices.ContainsFunc(fs.all("te"), func(v string) bool { return lower(v) != "trailers" }) {
		m.found("hop-leak:te")
	}
}

// connectionOptions are the names listed in Connection.
func connectionOptions(fs fields) []string {
	var out []string
	for _, value := range fs.all("connection") {
		for _, option := range strings.Split(value, ",") {
			out = append(out, lower(trim(option)))
		}
	}
	return out
}

// frame decides how the body ends, Transfer-Encoding first.
func frame(fs fields) framing {
	cl, te := fs.all("content-length"), fs.all("transfer-encoding")
	if len(te) > 0 {
		last := strings.ReplaceAll(lower(te[len(te)-1]), " ", "")
		if strings.HasSuffix(last, "chunked") {
			return framing{kind: "chunked"}
		}
		return framing{kind: "until-close"}
	}
	if len(cl) > 0 && lengthSane.MatchString(cl[0]) {
		n, _ := strconv.Atoi(cl[0]) // 15 digits always fit
		return framing{kind: "length", length: n}
	}
	return framing{kind: "none"}
}

// trim cuts ASCII white space, and no other, from both ends.
func trim(s string) string { return strings.Trim(s, " \t\r\n\v\f") }

// lower folds ASCII letters, and no others.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
