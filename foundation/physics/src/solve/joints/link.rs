//! Links: bodies of a tree, each with the joint to its parent.
//!
//! Where a tree moves on its own, the impulses that keep it on its curve are part of its motion: so a pendulum swings on for ever.
//! Where it touches something, or closes a ring, not everything is worked out at once, and what is left over would be taken for
//! motion too and grow. There these impulses are taken back as soon as the bodies have moved; and those of limits always, since
//! what is brought back to its limit is not to bounce off it.
//!
//! Laws
//! 1. Links lie from the leaves to the root: a parent comes behind its children, and the root is the last of its tree.
//! 2. What does not come out finite is not done, and its impulses are forgotten.

use base::number::{abs, max, min};
use base::{Mat3, Quat, Vec3};
use state::share::NOBODY;

use crate::joint::{Joint, Kind, SLOTS};
use crate::solve::block::Stiffness;
use crate::solve::joints::rows::{Frames, Measure, ROWS_MAX, Row, Rows, Side, kept_way};
use crate::solve::joints::small::triangle;
use crate::solve::joints::ways::Ways;

/// A body of a tree, with its joint to its parent.
#[derive(Clone, Copy)]
pub struct Link {
    /// Which mover it is.
    pub mover: u32,
    /// Where its parent is in the same tree, or [`NOBODY`]: it is the root.
    pub parent: u32,
    /// Where its body is in the same tree: itself, unless its joint closes a ring.
    pub body: u32,
    /// Whether there is a joint; a root may have none.
    pub has_joint: bool,
    /// Whether it is the first body of the joint.
    pub is_first: bool,
    /// Whether the joint closes a ring. Then it is no body of the tree, but comes behind it, and joins two that are.
    pub is_closing: bool,
    /// Whether it is worked out without the tree, since there are too many like it.
    pub is_alone: bool,
    /// Whether its tree touches something or closes a ring: what brings it back is not kept as motion.
    pub is_loose: bool,
    /// The joint.
    pub joint: Joint,
    /// In which slot the joint lies.
    pub joint_slot: u16,
    /// The body.
    pub own: Side,
    /// Where the joint is on the parent; of a root, all of what it is joined to.
    pub other: Side,
    /// The mover that a root is joined to, if that moves but nothing can move it.
    pub other_mover: u32,
    /// One over its mass.
    pub inverse_mass: f32,
    /// One over its inertia.
    pub inverse_inertia: Mat3,
    /// Its inertia.
    pub inertia: Mat3,
    /// Its moments of inertia; zero if they are all the same. And how their axes are turned against those of its shape.
    pub moments: Vec3,
    /// See above.
    pub inertia_turn: Quat,
    /// How its body was turned as the step began, which is what contacts know of its inertia.
    pub start: Quat,
    /// Whether joints can turn it.
    pub can_turn: bool,
    /// What forces do to its velocity in a second.
    pub acceleration: Vec3,
    /// How much mass its spring bears; zero: as much as there is at the joint.
    pub spring_mass: f32,
    /// What the joint bore in this step: impulses along, and about.
    pub borne: [Vec3; 2],
    pub(super) rows: Rows,
    pub(super) frames: Frames,
    pub(super) measure: Measure,
    pub(super) goals: [Goal; ROWS_MAX],
    pub(super) factors: Factors,
    /// What the body changes by, and half of that on the way up.
    pub(super) change: [f32; 6],
    pub(super) half: [f32; 6],
    /// The same of the rows.
    pub(super) row_change: [f32; ROWS_MAX],
    pub(super) row_half: [f32; ROWS_MAX],
    /// What is taken back once bodies have moved.
    pub(super) lent: [f32; ROWS_MAX],
    pub(super) begun: Begun,
    pub(super) ledger: Ledger,
    pub(super) ways: Ways,
}

/// How a pass works.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The length of a sub-step.
    pub seconds: f32,
    /// Whether what is off is brought back; otherwise velocities only are made fit.
    pub is_soft: bool,
    /// How stiff joints are.
    pub stiffness: Stiffness,
    /// How fast what is off comes back at most.
    pub push_speed_max: f32,
    /// How fast a motor closes in on its goal, per second.
    pub goal_rate: f32,
}

/// What is wanted of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Goal {
    /// How far its speed is off, softness included, with what brings it back to where it should be.
    pub off: f32,
    /// The same without what brings it back.
    pub speed_off: f32,
    /// How soft it is.
    pub softness: f32,
    /// The bounds of its impulse.
    pub least: f32,
    pub most: f32,
    pub state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// It does what it has to.
    #[default]
    Free,
    /// It pushes as little as it may.
    Least,
    /// It pushes as much as it may.
    Most,
    /// It goes on as before.
    Frozen,
}

