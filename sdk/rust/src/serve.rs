//! What the exports do: find the blob, call the plugin, hand back its answer.

use crate::blob::Blob;
use crate::buffer;
use crate::constants::*;
use crate::*;

/// `gw_buffer`.
pub fn buffer(size: i32) -> i32 {
    buffer::make(size)
}

/// The blob of a call, if it has at least its head.
fn open<'a>(size: i32, head: u32) -> Option<Blob<'a>> {
    split(size, head).map(|(blob, _)| blob)
}

fn split<'a>(size: i32, head: u32) -> Option<(Blob<'a>, &'a mut [u8])> {
    // SAFETY: every function here uses what it got for one call of the plugin,
    // whose arguments cannot outlive it, and Shared lends the plugin once.
    let (blob, behind) = unsafe { buffer::split(size)? };
    if (blob.len() as u64) < u64::from(head) {
        return None;
    }
    Some((Blob(blob), behind))
}

/// A view and the result area behind it.
fn exchange<'a>(size: i32) -> Option<(View<'a>, &'a mut [u8])> {
    let (blob, behind) = split(size, VIEW_HEAD)?;
    let (off, length) = (blob.u32(VIEW_RESULT_OFF), blob.u32(VIEW_RESULT_CAP));
    let from = (off as usize).checked_sub(blob.0.len())?;
    Some((View(blob), behind.get_mut(from..)?.get_mut(..length as usize)?))
}

/// What an export returns for an error.
fn code(result: Result<i32>) -> i32 {
    match result {
        Ok(n) => n,
        Err(Code(n)) if n < 0 => n,
        Err(_) => FAILED,
    }
}

/// `gw_configure`.
pub fn configure<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    let refused = match open(size, 0) {
        None => return BAD_ARGUMENT,
        Some(params) => match plugin.configure(Params::new(params.0)) {
            Ok(()) => return 0,
            Err(message) => message,
        },
    };
    if let Some((_, buffer)) = split(0, 0) {
        refuse(buffer, refused);
    }
    BAD_ARGUMENT
}

/// Writes why params are refused, cut between characters.
fn refuse(buffer: &mut [u8], message: &str) {
    let mut n = message.len().min(MAX_MESSAGE as usize).min(buffer.len().saturating_sub(4));
    while !message.is_char_boundary(n) {
        n -= 1;
    }
    let length = (n as u32).to_le_bytes();
    let bytes = length.iter().chain(message.as_bytes().iter().take(n));
    buffer.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
}

/// `gw_on_cluster`.
pub fn on_cluster<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    match open(size, CLUSTER_HEAD) {
        Some(blob) => code(plugin.on_cluster(Cluster(blob)).map(|()| 0)),
        None => BAD_ARGUMENT,
    }
}

/// `gw_route`.
pub fn route<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    match exchange(size) {
        Some((view, area)) => {
            let mut list = List::new(area);
            code(plugin.route(view, &mut list).map(|()| list.len() as i32))
        }
        None => BAD_ARGUMENT,
    }
}

/// `gw_route_names`.
pub fn route_names<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    match exchange(size) {
        Some((view, area)) => {
            let mut list = NameList::new(area);
            code(plugin.route_names(view, &mut list).map(|()| list.len() as i32))
        }
        None => BAD_ARGUMENT,
    }
}

/// `gw_match`.
pub fn matches<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    match open(size, VIEW_HEAD) {
        Some(blob) => code(plugin.matches(View(blob)).map(|a| match a {
            Answer::NoMatch => NO_MATCH,
            Answer::Match => MATCH,
            Answer::Unknown => UNKNOWN,
        })),
        None => BAD_ARGUMENT,
    }
}

/// `gw_collect`.
pub fn collect<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    match open(size, COLLECTOR_HEAD) {
        Some(blob) => code(plugin.collect(Sample(blob)).map(|metric| match metric {
            Some(n) => n.min(METRIC_IDLE as u32) as i32,
            None => NO_OPINION,
        })),
        None => BAD_ARGUMENT,
    }
}

/// `gw_on_request`.
pub fn on_request<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    filter(size, |view, ops| plugin.on_request(view, ops))
}

/// `gw_on_response`.
pub fn on_response<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    filter(size, |view, ops| plugin.on_response(view, ops))
}

fn filter(size: i32, f: impl FnOnce(View, &mut Ops) -> Result) -> i32 {
    match exchange(size) {
        Some((view, area)) => {
            let mut ops = Ops::new(area);
            code(f(view, &mut ops).and_then(|()| ops.finish().map(|b| b.len() as i32)))
        }
        None => BAD_ARGUMENT,
    }
}

/// `gw_tick`.
pub fn tick<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    match open(size, TICK_HEAD) {
        Some(blob) => code(plugin.tick(Tick(blob)).map(|()| 0)),
        None => BAD_ARGUMENT,
    }
}

/// `gw_on_http_response`.
pub fn on_http_response<P: Plugin>(plugin: &mut P, size: i32) -> i32 {
    match open(size, RESPONSE_HEAD) {
        Some(blob) => code(plugin.on_http_response(HttpResponse(blob)).map(|()| 0)),
        None => BAD_ARGUMENT,
    }
}
