//! A block of eight contacts, lane by lane: what holds bodies apart, what rubs, what keeps from turning.
//!
//! Every contact has a direction, up to `POINTS` points that are held apart along it, and one place in their middle at which
//! friction works: two directions across, and turning on the spot. Where bodies are hard to roll, their spin is held back too.
//!
//! Laws
//! 1. Impulses that hold apart only push. Those of friction are no larger than what pushes times how rough it is.
//! 2. Overlap goes away softly: as if contacts were springs so strongly damped that they cannot swing. Of what then moves apart too
//!    fast, the second look (without the spring) takes the excess away again.
//! 3. Where several points bear, they are worked out together, exactly, so that none of them comes first and nothing leans; those
//!    that would pull let go, and the others are worked out anew.
//! 4. A contact that is not yet there lets its bodies come as near as they are apart, and no nearer.
//! 5. A blow is one in its sub-step: points that were not pressed before, and met fast enough, come apart as fast as they met, times
//!    what is given back. What it did is not expected again in the next sub-step.
//! 6. Lanes do not know of one another. Where work is left out because no lane needs it, doing it would change nothing.
//!
//! What bends all along a column is hardly felt by any one contact, so it is learned slowly, and its impulse swings. That dies away
//! only if looks leak faster than overlap is pushed out: the part of the impulse that is taken back in a second, times how much two
//! looks do, has to be more than the rate at which overlap goes away. For a spring of this kind, that is so up to a quarter of the
//! rate of sub-steps, if all of it leaks, also how points share their load, and if the second look does [`EAGERNESS`] times what it
//! finds necessary. What leaks less is stiffer, and towers, pyramids and houses of cards dance until they fall.

pub mod single;

use base::Vec3;
use base::number::{max, min};
use state::share::Pairs;
use state::widely::{Work, widely};

use crate::contact::Contact;
use crate::lanes::{Wide, WideMatrix, WideVector, each};
use crate::limits::LANES;
use crate::mover::{Motion, Mover, Row};
use crate::solve::together;
use crate::touching::Touching;

/// How much of what is necessary the second look does where several points bear. With one it takes long, with two it never ends.
const EAGERNESS: f32 = 1.4;

/// Where a joint holds a body, overlap goes away as much more slowly as the body is lighter than all that hangs on it: a contact
/// feels only the body, so it takes as many looks longer until it bears the rest, and to push faster than it learns would swing. This
/// is the least, so that what overlaps does come apart.
const PATIENCE_LEAST: f32 = 0.1;

/// Eight contacts of up to so many points.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Block<const POINTS: usize, const FACTORS: usize, H = Inertia> {
    normal: WideVector,
    tangent: WideVector,
    /// From the second's centre to the first's.
    between: WideVector,
    /// Where friction works, seen from the first's centre.
    middle: WideVector,
    first: H,
    second: H,
    points: [Point; POINTS],
    /// What all points together do to one another, taken apart: see [`together`].
    factors: [Wide; FACTORS],
    /// Above zero where there was a blow in this sub-step.
    is_blow: Wide,
    /// Above zero where nothing can move one of both.
    is_hard: Wide,
    friction: Wide,
    /// How far from the middle the points are: the lever of what keeps from turning.
    lever: Wide,
    rolling: Wide,
    restitution: Wide,
    /// How fast points have to meet to bounce.
    bounce_speed: Wide,
    /// How forces speed the second up against the first along the normal.
    acceleration: Wide,
    tangent_mass: [Wide; 3],
    tangent_impulse: [Wide; 2],
    twist_mass: Wide,
    twist_impulse: Wide,
    rolling_impulse: WideVector,
    /// One where a joint holds that side, which then begins every sub-step with its impulses.
    joined: [Wide; 2],
    /// How much of the rate is used at which overlap goes away.
    patience: Wide,
}

/// How hard it is to move and to turn.
#[derive(Clone, Copy, Default)]
pub struct Inertia {
    inverse_mass: Wide,
    inverse_inertia: WideMatrix,
}

/// How a side gives way.
pub trait Heft: Copy {
    /// It does not.
    const NONE: Self;

    /// What an impulse, and one that turns, do to its velocity and its spin.
    fn struck(&self, push: WideVector, turn: WideVector) -> [WideVector; 2];

    /// An impulse that only turns.
    fn turn(&self, velocity: &mut WideVector, spin: &mut WideVector, turn: WideVector);

    /// How easily it turns about each axis.
    fn turn_ease(&self) -> WideVector;
}

/// A point of each lane.
#[derive(Clone, Copy, Default)]
struct Point {
    arm: WideVector,
    separation: Wide,
    impulse: Wide,
    /// All that held it apart in this step.
    total: Wide,
    /// How fast it has to come apart again after a blow in this sub-step; zero if there was none.
    rebound: Wide,
}

