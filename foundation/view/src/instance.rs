//! An instance: one thing that is shown in space.

use base::{Quat, StringId, Vec3};

use crate::colour::Colour;
use crate::moment::Span;

/// One thing that is shown in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// The raw handle of the object it shows; 0 if there is none.
    pub object: u32,
    /// The raw handle of the object it is attached to; 0 if there is none. It then moves with that object.
    pub parent: u32,
    /// Its model tag. None: it is shown by its shape.
    pub model: StringId,
    /// What is shown in place of a model, and until the model is loaded.
    pub shape: Shape,
    /// Its position at the frame's moment.
    pub position: Vec3,
    /// Its rotation.
    pub orientation: Quat,
    /// Its velocity in metres per second.
    pub velocity: Vec3,
    /// Its angular velocity in radians per second, in world space.
    pub angular_velocity: Vec3,
    /// The factor of its size.
    pub scale: f32,
    /// The colour of its team or state. Models take it where a material says so; markers and shapes are drawn in it.
    pub colour: Colour,
    /// Its team.
    pub team: u8,
    /// How it is shown: see [`look`].
    pub look: u16,
    /// The animations it plays, in `Frame::clips`.
    pub clips: Span,
    /// Its pose, in `Frame::poses`: the transforms of its model's nodes. Empty: the rest pose. A frame from a world has none:
    /// [`crate::animation`] computes it from the clips.
    pub pose: Span,
    /// The values of its material parameters, in `Frame::parameters`.
    pub parameters: Span,
}

impl Instance {
    /// A resting instance of a shape, in white.
    pub fn new(object: u32, shape: Shape, position: Vec3) -> Instance {
        Instance {
            object,
            parent: 0,
            model: StringId::NONE,
            shape,
            position,
            orientation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            scale: 1.0,
            colour: Colour::of(0xff_ff_ff),
            team: 0,
            look: 0,
            clips: Span::default(),
            pose: Span::default(),
            parameters: Span::default(),
        }
    }

    /// Whether all its numbers are finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        // Zero times a number that is not finite is NaN.
        let vectors = self.position * 0.0 + self.velocity * 0.0 + self.angular_velocity * 0.0;
        let Quat { x, y, z, w } = self.orientation;
        let turn = x * 0.0 + y * 0.0 + z * 0.0 + w * 0.0;
        vectors.x + vectors.y + vectors.z + turn + self.scale * 0.0 == 0.0
    }
}

/// The bits of `Instance::look`.
pub mod look {
    /// It is selected: an outline is drawn around it.
    pub const SELECTED: u16 = 1;
    /// The pointer is over it: a fainter outline is drawn around it.
    pub const HOVERED: u16 = 2;
    /// Its body is asleep.
    pub const ASLEEP: u16 = 4;
    /// It was spawned, attached or moved without passing through the space between, in the last cycles: its last shown position is not
    /// blended.
    pub const TELEPORTED: u16 = 8;
    /// It is hidden; kept for queries by position.
    pub const HIDDEN: u16 = 16;
    /// It is scenery that never moves.
    pub const FIXED: u16 = 32;
    /// Nothing collides with it: a trigger.
    pub const PASSABLE: u16 = 64;
    /// Only its own team sees it: see [`crate::Frame::hide_unseen`].
    pub const UNSEEN: u16 = 128;
}

/// A simple shape, in the frame of its instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shape {
    /// Nothing.
    #[default]
    None,
    /// A marker that points along the x axis, for objects without model and body. Its radius is in metres.
    Marker {
        /// The radius.
        radius: f32,
    },
    /// A sphere.
    Sphere {
        /// The radius.
        radius: f32,
    },
    /// A capsule along the z axis.
    Capsule {
        /// The radius.
        radius: f32,
        /// The length of the segment between the centres of its ends.
        length: f32,
    },
    /// A box.
    Box {
        /// The half extents.
        half: Vec3,
    },
    /// A mesh of the frame's [`ShapeCatalogue`](crate::catalogue::ShapeCatalogue).
    Mesh {
        /// Its name there: the geometry tag.
        name: StringId,
    },
}

/// The local transform of a model's node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodePose {
    /// The position in the parent's frame.
    pub position: Vec3,
    /// The rotation in the parent's frame.
    pub rotation: Quat,
    /// The scale along its own axes.
    pub scale: Vec3,
}

/// An animation that an instance plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipPlay {
    /// The animation tag.
    pub animation: StringId,
    /// The time in it at the frame's moment, in seconds.
    pub seconds: f32,
    /// The speed at which it is played; negative: backwards.
    pub speed: f32,
    /// Its weight among the clips of its layer, from 0 to 1.
    pub weight: f32,
    /// Whether it repeats.
    pub loops: bool,
    /// The graph tag it is from; none: it acts on all nodes.
    pub graph: StringId,
    /// The index of its layer in the graph.
    pub layer: u16,
    /// The weight of the layer, from 0 to 1.
    pub layer_weight: f32,
}

/// A named value that materials read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name: a parameter of a material, or a field of one such as `emissive_strength`.
    pub name: StringId,
    /// The material tag it is for. None: all materials.
    pub material: StringId,
    /// The value.
    pub value: f32,
}
