//! Symbols: the fields, elements and lambdas of a file, and the tags of a workspace.

use lsp_types::{DocumentSymbol, Location, SymbolInformation, SymbolKind};
use script::ast::{Expression, NodeId};
use script::source::Span;

use super::index::FileKind;
use super::limits::SYMBOLS_MAX;
use super::view::{View, WorkspaceView};

/// The deepest level of elements listed.
const DEPTH_MAX: u32 = 6;

/// The most elements of one list.
const ELEMENTS_MAX: usize = 200;

/// The most symbols of one file.
const FILE_MAX: usize = 5000;

/// The symbols of a file.
pub fn of_document(view: &View<'_>) -> Vec<DocumentSymbol> {
    if view.sort == FileKind::Foreign {
        return Vec::new();
    }
    let tree = view.document.tree();
    let mut lister = Lister { view, left: FILE_MAX };
    let statements = tree.statements.iter().filter_map(|id| match tree.node(*id).expression {
        Expression::Set(name, value) if name.start < name.end => Some((tree.node(*id).span, name, value)),
        _ => None,
    });
    let symbols = statements.map(|(span, name, value)| lister.symbol(view.word(name), name, span, value, 0));
    symbols.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// The tags of a workspace whose path matches a query as a subsequence; the shortest first.
pub fn of_tree(around: &WorkspaceView<'_>, query: &str) -> Vec<SymbolInformation> {
    let mut found: Vec<(usize, &str, &str)> = around
        .index
        .tags("")
        .filter(|(_, tag)| matches(tag, query))
        .map(|(file, tag)| (tag.len(), tag, file.path.as_str()))
        .collect();
    found.sort_unstable();
    found.truncate(SYMBOLS_MAX);
    found.into_iter().filter_map(|(_, tag, path)| symbol_of_tag(around, tag, path)).collect()
}

/// Whether a text contains the letters of a query in order, ignoring case.
pub fn matches(text: &str, query: &str) -> bool {
    let mut letters = text.chars().flat_map(char::to_lowercase);
    let query = query.chars().map(|letter| if letter == '\\' { '/' } else { letter });
    query
        .flat_map(char::to_lowercase)
        .filter(|letter| *letter != ' ')
        .all(|wanted| letters.any(|letter| letter == wanted))
}

#[expect(deprecated, reason = "the protocol's type has a deprecated field and no constructor")]
fn symbol_of_tag(around: &WorkspaceView<'_>, tag: &str, path: &str) -> Option<SymbolInformation> {
    let uri = super::uri::uri_of(path)?;
    let class = around.index.file(path).map(|file| file.class.clone()).filter(|class| !class.is_empty());
    Some(SymbolInformation {
        name: tag.to_string(),
        kind: SymbolKind::FILE,
        tags: None,
        deprecated: None,
        location: Location { uri, range: lsp_types::Range::default() },
        container_name: class.map(|class| format!("@{class}")),
    })
}

struct Lister<'a, 'v> {
    view: &'v View<'a>,
    left: usize,
}

impl Lister<'_, '_> {
    #[expect(deprecated, reason = "the protocol's type has a deprecated field and no constructor")]
    fn symbol(&mut self, name: &str, at: Span, span: Span, value: NodeId, depth: u32) -> Option<DocumentSymbol> {
        self.left = self.left.checked_sub(1)?;
        let children = if depth < DEPTH_MAX { self.children(value, depth) } else { Vec::new() };
        // Clients refuse a symbol whose name range is not within its range.
        let span = Span::new(span.start.min(at.start), span.end.max(at.end));
        Some(DocumentSymbol {
            name: if name.trim().is_empty() { "?".to_string() } else { name.to_string() },
            detail: self.detail(value),
            kind: self.kind(value),
            tags: None,
            deprecated: None,
            range: self.view.document.range(span),
            selection_range: self.view.document.range(at),
            children: (!children.is_empty()).then_some(children),
        })
    }

    fn children(&mut self, id: NodeId, depth: u32) -> Vec<DocumentSymbol> {
        let view = self.view;
        let tree = view.document.tree();
        match tree.node(id).expression {
            Expression::Group(inner) => self.children(inner, depth + 1),
            Expression::Record(names, items) => {
                let pairs =
                    tree.names(names).iter().zip(tree.items(items)).filter(|(name, _)| name.span.start < name.span.end);
                let symbols = pairs.map(|(name, item)| {
                    let span = name.span.to(tree.node(*item).span);
                    self.symbol(view.word(name.span), name.span, span, *item, depth + 1)
                });
                symbols.collect::<Vec<_>>().into_iter().flatten().collect()
            }
            Expression::List(items) => {
                let elements = tree.items(items).iter().take(ELEMENTS_MAX).enumerate();
                let records = elements.filter(|(_, item)| is_listed(&tree.node(**item).expression));
                let symbols = records.map(|(number, item)| {
                    let span = tree.node(*item).span;
                    let name = self.key(*item).unwrap_or_else(|| format!("[{number}]"));
                    self.symbol(&name, Span::new(span.start, span.start), span, *item, depth + 1)
                });
                symbols.collect::<Vec<_>>().into_iter().flatten().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The name of an element: its first string, which usually is its key.
    fn key(&self, id: NodeId) -> Option<String> {
        let tree = self.view.document.tree();
        let Expression::Record(_, items) = tree.node(id).expression else { return None };
        let first = tree.node(*tree.items(items).first()?);
        (first.expression == Expression::String).then(|| self.view.word(first.span).trim_matches('"').to_string())
    }

    fn kind(&self, id: NodeId) -> SymbolKind {
        let tree = self.view.document.tree();
        match tree.node(id).expression {
            Expression::Group(inner) => self.kind(inner),
            Expression::Lambda { .. } | Expression::Body(_) => SymbolKind::FUNCTION,
            Expression::Record(..) => SymbolKind::STRUCT,
            Expression::List(_) => SymbolKind::ARRAY,
            Expression::Number(_) | Expression::Identifier(_) => SymbolKind::NUMBER,
            Expression::Truth(_) => SymbolKind::BOOLEAN,
            Expression::String => SymbolKind::STRING,
            _ => SymbolKind::VARIABLE,
        }
    }

    /// The value, if it is short.
    fn detail(&self, id: NodeId) -> Option<String> {
        const SHOWN_MAX: usize = 60;
        let tree = self.view.document.tree();
        let node = tree.node(id);
        match node.expression {
            Expression::Lambda { parameters, .. } => {
                let names: Vec<&str> = tree.names(parameters).iter().map(|name| self.view.word(name.span)).collect();
                Some(format!("Lambda({})", names.join(", ")))
            }
            Expression::List(items) => Some(format!("[{}]", tree.items(items).len())),
            Expression::Record(..) | Expression::Body(_) | Expression::Missing => None,
            _ => Some(self.view.word(node.span)).filter(|text| text.len() <= SHOWN_MAX).map(ToString::to_string),
        }
    }
}

fn is_listed(expression: &Expression) -> bool {
    matches!(expression, Expression::Record(..) | Expression::List(_) | Expression::Lambda { .. } | Expression::Body(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_found_letter_by_letter() {
        for (text, query, is_found) in [
            ("ships/corvette.ship", "corv", true),
            ("ships/corvette.ship", "SCV", true),
            ("ships/corvette.ship", "ships\\cor", true),
            ("ships/corvette.ship", "", true),
            ("ships/corvette.ship", "vroc", false),
        ] {
            assert_eq!(matches(text, query), is_found, "{query}");
        }
    }
}
