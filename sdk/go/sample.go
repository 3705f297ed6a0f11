package gw1

import "math"

// Sample is what a collector is told of one origin since the last sample. It is
// good until the call ends.
type Sample struct{ b blob }

// First reports whether this is the first sample: there is no window before it.
func (s Sample) First() bool { return s.b.u16(CollectorFlags)&FlagFirstSample != 0 }

// Flags returns FlagFirstSample, FlagSelfTest.
func (s Sample) Flags() int { return int(s.b.u16(CollectorFlags)) }

// Now returns the time, in Unix nanoseconds.
func (s Sample) Now() int64 { return int64(s.b.u64(CollectorNow)) }

// Position returns the origin's position in the cluster table.
func (s Sample) Position() int { return int(s.b.u32(CollectorPosition)) }

// WindowMS returns the time since the last sample, in ms.
func (s Sample) WindowMS() int { return int(s.b.u32(CollectorWindow)) }

// Answers returns how many answers came in the window.
func (s Sample) Answers() uint64 { return s.b.u64(CollectorAnswers) }

// Failed returns how many of them were 502, 503, 504 or a reset.
func (s Sample) Failed() uint64 { return s.b.u64(CollectorFailed) }

// Timeouts returns how many attempts timed out.
func (s Sample) Timeouts() uint64 { return s.b.u64(CollectorTimeouts) }

// FailedConnects returns how many connections could not be made.
func (s Sample) FailedConnects() uint64 { return s.b.u64(CollectorFailedConnects) }

// P50 returns the median time to the answer's head, in ns; 0 without answers.
func (s Sample) P50() int64 { return int64(s.b.u64(CollectorP50)) }

// P95 returns the 95th percentile of it.
func (s Sample) P95() int64 { return int64(s.b.u64(CollectorP95)) }

// P99 returns the 99th percentile of it.
func (s Sample) P99() int64 { return int64(s.b.u64(CollectorP99)) }

// InFlight returns how many exchanges are at the origin now.
func (s Sample) InFlight() int { return int(s.b.u32(CollectorInFlight)) }

// Waiting returns how many exchanges wait in the cluster's queue.
func (s Sample) Waiting() int { return int(s.b.u32(CollectorWaiting)) }

// Name returns the origin's name.
func (s Sample) Name() []byte { return s.b.bytes(CollectorName) }

// Address returns the origin's address.
func (s Sample) Address() []byte { return s.b.bytes(CollectorAddress) }

// Generation returns the number of the cluster table.
func (s Sample) Generation() uint32 { return s.b.u32(CollectorGeneration) }

// Metric returns the metric now in force, 0..100.
func (s Sample) Metric() int { return int(s.b.u32(CollectorMetric)) }

// Capacity returns how many exchanges the origin can take at a time.
func (s Sample) Capacity() int { return int(s.b.u32(CollectorCapacity)) }

// Health returns HealthDown, HealthUp or HealthEjected.
func (s Sample) Health() int { return int(s.b.u8(CollectorHealth)) }

// State returns StateServing and so on.
func (s Sample) State() int { return int(s.b.u8(CollectorState)) }

// Sources returns how many sources of params the origin has told a number of.
func (s Sample) Sources() int { return s.b.table(CollectorSources, SourceEntry).n }

// SourceAt returns a source: its name, such as "header:x-load", and its latest
// value; no name if there is none at that position.
func (s Sample) SourceAt(i int) (name []byte, value float64) {
	at := s.b.table(CollectorSources, SourceEntry).at(i)
	return s.b.bytes(at + SourceName), math.Float64frombits(s.b.u64(at + SourceValue))
}

// Source returns the latest value of a source.
func (s Sample) Source(name string) (value float64, found bool) {
	for i := range s.Sources() {
		if n, value := s.SourceAt(i); string(n) == name {
			return value, true
		}
	}
	return 0, false
}

// Tick is what gw_tick is told. It is good until the call ends.
type Tick struct{ b blob }

// Now returns the time, in Unix nanoseconds.
func (t Tick) Now() int64 { return int64(t.b.u64(TickNow)) }

// Number returns the number of the tick, from 0.
func (t Tick) Number() uint64 { return t.b.u64(TickNumber) }

// PeriodMS returns the time from tick to tick, in ms.
func (t Tick) PeriodMS() int { return int(t.b.u32(TickPeriod)) }

// HTTPResponse is the answer to an HTTPCall. It is good until the call ends.
type HTTPResponse struct{ b blob }

// Token returns what HTTPCall returned.
func (r HTTPResponse) Token() int32 { return int32(r.b.u32(ResponseToken)) }

// Error returns 0, Timeout or Unreachable.
func (r HTTPResponse) Error() int32 { return int32(r.b.u32(ResponseError)) }

// Flags returns FlagBody, FlagWhole, FlagFieldsLeft.
func (r HTTPResponse) Flags() int { return int(r.b.u16(ResponseFlags)) }

// Now returns the time, in Unix nanoseconds.
func (r HTTPResponse) Now() int64 { return int64(r.b.u64(ResponseNow)) }

// Status returns the answer's status, 0 if there is none.
func (r HTTPResponse) Status() int { return int(r.b.u16(ResponseStatus)) }

// Headers returns the answer's header fields.
func (r HTTPResponse) Headers() Fields { return Fields{r.b.table(ResponseHeaders, FieldEntry)} }

// Body returns the body, or its first part; FlagWhole says whether that is all.
func (r HTTPResponse) Body() []byte { return r.b.bytes(ResponseBody) }
