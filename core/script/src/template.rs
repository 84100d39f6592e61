//! Texts with names in braces: `"{hull} of {hull_max}"`.
//!
//! A name is a word, or words with points between them: `{target.hull}`. `{{` and `}}` are the braces themselves. A brace
//! that begins no name is an ordinary character.

use alloc::string::String;
use core::ops::Range;

/// The names in the braces of a text, as ranges of its bytes.
pub fn holes(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    pieces(text).filter_map(|piece| match piece {
        Piece::Name(range) => Some(range),
        Piece::Text(_) => None,
    })
}

/// The text with its names replaced. A name without a value stays as it is.
pub fn fill(text: &str, mut value: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(range) => out.push_str(&text[range]),
            Piece::Name(range) => match value(&text[range.clone()]) {
                Some(found) => out.push_str(&found),
                None => out.push_str(&text[range.start - 1..range.end + 1]),
            },
        }
    }
    out
}

enum Piece {
    Text(Range<usize>),
    /// Without its braces.
    Name(Range<usize>),
}

fn pieces(text: &str) -> impl Iterator<Item = Piece> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    core::iter::from_fn(move || {
        let byte = *bytes.get(at)?;
        if matches!(byte, b'{' | b'}') && bytes.get(at + 1) == Some(&byte) {
            at += 2;
            return Some(Piece::Text(at - 1..at));
        }
        if let Some(end) = name_end(bytes, at) {
            let range = at + 1..end;
            at = end + 1;
            return Some(Piece::Name(range));
        }
        let start = at;
        at += 1;
        while at < bytes.len() && !matches!(bytes[at], b'{' | b'}') {
            at += 1;
        }
        Some(Piece::Text(start..at))
    })
}

/// The closing brace of a name whose opening brace is at an index.
fn name_end(bytes: &[u8], open: usize) -> Option<usize> {
    if bytes.get(open) != Some(&b'{') {
        return None;
    }
    let mut at = open + 1;
    let mut is_word_begun = false;
    loop {
        match *bytes.get(at)? {
            b'}' if is_word_begun => return Some(at),
            b'.' if is_word_begun => is_word_begun = false,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => is_word_begun = true,
            b'0'..=b'9' if is_word_begun => {}
            _ => return None,
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn names_in_braces_are_found_and_filled() {
        let check = |text: &str, names: &[&str], filled: &str| {
            let found: Vec<&str> = holes(text).map(|hole| &text[hole]).collect();
            assert_eq!(found, names, "{text}");
            assert_eq!(fill(text, |name| (name != "none").then(|| format!("<{name}>"))), filled);
        };
        check("{hull} of {ship.hull_2}", &["hull", "ship.hull_2"], "<hull> of <ship.hull_2>");
        check("{{hull}} {} { hull} {3} {a.} {.a} {a", &[], "{hull} {} { hull} {3} {a.} {.a} {a");
        check("ü{a}ü{none}}}", &["a", "none"], "ü<a>ü{none}}");
        check("", &[], "");
    }
}
