use crate::blob::Blob;
use crate::constants::*;
use crate::plugin::Code;
use crate::view::Fields;

/// What a collector is told of one origin since the last sample.
#[derive(Clone, Copy)]
pub struct Sample<'a>(pub(crate) Blob<'a>);

impl<'a> Sample<'a> {
    /// Reads bytes that hold a sample. For tests of your own.
    pub fn new(bytes: &'a [u8]) -> Self {
        Sample(Blob(bytes))
    }

    /// `FLAG_FIRST_SAMPLE`, `FLAG_SELF_TEST`.
    pub fn flags(&self) -> u32 {
        self.0.u16(COLLECTOR_FLAGS)
    }

    /// Whether this is the first sample: there is no window before it.
    pub fn first(&self) -> bool {
        self.flags() & FLAG_FIRST_SAMPLE != 0
    }

    /// The time, in Unix nanoseconds.
    pub fn now(&self) -> u64 {
        self.0.u64(COLLECTOR_NOW)
    }

    /// The origin's position in the cluster table.
    pub fn position(&self) -> usize {
        self.0.u32(COLLECTOR_POSITION) as usize
    }

    /// The time since the last sample, in ms.
    pub fn window_ms(&self) -> u32 {
        self.0.u32(COLLECTOR_WINDOW)
    }

    /// How many answers came in the window.
    pub fn answers(&self) -> u64 {
        self.0.u64(COLLECTOR_ANSWERS)
    }

    /// How many of them were 502, 503, 504 or a reset.
    pub fn failed(&self) -> u64 {
        self.0.u64(COLLECTOR_FAILED)
    }

    /// How many attempts timed out.
    pub fn timeouts(&self) -> u64 {
        self.0.u64(COLLECTOR_TIMEOUTS)
    }

    /// How many connections could not be made.
    pub fn failed_connects(&self) -> u64 {
        self.0.u64(COLLECTOR_FAILED_CONNECTS)
    }

    /// The median time to the answer's head, in ns; 0 without answers.
    pub fn p50(&self) -> u64 {
        self.0.u64(COLLECTOR_P50)
    }

    /// The 95th percentile of it.
    pub fn p95(&self) -> u64 {
        self.0.u64(COLLECTOR_P95)
    }

    /// The 99th percentile of it.
    pub fn p99(&self) -> u64 {
        self.0.u64(COLLECTOR_P99)
    }

    /// How many exchanges are at the origin now.
    pub fn in_flight(&self) -> u32 {
        self.0.u32(COLLECTOR_IN_FLIGHT)
    }

    /// How many exchanges wait in the cluster's queue.
    pub fn waiting(&self) -> u32 {
        self.0.u32(COLLECTOR_WAITING)
    }

    /// The origin's name.
    pub fn name(&self) -> Option<&'a [u8]> {
        self.0.bytes(COLLECTOR_NAME)
    }

    /// The origin's address.
    pub fn address(&self) -> Option<&'a [u8]> {
        self.0.bytes(COLLECTOR_ADDRESS)
    }

    /// The number of the cluster table.
    pub fn generation(&self) -> u32 {
        self.0.u32(COLLECTOR_GENERATION)
    }

    /// The metric now in force, 0..100.
    pub fn metric(&self) -> u32 {
        self.0.u32(COLLECTOR_METRIC)
    }

    /// How many exchanges the origin can take at a time.
    pub fn capacity(&self) -> u32 {
        self.0.u32(COLLECTOR_CAPACITY)
    }

    /// `HEALTH_DOWN`, `HEALTH_UP` or `HEALTH_EJECTED`.
    pub fn health(&self) -> u32 {
        self.0.u8(COLLECTOR_HEALTH)
    }

    /// `STATE_SERVING` and so on.
    pub fn state(&self) -> u32 {
        self.0.u8(COLLECTOR_STATE)
    }

    /// The sources of params that the origin has told a number of: name, such as
    /// `header:x-load`, and latest value.
    pub fn sources(self) -> impl Iterator<Item = (&'a [u8], f64)> {
        let sources = self.0.table(COLLECTOR_SOURCES, SOURCE_ENTRY);
        (0..sources.count as usize).map_while(move |i| {
            let at = sources.at(i)?;
            Some((self.0.bytes(at + SOURCE_NAME)?, f64::from_bits(self.0.u64(at + SOURCE_VALUE))))
        })
    }

    /// The latest value of a source.
    pub fn source(&self, name: &str) -> Option<f64> {
        self.sources().find(|s| s.0 == name.as_bytes()).map(|s| s.1)
    }
}

/// What `gw_tick` is told.
#[derive(Clone, Copy)]
pub struct Tick<'a>(pub(crate) Blob<'a>);

impl Tick<'_> {
    /// The time, in Unix nanoseconds.
    pub fn now(&self) -> u64 {
        self.0.u64(TICK_NOW)
    }

    /// The number of the tick, from 0.
    pub fn number(&self) -> u64 {
        self.0.u64(TICK_NUMBER)
    }

    /// The time from tick to tick, in ms.
    pub fn period_ms(&self) -> u32 {
        self.0.u32(TICK_PERIOD)
    }
}

/// The answer to an [`http_call`](crate::host::HttpCall).
#[derive(Clone, Copy)]
pub struct HttpResponse<'a>(pub(crate) Blob<'a>);

impl<'a> HttpResponse<'a> {
    /// What [`send`](crate::host::HttpCall::send) returned.
    pub fn token(&self) -> i32 {
        self.0.u32(RESPONSE_TOKEN) as i32
    }

    /// Why there is no answer: timeout or unreachable.
    pub fn error(&self) -> Option<Code> {
        match self.0.u32(RESPONSE_ERROR) as i32 {
            0 => None,
            n => Some(Code(n)),
        }
    }

    /// `FLAG_BODY`, `FLAG_WHOLE`, `FLAG_FIELDS_LEFT`.
    pub fn flags(&self) -> u32 {
        self.0.u16(RESPONSE_FLAGS)
    }

    /// The time, in Unix nanoseconds.
    pub fn now(&self) -> u64 {
        self.0.u64(RESPONSE_NOW)
    }

    /// The answer's status, 0 if there is none.
    pub fn status(&self) -> u32 {
        self.0.u16(RESPONSE_STATUS)
    }

    /// The answer's header fields.
    pub fn headers(&self) -> Fields<'a> {
        Fields(self.0.table(RESPONSE_HEADERS, FIELD_ENTRY))
    }

    /// The body, or its first part; `FLAG_WHOLE` says whether that is all.
    pub fn body(&self) -> Option<&'a [u8]> {
        self.0.bytes(RESPONSE_BODY)
    }
}
