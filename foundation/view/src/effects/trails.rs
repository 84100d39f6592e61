//! Trails: ribbons through the places where an emitter was.
//!
//! The path of an emitter is kept from picture to picture, at most [`TRAIL_POINTS_MAX`] points of it. After a load or a rewind it
//! is rebuilt from the emitter's velocity, as if it had flown straight. A trail whose effect is no longer in the frame fades.

use alloc::collections::BTreeMap;

use base::hash::mix;
use base::{StringId, Vec3, number};
use tags::Library;
use tags::packed::View;

use super::curve;
use super::placement::Place;
use super::run::{EffectRun, blend_of, coloured, push_ribbon};
use crate::classes::Effect;
use crate::classes::effect::EffectTrail;
use crate::limits::{TRAIL_POINTS_MAX, TRAILS_MAX};
use crate::visuals::{RibbonPoint, Visuals};

/// The paths of all trails.
#[derive(Clone, Debug, Default)]
pub(super) struct Trails {
    paths: BTreeMap<u64, TrailPath>,
    epoch: u32,
    /// Counts the pictures.
    picture: u64,
}

#[derive(Clone, Debug)]
struct TrailPath {
    /// Points from the newest to the oldest.
    points: [PathPoint; TRAIL_POINTS_MAX],
    count: usize,
    look: TrailLook,
    /// The picture in which it was last seen.
    picture: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct PathPoint {
    time: f64,
    position: Vec3,
}

/// What is needed to show a trail whose effect is gone.
#[derive(Clone, Copy, Debug)]
struct TrailLook {
    effect: StringId,
    index: usize,
    scale: f32,
    tint: [f32; 4],
    bitmap: StringId,
}

impl Trails {
    /// Begins a picture. Nothing of an earlier epoch is kept.
    pub(super) fn begin(&mut self, epoch: u32) {
        if self.epoch != epoch {
            self.paths.clear();
            self.epoch = epoch;
        }
        self.picture += 1;
    }

    /// Adds the trails of an effect, and lengthens their paths.
    pub(super) fn add(&mut self, run: &EffectRun<'_>, out: &mut Visuals) {
        for (index, trail) in run.effect.each(&run.effect.trails).iter().enumerate() {
            let age = run.elapsed - f64::from(number::max(trail.start.delay, 0.0));
            if age < 0.0 {
                continue;
            }
            let key = mix(run.running.id, index as u64);
            if !self.paths.contains_key(&key) && self.paths.len() >= TRAILS_MAX {
                out.refused += 1;
                continue;
            }
            let place = run.place(&trail.start);
            let look = TrailLook {
                effect: run.running.effect,
                index,
                scale: run.scale,
                tint: run.tint(trail.strength, trail.team_colour.is_true(), &place),
                bitmap: run.bitmap(&trail.bitmap, &trail.material),
            };
            let picture = self.picture;
            let path = self.paths.entry(key).or_insert_with(|| TrailPath::new(look));
            (path.picture, path.look) = (picture, look);
            // A stopped trail is no longer led by its emitter.
            let is_led = age < run.end - f64::from(trail.start.delay);
            if is_led {
                path.follow(trail, &place, run.now, age);
            } else {
                path.forget_after(run.now);
            }
            let head = is_led.then_some(place.position);
            path.show(run.effect, trail, head, run.now, out);
        }
    }

    /// Shows the trails whose effects are no longer in the frame, until they have faded.
    pub(super) fn fade_left(&mut self, content: &Library, now: f64, out: &mut Visuals) {
        let picture = self.picture;
        self.paths.retain(|_, path| {
            if path.picture == picture {
                return true;
            }
            let Some(effect) = content.get_as::<Effect>(path.look.effect) else { return false };
            let Some(trail) = effect.each(&effect.trails).get(path.look.index) else { return false };
            path.forget_after(now);
            let is_left = path.count > 0 && now - path.points[0].time < f64::from(trail.lifetime);
            if is_left {
                path.show(effect, trail, None, now, out);
            }
            is_left
        });
    }
}

impl TrailPath {
    fn new(look: TrailLook) -> TrailPath {
        TrailPath { points: [PathPoint::default(); TRAIL_POINTS_MAX], count: 0, look, picture: 0 }
    }

