use alloc::string::ToString;
use alloc::vec::Vec;

use super::*;
use crate::bytes::{ByteCounter, Found, SliceWriter};
use crate::random::{Pcg, Random};

fn written(write: impl FnOnce(&mut BitWriter<Vec<u8>>)) -> Vec<u8> {
    let mut writer = BitWriter::new(Vec::new());
    write(&mut writer);
    writer.finish()
}

#[test]
fn the_lowest_bit_comes_first() {
    let bytes = written(|writer| {
        writer.write_bool(true);
        writer.write_bits(0b01, 2);
        writer.write_bits(0b11_0110_1100, 10);
    });
    // 1, then 1 0, then 0 0 1 1 0 | 1 1 0 1 1, then zeros.
    assert_eq!(bytes, [0b0110_0011, 0b0001_1011]);
}

#[test]
fn any_number_of_bits_round_trips_at_any_offset() {
    let mut pcg = Pcg::new(1, 6);
    let values: Vec<(u64, u32)> = (0..2_000)
        .map(|_| {
            let bits = pcg.below(64) + 1;
            (pcg.next_u64() >> (64 - bits), bits)
        })
        .collect();
    let bytes = written(|writer| values.iter().for_each(|&(value, bits)| writer.write_bits(value, bits)));
    let length: u64 = values.iter().map(|&(_, bits)| u64::from(bits)).sum();
    assert_eq!(bytes.len() as u64, length.div_ceil(8));
    let mut reader = BitReader::new(&bytes);
    for (value, bits) in values {
        assert_eq!(reader.read_bits(bits), Ok(value));
    }
    assert_eq!(reader.offset(), length);
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn a_range_takes_as_few_bits_as_it_needs() {
    assert_eq!([0, 1, 2, 7, 8, u64::MAX].map(bits_for), [0, 1, 2, 3, 4, 64]);
    let mut writer = BitWriter::new(ByteCounter::default());
    writer.write_ranged(5, 5, 5);
    assert_eq!(writer.length(), 0);
    writer.write_ranged(-3, -3, 4);
    assert_eq!(writer.length(), 3);
    writer.write_below(4, 5);
    assert_eq!(writer.length(), 6);
    writer.write_ranged(0, i64::MIN, i64::MAX);
    assert_eq!(writer.length(), 70);
    assert_eq!(writer.finish().length, 9);
}

#[test]
fn ranged_numbers_round_trip_including_both_ends() {
    for (min, max) in [(-3, 4), (0, 1), (7, 7), (i64::MIN, i64::MAX), (i64::MIN, 0), (-1, i64::MAX)] {
        for value in [min, max, min.midpoint(max)] {
            let bytes = written(|writer| writer.write_ranged(value, min, max));
            assert_eq!(BitReader::new(&bytes).read_ranged(min, max), Ok(value));
        }
    }
}

#[test]
fn a_float_round_trips_within_half_a_step() {
    let mut pcg = Pcg::new(2, 6);
    for bits in 1..=24 {
        let range = FloatRange::new(-3.0, 10.0, bits);
        for _ in 0..200 {
            let value = pcg.between(-3.0, 10.0);
            let bytes = written(|writer| writer.write_float(value, range));
            let result = BitReader::new(&bytes).read_float(range).expect("just written");
            assert!((result - value).abs() <= range.step() * 0.5 + 1e-6, "{value} in {bits} bits is {result}");
            assert_eq!(range.step_of(result), range.step_of(value), "writing it again changes nothing");
        }
    }
}

#[test]
fn the_ends_and_zero_are_exact() {
    for bits in 2..=32 {
        for max in [0.1, 1.0, 333.3, 1e30] {
            let range = FloatRange::around_zero(max, bits);
            let back = |value| range.value_of(range.step_of(value));
            assert_eq!([back(max), back(-max), back(0.0)], [max, -max, 0.0], "{bits} bits");
            assert_eq!([back(f32::INFINITY), back(f32::NAN)], [max, -max]);
        }
        let range = FloatRange::new(0.1, 0.7, bits);
        assert_eq!([range.value_of(0), range.value_of(range.steps()), range.value_of(u32::MAX)], [0.1, 0.7, 0.7]);
    }
}

#[test]
fn directions_round_trip_within_the_promised_error_and_axes_exactly() {
    let mut pcg = Pcg::new(3, 6);
    let back = |direction: Vec3, bits: u32| {
        let bytes = written(|writer| writer.write_direction(direction, bits));
        BitReader::new(&bytes).read_direction(bits).expect("just written")
    };
    for bits in 3..=16 {
        let allowed = 5.0 / (1_u32 << bits) as f32;
        for _ in 0..500 {
            let direction = pcg.on_sphere();
            assert!(back(direction, bits).angle_to(direction) < allowed, "{direction:?} in {bits} bits");
        }
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            assert_eq!([back(axis, bits), back(-axis * 9.0, bits)], [axis, -axis]);
        }
        assert_eq!(back(Vec3::ZERO, bits), Vec3::Z);
    }
}

