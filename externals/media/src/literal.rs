//! Values as LScript: how an importer writes the fields of its products.

use tags::Names;

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

/// A text in quotes. Control characters become spaces: a text of a tag has one line.
#[must_use]
pub fn text(text: &str) -> String {
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("\"{}\"", line.replace('"', "\"\""))
}

/// A number in the fewest digits that give it back exactly; 0 if it is not finite.
#[must_use]
pub fn number(number: f64) -> String {
    if !number.is_finite() || number == 0.0 {
        return "0".to_string();
    }
    format!("{number}")
}

/// A number rounded to some decimals, for measures that people read.
#[must_use]
pub fn rounded(value: f64, decimals: u32) -> String {
    let scale = (0..decimals).fold(1.0, |scale, _| scale * 10.0);
    number(base::number::double::round(value * scale) / scale)
}

/// A record: `{ width 4, height 4 }`.
#[must_use]
pub fn record(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name} {value}")).collect();
    format!("{{ {} }}", fields.join(", "))
}

/// A series, one element per line.
#[must_use]
pub fn series(elements: &[String]) -> String {
    if elements.is_empty() {
        return "[]".to_string();
    }
    format!("[\n    {}\n]", elements.join(",\n    "))
}

#[cfg(test)]
mod tests {
    use super::{number, record, rounded, series, text};

    #[test]
    fn values_are_written_as_lscript() {
        assert_eq!(text("a \"b\"\nc"), "\"a \"\"b\"\" c\"");
        assert_eq!((number(-0.0), number(0.5), number(f64::NAN)), ("0".into(), "0.5".into(), "0".into()));
        assert_eq!((number(1e21), number(-3.0)), ("1000000000000000000000".into(), "-3".into()));
        assert_eq!((rounded(-22.998_7, 2), rounded(0.000_4, 3)), ("-23".into(), "0".into()));
        assert_eq!(record(&[("width", number(4.0)), ("part", number(0.0))]), "{ width 4, part 0 }");
        assert_eq!(series(&[]), "[]");
        assert_eq!(series(&["1".into(), "2".into()]), "[\n    1,\n    2\n]");
    }
}
