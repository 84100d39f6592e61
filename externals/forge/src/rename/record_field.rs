//! Where a field of a record is used beyond the values of tags: reads in lambdas, and parts that are set on their own.
//!
//! Laws
//! 1. A use is renamed only where the place is written out from the variable on, as `mounts[i].delay`, in a tag of the class.
//! 2. Every other use of the name is listed, and stays.

use std::collections::BTreeSet;

use script::ast::{Expression, NodeId, Tree as Syntax};
use script::parse::parse;
use script::source::{Lines, Span};

use super::replaced;
use crate::names::{Meaning, Names, children};
use crate::tree::{HEADER, Tree};
use crate::tree_upgrade::{UpgradePlan, UpgradedTag};
use crate::upgrade::Upgrade;

/// Adds the uses of a field such as `mounts.delay` to the plan that renames its values. Returns the uses that stay: file, line,
/// column, and the words there.
pub fn rename_reads(tree: &Tree, plan: &mut UpgradePlan, class: &str, from: &str, to: &str) -> Vec<String> {
    let way: Vec<&str> = from.split('.').collect();
    let Some(last) = way.last().copied() else { return Vec::new() };
    let mut undecided = Vec::new();
    for (tag, file) in tree.tags.iter().enumerate() {
        let planned = plan.changes.iter().position(|changed| changed.tag == tag);
        let Ok(before) = tree.read(file.path.as_str()) else { continue };
        let text = planned.map_or(before.as_str(), |at| plan.changes[at].upgrade.text.as_str());
        if !text.contains(last) {
            continue;
        }
        let is_own = tree.classes.is_a(file.path.class(), class);
        let search = RecordSearch { tree, way: &way, last, is_own };
        let spans = search.look_at(file.path.as_str(), text, &mut undecided);
        if spans.is_empty() {
            continue;
        }
        let text = replaced(text, &spans, to);
        match planned {
            Some(at) => plan.changes[at].upgrade.text = text,
            None => {
                plan.same = plan.same.saturating_sub(usize::from(file.path.class() == class));
                let upgrade = Upgrade { text, done: Vec::new(), left: Vec::new() };
                plan.changes.push(UpgradedTag { tag, before, upgrade });
            }
        }
    }
    let files = tree.walk.files.iter().map(|file| file.path.as_str());
    for path in files.filter(|path| tree.is_library(path) || path.ends_with(&format!(".{HEADER}"))) {
        let Ok(text) = tree.read(path) else { continue };
        let search = RecordSearch { tree, way: &way, last, is_own: false };
        let _ = search.look_at(path, &text, &mut undecided);
    }
    undecided
}

struct RecordSearch<'t> {
    tree: &'t Tree,
    /// The names from the variable to the field.
    way: &'t [&'t str],
    last: &'t str,
    /// Whether the file is a tag of the class.
    is_own: bool,
}

impl RecordSearch<'_> {
    /// The certain uses in a text; the others are listed.
    fn look_at(&self, path: &str, text: &str, undecided: &mut Vec<String>) -> Vec<Span> {
        let syntax = parse(text);
        let queries = self.tree.classes.shared().vocabulary().queries;
        let names = Names::of(text, &syntax, self.way.first().copied(), queries);
        let locals = names.names.iter().filter(|name| matches!(name.meaning, Meaning::Local(_)));
        let mut walk = Walk {
            text,
            syntax: &syntax,
            locals: locals.map(|name| name.span.start).collect(),
            way: self.way,
            certain: Vec::new(),
            values: BTreeSet::new(),
        };
        for statement in &syntax.statements {
            match syntax.node(*statement).expression {
                Expression::Set(_, value) => walk.values_of(value),
                Expression::Update(target, _, value) => walk.part(target, value),
                _ => {}
            }
            walk.all(*statement);
        }
        let (mut certain, values) = (walk.certain, walk.values);
        if !self.is_own {
            certain.clear();
        }
        let lines = Lines::of(text);
        for name in names.names.iter().filter(|name| name.span.text(text) == self.last) {
            let is_listed = match name.meaning {
                Meaning::Access => !certain.contains(&name.span),
                // The values of tags were renamed before; those of other classes are their own.
                Meaning::Field => self.is_own && !values.contains(&name.span) && !certain.contains(&name.span),
                _ => false,
            };
            if is_listed {
                let place = lines.place(text, name.span.start);
                let mark = if name.meaning == Meaning::Access { "." } else { "" };
                let shown = self.tree.shown(path);
                undecided.push(format!("{shown}:{}:{}: `{mark}{}`", place.line, place.column, self.last));
            }
        }
        certain.sort_by_key(|span| span.start);
        certain.dedup();
        certain
    }
}

struct Walk<'a> {
    text: &'a str,
    syntax: &'a Syntax,
    /// Where parameters and `let`s are named.
    locals: BTreeSet<u32>,
    way: &'a [&'a str],
    certain: Vec<Span>,
    /// The names of fields in the values of the tag itself.
    values: BTreeSet<Span>,
}

impl Walk<'_> {
    /// The names of fields in a value that is written out.
    fn values_of(&mut self, id: NodeId) {
        match self.syntax.node(id).expression {
            Expression::Record(names, items) => {
                self.values.extend(self.syntax.names(names).iter().map(|name| name.span));
                self.syntax.items(items).iter().for_each(|item| self.values_of(*item));
            }
            Expression::List(items) => self.syntax.items(items).iter().for_each(|item| self.values_of(*item)),
            Expression::Group(inner) => self.values_of(inner),
            _ => {}
        }
    }

    /// `!set mounts[#0] { delay 3 }`: the field in the new value of a part.
    fn part(&mut self, target: NodeId, mut value: NodeId) {
        while let Expression::Group(inner) = self.syntax.node(value).expression {
            value = inner;
        }
        let Some((last, around)) = self.way.split_last() else { return };
        let Expression::Record(names, _) = self.syntax.node(value).expression else { return };
        if self.way_of(target).is_some_and(|way| way == around) {
            let names = self.syntax.names(names).iter().map(|name| name.span);
            self.certain.extend(names.filter(|name| name.text(self.text) == *last));
        }
    }

    fn all(&mut self, id: NodeId) {
        if let Expression::Field(_, name) = self.syntax.node(id).expression
            && self.way_of(id).is_some_and(|way| way == self.way)
        {
            self.certain.push(name);
        }
        children(self.syntax, id).into_iter().for_each(|child| self.all(child));
    }

    /// The names from a variable of the object to a place, without the elements between them.
    fn way_of(&self, id: NodeId) -> Option<Vec<&str>> {
        let node = self.syntax.node(id);
        match node.expression {
            Expression::Group(inner) | Expression::Index(inner, _) => self.way_of(inner),
            Expression::Name => (!self.locals.contains(&node.span.start)).then(|| vec![node.span.text(self.text)]),
            Expression::Field(of, name) => {
                let object = self.syntax.node(of);
                if object.expression == Expression::Object && object.span.text(self.text) == "~this" {
                    return Some(vec![name.text(self.text)]);
                }
                let mut way = self.way_of(of)?;
                way.push(name.text(self.text));
                Some(way)
            }
            _ => None,
        }
    }
}
