//! Renaming tags and fields, with all references to them.
//!
//! Laws
//! 1. A tag's file is moved, and every string that is its path is replaced: in tags, headers and notes of the tree.
//!    Every other byte stays.
//! 2. Everything is planned before anything is written, and an interrupted rename loses nothing: no file is replaced by a moved one, the
//!    file is moved first, and repeating the command does the rest.
//! 3. A field of a class that a header declares keeps its former name there, so that tags outside of this tree can
//!    still be read.

mod field;
pub(crate) mod field_search;
mod record_field;
mod uses;
pub(crate) mod wearers;

use std::path::PathBuf;

use host::files;
use host::parallel;
use script::compile::unquoted;
use script::source::Span;
use script::token::{TokenKind, tokens};
use tags::TagPath;

use crate::edit;
use crate::edit_error::EditError;
use crate::rename_error::RenameError;
use crate::tree::{IMPORTED, Tree, is_text};

pub(crate) use field::former_names;
pub use field::{FieldRename, plan_field};
pub use record_field::rename_reads;
pub use uses::{FieldUses, uses_of};

/// The plan of renaming a tag.
#[derive(Clone, Debug)]
pub struct Rename {
    /// Its old path.
    pub from: TagPath,
    /// Its new path.
    pub to: TagPath,
    /// Whether its file must still be moved.
    pub is_moved: bool,
    /// Bulk files beside it that move or are copied with it: from, to, and whether another tag also needs the first.
    pub bulk: Vec<(String, String, bool)>,
    /// The files that name it.
    pub files: Vec<Renamed>,
}

/// A file that names the renamed tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Its path; for the tag itself, the new one.
    pub path: String,
    /// Its old text.
    pub before: String,
    /// Its new text.
    pub after: String,
    /// The number of references.
    pub count: usize,
}

/// Plans the renaming of a tag. Nothing is written.
pub fn plan(tree: &Tree, from: &str, to: &str) -> Result<Rename, RenameError> {
    let (from, to) = (tree.path_of(from)?, TagPath::new(to)?);
    if from.class() != to.class() {
        return Err(RenameError::OtherClass { class: from.class().to_string(), to });
    }
    if from == to {
        return Err(RenameError::SamePath { path: from });
    }
    let is_there = tree.find(&from).is_some();
    match (is_there, tree.find(&to)) {
        (true, Some(_)) => return Err(RenameError::Taken { path: to }),
        (false, None) => return Err(tree.missing(from).into()),
        _ => {}
    }
    if is_there && let Some(other) = tree.tags.iter().find(|tag| tag.path.folded() == to.folded() && tag.path != from) {
        return Err(RenameError::LetterCase { other: other.path.clone(), to });
    }
    if is_there && from.folded() != to.folded() && tree.file(to.as_str()).symlink_metadata().is_ok() {
        return Err(RenameError::FileThere { path: to });
    }
    let [_, base] = imported_beside(tree, &from, &to);
    if is_there && from.folded() != to.folded() && base.symlink_metadata().is_ok() {
        return Err(RenameError::ImportedThere { file: base });
    }
    let bulk = if is_there { bulk_beside(tree, &from, &to) } else { Vec::new() };
    Ok(Rename { files: naming(tree, &from, &to), is_moved: is_there, bulk, from, to })
}

/// Carries out a plan. Returns an error for each file that could not be written; the others are written.
pub fn carry_out(tree: &Tree, rename: &Rename) -> Result<Vec<EditError>, RenameError> {
    let (from, to) = (tree.file(rename.from.as_str()), tree.file(rename.to.as_str()));
    if rename.is_moved {
        tree.new_file(rename.to.as_str())?;
        for (old, new, is_shared) in &rename.bulk {
            move_bulk(tree, old, new, *is_shared)?;
        }
        files::rename(&from, &to)?;
    }
    // The text as it was last imported belongs to the tag. An interrupted rename may have left it.
    let [base_from, base_to] = imported_beside(tree, &rename.from, &rename.to);
    if base_from.is_file() {
        files::rename(&base_from, &base_to)?;
    }
    let written = rename.files.iter().map(|file| edit::write(&tree.file(&file.path), &file.before, &file.after));
    Ok(written.filter_map(Result::err).collect())
}

/// The texts as two tags were last imported.
fn imported_beside(tree: &Tree, from: &TagPath, to: &TagPath) -> [PathBuf; 2] {
    [from, to].map(|path| tree.file(&format!("{path}.{IMPORTED}")))
}

