//! Completion.
//!
//! Laws
//! 1. A completion replaces the word at the cursor, and nothing else.
//! 2. Of the fields of a record, only missing ones are offered.

use std::collections::BTreeSet;

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, InsertTextFormat, MarkupContent, MarkupKind,
    Range, TextEdit,
};
use script::ast::{Expression, NodeId, Tree};
use script::builtin::BUILTINS;
use script::effect::Effect;
use script::meaning::Meaning as ArgumentMeaning;
use script::source::Span;
use script::types::{Type, WORDS};
use tags::class::{Class, Field, Kind, Record};
use tags::header::HEADER;

use super::cursor::{CursorContext, Expected, look};
use super::diagnostics::checked;
use super::index::{FileKind, plain};
use super::limits::OFFERS_MAX;
use super::markdown;
use super::meanings::{fields_of, meaning_of, strings_of_globals};
use super::shapes::{choices, each_value, plain_kind, record_at, resolve};
use super::symbols::matches;
use super::view::View;
use crate::names::{Meaning, children};

/// The types of headers.
const TAG_TYPES: [&str; 25] = [
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "f32",
    "f64",
    "angle",
    "colour",
    "bulk",
    "formula",
    "text",
    "string id",
    "vec2",
    "vec3",
    "vec4",
    "choice",
    "flags",
    "tag",
    "list of number",
    "list of string",
    "list of record",
];

/// The keywords that begin a value.
const VALUE_WORDS: [&str; 8] = ["Lambda", "Cached", "Uncached", "if", "let", "not", "true", "false"];

/// The keywords that may follow one.
const OPERATOR_WORDS: [&str; 5] = ["and", "or", "then", "else", "in"];

/// Completions, and whether there are more.
pub struct Offers {
    /// The items.
    pub items: Vec<CompletionItem>,
    /// Whether some were omitted: then the client should ask again as the user types.
    pub is_cut: bool,
}

/// The completions at a byte. `has_snippets`: whether the client supports snippets.
pub fn complete(view: &View<'_>, byte: u32, has_snippets: bool) -> Offers {
    let context = look(view.text(), &view.document.tree().tokens, byte);
    let range = view.document.range(context.word);
    let word = view.word(context.word);
    let mut offers = Writer { items: Vec::new(), range, has_snippets, is_cut: false };
    match &context.expected {
        Expected::Comment | Expected::NewName => {}
        Expected::Operator if context.is_string => {}
        Expected::Operator => OPERATOR_WORDS.iter().for_each(|word| offers.keyword(word)),
        Expected::Class => classes(view, &mut offers),
        Expected::Statement => statements(view, word, &mut offers),
        Expected::Variable => variables_to_set(view, &mut offers),
        Expected::FieldName => match &context.call {
            Some(call) if call.is_record => {
                let names = fields_of(view, call).into_iter().filter(|name| !context.siblings.contains(name));
                for name in names {
                    let insert = Some(format!("{name} "));
                    offers.add(Offer { insert, ..Offer::new(&name, CompletionItemKind::FIELD) });
                }
            }
            _ => {
                if let Some(shape) = view.shape
                    && let Some(record) = record_at(&shape.class, &context.path)
                {
                    fields(view, &shape.class, record, &context.siblings, &mut offers);
                }
            }
        },
        Expected::Access => accesses(view, byte, &mut offers),
        Expected::Value if view.sort == FileKind::Notes => {}
        Expected::Value => values(view, &context, byte, &mut offers),
    }
    Offers { items: offers.items, is_cut: offers.is_cut }
}

fn classes(view: &View<'_>, offers: &mut Writer) {
    for name in view.around.shapes.names() {
        let told = view.around.shapes.get(name).map(|shape| markdown::class(&shape.class));
        offers.add(Offer { told, ..Offer::new(&format!("@{name}"), CompletionItemKind::CLASS) });
    }
}

