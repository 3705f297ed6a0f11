package main

import (
	"net"

	"weirkeep/gateway/config"
)

// listenerURLs are where clients reach the gateway, in the order of the
// configuration.
func listenerURLs(cfg *config.Config, bound map[string]net.Addr) []string {
	var urls []string
	for _, l := range cfg.Listeners {
		scheme := "http"
		if l.TLS != nil {
			scheme = "https"
		}
		if a := bound[l.Name]; a != nil {
			urls = append(urls, scheme+"://"+a.String())
		}
	}
	return urls
}
