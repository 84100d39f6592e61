//! Beams: lasers, bolts that fly, and lightning.

use base::{StringId, Vec3, number};

use super::curve;
use super::dice::{Dice, circle};
use super::run::{EffectRun, PartTime, blend_of, coloured, push_ribbon};
use crate::classes::effect::EffectBeam;
use crate::visuals::{RibbonPoint, Visuals};

const WIDTH: StringId = StringId::new("width");
/// The pieces of effects that are no particles have random numbers of their own.
const PARTS: u64 = 1 << 20;

/// Adds the beams of an effect.
pub(super) fn add(run: &EffectRun<'_>, out: &mut Visuals) {
    for (index, beam) in run.effect.each(&run.effect.beams).iter().enumerate() {
        if let Some(time) = run.time(beam.start.delay, beam.lifetime) {
            add_one(run, beam, PARTS + index as u64, time, out);
        }
    }
}

fn add_one(run: &EffectRun<'_>, beam: &EffectBeam, part: u64, time: PartTime, out: &mut Visuals) {
    let place = run.place(&beam.start);
    let Some((from, to)) = ends(run, beam, place.position, place.orientation.rotate(Vec3::X), time) else { return };
    let width =
        run.value(beam.width, WIDTH, 0.1) * curve::factor(run.effect.each(&beam.width_curve), time.part) * run.scale;
    let tint = run.tint(beam.strength, beam.team_colour.is_true(), &place);
    let colour = coloured(run.effect.each(&beam.colour_curve), time.part, tint);
    let strand = Strand {
        from,
        to,
        width,
        colour,
        seed: run.running.seed,
        part,
        beat: time.age * f64::from(beam.jitter_frequency),
    };
    let (bitmap, blend) = (run.bitmap(&beam.bitmap, &beam.material), blend_of(beam.blend.get()));
    push_ribbon(out, strand.points(beam), bitmap, blend);
    if beam.core > 0.0 {
        push_ribbon(out, strand.core(beam.core).points(beam), StringId::NONE, blend);
    }
}

/// The ends of a beam at a time; none if a bolt has arrived.
fn ends(run: &EffectRun<'_>, beam: &EffectBeam, start: Vec3, direction: Vec3, time: PartTime) -> Option<(Vec3, Vec3)> {
    let end = match (beam.end_marker.is_none(), run.running.target) {
        (false, _) => run.place_of(beam.end_marker).position,
        (true, Some(target)) => target,
        (true, None) => start + direction * beam.length,
    };
    let whole = (end - start).length();
    let length = number::min(whole, beam.length);
    let way = (end - start).normal_or(direction);
    if beam.speed <= 0.0 {
        return Some((start, start + way * length));
    }
    // A bolt flies as far as its target is, however long a beam may be.
    let head = (time.age as f32) * beam.speed;
    let tail = number::max(head - beam.bolt_length, 0.0);
    (tail < whole).then(|| (start + way * tail, start + way * number::min(head, whole)))
}

/// One ribbon of a beam.
#[derive(Clone, Copy)]
struct Strand {
    from: Vec3,
    to: Vec3,
    width: f32,
    colour: [f32; 4],
    seed: u64,
    part: u64,
    /// Counts how often a stray beam has changed.
    beat: f64,
}

impl Strand {
    /// The narrow middle: the same light, pale.
    fn core(self, part: f32) -> Strand {
        let [red, green, blue, opacity] = self.colour;
        let most = number::max(red, number::max(green, blue));
        let pale = |channel: f32| channel + (most - channel) * 0.8;
        Strand { width: self.width * part, colour: [pale(red), pale(green), pale(blue), opacity], ..self }
    }

    fn points(self, beam: &EffectBeam) -> impl Iterator<Item = RibbonPoint> {
        let is_stray = beam.jitter > 0.0;
        let pieces = if is_stray { beam.segments.clamp(1, 64) } else { 1 };
        let fade = number::clamp(beam.end_fade, 0.0, 0.5);
        let has_fade = fade > 0.0;
        let inner = if has_fade { 2 } else { 0 };
        // The ends, where the fading ends, and the joints of a beam that strays.
        let count = pieces + 1 + inner;
        let jitter = beam.jitter;
        (0..count).map(move |index| {
            let (along, opacity) = match index {
                0 => (0.0, if has_fade { 0.0 } else { 1.0 }),
                last if last + 1 == count => (1.0, if has_fade { 0.0 } else { 1.0 }),
                1 if has_fade => (fade, 1.0),
                last if has_fade && last + 2 == count => (1.0 - fade, 1.0),
                joint => {
                    let joint = (joint - inner / 2) as f32 / pieces as f32;
                    (fade + (1.0 - 2.0 * fade) * joint, 1.0)
                }
            };
            let stray = if is_stray { self.stray(index, along) * jitter } else { Vec3::ZERO };
            let [red, green, blue, alpha] = self.colour;
            RibbonPoint {
                position: self.from + (self.to - self.from) * along + stray,
                width: self.width,
                colour: [red, green, blue, alpha * opacity],
            }
        })
    }

    /// How far a joint lies beside the straight line: nothing at the ends.
    fn stray(&self, joint: u32, along: f32) -> Vec3 {
        let axis = (self.to - self.from).normal();
        let side = axis.perpendicular();
        let up = axis.cross(side);
        let number = (self.beat as u64).wrapping_mul(64).wrapping_add(u64::from(joint));
        let (around, far) = Dice::new(self.seed, self.part, number).pair();
        let (x, y) = circle(around);
        (side * x + up * y) * (far * 4.0 * along * (1.0 - along))
    }
}
