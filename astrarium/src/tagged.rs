//! Files of a tree of tags, as the commands for scripts see them: what is wrong with one is what a game would tell.

use std::path::{Path, PathBuf};

use script::report::Report;
use shelf::headers;
use tags::Classes;
use tags::gather::{Header, gather};

use crate::project::TAGS;

/// What is wrong with a file that lies below a folder `tags` and is a tag or a header; none if it is neither.
pub fn reports(path: &Path, source: &str) -> Option<Vec<Report>> {
    let root = root_of(path)?;
    let classes = classes_of(&root);
    let extension = path.extension()?.to_str()?;
    if extension == headers::EXTENSION {
        let declared = gather(&[Header { origin: "", source }], &Classes::new(), &classes);
        return declared.into_iter().next().map(|declared| declared.reports);
    }
    let made = classes.get(extension)?.pack_text(source);
    let misplaced = classes.check_links(&made.packed);
    Some(made.reports.into_iter().chain(misplaced).collect())
}

fn root_of(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let is_root = |folder: &&Path| folder.file_name().is_some_and(|name| name == TAGS);
    path.ancestors().skip(1).find(is_root).map(Path::to_path_buf)
}

/// What the tree's game wrote down, what every world knows, and what the tree declares; of one name the first.
fn classes_of(root: &Path) -> Classes {
    let mut classes = Classes::new();
    // What is wrong elsewhere is told there.
    let _ = headers::add_from_tree(&mut classes, &shelf::tree::home_of(root).join("classes"));
    for class in world::classes().iter().map(|prepared| prepared.class()) {
        let _ = classes.add_table(class.clone());
    }
    let _ = headers::add_from_tree(&mut classes, root);
    classes
}
