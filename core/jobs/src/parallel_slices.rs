//! Slices of equal length that are cut at the same places: one slice, pairs of them, or pairs of pairs (structure of
//! arrays).
#![allow(unsafe_code, reason = "jobs rebuild parts of slices from their base pointers")]

use core::ops::Range;
use core::slice;

use crate::workers::SharedPointer;

/// Slices of equal length, of which each job gets the same index range.
///
/// # Safety
/// Parts of disjoint ranges must not alias.
pub unsafe trait ParallelSlices: Send {
    /// The base pointers.
    type Raw: Copy + Send + Sync;

    /// The common length.
    ///
    /// # Panics
    /// If the lengths differ.
    fn count(&self) -> usize;

    /// The base pointers.
    fn raw(&mut self) -> Self::Raw;

    /// The part of all slices in an index range.
    ///
    /// # Safety
    /// The range must lie within the slices. While the part is used, neither the slices nor an overlapping part may be.
    unsafe fn part(raw: Self::Raw, range: Range<usize>) -> Self;
}

// SAFETY: disjoint ranges of one slice do not alias.
unsafe impl<T: Send> ParallelSlices for &mut [T] {
    type Raw = SharedPointer<T>;

    fn count(&self) -> usize {
        self.len()
    }

    fn raw(&mut self) -> SharedPointer<T> {
        SharedPointer::new(self.as_mut_ptr())
    }

    unsafe fn part(raw: SharedPointer<T>, range: Range<usize>) -> Self {
        // SAFETY: the caller guarantees that the range lies within the slice and is used exclusively.
        unsafe { slice::from_raw_parts_mut(raw.at(range.start), range.len()) }
    }
}

// SAFETY: both guarantee it of themselves.
unsafe impl<A: ParallelSlices, B: ParallelSlices> ParallelSlices for (A, B) {
    type Raw = (A::Raw, B::Raw);

    fn count(&self) -> usize {
        assert_eq!(self.0.count(), self.1.count(), "parallel slices must have the same length");
        self.0.count()
    }

    fn raw(&mut self) -> Self::Raw {
        (self.0.raw(), self.1.raw())
    }

    unsafe fn part((first, second): Self::Raw, range: Range<usize>) -> Self {
        // SAFETY: the caller guarantees it of both.
        let first = unsafe { A::part(first, range.clone()) };
        // SAFETY: as above.
        (first, unsafe { B::part(second, range) })
    }
}
