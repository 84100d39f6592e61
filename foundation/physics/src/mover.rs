//! Movers: bodies that are worked on in a step, gathered from the block side by side.
//!
//! Law: a mover holds what the block says of its body and what follows from it, for one step; nothing of it is kept.

use base::number::{max, min, sqrt};
use base::{Mat3, Quat, Vec3};

use crate::body::{Body, flag};
use crate::limits::SIZE_LEAST;
use crate::pose::Pose;
use crate::pull::{Pull, felt_by};
use crate::settings::Settings;
use crate::shape::{Bounds, Shape};

/// A body that moves.
#[derive(Clone, Copy, Debug)]
pub struct Mover {
    /// Its slot.
    pub slot: u16,
    /// Whether nothing holds it: then it flies as if time were not cut up.
    pub is_free: bool,
    /// Whether a joint holds it. Then only its middle is followed along its way: contacts have to be there before it arrives.
    pub is_joined: bool,
    /// Whether it is so deep in what nobody can move that its middle may come into it.
    pub is_deep: bool,
    /// How fast all that overlaps with it would push it, added up, in metres per second.
    pub crowded: f32,
    /// How fast it may become in this step.
    pub speed_most: f32,
    /// Which part it is of the mass of all that it is joined to.
    pub share: f32,
    /// Where it is as the step begins.
    pub pose: Pose,
    /// Where its centre of mass is as the step begins.
    pub centre: Vec3,
    /// How it is turned as the step begins.
    pub start: Quat,
    /// How it is turned; the solver turns it on.
    pub orientation: Quat,
    /// What the forces on it do to its velocity in a second, gravity included.
    pub acceleration: Vec3,
    /// The part of that which does not come from forces on it alone: of gravity and pulls.
    pub felt: Vec3,
    /// One over its mass.
    pub inverse_mass: f32,
    /// One over its inertia about the axes of the world: xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [f32; 6],
    /// What the torques on it do to its spin in a second.
    pub spin_acceleration: Vec3,
    /// What is left of its velocity after a sub-step.
    pub damping: f32,
    /// What is left of its spin.
    pub spin_damping: f32,
    /// Its moments of inertia; zero if they are all the same: then it does not wobble as it turns.
    pub inertia: Vec3,
    /// How its axes of inertia are turned against those of its shape.
    pub inertia_turn: Quat,
    /// How far it reaches from its centre of mass.
    pub reach: f32,
    /// For how long it has rested, in seconds.
    pub rest: f32,
}

/// A vector, and a number that fills it up to what machines take at once.
pub type Row = [f32; 4];

/// How a mover moves: what the solver changes. The fourth of each is nothing.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Motion {
    /// The velocity of its centre of mass.
    pub velocity: Row,
    /// How it turns.
    pub spin: Row,
    /// How far it has moved since the step began.
    pub moved: Row,
    /// How far it has turned.
    pub turned: Row,
    /// Its velocity as the sub-step began, before impulses that last.
    pub pulled: Row,
    /// Its spin then.
    pub pulled_spin: Row,
}

impl Mover {
    /// Nobody.
    pub const NOBODY: Mover = Mover {
        slot: 0,
        is_free: true,
        is_joined: false,
        is_deep: false,
        crowded: 0.0,
        speed_most: f32::INFINITY,
        share: 1.0,
        pose: Pose::IDENTITY,
        centre: Vec3::ZERO,
        start: Quat::IDENTITY,
        orientation: Quat::IDENTITY,
        acceleration: Vec3::ZERO,
        felt: Vec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: [0.0; 6],
        spin_acceleration: Vec3::ZERO,
        damping: 1.0,
        spin_damping: 1.0,
        inertia: Vec3::ZERO,
        inertia_turn: Quat::IDENTITY,
        reach: 0.0,
        rest: 0.0,
    };

    /// A body, as the step begins.
    pub fn new(slot: u16, body: &Body, settings: &Settings, pulls: &[Pull]) -> Mover {
        let pose = Pose::new(body.position, body.orientation);
        let is_upright = body.is(flag::UPRIGHT);
        let inertia = if is_upright { Mat3::ZERO } else { body.inverse_inertia_world() };
        let [x, y, z] = inertia.columns;
        let felt = felt_by(body, settings, pulls);
        // What pulls harder than numbers go does not pull: it would take all along whom the body touches.
        let finite = |vector: Vec3| if vector.is_finite() { vector } else { Vec3::ZERO };
        Mover {
            slot,
            is_free: true,
            is_joined: false,
            is_deep: false,
            crowded: 0.0,
            speed_most: f32::INFINITY,
            share: 1.0,
            pose,
            centre: body.position + pose.direction(body.centre),
            start: body.orientation,
            orientation: body.orientation,
            acceleration: finite(felt.acceleration + body.force * body.inverse_mass),
            felt: finite(felt.acceleration),
            inverse_mass: body.inverse_mass,
            inverse_inertia: [x.x, y.y, z.z, y.x, z.x, z.y],
            spin_acceleration: finite(inertia * body.torque),
            damping: kept(max(body.damping, 0.0) + felt.drag, settings),
            spin_damping: kept(max(body.spin_damping, 0.0) + felt.drag, settings),
            inertia: if is_upright { Vec3::ZERO } else { uneven(body.inverse_inertia) },
            inertia_turn: body.inertia_turn,
            reach: body.reach,
            rest: body.rest_seconds,
        }
    }

    /// What forces do to its velocity in so many seconds, if nothing holds it.
    pub fn gain(&self, seconds: f32) -> Vec3 {
        if self.is_free { self.acceleration * seconds } else { Vec3::ZERO }
    }

