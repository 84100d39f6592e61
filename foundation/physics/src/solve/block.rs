//! A block of four contacts, lane by lane: what holds bodies apart, what rubs, what keeps from turning.
//!
//! Every contact has a direction, up to `POINTS` points that are held apart along it, and one place in their middle at which
//! friction works: two directions across, and turning on the spot. Where bodies are hard to roll, their spin is held back too.
//!
//! Laws
//! 1. Impulses that hold apart only push. Those of friction are no larger than what pushes times how rough it is.
//! 2. Overlap goes away softly: as if contacts were springs so strongly damped that they cannot swing. Of what then moves apart too
//!    fast, the second look (without the spring) takes the excess away again.
//! 3. Where several points bear, they are worked out together, exactly, so that none of them comes first and nothing leans; where
//!    that would pull, one after the other.
//! 4. A contact that is not yet there lets its bodies come as near as they are apart, and no nearer.

use state::share::Pairs;

use crate::lanes::{Wide, WideMatrix, WideVector};
use crate::limits::LANES;
use crate::mover::{Motion, Mover};
use crate::solve::together;
use crate::touching::Touching;

/// Four contacts of up to so many points.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Block<const POINTS: usize, const FACTORS: usize> {
    normal: WideVector,
    tangent: WideVector,
    /// From the second's centre to the first's.
    between: WideVector,
    /// Where friction works, seen from the first's centre.
    middle: WideVector,
    first: Inertia,
    second: Inertia,
    points: [Point; POINTS],
    /// What all points together do to one another, taken apart: see [`together`].
    factors: [Wide; FACTORS],
    friction: Wide,
    /// How far from the middle the points are: the lever of what keeps from turning.
    lever: Wide,
    rolling: Wide,
    restitution: Wide,
    softness: Softness,
    tangent_mass: [Wide; 3],
    tangent_impulse: [Wide; 2],
    twist_mass: Wide,
    twist_impulse: Wide,
    rolling_impulse: WideVector,
}

/// How hard it is to move and to turn.
#[derive(Clone, Copy, Default)]
struct Inertia {
    inverse_mass: Wide,
    inverse_inertia: WideMatrix,
}

/// A point of each lane.
#[derive(Clone, Copy, Default)]
struct Point {
    arm: WideVector,
    separation: Wide,
    mass: Wide,
    impulse: Wide,
    /// The largest the impulse was in this step: a sign that there was a blow.
    peak: Wide,
    approach: Wide,
}

/// How softly overlap goes away.
#[derive(Clone, Copy, Default)]
struct Softness {
    bias_rate: Wide,
    mass_scale: Wide,
    impulse_scale: Wide,
}

/// The same for all of a kind of contacts.
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
    /// How fast bodies have to meet to bounce.
    pub bounce_speed_least: f32,
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
struct Goal {
    bias: Wide,
    mass_scale: Wide,
    impulse_scale: Wide,
}

/// The velocities of both sides of a block.
#[derive(Clone, Copy)]
struct Speeds {
    velocity: [WideVector; 2],
    spin: [WideVector; 2],
}