fn statements(view: &View<'_>, word: &str, offers: &mut Writer) {
    if view.document.tree().class.is_none() && view.document.tree().statements.is_empty() {
        classes(view, offers);
    }
    if let Some(shape) = view.shape {
        let given = given_fields(view);
        let open = shape.class.root().fields.iter().filter(|field| !given.contains(field.name.as_str()));
        for field in open.filter(|field| is_offered(field)) {
            let is_marked = word.starts_with('!');
            let filter = if is_marked { format!("!set {}", field.name) } else { field.name.clone() };
            offers.add(Offer {
                detail: Some(markdown::kind(&field.kind)),
                told: Some(markdown::field(&shape.class, shape.class.root(), field)),
                insert: Some(format!("!set {} {}", field.name, begun(view, field, &shape.class))),
                filter: Some(filter),
                ..Offer::new(&field.name, CompletionItemKind::FIELD)
            });
        }
    }
    offers.add(Offer {
        insert: Some("!set ${1:name} ${2:value}".to_string()),
        ..Offer::new("!set", CompletionItemKind::KEYWORD)
    });
    if !view.is_tag() || view.has_dialect {
        effects(&view.effects, offers);
    }
}

fn variables_to_set(view: &View<'_>, offers: &mut Writer) {
    let given = given_fields(view);
    if let Some(shape) = view.shape {
        let is_open = |field: &&Field| !view.is_tag() || !given.contains(field.name.as_str());
        for field in shape.class.root().fields.iter().filter(is_open).filter(|field| is_offered(field)) {
            let value = if view.is_tag() { format!(" {}", begun(view, field, &shape.class)) } else { String::new() };
            offers.add(Offer {
                detail: Some(markdown::kind(&field.kind)),
                told: Some(markdown::field(&shape.class, shape.class.root(), field)),
                insert: Some(format!("{}{value}", field.name)),
                ..Offer::new(&field.name, CompletionItemKind::FIELD)
            });
        }
    }
    if !view.is_tag() {
        for name in given.into_iter().filter(|name| !view.is_declared(name)) {
            offers.add(Offer::new(name, CompletionItemKind::VARIABLE));
        }
    }
}

fn fields(view: &View<'_>, class: &Class, record: &Record, siblings: &[String], offers: &mut Writer) {
    let open = record.fields.iter().filter(|field| !siblings.contains(&field.name));
    for field in open.filter(|field| is_offered(field)) {
        offers.add(Offer {
            detail: Some(markdown::kind(&field.kind)),
            told: Some(markdown::field(class, record, field)),
            insert: Some(format!("{} {}", field.name, begun(view, field, class))),
            ..Offer::new(&field.name, CompletionItemKind::FIELD)
        });
    }
}

fn values(view: &View<'_>, context: &CursorContext, byte: u32, offers: &mut Writer) {
    let target = view.shape.and_then(|shape| resolve(&shape.class, &context.path));
    let mut has_strings = false;
    if let Some(target) = target {
        for named in choices(target.kind) {
            let is_list = matches!(plain_kind(target.kind), Kind::Flags(_)) && !target.is_element;
            let label = format!("\"{}\"", named.name);
            let told = Some(named.help.clone()).filter(|help| !help.is_empty());
            let text = match (context.is_string, is_list) {
                (true, _) => named.name.clone(),
                (false, true) => format!("[{label}]"),
                (false, false) => label.clone(),
            };
            has_strings = true;
            offers.add(Offer {
                told,
                filter: Some(text.clone()),
                insert: Some(text),
                is_first: true,
                ..Offer::new(&label, CompletionItemKind::ENUM_MEMBER)
            });
        }
        if let Kind::Reference(class) = plain_kind(target.kind) {
            has_strings = true;
            references(view, class, context, byte, offers);
        }
        if *plain_kind(target.kind) == Kind::StringId {
            has_strings = true;
            for marker in markers(view) {
                let text = if context.is_string { marker.clone() } else { format!("\"{marker}\"") };
                offers.add(Offer {
                    filter: Some(text.clone()),
                    insert: Some(text),
                    is_plain: true,
                    ..Offer::new(&marker, CompletionItemKind::CONSTANT)
                });
            }
        }
        if !context.is_string {
            of_kind(target.field, target.kind, offers);
        }
        if view.sort == FileKind::Header && target.field.name == "Base" {
            for name in view.around.shapes.names().filter(|name| *name != HEADER) {
                let text = if context.is_string { name.to_string() } else { format!("\"{name}\"") };
                offers.add(Offer {
                    filter: Some(text.clone()),
                    insert: Some(text),
                    is_first: true,
                    ..Offer::new(name, CompletionItemKind::CLASS)
                });
            }
        }
        let is_type = view.sort == FileKind::Header && target.field.name == "type";
        if is_type {
            let kinds = WORDS.iter().chain(&TAG_TYPES).map(|word| word.to_string());
            let references = view.around.shapes.names().map(|name| format!("@{name}"));
            for word in kinds.chain(references) {
                let text = if context.is_string { word.clone() } else { format!("\"{word}\"") };
                offers.add(Offer {
                    filter: Some(text.clone()),
                    insert: Some(text),
                    is_first: true,
                    ..Offer::new(&word, CompletionItemKind::TYPE_PARAMETER)
                });
            }
        }
    }
    let meaning = context.call.as_ref().and_then(|call| meaning_of(view, call));
    let words = meaning.map_or(Vec::new(), |meaning| words_of(view, meaning));
    for word in &words {
        let text = if context.is_string { word.clone() } else { format!("\"{word}\"") };
        offers.add(Offer {
            filter: Some(text.clone()),
            insert: Some(text),
            is_plain: true,
            is_first: true,
            ..Offer::new(word, CompletionItemKind::CONSTANT)
        });
    }
    let path = match meaning {
        Some(ArgumentMeaning::Path(class)) => Some(if view.around.shapes.get(class).is_some() { class } else { "" }),
        _ => None,
    };
    if context.is_string {
        let is_path = path.is_some() || words.is_empty() && view.word(context.word).contains(['/', '\\']);
        if !has_strings && is_path {
            references(view, path.unwrap_or(""), context, byte, offers);
        }
        return;
    }
    if let Some(class) = path {
        references(view, class, context, byte, offers);
    }
    names(view, byte, offers);
}

