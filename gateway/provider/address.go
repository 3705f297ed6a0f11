package provider

import "net/netip"

// special is a network that is no part of the public internet.
type special struct {
	network string
	name    string
	source  string
}

// specials are the networks of IANA's two registries of special-purpose addresses that are
// not globally reachable, and some more that no provider is at. Of those that overlap, the
// first has the better name.
var specials = [...]special{
	{"0.0.0.0/8", "unspecified", "RFC 791"},
	{"10.0.0.0/8", "private", "RFC 1918"},
	{"100.64.0.0/10", "shared", "RFC 6598"}, // 100.100.100.200: metadata of a cloud
	{"127.0.0.0/8", "loopback", "RFC 1122"},
	{"168.63.129.16/32", "metadata", "the machine's own host in a cloud"},
	{"169.254.0.0/16", "link-local", "RFC 3927"}, // 169.254.169.254: metadata of most clouds
	{"172.16.0.0/12", "private", "RFC 1918"},
	{"192.0.0.0/24", "protocol", "RFC 6890"}, // 192.0.0.192: metadata of a cloud
	{"192.0.2.0/24", "documentation", "RFC 5737"},
	{"192.88.99.0/24", "6to4", "RFC 7526"},
	{"192.168.0.0/16", "private", "RFC 1918"},
	{"198.18.0.0/15", "benchmarking", "RFC 2544"},
	{"198.51.100.0/24", "documentation", "RFC 5737"},
	{"203.0.113.0/24", "documentation", "RFC 5737"},
	{"224.0.0.0/4", "multicast", "RFC 1112"},
	{"255.255.255.255/32", "broadcast", "RFC 919"},
	{"240.0.0.0/4", "reserved", "RFC 1112"},

	{"::/128", "unspecified", "RFC 4291"},
	{"::1/128", "loopback", "RFC 4291"},
	{"::/96", "v4-compatible", "RFC 4291"},
	{"64:ff9b:1::/48", "nat64", "RFC 8215"}, // where the IPv4 address stands in it is a local matter
	{"100::/64", "discard", "RFC 6666"},
	{"100:0:0:1::/64", "dummy", "RFC 9780"},
	{"2001:2::/48", "benchmarking", "RFC 5180"},
	{"2001::/32", "teredo", "RFC 4380"},
	{"2001::/23", "protocol", "RFC 2928"},
	{"2001:db8::/32", "documentation", "RFC 3849"},
	{"2002::/16", "6to4", "RFC 3056"},
	{"3fff::/20", "documentation", "RFC 9637"},
	{"5f00::/16", "segment-routing", "RFC 9602"},
	{"fc00::/7", "unique-local", "RFC 4193"}, // fd00:ec2::254: metadata of a cloud
	{"fe80::/10", "link-local", "RFC 4291"},
	{"fec0::/10", "site-local", "RFC 3879"},
	{"ff00::/8", "multicast", "RFC 4291"},
	{"::/3", "unassigned", "RFC 4291"}, // all but 2000::/3
	{"4000::/2", "unassigned", "RFC 4291"},
	{"8000::/1", "unassigned", "RFC 4291"},
}

// networks are those of specials, in their order.
var networks = func() (all [len(specials)]netip.Prefix) {
	for i, s := range specials {
		all[i] = netip.MustParsePrefix(s.network)
	}
	return all
}()

// nat64 has the IPv4 internet in the last 32 bits of its addresses (RFC 6052). Where names
// are resolved for a network without IPv4, it is how all of that is reached.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// embedded is the IPv4 address that an address stands for, if it does; else the address.
func embedded(a netip.Addr) netip.Addr {
	a = a.WithZone("").Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}

// specialOf returns the special network that an address is in; nil: it is public.
func specialOf(a netip.Addr) *special {
	a = embedded(a)
	for i := range networks {
		if networks[i].Contains(a) {
			return &specials[i]
		}
	}
	return nil
}
