//! One row of the table of importers.

use crate::error::ImportError;
use crate::options::{OptionRow, Options};
use crate::product::Product;
use crate::result_cache::{NoCache, ResultCache};

/// The file that is imported.
pub struct Source<'a> {
    /// Its name without folders: `"corvette.png"`.
    pub name: &'a str,
    /// Its folder below the folder of sources, without a slash at its end: `"ships"`; empty at the top.
    pub folder: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Reads a file that it names, relative to its own folder: beside or below it, never above.
    pub beside: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
    /// Where results of work on its parts are kept.
    pub cache: &'a dyn ResultCache,
}

impl<'a> Source<'a> {
    /// A file without a cache.
    #[must_use]
    pub fn new(
        name: &'a str,
        folder: &'a str,
        bytes: &'a [u8],
        beside: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Source<'a> {
        Source { name, folder, bytes, beside, cache: &NoCache }
    }

    /// The extension of the name, in lower case and without the dot.
    #[must_use]
    pub fn extension(&self) -> String {
        self.name.rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_ascii_lowercase())
    }

    /// A file beside it.
    pub fn read_beside(&self, name: &str) -> Result<Vec<u8>, ImportError> {
        (self.beside)(name).map_err(|reason| ImportError::Beside { name: name.to_string(), reason })
    }
}

/// How files of some formats become tags.
#[derive(Clone, Copy)]
pub struct Importer {
    /// Its name: `"bitmap"`. Usually also the class of its main product.
    pub name: &'static str,
    /// The extensions of the files it imports, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Its version. A higher one imports all files again.
    pub version: u32,
    /// Its options.
    pub options: &'static [OptionRow],
    /// What it does, in one sentence.
    pub help: &'static str,
    /// Whether, with these options, the files that are numbered on from a file are parts of it: frames, takes.
    pub gathers: fn(&Options) -> bool,
    /// Imports a file. The main product comes first.
    pub import: fn(&Source<'_>, &Options) -> Result<Vec<Product>, ImportError>,
}

/// For importers of single files.
#[must_use]
pub fn gathers_nothing(_: &Options) -> bool {
    false
}

impl std::fmt::Debug for Importer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Importer")
            .field("name", &self.name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
