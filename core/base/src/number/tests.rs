extern crate std;

use super::*;
use crate::random::{Pcg, Random};

const SPECIAL: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -1.5,
    f32::MIN_POSITIVE,
    -1e-45,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    8_388_609.0,
];

/// Floats of all sizes, the special ones first.
fn floats() -> impl Iterator<Item = f32> {
    let mut pcg = Pcg::new(1, 1);
    SPECIAL.into_iter().chain(core::iter::repeat_with(move || f32::from_bits(pcg.next_u32())).take(20_000))
}

fn same(first: f32, second: f32) -> bool {
    first.to_bits() == second.to_bits() || (first.is_nan() && second.is_nan())
}

#[test]
fn min_and_max_give_the_first_of_equals_and_with_nan() {
    for (first, second) in [(0.0, -0.0), (-0.0, 0.0), (f32::NAN, 1.0), (1.0, f32::NAN)] {
        assert!(same(min(first, second), first));
        assert!(same(max(first, second), first));
    }
    assert_eq!(min(1.0, 2.0), 1.0);
    assert_eq!(min(2.0, 1.0), 1.0);
    assert_eq!(max(1.0, 2.0), 2.0);
    assert_eq!(max(2.0, 1.0), 2.0);
}

#[test]
fn a_clamped_value_lies_between_its_limits() {
    assert_eq!(clamp(5.0, 0.0, 1.0), 1.0);
    assert_eq!(clamp(-5.0, 0.0, 1.0), 0.0);
    assert_eq!(clamp(0.5, 0.0, 1.0), 0.5);
    assert!(same(clamp(-0.0, 0.0, 1.0), -0.0));
    assert!(clamp(f32::NAN, 0.0, 1.0).is_nan());
    assert_eq!(clamp(5.0, f32::NAN, f32::NAN), 5.0);
    assert_eq!(clamp(5.0, 3.0, 2.0), 2.0);
}

#[test]
fn the_nan_of_an_operation_is_canonical_in_optimised_code_too() {
    for value in [-1.0, -3.5, f64::NEG_INFINITY] {
        let value = core::hint::black_box(value);
        assert_eq!(canonical_f64(double::sqrt(value)).to_bits(), 0x7ff8_0000_0000_0000);
        assert_eq!(canonical_f64(value * 0.0 * f64::INFINITY).to_bits(), 0x7ff8_0000_0000_0000);
        assert_eq!(canonical(super::sqrt(value as f32)).to_bits(), 0x7fc0_0000);
    }
}

#[test]
fn a_canonical_value_is_the_same_number_in_one_form() {
    assert_eq!(canonical(-0.0).to_bits(), 0);
    assert_eq!(canonical_f64(-0.0).to_bits(), 0);
    assert_eq!(canonical(f32::from_bits(0xff80_1234)).to_bits(), 0x7fc0_0000);
    assert_eq!(canonical_f64(f64::from_bits(0xfff0_0000_0000_0001)).to_bits(), 0x7ff8_0000_0000_0000);
    for value in floats() {
        let result = canonical(value);
        assert!(is_canonical(result));
        assert_eq!(is_canonical(value), value.to_bits() == result.to_bits());
        assert!(value == result || (value.is_nan() && result.is_nan()));
    }
}

#[test]
fn roundings_and_the_root_are_those_of_ieee() {
    for value in floats() {
        assert!(same(floor(value), value.floor()), "floor {value}");
        assert!(same(ceil(value), value.ceil()), "ceil {value}");
        assert!(same(trunc(value), value.trunc()), "trunc {value}");
        assert!(same(round(value), value.round()), "round {value}");
        assert!(same(round_even(value), value.round_ties_even()), "round_even {value}");
        assert!(same(sqrt(value), value.sqrt()), "sqrt {value}");
        assert_eq!(floor_to_integer(value), value.floor() as i32, "floor_to_integer {value}");
        let value = f64::from(value) * 1.000_000_1;
        assert_eq!(double::floor(value).to_bits() << 1, value.floor().to_bits() << 1);
        assert_eq!(double::floor_to_integer(value), value.floor() as i64);
    }
}

#[test]
fn sine_and_cosine_together_are_sine_and_cosine() {
    for value in floats() {
        let (sine, cosine) = sin_cos(value);
        assert!(same(sine, sin(value)) && same(cosine, cos(value)), "{value}");
        let value = f64::from(value) * 1.000_000_1;
        let (sine, cosine) = double::sin_cos(value);
        assert_eq!(canonical_f64(sine).to_bits(), canonical_f64(double::sin(value)).to_bits(), "{value}");
        assert_eq!(canonical_f64(cosine).to_bits(), canonical_f64(double::cos(value)).to_bits(), "{value}");
    }
}

