package gateway

// ReasonHelp is what there is to say of one reason of the access log.
type ReasonHelp struct {
	Code   string // as logs and metrics have it
	Status int    // that the client is answered with; 0: the origin's own
	Text   string // what happened
	SetBy  string // the room of the walk that finds it
}

// Reasons are all reasons that an exchange can end with, in the order in which
// the walk can find them.
func Reasons() []ReasonHelp {
	all := make([]ReasonHelp, 0, len(reasonTable))
	for _, row := range reasonTable {
		all = append(all, ReasonHelp{Code: row.code, Status: row.status, Text: row.text, SetBy: row.setBy})
	}
	return all
}
