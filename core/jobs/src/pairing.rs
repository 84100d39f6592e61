//! Pairs of elements scheduled by graph colouring: pairs are packed into blocks of SIMD lanes, and blocks into colours.
//!
//! Laws
//! 1. Within one colour no element is in two pairs, so all blocks of a colour may be worked on in parallel.
//! 2. The last colour may be a *sequence* (the overflow colour): its blocks are worked on one after the other and may
//!    share elements.
//! 3. There are two kinds of blocks, each with its own block data. The colours are common to both; in a sequence the
//!    blocks of the first kind come first.
//! 4. Elements and blocks are worked on in phases: no job of a phase starts before all jobs of the one before it are
//!    done.
#![allow(
    unsafe_code,
    reason = "elements are divided among jobs by pairs, and no two pairs of a colour share an element"
)]

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use crate::phases::{JOBS_MAX, run_phases};
use crate::simd_dispatch::{SimdWork, dispatch};
use crate::slices::each_range;
use crate::workers::{Alone, SharedPointer, Workers};

/// The index of an end of a pair that has no element.
pub const NONE: u32 = u32::MAX;

/// Fewer blocks than this are made by the caller alone: waking others would take longer.
const MADE_ALONE_MAX: usize = 64;

/// The most phases of one run.
pub const PHASES_MAX: usize = 256;

/// Pairs of elements, in blocks and colours.
pub struct Pairing<const LANES: usize> {
    /// The ends of the pairs of each block, of both kinds.
    blocks: [Vec<Ends<LANES>>; 2],
    /// The block at which each colour ends, of both kinds.
    ends: Vec<[u32; 2]>,
    /// For each colour a bit per element: whether a pair of the colour has it. For the assertion of law 1.
    seen: Vec<u64>,
    elements: usize,
    is_sequence: bool,
}

/// The element indices of the pairs of a block, per side and lane, or [`NONE`].
pub type Ends<const LANES: usize> = [[u32; LANES]; 2];

/// One phase: an operation on all elements, or on all blocks of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase<O> {
    /// The operation on all elements.
    Elements(O),
    /// The operation on all blocks of this colour.
    Colour(u32, O),
}

/// How much one job does.
#[derive(Clone, Copy, Debug)]
pub struct JobSizes {
    /// Elements per job.
    pub elements: usize,
    /// Blocks per job.
    pub blocks: usize,
    /// A colour with fewer blocks than this is one job: sharing it out would cost more than it saves.
    pub parallel_blocks_min: usize,
}

/// The work of the phases. Beside each element lies a second value, its owner, which only element phases access.
pub trait PhaseWork<const LANES: usize>: Sync {
    /// The paired element.
    type Element: Default + Send + Sync;
    /// The second value of each element.
    type Owner: Send;
    /// The data of a block of the first kind.
    type First: Send;
    /// The data of a block of the second kind.
    type Second: Send;
    /// The operation of a phase.
    type Operation: Copy + Send + Sync;

    /// Works on elements.
    fn elements(&self, operation: Self::Operation, owners: &mut [Self::Owner], elements: &mut [Self::Element]);

    /// Works on blocks of the first kind.
    fn first(&self, operation: Self::Operation, blocks: Blocks<'_, Self::First, Self::Element, LANES>);

    /// Works on blocks of the second kind.
    fn second(&self, operation: Self::Operation, blocks: Blocks<'_, Self::Second, Self::Element, LANES>);
}

/// The work on one block of pairs. It must be `#[inline(always)]`: see [`SimdWork`].
pub trait PairWork<B, T, const LANES: usize>: Sync {
    /// Works on a block and the elements of its pairs.
    fn work(&self, block: &mut B, pairs: &mut Pairs<'_, T, LANES>);
}

/// Access to the elements of one block of pairs.
pub struct Pairs<'a, T, const LANES: usize> {
    ends: &'a Ends<LANES>,
    elements: SharedPointer<T>,
    default: &'a T,
}

/// The blocks of one job.
pub struct Blocks<'a, B, T, const LANES: usize> {
    blocks: &'a mut [B],
    pairs: &'a [Ends<LANES>],
    elements: SharedPointer<T>,
    default: &'a T,
}

impl<const LANES: usize> Pairing<LANES> {
    /// Allocates for this many blocks of each kind, colours and elements.
    pub fn new(blocks_max: usize, colours_max: usize, elements_max: usize) -> Pairing<LANES> {
        Pairing {
            blocks: [Vec::with_capacity(blocks_max), Vec::with_capacity(blocks_max)],
            ends: Vec::with_capacity(colours_max),
            seen: alloc::vec![0; elements_max.div_ceil(64) * colours_max],
            elements: 0,
            is_sequence: false,
        }
    }

