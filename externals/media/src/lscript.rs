//! LScript values as text, as products hold them.
//!
//! A reference to a tag beside the source begins with `./`: [`crate::product::resolve`] puts the folder in its place.
//! No other text that is written here begins so.

use std::fmt::Write;

use base::{Vec2, Vec3};
use tags::Names;

/// A string. Control characters, line ends among them, become spaces.
#[must_use]
pub fn text(text: &str) -> String {
    let clean: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let clean = clean.strip_prefix("./").unwrap_or(&clean);
    format!("\"{}\"", clean.replace('"', "\"\""))
}

/// A reference to a tag whose path is relative to the folder of the source.
#[must_use]
pub fn beside(path: &str) -> String {
    format!("\"./{}\"", path.replace('"', ""))
}

/// A number; one that is not finite is 0.
#[must_use]
pub fn number(number: f32) -> String {
    let number = if number.is_finite() { base::number::canonical(number) } else { 0.0 };
    format!("{number}")
}

/// A number of double precision in the fewest digits that give it back exactly; 0 if it is not finite.
#[must_use]
pub fn double(number: f64) -> String {
    if !number.is_finite() || number == 0.0 { "0".to_string() } else { format!("{number}") }
}

/// A number rounded to some decimals, for measures that people read.
#[must_use]
pub fn rounded(value: f64, decimals: u32) -> String {
    let scale = (0..decimals).fold(1.0, |scale, _| scale * 10.0);
    double(base::number::double::round(value * scale) / scale)
}

/// The name of a variant in quotes.
#[must_use]
pub fn choice<E: Names>(variant: E) -> String {
    text(&E::names()[variant.index() as usize].name)
}

/// The variant of a name.
#[must_use]
pub fn variant<E: Names>(name: &str) -> Option<E> {
    E::names().iter().position(|named| named.name == name).map(|index| E::ALL[index])
}

/// Two numbers.
#[must_use]
pub fn pair(value: Vec2) -> String {
    format!("vec({}, {})", number(value.x), number(value.y))
}

/// Three numbers.
#[must_use]
pub fn vector(value: Vec3) -> String {
    format!("vec({}, {}, {})", number(value.x), number(value.y), number(value.z))
}

/// A record, from names and values. Members without a value are left out: they have their defaults.
#[derive(Clone, Debug, Default)]
pub struct RecordText {
    text: String,
}

impl RecordText {
    /// A record without members.
    #[must_use]
    pub fn new() -> RecordText {
        RecordText::default()
    }

    /// With a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> RecordText {
        let between = if self.text.is_empty() { " " } else { ", " };
        write!(self.text, "{between}{name} {value}").expect("a string can be written");
        self
    }

    /// With a member, unless it has its default.
    #[must_use]
    pub fn with_if(self, is_given: bool, name: &str, value: impl std::fmt::Display) -> RecordText {
        if is_given { self.with(name, value) } else { self }
    }

    /// Whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// As text.
    #[must_use]
    pub fn finish(self) -> String {
        format!("{{{} }}", self.text)
    }
}

/// A record of these members.
#[must_use]
pub fn record(members: &[(&str, String)]) -> String {
    members.iter().fold(RecordText::new(), |record, (name, value)| record.with(name, value)).finish()
}

/// A list with an element on each line.
#[must_use]
pub fn list(elements: impl IntoIterator<Item = String>) -> String {
    lines(elements, 1)
}

/// A list with some elements on each line.
#[must_use]
pub fn lines(elements: impl IntoIterator<Item = String>, in_line: usize) -> String {
    let mut text = String::from("[");
    for (index, element) in elements.into_iter().enumerate() {
        text.push_str(match index {
            0 => "\n    ",
            _ if index % in_line == 0 => ",\n    ",
            _ => ", ",
        });
        text.push_str(&element);
    }
    text.push_str(if text.len() == 1 { "]" } else { "\n]" });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_they_can_be_read() {
        assert_eq!(text("say \"hi\"\n"), "\"say \"\"hi\"\" \"");
        assert_eq!(text("./x"), "\"x\"", "only references are relative");
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(f32::NAN), "0");
        assert_eq!(vector(Vec3::new(1.0, 0.5, -2.0)), "vec(1, 0.5, -2)");
        assert_eq!(
            RecordText::new().with("a", 1).with_if(false, "b", 2).with("c", text("d")).finish(),
            "{ a 1, c \"d\" }"
        );
        assert_eq!((double(1e21), double(-3.0)), ("1000000000000000000000".into(), "-3".into()));
        assert_eq!((rounded(-22.998_7, 2), rounded(0.000_4, 3)), ("-23".into(), "0".into()));
        assert_eq!(list([]), "[]");
        assert_eq!(lines(["1", "2", "3"].map(String::from), 2), "[\n    1, 2,\n    3\n]");
    }
}
