//! A matcher: does the request look as if no person sent it?
//!
//! A request without User-Agent does, and one whose User-Agent has a word that
//! programs call themselves by. With "strict" so does one that names no language,
//! which all browsers do.
//!
//! ```yaml
//! plugins:
//!   automated: { kind: matcher, module: matcher.wasm, needs: [headers], on_error: no-match }
//! rules:
//!   - { when: 'plugin("automated", "strict")', … }
//! ```
#![no_std]

use gw1::{Answer, Plugin, Result, View, NEED_HEADERS};

const WORDS: [&[u8]; 6] = [b"bot", b"spider", b"crawler", b"curl/", b"wget/", b"python"];

struct Matcher;

impl Plugin for Matcher {
    fn matches(&mut self, view: View) -> Result<Answer> {
        if view.granted() & NEED_HEADERS == 0 {
            return Ok(Answer::Unknown);
        }
        let agent = view.header("user-agent").unwrap_or_default();
        let strict = view.arg(0) == Some(b"strict");
        let no_language = || view.header("accept-language").is_none();
        Ok((agent.is_empty() || names_a_program(agent) || strict && no_language()).into())
    }
}

/// Whether one of the words is in the text, in any case.
fn names_a_program(text: &[u8]) -> bool {
    let there = |word: &&[u8]| text.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word));
    WORDS.iter().any(there)
}

gw1::plugin! { Matcher = Matcher; matches }
gw1::trap_on_panic!();