/// The words that an argument of this meaning may be.
fn words_of(view: &View<'_>, meaning: ArgumentMeaning) -> Vec<String> {
    match meaning {
        ArgumentMeaning::Choice(_, words) => {
            words.iter().filter(|word| !word.is_empty()).map(|word| (*word).to_string()).collect()
        }
        ArgumentMeaning::Class => view.around.shapes.names().filter(|name| *name != HEADER).map(String::from).collect(),
        ArgumentMeaning::Flag => strings_of_globals(view, false).unwrap_or_default().into_iter().collect(),
        ArgumentMeaning::Marker => markers(view).into_iter().collect(),
        ArgumentMeaning::Message | ArgumentMeaning::Handler => {
            let handlers = view.handlers().iter().map(|handler| handler.name);
            let own = view.names.names.iter().filter(|name| matches!(name.meaning, Meaning::Set | Meaning::InnerSet));
            let all = handlers.chain(own.map(|name| view.word(name.span))).filter_map(|name| name.strip_prefix("On"));
            let all: BTreeSet<&str> = all.filter(|name| !name.is_empty()).collect();
            all.into_iter().map(String::from).collect()
        }
        _ => Vec::new(),
    }
}

/// Values of a kind that need no further context.
fn of_kind(field: &Field, kind: &Kind, offers: &mut Writer) {
    let plain = plain_kind(kind);
    if !std::ptr::eq(plain, kind) {
        offers.value("nothing", "nothing");
    }
    if let Some(default) = &field.default
        && std::ptr::eq(kind, &field.kind)
    {
        offers.value(default, default);
    }
    match plain {
        Kind::Truth => ["true", "false"].iter().for_each(|word| offers.value(word, word)),
        Kind::Vector(2) => offers.value("vec(x, y)", "vec(${1:0}, ${2:0})"),
        Kind::Vector(3) => offers.value("vec(x, y, z)", "vec(${1:0}, ${2:0}, ${3:0})"),
        Kind::Vector(_) => offers.value("[x, y, z, w]", "[${1:0}, ${2:0}, ${3:0}, ${4:0}]"),
        Kind::Colour => offers.value("\"#rrggbb\"", "\"#${1:ffffff}\""),
        Kind::Lambda(_) | Kind::Formula => offers.value("Lambda(…)", "Lambda(${1:value})"),
        Kind::Record(_) => offers.value("{ … }", "{ $1 }"),
        Kind::Series(of) => match plain_kind(of) {
            Kind::Record(_) => offers.value("[ { … } ]", "[\n    { $1 }\n]"),
            _ => offers.value("[…]", "[$1]"),
        },
        Kind::Bulk => offers.value("{ file … }", "{ file \"$1\", bytes ${2:0}, hash \"$3\" }"),
        _ => {}
    }
}

