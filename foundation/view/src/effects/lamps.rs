//! The lights, shakes and decals of effects.

use base::{Quat, StringId, Vec3, number};

use super::curve;
use super::dice::{Dice, noise};
use super::run::EffectRun;
use crate::limits::{DECALS_MAX, LIGHTS_MAX, SHAKES_MAX};
use crate::running::Light;
use crate::visuals::{Decal, Shake, Visuals};

const PARTS: u64 = 3 << 20;
const DECALS: u64 = 4 << 20;
const INTENSITY: StringId = StringId::new("intensity");

/// Adds the lights, shakes and decals of an effect.
pub(super) fn add(run: &EffectRun<'_>, out: &mut Visuals) {
    add_lights(run, out);
    add_shakes(run, out);
    add_decals(run, out);
}

fn add_lights(run: &EffectRun<'_>, out: &mut Visuals) {
    for (index, lamp) in run.effect.each(&run.effect.lights).iter().enumerate() {
        let Some(time) = run.time(lamp.start.delay, lamp.lifetime) else { continue };
        let place = run.place(&lamp.start);
        let beat = time.age * f64::from(number::max(lamp.flicker_frequency, 0.0));
        let flicker = 1.0 - lamp.flicker * noise(run.running.seed, PARTS + index as u64, beat);
        // A light of twice the size lights as much at twice the distance.
        let factor = curve::factor(run.effect.each(&lamp.intensity_curve), time.part) * flicker * run.scale * run.scale;
        let candela = run.value(lamp.intensity, INTENSITY, 1.0) * factor * run.fade;
        let team = if lamp.team_colour.is_true() { place.colour.to_linear() } else { [1.0; 3] };
        let colour = Vec3::new(lamp.colour.red, lamp.colour.green, lamp.colour.blue).times(Vec3::from_array(team));
        let light = Light {
            position: place.position,
            direction: Vec3::ZERO,
            intensity: colour * candela,
            range: lamp.range * run.scale,
            cone: -1.0,
        };
        let is_sound = light.position.is_finite() && light.intensity.is_finite() && light.range.is_finite();
        if is_sound && (candela <= 0.0 || light.range <= 0.0) {
            continue;
        }
        add_if(&mut out.lights, light, is_sound, LIGHTS_MAX, &mut out.refused);
    }
}

fn add_shakes(run: &EffectRun<'_>, out: &mut Visuals) {
    for shake in run.effect.each(&run.effect.shakes) {
        let Some(time) = run.time(shake.start.delay, shake.lifetime) else { continue };
        let curve = run.effect.each(&shake.strength_curve);
        // Without a curve it dies down.
        let factor = if curve.is_empty() { 1.0 - time.part } else { curve::factor(curve, time.part) };
        let strength = shake.amplitude * factor * run.scale;
        let shake = Shake { position: run.place(&shake.start).position, strength, range: shake.radius * run.scale };
        let is_sound = shake.position.is_finite() && shake.strength.is_finite() && shake.range.is_finite();
        if is_sound && shake.strength <= 0.0 {
            continue;
        }
        add_if(&mut out.shakes, shake, is_sound, SHAKES_MAX, &mut out.refused);
    }
}

fn add_decals(run: &EffectRun<'_>, out: &mut Visuals) {
    for (index, decal) in run.effect.each(&run.effect.decals).iter().enumerate() {
        let Some(time) = run.time(decal.start.delay, decal.lifetime) else { continue };
        let place = run.place(&decal.start);
        let turns = if decal.random_rotation.is_true() {
            Dice::new(run.running.seed, DECALS + index as u64, 0).unit()
        } else {
            0.0
        };
        // A decal is projected along −z, and the surface lies along x.
        let facing = Quat::between(-Vec3::Z, Vec3::X);
        let spin = Quat::from_axis_angle(Vec3::Z, turns * core::f32::consts::TAU);
        let left = decal.lifetime - time.age as f32;
        let opacity =
            if decal.fade > 0.0 && decal.lifetime > 0.0 { number::clamp(left / decal.fade, 0.0, 1.0) } else { 1.0 };
        let colour = decal.colour;
        let half = Vec3::new(decal.size.x * 0.5, decal.size.y * 0.5, decal.reach) * run.scale;
        let decal = Decal {
            position: place.position,
            orientation: (place.orientation * facing * spin).normal(),
            half,
            bitmap: run.bitmap(&decal.bitmap, &decal.material),
            colour: [colour.red, colour.green, colour.blue, colour.opacity * opacity * run.fade],
        };
        let is_sound =
            decal.position.is_finite() && decal.half.is_finite() && decal.colour.iter().all(|it| it.is_finite());
        if is_sound && (decal.colour[3] <= 0.0 || decal.half.min_component() <= 0.0) {
            continue;
        }
        add_if(&mut out.decals, decal, is_sound, DECALS_MAX, &mut out.refused);
    }
}

fn add_if<T>(list: &mut alloc::vec::Vec<T>, item: T, is_sound: bool, limit: usize, refused: &mut u64) {
    if is_sound && list.len() < limit {
        list.push(item);
    } else {
        *refused += 1;
    }
}
