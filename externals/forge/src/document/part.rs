//! Parts: statements that change a part of a variable, `!set body.mass 5` and `!set hull += 5`.
//!
//! Laws
//! 1. A part counts after the whole value of its variable, wherever the two stand. Of several that change the same place,
//!    the last counts.
//! 2. A part whose place is not written out, as `!set xs[i] 3`, is found by its text only.

use script::ast::{Expression, NodeId, Tree};

use super::item_list::{Item, ItemRole, peeled};
use super::unquoted;
use crate::field_path::{FieldPath, PathStep};

/// What a statement changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The place.
    pub place: FieldPath,
    /// Whether the new value depends on the old one: `+=`.
    pub is_relative: bool,
}

impl Item {
    /// The part of a variable that it changes, if it changes one whose place is written out.
    pub fn part(&self, source: &str, tree: &Tree) -> Option<Part> {
        let ItemRole::Part(target, operator) = self.role else { return None };
        Some(Part { place: place_of(source, tree, target)?, is_relative: operator.is_some() })
    }
}

/// The place that an expression names: `body.mass`, `mounts[#0].delay`, `stock["ore"]`.
pub(crate) fn place_of(source: &str, tree: &Tree, id: NodeId) -> Option<FieldPath> {
    let node = tree.node(peeled(tree, id));
    match node.expression {
        Expression::Name => Some(FieldPath::root().field(node.span.text(source))),
        Expression::Field(of, name) => Some(place_of(source, tree, of)?.field(name.text(source))),
        Expression::Index(of, index) => {
            let place = place_of(source, tree, of)?;
            let index = tree.node(peeled(tree, index));
            match index.expression {
                Expression::Identifier(number) => Some(place.then(PathStep::Index(number.try_into().ok()?))),
                Expression::Number(number)
                    if number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX) =>
                {
                    Some(place.then(PathStep::Index(number as usize)))
                }
                Expression::String => Some(place.field(&unquoted(index.span.text(source)))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A place as the target of a `!set`, if it can be written as one.
pub(crate) fn target_of(place: &FieldPath) -> Option<String> {
    let is_written = |step: &PathStep| matches!(step, PathStep::Field(_) | PathStep::Index(_));
    place.steps.iter().all(is_written).then(|| place.to_string())
}
