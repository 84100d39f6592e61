//! Headers from use: what a class must have for a source to be of it.
//!
//! Laws
//! 1. What is generated is formatted, and read again it gives a class against which the source has no new mistakes.
//! 2. The variables are those the source sets, in order, then those it only reads.

use alloc::format;
use alloc::string::{String, ToString};

use crate::check::{Setting, check};
use crate::class::HEADER;
use crate::format::format as formatted;
use crate::parse::parse;
use crate::tree::Tree;
use crate::types::Type;

/// The header of a source, from what it sets and reads. The class is the one it names, or `unnamed`.
pub fn generate(source: &str, tree: &Tree) -> String {
    let setting = Setting { accepts_unknown_effects: true, ..Setting::default() };
    let checked = check(source, tree, &setting);
    let name = tree.class.map_or("unnamed", |class| class.text(source));
    let mut text = format!("@{HEADER}\n!set Namespace \"{name}\"\n!set Attributes [");
    let own = checked.variables.iter().filter(|variable| !variable.name.is_empty() && variable.name != "this");
    for (index, variable) in own.enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        match settled(&variable.kind) {
            None => text.push_str(&format!("    \"{}\"", variable.name)),
            Some(kind) => text.push_str(&format!("    {{ name \"{}\", type \"{kind}\" }}", variable.name)),
        }
    }
    text.push_str("\n]\n");
    let tree = parse(&text);
    formatted(&text, &tree).unwrap_or_else(|_| text.to_string())
}

/// The type as a header says it; none for `any`. Nothing is what has not been set to anything yet.
fn settled(kind: &Type) -> Option<Type> {
    let kind = kind.settled();
    (kind != Type::Any && kind != Type::Nothing).then_some(kind)
}