impl<const POINTS: usize, const FACTORS: usize> Block<POINTS, FACTORS> {
    /// From contacts, one a lane; a lane without one does nothing.
    pub fn new(lanes: [Option<&Touching>; LANES], movers: &[Mover], pace: &Pace) -> Self {
        let number = |of: &dyn Fn(&Touching) -> f32| Wide(lanes.map(|touching| touching.map_or(0.0, of)));
        let vector =
            |of: &dyn Fn(&Touching) -> base::Vec3| WideVector::of(|lane| lanes[lane].map_or(base::Vec3::ZERO, of));
        let inertia = |side: usize| Inertia::of(lanes.map(|touching| movers.get(touching?.movers[side] as usize)));
        let stiffness = |of: &dyn Fn(&Stiffness) -> f32| {
            Wide(lanes.map(|touching| {
                let is_hard = touching.is_some_and(|touching| touching.is_hard(movers));
                of(if is_hard { &pace.hard } else { &pace.soft })
            }))
        };
        let normal = vector(&|touching| touching.contact.normal);
        let tangent = vector(&|touching| touching.contact.normal.perpendicular());
        let between = vector(&|touching| touching.between);
        let (first, second) = (inertia(0), inertia(1));
        let mut points = [Point::default(); POINTS];
        for (index, point) in points.iter_mut().enumerate() {
            let is_there = number(&|touching| if index < touching.contact.count() { 1.0 } else { 0.0 });
            let arm = vector(&|touching| touching.arms[index]);
            *point = Point {
                arm,
                separation: number(&|touching| touching.separations[index]),
                mass: resistance(&first, [arm, arm], &second, between, [normal, normal]).inverse() * is_there,
                impulse: number(&|touching| touching.contact.impulses[index]),
                peak: Wide::ZERO,
                approach: number(&|touching| touching.approaches[index]),
            };
        }
        let mut factors = [Wide::ZERO; FACTORS];
        if FACTORS == together::FACTORS {
            let is_there = |index: usize| points[index].mass.if_positive(Wide::splat(1.0), Wide::ZERO);
            factors.copy_from_slice(&together::factors(|row, column| {
                let arms = [points[row].arm, points[column].arm];
                resistance(&first, arms, &second, between, [normal, normal]) * is_there(row) * is_there(column)
            }));
        }
        let middle = vector(&Touching::middle);
        let other = normal.cross(tangent);
        let across =
            |one: WideVector, two: WideVector| resistance(&first, [middle, middle], &second, between, [one, two]);
        let (one, two, mixed) = (across(tangent, tangent), across(other, other), across(tangent, other));
        let inverse = (one * two - mixed * mixed).inverse();
        let turning = (first.inverse_inertia * normal + second.inverse_inertia * normal).dot(normal);
        Block {
            normal,
            tangent,
            between,
            middle,
            first,
            second,
            points,
            factors,
            friction: number(&|touching| touching.friction),
            lever: number(&Touching::lever),
            rolling: number(&|touching| touching.rolling),
            restitution: number(&|touching| touching.restitution),
            softness: Softness {
                bias_rate: stiffness(&|stiffness| stiffness.bias_rate),
                mass_scale: stiffness(&|stiffness| stiffness.mass_scale),
                impulse_scale: stiffness(&|stiffness| stiffness.impulse_scale),
            },
            tangent_mass: [two * inverse, one * inverse, -(mixed * inverse)],
            tangent_impulse: {
                let friction = vector(&|touching| touching.contact.friction);
                [friction.dot(tangent), friction.dot(other)]
            },
            twist_mass: turning.inverse(),
            twist_impulse: number(&|touching| touching.contact.twist),
            rolling_impulse: vector(&|touching| touching.contact.rolling),
        }
    }

    /// Begins with the impulses of the last sub-step.
    #[inline]
    pub fn warm(&self, pairs: &mut Pairs<'_, Motion, LANES>) {
        let mut speeds = Speeds::load(pairs);
        let other = self.normal.cross(self.tangent);
        for point in &self.points {
            self.push(&mut speeds, point.arm, self.normal * point.impulse);
        }
        let across = self.tangent * self.tangent_impulse[0] + other * self.tangent_impulse[1];
        self.push(&mut speeds, self.middle, across);
        self.turn(&mut speeds, self.normal * self.twist_impulse + self.rolling_impulse);
        speeds.store(pairs);
    }

    /// Holds apart and rubs. With `is_soft`, overlap is pushed out too.
    #[inline]
    pub fn solve(&mut self, pairs: &mut Pairs<'_, Motion, LANES>, pace: &Pace, is_soft: bool) {
        let (moved, turned) = load_ways(pairs);
        let mut speeds = Speeds::load(pairs);
        self.rub(&mut speeds);
        let way = moved[1] - moved[0];
        let goals: [Goal; POINTS] = core::array::from_fn(|index| {
            let Point { arm, separation, .. } = self.points[index];
            let drift = way + turned[1].cross(arm + self.between) - turned[0].cross(arm);
            self.goal(separation + drift.dot(self.normal), pace, is_soft)
        });
        if FACTORS == together::FACTORS {
            self.hold_together(&mut speeds, &goals, is_soft);
        } else {
            self.hold_each(&mut speeds, &goals, is_soft);
        }
        for point in &mut self.points {
            point.peak = point.peak.max(point.impulse);
        }
        speeds.store(pairs);
    }

