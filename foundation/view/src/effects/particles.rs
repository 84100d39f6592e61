//! Particles: where each is follows from its number and its age alone.

use base::{StringId, Vec2, Vec3, number};

use super::curve;
use super::dice::{Dice, circle};
use super::placement::Place;
use super::run::{EffectRun, blend_of, coloured, push_sprite};
use crate::classes::effect::{ColourPoint, CurvePoint, EffectParticles, ParticleShape};
use crate::limits::SPRITES_MAX;
use crate::visuals::{Blend, Sprite, Visuals};

/// The acceleration of gravity in metres per second squared.
const GRAVITY: f32 = 9.81;
/// Drag below this is none: the closed form would divide by it.
const DRAG_MIN: f32 = 1e-3;
const RATE: StringId = StringId::new("rate");

/// Adds the particles of an effect. `tried_left` is what may still be looked at in this picture.
pub(super) fn add(run: &EffectRun<'_>, tried_left: &mut u64, out: &mut Visuals) {
    let mut left = u64::from(run.effect.particles_max);
    for (index, emitter) in run.effect.each(&run.effect.particles).iter().enumerate() {
        let delay = f64::from(number::max(emitter.start.delay, 0.0));
        let age = run.elapsed - delay;
        if age < 0.0 || delay > run.end {
            continue;
        }
        let own = if emitter.duration > 0.0 { f64::from(emitter.duration) } else { f64::INFINITY };
        let births = Births::new(run, emitter, age, number::double::min(own, run.end - delay));
        let wanted = births.count();
        if wanted == 0 {
            continue;
        }
        let births = births.limited(u64::from(emitter.particles_max).min(left));
        let taken = births.count();
        left -= taken;
        if taken > *tried_left || out.sprites.len() >= SPRITES_MAX {
            out.refused += taken;
            continue;
        }
        *tried_left -= taken;
        Emitter::new(run, emitter, index as u64).show(&births, out);
    }
}

/// Which particles of an emitter may be alive.
#[derive(Clone, Copy, Debug)]
struct Births {
    /// The time since the emitter began.
    age: f64,
    /// The numbers of the bursts, and the particles of each.
    bursts: (u64, u64),
    burst_interval: f64,
    burst: u64,
    /// How many of each burst are shown.
    burst_shown: u64,
    /// The numbers of the particles that are born one after the other, and their rate.
    singles: (u64, u64),
    rate: f64,
}

impl Births {
    fn new(run: &EffectRun<'_>, emitter: &EffectParticles, age: f64, end: f64) -> Births {
        let lifetime = f64::from(number::clamp(number::max(emitter.lifetime.x, emitter.lifetime.y), 0.0, 3600.0));
        let rate = f64::from(number::clamp(run.value(emitter.rate, RATE, 0.0), 0.0, 100_000.0));
        let interval = f64::from(number::max(emitter.burst_interval, 0.0));
        let oldest = number::double::max(age - lifetime, 0.0);
        let newest = number::double::min(age, end);
        // The events at the times 0, step, 2 step, … from oldest to newest.
        let between = |step: f64| {
            let first = number::double::ceil(oldest / step) as u64;
            let last = number::double::floor(newest / step) as u64;
            // The end itself is no longer part of it.
            let last = if last > 0 && last as f64 * step >= end { last - 1 } else { last };
            (first, (last + 1).max(first))
        };
        let bursts = match (emitter.burst, interval) {
            (0, _) => (0, 0),
            (_, interval) if interval > 0.0 => between(number::double::max(interval, 0.001)),
            _ => (0, u64::from(age < lifetime)),
        };
        let singles = if rate > 0.0 && end > 0.0 && oldest < newest { between(1.0 / rate) } else { (0, 0) };
        let burst = u64::from(emitter.burst);
        Births { age, bursts, burst_interval: interval, burst, burst_shown: burst, singles, rate }
    }

    fn count(&self) -> u64 {
        (self.bursts.1 - self.bursts.0) * self.burst_shown + (self.singles.1 - self.singles.0)
    }

    /// At most this many: the newest ones.
    fn limited(mut self, limit: u64) -> Births {
        let singles = (self.singles.1 - self.singles.0).min(limit);
        self.singles.0 = self.singles.1 - singles;
        let rest = limit - singles;
        let bursts = self.bursts.1 - self.bursts.0;
        if bursts * self.burst > rest {
            let kept = rest.checked_div(self.burst).unwrap_or(0);
            if kept == 0 {
                self.burst_shown = rest;
                self.bursts.0 = self.bursts.1 - u64::from(bursts > 0 && rest > 0);
            } else {
                self.bursts.0 = self.bursts.1 - kept;
            }
        }
        self
    }
}

