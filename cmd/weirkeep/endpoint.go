package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"weirkeep/gateway/admin"
	"weirkeep/gateway/config"
)

// endpoint is an admin API, and how to be let in.
type endpoint struct {
	base   string // URL without a path
	socket string // unix socket to dial in place of the URL's host; may be empty
	token  string // empty: none was found

	source  string // who said where it is, and what if that is wrong
	noToken error  // why no token was found
}

// endpoint finds the admin API: what is said on the command line comes before
// the environment, that before the configuration, and that before the default,
// which is for when there is no configuration at all.
func (a *app) endpoint(named string) (endpoint, error) { return a.findEndpoint(named, checkSecrecy) }

// openEndpoint is endpoint for questions that need no token.
func (a *app) openEndpoint(named string) (endpoint, error) {
	return a.findEndpoint(named, func(*url.URL) error { return nil })
}

func (a *app) findEndpoint(named string, check func(*url.URL) error) (endpoint, error) {
	f, said := findAdmin(named), cmp.Or(a.admin, os.Getenv("WEIRKEEP_ADMIN"))
	if said == "" && f.problems.Errors() > 0 {
		return endpoint{}, a.notSent(f.file)
	}
	e, err := parseEndpoint(cmp.Or(said, f.url()), check)
	if err != nil {
		return e, err
	}
	switch {
	case said != "":
		e.source = "is the gateway running, and its admin API there? --admin, else WEIRKEEP_ADMIN, says where"
	case f.file == "":
		e.source = "no configuration was found, so this is the default; -c FILE or --admin says where the gateway is"
	default:
		e.source = "is the gateway running? It listens where " + f.file + " said when it was started; if admin has changed since then, give the old address with --admin"
	}
	e.token, e.noToken = f.token()
	return e, nil
}

// adminFacts are what a configuration says of the admin API.
type adminFacts struct {
	file     string // empty: there is none, and the rest is the default
	admin    config.Admin
	stateDir string
	problems config.Problems // why it is not known where the API is
}

func findAdmin(named string) adminFacts {
	file, err := findFile(named)
	if err != nil {
		standard := usual()
		return adminFacts{admin: standard.Admin, stateDir: standard.Node.StateDir}
	}
	f := adminFacts{file: file}
	f.admin, f.stateDir, f.problems = config.AdminOf(file)
	return f
}

// usual is the configuration of who says nothing of the admin API and its state.
func usual() *config.Config {
	standard, _ := config.Parse("default", config.Sample(""))
	return standard
}

// notSent says why a file does not tell where the admin API is: it cannot be
// read, or has mistakes, which are all told.
func (a *app) notSent(file string) error {
	_, problems := config.Load(file)
	if a.machine() {
		if err := a.print(outcome{Schema: 1, Problems: problems}); err != nil {
			return err
		}
		return &failure{status: exitConfig}
	}
	if p := problems[0]; p.Code == "E101" && p.File == "" {
		return &failure{status: exitConfig, code: p.Code, err: errors.New("not sent: " + p.Message),
			hint: "-c names the file that the gateway was started with; --admin and WEIRKEEP_TOKEN do without one"}
	}
	a.sayProblems(problems)
	return &failure{
		status: exitConfig,
		err:    fmt.Errorf("not sent: %s has %s; the running gateway keeps what it has", file, plural(problems.Errors(), "mistake")),
		hint:   "--admin and WEIRKEEP_TOKEN do without the file",
	}
}

// url is where the admin API is, by the configuration.
func (f adminFacts) url() string {
	if f.admin.Socket != "" {
		return "unix://" + f.admin.Socket
	}
	if f.admin.Address == "off" {
		return "off"
	}
	return "http://" + dialable(f.admin.Address)
}

// withScheme makes a URL of what is short for one: host:port, or a path.
func withScheme(s string) string {
	switch {
	case strings.Contains(s, "://"):
		return s
	case strings.HasPrefix(s, "/"):
		return "unix://" + s
	}
	return "http://" + s
}

// dialable turns an address to listen on into one to connect to.
func dialable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func parseEndpoint(s string, check func(*url.URL) error) (endpoint, error) {
	if s == "off" {
		return endpoint{}, &failure{status: exitUnreachable, err: errors.New("the configuration has no admin API"), hint: "admin.address or admin.socket lets it be asked; weirkeep reads its files again on SIGHUP"}
	}
	u, err := url.Parse(withScheme(s))
	if err == nil {
		err = cmp.Or(checkEndpoint(u), check(u))
	}
	if err != nil {
		return endpoint{}, &failure{status: exitUsage, err: fmt.Errorf("admin URL %q: %w", s, err), hint: "for example --admin http://127.0.0.1:9900 or --admin unix:///run/weirkeep/admin.sock"}
	}
	if u.Scheme == "unix" {
		return endpoint{base: "http://admin", socket: u.Path}, nil
	}
	return endpoint{base: u.Scheme + "://" + u.Host}, nil
}

// checkEndpoint refuses a URL that nothing can be sent to.
func checkEndpoint(u *url.URL) error {
	switch {
	case u.Scheme == "unix" && u.Host == "" && u.Path != "":
		return nil
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("it must begin with http://, https:// or unix:///")
	case u.Host == "":
		return errors.New("it has no host")
	}
	return nil
}

// checkSecrecy refuses a URL that a token must not be sent to.
func checkSecrecy(u *url.URL) error {
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return errors.New("the token must not cross a network in the clear; use https")
	}
	return nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// token is what lets us in, from the environment, the configuration, or the
// gateway's state: where that is usual and has none, from the demo's.
func (f adminFacts) token() (string, error) {
	if t := cmp.Or(os.Getenv("WEIRKEEP_TOKEN"), string(f.admin.Token)); t != "" {
		return t, nil
	}
	text, err := os.ReadFile(admin.TokenFile(f.stateDir))
	if errors.Is(err, fs.ErrNotExist) && f.stateDir == usual().Node.StateDir {
		if demo, none := os.ReadFile(admin.TokenFile(userState())); none == nil {
			text, err = demo, nil
		}
	}
	return strings.TrimSpace(string(text)), err
}

// client speaks to the endpoint, and to nobody that it may send us to.
func (e endpoint) client(a *app) *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	if e.socket != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", e.socket)
		}
	}
	return &http.Client{
		Transport:     transport,
		Timeout:       a.timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
