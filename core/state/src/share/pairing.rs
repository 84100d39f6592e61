//! Pairs of elements, put together in blocks of lanes, and blocks in colours.
//!
//! Laws
//! 1. Within one colour no element is in two pairs. So all blocks of a colour may be worked on at once.
//! 2. The last colour may be a *sequence*: its blocks are worked on one after the other, and may share elements.
//! 3. There are two kinds of blocks, with something of their own belonging to each. The colours are common to both; in a sequence
//!    those of the first kind come first.
//! 4. Elements and blocks are worked on in rounds: nothing of one begins before all of the one before it is done.
#![allow(unsafe_code, reason = "elements are divided among jobs by pairs, of which each has elements of its own")]

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use super::each_range;
use crate::rounds::{JOBS_MAX, run_rounds};
use crate::widely::{Work, widely};
use crate::workers::{Shared, Workers};

/// The end of a pair that is nobody.
pub const NOBODY: u32 = u32::MAX;

/// How many rounds can be run in one go.
pub const ROUNDS_MAX: usize = 256;

/// Pairs of elements, in blocks and colours.
pub struct Pairing<const LANES: usize> {
    /// The ends of the pairs: first those of the one side, then of the other. Of both kinds.
    blocks: [Vec<Ends<LANES>>; 2],
    /// Where each colour ends, of both kinds.
    ends: Vec<[u32; 2]>,
    /// For each colour, a bit for each element.
    seen: Vec<u64>,
    elements: usize,
    is_sequence: bool,
}

/// The ends of the pairs of a block: the first ends, then the second ones, or [`NOBODY`].
pub type Ends<const LANES: usize> = [[u32; LANES]; 2];

/// What is done in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round<W> {
    /// This, to all elements.
    Elements(W),
    /// This, to all blocks of a colour.
    Colour(u32, W),
}

/// How much one job does.
#[derive(Clone, Copy, Debug)]
pub struct Portions {
    /// How many elements.
    pub elements: usize,
    /// How many blocks.
    pub blocks: usize,
    /// Fewer blocks than this are one job, however few that is: to share them would cost more.
    pub blocks_alone: usize,
}

/// What is done in rounds. There is something else that belongs to each element, its owner.
pub trait RoundWork<const LANES: usize>: Sync {
    /// What is paired.
    type Element: Default + Send + Sync;
    /// What belongs to each element.
    type Owner: Send;
    /// What belongs to each block of the first kind.
    type First: Send;
    /// What belongs to each block of the second kind.
    type Second: Send;
    /// What is to be done.
    type What: Copy + Send + Sync;

    /// Works on elements.
    fn elements(&self, what: Self::What, owners: &mut [Self::Owner], elements: &mut [Self::Element]);

    /// Works on blocks of the first kind.
    fn first(&self, what: Self::What, blocks: Blocks<'_, Self::First, Self::Element, LANES>);

    /// Works on blocks of the second kind.
    fn second(&self, what: Self::What, blocks: Blocks<'_, Self::Second, Self::Element, LANES>);
}

/// What is done to each block of pairs. See [`Work`](crate::widely::Work): it is to be `#[inline(always)]`.
pub trait PairWork<B, T, const LANES: usize>: Sync {
    /// Works on a block, with the elements of its pairs.
    fn work(&self, block: &mut B, pairs: &mut Pairs<'_, T, LANES>);
}

/// The elements of one block of pairs.
pub struct Pairs<'a, T, const LANES: usize> {
    ends: &'a Ends<LANES>,
    elements: Shared<T>,
    nobody: &'a T,
}

/// Blocks that one job works on.
pub struct Blocks<'a, B, T, const LANES: usize> {
    blocks: &'a mut [B],
    pairs: &'a [Ends<LANES>],
    elements: Shared<T>,
    nobody: &'a T,
}

impl<const LANES: usize> Pairing<LANES> {
    /// Room for so many blocks of each kind, colours and elements.
    pub fn new(blocks_max: usize, colours_max: usize, elements_max: usize) -> Pairing<LANES> {
        Pairing {
            blocks: [Vec::with_capacity(blocks_max), Vec::with_capacity(blocks_max)],
            ends: Vec::with_capacity(colours_max),
            seen: alloc::vec![0; elements_max.div_ceil(64) * colours_max],
            elements: 0,
            is_sequence: false,
        }
    }