    /// Replaces all pairs, over `elements` elements: `counts` has the number of blocks of each kind in each colour, and
    /// `make` gives the ends of a block of kind 0 or 1.
    ///
    /// # Panics
    /// If an element is in a colour twice (in a sequence: in a block twice), or an index is out of range, or the
    /// capacity is exceeded. The pairing is then empty.
    pub fn make(
        &mut self,
        workers: &dyn Workers,
        elements: usize,
        (counts, is_sequence): (&[[u32; 2]], bool),
        make: impl Fn(usize, usize) -> Ends<LANES> + Sync,
    ) {
        let words = elements.div_ceil(64);
        assert!(
            words * counts.len() <= self.seen.len(),
            "{elements} elements in {} colours exceed the capacity",
            counts.len()
        );
        self.ends.clear();
        let end = |colour: usize, kind: usize| counts[..colour].iter().map(|count| count[kind] as usize).sum::<usize>();
        for kind in 0..2 {
            self.blocks[kind].resize(end(counts.len(), kind), [[NONE; LANES]; 2]);
        }
        let is_small = self.blocks.iter().map(Vec::len).sum::<usize>() < MADE_ALONE_MAX;
        let workers = if is_small { &Alone } else { workers };
        let [first, second] = &mut self.blocks;
        let (blocks, seen) = (
            [SharedPointer::new(first.as_mut_ptr()), SharedPointer::new(second.as_mut_ptr())],
            SharedPointer::new(self.seen.as_mut_ptr()),
        );
        each_range(workers, counts.len(), 1, |colours| {
            for colour in colours {
                // SAFETY: the bits of all colours fit, as was asserted, and each colour is made once.
                let seen = unsafe { slice::from_raw_parts_mut(seen.at(colour * words), words) };
                let is_sequence = is_sequence && colour + 1 == counts.len();
                seen.fill(0);
                for kind in 0..2 {
                    let start = end(colour, kind);
                    let count = counts[colour][kind] as usize;
                    // SAFETY: the blocks of all colours exist, colours do not overlap, and each colour is made once.
                    let own = unsafe { slice::from_raw_parts_mut(blocks[kind].at(start), count) };
                    for (index, block) in own.iter_mut().enumerate() {
                        *block = make(kind, start + index);
                        if is_sequence {
                            seen.fill(0);
                        }
                        assert_unseen(seen, elements, block);
                    }
                }
            }
        });
        let mut sums = [0; 2];
        self.ends.extend(counts.iter().map(|count| {
            sums = [sums[0] + count[0], sums[1] + count[1]];
            sums
        }));
        (self.elements, self.is_sequence) = (elements, is_sequence);
    }

    /// The number of colours, the sequence included.
    pub fn colours(&self) -> usize {
        self.ends.len()
    }

    /// The blocks of a colour, of kind 0 or 1.
    pub fn blocks_of(&self, colour: usize, kind: usize) -> Range<usize> {
        let start = if colour == 0 { 0 } else { self.ends[colour - 1][kind] };
        start as usize..self.ends[colour][kind] as usize
    }

    /// Whether a colour has no blocks.
    pub fn is_empty(&self, colour: usize) -> bool {
        self.blocks_of(colour, 0).is_empty() && self.blocks_of(colour, 1).is_empty()
    }

