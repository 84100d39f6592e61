//! A visitor of a Fluent pattern's syntax tree: its references and its cost.
//!
//! Trees are at most [`crate::limits::NESTING_MAX`] brackets deep, which bounds the recursion.

use fluent_syntax::ast::{CallArguments, Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey};

/// Something that a text refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    /// A parameter `$name`.
    Parameter(String),
    /// Another text: `name`, `-name`, `name.attribute` or `-name.attribute`.
    Text(String),
    /// A function.
    Function(String),
    /// An option of a function.
    Option(String),
    /// A number, as it is written.
    Number(String),
    /// A variant for a number that can never match: Fluent also compares the formatting options of numbers.
    DeadVariant(String),
}

/// The texts of an entry: its value, if it has one, and its attributes.
pub(crate) fn patterns<'a>(entry: &'a Entry<&str>) -> Vec<(String, &'a Pattern<&'a str>)> {
    let (key, value, attributes) = match entry {
        Entry::Message(message) => (message.id.name.to_owned(), message.value.as_ref(), &message.attributes),
        Entry::Term(term) => (format!("-{}", term.id.name), Some(&term.value), &term.attributes),
        Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) | Entry::Junk { .. } => {
            return Vec::new();
        }
    };
    let own = value.map(|value| (key.clone(), value));
    let others = attributes.iter().map(|attribute| (format!("{key}.{}", attribute.id.name), &attribute.value));
    own.into_iter().chain(others).collect()
}

/// Visits everything that a text refers to.
pub(crate) fn visit(pattern: &Pattern<&str>, see: &mut dyn FnMut(Use)) {
    pattern.elements.iter().filter_map(expression_of).for_each(|expression| visit_expression(expression, see));
}

/// The number of placeables that a text needs, at worst, if the texts it refers to need what `of` returns.
pub(crate) fn cost(pattern: &Pattern<&str>, of: &dyn Fn(&str) -> u32) -> u32 {
    let expressions = pattern.elements.iter().filter_map(expression_of);
    let costs = expressions.map(|expression| cost_of_expression(expression, of).saturating_add(1));
    costs.fold(0, u32::saturating_add)
}

fn expression_of<'a>(element: &'a PatternElement<&str>) -> Option<&'a Expression<&'a str>> {
    match element {
        PatternElement::TextElement { .. } => None,
        PatternElement::Placeable { expression } => Some(expression),
    }
}

fn visit_expression(expression: &Expression<&str>, see: &mut dyn FnMut(Use)) {
    match expression {
        Expression::Inline(inline) => visit_inline(inline, see),
        Expression::Select { selector, variants } => {
            visit_inline(selector, see);
            let has_options = matches!(selector, InlineExpression::FunctionReference { arguments, .. } if !arguments.named.is_empty());
            for variant in variants {
                if let VariantKey::NumberLiteral { value } = variant.key {
                    see(Use::Number(value.to_owned()));
                    if value.contains('.') != has_options {
                        see(Use::DeadVariant(value.to_owned()));
                    }
                }
                visit(&variant.value, see);
            }
        }
    }
}

fn visit_inline(inline: &InlineExpression<&str>, see: &mut dyn FnMut(Use)) {
    match inline {
        InlineExpression::StringLiteral { .. } => {}
        InlineExpression::NumberLiteral { value } => see(Use::Number((*value).to_owned())),
        InlineExpression::VariableReference { id } => see(Use::Parameter(id.name.to_owned())),
        InlineExpression::MessageReference { .. } => see(Use::Text(key_of(inline))),
        InlineExpression::TermReference { arguments, .. } => {
            see(Use::Text(key_of(inline)));
            arguments.iter().for_each(|arguments| visit_arguments(arguments, see));
        }
        InlineExpression::FunctionReference { id, arguments } => {
            see(Use::Function(id.name.to_owned()));
            arguments.named.iter().for_each(|option| see(Use::Option(option.name.name.to_owned())));
            visit_arguments(arguments, see);
        }
        InlineExpression::Placeable { expression } => visit_expression(expression, see),
    }
}

fn visit_arguments(arguments: &CallArguments<&str>, see: &mut dyn FnMut(Use)) {
    let named = arguments.named.iter().map(|argument| &argument.value);
    arguments.positional.iter().chain(named).for_each(|argument| visit_inline(argument, see));
}

fn cost_of_expression(expression: &Expression<&str>, of: &dyn Fn(&str) -> u32) -> u32 {
    match expression {
        Expression::Inline(inline) => cost_of_inline(inline, of),
        Expression::Select { selector, variants } => {
            let worst = variants.iter().map(|variant| cost(&variant.value, of)).max().unwrap_or(0);
            cost_of_inline(selector, of).saturating_add(worst)
        }
    }
}

fn cost_of_inline(inline: &InlineExpression<&str>, of: &dyn Fn(&str) -> u32) -> u32 {
    let of_arguments = |arguments: &CallArguments<&str>| {
        let costs = arguments.positional.iter().map(|argument| cost_of_inline(argument, of));
        costs.fold(0, u32::saturating_add)
    };
    match inline {
        InlineExpression::StringLiteral { .. }
        | InlineExpression::NumberLiteral { .. }
        | InlineExpression::VariableReference { .. } => 0,
        InlineExpression::MessageReference { .. } => of(&key_of(inline)),
        InlineExpression::TermReference { arguments, .. } => {
            of(&key_of(inline)).saturating_add(arguments.as_ref().map_or(0, of_arguments))
        }
        InlineExpression::FunctionReference { arguments, .. } => of_arguments(arguments),
        InlineExpression::Placeable { expression } => cost_of_expression(expression, of),
    }
}

/// The key of the text that is referred to.
fn key_of(inline: &InlineExpression<&str>) -> String {
    let (mark, id, attribute) = match inline {
        InlineExpression::MessageReference { id, attribute } => ("", id, attribute),
        InlineExpression::TermReference { id, attribute, .. } => ("-", id, attribute),
        _ => return String::new(),
    };
    match attribute {
        Some(attribute) => format!("{mark}{}.{}", id.name, attribute.name),
        None => format!("{mark}{}", id.name),
    }
}