/// What is known of a tree's energy in a sub-step. It lies at its first link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ledger {
    /// What it had before forces, and after them.
    pub before: f32,
    pub pulled: f32,
    /// What forces do to what rests in one sub-step.
    pub least: f32,
    /// What it had when its joints were left last.
    pub last: f32,
    /// What contacts gave, as far as it was not they who held joints.
    pub contacts: f32,
    /// What it may have with the joints that are worked out now.
    pub held: f32,
    /// What it had after forces as the world sees it, when its joints were left last, and what others gave it between.
    pub pulled_in_all: f32,
    pub last_in_all: f32,
    pub given: f32,
    /// Whether joints took most of it at once.
    pub is_blow: bool,
    /// Whether the impulses of its joints were forgotten.
    pub is_forgotten: bool,
}

/// What is known of one link as the sub-step began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Begun {
    /// How far its body had moved.
    pub moved: Vec3,
    /// How fast its rows were, before forces.
    pub speeds: [f32; ROWS_MAX],
    /// What may be given by what drives them.
    pub gifts: [f32; ROWS_MAX],
    /// How its body moved and turned before its joint was worked out, and what the joint had done by then.
    pub velocity: Vec3,
    pub spin: Vec3,
    pub impulses: [f32; SLOTS],
}

/// What was taken apart.
#[derive(Clone, Copy)]
pub(super) struct Factors {
    pub body: [f32; triangle(6)],
    pub joint: [f32; triangle(ROWS_MAX)],
    /// The rows, seen from the body and from the parent, as far as they are taken apart.
    pub own: [[f32; 6]; ROWS_MAX],
    pub above: [[f32; 6]; ROWS_MAX],
    /// Which rows they are.
    pub free: [u8; ROWS_MAX],
    pub count: usize,
    /// Which rows they were made from, so that what is still good is not made again.
    pub made_from: u32,
}

/// Nothing was taken apart, or not this.
pub(super) const NOT_MADE: u32 = u32::MAX;
/// A tree of which something turns farther in a sub-step, in radians, begins without the impulses of the last.
const WILD_TURN: f32 = 1.0;
/// The cosine of half of how far a body may have turned in a step and still be taken for as it was: a third of a radian in all.
const TURNED_LITTLE: f32 = 0.986;
/// No impulse makes a body this fast.
pub(super) const TOO_FAST: f32 = 1.0e7;

impl Link {
    /// A body without a joint.
    pub fn new(mover: u32, own: Side, joint: Joint) -> Link {
        Link {
            mover,
            parent: NOBODY,
            body: 0,
            has_joint: false,
            is_first: false,
            is_closing: false,
            is_alone: false,
            is_loose: false,
            joint,
            joint_slot: 0,
            own,
            other: Side::WORLD,
            other_mover: NOBODY,
            inverse_mass: 0.0,
            inverse_inertia: Mat3::ZERO,
            inertia: Mat3::IDENTITY,
            moments: Vec3::ZERO,
            inertia_turn: Quat::IDENTITY,
            start: Quat::IDENTITY,
            can_turn: false,
            acceleration: Vec3::ZERO,
            spring_mass: 0.0,
            borne: [Vec3::ZERO; 2],
            rows: Rows::default(),
            frames: Frames::new(&Side::WORLD, &Side::WORLD),
            measure: Measure::default(),
            goals: [Goal::default(); ROWS_MAX],
            factors: Factors {
                body: [0.0; triangle(6)],
                joint: [0.0; triangle(ROWS_MAX)],
                own: [[0.0; 6]; ROWS_MAX],
                above: [[0.0; 6]; ROWS_MAX],
                free: [0; ROWS_MAX],
                count: 0,
                made_from: NOT_MADE,
            },
            change: [0.0; 6],
            half: [0.0; 6],
            row_change: [0.0; ROWS_MAX],
            row_half: [0.0; ROWS_MAX],
            lent: [0.0; ROWS_MAX],
            begun: Begun::default(),
            ledger: Ledger::default(),
            ways: Ways::NONE,
        }
    }

    /// Notes the mass of its body.
    pub fn set_mass(&mut self, inverse_mass: f32, inverse_inertia: Mat3) {
        (self.inverse_mass, self.inverse_inertia) = (inverse_mass, inverse_inertia);
        let [x, y, z] = inverse_inertia.columns;
        let trace = x.x + y.y + z.z;
        // What cannot be turned about some axis is taken as very hard to turn about it. Inertias of grains and of mountains have no
        // determinant: then of numbers near one.
        let is_finite = |inertia: &Mat3| inertia.columns.iter().all(|column| column.is_finite());
        let scale = 1.0 / max(trace, f32::MIN_POSITIVE);
        let scaled = inverse_inertia * scale;
        let floor = Mat3::from_diagonal(Vec3::splat(1.0e-4));
        let inertia = inverse_inertia.inverse().filter(is_finite).or_else(|| {
            let inertia = scaled.inverse().or_else(|| (scaled + floor).inverse());
            inertia.map(|inertia| inertia * scale)
        });
        self.can_turn = trace > 0.0 && inertia.is_some();
        self.inertia = inertia.unwrap_or(Mat3::IDENTITY);
    }

