package wire

// MaxMethod is the length of the longest method that is let through, in bytes.
// The longest in use, UPDATEREDIRECTREF, has 17.
const MaxMethod = 32

// CheckMethod refuses with ErrMethod what is no method, and with ErrMethodLong
// one over MaxMethod. Methods keep their case: "get" is not GET.
func CheckMethod(m []byte) error {
	if len(m) > MaxMethod {
		return ErrMethodLong
	}
	if !IsToken(m) {
		return ErrMethod
	}
	return nil
}

// ParseVersion returns the minor version, 0 or 1, of the protocol name in a
// request line, or ErrVersion. A later minor version is refused, as we do not
// know it.
func ParseVersion(p []byte) (minor int, err error) {
	switch string(p) {
	case "HTTP/1.1":
		return 1, nil
	case "HTTP/1.0":
		return 0, nil
	}
	return 0, ErrVersion
}

// StatusLine is the first line of an answer.
type StatusLine struct {
	Code   int    // 100..999
	Minor  int    // 0 or 1
	Reason []byte // view; nil if the line ends after the code
}

// ParseStatusLine reads the first line of an answer, given without its CRLF.
// Anything but HTTP/1.0 or HTTP/1.1, a code from 100 to 999 and, after a space,
// a reason without control bytes is ErrStatusLine.
func ParseStatusLine(line []byte) (s StatusLine, err error) {
	const version, code = len("HTTP/1.1"), len("HTTP/1.1 200")
	if len(line) < code || line[version] != ' ' {
		return s, ErrStatusLine
	}
	if s.Minor, err = ParseVersion(line[:version]); err != nil {
		return s, ErrStatusLine
	}
	if s.Code = statusCode(line[version+1 : code]); s.Code == 0 {
		return s, ErrStatusLine
	}
	if len(line) > code {
		s.Reason = line[code+1:]
		if line[code] != ' ' || !IsValue(s.Reason) {
			return s, ErrStatusLine
		}
	}
	return s, nil
}

// statusCode returns the number that three digits are, 0 if there is no such
// status.
func statusCode(d []byte) int {
	n := 0
	for _, c := range d {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	if n < 100 {
		return 0
	}
	return n
}
