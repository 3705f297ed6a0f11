//! Host functions. Importing one is asking for it, and the gateway refuses a
//! plugin that asks for what it was not granted; a function of this module that
//! nothing calls leaves no import behind. Outside of wasm all of them are
//! unsupported.

use crate::constants::*;
use crate::plugin::{Code, Result};
use crate::write::Ops;

#[cfg(target_arch = "wasm32")]
mod import {
    #[link(wasm_import_module = "gw1")]
    extern "C" {
        pub fn log(level: i32, line: *const u8, n: usize);
        pub fn get_property(name: *const u8, n: usize, buf: *mut u8, room: usize) -> i32;
        pub fn now_ns() -> i64;
        pub fn random(p: *mut u8, n: usize) -> i32;
        pub fn metric_define(kind: i32, name: *const u8, n: usize) -> i32;
        pub fn counter_add(id: i32, n: i64) -> i32;
        pub fn gauge_set(id: i32, v: f64) -> i32;
        pub fn kv_get(key: *const u8, n: usize, buf: *mut u8, room: usize, version: *mut u64) -> i32;
        pub fn kv_set(key: *const u8, n: usize, value: *const u8, vn: usize, ttl_ms: i64, version: i64) -> i32;
        pub fn kv_delete(key: *const u8, n: usize) -> i32;
        pub fn http_call(ops: *const u8, n: usize, timeout_ms: i32) -> i32;
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod import {
    use crate::constants::UNSUPPORTED;
    macro_rules! unsupported {
        ($($name:ident($($arg:ident: $type:ty),*);)+) => {
            $(pub unsafe fn $name($(_: $type),*) -> i32 { UNSUPPORTED })+
        };
    }
    pub unsafe fn log(_: i32, _: *const u8, _: usize) {}
    pub unsafe fn now_ns() -> i64 {
        0
    }
    unsupported! {
        get_property(name: *const u8, n: usize, buf: *mut u8, room: usize);
        random(p: *mut u8, n: usize);
        metric_define(kind: i32, name: *const u8, n: usize);
        counter_add(id: i32, n: i64);
        gauge_set(id: i32, v: f64);
        kv_get(key: *const u8, n: usize, buf: *mut u8, room: usize, version: *mut u64);
        kv_set(key: *const u8, n: usize, value: *const u8, vn: usize, ttl_ms: i64, version: i64);
        kv_delete(key: *const u8, n: usize);
        http_call(ops: *const u8, n: usize, timeout_ms: i32);
    }
}

// SAFETY, of every unsafe block below: address and length are those of one
// slice, and the host writes to none but the mutable ones, during the call.

fn checked(n: i32) -> Result<usize> {
    usize::try_from(n).map_err(|_| Code(n))
}

/// Writes a line to the gateway's log: `LOG_INFO` and so on. It is cut at
/// `MAX_MESSAGE` bytes, and dropped when the plugin logs too much.
pub fn log(level: i32, line: &[u8]) {
    unsafe { import::log(level, line.as_ptr(), line.len()) }
}

/// A property, such as `node.name`, read into the buffer. `NOT_FOUND`: no value
/// here; `DENIED`: not granted; `BUFFER_SMALL`: it does not fit.
pub fn property<'b>(name: &str, buf: &'b mut [u8]) -> Result<&'b [u8]> {
    let n = unsafe { import::get_property(name.as_ptr(), name.len(), buf.as_mut_ptr(), buf.len()) };
    buf.get(..checked(n)?).ok_or(Code::BUFFER_SMALL)
}

/// The time, in Unix nanoseconds; in a matcher that of the view.
pub fn now_ns() -> u64 {
    unsafe { import::now_ns() as u64 }
}

/// Fills the buffer, of at most `MAX_RANDOM` bytes, with random bytes; in a
/// matcher they follow from the request and the rule.
pub fn random(buf: &mut [u8]) -> Result {
    checked(unsafe { import::random(buf.as_mut_ptr(), buf.len()) }).map(|_| ())
}

/// A counter among the gateway's metrics.
#[derive(Clone, Copy)]
pub struct Counter(i32);

