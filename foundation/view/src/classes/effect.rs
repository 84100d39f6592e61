//! The class `effect`: particles, beams, trails, decals, lights, shakes and sounds that begin together.
//!
//! Effects are made by people; there is no importer.

use base::{StringId, Truth, Vec2, Vec3};
use tags::{Angle, Bulk, Choice, Colour, Formula, Names, Record, Reference, Series, Tag};

use super::bitmap::Bitmap;
use super::material::Material;
use super::sound::Sound;
use super::source::SourceRecord;

/// Particles, beams, trails, decals, lights, shakes and sounds that begin together.
#[derive(Tag)]
#[repr(C)]
pub struct Effect {
    /// Where it came from.
    pub source: SourceRecord,
    /// Its bulk data.
    pub data: Bulk,
    /// How long it lasts; 0: until it is stopped.
    #[tag(unit = "s", range(0, 3600), default = 1)]
    pub duration: f32,
    /// The marker at which it starts; its parts may name others.
    pub marker: StringId,
    /// The most particles at a time, over all its emitters.
    #[tag(unit = "particles", range(0, 1000000), default = 1000)]
    pub particles_max: u32,
    /// The distance beyond which it is left out; 0: never.
    #[tag(unit = "m", range(0, 1000000), default = 200)]
    pub distance_max: f32,
    /// Its emitters of particles.
    pub particles: Series<EffectParticles>,
    /// Its beams.
    pub beams: Series<EffectBeam>,
    /// Its trails.
    pub trails: Series<EffectTrail>,
    /// Its decals.
    pub decals: Series<EffectDecal>,
    /// Its lights.
    pub lights: Series<EffectLight>,
    /// Its shakes of the camera.
    pub shakes: Series<EffectShake>,
    /// Its sounds.
    pub sounds: Series<EffectSound>,
}

/// When and where a part of an effect begins.
#[derive(Record)]
#[repr(C)]
pub struct EffectStart {
    /// The delay after the beginning of the effect.
    #[tag(unit = "s", range(0, 3600))]
    pub delay: f32,
    /// The marker; none: that of the effect.
    pub marker: StringId,
    /// The offset in the frame of the marker.
    #[tag(unit = "m")]
    pub offset: Vec3,
    /// Whether it moves with the marker.
    #[tag(default = true)]
    pub attached: Truth,
}

/// A point of a curve. Between points it is linear.
#[derive(Record)]
#[repr(C)]
pub struct CurvePoint {
    /// The part of the lifetime, from 0 to 1.
    #[tag(key, range(0, 1))]
    pub at: f32,
    /// The factor there.
    #[tag(default = 1)]
    pub factor: f32,
}

/// A point of a curve of colours. Between points it is linear.
#[derive(Record)]
#[repr(C)]
pub struct ColourPoint {
    /// The part of the lifetime, from 0 to 1.
    #[tag(key, range(0, 1))]
    pub at: f32,
    /// The colour there.
    #[tag(default = "\"#ffffff\"")]
    pub colour: Colour,
}

/// An emitter of particles.
#[derive(Record)]
#[repr(C)]
pub struct EffectParticles {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// The particles per second.
    #[tag(unit = "1/s", range(0, 100000), default = 20)]
    pub rate: Formula,
    /// The particles at its beginning.
    #[tag(unit = "particles", range(0, 100000))]
    pub burst: u32,
    /// How long it emits; 0: as long as the effect lasts.
    #[tag(unit = "s", range(0, 3600))]
    pub duration: f32,
    /// The most particles of it at a time.
    #[tag(unit = "particles", range(0, 1000000), default = 500)]
    pub particles_max: u32,
    /// Their lifetimes, from and to.
    #[tag(unit = "s", default = "vec(1, 1)")]
    pub lifetime: Vec2,
    /// Their speeds at birth, from and to.
    #[tag(unit = "m/s", default = "vec(1, 1)")]
    pub speed: Vec2,
    /// The half angle of the cone of their directions, about the x axis of the marker.
    #[tag(range(0, 180), default = 15)]
    pub spread: Angle,
    /// The radius of the sphere in which they are born.
    #[tag(unit = "m", range(0, 10000))]
    pub radius: f32,
    /// Their sizes at birth, from and to.
    #[tag(unit = "m", default = "vec(0.1, 0.1)")]
    pub size: Vec2,
    /// Their size over their lifetime.
    pub size_curve: Series<CurvePoint>,
    /// Their colour over their lifetime.
    pub colour_curve: Series<ColourPoint>,
    /// Their rates of rotation, from and to.
    #[tag(unit = "rad/s")]
    pub spin: Vec2,
    /// The factor by which gravity accelerates them.
    #[tag(range(-100, 100))]
    pub gravity: f32,
    /// The rate at which they lose velocity.
    #[tag(unit = "1/s", range(0, 1000))]
    pub drag: f32,
    /// Whether they bounce off the level.
    pub collides: Truth,
    /// Their material.
    pub material: Reference<Material>,
    /// How they are drawn.
    #[tag(default = "\"billboard\"")]
    pub shape: Choice<ParticleShape>,
}

