//! The text of a new tag, from the fields of an import.

use std::error::Error;
use std::fmt;

use script::format::format;
use script::parse::parse;
use tags::limits::TEXT_BYTES_MAX;

/// The text would be too large to be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagTooLarge {
    /// The bytes of the text.
    pub bytes: usize,
}

impl fmt::Display for TagTooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes;
        write!(formatter, "the tag would have {bytes} bytes, and the limit is {TEXT_BYTES_MAX}; simplify the source")
    }
}

impl Error for TagTooLarge {}

/// The text of a tag of a class with these fields, formatted: name, and value as LScript.
pub fn write(comment: &str, class: &str, fields: &[(String, String)]) -> Result<String, TagTooLarge> {
    let comment: String = comment.chars().filter(|letter| !letter.is_control()).take(300).collect();
    let mut text = if comment.is_empty() { String::new() } else { format!("// {comment}\n") };
    text.push_str(&format!("@{class}\n"));
    for (name, value) in fields {
        text.push_str(&format!("!set {name} {value}\n"));
    }
    check_size(&text)?;
    let tree = parse(&text);
    let formatted = format(&text, &tree).map_err(|_| TagTooLarge { bytes: text.len() })?;
    check_size(&formatted)?;
    Ok(formatted)
}

fn check_size(text: &str) -> Result<(), TagTooLarge> {
    if text.len() <= TEXT_BYTES_MAX { Ok(()) } else { Err(TagTooLarge { bytes: text.len() }) }
}

#[cfg(test)]
mod tests {
    use super::write;
    use script::format::format;
    use script::parse::parse;

    #[test]
    fn a_written_tag_is_formatted_and_can_be_read() {
        let fields = [("kind", "\"mesh\""), ("points", "[vec(1,2,3),\nvec(4,5,6)]")];
        let fields = fields.map(|(name, value)| (name.to_string(), value.to_string()));
        let text = write("Made from\na file", "geometry", &fields).unwrap();
        assert!(text.starts_with("// Made froma file\n@geometry\n"), "{text}");
        let tree = parse(&text);
        assert!(tree.reports.is_empty(), "{text}");
        assert_eq!(format(&text, &tree), Ok(text.clone()));
    }

    #[test]
    fn a_tag_that_is_too_large_is_refused() {
        let fields = [("name".to_string(), " ".repeat(tags::limits::TEXT_BYTES_MAX))];
        assert!(write("", "geometry", &fields).is_err());
    }
}