#[test]
fn single_and_double_agree_where_both_can() {
    let mut pcg = Pcg::new(2, 1);
    for _ in 0..2_000 {
        let value = pcg.between(0.1, 10.0);
        let wide = f64::from(value);
        let check = |name: &str, single: f32, double: f64| {
            let distance = abs(single - double as f32);
            assert!(distance <= abs(double as f32) * 4e-7 + 1e-7, "{name}({value}) is {single}, not {double}");
        };
        check("sin", sin(value), double::sin(wide));
        check("cos", cos(value), double::cos(wide));
        check("atan", atan(value), double::atan(wide));
        check("asin", asin(value / 10.0), double::asin(f64::from(value / 10.0)));
        check("acos", acos(value / 10.0), double::acos(f64::from(value / 10.0)));
        check("atan2", atan2(value, 2.0), double::atan2(wide, 2.0));
        check("exp", exp(value), double::exp(wide));
        check("exp2", exp2(value), double::exp2(wide));
        check("ln", ln(value), double::ln(wide));
        check("log2", log2(value), double::log2(wide));
        check("log10", log10(value), double::log10(wide));
        check("pow", pow(value, 1.5), double::pow(wide, 1.5));
        check("pow_whole", pow_whole(value, -3), double::pow_whole(wide, -3));
        check("cbrt", cbrt(value), double::cbrt(wide));
        check("hypot", hypot(value, 3.0), double::hypot(wide, 3.0));
        check("sinh", sinh(value), double::sinh(wide));
        check("cosh", cosh(value), double::cosh(wide));
        check("tanh", tanh(value), double::tanh(wide));
    }
}

#[test]
fn a_remainder_is_not_negative_and_below_the_period() {
    assert_eq!(remainder(7.5, 2.0), 1.5);
    assert_eq!(remainder(-0.5, 2.0), 1.5);
    assert_eq!(remainder(-0.5, -2.0), 1.5);
    assert_eq!(remainder(-1e-30, 2.0).to_bits(), 0);
    assert_eq!(remainder(-4.0, 2.0).to_bits(), 0);
    assert!(remainder(1.0, 0.0).is_nan());
    for value in floats().filter(|value| value.is_finite()) {
        let rest = remainder(value, 3.7);
        assert!((0.0..3.7).contains(&rest) && is_canonical(rest), "{value}");
    }
}

#[test]
fn a_wrapped_angle_is_at_most_half_a_turn() {
    assert_eq!(wrap_angle(PI), -PI);
    assert_eq!(wrap_angle(-PI), -PI);
    assert_eq!(wrap_angle(TAU).to_bits(), 0);
    assert_eq!(wrap_angle(-TAU).to_bits(), 0);
    assert_eq!(wrap_angle(4.0), 4.0 - TAU);
    assert_eq!(wrap_angle(-4.0), TAU - 4.0);
    assert_eq!(angle_between(3.0, -3.0), TAU - 6.0);
    for value in floats().filter(|value| value.is_finite()) {
        let angle = wrap_angle(value);
        assert!((-PI..PI).contains(&angle) && is_canonical(angle), "{value}");
    }
}

#[test]
fn interpolation_is_exact_at_its_ends() {
    let mut pcg = Pcg::new(3, 1);
    for _ in 0..2_000 {
        let (from, to) = (pcg.between(-1e6, 1e6), pcg.between(-1e-3, 1e3));
        assert_eq!(lerp(from, to, 0.0), from);
        assert_eq!(lerp(from, to, 1.0), to);
        assert_eq!(lerp(from, from, pcg.unit()), from);
        assert_eq!(inverse_lerp(from, to, from), 0.0);
        assert_eq!(inverse_lerp(from, to, to), 1.0);
    }
    assert_eq!(inverse_lerp(2.0, 2.0, 5.0), 0.0);
}

#[test]
fn whole_powers_multiply() {
    assert_eq!(pow_whole(3.0, 0), 1.0);
    assert_eq!(pow_whole(3.0, 5), 243.0);
    assert_eq!(pow_whole(2.0, -3), 0.125);
    assert_eq!(pow_whole(-1.0, i32::MIN), 1.0);
    assert_eq!(pow_whole(0.5, i32::MAX), 0.0);
}

#[test]
fn signs_know_zero() {
    assert_eq!([sign(-3.0), sign(0.0), sign(7.0), sign(f32::NAN)], [-1.0, 0.0, 1.0, 0.0]);
    assert_eq!(sign(-0.0).to_bits(), 0);
    assert_eq!(abs(-0.0).to_bits(), 0);
}

#[test]
fn this_processor_has_a_sound_float_environment() {
    assert!(float_environment_is_sound());
}