/// How softly overlap goes away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stiffness {
    /// How fast overlap goes away, per second.
    pub bias_rate: f32,
    /// How much of the impulse that would stop at once is used.
    pub mass_scale: f32,
    /// How much of what was pushed before is taken back.
    pub impulse_scale: f32,
}

/// What all blocks need to know of a step.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// One over the length of a sub-step.
    pub rate: f32,
    /// How fast bodies are pushed apart at most.
    pub push_speed_max: f32,
    /// For contacts between movers.
    pub soft: Stiffness,
    /// For contacts with what nothing can move: they are stiffer, so that heaps do not sink into the ground.
    pub hard: Stiffness,
}

impl Stiffness {
    /// A spring that swings so often a second, so strongly damped, worked out every `seconds`.
    pub fn new(hertz: f32, damping: f32, seconds: f32) -> Stiffness {
        let omega = core::f32::consts::TAU * hertz;
        let stretch = 2.0 * damping + seconds * omega;
        let push = seconds * omega * stretch;
        let impulse_scale = 1.0 / (1.0 + push);
        Stiffness { bias_rate: omega / stretch, mass_scale: push * impulse_scale, impulse_scale }
    }
}

/// What is wanted of a point: how fast its surfaces come apart, and how softly.
#[derive(Clone, Copy)]
struct Goal {
    bias: Wide,
    mass_scale: Wide,
    impulse_scale: Wide,
    /// Above zero where it is left alone: nothing may stop it before it has met what it may bounce from.
    is_apart: Wide,
}

/// The velocities of both sides of a block.
#[derive(Clone, Copy)]
struct Speeds {
    velocity: [WideVector; 2],
    spin: [WideVector; 2],
}

/// How surfaces move against one another along the normal: at the first's centre, and how that changes away from it.
struct Along {
    centre: Wide,
    change: WideVector,
}

impl Goal {
    const NONE: Goal = Goal { bias: NONE, mass_scale: NONE, impulse_scale: NONE, is_apart: NONE };
}

const NONE: Wide = Wide::ZERO;
/// So fast does nothing come nearer that it would have to be stopped.
const NEVER: Wide = Wide([1.0e9; LANES]);
const ONE: Wide = Wide([1.0; LANES]);

/// The contact and the mover of a lane without one.
static NOWHERE: Touching = Touching::NOWHERE;
static NOBODY: Mover = Mover::NOBODY;

impl<const POINTS: usize, const FACTORS: usize, H: Heft> Block<POINTS, FACTORS, H> {
    /// Contacts that do nothing.
    pub const NOTHING: Self = Block {
        normal: WideVector::ZERO,
        tangent: WideVector::ZERO,
        between: WideVector::ZERO,
        middle: WideVector::ZERO,
        first: H::NONE,
        second: H::NONE,
        points: [Point::NONE; POINTS],
        factors: [NONE; FACTORS],
        is_blow: NONE,
        is_hard: NONE,
        friction: NONE,
        lever: NONE,
        rolling: NONE,
        restitution: NONE,
        bounce_speed: NONE,
        acceleration: NONE,
        tangent_mass: [NONE; 3],
        tangent_impulse: [NONE; 2],
        twist_mass: NONE,
        twist_impulse: NONE,
        rolling_impulse: WideVector::ZERO,
        joined: [NONE; 2],
        patience: NONE,
    };
}

impl<const POINTS: usize, const FACTORS: usize> Block<POINTS, FACTORS> {
    /// Becomes a block of these contacts, one a lane; a lane without one does nothing.
    pub fn prepare(&mut self, contacts: [Option<&Touching>; LANES], movers: &[Mover]) {
        widely(Prepare { block: self, contacts, movers });
    }
}

impl<const POINTS: usize, const FACTORS: usize, H: Heft> Block<POINTS, FACTORS, H> {
    /// Begins with the impulses of the last step.
    #[inline(always)]
    pub fn warm(&self, pairs: &mut Pairs<'_, Motion, LANES>) {
        self.warmed(&Speeds::load(pairs)).store(pairs);
    }

    /// The same in the later sub-steps, for sides that a joint holds.
    #[inline(always)]
    pub fn warm_joined(&self, pairs: &mut Pairs<'_, Motion, LANES>) {
        if !self.joined[0].max(self.joined[1]).is_any() {
            return;
        }
        let before = Speeds::load(pairs);
        let mut warm = self.warmed(&before);
        for side in 0..2 {
            let is_joined = self.joined[side];
            warm.velocity[side] = warm.velocity[side].where_positive(is_joined, before.velocity[side]);
            warm.spin[side] = warm.spin[side].where_positive(is_joined, before.spin[side]);
        }
        warm.store(pairs);
    }

