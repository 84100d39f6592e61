//! Rings: shock waves and shield hits.

use base::{Quat, Vec3, number};

use super::curve;
use super::dice::{Dice, circle};
use super::particles::sphere;
use super::run::{EffectRun, PartTime, blend_of, coloured, push_ribbon, towards};
use crate::classes::effect::EffectRing;
use crate::visuals::{RibbonPoint, Visuals};

const PARTS: u64 = 2 << 20;
/// The pieces of a whole circle that is near, and of one that is far.
const PIECES_MAX: f32 = 48.0;
const PIECES_MIN: f32 = 12.0;
/// The radius in metres up to which these are enough, and the factor for the largest rings: one of 200 m passes the eye as a band, and the
/// corners of 48 pieces would be seen.
const RADIUS_USUAL: f32 = 12.0;
const PIECES_FACTOR_MAX: f32 = 4.0;

/// Adds the rings of an effect.
pub(super) fn add(run: &EffectRun<'_>, out: &mut Visuals) {
    for (index, ring) in run.effect.each(&run.effect.rings).iter().enumerate() {
        if let Some(time) = run.time(ring.start.delay, ring.lifetime) {
            add_one(run, ring, PARTS + index as u64, time, out);
        }
    }
}

fn add_one(run: &EffectRun<'_>, ring: &EffectRing, part: u64, time: PartTime, out: &mut Visuals) {
    let place = run.place(&ring.start);
    let mut dice = Dice::new(run.running.seed, part, 0);
    let turn = if ring.random_axis.is_true() {
        let (around, high) = dice.pair();
        towards(sphere(around, high))
    } else {
        Quat::IDENTITY
    };
    let orientation = place.orientation * turn;
    let (side, up) = (orientation.rotate(Vec3::Y), orientation.rotate(Vec3::Z));
    let radius = ring.radius * curve::factor(run.effect.each(&ring.radius_curve), time.part) * run.scale;
    let width = ring.width * curve::factor(run.effect.each(&ring.width_curve), time.part) * run.scale;
    let tint = run.tint(ring.strength, ring.team_colour.is_true(), &place);
    let colour = coloured(run.effect.each(&ring.colour_curve), time.part, tint);
    let turns = number::clamp(ring.arc.radians / core::f32::consts::TAU, 0.0, 1.0);
    let finer = number::clamp(number::sqrt(number::abs(radius) / RADIUS_USUAL), 1.0, PIECES_FACTOR_MAX);
    let pieces = number::max(PIECES_MAX * run.detail * finer, PIECES_MIN);
    let pieces = number::max(number::ceil(pieces * turns), 1.0) as u32;
    let points = (0..=pieces).map(|index| {
        let (x, y) = circle(turns * index as f32 / pieces as f32);
        RibbonPoint { position: place.position + (side * x + up * y) * radius, width, colour }
    });
    push_ribbon(out, points, run.bitmap(&ring.bitmap, &ring.material), blend_of(ring.blend.get()));
}
