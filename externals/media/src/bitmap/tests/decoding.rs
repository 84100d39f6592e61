//! The decoder of the view agrees with the one of the crate that compresses.

use base::{Pcg, Random};
use view::classes::bitmap::TexelFormat;
use view::texels;

use crate::bitmap::decompress::decompress;

/// The largest difference of a channel over random blocks.
fn difference(format: TexelFormat, channels: usize) -> i32 {
    let mut random = Pcg::new(11, 3);
    let bytes: Vec<u8> = (0..texels::layer_bytes(format, 256, 256).unwrap()).map(|_| random.next_u32() as u8).collect();
    let ours = texels::decode(&bytes, 256, 256, format).unwrap();
    let theirs = decompress(&bytes, 256, 256, format).unwrap();
    let pairs = ours.iter().zip(&theirs);
    let each =
        pairs.flat_map(|(ours, theirs)| (0..channels).map(|at| (i32::from(ours[at]) - i32::from(theirs[at])).abs()));
    each.max().unwrap()
}

#[test]
fn blocks_of_all_formats_decode_alike() {
    assert_eq!(difference(TexelFormat::Bc7, 4), 0);
    assert!(difference(TexelFormat::Bc1, 4) <= 1);
    assert!(difference(TexelFormat::Bc3, 4) <= 1);
    assert!(difference(TexelFormat::Bc4, 4) <= 1);
    assert!(difference(TexelFormat::Bc5, 2) <= 1);
}

#[test]
fn blocks_of_half_floats_decode_alike() {
    let mut random = Pcg::new(12, 3);
    let bytes: Vec<u8> = (0..64 * 64).map(|_| random.next_u32() as u8).collect();
    let ours = texels::decode_floats(&bytes, 64, 64, TexelFormat::Bc6h).unwrap();
    let theirs = crate::bitmap::decompress::halves(&bytes, 64, 64);
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours[..3], theirs[..3]);
    }
}