    /// Holds apart, and pushes overlap out. Notes who met how fast.
    #[inline(always)]
    pub fn solve(&mut self, pairs: &mut Pairs<'_, Motion, LANES>, pace: &Pace) {
        let (mut speeds, moved, turned) = Speeds::load_all(pairs);
        self.hold_apart(&mut speeds, [&moved, &turned], || Speeds::load_pulled(pairs), pace);
        speeds.store(pairs);
    }

    /// The first look, at speeds.
    #[inline(always)]
    fn hold_apart(
        &mut self,
        speeds: &mut Speeds,
        [moved, turned]: [&[WideVector; 2]; 2],
        pulled: impl Fn() -> Speeds,
        pace: &Pace,
    ) {
        let (drift, speed) = (self.along(moved, turned), self.along(&speeds.velocity, &speeds.spin));
        let separations: [Wide; POINTS] =
            each(NONE, |index| self.points[index].separation + drift.at(self.points[index].arm));
        let mut goals: [Goal; POINTS] = each(Goal::NONE, |index| self.soft_goal(separations[index], pace));
        let next = if self.restitution.is_any() {
            let met = self.met(&pulled(), &separations, pace);
            for (index, goal) in goals.iter_mut().enumerate() {
                goal.is_apart = self.waits(index, met[index]);
            }
            let next = self.hold(&speed, &goals);
            self.note_blows(&met, &next);
            next
        } else {
            self.hold(&speed, &goals)
        };
        self.take(speeds, next);
    }

    /// Holds apart and rubs. Whoever met comes apart again.
    #[inline(always)]
    pub fn relax(&mut self, pairs: &mut Pairs<'_, Motion, LANES>, pace: &Pace) {
        let (mut speeds, moved, turned) = Speeds::load_all(pairs);
        self.rub(&mut speeds);
        let next = self.hold_hard(&speeds, &moved, &turned, pace);
        self.take(&mut speeds, next);
        self.add_up();
        speeds.store(pairs);
    }

    /// Notes what was done in this sub-step.
    #[inline(always)]
    fn add_up(&mut self) {
        for point in &mut self.points {
            point.total = point.total + point.impulse;
        }
    }

    /// Whether some of its contacts met in this sub-step.
    #[inline(always)]
    pub fn has_blow(&self) -> bool {
        self.is_blow.is_any()
    }

    /// Has another look at those that met: what they do to one another has to be in balance, or speed would be lost. After the last
    /// look, what the blow did is part of the velocities that the next sub-step begins with.
    #[inline(always)]
    pub fn bounce(&mut self, pairs: &mut Pairs<'_, Motion, LANES>, pace: &Pace, is_last: bool) {
        if self.has_blow() {
            self.give_back(pairs, pace, is_last);
        }
    }

    /// What is remembered of one lane.
    pub fn remember(&self, lane: usize, contact: &mut Contact) {
        let other = self.normal.cross(self.tangent);
        let across = self.tangent * self.tangent_impulse[0] + other * self.tangent_impulse[1];
        contact.friction = across.lane(lane);
        contact.rolling = self.rolling_impulse.lane(lane);
        contact.twist = self.twist_impulse.0[lane];
        for (index, point) in self.points.iter().enumerate() {
            contact.impulses[index] = point.impulse.0[lane];
        }
    }

    /// What held one lane apart in this step, over all its points.
    pub fn total(&self, lane: usize) -> f32 {
        self.points.iter().fold(0.0, |sum, point| sum + point.total.0[lane])
    }

    /// Takes what is known of each contact, lane by lane.
    #[inline(always)]
    fn fill(&mut self, contacts: &[&Touching; LANES], sides: &[[&Mover; LANES]; 2]) {
        let contact = |lane: usize| &contacts[lane].contact;
        let counts: [usize; LANES] = each(0, |lane| contact(lane).count());
        let is_there = |index: usize, lane: usize| index < counts[lane];
        let tangents: [Vec3; LANES] = each(Vec3::ZERO, |lane| contact(lane).normal.perpendicular());
        self.normal = WideVector::of(|lane| contact(lane).normal);
        self.tangent = WideVector::of(|lane| tangents[lane]);
        self.between = WideVector::of(|lane| contacts[lane].between);
        self.middle = WideVector::of(|lane| contacts[lane].middle());
        self.joined = each(NONE, |side| Wide::of(|lane| f32::from(u8::from(sides[side][lane].is_joined))));
        self.patience = Wide::of(|lane| max(min(sides[0][lane].share, sides[1][lane].share), PATIENCE_LEAST));
        for (index, point) in self.points.iter_mut().enumerate() {
            let number = |lane: usize, number: f32| if is_there(index, lane) { number } else { 0.0 };
            *point = Point {
                arm: WideVector::of(|lane| if is_there(index, lane) { contacts[lane].arms[index] } else { Vec3::ZERO }),
                separation: Wide::of(|lane| number(lane, contacts[lane].separations[index])),
                impulse: Wide::of(|lane| number(lane, contact(lane).impulses[index])),
                ..Point::NONE
            };
        }
        let is_movable = |lane: usize| sides[0][lane].inverse_mass > 0.0 && sides[1][lane].inverse_mass > 0.0;
        self.is_hard = Wide::of(|lane| if is_movable(lane) { 0.0 } else { 1.0 });
        self.friction = Wide::of(|lane| contacts[lane].friction);
        self.lever = Wide::of(|lane| contacts[lane].lever());
        self.rolling = Wide::of(|lane| contacts[lane].rolling);
        self.restitution = Wide::of(|lane| contacts[lane].restitution);
        self.bounce_speed = Wide::of(|lane| contacts[lane].bounce_speed);
        self.acceleration = Wide::of(|lane| contacts[lane].acceleration);
        let friction = WideVector::of(|lane| contact(lane).friction);
        self.tangent_impulse = [friction.dot(self.tangent), friction.dot(self.normal.cross(self.tangent))];
        // What was rough in the last step need not be so now.
        self.twist_impulse = self.lever.if_positive(Wide::of(|lane| contact(lane).twist), NONE);
        let rolling = WideVector::of(|lane| contact(lane).rolling);
        self.rolling_impulse = rolling.where_positive(self.rolling, WideVector::ZERO);
        self.is_blow = NONE;
    }
}

