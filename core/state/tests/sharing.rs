//! Slices that jobs work on together.

mod common;

use base::Plain;
use common::crews::Threads;
use proptest::prelude::*;
use state::share::{Arena, NOBODY, PairWork, Pairing, Pairs, each_chunk, each_chunk_of_two, each_run};
use state::{Alone, Heap, Layout, Settings, Workers, World};

#[test]
fn every_element_is_worked_on_once() {
    for (length, chunk, workers) in [(0, 3, 2), (1, 8, 2), (1000, 7, 3), (5000, 1, 4), (64, 64, 2), (65, 64, 16)] {
        let mut values = vec![0_u32; length];
        each_chunk(&Threads(workers), &mut values, chunk, |start, values| {
            values.iter_mut().enumerate().for_each(|(index, value)| *value += (start + index) as u32 + 1);
        });
        assert!(values.iter().enumerate().all(|(index, value)| *value as usize == index + 1), "{length} {chunk}");
    }
}

#[test]
fn two_slices_are_cut_alike() {
    let (mut first, mut second) = (vec![1_u8; 300], vec![2_u64; 300]);
    each_chunk_of_two(&Threads(3), (&mut first, &mut second), 16, |start, first, second| {
        assert_eq!(first.len(), second.len());
        second.iter_mut().for_each(|value| *value += start as u64);
        first.iter_mut().for_each(|value| *value += 1);
    });
    assert!(first.iter().all(|value| *value == 2));
    assert!(second.iter().enumerate().all(|(index, value)| *value == 2 + (index / 16 * 16) as u64));
}

#[test]
fn runs_of_any_length_are_worked_on_once() {
    for ends in [&[][..], &[0], &[3, 3, 10], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &[0, 0, 9]] {
        let mut values = [0_usize; 10];
        each_run(&Threads(3), &mut values, ends, |run, values| {
            values.iter_mut().for_each(|value| *value += run + 1);
        });
        for (index, value) in values.iter().enumerate() {
            let run = ends.iter().position(|end| index < *end as usize);
            assert_eq!(*value, run.map_or(0, |run| run + 1), "{ends:?}");
        }
    }
}

#[test]
#[should_panic(expected = "runs follow one another")]
fn runs_do_not_go_back() {
    each_run(&Alone, &mut [0; 10], &[4, 3], |_, _| {});
}

#[test]
#[should_panic(expected = "runs follow one another")]
fn runs_do_not_leave_their_slice() {
    each_run(&Alone, &mut [0; 10], &[4, 11], |_, _| {});
}

#[test]
#[should_panic(expected = "ran job 0 twice")]
fn a_crew_that_runs_a_job_twice_is_stopped() {
    struct Twice;
    impl Workers for Twice {
        fn run(&self, _: u32, job: &(dyn Fn(u32) + Sync)) {
            job(0);
            job(0);
        }
        fn crew(&self) -> u32 {
            1
        }
    }
    each_chunk(&Twice, &mut [0; 10], 1, |_, _| {});
}

#[test]
#[should_panic(expected = "element 3 is in this colour already")]
fn nobody_is_in_two_pairs_of_a_colour() {
    let mut pairing = Pairing::<2>::new(8, 8, 8);
    pairing.begin(8);
    pairing.begin_colour();
    pairing.push([[0, 1], [2, 3]]);
    pairing.push([[3, 4], [5, 6]]);
}

#[test]
#[should_panic(expected = "or is none of 4")]
fn nobody_beyond_the_last_is_in_a_pair() {
    let mut pairing = Pairing::<1>::new(8, 8, 8);
    pairing.begin(4);
    pairing.begin_colour();
    pairing.push([[0], [4]]);
}

#[test]
fn a_sequence_may_meet_the_same_again_and_goes_in_order() {
    let mut pairing = Pairing::<1>::new(8, 8, 8);
    pairing.begin(3);
    pairing.begin_sequence();
    pairing.push([[0], [1]]);
    pairing.push([[1], [2]]);
    pairing.push([[NOBODY], [2]]);
    let (mut elements, mut blocks) = ([1_u32, 0, 0], [(), (), ()]);
    pairing.each((&Threads(2), 1), 0, (&mut elements, &mut blocks), &Doubled);
    assert_eq!(elements, [7, 7, 4]);
}

/// The second becomes twice the first and itself, the first seven.
struct Doubled;

impl PairWork<(), u32, 1> for Doubled {
    #[inline(always)]
    fn work(&self, (): &mut (), pairs: &mut Pairs<'_, u32, 1>) {
        let sum = pairs.get(0, 0) * 2 + pairs.get(1, 0);
        pairs.change(1, 0, |second| *second = sum);
        pairs.change(0, 0, |first| *first = 7);
    }
}

/// Both become something of both, and so does what belongs to the block.
struct Mixed;

impl PairWork<u64, u64, 4> for Mixed {
    #[inline(always)]
    fn work(&self, count: &mut u64, pairs: &mut Pairs<'_, u64, 4>) {
        for lane in 0..4 {
            let (one, other) = (*pairs.get(0, lane), *pairs.get(1, lane));
            pairs.change(0, lane, |first| *first = one.wrapping_mul(31).wrapping_add(other));
            pairs.change(1, lane, |second| *second = other.wrapping_mul(17) ^ one);
            *count = count.wrapping_mul(7).wrapping_add(one);
        }
    }
}

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Lamp {
    level: f32,
    number: u32,
}

