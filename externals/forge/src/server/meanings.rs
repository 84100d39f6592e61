//! What the arguments of calls mean, looked up in the workspace: the flags that globals list, the variables with which an object can be
//! made, the fields of the records of effects and queries.

use std::collections::BTreeSet;

use script::ast::Expression;
use script::effect;
use script::meaning::Meaning;
use script::token::{Token, TokenKind};

use super::cursor::EnclosingCall;
use super::index::plain;
use super::uri::extension;
use super::view::View;

/// The class whose tags list the flags of a game.
const GLOBALS: &str = "globals";

/// The meaning of the value at the cursor, within a call.
pub fn meaning_of(view: &View<'_>, call: &EnclosingCall) -> Option<Meaning> {
    let field = call.field.as_deref();
    let of_field = |means: &[(&str, Meaning)]| {
        let found = means.iter().find(|(name, _)| Some(*name) == field);
        found.map(|(_, meaning)| *meaning)
    };
    if !call.is_effect {
        let query = view.queries().iter().find(|query| query.name == call.name)?;
        let records = query.records.iter().filter(|record| record.index == call.argument && call.is_record);
        return records.into_iter().find_map(|record| of_field(record.means));
    }
    let found = effect::find(&view.effects, call.name.trim_start_matches('!'))?.meaning(call.argument)?;
    match found {
        Meaning::Record(_, _, means) => of_field(means).filter(|_| call.is_record),
        _ => Some(found).filter(|_| !call.is_record),
    }
}

/// The names of the fields of the record at the cursor, within a call.
pub fn fields_of(view: &View<'_>, call: &EnclosingCall) -> Vec<String> {
    let names = |fields: &[&str]| fields.iter().map(|name| (*name).to_string()).collect();
    if !call.is_record {
        return Vec::new();
    }
    if !call.is_effect {
        let query = view.queries().iter().find(|query| query.name == call.name);
        let record = query.and_then(|query| query.records.iter().find(|record| record.index == call.argument));
        return record.map_or(Vec::new(), |record| names(record.fields));
    }
    let effect = effect::find(&view.effects, call.name.trim_start_matches('!'));
    match effect.and_then(|effect| effect.meaning(call.argument)) {
        Some(Meaning::Record(_, fields, _)) => names(fields),
        Some(Meaning::State) => call.first.as_deref().map_or(Vec::new(), |path| states_of(view, path)),
        _ => Vec::new(),
    }
}

/// The variables that each object of a tag has its own copy of.
fn states_of(view: &View<'_>, path: &str) -> Vec<String> {
    let shape = view.around.shapes.get(extension(path));
    let fields = shape.iter().flat_map(|shape| &shape.class.root().fields).filter(|field| field.is_state);
    fields.map(|field| field.name.clone()).collect()
}

/// The strings that globals list as flags, or all of their strings; none if there are no globals here.
pub fn strings_of_globals(view: &View<'_>, is_all: bool) -> Option<BTreeSet<String>> {
    let mut found = None;
    for (known, _) in view.tags(GLOBALS) {
        let Some(document) = (view.around.texts)(&known.path) else { continue };
        let (tree, text) = (document.tree(), &document.text);
        let flags = tree.statements.iter().find_map(|statement| match tree.node(*statement).expression {
            Expression::Set(name, value) if name.text(text) == "flags" => Some(tree.node(value).span),
            _ => None,
        });
        let is_meant = |start: u32| is_all || flags.is_some_and(|flags| (flags.start..flags.end).contains(&start));
        let strings = tree.tokens.iter().filter(|token| token.kind == TokenKind::String && is_meant(token.span.start));
        found.get_or_insert_with(BTreeSet::new).extend(strings.map(|token| plain(token.span.text(text))));
    }
    found
}

/// The variables that objects of a tag may be made with: the fields of its class and what its text sets. None if not all are known here.
pub fn variables_of(view: &View<'_>, path: &str) -> Option<BTreeSet<String>> {
    let shape = view.around.shapes.get(extension(path))?;
    let known = view.around.index.find(&view.document.path, path)?;
    let document = (view.around.texts)(&known.path)?;
    let tree = document.tree();
    if tree.from.is_some() || !tree.reports.is_empty() {
        return None;
    }
    let words: Vec<_> = tree.tokens.iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let is_set = |token: &Token| token.span.text(&document.text).eq_ignore_ascii_case("!set");
    let sets = words.windows(2).filter(|pair| is_set(pair[0]) && pair[1].kind == TokenKind::Name);
    let sets = sets.map(|pair| pair[1].span.text(&document.text).to_string());
    let fields = shape.schema.variables.iter().map(|variable| variable.name.clone());
    Some(fields.chain(sets).collect())
}