impl<const POINTS: usize, const FACTORS: usize> Block<POINTS, FACTORS> {
    /// Works out how hard everything is to move.
    #[inline(always)]
    fn resist(&mut self, is_there: [Wide; POINTS]) {
        let (first, second, between, normal) = (&self.first, &self.second, self.between, self.normal);
        let straight = first.inverse_mass + second.inverse_mass;
        // What a push along a direction at a point turns, and how it turns then.
        let levers = |arm: WideVector, along: WideVector| [arm.cross(along), (arm + between).cross(along)];
        let turned = |by: &[WideVector; 2]| [first.inverse_inertia * by[0], second.inverse_inertia * by[1]];
        let sum = |turned: &[WideVector; 2], by: &[WideVector; 2]| turned[0].dot(by[0]) + turned[1].dot(by[1]);
        let arms: [_; POINTS] = each([WideVector::ZERO; 2], |index| levers(self.points[index].arm, normal));
        let turns: [_; POINTS] = each([WideVector::ZERO; 2], |index| turned(&arms[index]));
        let resistance = |row: usize, column: usize| {
            (straight + sum(&turns[row], &arms[column])) * (is_there[row] * is_there[column])
        };
        self.factors = together::factors::<POINTS, FACTORS>(resistance);
        let one = levers(self.middle, self.tangent);
        let two = levers(self.middle, normal.cross(self.tangent));
        let (turned_one, turned_two) = (turned(&one), turned(&two));
        let (along, across) = (straight + sum(&turned_one, &one), straight + sum(&turned_two, &two));
        let mixed = sum(&turned_one, &two);
        let inverse = (along * across - mixed * mixed).inverse();
        self.tangent_mass = [across * inverse, along * inverse, -(mixed * inverse)];
        self.twist_mass = (first.inverse_inertia * normal + second.inverse_inertia * normal).dot(normal).inverse();
    }
}

impl<const POINTS: usize, const FACTORS: usize, H: Heft> Block<POINTS, FACTORS, H> {
    /// What velocities become by all impulses.
    #[inline(always)]
    fn warmed(&self, speeds: &Speeds) -> Speeds {
        let mut speeds = *speeds;
        self.press(&mut speeds, each(NONE, |index| self.points[index].impulse));
        let other = self.normal.cross(self.tangent);
        let across = self.tangent * self.tangent_impulse[0] + other * self.tangent_impulse[1];
        self.push(&mut speeds, across);
        self.turn(&mut speeds, self.normal * self.twist_impulse + self.rolling_impulse);
        speeds
    }

    /// What all points push.
    #[inline(always)]
    fn hold(&self, speed: &Along, goals: &[Goal; POINTS]) -> [Wide; POINTS] {
        if POINTS == 1 { self.hold_one(speed, goals) } else { self.hold_together(speed, goals) }
    }

    /// What all points push in the second look.
    #[inline(always)]
    fn hold_hard(
        &self,
        speeds: &Speeds,
        moved: &[WideVector; 2],
        turned: &[WideVector; 2],
        pace: &Pace,
    ) -> [Wide; POINTS] {
        let (drift, speed) = (self.along(moved, turned), self.along(&speeds.velocity, &speeds.spin));
        let goals: [Goal; POINTS] = each(Goal::NONE, |index| {
            let point = &self.points[index];
            self.hard_goal(point, point.separation + drift.at(point.arm), pace)
        });
        self.hold(&speed, &goals)
    }

