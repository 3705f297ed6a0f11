//! A plugin of kind matcher that tells automated clients from people by what they
//! say of themselves.
//!
//! A request matches if its User-Agent has one of a few words in it, or if it has
//! none. Called as `plugin("looks-automated", "strict")` it matches without an
//! Accept field, too. If the header fields are not among its needs, it does not
//! know.
//!
//! ```yaml
//! plugins:
//!   looks-automated: { kind: matcher, module: matcher.wasm, needs: ["header:user-agent", "header:accept"], on_error: no-match }
//! ```
#![no_std]

use gw1::{Answer, Plugin, Result, View, NEED_HEADER, NEED_HEADERS};

const WORDS: [&[u8]; 4] = [b"bot", b"crawler", b"curl", b"spider"];

struct Matcher;

impl Plugin for Matcher {
    fn matches(&mut self, view: View) -> Result<Answer> {
        if view.granted() & (NEED_HEADER | NEED_HEADERS) == 0 {
            return Ok(Answer::Unknown);
        }
        let agent = view.header("user-agent").unwrap_or_default();
        let strict = view.arg(0) == Some(b"strict") && view.header("accept").is_none();
        Ok((agent.is_empty() || strict || named(agent)).into())
    }
}

/// Whether one of the words is in the text, in any case.
fn named(text: &[u8]) -> bool {
    let there = |word: &&[u8]| text.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word));
    WORDS.iter().any(there)
}

gw1::plugin! { Matcher = Matcher; matches }
gw1::trap_on_panic!();
