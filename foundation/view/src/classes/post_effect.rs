//! Post effects: what becomes of a player's whole picture.

use base::StringId;
use base::number::{clamp, exp2};
use tags::{Colour, Formula, Record, Tag};

use crate::instance::Parameter;
use crate::post::PostValues;

/// What becomes of the picture of a player, after all light: colours, dark edges, a veil. Its numbers may be lambdas about the player's
/// object.
#[derive(Tag)]
#[tag(class = "post_effect", open)]
#[repr(C)]
pub struct PostEffect {
    /// The exposure: each step doubles the light.
    #[tag(unit = "stops", range(-16, 16), step = 0.1, default = 0)]
    pub exposure: Formula,
    /// How vivid colours are. 0: greys; 1: as they are.
    #[tag(range(0, 4), step = 0.05, default = 1)]
    pub saturation: Formula,
    /// How far bright and dark lie apart. 1: as they are.
    #[tag(range(0, 4), step = 0.05, default = 1)]
    pub contrast: Formula,
    /// The factor of each colour.
    pub tint: PostTint,
    /// How much of its colour the edges take.
    #[tag(range(0, 1), step = 0.05, default = 0)]
    pub vignette: Formula,
    /// The colour of the edges.
    #[tag(default = "\"#000000\"")]
    pub vignette_colour: Colour,
    /// How much of its colour the whole picture takes. 1: nothing else is seen.
    #[tag(range(0, 1), step = 0.05, default = 0)]
    pub fade: Formula,
    /// The colour of the veil.
    #[tag(default = "\"#000000\"")]
    pub fade_colour: Colour,
}

/// The factor of each colour, each a number or a lambda.
#[derive(Record)]
#[repr(C)]
pub struct PostTint {
    /// Red.
    #[tag(range(0, 4), step = 0.05, default = 1)]
    pub red: Formula,
    /// Green.
    #[tag(range(0, 4), step = 0.05, default = 1)]
    pub green: Formula,
    /// Blue.
    #[tag(range(0, 4), step = 0.05, default = 1)]
    pub blue: Formula,
}

impl PostValues {
    /// The numbers of a tag, with the values of its lambdas.
    pub fn of(tag: &PostEffect, parameters: &[Parameter]) -> PostValues {
        let number = |name: &str, formula: Formula, usual: f32, (least, most): (f32, f32)| {
            let name = StringId::new(name);
            let given = parameters.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.value);
            let value = given.or(formula.number().map(|number| number as f32)).unwrap_or(usual);
            if value.is_finite() { clamp(value, least, most) } else { usual }
        };
        let part = |name, formula| number(name, formula, 0.0, (0.0, 1.0));
        let factor = |name, formula| number(name, formula, 1.0, (0.0, 4.0));
        PostValues {
            light: exp2(number("exposure", tag.exposure, 0.0, (-16.0, 16.0))),
            saturation: factor("saturation", tag.saturation),
            contrast: factor("contrast", tag.contrast),
            tint: [
                factor("tint.red", tag.tint.red),
                factor("tint.green", tag.tint.green),
                factor("tint.blue", tag.tint.blue),
            ],
            vignette: (displayed(&tag.vignette_colour), part("vignette", tag.vignette)),
            fade: (displayed(&tag.fade_colour), part("fade", tag.fade)),
        }
    }
}

/// A colour as screens display it.
fn displayed(colour: &Colour) -> [f32; 3] {
    let shown = crate::colour::Colour::from_linear([colour.red, colour.green, colour.blue]);
    [shown.red, shown.green, shown.blue].map(|part| f32::from(part) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_gives_its_numbers_and_the_values_of_its_lambdas() {
        let classes = crate::classes::add_to(tags::Classes::new());
        let text = "@post_effect\n!set exposure 1\n!set saturation Lambda(0.5)\n!set vignette_colour \"#ff0000\"\n!set vignette 2\n";
        let made = classes.get("post_effect").expect("a class").pack_text(text);
        let tag = made.packed.view::<PostEffect>().expect("a post effect");
        let usual = PostValues::of(&tag, &[]);
        assert_eq!((usual.light, usual.saturation, usual.contrast), (2.0, 1.0, 1.0));
        assert_eq!(usual.vignette, ([1.0, 0.0, 0.0], 1.0), "the nearest allowed");
        let parameter = |name: &str, value| Parameter { name: StringId::from(name), material: StringId::NONE, value };
        let given = PostValues::of(&tag, &[parameter("saturation", 0.25), parameter("tint.red", f32::NAN)]);
        assert_eq!((given.saturation, given.tint), (0.25, [1.0; 3]));
        let empty = classes.get("post_effect").expect("a class").pack_text("@post_effect\n");
        assert_eq!(PostValues::of(&empty.packed.view::<PostEffect>().expect("a post effect"), &[]), PostValues::NONE);
    }
}
