//! Taking an imported tag into the tree: the three-way merge with what people edited, and the writing of its files.

use std::fmt;
use std::path::Path;

use host::files::{self, FileError};
use tags::Key;
use tags::bulk::{Directory, read_part};
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::Reflected;
use tags::path::{TagPath, TagPathError};

use super::job::{IMPORTED, MadeTag, quoted};
use super::layout;
use crate::classes::Classes;
use crate::document::{Document, Refusal};
use crate::edit;
use crate::field_path::FieldPath;
use crate::finding::Finding;
use crate::merge::{Conflict, MARK, merge};

/// The largest container.
const CONTAINER_BYTES_MAX: u64 = 4 << 30;

/// The field of the bulk data, if the product names none.
const DATA: &str = "data";

/// Which imported values replace edited ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TakeImported {
    /// None: what people edited stays.
    #[default]
    None,
    /// Those of these fields.
    Fields(Vec<String>),
    /// All of them.
    All,
}

/// What an intake did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The tag is new.
    Created,
    /// The tag changed.
    Updated,
    /// Nothing changed.
    None,
}

/// A tag that was taken in.
#[derive(Clone, Debug)]
pub struct TakenTag {
    /// Its path.
    pub path: TagPath,
    /// What was done.
    pub change: Change,
    /// Values that source and people changed in different ways: the people's counts.
    pub kept: Vec<Conflict>,
    /// Remarks of the importer.
    pub warnings: Vec<String>,
}

/// Why a tag was not taken in. It is as it was.
#[derive(Debug)]
pub enum IntakeError {
    /// The source or its part has a name that no tag can have.
    Path(TagPathError),
    /// There is no such class.
    Class(String),
    /// A file could not be read or written.
    File(FileError),
    /// The tag was made from another source, which still exists.
    OtherSource {
        /// The tag.
        path: TagPath,
        /// The source it was made from.
        source: String,
    },
    /// The texts cannot be merged.
    Merge(TagPath, Refusal),
    /// The new text would have errors.
    Invalid(TagPath, Vec<Finding>),
    /// The tag was changed by another program while it was imported.
    Busy(TagPath),
}

impl fmt::Display for IntakeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntakeError::Path(error) => write!(formatter, "{error}; rename the file or the part of it"),
            IntakeError::Class(class) => write!(formatter, "there is no class `{class}` for it"),
            IntakeError::File(error) => error.fmt(formatter),
            IntakeError::OtherSource { path, source } => {
                write!(formatter, "the tag {path} is made from {source}; rename one of the two sources")
            }
            IntakeError::Merge(path, refusal) => {
                write!(formatter, "{}", edit::told(path.as_str(), refusal))?;
                formatter.write_str("; correct the tag, then import again")
            }
            IntakeError::Invalid(path, findings) => {
                let first = findings.first().map_or("", |finding| finding.message.as_str());
                write!(formatter, "the imported tag {path} would have {} errors, the first: {first}", findings.len())
            }
            IntakeError::Busy(path) => {
                write!(formatter, "the tag {path} was changed meanwhile by another program; import again")
            }
        }
    }
}

impl std::error::Error for IntakeError {}

impl From<FileError> for IntakeError {
    fn from(error: FileError) -> IntakeError {
        IntakeError::File(error)
    }
}

/// Where tags are taken in.
#[derive(Clone, Copy)]
pub struct Intake<'a> {
    /// The folder of tags.
    pub tree: &'a Path,
    /// The folder of sources.
    pub data: &'a Path,
    /// The classes.
    pub classes: &'a Classes,
    /// Which imported values replace edited ones.
    pub take: &'a TakeImported,
    /// Whether nothing is written.
    pub is_dry: bool,
}

/// The present state of a tag.
#[derive(Default)]
struct Present {
    text: Option<String>,
    /// The text as it was last imported.
    base: Option<String>,
    /// The file of its container.
    container: Option<String>,
    /// The source that it was made from.
    source: String,
}

