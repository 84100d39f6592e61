//! The class `effect`: particles, beams, trails, rings, decals, lights, shakes and sounds that begin together.
//!
//! Effects are made by people; there is no importer. [`crate::effects`] says what they look like at a time.
//!
//! A formula that is a lambda is evaluated with the world, and its value comes with the frame under the name of the field.

use base::{StringId, Truth, Vec2, Vec3};
use tags::{Angle, Bulk, Choice, Colour, Formula, Names, Record, Reference, Series, Tag};

use super::bitmap::Bitmap;
use super::material::Material;
use super::sound::Sound;
use super::source::SourceRecord;

/// Particles, beams, trails, rings, decals, lights, shakes and sounds that begin together.
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
    /// The distance up to which all its particles are shown; beyond it there are fewer, and larger ones. 0: a tenth of
    /// `distance_max`, or 100 m.
    #[tag(unit = "m", range(0, 1000000), expert)]
    pub detail_distance: f32,
    /// Which effects are left out last when there are too many: one of importance 2 counts as if it were at half its distance.
    #[tag(range(0.01, 100), default = 1)]
    pub importance: f32,
    /// Its emitters of particles.
    pub particles: Series<EffectParticles>,
    /// Its beams.
    pub beams: Series<EffectBeam>,
    /// Its trails.
    pub trails: Series<EffectTrail>,
    /// Its rings: shock waves and shield hits.
    pub rings: Series<EffectRing>,
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
    /// The factor of its light: above 1 it is brighter than white, and glows.
    #[tag(range(0, 10000), default = 1)]
    pub strength: f32,
}

/// How colours are combined with what lies behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum EffectBlend {
    /// Added: fire, light, sparks.
    Additive,
    /// Covers by its opacity: smoke, dust, splinters.
    Alpha,
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
    /// The time after which the burst is repeated, as long as it emits; 0: never.
    #[tag(unit = "s", range(0, 3600))]
    pub burst_interval: f32,
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
    /// Whether they are born on its surface only, and fly away from its centre.
    pub shell: Truth,
    /// The half extents of the box in which they are born, in addition to the sphere.
    #[tag(unit = "m")]
    pub extent: Vec3,
    /// The part of the emitter's velocity that they have at birth. Particles that move with the marker have all of it.
    #[tag(range(-10, 10))]
    pub inherit_velocity: f32,
    /// Half their widths at birth, from and to.
    #[tag(unit = "m", default = "vec(0.1, 0.1)")]
    pub size: Vec2,
    /// Their size over their lifetime.
    pub size_curve: Series<CurvePoint>,
    /// Their colour over their lifetime.
    pub colour_curve: Series<ColourPoint>,
    /// How much their brightness differs, from 0, not at all, to 1.
    #[tag(range(0, 1))]
    pub brightness_spread: f32,
    /// The factor of their light.
    #[tag(range(0, 10000), default = 1)]
    pub strength: Formula,
    /// Whether their colour is multiplied by that of the object's team.
    pub team_colour: Truth,
    /// Whether each begins with a rotation of its own.
    #[tag(default = true)]
    pub random_rotation: Truth,
    /// Their rates of rotation, from and to.
    #[tag(unit = "rad/s")]
    pub spin: Vec2,
    /// The factor by which gravity accelerates them.
    #[tag(range(-100, 100))]
    pub gravity: f32,
    /// The rate at which they lose velocity.
    #[tag(unit = "1/s", range(0, 1000))]
    pub drag: f32,
    /// How far they stray from their path, growing over their lifetime.
    #[tag(unit = "m", range(0, 1000))]
    pub turbulence: f32,
    /// How often they change direction while they stray.
    #[tag(unit = "1/s", range(0, 100), default = 1)]
    pub turbulence_frequency: f32,
    /// Their material: the image of its base colour is shown.
    pub material: Reference<Material>,
    /// Their image, if not that of a material; neither: a soft disc.
    pub bitmap: Reference<Bitmap>,
    /// The number of frames of their image.
    #[tag(unit = "frames", range(1, 2048), default = 1)]
    pub frames: u32,
    /// How fast the frames follow each other; 0: once over their lifetime.
    #[tag(unit = "1/s", range(0, 240))]
    pub frames_per_second: f32,
    /// Whether each begins with another frame.
    pub random_frame: Truth,
    /// How they are drawn.
    #[tag(default = "\"billboard\"")]
    pub shape: Choice<ParticleShape>,
    /// Of streaks: the time whose way is their length.
    #[tag(unit = "s", range(0, 10), default = 0.04)]
    pub stretch: f32,
    /// How they are combined with what lies behind.
    #[tag(default = "\"additive\"")]
    pub blend: Choice<EffectBlend>,
}

/// How particles are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum ParticleShape {
    /// A square that faces the camera.
    Billboard,
    /// A square stretched along the velocity.
    Streak,
}

