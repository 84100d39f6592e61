//! Sharing: slices that jobs work on together, each on elements of its own.
//!
//! Laws
//! 1. No element is two jobs' at once; so who is first, and how many there are, cannot show.
//! 2. How a slice is cut up is decided by constants of the caller, never by the crew.
//! 3. Nothing is taken from the heap.
#![allow(unsafe_code, reason = "a slice is divided among jobs, each of which has elements of its own")]

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU64, AtomicUsize};

use base::number::float_environment_is_sound;

use crate::widely::{Work, widely};
use crate::workers::{Shared, Workers};

/// How many jobs there are at most in one go. With more to do, each does more.
const JOBS_MAX: usize = 1024;

/// The end of a pair that is nobody.
pub const NOBODY: u32 = u32::MAX;

/// Works on a slice in chunks of this length (or longer ones, if there would be too many). `work` is told where its chunk begins.
pub fn each_chunk<T: Send>(
    workers: &dyn Workers,
    values: &mut [T],
    chunk: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let (count, shared) = (values.len(), Shared(values.as_mut_ptr()));
    each_range(workers, count, chunk, |range| {
        // SAFETY: the ranges lie within the slice, do not overlap, and each is worked on once.
        let own = unsafe { slice::from_raw_parts_mut(shared.at(range.start), range.len()) };
        work(range.start, own);
    });
}

/// The same over two slices of the same length.
pub fn each_chunk_of_two<A: Send, B: Send>(
    workers: &dyn Workers,
    (first, second): (&mut [A], &mut [B]),
    chunk: usize,
    work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    assert_eq!(first.len(), second.len(), "what is worked on together has the same length");
    let count = first.len();
    let (first, second) = (Shared(first.as_mut_ptr()), Shared(second.as_mut_ptr()));
    each_range(workers, count, chunk, |range| {
        // SAFETY: the ranges lie within both slices, do not overlap, and each is worked on once.
        let own = unsafe { slice::from_raw_parts_mut(first.at(range.start), range.len()) };
        // SAFETY: as above.
        let other = unsafe { slice::from_raw_parts_mut(second.at(range.start), range.len()) };
        work(range.start, own, other);
    });
}

/// Works on a slice in runs of any lengths: `ends` says where each run ends, and each begins where the one before it does. What is
/// behind the last is nobody's. `work` is told the number of its run.
///
/// # Panics
/// If an end is before the one before it, or behind the slice.
pub fn each_run<T: Send>(workers: &dyn Workers, values: &mut [T], ends: &[u32], work: impl Fn(usize, &mut [T]) + Sync) {
    let is_ordered = ends.windows(2).all(|pair| pair[0] <= pair[1]);
    assert!(is_ordered && ends.last().is_none_or(|end| *end as usize <= values.len()), "runs follow one another");
    let shared = Shared(values.as_mut_ptr());
    each_range(workers, ends.len(), 1, |runs| {
        for run in runs {
            let start = if run == 0 { 0 } else { ends[run - 1] as usize };
            // SAFETY: the runs lie within the slice and follow one another, as was seen above, and each is worked on once.
            let own = unsafe { slice::from_raw_parts_mut(shared.at(start), ends[run] as usize - start) };
            work(run, own);
        }
    });
}

/// Cuts what is counted into ranges and works on each once.
pub(crate) fn each_range(workers: &dyn Workers, count: usize, chunk: usize, work: impl Fn(Range<usize>) + Sync) {
    let chunk = chunk.max(count.div_ceil(JOBS_MAX)).max(1);
    let jobs = count.div_ceil(chunk);
    if jobs <= 1 {
        if jobs == 1 {
            work(0..count);
        }
        return;
    }
    let taken: [AtomicU64; JOBS_MAX / 64] = [const { AtomicU64::new(0) }; JOBS_MAX / 64];
    workers.run(jobs as u32, &|job| {
        assert!(float_environment_is_sound(), "this thread rounds floats in a way of its own");
        let (word, bit) = (job as usize / 64, 1_u64 << (job % 64));
        let is_taken = taken[word].fetch_or(bit, Relaxed) & bit != 0;
        assert!((job as usize) < jobs && !is_taken, "the crew ran job {job} twice, or there is no such job");
        let start = job as usize * chunk;
        work(start..count.min(start + chunk));
    });
    let done: u32 = taken.iter().map(|word| word.load(Relaxed).count_ones()).sum();
    assert_eq!(done as usize, jobs, "the crew did not run all jobs");
}

