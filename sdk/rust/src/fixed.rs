use core::ops::Deref;

/// Up to `N` bytes of a plugin's own: what it keeps from call to call.
#[derive(Clone, Copy)]
pub struct Fixed<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Fixed<N> {
    /// No bytes.
    pub const fn new() -> Self {
        Fixed { bytes: [0; N], len: 0 }
    }

    /// A copy of the bytes, `None` if there are more than `N`.
    pub fn copy(bytes: &[u8]) -> Option<Self> {
        let mut fixed = Fixed::new();
        fixed.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        fixed.len = bytes.len();
        Some(fixed)
    }

    /// Puts these bytes in the place of what there is; false, and nothing is done, if
    /// there are more than `N`. Large ones do not fit the stack that [`copy`] needs.
    ///
    /// [`copy`]: Fixed::copy
    pub fn set(&mut self, bytes: &[u8]) -> bool {
        match self.bytes.get_mut(..bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.len = bytes.len();
                true
            }
            None => false,
        }
    }

    /// Puts a byte at the end; false if there is no room.
    pub fn push(&mut self, byte: u8) -> bool {
        match self.bytes.get_mut(self.len) {
            Some(place) => {
                *place = byte;
                self.len += 1;
                true
            }
            None => false,
        }
    }
}

impl<const N: usize> Deref for Fixed<N> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl<const N: usize> Default for Fixed<N> {
    fn default() -> Self {
        Fixed::new()
    }
}
