//! What is wrong with a text, as an editor shows it.

use lsp_types::{Diagnostic, DiagnosticSeverity};
use script::check::{Checked, Setting, check};
use script::class;
use script::compile::compile;
use script::report::{Report, Severity};
use script::token::TokenKind;

use super::index::Sort;
use super::limits::DIAGNOSTICS_MAX;
use super::view::View;

/// Who says so.
const SOURCE: &str = "astrarium";

/// What is wrong with a text, by place.
pub fn diagnose(view: &View<'_>) -> Vec<Diagnostic> {
    let mut reports = match view.sort {
        Sort::Foreign | Sort::Unread => return Vec::new(),
        Sort::Header => header_reports(view),
        Sort::Tag | Sort::Script | Sort::Notes => script_reports(view),
    };
    reports.extend(view.document.tree().reports.iter().cloned());
    reports.sort_by_key(|report| (report.span.start, report.span.end));
    reports.dedup();
    reports.truncate(DIAGNOSTICS_MAX);
    reports.into_iter().map(|report| diagnostic(view, report)).collect()
}

/// What the checker knows of a text.
pub fn checked(view: &View<'_>) -> Checked {
    let setting = Setting {
        classes: view.around.shapes.scripts(),
        class: view.shape.map(|shape| &shape.script),
        effects: view.around.effects,
        accepts_unknown_effects: false,
    };
    check(view.text(), view.document.tree(), &setting)
}

fn script_reports(view: &View<'_>) -> Vec<Report> {
    let mut reports = checked(view).reports;
    reports.extend(compile_reports(view));
    reports
}

fn header_reports(view: &View<'_>) -> Vec<Report> {
    let mut reports = compile_reports(view);
    reports.extend(class::read(view.text(), view.document.tree()).1);
    reports
}

/// What the compiler finds wrong: names that are not known, and what is too large.
fn compile_reports(view: &View<'_>) -> Vec<Report> {
    let tree = view.document.tree();
    let mut declared: Vec<&str> = view.shape.map_or(Vec::new(), |shape| shape.script.names());
    let objects = tree.tokens.iter().filter(|token| token.kind == TokenKind::Object);
    let objects = objects.map(|token| view.word(token.span).trim_start_matches('~'));
    for object in objects {
        if !declared.contains(&object) {
            declared.push(object);
        }
    }
    compile(view.text(), tree, &declared).1
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
