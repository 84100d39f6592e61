//! BC6H blocks of unsigned half floats (Microsoft, Direct3D 11 functional specification): fourteen modes.

use super::BlockBits;
use super::partitions::{ANCHOR_TWO, TWO, WEIGHTS};

/// One run of bits of a mode: the endpoint (0 to 3), the channel, the lowest bit and the number of bits; negative if they are
/// stored from the highest to the lowest.
type Run = (usize, usize, u32, i32);

/// A mode: its number in the block, the precision of the first endpoint and of the others by channel, and its bits in order.
struct FloatMode {
    number: u32,
    precision: u32,
    deltas: [u32; 3],
    is_delta: bool,
    runs: &'static [Run],
}

const R: usize = 0;
const G: usize = 1;
const B: usize = 2;

const fn float_mode(number: u32, precision: u32, deltas: [u32; 3], is_delta: bool, runs: &'static [Run]) -> FloatMode {
    FloatMode { number, precision, deltas, is_delta, runs }
}

#[rustfmt::skip]
const MODES: [FloatMode; 14] = [
    float_mode(0, 10, [5, 5, 5], true, &[
        (2, G, 4, 1), (2, B, 4, 1), (3, B, 4, 1), (0, R, 0, 10), (0, G, 0, 10), (0, B, 0, 10), (1, R, 0, 5),
        (3, G, 4, 1), (2, G, 0, 4), (1, G, 0, 5), (3, B, 0, 1), (3, G, 0, 4), (1, B, 0, 5), (3, B, 1, 1), (2, B, 0, 4),
        (2, R, 0, 5), (3, B, 2, 1), (3, R, 0, 5), (3, B, 3, 1),
    ]),
    float_mode(1, 7, [6, 6, 6], true, &[
        (2, G, 5, 1), (3, G, 4, 1), (3, G, 5, 1), (0, R, 0, 7), (3, B, 0, 1), (3, B, 1, 1), (2, B, 4, 1), (0, G, 0, 7),
        (2, B, 5, 1), (3, B, 2, 1), (2, G, 4, 1), (0, B, 0, 7), (3, B, 3, 1), (3, B, 5, 1), (3, B, 4, 1), (1, R, 0, 6),
        (2, G, 0, 4), (1, G, 0, 6), (3, G, 0, 4), (1, B, 0, 6), (2, B, 0, 4), (2, R, 0, 6), (3, R, 0, 6),
    ]),
    float_mode(2, 11, [5, 4, 4], true, &[
        (0, R, 0, 10), (0, G, 0, 10), (0, B, 0, 10), (1, R, 0, 5), (0, R, 10, 1), (2, G, 0, 4), (1, G, 0, 4),
        (0, G, 10, 1), (3, B, 0, 1), (3, G, 0, 4), (1, B, 0, 4), (0, B, 10, 1), (3, B, 1, 1), (2, B, 0, 4),
        (2, R, 0, 5), (3, B, 2, 1), (3, R, 0, 5), (3, B, 3, 1),
    ]),
    float_mode(6, 11, [4, 5, 4], true, &[
        (0, R, 0, 10), (0, G, 0, 10), (0, B, 0, 10), (1, R, 0, 4), (0, R, 10, 1), (3, G, 4, 1), (2, G, 0, 4),
        (1, G, 0, 5), (0, G, 10, 1), (3, G, 0, 4), (1, B, 0, 4), (0, B, 10, 1), (3, B, 1, 1), (2, B, 0, 4),
        (2, R, 0, 4), (3, B, 0, 1), (3, B, 2, 1), (3, R, 0, 4), (2, G, 4, 1), (3, B, 3, 1),
    ]),
    float_mode(10, 11, [4, 4, 5], true, &[
        (0, R, 0, 10), (0, G, 0, 10), (0, B, 0, 10), (1, R, 0, 4), (0, R, 10, 1), (2, B, 4, 1), (2, G, 0, 4),
        (1, G, 0, 4), (0, G, 10, 1), (3, B, 0, 1), (3, G, 0, 4), (1, B, 0, 5), (0, B, 10, 1), (2, B, 0, 4),
        (2, R, 0, 4), (3, B, 1, 1), (3, B, 2, 1), (3, R, 0, 4), (3, B, 4, 1), (3, B, 3, 1),
    ]),
    float_mode(14, 9, [5, 5, 5], true, &[
        (0, R, 0, 9), (2, B, 4, 1), (0, G, 0, 9), (2, G, 4, 1), (0, B, 0, 9), (3, B, 4, 1), (1, R, 0, 5), (3, G, 4, 1),
        (2, G, 0, 4), (1, G, 0, 5), (3, B, 0, 1), (3, G, 0, 4), (1, B, 0, 5), (3, B, 1, 1), (2, B, 0, 4), (2, R, 0, 5),
        (3, B, 2, 1), (3, R, 0, 5), (3, B, 3, 1),
    ]),
    float_mode(18, 8, [6, 5, 5], true, &[
        (0, R, 0, 8), (3, G, 4, 1), (2, B, 4, 1), (0, G, 0, 8), (3, B, 2, 1), (2, G, 4, 1), (0, B, 0, 8), (3, B, 3, 1),
        (3, B, 4, 1), (1, R, 0, 6), (2, G, 0, 4), (1, G, 0, 5), (3, B, 0, 1), (3, G, 0, 4), (1, B, 0, 5), (3, B, 1, 1),
        (2, B, 0, 4), (2, R, 0, 6), (3, R, 0, 6),
    ]),
    float_mode(22, 8, [5, 6, 5], true, &[
        (0, R, 0, 8), (3, B, 0, 1), (2, B, 4, 1), (0, G, 0, 8), (2, G, 5, 1), (2, G, 4, 1), (0, B, 0, 8), (3, G, 5, 1),
        (3, B, 4, 1), (1, R, 0, 5), (3, G, 4, 1), (2, G, 0, 4), (1, G, 0, 6), (3, G, 0, 4), (1, B, 0, 5), (3, B, 1, 1),
        (2, B, 0, 4), (2, R, 0, 5), (3, B, 2, 1), (3, R, 0, 5), (3, B, 3, 1),
    ]),
    float_mode(26, 8, [5, 5, 6], true, &[
        (0, R, 0, 8), (3, B, 1, 1), (2, B, 4, 1), (0, G, 0, 8), (2, B, 5, 1), (2, G, 4, 1), (0, B, 0, 8), (3, B, 5, 1),
        (3, B, 4, 1), (1, R, 0, 5), (3, G, 4, 1), (2, G, 0, 4), (1, G, 0, 5), (3, B, 0, 1), (3, G, 0, 4), (1, B, 0, 6),
        (2, B, 0, 4), (2, R, 0, 5), (3, B, 2, 1), (3, R, 0, 5), (3, B, 3, 1),
    ]),
    float_mode(30, 6, [6, 6, 6], false, &[
        (0, R, 0, 6), (3, G, 4, 1), (3, B, 0, 1), (3, B, 1, 1), (2, B, 4, 1), (0, G, 0, 6), (2, G, 5, 1), (2, B, 5, 1),
        (3, B, 2, 1), (2, G, 4, 1), (0, B, 0, 6), (3, G, 5, 1), (3, B, 3, 1), (3, B, 5, 1), (3, B, 4, 1), (1, R, 0, 6),
        (2, G, 0, 4), (1, G, 0, 6), (3, G, 0, 4), (1, B, 0, 6), (2, B, 0, 4), (2, R, 0, 6), (3, R, 0, 6),
    ]),
    float_mode(3, 10, [10, 10, 10], false, &[
        (0, R, 0, 10), (0, G, 0, 10), (0, B, 0, 10), (1, R, 0, 10), (1, G, 0, 10), (1, B, 0, 10),
    ]),
    float_mode(7, 11, [9, 9, 9], true, &[
        (0, R, 0, 10), (0, G, 0, 10), (0, B, 0, 10), (1, R, 0, 9), (0, R, 10, 1), (1, G, 0, 9), (0, G, 10, 1),
        (1, B, 0, 9), (0, B, 10, 1),
    ]),
    float_mode(11, 12, [8, 8, 8], true, &[
        (0, R, 0, 10), (0, G, 0, 10), (0, B, 0, 10), (1, R, 0, 8), (0, R, 10, -2), (1, G, 0, 8), (0, G, 10, -2),
        (1, B, 0, 8), (0, B, 10, -2),
    ]),
    float_mode(15, 16, [4, 4, 4], true, &[
        (0, R, 0, 10), (0, G, 0, 10), (0, B, 0, 10), (1, R, 0, 4), (0, R, 10, -6), (1, G, 0, 4), (0, G, 10, -6),
        (1, B, 0, 4), (0, B, 10, -6),
    ]),
];