/// The names used in this tag and in those it refers to: markers, keys.
fn markers(view: &View<'_>) -> BTreeSet<String> {
    const TAGS_MAX: usize = 16;
    const MARKERS_MAX: usize = 1000;
    let mut found = names_in(view);
    let tags: BTreeSet<&str> = view.names.names.iter().filter_map(|name| view.tag_at(*name)).take(TAGS_MAX).collect();
    for document in tags.into_iter().filter_map(view.around.texts) {
        found.extend(names_in(&View::new(&document, view.around)));
    }
    found.into_iter().filter(|name| !name.is_empty()).take(MARKERS_MAX).collect()
}

/// The strings of a text that stand where names are expected.
fn names_in(view: &View<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(shape) = view.shape else { return found };
    let tree = view.document.tree();
    each_value(&shape.class, view.text(), tree, &mut |id, kind| {
        let node = tree.node(id);
        if *kind == Kind::StringId && node.expression == Expression::String {
            found.insert(plain(view.word(node.span)));
        }
    });
    found
}

/// The paths of tags of a class that match the prefix.
fn references(view: &View<'_>, class: &str, context: &CursorContext, byte: u32, offers: &mut Writer) {
    let is_string = context.is_string;
    let written = if is_string { view.word(Span::new(context.word.start, byte.max(context.word.start))) } else { "" };
    let own = view.around.index.root_of(&view.document.path);
    let is_in_tree = own != view.around.index.root;
    for (file, path) in view.tags(class) {
        let is_elsewhere = is_in_tree && view.around.index.root_of(&file.path) != own;
        if is_elsewhere || !matches(path, written) {
            continue;
        }
        let text = if is_string { path.to_string() } else { format!("\"{path}\"") };
        offers.add(Offer {
            filter: Some(text.clone()),
            insert: Some(text),
            is_plain: true,
            ..Offer::new(path, CompletionItemKind::FILE)
        });
    }
}

/// Everything in scope: locals, variables, built-ins, keywords, effects.
fn names(view: &View<'_>, byte: u32, offers: &mut Writer) {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for local in view.names.locals_at(byte) {
        let name = view.word(local.given.span);
        if told.insert(name) && !name.is_empty() {
            let detail = local.given.written_type.map(|span| view.word(span).to_string());
            offers.add(Offer { detail, ..Offer::new(name, CompletionItemKind::VARIABLE) });
        }
    }
    let known = checked(view);
    let own = known.variables.iter().filter(|fact| fact.is_declared || fact.is_set);
    for fact in own {
        if !fact.name.is_empty() && !told.contains(fact.name.as_str()) {
            let kind = match fact.kind {
                Type::Lambda(_) | Type::SomeLambda => CompletionItemKind::FUNCTION,
                _ => CompletionItemKind::VARIABLE,
            };
            let help =
                view.shape.and_then(|shape| shape.class.root().field(&fact.name)).map(|(_, field)| field.help.clone());
            offers.add(Offer {
                detail: Some(fact.kind.to_string()),
                told: help.filter(|help| !help.is_empty()),
                ..Offer::new(&fact.name, kind)
            });
        }
    }
    let builtins = BUILTINS.iter().map(|row| (row.name, row.signature, markdown::builtin(row)));
    let queries = view.queries().iter().map(|row| (row.name, row.signature, markdown::query(row)));
    for (name, signature, help) in builtins.chain(queries) {
        let is_hidden = told.contains(name) || known.variables.iter().any(|fact| fact.name == name && fact.is_set);
        if !is_hidden {
            offers.add(Offer {
                detail: Some(signature.to_string()),
                told: Some(help),
                insert: Some(format!("{name}($1)")),
                ..Offer::new(name, CompletionItemKind::FUNCTION)
            });
        }
    }
    VALUE_WORDS.iter().for_each(|word| offers.keyword(word));
    offers.keyword("nothing");
    // The lambdas of a tag have effects; its plain values have none.
    let tree = view.document.tree();
    let is_in_lambda = || tree.statements.iter().any(|statement| is_in_lambda(tree, *statement, byte));
    if !view.is_tag() || view.sort == FileKind::Tag && is_in_lambda() {
        offers.add(Offer::new("~this", CompletionItemKind::CONSTANT));
        offers.keyword("!set");
        effects(&view.effects, offers);
    }
}

