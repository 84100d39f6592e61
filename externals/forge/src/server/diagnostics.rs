//! Diagnostics of a text.

use crate::notes::ClassNotes;
use lsp_types::{Diagnostic, DiagnosticSeverity};
use script::check::{Checked, Setting, check};
use script::compile::{begin, extend};
use script::meaning::{Meaning as ArgumentMeaning, Mention, Word};
use script::report::{Report, Severity, closest};
use script::source::Span;
use script::token::TokenKind;
use shelf::headers::{DAMAGED, DAMAGED_HELP};
use tags::classes::misplaced;
use tags::packed::INHERITED;

use super::header_class::header_reports;
use super::index::{FileKind, Known};
use super::limits::DIAGNOSTICS_MAX;
use super::meanings::{strings_of_globals, variables_of};
use super::near::ancestry_near;
use super::shapes::{field, is_damaged};
use super::uri::extension;
use super::view::View;
use crate::names::Meaning;
use crate::words::Declared;

/// The number of missing tags for which a similar one is suggested.
const SUGGESTIONS_MAX: usize = 8;

/// The source of diagnostics.
const SOURCE: &str = "astrarium";

/// The diagnostics of a text, by position.
pub fn diagnose(view: &View<'_>) -> Vec<Diagnostic> {
    let mut reports = match view.sort {
        FileKind::Foreign | FileKind::Unread => return Vec::new(),
        FileKind::Header if is_damaged(&view.document.path, view.text()) => {
            let message = format!("this header {DAMAGED}");
            vec![Report::error(view.document.tree().class.unwrap_or_default(), message).with_help(DAMAGED_HELP)]
        }
        FileKind::Header => header_reports(view.around.shapes, &view.document.path, view.text(), view.document.tree()),
        FileKind::Tag => tag_reports(view),
        FileKind::Notes => notes_reports(view),
        FileKind::Script => script_reports(view),
    };
    reports.extend(view.document.tree().reports.iter().cloned());
    reports.sort_by_key(|report| (report.span.start, report.span.end));
    reports.dedup();
    reports.truncate(DIAGNOSTICS_MAX);
    reports.into_iter().map(|report| diagnostic(view, report)).collect()
}

/// The facts of the script checker about a text.
pub fn checked(view: &View<'_>) -> Checked {
    let setting = Setting {
        schema: view.shape.map(|shape| &shape.schema),
        effects: &view.effects,
        queries: view.queries(),
        accepts_unknown_effects: false,
        handlers: view.handlers(),
    };
    check(view.text(), view.document.tree(), &setting)
}

/// Diagnostics of a tag: by its class, and for references to missing tags.
fn tag_reports(view: &View<'_>) -> Vec<Report> {
    let tree = view.document.tree();
    let Some(shape) = view.shape else {
        let message = format!("the class `@{}` is unknown here", view.document.class());
        let help = "add its header to this tree, or run its game, which writes it to `.astrarium/classes`";
        return vec![Report::warning(tree.class.unwrap_or_default(), message).with_help(help)];
    };
    let Some(prepared) = &shape.prepared else { return script_reports(view) };
    let is_a = |class: &str, base: &str| view.around.shapes.is_a(class, base);
    let ancestry = ancestry_near(&is_a, &view.document.path, view.text(), tree);
    let made = prepared.pack_from(view.text(), tree, &ancestry.parents());
    let mut reports = made.reports;
    reports.extend(ancestry.report.clone());
    // What is inherited is told where it is set.
    let own = made.packed.links().filter(|link| link.place != INHERITED);
    let missing = own.filter(|link| view.around.index.find(&view.document.path, link.path).is_none());
    let span_at = |place: u32| {
        let token = tree.tokens.partition_point(|token| token.span.start < place);
        let found = tree.tokens.get(token).filter(|token| token.span.start == place);
        found.map_or(Span::new(place, place), |token| token.span)
    };
    let shapes = view.around.shapes;
    let mentions = made.mentions.iter().filter(|mention| !is_there(view, mention)).take(DIAGNOSTICS_MAX).enumerate();
    reports.extend(mentions.map(|(number, mention)| mention_report(view, mention, number < SUGGESTIONS_MAX)));
    reports.extend(word_reports(view, &made.mentions));
    let misplaced = misplaced(&made.packed, |class, base| shapes.is_a(class, base));
    let misplaced = misplaced.into_iter().filter(|report| report.span.start != INHERITED);
    reports.extend(misplaced.map(|report| Report { span: span_at(report.span.start), ..report }));
    for (number, link) in missing.take(DIAGNOSTICS_MAX).enumerate() {
        let span = span_at(link.place);
        // Searching all tags takes a while, and many missing tags are not misspellings.
        let others = view.tags(link.class).map(|(_, path)| path).filter(|_| number < SUGGESTIONS_MAX);
        let help = closest(link.path, others).map_or(String::new(), |path| format!("did you mean `{path}`?"));
        reports.push(Report::error(span, format!("there is no tag `{}`", link.path)).with_help(help));
    }
    reports
}

