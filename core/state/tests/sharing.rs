//! Slices that jobs work on together.

mod common;

use base::Plain;
use common::crews::{Threads, Together};
use proptest::prelude::*;
use state::share::pairing::{Blocks, Portions, Round, RoundWork};
use state::share::{
    Arena, NOBODY, PairWork, Pairing, Pairs, each_chunk, each_chunk_of_two, each_run, each_run_of, each_run_of_two,
};
use state::{Alone, Heap, Layout, Settings, Workers, World};

#[test]
fn every_element_is_worked_on_once() {
    for (length, chunk, workers) in [(0, 3, 2), (1, 8, 2), (1000, 7, 3), (5000, 1, 4), (64, 64, 2), (65, 64, 16)] {
        for crew in [&Threads(workers) as &dyn Workers, &Together(workers)] {
            let mut values = vec![0_u32; length];
            each_chunk(crew, &mut values, chunk, |start, values| {
                values.iter_mut().enumerate().for_each(|(index, value)| *value += (start + index) as u32 + 1);
            });
            assert!(values.iter().enumerate().all(|(index, value)| *value as usize == index + 1), "{length} {chunk}");
        }
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
fn several_slices_are_cut_into_the_same_runs() {
    let (mut first, mut second, mut third) = ([0_u8; 10], [0_u32; 10], [0_u64; 10]);
    let slices = (&mut first[..], (&mut second[..], &mut third[..]));
    each_run_of(&Together(2), slices, &[4, 4, 9], |run, (first, (second, third))| {
        assert_eq!((first.len(), second.len()), ([4, 0, 5][run], third.len()));
        first.fill(run as u8 + 1);
        second.fill(run as u32 + 1);
        third.fill(run as u64 + 1);
    });
    assert_eq!(first, [1, 1, 1, 1, 3, 3, 3, 3, 3, 0]);
    assert!((0..10).all(|index| second[index] == u32::from(first[index]) && third[index] == u64::from(first[index])));
}

#[test]
fn two_slices_are_cut_into_runs_of_their_own() {
    let (mut first, mut second) = ([0_u8; 5], [0_u32; 9]);
    let ends = (&[2, 2, 5][..], &[0, 3, 8][..]);
    each_run_of_two(&Together(2), (&mut first, &mut second), ends, |run, first, second| {
        assert_eq!((first.len(), second.len()), ([2, 0, 3][run], [0, 3, 5][run]));
        first.fill(run as u8 + 1);
        second.fill(run as u32 + 1);
    });
    assert_eq!((first, second), ([1, 1, 3, 3, 3], [2, 2, 2, 3, 3, 3, 3, 3, 0]));
}

#[test]
#[should_panic(expected = "runs follow one another")]
fn runs_of_neither_slice_leave_it() {
    each_run_of_two(&Alone, (&mut [0; 5], &mut [0; 4]), (&[5], &[5]), |_, _, _| {});
}

#[test]
#[should_panic(expected = "has the same length")]
fn slices_that_are_cut_alike_have_the_same_length() {
    each_run_of(&Alone, (&mut [0; 10][..], &mut [0; 9][..]), &[4], |_, _| {});
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
    let blocks = [[[0, 1], [2, 3]], [[3, 4], [5, 6]]];
    Pairing::<2>::new(8, 8, 8).make(&Alone, 8, (&[[2, 0]], false), |_, block| blocks[block]);
}

#[test]
#[should_panic(expected = "element 3 is in this colour already")]
fn nor_in_pairs_of_both_kinds() {
    let blocks = [[[0, 1], [2, 3]], [[3, 4], [5, 6]]];
    Pairing::<2>::new(8, 8, 8).make(&Alone, 8, (&[[1, 1]], false), |kind, _| blocks[kind]);
}

#[test]
#[should_panic(expected = "or is none of 4")]
fn nobody_beyond_the_last_is_in_a_pair() {
    Pairing::<1>::new(8, 8, 8).make(&Alone, 4, (&[[1, 0]], false), |_, _| [[0], [4]]);
}

#[test]
fn a_sequence_may_meet_the_same_again_and_goes_in_order() {
    let mut pairing = Pairing::<1>::new(8, 8, 8);
    let blocks = [[[0], [1]], [[1], [2]], [[NOBODY], [2]]];
    pairing.make(&Alone, 3, (&[[0, 0], [2, 1]], true), |kind, block| blocks[kind * 2 + block]);
    assert!(pairing.is_empty(0) && !pairing.is_empty(1));
    let mut elements = [1_u32, 0, 0];
    let rounds = [Round::Colour(0, ()), Round::Colour(1, ())];
    let (owners, blocks) = (&mut [(); 3][..], (&mut [(); 2][..], &mut [(); 1][..]));
    pairing.each_round((&Together(2), PORTIONS), &rounds, (owners, &mut elements), blocks, &Doubled);
    assert_eq!(elements, [7, 7, 4]);
}

#[test]
#[should_panic(expected = "it is the third round")]
fn what_a_job_says_when_it_panics_is_heard_and_no_other_round_begins() {
    let mut pairing = Pairing::<4>::new(8, 8, 100);
    pairing.make(&Alone, 100, (&[], false), |_, _| [[NOBODY; 4]; 2]);
    let rounds = [0, 1, 2, 3, 4].map(Round::Elements);
    let (mut owners, mut elements) = (vec![0; 100], vec![0; 100]);
    let blocks = (&mut [][..], &mut [][..]);
    pairing.each_round((&Together(3), PORTIONS), &rounds, (&mut owners, &mut elements), blocks, &Mixing { last: 2 });
}

const PORTIONS: Portions = Portions { elements: 7, blocks: 2, blocks_alone: 3 };

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

impl RoundWork<1> for Doubled {
    type Element = u32;
    type Owner = ();
    type First = ();
    type Second = ();
    type What = ();

    fn elements(&self, (): (), _: &mut [()], _: &mut [u32]) {}

    fn first(&self, (): (), blocks: Blocks<'_, (), u32, 1>) {
        blocks.each(self);
    }

    fn second(&self, (): (), blocks: Blocks<'_, (), u32, 1>) {
        blocks.each(self);
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

/// The same in rounds, and elements and their owners become something of both. It panics in its last round.
struct Mixing {
    last: u64,
}

impl RoundWork<4> for Mixing {
    type Element = u64;
    type Owner = u64;
    type First = u64;
    type Second = u64;
    type What = u64;

    fn elements(&self, what: u64, owners: &mut [u64], elements: &mut [u64]) {
        assert!(what <= self.last, "no round begins after one that panicked");
        for (owner, element) in owners.iter_mut().zip(elements) {
            *owner = owner.wrapping_mul(5).wrapping_add(*element);
            *element ^= owner.wrapping_add(what);
        }
        assert_ne!(what, self.last, "it is the third round");
    }

    fn first(&self, _: u64, blocks: Blocks<'_, u64, u64, 4>) {
        blocks.each(&Mixed);
    }

    fn second(&self, _: u64, blocks: Blocks<'_, u64, u64, 4>) {
        blocks.each(&Mixed);
    }
}

/// One after the other, though it says that they wait for one another.
struct Boaster;

impl Workers for Boaster {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).rev().for_each(job);
    }

    fn crew(&self) -> u32 {
        1
    }

    fn together(&self) -> u32 {
        5
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
        // Some blocks of each colour are of the one kind, some of the other.
        let mut kinds: [Vec<[[u32; 4]; 2]>; 2] = [Vec::new(), Vec::new()];
        let mut counts = Vec::new();
        for colour in &colours {
            let mut count = [0; 2];
            for (number, block) in colour.chunks(4).enumerate() {
                let lane = |side: usize, lane: usize| block.get(lane).map_or(NOBODY, |pair| pair[side]);
                kinds[number % 2].push([0, 1].map(|side| [0, 1, 2, 3].map(|index| lane(side, index))));
                count[number % 2] += 1;
            }
            counts.push(count);
        }
        let colour = |colour: usize| Round::Colour(colour as u32, 0);
        let mut rounds: Vec<_> = (0..colours.len()).map(colour).collect();
        rounds.push(Round::Elements(3));
        rounds.extend((0..colours.len()).map(colour));
        let rounds = &rounds[..rounds.len().min(256)];
        let run = |workers: &dyn Workers| {
            let mut pairing = Pairing::<4>::new(256, 256, 40);
            pairing.make(workers, 40, (&counts, false), |kind, block| kinds[kind][block]);
            let (mut elements, mut owners): (Vec<u64>, Vec<u64>) = ((0..40).collect(), (7..47).collect());
            let [mut first, mut second] = [0, 1].map(|kind: usize| vec![0_u64; kinds[kind].len()]);
            let portions = Portions { elements: 9, blocks: chunk, blocks_alone: 2 };
            let mixing = Mixing { last: u64::MAX };
            pairing.each_round(
                (workers, portions), rounds, (&mut owners, &mut elements), (&mut first, &mut second), &mixing,
            );
            (elements, owners, first, second)
        };
        let expected = run(&Alone);
        for crew in [&Threads(3) as &dyn Workers, &Together(2), &Together(5), &Boaster] {
            prop_assert_eq!(&run(crew), &expected);
        }
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

#[test]
fn leases_of_an_arena_keep_runs_together_and_overlap_with_nobody() {
    let mut arena = Arena::<u32>::new(4000);
    let mut starts = vec![0_u32; 100];
    let fits = arena.lease_out(|leases| {
        each_chunk(&Together(4), &mut starts, 3, |first, starts| {
            let mut lease = leases.lease(first, 100);
            for (index, start) in starts.iter_mut().enumerate() {
                let number = (first + index) as u32;
                let run: Vec<u32> = (0..number % 37).map(|step| number * 100 + step).collect();
                *start = lease.push(&run).expect("there is room");
            }
        });
    });
    assert!(fits);
    for (number, start) in starts.iter().enumerate() {
        let run = &arena.as_slice()[*start as usize..*start as usize + number % 37];
        assert!(run.iter().enumerate().all(|(step, value)| *value as usize == number * 100 + step));
    }
    let is_full = !arena.lease_out(|leases| {
        let mut lease = leases.lease(70, 100);
        assert_eq!((0..300).filter(|_| lease.push(&[1; 16]).is_some()).count(), 240, "fifteen on each shelf");
    });
    assert!(is_full);
}
