//! The classes that the script commands check files against, as a game and its tools would find them; and the check of tags in a tree,
//! which is that of `tag check`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use forge::check::check;
use forge::tree::Tree as TagTree;
use host::files;
use script::ast::{Expression, Tree};
use script::parse::parse;
use script::report::Report;
use script::schema::{DeclaredVariable, Schema};
use script::source::Span;
use shelf::headers;
use shelf::report::TagReport;
use tags::ancestry::{Ancestry, TagSource};
use tags::header::{HEADER, schema_of};
use tags::header_set::{Header, read_all};
use tags::limits::TEXT_BYTES_MAX;
use tags::{Class, Classes, TagPath};

use astrarium::project::TAGS;

use crate::arguments::is_standard_input;
use crate::error::CommandError;

/// The classes known to one file.
pub struct FileClasses {
    classes: Classes,
    is_in_tree: bool,
    /// Errors in headers outside of a tree; those of a tree are reported with their own files.
    pub reports: Vec<TagReport>,
}

impl FileClasses {
    /// The classes of the headers given on the command line (one header, or a folder), of the tree of tags that
    /// contains the file, and of the headers beside a file outside of a tree. Of equal names the first counts.
    pub fn find(path: &Path, given: Option<&Path>) -> Result<FileClasses, CommandError> {
        let root = root_of(path);
        let classes = Classes::with_rules_of(&astrarium::classes());
        let mut found = FileClasses { classes, is_in_tree: root.is_some(), reports: Vec::new() };
        if let Some(given) = given {
            found.add(given)?;
        }
        match root {
            Some(root) => found.reports.extend(add_tree(&mut found.classes, &root)),
            None => {
                let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                found.add(beside)?;
            }
        }
        Ok(found)
    }

    /// The class of a file: that of its extension, or the one named in its first line.
    pub fn class_of(&self, path: &Path, source: &str, tree: &Tree) -> Option<&Class> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let named = tree.class.map(|class| class.text(source));
        let mut found = [extension, named].into_iter().flatten().filter_map(|name| self.classes.get(name));
        found.next().map(|prepared| prepared.class())
    }

    /// The errors in a header, or in a tag of a tree; none if the file is neither.
    pub fn reports_of(&self, path: &Path, source: &str) -> Option<Vec<Report>> {
        let head =
            forge::classes::head_of(source).map(|(name, _)| if name == HEADER { headers::EXTENSION } else { name });
        let of_stream = is_standard_input(path).then_some(head).flatten();
        let extension = path.extension().and_then(|extension| extension.to_str()).or(of_stream)?;
        if extension == headers::EXTENSION {
            let declared = read_all(&[Header { origin: "", source }], &Classes::new(), &self.classes);
            return declared.into_iter().next().map(|declared| declared.reports);
        }
        let made = self.classes.get(extension).filter(|_| self.is_in_tree)?.pack_text(source);
        let misplaced = self.classes.check_links(&made.packed);
        Some(made.reports.into_iter().chain(misplaced).collect())
    }

    /// Adds the classes of a header, or of the headers in a folder.
    fn add(&mut self, path: &Path) -> Result<(), CommandError> {
        let mut paths = match path.is_dir() {
            true => files::list(path, headers::EXTENSION)?,
            false if headers::is_header(&path.display().to_string()) => vec![path.to_path_buf()],
            false => {
                let message = format!("{}: expected a header (`*.{}`)", path.display(), headers::EXTENSION);
                return Err(CommandError::Usage(message));
            }
        };
        paths.sort();
        let mut texts: Vec<(String, String)> = Vec::new();
        for path in paths {
            let bytes = files::read_at_most(&path, TEXT_BYTES_MAX as u64)?;
            let text = String::from_utf8(bytes).map_err(|error| CommandError::not_text(&path, &error))?;
            texts.push((path.display().to_string(), text));
        }
        let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        self.reports.extend(headers::add_from_texts(&mut self.classes, &texts));
        Ok(())
    }
}

/// What `tag check` says of those files that are tags of a tree.
#[derive(Default)]
pub struct TreeChecks {
    /// The open trees by their folders, and the numbers of the tags to be checked.
    trees: BTreeMap<PathBuf, (TagTree, Vec<usize>)>,
}

impl TreeChecks {
    /// Adds a file. False if it is no tag of a tree.
    pub fn add(&mut self, path: &Path) -> Result<bool, CommandError> {
        let Some(root) = root_of(path).filter(|_| !is_standard_input(path)) else { return Ok(false) };
        let file = path.canonicalize()?;
        let within = file.strip_prefix(&root).ok().and_then(Path::to_str).map(|within| within.replace('\\', "/"));
        if !self.trees.contains_key(&root) {
            let tree =
                TagTree::open(&root, astrarium::classes()).map_err(|error| CommandError::Failed(error.to_string()))?;
            self.trees.insert(root.clone(), (tree, Vec::new()));
        }
        let Some((tree, which)) = self.trees.get_mut(&root) else { return Ok(false) };
        let tag = within.and_then(|within| TagPath::new(&within).ok()).and_then(|path| tree.find(&path));
        which.extend(tag.filter(|tag| !which.contains(tag)));
        Ok(tag.is_some())
    }

