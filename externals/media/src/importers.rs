//! The table of importers.

use crate::bitmap;
use crate::font;
use crate::importer::Importer;
use crate::model;
use crate::sound;
use crate::strings;

/// All importers of the engine. A game adds its own behind them.
pub const IMPORTERS: &[Importer] =
    &[bitmap::IMPORTER, font::IMPORTER, model::IMPORTER, sound::IMPORTER, strings::IMPORTER];

/// The importer of a file, by its extension; the first one that has it.
#[must_use]
pub fn find<'a>(importers: &'a [Importer], file: &str) -> Option<&'a Importer> {
    let extension = file.rsplit_once('.')?.1.to_ascii_lowercase();
    importers.iter().find(|importer| importer.extensions.contains(&extension.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{IMPORTERS, find};

    #[test]
    fn names_and_extensions_are_unique_and_options_accept_their_defaults() {
        for (index, importer) in IMPORTERS.iter().enumerate() {
            assert!(!importer.help.is_empty() && importer.version > 0, "{}", importer.name);
            for other in &IMPORTERS[..index] {
                assert_ne!(importer.name, other.name);
                let shared = importer.extensions.iter().find(|extension| other.extensions.contains(extension));
                assert_eq!(shared, None, "{} and {}", importer.name, other.name);
            }
            for extension in importer.extensions {
                let found = find(IMPORTERS, &format!("file.{}", extension.to_ascii_uppercase()));
                assert_eq!(found.map(|found| found.name), Some(importer.name));
            }
            for option in importer.options {
                let mut options = crate::Options::new(importer.options);
                options.set(option.name, option.default).expect("an option accepts its default");
                assert!(!option.help.is_empty(), "{}", option.name);
            }
        }
        assert!(find(IMPORTERS, "no extension").is_none());
    }
}