impl Intake<'_> {
    /// Takes a tag in.
    pub fn take(&self, source: &str, made: MadeTag) -> Result<TakenTag, IntakeError> {
        let path = layout::tag_path(source, &made.name, &made.class).map_err(IntakeError::Path)?;
        let class = self.classes.prepared(path.class()).ok_or_else(|| IntakeError::Class(path.class().to_string()))?;
        let present = self.present(&path, class)?;
        if !present.source.is_empty() && present.source != source && self.data.join(&present.source).exists() {
            return Err(IntakeError::OtherSource { path, source: present.source });
        }
        let name = layout::container_name(&path, &Key(made.digest));
        let (text, kept) = self.merged(&path, class, &present, &made, &name)?;
        let change = match &present.text {
            None => Change::Created,
            Some(before) if *before == text && present.container.as_ref() == Some(&name) => Change::None,
            Some(_) => Change::Updated,
        };
        if change != Change::None && !self.is_dry {
            self.write(&path, &present, &text, &name, &made.container)?;
        }
        Ok(TakenTag { path, change, kept, warnings: made.warnings })
    }

    /// Law 1 of the pipeline: container, text, removal of the former container.
    fn write(
        &self,
        path: &TagPath,
        present: &Present,
        text: &str,
        name: &str,
        container: &[u8],
    ) -> Result<(), IntakeError> {
        let file = self.tree.join(path.as_str());
        if let Some(folder) = file.parent() {
            files::make_folder(folder)?;
        }
        if present.container.as_deref() != Some(name) || !self.tree.join(layout::beside(path, name)).exists() {
            files::write_atomically(&self.tree.join(layout::beside(path, name)), &[container])?;
        }
        match &present.text {
            None => files::write_atomically(&file, &[text.as_bytes()])?,
            Some(before) if before == text => {}
            Some(before) => {
                if !files::replace(&file, before.as_bytes(), &[text.as_bytes()], TEXT_BYTES_MAX as u64)? {
                    return Err(IntakeError::Busy(path.clone()));
                }
            }
        }
        // Only a container that the pipeline named: a hand may have given another file.
        let is_ours = |old: &str| old != name && old.starts_with(&format!("{}.{}-", path.stem(), path.class()));
        if let Some(old) = present.container.as_deref().filter(|old| is_ours(old)) {
            files::remove(&self.tree.join(layout::beside(path, old)))?;
        }
        Ok(())
    }

    fn present(&self, path: &TagPath, class: &Prepared) -> Result<Present, IntakeError> {
        let file = self.tree.join(path.as_str());
        let bytes = match files::read_at_most(&file, TEXT_BYTES_MAX as u64) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Present::default()),
            Err(error) => return Err(error.into()),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let packed = class.pack_text(&text).packed;
        let container =
            packed.files().next().map(|file| file.file.to_string()).filter(|name| !name.contains(['/', '\\']));
        let base = container.as_deref().and_then(|name| imported_text(&self.tree.join(layout::beside(path, name))));
        let source = match packed.reflect(class.class()).get("source") {
            Reflected::Record(record) => match record.get("file") {
                Reflected::Text(file) => file.to_string(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        Ok(Present { text: Some(text), base, container, source })
    }

    fn merged(
        &self,
        path: &TagPath,
        class: &Prepared,
        present: &Present,
        made: &MadeTag,
        container: &str,
    ) -> Result<(String, Vec<Conflict>), IntakeError> {
        let refused = |refusal| IntakeError::Merge(path.clone(), refusal);
        let table = class.class();
        let bulk_field = FieldPath::root().field(if made.bulk_field.is_empty() { DATA } else { &made.bulk_field });
        let bulk =
            format!("{{ file {}, bytes {}, hash \"{}\" }}", quoted(container), made.container.len(), Key(made.digest));
        let Some(ours) = &present.text else {
            let mut document = Document::new(&made.text, table);
            document.set(&bulk_field, &bulk).map_err(refused)?;
            let text = document.text().to_string();
            self.is_valid(path, class, "", &text)?;
            return Ok((text, Vec::new()));
        };
        let header = made.text.lines().next().unwrap_or("");
        let base = present.base.clone().unwrap_or_else(|| format!("{header}\n"));
        let mut merged = merge(&base, ours, &made.text, table).map_err(refused)?;
        let mut kept = Vec::new();
        if !merged.conflicts.is_empty() {
            // Each conflict is decided for one side, so that a second merge has none.
            let mut sides = [Document::new(ours, table), Document::new(&made.text, table)];
            for conflict in merged.conflicts {
                let is_taken = self.is_taken(&conflict);
                let (side, value) = if is_taken { (0, &conflict.theirs) } else { (1, &conflict.ours) };
                match value {
                    Some(value) => sides[side].set(&conflict.place, value).map_err(refused)?,
                    None => sides[side].remove(&conflict.place).map_err(refused)?,
                }
                if !is_taken {
                    kept.push(conflict);
                }
            }
            merged = merge(&base, sides[0].text(), sides[1].text(), table).map_err(refused)?;
        }
        let mut document = Document::new(&without_marks(&merged.text), table);
        document.set(&bulk_field, &bulk).map_err(refused)?;
        let text = document.text().to_string();
        self.is_valid(path, class, ours, &text)?;
        Ok((text, kept))
    }

    /// Whether the imported value replaces the edited one.
    fn is_taken(&self, conflict: &Conflict) -> bool {
        let place = conflict.place.to_string();
        let field = place.split(['.', '[']).next().unwrap_or("");
        match self.take {
            // Where a tag comes from is not edited by hand, except for its options.
            _ if field == "source" && !place.starts_with("source.options") => true,
            TakeImported::All => true,
            TakeImported::Fields(fields) => fields.iter().any(|named| named == field || *named == place),
            TakeImported::None => false,
        }
    }

    /// Refuses a text with errors that the former one did not have.
    fn is_valid(&self, path: &TagPath, class: &Prepared, before: &str, after: &str) -> Result<(), IntakeError> {
        let reports = class.pack_text(after).reports;
        let known = if before.is_empty() { Vec::new() } else { class.pack_text(before).reports };
        let is_new = |report: &&script::report::Report| {
            report.severity == script::report::Severity::Error
                && !known.iter().any(|other| other.message == report.message)
        };
        let new: Vec<_> = reports.iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return Ok(());
        }
        Err(IntakeError::Invalid(path.clone(), Finding::of_reports(path.as_str(), after, &new)))
    }
}

/// The text of a tag as it was last imported, from its container.
#[must_use]
pub fn imported_text(container: &Path) -> Option<String> {
    let bytes = files::read_at_most(container, CONTAINER_BYTES_MAX).ok()?;
    let directory = Directory::parse(&bytes, bytes.len() as u64).ok()?;
    let part = read_part(&bytes, &directory, directory.find(IMPORTED)?).ok()?;
    String::from_utf8(part).ok()
}

/// A text without the lines of conflict marks, of this merge or an earlier one: an import reports conflicts instead.
fn without_marks(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.trim_start().starts_with(MARK)).collect()
}
