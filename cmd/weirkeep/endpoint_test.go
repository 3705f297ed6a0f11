package main

import "testing"

func TestEndpointIsWhereATokenMayGo(t *testing.T) {
	for _, tt := range []struct {
		url    string
		base   string
		socket string
		wrong  bool
	}{
		{url: "http://127.0.0.1:9900", base: "http://127.0.0.1:9900"},
		{url: "http://127.0.0.1:9900/", base: "http://127.0.0.1:9900"},
		{url: "http://[::1]:9900", base: "http://[::1]:9900"},
		{url: "http://localhost:9900", base: "http://localhost:9900"},
		{url: "https://gateway.example:9900", base: "https://gateway.example:9900"},
		{url: "unix:///run/weirkeep/admin.sock", base: "http://admin", socket: "/run/weirkeep/admin.sock"},
		{url: "http://gateway.example:9900", wrong: true},
		{url: "http://10.0.0.1:9900", wrong: true},
		{url: "http://127.0.0.1.example:9900", wrong: true},
		{url: "unix://run/admin.sock", wrong: true},
		{url: "unix://", wrong: true},
		{url: "127.0.0.1:9900", base: "http://127.0.0.1:9900"},
		{url: "localhost:9900", base: "http://localhost:9900"},
		{url: "/run/weirkeep/admin.sock", base: "http://admin", socket: "/run/weirkeep/admin.sock"},
		{url: "10.0.0.1:9900", wrong: true},
		{url: "http://", wrong: true},
		{url: "off", wrong: true},
		{url: "", wrong: true},
	} {
		t.Run(tt.url, func(t *testing.T) {
			e, err := parseEndpoint(tt.url, checkSecrecy)
			if (err != nil) != tt.wrong {
				t.Fatalf("parseEndpoint(%q) = %v, want an error: %v", tt.url, err, tt.wrong)
			}
			if e.base != tt.base || e.socket != tt.socket {
				t.Errorf("parseEndpoint(%q) = %q, %q, want %q, %q", tt.url, e.base, e.socket, tt.base, tt.socket)
			}
		})
	}
}

func TestListeningAddressCanBeDialled(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:9900": "127.0.0.1:9900",
		"[::1]:9900":     "[::1]:9900",
		":9900":          "localhost:9900",
		"0.0.0.0:9900":   "localhost:9900",
		"[::]:9900":      "localhost:9900",
		"gateway:9900":   "gateway:9900",
	} {
		if got := dialable(listen); got != want {
			t.Errorf("dialable(%q) = %q, want %q", listen, got, want)
		}
	}
}

func TestShownAddressesCanBeOpened(t *testing.T) {
	for url, want := range map[string]string{
		"http://[::]:8080":       "http://localhost:8080",
		"https://0.0.0.0:8443":   "https://localhost:8443",
		"http://127.0.0.1:8080":  "http://127.0.0.1:8080",
		"unix:///run/admin.sock": "unix:///run/admin.sock",
		"off":                    "off",
	} {
		if got := openable(url); got != want {
			t.Errorf("openable(%q) = %q, want %q", url, got, want)
		}
	}
}
