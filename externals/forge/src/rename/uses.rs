//! Where a field of a class is used in a tree: the plan of renaming it everywhere.
//!
//! Laws
//! 1. A use is renamed only if it is certain that it means this field. What may mean another one is listed, and stays.
//! 2. A rename that would change the meaning of another name is refused before anything is written.

use std::collections::{BTreeMap, BTreeSet};

use script::compile::unquoted;
use script::parse::parse;
use script::query::Query;
use script::source::Lines;
use script::token::{TokenKind, tokens};
use tags::TagPath;
use tags::class::Class;
use tags::header_set::written_name;

use super::field_search::{FoundUses, Home, Remark, SearchedFile, find};
use super::wearers::{SearchScope, Sought, User, is_shown};
use super::{FieldRename, Renamed, replaced};
use crate::provider::{Loaded, load};
use crate::tree::{HEADER, Tree};

/// The uses of a field that is renamed.
#[derive(Clone, Debug, Default)]
pub struct FieldUses {
    /// The files with uses, the header among them.
    pub files: Vec<Renamed>,
    /// Places that may mean the field or another one: file, line, column, and the words there. They stay.
    pub undecided: Vec<String>,
    /// Why the field cannot have its new name, if it cannot: the places where that means something else.
    pub conflicts: Vec<String>,
}

/// Finds the uses of a field of the tag itself. Nothing is written.
pub fn uses_of(tree: &Tree, field: &FieldRename, class: &str, from: &str, to: &str) -> FieldUses {
    let all: Vec<usize> = (0..tree.tags.len()).collect();
    let loaded = load(tree, &all);
    let around = TreeAround::of(tree, class, &loaded);
    let (mut paths, mut files) = (Vec::new(), Vec::new());
    for one in loaded {
        let path = tree.tags[one.tag].path.as_str();
        let Some(text) = tree.read(path).ok().filter(|text| text.contains(from)) else { continue };
        let mentions = one.mentioned.mentions.into_iter();
        let mentions = mentions.map(|mention| (mention.span, (mention.meaning, mention.of))).collect();
        paths.push(path);
        files.push(SearchedFile { text, home: Home::Tag(path.to_string()), mentions });
    }
    for (path, text, classes) in scripts_of_classes(tree) {
        let text = if path == field.header { field.after.clone() } else { text };
        paths.push(path);
        files.push(SearchedFile { text, home: Home::Classes(classes), mentions: BTreeMap::new() });
    }
    let found = find(&around, Sought { class, field: from, to: Some(to) }, &files);
    told(tree, field, to, (&paths, &files), found)
}

/// The headers and libraries of a tree: paths, texts, and the classes that they belong to.
fn scripts_of_classes(tree: &Tree) -> Vec<(&str, String, Vec<String>)> {
    let mut found = Vec::new();
    for path in tree.walk.files.iter().map(|file| file.path.as_str()) {
        let is_header = path.ends_with(&format!(".{HEADER}"));
        if !is_header && !tree.is_library(path) {
            continue;
        }
        let Ok(text) = tree.read(path) else { continue };
        let classes = if is_header {
            written_name(&text, &parse(&text), "Namespace").into_iter().collect()
        } else {
            let uses = |class: &&Class| class.libraries.iter().any(|library| library.path == path);
            tree.classes.all().filter(uses).map(|class| class.name.clone()).collect()
        };
        found.push((path, text, classes));
    }
    found
}

/// What was found, for people.
fn told(
    tree: &Tree,
    field: &FieldRename,
    to: &str,
    (paths, files): (&[&str], &[SearchedFile]),
    found: FoundUses,
) -> FieldUses {
    let told = |remark: &Remark| {
        let text = &files[remark.file].text;
        let place = Lines::of(text).place(text, remark.span.start);
        format!("{}:{}:{}: {}", tree.shown(paths[remark.file]), place.line, place.column, remark.words)
    };
    let mut uses = FieldUses {
        undecided: found.undecided.iter().map(told).collect(),
        conflicts: found.conflicts.iter().map(told).collect(),
        files: Vec::new(),
    };
    for (number, spans) in found.spans.iter().enumerate() {
        let (path, before) = (paths[number].to_string(), files[number].text.clone());
        if path == field.header {
            let (before, after) = (field.before.clone(), replaced(&before, spans, to));
            uses.files.push(Renamed { path, before, after, count: spans.len() });
        } else if !spans.is_empty() {
            let after = replaced(&before, spans, to);
            uses.files.push(Renamed { path, before, after, count: spans.len() });
        }
    }
    // The header first: with the former name in it, the field is read from every tag, rewritten or not.
    uses.files.sort_by_key(|file| (file.path != field.header, file.path.clone()));
    uses
}

/// A tree, and the users of its tags.
struct TreeAround<'t> {
    tree: &'t Tree,
    class: &'t str,
    users: BTreeMap<String, BTreeSet<User>>,
}

impl<'t> TreeAround<'t> {
    fn of(tree: &'t Tree, class: &'t str, loaded: &[Loaded]) -> TreeAround<'t> {
        let mut around = TreeAround { tree, class, users: BTreeMap::new() };
        for one in loaded {
            let path = tree.tags[one.tag].path.as_str();
            one.mentioned.strings.iter().for_each(|text| around.add(text, &User::Tag(path.to_string())));
        }
        for (_, text, classes) in scripts_of_classes(tree) {
            for token in tokens(&text).iter().filter(|token| token.kind == TokenKind::String) {
                let named = unquoted(token.span.text(&text));
                classes.iter().for_each(|class| around.add(&named, &User::Class(class.clone())));
            }
        }
        around
    }

    fn add(&mut self, text: &str, user: &User) {
        let Ok(path) = TagPath::new(&text.replace('\\', "/")) else { return };
        if is_shown(self, self.class, &path) && self.tree.find(&path).is_some() {
            self.users.entry(path.as_str().to_string()).or_default().insert(user.clone());
        }
    }
}

impl SearchScope for TreeAround<'_> {
    fn is_a(&self, class: &str, base: &str) -> bool {
        self.tree.classes.is_a(class, base)
    }

    fn class(&self, name: &str) -> Option<&Class> {
        self.tree.classes.class(name)
    }

    fn classes(&self) -> Vec<&Class> {
        self.tree.classes.all().collect()
    }

    fn queries(&self) -> &'static [Query] {
        self.tree.classes.shared().vocabulary().queries
    }

    fn users_of(&self, path: &str) -> Vec<User> {
        self.users.get(path).into_iter().flatten().cloned().collect()
    }
}