    /// Turns its inertia as its body is turned now, if that is far from how it was: what is long and turns fast is another after every
    /// sub-step. Otherwise contacts and joints had better go by the same.
    fn turn_inertia(&mut self) {
        let is_near = abs(self.own.orientation.dot(self.start)) > TURNED_LITTLE;
        if is_near || self.moments == Vec3::ZERO || !self.can_turn {
            return;
        }
        let axes = (self.own.orientation * self.inertia_turn).matrix();
        let Vec3 { x, y, z } = self.moments;
        let turned = |moments: Vec3| axes * Mat3::from_diagonal(moments) * axes.transpose();
        (self.inertia, self.inverse_inertia) = (turned(self.moments), turned(Vec3::new(1.0 / x, 1.0 / y, 1.0 / z)));
    }

    /// Whether something that brings it back is not kept as motion.
    pub(super) fn is_lending(&self) -> bool {
        let free = &self.factors.free[..self.factors.count];
        free.iter().map(|number| &self.goals[usize::from(*number)]).any(|goal| goal.off != goal.speed_off)
    }

    /// How fast its way changes.
    fn speed(&self, first: &Side, second: &Side) -> f32 {
        let kind = self.joint.kind();
        let Some(row) = self.frames.way_row(kind, kind == Kind::Wheel) else { return 0.0 };
        row.speed(first, second)
    }

    /// How easily both bodies move along a row.
    pub(super) fn ease(&self, parent: Option<&Link>, row: &Row) -> f32 {
        let part = |link: &Link, turn: Vec3| {
            row.linear.length_squared() * link.inverse_mass + (link.inverse_inertia * turn).dot(turn)
        };
        let (own, other) = if self.is_first { (row.first, row.second) } else { (row.second, row.first) };
        part(self, own) + parent.map_or(0.0, |parent| part(parent, other))
    }
}

/// Looks where the bodies are now, and makes the rows from it.
pub fn look(links: &mut [Link]) {
    links.iter_mut().for_each(Link::turn_inertia);
    for index in 0..links.len() {
        if !links[index].has_joint {
            links[index].factors.made_from = NOT_MADE;
            continue;
        }
        let [first, second] = ends(links, index);
        let link = &mut links[index];
        link.frames = Frames::new(&first, &second);
        link.measure = link.frames.measure(&link.joint);
        link.joint.way = kept_way(&link.joint, link.measure.way);
        link.measure.way = link.joint.way;
        if link.joint.kind() != Kind::Wheel {
            link.measure.turn = link.joint.way;
        }
        link.rows = link.frames.rows(&link.joint);
        link.factors.made_from = NOT_MADE;
    }
}

/// Begins with the impulses of before.
pub fn warm(links: &mut [Link], seconds: f32) {
    // Levers that have turned by more than this are others: what was done along them is no guess.
    if (0..links.len()).any(|index| turns_far(links, index, seconds)) {
        forget_all(links);
    }
    for index in 0..links.len() {
        if !links[index].has_joint {
            continue;
        }
        drag(links, index, seconds);
        let before = [own_side(links, index), parent_side(links, index)];
        let rows = links[index].rows;
        for row in rows.iter() {
            let impulse = links[index].joint.impulses[row.slot];
            push(links, index, row, impulse);
        }
        let is_fit = |side: &Side| side.velocity.length_squared() + side.spin.length_squared() < TOO_FAST * TOO_FAST;
        if !is_fit(&own_side(links, index)) || !is_fit(&parent_side(links, index)) {
            forget(links, index, before);
        }
    }
}

/// Whether the levers of a joint turn too far in a sub-step to be followed. A wheel on its axle may turn as it likes.
pub(super) fn turns_far(links: &[Link], index: usize, seconds: f32) -> bool {
    let ([first, second], link) = (ends(links, index), &links[index]);
    let arm = link.frames.second_arm;
    let (turn, swung) = (first.spin.length_squared(), second.spin.cross(arm).length_squared());
    let most = WILD_TURN * WILD_TURN / (seconds * seconds);
    link.has_joint && (turn > most || swung > most * arm.length_squared())
}

