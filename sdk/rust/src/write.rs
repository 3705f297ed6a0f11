use crate::constants::*;
use crate::plugin::{Code, Result};

/// The list of origins that a router writes, best first. The gateway leaves out
/// repeats, and origins that the request may not go to.
pub struct List<'a> {
    area: &'a mut [u8],
    count: u32,
}

impl<'a> List<'a> {
    /// A list in an area of its own. For tests: a call gives you one.
    pub fn new(area: &'a mut [u8]) -> Self {
        List { area, count: 0 }
    }

    /// Puts an origin at the end of the list, by its position in the cluster
    /// table. `None`, as [`Cluster::find`](crate::Cluster::find) returns it for a
    /// name that is not there, is left out, and so is what comes after
    /// `MAX_ROUTE` origins: then it is false.
    pub fn add(&mut self, position: impl Into<Option<u16>>) -> bool {
        let at = 2 * self.count as usize;
        match (position.into(), self.area.get_mut(at..at + 2)) {
            (Some(position), Some(entry)) if self.count < MAX_ROUTE => {
                entry.copy_from_slice(&position.to_le_bytes());
                self.count += 1;
                true
            }
            _ => false,
        }
    }

    /// How many origins are listed.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether none is listed: the router abstains.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The list of origins that a router of the names form writes, best first.
pub struct NameList<'a> {
    area: &'a mut [u8],
    used: usize,
    count: u32,
}

impl<'a> NameList<'a> {
    /// A list in an area of its own. For tests: a call gives you one.
    pub fn new(area: &'a mut [u8]) -> Self {
        NameList { area, used: 0, count: 0 }
    }

    /// Puts an origin at the end of the list: `name`, or `cell/cluster/name`. It
    /// is false, and nothing is written, if there is no room or `MAX_ROUTE` are
    /// listed.
    pub fn add(&mut self, name: &[u8]) -> bool {
        let length = match u16::try_from(name.len()) {
            Ok(n) if self.count < MAX_ROUTE => n.to_le_bytes(),
            _ => return false,
        };
        if !put(self.area, &mut self.used, &[&length, name]) {
            return false;
        }
        self.count += 1;
        true
    }

    /// How many origins are listed.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether none is listed: the router abstains.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// Writes the parts one behind the other, all or none of them.
fn put(area: &mut [u8], used: &mut usize, parts: &[&[u8]]) -> bool {
    let room = area.get_mut(*used..).unwrap_or_default();
    let size = parts.iter().fold(0usize, |n, p| n.saturating_add(p.len()));
    if size > room.len() {
        return false;
    }
    let mut rest = room;
    for p in parts {
        let (to, behind) = rest.split_at_mut(p.len());
        to.copy_from_slice(p);
        rest = behind;
    }
    *used += size;
    true
}

/// The operations that a filter writes. The gateway applies all of them or
/// none: one that is not allowed there is a fault. If they do not fit, the call
/// returns `BUFFER_SMALL` or `LIMIT` instead, and `on_error` decides.
pub struct Ops<'a> {
    area: &'a mut [u8],
    used: usize,
    count: u32,
    failed: Option<Code>,
}

impl<'a> Ops<'a> {
    /// Operations in an area of their own. For tests: a call gives you one.
    pub fn new(area: &'a mut [u8]) -> Self {
        Ops { area, used: 0, count: 0, failed: None }
    }

    /// Takes away all fields of the name; the new one stands where the first was,
    /// else at the end.
    pub fn set_header(&mut self, name: &str, value: &[u8]) {
        self.put(OP_SET_HEADER, name.as_bytes(), value)
    }

    /// Puts one more field at the end.
    pub fn add_header(&mut self, name: &str, value: &[u8]) {
        self.put(OP_ADD_HEADER, name.as_bytes(), value)
    }

    /// Takes away all fields of the name.
    pub fn delete_header(&mut self, name: &str) {
        self.put(OP_DELETE_HEADER, name.as_bytes(), b"")
    }

    /// Edits the request's path; it begins with `/`.
    pub fn set_path(&mut self, path: &[u8]) {
        self.put(OP_SET_PATH, b"", path)
    }

    /// Edits the request's query, without `?`. An empty one takes it away.
    pub fn set_query(&mut self, query: &[u8]) {
        self.put(OP_SET_QUERY, b"", query)
    }

    /// Edits the request's authority: `host` or `host:port`.
    pub fn set_host(&mut self, host: &[u8]) {
        self.put(OP_SET_HOST, b"", host)
    }

    /// Puts another body in the place of the one that the filter was shown the
    /// whole of.
    pub fn set_body(&mut self, body: &[u8]) {
        self.put(OP_SET_BODY, b"", body)
    }

    /// Answers at once with a status, 200 to 599, and a body. Header operations
    /// then apply to this answer.
    pub fn respond(&mut self, status: u32, body: &[u8]) {
        if !(200..=599).contains(&status) {
            return self.fail(Code::BAD_ARGUMENT);
        }
        let digit = |n: u32| b'0' + (n % 10) as u8;
        let digits = [digit(status / 100), digit(status / 10), digit(status)];
        self.put(OP_RESPOND, &digits, body)
    }

    /// Puts a word into the access record.
    pub fn tag(&mut self, key: &str, value: &[u8]) {
        self.put(OP_TAG, key.as_bytes(), value)
    }

    fn fail(&mut self, code: Code) {
        self.failed.get_or_insert(code);
    }

    /// Writes an operation, padded with zeros to 4 bytes.
    pub(crate) fn put(&mut self, code: u32, key: &[u8], value: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        let key_length = match u16::try_from(key.len()) {
            Ok(n) => n.to_le_bytes(),
            Err(_) => return self.fail(Code::BAD_ARGUMENT),
        };
        if self.count == MAX_OPS {
            return self.fail(Code::LIMIT);
        }
        let value_length = (value.len() as u32).to_le_bytes();
        let padding = &[0; 3][..key.len().wrapping_add(value.len()).wrapping_neg() & 3];
        let code = (code as u16).to_le_bytes();
        let parts: [&[u8]; 6] = [&code, &key_length, &value_length, key, value, padding];
        if put(self.area, &mut self.used, &parts) {
            self.count += 1;
        } else {
            self.fail(Code::BUFFER_SMALL)
        }
    }

    /// The bytes written.
    pub fn finish(&self) -> Result<&[u8]> {
        match self.failed {
            Some(code) => Err(code),
            None => Ok(&self.area[..self.used]),
        }
    }
}