    /// The reports about the files that were added.
    pub fn reports(&self) -> Vec<TagReport> {
        let checked = self.trees.values().filter(|(_, which)| !which.is_empty());
        let findings = checked.flat_map(|(tree, which)| check(tree, Some(which)).findings);
        let reports = findings.map(|finding| {
            let report = Report { severity: finding.severity, ..Report::error(Span::default(), finding.message) };
            let (path, place, rendered) = (finding.file, finding.place, finding.rendered);
            TagReport { path, place, rendered, report: report.with_help(finding.help) }
        });
        reports.collect()
    }
}

/// The schema of a class for one source: it also has the names that libraries and the tags that it is made from set, and of an open
/// class those that the source sets.
pub fn schema_for(class: &Class, source: &str, tree: &Tree, inherited: &[InheritedSource]) -> Schema {
    let mut schema = schema_of(class);
    let mut add = |source: &str, tree: &Tree| {
        for statement in &tree.statements {
            if let Expression::Set(name, _) = tree.node(*statement).expression
                && schema.variable(name.text(source)).is_none()
            {
                schema.variables.push(DeclaredVariable::new(name.text(source)));
            }
        }
    };
    inherited.iter().for_each(|part| add(&part.text, &parse(&part.text)));
    if class.is_open {
        add(source, tree);
    }
    schema
}

/// A source that counts before another: a library of its class, or a tag that it is made from.
pub struct InheritedSource {
    /// Its path.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What a source inherits: the libraries of its class, then the tags that it is made from, the nearest last. Fails if one of those
/// is not found.
pub fn inherited(path: &Path, class: &Class, source: &str, tree: &Tree) -> Result<Vec<InheritedSource>, Report> {
    let libraries = class.libraries.iter();
    let libraries = libraries.map(|library| InheritedSource { path: library.path.clone(), text: library.text.clone() });
    let mut found: Vec<InheritedSource> = libraries.collect();
    let Some(root) = root_of(path).filter(|_| tree.from.is_some()) else {
        return match tree.from_path() {
            Some(from) => Err(Report::error(from, "`!from`: the folder of the tags is not known here")
                .with_help(format!("put the file into a folder called `{TAGS}`"))),
            None => Ok(found),
        };
    };
    let file = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let within = file.strip_prefix(&root).ok().and_then(Path::to_str).map(|within| within.replace('\\', "/"));
    let named = |name: &str| TagPath::new(name).ok();
    // A text from standard input has no path; only its class counts.
    let own = within.and_then(|within| named(&within)).or_else(|| named(&format!("-.{}", class.name)));
    let Some(own) = own else { return Ok(found) };
    // A class and its bases, as far as this source knows them.
    let is_a = |_: &str, base: &str| class.is_a(base);
    let ancestry = Ancestry::of((&own, 0), (source, tree), &is_a, &mut |path, _| {
        let bytes = files::read_at_most(&root.join(path.as_str()), TEXT_BYTES_MAX as u64);
        let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.ok_or_else(|| String::from("its path begins in the folder of the tags"))?;
        Ok(TagSource { folder: 0, shown: path.as_str().to_string(), text })
    });
    if let Some(report) = ancestry.report {
        return Err(report);
    }
    let parents = ancestry.tags.into_iter().rev();
    found.extend(parents.map(|tag| InheritedSource { path: tag.source.shown, text: tag.source.text }));
    Ok(found)
}

/// The folder `tags` that contains a file.
fn root_of(path: &Path) -> Option<PathBuf> {
    // What comes from standard input is a file of the current folder.
    let path = if is_standard_input(path) {
        Path::new(".").canonicalize().ok()?.join("-")
    } else {
        path.canonicalize().ok()?
    };
    let is_root = |folder: &&Path| folder.file_name().is_some_and(|name| name == TAGS);
    path.ancestors().skip(1).find(is_root).map(Path::to_path_buf)
}

/// The classes that the tree's game exported, those of every world, and those that the tree declares. Returns what is wrong
/// with the first.
fn add_tree(classes: &mut Classes, root: &Path) -> Vec<TagReport> {
    let reports = headers::add_written(classes, &shelf::tree::home_of(root));
    // Errors in headers are reported with those headers; a class that is already known stays.
    for class in astrarium::classes().iter().map(|prepared| prepared.class()) {
        let _ = classes.add_table(class.clone());
    }
    let _ = headers::add_from_tree(classes, root);
    reports
}
