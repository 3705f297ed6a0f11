use crate::blob::{Blob, Table};
use crate::constants::*;

/// One exchange, as much of it as the plugin's `needs` name.
///
/// Of the methods that return bytes, `None` is absent or not asked for; an empty
/// slice is there and empty.
#[derive(Clone, Copy)]
pub struct View<'a>(pub(crate) Blob<'a>);

impl<'a> View<'a> {
    /// Reads bytes that hold a view. For tests of your own: a call gives you one.
    pub fn new(bytes: &'a [u8]) -> Self {
        View(Blob(bytes))
    }

    /// `FLAG_HTTPS`, `FLAG_BODY` and so on. Ignore bits you do not know.
    pub fn flags(&self) -> u32 {
        self.0.u16(VIEW_FLAGS)
    }

    /// A number that no other exchange on this node has while this one runs.
    pub fn request_id(&self) -> u64 {
        self.0.u64(VIEW_REQUEST_ID)
    }

    /// The time of the exchange, in Unix nanoseconds.
    pub fn now(&self) -> u64 {
        self.0.u64(VIEW_NOW)
    }

    /// `METHOD_GET` and so on, `METHOD_OTHER` for all others.
    pub fn method_id(&self) -> u32 {
        self.0.u8(VIEW_METHOD_ID)
    }

    /// `HTTP10`, `HTTP11`, `HTTP20` or `HTTP30`.
    pub fn version(&self) -> u32 {
        self.0.u8(VIEW_VERSION)
    }

    /// How many attempts at origins there were so far.
    pub fn attempts(&self) -> u32 {
        self.0.u16(VIEW_ATTEMPTS)
    }

    /// Which cluster table the positions are of, 0 without one.
    pub fn generation(&self) -> u32 {
        self.0.u32(VIEW_GENERATION)
    }

    /// The bits of what this plugin is shown: `NEED_METHOD` and so on.
    pub fn granted(&self) -> u32 {
        self.0.u32(VIEW_GRANTED)
    }

    /// The authority's port, else the scheme's default.
    pub fn port(&self) -> u32 {
        self.0.u16(VIEW_PORT)
    }

    /// The answer's status; 0 in a request.
    pub fn status(&self) -> u32 {
        self.0.u16(VIEW_STATUS)
    }

    /// The declared length of the body in bytes: 0 without a body,
    /// `LENGTH_UNKNOWN` if it was not declared.
    pub fn body_length(&self) -> u64 {
        self.0.u64(VIEW_BODY_LENGTH)
    }

    /// How long the origin took from the request to the head of its answer, in
    /// ns; 0 in a request and for an answer from the cache.
    pub fn upstream_ns(&self) -> u64 {
        self.0.u64(VIEW_UPSTREAM_NS)
    }

    /// The method as received.
    pub fn method(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_METHOD)
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_SCHEME)
    }

    /// The host in lower case, without a port, IPv6 without brackets.
    pub fn host(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_HOST)
    }

    /// The canonical path: what rules match on.
    pub fn path(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_PATH)
    }

    /// The query as received, without `?`; `None` if there is no `?`. See
    /// [`query_value`](crate::query_value).
    pub fn query(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_QUERY)
    }

    /// The client's address as text.
    pub fn client(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_CLIENT)
    }

    /// The mapping's position in the list, decimal from 0.
    pub fn mapping(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_MAPPING)
    }

    /// The session id.
    pub fn session(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_SESSION)
    }

    /// Path and query as received.
    pub fn target(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_TARGET)
    }

    /// The site's name.
    pub fn site(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_SITE)
    }

    /// `cell/cluster`: the router's own, or that of the origin that answered.
    pub fn cluster(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_CLUSTER)
    }

    /// The application's name.
    pub fn application(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_APPLICATION)
    }

    /// The name of the bound origin in a request, of the one that answered in an
    /// answer.
    pub fn origin(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_ORIGIN)
    }

    /// The body as sent, or its first part; `FLAG_WHOLE` says whether that is all.
    pub fn body(&self) -> Option<&'a [u8]> {
        self.0.bytes(VIEW_BODY)
    }

    /// The header fields, one entry per line, in the order received.
    pub fn headers(&self) -> Fields<'a> {
        Fields(self.0.table(VIEW_HEADERS, FIELD_ENTRY))
    }

    /// The cookies.
    pub fn cookies(&self) -> Fields<'a> {
        Fields(self.0.table(VIEW_COOKIES, FIELD_ENTRY))
    }

    /// The origins, in the order of the cluster table.
    pub fn origins(&self) -> Origins<'a> {
        Origins(self.0.table(VIEW_ORIGINS, ORIGIN_ENTRY))
    }

    /// The value of the first header field of a name, whose case does not matter.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        let named = |f: &(&'a [u8], &'a [u8])| f.0.eq_ignore_ascii_case(name.as_bytes());
        self.headers().iter().find(named).map(|f| f.1)
    }

    /// The value of the first cookie of a name, whose case matters.
    pub fn cookie(&self, name: &str) -> Option<&'a [u8]> {
        self.cookies().iter().find(|f| f.0 == name.as_bytes()).map(|f| f.1)
    }

    /// How many arguments the rule gave: `plugin("name", args…)`.
    pub fn args(&self) -> usize {
        self.0.table(VIEW_ARGS, REF_ENTRY).count as usize
    }

    /// An argument.
    pub fn arg(&self, i: usize) -> Option<&'a [u8]> {
        self.0.bytes(self.0.table(VIEW_ARGS, REF_ENTRY).at(i)?)
    }
}

