//! Composition: the text of a tag together with what it inherits, as one text.
//!
//! What a tag does not set may come from the tag that it is made from (`!from`), from the libraries of its class (`Use`,
//! `Init`), or from a default of its class that is a lambda or a formula. Such statements are appended to the tag's own text,
//! which keeps all its positions, and packed with it: a lambda that is inherited is one of the tag's own program, and reads
//! the tag's own fields.
//!
//! Laws
//! 1. A name is taken from the nearest layer that sets it: the tag, the tags that it is made from, the libraries (of several
//!    the last), the defaults.
//! 2. `!set body.mass 3` changes a part of the value that the tag would have otherwise; the part set by the nearest layer
//!    counts.
//! 3. A lambda of a library that nothing mentions is left out.
//! 4. Every appended statement has one origin, a layer and a place in its text.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use script::ast::{Expression, NodeId, Tree};
use script::parse::parse;
use script::program::Origin;
use script::report::Report;
use script::source::{Lines, Place, Span};
use script::token::TokenKind;

use crate::class::{Class, Kind, ScriptLibrary};
use crate::expression::is_shared_default;
use crate::former::{Converter, find as find_supply, is_former};

/// A tag that another is made from.
#[derive(Clone, Copy, Debug)]
pub struct Parent<'a> {
    /// Where it lies, for people.
    pub path: &'a str,
    /// Its text.
    pub source: &'a str,
    /// Its syntax tree.
    pub tree: &'a Tree,
}

/// Where an inherited statement comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// A tag that it is made from, by number, the nearest first.
    Parent(u32),
    /// A library of its class, by number.
    Library(u32),
    /// The default of a field, by its number.
    Default(u32),
}

/// A report about an inherited statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InheritedReport {
    /// The text that it is about.
    pub layer: Layer,
    /// The report; its span is in that text.
    pub report: Report,
}

/// A statement that was appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InheritedStatement {
    /// The name that it sets.
    pub name: String,
    /// Its span in the composed text.
    pub span: Span,
    /// Where it comes from.
    pub layer: Layer,
    /// Where it begins in the text of the layer.
    pub at: u32,
}

/// A composed text.
#[derive(Clone, Debug, Default)]
pub struct Composed {
    /// The text: that of the tag, then what it inherits.
    pub text: String,
    /// The length of the first part.
    pub own: u32,
    /// The appended statements, in order.
    pub statements: Vec<InheritedStatement>,
}

/// A statement that all tags of a class share.
#[derive(Clone, Debug)]
pub(crate) struct SharedStatement {
    name: String,
    text: String,
    layer: Layer,
    at: u32,
    /// The names in it.
    mentions: BTreeSet<String>,
    /// Whether it is needed only where its name is mentioned.
    is_optional: bool,
}

/// What all tags of a class share.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedPart {
    /// The statements of libraries, then those of defaults.
    pub statements: Vec<SharedStatement>,
    /// The names that libraries set.
    pub names: BTreeSet<String>,
    /// The errors of libraries that are found without a tag.
    pub reports: Vec<InheritedReport>,
}

impl SharedPart {
    /// The shared part of a class.
    pub fn of(class: &Class) -> SharedPart {
        let mut part = SharedPart::default();
        // Of several libraries that set a name, the last counts.
        let mut taken = BTreeSet::new();
        for (number, library) in class.libraries.iter().enumerate().rev() {
            part.add_library(class, number as u32, library, &mut taken);
        }
        for (number, field) in class.root().fields.iter().enumerate().filter(|(_, field)| !field.is_runtime) {
            let Some(text) = field.default.as_deref().filter(|text| is_shared_default(text)) else { continue };
            if taken.insert(field.name.clone()) {
                let text = format!("!set {} {text}", field.name);
                let mentions = mentioned(&text, &parse(&text), Span::new(0, text.len() as u32));
                let layer = Layer::Default(number as u32);
                let name = field.name.clone();
                part.statements.push(SharedStatement { name, text, layer, at: 0, mentions, is_optional: false });
            }
        }
        part
    }

