//! Pulls: what draws bodies here and there besides the gravity of the settings. Planets, zones with a gravity of their own, water, wind.
//!
//! | kind | which way | how much |
//! |---|---|---|
//! | planet | to its centre | its strength at its radius; beyond, less with the square of the distance; within, less with the distance |
//! | centre | to its centre | its strength, however far |
//! | linear | to its centre | its strength at its radius, and everywhere in proportion to the distance |
//! | zone | along its vector | the vector's length |
//!
//! Laws
//! 1. Pulls lie in the block, in an order that whoever sets them chose, and a body feels their sum in that order. So the step stays a
//!    function of the block, the shapes and the settings.
//! 2. A pull counts where a body is in the middle of the step if nothing holds it, and where the pull is then. That is the leap-frog of
//!    astronomers: orbits close, and neither gain nor lose energy in the long run. With what is there as the step begins, an orbit of
//!    ten seconds would gain two parts in a hundred each time round.
//! 3. Where pulls that replace are felt, neither gravity nor the others count; those that replace add up. A medium holds back all the same.
//! 4. A medium draws velocities to its own, each second by its drag times the difference, and spins to none. It cannot swing, however
//!    strong it is.
//! 5. No numbers make a body's acceleration other than finite and bounded: what is not finite pulls at nobody, what is too much is cut.
//! 6. Nobody feels its own pull.

use base::number::{clamp, max, sqrt};
use base::{Plain, Quat, Vec3};

use crate::body::Body;
use crate::limits::{FAR, PULL_DRAG_MOST, PULL_FLOW_MOST, PULL_MOST, SIZE_LEAST};
use crate::settings::Settings;

/// Something that pulls, or holds back.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Pull {
    /// Where its centre is.
    pub centre: Vec3,
    /// The distance at which it is as strong as it says.
    pub radius: f32,
    /// How it moves, in metres per second.
    pub velocity: Vec3,
    /// How strong it is, in metres per second squared; less than zero pushes away.
    pub strength: f32,
    /// Of a zone: which way it pulls, and how much.
    pub vector: Vec3,
    /// How far it is felt, in all directions; 0 if it is felt everywhere, or is a box.
    pub reach: f32,
    /// How far it is felt along each of its axes, if it is a box; else zero.
    pub half: Vec3,
    /// How much of the difference to its flow bodies in it lose per second.
    pub drag: f32,
    /// How its medium moves.
    pub flow: Vec3,
    /// How it pulls: see [`PullKind`].
    pub kind: u32,
    /// How its box is turned.
    pub turn: Quat,
    /// 1 if it counts instead of gravity and of those that do not replace.
    pub replaces: u32,
    /// Whose it is: bodies of this owner do not feel it. 0: nobody's.
    pub owner: u32,
}

/// How something pulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PullKind {
    /// To its centre, as planets do.
    Planet = 0,
    /// To its centre, the same everywhere.
    Centre = 1,
    /// To its centre, in proportion to the distance.
    Linear = 2,
    /// All the same way.
    Zone = 3,
}

/// What pulls do to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Felt {
    /// How much faster it would be in a second, gravity included, if it stood still.
    pub acceleration: Vec3,
    /// How much of its velocity and spin it loses per second.
    pub drag: f32,
}

impl Pull {
    /// A planet: so strong at its surface.
    pub fn planet(centre: Vec3, radius: f32, strength: f32) -> Pull {
        Pull { centre, radius, strength, ..Pull::NONE }
    }

    /// A zone of all space that pulls like this; [`Pull::in_box`] and [`Pull::in_ball`] give it an end.
    pub fn zone(vector: Vec3) -> Pull {
        Pull { vector, kind: PullKind::Zone as u32, ..Pull::NONE }
    }

    /// Felt in a box only.
    #[must_use]
    pub fn in_box(self, centre: Vec3, half: Vec3, turn: Quat) -> Pull {
        Pull { centre, half, turn, ..self }
    }

    /// Felt in a ball only.
    #[must_use]
    pub fn in_ball(self, centre: Vec3, reach: f32) -> Pull {
        Pull { centre, reach, ..self }
    }

    /// Instead of gravity and of those that do not replace.
    #[must_use]
    pub fn replacing(self) -> Pull {
        Pull { replaces: 1, ..self }
    }

    /// With a medium that moves like this.
    #[must_use]
    pub fn with_medium(self, drag: f32, flow: Vec3) -> Pull {
        Pull { drag, flow, ..self }
    }

    /// What pulls at nobody.
    pub const NONE: Pull = Pull {
        centre: Vec3::ZERO,
        radius: 1.0,
        velocity: Vec3::ZERO,
        strength: 0.0,
        vector: Vec3::ZERO,
        reach: 0.0,
        half: Vec3::ZERO,
        drag: 0.0,
        flow: Vec3::ZERO,
        kind: PullKind::Planet as u32,
        turn: Quat::IDENTITY,
        replaces: 0,
        owner: 0,
    };

