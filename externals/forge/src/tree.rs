//! A tree of tags on disk: its files, its classes, and errors in its structure.
//!
//! Laws
//! 1. Files are sorted by path, and each tag occurs once.
//! 2. Any folder is a tree: files that cannot be part of it are findings.
//! 3. No link is followed out of the folder, and only headers are read.
//!
//! Files that are not tags: `*.header` declares a class, `*.notes` holds notes,
//! `*.imported` the text of a tag as it was last imported. Names that begin with a dot are for
//! tools. Any other file may be bulk data; [`check`](crate::check) determines whether a tag names it.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{self, Path, PathBuf};

use host::files::{self, FileError, ReadLimits};
use host::walk::{Oddity, Stamp, Walk, WalkedFile, What};
use script::ast::Tree as Syntax;
use script::report::closest;
use shelf::folders::Folders;
use shelf::headers::{self, shared_reports};
use tags::TagPath;
use tags::ancestry::Ancestry;
use tags::header_set::{Header, read_all_with};
use tags::limits::{TAGS_MAX, TEXT_BYTES_MAX};
use tags::pack::Prepared;

use crate::classes::Classes;
use crate::finding::Finding;
use crate::limits::{HEADER_BYTES_MAX, HEADERS_MAX};
use crate::tree_error::{TextError, TreeError};

pub use crate::tree_error::FOLDER;

/// The folder beside the tree where a game writes its classes for its tools.
pub const WRITTEN_CLASSES: &str = ".astrarium/classes";

/// The extension of headers.
pub const HEADER: &str = "header";

/// The extension of files of notes.
pub const NOTES: &str = "notes";

/// The extension of files that hold the last imported text of a tag whose class has no bulk data.
pub const IMPORTED: &str = "imported";

/// A tree of tags.
#[derive(Debug)]
pub struct Tree {
    /// Its folder.
    pub root: PathBuf,
    /// Its classes.
    pub classes: Classes,
    /// Its tags, in the order of their paths.
    pub tags: Vec<TagFile>,
    /// Files that are not tags: perhaps bulk data.
    pub others: Vec<WalkedFile>,
    /// All files of the folder.
    pub walk: Walk,
    /// Errors about files, their names, and headers.
    pub findings: Vec<Finding>,
    /// Its folders: that of the game, and those of mods above it.
    folders: Folders,
    /// The prefixes of paths that are shown, by folder.
    shown_roots: Vec<String>,
}

/// A tag of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagFile {
    /// Its path.
    pub path: TagPath,
    /// The stamp of its file.
    pub stamp: Stamp,
}

/// The root of a tree: the given folder, or the nearest one named `tags`, beside or above the current folder.
pub fn find_root(given: Option<&Path>) -> Result<PathBuf, TreeError> {
    if let Some(folder) = given {
        return match folder.is_dir() {
            // So that it has a parent, also for `.`.
            true => {
                path::absolute(folder).map_err(|error| TreeError::NoAbsolutePath { root: folder.to_path_buf(), error })
            }
            false => Err(TreeError::NotAFolder { root: folder.to_path_buf() }),
        };
    }
    let here = env::current_dir().map_err(TreeError::NoCurrentFolder)?;
    for folder in here.ancestors() {
        if folder.file_name().is_some_and(|name| name == FOLDER) {
            return Ok(folder.to_path_buf());
        }
        let below = folder.join(FOLDER);
        if below.is_dir() {
            return Ok(below);
        }
    }
    Err(TreeError::NoTree { from: here })
}

impl Tree {
    /// Opens a tree. `given` are the classes of the program; those that the tree declares take precedence.
    pub fn open(root: &Path, given: tags::Classes) -> Result<Tree, TreeError> {
        Tree::open_folders(root, Folders::one(root), given)
    }

    /// Opens a tree with the folders of mods above it.
    pub fn open_folders(root: &Path, folders: Folders, given: tags::Classes) -> Result<Tree, TreeError> {
        let found = folders.walk()?;
        let mut tree = Tree {
            root: root.to_path_buf(),
            classes: Classes::new(tags::Classes::with_rules_of(&given)),
            tags: Vec::new(),
            others: Vec::new(),
            walk: Walk::default(),
            findings: Vec::new(),
            shown_roots: std::iter::once(shown_root(root))
                .chain(folders.all()[1..].iter().map(|folder| shown_root(folder)))
                .collect(),
            folders,
        };
        tree.read_headers(&found, &given);
        for class in given.iter().map(|known| known.class()) {
            if !tree.classes.has(&class.name) {
                // It was just checked that the name is free.
                let _ = tree.classes.add(class.clone());
            }
        }
        tree.check_shared();
        tree.sort_out(&found);
        tree.walk = found;
        Ok(tree)
    }

