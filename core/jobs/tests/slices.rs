//! Parallel loops over slices, phases over pairs, and arenas.

use jobs::pairing::{Blocks, JobSizes, Phase, PhaseWork};
use jobs::{
    Alone, Arena, NONE, PairWork, Pairing, Pairs, Workers, each_chunk, each_chunk_of_two, each_run, each_run_of,
    each_run_of_two,
};
use proptest::prelude::*;
use testing::workers::{Concurrent, Threads};

#[test]
fn every_element_is_worked_on_once() {
    for (length, chunk, workers) in [(0, 3, 2), (1, 8, 2), (1000, 7, 3), (5000, 1, 4), (64, 64, 2), (65, 64, 16)] {
        for workers in [&Threads(workers) as &dyn Workers, &Concurrent(workers)] {
            let mut values = vec![0_u32; length];
            each_chunk(workers, &mut values, chunk, |start, values| {
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
    each_run_of(&Concurrent(2), slices, &[4, 4, 9], |run, (first, (second, third))| {
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
    each_run_of_two(&Concurrent(2), (&mut first, &mut second), ends, |run, first, second| {
        assert_eq!((first.len(), second.len()), ([2, 0, 3][run], [0, 3, 5][run]));
        first.fill(run as u8 + 1);
        second.fill(run as u32 + 1);
    });
    assert_eq!((first, second), ([1, 1, 3, 3, 3], [2, 2, 2, 3, 3, 3, 3, 3, 0]));
}

#[test]
#[should_panic(expected = "the ends of runs must ascend")]
fn runs_of_either_slice_lie_within_it() {
    each_run_of_two(&Alone, (&mut [0; 5], &mut [0; 4]), (&[5], &[5]), |_, _, _| {});
}

#[test]
#[should_panic(expected = "must have the same length")]
fn slices_that_are_cut_alike_have_the_same_length() {
    each_run_of(&Alone, (&mut [0; 10][..], &mut [0; 9][..]), &[4], |_, _| {});
}

#[test]
#[should_panic(expected = "the ends of runs must ascend")]
fn the_ends_of_runs_ascend() {
    each_run(&Alone, &mut [0; 10], &[4, 3], |_, _| {});
}

#[test]
#[should_panic(expected = "the ends of runs must ascend")]
fn runs_lie_within_their_slice() {
    each_run(&Alone, &mut [0; 10], &[4, 11], |_, _| {});
}

#[test]
#[should_panic(expected = "ran job 0 twice")]
fn workers_that_run_a_job_twice_are_caught() {
    struct Twice;
    impl Workers for Twice {
        fn run(&self, _: u32, job: &(dyn Fn(u32) + Sync)) {
            job(0);
            job(0);
        }
        fn threads(&self) -> u32 {
            1
        }
    }
    each_chunk(&Twice, &mut [0; 10], 1, |_, _| {});
}

#[test]
#[should_panic(expected = "element 3 is in this colour already")]
fn an_element_is_in_one_pair_of_a_colour() {
    let blocks = [[[0, 1], [2, 3]], [[3, 4], [5, 6]]];
    Pairing::<2>::new(8, 8, 8).make(&Alone, 8, (&[[2, 0]], false), |_, block| blocks[block]);
}

#[test]
#[should_panic(expected = "element 3 is in this colour already")]
fn an_element_is_in_one_pair_of_both_kinds() {
    let blocks = [[[0, 1], [2, 3]], [[3, 4], [5, 6]]];
    Pairing::<2>::new(8, 8, 8).make(&Alone, 8, (&[[1, 1]], false), |kind, _| blocks[kind]);
}

#[test]
#[should_panic(expected = "or not below 4")]
fn an_element_out_of_range_is_refused() {
    Pairing::<1>::new(8, 8, 8).make(&Alone, 4, (&[[1, 0]], false), |_, _| [[0], [4]]);
}

#[test]
fn a_sequence_may_share_elements_and_runs_in_order() {
    let mut pairing = Pairing::<1>::new(8, 8, 8);
    let blocks = [[[0], [1]], [[1], [2]], [[NONE], [2]]];
    pairing.make(&Alone, 3, (&[[0, 0], [2, 1]], true), |kind, block| blocks[kind * 2 + block]);
    assert!(pairing.is_empty(0) && !pairing.is_empty(1));
    let mut elements = [1_u32, 0, 0];
    let phases = [Phase::Colour(0, ()), Phase::Colour(1, ())];
    let (owners, blocks) = (&mut [(); 3][..], (&mut [(); 2][..], &mut [(); 1][..]));
    pairing.run_phases((&Concurrent(2), JOB_SIZES), &phases, (owners, &mut elements), blocks, &Doubled);
    assert_eq!(elements, [7, 7, 4]);
}

#[test]
#[should_panic(expected = "this is the third phase")]
fn a_panic_in_a_job_reaches_the_caller_and_no_later_phase_starts() {
    let mut pairing = Pairing::<4>::new(8, 8, 100);
    pairing.make(&Alone, 100, (&[], false), |_, _| [[NONE; 4]; 2]);
    let phases = [0, 1, 2, 3, 4].map(Phase::Elements);
    let (mut owners, mut elements) = (vec![0; 100], vec![0; 100]);
    let blocks = (&mut [][..], &mut [][..]);
    pairing.run_phases((&Concurrent(3), JOB_SIZES), &phases, (&mut owners, &mut elements), blocks, &Mixing { last: 2 });
}

const JOB_SIZES: JobSizes = JobSizes { elements: 7, blocks: 2, parallel_blocks_min: 3 };

/// Adds twice the first element to the second, and sets the first to seven.
struct Doubled;

impl PairWork<(), u32, 1> for Doubled {
    #[inline(always)]
    fn work(&self, (): &mut (), pairs: &mut Pairs<'_, u32, 1>) {
        let sum = pairs.get(0, 0) * 2 + pairs.get(1, 0);
        pairs.change(1, 0, |second| *second = sum);
        pairs.change(0, 0, |first| *first = 7);
    }
}

impl PhaseWork<1> for Doubled {
    type Element = u32;
    type Owner = ();
    type First = ();
    type Second = ();
    type Operation = ();

    fn elements(&self, (): (), _: &mut [()], _: &mut [u32]) {}

    fn first(&self, (): (), blocks: Blocks<'_, (), u32, 1>) {
        blocks.each(self);
    }

    fn second(&self, (): (), blocks: Blocks<'_, (), u32, 1>) {
        blocks.each(self);
    }
}

/// Mixes both elements and the block's value.
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

/// The same in phases, with elements and owners mixed too. Panics in its last phase.
struct Mixing {
    last: u64,
}

impl PhaseWork<4> for Mixing {
    type Element = u64;
    type Owner = u64;
    type First = u64;
    type Second = u64;
    type Operation = u64;

    fn elements(&self, what: u64, owners: &mut [u64], elements: &mut [u64]) {
        assert!(what <= self.last, "no phase starts after one that panicked");
        for (owner, element) in owners.iter_mut().zip(elements) {
            *owner = owner.wrapping_mul(5).wrapping_add(*element);
            *element ^= owner.wrapping_add(what);
        }
        assert_ne!(what, self.last, "this is the third phase");
    }

    fn first(&self, _: u64, blocks: Blocks<'_, u64, u64, 4>) {
        blocks.each(&Mixed);
    }

    fn second(&self, _: u64, blocks: Blocks<'_, u64, u64, 4>) {
        blocks.each(&Mixed);
    }
}

/// Runs jobs one after the other, although it claims that they may wait for one another.
struct FalseConcurrency;

impl Workers for FalseConcurrency {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        (0..count).rev().for_each(job);
    }

    fn threads(&self) -> u32 {
        1
    }

    fn concurrent_jobs(&self) -> u32 {
        5
    }
}

proptest! {
    #[test]
    fn pairs_give_the_same_result_on_all_workers(
        pairs in prop::collection::vec((0..40_u32, 0..40_u32), 0..200),
        chunk in 1..9_usize,
    ) {
        // Colours in the order of the pairs, by greedy colouring.
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
                let lane = |side: usize, lane: usize| block.get(lane).map_or(NONE, |pair| pair[side]);
                kinds[number % 2].push([0, 1].map(|side| [0, 1, 2, 3].map(|index| lane(side, index))));
                count[number % 2] += 1;
            }
            counts.push(count);
        }
        let colour = |colour: usize| Phase::Colour(colour as u32, 0);
        let mut phases: Vec<_> = (0..colours.len()).map(colour).collect();
        phases.push(Phase::Elements(3));
        phases.extend((0..colours.len()).map(colour));
        let phases = &phases[..phases.len().min(256)];
        let run = |workers: &dyn Workers| {
            let mut pairing = Pairing::<4>::new(256, 256, 40);
            pairing.make(workers, 40, (&counts, false), |kind, block| kinds[kind][block]);
            let (mut elements, mut owners): (Vec<u64>, Vec<u64>) = ((0..40).collect(), (7..47).collect());
            let [mut first, mut second] = [0, 1].map(|kind: usize| vec![0_u64; kinds[kind].len()]);
            let sizes = JobSizes { elements: 9, blocks: chunk, parallel_blocks_min: 2 };
            let mixing = Mixing { last: u64::MAX };
            pairing.run_phases(
                (workers, sizes), phases, (&mut owners, &mut elements), (&mut first, &mut second), &mixing,
            );
            (elements, owners, first, second)
        };
        let expected = run(&Alone);
        for workers in [&Threads(3) as &dyn Workers, &Concurrent(2), &Concurrent(5), &FalseConcurrency] {
            prop_assert_eq!(&run(workers), &expected);
        }
    }
}

#[test]
fn runs_in_an_arena_are_contiguous() {
    let mut arena = Arena::<u32>::new(1000);
    let mut starts = vec![0_u32; 100];
    let fits = arena.fill(|filling| {
        each_chunk(&Threads(4), &mut starts, 3, |first, starts| {
            for (index, start) in starts.iter_mut().enumerate() {
                let number = (first + index) as u32;
                let run: Vec<u32> = (0..number % 7).map(|step| number * 10 + step).collect();
                *start = filling.push(&run).expect("the run fits");
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
fn worker_arenas_keep_runs_contiguous_and_disjoint() {
    let mut arena = Arena::<u32>::new(4000);
    let mut starts = vec![0_u32; 100];
    let fits = arena.fill_per_worker(|arenas| {
        each_chunk(&Concurrent(4), &mut starts, 3, |first, starts| {
            let mut job_arena = arenas.of_job(first, 100);
            for (index, start) in starts.iter_mut().enumerate() {
                let number = (first + index) as u32;
                let run: Vec<u32> = (0..number % 37).map(|step| number * 100 + step).collect();
                *start = job_arena.push(&run).expect("the run fits");
            }
        });
    });
    assert!(fits);
    for (number, start) in starts.iter().enumerate() {
        let run = &arena.as_slice()[*start as usize..*start as usize + number % 37];
        assert!(run.iter().enumerate().all(|(step, value)| *value as usize == number * 100 + step));
    }
    let is_full = !arena.fill_per_worker(|arenas| {
        let mut job_arena = arenas.of_job(70, 100);
        assert_eq!((0..300).filter(|_| job_arena.push(&[1; 16]).is_some()).count(), 240, "fifteen in each part");
    });
    assert!(is_full);
}
