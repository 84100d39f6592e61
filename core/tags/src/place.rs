//! Places: where in a tag a value is.
//!
//! | place | means |
//! |---|---|
//! | `mass` | a field |
//! | `hull.plates` | a field of a record |
//! | `weapons[nose].weapon` | a field of the element whose key is `nose` |
//! | `weapons["a ] b"]` | the same with a key that has unusual letters |
//! | `weapons[#2]` | the third element, whatever its key |
//! | `weapons[]` | behind the last element; for adding one |
//! | `@` | the tag itself |

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::limits::PLACE_STEPS_MAX;

/// Where in a tag a value is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The way there, from the tag on.
    pub steps: Vec<Step>,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// To a field.
    Field(String),
    /// To the element with this key.
    Key(String),
    /// To the element of this number, from 0 on.
    Index(usize),
    /// Behind the last element.
    Append,
}

/// A text that is no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPlace {
    /// What was expected and what was found.
    pub message: String,
}

impl Place {
    /// The tag itself.
    pub const fn root() -> Place {
        Place { steps: Vec::new() }
    }

    /// Reads a place as people write it.
    pub fn new(text: &str) -> Result<Place, NoPlace> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        if rest == "@" {
            return Ok(Place::root());
        }
        let wrong = |why: &str| {
            let shown: String = text.chars().take(80).collect();
            Err(NoPlace { message: format!("`{shown}` is no place: {why}") })
        };
        loop {
            if steps.len() >= PLACE_STEPS_MAX {
                return wrong("it is too long");
            }
            if let Some(inner) = rest.strip_prefix('[') {
                if steps.is_empty() {
                    return wrong("it begins with the name of a field");
                }
                match read_element(inner) {
                    Ok((step, behind)) => {
                        steps.push(step);
                        rest = behind;
                    }
                    Err(why) => return wrong(why),
                }
            } else {
                if !steps.is_empty() {
                    let Some(behind) = rest.strip_prefix('.') else {
                        return wrong("expected `.` or `[` behind a name or an element");
                    };
                    rest = behind;
                }
                let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let length = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
                let (name, behind) = rest.split_at(length);
                if !is_name(name) {
                    return wrong("expected the name of a field, such as `mass` or `weapons[nose].weapon`");
                }
                steps.push(Step::Field(name.to_string()));
                rest = behind;
            }
            if rest.is_empty() {
                return Ok(Place { steps });
            }
        }
    }

    /// A step further.
    #[must_use]
    pub fn then(&self, step: Step) -> Place {
        let mut steps = self.steps.clone();
        steps.push(step);
        Place { steps }
    }

    /// A field of what is here.
    #[must_use]
    pub fn field(&self, name: &str) -> Place {
        self.then(Step::Field(name.to_string()))
    }

    /// The same without which elements are meant: `weapons.weapon`. What is said of it is said of all.
    pub fn without_elements(&self) -> String {
        let names = self.steps.iter().filter_map(|step| match step {
            Step::Field(name) => Some(name.as_str()),
            _ => None,
        });
        names.collect::<Vec<&str>>().join(".")
    }
}

/// Whether a text can be the name of a field.
pub(crate) fn is_name(text: &str) -> bool {
    let tokens = script::token::tokens(text);
    matches!(tokens.as_slice(), [only, _] if only.kind == script::token::TokenKind::Name && only.span.text(text) == text)
}

/// Reads what stands behind `[`: the step, and what follows.
fn read_element(inner: &str) -> Result<(Step, &str), &'static str> {
    const OPEN: &str = "expected `]` behind the element";
    if let Some(quoted) = inner.strip_prefix('"') {
        let mut key = String::new();
        let mut rest = quoted;
        loop {
            let Some((before, behind)) = rest.split_once('"') else { return Err("the key's quote never ends") };
            key.push_str(before);
            match behind.strip_prefix('"') {
                Some(more) => {
                    key.push('"');
                    rest = more;
                }
                None => return behind.strip_prefix(']').map(|behind| (Step::Key(key), behind)).ok_or(OPEN),
            }
        }
    }
    let (text, behind) = inner.split_once(']').ok_or(OPEN)?;
    let text = text.trim();
    let step = match text.strip_prefix('#') {
        Some(number) => Step::Index(number.parse().map_err(|_| "an element's number is such as `#2`")?),
        None if text.is_empty() => Step::Append,
        None => Step::Key(text.to_string()),
    };
    Ok((step, behind))
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return formatter.write_str("@");
        }
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Field(name) if index == 0 => formatter.write_str(name)?,
                Step::Field(name) => write!(formatter, ".{name}")?,
                Step::Index(number) => write!(formatter, "[#{number}]")?,
                Step::Append => formatter.write_str("[]")?,
                Step::Key(key) if is_plain(key) => write!(formatter, "[{key}]")?,
                Step::Key(key) => write!(formatter, "[\"{}\"]", key.replace('"', "\"\""))?,
            }
        }
        Ok(())
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.trim() == key && !key.starts_with('#') && !key.contains(['"', ']'])
}

impl fmt::Display for NoPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl core::error::Error for NoPlace {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written_the_same() {
        for text in [
            "mass",
            "hull.plates",
            "weapons[nose].weapon",
            "weapons[#2]",
            "weapons[]",
            "grid[#1][#2].a",
            "refs[a/b.weapon].c",
            "w[\"a ] \"\" b\"]",
            "w[\"#2\"]",
            "w[\"\"]",
            "@",
        ] {
            assert_eq!(Place::new(text).unwrap().to_string(), text);
        }
        assert_eq!(Place::new(" weapons[ nose ].weapon ").unwrap().to_string(), "weapons[nose].weapon");
        assert_eq!(Place::new("weapons[nose].a.b[#1]").unwrap().without_elements(), "weapons.a.b");
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in
            ["", ".", "a.", ".a", "[a]", "a[", "a[b", "a]", "a b", "a..b", "a[#x]", "a[\"b]", "if", "1", "a[b]c", "ä"]
        {
            assert!(Place::new(text).is_err(), "{text}");
        }
        assert!(Place::new(&"a.".repeat(1000)).is_err());
    }
}
