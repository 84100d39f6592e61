//! JSON as a flat list of values over the text: 16 bytes for each value, so that memory is in proportion to the text.
//!
//! Laws
//! 1. Any text gives a document or an error with its place.
//! 2. Nesting is limited, so that reading needs little stack.
//! 3. A missing member is [`Json::Missing`], of which everything is missing: paths need no checks on the way.
//! 4. [`Json::get`] and [`Json::word`] take a bounded time, so a value that is named again and again costs little.

use std::borrow::Cow;

use crate::error::ImportError;
use crate::limits::{JSON_BYTES_MAX, JSON_DEPTH_MAX};

/// The most members of an object that are searched; objects of glTF have fewer.
pub const MEMBERS_MAX: usize = 256;

/// The longest keyword, in bytes.
pub const WORD_BYTES_MAX: u32 = 256;

/// A document.
#[derive(Debug)]
pub struct JsonDocument<'a> {
    text: &'a str,
    rows: Vec<JsonRow>,
}

/// One value: its kind and place, and the row behind it and all it holds.
#[derive(Clone, Copy, Debug)]
struct JsonRow {
    kind: JsonKind,
    start: u32,
    end: u32,
    next: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonKind {
    Null,
    Truth,
    Number,
    Text,
    List,
    /// Its rows alternate: name, value.
    Object,
}

/// A value of a document, or none.
#[derive(Clone, Copy, Debug)]
pub enum Json<'d> {
    /// There is no such value.
    Missing,
    /// The value in this row.
    Row(&'d JsonDocument<'d>, u32),
}

impl<'a> JsonDocument<'a> {
    /// Parses a text.
    pub fn parse(bytes: &'a [u8]) -> Result<JsonDocument<'a>, ImportError> {
        if bytes.len() as u64 > JSON_BYTES_MAX {
            let found = bytes.len() as u64;
            return Err(ImportError::TooLarge { what: "bytes of JSON", found, limit: JSON_BYTES_MAX });
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            ImportError::Damaged(format!("expected JSON, found no UTF-8 at byte {}", error.valid_up_to()))
        })?;
        let mut parser = JsonParser { text, at: 0, rows: Vec::new() };
        parser.value(0)?;
        parser.skip_space();
        if parser.at < text.trim_end_matches('\0').len() {
            return Err(parser.wrong("the end"));
        }
        Ok(JsonDocument { text, rows: parser.rows })
    }

    /// The outermost value.
    pub fn root(&self) -> Json<'_> {
        Json::Row(self, 0)
    }
}

