//! Renaming a field of a class that a header declares, or of one of its records.

use crate::document::{Document, Refusal};
use crate::field_path::{FieldPath, PathStep};
use script::ast::{Expression, NodeId, Tree as Syntax};
use script::compile::unquoted;
use script::parse::parse;
use tags::class::{Class, Record};
use tags::header_set::written_name;

use crate::rename_error::FieldRenameError;
use crate::source_lookup::record_within;
use crate::tree::{HEADER, Tree};

/// The plan of renaming a field.
#[derive(Clone, Debug)]
pub struct FieldRename {
    /// The header's path in the tree.
    pub header: String,
    /// Its old text.
    pub before: String,
    /// Its new text.
    pub after: String,
    /// The class after the renaming.
    pub class: Class,
}

/// Plans the renaming of a field in the header of its class. Nothing is written. An [`upgrade`](crate::upgrade) with
/// the new class shows the effect on the tags.
pub fn plan_field(tree: &Tree, class: &str, from: &str, to: &str) -> Result<FieldRename, FieldRenameError> {
    let known = tree.classes.named(class)?.class();
    let (header, before) = header_of(tree, class).ok_or_else(|| FieldRenameError::DeclaredElsewhere {
        class: class.to_string(),
        origin: known.origin.clone(),
    })?;
    let around = around(known, from)?;
    let first = known.root().field(around.names[0]).map(|(number, _)| number);
    if let Some(base) = first.and_then(|number| known.base_of(number)) {
        let (class, field, base) = (class.to_string(), from.to_string(), base.name.clone());
        return Err(FieldRenameError::DeclaredByBase { class, field, base });
    }
    let name = around.names.last().copied().unwrap_or(from);
    if around.record.field(name).is_none() {
        return Err(FieldRenameError::NoField { record: around.record.name.clone(), field: name.to_string() });
    }
    if around.record.field(to).is_some() {
        return Err(FieldRenameError::Taken { record: around.record.name.clone(), name: to.to_string() });
    }
    let syntax = parse(&before);
    let shown = tree.shown(&header);
    let header_tree = Header { source: &before, tree: &syntax };
    let (place, element) = header_tree
        .attribute(&around)
        .ok_or_else(|| FieldRenameError::NotLiteral { header: shown.clone(), field: from.to_string() })?;
    // Headers have no class here; field paths work nevertheless.
    let none = Class::new(tags::header::HEADER);
    let mut document = Document::new(&before, &none);
    let refused = |refusal: Refusal| FieldRenameError::Refused { header: shown.clone(), refusal };
    match element {
        AttributeForm::Name => {
            document.set(&place, &format!("{{ name \"{to}\", former \"{name}\" }}")).map_err(refused)?
        }
        AttributeForm::Record { former } => {
            document.set(&place.field("name"), &format!("\"{to}\"")).map_err(refused)?;
            let mut formers = former.map_or(Vec::new(), |former| former_names(&former, to));
            formers.push(format!("\"{name}\""));
            let former = match formers.as_slice() {
                [one] => one.clone(),
                all => format!("[{}]", all.join(", ")),
            };
            document.set(&place.field("former"), &former).map_err(refused)?;
        }
    }
    let after = document.text().to_string();
    match tree.classes.read_header(&after, &known.origin) {
        (Some(class), _) if class.records.iter().any(|record| record.field(to).is_some()) => {
            Ok(FieldRename { header, before, after, class })
        }
        (_, reports) => {
            let message = reports.into_iter().next().map(|report| report.message);
            Err(FieldRenameError::WrongHeader { header: shown, message })
        }
    }
}

/// The values of a `former`, without a name that the field has again: a field's own name is no former one.
pub(crate) fn former_names(former: &str, own: &str) -> Vec<String> {
    let syntax = parse(former);
    let Some(first) = syntax.statements.first() else { return Vec::new() };
    let all = match syntax.node(*first).expression {
        Expression::List(items) => syntax.items(items).to_vec(),
        _ => vec![*first],
    };
    let texts = all.into_iter().map(|node| syntax.node(node).span.text(former));
    texts.filter(|text| !text.starts_with('"') || unquoted(text) != own).map(str::to_string).collect()
}

