//! What a header declares: a class of tags, or one that only scripts can be of.

use script::class;
use script::parse::parse;
use script::report::{Report, Severity};
use script::tree::Tree;
use tags::gather::written_name;
use tags::header::{self, as_script_class};

use super::address::{extension, is_made, tags_root};
use super::index::HEADER_EXTENSION;
use super::shapes::{Declared, HeaderText, Shapes, table_of};

/// What there is to know of a header.
pub fn header_text(path: &str, text: String) -> HeaderText {
    let has_base = written_name(&text, &parse(&text), "Base").is_some();
    HeaderText { declared: if has_base { None } else { declared(path, &text) }, text, has_base }
}

/// What a header declares. One that is for scripts only may have fields without a type.
fn declared(path: &str, text: &str) -> Option<Declared> {
    let tree = parse(text);
    let (class, wrong) = header::read(text, &tree, path);
    let (script, wrong_for_scripts) = class::read(text, &tree);
    if is_of_tags(path) || !has_errors(&wrong) || has_errors(&wrong_for_scripts) {
        let script = script.filter(|_| !has_errors(&wrong_for_scripts));
        let class = class?;
        return Some(Declared { script: script.unwrap_or_else(|| as_script_class(&class)), class, is_typed: true });
    }
    script.map(|script| Declared { class: table_of(&script, path), script, is_typed: false })
}

/// What is wrong with a header.
pub fn header_reports(shapes: &Shapes, path: &str, text: &str, tree: &Tree) -> Vec<Report> {
    if written_name(text, tree, "Base").is_some() {
        return shapes.reports(path, text).map_or_else(|| reports_alone(shapes, path, text, tree), <[Report]>::to_vec);
    }
    let (_, wrong) = header::read(text, tree, path);
    if is_of_tags(path) || !has_errors(&wrong) {
        return wrong;
    }
    class::read(text, tree).1
}

/// What is wrong with a header that is not in its tree yet.
fn reports_alone(shapes: &Shapes, path: &str, text: &str, tree: &Tree) -> Vec<Report> {
    let unknown = |name: &str| (format!("there is no class `{name}`"), String::new());
    let base = |name: &str| shapes.get(name).map(|shape| &shape.class).ok_or_else(|| unknown(name));
    header::read_with(text, tree, path, &base).1
}

/// Whether a header is one of tags: it lies in their tree, or a game wrote it.
fn is_of_tags(path: &str) -> bool {
    extension(path) == HEADER_EXTENSION && (is_made(path) || tags_root(path).is_some())
}

fn has_errors(reports: &[Report]) -> bool {
    reports.iter().any(|report| report.severity == Severity::Error)
}