    /// What is wanted of a point that is so far from touching, in the first look.
    #[inline(always)]
    fn soft_goal(&self, separation: Wide, pace: &Pace) -> Goal {
        let Pace { soft, hard, .. } = pace;
        let choose = |hard: f32, soft: f32| self.is_hard.if_positive(Wide::splat(hard), Wide::splat(soft));
        let push = choose(hard.bias_rate, soft.bias_rate) * separation * self.patience;
        Goal {
            bias: separation
                .if_positive(separation * Wide::splat(pace.rate), push.max(Wide::splat(-pace.push_speed_max))),
            mass_scale: separation.if_positive(ONE, choose(hard.mass_scale, soft.mass_scale)),
            impulse_scale: separation.if_positive(NONE, choose(hard.impulse_scale, soft.impulse_scale)),
            is_apart: NONE,
        }
    }

    /// The same in the second look.
    #[inline(always)]
    fn hard_goal(&self, point: &Point, separation: Wide, pace: &Pace) -> Goal {
        // Joints come behind: what is done too much here would set them swinging.
        let joined = self.joined[0].max(self.joined[1]);
        let eagerness = joined.if_positive(ONE, Wide::splat(if POINTS == 1 { 1.0 } else { EAGERNESS }));
        let bias = separation.max(NONE) * Wide::splat(pace.rate);
        let is_apart = point.impulse.if_positive(NONE, self.bounce_speed.if_positive(separation, ONE));
        Goal {
            bias: point.rebound.if_positive(-point.rebound, bias),
            mass_scale: separation.max(point.rebound).if_positive(ONE, eagerness),
            impulse_scale: NONE,
            is_apart: self.restitution.if_positive(point.rebound.if_positive(NONE, is_apart), NONE),
        }
    }

    /// What a single point pushes.
    #[inline(always)]
    fn hold_one(&self, speed: &Along, goals: &[Goal; POINTS]) -> [Wide; POINTS] {
        each(NONE, |index| {
            let (point, goal) = (&self.points[index], &goals[index]);
            let change = self.factors[0] * goal.mass_scale * (speed.at(point.arm) + goal.bias);
            let next = (point.impulse - change - goal.impulse_scale * point.impulse).max(NONE);
            goal.is_apart.if_positive(NONE, next)
        })
    }

    /// What several points push, worked out together. In lanes in which one of them would pull, that lets go.
    #[inline(always)]
    fn hold_together(&self, speed: &Along, goals: &[Goal; POINTS]) -> [Wide; POINTS] {
        let kept: [Wide; POINTS] = each(NONE, |index| {
            let impulse = self.points[index].impulse;
            impulse - goals[index].impulse_scale * impulse
        });
        let wanted: [Wide; POINTS] =
            each(NONE, |index| (speed.at(self.points[index].arm) + goals[index].bias) * goals[index].mass_scale);
        let changes = together::solve(&self.factors, &wanted);
        let next: [Wide; POINTS] =
            each(NONE, |index| goals[index].is_apart.if_positive(-ONE, kept[index] - changes[index]));
        let least = next.iter().fold(NONE, |least, next| least.min(*next));
        if !least.is_any() {
            return next;
        }
        let other = self.hold_some(goals, &wanted, &kept);
        each(NONE, |index| (-least).if_positive(other[index], next[index]))
    }

    /// Where some would pull: gently, but exactly where there was a blow.
    #[inline(always)]
    fn hold_some(&self, goals: &[Goal; POINTS], wanted: &[Wide; POINTS], kept: &[Wide; POINTS]) -> [Wide; POINTS] {
        let wanted = each(NONE, |index| goals[index].is_apart.if_positive(NEVER, wanted[index]));
        let gently = together::solve_gently(&self.factors, &wanted, kept);
        if !self.is_blow.is_any() {
            return gently;
        }
        let holds = each(NONE, |index| goals[index].is_apart.if_positive(NONE, ONE));
        let exactly = together::solve_pushing(&self.factors, &wanted, kept, holds);
        each(NONE, |index| self.is_blow.if_positive(exactly[index], gently[index]))
    }

    /// How fast points come nearer as the sub-step begins, or zero: not as fast as they do now, but as they do when the gap between
    /// them is closed.
    #[inline(always)]
    fn met(&self, pulled: &Speeds, separations: &[Wide; POINTS], pace: &Pace) -> [Wide; POINTS] {
        let speed = self.along(&pulled.velocity, &pulled.spin);
        each(NONE, |index| {
            let before = speed.at(self.points[index].arm) - self.acceleration * Wide::splat(1.0 / pace.rate);
            let fallen = self.acceleration * separations[index].max(NONE);
            let squared = before * before - (fallen + fallen);
            (-before).if_positive(squared.max(NONE).root(), NONE)
        })
    }

    /// Above zero where a point waits for the next sub-step, since it only meets the other because that was hit by somebody else. If
    /// it did not, such blows would not be given back. Only where no force presses: what rests must not wait.
    #[inline(always)]
    fn waits(&self, index: usize, met: Wide) -> Wide {
        let is_pressed = self.points[index].impulse.max(met).max(self.bounce_speed);
        self.restitution.if_positive(is_pressed.if_positive(NONE, ONE), NONE)
    }

