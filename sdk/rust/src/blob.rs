//! Bytes from the host. Reading outside of them gives zero and `None`.

use crate::constants::{REF_LENGTH, REF_OFF};

#[derive(Clone, Copy)]
pub(crate) struct Blob<'a>(pub(crate) &'a [u8]);

impl<'a> Blob<'a> {
    /// The `N` bytes at an offset, zeros if they are not all there.
    #[inline(always)]
    fn array<const N: usize>(self, at: u32) -> [u8; N] {
        let mut out = [0; N];
        if let Some(b) = self.slice(at, N as u32) {
            out.copy_from_slice(b);
        }
        out
    }

    #[inline(always)]
    pub(crate) fn u8(self, at: u32) -> u32 {
        self.array::<1>(at)[0] as u32
    }

    #[inline(always)]
    pub(crate) fn u16(self, at: u32) -> u32 {
        u16::from_le_bytes(self.array(at)) as u32
    }

    #[inline(always)]
    pub(crate) fn u32(self, at: u32) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    #[inline(always)]
    pub(crate) fn u64(self, at: u32) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    /// `n` bytes from an offset, `None` if they are not all there.
    #[inline(always)]
    pub(crate) fn slice(self, at: u32, n: u32) -> Option<&'a [u8]> {
        self.0.get(at as usize..)?.get(..n as usize)
    }

    /// What the ref at an offset refers to.
    #[inline]
    pub(crate) fn bytes(self, at: u32) -> Option<&'a [u8]> {
        match self.u32(at.wrapping_add(REF_OFF)) {
            0 => None,
            off => self.slice(off, self.u32(at.wrapping_add(REF_LENGTH))),
        }
    }

    /// The table at an offset: empty if it is not all there.
    #[inline]
    pub(crate) fn table(self, at: u32, entry: u32) -> Table<'a> {
        self.entries(self.u32(at), self.u32(at.wrapping_add(4)), entry)
    }

    #[inline]
    pub(crate) fn entries(self, count: u32, off: u32, entry: u32) -> Table<'a> {
        let end = u64::from(off) + u64::from(count) * u64::from(entry);
        let count = if end > self.0.len() as u64 { 0 } else { count };
        Table { blob: self, off, entry, count }
    }
}

/// The entries of a table in a blob.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) blob: Blob<'a>,
    off: u32,
    entry: u32,
    pub(crate) count: u32,
}

impl Table<'_> {
    /// Where entry `i` begins.
    #[inline]
    pub(crate) fn at(self, i: usize) -> Option<u32> {
        if i < self.count as usize {
            Some(self.off + self.entry * i as u32)
        } else {
            None
        }
    }
}
