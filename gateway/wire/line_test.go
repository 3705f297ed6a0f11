package wire

import (
	"errors"
	"strings"
	"testing"
)

func TestMethods(t *testing.T) {
	for _, tt := range []struct {
		method string
		want   error
	}{
		{"GET", nil},
		{"gEt", nil},
		{"X!#$%&'*+.^_`|~", nil},
		{strings.Repeat("M", 32), nil},
		{strings.Repeat("M", 33), ErrMethodLong},
		{"", ErrMethod},
		{"GE(T", ErrMethod},
		{"G\x01ET", ErrMethod},
		{"G\xc9T", ErrMethod},
		{"GET ", ErrMethod},
	} {
		if err := CheckMethod([]byte(tt.method)); !errors.Is(err, tt.want) {
			t.Errorf("CheckMethod(%q) = %v, want %v", tt.method, err, tt.want)
		}
	}
}

func TestVersions(t *testing.T) {
	for version, minor := range map[string]int{"HTTP/1.0": 0, "HTTP/1.1": 1} {
		if got, err := ParseVersion([]byte(version)); got != minor || err != nil {
			t.Errorf("ParseVersion(%q) = %d, %v; want %d", version, got, err, minor)
		}
	}
	for _, version := range []string{"", "HTTP/", "HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/1.10", "http/1.1", "HTTP/1.1 ", "HTTP/1.1\x01", "HTTP/+1.1"} {
		if _, err := ParseVersion([]byte(version)); !errors.Is(err, ErrVersion) {
			t.Errorf("ParseVersion(%q) = %v, want ErrVersion", version, err)
		}
	}
}

func TestStatusLines(t *testing.T) {
	for _, tt := range []struct {
		line   string
		want   StatusLine
		reason bool // one is stated, if only an empty one
	}{
		{"HTTP/1.1 200 OK", StatusLine{200, 1, []byte("OK")}, true},
		{"HTTP/1.0 599 Not  so\tgood", StatusLine{599, 0, []byte("Not  so\tgood")}, true},
		{"HTTP/1.1 600 Odd", StatusLine{600, 1, []byte("Odd")}, true},
		{"HTTP/1.1 999", StatusLine{999, 1, nil}, false},
		{"HTTP/1.1 100 ", StatusLine{100, 1, nil}, true},
		{"HTTP/1.1 200", StatusLine{200, 1, nil}, false},
		{"HTTP/1.1 200 caf\xc3\xa9", StatusLine{200, 1, []byte("caf\xc3\xa9")}, true},
	} {
		got, err := ParseStatusLine([]byte(tt.line))
		if err != nil || got.Code != tt.want.Code || got.Minor != tt.want.Minor || string(got.Reason) != string(tt.want.Reason) || (got.Reason != nil) != tt.reason {
			t.Errorf("ParseStatusLine(%q) = %+v, %v", tt.line, got, err)
		}
	}
}

func TestStatusLinesThatAreRefused(t *testing.T) {
	for _, line := range []string{
		"", "200 OK", "<html>hi</html>", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20 OK", "HTTP/1.1 20", "HTTP/1.1 099 X", "HTTP/1.1 000 X",
		"HTTP/1.1 2x0 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 200OK", "HTTP/1.1 200\tOK", "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK", "HTTP/2.0 200 OK",
		"HTTP/9.9 200 OK", "HTTP/1.1 200 O\x01K", "HTTP/1.1 200 O\rX: y", "HTTP/1.1 200 OK\r\n", "http/1.1 200 OK", "HTTP/1.1 -20 OK", "ICY 200 OK",
	} {
		if s, err := ParseStatusLine([]byte(line)); !errors.Is(err, ErrStatusLine) {
			t.Errorf("ParseStatusLine(%q) = %+v, %v; want ErrStatusLine", line, s, err)
		}
	}
}
