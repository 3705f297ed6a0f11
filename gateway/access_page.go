package gateway

// accessPage is what the log has of a page that was made of a template. Its fragments have no
// records of their own: no client has asked for them.
type accessPage struct {
	on                         bool // else nothing
	fragments, recovered, lost int
}

// told is what is recorded of the page.
func (a *assembled) told() accessPage {
	return accessPage{a.on, a.report.Includes, a.report.Recovered, a.report.Lost}
}

// append appends the members.
func (p *accessPage) append(dst []byte) []byte {
	dst = appendJSONInt(append(dst, `,"fragments":`...), int64(p.fragments))
	dst = appendJSONInt(append(dst, `,"fragments_recovered":`...), int64(p.recovered))
	return appendJSONInt(append(dst, `,"fragments_failed":`...), int64(p.lost))
}