    /// Gives back of a blow what the bodies give back.
    #[inline]
    pub fn bounce(&mut self, pairs: &mut Pairs<'_, Motion, LANES>, pace: &Pace) {
        if !self.restitution.is_any() {
            return;
        }
        let mut speeds = Speeds::load(pairs);
        let least = Wide::splat(pace.bounce_speed_least);
        for index in 0..POINTS {
            let Point { arm, mass, impulse, peak, approach, .. } = self.points[index];
            // Only where there was a blow, and one hard enough.
            let is_hard = (-approach - least).if_positive(Wide::splat(1.0), Wide::ZERO);
            let is_blow =
                peak.if_positive(is_hard, Wide::ZERO) * self.restitution.if_positive(Wide::splat(1.0), Wide::ZERO);
            let speed = speeds.between(arm, arm + self.between).dot(self.normal);
            let change = -(mass * (speed + self.restitution * approach)) * is_blow;
            let next = (impulse + change).max(Wide::ZERO);
            self.points[index].impulse = next;
            self.points[index].peak = peak.max(next);
            self.push(&mut speeds, arm, self.normal * (next - impulse));
        }
        speeds.store(pairs);
    }

    /// What is remembered of one lane.
    pub fn remember(&self, lane: usize, contact: &mut crate::contact::Contact) {
        let other = self.normal.cross(self.tangent);
        let across = self.tangent * self.tangent_impulse[0] + other * self.tangent_impulse[1];
        contact.friction = across.lane(lane);
        contact.rolling = self.rolling_impulse.lane(lane);
        contact.twist = self.twist_impulse.0[lane];
        for (index, point) in self.points.iter().enumerate() {
            contact.impulses[index] = point.impulse.0[lane];
        }
    }

    /// The hardest blow at one lane, over all its points.
    pub fn peak(&self, lane: usize) -> f32 {
        self.points.iter().fold(0.0, |sum, point| sum + point.peak.0[lane])
    }

    /// What is wanted of a point that is so far from touching.
    #[inline(always)]
    fn goal(&self, separation: Wide, pace: &Pace, is_soft: bool) -> Goal {
        let (rate, deepest, one) = (Wide::splat(pace.rate), Wide::splat(-pace.push_speed_max), Wide::splat(1.0));
        if !is_soft {
            return Goal { bias: separation.max(Wide::ZERO) * rate, mass_scale: one, impulse_scale: Wide::ZERO };
        }
        let push = (self.softness.bias_rate * separation).max(deepest);
        Goal {
            bias: separation.if_positive(separation * rate, push),
            mass_scale: separation.if_positive(one, self.softness.mass_scale),
            impulse_scale: separation.if_positive(Wide::ZERO, self.softness.impulse_scale),
        }
    }

    /// Works all points out at once. In lanes in which one of them would pull, they are worked out one after the other.
    #[inline(always)]
    fn hold_together(&mut self, speeds: &mut Speeds, goals: &[Goal; POINTS], is_forward: bool) {
        let wanted: [Wide; POINTS] = core::array::from_fn(|index| {
            let arm = self.points[index].arm;
            let is_there = self.points[index].mass.if_positive(Wide::splat(1.0), Wide::ZERO);
            (speeds.between(arm, arm + self.between).dot(self.normal) + goals[index].bias) * is_there
        });
        let changes = together::solve(&self.factors, &wanted);
        let next: [Wide; POINTS] = core::array::from_fn(|index| {
            let (goal, impulse) = (&goals[index], self.points[index].impulse);
            impulse - goal.mass_scale * changes[index] - goal.impulse_scale * impulse
        });
        let least = next.iter().fold(Wide::ZERO, |least, next| least.min(*next));
        if least.is_any() {
            self.hold_some(speeds, goals, is_forward, (least, next));
        } else {
            self.take(speeds, next);
        }
    }

