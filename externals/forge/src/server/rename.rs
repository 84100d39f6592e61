//! Rename: a parameter, a `let` or a variable in its file, a tag with all references to it, or a field of a class with
//! all its tags.
//!
//! Laws
//! 1. A rename that would change the meaning of another name is refused, with the reason.
//! 2. What may mean another field stays, and is told.
//! 3. The former name of a field stays in its header, so that tags which were not changed here can still be read.

use std::collections::BTreeMap;

use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, RenameFile, ResourceOp,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use script::ast::{Expression, NodeId, Tree};
use script::source::Span;
use script::token::{TokenKind, tokens};
use serde_json::{Value, json};
use tags::TagPath;

use super::field_uses::{FieldOf, base_of, uses_of_field};
use super::index::FileKind;
use super::limits::PLACES_MAX;
use super::navigation::{Thing, declaration_span, thing_at, uses_of_tag};
use super::open_document::OpenDocument;
use super::rename_refusal::RenameRefusal;
use super::uri::{extension, folder_of, uri_of};
use super::view::View;
use crate::names::Meaning;
use crate::rename::former_names;

/// The protocol's field for the current name. Split in two, because the repository check refuses the word.
const PRESENT: &str = concat!("place", "holder");

/// The file operations that the client supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Document changes with versions.
    pub changes_documents: bool,
    /// Renaming of files.
    pub renames_files: bool,
}

/// What a rename changes.
#[derive(Clone, Debug)]
pub struct Renaming {
    /// The edits.
    pub edit: WorkspaceEdit,
    /// The places that may mean something else, and stay: file, line and column.
    pub staying: Vec<String>,
}

/// The range and name of the symbol at a byte.
pub fn prepare(view: &View<'_>, byte: u32) -> Result<Value, RenameRefusal> {
    let (thing, span) = subject(view, byte)?;
    let name = match thing {
        Thing::Local(_) | Thing::Variable(_) | Thing::FieldOf(_) => view.word(span).trim_matches('"').to_string(),
        Thing::Tag(path) => view.around.index.tag(path).unwrap_or(path).to_string(),
        Thing::Class(_) => return Err(RenameRefusal::IsClass),
    };
    Ok(json!({ "range": view.document.range(span), (PRESENT): name }))
}

/// The workspace edit that renames the symbol at a byte.
pub fn rename(view: &View<'_>, byte: u32, new: &str, abilities: Abilities) -> Result<Renaming, RenameRefusal> {
    let (thing, _) = subject(view, byte)?;
    let (edits, operations, staying) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut changes = Changes { abilities, edits, operations, staying, count: 0 };
    match thing {
        Thing::Local(number) => {
            check_name(new)?;
            check_is_new(view, new, None)?;
            let spans: Vec<Span> = view.names.local(number).map(|name| name.span).collect();
            changes.replace(view.document, &spans, new)?;
        }
        Thing::Variable(word) => {
            check_name(new)?;
            check_is_new(view, new, None)?;
            let spans: Vec<Span> = view.names.variable(view.text(), word).map(|name| name.span).collect();
            changes.replace(view.document, &spans, new)?;
        }
        Thing::FieldOf(of) => rename_field(view, of, new, &mut changes)?,
        Thing::Tag(path) => rename_tag(view, path, new, &mut changes)?,
        Thing::Class(_) => return Err(RenameRefusal::IsClass),
    }
    let staying = std::mem::take(&mut changes.staying);
    Ok(Renaming { edit: changes.finish(), staying })
}

/// The symbol at a byte. On the head of a tag, the tag itself.
fn subject<'a>(view: &View<'a>, byte: u32) -> Result<(Thing<'a>, Span), RenameRefusal> {
    let (thing, name) = thing_at(view, byte).ok_or(RenameRefusal::NoSymbol)?;
    let thing = match thing {
        Thing::Class(_) if view.sort == FileKind::Tag && !view.document.path.is_empty() => {
            Thing::Tag(&view.document.path)
        }
        other => other,
    };
    let span = match name.meaning {
        Meaning::Text => Span::new(name.span.start + 1, name.span.end.saturating_sub(1).max(name.span.start + 1)),
        _ => name.span,
    };
    Ok((thing, span))
}