    /// With every number made sound. What is not finite makes it one that pulls at nobody.
    #[must_use]
    pub fn sound(self) -> Pull {
        let vectors = [self.centre, self.velocity, self.vector, self.half, self.flow];
        let numbers = [self.radius, self.strength, self.reach, self.drag];
        let is_finite = vectors.iter().all(|vector| vector.is_finite())
            && numbers.iter().all(|number| number.is_finite())
            && self.turn.is_finite();
        if !is_finite {
            return Pull { owner: self.owner, ..Pull::NONE };
        }
        // First along each axis: the square of a length that is beyond all bounds is none.
        let within = |vector: Vec3, most: f32| vector.clamp(Vec3::splat(-most), Vec3::splat(most));
        Pull {
            centre: within(self.centre, FAR),
            radius: max(self.radius, SIZE_LEAST),
            velocity: within(self.velocity, PULL_FLOW_MOST),
            strength: clamp(self.strength, -PULL_MOST, PULL_MOST),
            vector: within(self.vector, PULL_MOST).limit_length(PULL_MOST),
            reach: max(self.reach, 0.0),
            half: self.half.max(Vec3::ZERO),
            drag: clamp(self.drag, 0.0, PULL_DRAG_MOST),
            flow: within(self.flow, PULL_FLOW_MOST),
            turn: self.turn.normal(),
            ..self
        }
    }

    /// What it does to something that stands still at a place, so many seconds after the step began; nothing where it is not felt.
    fn at(&self, place: Vec3, seconds: f32) -> Option<Vec3> {
        const PLANET: u32 = PullKind::Planet as u32;
        const CENTRE: u32 = PullKind::Centre as u32;
        const LINEAR: u32 = PullKind::Linear as u32;
        let inward = self.centre + self.velocity * seconds - place;
        let square = inward.length_squared();
        if self.half != Vec3::ZERO {
            let away = self.turn.rotate_back(inward).abs();
            if away.x > self.half.x || away.y > self.half.y || away.z > self.half.z {
                return None;
            }
        } else if self.reach > 0.0 && square > self.reach * self.reach {
            return None;
        }
        let vector = match self.kind {
            // Beyond the radius, the strength times (radius / distance)² times inward / distance; within, times distance / radius.
            PLANET if square > self.radius * self.radius => {
                let distance = sqrt(square);
                let part = self.radius / distance;
                inward * (self.strength * part * part / distance)
            }
            PLANET | LINEAR => inward * (self.strength / self.radius),
            CENTRE if square > 0.0 => inward * (self.strength / sqrt(square)),
            CENTRE => Vec3::ZERO,
            _ => self.vector,
        };
        Some(vector.limit_length(PULL_MOST))
    }
}

/// What a body feels in a step: gravity and all pulls.
pub fn felt_by(body: &Body, settings: &Settings, pulls: &[Pull]) -> Felt {
    if body.inverse_mass == 0.0 {
        return Felt { acceleration: Vec3::ZERO, drag: 0.0 };
    }
    if pulls.is_empty() {
        return Felt { acceleration: settings.gravity * body.gravity, drag: 0.0 };
    }
    let half = settings.seconds * 0.5;
    let place = body.centre() + body.velocity * half;
    let others = pulls.iter().filter(|pull| pull.owner == 0 || pull.owner != body.owner);
    let Sum { pulled, drag, flow } = sum(place, half, settings, others);
    Felt { acceleration: pulled * body.gravity + flow, drag }
}

/// What pulls at a place, as a step begins: gravity and all pulls, without what their media do.
pub fn felt_at(place: Vec3, settings: &Settings, pulls: &[Pull]) -> Vec3 {
    sum(place, 0.0, settings, pulls.iter()).pulled
}

/// What some pulls come to.
struct Sum {
    pulled: Vec3,
    drag: f32,
    flow: Vec3,
}

/// The sum of gravity and some pulls at a place, so many seconds after the step began.
#[inline]
fn sum<'a>(place: Vec3, seconds: f32, settings: &Settings, pulls: impl Iterator<Item = &'a Pull>) -> Sum {
    let (mut added, mut instead, mut is_replaced) = (settings.gravity, Vec3::ZERO, false);
    let (mut drag, mut flow) = (0.0, Vec3::ZERO);
    for pull in pulls {
        let Some(vector) = pull.at(place, seconds) else { continue };
        match pull.replaces {
            0 => added += vector,
            _ => (instead, is_replaced) = (instead + vector, true),
        }
        (drag, flow) = (drag + pull.drag, flow + pull.flow * pull.drag);
    }
    Sum { pulled: if is_replaced { instead } else { added }.limit_length(PULL_MOST), drag, flow }
}

/// Whether what a sleeper feels is another than what it fell asleep with, by more than what comes of a moon that goes by.
pub fn is_another(before: Vec3, now: Vec3) -> bool {
    let least = SENSED_PART * SENSED_PART * before.length_squared() + SENSED_LEAST * SENSED_LEAST;
    (now - before).length_squared() > least
}

/// A sleeper wakes if what pulls at it changes by this part: less than what lets a body slide that lay still.
const SENSED_PART: f32 = 0.02;
/// Or by this much, where hardly anything pulls, in metres per second squared: it would take five seconds to be as fast as a body that
/// does not sleep.
const SENSED_LEAST: f32 = 0.01;

#[cfg(test)]
mod tests;
