package corpus

import (
	"bytes"
	"time"
)

// A reception is what a client saw.
type reception struct {
	data    []byte
	finals  []response
	interim []response
	rest    []byte // after the last answer
	end     string // as of client
	left    bool   // we closed the connection ourselves
	ms      int    // to the first byte of the answer, from the start
}

// perform plays the client's side of the case on a fresh connection.
func perform(s *spec, c *client) reception {
	start := time.Now()
	for _, st := range s.Req {
		if c.gone {
			break
		}
		c.do(st)
	}
	var r reception
	if r.left = c.gone; r.left {
		c.wait(time.Duration(s.After))
		r.ms = millis(time.Since(start))
	} else {
		r.ms = c.await(s, start)
	}
	r.data, r.end = c.received(), c.ended()
	c.close()
	r.finals, r.interim, r.rest = parseResponses(r.data, methods(s), r.end)
	return r
}

// do takes one step of the client's script.
func (c *client) do(s step) {
	switch s.verb {
	case "send":
		c.send(s.data)
	case "drip":
		c.drip(s)
	case "sleep":
		c.pump(time.Now().Add(s.pause), nil)
	case "recv":
		c.pump(time.Now().Add(s.pause), func([]byte) bool { return true })
	case "fin":
		c.finish()
	case "rst":
		c.reset()
	case "close":
		c.close()
	}
}

// drip sends one byte at a time.
func (c *client) drip(s step) {
	for i := range s.data {
		c.send(s.data[i : i+1])
		if c.ended() != "" {
			return
		}
		c.pump(time.Now().Add(s.pause), nil)
	}
}

// await waits for the answers and for what should not follow them, and returns
// the milliseconds to the first byte.
func (c *client) await(s *spec, start time.Time) int {
	names := methods(s)
	until := start.Add(time.Duration(s.Wait))
	if time.Until(until) <= 300*time.Millisecond {
		until = time.Now().Add(500 * time.Millisecond)
	}
	c.pump(until, func(all []byte) bool {
		finals, _, _ := parseResponses(all, names, "")
		return countComplete(finals) >= s.Responses
	})
	first := time.Now()
	c.pump(time.Now().Add(time.Duration(s.Grace)), nil)
	if at := c.firstByte(); !at.IsZero() {
		first = at
	}
	return millis(first.Sub(start))
}

// wait lets time pass after the connection is closed.
func (c *client) wait(d time.Duration) { <-time.After(d) }

// methods are those of the case's requests, by which its answers are read.
func methods(s *spec) []string {
	if len(s.Methods) > 0 {
		return s.Methods
	}
	for _, st := range s.Req {
		if st.verb == "send" || st.verb == "drip" {
			method, _, _ := bytes.Cut(bytes.TrimLeft(st.data, "\r\n"), []byte(" "))
			return []string{string(method)}
		}
	}
	return []string{""}
}

func millis(d time.Duration) int { return int(d / time.Millisecond) }

// countComplete counts the answers that came whole.
func countComplete(rs []response) int {
	n := 0
	for _, r := range rs {
		if r.complete {
			n++
		}
	}
	return n
}
