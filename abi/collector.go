package abi

import "math"

// CollectorView is what gw_collect is told of one origin.
type CollectorView struct {
	Flags          uint16 // FlagFirstSample, FlagSelfTest
	Now            uint64 // Unix time in ns
	Position       uint32 // in the cluster table
	Window         uint32 // ms since the last sample
	Answers        uint64 // in the window, like all that follows down to P99
	Failed         uint64 // 502, 503, 504, reset
	Timeouts       uint64
	P50, P95, P99  uint64 // ns to the answer head; 0 without answers
	InFlight       uint32
	Waiting        uint32 // in the cluster's queue
	FailedConnects uint64
	Name, Address  string
	Sources        []Source
	Generation     uint32 // of the cluster table
	Metric         uint32 // in force now, 0..100
	Capacity       uint32
	Health, State  uint8
}

// Source is a number that the origin reported: the value of the source of that
// name in params.source.
type Source struct {
	Name  string
	Value float64
}

// Size returns how many bytes the view has.
func (v *CollectorView) Size() int {
	size := collectorHead + len(v.Name) + len(v.Address) + sourceEntry*len(v.Sources)
	for i := range v.Sources {
		size += len(v.Sources[i].Name)
	}
	return size
}

// Put writes the view to the start of b and returns how many bytes it has. It
// writes to no other byte; when it returns ErrTooLarge it has written nothing.
func (v *CollectorView) Put(b []byte) (size int, err error) {
	size = v.Size()
	w, err := room(b, size, size, collectorHead)
	if err != nil {
		return 0, err
	}
	v.putNumbers(w.b)
	w.table(collectorSources, len(v.Sources), collectorHead)
	w.at = collectorHead + sourceEntry*len(v.Sources)
	w.named(collectorName, v.Name)
	w.named(collectorAddress, v.Address)
	for i, s := range v.Sources {
		at := collectorHead + sourceEntry*i
		w.text(at+sourceName, s.Name)
		le.PutUint64(w.b[at+sourceValue:], math.Float64bits(s.Value))
	}
	return size, nil
}

func (v *CollectorView) putNumbers(b []byte) {
	le.PutUint16(b[collectorFlags:], v.Flags)
	le.PutUint64(b[collectorNow:], v.Now)
	le.PutUint32(b[collectorPosition:], v.Position)
	le.PutUint32(b[collectorWindow:], v.Window)
	le.PutUint64(b[collectorAnswers:], v.Answers)
	le.PutUint64(b[collectorFailed:], v.Failed)
	le.PutUint64(b[collectorTimeouts:], v.Timeouts)
	le.PutUint64(b[collectorP50:], v.P50)
	le.PutUint64(b[collectorP95:], v.P95)
	le.PutUint64(b[collectorP99:], v.P99)
	le.PutUint32(b[collectorInFlight:], v.InFlight)
	le.PutUint32(b[collectorWaiting:], v.Waiting)
	le.PutUint64(b[collectorFailedConnects:], v.FailedConnects)
	le.PutUint32(b[collectorGeneration:], v.Generation)
	le.PutUint32(b[collectorMetric:], v.Metric)
	le.PutUint32(b[collectorCapacity:], v.Capacity)
	b[collectorHealth], b[collectorState] = v.Health, v.State
}

// DecodeCollectorView reads a collector view; b is the view alone.
func DecodeCollectorView(b []byte) (*CollectorView, error) {
	r, err := newReader("collector view", b, collectorHead)
	if err != nil {
		return nil, err
	}
	v := &CollectorView{
		Flags: r.u16(collectorFlags), Now: r.u64(collectorNow),
		Position: r.u32(collectorPosition), Window: r.u32(collectorWindow),
		Answers: r.u64(collectorAnswers), Failed: r.u64(collectorFailed), Timeouts: r.u64(collectorTimeouts),
		P50: r.u64(collectorP50), P95: r.u64(collectorP95), P99: r.u64(collectorP99),
		InFlight: r.u32(collectorInFlight), Waiting: r.u32(collectorWaiting),
		FailedConnects: r.u64(collectorFailedConnects),
		Name:           string(r.bytes(collectorName)), Address: string(r.bytes(collectorAddress)),
		Sources: r.sources(), Generation: r.u32(collectorGeneration),
		Metric: r.u32(collectorMetric), Capacity: r.u32(collectorCapacity),
		Health: b[collectorHealth], State: b[collectorState],
	}
	if r.err != nil {
		return nil, r.err
	}
	return v, nil
}

func (r *reader) sources() []Source {
	n, off := r.table(collectorSources, sourceEntry)
	if n == 0 {
		return nil
	}
	sources := make([]Source, n)
	for i := range sources {
		e := off + sourceEntry*i
		sources[i] = Source{
			Name:  string(r.bytes(e + sourceName)),
			Value: math.Float64frombits(r.u64(e + sourceValue)),
		}
	}
	return sources
}
