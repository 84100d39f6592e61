//! A contact by itself, with what nothing can move; its body is part of something larger and gives way with all that hangs on it.
//!
//! Laws
//! 1. It goes by the laws of a block, of which it fills the first lane.
//! 2. A look changes its impulses, and nothing else: who had it finds out what that does, from what it bears before and after.

use base::Vec3;

use crate::contact::Contact;
use crate::lanes::{Wide, WideMatrix, WideVector, each};
use crate::limits::{LANES, POINTS_MAX};
use crate::mover::{Motion, Mover, Row, vector};
use crate::solve::block::{Block, Heft, NONE, NOWHERE, ONE, Pace, Speeds, sides_of};
use crate::solve::together::{self, FACTORS};
use crate::touching::Touching;

/// Six numbers: what moves or pushes, and what turns.
pub type Six = [f32; 6];

/// How a body gives way to what pushes and turns it, with all that hangs on it.
#[derive(Clone, Copy, Default)]
pub struct Give {
    straight: WideMatrix,
    /// What a turning impulse does to the velocity, row by row.
    across: [WideVector; 3],
    turning: WideMatrix,
}

/// A contact by itself.
#[derive(Clone, Copy)]
pub struct Single {
    block: Block<POINTS_MAX, FACTORS, Give>,
    /// Which of both gives way.
    side: usize,
    /// One for each point that is there.
    is_there: [Wide; POINTS_MAX],
}

/// How both of its bodies move.
pub struct Sides {
    speeds: Speeds,
    moved: [WideVector; 2],
    turned: [WideVector; 2],
    pulled: Speeds,
}

impl Heft for Give {
    const NONE: Give = Give { straight: WideMatrix::ZERO, across: [WideVector::ZERO; 3], turning: WideMatrix::ZERO };

    #[inline(always)]
    fn struck(&self, push: WideVector, turn: WideVector) -> [WideVector; 2] {
        let [x, y, z] = self.across;
        let by_turn = WideVector { x: x.dot(turn), y: y.dot(turn), z: z.dot(turn) };
        let by_push = x * push.x + y * push.y + z * push.z;
        [self.straight * push + by_turn, by_push + self.turning * turn]
    }

    #[inline(always)]
    fn turn(&self, velocity: &mut WideVector, spin: &mut WideVector, turn: WideVector) {
        let [straight, turning] = self.struck(WideVector::ZERO, turn);
        *velocity += straight;
        *spin += turning;
    }

    #[inline(always)]
    fn turn_ease(&self) -> WideVector {
        self.turning.diagonal
    }
}

impl Give {
    /// That of a matrix of six rows.
    pub fn new(matrix: &[Six; 6]) -> Give {
        let mut give = Give::NONE;
        let symmetric = |first: usize| {
            let at = |row: usize, column: usize| matrix[first + row][first + column];
            let mut made = WideMatrix::ZERO;
            made.diagonal.put(0, Vec3::new(at(0, 0), at(1, 1), at(2, 2)));
            made.beside.put(0, Vec3::new(at(0, 1), at(0, 2), at(1, 2)));
            made
        };
        (give.straight, give.turning) = (symmetric(0), symmetric(3));
        for (row, across) in give.across.iter_mut().enumerate() {
            across.put(0, Vec3::new(matrix[row][3], matrix[row][4], matrix[row][5]));
        }
        give
    }
}

impl Single {
    /// A contact, of which this side gives way.
    pub fn new(touching: &Touching, side: usize, movers: &[Mover]) -> Single {
        let (mut block, mut contacts) = (Block::NOTHING, [&NOWHERE; LANES]);
        contacts[0] = touching;
        block.fill(&contacts, &sides_of(&contacts, movers));
        let count = touching.contact.count().min(POINTS_MAX);
        let is_there = each(NONE, |index| if index < count { ONE } else { NONE });
        Single { block, side, is_there }
    }

    /// Says how its body gives way now; and how it is taken to do so where that is divided by.
    pub fn set_give(&mut self, give: &Give, resisting: &Give) {
        let block = &mut self.block;
        *(if self.side == 0 { &mut block.first } else { &mut block.second }) = *give;
        let (normal, offset) = (block.normal, if self.side == 0 { WideVector::ZERO } else { block.between });
        let lever = |arm: WideVector, along: WideVector| (arm + offset).cross(along);
        let answer = |along: WideVector, lever: WideVector| resisting.struck(along, lever);
        let levers: [_; POINTS_MAX] = each(WideVector::ZERO, |index| lever(block.points[index].arm, normal));
        let answers: [_; POINTS_MAX] = each([WideVector::ZERO; 2], |index| answer(normal, levers[index]));
        let is_there = &self.is_there;
        let resistance = |row: usize, column: usize| {
            let [straight, turning] = answers[row];
            (straight.dot(normal) + turning.dot(levers[column])) * (is_there[row] * is_there[column])
        };
        block.factors = together::factors::<POINTS_MAX, FACTORS>(resistance);
        let (one, two) = (block.tangent, normal.cross(block.tangent));
        let (lever_one, lever_two) = (lever(block.middle, one), lever(block.middle, two));
        let (answer_one, answer_two) = (answer(one, lever_one), answer(two, lever_two));
        let along = answer_one[0].dot(one) + answer_one[1].dot(lever_one);
        let across = answer_two[0].dot(two) + answer_two[1].dot(lever_two);
        let mixed = answer_one[0].dot(two) + answer_one[1].dot(lever_two);
        let inverse = (along * across - mixed * mixed).inverse();
        block.tangent_mass = [across * inverse, along * inverse, -(mixed * inverse)];
        block.twist_mass = (resisting.turning * normal).dot(normal).inverse();
    }

