//! The shake of a camera by effects nearby.

use base::number::{clamp, sin};
use base::{Quat, Vec3};

use super::finite;
use crate::visuals::Shake;

/// The greatest displacement, in metres.
const DISPLACEMENT_MAX: f32 = 1.0;
/// The rotation for a metre of displacement, in radians.
const ROTATION: f32 = 0.04;

/// The displacement and rotation of a camera at a position, `seconds` after some beginning. Several sines whose frequencies have no
/// common multiple seem irregular, and are continuous.
pub(super) fn shaken(position: Vec3, shakes: &[Shake], factor: f32, seconds: f32) -> (Vec3, Quat) {
    let felt = |shake: &Shake| {
        let away = (shake.position - position).length();
        let nearness = 1.0 - away / shake.range;
        if shake.range > 0.0 && nearness > 0.0 { finite(shake.strength * nearness, 0.0) } else { 0.0 }
    };
    let strength = clamp(finite(shakes.iter().map(felt).sum::<f32>() * factor, 0.0), 0.0, DISPLACEMENT_MAX);
    if strength == 0.0 {
        return (Vec3::ZERO, Quat::IDENTITY);
    }
    let wave = |one: f32, other: f32, phase: f32| 0.6 * sin(seconds * one + phase) + 0.4 * sin(seconds * other - phase);
    let moved = Vec3::new(wave(61.3, 97.1, 0.3), wave(71.9, 113.7, 1.9), wave(83.5, 127.3, 4.1)) * strength;
    let turned =
        Vec3::new(wave(53.1, 89.3, 2.7), wave(67.7, 101.9, 0.9), wave(59.9, 107.3, 3.3)) * (strength * ROTATION);
    (moved, Quat::from_rotation_vector(turned))
}
