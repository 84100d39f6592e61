//! The path of a tag: relative to the root of the tree, with its class as extension.
//!
//! Laws
//! 1. A path has one canonical form: parts of letters, digits and a few marks, separated by single `/`; no part is
//!    empty or starts with a dot. So it cannot lead out of the tree, and is the same on every machine.
//! 2. `\` may be written for `/`.
//! 3. No part is the name of a device of Windows (`aux`, `con`, `com1` …), whatever follows its first dot.
//! 4. Letter case counts. Two paths that differ only in it are a conflict, since some file systems cannot hold both.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt;

use base::StringId;

use crate::limits::PATH_BYTES_MAX;

/// The path of a tag: `ships/corvette.ship`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TagPath(String);

/// Why a text is not the path of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagPathError {
    /// What was expected and what was found.
    pub message: String,
}

impl TagPath {
    /// Parses a path as a designer writes it.
    pub fn new(text: &str) -> Result<TagPath, TagPathError> {
        let path = text.replace('\\', "/");
        let wrong =
            |why: &str| Err(TagPathError { message: format!("`{}` is not the path of a tag: {why}", shown(text)) });
        if path.len() > PATH_BYTES_MAX {
            return wrong("it is too long");
        }
        if let Some(letter) = path.chars().find(|letter| !is_allowed(*letter)) {
            return wrong(&format!("{letter:?} may not be in it; letters, digits and `/ . _ - + ( )` may"));
        }
        for part in path.split('/') {
            match part {
                "" => {
                    return wrong(
                        "it has an empty part; write it from the root of the tree, such as `ships/corvette.ship`",
                    );
                }
                _ if part.starts_with('.') => return wrong("no part of it may begin with a dot"),
                _ if part.ends_with([' ', '.']) => return wrong("no part of it may end in a blank or a dot"),
                _ if is_device(part) => {
                    return wrong("it has a part that Windows keeps for a device; choose another name");
                }
                _ => {}
            }
        }
        let name = path.rsplit('/').next().unwrap_or("");
        match name.rsplit_once('.') {
            Some((before, class)) if !before.is_empty() && !class.is_empty() => {
                debug_assert!(
                    !path.starts_with(['/', '.']) && !path.contains("//") && !path.contains("/."),
                    "law 1 of paths: {path:?} leads out of the tree"
                );
                Ok(TagPath(path))
            }
            _ => wrong("its class is missing; it is the extension, as in `corvette.ship`"),
        }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The class it names: its extension.
    pub fn class(&self) -> &str {
        self.0.rsplit_once('.').map_or("", |(_, class)| class)
    }

    /// Its folder; empty at the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The name of its file without its extension.
    pub fn stem(&self) -> &str {
        let name = self.0.rsplit('/').next().unwrap_or("");
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Its id, as references hold it.
    pub fn id(&self) -> StringId {
        StringId::from(self.as_str())
    }

    /// A form that is equal for all paths that some file system takes for one file.
    pub fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

fn is_allowed(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '/' | '.' | '_' | '-' | '+' | '(' | ')' | ' ')
}

/// The names that Windows keeps for devices in every folder, with any extension.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end_matches(' ');
    let is_one_of = |names: &[&str]| names.iter().any(|name| stem.eq_ignore_ascii_case(name));
    let is_numbered = |(name, digit): (&str, &str)| {
        ["com", "lpt"].iter().any(|device| name.eq_ignore_ascii_case(device))
            && matches!(digit, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
    };
    is_one_of(&["aux", "con", "nul", "prn"]) || stem.split_at_checked(3).is_some_and(is_numbered)
}

/// The longest excerpt of a wrong text in a message.
fn shown(text: &str) -> String {
    text.chars().take(80).map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

impl fmt::Display for TagPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl AsRef<str> for TagPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&TagPath> for String {
    fn from(path: &TagPath) -> String {
        path.0.as_str().to_owned()
    }
}

impl fmt::Display for TagPathError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl core::error::Error for TagPathError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_slashes_mean_the_same() {
        let path = TagPath::new("ships\\corvette.ship").unwrap();
        assert_eq!(path, TagPath::new("ships/corvette.ship").unwrap());
        assert_eq!((path.class(), path.folder(), path.stem()), ("ship", "ships", "corvette"));
        assert_eq!(path.id(), StringId::new("ships/corvette.ship"));
        assert_eq!(TagPath::new("globals.globals").unwrap().folder(), "");
    }

    #[test]
    fn no_part_is_a_device_of_windows() {
        for text in [
            "con.ship",
            "ships/Aux.ship",
            "nul/a.ship",
            "prn.b/a.ship",
            "COM1.ship",
            "lpt9.a.ship",
            "com².ship",
            "aux .ship",
        ] {
            assert!(TagPath::new(text).is_err(), "{text:?}");
        }
        for text in ["convoy.ship", "com.ship", "com0.ship", "com10.ship", "a.con", "a/auxiliary.ship", "lpté.ship"] {
            assert!(TagPath::new(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn nothing_leads_out_of_the_tree() {
        for text in [
            "",
            "/",
            "a",
            "a.",
            ".a",
            "../a.b",
            "a/../b.c",
            "a/./b.c",
            "/a.b",
            "a//b.c",
            "a/.hidden/b.c",
            "c:\\a.b",
            "a\0.b",
            "a/b./c.d",
            "a/b.c/",
            "a.b ",
            "a.b\n",
            "a?.b",
            "~/a.b",
        ] {
            assert!(TagPath::new(text).is_err(), "{text:?}");
        }
        assert!(TagPath::new(&"a/".repeat(1000)).is_err());
    }
}
