//! The compressed texels are near the image, as an independent decoder sees them.

use view::classes::bitmap::{ColourSpace, TexelFormat};

use crate::bitmap::compress::{Effort, compress};
use crate::bitmap::surface::Surface;

const SIDE: u32 = 64;

/// Smooth slopes, fine noise and hard edges, with alpha.
fn surface() -> Surface {
    let texels = (0..SIDE * SIDE)
        .map(|index| {
            let (x, y) = (index % SIDE, index / SIDE);
            let noise = (index.wrapping_mul(2_654_435_761) >> 24) as f32 / 255.0 * 0.06;
            let edge = if (x / 9 + y / 13).is_multiple_of(3) { 0.3 } else { 0.0 };
            let [slope, rise] = [x, y].map(|part| part as f32 / SIDE as f32);
            [0.1 + slope * 0.5 + edge, 0.2 + rise * 0.4 + edge + noise, 0.6 - slope * 0.3 + noise, 0.3 + rise * 0.6]
        })
        .collect();
    Surface { width: SIDE, height: SIDE, texels }
}

/// The peak signal-to-noise ratio in decibels over some channels, with values relative to `peak`.
fn ratio(surface: &Surface, format: TexelFormat, effort: Effort, channels: usize, peak: f32) -> f64 {
    let bytes = compress(surface, format, ColourSpace::Linear, effort);
    let format = match format {
        TexelFormat::Bc1 => dds::Format::BC1_UNORM,
        TexelFormat::Bc3 => dds::Format::BC3_UNORM,
        TexelFormat::Bc4 => dds::Format::BC4_UNORM,
        TexelFormat::Bc5 => dds::Format::BC5_UNORM,
        TexelFormat::Bc7 => dds::Format::BC7_UNORM,
        TexelFormat::Bc6h => dds::Format::BC6H_UF16,
        TexelFormat::Rgba8 => dds::Format::R8G8B8A8_UNORM,
        TexelFormat::Rgba16f => dds::Format::R16G16B16A16_FLOAT,
    };
    let mut decoded = vec![0; surface.texels.len() * 16];
    let size = dds::Size::new(surface.width, surface.height);
    let view = dds::ImageViewMut::new(&mut decoded, size, dds::ColorFormat::RGBA_F32).unwrap();
    dds::decode(&mut &*bytes, view, format, &dds::DecodeOptions::default()).unwrap();
    let floats: Vec<f32> = decoded.chunks(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap())).collect();
    let mut sum = 0.0;
    for (texel, found) in surface.texels.iter().zip(floats.chunks(4)) {
        for channel in 0..channels {
            sum += f64::from((texel[channel] - found[channel]) / peak).powi(2);
        }
    }
    -10.0 * (sum / (surface.texels.len() * channels) as f64).log10()
}

#[test]
fn every_format_keeps_its_quality() {
    let surface = surface();
    let mut opaque = surface.clone();
    opaque.make_opaque();
    let rows = [
        (TexelFormat::Bc1, 3, 33.0),
        (TexelFormat::Bc3, 4, 35.0),
        (TexelFormat::Bc4, 1, 40.0),
        (TexelFormat::Bc5, 2, 40.0),
        (TexelFormat::Bc7, 4, 40.0),
        (TexelFormat::Rgba8, 4, 58.0),
        (TexelFormat::Rgba16f, 4, 70.0),
    ];
    for (format, channels, least) in rows {
        let found =
            ratio(if format == TexelFormat::Bc1 { &opaque } else { &surface }, format, Effort::Normal, channels, 1.0);
        assert!(found > least, "{format:?}: {found} dB");
    }
    let efforts =
        [Effort::Fast, Effort::Normal, Effort::High].map(|effort| ratio(&opaque, TexelFormat::Bc7, effort, 3, 1.0));
    assert!(efforts[0] > 38.0 && efforts[1] >= efforts[0] && efforts[2] > efforts[0] + 1.0, "{efforts:?}");
}

#[test]
fn floats_keep_their_quality_beyond_one() {
    let mut bright = surface();
    bright.texels.iter_mut().for_each(|texel| *texel = texel.map(|channel| channel * 20.0));
    let found = ratio(&bright, TexelFormat::Bc6h, Effort::Normal, 3, 20.0);
    assert!(found > 36.0, "{found} dB");
}

#[test]
fn the_encoders_give_the_same_bytes_as_ever() {
    // Golden hashes: every machine must give these. A new version of the encoder may change them, together with the
    // version of the importer.
    let surface = surface();
    let hashes =
        [TexelFormat::Bc1, TexelFormat::Bc3, TexelFormat::Bc4, TexelFormat::Bc5, TexelFormat::Bc7, TexelFormat::Bc6h]
            .map(|format| base::hash::hash(&compress(&surface, format, ColourSpace::Srgb, Effort::Normal)));
    assert_eq!(
        hashes.map(|hash| format!("{hash:016x}")),
        [
            "e454332d6b4d1ad0",
            "2748a92fdd330ee1",
            "83df37bd8f1a2ea9",
            "2b455e8bfa4f0a20",
            "1274644ebd3c8227",
            "8049b43583b0e762"
        ]
    );
}