    fn add_library(&mut self, class: &Class, number: u32, library: &ScriptLibrary, taken: &mut BTreeSet<String>) {
        let (source, tree) = (library.text.as_str(), parse(&library.text));
        let layer = Layer::Library(number);
        let mut tell = |report: Report| self.reports.push(InheritedReport { layer, report });
        tree.reports.iter().cloned().for_each(&mut tell);
        let mut own: BTreeMap<&str, (NodeId, NodeId)> = BTreeMap::new();
        for statement in &tree.statements {
            let node = tree.node(*statement);
            match node.expression {
                Expression::Missing => {}
                Expression::Set(name, value) => {
                    if own.insert(name.text(source), (*statement, value)).is_some() {
                        let message = format!("`{}` is set twice; the later value counts", name.text(source));
                        tell(Report::warning(node.span, message).with_help("remove one of the two lines"));
                    }
                }
                _ => {
                    let help = "`!set name Lambda(…)` gives the tags of the class a lambda";
                    tell(Report::error(node.span, "a library only sets names").with_help(help));
                }
            }
        }
        if let Some(from) = tree.from_path() {
            tell(Report::error(from, "only a tag is made from another").with_help("remove the line"));
        }
        for (name, (statement, value)) in own {
            self.names.insert(name.to_string());
            if !taken.insert(name.to_string()) {
                continue;
            }
            let span = tree.node(statement).span;
            let is_field = class.root().field(name).is_some() || name.starts_with("On");
            let is_lambda = matches!(tree.node(value).expression, Expression::Lambda { .. } | Expression::Body(_));
            self.statements.push(SharedStatement {
                name: name.to_string(),
                text: span.text(source).to_string(),
                layer,
                at: span.start,
                mentions: mentioned(source, &tree, span),
                is_optional: is_lambda && !is_field,
            });
        }
    }
}

/// What is composed.
pub(crate) struct Composition<'a> {
    pub class: &'a Class,
    pub shared: &'a SharedPart,
    /// Whether lambdas of libraries are kept that nothing mentions.
    pub keeps_all: bool,
}

