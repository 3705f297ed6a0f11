use crate::constants::BUSY;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

/// The plugin's value, lent to one call at a time.
pub struct Shared<T> {
    value: UnsafeCell<T>,
    lent: AtomicBool,
}

// SAFETY: lent sees to it that there is one borrower at a time.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// A value that nobody has borrowed.
    pub const fn new(value: T) -> Self {
        Shared { value: UnsafeCell::new(value), lent: AtomicBool::new(false) }
    }

    /// Lends the value to a call. The host makes one call at a time; a plugin
    /// that calls an export of its own gets `BUSY`.
    pub fn call(&self, f: impl FnOnce(&mut T) -> i32) -> i32 {
        if self.lent.swap(true, Ordering::Acquire) {
            return BUSY;
        }
        // SAFETY: lent was false, so there is no other borrower.
        let code = f(unsafe { &mut *self.value.get() });
        self.lent.store(false, Ordering::Release);
        code
    }
}
