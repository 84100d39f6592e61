//! A field of a class that a header declares, under another name.

use script::compile::unquoted;
use script::parse::parse;
use script::tree::{Expression, NodeId, Tree as Syntax};
use tags::class::Class;
use tags::document::Document;
use tags::place::{Place, Step};

use crate::classes::read_header;
use crate::edit::told;
use crate::tree::{HEADER, Tree};

/// A field under another name.
#[derive(Clone, Debug)]
pub struct FieldRename {
    /// The header's path in the tree.
    pub header: String,
    /// Its text now.
    pub before: String,
    /// Its text then.
    pub after: String,
    /// The class as it would be.
    pub class: Class,
}

/// Looks what renaming a field of a class would do to its header. Nothing is written. With the class as it would be, an
/// [`upgrade`](crate::upgrade) shows what it does to the tags.
pub fn plan_field(tree: &Tree, class: &str, from: &str, to: &str) -> Result<FieldRename, String> {
    let known = tree.classes.named(class)?.class();
    let (header, before) = header_of(tree, class).ok_or_else(|| {
        let where_from = if known.origin.is_empty() { "this program" } else { &known.origin };
        format!("`{class}` is declared by {where_from}, not by a header in this tree; rename the field there")
    })?;
    if known.root().field(from).is_none() {
        return Err(format!("`{class}` has no field `{from}`"));
    }
    if known.root().field(to).is_some() {
        return Err(format!("`{class}` has a field `{to}` already"));
    }
    let syntax = parse(&before);
    let shown = tree.shown(&header);
    let (index, element) = attribute(&before, &syntax, from)
        .ok_or_else(|| format!("{shown}: the field `{from}` is not written out in `Attributes`; rename it by hand"))?;
    // No class declares headers; places in them are found all the same.
    let none = Class::new(script::class::HEADER);
    let mut document = Document::new(&before, &none);
    let place = Place::root().field("Attributes").then(Step::Index(index));
    let refused = |refusal: tags::document::Refusal| told(&shown, &refusal);
    match element {
        None => document.set(&place, &format!("{{ name \"{to}\", former \"{from}\" }}")).map_err(refused)?,
        Some(former) => {
            document.set(&place.field("name"), &format!("\"{to}\"")).map_err(refused)?;
            let former = match former.as_deref().map(str::trim) {
                None => format!("\"{from}\""),
                Some(list) if list.starts_with('[') && list.ends_with(']') => {
                    let inner = list[1..list.len() - 1].trim().trim_end_matches(',');
                    if inner.is_empty() { format!("\"{from}\"") } else { format!("[{inner}, \"{from}\"]") }
                }
                Some(one) => format!("[{one}, \"{from}\"]"),
            };
            document.set(&place.field("former"), &former).map_err(refused)?;
        }
    }
    let after = document.text().to_string();
    match read_header(&after, &known.origin) {
        (Some(class), _) if class.root().field(to).is_some() => Ok(FieldRename { header, before, after, class }),
        (_, reports) => {
            let why = reports.first().map_or("the header would declare no such field", |report| &report.message);
            Err(format!("{shown}: not renamed: {why}"))
        }
    }
}

/// The header in the tree that declares a class, and its text.
fn header_of(tree: &Tree, class: &str) -> Option<(String, String)> {
    let headers = tree.walk.files.iter().filter(|file| file.path.ends_with(&format!(".{HEADER}")));
    headers.into_iter().find_map(|file| {
        let text = tree.read(&file.path).ok()?;
        let (found, _) = read_header(&text, "");
        found.filter(|found| found.name == class).map(|_| (file.path.clone(), text))
    })
}

/// The number of an attribute, and what stands behind its `former`, if it is a record; just its number if it is a name.
#[expect(clippy::option_option, reason = "a name has no `former`, a record may have none")]
fn attribute(source: &str, tree: &Syntax, name: &str) -> Option<(usize, Option<Option<String>>)> {
    let mut found = None;
    for statement in &tree.statements {
        let Expression::Set(variable, value) = tree.node(*statement).expression else { continue };
        let Expression::List(items) = tree.node(value).expression else { continue };
        if variable.text(source) != "Attributes" {
            continue;
        }
        let is_name = |node: NodeId| {
            let node = tree.node(node);
            node.expression == Expression::String && unquoted(node.span.text(source)) == name
        };
        for (index, item) in tree.items(items).iter().enumerate() {
            match tree.node(*item).expression {
                Expression::String if is_name(*item) => found = Some((index, None)),
                Expression::Record(names, values) => {
                    let values = tree.items(values);
                    let value = |wanted: &str| {
                        let at = tree.names(names).iter().position(|name| name.span.text(source) == wanted)?;
                        values.get(at).copied()
                    };
                    if value("name").is_some_and(is_name) {
                        let former = value("former").map(|node| tree.node(node).span.text(source).to_string());
                        found = Some((index, Some(former)));
                    }
                }
                _ => {}
            }
        }
    }
    found
}
