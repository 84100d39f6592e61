//! Hover: documentation of the symbol at the cursor.

use crate::field_path::FieldPath;
use crate::notes::ClassNotes;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use script::builtin;
use script::effect;
use script::query;
use script::source::Span;
use script::token::TokenKind;
use script::types::Type;

use super::cursor::{Step, look};
use super::diagnostics::checked;
use super::index::{NOTES_EXTENSION, plain};
use super::markdown;
use super::shapes::{choices, resolve};
use super::uri::extension;
use super::view::View;
use crate::names::{Meaning, Name};

/// The hover text at a byte. None if there is nothing to show.
pub fn hover(view: &View<'_>, byte: u32) -> Option<Hover> {
    let tokens = &view.document.tree().tokens;
    let name = view.names.at(byte);
    let (span, told) = match name {
        Some(name) => (name.span, of_name(view, name)),
        None => {
            let token = tokens.iter().find(|token| token.span.start <= byte && byte < token.span.end)?;
            let is_lambda = matches!(token.kind, TokenKind::Lambda | TokenKind::Cached | TokenKind::Uncached);
            let told = if is_lambda { lambda_at(view, token.span.start) } else { None };
            let is_value = !matches!(token.kind, TokenKind::Comment | TokenKind::NewLine | TokenKind::Effect);
            (token.span, told.or_else(|| if is_value { value_at(view, byte) } else { None }))
        }
    };
    let value = told?;
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(view.document.range(span)) })
}

fn of_name(view: &View<'_>, name: Name) -> Option<String> {
    let word = view.word(name.span);
    match name.meaning {
        Meaning::Class => view.shape.map(|shape| markdown::class(&shape.class)),
        Meaning::Builtin => {
            let builtin = builtin::find(word).map(|(_, found)| markdown::builtin(found));
            builtin.or_else(|| query::find(view.queries(), word).map(|(_, found)| markdown::query(found)))
        }
        Meaning::Effect => effect::find(&view.effects, word).map(markdown::effect),
        Meaning::Object => Some(format!("`{word}`: a handle of an object")),
        Meaning::Local(number) => local(view, number),
        Meaning::Set | Meaning::InnerSet | Meaning::Variable => variable(view, word, name.span),
        Meaning::Field => field_name(view, name),
        Meaning::Access => None,
        Meaning::Text => text(view, name).or_else(|| value_at(view, name.span.start + 1)),
    }
}

/// A variable: its field, the checker's facts, designers' notes.
fn variable(view: &View<'_>, word: &str, span: Span) -> Option<String> {
    let mut told = Vec::new();
    if let Some(shape) = view.shape
        && let Some(target) = resolve(&shape.class, &[Step::Field(word.to_string())])
    {
        told.push(markdown::field(&shape.class, target.record, target.field));
    }
    if !view.is_tag() || view.shape.is_none() {
        let known = checked(view);
        let lambda = known.lambda(word).map(|fact| markdown::lambda(fact, &known));
        let fact = known.variables.iter().find(|fact| fact.name == word);
        let kind = fact.map(|fact| format!("```lscript\n{word}: {}\n```", fact.kind));
        told.extend(lambda.or(kind));
    }
    told.extend(noted(view, &[Step::Field(word.to_string())], span.start));
    (!told.is_empty()).then(|| told.join("\n\n"))
}

/// A parameter or a `let`: its declared type, or that of its lambda.
fn local(view: &View<'_>, number: u32) -> Option<String> {
    let local = view.names.locals.get(number as usize)?;
    let word = view.word(local.given.span);
    let what = if local.is_parameter { "a parameter" } else { "a `let`" };
    let known = checked(view);
    let kind = match (local.given.written_type, local.lambda, local.value) {
        (Some(written), ..) => Some(view.word(written).to_string()),
        (None, Some((lambda, place)), _) => {
            known.lambdas.iter().find(|fact| fact.node == lambda).and_then(|fact| match &fact.kind {
                Type::Lambda(lambda) => lambda.parameters.get(place as usize).map(ToString::to_string),
                _ => None,
            })
        }
        (None, None, Some(value)) => {
            let fact = known.lambdas.iter().find(|fact| fact.node == value);
            if let Some(fact) = fact {
                return Some(markdown::lambda(fact, &known));
            }
            None
        }
        _ => None,
    };
    Some(format!("```lscript\n{word}: {}\n```\n\n{what}", kind.as_deref().unwrap_or("any")))
}

fn lambda_at(view: &View<'_>, byte: u32) -> Option<String> {
    let known = checked(view);
    let fact = known.lambdas.iter().find(|fact| fact.span.start == byte)?;
    Some(markdown::lambda(fact, &known))
}

/// A string: the tag or the choice it names.
fn text(view: &View<'_>, name: Name) -> Option<String> {
    let word = plain(view.word(name.span));
    if view.tag_at(name).is_some() {
        let class = view.around.shapes.get(extension(&word));
        let told = class.map_or(String::new(), |shape| format!("\n\n{}", markdown::class(&shape.class)));
        return Some(format!("the tag `{word}`{told}"));
    }
    let context = look(view.text(), &view.document.tree().tokens, name.span.start + 1);
    let target = resolve(&view.shape?.class, &context.path)?;
    let named = choices(target.kind).iter().find(|named| named.name == word && !named.help.is_empty())?;
    Some(format!("`\"{word}\"`: {}", named.help))
}

/// The field whose value contains the cursor.
fn value_at(view: &View<'_>, byte: u32) -> Option<String> {
    let context = look(view.text(), &view.document.tree().tokens, byte);
    let shape = view.shape?;
    let target = resolve(&shape.class, &context.path)?;
    let mut told = vec![markdown::field(&shape.class, target.record, target.field)];
    told.extend(noted(view, &context.path, byte));
    Some(told.join("\n\n"))
}

/// A field name that is being written.
fn field_name(view: &View<'_>, name: Name) -> Option<String> {
    let context = look(view.text(), &view.document.tree().tokens, name.span.start);
    let shape = view.shape?;
    let mut path = context.path;
    path.push(Step::Field(view.word(name.span).to_string()));
    let target = resolve(&shape.class, &path)?;
    let mut told = vec![markdown::field(&shape.class, target.record, target.field)];
    told.extend(noted(view, &path, name.span.start));
    Some(told.join("\n\n"))
}

/// Designers' notes, here and on the field in general.
fn noted(view: &View<'_>, path: &[Step], byte: u32) -> Vec<String> {
    let mut notes = markdown::notes(view.text(), &view.document.tree().tokens, byte);
    notes.extend(notes_on_class(view, path));
    notes.into_iter().map(|note| format!("> {note}")).collect()
}

/// The note of `<class>.notes` on the field at a path.
fn notes_on_class(view: &View<'_>, path: &[Step]) -> Option<String> {
    let class = &view.shape?.class.name;
    let root = view.around.index.root_of(&view.document.path);
    let notes = (view.around.texts)(&format!("{root}/{class}.{NOTES_EXTENSION}"))?;
    let names = path.iter().filter_map(|step| match step {
        Step::Field(name) => Some(name),
        Step::Element => None,
    });
    let place = names.fold(FieldPath::root(), |place, name| place.field(name));
    ClassNotes::read(&notes.text).0.get(&place).map(String::from)
}