/// The texels of a block as red, green and blue half floats; zero for the reserved modes.
pub fn decode_block(block: &[u8; 16]) -> [[u16; 3]; 16] {
    let mut bits = BlockBits::new(block);
    let low = bits.take(2);
    let number = if low < 2 { low } else { low | bits.take(3) << 2 };
    let Some(mode) = MODES.iter().find(|mode| mode.number == number) else { return [[0; 3]; 16] };
    let is_single = number & 3 == 3;
    let mut ends = [[0_i32; 3]; 4];
    for (end, channel, lowest, count) in mode.runs {
        let taken = bits.take(count.unsigned_abs());
        let taken = if *count < 0 { taken.reverse_bits() >> (32 - count.unsigned_abs()) } else { taken };
        ends[*end][*channel] |= (taken << lowest) as i32;
    }
    let partition = if is_single { 0 } else { bits.take(5) as usize };
    let count = if is_single { 2 } else { 4 };
    if mode.is_delta {
        let mask = (1 << mode.precision) - 1;
        let first = ends[0];
        for end in &mut ends[1..count] {
            for ((value, first), bits) in end.iter_mut().zip(first).zip(mode.deltas) {
                let delta = *value << (32 - bits) >> (32 - bits);
                *value = (first + delta) & mask;
            }
        }
    }
    let wide = ends.map(|end| end.map(|value| unquantised(value, mode.precision)));
    let index_bits = if is_single { 4 } else { 3 };
    core::array::from_fn(|at| {
        let is_anchor = at == 0 || !is_single && at == usize::from(ANCHOR_TWO[partition]);
        let index = bits.take(index_bits - u32::from(is_anchor)) as usize;
        let subset = if is_single { 0 } else { usize::from(TWO[partition] >> at & 1) };
        let weight = i32::from(WEIGHTS[index_bits as usize - 2][index]);
        core::array::from_fn(|channel| {
            let (low, high) = (wide[2 * subset][channel], wide[2 * subset + 1][channel]);
            let mixed = (low * (64 - weight) + high * weight + 32) >> 6;
            ((mixed * 31) >> 6) as u16
        })
    })
}

/// A value of this precision, widened to 16 bits.
fn unquantised(value: i32, precision: u32) -> i32 {
    if precision >= 15 || value == 0 {
        value
    } else if value == (1 << precision) - 1 {
        0xffff
    } else {
        ((value << 15) + 0x4000) >> (precision - 1)
    }
}
