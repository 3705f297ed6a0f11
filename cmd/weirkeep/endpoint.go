package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

	note    string // why the configuration could not say more; may be empty
	noToken error  // why no token was found
}

// endpoint finds the admin API: what is said on the command line comes before
// the environment, that before the configuration, and that before the default.
func (a *app) endpoint(file string) (endpoint, error) {
	cfg, note := adminConfig(file)
	e, err := parseEndpoint(cmp.Or(a.admin, os.Getenv("WEIRKEEP_ADMIN"), configured(cfg)))
	if err != nil {
		return e, err
	}
	e.note = note
	e.token, e.noToken = token(cfg)
	return e, nil
}

// adminConfig reads the configuration for the sake of its admin section. A file
// with mistakes is as good as none, but worth a note.
func adminConfig(named string) (cfg *config.Config, note string) {
	file, err := findFile(named)
	if err == nil {
		if cfg, _ = config.Load(file); cfg != nil {
			return cfg, ""
		}
		note = "nothing could be read from " + file + " (see weirkeep check); --admin and WEIRKEEP_TOKEN say where and who"
	}
	cfg, _ = config.Parse("default", config.Sample(""))
	return cfg, note
}

// configured is the URL of the admin API in a configuration.
func configured(cfg *config.Config) string {
	if cfg.Admin.Socket != "" {
		return "unix://" + cfg.Admin.Socket
	}
	if cfg.Admin.Address == "off" {
		return "off"
	}
	return "http://" + dialable(cfg.Admin.Address)
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

func parseEndpoint(s string) (endpoint, error) {
	if s == "off" {
		return endpoint{}, &failure{status: exitUnreachable, err: errors.New("the configuration has no admin API"), hint: "weirkeep reads its files again on SIGHUP"}
	}
	u, err := url.Parse(s)
	if err == nil {
		err = checkEndpoint(u)
	}
	if err != nil {
		return endpoint{}, &failure{status: exitUsage, err: fmt.Errorf("admin URL %q: %w", s, err), hint: "for example --admin http://127.0.0.1:9900 or --admin unix:///run/weirkeep/admin.sock"}
	}
	if u.Scheme == "unix" {
		return endpoint{base: "http://admin", socket: u.Path}, nil
	}
	return endpoint{base: u.Scheme + "://" + u.Host}, nil
}

// checkEndpoint refuses a URL that a token must not or cannot be sent to.
func checkEndpoint(u *url.URL) error {
	switch {
	case u.Scheme == "unix" && u.Host == "" && u.Path != "":
		return nil
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("it must begin with http://, https:// or unix:///")
	case u.Host == "":
		return errors.New("it has no host")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return errors.New("the token must not cross a network in the clear; use https")
	}
	return nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// token is what lets us in, from the environment, the configuration, or the
// gateway's state.
func token(cfg *config.Config) (string, error) {
	if t := cmp.Or(os.Getenv("WEIRKEEP_TOKEN"), string(cfg.Admin.Token)); t != "" {
		return t, nil
	}
	text, err := os.ReadFile(admin.TokenFile(cfg.Node.StateDir))
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
