package session

// plain is the format of ids that are those of their origin, as a whole.
type plain struct{}

func (plain) parts(id []byte) (primary, secondary []byte) { return some(id), nil }