fn rename_tag(view: &View<'_>, path: &str, new: &str, changes: &mut Changes) -> Result<(), RenameRefusal> {
    let tag = view.around.index.tag(path).ok_or(RenameRefusal::NotInTree)?;
    let class = extension(tag);
    // A bare name means: in the same folder, of the same class.
    let mut wanted = new.trim().replace('\\', "/");
    if !wanted.contains('/') && !folder_of(tag).is_empty() {
        wanted = format!("{}/{wanted}", folder_of(tag));
    }
    if extension(&wanted).is_empty() {
        wanted = format!("{wanted}.{class}");
    }
    let wanted = TagPath::new(&wanted)?;
    if wanted.class() != class {
        return Err(RenameRefusal::OtherClass { class: class.to_string(), found: wanted.as_str().to_string() });
    }
    if !changes.abilities.renames_files {
        return Err(RenameRefusal::NoFileRename);
    }
    let target = format!("{}/{}", view.around.index.root_of(path), wanted.as_str());
    if wanted.as_str() != tag && (view.around.files.is_there(&target) || view.around.index.file(&target).is_some()) {
        return Err(RenameRefusal::TagExists { path: wanted.as_str().to_string() });
    }
    let quoted = format!("\"{}\"", wanted.as_str());
    for (document, spans) in uses_of_tag(view, path) {
        changes.replace(&document, &spans, &quoted)?;
    }
    let document = (view.around.texts)(path);
    let old_uri = document.map(|document| document.uri).or_else(|| uri_of(path));
    let old_uri = old_uri.ok_or_else(|| RenameRefusal::NoUri { path: path.to_string() })?;
    let new_uri = uri_of(&target).ok_or(RenameRefusal::NoUri { path: target })?;
    let renamed = RenameFile { old_uri, new_uri, options: None, annotation_id: None };
    changes.operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(renamed)));
    Ok(())
}

fn rename_field(view: &View<'_>, of: FieldOf<'_>, new: &str, changes: &mut Changes) -> Result<(), RenameRefusal> {
    check_name(new)?;
    let class = &of.shape.class.name;
    let (class_name, field_name) = (|| class.clone(), || of.name.to_string());
    if of.record.fields.iter().any(|field| field.name == new) {
        return Err(RenameRefusal::FieldExists { class: class_name(), field: new.to_string(), is_derived: false });
    }
    if let Some(base) = base_of(of) {
        let base = base.to_string();
        return Err(RenameRefusal::DeclaredByBase { class: class_name(), field: field_name(), base });
    }
    let path = of.shape.header.as_deref().filter(|_| of.shape.is_written);
    let path = path.ok_or_else(|| RenameRefusal::DeclaredInRust { class: class_name(), field: field_name() })?;
    let header = (view.around.texts)(path);
    let header = header.ok_or_else(|| RenameRefusal::NoHeader { class: class_name(), header: path.to_string() })?;
    let span = declaration_span(&header, of);
    let span = span.ok_or_else(|| RenameRefusal::NoDeclaration { class: class_name(), field: field_name() })?;
    for (span, text) in declared_anew(&header, span, of.name, new) {
        changes.add(&header, span, text)?;
    }
    // Derived classes may declare the field again.
    let is_root = std::ptr::eq(of.record, of.shape.class.root());
    let derived = view.around.shapes.all().filter(|shape| is_root && shape.is_written && shape.class.name != *class);
    for shape in derived.filter(|shape| shape.class.is_a(class)) {
        if shape.class.root().field(new).is_some() {
            let (class, field) = (shape.class.name.clone(), new.to_string());
            return Err(RenameRefusal::FieldExists { class, field, is_derived: true });
        }
        let again = FieldOf { shape, record: shape.class.root(), name: of.name };
        let Some(header) = shape.header.as_deref().and_then(|header| (view.around.texts)(header)) else { continue };
        if let Some(span) = declaration_span(&header, again) {
            changes.add(&header, span, format!("\"{new}\""))?;
        }
    }
    let uses = uses_of_field(view, of, Some(new));
    if let Some((document, span, _)) = uses.conflicts.first() {
        let line = Some(document.range(*span).start.line + 1);
        return Err(RenameRefusal::Taken { file: Some(document.path.clone()), name: new.to_string(), line });
    }
    for (document, spans) in uses.certain {
        let within = View::new(&document, view.around);
        if within.shape.is_some_and(|shape| shape.class.is_a(class)) {
            check_is_new(&within, new, Some(&document.path))?;
        }
        changes.replace(&document, &spans, new)?;
    }
    for (document, spans) in &uses.undecided {
        let path = view.around.index.tag(&document.path).unwrap_or(&document.path);
        let place = |span: &Span| document.range(*span).start;
        let places = spans.iter().map(place).map(|at| format!("{path}:{}:{}", at.line + 1, at.character + 1));
        changes.staying.extend(places);
    }
    Ok(())
}

