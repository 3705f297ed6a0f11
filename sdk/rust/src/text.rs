use crate::plugin::Code;

/// The value of the first parameter of a name in a query, as it stands there;
/// see [`decoded`]. A parameter without `=` has an empty value. The name is
/// compared as it stands, too.
pub fn query_value<'a>(query: &'a [u8], name: &str) -> Option<&'a [u8]> {
    for param in query.split(|&c| c == b'&') {
        let mut parts = param.splitn(2, |&c| c == b'=');
        if parts.next() == Some(name.as_bytes()) {
            return Some(parts.next().unwrap_or_default());
        }
    }
    None
}

/// The bytes of a value of a query with `+` and `%XX` decoded. A `%` that is not
/// followed by two hexadecimal digits is `BAD_ARGUMENT`.
pub fn decoded(value: &[u8]) -> Decoded<'_> {
    Decoded(value)
}

/// What [`decoded`] returns.
#[derive(Clone)]
pub struct Decoded<'a>(&'a [u8]);

impl Iterator for Decoded<'_> {
    type Item = Result<u8, Code>;

    fn next(&mut self) -> Option<Self::Item> {
        let (&c, rest) = self.0.split_first()?;
        self.0 = rest;
        match (c, rest) {
            (b'+', _) => Some(Ok(b' ')),
            (b'%', [high, low, rest @ ..]) => {
                self.0 = rest;
                match (hex(*high), hex(*low)) {
                    (Some(high), Some(low)) => Some(Ok(high << 4 | low)),
                    _ => Some(Err(Code::BAD_ARGUMENT)),
                }
            }
            (b'%', _) => Some(Err(Code::BAD_ARGUMENT)),
            _ => Some(Ok(c)),
        }
    }
}

/// The value of a hexadecimal digit.
pub(crate) fn hex(c: u8) -> Option<u8> {
    match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        b'A'..=b'F' => Some(c - b'A' + 10),
        _ => None,
    }
}