    /// Notes how fast points come apart again that were not pressed, are so now, and met fast enough.
    #[inline(always)]
    fn note_blows(&mut self, met: &[Wide; POINTS], next: &[Wide; POINTS]) {
        for (index, point) in self.points.iter_mut().enumerate() {
            let is_new = point.impulse.if_positive(NONE, next[index]);
            let is_hard = (met[index] - self.bounce_speed).if_positive(is_new, NONE);
            point.rebound = is_hard.if_positive(self.restitution * met[index], NONE);
            self.is_blow = self.is_blow.max(point.rebound);
        }
    }

    #[inline(always)]
    fn give_back(&mut self, pairs: &mut Pairs<'_, Motion, LANES>, pace: &Pace, is_last: bool) {
        let (mut speeds, moved, turned) = Speeds::load_all(pairs);
        let before = speeds;
        self.come_apart(&mut speeds, [&moved, &turned], pace);
        speeds.unless(self.is_blow, &before).store(pairs);
        if is_last {
            self.forget_blows(pairs);
        }
    }

    /// Whoever met comes apart as fast as it has to by now.
    #[inline(always)]
    fn come_apart(&mut self, speeds: &mut Speeds, [moved, turned]: [&[WideVector; 2]; 2], pace: &Pace) {
        let next = self.hold_hard(speeds, moved, turned, pace);
        let next = each(NONE, |index| self.is_blow.if_positive(next[index], self.points[index].impulse));
        for (next, point) in next.iter().zip(&mut self.points) {
            point.total = point.total + (*next - point.impulse);
        }
        self.take(speeds, next);
    }

    #[inline(always)]
    fn forget_blows(&mut self, pairs: &mut Pairs<'_, Motion, LANES>) {
        let given = self.forget_given();
        let before = Speeds::load_pulled(pairs);
        let mut pulled = before;
        self.press(&mut pulled, given);
        pulled.unless(self.is_blow, &before).store_pulled(pairs);
        self.is_blow = NONE;
    }

    /// Forgets what a blow did, and tells it.
    #[inline(always)]
    fn forget_given(&mut self) -> [Wide; POINTS] {
        let mut given = [NONE; POINTS];
        for (given, point) in given.iter_mut().zip(&mut self.points) {
            *given = point.rebound.if_positive(point.impulse, NONE);
            point.impulse = point.rebound.if_positive(NONE, point.impulse);
            point.rebound = NONE;
        }
        given
    }

    /// Friction: across, on the spot, and rolling.
    #[inline(always)]
    fn rub(&mut self, speeds: &mut Speeds) {
        let pressed = self.points.iter().fold(NONE, |sum, point| sum + point.impulse);
        let most = self.friction * pressed;
        let other = self.normal.cross(self.tangent);
        // On the spot. A single point has a lever only where it is hard to roll.
        if POINTS > 1 || self.lever.is_any() {
            let limit = most * self.lever;
            let spinning = (speeds.spin[1] - speeds.spin[0]).dot(self.normal);
            let next = (self.twist_impulse - self.twist_mass * spinning).min(limit).max(-limit);
            let change = next - self.twist_impulse;
            self.twist_impulse = next;
            self.turn(speeds, self.normal * change);
        }
        if self.rolling.is_any() {
            self.hold_rolling(speeds, pressed);
        }
        // Across.
        let far = self.middle + self.between;
        let sliding =
            speeds.velocity[1] + speeds.spin[1].cross(far) - speeds.velocity[0] - speeds.spin[0].cross(self.middle);
        let (one, two) = (sliding.dot(self.tangent), sliding.dot(other));
        let [first, second, mixed] = self.tangent_mass;
        let [old_one, old_two] = self.tangent_impulse;
        let next_one = old_one - (first * one + mixed * two);
        let next_two = old_two - (mixed * one + second * two);
        let length = (next_one * next_one + next_two * next_two).root();
        let scale = (length - most).if_positive(most * length.inverse(), ONE);
        let (next_one, next_two) = (next_one * scale, next_two * scale);
        self.tangent_impulse = [next_one, next_two];
        self.push(speeds, self.tangent * (next_one - old_one) + other * (next_two - old_two));
    }

