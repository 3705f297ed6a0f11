package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"weirkeep/gateway/wire"
)

// headOf makes the bytes of a request's head from what a person writes down of it.
// A header field is "Name: value". Whether the gateway takes such a request is not
// judged here; what could not be sent as one is refused.
func headOf(method, target, version string, headers []string) (head []byte, secure bool, err error) {
	if err := checkMethod(method); err != nil {
		return nil, false, err
	}
	target, _, _ = strings.Cut(target, "#")
	u, err := checkURL(target)
	if err != nil {
		return nil, false, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/%s\r\n", method, originForm(u, target), version)
	if host := hostIn(headers, u); host != "" {
		fmt.Fprintf(&b, "Host: %s\r\n", host)
	}
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || !wire.IsToken([]byte(name)) || strings.ContainsAny(value, "\r\n\x00") {
			return nil, false, fmt.Errorf("%q is no header field: write 'Name: value'", h)
		}
		fmt.Fprintf(&b, "%s: %s\r\n", name, strings.TrimSpace(value))
	}
	b.WriteString("\r\n")
	return b.Bytes(), u.Scheme == "https", nil
}

func checkMethod(method string) error {
	known := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
	if upper := strings.ToUpper(method); upper != method && slices.Contains(known, upper) {
		return fmt.Errorf("the method %q is written %s", method, upper)
	}
	if !wire.IsToken([]byte(method)) {
		return fmt.Errorf("%q is no method: it is one word, as GET", method)
	}
	return nil
}

// checkURL refuses what is neither a URL nor a path.
func checkURL(target string) (*url.URL, error) {
	u, err := url.Parse(target)
	if parse, ok := errors.AsType[*url.Error](err); ok {
		err = parse.Err
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("the URL %q: %w", target, err)
	case strings.ContainsAny(target, " \t"):
		return nil, fmt.Errorf("the URL %q: a blank is written %%20", target)
	case strings.HasPrefix(target, "/") && u.Host == "":
		return u, nil
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is no URL: write http://host/path, https://host/path, or the path alone", target)
	case u.User != nil:
		return nil, fmt.Errorf("the URL %q: a user's name is sent as a header field, Authorization", target)
	}
	return u, nil
}

// originForm is what follows the host, as it was written.
func originForm(u *url.URL, target string) string {
	if u.Host == "" {
		return target
	}
	_, rest, _ := strings.Cut(target, "://")
	switch i := strings.IndexAny(rest, "/?"); {
	case i < 0:
		return "/"
	case rest[i] == '?':
		return "/" + rest[i:]
	default:
		return rest[i:]
	}
}

// hostIn is the host to ask for; empty: a header field says it.
func hostIn(headers []string, u *url.URL) string {
	for _, h := range headers {
		if name, _, _ := strings.Cut(h, ":"); strings.EqualFold(name, "host") {
			return ""
		}
	}
	if u.Host == "" {
		return "localhost"
	}
	return u.Host
}

// parseAddress reads an address, with or without a port.
func parseAddress(text string) (netip.AddrPort, error) {
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return ap, nil
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%q, which is no address", text)
	}
	return netip.AddrPortFrom(ip, 0), nil
}

// cutHead is the head that a file begins with; what follows it is left out. A file
// without a single CRLF was written by a person: its lines end as those of HTTP.
func cutHead(text []byte) []byte {
	crlf := []byte("\r\n")
	if !bytes.Contains(text, crlf) {
		text = bytes.ReplaceAll(text, []byte("\n"), crlf)
	}
	if i := bytes.Index(text, []byte("\r\n\r\n")); i >= 0 {
		return text[:i+4]
	}
	return append(bytes.TrimRight(text, "\r\n"), "\r\n\r\n"...)
}

// latin1Text is bytes as a text of which each character stands for one.
func latin1Text(b []byte) string {
	var text strings.Builder
	for _, c := range b {
		text.WriteRune(rune(c))
	}
	return text.String()
}

// latin1Bytes are the bytes of such a text.
func latin1Bytes(text string) ([]byte, error) {
	b := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xff {
			return nil, fmt.Errorf("%q is no byte: each character stands for one", c)
		}
		b = append(b, byte(c))
	}
	return b, nil
}
