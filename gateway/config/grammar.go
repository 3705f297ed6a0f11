package config

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A grammar says what a text must be, or nothing when it is that. It never
// repeats the text, which may be a secret.
type grammar func(text string) (reason string)

// grammars are what the tags check and keys name.
var grammars = map[string]grammar{
	"":                func(string) string { return "" },
	"admin":           grammarAdmin,
	"authority":       grammarAuthority,
	"balance-key":     grammarBalanceKey,
	"cluster":         grammarCluster,
	"cookie-domain":   grammarCookieDomain,
	"cookie-path":     grammarCookiePath,
	"cookie-pattern":  grammarCookiePattern,
	"header":          grammarHeader,
	"header-value":    grammarHeaderValue,
	"dns-name":        grammarDNSName,
	"host":            grammarHost,
	"host-pattern":    grammarHostPattern,
	"input":           grammarInput,
	"label":           grammarLabel,
	"listen":          grammarListen,
	"name":            grammarName,
	"media-type":      grammarMediaType,
	"name-or-ip":      grammarServerName,
	"metric-source":   grammarMetricSource,
	"need":            grammarNeed,
	"origin":          grammarOrigin,
	"outlet":          grammarOutlet,
	"page":            grammarPage,
	"param":           grammarParam,
	"path-prefix":     grammarPathPrefix,
	"pointer":         grammarPointer,
	"prefix":          grammarPrefix,
	"protocol":        grammarProtocol,
	"request-path":    grammarRequestPath,
	"resolver":        grammarResolver,
	"secret":          grammarSecret,
	"series":          grammarSeries,
	"servlet-pattern": grammarServletPattern,
	"sha256":          grammarSHA256,
	"token":           grammarToken,
	"ttl":             grammarTTL,
	"url-param":       grammarURLParam,
}

// codeOf is the code of what a grammar refuses.
func codeOf(check, reason string) string {
	if check == "header" && reason == gatewaysOwn {
		return "E114"
	}
	return "E112"
}

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum   = digits + letters
)

// only reports whether a text is made of the given characters, and not empty.
func only(text, chars string) bool {
	return text != "" && strings.Trim(text, chars) == "" && !strings.ContainsFunc(text, func(c rune) bool {
		return !strings.ContainsRune(chars, c)
	})
}

func grammarName(s string) string {
	if len(s) > 64 || !only(s, alnum+"._-") || !strings.Contains(alnum+"_", s[:1]) {
		return "must be a name of letters, digits, dots, dashes and underscores, at most 64"
	}
	return ""
}

// IsLabel reports whether a text can be the label of an edition.
func IsLabel(s string) bool { return s != "" && grammarLabel(s) == "" }

func grammarLabel(s string) string {
	if len(s) > 64 || !only(s, alnum+"._-:[]") {
		return "must be a name of letters, digits, dots, dashes, underscores, colons and brackets, at most 64"
	}
	return ""
}

func grammarToken(s string) string {
	if len(s) > 255 || !isToken(s) {
		return "must be a token: letters, digits and !#$%&'*+-.^_`|~"
	}
	return ""
}

// grammarParam is for names of parameters as they stand in a query.
func grammarParam(s string) string {
	name := strings.TrimSuffix(s, "*")
	if s == "" || strings.ContainsAny(name, "*&=#? \t\r\n") {
		return `must be the name of a parameter as it stands in a query, or its beginning with * behind it: "utm_*"`
	}
	return ""
}

// grammarProtocol refuses h2c: inside it requests would pass that nobody looked at.
func grammarProtocol(s string) string {
	if strings.EqualFold(s, "h2c") {
		return "must not be h2c: the requests inside it would pass unseen"
	}
	return grammarToken(s)
}

// isToken is the token of RFC 9110, section 5.6.2.
func isToken(s string) bool { return only(s, alnum+"!#$%&'*+-.^_`|~") }

func grammarSecret(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "must be of visible ASCII characters, without blanks"
	}
	return ""
}

// gatewaysOwn refuses header fields that the framing of messages depends on.
const gatewaysOwn = "must not be edited: it frames the message or belongs to one connection"

// ownHeaders are the fields that the gateway writes, in lower case.
var ownHeaders = []string{
	"connection", "content-length", "expect", "host", "http2-settings", "keep-alive",
	"proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "proxy-connection",
	"te", "trailer", "transfer-encoding", "upgrade",
}

func grammarHeader(s string) string {
	switch {
	case !isToken(s) || len(s) > 256:
		return "must be a header name: letters, digits and !#$%&'*+-.^_`|~"
	case slices.Contains(ownHeaders, strings.ToLower(s)):
		return gatewaysOwn
	}
	return ""
}

func grammarHeaderValue(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return "must hold no control characters"
	}
	if strings.Trim(s, " \t") != s {
		return "must not begin or end with a blank"
	}
	return ""
}

// The pages that are not shown for one status.
const (
	pageBusy     = "busy"     // a queue was full, or the wait in it too long
	pageNetwork  = "network"  // every reason that an origin failed for
	pageFragment = "fragment" // no page, but what stands in one where a fragment has failed
)

// pageNames are their keys.
var pageNames = []string{pageBusy, pageNetwork, pageFragment}

func grammarPage(s string) string {
	n, ok := wholeNumber(s)
	if !slices.Contains(pageNames, s) && !(ok && n >= 400 && n <= 599) {
		return "must be busy, network, fragment or a status from 400 to 599"
	}
	return ""
}