    /// Takes what was worked out together in the lanes in which nothing pulls, and works the others out one after the other.
    #[inline(never)]
    fn hold_some(
        &mut self,
        speeds: &mut Speeds,
        goals: &[Goal; POINTS],
        is_forward: bool,
        (least, next): (Wide, [Wide; POINTS]),
    ) {
        let (points, speeds_before) = (self.points, *speeds);
        // Where all would pull, all let go at once, so that none of them leans.
        let most = next.iter().fold(Wide::splat(f32::NEG_INFINITY), |most, next| most.max(*next));
        self.take(speeds, points.map(|point| most.if_positive(point.impulse, Wide::ZERO)));
        self.hold_each(speeds, goals, is_forward);
        let (after, speeds_after) = (self.points, *speeds);
        (self.points, *speeds) = (points, speeds_before);
        self.take(speeds, next);
        let pulls = -least;
        for (point, after) in self.points.iter_mut().zip(&after) {
            point.impulse = pulls.if_positive(after.impulse, point.impulse);
        }
        for side in 0..2 {
            speeds.velocity[side] = speeds_after.velocity[side].where_positive(pulls, speeds.velocity[side]);
            speeds.spin[side] = speeds_after.spin[side].where_positive(pulls, speeds.spin[side]);
        }
    }

    /// Lets every point push as much as this.
    #[inline(always)]
    fn take(&mut self, speeds: &mut Speeds, next: [Wide; POINTS]) {
        for (index, next) in next.into_iter().enumerate() {
            let change = next - self.points[index].impulse;
            self.points[index].impulse = next;
            self.push(speeds, self.points[index].arm, self.normal * change);
        }
    }

    /// Works the points out one after the other: there, and the next time back again.
    #[inline(always)]
    fn hold_each(&mut self, speeds: &mut Speeds, goals: &[Goal; POINTS], is_forward: bool) {
        for step in 0..POINTS {
            let index = if is_forward { step } else { POINTS - 1 - step };
            let Point { arm, mass, impulse, .. } = self.points[index];
            let goal = &goals[index];
            let speed = speeds.between(arm, arm + self.between).dot(self.normal);
            let change = -(mass * goal.mass_scale * (speed + goal.bias)) - goal.impulse_scale * impulse;
            let next = (impulse + change).max(Wide::ZERO);
            self.points[index].impulse = next;
            self.push(speeds, arm, self.normal * (next - impulse));
        }
    }

    /// Friction: across, on the spot, and rolling.
    #[inline(always)]
    fn rub(&mut self, speeds: &mut Speeds) {
        let pressed = self.points.iter().fold(Wide::ZERO, |sum, point| sum + point.impulse);
        let most = self.friction * pressed;
        let other = self.normal.cross(self.tangent);
        // On the spot.
        let limit = most * self.lever;
        let spinning = (speeds.spin[1] - speeds.spin[0]).dot(self.normal);
        let next = (self.twist_impulse - self.twist_mass * spinning).min(limit).max(-limit);
        let change = next - self.twist_impulse;
        self.twist_impulse = next;
        self.turn(speeds, self.normal * change);
        // Rolling.
        if self.rolling.is_any() {
            self.hold_rolling(speeds, pressed);
        }
        // Across.
        let sliding = speeds.between(self.middle, self.middle + self.between);
        let (one, two) = (sliding.dot(self.tangent), sliding.dot(other));
        let [first, second, mixed] = self.tangent_mass;
        let [old_one, old_two] = self.tangent_impulse;
        let next_one = old_one - (first * one + mixed * two);
        let next_two = old_two - (mixed * one + second * two);
        let length = (next_one * next_one + next_two * next_two).root();
        let scale = (length - most).if_positive(most * length.inverse(), Wide::splat(1.0));
        let (next_one, next_two) = (next_one * scale, next_two * scale);
        self.tangent_impulse = [next_one, next_two];
        let change = self.tangent * (next_one - old_one) + other * (next_two - old_two);
        self.push(speeds, self.middle, change);
    }

    /// Holds back what rolls, and what spins on a single point.
    #[inline(never)]
    fn hold_rolling(&mut self, speeds: &mut Speeds, pressed: Wide) {
        let rolling = speeds.spin[1] - speeds.spin[0];
        let (one, two) = (self.first.inverse_inertia.diagonal, self.second.inverse_inertia.diagonal);
        let hold = one + two;
        let old = self.rolling_impulse;
        let mut next = WideVector {
            x: old.x - hold.x.inverse() * rolling.x,
            y: old.y - hold.y.inverse() * rolling.y,
            z: old.z - hold.z.inverse() * rolling.z,
        };
        let most = self.rolling * pressed;
        let length = next.dot(next).root();
        next = next * (length - most).if_positive(most * length.inverse(), Wide::splat(1.0));
        self.rolling_impulse = next;
        self.turn(speeds, next - old);
    }