/// Header fields or cookies.
#[derive(Clone, Copy)]
pub struct Fields<'a>(pub(crate) Table<'a>);

impl<'a> Fields<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.count == 0
    }

    /// Name and value of one.
    pub fn get(&self, i: usize) -> Option<(&'a [u8], &'a [u8])> {
        let (blob, at) = (self.0.blob, self.0.at(i)?);
        let (off, name) = (blob.u32(at + FIELD_OFF), blob.u16(at + FIELD_NAME_LENGTH));
        let value = blob.slice(off.checked_add(name)?, blob.u16(at + FIELD_VALUE_LENGTH))?;
        Some((blob.slice(off, name)?, value))
    }

    /// All of them in their order. It ends at one that lies outside the blob.
    pub fn iter(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        (0..self.len()).map_while(move |i| self.get(i))
    }
}

/// The origins of a view.
#[derive(Clone, Copy)]
pub struct Origins<'a>(Table<'a>);

/// An origin at this moment.
#[derive(Clone, Copy)]
pub struct Origin(u64);

impl Origins<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.count == 0
    }

    /// The origin at a position of the cluster table.
    pub fn get(&self, position: usize) -> Option<Origin> {
        Some(Origin(self.0.blob.u64(self.0.at(position)?)))
    }
}

impl Origin {
    fn byte(self, at: u32) -> u32 {
        (self.0 >> (8 * at)) as u8 as u32
    }

    fn short(self, at: u32) -> u32 {
        (self.0 >> (8 * at)) as u16 as u32
    }

    /// `HEALTH_DOWN`, `HEALTH_UP` or `HEALTH_EJECTED`.
    pub fn health(self) -> u32 {
        self.byte(ORIGIN_HEALTH)
    }

    /// `STATE_SERVING`, `STATE_DRAINING`, `STATE_MAINTENANCE` or `STATE_DISABLED`.
    pub fn state(self) -> u32 {
        self.byte(ORIGIN_STATE)
    }

    /// Exchanges there now; stops at 65535.
    pub fn in_flight(self) -> u32 {
        self.short(ORIGIN_IN_FLIGHT)
    }

    /// Exchanges it can take; stops at 65535.
    pub fn capacity(self) -> u32 {
        self.short(ORIGIN_CAPACITY)
    }

    /// 0..100, or `METRIC_NONE`.
    pub fn metric(self) -> u32 {
        self.byte(ORIGIN_METRIC)
    }

    /// `ORIGIN_USABLE`, `ORIGIN_PERMITTED`, `ORIGIN_FULL`, `ORIGIN_TRIED`.
    pub fn flags(self) -> u32 {
        self.byte(ORIGIN_FLAGS)
    }

    /// Whether it is available, permitted, and was not tried.
    pub fn usable(self) -> bool {
        self.flags() & ORIGIN_USABLE != 0
    }
}