    /// Holds back what rolls, and what spins on a single point.
    #[inline(never)]
    fn hold_rolling(&mut self, speeds: &mut Speeds, pressed: Wide) {
        let before = *speeds;
        let rolling = speeds.spin[1] - speeds.spin[0];
        let (one, two) = (self.first.turn_ease(), self.second.turn_ease());
        let hold = one + two;
        let old = self.rolling_impulse;
        let mut next = WideVector {
            x: old.x - hold.x.inverse() * rolling.x,
            y: old.y - hold.y.inverse() * rolling.y,
            z: old.z - hold.z.inverse() * rolling.z,
        };
        let most = self.rolling * pressed;
        let length = next.dot(next).root();
        next = next * (length - most).if_positive(most * length.inverse(), ONE);
        next = next.where_positive(self.rolling, WideVector::ZERO);
        self.rolling_impulse = next;
        self.turn(speeds, next - old);
        for side in 0..2 {
            speeds.spin[side] = speeds.spin[side].where_positive(self.rolling, before.spin[side]);
        }
    }

    /// Lets every point push as much as this.
    #[inline(always)]
    fn take(&mut self, speeds: &mut Speeds, next: [Wide; POINTS]) {
        let mut changes = next;
        for (change, point) in changes.iter_mut().zip(&mut self.points) {
            (*change, point.impulse) = (*change - point.impulse, *change);
        }
        self.press(speeds, changes);
    }

    /// How the second's surface moves against the first's, along the normal.
    #[inline(always)]
    fn along(&self, straight: &[WideVector; 2], turning: &[WideVector; 2]) -> Along {
        let far = self.normal.cross(turning[1]);
        Along {
            centre: (straight[1] - straight[0]).dot(self.normal) + self.between.dot(far),
            change: far - self.normal.cross(turning[0]),
        }
    }

    /// Impulses along the normal at all points.
    #[inline(always)]
    fn press(&self, speeds: &mut Speeds, impulses: [Wide; POINTS]) {
        let (mut sum, mut at) = (impulses[0], self.points[0].arm * impulses[0]);
        for (point, impulse) in self.points.iter().zip(impulses).skip(1) {
            sum = sum + impulse;
            at += point.arm * impulse;
        }
        let push = self.normal * sum;
        self.strike(speeds, push, [at.cross(self.normal), (at + self.between * sum).cross(self.normal)]);
    }

    /// An impulse on the second where friction works, and its opposite on the first.
    #[inline(always)]
    fn push(&self, speeds: &mut Speeds, impulse: WideVector) {
        self.strike(speeds, impulse, [self.middle.cross(impulse), (self.middle + self.between).cross(impulse)]);
    }

    /// An impulse on the second, and its opposite on the first, which turn them so.
    #[inline(always)]
    fn strike(&self, speeds: &mut Speeds, push: WideVector, turns: [WideVector; 2]) {
        let (first, second) = (self.first.struck(push, turns[0]), self.second.struck(push, turns[1]));
        speeds.velocity[0] -= first[0];
        speeds.spin[0] -= first[1];
        speeds.velocity[1] += second[0];
        speeds.spin[1] += second[1];
    }

    /// The same for an impulse that only turns.
    #[inline(always)]
    fn turn(&self, speeds: &mut Speeds, impulse: WideVector) {
        let opposite = WideVector { x: -impulse.x, y: -impulse.y, z: -impulse.z };
        self.first.turn(&mut speeds.velocity[0], &mut speeds.spin[0], opposite);
        self.second.turn(&mut speeds.velocity[1], &mut speeds.spin[1], impulse);
    }
}

/// What makes a block of contacts.
struct Prepare<'a, const POINTS: usize, const FACTORS: usize> {
    block: &'a mut Block<POINTS, FACTORS>,
    contacts: [Option<&'a Touching>; LANES],
    movers: &'a [Mover],
}

impl<const POINTS: usize, const FACTORS: usize> Work for Prepare<'_, POINTS, FACTORS> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        let (block, contacts) = (self.block, each(&NOWHERE, |lane| self.contacts[lane].unwrap_or(&NOWHERE)));
        let sides = sides_of(&contacts, self.movers);
        block.fill(&contacts, &sides);
        (block.first, block.second) = (Inertia::of(&sides[0]), Inertia::of(&sides[1]));
        let counts: [usize; LANES] = each(0, |lane| contacts[lane].contact.count());
        block.resist(each(NONE, |index| Wide::of(|lane| if index < counts[lane] { 1.0 } else { 0.0 })));
    }
}

