package gateway

import (
	"errors"
	"time"

	"weirkeep/gateway/origin"
	"weirkeep/gateway/unit"
)

// answered notes that the head of an answer is there.
func (x *Exchange) answered() {
	x.firstByte = time.Since(x.start)
	x.countAnswer()
	x.judge()
}

// countAnswer gives the collector of the member's cluster, and its balancers, an
// answer whose head is there: each if it wants to know.
func (x *Exchange) countAnswer() {
	m := x.member
	if m.tally == nil && !m.timed {
		return
	}
	at := x.start.Add(x.firstByte)
	if m.tally != nil {
		m.tally.answered(at.Sub(x.tick), x.trip.Answer.Fields, at)
	}
	if m.timed {
		m.balanced.Live.Observe(at.Sub(x.tick), at)
	}
}

// failureTime is how long an attempt took that failed, for balancers that go by times:
// so long at least, or who fails fast would be the fastest.
const failureTime = time.Second

// tell gives the origin's health the outcome of an attempt that failed.
func (x *Exchange) tell(e *origin.Error) {
	fault, counts := e.Fault()
	if !counts {
		return
	}
	x.blame(origin.Failure{Fault: fault, Err: e})
}

// judge gives the origin's health what an answer's head says: a status that
// counts against it, or, at a trial, that it is back. That it is well otherwise
// is known at the end of the answer; how much it can take is learned from all others.
func (x *Exchange) judge() {
	if fault, bad := origin.StatusFault(x.trip.Status.Code); bad {
		x.blame(origin.Failure{Fault: fault, Status: x.trip.Status.Code})
		return
	}
	x.teach()
	if x.trial {
		x.praise()
	}
}

// conclude tells the origin's health how the answer ended.
func (x *Exchange) conclude(reason Reason) {
	switch {
	case reason == AnswerCut && !x.counted:
		x.blame(origin.Failure{Fault: faultOfCut(x.cause), Err: x.cause})
	case reason == Served && !x.blamed:
		x.praise()
	}
}

// faultOfCut is what was wrong with an answer that broke off.
func faultOfCut(err error) origin.Fault {
	if errors.Is(err, origin.ErrTimeout) {
		return origin.FaultTimeout
	}
	return origin.FaultReset
}

// blame counts a failure of the attempt, with its evidence.
func (x *Exchange) blame(f origin.Failure) {
	m := x.member
	if m.tally != nil && !x.blamed {
		m.tally.blame(f.Fault)
	}
	now := time.Now()
	if m.timed && !x.blamed {
		m.balanced.Live.Observe(max(now.Sub(x.tick), failureTime), now)
	}
	x.blamed, x.counted = true, m.cluster.policy.Count.Has(f.Fault)
	f.Began, f.At, f.Cluster, f.Trial, f.Beyond = x.tick, now, m.cluster.name, x.trial, x.trip.Beyond()
	x.trial = false // its outcome is told once: what comes later is no news of an origin that is out
	m.state.complain(&f)
	m.state.origin.Failed(f, &m.cluster.policy, x.lastOpen() || m.cluster.manyOut())
}

// praise counts a success of the attempt.
func (x *Exchange) praise() {
	x.member.state.origin.Succeeded(x.trial)
	x.trial = false
}

// manyOut reports whether one more of the cluster's origins must not be ejected.
func (cl *cluster) manyOut() bool {
	if cl.maxEjected == unit.Whole {
		return false
	}
	out := 1
	for _, m := range cl.members {
		if m.state.origin.Health() != origin.Up {
			out++
		}
	}
	return out*unit.Whole > int(cl.maxEjected)*len(cl.members)
}

// lastOpen reports whether no other origin of the group could take over.
func (x *Exchange) lastOpen() bool {
	for _, m := range x.group.members {
		if m != x.member && m.state.origin.Health() == origin.Up && x.group.letsIn(m) {
			return false
		}
	}
	return true
}
