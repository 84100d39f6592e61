//! The functions of [`number`](super) for `f64`, under the same names and laws.

number_functions! {
    float: f64,
    integer: i64,
    sign_bit: 0x8000_0000_0000_0000,
    nan_bits: 0x7ff8_0000_0000_0000,
    sqrt: super::root::sqrt_f64,
    libm: {
        cbrt: cbrt, hypot: hypot,
        floor: floor, ceil: ceil, trunc: trunc, round: round, round_even: rint,
        sin: sin, cos: cos, sin_cos: sincos, tan: tan,
        asin: asin, acos: acos, atan: atan, atan2: atan2,
        exp: exp, exp2: exp2, ln: log, log2: log2, log10: log10, pow: pow,
        sinh: sinh, cosh: cosh, tanh: tanh,
    }
}