/// An emitter with everything that its particles share.
struct Emitter<'a> {
    tag: &'a EffectParticles,
    seed: u64,
    part: u64,
    place: Place,
    axes: [Vec3; 3],
    /// The velocity of the place from which particles were left behind.
    left_velocity: Vec3,
    /// The velocity that they have of it.
    own_velocity: Vec3,
    gravity: Vec3,
    cone: f32,
    size_curve: &'a [CurvePoint],
    colour_curve: &'a [ColourPoint],
    tint: [f32; 4],
    bitmap: StringId,
    blend: Blend,
    detail: f32,
    scale: f32,
    /// The factor of sizes that makes up for the particles left out.
    growth: f32,
}

impl<'a> Emitter<'a> {
    fn new(run: &EffectRun<'a>, tag: &'a EffectParticles, part: u64) -> Emitter<'a> {
        let place = run.place(&tag.start);
        let follows = run.running.object != 0;
        let is_attached = tag.start.attached.is_true();
        let moving = |is_it: bool| if is_it { place.velocity } else { Vec3::ZERO };
        Emitter {
            tag,
            seed: run.running.seed,
            part,
            place,
            axes: [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| place.orientation.rotate(axis)),
            left_velocity: moving(follows && !is_attached),
            own_velocity: moving(!follows || !is_attached) * tag.inherit_velocity,
            gravity: run.up * (-GRAVITY * tag.gravity),
            cone: 1.0 - number::cos(number::clamp(tag.spread.radians, 0.0, core::f32::consts::PI)),
            size_curve: run.effect.each(&tag.size_curve),
            colour_curve: run.effect.each(&tag.colour_curve),
            tint: run.tint(tag.strength, tag.team_colour.is_true(), &place),
            bitmap: run.bitmap(&tag.bitmap, &tag.material),
            blend: blend_of(tag.blend.get()),
            detail: run.detail,
            scale: run.scale,
            growth: number::min(1.0 / number::sqrt(run.detail), 2.0),
        }
    }

    fn show(&self, births: &Births, out: &mut Visuals) {
        let mut left = births.count();
        for burst in births.bursts.0..births.bursts.1 {
            let age = births.age - burst as f64 * births.burst_interval;
            for number in 0..births.burst_shown {
                // Bursts and single particles have numbers of their own.
                let number = (burst * births.burst + number) << 1 | 1;
                left -= 1;
                if !self.show_one(number, age as f32, out) {
                    out.refused += left;
                    return;
                }
            }
        }
        for number in births.singles.0..births.singles.1 {
            let age = births.age - number as f64 / births.rate;
            left -= 1;
            if !self.show_one(number << 1, age as f32, out) {
                out.refused += left;
                return;
            }
        }
    }

    /// Shows a particle if it is alive. False if there is no room for more.
    ///
    /// The order of the draws is part of what an effect looks like: new ones come last.
    #[inline]
    fn show_one(&self, number: u64, age: f32, out: &mut Visuals) -> bool {
        let tag = self.tag;
        let mut dice = Dice::new(self.seed, self.part, number);
        let (rank, life) = dice.pair();
        let life = between(tag.lifetime, life);
        if rank >= self.detail || age >= life || age < 0.0 {
            return true;
        }
        let part = age / life;
        let (tilt, turn) = dice.pair();
        let (speed, size) = dice.pair();
        let (rotation, spin) = dice.pair();
        let (brightness, frame) = dice.pair();
        let mut direction = self.direction(tilt, turn);
        let mut birth = Vec3::ZERO;
        if tag.radius > 0.0 {
            let (around, high) = dice.pair();
            let (depth, deeper) = dice.pair();
            let outwards = sphere(around, high);
            // The largest of three even numbers is as far out as an even point of a ball is.
            let far = if tag.shell.is_true() { 1.0 } else { number::max(number::max(depth, deeper), dice.unit()) };
            birth = outwards * (tag.radius * far);
            if tag.shell.is_true() {
                direction = outwards;
            }
        }
        if tag.extent != Vec3::ZERO {
            let (x, y) = dice.pair();
            birth += (Vec3::new(x, y, dice.unit()) * 2.0 - Vec3::splat(1.0)).times(tag.extent);
        }
        let (travelled, velocity) = self.fly(self.to_world(direction) * between(tag.speed, speed) * self.scale, age);
        let mut position =
            self.place.position + self.to_world(birth) * self.scale + travelled - self.left_velocity * age;
        if tag.turbulence > 0.0 {
            position += stray(&mut dice, age * tag.turbulence_frequency) * (tag.turbulence * part * self.scale);
        }
        let shown = if self.detail < 1.0 { number::min((self.detail - rank) * 10.0, 1.0) } else { 1.0 };
        let size = between(tag.size, size) * curve::factor(self.size_curve, part) * self.scale * self.growth * shown;
        let mut colour = coloured(self.colour_curve, part, self.tint);
        let light = 1.0 - brightness * tag.brightness_spread;
        colour[..3].iter_mut().for_each(|channel| *channel *= light);
        let start = if tag.random_rotation.is_true() { rotation * core::f32::consts::TAU } else { 0.0 };
        push_sprite(
            out,
            Sprite {
                position,
                size,
                rotation: start + between(tag.spin, spin) * age,
                stretch: self.stretch(velocity, size),
                colour,
                bitmap: self.bitmap,
                frame: self.frame(part, age, frame),
                blend: self.blend,
            },
        )
    }

    /// A direction in the cone about x.
    #[inline]
    fn direction(&self, tilt: f32, turn: f32) -> Vec3 {
        let cosine = 1.0 - tilt * self.cone;
        let sine = number::sqrt(number::max(1.0 - cosine * cosine, 0.0));
        let (y, z) = circle(turn);
        Vec3::new(cosine, sine * y, sine * z)
    }

    #[inline]
    fn to_world(&self, vector: Vec3) -> Vec3 {
        self.axes[0] * vector.x + self.axes[1] * vector.y + self.axes[2] * vector.z
    }

    /// The way and the velocity after a time, under drag and gravity: the closed form of v' = g − k v.
    #[inline]
    fn fly(&self, velocity: Vec3, age: f32) -> (Vec3, Vec3) {
        let velocity = velocity + self.own_velocity;
        let drag = self.tag.drag;
        if drag < DRAG_MIN {
            return (velocity * age + self.gravity * (0.5 * age * age), velocity + self.gravity * age);
        }
        let left = number::exp(-drag * age);
        let (lost, terminal) = ((1.0 - left) / drag, self.gravity / drag);
        (velocity * lost + terminal * (age - lost), velocity * left + terminal * (1.0 - left))
    }

    #[inline]
    fn stretch(&self, velocity: Vec3, size: f32) -> Vec3 {
        match self.tag.shape.get() {
            ParticleShape::Billboard => Vec3::ZERO,
            ParticleShape::Streak => {
                // Seen by something that moves along, the streak of an attached particle is that of its own velocity.
                let way = velocity * (0.5 * self.tag.stretch);
                let length = way.length();
                if length > size { way } else { way * (size / number::max(length, 1e-6)) }
            }
        }
    }

    #[inline]
    fn frame(&self, part: f32, age: f32, start: f32) -> f32 {
        let frames = self.tag.frames.max(1) as f32;
        if frames <= 1.0 {
            return 0.0;
        }
        let first = if self.tag.random_frame.is_true() { number::floor(start * frames) } else { 0.0 };
        let passed = if self.tag.frames_per_second > 0.0 { age * self.tag.frames_per_second } else { part * frames };
        let frame = first + passed;
        frame - number::floor(frame / frames) * frames
    }
}

/// A value between the two of a range.
#[inline]
fn between(range: Vec2, part: f32) -> f32 {
    range.x + (range.y - range.x) * part
}

/// A direction, even over the sphere.
#[inline]
pub(super) fn sphere(around: f32, high: f32) -> Vec3 {
    let z = 2.0 * high - 1.0;
    let flat = number::sqrt(number::max(1.0 - z * z, 0.0));
    let (x, y) = circle(around);
    Vec3::new(x * flat, y * flat, z)
}

/// A wandering direction: two waves along each axis, whose phases are random.
#[inline]
fn stray(dice: &mut Dice, turns: f32) -> Vec3 {
    let (first, second) = dice.pair();
    let (third, fourth) = dice.pair();
    let (x, y) = circle(turns + first);
    let (z, other) = circle(turns * 0.7 + second);
    let (again, last) = circle(turns * 1.3 + third + fourth);
    Vec3::new(x + again, y + other, z + last) * 0.5
}
