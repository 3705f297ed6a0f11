package gateway

import (
	"bytes"
	"errors"
	"fmt"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/unit"
	"weirkeep/gateway/wire"
)

// What the front door found, before the walk began.
var (
	errHeadLong = errors.New("head is too long")
	errHeadSlow = errors.New("head took too long")
	errHeadCut  = errors.New("the client closed in the middle of its head")
)

// because notes the error that led to a reason. Its words are made when the
// exchange is recorded, so that one that is served pays nothing for them.
func (x *Exchange) because(err error, reason Reason) Reason {
	x.cause = err
	return reason
}

// causeText says, for people, what lies behind the reason of an exchange that
// failed: in the error's own words and, where a limit was met, with its key and
// value. Empty: the reason says it all. It may hold bytes from outside.
func (x *Exchange) causeText() string {
	if text := x.admissionText(); text != "" {
		return text
	}
	if x.cause == nil || errors.Is(x.cause, origin.ErrGone) {
		return ""
	}
	if text := x.limitText(); text != "" {
		return text
	}
	e, ok := errors.AsType[*origin.Error](x.cause)
	if !ok {
		return x.cause.Error()
	}
	return x.attemptText(e)
}

// attemptText is about an attempt that failed.
func (x *Exchange) attemptText(e *origin.Error) string {
	_, body := errors.AsType[*origin.BodyError](e.Err)
	switch {
	case body || e.Phase == metrics.Connect:
		return e.Err.Error()
	case errors.Is(e.Err, origin.ErrLate):
		return fmt.Sprintf("no answer for clusters.%s.retry.per_try_timeout, which is %v", x.group.lead.name, x.group.lead.retry.perTry)
	case x.reason == OriginTimeout && e.Phase == metrics.Wait:
		return fmt.Sprintf("no answer for clusters.%s.first_byte_timeout, which is %v", x.member.cluster.name, x.member.cluster.timeouts.FirstByte)
	case x.overspent:
		return fmt.Sprintf("%v: %v; not repeated: clusters.%s.retry.budget is used up", e.Phase, e.Err, x.group.lead.name)
	}
	return e.Phase.String() + ": " + e.Err.Error()
}

// limitText is about the limit that the cause is about, if it is about one.
func (x *Exchange) limitText() string {
	err, s := x.cause, x.snap
	switch {
	case errors.Is(err, wire.ErrCount):
		return fmt.Sprintf("%d header fields, limits.header_count is %d", countLines(x.Block), s.heads.Count)
	case errors.Is(err, wire.ErrNameLong):
		return fmt.Sprintf("%v, limits.header_name_bytes is %d", wire.ErrNameLong, s.heads.NameBytes)
	case errors.Is(err, wire.ErrBodyLarge) && x.Head.Length > 0:
		return fmt.Sprintf("Content-Length is %d, limits.body_bytes is %v", x.Head.Length, unit.Size(s.bodyBytes))
	case errors.Is(err, wire.ErrBodyLarge):
		return fmt.Sprintf("%v, limits.body_bytes is %v", wire.ErrBodyLarge, unit.Size(s.bodyBytes))
	case x.reason == BodyTimeout && errors.Is(err, errSlow):
		return fmt.Sprintf("%v, timeouts.min_body_rate is %v", errSlow, unit.Rate(s.times.minBodyRate))
	case x.reason == BodyTimeout:
		return fmt.Sprintf("no byte of the body came for timeouts.body_idle, which is %v", s.times.bodyIdle)
	case err == errHeadLong:
		return fmt.Sprintf("%v, limits.header_bytes is %v", err, unit.Size(s.headerBytes))
	case err == errHeadSlow:
		return fmt.Sprintf("%v, timeouts.head is %v", err, s.times.head)
	case errors.Is(err, errLoop):
		return fmt.Sprintf("%v: Via names %q; in a chain each gateway needs a node.name of its own", err, s.via[1][len("1.1 "):])
	}
	return ""
}

// admissionText is about the origins or the queue, if they are the reason.
func (x *Exchange) admissionText() string {
	switch x.reason {
	case QueueFull:
		return fmt.Sprintf("all slots of %s are taken, clusters.%s.queue.size is %d", x.group.text(), x.group.lead.name, x.group.lead.queue.Size())
	case QueueTimeout:
		return fmt.Sprintf("all slots of %s were taken for clusters.%s.queue.timeout, which is %v", x.group.text(), x.group.lead.name, x.group.lead.queue.Timeout())
	case NoOrigin:
		return standing(x.order)
	case RouterExhausted:
		return fmt.Sprintf("the router of cluster %s has listed %s", x.group.lead.name, x.listText())
	case SessionOriginOut:
		return fmt.Sprintf("the session is bound to %s, which is out of service", x.decision.Bound)
	}
	return ""
}

// countLines is how many lines a header block has, the blank one apart.
func countLines(block []byte) int {
	n := bytes.Count(block, crlf)
	if bytes.HasSuffix(block, blankLine) {
		n--
	}
	return n
}