    /// The path of a tag from user input: a path within the tree, or of its file.
    pub fn path_of(&self, written: &str) -> Result<TagPath, TreeError> {
        let from_file = self.within(Path::new(written));
        let is_tag = |path: &TagPath| self.find(path).is_some();
        let path = TagPath::new(written);
        match (path, from_file) {
            (Ok(path), _) if is_tag(&path) => Ok(path),
            (_, Some(path)) => Ok(path),
            (Ok(path), None) => Ok(path),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// An existing tag from user input.
    pub fn tag(&self, written: &str) -> Result<usize, TreeError> {
        let path = self.path_of(written)?;
        self.find(&path).ok_or_else(|| self.missing(path))
    }

    /// The error for a tag that does not exist.
    pub fn missing(&self, path: TagPath) -> TreeError {
        let similar = self.similar(path.as_str()).map(String::from);
        TreeError::NoTag { path, similar, root: self.root.clone() }
    }

    /// The number of the tag with a path.
    pub fn find(&self, path: &TagPath) -> Option<usize> {
        self.tags.binary_search_by(|tag| tag.path.cmp(path)).ok()
    }

    /// The class of a tag, prepared for packing. Every tag of a tree has one.
    pub fn prepared(&self, tag: &TagFile) -> Option<&Prepared> {
        self.classes.prepared(tag.path.class())
    }

    /// The file of a path.
    pub fn file(&self, path: &str) -> PathBuf {
        match self.folders.file(path) {
            (_, 0) => self.root.join(path),
            (file, _) => file,
        }
    }

    /// Its folders.
    pub fn folders(&self) -> &Folders {
        &self.folders
    }

    /// The name of the mod whose tag of a path is in force; none if it is the game's.
    pub fn mod_of(&self, path: &str) -> Option<&str> {
        self.folders.name(self.folders.file(path).1)
    }

    /// The file of a new tag, whose folder is made if it is missing. Refused if the tag would lie behind a link: that
    /// could be outside of the tree.
    pub fn new_file(&self, path: &str) -> Result<PathBuf, TreeError> {
        let file = self.file(path);
        let folder = file.parent().unwrap_or(&self.root);
        if let Some(link) = files::link_below(&self.root, folder) {
            return Err(TreeError::Link { link: link.to_path_buf() });
        }
        files::make_folder(folder)?;
        Ok(file)
    }

    /// A path as it is shown to people: relative to their current folder.
    pub fn shown(&self, path: &str) -> String {
        let folder = if self.shown_roots.len() > 1 { self.folders.file(path).1 } else { 0 };
        format!("{}{path}", self.shown_roots[folder as usize])
    }

    /// A similar path: the same name in another folder, or a misspelling.
    pub fn similar(&self, path: &str) -> Option<&str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let has_name = |tag: &&TagFile| tag.path.as_str().rsplit('/').next() == Some(name);
        let elsewhere = self.tags.iter().find(has_name).map(|tag| tag.path.as_str());
        elsewhere.or_else(|| closest(path, self.tags.iter().map(|tag| tag.path.as_str())))
    }

    /// The text of one of its files.
    pub fn read(&self, path: &str) -> Result<String, TreeError> {
        let bytes = files::read_at_most(&self.file(path), TEXT_BYTES_MAX as u64)?;
        text_of(bytes).map_err(|error| TreeError::Text { file: self.shown(path), error })
    }

    /// The path of a file within the tree, if it lies there or would: it and its folders need not exist.
    fn within(&self, file: &Path) -> Option<TagPath> {
        let root = self.root.canonicalize().ok()?;
        let file = path::absolute(file).ok()?;
        let (there, full) = file.ancestors().skip(1).find_map(|folder| Some((folder, folder.canonicalize().ok()?)))?;
        let full = full.join(file.strip_prefix(there).ok()?);
        TagPath::new(full.strip_prefix(&root).ok()?.to_str()?).ok()
    }

    /// The classes of the tree's headers, then those that its game wrote. Each may be derived from any other, and from
    /// those of the program.
    fn read_headers(&mut self, found: &Walk, given: &tags::Classes) {
        let in_tree = found.files.iter().filter(|file| extension(&file.path) == HEADER).take(HEADERS_MAX);
        let paths: Vec<&str> = in_tree.map(|file| file.path.as_str()).collect();
        let limits = ReadLimits::of_this_machine(HEADER_BYTES_MAX);
        let files: Vec<PathBuf> = paths.iter().map(|path| self.file(path)).collect();
        let read = files::read_many(&files, &limits, |_, bytes| text_in(bytes));
        let mut texts: Vec<(String, Result<String, TextError>)> =
            paths.iter().map(|path| self.shown(path)).zip(read).collect();
        let of_tree = texts.len();
        if let Some(folder) = self.root.parent().map(|folder| folder.join(WRITTEN_CLASSES)) {
            let written = files::list(&folder, HEADER).unwrap_or_default();
            for file in written.iter().take(HEADERS_MAX) {
                let shown = file.display().to_string();
                match text_in(files::read_at_most(file, HEADER_BYTES_MAX)) {
                    Ok(text) if headers::is_sound(&text) => texts.push((shown, Ok(text))),
                    Ok(_) => self.findings.push(Finding::warning(&shown, headers::DAMAGED, headers::DAMAGED_HELP)),
                    Err(error) => {
                        self.findings.push(Finding::warning(&shown, error.to_string(), headers::DAMAGED_HELP));
                    }
                }
            }
        }
        self.take_headers(&texts, of_tree, given);
    }

    /// Adds the classes of headers, of which the first `of_tree` belong to the tree.
    fn take_headers(&mut self, texts: &[(String, Result<String, TextError>)], of_tree: usize, given: &tags::Classes) {
        let headers: Vec<Header<'_>> =
            texts.iter().map(|(origin, text)| Header { origin, source: text.as_deref().unwrap_or("") }).collect();
        let library = |path: &str| {
            self.read(path)
                .map_err(|_| String::from("create it, or correct the path; it begins in the folder of the tags"))
        };
        let declared = read_all_with(&headers, &tags::Classes::new(), given, &library);
        for (number, (declared, (shown, text))) in declared.into_iter().zip(texts).enumerate() {
            let source = match text {
                Ok(source) => source,
                Err(trouble) => {
                    self.findings.push(Finding::error(shown, trouble.to_string(), "its class is not known"));
                    continue;
                }
            };
            let findings = Finding::of_reports(shown, source, &declared.reports);
            if declared.class.is_none() && findings.is_empty() {
                self.findings.push(Finding::error(shown, "declares no class", ""));
            }
            self.findings.extend(findings);
            // The tree takes precedence over headers that a game wrote.
            let trouble = declared.class.and_then(|class| self.classes.add(class).err());
            if let Some(trouble) = trouble.filter(|_| number < of_tree) {
                self.findings.push(Finding::error(shown, trouble.to_string(), "remove one of the two"));
            }
        }
    }

    /// Checks what tags inherit from the classes that the tree declares: their libraries, and defaults that are evaluated.
    fn check_shared(&mut self) {
        let mut findings: Vec<Finding> = Vec::new();
        for class in self.classes.shared().iter() {
            let origin = &class.class().origin;
            let source = match self.path_shown_as(origin) {
                Some(path) => self.read(path).unwrap_or_default(),
                None => continue,
            };
            for report in shared_reports(class, &source) {
                let path = if report.path == *origin { origin.clone() } else { self.shown(&report.path) };
                let text = match report.path == *origin {
                    true => source.clone(),
                    false => self.read(&report.path).unwrap_or_default().replace("\r\n", "\n"),
                };
                findings.extend(Finding::of_reports(&path, &text, &[report.report]));
            }
        }
        findings.sort_by(|left, right| (&left.file, left.place).cmp(&(&right.file, right.place)));
        findings.dedup_by(|left, right| left.rendered == right.rendered);
        self.findings.extend(findings);
    }

    /// The path that is shown so.
    fn path_shown_as<'a>(&self, shown: &'a str) -> Option<&'a str> {
        let within = self.shown_roots.iter().filter_map(|root| shown.strip_prefix(root.as_str()));
        within.filter(|path| !path.is_empty()).min_by_key(|path| path.len())
    }

    /// Whether a file is a library of a class.
    pub fn is_library(&self, path: &str) -> bool {
        self.classes.all().any(|class| class.libraries.iter().any(|library| library.path == path))
    }

    /// The tags that a tag is made from.
    pub fn ancestry(&self, path: &TagPath, source: &str, tree: &Syntax) -> Ancestry {
        let is_a = |class: &str, base: &str| self.classes.is_a(class, base);
        let folder = self.folders.file(path.as_str()).1;
        Ancestry::of((path, folder), (source, tree), &is_a, &mut |path, below| {
            let help = || match self.similar(path.as_str()) {
                Some(like) => format!("did you mean `{like}`?"),
                None => String::from("create it, or name another"),
            };
            self.folders.source(path, below).map_err(|_| match below {
                None => help(),
                Some(_) => String::from("a tag is made from another; in a mod, from the tag of the same path below"),
            })
        })
    }

    fn sort_out(&mut self, found: &Walk) {
        let mut folded: BTreeMap<String, String> = BTreeMap::new();
        for file in &found.files {
            let class = extension(&file.path);
            let shown = self.shown(&file.path);
            if !self.classes.has(class) {
                if !is_text(&file.path) && !self.is_library(&file.path) {
                    self.others.push(file.clone());
                }
                continue;
            }
            match TagPath::new(&file.path) {
                Err(trouble) => {
                    let help = "rename the file; until then it is not a tag";
                    self.findings.push(Finding::error(&shown, trouble.message, help));
                }
                Ok(_) if self.tags.len() >= TAGS_MAX => {}
                Ok(path) => {
                    if let Some(other) = folded.insert(path.folded(), file.path.clone()) {
                        let message = format!("differs from `{other}` only in upper and lower case");
                        let help = "on some machines they would be one file; rename one of them";
                        self.findings.push(Finding::error(&shown, message, help));
                    }
                    self.tags.push(TagFile { path, stamp: file.stamp });
                }
            }
        }
        if self.tags.len() >= TAGS_MAX {
            let message = format!("has more than {TAGS_MAX} tags; the others are left out");
            self.findings.push(Finding::error(&self.root.display().to_string(), message, ""));
        }
        // Sorting by bytes and by path is the same; the search relies on it.
        self.tags.sort_by(|left, right| left.path.cmp(&right.path));
        for folder in &found.folders {
            let class = extension(folder);
            if self.classes.has(class) {
                let message = format!("is a folder, though it is named like a tag of the class `{class}`");
                self.findings.push(Finding::error(&self.shown(folder), message, "rename the folder"));
            }
        }
        let oddities: Vec<Finding> = found.oddities.iter().map(|oddity| self.odd(oddity)).collect();
        self.findings.extend(oddities);
    }

    fn odd(&self, oddity: &Oddity) -> Finding {
        let message = oddity.what.to_string();
        let shown = self.shown(&oddity.path);
        match oddity.what {
            What::LinkInside | What::LinkNowhere | What::NoFile => Finding::warning(&shown, message, ""),
            _ => Finding::error(&shown, message, ""),
        }
    }

    /// All paths of tags, for fast lookup.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.tags.iter().map(|tag| tag.path.as_str()).collect()
    }
}

/// Decodes a text.
pub fn text_of(bytes: Vec<u8>) -> Result<String, TextError> {
    String::from_utf8(bytes).map_err(|error| TextError::NotUtf8 { byte: error.utf8_error().valid_up_to() })
}

/// Decodes the text of a file that was read.
pub fn text_in(bytes: Result<Vec<u8>, FileError>) -> Result<String, TextError> {
    bytes.map_err(TextError::File).and_then(text_of)
}

/// Whether a path is that of a header or of notes.
pub fn is_text(path: &str) -> bool {
    [HEADER, NOTES, IMPORTED].contains(&extension(path))
}

/// The extension of a path.
fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn shown_root(root: &Path) -> String {
    let here = env::current_dir().ok();
    let shown = here.and_then(|here| root.strip_prefix(here).ok()).unwrap_or(root).display().to_string();
    match shown.as_str() {
        "" | "." => String::new(),
        _ => format!("{}/", shown.trim_end_matches('/')),
    }
}
