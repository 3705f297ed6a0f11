package cache

import (
	"bytes"
	"slices"

	"weirkeep/gateway/wire"
)

// Renewed returns what the origin would have answered without conditions, where a is its 304 to
// AppendConditions (C7): what s says, as the origin sent it, with what a says in its place.
// Renew makes what is stored of it. It is false if a is about another version: then a goes to
// a client that has that (Request.Has), for others the origin has to be asked anew, without
// conditions.
func (s *Stored) Renewed(a *Answer) (whole Answer, same bool) {
	var v said
	v.read(a.Fields, nil)
	if !s.isOf(&v) {
		return Answer{}, false
	}
	return s.merged(a), true
}

// merged is the whole that an update of s and s make.
func (s *Stored) merged(a *Answer) Answer {
	whole := *a
	whole.Status, whole.Reason, whole.Length = s.Status, s.Reason, s.Length
	whole.Fields, whole.Source = mergeFields(s.source(), a.Fields), nil
	return whole
}

// isOf reports whether an update is about this version: it names no other, nor one where this
// has no name (RFC 9111, 4.3.4).
func (s *Stored) isOf(v *said) bool {
	tag := v.tag()
	known, _ := s.validators()
	return tag == nil || weakMatch(tag, known)
}

// Has reports whether the client's If-None-Match lists the tag that a 304 names.
func (r *Request) Has(a *Answer) bool {
	tag := valueOf(a.Fields, "etag")
	s := Stored{ETag: tag}
	return tag != nil && r.conditions&ifNoneMatch != 0 && s.listed(r.Fields)
}

// Renew returns what is stored in the place of s, with the same body: whole is what Renewed has
// returned, or what was made of it, and it is as old as the 304. The request is the one
// that was asked for. If why is not 0 the result is for this request only, and not to be stored.
func (p *Policy) Renew(s *Stored, r *Request, whole *Answer, o Override) (fresh *Stored, why Refusal) {
	var v said
	v.read(whole.Fields, p)
	fresh = &Stored{Status: s.Status, Length: s.Length, Part: s.Part, Slices: s.Slices, Source: whole.Source, Content: s.Content}
	if v.hasContent { // else what has to be done with the bytes stays, as they do
		fresh.Content = string(v.content)
	}
	why = p.refuseUpdate(r, whole, &v, &o)
	if bad := p.settle(fresh, whole, &v, &o); why == 0 {
		why = bad
	}
	if bad := p.setVary(fresh, s, r, whole.Fields, o.Vary); why == 0 {
		why = bad
	}
	p.cloneHead(fresh, whole, &v)
	return fresh, why
}

// refuseUpdate says why an updated answer must not be stored any longer: what was stored with its
// method and status may be still.
func (p *Policy) refuseUpdate(r *Request, a *Answer, v *said, o *Override) Refusal {
	switch {
	case o.Pass:
		return RefusedByRule
	case p.Honour && r.control.has(noStore):
		return RefusedRequest
	case !v.freedBy(o) && v.forbids(a.Status) != 0:
		return v.forbids(a.Status)
	case r.Authorization && !v.sharesAuthorized():
		return RefusedAuthorization
	case v.cookies && p.SetCookie == BypassCookies:
		return RefusedCookie
	}
	return 0
}

// setVary sets what an updated answer varies by. If that is what it was, its values stay
// those that it was chosen by.
func (p *Policy) setVary(fresh, s *Stored, r *Request, fields []wire.Field, more []string) Refusal {
	v, ok := p.varyOf(r, fields, more)
	switch {
	case v.Never:
		fresh.Vary = v
		return RefusedVary
	case !ok:
		fresh.Vary.Never = true
		return RefusedVaryLong
	case slices.Equal(v.Names, s.Vary.Names):
		v = s.Vary
	}
	fresh.Vary = v
	return 0
}

// mergeFields returns the fields of an updated answer: those stored that the update does
// not have, then the update's.
func mergeFields(stored, update []wire.Field) []wire.Field {
	merged := make([]wire.Field, 0, len(stored)+len(update))
	for i := range stored {
		if !replaced(stored[i].Name, update) {
			merged = append(merged, stored[i])
		}
	}
	for i := range update {
		if updates(&update[i]) || nameOf(update[i].Name) == nameAge {
			merged = append(merged, update[i])
		}
	}
	return merged
}

// replaced reports whether a stored field gives way to the update. Date always does: an
// update without it was made when it was received.
func replaced(stored []byte, update []wire.Field) bool {
	if nameOf(stored) == nameDate {
		return true
	}
	for i := range update {
		if f := &update[i]; updates(f) && len(f.Name) == len(stored) && bytes.EqualFold(f.Name, stored) {
			return true
		}
	}
	return false
}

// updates reports whether a field of an update replaces the stored one. Those that say
// how the stored body is to be read stay as they are.
func updates(f *wire.Field) bool {
	if f.Class == wire.Hop || f.Class == wire.Framing {
		return false
	}
	switch nameOf(f.Name) {
	case nameAge, nameContentLength, nameContentEncoding, nameContentRange, nameTransferEncoding:
		return false
	}
	return true
}

// RefreshHead returns s as a 200 to HEAD has updated it (C10): if that is about the
// same version it is as good as a 304, else s is stale from now on. Other answers to HEAD
// say nothing of it.
func (p *Policy) RefreshHead(s *Stored, r *Request, a *Answer, o Override) (fresh *Stored, why Refusal) {
	if a.Status != 200 || s.Status != 200 || s.isPart() {
		return s, 0
	}
	if !s.agrees(a) {
		return s.Expire(), 0
	}
	whole := s.merged(a)
	return p.Renew(s, r, &whole, o)
}

// AfterHead is RefreshHead for an answer that was made of the origin's: a 200 to HEAD can show that
// the origin has another one by now, and does not renew what was made of a GET's.
func (s *Stored) AfterHead(a *Answer) *Stored {
	if a.Status != 200 || s.Status != 200 || s.isPart() || s.agrees(a) {
		return s
	}
	return s.Expire()
}

// agrees reports whether the answer to HEAD is about this version: there is a validator, each
// that it has is the stored one, and the length is the same, if both state it, and what is stored
// is what the origin sent.
func (s *Stored) agrees(a *Answer) bool {
	var v said
	v.read(a.Fields, nil)
	modified, tag := modifiedOf(a, &v), v.tag()
	knownTag, knownModified := s.validators()
	if tag == nil && (knownTag != nil || modified.IsZero()) {
		return false
	}
	if tag != nil && !weakMatch(tag, knownTag) || !modified.IsZero() && !modified.Equal(knownModified) {
		return false
	}
	length, ok := parseDigits(valueOf(a.Fields, "content-length"))
	return !ok || s.size() < 0 || s.Source != nil || length == s.size()
}
