package plugins

import "weirkeep/abi"

// Filter asks a filter what to change. The operations are appended to dst; they were
// checked, but for the limits of the head, and their bytes are appended to keep, which
// is returned: none of it refers to the guest. Where says what may be said there. A
// filter without the export changes nothing.
func (a *Attachment) Filter(v *abi.View, of Properties, where abi.Where, dst []abi.Op, keep []byte) (ops []abi.Op, kept []byte, failure *Failure) {
	export := callRequest
	if where.Call != abi.OnRequest {
		export = callResponse
	}
	switch {
	case !a.Serves(where.Call):
		return dst, keep, nil
	case a.cutBody(v):
		return dst, keep, a.refuse(BodyTooLarge)
	}
	t, failure := a.enter(v.Generation, a.plugin.limits.Wait)
	if failure != nil {
		return dst, keep, failure
	}
	size, err := v.PutWithin(t.buffer(), a.viewLimit())
	if err != nil {
		return dst, keep, t.tooLarge()
	}
	n, err := t.call(ask{export: export, phase: serving, now: v.Now, of: of, size: size})
	switch {
	case err != nil:
		return dst, keep, t.fail(faultOf(err), export, v.RequestID)
	case n < 0:
		return dst, keep, t.negative(n)
	}
	ops, kept, err = t.readOps(n, size, where, dst, keep)
	if err != nil {
		return dst, keep, t.fail(invalid("%v", err), export, v.RequestID)
	}
	t.leave()
	return ops, kept, nil
}

// readOps copies the result out of the guest's memory, and checks it there: a guest
// cannot change what was checked.
func (t turn) readOps(n int32, size int, where abi.Where, dst []abi.Op, keep []byte) ([]abi.Op, []byte, error) {
	area, at := t.buffer()[abi.ResultArea(size):], len(keep)
	if int(n) > len(area) {
		_, err := abi.ReadOps(area, n, nil)
		return dst, keep, err
	}
	keep = append(keep, area[:n]...)
	from := len(dst)
	ops, err := abi.ReadOps(keep[at:], n, dst)
	if err == nil {
		err = abi.CheckOps(ops[from:], where)
	}
	return ops, keep, err
}

// Serves reports whether the filter has an export for requests, or for answers.
func (a *Attachment) Serves(c abi.Call) bool { return a.plugin.Serves(c) }

// Serves reports whether a filter has an export for requests, or for answers.
func (p *Plugin) Serves(c abi.Call) bool {
	if c == abi.OnRequest {
		return p.has(requestExport)
	}
	return p.has(responseExport)
}