#[test]
fn rotations_round_trip_within_the_error_of_their_bits() {
    let mut pcg = Pcg::new(4, 6);
    let back = |rotation: Quat, bits: u32| {
        let bytes = written(|writer| writer.write_rotation(rotation, bits));
        BitReader::new(&bytes).read_rotation(bits).expect("just written")
    };
    for bits in 4..=16 {
        let allowed = 6.0 / (1_u32 << bits) as f32;
        for _ in 0..500 {
            let rotation = Quat::from_axis_angle(pcg.on_sphere(), pcg.between(-6.0, 6.0));
            assert!(back(rotation, bits).angle_to(rotation) < allowed, "{rotation:?} in {bits} bits");
        }
        let even = Quat::new(0.5, -0.5, 0.5, -0.5);
        assert!(back(even, bits).angle_to(even) < allowed);
        assert_eq!(back(Quat::IDENTITY, bits), Quat::IDENTITY);
        assert_eq!(back(-Quat::IDENTITY, bits), Quat::IDENTITY);
    }
}

#[test]
fn errors_say_what_was_expected_where_and_what_was_found() {
    let check = |bytes: &[u8], read: fn(&mut BitReader<'_>) -> Option<crate::bytes::ReadError>, expected: &str| {
        let mut reader = BitReader::new(bytes);
        reader.read_bool().expect("one bit is there");
        assert_eq!(read(&mut reader).expect("this cannot be read").to_string(), expected);
    };
    check(&[0xff], |r| r.read_bits(8).err(), "expected bits at bit 1, found the end: 8 bits needed, 7 left");
    check(&[0xff], |r| r.read_below(5).err(), "expected a number at bit 1, found number 7, 4 is the largest allowed");
    let range = |r: &mut BitReader<'_>| r.read_ranged(-2, 3).err();
    check(&[0xff], range, "expected a number in a range at bit 1, found number 7, 5 is the largest allowed");
    let float = |r: &mut BitReader<'_>| r.read_float(FloatRange::around_zero(1.0, 3)).err();
    check(&[0xff], float, "expected a float in a range at bit 1, found number 7, 6 is the largest allowed");
    let rotation = |r: &mut BitReader<'_>| r.read_rotation(4).err();
    check(&[0; 2], rotation, "expected a rotation at bit 1, found components too large for a unit length");
    check(
        &[3],
        |r| r.clone().finish().err(),
        "expected zeros up to the end at bit 1, found nonzero padding bits in the last byte",
    );
    check(&[1, 0], |r| r.clone().finish().err(), "expected the end at bit 1, found 15 more bits");
}

#[test]
fn a_slice_that_is_too_small_is_noticed_at_the_end() {
    let mut room = [0; 8];
    let mut writer = BitWriter::new(SliceWriter::new(&mut room));
    writer.write_bits(u64::MAX, 64);
    writer.write_bool(true);
    assert!(writer.finish().finish().is_err());
}

#[test]
fn reading_nothing_finds_the_end() {
    let error = BitReader::new(&[]).read_bool().unwrap_err();
    assert_eq!(error.found, Found::End { needed: 1, left: 0 });
    assert_eq!(BitReader::new(&[]).finish(), Ok(()));
}

#[test]
#[should_panic(expected = "8 in 3 bits")]
fn writing_a_number_with_too_many_bits_panics() {
    BitWriter::new(Vec::new()).write_bits(8, 3);
}
