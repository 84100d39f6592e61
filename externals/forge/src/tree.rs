//! A tree of tags on a disk: its files, its classes, and what is wrong with how it lies there.
//!
//! Laws
//! 1. The files are in the order of their paths, and each tag is there once.
//! 2. Whatever lies in the folder, there is a tree: what cannot be part of it is a finding.
//! 3. Nothing is followed out of the folder, and nothing is read but headers.
//!
//! Files that are no tags: `*.header` declares a class, `*.notes` holds notes, `*.lsc` is a script. Names that begin with a
//! dot are for tools. Any other file may be bulk data; whether a tag names it, [`check`](crate::check) finds out.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{self, Path, PathBuf};

use host::files::{self, FileError, ReadLimits};
use host::walk::{Oddity, Stamp, Walk, WalkLimits, WalkedFile, What, walk};
use script::report::closest;
use tags::TagPath;
use tags::gather::{Header, gather};
use tags::limits::{TAGS_MAX, TEXT_BYTES_MAX};
use tags::pack::Prepared;

use crate::classes::Classes;
use crate::finding::Finding;
use crate::limits::{HEADER_BYTES_MAX, HEADERS_MAX};

/// What the folder with a tree is called.
pub const FOLDER: &str = "tags";

/// Where a game writes down its classes for its tools, beside the tree.
pub const WRITTEN_CLASSES: &str = ".astrarium/classes";

/// The extension of headers.
pub const HEADER: &str = "header";

/// The extension of files with notes.
pub const NOTES: &str = "notes";

/// The extension of scripts.
const SCRIPT: &str = "lsc";

/// A tree of tags.
#[derive(Debug)]
pub struct Tree {
    /// Its folder.
    pub root: PathBuf,
    /// Its classes.
    pub classes: Classes,
    /// Its tags, in the order of their paths.
    pub tags: Vec<TagFile>,
    /// Files that are no tags: perhaps bulk data.
    pub others: Vec<WalkedFile>,
    /// All files as they lie there.
    pub walk: Walk,
    /// What is wrong with the files, their names, and the headers.
    pub findings: Vec<Finding>,
    /// What is put before a path to show it.
    shown_root: String,
}

/// A tag of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagFile {
    /// Its path.
    pub path: TagPath,
    /// What is known about its file without reading it.
    pub stamp: Stamp,
}

/// Where the tree is: the folder that is given, or the nearest one named `tags`, beside or above where the program was started.
pub fn find_root(given: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(folder) = given {
        return match folder.is_dir() {
            // So that there is a folder above it, also of `.`.
            true => path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display())),
            false => Err(format!("{} is not a folder; expected the folder of a tree of tags", folder.display())),
        };
    }
    let here = env::current_dir().map_err(|error| format!("there is no folder to start from: {error}"))?;
    for folder in here.ancestors() {
        if folder.file_name().is_some_and(|name| name == FOLDER) {
            return Ok(folder.to_path_buf());
        }
        let below = folder.join(FOLDER);
        if below.is_dir() {
            return Ok(below);
        }
    }
    Err(format!("there is no folder `{FOLDER}` in {} or above; say where it is with --tags", here.display()))
}

impl Tree {
    /// Looks at a tree. `given` are the classes that the program knows; those that the tree declares itself count before them.
    pub fn open(root: &Path, given: tags::Classes) -> Result<Tree, String> {
        let found = walk(root, &WalkLimits::default()).map_err(|error| error.to_string())?;
        let mut tree = Tree {
            root: root.to_path_buf(),
            classes: Classes::default(),
            tags: Vec::new(),
            others: Vec::new(),
            walk: Walk::default(),
            findings: Vec::new(),
            shown_root: shown_root(root),
        };
        tree.read_headers(&found, &given);
        for class in given.iter().map(|known| known.class()) {
            if !tree.classes.has(&class.name) {
                // Just looked: there is none of its name.
                let _ = tree.classes.add(class.clone());
            }
        }
        tree.sort_out(&found);
        tree.walk = found;
        Ok(tree)
    }

    /// A tag's path, from what a person wrote: a path within the tree, or one of the file.
    pub fn path_of(&self, written: &str) -> Result<TagPath, String> {
        let from_file = self.within(Path::new(written));
        let is_tag = |path: &TagPath| self.find(path).is_some();
        let path = TagPath::new(written);
        match (path, from_file) {
            (Ok(path), _) if is_tag(&path) => Ok(path),
            (_, Some(path)) => Ok(path),
            (Ok(path), None) => Ok(path),
            (Err(trouble), None) => Err(trouble.message),
        }
    }

    /// The tag that a person means, which must be there.
    pub fn tag(&self, written: &str) -> Result<usize, String> {
        let path = self.path_of(written)?;
        self.find(&path).ok_or_else(|| match self.similar(path.as_str()) {
            Some(like) => format!("there is no tag `{path}`; did you mean `{like}`?"),
            None => format!("there is no tag `{path}` in {}", self.root.display()),
        })
    }

    /// The number of the tag with a path.
    pub fn find(&self, path: &TagPath) -> Option<usize> {
        self.tags.binary_search_by(|tag| tag.path.cmp(path)).ok()
    }

    /// The class of a tag, ready for packing. Every tag of a tree has one.
    pub fn prepared(&self, tag: &TagFile) -> Option<&Prepared> {
        self.classes.prepared(tag.path.class())
    }

    /// The file of a path.
    pub fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// A path as it is shown to people: such that they can open it from where they are.
    pub fn shown(&self, path: &str) -> String {
        format!("{}{path}", self.shown_root)
    }

