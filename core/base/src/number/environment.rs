//! Check of the float environment of a thread (rounding mode, flush-to-zero).

use core::hint::black_box;

/// Whether `f32` and `f64` on this thread round to nearest (ties to even) and keep subnormal numbers as arguments and
/// as results.
///
/// Portable: plain arithmetic on values hidden from the compiler. Only additions, because subnormal products are slow
/// on some processors. Some ten nanoseconds: asserted on every thread, once per cycle.
pub fn float_environment_is_sound() -> bool {
    single_is_sound() & double_is_sound()
}

macro_rules! define_check {
    ($name:ident, $float:ident) => {
        #[inline]
        fn $name() -> bool {
            const SMALLEST_NORMAL: $float = $float::MIN_POSITIVE;
            const SUBNORMAL: $float = SMALLEST_NORMAL / 2.0;
            const NEXT: $float = 1.0 + $float::EPSILON;
            const AFTER_NEXT: $float = 1.0 + 2.0 * $float::EPSILON;

            let [normal, above, subnormal] = black_box([SMALLEST_NORMAL, SMALLEST_NORMAL + SUBNORMAL, SUBNORMAL]);
            let [one, next, half_step] = black_box([1.0, NEXT, $float::EPSILON / 2.0]);

            let keeps_subnormal_results = (above - normal).to_bits() == SUBNORMAL.to_bits();
            let keeps_subnormal_arguments = subnormal + subnormal == SMALLEST_NORMAL;
            // Two ties, one of which must go down and one up: no other rounding does both.
            let rounds_tie_down_to_even = one + half_step == 1.0;
            let rounds_tie_up_to_even = next + half_step == AFTER_NEXT;
            // The same below zero, for directed rounding modes.
            let is_symmetric = -one - half_step == -1.0;

            keeps_subnormal_results
                & keeps_subnormal_arguments
                & rounds_tie_down_to_even
                & rounds_tie_up_to_even
                & is_symmetric
        }
    };
}

define_check!(single_is_sound, f32);
define_check!(double_is_sound, f64);