    /// Makes all pairs anew, over so many elements: `counts` says how many blocks of each kind each colour has, and `make` which pairs
    /// are in a block of the kind 0 or 1.
    ///
    /// # Panics
    /// If an element is in a colour twice (in a sequence: in a block), or is none, or there are more than was said when this was made.
    /// Then it is empty.
    pub fn make(
        &mut self,
        workers: &dyn Workers,
        elements: usize,
        (counts, is_sequence): (&[[u32; 2]], bool),
        make: impl Fn(usize, usize) -> Ends<LANES> + Sync,
    ) {
        let (words, room) = (elements.div_ceil(64), self.seen.len());
        assert!(words * counts.len() <= room, "there is no room for {elements} elements in so many colours");
        self.ends.clear();
        let end = |colour: usize, kind: usize| counts[..colour].iter().map(|count| count[kind] as usize).sum::<usize>();
        for kind in 0..2 {
            self.blocks[kind].resize(end(counts.len(), kind), [[NOBODY; LANES]; 2]);
        }
        let [first, second] = &mut self.blocks;
        let (blocks, seen) =
            ([Shared(first.as_mut_ptr()), Shared(second.as_mut_ptr())], Shared(self.seen.as_mut_ptr()));
        each_range(workers, counts.len(), 1, |colours| {
            for colour in colours {
                // SAFETY: there is room for the bits of so many colours, as was seen above, and each colour is made once.
                let seen = unsafe { slice::from_raw_parts_mut(seen.at(colour * words), words) };
                let is_sequence = is_sequence && colour + 1 == counts.len();
                seen.fill(0);
                for kind in 0..2 {
                    let start = end(colour, kind);
                    let count = counts[colour][kind] as usize;
                    // SAFETY: the blocks of all colours are there, follow one another, and each colour is made once.
                    let own = unsafe { slice::from_raw_parts_mut(blocks[kind].at(start), count) };
                    for (index, block) in own.iter_mut().enumerate() {
                        *block = make(kind, start + index);
                        if is_sequence {
                            seen.fill(0);
                        }
                        look_at(seen, elements, block);
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

    /// How many colours there are, the sequence among them.
    pub fn colours(&self) -> usize {
        self.ends.len()
    }

    /// The blocks of a colour, of the kind 0 or 1.
    pub fn blocks_of(&self, colour: usize, kind: usize) -> Range<usize> {
        let start = if colour == 0 { 0 } else { self.ends[colour - 1][kind] };
        start as usize..self.ends[colour][kind] as usize
    }

    /// Whether a colour has no blocks.
    pub fn is_empty(&self, colour: usize) -> bool {
        self.blocks_of(colour, 0).is_empty() && self.blocks_of(colour, 1).is_empty()
    }

    /// Works in rounds: see [`RoundWork`].
    ///
    /// # Panics
    /// If there are fewer elements or blocks than this was made from, or more than [`ROUNDS_MAX`] rounds.
    pub fn each_round<R: RoundWork<LANES>>(
        &self,
        (workers, portions): (&dyn Workers, Portions),
        rounds: &[Round<R::What>],
        (owners, elements): (&mut [R::Owner], &mut [R::Element]),
        (first, second): (&mut [R::First], &mut [R::Second]),
        work: &R,
    ) {
        assert!(elements.len() >= self.elements, "the pairs were made of {} elements", self.elements);
        assert_eq!(elements.len(), owners.len(), "each element has an owner");
        let is_enough = first.len() >= self.blocks[0].len() && second.len() >= self.blocks[1].len();
        assert!(is_enough, "something belongs to each block");
        let mut counts = [0; ROUNDS_MAX];
        for (count, round) in counts[..rounds.len()].iter_mut().zip(rounds) {
            *count = match round {
                Round::Elements(_) => elements.len().div_ceil(portion(portions.elements, elements.len())),
                Round::Colour(colour, _) => self.jobs(*colour as usize, &portions),
            } as u32;
        }
        let (count, nobody) = (elements.len(), &R::Element::default());
        let (owners, elements) = (Shared(owners.as_mut_ptr()), Shared(elements.as_mut_ptr()));
        let (first, second) = (Shared(first.as_mut_ptr()), Shared(second.as_mut_ptr()));
        run_rounds(workers, &counts[..rounds.len()], &|round, job| match rounds[round] {
            Round::Elements(what) => {
                let portion = portion(portions.elements, count);
                let range = job * portion..count.min((job + 1) * portion);
                // SAFETY: the ranges of the jobs of a round lie within the slice and do not overlap, and in it nothing else is done.
                let owners = unsafe { slice::from_raw_parts_mut(owners.at(range.start), range.len()) };
                // SAFETY: as above.
                let elements = unsafe { slice::from_raw_parts_mut(elements.at(range.start), range.len()) };
                work.elements(what, owners, elements);
            }
            Round::Colour(colour, what) => {
                let [ones, others] = [0, 1].map(|kind| self.part(colour as usize, kind, (job, counts[round] as usize)));
                // SAFETY: the ranges of the jobs of a round lie within the slice and do not overlap; of the elements each has those of its
                // pairs, of which no other job of the round has any.
                let blocks = unsafe { slice::from_raw_parts_mut(first.at(ones.start), ones.len()) };
                work.first(what, Blocks { blocks, pairs: &self.blocks[0][ones], elements, nobody });
                // SAFETY: as above.
                let blocks = unsafe { slice::from_raw_parts_mut(second.at(others.start), others.len()) };
                work.second(what, Blocks { blocks, pairs: &self.blocks[1][others], elements, nobody });
            }
        });
    }

    /// Works on what belongs to all blocks at once, in so many jobs, without their elements: each is told the number of its first block.
    /// A job has the same part of each colour: mostly that which its worker has in rounds as well.
    ///
    /// # Panics
    /// If there are fewer blocks than this was made from.
    pub fn each_block<B: Send, C: Send>(
        &self,
        (workers, jobs): (&dyn Workers, usize),
        (first, second): (&mut [B], &mut [C]),
        (work, other_work): (impl Fn(usize, &mut [B]) + Sync, impl Fn(usize, &mut [C]) + Sync),
    ) {
        let is_enough = first.len() >= self.blocks[0].len() && second.len() >= self.blocks[1].len();
        assert!(is_enough, "something belongs to each block");
        let jobs = jobs.clamp(1, JOBS_MAX);
        let (first, second) = (Shared(first.as_mut_ptr()), Shared(second.as_mut_ptr()));
        run_rounds(workers, &[jobs as u32], &|_, job| {
            for colour in 0..self.colours() {
                let [ones, others] = [0, 1].map(|kind| self.part(colour, kind, (job, jobs)));
                // SAFETY: the parts of the jobs lie within the slice and do not overlap.
                work(ones.start, unsafe { slice::from_raw_parts_mut(first.at(ones.start), ones.len()) });
                // SAFETY: as above.
                other_work(others.start, unsafe { slice::from_raw_parts_mut(second.at(others.start), others.len()) });
            }
        });
    }

    /// How many jobs the blocks of a colour are.
    fn jobs(&self, colour: usize, portions: &Portions) -> usize {
        let total = self.blocks_of(colour, 0).len() + self.blocks_of(colour, 1).len();
        let is_sequence = self.is_sequence && colour + 1 == self.ends.len();
        let is_alone = is_sequence || total < portions.blocks_alone;
        if is_alone { total.min(1) } else { total.div_ceil(portion(portions.blocks, total)) }
    }

    /// What one of so many jobs has of a colour's blocks of one kind: of both kinds the same part, since blocks that lie near one another
    /// mostly have elements that do so too.
    fn part(&self, colour: usize, kind: usize, (job, jobs): (usize, usize)) -> Range<usize> {
        let all = self.blocks_of(colour, kind);
        let at = |job: usize| all.start + all.len() * job / jobs;
        at(job)..at(job + 1)
    }
}

impl<'a, B, T, const LANES: usize> Blocks<'a, B, T, LANES> {
    /// Does this to each of them.
    #[inline(always)]
    pub fn each<W: PairWork<B, T, LANES>>(self, work: &W) {
        widely(Each { blocks: self, work });
    }
}

impl<T, const LANES: usize> Pairs<'_, T, LANES> {
    /// The element at one side (0 or 1) of a lane's pair. Nobody is as it was said when the work began.
    #[inline(always)]
    pub fn get(&self, side: usize, lane: usize) -> &T {
        match self.ends[side][lane] {
            NOBODY => self.nobody,
            // SAFETY: `make` saw that it is an element, and that nobody else has it while this block is worked on.
            index => unsafe { &*self.elements.at(index as usize) },
        }
    }

    /// Changes it. Nobody stays nobody.
    #[inline(always)]
    pub fn change(&mut self, side: usize, lane: usize, change: impl FnOnce(&mut T)) {
        match self.ends[side][lane] {
            NOBODY => {}
            // SAFETY: as above; and while it is changed, this is the only way to it.
            index => change(unsafe { &mut *self.elements.at(index as usize) }),
        }
    }

    /// Who is at one side of a lane's pair, or [`NOBODY`].
    #[inline]
    pub fn end(&self, side: usize, lane: usize) -> u32 {
        self.ends[side][lane]
    }
}

/// Blocks one after the other.
struct Each<'a, B, T, W, const LANES: usize> {
    blocks: Blocks<'a, B, T, LANES>,
    work: &'a W,
}

impl<B, T, W: PairWork<B, T, LANES>, const LANES: usize> Work for Each<'_, B, T, W, LANES> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        let Blocks { blocks, pairs, elements, nobody } = self.blocks;
        for (block, ends) in blocks.iter_mut().zip(pairs) {
            self.work.work(block, &mut Pairs { ends, elements, nobody });
        }
    }
}

/// Makes sure that nobody of a block was seen before, or is nobody that there is.
fn look_at<const LANES: usize>(seen: &mut [u64], elements: usize, block: &Ends<LANES>) {
    for end in block.iter().flatten().filter(|end| **end != NOBODY) {
        let (word, bit) = (*end as usize / 64, 1_u64 << (end % 64));
        let is_new = (*end as usize) < elements && seen[word] & bit == 0;
        assert!(is_new, "element {end} is in this colour already, or is none of {elements}");
        seen[word] |= bit;
    }
}

/// How many of so many one job does, so that there are not too many.
fn portion(portion: usize, count: usize) -> usize {
    portion.max(count.div_ceil(JOBS_MAX)).max(1)
}
