//! Field paths: the address of a value in a tag.
//!
//! | path | means |
//! |---|---|
//! | `mass` | a field |
//! | `hull.plates` | a field of a record |
//! | `weapons[nose].weapon` | a field of the element whose key is `nose` |
//! | `weapons["a ] b"]` | the same with a key that has special characters |
//! | `weapons[#2]` | the third element, whatever its key |
//! | `weapons[]` | behind the last element, for appending |
//! | `@` | the tag itself |

use std::fmt;

use crate::limits::FIELD_PATH_STEPS_MAX;

/// The address of a value in a tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldPath {
    /// The steps from the tag to the value.
    pub steps: Vec<PathStep>,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStep {
    /// To a field.
    Field(String),
    /// To the element with this key.
    Key(String),
    /// To the element at this index, from 0.
    Index(usize),
    /// Behind the last element.
    Append,
}

/// Why a text is not a field path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPathError {
    /// What was expected and what was found.
    pub message: String,
}

impl FieldPath {
    /// The tag itself.
    pub const fn root() -> FieldPath {
        FieldPath { steps: Vec::new() }
    }

    /// Parses a field path.
    pub fn new(text: &str) -> Result<FieldPath, FieldPathError> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        if rest == "@" {
            return Ok(FieldPath::root());
        }
        let wrong = |why: &str| {
            let shown: String = text.chars().take(80).collect();
            Err(FieldPathError { message: format!("`{shown}` is not a field path: {why}") })
        };
        loop {
            if steps.len() >= FIELD_PATH_STEPS_MAX {
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
                        return wrong("expected `.` or `[` after a name or an element");
                    };
                    rest = behind;
                }
                let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let length = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
                let (name, behind) = rest.split_at(length);
                if !is_name(name) {
                    return wrong("expected the name of a field, such as `mass` or `weapons[nose].weapon`");
                }
                steps.push(PathStep::Field(name.to_string()));
                rest = behind;
            }
            if rest.is_empty() {
                return Ok(FieldPath { steps });
            }
        }
    }

    /// The path with one more step.
    #[must_use]
    pub fn then(&self, step: PathStep) -> FieldPath {
        let mut steps = self.steps.clone();
        steps.push(step);
        FieldPath { steps }
    }

    /// The field of the tag that it begins with.
    #[must_use]
    pub fn first_field(&self) -> Option<&str> {
        match self.steps.first()? {
            PathStep::Field(name) => Some(name),
            _ => None,
        }
    }

    /// The path of a field of the value.
    #[must_use]
    pub fn field(&self, name: &str) -> FieldPath {
        self.then(PathStep::Field(name.to_string()))
    }

    /// The path without element selectors: `weapons.weapon`. It stands for all elements.
    pub fn without_elements(&self) -> String {
        let names = self.steps.iter().filter_map(|step| match step {
            PathStep::Field(name) => Some(name.as_str()),
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

/// Parses an element selector after `[`: the step, and the rest.
fn read_element(inner: &str) -> Result<(PathStep, &str), &'static str> {
    const OPEN: &str = "expected `]` after the element";
    if let Some(quoted) = inner.strip_prefix('"') {
        let mut key = String::new();
        let mut rest = quoted;
        loop {
            let Some((before, behind)) = rest.split_once('"') else { return Err("the quoted key is not closed") };
            key.push_str(before);
            match behind.strip_prefix('"') {
                Some(more) => {
                    key.push('"');
                    rest = more;
                }
                None => return behind.strip_prefix(']').map(|behind| (PathStep::Key(key), behind)).ok_or(OPEN),
            }
        }
    }
    let (text, behind) = inner.split_once(']').ok_or(OPEN)?;
    let text = text.trim();
    let step = match text.strip_prefix('#') {
        Some(number) => PathStep::Index(number.parse().map_err(|_| "expected an index such as `#2`")?),
        None if text.is_empty() => PathStep::Append,
        None => PathStep::Key(text.to_string()),
    };
    Ok((step, behind))
}

impl fmt::Display for FieldPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return formatter.write_str("@");
        }
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                PathStep::Field(name) if index == 0 => formatter.write_str(name)?,
                PathStep::Field(name) => write!(formatter, ".{name}")?,
                PathStep::Index(number) => write!(formatter, "[#{number}]")?,
                PathStep::Append => formatter.write_str("[]")?,
                PathStep::Key(key) if is_plain(key) => write!(formatter, "[{key}]")?,
                PathStep::Key(key) => write!(formatter, "[\"{}\"]", key.replace('"', "\"\""))?,
            }
        }
        Ok(())
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.trim() == key && !key.starts_with('#') && !key.contains(['"', ']'])
}

impl fmt::Display for FieldPathError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for FieldPathError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_paths_are_written_as_they_were_read() {
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
            assert_eq!(FieldPath::new(text).unwrap().to_string(), text);
        }
        assert_eq!(FieldPath::new(" weapons[ nose ].weapon ").unwrap().to_string(), "weapons[nose].weapon");
        assert_eq!(FieldPath::new("weapons[nose].a.b[#1]").unwrap().without_elements(), "weapons.a.b");
    }

    #[test]
    fn invalid_field_paths_are_refused() {
        for text in
            ["", ".", "a.", ".a", "[a]", "a[", "a[b", "a]", "a b", "a..b", "a[#x]", "a[\"b]", "if", "1", "a[b]c", "ä"]
        {
            assert!(FieldPath::new(text).is_err(), "{text}");
        }
        assert!(FieldPath::new(&"a.".repeat(1000)).is_err());
    }
}