    /// A path that is much like one that is not there: the same name elsewhere, or a slip.
    pub fn similar(&self, path: &str) -> Option<&str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let has_name = |tag: &&TagFile| tag.path.as_str().rsplit('/').next() == Some(name);
        let elsewhere = self.tags.iter().find(has_name).map(|tag| tag.path.as_str());
        elsewhere.or_else(|| closest(path, self.tags.iter().map(|tag| tag.path.as_str())))
    }

    /// The text of one of its files.
    pub fn read(&self, path: &str) -> Result<String, String> {
        let bytes = files::read_at_most(&self.file(path), TEXT_BYTES_MAX as u64).map_err(|error| error.to_string())?;
        text_of(bytes).map_err(|why| format!("{}: {why}", self.shown(path)))
    }

    /// The path of a file within the tree, if it lies there, or would lie there: it and its folders need not be there yet.
    fn within(&self, file: &Path) -> Option<TagPath> {
        let root = self.root.canonicalize().ok()?;
        let file = path::absolute(file).ok()?;
        let (there, full) = file.ancestors().skip(1).find_map(|folder| Some((folder, folder.canonicalize().ok()?)))?;
        let full = full.join(file.strip_prefix(there).ok()?);
        TagPath::new(full.strip_prefix(&root).ok()?.to_str()?).ok()
    }

    /// The classes of the tree's headers, then those that its game wrote down. Each may be made from any other, and from those
    /// that the program knows.
    fn read_headers(&mut self, found: &Walk, given: &tags::Classes) {
        let in_tree = found.files.iter().filter(|file| extension(&file.path) == HEADER).take(HEADERS_MAX);
        let paths: Vec<&str> = in_tree.map(|file| file.path.as_str()).collect();
        let limits = ReadLimits::of_this_machine(HEADER_BYTES_MAX);
        let files: Vec<PathBuf> = paths.iter().map(|path| self.file(path)).collect();
        let read = files::read_many(&files, &limits, |_, bytes| text_in(bytes));
        let mut texts: Vec<(String, Result<String, String>)> =
            paths.iter().map(|path| self.shown(path)).zip(read).collect();
        let of_tree = texts.len();
        if let Some(folder) = self.root.parent().map(|folder| folder.join(WRITTEN_CLASSES)) {
            let written = files::list(&folder, HEADER).unwrap_or_default();
            let read =
                |file: &PathBuf| (file.display().to_string(), text_in(files::read_at_most(file, HEADER_BYTES_MAX)));
            texts.extend(written.iter().take(HEADERS_MAX).map(read));
        }
        self.take_headers(&texts, of_tree, given);
    }

    /// Takes the classes of headers; so many of them are the tree's own.
    fn take_headers(&mut self, texts: &[(String, Result<String, String>)], of_tree: usize, given: &tags::Classes) {
        let headers: Vec<Header<'_>> =
            texts.iter().map(|(origin, text)| Header { origin, source: text.as_deref().unwrap_or("") }).collect();
        let declared = gather(&headers, &tags::Classes::new(), given);
        for (number, (declared, (shown, text))) in declared.into_iter().zip(texts).enumerate() {
            let source = match text {
                Ok(source) => source,
                Err(trouble) => {
                    self.findings.push(Finding::error(shown, trouble.clone(), "its class is not known"));
                    continue;
                }
            };
            let findings = Finding::of_reports(shown, source, &declared.reports);
            if declared.class.is_none() && findings.is_empty() {
                self.findings.push(Finding::error(shown, "declares no class", ""));
            }
            self.findings.extend(findings);
            // Of what a game wrote down, what the tree says counts more.
            let trouble = declared.class.and_then(|class| self.classes.add(class).err());
            if let Some(trouble) = trouble.filter(|_| number < of_tree) {
                self.findings.push(Finding::error(shown, trouble, "remove one of the two"));
            }
        }
    }

    fn sort_out(&mut self, found: &Walk) {
        let mut folded: BTreeMap<String, String> = BTreeMap::new();
        for file in &found.files {
            let class = extension(&file.path);
            let shown = self.shown(&file.path);
            if !self.classes.has(class) {
                if !is_text(&file.path) {
                    self.others.push(file.clone());
                }
                continue;
            }
            match TagPath::new(&file.path) {
                Err(trouble) => {
                    let help = "rename the file; until then it is no tag";
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
        // By bytes and by path is the same order; the search relies on it.
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
        let told = oddity.to_string();
        let message = told.strip_prefix(&format!("{}: ", oddity.path)).unwrap_or(&told).to_string();
        let shown = self.shown(&oddity.path);
        match oddity.what {
            What::LinkInside | What::LinkNowhere | What::NoFile => Finding::warning(&shown, message, ""),
            _ => Finding::error(&shown, message, ""),
        }
    }

    /// All paths of tags, for asking often whether one is there.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.tags.iter().map(|tag| tag.path.as_str()).collect()
    }
}

/// The text that bytes are.
pub fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("expected a text in UTF-8, found other bytes from byte {at} on")
    })
}

fn text_in(bytes: Result<Vec<u8>, FileError>) -> Result<String, String> {
    bytes.map_err(|error| error.to_string()).and_then(text_of)
}

/// Whether a path is that of a text which is no tag: a header, notes, a script.
pub fn is_text(path: &str) -> bool {
    [HEADER, NOTES, SCRIPT].contains(&extension(path))
}

/// What stands behind the last point of a path's name.
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
