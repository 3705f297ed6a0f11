package gateway

import (
	"slices"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/wire"
)

// retryPolicy says when a request may be sent again, by the cluster that leads.
type retryPolicy struct {
	most     int              // further attempts
	statuses []int            // of answers that are passed over
	when     *answerCondition // of those that are passed over, too; nil: of none
	perTry   time.Duration    // for the answer of an attempt that somebody else can take over; 0: no limit of its own
	byKey    bool             // Idempotency-Key says that a request may be sent twice
}

func retries(cfg config.Retry) retryPolicy {
	return retryPolicy{most: *cfg.Retries, statuses: cfg.Statuses, perTry: time.Duration(cfg.PerTryTimeout), byKey: cfg.IdempotencyKey}
}

// pursue makes attempts, the first at the member whose slot it has, until an answer
// stands or one fails.
func (x *Exchange) pursue() error {
	for {
		if err := x.attempt(); err != nil {
			return err
		}
		x.answered()
		if !x.passOver() {
			return nil
		}
		x.firstByte = 0
		x.tick = time.Now()
	}
}

// passOver gives up an answer, of which the client has seen nothing, because of its
// status or of the cluster's condition, and reports whether it did: then there is a slot
// at an origin that was not tried. An answer that nobody else could better is passed on
// as it is; so is that of the origin where a session is at home, for nobody else knows
// the session.
func (x *Exchange) passOver() bool {
	if !x.unwanted() {
		return false
	}
	lead, last, slots := x.group.lead, x.member, x.slots
	if x.overspent = !lead.budget.spend(); x.overspent {
		return false
	}
	if !x.takeOther() {
		lead.budget.refund()
		return false
	}
	x.trip.EndUnread()
	if !x.blamed {
		last.state.origin.Succeeded(false)
	}
	slots.Leave()
	return true
}

// unwanted reports whether the cluster says that another answer is to be asked for, and
// the request may be sent for it. A connection that was upgraded stands. The condition is
// asked last: it costs most.
func (x *Exchange) unwanted() bool {
	r, status := &x.group.lead.retry, x.trip.Status.Code
	listed := slices.Contains(r.statuses, status)
	if !listed && (r.when == nil || status == 101) {
		return false
	}
	if x.attempts > r.most || x.atHome() || x.trip.Uploading() || !x.repeatable() || !x.harmless() {
		return false
	}
	return listed || x.meets(r.when)
}

// takeOther takes a slot, without waiting for one, at an origin of the group that was
// not tried and answers itself: no client is sent away instead of an answer.
func (x *Exchange) takeOther() bool {
	away := x.group.away &^ x.seeker.Barred
	x.seeker.Barred |= away
	taken := x.takeUntried()
	x.seeker.Barred &^= away
	return taken
}

func (x *Exchange) takeUntried() bool {
	if r := x.group.lead.router; r != nil && x.routed == x.group && x.listed && !x.atHand() {
		if _, taken := x.takeListed(r); taken || r.onlyListed {
			return taken
		}
	}
	i := x.seek().Take(x.group.balancer)
	if i < 0 {
		return false
	}
	x.take(i)
	return true
}

// atHome reports whether the attempt is at the origin of the request's session.
func (x *Exchange) atHome() bool {
	return x.decision.Home >= 0 && x.member.identity == x.decision.Home
}

// patience is how long the attempt may wait for an answer before somebody else is
// asked; zero: nobody could be.
func (x *Exchange) patience() time.Duration {
	lead := x.group.lead
	if lead.retry.perTry == 0 || x.attempts > lead.retry.most || x.atHome() || !x.Body.Done() || !x.harmless() || !lead.budget.lasts() || !x.othersOpen() {
		return 0
	}
	return lead.retry.perTry
}

// othersOpen reports whether an origin of the group that was not tried answers requests.
func (x *Exchange) othersOpen() bool {
	for i, m := range x.group.members {
		if m.location == nil && !x.seeker.Tried(i) && x.group.opens(i) {
			return true
		}
	}
	return false
}

// mayRetry reports whether a further attempt is allowed and safe.
func (x *Exchange) mayRetry(e *origin.Error) bool {
	lead := x.group.lead
	if x.attempts > lead.retry.most || !x.repeatable() {
		return false
	}
	if x.trip.Upgrade != nil && e.Answered {
		return false
	}
	if !e.Retryable(x.harmless()) {
		return false
	}
	x.overspent = e.Phase != metrics.Connect && !lead.budget.spend()
	return !x.overspent
}

// repeatable reports whether the request's body can be sent once more: there is
// none, it stands in the upstream head, or nobody has taken a byte of it that is not
// held. What an attempt has read else, to its end or not, is gone.
func (x *Exchange) repeatable() bool {
	b := &x.Body
	return x.joined || b.Kept() && (b.Err() == nil || b.Err() == errInterrupted)
}

// idempotent reports whether a method may be repeated without being asked
// (RFC 9110 9.2.2).
func idempotent(method []byte) bool {
	switch string(method) {
	case "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "QUERY":
		return true
	}
	return false
}

// harmless reports whether the request may be sent twice: by its method, or because
// it has a key by which its origins know it again.
func (x *Exchange) harmless() bool {
	return idempotent(x.Method) || x.group.lead.retry.byKey && x.hasKey()
}

// hasKey reports whether the request has an Idempotency-Key that origins see.
func (x *Exchange) hasKey() bool {
	for i := range x.Head.Fields {
		if f := &x.Head.Fields[i]; f.Class != wire.Hop && len(f.Value) > 0 && wire.EqualFold(f.Name, "idempotency-key") {
			return true
		}
	}
	return false
}
