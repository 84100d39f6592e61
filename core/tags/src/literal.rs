//! Literals: values that need no evaluation.

use base::number::double;
use script::ast::{Expression, NodeId, Tree};

/// Whether a value can be read from the tree alone. A lambda can: creating one evaluates nothing.
pub fn is_literal(source: &str, tree: &Tree, node: NodeId) -> bool {
    let of = |items| tree.items(items).iter().all(|item| is_literal(source, tree, *item));
    match tree.node(node).expression {
        Expression::Number(_)
        | Expression::Identifier(_)
        | Expression::String
        | Expression::Truth(_)
        | Expression::Nothing
        | Expression::Missing
        | Expression::Lambda { .. }
        | Expression::Body(_) => true,
        Expression::List(items) | Expression::Record(_, items) => of(items),
        Expression::Group(inner) => is_literal(source, tree, inner),
        Expression::Negate(_) => number(tree, node).is_some(),
        Expression::Call(callee, items) => {
            let is_vector = tree.node(callee).span.text(source).eq_ignore_ascii_case("vec");
            is_vector && tree.items(items).iter().all(|item| number(tree, *item).is_some())
        }
        _ => false,
    }
}

/// A number, perhaps negated.
pub fn number(tree: &Tree, node: NodeId) -> Option<f64> {
    match tree.node(node).expression {
        Expression::Number(number) => Some(number),
        Expression::Negate(inner) => number(tree, inner).map(|number| -number),
        Expression::Group(inner) => number(tree, inner),
        _ => None,
    }
}

/// A colour written `#rrggbb` or `#rrggbbaa`, in linear light.
pub fn colour(text: &str) -> Option<[f32; 4]> {
    let digits = text.strip_prefix('#')?.as_bytes();
    if !matches!(digits.len(), 6 | 8) {
        return None;
    }
    let mut parts = [255_u8; 4];
    for (part, pair) in parts.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        *part = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    let [red, green, blue, opacity] = parts;
    Some([linear(red), linear(green), linear(blue), (f64::from(opacity) / 255.0) as f32])
}

/// The linear light of an sRGB step.
fn linear(step: u8) -> f32 {
    let value = f64::from(step) / 255.0;
    let light = if value <= 0.04045 { value / 12.92 } else { double::pow((value + 0.055) / 1.055, 2.4) };
    light as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_linear_light() {
        assert_eq!(colour("#000000"), Some([0.0, 0.0, 0.0, 1.0]));
        assert_eq!(colour("#ffffff80").map(|found| found[3]), Some(128.0_f32 / 255.0));
        assert!((colour("#808080").unwrap()[0] - 0.2158).abs() < 0.001);
        for wrong in ["", "#", "#12345", "#12345g", "red", "#1234567", "#ää"] {
            assert_eq!(colour(wrong), None, "{wrong}");
        }
    }
}
