//! The class `animation_graph`: which animations are played, and how they are blended.

use base::{StringId, Truth};
use tags::{Bulk, Choice, Formula, Lambda, Names, Record, Reference, Series, Tag};

use super::animation::Animation;
use super::source::SourceRecord;

/// Which animations are played, and how they are blended: a state machine for each layer. Conditions and speeds are
/// lambdas over variables that the tag sets, as `!set speed 0`; `parameters` says how those follow the object's.
#[derive(Tag)]
#[tag(class = "animation_graph", open)]
#[repr(C)]
pub struct AnimationGraph {
    /// Where it came from.
    pub source: SourceRecord,
    /// Its bulk data.
    pub data: Bulk,
    /// The animations, by the names that states use.
    pub clips: Series<GraphClip>,
    /// The values that conditions and speeds depend on.
    pub parameters: Series<GraphParameter>,
    /// The layers, the lowest first.
    pub layers: Series<GraphLayer>,
}

/// An animation of a graph.
#[derive(Record)]
#[repr(C)]
pub struct GraphClip {
    /// Its name in the graph.
    #[tag(key)]
    pub name: StringId,
    /// The animation.
    pub animation: Reference<Animation>,
}

/// A value that the conditions of a graph depend on.
#[derive(Record)]
#[repr(C)]
pub struct GraphParameter {
    /// Its name: that of a variable of the object.
    #[tag(key)]
    pub name: StringId,
    /// Its value, if the object has no such variable.
    pub default: f32,
    /// The time in which it follows a change (exponential smoothing).
    #[tag(unit = "s", range(0, 60))]
    pub smoothing: f32,
}

/// A layer of a graph.
#[derive(Record)]
#[repr(C)]
pub struct GraphLayer {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// How it is combined with the layers below it.
    #[tag(default = "\"replace\"")]
    pub blend: Choice<GraphBlend>,
    /// Its weight.
    #[tag(range(0, 1), default = 1)]
    pub weight: Formula,
    /// The joints it acts on, with all below them. Empty: all.
    pub mask: Series<GraphMask>,
    /// Its states. The first is that at the start.
    pub states: Series<GraphState>,
    /// Its transitions. The first whose condition holds is taken.
    pub transitions: Series<GraphTransition>,
}

/// A joint that a layer acts on.
#[derive(Record)]
#[repr(C)]
pub struct GraphMask {
    /// The name of the node.
    #[tag(key)]
    pub node: StringId,
    /// The weight of the layer for it, and for all below it.
    #[tag(range(0, 1), default = 1)]
    pub weight: f32,
}

/// A state of a layer.
#[derive(Record)]
#[repr(C)]
pub struct GraphState {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The name of its clip.
    pub clip: StringId,
    /// The speed at which it is played; negative: backwards.
    #[tag(range(-100, 100), default = 1)]
    pub speed: Formula,
    /// Whether it repeats, also if its animation does not.
    pub loops: Truth,
}

/// A transition between two states.
#[derive(Record)]
#[repr(C)]
pub struct GraphTransition {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The state it leaves. None: any.
    pub from: StringId,
    /// The state it leads to.
    pub to: StringId,
    /// The condition. None: the clip has ended.
    pub when: Lambda,
    /// The time of the cross-fade.
    #[tag(unit = "s", range(0, 60), default = 0.2)]
    pub duration: f32,
    /// Whether the new clip begins at the phase of the old one, as from walking to running.
    pub synchronised: Truth,
}

/// How a layer is combined with those below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum GraphBlend {
    /// It replaces them.
    Replace,
    /// Its difference from its first frame is added to them.
    Add,
}
