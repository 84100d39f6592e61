//! Who decides what a ship does.

use bevy_ecs::prelude::Component;
use bevy_math::Vec3;

/// What a ship keeps.
#[derive(Component, Clone, Copy, Debug)]
#[repr(C)]
pub struct Ship {
    /// How whole it is.
    pub hull: f32,
    /// What its shield can take.
    pub shield: f32,
    /// How hot it is.
    pub heat: f32,
    /// Milliseconds since it was hit.
    pub calm: f32,
    /// Milliseconds until it may fire.
    pub cooldown: f32,
    /// Milliseconds until it looks for a target.
    pub look: f32,
    /// Laser, mine, emp: 0, 1, 2.
    pub weapon: u8,
    /// 1 or 2.
    pub team: u8,
    /// It runs.
    pub is_fleeing: bool,
}

/// What a ship knows of what is around it.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Where it is.
    pub position: Vec3,
    /// Where it is at home.
    pub home: Vec3,
    /// Where its target is, if it has one that lives.
    pub target: Option<Vec3>,
}

/// The three questions.
pub trait Mind: 'static {
    /// Asks the mind of this thread.
    fn with<R>(work: impl FnOnce(&Self) -> R) -> R;

    /// How far a ship looks for a target.
    fn look(&self, ship: &Ship) -> f32;

    /// One cycle: changes ship and velocity. How hard the target is hit: `None` if it is not.
    fn update(&self, ship: &mut Ship, velocity: &mut Vec3, around: &Around) -> Option<f32>;

    /// A ship was hit by a weapon. How soon there is another at its place: `None` if it still lives.
    fn damage(&self, ship: &mut Ship, amount: f32, weapon: u8) -> Option<f32>;
}
