//! The decoder of the view agrees with the one of the crate that compresses.

use base::{Pcg, Random};
use block_compression::decode::{decompress_blocks_as_rgba8, decompress_blocks_as_rgba16f};
use block_compression::{BC6HSettings, BC7Settings, CompressionVariant};
use half::f16;
use view::classes::bitmap::TexelFormat;
use view::texels;

fn random_bytes(count: usize) -> Vec<u8> {
    let mut random = Pcg::new(11, 3);
    (0..count).map(|_| random.next_u32() as u8).collect()
}

/// The largest difference of the first channels over random blocks.
fn difference(format: TexelFormat, variant: CompressionVariant, channels: usize) -> i32 {
    let bytes = random_bytes(texels::layer_bytes(format, 256, 256).unwrap());
    let ours = texels::decode(&bytes, 256, 256, format).unwrap();
    let mut theirs = vec![0; 256 * 256 * 4];
    decompress_blocks_as_rgba8(variant, 256, 256, &bytes, &mut theirs);
    let pairs = ours.iter().zip(theirs.as_chunks::<4>().0);
    let each =
        pairs.flat_map(|(ours, theirs)| (0..channels).map(|at| (i32::from(ours[at]) - i32::from(theirs[at])).abs()));
    each.max().unwrap()
}

#[test]
fn blocks_of_all_formats_decode_alike() {
    let bc7 = CompressionVariant::BC7(BC7Settings::opaque_ultra_fast());
    assert_eq!(difference(TexelFormat::Bc7, bc7, 4), 0);
    assert!(difference(TexelFormat::Bc1, CompressionVariant::BC1, 4) <= 1);
    assert!(difference(TexelFormat::Bc3, CompressionVariant::BC3, 4) <= 1);
    assert!(difference(TexelFormat::Bc4, CompressionVariant::BC4, 1) <= 1);
    assert!(difference(TexelFormat::Bc5, CompressionVariant::BC5, 2) <= 1);
}

#[test]
fn blocks_of_half_floats_decode_alike() {
    for block in random_bytes(16 * 512).as_chunks::<16>().0 {
        let ours = texels::decode_floats(block, 4, 4, TexelFormat::Bc6h).unwrap();
        let mut theirs = [f16::ZERO; 64];
        decompress_blocks_as_rgba16f(CompressionVariant::BC6H(BC6HSettings::very_fast()), 4, 4, block, &mut theirs);
        for (at, ours) in ours.iter().enumerate() {
            // That crate writes three numbers for each texel, in rows of sixteen.
            let first = at / 4 * 16 + at % 4 * 3;
            let theirs: Vec<f32> = theirs[first..first + 3].iter().map(|half| half.to_f32()).collect();
            assert_eq!(ours[..3], theirs);
        }
    }
}
