package corpus

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"
)

//go:embed testdata/http1-corpus.jsonl
var lines []byte

// A spec is one case as the corpus states it.
type spec struct {
	ID    string
	Class string
	RFC   string // numbers and sections of the RFCs it rests on
	Note  string

	Req     steps    // what the client does
	Methods []string // of the requests, in order; by default that of the first
	Wait    seconds  // for the answer, from the start
	Grace   seconds  // after the answer, for what should not follow
	After   seconds  // after the client has gone
	Settle  seconds  // for a late origin, before the next client

	Rep        *reply  // what the origin answers, if not the default
	RepAll     bool    `json:"rep_all"` // to every request, not only to the first
	KeepOrigin bool    `json:"okeep"`   // the default answer keeps the connection
	OriginIdle seconds `json:"oidle"`   // how long the origin waits for the rest of a request

	Expect    string   // key of verdicts
	Hazard    *pattern // in the origin's bytes: the dangerous construct got through
	Prefer    []int    // statuses the RFC asks for; others are accepted with a remark
	LintOK    []string `json:"lint_ok"` // findings that are no fault here
	Responses int      `json:"nresp"`   // complete answers to wait for
	Checks    checks
}

// checks are facts that must hold beside the verdict. Absent ones do not count.
type checks struct {
	Head     []*pattern // in the first request head at the origin
	NotHead  []*pattern // not in it
	Body     *blob      // exact body at the origin
	Trailer  *pattern   // in its trailer section
	NReq     *int       // complete requests at the origin; null is any number
	MaxReq   *int       // requests at the origin, complete or not
	Status   []int      // allowed first final statuses
	Statuses [][]int    // allowed final statuses, answer by answer
	Interim  []int      // interim statuses that must reach the client
	Cli      []*pattern // in the bytes the client got
	NotCli   []*pattern // not in them
	CBody    *blob      // exact body the client got
	Closed   *bool      // whether the client's connection is closed afterwards
	MaxMS    int        `json:"max_ms"` // to the first byte of the answer
}

// A reply is the origin's script for a request.
type reply struct {
	When  string // the script starts at "accept", after the "head", or after the "message"
	Steps steps
	Then  string // "close" (also if empty), "keep" or "hang"
	No100 int    `json:"no100"` // nonzero: no 100 before the script
}

// load reads the corpus and refuses what it does not understand.
func load() ([]*spec, error) {
	var specs []*spec
	seen := map[string]bool{}
	for n, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
		s, err := parseSpec(line)
		if err != nil {
			return nil, fmt.Errorf("corpus line %d: %w", n+1, err)
		}
		if seen[s.ID] {
			return nil, fmt.Errorf("corpus line %d: id %q is taken", n+1, s.ID)
		}
		seen[s.ID] = true
		specs = append(specs, s)
	}
	return specs, nil
}

// parseSpec reads one line over the defaults.
func parseSpec(line []byte) (*spec, error) {
	one := 1
	s := &spec{
		Wait:       seconds(1600 * time.Millisecond),
		Grace:      seconds(50 * time.Millisecond),
		After:      seconds(400 * time.Millisecond),
		OriginIdle: seconds(1200 * time.Millisecond),
		Responses:  1,
		Checks:     checks{NReq: &one},
	}
	if err := strictly(line, s); err != nil {
		return nil, err
	}
	if verdicts[s.Expect] == nil {
		return nil, fmt.Errorf("%s: verdict %q does not exist", s.ID, s.Expect)
	}
	return s, nil
}

// strictly decodes JSON and refuses unknown keys.
func strictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// seconds is a duration that the corpus writes as a number of seconds.
type seconds time.Duration

func (s *seconds) UnmarshalJSON(raw []byte) error {
	var f float64
	err := json.Unmarshal(raw, &f)
	*s = seconds(f * float64(time.Second))
	return err
}

// A blob is bytes: a string read as Latin-1, {"rep": blob, "n": times}, or a
// list of blobs that are joined.
type blob []byte

func (b *blob) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		return b.text(raw)
	case '{':
		return b.repeat(raw)
	}
	var parts []blob
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	*b = bytes.Join(asBytes(parts), nil)
	return nil
}

func (b *blob) text(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*b = make(blob, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return fmt.Errorf("%q is no byte", r)
		}
		*b = append(*b, byte(r))
	}
	return nil
}

func (b *blob) repeat(raw []byte) error {
	var r struct {
		Rep blob
		N   int
	}
	err := strictly(raw, &r)
	*b = bytes.Repeat(r.Rep, r.N)
	return err
}

func asBytes(parts []blob) [][]byte {
	var out [][]byte
	for _, p := range parts {
		out = append(out, p)
	}
	return out
}

// A step is one thing that a side does.
type step struct {
	verb  string // send, drip, sleep, recv, drain, fin, rst or close
	data  blob   // of send and drip
	pause time.Duration
}

// steps are a script; the corpus may write a single step without the list.
type steps []step

func (s *steps) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		return json.Unmarshal(raw, (*[]step)(s))
	}
	*s = make(steps, 1)
	return json.Unmarshal(raw, &(*s)[0])
}

func (s *step) UnmarshalJSON(raw []byte) error {
	var b blob
	if json.Unmarshal(raw, &b) == nil {
		*s = step{verb: "send", data: b}
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	for key, value := range fields {
		if err := s.set(key, value); err != nil {
			return err
		}
	}
	return nil
}

// set takes one key of a step written as an object.
func (s *step) set(key string, value json.RawMessage) error {
	if key != "every" {
		s.verb = key
	}
	switch key {
	case "send", "drip":
		return json.Unmarshal(value, &s.data)
	case "sleep", "recv", "drain", "every":
		return json.Unmarshal(value, (*seconds)(&s.pause))
	case "fin", "rst", "close":
		return nil
	}
	return fmt.Errorf("step %q does not exist", key)
}
