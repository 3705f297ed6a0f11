package websphere

import "strings"

// element reads what an element says of a rule: by attributes, and by children
// that are named as attributes are, or as actions.
func (d *draft) element(e *element) {
	for _, a := range e.attributes {
		d.add(a.name, a.value)
	}
	d.children(e)
}

func (d *draft) children(e *element) {
	var primary, failover []string // destinations of permit
	for _, c := range e.children {
		switch {
		case hasFold(c.name, "loadbalanceendpoint"):
			primary = append(primary, c.destinations())
		case hasFold(c.name, "failoverendpoint"):
			failover = append(failover, c.destinations())
		case actionOf(c.name) != "":
			d.action(c)
		case fieldNames[c.name] == "action":
			d.actionField(c)
		default:
			d.leaf(c)
		}
	}
	if len(primary)+len(failover) > 0 {
		groups := append([]string{strings.Join(primary, "&")}, failover...)
		d.add("destination", strings.Join(groups, "|"))
	}
}

// action reads an element that is named by an action, such as permitAction.
func (d *draft) action(e *element) {
	d.add("action", actionOf(e.name))
	for _, a := range e.attributes {
		if a.name != "id" {
			d.add(a.name, a.value)
		}
	}
	if text := strings.TrimSpace(e.text); text != "" {
		d.add("destination", text)
	}
	d.children(e)
}

// actionField reads an element named action, which says which one by its text or
// by an attribute.
func (d *draft) actionField(e *element) {
	if text := strings.TrimSpace(e.text); text != "" {
		d.add("action", text)
	}
	for _, a := range e.attributes {
		switch strings.ToLower(a.name) {
		case "type", "name", "kind":
			d.add("action", a.value)
		case "value":
			d.add("destination", a.value)
		default:
			d.add(a.name, a.value)
		}
	}
	d.children(e)
}

// leaf reads an element whose text, or value, is what the rule says.
func (d *draft) leaf(e *element) {
	value, said := e.text, strings.TrimSpace(e.text) != ""
	for _, a := range e.attributes {
		switch strings.ToLower(a.name) {
		case "value":
			value, said = a.value, true
		case "id", "xmi:id":
		default:
			d.add(e.name+" "+a.name, a.value)
		}
	}
	if len(e.children) > 0 || !said {
		d.add(e.name+" with elements or without text", value)
		return
	}
	d.add(e.name, value)
}

// destinations are what the elements below one name, joined as one group.
func (e *element) destinations() string {
	all := e.named()
	for _, c := range e.children {
		all = append(all, c.destinations())
	}
	return strings.Join(all, "&")
}

// named are the destinations that an element names itself: by text, by the
// attribute destination, or by one that is its kind. Whatever else it says stands
// among them, so that it is refused where destinations are read.
func (e *element) named() (all []string) {
	all = strings.Fields(e.text)
	for _, a := range e.attributes {
		switch name := strings.ToLower(a.name); name {
		case "id":
		case "destination", "destinations", "value":
			all = append(all, a.value)
		default:
			all = append(all, name+"="+a.value)
		}
	}
	return all
}
