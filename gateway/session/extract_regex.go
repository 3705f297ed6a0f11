package session

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// expression reads what the groups of a regular expression match. It is the one
// format that allocates.
type expression struct {
	re                 *regexp.Regexp
	primary, secondary int // groups; secondary may be -1
}

func newExpression(source string) (Extract, error) {
	re, err := regexp.Compile(source)
	if err != nil {
		return Extract{}, fmt.Errorf("regex: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	for _, name := range re.SubexpNames() {
		if name != "" && name != "primary" && name != "secondary" {
			return Extract{}, fmt.Errorf("regex: a group is named %q: there is primary and secondary", name)
		}
	}
	e := &expression{re, re.SubexpIndex("primary"), re.SubexpIndex("secondary")}
	if e.primary < 0 {
		e.primary = 1
	}
	if re.NumSubexp() < e.primary || e.primary == e.secondary {
		return Extract{}, errors.New("regex: it has no group for the id: write one in parentheses, or (?P<primary>...)")
	}
	return Extract{e}, nil
}

func (e *expression) parts(id []byte) (primary, secondary []byte) {
	groups := e.re.FindSubmatch(id)
	if groups == nil {
		return nil, nil
	}
	if e.secondary >= 0 {
		secondary = some(groups[e.secondary])
	}
	return some(groups[e.primary]), secondary
}