/// Whether a position is within a lambda, a body, or a list that may become a body. The tree's height bounds the recursion.
fn is_in_lambda(tree: &Tree, id: NodeId, byte: u32) -> bool {
    let node = tree.node(id);
    if byte <= node.span.start || node.span.end < byte {
        return false;
    }
    let may_act = match node.expression {
        Expression::Lambda { .. } | Expression::Body(_) => true,
        Expression::List(items) => tree.items(items).len() <= 1,
        _ => false,
    };
    may_act || children(tree, id).into_iter().any(|child| is_in_lambda(tree, child, byte))
}

fn effects(tables: &[&'static [Effect]], offers: &mut Writer) {
    for effect in tables.iter().flat_map(|table| table.iter()) {
        offers.add(Offer {
            detail: Some(format!("!{}", effect.signature)),
            told: Some(markdown::effect(effect)),
            insert: Some(format!("!{}($1)", effect.name)),
            ..Offer::new(&format!("!{}", effect.name), CompletionItemKind::EVENT)
        });
    }
}

/// The fields of the value before a dot: those of its record if it is known, otherwise a vector's.
fn accesses(view: &View<'_>, byte: u32, offers: &mut Writer) {
    let before = view.text().get(..byte as usize).unwrap_or("");
    let before = before.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
    let base = before.strip_suffix('.').unwrap_or("");
    let start = base.rfind(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').map_or(0, |at| at + 1);
    let known = checked(view);
    let fact = known.variables.iter().find(|fact| fact.name == base.get(start..).unwrap_or(""));
    match fact.map(|fact| &fact.kind) {
        Some(Type::Record(record)) => {
            for (name, kind) in &record.fields {
                let detail = Some(kind.to_string());
                offers.add(Offer { detail, ..Offer::new(name, CompletionItemKind::FIELD) });
            }
        }
        _ => {
            for axis in ["x", "y", "z"] {
                let detail = Some("number".to_string());
                offers.add(Offer { detail, ..Offer::new(axis, CompletionItemKind::FIELD) });
            }
        }
    }
}

/// The fields that statements of the file set.
fn given_fields<'a>(view: &View<'a>) -> BTreeSet<&'a str> {
    let sets = view.names.names.iter().filter(|name| matches!(name.meaning, Meaning::Set | Meaning::InnerSet));
    sets.map(|name| view.word(name.span)).collect()
}

fn is_offered(field: &Field) -> bool {
    !field.is_hidden && !field.is_runtime
}

/// The initial value in notes: a text.
fn begun(view: &View<'_>, field: &Field, class: &Class) -> String {
    if view.sort == FileKind::Notes { "\"$1\"".to_string() } else { default_of(field, class) }
}

/// The initial value: the default, or a value of the kind, to be overwritten.
fn default_of(field: &Field, class: &Class) -> String {
    if let Some(default) = &field.default {
        return format!("${{1:{}}}", escaped(default));
    }
    match plain_kind(&field.kind) {
        Kind::Number(_) | Kind::Angle | Kind::Formula => "${1:0}".to_string(),
        Kind::Truth => "${1:false}".to_string(),
        Kind::Identifier => "${1:#0}".to_string(),
        Kind::Vector(2) => "vec(${1:0}, ${2:0})".to_string(),
        Kind::Vector(3) => "vec(${1:0}, ${2:0}, ${3:0})".to_string(),
        Kind::Flags(_) | Kind::Vector(_) => "[$1]".to_string(),
        Kind::Series(of) => match plain_kind(of) {
            Kind::Record(number) => {
                let key = class.record(*number).and_then(Record::key_field);
                let key = key.map_or("$1".to_string(), |key| format!("{} $1", key.name));
                format!("[\n    {{ {key} }}\n]")
            }
            _ => "[$1]".to_string(),
        },
        Kind::Record(_) | Kind::Bulk => "{ $1 }".to_string(),
        Kind::Own(_) => "nothing".to_string(),
        Kind::Lambda(_) => "Lambda($1)".to_string(),
        Kind::StringId | Kind::Text | Kind::Choice(_) | Kind::Reference(_) | Kind::Colour => "\"$1\"".to_string(),
        Kind::Optional(_) => "$1".to_string(),
    }
}

