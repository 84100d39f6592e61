//! The meanings of arguments: words of a table are checked here, all others are mentioned for the tools of a tree.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Checker;
use crate::ast::{Expression, Items, NodeId};
use crate::compile::unquoted;
use crate::meaning::{Meaning, Mention};
use crate::report::{Report, closest};
use crate::source::Span;

/// The most mentions of one source.
const MENTIONS_MAX: usize = 10_000;

impl<'a> Checker<'a> {
    /// Checks or mentions an argument of a known meaning. `items` are all arguments of the call.
    pub(super) fn mean(&mut self, item: NodeId, meaning: Meaning, items: Items) {
        let node = *self.tree.node(item);
        match (node.expression, meaning) {
            (Expression::Group(inner), _) => self.mean(inner, meaning, items),
            (Expression::If(_, then, otherwise), _) => {
                self.mean(then, meaning, items);
                otherwise.into_iter().for_each(|otherwise| self.mean(otherwise, meaning, items));
            }
            (Expression::String, Meaning::Choice(what, words)) => {
                let text = unquoted(node.span.text(self.source));
                if !words.contains(&text.as_str()) {
                    let words = || words.iter().copied().filter(|word| !word.is_empty());
                    let known = || format!("{what} is one of {}", words().collect::<Vec<_>>().join(", "));
                    let help = closest(&text, words());
                    let help = help.map_or_else(known, |found| format!("did you mean `{found}`?"));
                    self.report(Report::error(node.span, format!("`{text}` is not {what}")).with_help(help));
                }
            }
            (Expression::String, _) => {
                let text = unquoted(node.span.text(self.source));
                self.mention(meaning, node.span, text, String::new());
            }
            (Expression::Record(names, values), Meaning::Record(what, fields, means)) => {
                self.fields(item, what, fields);
                for (name, value) in self.tree.names(names).iter().zip(self.tree.items(values)) {
                    let text = name.span.text(self.source);
                    if let Some((_, meaning)) = means.iter().find(|(known, _)| *known == text) {
                        self.mean(*value, *meaning, items);
                    }
                }
            }
            (Expression::Record(names, _), Meaning::State) => {
                let first = self.tree.items(items).first().map(|first| *self.tree.node(*first));
                let of = first.filter(|first| first.expression == Expression::String);
                let of = of.map_or(String::new(), |first| unquoted(first.span.text(self.source)));
                for name in self.tree.names(names) {
                    let text = String::from(name.span.text(self.source));
                    self.mention(meaning, name.span, text, of.clone());
                }
            }
            _ => {}
        }
    }

    pub(super) fn mention(&mut self, meaning: Meaning, span: Span, text: String, of: String) {
        if self.mentions.len() < MENTIONS_MAX && !text.is_empty() {
            self.mentions.push(Mention { meaning, span, text, of });
        }
    }

    /// Mentions the handler of a message that a variable holds: `OnHit`.
    pub(super) fn mention_handler(&mut self, name: Span) {
        let text = name.text(self.source);
        let message = text.strip_prefix("On").filter(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()));
        let declared = self.setting.schema.and_then(|schema| self.declared(schema, text));
        let is_declared = declared.is_some_and(|declared| declared.is_declared);
        if let Some(message) = message.filter(|_| !is_declared) {
            self.mention(Meaning::Handler, name, String::from(message), String::from("On"));
        }
    }
}