    /// All that it does to its body: what pushes it, and what turns it about its centre.
    pub fn borne(&self) -> Six {
        let block = &self.block;
        let (mut sum, mut at) = (0.0, Vec3::ZERO);
        for point in &block.points {
            sum += point.impulse.0[0];
            at += point.arm.lane(0) * point.impulse.0[0];
        }
        let (normal, tangent) = (block.normal.lane(0), block.tangent.lane(0));
        let (middle, between) = (block.middle.lane(0), block.between.lane(0));
        let across = tangent * block.tangent_impulse[0].0[0] + normal.cross(tangent) * block.tangent_impulse[1].0[0];
        let spot = normal * block.twist_impulse.0[0] + block.rolling_impulse.lane(0);
        let (sign, at, middle) =
            if self.side == 0 { (-1.0, at, middle) } else { (1.0, at + between * sum, middle + between) };
        let push = (normal * sum + across) * sign;
        let turn = (at.cross(normal) + middle.cross(across) + spot) * sign;
        [push.x, push.y, push.z, turn.x, turn.y, turn.z]
    }

    /// Holds apart, and pushes overlap out.
    pub fn solve(&mut self, sides: &Sides, pace: &Pace) {
        let (mut speeds, before) = (sides.speeds, self.block.points);
        self.block.hold_apart(&mut speeds, [&sides.moved, &sides.turned], || sides.pulled, pace);
        // A second turn finds it pressed already: what met in the first did meet.
        for (point, before) in self.block.points.iter_mut().zip(before) {
            point.rebound = point.rebound.max(before.rebound);
        }
    }

    /// Holds apart and rubs, as the second look does.
    pub fn relax(&mut self, sides: &Sides, pace: &Pace) {
        let mut speeds = sides.speeds;
        self.block.rub(&mut speeds);
        let next = self.block.hold_hard(&speeds, &sides.moved, &sides.turned, pace);
        self.block.take(&mut speeds, next);
    }

    /// Adds what it does in this sub-step to what held it apart in the step.
    pub fn add_up(&mut self) {
        self.block.add_up();
    }

    /// Whether it met in this sub-step.
    pub fn has_blow(&self) -> bool {
        self.block.has_blow()
    }

    /// Has another look if it met.
    pub fn bounce(&mut self, sides: &Sides, pace: &Pace) {
        if self.block.has_blow() {
            let mut speeds = sides.speeds;
            self.block.come_apart(&mut speeds, [&sides.moved, &sides.turned], pace);
        }
    }

    /// Ends a sub-step. What a blow did is part of the velocities from now on.
    pub fn end(&mut self) {
        if self.block.has_blow() {
            self.block.forget_given();
            self.block.is_blow = NONE;
        }
    }

    /// Forgets what it did.
    pub fn forget(&mut self) {
        let block = &mut self.block;
        block.points.iter_mut().for_each(|point| point.impulse = NONE);
        (block.tangent_impulse, block.twist_impulse) = ([NONE; 2], NONE);
        block.rolling_impulse = WideVector::ZERO;
    }

    /// What is remembered of it.
    pub fn remember(&self, contact: &mut Contact) {
        self.block.remember(0, contact);
    }

    /// What held it apart in this step.
    pub fn total(&self) -> f32 {
        self.block.total(0)
    }
}

impl Sides {
    /// How two move; but one of them moves and turns like this by now.
    pub fn new(motions: [&Motion; 2], side: usize, [velocity, spin]: [Vec3; 2]) -> Sides {
        let both = |value: fn(&Motion) -> Row| {
            motions.map(|motion| {
                let mut first = WideVector::ZERO;
                first.put(0, vector(value(motion)));
                first
            })
        };
        let mut speeds = Speeds { velocity: both(|motion| motion.velocity), spin: both(|motion| motion.spin) };
        speeds.velocity[side].put(0, velocity);
        speeds.spin[side].put(0, spin);
        Sides {
            speeds,
            moved: both(|motion| motion.moved),
            turned: both(|motion| motion.turned),
            pulled: Speeds { velocity: both(|motion| motion.pulled), spin: both(|motion| motion.pulled_spin) },
        }
    }
}

/// Adds six to six.
pub fn add(sum: &mut Six, change: &Six) {
    sum.iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
}

/// A matrix times six.
pub fn times(matrix: &[Six; 6], by: &Six) -> Six {
    matrix.map(|row| row.iter().zip(by).fold(0.0, |sum, (one, other)| sum + one * other))
}

/// Its mirror image times six.
pub fn times_across(matrix: &[Six; 6], by: &Six) -> Six {
    let mut sum = [0.0; 6];
    for (row, by) in matrix.iter().zip(by) {
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * by);
    }
    sum
}