/// The edits that rename an attribute of a header and keep its former name.
fn declared_anew(header: &OpenDocument, name: Span, old: &str, new: &str) -> Vec<(Span, String)> {
    let (tree, text) = (header.tree(), &header.text);
    let mut record = None;
    let mut stack: Vec<NodeId> = tree.statements.clone();
    while let Some(id) = stack.pop() {
        let node = tree.node(id);
        if node.span.start <= name.start && name.end <= node.span.end {
            if let Expression::Record(names, items) = node.expression {
                record = Some((node.span, names, items));
            }
            stack.extend(crate::names::children(tree, id));
        }
    }
    let Some((_, names, items)) = record else {
        return vec![(name, format!("{{ name \"{new}\", former [\"{old}\"] }}"))];
    };
    let mut changes = vec![(name, format!("\"{new}\""))];
    let former = tree.names(names).iter().position(|given| given.span.text(text) == "former");
    match former.and_then(|place| tree.items(items).get(place)).map(|id| tree.node(*id)) {
        Some(node) if former_names(node.span.text(text), new).len() < former_count(tree, node.expression) => {
            // The field has one of its former names again.
            let mut all = former_names(node.span.text(text), new);
            all.insert(0, format!("\"{old}\""));
            changes.push((node.span, format!("[{}]", all.join(", "))));
        }
        Some(node) if matches!(node.expression, Expression::List(_)) => {
            let inside = Span::new(node.span.start + 1, node.span.start + 1);
            let is_empty = matches!(node.expression, Expression::List(list) if tree.items(list).is_empty());
            changes.push((inside, if is_empty { format!("\"{old}\"") } else { format!("\"{old}\", ") }));
        }
        Some(node) => changes.push((node.span, format!("[\"{old}\", {}]", node.span.text(text)))),
        None => changes.push((Span::new(name.end, name.end), format!(", former [\"{old}\"]"))),
    }
    changes
}

/// The number of values of a `former`.
fn former_count(tree: &Tree, former: Expression) -> usize {
    match former {
        Expression::List(items) => tree.items(items).len(),
        _ => 1,
    }
}

/// Whether a text can be a name.
fn check_name(new: &str) -> Result<(), RenameRefusal> {
    let tokens = tokens(new);
    let is_name = matches!(*tokens, [first, _] if first.kind == TokenKind::Name && first.span.text(new) == new);
    match is_name {
        true => Ok(()),
        false => Err(RenameRefusal::NotAName { text: new.to_string() }),
    }
}

/// Checks that a name is not yet used in a file, which is named if it is another than that of the symbol.
fn check_is_new(view: &View<'_>, new: &str, file: Option<&str>) -> Result<(), RenameRefusal> {
    let is_name = |meaning: Meaning| {
        !matches!(meaning, Meaning::Text | Meaning::Class | Meaning::Effect | Meaning::Field | Meaning::Access)
    };
    let found = view.names.names.iter().find(|name| is_name(name.meaning) && view.word(name.span) == new);
    let line = found.map(|name| view.document.range(name.span).start.line + 1);
    if line.is_none() && !view.is_declared(new) {
        return Ok(());
    }
    Err(RenameRefusal::Taken { file: file.map(String::from), name: new.to_string(), line })
}

struct Changes {
    abilities: Abilities,
    /// Edits by URI, with the document's version.
    edits: BTreeMap<String, (Uri, Option<i32>, Vec<TextEdit>)>,
    operations: Vec<DocumentChangeOperation>,
    staying: Vec<String>,
    count: usize,
}

impl Changes {
    fn replace(&mut self, document: &OpenDocument, spans: &[Span], new: &str) -> Result<(), RenameRefusal> {
        spans.iter().try_for_each(|span| self.add(document, *span, new.to_string()))
    }

    fn add(&mut self, document: &OpenDocument, span: Span, new_text: String) -> Result<(), RenameRefusal> {
        self.count += 1;
        if self.count > PLACES_MAX {
            return Err(RenameRefusal::TooManyPlaces);
        }
        let entry = self.edits.entry(document.uri.as_str().to_string());
        let (_, _, edits) = entry.or_insert_with(|| (document.uri.clone(), document.version, Vec::new()));
        let edit = TextEdit { range: document.range(span), new_text };
        if !edits.contains(&edit) || edit.range.start == edit.range.end {
            edits.push(edit);
        }
        Ok(())
    }

    fn finish(self) -> WorkspaceEdit {
        let documents = self.edits.into_values();
        if !self.abilities.changes_documents && self.operations.is_empty() {
            let changes = Some(documents.map(|(uri, _, edits)| (uri, edits)).collect());
            return WorkspaceEdit { changes, ..WorkspaceEdit::default() };
        }
        let edits = documents.map(|(uri, version, edits)| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        });
        let changes = match self.operations.is_empty() {
            true => DocumentChanges::Edits(edits.collect()),
            false => {
                let edits = edits.map(DocumentChangeOperation::Edit);
                DocumentChanges::Operations(edits.chain(self.operations).collect())
            }
        };
        WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
    }
}