/// How particles are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum ParticleShape {
    /// A square that faces the camera.
    Billboard,
    /// A square stretched along the velocity.
    Streak,
    /// A square in the plane across the velocity.
    Flat,
}

/// A beam between two markers, or along the x axis of one.
#[derive(Record)]
#[repr(C)]
pub struct EffectBeam {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// The marker at which it ends; none: `length` along the x axis.
    pub end_marker: StringId,
    /// Its greatest length.
    #[tag(unit = "m", range(0, 100000), default = 100)]
    pub length: f32,
    /// Its width.
    #[tag(unit = "m", range(0, 1000), default = 0.1)]
    pub width: Formula,
    /// Its lifetime; 0: that of the effect.
    #[tag(unit = "s", range(0, 3600))]
    pub lifetime: f32,
    /// Its width over its lifetime.
    pub width_curve: Series<CurvePoint>,
    /// Its colour over its lifetime.
    pub colour_curve: Series<ColourPoint>,
    /// Its material.
    pub material: Reference<Material>,
}

/// A ribbon behind a moving marker.
#[derive(Record)]
#[repr(C)]
pub struct EffectTrail {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// How long each piece of it lasts.
    #[tag(unit = "s", range(0, 60), default = 0.5)]
    pub lifetime: f32,
    /// The distance between its points.
    #[tag(unit = "m", range(0.001, 1000), default = 0.1)]
    pub spacing: f32,
    /// The most points of it.
    #[tag(unit = "points", range(2, 4096), default = 64)]
    pub points_max: u32,
    /// Its width.
    #[tag(unit = "m", range(0, 1000), default = 0.1)]
    pub width: f32,
    /// Its width over its lifetime.
    pub width_curve: Series<CurvePoint>,
    /// Its colour over its lifetime.
    pub colour_curve: Series<ColourPoint>,
    /// Its material.
    pub material: Reference<Material>,
}

/// An image on the surface that the x axis of a marker meets.
#[derive(Record)]
#[repr(C)]
pub struct EffectDecal {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// Its width and height.
    #[tag(unit = "m", default = "vec(0.5, 0.5)")]
    pub size: Vec2,
    /// How far from the marker the surface may be.
    #[tag(unit = "m", range(0, 1000), default = 1)]
    pub reach: f32,
    /// How long it stays.
    #[tag(unit = "s", range(0, 86400), default = 30)]
    pub lifetime: f32,
    /// How long it fades at its end.
    #[tag(unit = "s", range(0, 3600), default = 2)]
    pub fade: f32,
    /// Its material; without one, `bitmap` is shown.
    pub material: Reference<Material>,
    /// Its image.
    pub bitmap: Reference<Bitmap>,
    /// Whether it is rotated at random.
    pub random_rotation: Truth,
}

/// A light of an effect.
#[derive(Record)]
#[repr(C)]
pub struct EffectLight {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// Its colour.
    #[tag(default = "\"#ffffff\"")]
    pub colour: Colour,
    /// Its intensity.
    #[tag(unit = "cd", range(0, 1000000000), default = 10)]
    pub intensity: Formula,
    /// The distance beyond which it does not reach.
    #[tag(unit = "m", range(0, 100000), default = 10)]
    pub range: f32,
    /// Its lifetime; 0: that of the effect.
    #[tag(unit = "s", range(0, 3600), default = 0.2)]
    pub lifetime: f32,
    /// Its intensity over its lifetime.
    pub intensity_curve: Series<CurvePoint>,
}

/// A shake of the cameras nearby.
#[derive(Record)]
#[repr(C)]
pub struct EffectShake {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// The greatest displacement.
    #[tag(unit = "m", range(0, 10), default = 0.05)]
    pub amplitude: f32,
    /// The greatest rotation.
    #[tag(range(0, 45), default = 0.5)]
    pub rotation: Angle,
    /// Its frequency.
    #[tag(unit = "1/s", range(0.1, 100), default = 12)]
    pub frequency: f32,
    /// The distance at which nothing is felt.
    #[tag(unit = "m", range(0, 100000), default = 30)]
    pub radius: f32,
    /// Its lifetime.
    #[tag(unit = "s", range(0, 60), default = 0.5)]
    pub lifetime: f32,
    /// Its strength over its lifetime.
    pub strength_curve: Series<CurvePoint>,
}

/// A sound of an effect.
#[derive(Record)]
#[repr(C)]
pub struct EffectSound {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// The sound.
    pub sound: Reference<Sound>,
    /// Its volume.
    #[tag(range(0, 4), default = 1)]
    pub volume: Formula,
    /// Its pitch.
    #[tag(range(0.01, 16), default = 1)]
    pub pitch: Formula,
    /// Whether it repeats as long as the effect lasts.
    pub loops: Truth,
}
