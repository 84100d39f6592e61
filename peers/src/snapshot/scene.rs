//! The workload: objects of 128 bytes in four components, a fifth of which is replaced in every cycle.
//!
//! Laws
//! 1. The workload follows from the seed: each contender gets the same objects, removals and modifications in the same order.
//! 2. All spawns of a cycle come before its removals. So arrays need capacity for six fifths of the objects, and are full of
//!    holes: the worst order for us, and irrelevant for the tables of an ECS.

use astrarium::base::random::Pcg;
use astrarium::base::{Plain, Quat, Random, Vec3, hash, plain};
use bevy::prelude::Component;

/// Its position.
#[derive(Clone, Copy, Component, Debug, Plain)]
#[repr(C)]
pub struct Transform {
    position: Vec3,
    rotation: Quat,
    scale: Vec3,
}

/// Its motion.
#[derive(Clone, Copy, Component, Debug, Plain)]
#[repr(C)]
pub struct Motion {
    velocity: Vec3,
    spin: Vec3,
    mass: f32,
    drag: f32,
}

/// Its condition.
#[derive(Clone, Copy, Component, Debug, Plain)]
#[repr(C)]
pub struct Vitals {
    health: f32,
    shield: f32,
    armour: [f32; 2],
    team: u32,
    kills: u32,
}

/// Its goals.
#[derive(Clone, Copy, Component, Debug, Plain)]
#[repr(C)]
pub struct Mind {
    goal: Vec3,
    mood: u32,
    patience: u32,
    touches: u32,
    /// Its unique number.
    number: u32,
    /// Its place in the roster. A spawned object takes the place of a removed one.
    pub place: u32,
}

/// One object.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Object {
    /// Its position.
    pub transform: Transform,
    /// Its motion.
    pub motion: Motion,
    /// Its condition.
    pub vitals: Vitals,
    /// Its goals.
    pub mind: Mind,
}

const _: () = assert!(size_of::<Object>() == 128);
const _: () = assert!(size_of::<Transform>() == 40 && size_of::<Motion>() == 32);
const _: () = assert!(size_of::<Vitals>() == 24 && size_of::<Mind>() == 32);

/// The number of objects, and an order-independent sum over all their bytes.
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

/// Modifies an object, as in a cycle.
pub fn touch(transform: &mut Transform, motion: &Motion, mind: &mut Mind) {
    transform.position += motion.velocity * 0.01;
    mind.touches += 1;
}

/// Generates the workload.
pub struct Scene {
    random: Pcg,
    next_number: u32,
    /// All places, in changing order.
    places: Vec<u32>,
}

impl Scene {
    /// A scene of this many objects.
    pub fn new(count: u32, seed: u64) -> Scene {
        Scene { random: Pcg::new(seed, 0), next_number: 0, places: (0..count).collect() }
    }

    /// The objects at the start: one for every place.
    pub fn first(&mut self) -> Vec<Object> {
        self.births(self.places.len())
    }

    /// The objects that replace a fifth of all in this cycle.
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

    /// Moves randomly drawn places to the front.
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
