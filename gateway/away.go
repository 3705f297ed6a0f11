package gateway

// sendAway ends the walk at an origin that stands for a farm elsewhere: the client is
// sent there (M-WAN-06). The slot is free at once. A request for another protocol is
// not sent: hardly a client of those follows.
func (x *Exchange) sendAway() Reason {
	x.leave()
	if x.trip.Upgrade != nil {
		return NoOrigin
	}
	return SentAway
}

// barred are the members of the group that the exchange must not get, whatever
// happens.
func (x *Exchange) barred() uint64 {
	if x.trip.Upgrade != nil {
		return x.group.away
	}
	return 0
}

// awayStatus lets clients repeat the request as it is, also one with a body.
func (x *Exchange) awayStatus() int {
	switch string(x.Method) {
	case "GET", "HEAD":
		return 302
	}
	return 307
}

// awayLocation is the URL there, with path and query as the client has asked for them.
// The target is checked and has no byte that could end a field.
func (x *Exchange) awayLocation() []byte {
	x.location = append(append(x.location[:0], x.member.location...), x.Target.Raw...)
	return x.location
}

// upgrades reports whether the explained request is for another protocol.
func (e *explanation) upgrades() bool {
	asked, order := e.x.Head.Upgrade, e.order()
	return asked != nil && len(order) > 0 && order[0].lead.allowsUpgrade(asked)
}

// sentAway tells of a client that is sent to the origin that was picked.
func (e *explanation) sentAway(m *member) {
	e.x.member = m
	e.end(SentAway)
	e.Outcome.Status, e.Outcome.Location = e.x.awayStatus(), string(e.x.awayLocation())
}
