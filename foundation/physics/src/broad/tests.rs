use alloc::vec::Vec;

use base::{Pcg, Quat, Random, Vec3};
use state::Alone;

use super::*;
use crate::body::Body;
use crate::mass::Mass;
use crate::shape::Shape;

/// What may lie in a slot.
#[derive(Clone, Copy)]
struct Thing {
    at: Vec3,
    way: Vec3,
    size: f32,
    moves: bool,
    layers: u32,
}

/// Things that drift, jump, come, go, fall asleep and wake; how often, out of a thousand each step, is told.
struct Play {
    things: Vec<Option<Thing>>,
    random: Pcg,
    surprises: u32,
}

impl Play {
    fn new(count: usize, seed: u64, surprises: u32) -> Play {
        let mut play = Play { things: alloc::vec![None; count], random: Pcg::new(seed, 3), surprises };
        for slot in 0..count {
            play.things[slot] = Some(play.thing());
        }
        play
    }

    fn vector(&mut self, size: f32) -> Vec3 {
        let mut number = || self.random.between(-size, size);
        Vec3::new(number(), number(), number())
    }

    fn thing(&mut self) -> Thing {
        let (at, way, size) = (self.vector(6.0), self.vector(0.02), self.random.between(0.1, 1.0));
        Thing { at, way, size, moves: self.random.below(4) > 0, layers: 1 + self.random.below(3) }
    }

    fn step(&mut self) {
        for slot in 0..self.things.len() {
            if let Some(thing) = &mut self.things[slot] {
                thing.at = if thing.moves { thing.at + thing.way } else { thing.at };
            }
            if self.random.below(1000) < self.surprises {
                let other = self.thing();
                self.things[slot] = match (self.random.below(5), self.things[slot]) {
                    (0, Some(_)) => None,
                    (1, Some(thing)) => Some(Thing { moves: !thing.moves, ..thing }),
                    (2, Some(thing)) => Some(Thing { way: other.way * 20.0, ..thing }),
                    _ => Some(other),
                };
            }
        }
    }

    fn show(&self, broad: &mut Broad) {
        broad.movers.clear();
        broad.resting.clear();
        for (slot, thing) in (0..).zip(&self.things) {
            let Some(Thing { at, way, size, moves, layers }) = *thing else { continue };
            let mut body = Body::new((0, &Shape::Sphere(size)), &Mass::NONE, at, Quat::IDENTITY);
            (body.inverse_mass, body.layers, body.meets) = (f32::from(u8::from(moves)), layers, 3);
            let mut proxy = Proxy::new(slot, &body, Bounds::centred(at, Vec3::splat(size)), moves);
            proxy.way = if moves { way } else { Vec3::ZERO };
            if moves { &mut broad.movers } else { &mut broad.resting }.push(proxy);
        }
    }
}

/// All pairs, found by asking everybody about everybody, in the order of the movers.
fn expected(broad: &Broad) -> Vec<[u16; 2]> {
    let mut pairs = Vec::new();
    for mover in &broad.movers {
        let mut partners: Vec<u16> = broad
            .movers
            .iter()
            .chain(&broad.resting)
            .filter(|other| other.slot() > mover.slot() || !other.moves())
            .filter(|other| other.bounds.touches(&mover.bounds) && mover.meets(other))
            .map(Proxy::slot)
            .collect();
        partners.sort_unstable();
        pairs.extend(partners.iter().map(|partner| [mover.slot().min(*partner), mover.slot().max(*partner)]));
    }
    pairs
}

#[test]
fn the_pairs_are_the_same_whatever_was_before() {
    for (seed, surprises) in [(1, 0), (2, 2), (3, 20), (4, 150), (5, 900)] {
        let mut play = Play::new(90, seed, surprises);
        let mut broad = Broad::new(90, 4000);
        for step in 0..300 {
            // Now and then nobody looks for a while, as when a world is rewound.
            let skipped = if step % 50 == 49 { 40 } else { 1 };
            (0..skipped).for_each(|_| play.step());
            play.show(&mut broad);
            assert!(broad.find(&Alone), "there is room for all");
            let mut expected = expected(&broad);
            expected.sort_unstable();
            assert_eq!(broad.pairs(), expected, "seed {seed}, step {step}");
        }
    }
}

#[test]
fn if_there_is_no_room_the_pairs_with_what_nobody_can_move_come_first_then_those_of_the_lowest_movers() {
    for room in [1, 7, 40] {
        let mut play = Play::new(90, 9, 20);
        let mut broad = Broad::new(90, room);
        for step in 0..40 {
            play.step();
            play.show(&mut broad);
            let is_complete = broad.find(&Alone);
            let mut expected = expected(&broad);
            assert_eq!(is_complete, expected.len() <= room);
            let resting: Vec<u16> = broad.resting.iter().map(Proxy::slot).collect();
            expected.sort_by_key(|pair| !pair.iter().any(|slot| resting.contains(slot)));
            expected.truncate(room);
            expected.sort_unstable();
            assert_eq!(broad.pairs(), expected, "room {room}, step {step}");
        }
    }
}

#[test]
fn a_few_that_wander_among_many_that_rest_leave_nothing_behind() {
    let mut play = Play::new(400, 6, 0);
    let mut broad = Broad::new(400, 8000);
    for (slot, thing) in play.things.iter_mut().flatten().enumerate() {
        (thing.size, thing.layers, thing.moves) = (0.4, 1, slot % 20 == 0);
        thing.way = if thing.moves { thing.way * 3.0 } else { Vec3::ZERO };
    }
    let mut lengths = Vec::new();
    for _ in 0..600 {
        play.step();
        // Who leaves on one side comes back on the other.
        let wrapped = |at: f32| {
            if at > 6.0 {
                at - 12.0
            } else if at < -6.0 {
                at + 12.0
            } else {
                at
            }
        };
        for thing in play.things.iter_mut().flatten() {
            thing.at = Vec3::from_array(thing.at.to_array().map(wrapped));
        }
        play.show(&mut broad);
        assert!(broad.find(&Alone), "there is room for all");
        lengths.push(broad.near.lists().map(<[_]>::len).iter().sum::<usize>());
    }
    let (early, late) = (lengths[20..120].iter().max(), lengths[500..].iter().max());
    assert!(late < early.map(|early| early * 2).as_ref(), "{early:?}, then {late:?}");
}
