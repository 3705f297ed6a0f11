package gateway

import (
	"weirkeep/gateway/origin"
	"weirkeep/gateway/unit"
)

// panics reports whether too few of the group's origins are up: see [panicking].
func (g *group) panics() bool { return panicking(g.members, g.lead.panicBelow) }

// panics is the same of a cluster's.
func (cl *cluster) panics() bool { return panicking(cl.members, cl.panicBelow) }

// panicking reports whether fewer than a part of the origins in service are up. Then
// requests go to those that are out, too (LB-08): the few that are up would get what all
// others had, and soon be out as well.
func panicking(members []*member, below unit.Percent) bool {
	if below == 0 {
		return false
	}
	up, all := 0, 0
	for _, m := range members {
		if m.state.state() == serving {
			all++
			if m.state.origin.Health() == origin.Up {
				up++
			}
		}
	}
	return tooFew(up, all, below)
}

func tooFew(up, all int, below unit.Percent) bool { return up*unit.Whole < int(below)*all }

// survey tells of clusters that have begun to panic, or have ceased to.
func (g *Gateway) survey() {
	g.surveying.Lock() // first: the last one to survey goes by the last snapshot
	defer g.surveying.Unlock()
	snap, _, err := g.hold()
	if err != nil {
		return
	}
	defer snap.release()
	for _, cl := range snap.clusters {
		switch now := cl.panics(); {
		case now == g.panicking[cl.name]:
		case now:
			g.panicking[cl.name] = true
			g.log.Warn("panic: too few origins of a cluster are up; those that are out get requests, too",
				"cluster", cl.name, "threshold", cl.panicBelow.String())
		default:
			delete(g.panicking, cl.name)
			g.log.Info("the panic of a cluster is over", "cluster", cl.name)
		}
	}
}
