//! Syntax trees as fully bracketed text, for comparison in tests.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

pub mod ebnf;

use script::ast::{Caching, Expression, NodeId, Tree};

/// The tree of a source, one statement per line.
pub fn written(source: &str, tree: &Tree) -> String {
    let statements = tree.statements.iter().map(|statement| node(source, tree, *statement));
    statements.collect::<Vec<_>>().join("\n")
}

fn node(source: &str, tree: &Tree, id: NodeId) -> String {
    let found = tree.node(id);
    let row = |items| tree.items(items).iter().map(|item| node(source, tree, *item)).collect::<Vec<_>>();
    let named = |names, items| {
        let names = tree.names(names).iter().map(|name| name.span.text(source).to_string());
        names.zip(row(items)).map(|(name, value)| format!("({name} {value})")).collect::<Vec<_>>().join(" ")
    };
    match found.expression {
        Expression::Number(number) => format!("{number}"),
        Expression::Identifier(number) => format!("#{number}"),
        Expression::String | Expression::Name | Expression::Object => found.span.text(source).to_string(),
        Expression::Truth(truth) => format!("{truth}"),
        Expression::Nothing => "nothing".into(),
        Expression::List(items) => format!("[{}]", row(items).join(" ")),
        Expression::Body(items) => format!("do[{}]", row(items).join(" ")),
        Expression::Do(items) => format!("(do {})", row(items).join(" ")),
        Expression::Text(items) => format!("(text {} {})", found.span.text(source), row(items).join(" ")),
        Expression::Update(target, operator, value) => {
            let operator = operator.map_or("", |operator| operator.text());
            format!("(set{operator} {} {})", node(source, tree, target), node(source, tree, value))
        }
        Expression::Record(names, items) => format!("{{{}}}", named(names, items)),
        Expression::Lambda { caching, parameters, body } => {
            let word = match caching {
                Caching::Unsaid => "lambda",
                Caching::Cached => "cached",
                Caching::Uncached => "uncached",
            };
            let parameter = |name: &script::ast::GivenName| {
                let kind = name.written_type.map_or(String::new(), |kind| format!(":{}", kind.text(source)));
                format!("{}{kind}", name.span.text(source))
            };
            let parameters: Vec<_> = tree.names(parameters).iter().map(parameter).collect();
            format!("({word} ({}) {})", parameters.join(" "), node(source, tree, body))
        }
        Expression::Call(callee, items) => format!("(call {} {})", node(source, tree, callee), row(items).join(" ")),
        Expression::Effect(name, items) => format!("(!{} {})", name.text(source), row(items).join(" ")),
        Expression::Set(name, value) => format!("(set {} {})", name.text(source), node(source, tree, value)),
        Expression::Index(of, index) => format!("(at {} {})", node(source, tree, of), node(source, tree, index)),
        Expression::Field(of, name) => format!("(field {} {})", node(source, tree, of), name.text(source)),
        Expression::Negate(of) => format!("(- {})", node(source, tree, of)),
        Expression::Not(of) => format!("(not {})", node(source, tree, of)),
        Expression::Binary(operator, left, right) => {
            format!("({} {} {})", operator.text(), node(source, tree, left), node(source, tree, right))
        }
        Expression::If(condition, then, otherwise) => {
            let otherwise = otherwise.map_or(String::new(), |otherwise| format!(" {}", node(source, tree, otherwise)));
            format!("(if {} {}{otherwise})", node(source, tree, condition), node(source, tree, then))
        }
        Expression::Let(names, items, body) => format!("(let {} {})", named(names, items), node(source, tree, body)),
        Expression::Group(inner) => node(source, tree, inner),
        Expression::Missing => "?".into(),
    }
}