#[test]
fn all_living_datums_that_are_meant_are_changed_and_no_other_byte_is() {
    let mut layout = Layout::of_world("lamps");
    layout.system("lights");
    let lamps = layout.datums::<Lamp>("lamps", 200);
    let after = layout.list::<u32>("after", 4);
    let plan = layout.finish();
    let run = |workers: &dyn Workers| {
        let mut world = World::new(&plan, &Heap, Settings::default(), 1);
        world.set_up(|world| {
            let all: Vec<_> = (0..150).map(|_| lamps.create(world).expect("room").0).collect();
            after.push(world, 77);
            all.iter().step_by(3).for_each(|lamp| lamps.delete(world, *lamp));
            let is_meant = |handle: base::Handle<Lamp>| handle.slot().is_multiple_of(2);
            lamps.edit_each(world, workers, is_meant, |handle, lamp| {
                *lamp = Lamp { level: -0.0, number: handle.raw() };
            });
            let number = |handle: base::Handle<Lamp>| if is_meant(handle) { handle.raw() } else { 0 };
            assert!(lamps.iterate(world).all(|(handle, lamp)| lamp.number == number(handle)));
            assert!(lamps.iterate(world).all(|(_, lamp)| lamp.level.to_bits() == 0), "stored as it may be");
            assert_eq!((lamps.count(world), after.get(world)), (100, &[77][..]));
        });
        world.hash()
    };
    assert_eq!(run(&Alone), run(&Threads(4)));
}

#[test]
fn a_list_is_made_anew_within_its_room() {
    let mut layout = Layout::of_world("lists");
    layout.system("numbers");
    let list = layout.list::<u32>("list", 1000);
    let plan = layout.finish();
    let mut world = World::new(&plan, &Heap, Settings::default(), 1);
    world.set_up(|world| {
        for count in [3, 1000, 0, 700, 20] {
            list.rewrite(world, &Threads(2), count, |index| index * 2);
            let expected: Vec<u32> = (0..count).map(|index| index * 2).collect();
            assert_eq!(list.get(world), expected);
        }
        list.rewrite(world, &Alone, 1005, |index| index);
        assert_eq!(list.count(world), 1000);
    });
}

proptest! {
    #[test]
    fn pairs_give_the_same_whoever_works(
        pairs in prop::collection::vec((0..40_u32, 0..40_u32), 0..200),
        chunk in 1..9_usize,
    ) {
        // Colours in the order of the pairs, as whoever uses this would make them.
        let mut colours: Vec<Vec<[u32; 2]>> = Vec::new();
        for (one, other) in pairs.into_iter().filter(|(one, other)| one != other) {
            let meets = |colour: &Vec<[u32; 2]>| {
                colour.iter().flatten().any(|end| *end == one || *end == other)
            };
            match colours.iter_mut().find(|colour| !meets(colour)) {
                Some(colour) => colour.push([one, other]),
                None => colours.push(vec![[one, other]]),
            }
        }
        let mut pairing = Pairing::<4>::new(256, 256, 40);
        pairing.begin(40);
        for colour in &colours {
            pairing.begin_colour();
            for block in colour.chunks(4) {
                let lane = |side: usize, lane: usize| block.get(lane).map_or(NOBODY, |pair| pair[side]);
                pairing.push([0, 1].map(|side| [0, 1, 2, 3].map(|index| lane(side, index))));
            }
        }
        let run = |workers: &dyn Workers| {
            let mut elements: Vec<u64> = (0..40).collect();
            let blocks = if pairing.colours() == 0 { 0 } else { pairing.blocks_of(pairing.colours() - 1).end };
            let mut counts = vec![0_u64; blocks];
            for colour in 0..pairing.colours() {
                pairing.each((workers, chunk), colour, (&mut elements, &mut counts), &Mixed);
            }
            (elements, counts)
        };
        prop_assert_eq!(run(&Alone), run(&Threads(3)));
    }
}

#[test]
fn runs_in_an_arena_stay_together() {
    let mut arena = Arena::<u32>::new(1000);
    let mut starts = vec![0_u32; 100];
    let fits = arena.fill(|filling| {
        each_chunk(&Threads(4), &mut starts, 3, |first, starts| {
            for (index, start) in starts.iter_mut().enumerate() {
                let number = (first + index) as u32;
                let run: Vec<u32> = (0..number % 7).map(|step| number * 10 + step).collect();
                *start = filling.push(&run).expect("there is room");
            }
        });
    });
    assert!(fits);
    for (number, start) in starts.iter().enumerate() {
        for step in 0..number % 7 {
            assert_eq!(arena.as_slice()[*start as usize + step] as usize, number * 10 + step);
        }
    }
    assert!(!arena.fill(|filling| assert_eq!((filling.push(&[1; 900]), filling.push(&[2; 200])), (Some(0), None))));
}