/// The files that name a path, with the new one in its place.
fn naming(tree: &Tree, from: &TagPath, to: &TagPath) -> Vec<Renamed> {
    let paths: Vec<&str> = {
        let texts = tree.walk.files.iter().map(|file| file.path.as_str());
        texts.filter(|path| is_text(path) || tree.is_library(path) || tree.classes.has(extension(path))).collect()
    };
    let found = parallel::many(paths.len(), parallel::threads(), |index| {
        let before = tree.read(paths[index]).ok().filter(|text| text.contains(from.stem()))?;
        let (after, count) = with_path(&before, from, to);
        // The tag itself has moved when it is written.
        let path = if paths[index] == from.as_str() { to.as_str() } else { paths[index] }.to_string();
        (count > 0).then_some(Renamed { path, before, after, count })
    });
    found.into_iter().flatten().collect()
}

/// A text with every string that is this path replaced.
fn with_path(text: &str, from: &TagPath, to: &TagPath) -> (String, usize) {
    let (mut after, mut end, mut count) = (String::with_capacity(text.len()), 0, 0);
    for token in tokens(text).iter().filter(|token| token.kind == TokenKind::String) {
        let inner = unquoted(token.span.text(text));
        if inner.replace('\\', "/") != from.as_str() {
            continue;
        }
        let path = if inner.contains('\\') { to.as_str().replace('/', "\\") } else { to.as_str().to_string() };
        after.push_str(&text[end..token.span.start as usize]);
        after.push_str(&format!("\"{path}\""));
        end = token.span.end as usize;
        count += 1;
    }
    after.push_str(&text[end..]);
    (after, count)
}

/// Bulk files lie beside their tag, so they move with it.
fn bulk_beside(tree: &Tree, from: &TagPath, to: &TagPath) -> Vec<(String, String, bool)> {
    if from.folder() == to.folder() {
        return Vec::new();
    }
    let files_of = |path: &TagPath| -> Vec<String> {
        let packed = tree.read(path.as_str()).ok().zip(tree.classes.prepared(path.class()));
        let packed = packed.map(|(source, class)| class.pack_text(&source).packed);
        packed.map_or(Vec::new(), |packed| packed.files().map(|file| file.file.to_string()).collect())
    };
    let own = files_of(from);
    if own.is_empty() {
        return Vec::new();
    }
    let neighbours = tree.tags.iter().filter(|tag| tag.path.folder() == from.folder() && tag.path != *from);
    let needed: Vec<String> = neighbours.flat_map(|tag| files_of(&tag.path)).collect();
    let beside = |path: &TagPath, file: &str| match path.folder() {
        "" => file.to_string(),
        folder => format!("{folder}/{file}"),
    };
    let there = own.iter().filter(|file| tree.walk.find(&beside(from, file)).is_some());
    there.map(|file| (beside(from, file), beside(to, file), needed.contains(file))).collect()
}

fn move_bulk(tree: &Tree, old: &str, new: &str, is_shared: bool) -> Result<(), RenameError> {
    let (from, to): (PathBuf, PathBuf) = (tree.file(old), tree.file(new));
    if to.exists() {
        return Err(RenameError::BulkThere { file: to });
    }
    tree.new_file(new)?;
    if is_shared {
        return Ok(files::copy(&from, &to)?);
    }
    Ok(files::rename(&from, &to)?)
}

/// A text with other words at some places, which are in order.
pub(crate) fn replaced(text: &str, spans: &[Span], to: &str) -> String {
    let (mut after, mut end) = (String::with_capacity(text.len()), 0);
    for span in spans {
        after.push_str(&text[end..span.start as usize]);
        after.push_str(to);
        end = span.end as usize;
    }
    after.push_str(&text[end..]);
    after
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_replaced_only_where_it_is_a_whole_string() {
        let path = |text| TagPath::new(text).unwrap();
        let text = "!set a \"x/a.ship\" // \"x/a.ship\"\n!set b [\"x\\a.ship\", \"x/a.ship2\", \"/x/a.ship\"]\n!set c \"x/a.ship";
        let (after, count) = with_path(text, &path("x/a.ship"), &path("y/z/b.ship"));
        assert_eq!(count, 2);
        assert_eq!(
            after,
            "!set a \"y/z/b.ship\" // \"x/a.ship\"\n!set b [\"y\\z\\b.ship\", \"x/a.ship2\", \"/x/a.ship\"]\n!set c \"x/a.ship"
        );
    }
}