/// A completion item before it is encoded.
struct Offer<'a> {
    label: &'a str,
    kind: CompletionItemKind,
    detail: Option<String>,
    told: Option<String>,
    /// The inserted text, if it is not the label: a snippet, unless it is plain.
    insert: Option<String>,
    filter: Option<String>,
    is_plain: bool,
    is_first: bool,
}

impl<'a> Offer<'a> {
    fn new(label: &'a str, kind: CompletionItemKind) -> Offer<'a> {
        Offer { label, kind, detail: None, told: None, insert: None, filter: None, is_plain: false, is_first: false }
    }
}

struct Writer {
    items: Vec<CompletionItem>,
    range: Range,
    has_snippets: bool,
    is_cut: bool,
}

impl Writer {
    fn keyword(&mut self, word: &str) {
        self.add(Offer::new(word, CompletionItemKind::KEYWORD));
    }

    fn value(&mut self, label: &str, snippet: &str) {
        let insert = Some(snippet.to_string());
        self.add(Offer { insert, is_first: true, ..Offer::new(label, CompletionItemKind::VALUE) });
    }

    fn add(&mut self, offer: Offer<'_>) {
        if self.items.len() >= OFFERS_MAX {
            self.is_cut = true;
            return;
        }
        let text = offer.insert.unwrap_or_else(|| offer.label.to_string());
        let is_snippet = !offer.is_plain && text.contains('$');
        let (new_text, format) = match is_snippet {
            true if self.has_snippets => (text, Some(InsertTextFormat::SNIPPET)),
            true => (without_stops(&text), None),
            false => (text, None),
        };
        let documentation =
            offer.told.map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
        let rank = if offer.is_first { '0' } else { '1' };
        self.items.push(CompletionItem {
            label: offer.label.to_string(),
            kind: Some(offer.kind),
            detail: offer.detail,
            documentation,
            sort_text: Some(format!("{rank}{:05}", self.items.len())),
            filter_text: offer.filter,
            insert_text_format: format,
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: self.range, new_text })),
            ..CompletionItem::default()
        });
    }
}

/// A text escaped for a snippet.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// A snippet as plain text: `${1:x}` is `x`, `$1` is nothing.
fn without_stops(snippet: &str) -> String {
    let mut out = String::new();
    let mut letters = snippet.chars().peekable();
    let mut open = 0_u32;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.extend(letters.next()),
            '$' if letters.peek() == Some(&'{') => {
                let _ = letters.by_ref().find(|letter| *letter == ':');
                open += 1;
            }
            '$' => while letters.next_if(char::is_ascii_digit).is_some() {},
            '}' if open > 0 => open -= 1,
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::cursor::Step;
    use super::*;

    #[test]
    fn an_editor_without_snippets_gets_their_text() {
        for (snippet, text) in [
            ("vec(${1:0}, ${2:0})", "vec(0, 0)"),
            ("[$1]", "[]"),
            ("{ $1 }", "{  }"),
            ("${1:\\{ a 1 \\}}", "{ a 1 }"),
            ("${1", ""),
        ] {
            assert_eq!(without_stops(snippet), text, "{snippet}");
        }
    }

    #[test]
    fn a_default_is_offered_as_it_is() {
        let field = Field { default: Some("{ a \"$5\" }".to_string()), ..Field::new("x", Kind::Text) };
        assert_eq!(without_stops(&default_of(&field, &Class::new("c"))), "{ a \"$5\" }");
    }

    #[test]
    fn steps_are_not_needed_at_the_root() {
        assert!(record_at(&Class::new("c"), &[]).is_some());
        assert!(record_at(&Class::new("c"), &[Step::Element]).is_none());
    }
}
