//! The square root as an instruction that the compiler knows.
//!
//! libm's square root is inline assembly in the SSE encoding. Inside code that is compiled for AVX, each use of it
//! costs some Intel processors a state transition of the vector registers, and assembly is never vectorised. On x86-64
//! the intrinsic takes its place: the compiler encodes it like the code around it, and vectorises it. IEEE 754 defines
//! the result, so both give the same bits.
#![allow(
    unsafe_code,
    reason = "an intrinsic may only be called where its instruction exists; SSE2 is part of every x86-64 processor"
)]

#[cfg(target_arch = "x86_64")]
pub use sse2::{sqrt_f32, sqrt_f64};

#[cfg(not(target_arch = "x86_64"))]
pub use libm::{sqrt as sqrt_f64, sqrtf as sqrt_f32};

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use core::arch::x86_64::{
        _mm_cvtsd_f64, _mm_cvtss_f32, _mm_set_sd, _mm_set_ss, _mm_setzero_pd, _mm_sqrt_sd, _mm_sqrt_ss,
    };

    /// The square root of an `f32`.
    #[inline(always)]
    pub fn sqrt_f32(value: f32) -> f32 {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { single(value) }
    }

    /// The square root of an `f64`.
    #[inline(always)]
    pub fn sqrt_f64(value: f64) -> f64 {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { double(value) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn single(value: f32) -> f32 {
        _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(value)))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn double(value: f64) -> f64 {
        _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(value)))
    }
}
