//! The interface of ship AI.

use bevy_ecs::prelude::Component;
use bevy_math::Vec3;

/// The state of a ship.
#[derive(Component, Clone, Copy, Debug)]
#[repr(C)]
pub struct Ship {
    /// Its hull points.
    pub hull: f32,
    /// Its shield points.
    pub shield: f32,
    /// Its heat.
    pub heat: f32,
    /// Milliseconds since it was hit.
    pub calm: f32,
    /// Milliseconds until it can fire.
    pub cooldown: f32,
    /// Milliseconds until it searches for a target.
    pub look: f32,
    /// Its weapon: 0 laser, 1 mine, 2 EMP.
    pub weapon: u8,
    /// Its team: 1 or 2.
    pub team: u8,
    /// Whether it flees.
    pub is_fleeing: bool,
}

/// What a ship perceives.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Its position.
    pub position: Vec3,
    /// Its home position.
    pub home: Vec3,
    /// The position of its target, if it has a living one.
    pub target: Option<Vec3>,
}

/// The three decisions of ship AI.
pub trait Mind: 'static {
    /// Calls the AI of this thread.
    fn with<R>(work: impl FnOnce(&Self) -> R) -> R;

    /// The radius in which a ship searches for a target.
    fn look(&self, ship: &Ship) -> f32;

    /// One cycle: updates the ship and its velocity. Returns the damage to the target; `None` if it does not fire.
    fn update(&self, ship: &mut Ship, velocity: &mut Vec3, around: &Around) -> Option<f32>;

    /// Damages a ship by a weapon. Returns the delay until it is replaced; `None` if it survives.
    fn damage(&self, ship: &mut Ship, amount: f32, weapon: u8) -> Option<f32>;
}