/// Pairs of elements, put together in blocks of lanes, and blocks in colours: within one colour no element is in two pairs. So all
/// blocks of a colour may be worked on at once.
///
/// The last colour may be a *sequence*: its blocks are worked on one after the other, and may share elements.
pub struct Pairing<const LANES: usize> {
    blocks: Vec<[[u32; LANES]; 2]>,
    /// Where each colour ends.
    ends: Vec<u32>,
    seen: Vec<u64>,
    elements: usize,
    is_sequence: bool,
}

/// The elements of one block of pairs.
pub struct Pairs<'a, T, const LANES: usize> {
    ends: &'a [[u32; LANES]; 2],
    elements: Shared<T>,
    nobody: &'a T,
}

impl<const LANES: usize> Pairing<LANES> {
    /// Room for so many blocks, colours and elements.
    pub fn new(blocks_max: usize, colours_max: usize, elements_max: usize) -> Pairing<LANES> {
        Pairing {
            blocks: Vec::with_capacity(blocks_max),
            ends: Vec::with_capacity(colours_max),
            seen: alloc::vec![0; elements_max.div_ceil(64)],
            elements: 0,
            is_sequence: false,
        }
    }

    /// Begins anew, over so many elements.
    ///
    /// # Panics
    /// If there are more than was said when it was made.
    pub fn begin(&mut self, elements: usize) {
        assert!(elements <= self.seen.len() * 64, "there is room for {} elements only", self.seen.len() * 64);
        self.blocks.clear();
        self.ends.clear();
        (self.elements, self.is_sequence) = (elements, false);
    }

    /// A colour begins. The blocks that follow are its, until the next begins.
    ///
    /// # Panics
    /// If a sequence has begun: that is the last.
    pub fn begin_colour(&mut self) {
        assert!(!self.is_sequence, "nothing comes behind a sequence");
        self.ends.push(self.blocks.len() as u32);
        self.seen[..self.elements.div_ceil(64)].fill(0);
    }

    /// The sequence begins: the last colour.
    pub fn begin_sequence(&mut self) {
        self.begin_colour();
        self.is_sequence = true;
    }

    /// Adds a block of pairs: the first ends, then the second ones, or [`NOBODY`].
    ///
    /// # Panics
    /// If an element is in the colour already (in a sequence: in the block), or is none, or no colour has begun.
    pub fn push(&mut self, block: [[u32; LANES]; 2]) {
        if self.is_sequence {
            self.seen[..self.elements.div_ceil(64)].fill(0);
        }
        for end in block.iter().flatten().filter(|end| **end != NOBODY) {
            let (word, bit) = (*end as usize / 64, 1_u64 << (end % 64));
            let is_new = (*end as usize) < self.elements && self.seen[word] & bit == 0;
            assert!(is_new, "element {end} is in this colour already, or is none of {}", self.elements);
            self.seen[word] |= bit;
        }
        self.blocks.push(block);
        *self.ends.last_mut().expect("a colour has begun") = self.blocks.len() as u32;
    }

    /// How many colours there are, the sequence among them.
    pub fn colours(&self) -> usize {
        self.ends.len()
    }

    /// The blocks of a colour.
    pub fn blocks_of(&self, colour: usize) -> Range<usize> {
        let start = if colour == 0 { 0 } else { self.ends[colour - 1] };
        start as usize..self.ends[colour] as usize
    }

