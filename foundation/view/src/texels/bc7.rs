//! BC7 blocks (Microsoft, Direct3D 11 functional specification): eight modes with one to three subsets.

use super::BlockBits;
use super::partitions::{ANCHOR_THREE, ANCHOR_TWO, THREE, TWO, WEIGHTS};

/// The layout of a mode.
struct Mode {
    subsets: u32,
    partition_bits: u32,
    rotation_bits: u32,
    selection_bits: u32,
    colour_bits: u32,
    alpha_bits: u32,
    /// The p-bits of each subset: 0, 1 shared by both ends, or 2.
    p_bits: u32,
    index_bits: u32,
    second_index_bits: u32,
}

const fn mode(layout: [u32; 9]) -> Mode {
    let [
        subsets,
        partition_bits,
        rotation_bits,
        selection_bits,
        colour_bits,
        alpha_bits,
        p_bits,
        index_bits,
        second_index_bits,
    ] = layout;
    Mode {
        subsets,
        partition_bits,
        rotation_bits,
        selection_bits,
        colour_bits,
        alpha_bits,
        p_bits,
        index_bits,
        second_index_bits,
    }
}

const MODES: [Mode; 8] = [
    mode([3, 4, 0, 0, 4, 0, 2, 3, 0]),
    mode([2, 6, 0, 0, 6, 0, 1, 3, 0]),
    mode([3, 6, 0, 0, 5, 0, 0, 2, 0]),
    mode([2, 6, 0, 0, 7, 0, 2, 2, 0]),
    mode([1, 0, 2, 1, 5, 6, 0, 2, 3]),
    mode([1, 0, 2, 0, 7, 8, 0, 2, 2]),
    mode([1, 0, 0, 0, 7, 7, 2, 4, 0]),
    mode([2, 6, 0, 0, 5, 5, 2, 2, 0]),
];

/// The texels of a block; transparent black for the reserved mode.
pub fn decode_block(block: &[u8; 16]) -> [[u8; 4]; 16] {
    let number = block[0].trailing_zeros() as usize;
    let Some(mode) = MODES.get(number) else { return [[0; 4]; 16] };
    let mut bits = BlockBits::new(block);
    bits.take(number as u32 + 1);
    let partition = bits.take(mode.partition_bits) as usize;
    let rotation = bits.take(mode.rotation_bits) as usize;
    let selection = bits.take(mode.selection_bits);
    let ends = endpoints(mode, &mut bits);
    let first = indices(mode, mode.index_bits, partition, &mut bits);
    let is_double = mode.second_index_bits > 0;
    let second = if is_double { indices(mode, mode.second_index_bits, partition, &mut bits) } else { first };
    let second_bits = if is_double { mode.second_index_bits } else { mode.index_bits };
    core::array::from_fn(|at| {
        let [low, high] = ends[subset(mode, partition, at)];
        let (colour, alpha) = match selection {
            0 => ((first[at], mode.index_bits), (second[at], second_bits)),
            _ => ((second[at], second_bits), (first[at], mode.index_bits)),
        };
        let mix = |channel: usize, (index, bits): (u8, u32)| {
            let weight = u32::from(WEIGHTS[bits as usize - 2][usize::from(index)]);
            ((u32::from(low[channel]) * (64 - weight) + u32::from(high[channel]) * weight + 32) >> 6) as u8
        };
        let mut texel = [mix(0, colour), mix(1, colour), mix(2, colour), mix(3, alpha)];
        if rotation > 0 {
            texel.swap(rotation - 1, 3);
        }
        texel
    })
}

/// The two ends of each subset, in 8 bits.
fn endpoints(mode: &Mode, bits: &mut BlockBits) -> [[[u8; 4]; 2]; 3] {
    let mut ends = [[[0_u32; 4]; 2]; 3];
    let subsets = mode.subsets as usize;
    for channel in 0..4 {
        let count = if channel == 3 { mode.alpha_bits } else { mode.colour_bits };
        for pair in &mut ends[..subsets] {
            pair.iter_mut().for_each(|end| end[channel] = bits.take(count));
        }
    }
    let p_bits: [[u32; 2]; 3] = core::array::from_fn(|subset| match mode.p_bits {
        2 if subset < subsets => [bits.take(1), bits.take(1)],
        1 if subset < subsets => [bits.take(1); 2],
        _ => [0; 2],
    });
    core::array::from_fn(|subset| {
        core::array::from_fn(|end| {
            core::array::from_fn(|channel| {
                let count = if channel == 3 { mode.alpha_bits } else { mode.colour_bits };
                if count == 0 {
                    return 255;
                }
                let has_p = u32::from(mode.p_bits > 0);
                let value = ends[subset][end][channel] << has_p | p_bits[subset][end] & has_p;
                let count = count + has_p;
                (value << (8 - count) | value >> (2 * count - 8)) as u8
            })
        })
    })
}

fn indices(mode: &Mode, count: u32, partition: usize, bits: &mut BlockBits) -> [u8; 16] {
    core::array::from_fn(|at| {
        let is_anchor = at == 0
            || match mode.subsets {
                2 => at == usize::from(ANCHOR_TWO[partition]),
                3 => ANCHOR_THREE[partition].contains(&(at as u8)),
                _ => false,
            };
        bits.take(count - u32::from(is_anchor)) as u8
    })
}

fn subset(mode: &Mode, partition: usize, at: usize) -> usize {
    match mode.subsets {
        2 => usize::from(TWO[partition] >> at & 1),
        3 => (THREE[partition] >> (2 * at) & 3) as usize,
        _ => 0,
    }
}
