//! SIMD dispatch: work compiled twice, once for every machine and once for AVX2, chosen at run time.
//!
//! Law: both versions compute the same bits. Wider vectors change how many numbers are worked on at once, never a
//! result: nothing is fused and no sum is reordered, since the compiler may do neither on its own.
#![allow(
    unsafe_code,
    reason = "a function compiled for AVX2 must not be called on a machine without it; the machine is checked first"
)]

/// Work worth dispatching. `work`, and every hot function it calls, must be `#[inline(always)]`: only code that is
/// inlined into the AVX2 function is compiled for AVX2. This is a trait, not a closure, since a closure cannot be
/// marked so.
pub trait SimdWork {
    /// Its result.
    type Output;

    /// Does the work.
    fn work(self) -> Self::Output;
}

/// Does the work with the widest vectors that this machine has.
#[inline(always)]
pub fn dispatch<W: SimdWork>(work: W) -> W::Output {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2"), not(miri)))]
    if machine::has_avx2() {
        // SAFETY: the machine has AVX2, as was just checked.
        return unsafe { machine::work_avx2(work) };
    }
    work.work()
}

#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2"), not(miri)))]
mod machine {
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use super::SimdWork;

    const UNKNOWN: u8 = 0;
    const ABSENT: u8 = 1;
    const PRESENT: u8 = 2;

    static AVX2: AtomicU8 = AtomicU8::new(UNKNOWN);

    /// Whether the machine has AVX2. Detected once.
    #[inline(always)]
    pub fn has_avx2() -> bool {
        match AVX2.load(Relaxed) {
            UNKNOWN => detect(),
            known => known == PRESENT,
        }
    }

    /// # Safety
    /// The machine must have AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn work_avx2<W: SimdWork>(work: W) -> W::Output {
        work.work()
    }

    #[cold]
    fn detect() -> bool {
        let is_present = is_usable();
        AVX2.store(if is_present { PRESENT } else { ABSENT }, Relaxed);
        is_present
    }

    /// The processor must have AVX2, and the operating system must save the wide registers on a context switch.
    fn is_usable() -> bool {
        const OSXSAVE_BIT: u32 = 1 << 27;
        const AVX_BIT: u32 = 1 << 28;
        const AVX2_BIT: u32 = 1 << 5;
        const XMM_AND_YMM: u64 = 0b110;
        let (highest, features) = (__cpuid(0).eax, __cpuid(1).ecx);
        if highest < 7 || features & (OSXSAVE_BIT | AVX_BIT) != OSXSAVE_BIT | AVX_BIT {
            return false;
        }
        // SAFETY: the OSXSAVE bit says that the instruction exists.
        let saved = unsafe { saved_registers() };
        saved & XMM_AND_YMM == XMM_AND_YMM && __cpuid_count(7, 0).ebx & AVX2_BIT != 0
    }

    #[target_feature(enable = "xsave")]
    unsafe fn saved_registers() -> u64 {
        // SAFETY: the caller has checked that the instruction exists.
        unsafe { _xgetbv(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations that a compiler could be tempted to fuse or reorder.
    struct Sums<'a>(&'a [f32]);

    impl SimdWork for Sums<'_> {
        type Output = [f32; 8];

        #[inline(always)]
        fn work(self) -> [f32; 8] {
            let mut sums = [0.1_f32; 8];
            for eight in self.0.chunks_exact(8) {
                for (sum, value) in sums.iter_mut().zip(eight) {
                    let next = *sum * *value + 0.3;
                    *sum = if next > 2.0 { next / 3.0 } else { next };
                }
            }
            sums
        }
    }

    #[test]
    fn avx2_and_baseline_give_the_same_bits() {
        let values: alloc::vec::Vec<f32> =
            (0..80_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 8) as f32 / 1.0e7).collect();
        let bits = |sums: [f32; 8]| sums.map(f32::to_bits);
        assert_eq!(bits(dispatch(Sums(&values))), bits(Sums(&values).work()));
    }
}
