package cache

import (
	"bytes"
	"slices"
	"strings"

	"weirkeep/gateway/wire"
)

// Groups (RFC 9875) are names that an origin gives answers in Cache-Groups, so that an
// answer to an unsafe method can say in Cache-Group-Invalidation which of them are out of
// date. They are kept among an answer's tags, in a namespace of their own.

// groupMark is what the tag of a group begins with. No other tag does: no field has such
// a byte.
const groupMark = "\x00"

// GroupTag is the tag of what is in a group.
func GroupTag(group string) string { return groupMark + group }

// GroupOf is the group that a tag is of; false: it is of none.
func GroupOf(tag string) (group string, ok bool) { return strings.CutPrefix(tag, groupMark) }

// OwnTags are an answer's tags but for those of groups.
func (s *Stored) OwnTags() []string {
	own, _ := s.cutTags()
	return own
}

// Groups are those that an answer is in.
func (s *Stored) Groups() (groups []string) {
	_, tags := s.cutTags()
	for _, t := range tags {
		groups = append(groups, t[len(groupMark):])
	}
	return groups
}

// cutTags are the tags of no group, and those of groups, which come first in order.
func (s *Stored) cutTags() (own, ofGroups []string) {
	n := 0
	for n < len(s.Tags) && strings.HasPrefix(s.Tags[n], groupMark) {
		n++
	}
	return s.Tags[n:], s.Tags[:n]
}

// groupTags are the tags of the groups that an answer is in. It reports whether they are
// within the bounds.
func groupTags(fields []wire.Field) (tags []string, ok bool) {
	for _, group := range readGroups(fields, nameCacheGroups) {
		tags = append(tags, GroupTag(group))
	}
	return tags, bounded(tags)
}

// InvalidatedGroups are the groups whose answers are out of date because of an answer to
// an unsafe method, at the origin of its target. It ends there: other groups that these
// answers are in stay.
func InvalidatedGroups(r *Request, a *Answer) []string {
	if !invalidates(r, a) {
		return nil
	}
	return readGroups(a.Fields, nameCacheGroupInvalidation)
}

// readGroups reads a field that is a Structured Fields list of strings (RFC 9651, 3.1),
// its lines together. One that is anything else is as if it was not there.
func readGroups(fields []wire.Field, of name) []string {
	var lines [][]byte
	for i := range fields {
		if nameOf(fields[i].Name) == of {
			lines = append(lines, fields[i].Value)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	var list []string
	d := dictionary{rest: bytes.Join(lines, []byte(","))}
	for {
		text, ok := d.string()
		if !ok {
			break
		}
		list = append(list, text)
	}
	if d.bad {
		return nil
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// string returns the next member of a list of strings. At the end, and at an error, it
// is not ok.
func (d *dictionary) string() (text string, ok bool) {
	if !d.separate() {
		return "", false
	}
	begun := d.rest
	d.need(len(begun) > 0 && begun[0] == '"')
	if d.bad {
		return "", false
	}
	d.text()
	quoted := begun[:len(begun)-len(d.rest)]
	d.parameters()
	return unquoted(quoted), !d.bad
}

// unquoted is what a quoted string says, which may be none.
func unquoted(quoted []byte) string {
	var text []byte
	for i := 1; i < len(quoted)-1; i++ {
		if quoted[i] == '\\' {
			i++
		}
		text = append(text, quoted[i])
	}
	return string(text)
}
