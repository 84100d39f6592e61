//! Bytes, bits, hashes and string ids.

use base::bits::{BitReader, BitWriter, FloatRange};
use base::bytes::{ByteReader, ByteWriter};
use base::hash::{hash, hash_const, hash_with_seed, mix};
use base::random::{Pcg, Random};
use base::string_id::StringId;

use super::record::{Found, double, float, rotation, vector};

fn bytes(i: &mut Pcg) -> Vec<u8> {
    let length = i.below(300);
    (0..length).map(|_| i.next_u32() as u8).collect()
}

fn number(i: &mut Pcg) -> u64 {
    i.next_u64() >> i.below(64)
}

#[test]
fn streams_are_as_on_the_first_machine() {
    let mut found = Found::default();
    found.run("bytes written", |i| {
        let mut out = Vec::new();
        out.write_u8(i.next_u32() as u8);
        out.write_u16(i.next_u32() as u16);
        out.write_u32(i.next_u32());
        out.write_u64(i.next_u64());
        out.write_i64(i.next_u64().cast_signed());
        out.write_f32(i.between(-9.0, 9.0));
        out.write_f64(i.unit_f64());
        out.write_varint(number(i));
        out.write_varint_signed(number(i).cast_signed());
        out.write_bytes(&bytes(i), 300);
        out.write_text("Größe", 9);
        out
    });
    found.run("bytes read", |i| {
        let bytes = bytes(i);
        let mut reader = ByteReader::new(&bytes);
        let numbers = ((reader.read_u64().ok(), reader.read_varint().ok()), reader.read_varint_signed().ok());
        let floats = (reader.read_f32().ok(), reader.read_f64().ok());
        ((numbers, floats), reader.read_bytes(99).ok().map(<[u8]>::to_vec))
    });
    found.run("bits written", |i| {
        let mut out = BitWriter::new(Vec::new());
        let bits = i.range(1, 64).cast_unsigned();
        out.write_bits(i.next_u64() >> (64 - bits), bits);
        out.write_bool(i.chance(0.5));
        out.write_ranged(i64::from(i.range(-5, 900)), -5, 900);
        out.write_below(u64::from(i.below(77)), 77);
        out.write_float(float(i), FloatRange::new(-3.0, 17.0, bits.div_ceil(2)));
        out.write_direction(vector(i), 11);
        out.write_rotation(rotation(i), 13);
        out.finish()
    });
    found.run("bits read", |i| {
        let bytes = bytes(i);
        let mut reader = BitReader::new(&bytes);
        let bits = i.range(1, 64).cast_unsigned();
        let numbers = (reader.read_bits(bits).ok(), reader.read_ranged(-5, 900).ok());
        let float = reader.read_float(FloatRange::new(-3.0, 17.0, bits.div_ceil(2))).ok();
        (numbers, (float, (reader.read_direction(11).ok(), reader.read_rotation(13).ok())))
    });
    found.run("FloatRange", |i| {
        let range = FloatRange::around_zero(i.between(0.1, 1e6), i.range(2, 32).cast_unsigned());
        ([range.step_of(float(i)), range.steps()], [range.value_of(i.next_u32()), range.step()])
    });
    found.run("hash", |i| {
        let bytes = bytes(i);
        [hash(&bytes), hash_with_seed(&bytes, i.next_u64()), hash_const(&bytes), mix(i.next_u64(), i.next_u64())]
    });
    found.run("StringId", |i| StringId::new(&format!("tags/ship_{}.ship", i.below(1_000))).number());
    found.run("inputs", |i| ((float(i), double(i)), (vector(i), rotation(i))));
    found.compare(STREAMS);
}

const STREAMS: &[(&str, u64)] = &[
    ("bytes written", 0x6fbc_2212_34f4_51ef),
    ("bytes read", 0x9662_e211_5219_ff7e),
    ("bits written", 0x45d0_cee0_dd08_9eb7),
    ("bits read", 0xa3c8_66df_ba21_af6b),
    ("FloatRange", 0x5995_78c1_d540_8742),
    ("hash", 0x09ed_6a6d_685e_affc),
    ("StringId", 0x4a09_2430_c1df_84d5),
    ("inputs", 0x3a0a_c5bf_caf1_cbae),
];