impl Composition<'_> {
    /// The composed text of a tag; none if it inherits nothing.
    pub fn compose(&self, source: &str, tree: &Tree, version: u32, parents: &[Parent<'_>]) -> Option<Composed> {
        let changed: BTreeSet<&str> = updates(source, tree).map(|(name, _)| name).collect();
        if parents.is_empty() && self.shared.statements.is_empty() && changed.is_empty() {
            return None;
        }
        let mut composed = Composed { text: source.to_string(), ..Composed::default() };
        if !source.ends_with('\n') {
            composed.text.push('\n');
        }
        composed.own = composed.text.len() as u32;
        let mut taken = self.names_set(source, tree, version);
        let mut mentions = mentioned(source, tree, Span::new(0, source.len() as u32));
        for (number, parent) in parents.iter().enumerate() {
            let layer = Layer::Parent(number as u32);
            for (name, text, at) in self.statements_of(parent) {
                if taken.insert(name.clone()) {
                    let span = composed.add(&name, &text, layer, at);
                    let tree = parse(span.text(&composed.text));
                    mentions.extend(mentioned(&text, &tree, Span::new(0, text.len() as u32)));
                }
            }
        }
        self.add_updates(&mut composed, parents);
        self.add_shared(&mut composed, &mut taken, mentions);
        let of_parents = parents.iter().flat_map(|parent| updates(parent.source, parent.tree));
        self.add_values(&mut composed, &mut taken, changed.into_iter().chain(of_parents.map(|(name, _)| name)));
        Some(composed)
    }

    /// The names that a tag sets as a whole, and the fields that it supplies under former names.
    fn names_set(&self, source: &str, tree: &Tree, version: u32) -> BTreeSet<String> {
        let given: Vec<&str> = sets(source, tree).map(|(name, ..)| name).collect();
        let mut names: BTreeSet<String> = given.iter().map(ToString::to_string).collect();
        let record = self.class.root();
        for field in record.fields.iter().filter(|field| !field.former.is_empty()) {
            let present = |name: &str| given.iter().rposition(|set| *set == name);
            if find_supply(record, field, version, present).is_some() {
                names.insert(field.name.clone());
            }
        }
        names
    }

    /// The statements of a parent in today's form: names, texts and places.
    fn statements_of(&self, parent: &Parent<'_>) -> Vec<(String, String, u32)> {
        let (source, tree) = (parent.source, parent.tree);
        let version = tree.version.and_then(|span| span.text(source).parse().ok()).unwrap_or(1);
        let record = self.class.root();
        let given: BTreeMap<&str, (Span, NodeId)> =
            sets(source, tree).map(|(name, span, value)| (name, (span, value))).collect();
        let names: Vec<&str> = given.keys().copied().collect();
        let present = |name: &str| names.binary_search(&name).ok();
        let mut found = Vec::new();
        let mut converter = Converter::new();
        for field in record.fields.iter().filter(|field| !field.is_runtime && !field.former.is_empty()) {
            let Some(supply) = find_supply(record, field, version, present) else { continue };
            let (span, value) = given[names[supply.at]];
            let text = tree.node(value).span.text(source);
            let text = match supply.former.and_then(|former| former.convert.as_deref()) {
                None => text.to_string(),
                Some(convert) => {
                    let texts: Vec<(&str, &str)> =
                        given.iter().map(|(name, (_, value))| (*name, tree.node(*value).span.text(source))).collect();
                    // What cannot be converted was reported in the parent.
                    let Ok(converted) = converter.convert(convert, text, &texts, &field.kind) else { continue };
                    converted
                }
            };
            found.push((field.name.clone(), format!("!set {} {text}", field.name), span.start));
        }
        for (name, (span, _)) in &given {
            let field = record.field(name).map(|(_, field)| field);
            let is_supplied = match field {
                // Above, under today's name or a former one.
                Some(field) => !field.former.is_empty() || field.is_runtime,
                None => is_former(record, name, version) || !self.class.is_open && !self.shared.names.contains(*name),
            };
            if !is_supplied {
                found.push((name.to_string(), span.text(source).to_string(), span.start));
            }
        }
        found
    }

    /// The changes of parts by parents nearer than the value that they change, the furthest first.
    fn add_updates(&self, composed: &mut Composed, parents: &[Parent<'_>]) {
        let layers: BTreeMap<String, Layer> =
            composed.statements.iter().map(|inherited| (inherited.name.clone(), inherited.layer)).collect();
        for (number, parent) in parents.iter().enumerate().rev() {
            for (name, span) in updates(parent.source, parent.tree) {
                let of = layers.get(name).copied();
                // A value of the class is further than all parents.
                let is_below = of.is_none_or(|of| of >= Layer::Parent(number as u32));
                let is_own = of.is_none() && self.is_set_before(composed, name);
                if is_below && !is_own {
                    composed.add(name, span.text(parent.source), Layer::Parent(number as u32), span.start);
                }
            }
        }
    }

    /// The values of the class for fields of which only parts are set.
    fn add_values<'a>(
        &self,
        composed: &mut Composed,
        taken: &mut BTreeSet<String>,
        changed: impl Iterator<Item = &'a str>,
    ) {
        for name in changed {
            let Some((number, field)) = self.class.root().field(name).filter(|_| !taken.contains(name)) else {
                continue;
            };
            let value = match (&field.default, &field.kind) {
                (Some(default), _) => default.as_str(),
                (None, Kind::Record(_)) => "{}",
                (None, Kind::Series(_)) => "[]",
                _ => continue,
            };
            taken.insert(name.to_string());
            composed.add(name, &format!("!set {name} {value}"), Layer::Default(number), 0);
        }
    }

    /// Whether the tag itself sets a name as a whole.
    fn is_set_before(&self, composed: &Composed, name: &str) -> bool {
        let own = &composed.text[..composed.own as usize];
        sets(own, &parse(own)).any(|(set, ..)| set == name)
    }

    /// The values that the class shares and no nearer tag sets.
    fn add_shared(&self, composed: &mut Composed, taken: &mut BTreeSet<String>, mut mentions: BTreeSet<String>) {
        let mut left: Vec<&SharedStatement> =
            self.shared.statements.iter().filter(|shared| !taken.contains(&shared.name)).collect();
        let mut used: Vec<&SharedStatement> = Vec::new();
        loop {
            let is_needed =
                |shared: &SharedStatement| self.keeps_all || !shared.is_optional || mentions.contains(&shared.name);
            let (now, later): (Vec<_>, Vec<_>) = left.into_iter().partition(|shared| is_needed(shared));
            left = later;
            if now.is_empty() {
                break;
            }
            now.iter().for_each(|shared| mentions.extend(shared.mentions.iter().cloned()));
            used.extend(now);
        }
        used.sort_by_key(|shared| (shared.layer, shared.at));
        for shared in used {
            taken.insert(shared.name.clone());
            composed.add(&shared.name, &shared.text, shared.layer, shared.at);
        }
    }
}

