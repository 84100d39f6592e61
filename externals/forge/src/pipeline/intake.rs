//! Taking an imported tag into the tree: the three-way merge with what people edited, and the writing of its files.
//!
//! The base of the merge, the text as it was last imported, is a part of the container. A class of the world (a scenario,
//! an object) has no bulk data; its base lies beside the tag, in `NAME.CLASS.imported`, with the source as a comment.

use std::fmt;
use std::path::{Path, PathBuf};

use host::files::{self, FileError};
use tags::Key;
use tags::class::Class;
use tags::limits::TEXT_BYTES_MAX;
use tags::pack::Prepared;
use tags::packed::{Reflected, ReflectedRecord};
use tags::path::{TagPath, TagPathError};

use super::follow::{follow, follow_comments};
use super::job::{MadeTag, quoted};
use super::{held, layout};
use crate::classes::Classes;
use crate::document::{Document, Refusal};
use crate::field_path::FieldPath;
use crate::finding::Finding;
use crate::merge::{Conflict, MARK, merge};
use crate::pipeline::held::CONTAINER_BYTES_MAX;
use crate::tree::IMPORTED as IMPORTED_EXTENSION;

/// The field of the bulk data, if the product names none.
const DATA: &str = "data";

/// The class of things that are placed in levels.
const OBJECT: &str = "object";

/// The class of levels.
const SCENARIO: &str = "scenario";

/// The comment that holds the source record in a file beside a tag.
const SOURCE_COMMENT: &str = "// source ";

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
pub enum TagChange {
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
    pub change: TagChange,
    /// Its container, relative to the tree; none if its class has no bulk data.
    pub container: Option<String>,
    /// Values that source and people changed in different ways: the people's counts.
    pub kept: Vec<Conflict>,
    /// Edits of read-only fields: the import's values count.
    pub overruled: Vec<Conflict>,
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
    /// The tag would lie behind a link.
    Link(PathBuf),
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
                write!(formatter, "{path}: {refusal}; correct the tag, then import again")
            }
            IntakeError::Invalid(path, findings) => {
                let first = findings.first().map_or("", |finding| finding.message.as_str());
                write!(formatter, "the imported tag {path} would have {} errors, the first: {first}", findings.len())
            }
            IntakeError::Link(link) => {
                write!(formatter, "{} is a link, and nothing is written behind links", link.display())
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
    /// Where the source was before it was moved: what people added to its tags there is carried over.
    pub moved_from: Option<&'a str>,
}

/// The present state of a tag.
#[derive(Default)]
struct Present {
    text: Option<String>,
    /// The text as it was last imported.
    base: Option<String>,
    /// The file of its container.
    container: Option<String>,
    /// The bytes of that file.
    container_bytes: Option<Vec<u8>>,
    /// The file that was read when it was made.
    source: String,
    /// The text of the tag before its source was moved.
    carried: Option<String>,
}

/// Where the bulk data of a tag and the base of its next merge are kept.
enum MergeTarget {
    /// In a container: the field that names it, and its file.
    Container { field: String, name: String },
    /// Beside the tag; its source, as a comment.
    Beside { source: String },
}

impl MergeTarget {
    /// The target for a class. For one without the fields, the source is taken out of the text.
    fn new(path: &TagPath, class: &Prepared, made: &mut MadeTag) -> MergeTarget {
        let field = if made.bulk_field.is_empty() { DATA } else { &made.bulk_field };
        let has = |name: &str| class.class().root().field(name).is_some();
        if has(field) && has("source") {
            return MergeTarget::Container {
                field: field.to_string(),
                name: layout::container_name(path, &Key(made.digest)),
            };
        }
        let start = made.text.rfind("!set source ").unwrap_or(made.text.len());
        let source = made.text.split_off(start);
        MergeTarget::Beside { source: source.trim_end().replacen("!set source ", SOURCE_COMMENT, 1) }
    }
}

