//! Where a field of a class is used: in its own tags, in scripts and headers of its class, and by other objects through handles.
//!
//! Laws
//! 1. A use is renamed only if it is certain that it means this field. What may mean another one is listed, and stays.
//! 2. A rename that would change the meaning of another name is refused before anything is written.

use std::collections::BTreeMap;

use script::ast::Tree as Syntax;
use script::meaning::Meaning as Mentioned;
use script::parse::parse;
use script::source::{Lines, Span};
use tags::TagPath;
use tags::header_set::written_name;

use crate::names::{Meaning, Names};
use crate::provider::load;
use crate::rename::{FieldRename, Renamed};
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
    let read = load(tree, &all).into_iter().filter_map(|loaded| {
        let path = tree.tags[loaded.tag].path.as_str();
        let text = tree.read(path).ok().filter(|text| text.contains(from))?;
        let mentions = loaded.mentioned.mentions.into_iter();
        Some(ReadTag {
            path,
            text,
            mentions: mentions.map(|mention| (mention.span, (mention.meaning, mention.of))).collect(),
        })
    });
    let read: Vec<ReadTag<'_>> = read.collect();
    let search = UseSearch::new(tree, field, class, (from, to), &read);
    let mut found = FieldUses::default();
    for tag in &read {
        search.look_at(tag.path, &tag.text, search.is_own(tag.path), &tag.mentions, &mut found);
    }
    let others = tree.walk.files.iter().map(|file| file.path.as_str());
    for path in others.filter(|path| tree.is_library(path) || path.ends_with(&format!(".{HEADER}"))) {
        let is_header = path.ends_with(&format!(".{HEADER}"));
        let text = if path == field.header { Ok(field.after.clone()) } else { tree.read(path) };
        let Ok(text) = text else { continue };
        let is_own = if is_header { search.is_own_header(&text) } else { search.is_own_library(path) };
        search.look_at(path, &text, is_own, &BTreeMap::new(), &mut found);
    }
    if !found.files.iter().any(|file| file.path == field.header) {
        let (path, before, after) = (field.header.clone(), field.before.clone(), field.after.clone());
        found.files.push(Renamed { path, before, after, count: 0 });
    }
    for file in found.files.iter_mut().filter(|file| file.path == field.header) {
        file.before.clone_from(&field.before);
    }
    // The header first: with the former name in it, the field is read from every tag, rewritten or not.
    found.files.sort_by_key(|file| (file.path != field.header, file.path.clone()));
    found
}

struct UseSearch<'t> {
    tree: &'t Tree,
    class: &'t str,
    from: &'t str,
    to: &'t str,
    /// Whether an object of another class may have a variable of this name.
    is_shared: bool,
    /// Whether a record somewhere has a field of this name.
    is_in_records: bool,
}

/// A tag in whose text the name occurs.
struct ReadTag<'t> {
    path: &'t str,
    text: String,
    mentions: Mentions,
}

/// What places of a text mean outside of it.
type Mentions = BTreeMap<Span, (Mentioned, String)>;

impl<'t> UseSearch<'t> {
    fn new(
        tree: &'t Tree,
        field: &'t FieldRename,
        class: &'t str,
        (from, to): (&'t str, &'t str),
        read: &[ReadTag<'_>],
    ) -> UseSearch<'t> {
        let is_own = |name: &str| tree.classes.is_a(name, class) || field.class.is_a(name);
        let is_shared = tree.classes.all().any(|other| !is_own(&other.name) && other.root().field(from).is_some());
        let mut search = UseSearch { tree, class, from, to, is_shared, is_in_records: false };
        for tag in read {
            let syntax = parse(&tag.text);
            let names = search.names(&tag.text, &syntax);
            let of_name = names.names.iter().filter(|name| name.span.text(&tag.text) == from);
            for name in of_name {
                match name.meaning {
                    Meaning::Set | Meaning::InnerSet => search.is_shared |= !search.is_own(tag.path),
                    // The records with which objects are made are known by their tags.
                    Meaning::Field => search.is_in_records |= !tag.mentions.contains_key(&name.span),
                    _ => {}
                }
            }
        }
        search
    }