impl<'d> Json<'d> {
    /// A member of an object, among its first [`MEMBERS_MAX`], and written without escapes.
    #[must_use]
    pub fn get(self, name: &str) -> Json<'d> {
        let mut rows = self.inner(JsonKind::Object);
        for _ in 0..MEMBERS_MAX {
            let (Some(member), Some(value)) = (rows.next(), rows.next()) else { break };
            if member.raw() == name {
                return value;
            }
        }
        Json::Missing
    }

    /// A string of at most [`WORD_BYTES_MAX`] bytes without escapes, as keywords are.
    #[must_use]
    pub fn word(self) -> Option<&'d str> {
        let is_word = |(_, row): &(&JsonDocument<'_>, JsonRow)| {
            row.kind == JsonKind::Text && row.end - row.start <= WORD_BYTES_MAX
        };
        self.row().filter(is_word).map(|_| self.raw())
    }

    /// The members of an object; none of anything else.
    pub fn members(self) -> impl Iterator<Item = (Cow<'d, str>, Json<'d>)> {
        let mut rows = self.inner(JsonKind::Object);
        std::iter::from_fn(move || {
            let name = rows.next()?;
            Some((name.text().unwrap_or_default(), rows.next()?))
        })
    }

    /// The elements of a list; none of anything else. An element costs a step: collect them to use them often.
    pub fn elements(self) -> impl Iterator<Item = Json<'d>> {
        self.inner(JsonKind::List)
    }

    /// Whether there is such a value, and it is not `null`.
    #[must_use]
    pub fn is_there(self) -> bool {
        self.row().is_some_and(|(_, row)| row.kind != JsonKind::Null)
    }

    /// A string.
    #[must_use]
    pub fn text(self) -> Option<Cow<'d, str>> {
        let (document, row) = self.row().filter(|(_, row)| row.kind == JsonKind::Text)?;
        let raw = &document.text[row.start as usize..row.end as usize];
        Some(if raw.contains('\\') { Cow::Owned(unescaped(raw)) } else { Cow::Borrowed(raw) })
    }

    /// A number. It may be too large for a float, but is no NaN.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        let (document, row) = self.row().filter(|(_, row)| row.kind == JsonKind::Number)?;
        document.text[row.start as usize..row.end as usize].parse().ok()
    }

    /// A number as a finite float.
    #[must_use]
    pub fn float(self) -> Option<f32> {
        self.number().map(|number| number as f32).filter(|number| number.is_finite())
    }

    /// A whole number that is not negative.
    #[must_use]
    pub fn index(self) -> Option<usize> {
        let number = self.number()?;
        let is_whole =
            (0.0..9_007_199_254_740_992.0).contains(&number) && number == base::number::double::floor(number);
        if is_whole { usize::try_from(number as u64).ok() } else { None }
    }

    /// A truth value.
    #[must_use]
    pub fn truth(self) -> Option<bool> {
        let (document, row) = self.row().filter(|(_, row)| row.kind == JsonKind::Truth)?;
        Some(document.text[row.start as usize..].starts_with('t'))
    }

    /// The text of a string as it is written, without its quotes.
    fn raw(self) -> &'d str {
        self.row().map_or("", |(document, row)| &document.text[row.start as usize..row.end as usize])
    }

    fn row(self) -> Option<(&'d JsonDocument<'d>, JsonRow)> {
        match self {
            Json::Missing => None,
            Json::Row(document, at) => Some((document, document.rows[at as usize])),
        }
    }

    fn inner(self, kind: JsonKind) -> impl Iterator<Item = Json<'d>> {
        let found = match self {
            Json::Row(document, at) if document.rows[at as usize].kind == kind => Some((document, at)),
            _ => None,
        };
        let (mut at, end) = found.map_or((0, 0), |(document, at)| (at + 1, document.rows[at as usize].next));
        std::iter::from_fn(move || {
            let (document, _) = found.filter(|_| at < end)?;
            let value = Json::Row(document, at);
            at = document.rows[at as usize].next;
            Some(value)
        })
    }
}

struct JsonParser<'a> {
    text: &'a str,
    at: usize,
    rows: Vec<JsonRow>,
}

