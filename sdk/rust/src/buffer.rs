//! The exchange buffer, which the host writes to and reads from.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static BASE: AtomicUsize = AtomicUsize::new(0);
static SIZE: AtomicUsize = AtomicUsize::new(0);

/// Makes the buffer of pages of its own, so that it is as large as it has to be
/// and needs no allocator. 0: it cannot be made, or was made before.
#[cfg(target_arch = "wasm32")]
pub(crate) fn make(size: i32) -> i32 {
    const PAGE: usize = 65536;
    let size = match usize::try_from(size) {
        Ok(n) if n > 0 && BASE.load(Relaxed) == 0 => n,
        _ => return 0,
    };
    let before = core::arch::wasm32::memory_grow(0, (size + PAGE - 1) / PAGE);
    if before == usize::MAX {
        return 0;
    }
    BASE.store(before * PAGE, Relaxed);
    SIZE.store(size, Relaxed);
    (before * PAGE) as i32
}

/// Outside of wasm there is no host that could write to a buffer.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn make(_: i32) -> i32 {
    0
}

/// The blob of that size, and what of the buffer is behind it. `None` if the
/// blob cannot have that size.
///
/// # Safety
///
/// What it returned for the call before must not be in use any more: the one
/// caller is a function that an export calls, and it ends with it.
pub(crate) unsafe fn split<'a>(size: i32) -> Option<(&'a [u8], &'a mut [u8])> {
    let (base, all) = (BASE.load(Relaxed), SIZE.load(Relaxed));
    let size = usize::try_from(size).ok().filter(|&n| base != 0 && n <= all)?;
    // The pages from base on were made for the buffer, are never given back, and
    // nobody else has their address but the host, which leaves them alone during
    // a call.
    let whole = core::slice::from_raw_parts_mut(base as *mut u8, all);
    let (blob, behind) = whole.split_at_mut(size);
    Some((blob, behind))
}
