//! The workspaces of a client, each with its files and classes.
//!
//! The workspace of a document is the innermost open folder around it, or else the nearest folder called `tags` above
//! it, or else its own folder without subfolders.

use std::collections::BTreeMap;

use lsp_types::WorkspaceFoldersChangeEvent;
use tags::Class;
use tags::pack::Vocabulary;

use super::files::Files;
use super::header_class::header_text;
use super::index::Index;
use super::limits::TREES_MAX;
use super::shapes::Shapes;
use super::uri::{folder_of, path_of, tags_root, within};

/// The root of the workspace of documents without a path.
const NOWHERE: &str = "";

/// All workspaces.
#[derive(Clone, Debug)]
pub struct Workspaces {
    given: Shapes,
    folders: Vec<String>,
    homes: BTreeMap<String, Workspace>,
    nowhere: Index,
}

#[derive(Clone, Debug)]
struct Workspace {
    index: Index,
    shapes: Shapes,
    is_deep: bool,
}

impl Workspaces {
    /// No workspaces yet; the classes of the program, and what scripts in their tags may say.
    pub fn new(given: Vec<Class>, vocabulary: Vocabulary) -> Workspaces {
        Workspaces {
            given: Shapes::new(given, vocabulary),
            folders: Vec::new(),
            homes: BTreeMap::new(),
            nowhere: Index::default(),
        }
    }

    /// The client has these folders open.
    pub fn set_folders(&mut self, folders: Vec<String>) {
        self.folders = folders.into_iter().map(|folder| folder.trim_end_matches('/').to_string()).collect();
        self.folders.retain(|folder| !folder.is_empty());
        self.folders.truncate(TREES_MAX);
        for folder in self.folders.clone() {
            self.add(&folder, true);
        }
    }

    /// The client opened and closed folders.
    pub fn change_folders(&mut self, event: &WorkspaceFoldersChangeEvent) {
        let paths = |folders: &[lsp_types::WorkspaceFolder]| -> Vec<String> {
            folders.iter().filter_map(|folder| path_of(folder.uri.as_str())).collect()
        };
        let removed = paths(&event.removed);
        let mut folders: Vec<String> =
            self.folders.iter().filter(|folder| !removed.contains(folder)).cloned().collect();
        folders.extend(paths(&event.added));
        removed.iter().for_each(|folder| drop(self.homes.remove(folder)));
        self.set_folders(folders);
    }

    /// The root of the workspace of a path, which is created if necessary.
    pub fn root_of(&mut self, path: &str) -> String {
        if path.is_empty() {
            return NOWHERE.to_string();
        }
        let around =
            self.folders.iter().filter(|folder| within(path, folder).is_some()).max_by_key(|folder| folder.len());
        let (root, is_deep) = match around.cloned().or_else(|| tags_root(path).map(String::from)) {
            Some(root) => (root, true),
            None => (folder_of(path).to_string(), false),
        };
        if root.is_empty() || !self.add(&root, is_deep) {
            return NOWHERE.to_string();
        }
        root
    }

    /// The files and classes of a workspace.
    pub fn get(&self, root: &str) -> (&Index, &Shapes) {
        self.homes.get(root).map_or((&self.nowhere, &self.given), |home| (&home.index, &home.shapes))
    }

    /// The roots of all workspaces with subfolders.
    pub fn deep(&self) -> Vec<String> {
        self.homes.iter().filter(|(_, home)| home.is_deep).map(|(root, _)| root.clone()).collect()
    }

    /// Whether all are complete.
    pub fn is_complete(&self) -> bool {
        self.homes.values().all(|home| home.index.is_complete())
    }

    /// Does a step of listing folders and reading headers. Returns whether there was work.
    pub fn step_to_listed(&mut self, files: &dyn Files) -> bool {
        let open = self.homes.values_mut().find(|home| !home.index.is_listed());
        open.is_some_and(|home| home.index.step(files))
    }

    /// Does a step of any remaining work.
    pub fn step(&mut self, files: &dyn Files) {
        if let Some(home) = self.homes.values_mut().find(|home| !home.index.is_complete()) {
            home.index.step(files);
        }
    }

    /// Finishes listing a workspace and reading its headers; on request, from the start.
    pub fn list(&mut self, files: &dyn Files, root: &str, is_again: bool) {
        if let Some(home) = self.homes.get_mut(root) {
            if is_again && home.index.is_listed() {
                home.index.list_again();
            }
            home.index.list_all(files);
        }
    }

    /// Reads every file of a workspace.
    pub fn read(&mut self, files: &dyn Files, root: &str) {
        if let Some(home) = self.homes.get_mut(root) {
            home.index.read_all(files);
        }
    }

    /// A document was opened or changed.
    pub fn open(&mut self, path: &str, text: &str) {
        let root = self.root_of(path);
        if let Some(home) = self.homes.get_mut(&root) {
            home.index.open(path, text);
        }
    }

    /// A document was closed.
    pub fn close(&mut self, files: &dyn Files, path: &str) {
        self.homes.values_mut().for_each(|home| home.index.close(files, path));
    }

    /// A file may have changed on disk.
    pub fn touch(&mut self, files: &dyn Files, path: &str) {
        self.homes.values_mut().for_each(|home| home.index.touch(files, path));
    }

    /// Updates the classes of changed headers. Returns whether there were any, or files were added or removed: then
    /// diagnostics may change.
    pub fn learn(&mut self, text: &dyn Fn(&str) -> Option<String>) -> bool {
        let mut is_any = false;
        for home in self.homes.values_mut() {
            is_any |= home.index.take_changed();
            let mut changed = Vec::new();
            for path in home.index.take_changed_headers() {
                let is_there = home.index.file(&path).is_some();
                let header = is_there.then(|| text(&path)).flatten().map(|text| header_text(&path, text));
                changed.push((path, header));
            }
            if !changed.is_empty() {
                home.shapes.set(changed);
                is_any = true;
            }
        }
        is_any
    }

    fn add(&mut self, root: &str, is_deep: bool) -> bool {
        if !self.homes.contains_key(root) {
            if self.homes.len() >= TREES_MAX {
                return false;
            }
            let home = Workspace { index: Index::new(root, is_deep), shapes: self.given.clone(), is_deep };
            self.homes.insert(root.to_string(), home);
        }
        true
    }
}
