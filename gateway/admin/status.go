package admin

import "time"

// Status is how a gateway is, as the API shows it.
type Status struct {
	Ready       bool             `json:"ready" doc:"Whether new clients should be sent here."`
	NotReady    string           `json:"not_ready,omitempty" doc:"Why not."`
	Draining    bool             `json:"draining" doc:"It was told to stop."`
	Revision    int              `json:"revision" doc:"Configurations made current since the start."`
	Started     time.Time        `json:"started"`
	Applied     time.Time        `json:"applied" doc:"When the configuration was made current."`
	LastRefusal *Refusal         `json:"last_refusal,omitempty" doc:"The last configuration that was refused since the start."`
	Connections int              `json:"connections" doc:"Of clients, open now."`
	Exchanges   int              `json:"exchanges" doc:"Running now."`
	Listeners   []ListenerStatus `json:"listeners" nullable:"false"`
	Clusters    []ClusterStatus  `json:"clusters" nullable:"false"`
	Origins     []OriginStatus   `json:"-"`
}

// Refusal is a configuration that was refused.
type Refusal struct {
	At      time.Time `json:"at"`
	Problem string    `json:"problem" doc:"The first error, with its place."`
	Errors  int       `json:"errors" doc:"How many there were."`
}

// ListenerStatus is a bound listener.
type ListenerStatus struct {
	Name    string `json:"name"`
	Address string `json:"address" doc:"What it is bound to."`
	TLS     bool   `json:"tls"`
}

// ClusterStatus is one cluster with its queue.
type ClusterStatus struct {
	Name      string `json:"name"`
	Balancer  string `json:"balancer"`
	Waiting   int    `json:"waiting" doc:"Exchanges in line for a slot."`
	QueueSize int    `json:"queue_size" doc:"How many may be in line."`
	Panicking bool   `json:"panicking" doc:"Too few of its origins are up (panic_threshold), and those that are out get requests, too."`

	Discovery *DiscoveryStatus `json:"discovery,omitempty" doc:"How the looking for its origins goes; absent: they are written."`
}

// DiscoveryStatus is how the looking for a cluster's origins goes.
type DiscoveryStatus struct {
	Source       string    `json:"source" doc:"Where: dns NAME, or file PATH."`
	Origins      int       `json:"origins" doc:"Of the last good answer, which is in use."`
	Leaving      int       `json:"leaving" doc:"That are found no more, and have sessions or exchanges yet."`
	LeftOut      int       `json:"left_out" doc:"SRV records with a higher priority number than the lowest."`
	Found        time.Time `json:"found,omitzero" doc:"When the last good answer came; absent: before the start, or never."`
	Problem      string    `json:"problem,omitempty" doc:"Why the last look failed; absent: it did not."`
	ProblemSince time.Time `json:"problem_since,omitzero" doc:"When looks began to fail."`
	Looks        uint64    `json:"looks" doc:"Since it is looked there."`
	Failures     uint64    `json:"failures" doc:"Looks that failed."`
	Changes      uint64    `json:"changes" doc:"Answers that were other than the one before."`
}

