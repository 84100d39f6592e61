//! The options of an importer: a table of names, defaults and help, and the values given for one file.

use crate::error::ImportError;

/// One option of an importer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionRow {
    /// Its name, in snake case.
    pub name: &'static str,
    /// Its default: a number, `true`, `false` or a word.
    pub default: &'static str,
    /// The words it accepts; empty if it is a number or a truth value.
    pub words: &'static [&'static str],
    /// What it does, in one sentence.
    pub help: &'static str,
}

/// The options of one import: those given, and the defaults of the table.
#[derive(Clone, Debug)]
pub struct Options {
    rows: &'static [OptionRow],
    given: Vec<(&'static str, String)>,
}

impl Options {
    /// All defaults.
    #[must_use]
    pub fn new(rows: &'static [OptionRow]) -> Options {
        Options { rows, given: Vec::new() }
    }

    /// Sets an option from text. Fails if there is no such option or it does not accept the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let row = self.rows.iter().find(|row| row.name == name).ok_or_else(|| OptionError::Unknown {
            name: name.to_string(),
            known: self.rows.iter().map(|row| row.name).collect(),
        })?;
        if !row.accepts(value) {
            return Err(OptionError::Value { name: row.name, expected: row.expected(), found: value.to_string() });
        }
        self.given.retain(|(given, _)| *given != row.name);
        if value != row.default {
            self.given.push((row.name, value.to_string()));
            self.given.sort();
        }
        Ok(())
    }

    /// The options that differ from their defaults, sorted by name.
    #[must_use]
    pub fn given(&self) -> &[(&'static str, String)] {
        &self.given
    }

    /// The value of an option as text.
    ///
    /// # Panics
    /// If the importer has no such option: importers ask only for rows of their own table.
    #[must_use]
    pub fn word(&self, name: &str) -> &str {
        if let Some((_, value)) = self.given.iter().find(|(given, _)| *given == name) {
            return value;
        }
        let row = self.rows.iter().find(|row| row.name == name);
        row.unwrap_or_else(|| panic!("the importer has an option `{name}`")).default
    }

    /// Whether a truth option is on.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.word(name) == "true"
    }

    /// The value of a number option, within bounds.
    pub fn number(&self, name: &'static str, min: f64, max: f64) -> Result<f64, ImportError> {
        let text = self.word(name);
        match text.parse::<f64>() {
            Ok(number) if (min..=max).contains(&number) => Ok(number),
            _ => Err(ImportError::Option { name, reason: format!("expected {min} to {max}, found {text}") }),
        }
    }
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// The importer has no such option.
    Unknown {
        /// The name that was given.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// It does not accept this value.
    Value {
        /// The option.
        name: &'static str,
        /// What it accepts.
        expected: String,
        /// The value that was given.
        found: String,
    },
}

impl std::fmt::Display for OptionError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OptionError::Unknown { name, known } => {
                write!(formatter, "no option `{name}`; there are: {}", known.join(", "))
            }
            OptionError::Value { name, expected, found } => {
                write!(formatter, "option `{name}`: expected {expected}, found `{found}`")
            }
        }
    }
}

impl std::error::Error for OptionError {}

impl OptionRow {
    fn is_truth(&self) -> bool {
        self.words.is_empty() && matches!(self.default, "true" | "false")
    }

    fn accepts(&self, value: &str) -> bool {
        if !self.words.is_empty() {
            return self.words.contains(&value);
        }
        if self.is_truth() { matches!(value, "true" | "false") } else { value.parse::<f64>().is_ok_and(f64::is_finite) }
    }

    /// What it accepts, for messages and help.
    #[must_use]
    pub fn expected(&self) -> String {
        if !self.words.is_empty() {
            return self.words.join(", ");
        }
        if self.is_truth() { "true or false".to_string() } else { "a number".to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::{OptionError, OptionRow, Options};

    const ROWS: &[OptionRow] = &[
        OptionRow { name: "mips", default: "true", words: &[], help: "Whether there are mip levels." },
        OptionRow { name: "scale", default: "1", words: &[], help: "The scale." },
        OptionRow { name: "up", default: "y", words: &["y", "z"], help: "The up axis." },
    ];

    #[test]
    fn an_option_has_its_default_until_it_is_set() {
        let mut options = Options::new(ROWS);
        assert_eq!(
            (options.is_on("mips"), options.word("up"), options.number("scale", 0.0, 9.0)),
            (true, "y", Ok(1.0))
        );
        options.set("up", "z").unwrap();
        options.set("scale", "2.5").unwrap();
        assert_eq!(options.given(), [("scale", "2.5".to_string()), ("up", "z".to_string())]);
        options.set("up", "y").unwrap();
        assert_eq!(options.given(), [("scale", "2.5".to_string())], "a default is not stored");
    }

    #[test]
    fn a_wrong_option_or_value_is_refused() {
        let mut options = Options::new(ROWS);
        assert!(matches!(options.set("mip", "true"), Err(OptionError::Unknown { .. })));
        for (name, value) in [("mips", "1"), ("scale", "nan"), ("scale", "big"), ("up", "x")] {
            assert!(matches!(options.set(name, value), Err(OptionError::Value { .. })), "{name} {value}");
        }
        options.set("scale", "50").unwrap();
        assert!(options.number("scale", 0.0, 9.0).is_err());
    }
}
