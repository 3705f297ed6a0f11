package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/gateway/unit"
)

// otherWords are keys that people know from elsewhere, by the struct that they
// try them in: the key that is meant.
var otherWords = map[reflect.Type]map[string]string{
	reflect.TypeFor[Config]():     {"backends": "clusters", "upstreams": "clusters", "locations": "mappings", "routes": "mappings", "vhosts": "sites"},
	reflect.TypeFor[Listener]():   {"listen": "address", "port": "address", "bind": "address"},
	reflect.TypeFor[Cluster]():    {"backends": "origins", "servers": "origins", "policy": "balancer", "lb": "balancer"},
	reflect.TypeFor[Origin]():     {"host": "address", "port": "address", "url": "address"},
	reflect.TypeFor[Site]():       {"domains": "hosts", "server_name": "hosts", "errors": "pages"},
	reflect.TypeFor[Mapping]():    {"path": "prefix", "backend": "cluster", "upstream": "cluster"},
	reflect.TypeFor[HeaderEdit](): {"add": "set", "append": "set", "replace": "set", "delete": "remove", "unset": "remove"},
}

// keyMeant is the key of a struct that was probably meant by another word, with
// the hint that says so; empty when none is near.
func keyMeant(key string, t reflect.Type) (word, hint string) {
	if t == reflect.TypeFor[ListenerTLS]() && (key == "cert" || key == "key") {
		return "certificates", "put cert and key into an entry of certificates: [{ cert: …, key: … }]"
	}
	if word := otherWords[t][strings.ToLower(key)]; word != "" {
		return word, didYouMean + quote(word) + "?"
	}
	return nearest(key, keysOf(t))
}

// unitSlip is a quantity with a unit that other programs have.
var unitSlip = regexp.MustCompile(`^(\d+) ?([kKmMgGtT])[bB]?$`)

// unitHint is the quantity that was probably meant.
func unitHint(t reflect.Type, text string) string {
	m := unitSlip.FindStringSubmatch(text)
	if m == nil || t != reflect.TypeFor[unit.Size]() {
		return ""
	}
	prefix := strings.ToUpper(m[2])
	decimal := strings.Replace(prefix, "K", "k", 1)
	return "write " + m[1] + decimal + "B or " + m[1] + prefix + "iB"
}

// bareAddress is the address that stands where a definition of an origin, or
// the name of a shared one, has to: as text, or as what YAML makes of one
// without quotes inside brackets, a map of the host.
func bareAddress(n ast.Node) string {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) == 1 {
		n = m.Values[0]
	}
	text := ""
	switch n := n.(type) {
	case *ast.StringNode:
		text = n.Value
	case *ast.MappingValueNode:
		host, port := n.Key.GetToken().Value, n.Value.GetToken().Value
		if !slices.Contains(keysOf(reflect.TypeFor[Origin]()), host) {
			text = host + ":" + port
		}
	}
	if grammarOrigin(text) != "" {
		return ""
	}
	return text
}

// definition is the hint that turns an address into a definition.
func definition(address string) string { return "write { address: " + quote(address) + " }" }

// listHint is the cure for a single entry where a list has to be.
func listHint(n ast.Node, f rules) string {
	if address := bareAddress(n); address != "" && f.short == "name" {
		return "write [{ address: " + quote(address) + " }]"
	}
	if s, ok := n.(*ast.StringNode); ok {
		return "write [" + quote(s.Value) + "]"
	}
	return "an entry of a list begins with a dash and a blank, or stands in [ ]"
}