// OriginStatus is how one origin is for one cluster. What belongs to the address
// is the same in every cluster that names it.
type OriginStatus struct {
	Cluster string `json:"cluster"`
	Name    string `json:"name"`
	Address string `json:"address"`
	Found   string `json:"found,omitempty" doc:"Where: dns NAME, or file PATH; absent: it is written."`
	Cell    string `json:"cell"`
	State   string `json:"state" doc:"What it may be sent, by the most closed of all words: serving, draining, maintenance or disabled."`
	StateBy string `json:"state_by" doc:"Whose word that is: configuration, discovery (it is found no more), servers (a WebLogic cluster lists it no more), rollout (of an edition) or operator."`

	Configured string     `json:"state_configured,omitempty" doc:"The state in the configuration; absent: it is not there."`
	StateSet   *StateSet  `json:"state_set,omitempty" doc:"What an operator has set, whether or not another word is more closed; absent: nothing."`
	WeightSet  *WeightSet `json:"weight_set,omitempty" doc:"A weight that an operator has set over that of the configuration; absent: none."`

	Health     string `json:"health" doc:"up, down (a health check or a collector says so) or ejected (its failures say so)."`
	Up         bool   `json:"up"`
	Checked    bool   `json:"checked" doc:"By a health check or pings; else traffic finds out."`
	Load       int64  `json:"load" doc:"Slots that are taken, over all clusters."`
	Capacity   int64  `json:"capacity" doc:"Slots that there are."`
	Learned    bool   `json:"capacity_learned" doc:"That is how many the gateway has found that it can take, by how long it takes to answer."`
	Waiting    int64  `json:"waiting" doc:"Exchanges that would take a slot here."`
	Tunnels    int64  `json:"tunnels" doc:"Upgraded connections that are open."`
	InFlight   int64  `json:"in_flight" doc:"Exchanges and tunnels."`
	Sessions   int    `json:"sessions" doc:"That are bound to it."`
	Weight     *int   `json:"weight,omitempty" minimum:"1" doc:"By which its cluster's balancer goes: its host's, or its own; absent: it goes by none."`
	Metric     *int   `json:"metric,omitempty" minimum:"0" maximum:"100" doc:"How busy its cluster's collector finds it: 0 is busy, 100 is idle; absent: the cluster has none."`
	MetricFrom string `json:"metric_from,omitempty" doc:"What that is: where it was found, such as header:X-Load, or initial (nothing was found yet), or default (nothing is known)."`
	Idle       int    `json:"idle" doc:"Connections that wait in the pool."`
	Attempts   uint64 `json:"attempts" doc:"Since the start, retries too."`
	Failures   uint64 `json:"failures" doc:"Attempts that failed."`

	Uncounted   []Uncounted  `json:"sessions_uncounted,omitempty" doc:"Sessions that may be bound to it besides, in any number."`
	Since       time.Time    `json:"since,omitzero" doc:"When its health changed last; absent: it has been up since it was named."`
	LastError   string       `json:"last_error,omitempty" doc:"Of the last attempt that failed, whichever cluster made it."`
	LastErrorAt time.Time    `json:"last_error_at,omitzero"`
	Transitions []Transition `json:"transitions" nullable:"false" doc:"The last changes of its health, at most 20, the oldest first."`
}

// StateSet is a state that an operator has set.
type StateSet struct {
	State string    `json:"state" doc:"draining, maintenance or disabled."`
	Over  string    `json:"over" doc:"The state in the configuration then."`
	By    string    `json:"by" doc:"Who asked for it."`
	At    time.Time `json:"at"`
}

// WeightSet is a weight that an operator has set.
type WeightSet struct {
	Weight int       `json:"weight" minimum:"1" maximum:"100"`
	Over   int       `json:"over" doc:"The weight in the configuration then."`
	By     string    `json:"by" doc:"Who asked for it."`
	At     time.Time `json:"at"`
}

// Uncounted are sessions that nobody counts.
type Uncounted struct {
	Session string    `json:"session" doc:"The name of their definition."`
	Binding string    `json:"binding" doc:"passive or gateway-cookie: it is the client that has the binding; learned: the gateway was started after they were."`
	Until   time.Time `json:"until,omitzero" doc:"From when on they are counted; absent: never."`
}

// Transition is one change of an origin's health, with its evidence.
type Transition struct {
	At       time.Time `json:"at"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Why      string    `json:"why" doc:"What was seen last: the failure, or the answer of a check."`
	Failures int       `json:"failures,omitempty" doc:"How many were seen in a row."`
	By       string    `json:"by" doc:"Who saw it: requests, trial (one request that tried it out), check, ping or collector."`
	Cluster  string    `json:"cluster,omitempty" doc:"Whose requests saw it."`
}

// notReady is why the gateway should get no new clients, or nothing.
func (s Status) notReady() string {
	switch {
	case s.Draining:
		return "draining"
	case s.Ready:
		return ""
	case s.NotReady == "":
		return "not ready"
	}
	return s.NotReady
}
