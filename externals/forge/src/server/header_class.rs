//! The class that a header declares, and its errors.

use std::cell::Cell;

use script::ast::Tree;
use script::parse::parse;
use script::report::Report;
use tags::Class;
use tags::header::{self, Surroundings};
use tags::header_set::written_name;
use tags::limits::HEADER_BYTES_MAX;

use super::near::text_near;
use super::shapes::{HeaderText, Shapes};

/// The indexed form of a header.
pub fn header_text(path: &str, text: String) -> HeaderText {
    let tree = parse(&text);
    let has_base = written_name(&text, &tree, "Base").is_some();
    let declared = if has_base { None } else { alone(&text, &tree, path).0 };
    HeaderText { declared, text, has_base }
}

/// The errors of a header.
pub fn header_reports(shapes: &Shapes, path: &str, text: &str, tree: &Tree) -> Vec<Report> {
    if written_name(text, tree, "Base").is_some() {
        return shapes.reports(path, text).map_or_else(|| reports_alone(shapes, path, text, tree), <[Report]>::to_vec);
    }
    alone(text, tree, path).1
}

/// The errors of a header that is not indexed yet.
fn reports_alone(shapes: &Shapes, path: &str, text: &str, tree: &Tree) -> Vec<Report> {
    let unknown = |name: &str| (format!("there is no class `{name}`"), String::new());
    let base = |name: &str| shapes.get(name).map(|shape| &shape.class).ok_or_else(|| unknown(name));
    let (libraries, left) = (&|library: &str| text_near(path, library), &Cell::new(HEADER_BYTES_MAX));
    header::read_in(text, tree, path, Surroundings { bases: &base, libraries, left }).1
}

/// A header without a base.
fn alone(text: &str, tree: &Tree, path: &str) -> (Option<Class>, Vec<Report>) {
    let bases = |name: &str| Err((format!("there is no class `{name}`"), String::new()));
    let (libraries, left) = (&|library: &str| text_near(path, library), &Cell::new(HEADER_BYTES_MAX));
    header::read_in(text, tree, path, Surroundings { bases: &bases, libraries, left })
}