/// The diagnostic of what a script mentions and is not there: a path, a class, a flag, a variable of an object that is made. The rest
/// takes the whole tree: see [`mentions`](crate::mentions).
fn mention_report(view: &View<'_>, mention: &Mention, may_search: bool) -> Report {
    let text = mention.text.replace('\\', "/");
    let advised = |message: String, found: Option<&str>, otherwise: &str| {
        let help = found.map_or(String::from(otherwise), |found| format!("did you mean `{found}`?"));
        Report::error(mention.span, message).with_help(help)
    };
    let (what, found) = match mention.meaning {
        ArgumentMeaning::Path(class) if find_tag(view, &text).is_some() => {
            let help = format!("a tag of the class `{class}`, or of one derived from it, is expected here");
            return Report::error(mention.span, format!("`{text}` is not a `{class}`")).with_help(help);
        }
        ArgumentMeaning::Flag => {
            let flags = strings_of_globals(view, true).unwrap_or_default();
            let found = closest(&text, flags.iter().map(String::as_str));
            let help = "the field `flags` of the globals lists the flags of a game";
            return advised(format!("there is no flag `{text}`"), found, help);
        }
        ArgumentMeaning::State => {
            let made = mention.of.replace('\\', "/");
            let known = variables_of(view, &made).unwrap_or_default();
            let found = closest(&text, known.iter().map(String::as_str));
            return advised(format!("`{made}` has no variable `{text}`"), found, "");
        }
        ArgumentMeaning::Path(class) => {
            let others = view.tags(class).map(|(_, path)| path).filter(|_| may_search);
            ("tag", closest(&text, others))
        }
        _ => ("class", closest(&text, view.around.shapes.names())),
    };
    advised(format!("there is no {what} `{text}`"), found, "")
}

fn find_tag<'a>(view: &View<'a>, path: &str) -> Option<&'a Known> {
    view.around.index.find(&view.document.path, path)
}

/// The diagnostics of words that no tag declares: widgets, contexts, actions, events.
fn word_reports(view: &View<'_>, mentions: &[Mention]) -> Vec<Report> {
    let shapes = view.around.shapes;
    let mut own = Declared::default();
    own.add(mentions);
    let mut all = own.clone();
    let mut read: Vec<&str> = Vec::new();
    let mut reports = Vec::new();
    for mention in mentions {
        let found = match mention.meaning {
            ArgumentMeaning::Names(word) => {
                let class = word.class();
                // A widget may be one of an interface that uses this one.
                let is_own = word != Word::Widget && view.shape.is_some_and(|shape| shape.class.is_a(class));
                if !is_own && !read.contains(&class) {
                    read.push(class);
                    for (known, path) in view.tags(class).filter(|(known, _)| known.path != view.document.path) {
                        let prepared = shapes.get(extension(path)).and_then(|shape| shape.prepared.as_ref());
                        if let (Some(prepared), Some(text)) = (prepared, (view.around.texts)(&known.path)) {
                            all.add(&prepared.field_mentions(&text.text, text.tree()));
                        }
                    }
                }
                match is_own {
                    true => own.report(mention),
                    // Where no tag that can be read declares any, it is not known what there is.
                    false => Some(&all).filter(|all| all.has_any(word)).and_then(|all| all.report(mention)),
                }
            }
            _ => own.report(mention),
        };
        reports.extend(found);
    }
    reports
}

/// Whether a mentioned path, class, flag or variable exists; other mentions are not decided here.
fn is_there(view: &View<'_>, mention: &Mention) -> bool {
    match mention.meaning {
        ArgumentMeaning::Path(class) => {
            let path = mention.text.replace('\\', "/");
            let shapes = view.around.shapes;
            let own = extension(&path);
            let is_known = shapes.get(class).is_some() && shapes.get(own).is_some();
            let is_kind = class.is_empty() || !is_known || shapes.is_a(own, class);
            is_kind && find_tag(view, &path).is_some()
        }
        ArgumentMeaning::Flag => strings_of_globals(view, true).is_none_or(|flags| flags.contains(&mention.text)),
        ArgumentMeaning::State => {
            let known = variables_of(view, &mention.of.replace('\\', "/"));
            known.is_none_or(|known| known.contains(&mention.text))
        }
        ArgumentMeaning::Class => view.around.shapes.names().any(|name| name == mention.text),
        _ => true,
    }
}

/// Diagnostics of notes on a class: invalid notes, and unknown fields.
fn notes_reports(view: &View<'_>) -> Vec<Report> {
    let (_, mut reports) = ClassNotes::read(view.text());
    if let Some(shape) = view.shape {
        let root = shape.class.root();
        for name in view.names.names.iter().filter(|name| name.meaning == Meaning::Set) {
            let word = view.word(name.span);
            if field(root, word).is_none() {
                let names = root.fields.iter().map(|field| field.name.as_str());
                let help = closest(word, names).map_or(String::new(), |found| format!("did you mean `{found}`?"));
                let message = format!("`@{}` has no field `{word}`", shape.class.name);
                reports.push(Report::warning(name.span, message).with_help(help));
            }
        }
    }
    reports
}

fn script_reports(view: &View<'_>) -> Vec<Report> {
    let mut reports = checked(view).reports;
    reports.extend(compile_reports(view));
    reports
}

/// Diagnostics of the compiler: unknown names, and excessive size.
fn compile_reports(view: &View<'_>) -> Vec<Report> {
    let tree = view.document.tree();
    let mut declared: Vec<&str> = view.shape.map_or(Vec::new(), |shape| shape.schema.names());
    let objects = tree.tokens.iter().filter(|token| token.kind == TokenKind::Object);
    let objects = objects.map(|token| view.word(token.span).trim_start_matches('~'));
    for object in objects {
        if !declared.contains(&object) {
            declared.push(object);
        }
    }
    extend(begin(&declared, &[], view.queries()), view.text(), tree).1
}

fn diagnostic(view: &View<'_>, report: Report) -> Diagnostic {
    let severity = match report.severity {
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Error => DiagnosticSeverity::ERROR,
    };
    let message = match report.help.is_empty() {
        true => report.message,
        false => format!("{}\n{}", report.message, report.help),
    };
    Diagnostic {
        range: view.document.range(report.span),
        severity: Some(severity),
        source: Some(SOURCE.to_string()),
        message,
        ..Diagnostic::default()
    }
}
