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

// OriginStatus is how one origin is for one cluster.
type OriginStatus struct {
	Cluster  string `json:"cluster"`
	Name     string `json:"name"`
	Address  string `json:"address"`
	Up       bool   `json:"up"`
	InFlight int    `json:"in_flight" doc:"Attempts that run."`
	Idle     int    `json:"idle" doc:"Connections that wait in the pool."`
	Attempts uint64 `json:"attempts" doc:"Since the start, retries too."`
	Failures uint64 `json:"failures" doc:"Attempts that failed."`

	Since       time.Time `json:"since,omitzero" doc:"When it went down or came up; absent: it has been up since it was named."`
	LastError   string    `json:"last_error,omitempty" doc:"Of the last attempt that failed, whichever cluster made it."`
	LastErrorAt time.Time `json:"last_error_at,omitzero"`
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
