//! Slices that are cut up alike: one, or pairs of them, or pairs of pairs.
#![allow(unsafe_code, reason = "jobs get parts of slices from what is left of the slices: where they begin")]

use core::ops::Range;
use core::slice;

use crate::workers::Shared;

/// Slices of the same length, of which each job gets the same part.
///
/// # Safety
/// Parts that do not overlap must have nothing in common.
pub unsafe trait Alike: Send {
    /// Where they begin.
    type Raw: Copy + Send + Sync;

    /// How long they are.
    ///
    /// # Panics
    /// If one is longer than another.
    fn count(&self) -> usize;

    /// Where they begin.
    fn raw(&mut self) -> Self::Raw;

    /// A part of them.
    ///
    /// # Safety
    /// The range must lie within them, the slices themselves and parts of them that overlap with this one must not be used any more.
    unsafe fn part(raw: Self::Raw, range: Range<usize>) -> Self;
}

// SAFETY: elements of one slice that are not the same do not overlap.
unsafe impl<T: Send> Alike for &mut [T] {
    type Raw = Shared<T>;

    fn count(&self) -> usize {
        self.len()
    }

    fn raw(&mut self) -> Shared<T> {
        Shared(self.as_mut_ptr())
    }

    unsafe fn part(raw: Shared<T>, range: Range<usize>) -> Self {
        // SAFETY: the caller sees to it that it lies within the slice and is nobody else's.
        unsafe { slice::from_raw_parts_mut(raw.at(range.start), range.len()) }
    }
}

// SAFETY: as both promise.
unsafe impl<A: Alike, B: Alike> Alike for (A, B) {
    type Raw = (A::Raw, B::Raw);

    fn count(&self) -> usize {
        assert_eq!(self.0.count(), self.1.count(), "what is worked on together has the same length");
        self.0.count()
    }

    fn raw(&mut self) -> Self::Raw {
        (self.0.raw(), self.1.raw())
    }

    unsafe fn part((first, second): Self::Raw, range: Range<usize>) -> Self {
        // SAFETY: the caller promises it of both.
        let first = unsafe { A::part(first, range.clone()) };
        // SAFETY: as above.
        (first, unsafe { B::part(second, range) })
    }
}