impl Counter {
    /// Makes a counter `weirkeep_plugins_guest_NAME_total`, or finds it: a name,
    /// `[a-z][a-z0-9_]*`, is one counter.
    pub fn new(name: &str) -> Result<Counter> {
        let id = unsafe { import::metric_define(METRIC_COUNTER, name.as_ptr(), name.len()) };
        checked(id).map(|_| Counter(id))
    }

    /// Adds to the counter.
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, n: u32) -> Result {
        checked(unsafe { import::counter_add(self.0, n.into()) }).map(|_| ())
    }
}

/// A gauge among the gateway's metrics.
#[derive(Clone, Copy)]
pub struct Gauge(i32);

impl Gauge {
    /// Makes a gauge `weirkeep_plugins_guest_NAME`, or finds it.
    pub fn new(name: &str) -> Result<Gauge> {
        let id = unsafe { import::metric_define(METRIC_GAUGE, name.as_ptr(), name.len()) };
        checked(id).map(|_| Gauge(id))
    }

    /// Sets the gauge to a finite value.
    pub fn set(self, v: f64) -> Result {
        checked(unsafe { import::gauge_set(self.0, v) }).map(|_| ())
    }
}

/// The value of a key and its version, read into the buffer. The store is one
/// per plugin name on this node; a plugin has it if its configuration says kv.
/// `NOT_FOUND`: no such key; `BUFFER_SMALL`: it does not fit.
pub fn kv_get<'b>(key: &[u8], buf: &'b mut [u8]) -> Result<(&'b [u8], u64)> {
    let mut version = 0;
    let n = unsafe { import::kv_get(key.as_ptr(), key.len(), buf.as_mut_ptr(), buf.len(), &mut version) };
    let value = buf.get(..checked(n)?).ok_or(Code::BUFFER_SMALL)?;
    Ok((value, version))
}

/// Sets a key for a time, 0 for ever. The version is `KV_ALWAYS`, `KV_ABSENT`,
/// or one that [`kv_get`] gave: then the key is only set if it has still that
/// one, else it is `CONFLICT`. A full store is `LIMIT`.
pub fn kv_set(key: &[u8], value: &[u8], ttl_ms: i64, version: i64) -> Result {
    let n = unsafe { import::kv_set(key.as_ptr(), key.len(), value.as_ptr(), value.len(), ttl_ms, version) };
    checked(n).map(|_| ())
}

/// Deletes a key; `NOT_FOUND` if there is none.
pub fn kv_delete(key: &[u8]) -> Result {
    checked(unsafe { import::kv_delete(key.as_ptr(), key.len()) }).map(|_| ())
}

/// A request of the plugin's own, in a tick or a sample.
pub struct HttpCall<'a>(Ops<'a>);

impl<'a> HttpCall<'a> {
    /// A GET request of a URL: `http://…`, `https://…` or `cluster://NAME/path`, as
    /// granted. It is written to the buffer, which must have room for all of it
    /// and some 16 bytes for each part.
    pub fn new(buf: &'a mut [u8], url: &[u8]) -> Self {
        let mut ops = Ops::new(buf);
        ops.put(OP_URL, b"", url);
        HttpCall(ops)
    }

    /// Sets another method, once.
    pub fn method(&mut self, method: &str) -> &mut Self {
        self.0.put(OP_METHOD, b"", method.as_bytes());
        self
    }

    /// Adds a header field.
    pub fn header(&mut self, name: &str, value: &[u8]) -> &mut Self {
        self.0.add_header(name, value);
        self
    }

    /// Sets the body, once.
    pub fn body(&mut self, body: &[u8]) -> &mut Self {
        self.0.set_body(body);
        self
    }

    /// Sends the request and returns its token. The answer comes in
    /// `on_http_response`, after this call has returned. The timeout is 1 to
    /// `MAX_HTTP_TIMEOUT` ms.
    pub fn send(&self, timeout_ms: i32) -> Result<i32> {
        let ops = self.0.finish()?;
        let token = unsafe { import::http_call(ops.as_ptr(), ops.len(), timeout_ms) };
        checked(token).map(|_| token)
    }
}