impl Intake<'_> {
    /// Takes a tag in.
    pub fn take(&self, source: &str, mut made: MadeTag) -> Result<TakenTag, IntakeError> {
        let path = layout::tag_path(source, &made.name, &made.class).map_err(IntakeError::Path)?;
        let class = self.classes.prepared(path.class()).ok_or_else(|| IntakeError::Class(path.class().to_string()))?;
        let mut present = self.present(&path, class)?;
        if !present.source.is_empty() && present.source != source && self.data.join(&present.source).exists() {
            return Err(IntakeError::OtherSource { path, source: present.source });
        }
        if let (None, Some(from)) = (&present.text, self.moved_from) {
            let former = layout::tag_path(from, &made.name, &made.class).map_err(IntakeError::Path)?;
            let former = self.present(&former, class)?;
            present = Present { carried: former.text, base: former.base, ..Present::default() };
        }
        self.look_up_classes(&mut made);
        if let Some(bytes) = present.container_bytes.take() {
            held::keep_if_same(&mut made, present.base.as_deref(), bytes);
        }
        let target = MergeTarget::new(&path, class, &mut made);
        let (text, kept, overruled) = self.merged(&path, class, &present, &made, &target)?;
        let is_same_data = match &target {
            MergeTarget::Container { name, .. } => {
                present.container.as_ref() == Some(name) && self.tree.join(layout::beside(&path, name)).exists()
            }
            MergeTarget::Beside { .. } => present.base.as_deref() == Some(made.text.as_str()),
        };
        let change = match &present.text {
            None => TagChange::Created,
            Some(before) if *before == text && is_same_data => TagChange::None,
            Some(_) => TagChange::Updated,
        };
        if change != TagChange::None && !self.is_dry {
            self.write(&path, &present, &text, &target, &made)?;
        }
        let container = match target {
            MergeTarget::Container { name, .. } => Some(layout::beside(&path, &name)),
            MergeTarget::Beside { .. } => None,
        };
        Ok(TakenTag { path, change, container, kept, overruled, warnings: made.warnings })
    }

    /// Law 1 of the pipeline: container, text, removal of the former container. A base beside the tag is written last: after
    /// a kill between the two, the next import finds the new text on both sides.
    fn write(
        &self,
        path: &TagPath,
        present: &Present,
        text: &str,
        target: &MergeTarget,
        made: &MadeTag,
    ) -> Result<(), IntakeError> {
        let file = self.tree.join(path.as_str());
        if let Some(folder) = file.parent() {
            // The former text was found by a walk, which follows no links either.
            if let Some(link) = files::link_below(self.tree, folder) {
                return Err(IntakeError::Link(link.to_path_buf()));
            }
            files::make_folder(folder)?;
        }
        if let MergeTarget::Container { name, .. } = target {
            let container = self.tree.join(layout::beside(path, name));
            if present.container.as_ref() != Some(name) || !container.exists() {
                files::write_atomically(&container, &[&made.container])?;
            }
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
        match target {
            MergeTarget::Beside { source } => {
                let base = format!("{}{source}\n", made.text);
                files::write_atomically(&self.tree.join(beside_name(path)), &[base.as_bytes()])?;
            }
            MergeTarget::Container { name, .. } => {
                // Only a container that the pipeline named: a hand may have given another file.
                let is_ours = |old: &str| old != name && old.starts_with(&format!("{}.{}-", path.stem(), path.class()));
                if let Some(old) = present.container.as_deref().filter(|old| is_ours(old) && !self.is_named(path, old))
                {
                    match files::remove(&self.tree.join(layout::beside(path, old))) {
                        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts the classes of the tags that are there in the place of assumed ones.
    fn look_up_classes(&self, made: &mut MadeTag) {
        for path in std::mem::take(&mut made.classless) {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
            let entries = std::fs::read_dir(self.tree.join(folder)).into_iter().flatten().flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            let class_of = |file: String| Some(file.strip_prefix(name)?.strip_prefix('.')?.to_string());
            // A level is an object too, but is not placed in another one.
            let is_object = |class: &String| self.classes.is_a(class, OBJECT) && !self.classes.is_a(class, SCENARIO);
            let mut classes: Vec<String> = names.filter_map(class_of).filter(is_object).collect();
            classes.sort_unstable();
            match classes.as_slice() {
                [class] if class != OBJECT => {
                    made.text = made.text.replace(&format!("\"{path}.{OBJECT}\""), &format!("\"{path}.{class}\""));
                }
                [] => {
                    made.warnings.push(format!("there is no tag {path}.{OBJECT} yet, nor another object of this name"))
                }
                [_] => {}
                many if many.iter().any(|class| class == OBJECT) => {}
                many => made.warnings.push(format!(
                    "{path} may be {}, and {path}.{OBJECT} is not there; name the class in the file",
                    many.iter().map(|class| format!("{path}.{class}")).collect::<Vec<_>>().join(" or ")
                )),
            }
        }
    }

    /// Whether a tag in the same folder names a container: one that was copied or renamed by hand. Others cannot, since a tag
    /// names files beside itself.
    fn is_named(&self, path: &TagPath, container: &str) -> bool {
        let folder = self.tree.join(path.folder());
        let Ok(entries) = std::fs::read_dir(folder) else { return true };
        let is_tag = |name: &str| !name.ends_with(layout::BULK) && !name.starts_with('.');
        entries.flatten().any(|entry| {
            entry.file_name().to_str().is_some_and(is_tag)
                && files::read_at_most(&entry.path(), TEXT_BYTES_MAX as u64)
                    .is_ok_and(|bytes| bytes.windows(container.len()).any(|window| window == container.as_bytes()))
        })
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
        let container_bytes = container.as_deref().and_then(|name| {
            files::read_at_most(&self.tree.join(layout::beside(path, name)), CONTAINER_BYTES_MAX).ok()
        });
        let mut base = container_bytes.as_deref().and_then(held::imported_in);
        let text_in = |record: ReflectedRecord<'_>, name| match record.get(name) {
            Reflected::Text(file) => file.to_string(),
            _ => String::new(),
        };
        let mut source = match packed.reflect(class.class()).get("source") {
            Reflected::Record(record) => match text_in(record, "intermediate") {
                file if file.is_empty() => text_in(record, "file"),
                file => file,
            },
            _ => String::new(),
        };
        if container.is_none()
            && let Some((text, origin)) = imported_beside(&self.tree.join(beside_name(path)))
        {
            (base, source) = (Some(text), file_in(&origin).unwrap_or_default());
        }
        Ok(Present { text: Some(text), base, container, container_bytes, source, carried: None })
    }

    fn merged(
        &self,
        path: &TagPath,
        class: &Prepared,
        present: &Present,
        made: &MadeTag,
        target: &MergeTarget,
    ) -> Result<(String, Vec<Conflict>, Vec<Conflict>), IntakeError> {
        let refused = |refusal| IntakeError::Merge(path.clone(), refusal);
        let table = class.class();
        let with_bulk = |text: &str| match target {
            MergeTarget::Container { field, name } => {
                let (bytes, hash) = (made.container.len(), Key(made.digest));
                let bulk = format!("{{ file {}, bytes {bytes}, hash \"{hash}\" }}", quoted(name));
                let mut document = Document::new(text, table);
                document.set(&FieldPath::root().field(field), &bulk)?;
                Ok(document.text().to_string())
            }
            MergeTarget::Beside { .. } => Ok(text.to_string()),
        };
        let Some(ours) = present.text.as_ref().or(present.carried.as_ref()) else {
            let text = with_bulk(&made.text).map_err(refused)?;
            self.is_valid(path, class, "", &text)?;
            return Ok((text, Vec::new(), Vec::new()));
        };
        let header = made.text.lines().next().unwrap_or("");
        let base = present.base.clone().unwrap_or_else(|| format!("{header}\n"));
        let before = ours;
        let followed = follow(present.base.as_deref(), ours, &made.text, class).map_err(refused)?;
        let (mut ours, overruled) = (followed.text, followed.overruled);
        let mut merged = merge(&base, &ours, &made.text, table).map_err(refused)?;
        if let Some(text) = follow_comments([&base, &ours, &made.text], &merged.conflicts, class).map_err(refused)? {
            ours = text;
            merged = merge(&base, &ours, &made.text, table).map_err(refused)?;
        }
        let (taken, kept): (Vec<Conflict>, Vec<Conflict>) =
            merged.conflicts.iter().cloned().partition(|conflict| self.is_taken(conflict));
        let settled = if merged.conflicts.is_empty() {
            merged.text
        } else {
            // The second merge has no conflicts, so it moves no line for marks. Where the sides cannot be made equal (an element
            // that one of them removed), the first one is used: in it, what people changed counts.
            let again = settle([&ours, &made.text], [&taken, &kept], table)
                .and_then(|[ours, theirs]| merge(&base, &ours, &theirs, table))
                .ok()
                .filter(|again| again.conflicts.is_empty());
            match again {
                Some(again) => again.text,
                None => take_theirs(&without_marks(&merged.text), &taken, table).map_err(refused)?,
            }
        };
        let asked = self.with_asked(&without_marks(&settled), &made.text, table).map_err(refused)?;
        let text = with_bulk(&asked).map_err(refused)?;
        self.is_valid(path, class, before, &text)?;
        Ok((text, kept, overruled))
    }

    /// A text with the imported values that were asked for, whether or not they changed in this import.
    fn with_asked(&self, text: &str, imported: &str, class: &Class) -> Result<String, Refusal> {
        let places: Vec<FieldPath> = match self.take {
            TakeImported::None => return Ok(text.to_string()),
            TakeImported::All => class.root().fields.iter().map(|field| FieldPath::root().field(&field.name)).collect(),
            TakeImported::Fields(fields) => fields.iter().filter_map(|field| FieldPath::new(field).ok()).collect(),
        };
        let (mut document, imported) = (Document::new(text, class), Document::new(imported, class));
        for place in places {
            // A field that this tag does not import stays as it is.
            if let Ok(value) = imported.get(&place)
                && document.get(&place).map(|present| present.text) != Ok(value.text)
            {
                document.set(&place, value.text)?;
            }
        }
        Ok(document.text().to_string())
    }

    /// Whether the imported value replaces the edited one.
    fn is_taken(&self, conflict: &Conflict) -> bool {
        let place = conflict.place.to_string();
        let field = place.split(['.', '[']).next().unwrap_or("");
        match self.take {
            // Where a tag comes from is not edited by hand. The options of an import are those of the tag, and those that were
            // asked for instead.
            _ if field == "source" => true,
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

/// Both texts with their conflicts settled: in ours the imported values that are taken, in theirs the edited ones that stay.
fn settle(texts: [&str; 2], conflicts: [&[Conflict]; 2], class: &Class) -> Result<[String; 2], Refusal> {
    let [ours, theirs] = texts;
    let mut theirs = Document::new(theirs, class);
    for conflict in conflicts[1] {
        match &conflict.ours {
            Some(value) => theirs.set(&conflict.place, value)?,
            None => theirs.remove(&conflict.place)?,
        }
    }
    Ok([take_theirs(ours, conflicts[0], class)?, theirs.text().to_string()])
}

/// A text with the imported values of conflicts.
fn take_theirs(text: &str, conflicts: &[Conflict], class: &Class) -> Result<String, Refusal> {
    let mut document = Document::new(text, class);
    for conflict in conflicts {
        match &conflict.theirs {
            Some(value) => document.set(&conflict.place, value)?,
            None => document.remove(&conflict.place)?,
        }
    }
    Ok(document.text().to_string())
}

/// The text of a tag as it was last imported, and its source record, from the file beside it.
#[must_use]
pub fn imported_beside(file: &Path) -> Option<(String, String)> {
    let mut text = String::from_utf8(files::read_at_most(file, TEXT_BYTES_MAX as u64).ok()?).ok()?;
    let start = text.rfind(SOURCE_COMMENT)?;
    let origin = text.split_off(start);
    Some((text, origin[SOURCE_COMMENT.len()..].trim().to_string()))
}

/// The file for the imported text of a tag without bulk data, relative to the tree.
#[must_use]
pub fn beside_name(path: &TagPath) -> String {
    format!("{path}.{IMPORTED_EXTENSION}")
}

/// The file that was read, in a source record.
fn file_in(record: &str) -> Option<String> {
    let rest = record.split_once("intermediate \"").or_else(|| record.split_once("file \""))?.1;
    rest.split_once('"').map(|(file, _)| file.to_string())
}

/// A text without the lines of conflict marks, of this merge or an earlier one: an import reports conflicts instead.
fn without_marks(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.trim_start().starts_with(MARK)).collect()
}
