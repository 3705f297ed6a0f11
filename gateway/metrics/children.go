package metrics

// MappingLabels name the exchanges that one mapping sent to one cluster.
type MappingLabels struct{ Site, Mapping, Cluster string }

// Mapping counts the exchanges of one mapping.
type Mapping struct {
	// Exchanges are ended exchanges by the hundreds of their status: 1 for a
	// tunnel (101), 4 for 404 and for a client that has gone (499). The first
	// holds those that had none. Use Exchange.
	Exchanges     [6]Counter
	Duration      Histogram // from the request's head to the last byte of the answer
	RequestBytes  Counter   // of bodies, as they came from clients
	ResponseBytes Counter   // of bodies, as they went to clients
}

// Exchange counts one ended exchange by its status.
func (m *Mapping) Exchange(status int) {
	class := status / 100
	if class < 1 || class >= len(m.Exchanges) {
		class = 0
	}
	m.Exchanges[class].Inc()
}

// OriginLabels name one origin as member of one cluster.
type OriginLabels struct{ Cluster, Origin string }

// A Phase is the part of an attempt in which it failed.
type Phase uint8

const (
	Connect Phase = iota // no connection
	Send                 // while the request was sent
	Wait                 // before the first byte of the answer
	Read                 // while the answer was read
	phases
)

// String is the phase's label value.
func (p Phase) String() string {
	return [phases]string{"connect", "send", "wait", "read"}[p]
}

// Origin counts what one origin did for one cluster.
type Origin struct {
	Attempts Counter         // requests sent, or tried to be sent; retries too
	Retries  Counter         // attempts after the first of their exchange
	Failures [phases]Counter // failed attempts by [Phase]; a client that left is no failure
	Load     Gauge           // slots that are taken, over all clusters
	Capacity Gauge           // slots that there are
	Learned  Gauge           // 1: that is learned
	Waiting  Gauge           // exchanges that would take one
	Tunnels  Gauge           // upgraded connections, over all clusters
	Up       Gauge           // 1 or 0
	State    Gauge           // what it may be sent: 0 serving, 1 draining, 2 maintenance, 3 disabled
	Operated Gauge           // 1: that is an operator's word; else 0
	Changes  Gauge           // times that it went out or came back, over all clusters
	Sampled  Gauge           // 1: a collector finds out how busy it is; else 0
	Metric   Gauge           // what it finds: 0 busy, 100 idle
	Clamped  Counter         // numbers of it that were out of 0..100
	Nonsense Counter         // what it said in place of a number, and pulls that failed
	Stale    Counter         // times that it had said nothing for so long that nothing was known
	Odd      Counter         // pushes of another collector than that of another origin of the cluster

	Idle   Gauge   // connections that wait in the pool
	Opened Counter // connections
	Reused Counter // attempts on a connection that had served before
}

// Cluster counts the exchanges that waited in the queue of one cluster, and how the
// looking for its origins went.
type Cluster struct {
	Waiting Gauge     // exchanges in line
	Wait    Histogram // of those that have waited, whatever came of it
	Panics  Gauge     // 1: too few of its origins are up, and those that are out get requests

	RetryErrors Counter // answers of which retry.when could not be evaluated, and so was not true

	Discovers Gauge // 1: its origins are looked for; else the rest does not count
	Found     Gauge // origins of the last good answer
	FoundOK   Gauge // 1: the last look was answered
	Looks     Gauge // that were answered, ever
	LooksLost Gauge // that failed
	Changes   Gauge // answers that were other than the one before
}

// Session counts what became of requests by the bindings of one session.
type Session struct {
	Bound   Counter // requests with an id that is bound
	Unknown Counter // requests with an id that is not
	None    Counter // requests without an id
	Lost    Counter // bound requests whose origin was out or gone: bound anew
	Learned Counter // times that an id was bound
	Entries Gauge   // bindings
	Evicted Gauge   // bindings dropped because there was no room, since the start
}

// Rule counts what one rule has decided.
type Rule struct {
	Hits   Counter // requests that it decided
	Errors Counter // requests for which it could not be evaluated, and so did not match
}

// Listener counts the connections of one listener.
type Listener struct {
	Accepted Counter // connections
	Refused  Counter // of these, closed at once for a limit or a bad PROXY header
	Open     Gauge   // connections

	Handshakes [handshakeFailures]Counter // TLS that clients began and did not complete
}

// A HandshakeFailure is why TLS with a client could not be set up.
type HandshakeFailure uint8

const (
	NotTLS            HandshakeFailure = iota // it speaks something else
	ProtocolVersion                           // no version in common
	ClientCertificate                         // none, or not one to believe
	ClientClosed                              // it went away or fell silent
	OtherHandshake
	handshakeFailures
)

// String is the failure's label value.
func (f HandshakeFailure) String() string {
	return [handshakeFailures]string{"not_tls", "protocol_version", "client_certificate", "closed", "other"}[f]
}

// CertificateLabels name a certificate of a listener by its file.
type CertificateLabels struct{ Listener, Certificate string }

// Certificate is about one that a listener shows.
type Certificate struct {
	Expiry Gauge // seconds that it is still valid; negative: since it is not
}

// Refusal counts exchanges that the gateway answered itself, for one reason.
type Refusal struct {
	Routed   Counter // a site was known
	Unrouted Counter // refused before any site was known
}

// AccessLog counts records of the access log, over all log files.
type AccessLog struct {
	Written Counter // records
	Lost    Counter // records: no room, or the file could not be written
}

// Process counts what belongs to no label.
type Process struct {
	ReloadsOK     Counter
	ReloadsFailed Counter // the configuration was refused, the old one kept
	LastReloadOK  Gauge   // 1 or 0
	Revision      Gauge   // successful applies
	Applied       Gauge   // time of the last one, seconds since 1970
	Panics        Counter // our own bugs, caught
	Tunnels       Gauge   // upgraded connections that are open
	AccessLog     AccessLog
}
