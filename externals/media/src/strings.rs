//! The importer of texts for people: Fluent files, one language each.
//!
//! The language is that of the folder (`texts/de/ship.ftl`) or of the name (`ship.de.ftl`), unless the option says
//! otherwise. Errors in single entries are warnings: the other entries are used.

use text::{Source as TextSource, Texts, is_language};

use crate::error::ImportError;
use crate::importer::{Importer, Source, gathers_nothing};
use crate::limits::WARNINGS_MAX;
use crate::options::{OptionRow, Options};
use crate::product::{Part, Product, Warning};

/// The languages that are recognised in paths and accepted as option.
const LANGUAGES: &[&str] = &[
    "auto", "ar", "bg", "cs", "da", "de", "de-AT", "de-CH", "el", "en", "en-GB", "en-US", "es", "es-MX", "et", "fi",
    "fr", "fr-CA", "he", "hi", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "nb", "nl", "pl", "pt", "pt-BR", "ro",
    "ru", "sk", "sl", "sr", "sv", "th", "tr", "uk", "vi", "zh", "zh-Hans", "zh-Hant",
];

/// The row of the table.
pub const IMPORTER: Importer = Importer {
    name: "strings",
    extensions: &["ftl"],
    version: 1,
    options: &[OptionRow {
        name: "language",
        default: "auto",
        words: LANGUAGES,
        help: "The language of the texts; `auto` takes it from the folder or the name of the file.",
    }],
    help: "Texts for people in one language, written in Fluent.",
    gathers: gathers_nothing,
    import,
};

fn import(source: &Source<'_>, options: &Options) -> Result<Vec<Product>, ImportError> {
    str::from_utf8(source.bytes)
        .map_err(|error| ImportError::Damaged(format!("no UTF-8 text, from byte {} on", error.valid_up_to())))?;
    let language = match options.word("language") {
        "auto" => language_of(source.folder, source.name).ok_or_else(|| ImportError::Option {
            name: "language",
            reason: format!("\"{}\" says no language; put it into a folder named like one, as in de/", source.name),
        })?,
        given => given,
    };
    let file =
        TextSource { language: language.to_string(), file: source.name.to_string(), bytes: source.bytes.to_vec() };
    let texts = Texts::from_sources(language, [file]);
    let ids = texts.ids();
    if ids.is_empty() {
        return Err(ImportError::Empty("texts"));
    }
    let list: Vec<String> = ids.iter().map(|id| format!("\"{id}\"")).collect();
    let warnings = texts.reports().iter().take(WARNINGS_MAX).map(|report| Warning { message: report.to_string() });
    Ok(vec![Product {
        class: "strings",
        fields: vec![
            ("language".into(), format!("\"{language}\"")),
            ("ids".into(), format!("[{}]", list.join(", "))),
            ("part".into(), "0".into()),
        ],
        bulk_field: "data",
        parts: vec![Part { name: "fluent".into(), bytes: source.bytes.to_vec() }],
        warnings: warnings.collect(),
        ..Product::default()
    }])
}

/// The language that a path names: the last but one part of the name, or the nearest folder.
fn language_of<'a>(folder: &'a str, name: &'a str) -> Option<&'a str> {
    let in_name = name.rsplit('.').nth(1).filter(|_| name.matches('.').count() > 1);
    in_name
        .into_iter()
        .chain(folder.rsplit('/'))
        .find(|word| !word.is_empty() && word.len() <= 10 && is_language(word) && LANGUAGES.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{IMPORTER, language_of};
    use crate::error::ImportError;
    use crate::importer::Source;
    use crate::options::Options;
    use crate::product::Product;

    fn check(path: &str, text: &[u8]) -> Result<Product, ImportError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let source = Source::new(name, folder, text, &|_| Err("nothing is beside it".into()));
        (IMPORTER.import)(&source, &Options::new(IMPORTER.options)).map(|mut products| products.remove(0))
    }

    #[test]
    fn the_folder_or_the_name_says_the_language() {
        assert_eq!(language_of("texts/de", "ship.ftl"), Some("de"));
        assert_eq!(language_of("texts/de/parts", "ship.ftl"), Some("de"));
        assert_eq!(language_of("texts", "ship.pt-BR.ftl"), Some("pt-BR"));
        assert_eq!(language_of("", "ship.ftl"), None);
        assert!(matches!(check("ship.ftl", b"a = b\n"), Err(ImportError::Option { .. })));
    }

    #[test]
    fn texts_become_ids_and_a_part() {
        let made = check(
            "de/ship.ftl",
            "ship-hit = Treffer: { $damage }\nfire = Feuer\n    .tooltip = Schie\u{df}t\n".as_bytes(),
        )
        .unwrap();
        assert_eq!(made.fields[0], ("language".to_string(), "\"de\"".to_string()));
        assert_eq!(made.fields[1].1, "[\"fire\", \"fire.tooltip\", \"ship.hit\"]");
        assert!(made.warnings.is_empty() && made.parts[0].bytes.starts_with(b"ship-hit"));
    }

    #[test]
    fn a_damaged_entry_is_a_warning_and_a_file_without_texts_an_error() {
        let made = check("en/ship.ftl", b"good = Good\nbad = { $x \n").unwrap();
        assert_eq!((made.fields[1].1.as_str(), made.warnings.len()), ("[\"good\"]", 1), "{:?}", made.warnings);
        assert_eq!(check("en/ship.ftl", b"# only a comment\n"), Err(ImportError::Empty("texts")));
        assert!(matches!(check("en/ship.ftl", b"a = \xff"), Err(ImportError::Damaged(_))));
    }
}
