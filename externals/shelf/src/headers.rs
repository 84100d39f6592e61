//! Classes declared in headers: by people in the tree, and by games for their tools in `.astrarium/classes`.
//!
//! Laws
//! 1. A class that the program declares in Rust takes precedence over one of the tree; headers of the tree are taken in
//!    the order of their paths. A class may be derived from any other, in whichever header that is declared.
//! 2. A game writes the tables of its classes as headers, so that tools know the classes of games that they do not
//!    contain. Only files that differ are written.
//! 3. A header that a game wrote ends with its checksum. A damaged one is not used and is reported; the game writes it anew
//!    when it is next played.

use std::fmt;
use std::path::{Path, PathBuf};

use host::files::{self, FileError};
use host::walk::Walk;
use script::parse::parse;
use script::report::{Report, closest};
use tags::compose::Layer;
use tags::header::Libraries;
use tags::header_set::{Header, read_all_with};
use tags::pack::Prepared;
use tags::{Class, Classes, header};

use crate::folders::Folders;
use crate::report::TagReport;

/// The largest header.
const HEADER_BYTES_MAX: u64 = 4 << 20;

/// The most headers of one tree.
const HEADERS_MAX: usize = 10_000;

/// The folder in `.astrarium` for the classes of games.
const FOLDER: &str = "classes";

/// The extension of headers.
pub const EXTENSION: &str = "header";

/// Adds the classes that the headers of a tree declare.
pub fn add_from_tree(classes: &mut Classes, root: &Path) -> Result<Vec<TagReport>, FileError> {
    add_from_tree_over(classes, root, &[])
}

/// Adds the classes that the headers of a tree declare, and those of headers embedded in a program for whose path the
/// tree has no file.
pub fn add_from_tree_over(
    classes: &mut Classes,
    root: &Path,
    built_in: &[(&str, &str)],
) -> Result<Vec<TagReport>, FileError> {
    add_from_folders(classes, &Folders::one(root), built_in)
}

/// The same for a tree of several folders.
pub fn add_from_folders(
    classes: &mut Classes,
    folders: &Folders,
    built_in: &[(&str, &str)],
) -> Result<Vec<TagReport>, FileError> {
    let found = folders.walk()?;
    let (mut texts, mut reports) = (Vec::new(), Vec::new());
    for path in found.files.iter().map(|file| file.path.as_str()).filter(|path| is_header(path)).take(HEADERS_MAX) {
        match read(&folders.file(path).0) {
            Ok(text) => texts.push((path, text)),
            Err(error) => reports.push(TagReport::of_file(path, &error.to_string(), "")),
        }
    }
    let mut headers: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let is_free = |path: &str| !headers.iter().any(|(known, _)| *known == path);
    let others: Vec<(&str, &str)> = built_in.iter().copied().filter(|(path, _)| is_free(path)).collect();
    headers.extend(others);
    let library = |path: &str| {
        let built_in = || built_in.iter().find(|(known, _)| *known == path).map(|(_, text)| text.to_string());
        match found.find(path) {
            Some(_) => read(&folders.file(path).0).map_err(|error| error.to_string()),
            None => built_in().ok_or_else(|| advice(&found, path)),
        }
    };
    reports.extend(add_with(classes, &headers, &library));
    Ok(reports)
}

/// Adds the classes that the headers among some texts declare. Of the other texts, only libraries are used.
pub fn add_from_texts(classes: &mut Classes, texts: &[(&str, &str)]) -> Vec<TagReport> {
    let library = |path: &str| {
        let found = texts.iter().find(|(known, _)| *known == path);
        found.map(|(_, text)| text.to_string()).ok_or_else(String::new)
    };
    add_with(classes, texts, &library)
}

fn add_with(classes: &mut Classes, texts: &[(&str, &str)], libraries: &Libraries<'_>) -> Vec<TagReport> {
    let headers = texts.iter().filter(|(path, _)| is_header(path));
    let headers: Vec<Header<'_>> = headers.map(|(origin, source)| Header { origin, source }).collect();
    let mut reports = Vec::new();
    let declared = read_all_with(&headers, classes, &Classes::new(), libraries);
    let mut added = Vec::new();
    for (Header { origin, source }, declared) in headers.iter().zip(declared) {
        reports.extend(declared.reports.into_iter().map(|report| TagReport::in_text(origin, source, report)));
        let is_same =
            |class: &Class| classes.get(&class.name).is_some_and(|known| known.fingerprint() == class.fingerprint());
        if let Some(class) = declared.class.filter(|class| !is_same(class)) {
            let name = class.name.clone();
            match classes.add_table(class) {
                Ok(()) => added.push((name, *source)),
                Err(why) => reports.push(TagReport::of_file(origin, &why, "give one of the two another name")),
            }
        }
    }
    for (class, source) in added {
        let Some(class) = classes.get(&class) else { continue };
        for found in shared_reports(class, source) {
            if !reports.contains(&found) {
                reports.push(found);
            }
        }
    }
    reports
}

