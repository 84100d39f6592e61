//! The float functions, as a macro that is expanded for `f32` and for `f64`.

macro_rules! number_functions {
    (
        float: $float:ident,
        integer: $integer:ident,
        sign_bit: $sign_bit:literal,
        nan_bits: $nan_bits:literal,
        sqrt: $sqrt:path,
        libm: { $($name:ident: $libm:ident),* $(,)? }
    ) => {
        /// libm's functions under our names.
        mod source {
            $( pub(super) use libm::$libm as $name; )*
        }

        /// π, rounded.
        pub const PI: $float = core::$float::consts::PI;
        /// 2π: a full turn. Exactly twice [`PI`].
        pub const TAU: $float = core::$float::consts::TAU;
        /// π/2: a right angle. Exactly half of [`PI`].
        pub const HALF_PI: $float = core::$float::consts::FRAC_PI_2;
        /// Euler's number, rounded.
        pub const E: $float = core::$float::consts::E;
        /// √2, rounded.
        pub const SQRT_2: $float = core::$float::consts::SQRT_2;
        /// √½, rounded.
        pub const SQRT_HALF: $float = core::$float::consts::FRAC_1_SQRT_2;
        /// The factor from degrees to radians.
        pub const RADIANS_PER_DEGREE: $float = PI / 180.0;
        /// The factor from radians to degrees.
        pub const DEGREES_PER_RADIAN: $float = 180.0 / PI;
        /// The one NaN that may be stored: quiet, positive, no payload.
        pub const NAN: $float = $float::from_bits($nan_bits);

        /// The smaller one; the first if they are equal (also +0 and −0) or if one is NaN.
        #[inline]
        pub const fn min(first: $float, second: $float) -> $float {
            if second < first { second } else { first }
        }

        /// The larger one; the first if they are equal (also +0 and −0) or if one is NaN.
        #[inline]
        pub const fn max(first: $float, second: $float) -> $float {
            if second > first { second } else { first }
        }

        /// `value`, limited to `lower` and `upper`.
        ///
        /// NaN stays NaN; a NaN limit is ignored; `upper` wins if `lower` is above it.
        #[inline]
        pub const fn clamp(value: $float, lower: $float, upper: $float) -> $float {
            min(max(value, lower), upper)
        }

        /// The canonical form for storage: −0 becomes +0, every NaN becomes [`NAN`], other values stay.
        ///
        /// Decided on the bits: to the compiler all NaN of an operation are one value, so it may remove a choice between floats
        /// (`if x.is_nan() { NAN } else { x }` beside a square root) and leave the sign that the processor gave.
        #[inline]
        pub const fn canonical(value: $float) -> $float {
            let bits = value.to_bits();
            if bits & !$sign_bit > $float::INFINITY.to_bits() {
                NAN
            } else if bits == $sign_bit {
                0.0
            } else {
                value
            }
        }

        /// Whether [`canonical`] would leave every bit as it is.
        #[inline]
        pub const fn is_canonical(value: $float) -> bool {
            let bits = value.to_bits();
            bits != $sign_bit && (!value.is_nan() || bits == $nan_bits)
        }

        /// The absolute value. Exact; |−0| is +0.
        #[inline]
        pub const fn abs(value: $float) -> $float {
            value.abs()
        }

        /// The sign: −1, 0 or 1. NaN gives 0, −0 gives +0.
        #[inline]
        pub const fn sign(value: $float) -> $float {
            if value > 0.0 {
                1.0
            } else if value < 0.0 {
                -1.0
            } else {
                0.0
            }
        }

        /// The square root, rounded to nearest. Negative values give NaN, −0 gives −0.
        #[inline]
        pub fn sqrt(value: $float) -> $float {
            $sqrt(value)
        }

        /// The cube root, which is negative for negative values.
        #[inline]
        pub fn cbrt(value: $float) -> $float {
            source::cbrt(value)
        }

        /// √(a² + b²) without intermediate overflow or underflow. An infinity wins over NaN.
        #[inline]
        pub fn hypot(first: $float, second: $float) -> $float {
            source::hypot(first, second)
        }

        /// The largest integer not above the value. Exact; keeps −0, infinities and NaN.
        #[inline]
        pub fn floor(value: $float) -> $float {
            source::floor(value)
        }

        /// The smallest integer not below the value. Exact; keeps −0, infinities and NaN. −0.5 gives −0.
        #[inline]
        pub fn ceil(value: $float) -> $float {
            source::ceil(value)
        }

        /// The integer part, rounded towards zero. Exact; keeps the sign, even if the result is zero.
        #[inline]
        pub fn trunc(value: $float) -> $float {
            source::trunc(value)
        }

        /// The nearest integer, ties away from zero. Exact; keeps the sign, even if the result is zero.
        #[inline]
        pub fn round(value: $float) -> $float {
            source::round(value)
        }

        /// The nearest integer, ties to even. Exact; keeps the sign, even if the result is zero.
        #[inline]
        pub fn round_even(value: $float) -> $float {
            source::round_even(value)
        }

        /// [`floor`] as an integer. Saturates at the ends of the integer's range; NaN gives 0.
        #[inline]
        pub const fn floor_to_integer(value: $float) -> $integer {
            let whole = value as $integer;
            if (whole as $float) > value { whole.saturating_sub(1) } else { whole }
        }

        /// The Euclidean remainder of `value` and `period`: at least 0 and below |period|, also for negative values. A
        /// period of zero and an infinite value give NaN; the period must be finite.
        #[inline]
        pub const fn remainder(value: $float, period: $float) -> $float {
            let rest = value % period;
            let wrapped = if rest < 0.0 { rest + period.abs() } else { rest + 0.0 };
            // A tiny negative remainder is rounded up to the full period.
            if wrapped == period.abs() { 0.0 } else { wrapped }
        }

        /// The angle wrapped to the range from −π to π, π excluded, in radians. The reduction is modulo the rounded
        /// [`TAU`].
        #[inline]
        pub const fn wrap_angle(radians: $float) -> $float {
            let rest = radians % TAU;
            if rest >= PI {
                rest - TAU
            } else if rest < -PI {
                rest + TAU
            } else {
                rest + 0.0
            }
        }

        /// The shortest rotation from one angle to another, from −π to π, π excluded.
        #[inline]
        pub const fn angle_between(from: $float, to: $float) -> $float {
            wrap_angle(to - from)
        }

        /// Linear interpolation: `from` at 0, `to` at 1; extrapolates outside. Exact at both ends and where both are
        /// equal; their difference must not overflow.
        #[inline]
        pub const fn lerp(from: $float, to: $float, part: $float) -> $float {
            let way = to - from;
            if part < 0.5 { from + way * part } else { to - way * (1.0 - part) }
        }

        /// The inverse of [`lerp`]: the position of `value` between `from` (0) and `to` (1). 0 if both are equal.
        #[inline]
        pub const fn inverse_lerp(from: $float, to: $float, value: $float) -> $float {
            let way = to - from;
            if way == 0.0 { 0.0 } else { (value - from) / way }
        }

        /// The sine of an angle in radians. Infinities give NaN.
        #[inline]
        pub fn sin(radians: $float) -> $float {
            source::sin(radians)
        }

        /// The cosine of an angle in radians. Infinities give NaN.
        #[inline]
        pub fn cos(radians: $float) -> $float {
            source::cos(radians)
        }

        /// Sine and cosine, the same bits as [`sin`] and [`cos`], for less than both.
        #[inline]
        pub fn sin_cos(radians: $float) -> ($float, $float) {
            source::sin_cos(radians)
        }

        /// The tangent of an angle in radians. Infinities give NaN.
        #[inline]
        pub fn tan(radians: $float) -> $float {
            source::tan(radians)
        }

        /// The arcsine, from −π/2 to π/2. NaN below −1 and above 1.
        #[inline]
        pub fn asin(value: $float) -> $float {
            source::asin(value)
        }

        /// The arccosine, from 0 to π. NaN below −1 and above 1.
        #[inline]
        pub fn acos(value: $float) -> $float {
            source::acos(value)
        }

        /// The arctangent, from −π/2 to π/2.
        #[inline]
        pub fn atan(value: $float) -> $float {
            source::atan(value)
        }

        /// The polar angle of the point (x, y), from −π to π. The signs of zeros count: canonical arguments never give
        /// −π.
        #[inline]
        pub fn atan2(y: $float, x: $float) -> $float {
            source::atan2(y, x)
        }

        /// eˣ.
        #[inline]
        pub fn exp(value: $float) -> $float {
            source::exp(value)
        }

        /// 2ˣ. Exact for integers.
        #[inline]
        pub fn exp2(value: $float) -> $float {
            source::exp2(value)
        }

        /// The logarithm to base e. Zero gives −∞, negative values NaN.
        #[inline]
        pub fn ln(value: $float) -> $float {
            source::ln(value)
        }

        /// The logarithm to base 2. Zero gives −∞, negative values NaN.
        #[inline]
        pub fn log2(value: $float) -> $float {
            source::log2(value)
        }

        /// The logarithm to base 10. Zero gives −∞, negative values NaN.
        #[inline]
        pub fn log10(value: $float) -> $float {
            source::log10(value)
        }

        /// `base` to the power of `exponent`. Expensive: see [`pow_whole`]. A negative base with a non-integer exponent
        /// gives NaN; anything to the power of 0 is 1, even NaN.
        #[inline]
        pub fn pow(base: $float, exponent: $float) -> $float {
            source::pow(base, exponent)
        }

        /// `base` to an integer power, by repeated squaring: at most 62 multiplications. May differ from [`pow`] in the
        /// last bits. A negative exponent gives the reciprocal of the positive power.
        #[inline]
        pub const fn pow_whole(base: $float, exponent: i32) -> $float {
            let mut result = 1.0;
            let mut square = base;
            let mut left = exponent.unsigned_abs();
            while left > 0 {
                if left & 1 == 1 {
                    result *= square;
                }
                square *= square;
                left >>= 1;
            }
            if exponent < 0 { 1.0 / result } else { result }
        }

        /// The hyperbolic sine.
        #[inline]
        pub fn sinh(value: $float) -> $float {
            source::sinh(value)
        }

        /// The hyperbolic cosine.
        #[inline]
        pub fn cosh(value: $float) -> $float {
            source::cosh(value)
        }

        /// The hyperbolic tangent.
        #[inline]
        pub fn tanh(value: $float) -> $float {
            source::tanh(value)
        }
    };
}
