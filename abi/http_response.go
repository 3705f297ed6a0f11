package abi

// HTTPResponse is what gw_on_http_response is told: the answer to an http_call.
type HTTPResponse struct {
	Flags   uint16 // FlagBody, FlagWhole, FlagFieldsLeft
	Now     uint64 // Unix time in ns
	Token   int32  // what http_call returned
	Error   Code   // 0, Timeout or Unreachable
	Status  uint16
	Headers []Field // without hop-by-hop fields
	Body    []byte
}

// Fit makes the answer fit limits.view and limits.body: fields that do not fit
// the view are left out whole, from the end, and the body is cut at what is left
// of both together. Flags say so.
func (r *HTTPResponse) Fit(view, body int) {
	size, kept := responseHead, 0
	for _, f := range r.Headers {
		n := fieldEntry + len(f.Name) + len(f.Value)
		if (len(f.Name)|len(f.Value)) > maxField || size+n > view {
			break
		}
		size += n
		kept++
	}
	if kept < len(r.Headers) {
		r.Headers = r.Headers[:kept]
		r.Flags |= FlagFieldsLeft
	}
	if left := max(view+body-size, 0); len(r.Body) > left {
		r.Body = r.Body[:left]
		r.Flags &^= FlagWhole
	}
}

// Size returns how many bytes the view of the answer has.
func (r *HTTPResponse) Size() int {
	fields, _ := sizeOfFields(r.Headers)
	return responseHead + fields + len(r.Body)
}

// Put writes the view of the answer to the start of b and returns how many bytes
// it has. It writes to no other byte; when it returns ErrTooLarge or
// ErrFieldTooLong it has written nothing.
func (r *HTTPResponse) Put(b []byte) (size int, err error) {
	fields, joined := sizeOfFields(r.Headers)
	if joined > maxField {
		return 0, ErrFieldTooLong
	}
	size = responseHead + fields + len(r.Body)
	w, err := room(b, size, size, responseHead)
	if err != nil {
		return 0, err
	}
	le.PutUint16(w.b[responseFlags:], r.Flags)
	le.PutUint64(w.b[responseNow:], r.Now)
	le.PutUint32(w.b[responseToken:], uint32(r.Token))
	le.PutUint32(w.b[responseError:], uint32(r.Error))
	le.PutUint16(w.b[responseStatus:], r.Status)
	w.table(responseHeaders, len(r.Headers), responseHead)
	w.at = responseHead + fieldEntry*len(r.Headers)
	w.fields(responseHead, r.Headers)
	w.bytes(responseBody, r.Body)
	return size, nil
}

// DecodeHTTPResponse reads the view of an answer; b is the view alone. What it
// returns refers to b.
func DecodeHTTPResponse(b []byte) (*HTTPResponse, error) {
	r, err := newReader("HTTP response view", b, responseHead)
	if err != nil {
		return nil, err
	}
	h := &HTTPResponse{
		Flags: r.u16(responseFlags), Now: r.u64(responseNow),
		Token: int32(r.u32(responseToken)), Error: Code(r.u32(responseError)),
		Status: r.u16(responseStatus), Headers: r.fields(responseHeaders), Body: r.bytes(responseBody),
	}
	if r.err != nil {
		return nil, r.err
	}
	return h, nil
}
