//! Byte and bit streams: round trips; any other bytes give values in range or a clear error.

use base::bits::{BitReader, BitWriter, FloatRange};
use base::bytes::{ByteReader, ByteWriter, SliceWriter};
use base::hash::{Hasher, hash};
use base::number::is_canonical;
use base::quaternion::Quat;
use base::string_id::{StringId, StringTable};
use base::vector::Vec3;
use proptest::collection::vec;
use proptest::prelude::*;

/// One call to a byte stream.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Byte(u8),
    Word(u32),
    Long(u64),
    Signed(i64),
    Float(u32),
    Double(u64),
    Varint(u64),
    Bytes(Vec<u8>),
    Text(String),
}

const LENGTH_MAX: usize = 40;

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        any::<u8>().prop_map(Item::Byte),
        any::<u32>().prop_map(Item::Word),
        any::<u64>().prop_map(Item::Long),
        (any::<i64>(), 0..64).prop_map(|(value, shift)| Item::Signed(value >> shift)),
        any::<u32>().prop_map(Item::Float),
        any::<u64>().prop_map(Item::Double),
        (any::<u64>(), 0..64).prop_map(|(value, shift)| Item::Varint(value >> shift)),
        vec(any::<u8>(), 0..=LENGTH_MAX).prop_map(Item::Bytes),
        "\\PC{0,10}".prop_map(Item::Text),
    ]
}

fn write(writer: &mut impl ByteWriter, item: &Item) {
    match item {
        Item::Byte(value) => writer.write_u8(*value),
        Item::Word(value) => writer.write_u32(*value),
        Item::Long(value) => writer.write_u64(*value),
        Item::Signed(value) => writer.write_varint_signed(*value),
        Item::Float(bits) => writer.write_f32(f32::from_bits(*bits)),
        Item::Double(bits) => writer.write_f64(f64::from_bits(*bits)),
        Item::Varint(value) => writer.write_varint(*value),
        Item::Bytes(bytes) => writer.write_bytes(bytes, LENGTH_MAX),
        Item::Text(text) => writer.write_text(text, LENGTH_MAX),
    }
}

/// Reads an item of the same kind. None for an error.
fn read(reader: &mut ByteReader<'_>, like: &Item) -> Option<Item> {
    Some(match like {
        Item::Byte(_) => Item::Byte(reader.read_u8().ok()?),
        Item::Word(_) => Item::Word(reader.read_u32().ok()?),
        Item::Long(_) => Item::Long(reader.read_u64().ok()?),
        Item::Signed(_) => Item::Signed(reader.read_varint_signed().ok()?),
        Item::Float(_) => Item::Float(reader.read_f32().ok()?.to_bits()),
        Item::Double(_) => Item::Double(reader.read_f64().ok()?.to_bits()),
        Item::Varint(_) => Item::Varint(reader.read_varint().ok()?),
        Item::Bytes(_) => Item::Bytes(reader.read_bytes(LENGTH_MAX).ok()?.to_vec()),
        Item::Text(_) => Item::Text(reader.read_text(LENGTH_MAX).ok()?.to_string()),
    })
}

/// One call to a bit stream.
#[derive(Clone, Debug, PartialEq)]
enum BitItem {
    Bits(u64, u32),
    Truth(bool),
    Ranged(i64, i64, i64),
    Below(u64, u64),
}

fn bit_item() -> impl Strategy<Value = BitItem> {
    prop_oneof![
        (any::<u64>(), 1..=64_u32).prop_map(|(value, bits)| BitItem::Bits(value >> (64 - bits), bits)),
        any::<bool>().prop_map(BitItem::Truth),
        any::<[i64; 3]>().prop_map(|mut numbers| {
            numbers.sort_unstable();
            BitItem::Ranged(numbers[1], numbers[0], numbers[2])
        }),
        (any::<u64>(), any::<u64>(), 0..64_u32).prop_map(|(value, count, shift)| {
            let count = u64::max(count >> shift, 1);
            BitItem::Below(value % count, count)
        }),
    ]
}

