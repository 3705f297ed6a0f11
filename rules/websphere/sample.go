package websphere

import (
	"math/rand/v2"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxTries bounds the requests that are made up for one test.
const maxTries = 2000

// A domain is the values that one operand is tried with.
type domain struct {
	of     operand
	values []string
}

// optional reports whether a request need not have the operand.
func (d domain) optional() bool {
	return d.of.kind.keyed || d.of.kind.name == "mimetype"
}

// domains are those of the operands of a rule, in the order of the expression.
func domains(c condition) (all []domain) {
	c.examples(func(o operand, text string) {
		o, text = o.standIn(text)
		if !o.takes(text) {
			return
		}
		i := slices.IndexFunc(all, func(d domain) bool { return d.of.String() == o.String() })
		if i < 0 {
			i, all = len(all), append(all, domain{of: o})
		}
		if !slices.Contains(all[i].values, text) {
			all[i].values = append(all[i].values, text)
		}
	})
	return all
}

// standIn is the operand that decides this one: a Host field is made of host and
// port.
func (o operand) standIn(text string) (operand, string) {
	if o.kind.keyed && o.kind.name == "header" && strings.EqualFold(o.key, "host") {
		host, _, _ := strings.Cut(text, ":")
		return operand{kind: operandKinds["virtualhost"]}, strings.ToLower(host)
	}
	return o, o.constant(text)
}

// What a test's request can be made of, without being changed on its way.
var (
	methods  = regexp.MustCompile(`^[A-Z]{1,16}$`)
	hosts    = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
	paths    = regexp.MustCompile(`^/([A-Za-z0-9_~-][A-Za-z0-9._~-]*/?)*$`)
	tokens   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	contents = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
	plain    = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)
)

// ownFields are header fields that a request cannot have as a test likes.
var ownFields = []string{"host", "cookie", "connection", "content-length", "expect", "forwarded", "te", "trailer", "transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"}

// takes reports whether a request can have the operand with that value.
func (o operand) takes(text string) bool {
	switch o.kind.name {
	case "uri":
		return paths.MatchString(text)
	case "httpmethod":
		return methods.MatchString(text) && text != "CONNECT"
	case "protocol":
		return text == "http" || text == "https"
	case "virtualhost":
		return len(text) < 200 && hosts.MatchString(text)
	case "virtualport":
		n, err := strconv.Atoi(text)
		return err == nil && n > 0 && n < 1<<16
	case "clientipv4", "clientipv6":
		a, err := netip.ParseAddr(text)
		return err == nil && a.Is4() == (o.kind.is == typeIPv4)
	case "header":
		return tokens.MatchString(o.key) && contents.MatchString(text) && !slices.Contains(ownFields, strings.ToLower(o.key))
	case "mimetype":
		return contents.MatchString(text)
	}
	return tokens.MatchString(o.key) && plain.MatchString(text)
}

// bare is a request with nothing that need not be there.
func bare() *sample {
	return &sample{
		method: "GET", scheme: "http", host: "www.example.com", path: "/",
		client:  netip.MustParseAddr("192.0.2.1"),
		headers: map[string]string{}, cookies: map[string]string{}, queries: map[string]string{},
	}
}

// give lets a request have an operand.
func (r *sample) give(o operand, text string) {
	switch o.kind.name {
	case "uri":
		r.path = text
	case "httpmethod":
		r.method = text
	case "protocol":
		r.scheme = text
	case "virtualhost":
		r.host = text
	case "virtualport":
		r.port, _ = strconv.Atoi(text)
	case "clientipv4", "clientipv6":
		r.client, _ = netip.ParseAddr(text)
	default:
		r.named(o)[r.key(o)] = text
	}
}

// finish gives a request what follows from the rest.
func (r *sample) finish() *sample {
	if r.port == 0 {
		r.port = standardPort(r.scheme)
	}
	r.headers["host"] = r.authority()
	var cookies []string
	for _, name := range sorted(r.cookies) {
		cookies = append(cookies, name+"="+r.cookies[name])
	}
	if len(cookies) > 0 {
		r.headers["cookie"] = strings.Join(cookies, "; ")
	}
	return r
}

// samples yields requests that differ in what a rule asks for: all combinations
// if they are few, else some. Those that are lacking have nothing that a request
// need not have.
func samples(c condition, lacking bool, yield func(*sample) bool) {
	var all []domain
	for _, d := range domains(c) {
		if !lacking || !d.optional() {
			all = append(all, d)
		}
	}
	count := combinations(all)
	random := rand.New(rand.NewPCG(1, 2)) // the same for every run
	for i := range min(count, maxTries) {
		if count > maxTries {
			i = random.IntN(count)
		}
		if !yield(combination(all, i)) {
			return
		}
	}
}

// combinations counts them, up to a bound that is large enough.
func combinations(all []domain) int {
	count := 1
	for _, d := range all {
		count = min(count*(len(d.values)+1), 1<<40)
	}
	return count
}

// combination is the request of that number. Every operand has one of its values,
// or what a request has anyway.
func combination(all []domain, number int) *sample {
	r := bare()
	for _, d := range all {
		n := len(d.values) + 1
		if v := number % n; v > 0 {
			r.give(d.of, d.values[v-1])
		}
		number /= n
	}
	return r.finish()
}