/// The header in the tree that declares a class, and its text.
fn header_of(tree: &Tree, class: &str) -> Option<(String, String)> {
    let headers = tree.walk.files.iter().filter(|file| file.path.ends_with(&format!(".{HEADER}")));
    headers.into_iter().find_map(|file| {
        let text = tree.read(&file.path).ok()?;
        let name = written_name(&text, &parse(&text), "Namespace");
        (name? == class).then(|| (file.path.clone(), text))
    })
}

/// The record of a field, and the names on the path to it.
struct FieldAddress<'a> {
    record: &'a Record,
    names: Vec<&'a str>,
}

/// Finds the record of a field: `hull`, or `mounts.delay`.
fn around<'a>(class: &'a Class, from: &'a str) -> Result<FieldAddress<'a>, FieldRenameError> {
    let names: Vec<&str> = from.split('.').collect();
    let mut record = class.root();
    for name in &names[..names.len() - 1] {
        let field = record.field(name).map(|(_, field)| &field.kind);
        let inner = field.and_then(|kind| record_within(class, kind));
        record = inner
            .ok_or_else(|| FieldRenameError::NoFields { record: record.name.clone(), field: (*name).to_string() })?;
    }
    Ok(FieldAddress { record, names })
}

/// The form of an attribute in a header.
enum AttributeForm {
    /// A name alone.
    Name,
    /// A record, and the value of its `former`.
    Record { former: Option<String> },
}

/// A parsed header.
struct Header<'a> {
    source: &'a str,
    tree: &'a Syntax,
}

impl Header<'_> {
    /// The field path of an attribute: among the attributes, in one of the records, or in the attribute that contains
    /// it.
    fn attribute(&self, around: &FieldAddress<'_>) -> Option<(FieldPath, AttributeForm)> {
        let (name, way) = around.names.split_last()?;
        let attributes = FieldPath::root().field("Attributes");
        let list = self.variable("Attributes")?;
        if way.is_empty() {
            return self.named(list, &attributes, name);
        }
        let records = FieldPath::root().field("Records");
        if let Some(declared) = self.variable("Records")
            && let Some((index, record)) = self.element(declared, &around.record.name)
            && let Some(fields) = self.value(record, "fields")
        {
            return self.named(fields, &records.then(PathStep::Index(index)).field("fields"), name);
        }
        let (mut list, mut place) = (list, attributes);
        for step in way {
            let (index, element) = self.element(list, step)?;
            list = self.value(element, "fields")?;
            place = place.then(PathStep::Index(index)).field("fields");
        }
        self.named(list, &place, name)
    }

    fn variable(&self, name: &str) -> Option<NodeId> {
        let set =
            self.tree.statements.iter().rev().filter_map(|statement| match self.tree.node(*statement).expression {
                Expression::Set(variable, value) => Some((variable, value)),
                _ => None,
            });
        set.into_iter().find(|(variable, _)| variable.text(self.source) == name).map(|(_, value)| value)
    }

    fn named(&self, list: NodeId, place: &FieldPath, name: &str) -> Option<(FieldPath, AttributeForm)> {
        let (index, element) = self.element(list, name)?;
        let written = match self.tree.node(element).expression {
            Expression::String => AttributeForm::Name,
            _ => AttributeForm::Record {
                former: self
                    .value(element, "former")
                    .map(|node| self.tree.node(node).span.text(self.source).to_string()),
            },
        };
        Some((place.then(PathStep::Index(index)), written))
    }

    /// The element of a list that is this name, or a record with this `name`.
    fn element(&self, list: NodeId, name: &str) -> Option<(usize, NodeId)> {
        let Expression::List(items) = self.tree.node(list).expression else { return None };
        let is_text = |node: NodeId| {
            let node = self.tree.node(node);
            node.expression == Expression::String && unquoted(node.span.text(self.source)) == name
        };
        let is_it = |item: NodeId| is_text(item) || self.value(item, "name").is_some_and(is_text);
        self.tree.items(items).iter().copied().enumerate().find(|(_, item)| is_it(*item))
    }

    fn value(&self, record: NodeId, name: &str) -> Option<NodeId> {
        let Expression::Record(names, values) = self.tree.node(record).expression else { return None };
        let at = self.tree.names(names).iter().position(|given| given.span.text(self.source) == name)?;
        self.tree.items(values).get(at).copied()
    }
}