/// A beam from a marker to the target of the effect, to another marker, or along the x axis.
#[derive(Record)]
#[repr(C)]
pub struct EffectBeam {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// The marker at which it ends; none: the target of the effect, and without one `length` along the x axis.
    pub end_marker: StringId,
    /// Its greatest length.
    #[tag(unit = "m", range(0, 100000), default = 100)]
    pub length: f32,
    /// Half its width.
    #[tag(unit = "m", range(0, 1000), default = 0.1)]
    pub width: Formula,
    /// Its lifetime; 0: that of the effect.
    #[tag(unit = "s", range(0, 3600))]
    pub lifetime: f32,
    /// Its width over its lifetime.
    pub width_curve: Series<CurvePoint>,
    /// Its colour over its lifetime.
    pub colour_curve: Series<ColourPoint>,
    /// The part of its width that is a white core.
    #[tag(range(0, 1), default = 0.3)]
    pub core: f32,
    /// The speed at which it travels to its end; 0: it is there at once.
    #[tag(unit = "m/s", range(0, 1000000))]
    pub speed: f32,
    /// Of a beam that travels: its length.
    #[tag(unit = "m", range(0, 100000), default = 5)]
    pub bolt_length: f32,
    /// The part of its length over which it fades at each end.
    #[tag(range(0, 0.5), default = 0.03)]
    pub end_fade: f32,
    /// How far it strays from a straight line, as lightning does.
    #[tag(unit = "m", range(0, 1000))]
    pub jitter: f32,
    /// How often it strays another way.
    #[tag(unit = "1/s", range(0, 240), default = 20)]
    pub jitter_frequency: f32,
    /// The number of straight pieces of a beam that strays.
    #[tag(range(1, 64), default = 12)]
    pub segments: u32,
    /// The factor of its light.
    #[tag(range(0, 10000), default = 1)]
    pub strength: Formula,
    /// Whether its colour is multiplied by that of the object's team.
    pub team_colour: Truth,
    /// Its material: the image of its base colour is shown.
    pub material: Reference<Material>,
    /// Its image, if not that of a material; neither: soft edges.
    pub bitmap: Reference<Bitmap>,
    /// How it is combined with what lies behind.
    #[tag(default = "\"additive\"")]
    pub blend: Choice<EffectBlend>,
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
    /// The least distance between its points.
    #[tag(unit = "m", range(0.001, 1000), default = 0.1)]
    pub spacing: f32,
    /// The most points of it.
    #[tag(unit = "points", range(2, 32), default = 32)]
    pub points_max: u32,
    /// Half its width.
    #[tag(unit = "m", range(0, 1000), default = 0.1)]
    pub width: f32,
    /// Its width over its lifetime.
    pub width_curve: Series<CurvePoint>,
    /// Its colour over its lifetime.
    pub colour_curve: Series<ColourPoint>,
    /// The factor of its light.
    #[tag(range(0, 10000), default = 1)]
    pub strength: Formula,
    /// Whether its colour is multiplied by that of the object's team.
    pub team_colour: Truth,
    /// Its material: the image of its base colour is shown.
    pub material: Reference<Material>,
    /// Its image, if not that of a material; neither: soft edges.
    pub bitmap: Reference<Bitmap>,
    /// How it is combined with what lies behind.
    #[tag(default = "\"additive\"")]
    pub blend: Choice<EffectBlend>,
}

/// A ring that grows about a marker, across its x axis.
#[derive(Record)]
#[repr(C)]
pub struct EffectRing {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// When and where it begins.
    pub start: EffectStart,
    /// Its radius.
    #[tag(unit = "m", range(0, 100000), default = 1)]
    pub radius: f32,
    /// Its radius over its lifetime.
    pub radius_curve: Series<CurvePoint>,
    /// Half the width of its line.
    #[tag(unit = "m", range(0, 10000), default = 0.1)]
    pub width: f32,
    /// Its width over its lifetime.
    pub width_curve: Series<CurvePoint>,
    /// Its lifetime.
    #[tag(unit = "s", range(0, 3600), default = 0.5)]
    pub lifetime: f32,
    /// Its colour over its lifetime.
    pub colour_curve: Series<ColourPoint>,
    /// The angle of the part of the circle that is drawn; 360: all of it.
    #[tag(range(1, 360), default = 360)]
    pub arc: Angle,
    /// Whether its axis points anywhere, and not along x.
    pub random_axis: Truth,
    /// The factor of its light.
    #[tag(range(0, 10000), default = 1)]
    pub strength: Formula,
    /// Whether its colour is multiplied by that of the object's team.
    pub team_colour: Truth,
    /// Its material: the image of its base colour is shown.
    pub material: Reference<Material>,
    /// Its image, if not that of a material; neither: soft edges.
    pub bitmap: Reference<Bitmap>,
    /// How it is combined with what lies behind.
    #[tag(default = "\"additive\"")]
    pub blend: Choice<EffectBlend>,
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
    /// Its material: the image of its base colour is shown.
    pub material: Reference<Material>,
    /// Its image, if not that of a material; neither: a soft dark disc.
    pub bitmap: Reference<Bitmap>,
    /// The colour by which its image is multiplied.
    #[tag(default = "\"#ffffff\"")]
    pub colour: Colour,
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
    /// How much it flickers, from 0, not at all, to 1.
    #[tag(range(0, 1))]
    pub flicker: f32,
    /// How often it flickers.
    #[tag(unit = "1/s", range(0, 240), default = 15)]
    pub flicker_frequency: f32,
    /// Whether its colour is multiplied by that of the object's team.
    pub team_colour: Truth,
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
