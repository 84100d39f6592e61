//! The classes of media tags: what importers make of artists' files, and what renderers and mixers read.
//!
//! Every media class has its `source` (where it came from) and the imported fields; the fields that only people set come
//! last. An importer never writes a field that people set, so a new import keeps them. The bytes (texels, samples,
//! outlines) are parts of the bulk data in `data`, to which the fields refer by index.

pub mod source;

pub mod bitmap;
pub mod font;
pub mod mix;
pub mod sound;
pub mod strings;

pub mod material;

pub mod model;

pub mod animation;

pub mod animation_graph;

pub mod effect;

pub mod post_effect;

pub mod camera;
pub mod interface;
pub mod sky;

#[cfg(test)]
mod tests;

use tags::Classes;

pub use animation::Animation;
pub use animation_graph::AnimationGraph;
pub use bitmap::Bitmap;
pub use camera::Camera;
pub use effect::Effect;
pub use font::Font;
pub use interface::InterfaceName;
pub use material::Material;
pub use mix::Mix;
pub use model::Model;
pub use post_effect::PostEffect;
pub use sky::Sky;
pub use sound::Sound;
pub use source::SourceRecord;
pub use strings::Strings;

/// Adds all media classes, post effects, cameras and skies.
#[must_use]
pub fn add_to(classes: Classes) -> Classes {
    let classes = classes.with::<Bitmap>().with::<Sound>().with::<Mix>().with::<Font>().with::<Strings>();
    let classes = classes.with::<Material>().with::<Model>().with::<Animation>().with::<AnimationGraph>();
    classes.with::<Effect>().with::<PostEffect>().with::<Camera>().with::<Sky>()
}