    fn names(&self, text: &str, syntax: &Syntax) -> Names {
        Names::of(text, syntax, [self.from], self.tree.classes.shared().vocabulary().queries)
    }

    /// Whether a tag is of the class, or of one derived from it.
    fn is_own(&self, path: &str) -> bool {
        TagPath::new(path).is_ok_and(|path| self.tree.classes.is_a(path.class(), self.class))
    }

    fn is_own_header(&self, text: &str) -> bool {
        let name = written_name(text, &parse(text), "Namespace");
        name.is_some_and(|name| self.tree.classes.is_a(&name, self.class))
    }

    fn is_own_library(&self, path: &str) -> bool {
        let mut users =
            self.tree.classes.all().filter(|class| class.libraries.iter().any(|library| library.path == path));
        users.any(|class| self.tree.classes.is_a(&class.name, self.class))
    }

    fn look_at(&self, path: &str, text: &str, is_own: bool, mentions: &Mentions, found: &mut FieldUses) {
        if !text.contains(self.from) {
            return;
        }
        let syntax = parse(text);
        let names = self.names(text, &syntax);
        let lines = Lines::of(text);
        let place = |span: Span| {
            let place = lines.place(text, span.start);
            format!("{}:{}:{}", self.tree.shown(path), place.line, place.column)
        };
        let mut spans: Vec<Span> = Vec::new();
        for name in &names.names {
            let word = name.span.text(text);
            match name.meaning {
                Meaning::Variable | Meaning::Set | Meaning::InnerSet if is_own && word == self.from => {
                    spans.push(name.span)
                }
                Meaning::Object if is_own && word.strip_prefix('~') == Some(self.from) => {
                    spans.push(Span::new(name.span.start + 1, name.span.end));
                }
                Meaning::Access if word == self.from => match self.decide(name.span, text, is_own, mentions) {
                    Some(true) => spans.push(name.span),
                    Some(false) => {}
                    None => found.undecided.push(format!("{}: `.{word}`", place(name.span))),
                },
                Meaning::Field if word == self.from => {
                    if let Some((Mentioned::State, of)) = mentions.get(&name.span) {
                        let made = TagPath::new(&of.replace('\\', "/"));
                        match made.map(|made| self.tree.classes.is_a(made.class(), self.class)) {
                            Ok(true) => spans.push(name.span),
                            Ok(false) => {}
                            Err(_) => found.undecided.push(format!("{}: `{{ {word} … }}`", place(name.span))),
                        }
                    }
                }
                _ => {}
            }
        }
        if spans.is_empty() {
            return;
        }
        // What the new name means where the field is used, and whether the file has it already.
        if is_own {
            let is_variable = |meaning| matches!(meaning, Meaning::Variable | Meaning::Set | Meaning::InnerSet);
            let taken = names.names.iter().find(|name| is_variable(name.meaning) && name.span.text(text) == self.to);
            found
                .conflicts
                .extend(taken.map(|name| format!("{}: `{}` is used here already", place(name.span), self.to)));
            for span in &spans {
                let locals = names.locals_at(span.start);
                if locals.iter().any(|local| local.given.span.text(text) == self.to) {
                    found.conflicts.push(format!("{}: `{}` is a parameter or a `let` here", place(*span), self.to));
                }
            }
        }
        spans.sort_by_key(|span| span.start);
        spans.dedup();
        let (mut after, mut end) = (String::with_capacity(text.len()), 0);
        for span in &spans {
            after.push_str(&text[end..span.start as usize]);
            after.push_str(self.to);
            end = span.end as usize;
        }
        after.push_str(&text[end..]);
        found.files.push(Renamed { path: path.to_string(), before: text.to_string(), after, count: spans.len() });
    }

    /// Whether a name behind a dot means the field; none if that is not certain.
    fn decide(&self, span: Span, text: &str, is_own: bool, mentions: &Mentions) -> Option<bool> {
        if text[..span.start as usize].ends_with("~this.") {
            return Some(is_own);
        }
        let is_of_object = mentions.get(&span).is_some_and(|(meaning, _)| *meaning == Mentioned::Variable);
        match (is_of_object, self.is_shared, self.is_in_records) {
            (true, false, _) | (false, false, false) => Some(true),
            _ => None,
        }
    }
}
