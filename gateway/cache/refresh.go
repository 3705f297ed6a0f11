package cache

import (
	"bytes"
	"slices"

	"weirkeep/gateway/wire"
)

// Refresh returns s as a 304 to its AppendConditions has updated it (C7): what the 304
// says replaces what s says, and it is as old as the 304. The request is the one that
// was asked for. If why is not 0 the result is for this request only, and not to be
// stored. If it is nil the 304 is about another version: it goes to a client that has
// that (Request.Has), for others the origin has to be asked anew, without conditions.
func (p *Policy) Refresh(s *Stored, r *Request, a *Answer, o Override) (fresh *Stored, why Refusal) {
	var v said
	v.read(a.Fields, nil)
	if !s.isOf(&v) {
		return nil, RefusedOther
	}
	return p.update(s, r, a, &o)
}

// isOf reports whether an update is about this version: it names no other, nor one where this
// has no name (RFC 9111, 4.3.4).
func (s *Stored) isOf(v *said) bool {
	tag := v.tag()
	return tag == nil || weakMatch(tag, s.ETag)
}

// Has reports whether the client's If-None-Match lists the tag that a 304 names.
func (r *Request) Has(a *Answer) bool {
	tag := valueOf(a.Fields, "etag")
	s := Stored{ETag: tag}
	return tag != nil && r.conditions&ifNoneMatch != 0 && s.listed(r.Fields)
}

// update returns s with what a says in the place of what it says itself.
func (p *Policy) update(s *Stored, r *Request, a *Answer, o *Override) (*Stored, Refusal) {
	merged := *a
	merged.Status, merged.Reason, merged.Fields = s.Status, s.Reason, mergeFields(s.Fields, a.Fields)
	var v, said304 said
	v.read(merged.Fields, p)
	said304.read(a.Fields, nil)
	fresh := &Stored{Status: s.Status, Length: s.Length, Part: s.Part}
	why := p.refuseUpdate(r, &merged, &v, said304.cookies, o)
	if bad := p.settle(fresh, &merged, &v, o); why == 0 {
		why = bad
	}
	if bad := p.setVary(fresh, s, r, merged.Fields, o.Vary); why == 0 {
		why = bad
	}
	p.cloneHead(fresh, &merged, &v)
	return fresh, why
}

// refuseUpdate says why an updated answer must not be stored any longer.
func (p *Policy) refuseUpdate(r *Request, a *Answer, v *said, cookies bool, o *Override) Refusal {
	switch {
	case o.Pass:
		return RefusedByRule
	case p.Honour && r.control.has(noStore):
		return RefusedRequest
	case !v.ruledBy(o) && v.forbids(a.Status) != 0:
		return v.forbids(a.Status)
	case r.Authorization && !v.sharesAuthorized():
		return RefusedAuthorization
	case cookies && p.SetCookie == BypassCookies:
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
	var v said
	v.read(a.Fields, nil)
	if !s.agrees(a, &v) {
		return s.Expire(), 0
	}
	return p.update(s, r, a, &o)
}

// agrees reports whether the answer to HEAD is about this version: there is a validator, each
// that it has is the stored one, and the length is the same, if both state it.
func (s *Stored) agrees(a *Answer, v *said) bool {
	modified, tag := modifiedOf(a, v), v.tag()
	if tag == nil && (s.ETag != nil || modified.IsZero()) {
		return false
	}
	if tag != nil && !weakMatch(tag, s.ETag) || !modified.IsZero() && !modified.Equal(s.Modified) {
		return false
	}
	length, ok := parseDigits(valueOf(a.Fields, "content-length"))
	return !ok || s.Length < 0 || length == s.Length
}