func grammarAdmin(s string) string {
	if s == "off" || grammarListen(s) == "" {
		return ""
	}
	return "must be host:port, :port or off"
}

func grammarListen(s string) string {
	host, port, ok := splitPort(s)
	if !ok || host != "" && !isHost(host) || !isPort(port, 0) {
		return "must be host:port or :port, for example :8080"
	}
	return ""
}

func grammarOrigin(s string) string {
	_, _, reason := splitOrigin(s)
	return reason
}

// splitOrigin takes an origin's address apart. The host is in lower case.
func splitOrigin(s string) (scheme, hostPort, reason string) {
	scheme, rest, isURL := strings.Cut(s, "://")
	ports := map[string]string{"http": "80", "https": "443"}
	switch {
	case !isURL:
		scheme, rest = "http", s
	case ports[scheme] == "":
		return "", "", "must begin with http:// or https://, or be host:port"
	case strings.ContainsAny(rest, "/?#@"):
		return "", "", "must end behind the host or port: an origin has no path, query or user"
	case isHost(rest):
		rest += ":" + ports[scheme]
	}
	host, port, ok := splitPort(rest)
	if !ok && isHost(rest) {
		return "", "", "must have a port, for example shop:8080"
	}
	if !ok || !isHost(host) || !isPort(port, 1) {
		return "", "", "must be host:port, http://host[:port] or https://host[:port]"
	}
	return scheme, canonicalHost(host) + ":" + port, ""
}

// canonicalHost is the one spelling of a host, so that addresses compare.
func canonicalHost(host string) string {
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil && a.Is6() {
		return "[" + a.String() + "]"
	}
	return strings.ToLower(host)
}

// splitPort splits at the last colon that is not inside brackets.
func splitPort(s string) (host, port string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || strings.LastIndexByte(s, ']') > i {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// isPort reports whether a text is a port number, without leading zeros.
func isPort(s string, lowest int) bool {
	n, err := strconv.Atoi(s)
	return err == nil && strconv.Itoa(n) == s && n >= lowest && n <= 65535
}

// isHost reports whether a text is a host name, an IPv4 address, or an IPv6
// address in brackets.
func isHost(s string) bool {
	if v6, ok := strings.CutPrefix(s, "["); ok {
		v6, ok = strings.CutSuffix(v6, "]")
		a, err := netip.ParseAddr(v6)
		return ok && err == nil && a.Is6() && a.Zone() == ""
	}
	if only(s, digits+".") {
		_, err := netip.ParseAddr(s)
		return err == nil
	}
	return isHostName(s, isHostLabel)
}

// isHostName reports whether a text is labels with dots between them.
func isHostName(s string, label func(string) bool) bool {
	if len(s) > 253 {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if !label(part) {
			return false
		}
	}
	return true
}

// isHostLabel is a label of a host name; underscores are common inside networks.
func isHostLabel(s string) bool {
	return len(s) <= 63 && only(s, alnum+"-_") && s[0] != '-' && s[len(s)-1] != '-'
}

func isPatternLabel(s string) bool { return s == "*" || s == "**" || isHostLabel(s) }

func grammarHost(s string) string {
	host, port, ok := splitPort(s)
	if !ok {
		host = s
	}
	switch {
	case strings.ContainsFunc(s, func(c rune) bool { return c > '~' }):
		return "must be in ASCII: write xn-- labels for other letters"
	case strings.Contains(s, "/"):
		return "must be a host, without scheme or path"
	case !strings.Contains(s, "[") && strings.Count(s, ":") > 1:
		return "must have an IPv6 address in brackets"
	case ok && !isPort(port, 1):
		return "must have a port from 1 to 65535 behind the colon"
	case isHost(host) || !only(host, digits+".") && isHostName(host, isPatternLabel):
		return ""
	case !isHostName(host, func(label string) bool { return !strings.Contains(label, "*") || isPatternLabel(label) }):
		return "must use * and ** for whole labels only"
	}
	return "must be a host name or address, perhaps with :port; * is one label, ** several"
}

func grammarAuthority(s string) string {
	host, port, ok := splitPort(s)
	if isHost(s) || ok && isHost(host) && isPort(port, 1) {
		return ""
	}
	return "must be client, origin, or a host name, perhaps with :port"
}

func grammarServerName(s string) string {
	if _, err := netip.ParseAddr(s); err == nil || isHost(s) {
		return ""
	}
	return "must be a host name or address, without port"
}

func grammarPathPrefix(s string) string {
	if strings.Contains(s, "?") {
		return "must be a path, without query"
	}
	return grammarPrefix(s)
}

func grammarPrefix(s string) string {
	path, _, _ := strings.Cut(s, "?")
	switch {
	case !strings.HasPrefix(s, "/"):
		return `must begin with "/"`
	case strings.Contains(s, "#"):
		return "must hold no fragment (#), which no request has"
	case strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }):
		return "must hold no blanks, control characters and backslashes; write a blank as %20"
	case !escapesFit(s):
		return "must have two hexadecimal digits behind each %"
	case strings.Contains(path, "//") || hasDotSegment(path):
		return "must have no empty, . or .. segments: no request matches them"
	}
	return ""
}

// escapesFit reports whether every percent sign begins an escape.
func escapesFit(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && (i+2 >= len(s) || !only(s[i+1:i+3], digits+"abcdefABCDEF")) {
			return false
		}
	}
	return true
}

func hasDotSegment(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		plain := strings.ReplaceAll(strings.ToLower(part), "%2e", ".")
		if plain == "." || plain == ".." {
			return true
		}
	}
	return false
}
