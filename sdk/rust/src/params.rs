//! Params are compact JSON, written by the gateway in one way only: no space
//! between tokens. What is not of that form reads as absent.

use crate::fixed::Fixed;
use crate::text::hex;

/// The plugin's params, or an object in them.
#[derive(Clone, Copy)]
pub struct Params<'a>(&'a [u8]);

impl<'a> Params<'a> {
    /// Reads params. Empty bytes are params without a key.
    pub fn new(json: &'a [u8]) -> Self {
        Params(json)
    }

    /// Whether there are no params at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.iter().find(|(k, _)| k.is(key)).map(|(_, v)| v)
    }

    /// Keys and values, in the order of the file.
    pub fn iter(self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> {
        let mut items = Items::of(self.0, b'{');
        core::iter::from_fn(move || {
            let key = items.next()?;
            if !matches!(key.0, [b'"', ..]) || items.token(b':').is_none() {
                return None;
            }
            Some((key, items.one()?))
        })
    }
}

/// A value in params.
#[derive(Clone, Copy)]
pub struct Value<'a>(&'a [u8]);

impl<'a> Value<'a> {
    /// Reads one value, such as one that was kept in a [`Fixed`].
    pub fn new(json: &'a [u8]) -> Self {
        Value(json)
    }

    /// The value as JSON.
    pub fn json(&self) -> &'a [u8] {
        self.0
    }

    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.0 == b"null"
    }

    /// A truth value.
    pub fn bool(&self) -> Option<bool> {
        match self.0 {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// A whole number.
    pub fn int(&self) -> Option<i64> {
        core::str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// A number. This brings some 10 KB of code into the plugin.
    pub fn float(&self) -> Option<f64> {
        match self.0 {
            [b'-' | b'0'..=b'9', ..] => core::str::from_utf8(self.0).ok()?.parse().ok(),
            _ => None,
        }
    }

    /// A copy of a text, `None` if it is none or has more than `N` bytes.
    pub fn text<const N: usize>(&self) -> Option<Fixed<N>> {
        let mut text = Fixed::new();
        let mut all = self.chars()?;
        all.try_for_each(|c| text.push(c?).then_some(()))?;
        Some(text)
    }

    /// Whether the value is this text.
    pub fn is(&self, text: &str) -> bool {
        self.is_bytes(text.as_bytes())
    }

    /// Whether the value is the text of these bytes.
    pub fn is_bytes(&self, text: &[u8]) -> bool {
        match self.chars() {
            Some(chars) => chars.eq(text.iter().map(|&c| Some(c))),
            None => false,
        }
    }

    /// The items of a list; none if the value is no list.
    pub fn items(self) -> impl Iterator<Item = Value<'a>> {
        Items::of(self.0, b'[')
    }

    /// An object.
    pub fn object(self) -> Option<Params<'a>> {
        match self.0 {
            [b'{', ..] => Some(Params(self.0)),
            _ => None,
        }
    }

    /// The bytes of a text, each `None` where it is not well-formed.
    fn chars(&self) -> Option<Chars<'a>> {
        match self.0 {
            [b'"', inner @ .., b'"'] => Some(Chars(inner)),
            _ => None,
        }
    }
}

struct Chars<'a>(&'a [u8]);

impl Iterator for Chars<'_> {
    type Item = Option<u8>;

    fn next(&mut self) -> Option<Option<u8>> {
        let (&c, rest) = self.0.split_first()?;
        self.0 = rest;
        if c != b'\\' {
            return Some(Some(c));
        }
        Some(self.escape())
    }
}

impl Chars<'_> {
    fn escape(&mut self) -> Option<u8> {
        let (&c, rest) = self.0.split_first()?;
        self.0 = rest;
        match c {
            b'b' => Some(8),
            b'f' => Some(12),
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'u' => match rest {
                [b'0', b'0', high, low, rest @ ..] => {
                    self.0 = rest;
                    Some(hex(*high)? << 4 | hex(*low)?)
                }
                _ => None,
            },
            _ => Some(c),
        }
    }
}

/// The items of a list, or keys and values of an object.
struct Items<'a> {
    rest: &'a [u8],
}

impl<'a> Items<'a> {
    fn of(json: &'a [u8], open: u8) -> Self {
        match json.split_first() {
            Some((&c, rest)) if c == open => Items { rest },
            _ => Items { rest: b"" },
        }
    }

    /// Takes a byte off, if it is that one.
    fn token(&mut self, c: u8) -> Option<()> {
        match self.rest.split_first() {
            Some((&first, rest)) if first == c => {
                self.rest = rest;
                Some(())
            }
            _ => None,
        }
    }

    /// Takes a value off.
    fn one(&mut self) -> Option<Value<'a>> {
        let end = value_length(self.rest);
        let (value, rest) = (self.rest.get(..end)?, self.rest.get(end..)?);
        if value.is_empty() {
            return None;
        }
        self.rest = rest;
        Some(Value(value))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let _ = self.token(b',');
        self.one()
    }
}

/// How many bytes the value has that the bytes begin with.
fn value_length(json: &[u8]) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0u32, false, false);
    for (i, &c) in json.iter().enumerate() {
        match c {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => continue,
            b'[' | b'{' => depth += 1,
            b',' | b':' | b']' | b'}' if depth == 0 => return i,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        let ended = matches!(c, b'"' | b']' | b'}');
        if ended && !quoted && !escaped && depth == 0 {
            return i + 1;
        }
    }
    json.len()
}
