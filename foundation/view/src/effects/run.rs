//! One running effect: its times, its place, its detail; and what all its parts need.

use base::{Quat, StringId, Vec3, number};
use tags::packed::View;
use tags::{Formula, Library, Reference};

use super::placement::{Place, Placement};
use super::{EffectScene, curve};
use crate::classes::effect::{ColourPoint, EffectBlend, EffectStart};
use crate::classes::{Bitmap, Effect, Material};
use crate::colour::Colour;
use crate::instance::Parameter;
use crate::limits::{RIBBON_POINTS_MAX, RIBBONS_MAX, SPRITES_MAX};
use crate::moment::Span;
use crate::running::RunningEffect;
use crate::visuals::{Blend, Ribbon, RibbonPoint, Sprite, Visuals};

/// The least part of the particles that is shown of a distant effect.
const DETAIL_MIN: f32 = 0.1;
/// The last part of its distance over which an effect fades.
const FADE: f32 = 0.1;

/// One running effect.
pub(super) struct EffectRun<'a> {
    pub(super) running: &'a RunningEffect,
    pub(super) effect: View<'a, Effect>,
    pub(super) now: f64,
    /// The time since it began.
    pub(super) elapsed: f64,
    /// When it ends, counted from its beginning; may be infinite.
    pub(super) end: f64,
    /// The part of its particles that is shown, above 0.
    pub(super) detail: f32,
    /// The factor of its opacity.
    pub(super) fade: f32,
    pub(super) scale: f32,
    pub(super) up: Vec3,
    content: &'a Library,
    placement: &'a dyn Placement,
    parameters: &'a [Parameter],
}

/// How far a part of an effect is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartTime {
    /// The time since it began.
    pub(super) age: f64,
    /// The part of its lifetime that is over; 0 if it has no end.
    pub(super) part: f32,
}

impl<'a> EffectRun<'a> {
    pub(super) fn new(
        scene: &EffectScene<'a>,
        running: &'a RunningEffect,
        effect: View<'a, Effect>,
        now: f64,
    ) -> EffectRun<'a> {
        let scale = number::clamp(running.scale, 0.0, 10_000.0);
        let duration = if effect.duration > 0.0 { f64::from(effect.duration) } else { f64::INFINITY };
        let particles = if scene.particles > 0.0 { number::min(scene.particles, 1.0) } else { 0.0 };
        let (near, fade) = seen(effect.get(), distance(scene.eyes, running.position), number::max(scale, 1.0));
        EffectRun {
            running,
            effect,
            now,
            elapsed: now - running.started,
            end: number::double::min(duration, running.stopped - running.started),
            detail: number::max(near * particles, DETAIL_MIN),
            fade,
            scale,
            up: scene.frame.up,
            content: scene.content,
            placement: scene.placement,
            parameters: running.parameters.of(&scene.frame.parameters),
        }
    }

    /// The time of a part that begins after this delay and lasts for a lifetime, or with 0 as long as the effect. None: it has
    /// not begun, never will, or is over.
    pub(super) fn time(&self, delay: f32, lifetime: f32) -> Option<PartTime> {
        let delay = f64::from(number::max(delay, 0.0));
        let age = self.elapsed - delay;
        let lifetime = if lifetime > 0.0 { f64::from(lifetime) } else { self.end - delay };
        if age < 0.0 || delay > self.end || age >= lifetime {
            return None;
        }
        Some(PartTime { age, part: if lifetime.is_finite() { (age / lifetime) as f32 } else { 0.0 } })
    }

    /// Where a part is.
    pub(super) fn place(&self, start: &EffectStart) -> Place {
        let marker = [start.marker, self.running.marker, self.effect.marker];
        let marker = marker.into_iter().find(|marker| !marker.is_none()).unwrap_or(StringId::NONE);
        let mut place = self.place_of(marker);
        place.position += place.orientation.rotate(start.offset * self.scale);
        place
    }

    /// Where a marker of the effect's object is; where the effect began, if it has none.
    pub(super) fn place_of(&self, marker: StringId) -> Place {
        let own = || Place {
            position: self.running.position,
            orientation: self.running.orientation,
            velocity: self.running.velocity,
            colour: Colour::of(0xff_ff_ff),
            is_teleported: false,
        };
        if self.running.object == 0 {
            return own();
        }
        let of_tag = self.running.marker_place.filter(|_| marker == self.running.marker);
        let found = match of_tag {
            None => self.placement.place(self.running.object, marker),
            Some((offset, rotation)) => self.placement.place(self.running.object, StringId::NONE).map(|place| Place {
                position: place.position + place.orientation.rotate(offset),
                orientation: (place.orientation * rotation).normal(),
                ..place
            }),
        };
        found.filter(is_sound).unwrap_or_else(own)
    }

    /// The value of a field: its number, or what the world computed of its lambda.
    pub(super) fn value(&self, formula: Formula, field: StringId, otherwise: f32) -> f32 {
        let value = match formula.number() {
            Some(number) => number as f32,
            None => self.parameters.iter().find(|known| known.name == field).map_or(otherwise, |known| known.value),
        };
        if value.is_finite() { value } else { otherwise }
    }

    /// The image of a part: its own, or that of its material.
    pub(super) fn bitmap(&self, bitmap: &Reference<Bitmap>, material: &Reference<Material>) -> StringId {
        if bitmap.is_none() && !material.is_none() {
            let material = self.content.follow(material);
            return material.map_or(StringId::NONE, |material| material.base_colour_map.bitmap.id());
        }
        bitmap.id()
    }

    /// The factors of a part's colours: strength and team in the first three, and fading in the last.
    pub(super) fn tint(&self, strength: Formula, takes_team: bool, place: &Place) -> [f32; 4] {
        let strength = number::clamp(self.value(strength, STRENGTH, 1.0), 0.0, 1e6);
        let [red, green, blue] = if takes_team { place.colour.to_linear() } else { [1.0; 3] };
        [red * strength, green * strength, blue * strength, self.fade]
    }
}