    /// An impulse on the second at a point, and its opposite on the first.
    #[inline(always)]
    fn push(&self, speeds: &mut Speeds, arm: WideVector, impulse: WideVector) {
        speeds.velocity[0] -= impulse * self.first.inverse_mass;
        speeds.spin[0] -= self.first.inverse_inertia * arm.cross(impulse);
        speeds.velocity[1] += impulse * self.second.inverse_mass;
        speeds.spin[1] += self.second.inverse_inertia * (arm + self.between).cross(impulse);
    }

    /// The same for an impulse that only turns.
    #[inline(always)]
    fn turn(&self, speeds: &mut Speeds, impulse: WideVector) {
        speeds.spin[0] -= self.first.inverse_inertia * impulse;
        speeds.spin[1] += self.second.inverse_inertia * impulse;
    }
}

impl Inertia {
    fn of(movers: [Option<&Mover>; LANES]) -> Inertia {
        let part = |index: usize| Wide(movers.map(|mover| mover.map_or(0.0, |mover| mover.inverse_inertia[index])));
        Inertia {
            inverse_mass: Wide(movers.map(|mover| mover.map_or(0.0, |mover| mover.inverse_mass))),
            inverse_inertia: WideMatrix {
                diagonal: WideVector { x: part(0), y: part(1), z: part(2) },
                beside: WideVector { x: part(3), y: part(4), z: part(5) },
            },
        }
    }
}

impl Speeds {
    #[inline(always)]
    fn load(pairs: &Pairs<'_, Motion, LANES>) -> Speeds {
        let side = |side: usize| {
            let all: [Motion; LANES] = core::array::from_fn(|lane| pairs.get(side, lane));
            (columns(all.map(|motion| motion.velocity)), columns(all.map(|motion| motion.spin)))
        };
        let (first, second) = (side(0), side(1));
        Speeds { velocity: [first.0, second.0], spin: [first.1, second.1] }
    }

    #[inline(always)]
    fn store(&self, pairs: &mut Pairs<'_, Motion, LANES>) {
        for side in 0..2 {
            let (velocity, spin) = (rows(self.velocity[side]), rows(self.spin[side]));
            for lane in 0..LANES {
                let motion = pairs.get(side, lane);
                pairs.set(side, lane, Motion { velocity: velocity[lane], spin: spin[lane], ..motion });
            }
        }
    }

    /// How fast the second's point moves against the first's.
    #[inline(always)]
    fn between(&self, arm: WideVector, far: WideVector) -> WideVector {
        self.velocity[1] + self.spin[1].cross(far) - self.velocity[0] - self.spin[0].cross(arm)
    }
}

/// How far both sides have moved and turned.
#[inline(always)]
fn load_ways(pairs: &Pairs<'_, Motion, LANES>) -> ([WideVector; 2], [WideVector; 2]) {
    let side = |side: usize| {
        let all: [Motion; LANES] = core::array::from_fn(|lane| pairs.get(side, lane));
        (columns(all.map(|motion| motion.moved)), columns(all.map(|motion| motion.turned)))
    };
    let (first, second) = (side(0), side(1));
    ([first.0, second.0], [first.1, second.1])
}

/// Four rows as three columns.
#[inline(always)]
fn columns(rows: [[f32; LANES]; LANES]) -> WideVector {
    let column = |index: usize| Wide(rows.map(|row| row[index]));
    WideVector { x: column(0), y: column(1), z: column(2) }
}

/// Three columns as four rows.
#[inline(always)]
fn rows(columns: WideVector) -> [[f32; LANES]; LANES] {
    core::array::from_fn(|lane| [columns.x.0[lane], columns.y.0[lane], columns.z.0[lane], 0.0])
}

/// How much a blow at one point along one direction moves both apart at another point along another.
#[inline(always)]
fn resistance(
    first: &Inertia,
    [one, other]: [WideVector; 2],
    second: &Inertia,
    between: WideVector,
    [along, across]: [WideVector; 2],
) -> Wide {
    let straight = (first.inverse_mass + second.inverse_mass) * along.dot(across);
    let near = (first.inverse_inertia * one.cross(along)).dot(other.cross(across));
    let (one, other) = (one + between, other + between);
    straight + near + (second.inverse_inertia * one.cross(along)).dot(other.cross(across))
}
