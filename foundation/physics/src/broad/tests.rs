use alloc::vec::Vec;

use base::{Pcg, Quat, Random, Vec3};
use state::Alone;

use super::*;
use crate::body::Body;
use crate::mass::Mass;
use crate::shape::Shape;

/// A body in a slot.
#[derive(Clone, Copy)]
struct TestBody {
    position: Vec3,
    displacement: Vec3,
    size: f32,
    is_moving: bool,
    layers: u32,
}

/// Bodies that drift and, with a probability of `surprises` per mille and step, jump, appear, disappear, fall asleep or wake.
struct Simulation {
    bodies: Vec<Option<TestBody>>,
    random: Pcg,
    surprises: u32,
}

impl Simulation {
    fn new(count: usize, seed: u64, surprises: u32) -> Simulation {
        let mut play = Simulation { bodies: alloc::vec![None; count], random: Pcg::new(seed, 3), surprises };
        for slot in 0..count {
            play.bodies[slot] = Some(play.body());
        }
        play
    }

    fn vector(&mut self, size: f32) -> Vec3 {
        let mut number = || self.random.between(-size, size);
        Vec3::new(number(), number(), number())
    }

    fn body(&mut self) -> TestBody {
        let (position, displacement, size) = (self.vector(6.0), self.vector(0.02), self.random.between(0.1, 1.0));
        TestBody { position, displacement, size, is_moving: self.random.below(4) > 0, layers: 1 + self.random.below(3) }
    }

    fn step(&mut self) {
        for slot in 0..self.bodies.len() {
            if let Some(body) = &mut self.bodies[slot] {
                body.position = if body.is_moving { body.position + body.displacement } else { body.position };
            }
            if self.random.below(1000) < self.surprises {
                let other = self.body();
                self.bodies[slot] = match (self.random.below(5), self.bodies[slot]) {
                    (0, Some(_)) => None,
                    (1, Some(body)) => Some(TestBody { is_moving: !body.is_moving, ..body }),
                    (2, Some(body)) => Some(TestBody { displacement: other.displacement * 20.0, ..body }),
                    _ => Some(other),
                };
            }
        }
    }

    fn fill(&self, broad: &mut BroadPhase) {
        broad.moving.clear();
        broad.resting.clear();
        for (slot, body) in (0..).zip(&self.bodies) {
            let Some(TestBody { position, displacement, size, is_moving, layers }) = *body else { continue };
            let mut body = Body::new((0, &Shape::Sphere(size)), &Mass::NONE, position, Quat::IDENTITY);
            (body.inverse_mass, body.layers, body.mask) = (f32::from(u8::from(is_moving)), layers, 3);
            let mut proxy = Proxy::new(slot, &body, Aabb::from_center(position, Vec3::splat(size)), is_moving);
            proxy.displacement = if is_moving { displacement } else { Vec3::ZERO };
            if is_moving { &mut broad.moving } else { &mut broad.resting }.push(proxy);
        }
    }
}

/// All pairs by brute force, in the order of the moving bodies.
fn expected(broad: &BroadPhase) -> Vec<[u16; 2]> {
    let mut pairs = Vec::new();
    for proxy in &broad.moving {
        let mut partners: Vec<u16> = broad
            .moving
            .iter()
            .chain(&broad.resting)
            .filter(|other| other.slot() > proxy.slot() || !other.is_moving())
            .filter(|other| other.aabb.overlaps(&proxy.aabb) && proxy.can_collide(other))
            .map(Proxy::slot)
            .collect();
        partners.sort_unstable();
        pairs.extend(partners.iter().map(|partner| [proxy.slot().min(*partner), proxy.slot().max(*partner)]));
    }
    pairs
}

#[test]
fn pairs_do_not_depend_on_earlier_steps() {
    for (seed, surprises) in [(1, 0), (2, 2), (3, 20), (4, 150), (5, 900)] {
        let mut play = Simulation::new(90, seed, surprises);
        let mut broad = BroadPhase::new(90, 4000);
        for step in 0..300 {
            // Sometimes steps are skipped, as when a world is rewound.
            let skipped = if step % 50 == 49 { 40 } else { 1 };
            (0..skipped).for_each(|_| play.step());
            play.fill(&mut broad);
            assert!(broad.find_pairs(&Alone), "the capacity suffices");
            let mut expected = expected(&broad);
            expected.sort_unstable();
            assert_eq!(broad.pairs(), expected, "seed {seed}, step {step}");
        }
    }
}

#[test]
fn beyond_the_capacity_pairs_with_static_bodies_come_first_then_the_lowest_slots() {
    for room in [1, 7, 40] {
        let mut play = Simulation::new(90, 9, 20);
        let mut broad = BroadPhase::new(90, room);
        for step in 0..40 {
            play.step();
            play.fill(&mut broad);
            let is_complete = broad.find_pairs(&Alone);
            let mut expected = expected(&broad);
            assert_eq!(is_complete, expected.len() <= room);
            let resting: Vec<u16> = broad.resting.iter().map(Proxy::slot).collect();
            expected.sort_by_key(|pair| !pair.iter().any(|slot| resting.contains(slot)));
            expected.truncate(room);
            expected.sort_unstable();
            assert_eq!(broad.pairs(), expected, "capacity {room}, step {step}");
        }
    }
}

#[test]
fn the_incremental_list_does_not_grow_with_time() {
    let mut play = Simulation::new(400, 6, 0);
    let mut broad = BroadPhase::new(400, 8000);
    for (slot, body) in play.bodies.iter_mut().flatten().enumerate() {
        (body.size, body.layers, body.is_moving) = (0.4, 1, slot % 20 == 0);
        body.displacement = if body.is_moving { body.displacement * 3.0 } else { Vec3::ZERO };
    }
    let mut lengths = Vec::new();
    for _ in 0..600 {
        play.step();
        // Periodic boundaries.
        let wrapped = |position: f32| {
            if position > 6.0 {
                position - 12.0
            } else if position < -6.0 {
                position + 12.0
            } else {
                position
            }
        };
        for body in play.bodies.iter_mut().flatten() {
            body.position = Vec3::from_array(body.position.to_array().map(wrapped));
        }
        play.fill(&mut broad);
        assert!(broad.find_pairs(&Alone), "the capacity suffices");
        lengths.push(broad.cache.lists().map(<[_]>::len).iter().sum::<usize>());
    }
    let (early, late) = (lengths[20..120].iter().max(), lengths[500..].iter().max());
    assert!(late < early.map(|early| early * 2).as_ref(), "{early:?}, then {late:?}");
}