/// The mistakes in what the tags of a class inherit from it: in its libraries, and in its defaults, which are in the text of its
/// header.
pub fn shared_reports(class: &Prepared, source: &str) -> Vec<TagReport> {
    let (found, _) = class.check_shared();
    let declared = class.class();
    let reports = found.into_iter().filter_map(|found| match found.layer {
        Layer::Library(number) => {
            let library = declared.libraries.get(number as usize)?;
            Some(TagReport::in_text(&library.path, &library.text, found.report))
        }
        Layer::Default(number) => {
            let field = declared.root().fields.get(number as usize).filter(|field| !field.is_inherited)?;
            let span = header::default_span(source, &parse(source), &field.name)?;
            let message = format!("the default of `{}`: {}", field.name, found.report.message);
            let report = Report { span, message, ..found.report };
            Some(TagReport::in_text(&declared.origin, source, report))
        }
        Layer::Parent(_) => None,
    });
    reports.collect()
}

/// The help text for a library that is not there.
fn advice(found: &Walk, path: &str) -> String {
    match closest(path, found.files.iter().map(|file| file.path.as_str())) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => "create it; its path begins in the folder of the tags".into(),
    }
}

/// Writes a program's classes as headers into a folder `.astrarium`. Returns those that were damaged.
pub fn write_down(classes: &Classes, home: &Path) -> Result<Vec<PathBuf>, FileError> {
    let folder = home.join(FOLDER);
    files::make_folder(&folder)?;
    let mut damaged = Vec::new();
    for class in classes.iter().map(|prepared| prepared.class()).filter(|class| class.origin.is_empty()) {
        let (path, text) = (folder.join(format!("{}.{EXTENSION}", class.name)), sealed(&header::write(class)));
        let before = files::read_at_most(&path, HEADER_BYTES_MAX);
        if before.as_ref().is_ok_and(|bytes| bytes == text.as_bytes()) {
            continue;
        }
        files::write_atomically(&path, &[text.as_bytes()])?;
        if before.is_ok_and(|bytes| !str::from_utf8(&bytes).is_ok_and(is_sound)) {
            damaged.push(path);
        }
    }
    Ok(damaged)
}

/// Adds the classes that games wrote into a folder `.astrarium`. Damaged headers are reported and not used.
pub fn add_written(classes: &mut Classes, home: &Path) -> Vec<TagReport> {
    let (mut texts, mut reports) = (Vec::new(), Vec::new());
    for path in files::list(&home.join(FOLDER), EXTENSION).unwrap_or_default().into_iter().take(HEADERS_MAX) {
        let name = path.display().to_string();
        match read(&path) {
            Ok(text) if is_sound(&text) => texts.push((name, text)),
            Ok(_) => reports.push(TagReport::of_file(&name, DAMAGED, DAMAGED_HELP)),
            Err(error) => reports.push(TagReport::of_file(&name, &error.to_string(), DAMAGED_HELP)),
        }
    }
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    reports.extend(add_from_texts(classes, &texts));
    reports
}

/// What is said of a damaged header that a game wrote.
pub const DAMAGED: &str = "is damaged, or from another version, and is not used";

/// The remedy.
pub const DAMAGED_HELP: &str = "play its game once: that writes it anew";

/// The beginning of the last line of a header that a game wrote.
const SEAL: &str = "// checksum ";

/// The text of a header with its checksum behind it.
#[must_use]
pub fn sealed(text: &str) -> String {
    format!("{text}{SEAL}{:016x}\n", base::hash::hash(text.as_bytes()))
}

/// Whether a header that a game wrote is as it was written.
#[must_use]
pub fn is_sound(text: &str) -> bool {
    text.rfind(SEAL).is_some_and(|at| sealed(&text[..at]) == text)
}

/// Whether the file at this path is a header.
pub fn is_header(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension == EXTENSION)
}

/// Why the text of a header cannot be read.
#[derive(Debug)]
enum HeaderTextError {
    File(FileError),
    NotUtf8 { byte: usize },
}

impl fmt::Display for HeaderTextError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderTextError::File(error) => error.fmt(out),
            HeaderTextError::NotUtf8 { byte } => {
                write!(out, "expected a text in UTF-8, found other bytes from byte {byte} on")
            }
        }
    }
}