impl Composed {
    fn add(&mut self, name: &str, text: &str, layer: Layer, at: u32) -> Span {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        self.text.push('\n');
        let span = Span::new(start, start + text.len() as u32);
        self.statements.push(InheritedStatement { name: name.to_string(), span, layer, at });
        span
    }

    /// The appended statement in which a byte lies.
    pub fn statement_at(&self, byte: u32) -> Option<&InheritedStatement> {
        let next = self.statements.partition_point(|inherited| inherited.span.start <= byte);
        next.checked_sub(1).map(|index| &self.statements[index])
    }

    /// Divides reports into those of the tag and those of what it inherits.
    pub fn divide(&self, reports: Vec<Report>) -> (Vec<Report>, Vec<InheritedReport>) {
        let (mut own, mut inherited) = (Vec::new(), Vec::new());
        for mut report in reports {
            match self.statement_at(report.span.start).filter(|_| report.span.start >= self.own) {
                None => own.push(report),
                Some(of) => {
                    let moved = |byte: u32| (byte - of.span.start) + of.at;
                    report.span = Span::new(moved(report.span.start), moved(report.span.end.max(report.span.start)));
                    inherited.push(InheritedReport { layer: of.layer, report });
                }
            }
        }
        (own, inherited)
    }

    /// Where its parts come from, for the program.
    pub(crate) fn origins(&self, class: &Class, parents: &[Parent<'_>]) -> Vec<Origin> {
        let texts: Vec<Lines> = parents.iter().map(|parent| Lines::of(parent.source)).collect();
        let libraries: Vec<Lines> = class.libraries.iter().map(|library| Lines::of(&library.text)).collect();
        let origin = |inherited: &InheritedStatement| {
            let (path, place) = match inherited.layer {
                Layer::Parent(number) => {
                    let parent = &parents[number as usize];
                    (parent.path.to_string(), texts[number as usize].place(parent.source, inherited.at))
                }
                Layer::Library(number) => {
                    let library = &class.libraries[number as usize];
                    (library.path.clone(), libraries[number as usize].place(&library.text, inherited.at))
                }
                // The class keeps the value, and not its place.
                Layer::Default(_) => {
                    (format!("the default of `{}` in the class `{}`", inherited.name, class.name), NOWHERE)
                }
            };
            Origin { start: inherited.span.start, path, place }
        };
        self.statements.iter().map(origin).collect()
    }
}

/// The place of a text without a file.
const NOWHERE: Place = Place { line: 0, column: 0 };

/// The names that a text sets as a whole, the spans of the statements and the values. Of two sets of one name, both.
fn sets<'a>(source: &'a str, tree: &'a Tree) -> impl Iterator<Item = (&'a str, Span, NodeId)> {
    tree.statements.iter().filter_map(|statement| match tree.node(*statement).expression {
        Expression::Set(name, value) if tree.node(value).expression != Expression::Missing => {
            Some((name.text(source), tree.node(*statement).span, value))
        }
        _ => None,
    })
}

/// The variables that a text changes in part, and the spans of the statements.
fn updates<'a>(source: &'a str, tree: &'a Tree) -> impl Iterator<Item = (&'a str, Span)> {
    tree.statements.iter().filter_map(|statement| {
        let node = tree.node(*statement);
        match node.expression {
            Expression::Update(target, ..) => Some((tree.variable_of(target).text(source), node.span)),
            _ => None,
        }
    })
}

/// The names within a span.
fn mentioned(source: &str, tree: &Tree, span: Span) -> BTreeSet<String> {
    let first = tree.tokens.partition_point(|token| token.span.start < span.start);
    let inside = tree.tokens[first..].iter().take_while(|token| token.span.start < span.end);
    inside.filter(|token| token.kind == TokenKind::Name).map(|token| token.span.text(source).to_string()).collect()
}
