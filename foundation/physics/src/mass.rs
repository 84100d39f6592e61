//! How heavy a shape is, where its centre is, and how hard it is to turn.

use core::f32::consts::PI;

use base::{Quat, Vec3};

use crate::shape::Shape;

/// The mass of a shape, and how it is spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// In kilograms. Zero: nothing can move it.
    pub mass: f32,
    /// Where its centre is, seen from the shape's origin.
    pub centre: Vec3,
    /// Its moments of inertia about its axes of inertia.
    pub inertia: Vec3,
    /// How its axes of inertia are turned against those of the shape.
    pub turn: Quat,
    /// How far the shape reaches from its centre.
    pub reach: f32,
    /// The radius of the largest ball around its centre that is all within it, or nearly.
    pub inner: f32,
}

impl Mass {
    /// That of what nothing can move.
    pub const NONE: Mass =
        Mass { mass: 0.0, centre: Vec3::ZERO, inertia: Vec3::ZERO, turn: Quat::IDENTITY, reach: 0.0, inner: 0.0 };

    /// That of a shape of this density, in kilograms per cubic metre.
    pub fn of(shape: &Shape, density: f32) -> Mass {
        let (mass, inertia, reach, inner) = match *shape {
            Shape::Sphere(radius) => {
                let mass = density * 4.0 / 3.0 * PI * radius * radius * radius;
                (mass, Vec3::splat(0.4 * mass * radius * radius), radius, radius)
            }
            Shape::Capsule { half, radius } => {
                let rod = density * PI * radius * radius * 2.0 * half;
                let ball = density * 4.0 / 3.0 * PI * radius * radius * radius;
                let along = 0.5 * rod * radius * radius + 0.4 * ball * radius * radius;
                let across = rod * (radius * radius / 4.0 + half * half / 3.0)
                    + ball * (0.4 * radius * radius + half * half + 0.75 * half * radius);
                (rod + ball, Vec3::new(across, across, along), half + radius, radius)
            }
            Shape::Box(half) => {
                let mass = density * 8.0 * half.x * half.y * half.z;
                let square = half.times(half);
                let sides = Vec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
                (mass, sides * (mass / 3.0), half.length(), half.min_component())
            }
        };
        Mass { mass, centre: Vec3::ZERO, inertia, turn: Quat::IDENTITY, reach, inner }
    }

    /// One over the mass; zero if nothing can move it.
    pub fn inverse_mass(&self) -> f32 {
        inverse(self.mass)
    }

    /// One over the moments of inertia; zero where nothing can turn it.
    pub fn inverse_inertia(&self) -> Vec3 {
        Vec3::new(inverse(self.inertia.x), inverse(self.inertia.y), inverse(self.inertia.z))
    }
}

fn inverse(value: f32) -> f32 {
    let inverse = 1.0 / value;
    if value > 0.0 && inverse.is_finite() { inverse } else { 0.0 }
}