impl JsonParser<'_> {
    fn value(&mut self, depth: usize) -> Result<(), ImportError> {
        if depth > JSON_DEPTH_MAX {
            let limit = JSON_DEPTH_MAX as u64;
            return Err(ImportError::TooLarge { what: "levels of nested JSON", found: limit + 1, limit });
        }
        self.skip_space();
        let row = self.rows.len();
        let start = self.at as u32;
        self.rows.push(JsonRow { kind: JsonKind::Null, start, end: start, next: 0 });
        let (kind, start) = match self.peek() {
            Some(b'{') => {
                self.inside(b'}', |parser| {
                    parser.skip_space();
                    parser.name()?;
                    parser.skip_space();
                    parser.expect(b':')?;
                    parser.value(depth + 1)
                })?;
                (JsonKind::Object, start)
            }
            Some(b'[') => {
                self.inside(b']', |parser| parser.value(depth + 1))?;
                (JsonKind::List, start)
            }
            Some(b'"') => {
                self.string()?;
                (JsonKind::Text, start + 1)
            }
            Some(b't') => (self.word("true")?, start),
            Some(b'f') => (self.word("false")?, start),
            Some(b'n') => (self.word("null")?, start),
            _ => (self.digits()?, start),
        };
        let end = if kind == JsonKind::Text { self.at - 1 } else { self.at } as u32;
        self.rows[row] = JsonRow { kind, start, end, next: self.rows.len() as u32 };
        Ok(())
    }

    fn inside(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.wrong("a comma or the end of a list or an object")),
            }
        }
    }

    fn name(&mut self) -> Result<(), ImportError> {
        let start = self.at as u32 + 1;
        if self.peek() != Some(b'"') {
            return Err(self.wrong("a name"));
        }
        self.string()?;
        let next = self.rows.len() as u32 + 1;
        self.rows.push(JsonRow { kind: JsonKind::Text, start, end: self.at as u32 - 1, next });
        Ok(())
    }

    fn string(&mut self) -> Result<(), ImportError> {
        self.at += 1;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'"') => break self.at += 1,
                Some(b'\\') => self.at += 2,
                Some(0..0x20) | None => return Err(self.wrong("the end of a string")),
                Some(_) => self.at += 1,
            }
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<JsonKind, ImportError> {
        let rest = &self.text.as_bytes()[self.at.min(self.text.len())..];
        let length =
            rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let number = self.text.get(self.at..self.at + length).and_then(|text| text.parse::<f64>().ok());
        if number.is_none() {
            return Err(self.wrong("a value"));
        }
        self.at += length;
        Ok(JsonKind::Number)
    }

    fn word(&mut self, word: &str) -> Result<JsonKind, ImportError> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.wrong(word));
        }
        self.at += word.len();
        Ok(if word == "null" { JsonKind::Null } else { JsonKind::Truth })
    }

    fn expect(&mut self, byte: u8) -> Result<(), ImportError> {
        if self.peek() != Some(byte) {
            return Err(self.wrong("a colon"));
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn wrong(&self, expected: &str) -> ImportError {
        ImportError::Damaged(format!("expected JSON with {expected} at byte {}", self.at.min(self.text.len())))
    }
}

fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let mut letters = rest[at + 1..].chars();
        let letter = letters.next();
        rest = letters.as_str();
        match letter {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('u') => {
                let unit = |rest: &mut &str| -> Option<u32> {
                    let number = u32::from_str_radix(rest.get(..4)?, 16).ok()?;
                    *rest = &rest[4..];
                    Some(number)
                };
                let first = unit(&mut rest);
                let low = first.filter(|first| (0xd800..0xdc00).contains(first)).and_then(|_| {
                    let mut behind = rest.strip_prefix("\\u")?;
                    let low = unit(&mut behind).filter(|low| (0xdc00..0xe000).contains(low))?;
                    rest = behind;
                    Some(low)
                });
                let code = match (first, low) {
                    (Some(high), Some(low)) => Some(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)),
                    (first, None) => first,
                    (None, Some(_)) => None,
                };
                text.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(letter) => text.push(letter),
            None => {}
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_paths() {
        let text = r#" {"a": [1, -2.5e1, true, null, "x\n\u00e9\ud83d\ude00"], "b": {"c": {"d": 7}}, "": false} "#;
        let document = JsonDocument::parse(text.as_bytes()).unwrap();
        let root = document.root();
        let list: Vec<Json<'_>> = root.get("a").elements().collect();
        assert_eq!(
            (list.len(), list[0].index(), list[1].number(), list[2].truth()),
            (5, Some(1), Some(-25.0), Some(true))
        );
        assert_eq!(list[4].text().as_deref(), Some("x\né😀"));
        assert!(!list[3].is_there() && list[1].index().is_none());
        assert_eq!(root.get("b").get("c").get("d").index(), Some(7));
        assert_eq!((root.get("").truth(), root.get("z").get("y").number()), (Some(false), None));
        assert_eq!(root.members().count(), 3);
        assert_eq!(root.get("b").elements().count(), 0);
        assert_eq!((list[4].word(), list[0].word()), (Some(r"x\n\u00e9\ud83d\ude00"), None));
        let many: String = (0..300).map(|number| format!("\"k{number}\":{number},")).collect();
        let text = format!("{{{many}\"last\":\"{}\"}}", "x".repeat(300));
        let document = JsonDocument::parse(text.as_bytes()).unwrap();
        assert_eq!((document.root().get("k255").index(), document.root().get("k256").index()), (Some(255), None));
        assert_eq!(document.root().members().last().unwrap().1.word(), None, "too long for a keyword");
    }

    #[test]
    fn wrong_texts_are_refused() {
        for text in [
            "",
            "{",
            "[1,",
            "[1 2]",
            "{\"a\" 1}",
            "{a:1}",
            "tru",
            "1 2",
            "\"open",
            "[\"\\",
            "nan",
            "-",
            "[1,]",
            "\u{1}",
        ] {
            assert!(JsonDocument::parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(JsonDocument::parse(b"\xff").is_err());
        let deep = "[".repeat(1_000_000);
        assert!(matches!(JsonDocument::parse(deep.as_bytes()), Err(ImportError::TooLarge { .. })));
    }

    #[test]
    fn memory_is_in_proportion_to_the_text() {
        let text = format!("[{}0]", "{\"a\":0},".repeat(1000));
        let document = JsonDocument::parse(text.as_bytes()).unwrap();
        assert!(document.rows.len() * size_of::<JsonRow>() <= text.len() * 8);
    }
}