/// Slows the turning of both bodies against one another, as if each turned about the joint: so what hangs from it long is slowed as
/// much as what is short.
fn drag(links: &mut [Link], index: usize, seconds: f32) {
    let link = &links[index];
    if link.joint.drag <= 0.0 || !link.joint.kind().is_angle() {
        return;
    }
    let [first, second] = ends(links, index);
    let turning = second.spin - first.spin;
    let axis = turning.normal_or(Vec3::ZERO);
    let [own_arm, other_arm] = if link.is_first {
        [link.frames.first_arm, link.frames.second_arm]
    } else {
        [link.frames.second_arm, link.frames.first_arm]
    };
    // How easily one turns about the joint, and about its own centre.
    let eases = |link: &Link, arm: Vec3| {
        let mass = 1.0 / max(link.inverse_mass, f32::MIN_POSITIVE);
        let moment = (link.inertia * axis).dot(axis) + mass * arm.cross(axis).length_squared();
        [1.0 / max(moment, f32::MIN_POSITIVE), (link.inverse_inertia * axis).dot(axis)]
    };
    let own = eases(&links[link.body as usize], own_arm);
    let other = links.get(link.parent as usize).map_or([0.0; 2], |parent| eases(parent, other_arm));
    let lost = link.joint.drag * seconds / (1.0 + link.joint.drag * seconds);
    // No more than stops it at once.
    let impulse = min(lost / (own[0] + other[0]), 1.0 / max(own[1] + other[1], f32::MIN_POSITIVE));
    let turn = Row { linear: Vec3::ZERO, first: turning, second: turning, slot: 0 };
    if impulse.is_finite() {
        push(links, index, &turn, -impulse);
    }
}

/// Takes back what was only lent: bodies have moved.
pub fn take_back(links: &mut [Link]) {
    for index in 0..links.len() {
        let lent = core::mem::take(&mut links[index].lent);
        let rows = links[index].rows;
        for (row, lent) in rows.iter().zip(lent).filter(|(_, lent)| *lent != 0.0) {
            push(links, index, row, -lent);
        }
    }
}

/// Notes what each joint bore.
pub fn note(links: &mut [Link]) {
    for index in 0..links.len() {
        let [first, second] = ends(links, index);
        let link = &mut links[index];
        if !link.has_joint {
            continue;
        }
        for row in link.rows.iter() {
            let impulse = link.joint.impulses[row.slot];
            link.borne[0] += row.linear * impulse;
            if row.linear == Vec3::ZERO {
                link.borne[1] += row.second * impulse;
            }
        }
        link.joint.speed = link.speed(&first, &second);
    }
}

/// The bodies of a link's joint.
pub(super) fn ends(links: &[Link], index: usize) -> [Side; 2] {
    let (own, other) = (own_side(links, index), parent_side(links, index));
    if links[index].is_first { [own, other] } else { [other, own] }
}

fn own_side(links: &[Link], index: usize) -> Side {
    let link = &links[index];
    Side { anchor: link.own.anchor, turn: link.own.turn, ..links[link.body as usize].own }
}

fn parent_side(links: &[Link], index: usize) -> Side {
    let link = &links[index];
    match links.get(link.parent as usize) {
        Some(parent) => Side { anchor: link.other.anchor, turn: link.other.turn, ..parent.own },
        None => link.other,
    }
}

/// An impulse along a row: on the second, and the opposite on the first.
pub(super) fn push(links: &mut [Link], index: usize, row: &Row, impulse: f32) {
    let Link { body, parent, is_first, .. } = links[index];
    let mut on = |index: usize, is_first: bool| {
        if let Some(link) = links.get_mut(index) {
            let (sign, turn) = if is_first { (-impulse, row.first) } else { (impulse, row.second) };
            link.own.velocity += row.linear * (sign * link.inverse_mass);
            link.own.spin += link.inverse_inertia * (turn * sign);
        }
    };
    on(body as usize, is_first);
    on(parent as usize, !is_first);
}

fn forget(links: &mut [Link], index: usize, [own, other]: [Side; 2]) {
    links[0].ledger.is_forgotten = true;
    links[index].joint.impulses.fill(0.0);
    let (body, parent) = (links[index].body as usize, links[index].parent as usize);
    (links[body].own.velocity, links[body].own.spin) = (own.velocity, own.spin);
    if let Some(parent) = links.get_mut(parent) {
        (parent.own.velocity, parent.own.spin) = (other.velocity, other.spin);
    }
}

pub(super) fn forget_all(links: &mut [Link]) {
    if let Some(first) = links.first_mut() {
        first.ledger.is_forgotten = true;
    }
    for link in links {
        link.joint.impulses.fill(0.0);
    }
}