fn read(path: &Path) -> Result<String, HeaderTextError> {
    let bytes = files::read_at_most(path, HEADER_BYTES_MAX).map_err(HeaderTextError::File)?;
    String::from_utf8(bytes).map_err(|error| HeaderTextError::NotUtf8 { byte: error.utf8_error().valid_up_to() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, classes, put};

    const WEAPON: &str =
        "@EnvironmentHeader\n!set Namespace \"weapon\"\n!set Attributes [{ name \"damage\", type \"f32\" }]\n";

    #[test]
    fn headers_written_by_a_game_declare_the_same_classes() {
        let folder = Folder::new();
        assert!(write_down(&classes(), folder.path()).expect("it can be written").is_empty());
        let mut read = Classes::new();
        let reports = add_written(&mut read, folder.path());
        assert!(reports.is_empty(), "{reports:?}");
        for own in classes().iter() {
            let found = read.get(&own.class().name).expect("it was written");
            assert_eq!(found.fingerprint(), own.fingerprint(), "{}", own.class().name);
        }
    }

    #[test]
    fn a_damaged_header_of_a_game_is_not_used_and_written_anew() {
        let folder = Folder::new();
        write_down(&classes(), folder.path()).expect("it can be written");
        let path = folder.join(FOLDER).join("ship.header");
        let whole = std::fs::read(&path).expect("it was written");
        let names = |classes: &Classes| classes.iter().map(|known| known.class().name.clone()).collect::<Vec<_>>();
        for at in (0..whole.len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            for bytes in [&damaged[..], &whole[..at]] {
                std::fs::write(&path, bytes).expect("it can be written");
                let mut read = Classes::new();
                let reports = add_written(&mut read, folder.path());
                assert!(read.get("ship").is_none(), "{:?}", names(&read));
                // Other classes may refer to the one that is missing.
                assert!(reports.iter().any(|report| report.path.ends_with("ship.header")), "{reports:?}");
            }
        }
        assert_eq!(write_down(&classes(), folder.path()).expect("it can be written"), std::slice::from_ref(&path));
        assert_eq!(std::fs::read(&path).expect("it was written"), whole);
        assert!(write_down(&classes(), folder.path()).expect("it can be written").is_empty());
    }

    #[test]
    fn a_header_of_the_tree_declares_a_class_unless_the_program_does() {
        let folder = Folder::new();
        let ship = WEAPON.replace("weapon", "ship");
        put(&folder, &[("tags/weapon.header", WEAPON), ("tags/ship.header", &ship), ("tags/noise.header", "\u{1}")]);
        let mut known = Classes::new().with_postprocess::<crate::testing::Ship>();
        let ours = known.get("ship").map(|class| class.fingerprint());
        let reports = add_from_tree(&mut known, &folder.join("tags")).expect("it is there");
        assert!(known.get("weapon").is_some_and(|class| class.class().root().field("damage").is_some()));
        assert_eq!(known.get("ship").map(|class| class.fingerprint()), ours);
        let told = |path: &str| reports.iter().any(|report| report.path == path && report.is_error());
        assert!(told("ship.header") && told("noise.header"), "{reports:?}");
    }

    #[test]
    fn headers_of_a_tree_override_embedded_ones_of_the_same_path() {
        let folder = Folder::new();
        let shield = WEAPON.replace("weapon", "shield");
        let other = WEAPON.replace("damage", "range");
        put(&folder, &[("tags/weapon.header", &other)]);
        let mut known = Classes::new();
        let built_in = [("weapon.header", WEAPON), ("shield.header", shield.as_str()), ("a.weapon", "@weapon\n")];
        let reports = add_from_tree_over(&mut known, &folder.join("tags"), &built_in).expect("it is there");
        assert!(reports.is_empty(), "{reports:?}");
        let has = |class: &str, field: &str| {
            known.get(class).is_some_and(|class| class.class().root().field(field).is_some())
        };
        assert!(has("weapon", "range") && !has("weapon", "damage") && has("shield", "damage"));
    }

    #[test]
    fn a_base_may_be_declared_by_the_program_or_in_any_header() {
        let folder = Folder::new();
        let of = |name: &str, base: &str| {
            format!("@EnvironmentHeader\n!set Namespace \"{name}\"\n!set Base \"{base}\"\n!set Attributes []\n")
        };
        let (a, b, c) = (of("a", "z"), of("b", "model"), of("c", "nowhere"));
        let z = WEAPON.replace("weapon", "z");
        put(&folder, &[("t/a.header", &a), ("t/b.header", &b), ("t/c.header", &c), ("t/z.header", &z)]);
        let mut known = Classes::new().with::<crate::testing::Model>();
        let reports = add_from_tree(&mut known, &folder.join("t")).expect("it is there");
        assert!(known.is_a("a", "z") && known.is_a("b", "model") && known.get("c").is_none());
        assert_eq!(known.get("a").map(|class| class.class().root().fields.len()), Some(1));
        assert!(reports.len() == 1 && reports[0].to_string().contains("there is no class `nowhere`"), "{reports:?}");
    }
}