    /// Adds the emitter's place to the path, if it is far enough from the newest point.
    fn follow(&mut self, trail: &EffectTrail, place: &Place, now: f64, age: f64) {
        if place.is_teleported {
            self.count = 0;
            self.push(PathPoint { time: now, position: place.position });
            return;
        }
        self.forget_after(now);
        if self.count == 0 {
            return self.rebuild(trail, place, now, age);
        }
        let newest = self.points[0];
        // The points reach over the lifetime, one of them being the emitter itself.
        let step = f64::from(trail.lifetime) / (points_of(trail) - 1) as f64;
        let spacing = number::max(trail.spacing, 0.001);
        if now - newest.time >= step && newest.position.distance_squared(place.position) >= spacing * spacing {
            self.push(PathPoint { time: now, position: place.position });
        }
    }

    /// The path of an emitter that has flown straight since it began.
    fn rebuild(&mut self, trail: &EffectTrail, place: &Place, now: f64, age: f64) {
        let reach = number::double::min(f64::from(trail.lifetime), age);
        let count = points_of(trail) - 1;
        self.count = 0;
        for index in (0..=count).rev() {
            let back = reach * index as f64 / count as f64;
            self.push(PathPoint { time: now - back, position: place.position - place.velocity * back as f32 });
        }
    }

    fn push(&mut self, point: PathPoint) {
        self.points.copy_within(..TRAIL_POINTS_MAX - 1, 1);
        self.points[0] = point;
        self.count = (self.count + 1).min(TRAIL_POINTS_MAX);
    }

    /// Time may have run backwards.
    fn forget_after(&mut self, now: f64) {
        let later = self.points[..self.count].iter().take_while(|point| point.time > now).count();
        self.points.copy_within(later..self.count, 0);
        self.count -= later;
    }

    fn show(&self, effect: View<'_, Effect>, trail: &EffectTrail, head: Option<Vec3>, now: f64, out: &mut Visuals) {
        let lifetime = number::max(trail.lifetime, 0.001);
        let (widths, colours) = (effect.each(&trail.width_curve), effect.each(&trail.colour_curve));
        let look = &self.look;
        let point = |position: Vec3, part: f32| RibbonPoint {
            position,
            width: trail.width * curve::factor(widths, part) * look.scale,
            colour: coloured(colours, part, look.tint),
        };
        let head = head.map(|position| (position, 0.0));
        let limit = points_of(trail) - usize::from(head.is_some());
        // A point that was just added is where the emitter is.
        let is_double = head.is_some_and(|(position, _)| self.count > 0 && self.points[0].position == position);
        let path = self.points[..self.count].iter().skip(usize::from(is_double)).take(limit);
        let mut before: Option<(Vec3, f32)> = None;
        let mut is_over = false;
        let aged = head.into_iter().chain(path.map(|point| (point.position, ((now - point.time) as f32) / lifetime)));
        let points = aged.map_while(|(position, part)| {
            if is_over {
                return None;
            }
            is_over = part >= 1.0;
            // The last piece ends where its lifetime does.
            let (position, part) = match before {
                Some((last, last_part)) if is_over && part > last_part => {
                    (last.lerp(position, (1.0 - last_part) / (part - last_part)), 1.0)
                }
                _ => (position, number::min(part, 1.0)),
            };
            before = Some((position, part));
            Some(point(position, part))
        });
        push_ribbon(out, points, look.bitmap, blend_of(trail.blend.get()));
    }
}

fn points_of(trail: &EffectTrail) -> usize {
    (trail.points_max as usize).clamp(2, TRAIL_POINTS_MAX)
}
