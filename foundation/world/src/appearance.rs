//! How the objects of a tag are shown and heard: read from the tag once, when the content is loaded.

use alloc::vec::Vec;

use base::StringId;
use script::program::Program;
use tags::packed::View;
use view::{Colour, Shape};

use crate::classes::{BodyRecord, ObjectTag, ShapeName};

/// How the objects of one tag are shown and heard.
#[derive(Clone, Debug, Default)]
pub struct Appearance {
    /// The model; none: the shape is shown.
    pub model: StringId,
    /// The shape of the body; without one, a marker.
    pub shape: Shape,
    /// The factor of its size, unless a variable holds it.
    pub scale: f32,
    /// The variable `scale`, if scripts set it.
    pub scale_variable: Option<u32>,
    /// Its colour; none: that of the team.
    pub colour: Option<Colour>,
    /// Whether it is hidden, unless a variable says so.
    pub is_hidden: bool,
    /// The variable `hidden`, if scripts set it.
    pub hidden_variable: Option<u32>,
    /// The variable `unseen`, if its class or tag has one: only its own team sees it.
    pub unseen_variable: Option<u32>,
    /// The effects that run as long as an object lives.
    pub effects: Vec<LastingEffect>,
    /// The sounds that are heard as long as an object lives.
    pub sounds: Vec<LastingSound>,
    /// The animation graph, or none.
    pub graph: StringId,
    /// The camera of its player, or none.
    pub camera: StringId,
    /// The interface of its player, or none.
    pub interface: StringId,
    /// Whether it has anything beyond a shape: effects, sounds, animations, or a model, whose materials may have formulas.
    pub has_more: bool,
}

/// An effect that runs as long as an object lives.
#[derive(Clone, Copy, Debug)]
pub struct LastingEffect {
    /// The effect tag.
    pub effect: StringId,
    /// The marker, or none.
    pub marker: StringId,
    /// The factor of its size.
    pub scale: f32,
    /// The function of its condition; none: always.
    pub when: Option<u32>,
}

/// A sound that is heard as long as an object lives.
#[derive(Clone, Copy, Debug)]
pub struct LastingSound {
    /// The sound tag.
    pub sound: StringId,
    /// The marker, or none.
    pub marker: StringId,
    /// The factor of its volume.
    pub volume: f32,
    /// The factor of its pitch.
    pub pitch: f32,
    /// The function of its condition; none: always.
    pub when: Option<u32>,
}

impl Appearance {
    /// Whether a variable says how it looks.
    #[inline]
    pub fn has_variables(&self) -> bool {
        self.scale_variable.is_some() || self.hidden_variable.is_some() || self.unseen_variable.is_some()
    }

    /// The appearance of a tag's objects, by the id of its path and its program.
    pub fn of(id: StringId, tag: &View<'_, ObjectTag>, program: &Program) -> Appearance {
        let effects = tag.each(&tag.effects).iter().filter(|row| !row.effect.is_none());
        let sounds = tag.each(&tag.sounds).iter().filter(|row| !row.sound.is_none());
        Appearance {
            model: tag.model.id(),
            shape: shape_of(&tag.body, id).unwrap_or(Shape::Marker { radius: tag.radius }),
            scale: tag.scale,
            scale_variable: program.variable_of(StringId::new("scale")),
            colour: tag.colour.get().map(|colour| Colour::from_linear([colour.red, colour.green, colour.blue])),
            is_hidden: tag.hidden.is_true(),
            hidden_variable: program.variable_of(StringId::new("hidden")),
            unseen_variable: program.variable_of(StringId::new("unseen")),
            effects: effects
                .map(|row| LastingEffect {
                    effect: row.effect.id(),
                    marker: row.marker,
                    scale: row.scale,
                    when: row.when.function(),
                })
                .collect(),
            sounds: sounds
                .map(|row| LastingSound {
                    sound: row.sound.id(),
                    marker: row.marker,
                    volume: row.volume,
                    pitch: row.pitch,
                    when: row.when.function(),
                })
                .collect(),
            graph: tag.graph.id(),
            camera: tag.camera.id(),
            interface: tag.interface.id(),
            has_more: tag.effects.count() + tag.sounds.count() > 0 || !tag.graph.is_none() || !tag.model.is_none(),
        }
    }
}

/// The shape that a body record describes; none if it describes no body.
fn shape_of(body: &BodyRecord, tag: StringId) -> Option<Shape> {
    Some(match body.shape.get() {
        ShapeName::None => return None,
        ShapeName::Sphere => Shape::Sphere { radius: body.radius },
        ShapeName::Capsule => Shape::Capsule { radius: body.radius, length: body.length },
        ShapeName::Box => Shape::Box { half: body.half },
        // The mesh of its hull, under the name of the tag.
        ShapeName::Cylinder | ShapeName::Cone => Shape::Mesh { name: tag },
        ShapeName::Geometry => Shape::Mesh { name: body.geometry.id() },
    })
}
