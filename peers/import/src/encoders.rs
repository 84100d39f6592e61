//! BC7 of one picture: our importer with each of its qualities, and the crate `dds` with each of its own. All decoded by `dds`.

use std::time::{Duration, Instant};

use dds::{ColorFormat, CompressionQuality, DecodeOptions, EncodeOptions, Format, ImageView, ImageViewMut, Size};
use media::{Options, Source};

use crate::Row;
use crate::project::texture;

const SIDE: u32 = 512;
const ROUNDS: usize = 3;

/// The rows: for each quality of ours, all of the other encoder. Times are those of a million pixels.
pub fn rows() -> Vec<Row> {
    let png = texture(SIDE, 7);
    let pixels = pixels(&png);
    let ours = ["fast", "normal", "high"].map(|quality| (quality, best(|| ours(&png, quality))));
    let theirs = [CompressionQuality::Fast, CompressionQuality::Normal, CompressionQuality::High]
        .map(|quality| (quality, best(|| theirs(&pixels, quality))));
    let megapixels = f64::from(SIDE * SIDE) / 1e6;
    let mut rows = Vec::new();
    for (quality, (our_time, our_bytes)) in &ours {
        for (their_quality, (their_time, their_bytes)) in &theirs {
            let [our_noise, their_noise] = [our_bytes, their_bytes].map(|bytes| psnr(&pixels, bytes));
            let each = |time: &Duration| time.div_f64(megapixels);
            let speed = |time: &Duration| megapixels / time.as_secs_f64();
            rows.push(Row {
                what: format!("BC7 {quality}, {:.2} Mpix/s, {our_noise:.1} dB: µs per Mpix", speed(our_time)),
                ours: each(our_time),
                peer: each(their_time),
                name: format!("dds 0.2.0 {their_quality:?}, {:.2} Mpix/s, {their_noise:.1} dB", speed(their_time)),
            });
        }
    }
    rows
}

fn best(work: impl Fn() -> Vec<u8>) -> (Duration, Vec<u8>) {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let bytes = work();
        (start.elapsed(), bytes)
    });
    rounds.min_by_key(|(time, _)| *time).expect("there is a round")
}

/// With decoding the PNG, which takes a hundredth of the time.
fn ours(png: &[u8], quality: &str) -> Vec<u8> {
    let importer = media::bitmap::IMPORTER;
    let mut options = Options::new(importer.options);
    for (name, value) in [("format", "bc7"), ("mips", "false"), ("quality", quality)] {
        options.set(name, value).expect("the importer has these options");
    }
    let beside = |_: &str| Err(String::from("nothing is beside it"));
    let products = (importer.import)(&Source::new("a.png", "", png, &beside), &options).expect("the picture is sound");
    products.into_iter().next().expect("a bitmap").parts.into_iter().next().expect("a level").bytes
}

fn theirs(pixels: &[u8], quality: CompressionQuality) -> Vec<u8> {
    let image = ImageView::new(pixels, Size::new(SIDE, SIDE), ColorFormat::RGBA_U8).expect("the sizes fit");
    let mut options = EncodeOptions::default();
    options.quality = quality;
    let mut bytes = Vec::new();
    dds::encode(&mut bytes, image, Format::BC7_UNORM, None, &options).expect("it encodes BC7");
    bytes
}

fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut pixels = vec![0; (SIDE * SIDE * 4) as usize];
    let image = ImageViewMut::new(&mut pixels, Size::new(SIDE, SIDE), ColorFormat::RGBA_U8).expect("the sizes fit");
    dds::decode(&mut &*bytes, image, Format::BC7_UNORM, &DecodeOptions::default()).expect("it is BC7");
    pixels
}

/// The peak signal-to-noise ratio over the three colours, in decibels.
fn psnr(pixels: &[u8], bytes: &[u8]) -> f64 {
    let decoded = decoded(bytes);
    let pairs = pixels.chunks(4).zip(decoded.chunks(4)).flat_map(|(one, other)| one[..3].iter().zip(&other[..3]));
    let sum: f64 = pairs.map(|(one, other)| (f64::from(*one) - f64::from(*other)).powi(2)).sum();
    10.0 * (255.0_f64.powi(2) * f64::from(SIDE * SIDE * 3) / sum).log10()
}

/// The pixels of the PNG, through our importer without compression.
fn pixels(png: &[u8]) -> Vec<u8> {
    let importer = media::bitmap::IMPORTER;
    let mut options = Options::new(importer.options);
    for (name, value) in [("format", "rgba8"), ("mips", "false")] {
        options.set(name, value).expect("the importer has these options");
    }
    let beside = |_: &str| Err(String::from("nothing is beside it"));
    let products = (importer.import)(&Source::new("a.png", "", png, &beside), &options).expect("the picture is sound");
    products.into_iter().next().expect("a bitmap").parts.into_iter().next().expect("a level").bytes
}