proptest! {
    #[test]
    fn byte_streams_round_trip(items in vec(item(), 0..50)) {
        let mut bytes = Vec::new();
        items.iter().for_each(|item| write(&mut bytes, item));

        let mut room = vec![0; bytes.len()];
        let mut slice = SliceWriter::new(&mut room);
        let mut hasher = Hasher::new();
        for item in &items {
            write(&mut slice, item);
            write(&mut hasher, item);
        }
        prop_assert_eq!(slice.finish().map(|written| written.to_vec()), Ok(bytes.clone()));
        prop_assert_eq!(hasher.finish(), hash(&bytes));

        let mut reader = ByteReader::new(&bytes);
        for item in &items {
            prop_assert_eq!(read(&mut reader, item), Some(item.clone()));
        }
        prop_assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn accepted_bytes_are_canonical(bytes in vec(any::<u8>(), 0..60), kinds in vec(item(), 1..20)) {
        let mut reader = ByteReader::new(&bytes);
        for kind in &kinds {
            let start = reader.offset();
            match read(&mut reader, kind) {
                Some(item) => {
                    let mut again = Vec::new();
                    write(&mut again, &item);
                    prop_assert_eq!(&again, &bytes[start..reader.offset()]);
                }
                None => prop_assert_eq!(reader.offset(), start),
            }
        }
    }

    #[test]
    fn a_count_never_exceeds_the_remaining_bytes(
        bytes in vec(any::<u8>(), 0..30), max in any::<usize>(), min in 1..100_usize,
    ) {
        let mut reader = ByteReader::new(&bytes);
        if let Ok(count) = reader.read_count(max, min) {
            prop_assert!(count <= max && count * min <= reader.left());
        }
    }

    #[test]
    fn bit_streams_round_trip(items in vec(bit_item(), 0..50)) {
        let mut writer = BitWriter::new(Vec::new());
        for item in &items {
            match *item {
                BitItem::Bits(value, bits) => writer.write_bits(value, bits),
                BitItem::Truth(value) => writer.write_bool(value),
                BitItem::Ranged(value, min, max) => writer.write_ranged(value, min, max),
                BitItem::Below(value, count) => writer.write_below(value, count),
            }
        }
        let length = writer.length();
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        for item in &items {
            match *item {
                BitItem::Bits(value, bits) => prop_assert_eq!(reader.read_bits(bits), Ok(value)),
                BitItem::Truth(value) => prop_assert_eq!(reader.read_bool(), Ok(value)),
                BitItem::Ranged(value, min, max) => prop_assert_eq!(reader.read_ranged(min, max), Ok(value)),
                BitItem::Below(value, count) => prop_assert_eq!(reader.read_below(count), Ok(value)),
            }
        }
        prop_assert_eq!(reader.offset(), length);
        prop_assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn any_bits_decode_to_values_in_range(
        bytes in vec(any::<u8>(), 0..60), skipped in 0..8_u32, bits in 4..=32_u32,
        ends in any::<(i64, i64)>(), count in 1..u64::MAX,
    ) {
        let mut reader = BitReader::new(&bytes);
        if skipped > 0 {
            let _ = reader.read_bits(skipped);
        }
        let (min, max) = if ends.0 <= ends.1 { ends } else { (ends.1, ends.0) };
        if let Ok(number) = reader.read_ranged(min, max) {
            prop_assert!(min <= number && number <= max);
        }
        if let Ok(number) = reader.read_below(count) {
            prop_assert!(number < count);
        }
        if let Ok(value) = reader.read_float(FloatRange::new(-7.0, 3.5, bits)) {
            prop_assert!((-7.0..=3.5).contains(&value) && is_canonical(value));
        }
        if let Ok(direction) = reader.read_direction(bits) {
            prop_assert!((direction.length() - 1.0).abs() < 1e-6);
        }
        if let Ok(rotation) = reader.read_rotation(bits) {
            prop_assert!((rotation.to_vector().length() - 1.0).abs() < 1e-6);
        }
        let _ = reader.finish();
    }

    #[test]
    fn any_float_direction_and_rotation_can_be_written(numbers in any::<[u32; 4]>(), bits in 4..=32_u32) {
        let [x, y, z, w] = numbers.map(f32::from_bits);
        let mut writer = BitWriter::new(Vec::new());
        writer.write_float(x, FloatRange::new(-7.0, 3.5, bits));
        writer.write_direction(Vec3::new(x, y, z), bits);
        writer.write_rotation(Quat::new(x, y, z, w), bits);
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        prop_assert!(reader.read_float(FloatRange::new(-7.0, 3.5, bits)).is_ok());
        prop_assert!(reader.read_direction(bits).is_ok());
        prop_assert!(reader.read_rotation(bits).is_ok());
        prop_assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn a_table_finds_every_text(texts in vec("\\PC{0,12}", 0..40)) {
        let mut table = StringTable::new();
        for text in &texts {
            prop_assert_eq!(table.add(text), Ok(StringId::new(text)));
        }
        for text in &texts {
            prop_assert_eq!(table.text(StringId::new(text)), Some(text.as_str()));
        }
    }
}
