//! Deterministic float functions.
//!
//! The functions for `f32` are in [`number`](self) itself, the same functions for `f64` (the numbers of scripts) in
//! [`double`]. Both come from one table, so that they cannot drift apart.
//!
//! Never: calls the platform's mathematics; fuses a multiplication and an addition. This is the only door to libm.
//!
//! Laws
//! 1. `+ - * / %`, [`sqrt`] and the roundings are exact or rounded to nearest, as IEEE 754 says. The others are what
//!    libm 0.2.16 gives, on every machine. They are close to the true value, not always the closest.
//! 2. The bits of a NaN result are unspecified. [`canonical`] makes them one pattern; use it where a float is stored.
//! 3. [`min`], [`max`] and [`clamp`] return one of their arguments, unchanged: the first if they are equal (+0 and −0
//!    are) or if one is NaN.
//! 4. All of it requires rounding to nearest and subnormal numbers, which a driver or a plug-in may have changed for a
//!    thread: [`float_environment_is_sound`] checks it.
//!
//! Cost on the first machine (2.6 GHz x86-64, release), in nanoseconds: `sqrt` 1, `floor` 2, `atan2` 5, `acos` 6, `sin`
//! 7, `sin_cos` 8, `ln` 9, `exp` 17, `pow` 70.

#[macro_use]
mod table;
pub mod double;
mod environment;
mod root;
#[cfg(test)]
mod tests;

pub use double::{canonical as canonical_f64, is_canonical as is_canonical_f64};
pub use environment::float_environment_is_sound;

number_functions! {
    float: f32,
    integer: i32,
    sign_bit: 0x8000_0000,
    nan_bits: 0x7fc0_0000,
    sqrt: root::sqrt_f32,
    libm: {
        cbrt: cbrtf, hypot: hypotf,
        floor: floorf, ceil: ceilf, trunc: truncf, round: roundf, round_even: rintf,
        sin: sinf, cos: cosf, sin_cos: sincosf, tan: tanf,
        asin: asinf, acos: acosf, atan: atanf, atan2: atan2f,
        exp: expf, exp2: exp2f, ln: logf, log2: log2f, log10: log10f, pow: powf,
        sinh: sinhf, cosh: coshf, tanh: tanhf,
    }
}