    /// Runs phases: see [`PhaseWork`].
    ///
    /// # Panics
    /// If there are fewer elements or blocks than the pairing was made for, or more than [`PHASES_MAX`] phases.
    pub fn run_phases<R: PhaseWork<LANES>>(
        &self,
        (workers, sizes): (&dyn Workers, JobSizes),
        phases: &[Phase<R::Operation>],
        (owners, elements): (&mut [R::Owner], &mut [R::Element]),
        (first, second): (&mut [R::First], &mut [R::Second]),
        work: &R,
    ) {
        assert!(elements.len() >= self.elements, "the pairing was made for {} elements", self.elements);
        assert_eq!(elements.len(), owners.len(), "each element has an owner");
        let is_enough = first.len() >= self.blocks[0].len() && second.len() >= self.blocks[1].len();
        assert!(is_enough, "each block must have its data");
        let mut counts = [0; PHASES_MAX];
        for (count, phase) in counts[..phases.len()].iter_mut().zip(phases) {
            *count = match phase {
                Phase::Elements(_) => elements.len().div_ceil(job_size(sizes.elements, elements.len())),
                Phase::Colour(colour, _) => self.jobs(*colour as usize, &sizes),
            } as u32;
        }
        let (count, default) = (elements.len(), &R::Element::default());
        let (owners, elements) = (SharedPointer::new(owners.as_mut_ptr()), SharedPointer::new(elements.as_mut_ptr()));
        let (first, second) = (SharedPointer::new(first.as_mut_ptr()), SharedPointer::new(second.as_mut_ptr()));
        run_phases(workers, &counts[..phases.len()], &|phase, job| match phases[phase] {
            Phase::Elements(operation) => {
                let size = job_size(sizes.elements, count);
                let range = job * size..count.min((job + 1) * size);
                // SAFETY: the ranges of the jobs of a phase lie within the slice and do not overlap, and the phase does
                // nothing else.
                let owners = unsafe { slice::from_raw_parts_mut(owners.at(range.start), range.len()) };
                // SAFETY: as above.
                let elements = unsafe { slice::from_raw_parts_mut(elements.at(range.start), range.len()) };
                work.elements(operation, owners, elements);
            }
            Phase::Colour(colour, operation) => {
                let [ones, others] = [0, 1].map(|kind| self.part(colour as usize, kind, (job, counts[phase] as usize)));
                // SAFETY: the ranges of the jobs of a phase lie within the slice and do not overlap; of the elements
                // each job accesses those of its pairs, which by law 1 no other job of the phase has.
                let blocks = unsafe { slice::from_raw_parts_mut(first.at(ones.start), ones.len()) };
                work.first(operation, Blocks { blocks, pairs: &self.blocks[0][ones], elements, default });
                // SAFETY: as above.
                let blocks = unsafe { slice::from_raw_parts_mut(second.at(others.start), others.len()) };
                work.second(operation, Blocks { blocks, pairs: &self.blocks[1][others], elements, default });
            }
        });
    }

    /// Works on the data of all blocks in parallel, in this many jobs, without their elements; each call gets the
    /// number of its first block. A job has the same part of each colour, mostly the part that its thread has in phases
    /// as well.
    ///
    /// # Panics
    /// If there are fewer blocks than the pairing was made for.
    pub fn each_block<B: Send, C: Send>(
        &self,
        (workers, jobs): (&dyn Workers, usize),
        (first, second): (&mut [B], &mut [C]),
        (work, other_work): (impl Fn(usize, &mut [B]) + Sync, impl Fn(usize, &mut [C]) + Sync),
    ) {
        let is_enough = first.len() >= self.blocks[0].len() && second.len() >= self.blocks[1].len();
        assert!(is_enough, "each block must have its data");
        let jobs = jobs.clamp(1, JOBS_MAX);
        let (first, second) = (SharedPointer::new(first.as_mut_ptr()), SharedPointer::new(second.as_mut_ptr()));
        run_phases(workers, &[jobs as u32], &|_, job| {
            for colour in 0..self.colours() {
                let [ones, others] = [0, 1].map(|kind| self.part(colour, kind, (job, jobs)));
                // SAFETY: the parts of the jobs lie within the slice and do not overlap.
                work(ones.start, unsafe { slice::from_raw_parts_mut(first.at(ones.start), ones.len()) });
                // SAFETY: as above.
                other_work(others.start, unsafe { slice::from_raw_parts_mut(second.at(others.start), others.len()) });
            }
        });
    }