    /// The spin of a body that is not the same about all its axes, as it turns freely. Worked out at the middle of the sub-step, which
    /// keeps its energy and how much it turns; what rounding and very fast spins would add is taken away again.
    pub fn precess(&self, spin: Vec3, seconds: f32) -> Vec3 {
        let frame = self.orientation * self.inertia_turn;
        let local = frame.rotate_back(spin);
        let (inertia, half) = (Mat3::from_diagonal(self.inertia), 0.5 * seconds);
        let mut next = local;
        for _ in 0..PRECESS_LOOKS {
            let middle = (local + next) * 0.5;
            let momentum = self.inertia.times(middle);
            let excess = self.inertia.times(next - local) + middle.cross(momentum) * seconds;
            let slope = inertia + (Mat3::cross_with(middle) * inertia - Mat3::cross_with(momentum)) * half;
            let Some(inverse) = slope.inverse() else { return spin };
            next -= inverse * excess;
        }
        let energy = |spin: Vec3| spin.dot(self.inertia.times(spin));
        let (before, after) = (energy(local), energy(next));
        if after > 0.0 && after.is_finite() { frame.rotate(next * sqrt(before / after)) } else { spin }
    }
}

impl Mover {
    /// How it turns where it is turned `to`, if it turns like this where it is turned `from` and nothing hits it between: with the same
    /// energy, and about the same direction. There and back again is where it was.
    pub fn carry(&self, spin: Vec3, from: Quat, to: Quat) -> Vec3 {
        if self.inertia == Vec3::ZERO {
            return spin;
        }
        let (from, to) = (from * self.inertia_turn, to * self.inertia_turn);
        let local = from.rotate_back(spin);
        let momentum = self.inertia.times(local);
        let turned = to.rotate_back(from.rotate(momentum));
        let next = Vec3::new(turned.x / self.inertia.x, turned.y / self.inertia.y, turned.z / self.inertia.z);
        let (before, after) = (local.dot(momentum), next.dot(turned));
        if after > 0.0 && after.is_finite() { to.rotate(next * sqrt(before / after)) } else { spin }
    }
}

/// How often the spin of a body that wobbles is worked out better.
const PRECESS_LOOKS: u32 = 2;

impl Body {
    /// Goes where its mover went. What is not finite any more is quarantined where it was.
    pub fn follow(&mut self, mover: &Mover, motion: &Motion, speed_max: f32) {
        (self.last_position, self.last_orientation) = (self.position, self.orientation);
        (self.force, self.torque, self.felt) = (Vec3::ZERO, Vec3::ZERO, mover.felt);
        self.flags &= !flag::ASLEEP;
        let position = mover.centre + motion.moved() - mover.orientation.rotate(self.centre);
        let next = Body {
            // Where the centre is at the origin, no rounding creeps in.
            position: if self.centre == Vec3::ZERO { self.position + motion.moved() } else { position },
            orientation: mover.orientation,
            velocity: motion.velocity().limit_length(speed_max),
            // Nor does any of its points go round faster.
            spin: motion.spin().limit_length(speed_max / base::number::max(self.reach, SIZE_LEAST)),
            ..*self
        };
        if next.is_sound() {
            *self = next;
        } else {
            self.quarantine();
        }
    }
}

impl Motion {
    /// That of a body, as the step begins.
    pub fn new(body: &Body) -> Motion {
        Motion { velocity: row(body.velocity), spin: row(body.spin), ..Motion::default() }
    }

    /// Its velocity.
    #[inline]
    pub fn velocity(&self) -> Vec3 {
        vector(self.velocity)
    }

    /// How it turns.
    #[inline]
    pub fn spin(&self) -> Vec3 {
        vector(self.spin)
    }

    /// How far it has moved.
    #[inline]
    pub fn moved(&self) -> Vec3 {
        vector(self.moved)
    }
}

/// The box around all that a body may touch in a step: where it is, where it would go, and a margin.
pub fn swept_bounds(shape: &Shape, body: &Body, mover: &Mover, settings: &Settings) -> Bounds {
    let here = shape.bounds(&mover.pose);
    let way = body.velocity * settings.seconds + mover.felt * (settings.seconds * settings.seconds);
    let there = Bounds { least: here.least + way, most: here.most + way };
    let turn = min(body.spin.length() * settings.seconds, 1.0) * (body.reach - body.inner);
    here.with(&there).grown(settings.margin + max(turn, 0.0))
}

/// What is left of a speed after a sub-step, with so much damping per second.
fn kept(damping: f32, settings: &Settings) -> f32 {
    1.0 / (1.0 + damping * settings.seconds / settings.substeps as f32)
}

/// Moments of inertia; zero if they are all the same, or nothing can turn it.
fn uneven(inverse: Vec3) -> Vec3 {
    let (least, most) = (inverse.min_component(), inverse.max_component());
    if least > 0.0 && most > least * 1.0001 {
        Vec3::new(1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z)
    } else {
        Vec3::ZERO
    }
}

/// How a body is turned after it has turned like this for so long.
#[inline]
pub fn turned(orientation: Quat, spin: Vec3, seconds: f32) -> Quat {
    let angle = spin.length_squared() * (seconds * seconds);
    if angle == 0.0 {
        orientation
    } else if angle < SMALL_ANGLE * SMALL_ANGLE {
        orientation.integrate(spin, seconds)
    } else {
        orientation.turned(spin, seconds)
    }
}

/// Up to here a turn in a straight line is good enough, in radians.
const SMALL_ANGLE: f32 = 0.02;

/// A vector as a row of four.
#[inline]
pub fn row(vector: Vec3) -> Row {
    [vector.x, vector.y, vector.z, 0.0]
}

/// A row of four as a vector.
#[inline]
pub fn vector([x, y, z, _]: Row) -> Vec3 {
    Vec3::new(x, y, z)
}