pub(super) const STRENGTH: StringId = StringId::new("strength");

pub(super) fn is_sound(place: &Place) -> bool {
    place.position.is_finite() && place.orientation.is_finite() && place.velocity.is_finite()
}

/// The distance to the nearest eye; 0 without eyes.
pub(super) fn distance(eyes: &[Vec3], position: Vec3) -> f32 {
    let nearest = eyes.iter().map(|eye| eye.distance_squared(position)).reduce(number::min);
    let distance = number::sqrt(nearest.unwrap_or(0.0));
    if distance.is_finite() { distance } else { f32::MAX }
}

/// The part of its particles and the factor of opacity of an effect at a distance.
fn seen(effect: &Effect, distance: f32, scale: f32) -> (f32, f32) {
    let near = match (effect.detail_distance, effect.distance_max) {
        (near, _) if near > 0.0 => near,
        (_, far) if far > 0.0 => number::max(far * 0.1, 10.0),
        _ => 100.0,
    } * scale;
    let detail = if distance <= near { 1.0 } else { number::max(near / distance, DETAIL_MIN) };
    let far = effect.distance_max * scale;
    let fade = if far > 0.0 { number::clamp((far - distance) / (far * FADE), 0.0, 1.0) } else { 1.0 };
    (detail, fade)
}

/// A colour of a curve, tinted.
#[inline]
pub(super) fn coloured(points: &[ColourPoint], part: f32, tint: [f32; 4]) -> [f32; 4] {
    let colour = curve::colour(points, part);
    core::array::from_fn(|channel| colour[channel] * tint[channel])
}

pub(super) fn blend_of(blend: EffectBlend) -> Blend {
    match blend {
        EffectBlend::Additive => Blend::Additive,
        EffectBlend::Alpha => Blend::Alpha,
    }
}

/// Adds a sprite that can be seen, if there is room. False if there is none.
#[inline]
pub(super) fn push_sprite(out: &mut Visuals, sprite: Sprite) -> bool {
    // Zero times a number that is not finite is NaN.
    let vectors = (sprite.position + sprite.stretch) * 0.0;
    let [red, green, blue, opacity] = sprite.colour;
    let sum = vectors.x + vectors.y + vectors.z + (sprite.size + sprite.rotation + sprite.frame) * 0.0;
    if sum + (red + green + blue + opacity) * 0.0 != 0.0 {
        out.refused += 1;
        return true;
    }
    if sprite.size <= 0.0 || opacity <= 0.0 {
        return true;
    }
    if out.sprites.len() >= SPRITES_MAX {
        out.refused += 1;
        return false;
    }
    out.sprites.push(sprite);
    true
}

/// Adds a ribbon through points, if there is room and it can be seen.
pub(super) fn push_ribbon(
    out: &mut Visuals,
    points: impl IntoIterator<Item = RibbonPoint>,
    bitmap: StringId,
    blend: Blend,
) {
    let first = out.ribbon_points.len();
    let (mut is_sound, mut is_visible) = (true, false);
    for point in points {
        is_sound &=
            point.position.is_finite() && point.width.is_finite() && point.colour.iter().all(|it| it.is_finite());
        is_visible |= point.width > 0.0 && point.colour[3] > 0.0;
        if out.ribbon_points.len() >= RIBBON_POINTS_MAX {
            is_sound = false;
            break;
        }
        out.ribbon_points.push(point);
    }
    let count = out.ribbon_points.len() - first;
    if is_sound && is_visible && count >= 2 && out.ribbons.len() < RIBBONS_MAX {
        out.ribbons.push(Ribbon { points: Span { first: first as u32, count: count as u32 }, bitmap, blend });
        return;
    }
    out.ribbon_points.truncate(first);
    // What is empty or dark was not to be seen anyway.
    out.refused += u64::from(!is_sound || (is_visible && count >= 2));
}

/// The rotation that turns the x axis towards a direction.
pub(super) fn towards(direction: Vec3) -> Quat {
    Quat::between(Vec3::X, direction)
}