    /// The number of jobs of a colour.
    fn jobs(&self, colour: usize, sizes: &JobSizes) -> usize {
        let total = self.blocks_of(colour, 0).len() + self.blocks_of(colour, 1).len();
        let is_sequence = self.is_sequence && colour + 1 == self.ends.len();
        let is_serial = is_sequence || total < sizes.parallel_blocks_min;
        if is_serial { total.min(1) } else { total.div_ceil(job_size(sizes.blocks, total)) }
    }

    /// The blocks of one kind and colour that job `job` of `jobs` has: the same part of both kinds, since neighbouring
    /// blocks mostly have neighbouring elements.
    fn part(&self, colour: usize, kind: usize, (job, jobs): (usize, usize)) -> Range<usize> {
        let all = self.blocks_of(colour, kind);
        let at = |job: usize| all.start + all.len() * job / jobs;
        at(job)..at(job + 1)
    }
}

impl<'a, B, T, const LANES: usize> Blocks<'a, B, T, LANES> {
    /// Does the work on each block.
    #[inline(always)]
    pub fn each<W: PairWork<B, T, LANES>>(self, work: &W) {
        dispatch(EachBlock { blocks: self, work });
    }
}

impl<T, const LANES: usize> Pairs<'_, T, LANES> {
    /// The element at one side (0 or 1) of a lane's pair, or the default of its type if there is none.
    #[inline(always)]
    pub fn get(&self, side: usize, lane: usize) -> &T {
        match self.ends[side][lane] {
            NONE => self.default,
            // SAFETY: `make` asserted that the index is in range, and that no other block worked on at the same time
            // has it.
            index => unsafe { &*self.elements.at(index as usize) },
        }
    }

    /// Changes the element at one side of a lane's pair, if there is one.
    #[inline(always)]
    pub fn change(&mut self, side: usize, lane: usize, change: impl FnOnce(&mut T)) {
        match self.ends[side][lane] {
            NONE => {}
            // SAFETY: as above; and `&mut self` makes it the only reference.
            index => change(unsafe { &mut *self.elements.at(index as usize) }),
        }
    }

    /// The element index at one side of a lane's pair, or [`NONE`].
    #[inline]
    pub fn end(&self, side: usize, lane: usize) -> u32 {
        self.ends[side][lane]
    }
}

/// The work on blocks, one after the other.
struct EachBlock<'a, B, T, W, const LANES: usize> {
    blocks: Blocks<'a, B, T, LANES>,
    work: &'a W,
}

impl<B, T, W: PairWork<B, T, LANES>, const LANES: usize> SimdWork for EachBlock<'_, B, T, W, LANES> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        let Blocks { blocks, pairs, elements, default } = self.blocks;
        for (block, ends) in blocks.iter_mut().zip(pairs) {
            self.work.work(block, &mut Pairs { ends, elements, default });
        }
    }
}

/// Asserts that the elements of a block are in range and new to their colour, and records them.
fn assert_unseen<const LANES: usize>(seen: &mut [u64], elements: usize, block: &Ends<LANES>) {
    for end in block.iter().flatten().filter(|end| **end != NONE) {
        let (word, bit) = (*end as usize / 64, 1_u64 << (end % 64));
        let is_new = (*end as usize) < elements && seen[word] & bit == 0;
        assert!(is_new, "element {end} is in this colour already, or not below {elements}");
        seen[word] |= bit;
    }
}

/// Items per job, raised so that there are at most [`JOBS_MAX`] jobs.
fn job_size(size: usize, count: usize) -> usize {
    size.max(count.div_ceil(JOBS_MAX)).max(1)
}
