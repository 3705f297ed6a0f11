package config

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway/balance"
	"weirkeep/gateway/session"
)

// sampleText is the sample, with markers where the origins, the balancers
// and the names of sessions stand.
//
//go:embed sample.yaml
var sampleText string

// demoOrigins are the origins of the demo: what they are like, and where.
var demoOrigins = []struct{ name, address string }{
	{"fast", "127.0.0.1:9001"},
	{"slow", "127.0.0.1:9002"},
	{"flaky", "127.0.0.1:9003"},
}

// Sample is a commented configuration with every key, for weirkeep init to
// print. Its default site is the origin, an address in one of the forms of
// [Origin]; for the empty string it is the three origins of the demo.
func Sample(origin string) []byte {
	var lines []string
	if origin != "" {
		lines = append(lines, sampleOrigin("", origin))
	} else {
		for _, o := range demoOrigins {
			lines = append(lines, sampleOrigin("name: "+o.name+", ", o.address))
		}
	}
	return []byte(strings.NewReplacer(
		"@origins@", strings.Join(lines, "\n"),
		"@sessions@", builtinNames(),
		"@balancer@", balance.Default,
		"@balancers@", "or "+strings.Join(otherBalancers(), ", "),
	).Replace(sampleText))
}

// otherBalancers are those but the default.
func otherBalancers() []string {
	return slices.DeleteFunc(balance.Names(), func(name string) bool { return name == balance.Default })
}

// builtinNames are the sessions that exist already, as lines of a comment.
func builtinNames() string {
	var lines []string
	for names := range slices.Chunk(sortedKeys(session.Builtin()), 6) {
		lines = append(lines, "#   "+strings.Join(names, ", "))
	}
	return strings.Join(lines, ",\n")
}

func sampleOrigin(name, address string) string {
	return fmt.Sprintf("      - { %saddress: %q }", name, address)
}
