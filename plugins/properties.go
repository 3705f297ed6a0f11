package plugins

import "weirkeep/abi"

// propertyNeeds are the properties, with what has to be granted for each; 0: nothing.
var propertyNeeds = map[string]uint32{
	"node.name": 0, "node.host": 0, "node.cell": 0, "node.zone": 0, "plugin.name": 0,
	"attachment.cluster": NeedSite,
	"request.id":         0, "tls.version": 0, "tls.sni": 0, "rule": 0,
	"client.port": NeedClient, "client.cert.subject": NeedClient, "client.cert.fingerprint": NeedClient,
	"session.primary": NeedSession, "session.secondary": NeedSession,
}

// Node is what properties say of this node.
type Node struct{ Name, Host, Cell, Zone string }

// property is the value of a property, or why there is none.
func (e *env) property(name string) (string, abi.Code) {
	need, known := propertyNeeds[name]
	switch {
	case !known:
		return "", abi.NotFound
	case need != 0 && !e.plugin.needs.has(need):
		return "", abi.Denied
	}
	value, ok := e.plugin.ownProperty(name, e.place)
	if !ok && e.of != nil {
		value, ok = e.of.Property(name)
	}
	if !ok || value == "" {
		return "", abi.NotFound
	}
	return value, 0
}

// ownProperty is one that is the same for every exchange.
func (p *Plugin) ownProperty(name string, at Place) (string, bool) {
	switch name {
	case "node.name":
		return p.config.Node.Name, true
	case "node.host":
		return p.config.Node.Host, true
	case "node.cell":
		return p.config.Node.Cell, true
	case "node.zone":
		return p.config.Node.Zone, true
	case "plugin.name":
		return p.config.Name, true
	case "attachment.cluster":
		return at.Cluster, true
	}
	return "", false
}
