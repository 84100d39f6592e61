//! Widely: work that is compiled twice, for every machine, and for those whose vectors are twice as wide.
//!
//! Law: both are the same operations on the same numbers. Wide vectors change how many numbers are worked on at once, never what
//! comes of one: nothing is fused, and no sum is taken in another order, because the compiler may do neither on its own.
#![allow(
    unsafe_code,
    reason = "what is compiled for some machines only must not be called on others; they are asked first"
)]

/// Work that is worth it. Its `work`, and what matters in it, is to be `#[inline(always)]`: only what is compiled into the very same
/// function gains, and calls that stay calls are as they are elsewhere. That is why it is no closure, of which this cannot be said.
pub trait Work {
    /// What comes of it.
    type Output;

    /// Does it.
    fn work(self) -> Self::Output;
}

/// Does the work with the widest vectors that this machine has.
#[inline(always)]
pub fn widely<W: Work>(work: W) -> W::Output {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2"), not(miri)))]
    if machine::is_wide() {
        // SAFETY: the machine has what the function is compiled for, as was asked just now.
        return unsafe { machine::wide(work) };
    }
    work.work()
}

#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2"), not(miri)))]
mod machine {
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use super::Work;

    const UNKNOWN: u8 = 0;
    const NARROW: u8 = 1;
    const WIDE: u8 = 2;

    static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);

    /// Whether the machine has AVX2. It is asked once.
    #[inline(always)]
    pub fn is_wide() -> bool {
        match KNOWN.load(Relaxed) {
            UNKNOWN => ask(),
            known => known == WIDE,
        }
    }

    /// # Safety
    /// The machine must have AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn wide<W: Work>(work: W) -> W::Output {
        work.work()
    }

    #[cold]
    fn ask() -> bool {
        let is_wide = has_avx2();
        KNOWN.store(if is_wide { WIDE } else { NARROW }, Relaxed);
        is_wide
    }

    /// The processor must have it, and the operating system must keep the wide registers when it changes threads.
    fn has_avx2() -> bool {
        const SAVES_REGISTERS: u32 = 1 << 27;
        const AVX: u32 = 1 << 28;
        const AVX2: u32 = 1 << 5;
        const REGISTERS: u64 = 0b110;
        let (highest, one) = (__cpuid(0).eax, __cpuid(1).ecx);
        if highest < 7 || one & (SAVES_REGISTERS | AVX) != SAVES_REGISTERS | AVX {
            return false;
        }
        // SAFETY: the first of both bits says that there is such an instruction.
        let kept = unsafe { keeps() };
        kept & REGISTERS == REGISTERS && __cpuid_count(7, 0).ebx & AVX2 != 0
    }

    #[target_feature(enable = "xsave")]
    unsafe fn keeps() -> u64 {
        // SAFETY: the caller has seen that there is such an instruction.
        unsafe { _xgetbv(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that the compiler could be tempted to fuse or to put in another order.
    struct Sums<'a>(&'a [f32]);

    impl Work for Sums<'_> {
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
    fn wide_and_narrow_give_the_same_bits() {
        let values: alloc::vec::Vec<f32> =
            (0..80_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 8) as f32 / 1.0e7).collect();
        let bits = |sums: [f32; 8]| sums.map(f32::to_bits);
        assert_eq!(bits(widely(Sums(&values))), bits(Sums(&values).work()));
    }
}
