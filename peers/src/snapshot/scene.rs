//! What everybody keeps, and what happens to it: objects of 128 bytes in four parts, a fifth of which are replaced in
//! every cycle.
//!
//! Laws
//! 1. Everything follows from the seed: each contender is given the same objects, deaths and touches, in the same order.
//! 2. All births of a cycle come before its deaths. So arrays need room for six fifths of the objects, and there are holes
//!    everywhere: for us the worst order, for tables of an ECS all one.

use astrarium::base::random::Pcg;
use astrarium::base::{Plain, Quat, Random, Vec3, hash, plain};
use bevy::prelude::Component;

/// Where it is.
#[derive(Clone, Copy, Component, Debug, Plain)]
#[repr(C)]
pub struct Transform {
    position: Vec3,
    rotation: Quat,
    scale: Vec3,
}

/// How it moves.
#[derive(Clone, Copy, Component, Debug, Plain)]
#[repr(C)]
pub struct Motion {
    velocity: Vec3,
    spin: Vec3,
    mass: f32,
    drag: f32,
}

/// How it is.
#[derive(Clone, Copy, Component, Debug, Plain)]
#[repr(C)]
pub struct Vitals {
    health: f32,
    shield: f32,
    armour: [f32; 2],
    team: u32,
    kills: u32,
}

/// What it wants.
#[derive(Clone, Copy, Component, Debug, Plain)]
#[repr(C)]
pub struct Mind {
    goal: Vec3,
    mood: u32,
    patience: u32,
    touches: u32,
    /// Unlike all others ever made.
    number: u32,
    /// Its place on the roster. A newborn takes the place of one that dies.
    pub place: u32,
}

/// One object.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Object {
    /// Where it is.
    pub transform: Transform,
    /// How it moves.
    pub motion: Motion,
    /// How it is.
    pub vitals: Vitals,
    /// What it wants.
    pub mind: Mind,
}

const _: () = assert!(size_of::<Object>() == 128);
const _: () = assert!(size_of::<Transform>() == 40 && size_of::<Motion>() == 32);
const _: () = assert!(size_of::<Vitals>() == 24 && size_of::<Mind>() == 32);

/// How many objects there are, and a sum over all their bytes in which no order counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    count: u64,
    sum: u64,
}

impl Tally {
    /// Adds an object.
    pub fn add(&mut self, transform: &Transform, motion: &Motion, vitals: &Vitals, mind: &Mind) {
        let object = Object { transform: *transform, motion: *motion, vitals: *vitals, mind: *mind };
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash::hash(plain::bytes_of(&object)));
    }
}

/// What happens to an object in a cycle.
pub fn touch(transform: &mut Transform, motion: &Motion, mind: &mut Mind) {
    transform.position += motion.velocity * 0.01;
    mind.touches += 1;
}

/// Makes up what happens.
pub struct Scene {
    random: Pcg,
    next_number: u32,
    /// All places, in an order that changes.
    places: Vec<u32>,
}

impl Scene {
    /// A scene of so many objects.
    pub fn new(count: u32, seed: u64) -> Scene {
        Scene { random: Pcg::new(seed, 0), next_number: 0, places: (0..count).collect() }
    }

    /// The objects at the start: one for every place.
    pub fn first(&mut self) -> Vec<Object> {
        self.births(self.places.len())
    }

    /// Those who replace a fifth of all in this cycle.
    pub fn churn(&mut self) -> Vec<Object> {
        self.births(self.places.len() / 5)
    }

    /// All places, or one in a hundred of them.
    pub fn places(&mut self, everybody: bool) -> &[u32] {
        let count = if everybody { self.places.len() } else { self.places.len() / 100 };
        self.draw(count);
        &self.places[..count]
    }

    fn births(&mut self, count: usize) -> Vec<Object> {
        self.draw(count);
        (0..count).map(|index| self.birth(self.places[index])).collect()
    }

    /// Brings places drawn at random to the front.
    fn draw(&mut self, count: usize) {
        for index in 0..count {
            let rest = (self.places.len() - index) as u32;
            self.places.swap(index, index + self.random.below(rest) as usize);
        }
    }

    fn birth(&mut self, place: u32) -> Object {
        let number = self.next_number;
        self.next_number += 1;
        let mut unit = || self.random.unit();
        let mut point = || Vec3::new(unit(), unit(), unit());
        Object {
            transform: Transform { position: point(), rotation: Quat::IDENTITY, scale: point() },
            motion: Motion { velocity: point(), spin: point(), mass: 1.0, drag: 0.5 },
            vitals: Vitals { health: 1.0, shield: 0.5, armour: [0.25; 2], team: number % 4, kills: 0 },
            mind: Mind { goal: point(), mood: 1, patience: 2, touches: 0, number, place },
        }
    }
}