/// Whom the contacts of a block are between.
#[inline(always)]
fn sides_of<'a>(contacts: &[&Touching; LANES], movers: &'a [Mover]) -> [[&'a Mover; LANES]; 2] {
    let mover = |side: usize, lane: usize| movers.get(contacts[lane].movers[side] as usize).unwrap_or(&NOBODY);
    each([&NOBODY; LANES], |side| each(&NOBODY, |lane| mover(side, lane)))
}

impl Along {
    #[inline(always)]
    fn at(&self, arm: WideVector) -> Wide {
        self.centre + self.change.dot(arm)
    }
}

impl Point {
    const NONE: Point = Point { arm: WideVector::ZERO, separation: NONE, impulse: NONE, total: NONE, rebound: NONE };
}

impl Heft for Inertia {
    const NONE: Inertia = Inertia { inverse_mass: NONE, inverse_inertia: WideMatrix::ZERO };

    #[inline(always)]
    fn struck(&self, push: WideVector, turn: WideVector) -> [WideVector; 2] {
        [push * self.inverse_mass, self.inverse_inertia * turn]
    }

    #[inline(always)]
    fn turn(&self, _: &mut WideVector, spin: &mut WideVector, turn: WideVector) {
        *spin += self.inverse_inertia * turn;
    }

    #[inline(always)]
    fn turn_ease(&self) -> WideVector {
        self.inverse_inertia.diagonal
    }
}

impl Inertia {
    /// That of a mover in each lane.
    #[inline(always)]
    fn of(movers: &[&Mover; LANES]) -> Inertia {
        let number = |index: usize| Wide::of(|lane| movers[lane].inverse_inertia[index]);
        let diagonal = WideVector { x: number(0), y: number(1), z: number(2) };
        let beside = WideVector { x: number(3), y: number(4), z: number(5) };
        let inverse_inertia = WideMatrix { diagonal, beside };
        Inertia { inverse_mass: Wide::of(|lane| movers[lane].inverse_mass), inverse_inertia }
    }
}

impl Speeds {
    const NONE: Speeds = Speeds { velocity: [WideVector::ZERO; 2], spin: [WideVector::ZERO; 2] };

    #[inline(always)]
    fn load(pairs: &Pairs<'_, Motion, LANES>) -> Speeds {
        Speeds::load_all(pairs).0
    }

    /// With how far both sides have moved and turned.
    #[inline(always)]
    fn load_all(pairs: &Pairs<'_, Motion, LANES>) -> (Speeds, [WideVector; 2], [WideVector; 2]) {
        let (mut speeds, mut moved, mut turned) = (Speeds::NONE, [WideVector::ZERO; 2], [WideVector::ZERO; 2]);
        for side in 0..2 {
            let all: [&Motion; LANES] = each(pairs.get(side, 0), |lane| pairs.get(side, lane));
            speeds.velocity[side] = columns(each([0.0; 4], |lane| all[lane].velocity));
            speeds.spin[side] = columns(each([0.0; 4], |lane| all[lane].spin));
            moved[side] = columns(each([0.0; 4], |lane| all[lane].moved));
            turned[side] = columns(each([0.0; 4], |lane| all[lane].turned));
        }
        (speeds, moved, turned)
    }

    #[inline(always)]
    fn store(&self, pairs: &mut Pairs<'_, Motion, LANES>) {
        for side in 0..2 {
            let (velocity, spin) = (rows(self.velocity[side]), rows(self.spin[side]));
            for lane in 0..LANES {
                pairs.change(side, lane, |motion| {
                    (motion.velocity, motion.spin) = (velocity[lane], spin[lane]);
                });
            }
        }
    }
}

impl Speeds {
    /// These where `sign` is above zero, and the others elsewhere.
    #[inline(always)]
    fn unless(&self, sign: Wide, other: &Speeds) -> Speeds {
        let choose = |one: &[WideVector; 2], other: &[WideVector; 2]| {
            [one[0].where_positive(sign, other[0]), one[1].where_positive(sign, other[1])]
        };
        Speeds { velocity: choose(&self.velocity, &other.velocity), spin: choose(&self.spin, &other.spin) }
    }

    /// Those that the sub-step began with.
    #[inline(always)]
    fn load_pulled(pairs: &Pairs<'_, Motion, LANES>) -> Speeds {
        let mut speeds = Speeds::NONE;
        for side in 0..2 {
            let all: [&Motion; LANES] = each(pairs.get(side, 0), |lane| pairs.get(side, lane));
            speeds.velocity[side] = columns(each([0.0; 4], |lane| all[lane].pulled));
            speeds.spin[side] = columns(each([0.0; 4], |lane| all[lane].pulled_spin));
        }
        speeds
    }

    #[inline(always)]
    fn store_pulled(&self, pairs: &mut Pairs<'_, Motion, LANES>) {
        for side in 0..2 {
            let (velocity, spin) = (rows(self.velocity[side]), rows(self.spin[side]));
            for lane in 0..LANES {
                pairs.change(side, lane, |motion| {
                    (motion.pulled, motion.pulled_spin) = (velocity[lane], spin[lane]);
                });
            }
        }
    }
}

/// A row for each lane as three columns.
#[inline(always)]
fn columns(rows: [Row; LANES]) -> WideVector {
    let column = |index: usize| Wide(each(0.0, |lane| rows[lane][index]));
    WideVector { x: column(0), y: column(1), z: column(2) }
}

/// Three columns as a row for each lane.
#[inline(always)]
fn rows(columns: WideVector) -> [Row; LANES] {
    each([0.0; 4], |lane| [columns.x.0[lane], columns.y.0[lane], columns.z.0[lane], 0.0])
}