    /// Works on all blocks of a colour at once, `chunk` of them to a job: `work` is given what belongs to the block, and its pairs.
    ///
    /// # Panics
    /// If there are fewer elements or blocks than this was made from.
    pub fn each<T: Default + Send + Sync, B: Send, W: PairWork<B, T, LANES>>(
        &self,
        (workers, chunk): (&dyn Workers, usize),
        colour: usize,
        (elements, blocks): (&mut [T], &mut [B]),
        work: &W,
    ) {
        assert!(elements.len() >= self.elements, "the pairs were made of {} elements", self.elements);
        let range = self.blocks_of(colour);
        let (pairs, own) = (&self.blocks[range.clone()], &mut blocks[range]);
        let is_sequence = self.is_sequence && colour + 1 == self.ends.len();
        let chunk = if is_sequence { usize::MAX } else { chunk };
        let (elements, nobody) = (Shared(elements.as_mut_ptr()), &T::default());
        each_chunk(workers, own, chunk, |start, own| {
            widely(Blocks { blocks: own, pairs: &pairs[start..], elements, nobody, work });
        });
    }
}

impl<T, const LANES: usize> Pairs<'_, T, LANES> {
    /// The element at one side (0 or 1) of a lane's pair. Nobody is as it was said when the work began.
    #[inline(always)]
    pub fn get(&self, side: usize, lane: usize) -> &T {
        match self.ends[side][lane] {
            NOBODY => self.nobody,
            // SAFETY: `push` saw that it is an element, and that nobody else has it while this block is worked on.
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

/// What is done to each block of pairs. See [`Work`](crate::widely::Work): it is to be `#[inline(always)]`.
pub trait PairWork<B, T, const LANES: usize>: Sync {
    /// Works on a block, with the elements of its pairs.
    fn work(&self, block: &mut B, pairs: &mut Pairs<'_, T, LANES>);
}

/// Blocks one after the other.
struct Blocks<'a, B, T, W, const LANES: usize> {
    blocks: &'a mut [B],
    pairs: &'a [[[u32; LANES]; 2]],
    elements: Shared<T>,
    nobody: &'a T,
    work: &'a W,
}

impl<B, T, W: PairWork<B, T, LANES>, const LANES: usize> Work for Blocks<'_, B, T, W, LANES> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        for (block, ends) in self.blocks.iter_mut().zip(self.pairs) {
            self.work.work(block, &mut Pairs { ends, elements: self.elements, nobody: self.nobody });
        }
    }
}

/// Room into which jobs put runs of values, in whatever order they come. A run stays together, and whoever put it there is told
/// where it begins.
pub struct Arena<T> {
    values: Vec<T>,
    used: usize,
}

/// An arena that is being filled.
pub struct Filling<T> {
    values: Shared<T>,
    capacity: usize,
    used: AtomicUsize,
}

impl<T: Copy + Default + Send> Arena<T> {
    /// Room for so many values.
    pub fn new(capacity: usize) -> Arena<T> {
        Arena { values: alloc::vec![T::default(); capacity], used: 0 }
    }

    /// Empties it and lets `work` fill it. False if something found no room: then what lies in it depends on who was first, and
    /// must not be used.
    pub fn fill(&mut self, work: impl FnOnce(&Filling<T>)) -> bool {
        let capacity = self.values.len();
        let filling = Filling { values: Shared(self.values.as_mut_ptr()), capacity, used: AtomicUsize::new(0) };
        work(&filling);
        let used = filling.used.into_inner();
        self.used = used.min(capacity);
        used <= capacity
    }

    /// What lies in it.
    pub fn as_slice(&self) -> &[T] {
        &self.values[..self.used]
    }

    /// The same, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values[..self.used]
    }
}

impl<T: Copy> Filling<T> {
    /// Puts a run of values in, and tells where it begins. Nothing if there is no room.
    #[inline]
    pub fn push(&self, run: &[T]) -> Option<u32> {
        let start = self.used.fetch_add(run.len(), Relaxed);
        if start.checked_add(run.len()).is_none_or(|end| end > self.capacity) {
            return None;
        }
        for (index, value) in run.iter().enumerate() {
            // SAFETY: it is within the arena, and nobody else was given this place.
            unsafe { *self.values.at(start + index) = *value };
        }
        u32::try_from(start).ok()
    }

    /// How many values could still be put in.
    pub fn left(&self) -> usize {
        self.capacity.saturating_sub(self.used.load(Relaxed))
    }
}
