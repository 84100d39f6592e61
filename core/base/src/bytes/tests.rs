use alloc::string::ToString;
use alloc::vec;

use super::*;

#[test]
fn numbers_are_little_endian() {
    let mut bytes = Vec::new();
    bytes.write_u8(0x01);
    bytes.write_u16(0x0302);
    bytes.write_u32(0x0706_0504);
    bytes.write_i16(-2);
    bytes.write_f32(1.0);
    assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 0xfe, 0xff, 0, 0, 0x80, 0x3f]);
}

#[test]
fn everything_comes_back_in_order() {
    let mut bytes = Vec::new();
    bytes.write_u64(u64::MAX - 1);
    bytes.write_i8(-1);
    bytes.write_i32(i32::MIN);
    bytes.write_i64(-5);
    bytes.write_f64(-0.0);
    bytes.write_varint_signed(i64::MIN);
    bytes.write_text("Größe", 10);
    bytes.write_bytes(&[], 0);
    let mut reader = ByteReader::new(&bytes);
    assert_eq!(reader.read_u64(), Ok(u64::MAX - 1));
    assert_eq!(reader.read_i8(), Ok(-1));
    assert_eq!(reader.read_i32(), Ok(i32::MIN));
    assert_eq!(reader.read_i64(), Ok(-5));
    assert_eq!(reader.read_f64().map(f64::to_bits), Ok((-0.0_f64).to_bits()));
    assert_eq!(reader.read_varint_signed(), Ok(i64::MIN));
    assert_eq!(reader.read_text(10), Ok("Größe"));
    assert_eq!(reader.read_bytes(0), Ok(&[][..]));
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn a_varint_takes_as_many_bytes_as_it_needs() {
    for (value, expected) in [
        (0, vec![0]),
        (127, vec![0x7f]),
        (128, vec![0x80, 0x01]),
        (300, vec![0xac, 0x02]),
        (u64::MAX, vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
    ] {
        let mut bytes = Vec::new();
        bytes.write_varint(value);
        assert_eq!(bytes, expected);
        assert_eq!(ByteReader::new(&bytes).read_varint(), Ok(value));
    }
}

#[test]
fn signed_varints_count_from_zero() {
    for (value, expected) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (63, 126), (-64, 127)] {
        let mut bytes = Vec::new();
        bytes.write_varint_signed(value);
        assert_eq!(bytes, [expected]);
    }
}

#[test]
fn a_varint_that_is_longer_than_needed_is_an_error() {
    let ten_full = [0xff; 10];
    let two_in_the_tenth = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02];
    for bytes in [&[0x80, 0x00][..], &[0xff, 0x80, 0x00], &ten_full, &two_in_the_tenth] {
        let error = ByteReader::new(bytes).read_varint().unwrap_err();
        assert_eq!(error.found, Found::NotShortest, "{bytes:?}");
    }
}

#[test]
fn errors_say_what_was_expected_where_and_what_was_found() {
    let check = |bytes: &[u8], read: fn(&mut ByteReader<'_>) -> Option<ReadError>, expected: &str| {
        let mut reader = ByteReader::new(bytes);
        let error = read(&mut reader).expect("this cannot be read");
        assert_eq!(error.to_string(), expected);
        assert_eq!(reader.offset(), 0, "an error leaves the reader unchanged");
    };
    check(&[1, 2], |r| r.read_u32().err(), "expected a u32 at byte 0, found the end: 4 bytes needed, 2 left");
    check(&[0x80], |r| r.read_varint().err(), "expected a varint at byte 0, found the end: 2 bytes needed, 1 left");
    check(
        &[0x80, 0],
        |r| r.read_varint().err(),
        "expected a varint at byte 0, found a number that is not in its shortest form",
    );
    check(&[9, 1], |r| r.read_bytes(8).err(), "expected bytes at byte 0, found 9 of them, at most 8 are allowed");
    check(&[9, 1], |r| r.read_bytes(9).err(), "expected bytes at byte 1, found the end: 9 bytes needed, 1 left");
    check(
        &[4, b'a', b'b', 0xff, 0],
        |r| r.read_text(9).err(),
        "expected text at byte 0, found invalid UTF-8 after 2 valid bytes",
    );
    check(&[3, 1], |r| r.read_count(9, 4).err(), "expected items at byte 1, found the end: 12 bytes needed, 1 left");
    check(&[7], |r| r.take(2).err(), "expected bytes at byte 0, found the end: 2 bytes needed, 1 left");
    check(&[7], |r| r.clone().finish().err(), "expected the end at byte 0, found 1 more bytes");
}

#[test]
fn a_count_promises_no_more_than_the_bytes_can_hold() {
    let mut bytes = Vec::new();
    bytes.write_varint(u64::MAX);
    assert!(ByteReader::new(&bytes).read_count(usize::MAX, usize::MAX).is_err());
    assert_eq!(ByteReader::new(&[2, 0, 0]).read_count(2, 1), Ok(2));
}

#[test]
fn a_slice_takes_what_fits_and_counts_the_rest() {
    let mut room = [0; 6];
    let mut writer = SliceWriter::new(&mut room);
    writer.write_u32(7);
    assert!(writer.fits());
    writer.write_u32(8);
    writer.write_u8(9);
    assert!(!writer.fits());
    assert_eq!(writer.length(), 9);
    let full = writer.finish().unwrap_err();
    assert_eq!(full.to_string(), "9 bytes do not fit into 6");
    assert_eq!(room, [7, 0, 0, 0, 0, 0]);

    let mut writer = SliceWriter::new(&mut room);
    writer.write_text("abcde", 5);
    assert_eq!(writer.finish().map(|bytes| &*bytes), Ok(&[5, b'a', b'b', b'c', b'd', b'e'][..]));
}

#[test]
fn a_counter_knows_the_length_before_anything_is_written() {
    let mut counter = ByteCounter::default();
    counter.write_f64(1.0);
    counter.write_text("abc", 3);
    assert_eq!(counter.length, 12);
}

#[test]
#[should_panic(expected = "4 bytes where at most 3 are allowed")]
fn writing_a_text_above_its_maximum_length_panics() {
    Vec::new().write_text("abcd", 3);
}
