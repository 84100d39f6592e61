//! The importer of bitmaps: image files become textures with mip levels, in formats of graphics processors.
//!
//! | file | becomes |
//! |---|---|
//! | a normal map | BC5 |
//! | one channel (grey without alpha) | BC4, linear |
//! | opaque colours | BC1 if its peak signal-to-noise ratio is at least 40 dB, else BC7 |
//! | colours with alpha | BC7 |
//! | floats (OpenEXR, Radiance, 32-bit Photoshop) | BC6H; with alpha half floats |
//! | sides that are not multiples of 4 | 8 bits per channel, or half floats |
//!
//! Cost: decoding takes time and memory in proportion to the file and its pixels: at most 4096 × 4096, and 64 more for each
//! byte of the file; some 20 bytes of heap for each pixel. Held by `tests/growth.rs` of the tool.

mod compress;
mod cube;
mod decode;
pub(crate) mod decompress;
mod mips;
mod options;
mod psd;
mod raster;
mod sequence;
mod surface;
#[cfg(test)]
mod tests;
mod transfer;

use view::classes::bitmap::{AlphaKind, BitmapKind, ColourSpace, TexelFormat};

use crate::bitmap::mips::Averaging;
use crate::bitmap::options::{BitmapWishes, OPTIONS};
use crate::bitmap::raster::Raster;
use crate::bitmap::surface::Surface;
use crate::error::ImportError;
use crate::importer::{Importer, Source};
use crate::limits::PIXELS_MAX;
use crate::lscript::{choice, double, list, record, rounded};
use crate::options::Options;
use crate::product::{Part, Product, Warning};

/// The row of the importer.
pub const IMPORTER: Importer = Importer {
    name: "bitmap",
    extensions: &["png", "tif", "tiff", "tga", "psd", "jpg", "jpeg", "exr", "hdr"],
    version: 1,
    options: OPTIONS,
    help: "Makes a texture of an image: mip levels in linear light, and a compressed format that fits the content.",
    gathers: |options| options.word("kind") == "sequence",
    import,
};

/// The mean squared error of 8-bit codes up to which opaque colours become BC1: 40 dB.
const BC1_ERROR_MAX: f64 = 6.5;

/// The most texels of a bitmap that is left uncompressed without a warning.
const UNCOMPRESSED_TEXELS: u64 = 1 << 16;

fn import(source: &Source<'_>, options: &Options) -> Result<Vec<Product>, ImportError> {
    let wishes = BitmapWishes::read(options)?;
    let decoded = decode::decode(&source.extension(), source.bytes)?;
    let mut remarks: Vec<String> = decoded.warning.into_iter().collect();
    let raster = decoded.raster;
    let kind = wishes.kind.unwrap_or_else(|| kind_by_name(source.name, &raster));
    let space = wishes.space_of(kind, &raster)?;

    let mut layers = vec![to_surface(&raster, space, &mut remarks)];
    let (is_hdr, is_grey) = (raster.is_hdr(), raster.is_grey());
    let mut is_premultiplied = raster.is_premultiplied;
    let size = (raster.width, raster.height);
    drop(raster);
    match kind {
        BitmapKind::Flat | BitmapKind::NormalMap => {}
        BitmapKind::Cube => layers = cube::faces(&layers[0])?,
        BitmapKind::Sequence => {
            let pixels = u64::from(size.0) * u64::from(size.1);
            sequence::each_further_frame(source, |name, raster| {
                if (raster.width, raster.height) != size {
                    let (width, height) = size;
                    let reason = format!(
                        "it has {} × {} pixels, and the first frame {width} × {height}",
                        raster.width, raster.height
                    );
                    return Err(ImportError::Beside { name: name.to_string(), reason });
                }
                let found = pixels * (layers.len() as u64 + 1);
                if found > PIXELS_MAX {
                    return Err(ImportError::TooLarge { what: "pixels", found, limit: PIXELS_MAX });
                }
                layers.push(to_surface(&raster, space, &mut remarks));
                Ok(())
            })?;
        }
    }

    if kind == BitmapKind::NormalMap {
        layers.iter_mut().for_each(|layer| prepare_normals(layer, wishes.is_green_down));
    }
    let alpha = settle_alpha(&mut layers, &wishes, is_premultiplied);
    is_premultiplied = alpha == AlphaKind::Premultiplied;
    let averaging = match (kind, alpha) {
        (BitmapKind::NormalMap, _) => Averaging::Normals,
        (_, AlphaKind::Mask | AlphaKind::Blend) => Averaging::ByAlpha,
        _ => Averaging::Plain,
    };
    while layers[0].width.max(layers[0].height) > wishes.size_max {
        layers.iter_mut().for_each(|layer| *layer = mips::half(layer, averaging));
    }
    let content = Content { kind, space, alpha, is_hdr, is_grey };
    let format = match wishes.format {
        Some(format) => format,
        None => content.format(&layers, &mut remarks),
    };
    content.remark_losses(format, &mut remarks);
    // Floats are stored as linear light, whatever the file had.
    let stored_space = match format {
        TexelFormat::Bc6h | TexelFormat::Rgba16f => ColourSpace::Linear,
        _ => space,
    };

    let (width, height) = (layers[0].width, layers[0].height);
    let average = average(&layers, is_premultiplied);
    let layer_count = layers.len();
    let mut levels = Vec::new();
    let mut parts = Vec::new();
    for_each_level(layers, averaging, alpha, wishes.has_mips, |level| {
        let mut bytes = Vec::new();
        for layer in level {
            bytes.extend(compress::compress(layer, format, stored_space, wishes.effort));
        }
        levels.push(record(&[
            ("width", double(f64::from(level[0].width))),
            ("height", double(f64::from(level[0].height))),
            ("part", double(parts.len() as f64)),
        ]));
        parts.push(Part { name: format!("mip {}", parts.len()), bytes });
    });

    let fields = vec![
        ("kind".to_string(), choice(kind)),
        ("colour_space".to_string(), choice(stored_space)),
        ("alpha".to_string(), choice(alpha)),
        ("format".to_string(), choice(format)),
        ("width".to_string(), double(f64::from(width))),
        ("height".to_string(), double(f64::from(height))),
        ("layers".to_string(), double(layer_count as f64)),
        ("levels".to_string(), list(levels)),
        ("average".to_string(), format!("[{}]", average.map(|channel| rounded(channel, 4)).join(", "))),
        ("opaque".to_string(), (alpha == AlphaKind::None).to_string()),
    ];
    let warnings = remarks.into_iter().map(|message| Warning { message }).collect();
    Ok(vec![Product { class: "bitmap", fields, bulk_field: "data", parts, warnings, ..Product::default() }])
}

/// A file whose name ends in `_n`, `_nrm`, `_normal` or `_normals` and that has colours is a normal map.
fn kind_by_name(name: &str, raster: &Raster) -> BitmapKind {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_ascii_lowercase();
    let is_named = ["_n", "_nrm", "_normal", "_normals"].iter().any(|ending| stem.ends_with(ending));
    if is_named && !raster.is_grey() && !raster.is_hdr() { BitmapKind::NormalMap } else { BitmapKind::Flat }
}

fn to_surface(raster: &Raster, space: ColourSpace, remarks: &mut Vec<String>) -> Surface {
    let (surface, is_clamped) = raster.to_surface(space);
    let remark = "negative, infinite or undefined values were clamped to what a half float can hold";
    if is_clamped && !remarks.iter().any(|known| known == remark) {
        remarks.push(remark.to_string());
    }
    surface
}

/// Makes the normals unit vectors that point outwards. A file may have only x and y: then z is computed.
fn prepare_normals(layer: &mut Surface, is_green_down: bool) {
    for texel in &mut layer.texels {
        if is_green_down {
            texel[1] = 1.0 - texel[1];
        }
        if texel[2] <= 0.5 {
            let [x, y] = [0, 1].map(|channel| f64::from(texel[channel]) * 2.0 - 1.0);
            let rest = 1.0 - x * x - y * y;
            let z = if rest > 0.0 { base::number::double::sqrt(rest) } else { 0.0 };
            texel[2] = (z * 0.5 + 0.5) as f32;
        }
        *texel = mips::unit_normal(*texel);
        texel[3] = 1.0;
    }
}

/// Decides what alpha means, and makes the texels agree.
fn settle_alpha(layers: &mut [Surface], wishes: &BitmapWishes, is_premultiplied: bool) -> AlphaKind {
    if wishes.alpha == Some(AlphaKind::None) {
        layers.iter_mut().for_each(Surface::make_opaque);
        return AlphaKind::None;
    }
    if layers.iter().all(|layer| layer.alpha_range().0 >= 1.0) {
        return AlphaKind::None;
    }
    if is_premultiplied {
        return AlphaKind::Premultiplied;
    }
    if wishes.is_premultiplying {
        layers.iter_mut().for_each(Surface::premultiply);
        return AlphaKind::Premultiplied;
    }
    let is_cut_out = || layers.iter().all(Surface::is_cut_out);
    wishes.alpha.unwrap_or_else(|| if is_cut_out() { AlphaKind::Mask } else { AlphaKind::Blend })
}

/// What decides about the format.
struct Content {
    kind: BitmapKind,
    space: ColourSpace,
    alpha: AlphaKind,
    is_hdr: bool,
    is_grey: bool,
}

impl Content {
    fn format(&self, layers: &[Surface], remarks: &mut Vec<String>) -> TexelFormat {
        let (width, height) = (layers[0].width, layers[0].height);
        if !width.is_multiple_of(4) || !height.is_multiple_of(4) {
            if u64::from(width) * u64::from(height) > UNCOMPRESSED_TEXELS {
                remarks.push(format!(
                    "it is not compressed: {width} × {height} are not multiples of 4; resize it, or choose a format"
                ));
            }
            return if self.is_hdr { TexelFormat::Rgba16f } else { TexelFormat::Rgba8 };
        }
        let is_opaque = self.alpha == AlphaKind::None;
        match () {
            () if self.is_hdr && is_opaque => TexelFormat::Bc6h,
            () if self.is_hdr => TexelFormat::Rgba16f,
            () if self.kind == BitmapKind::NormalMap => TexelFormat::Bc5,
            () if self.is_grey && is_opaque && self.space == ColourSpace::Linear => TexelFormat::Bc4,
            () if is_opaque => {
                let error: f64 = layers.iter().map(|layer| compress::bc1_error(layer, self.space)).sum();
                if error / layers.len() as f64 <= BC1_ERROR_MAX { TexelFormat::Bc1 } else { TexelFormat::Bc7 }
            }
            () => TexelFormat::Bc7,
        }
    }

    fn remark_losses(&self, format: TexelFormat, remarks: &mut Vec<String>) {
        let has_alpha = !matches!(format, TexelFormat::Bc1 | TexelFormat::Bc4 | TexelFormat::Bc5 | TexelFormat::Bc6h);
        if self.alpha != AlphaKind::None && !has_alpha {
            remarks.push("the format has no alpha: it was left out; choose bc7, or set `alpha` to none".to_string());
        }
        if self.is_hdr && !matches!(format, TexelFormat::Bc6h | TexelFormat::Rgba16f) {
            remarks.push("the format holds 0 to 1: brighter values were clamped; choose bc6h or rgba16f".to_string());
        }
    }
}

/// The average colour of all layers, weighted by alpha, and the average alpha.
fn average(layers: &[Surface], is_premultiplied: bool) -> [f64; 4] {
    let mut sum = [0.0; 4];
    let mut texels = 0.0;
    for layer in layers {
        let of_layer = layer.sum(is_premultiplied);
        for channel in 0..4 {
            sum[channel] += of_layer[channel];
        }
        texels += layer.texels.len() as f64;
    }
    let weight = if sum[3] > 0.0 { sum[3] } else { 1.0 };
    [sum[0] / weight, sum[1] / weight, sum[2] / weight, sum[3] / texels]
}

/// Hands out the mip levels, the largest first; each has all layers.
fn for_each_level(
    mut layers: Vec<Surface>,
    averaging: Averaging,
    alpha: AlphaKind,
    has_mips: bool,
    mut each: impl FnMut(&[Surface]),
) {
    let coverages: Vec<f64> = match alpha {
        AlphaKind::Mask => layers.iter().map(|layer| mips::coverage(layer, 1.0)).collect(),
        _ => Vec::new(),
    };
    each(&layers);
    while has_mips && layers[0].width.max(layers[0].height) > 1 {
        layers.iter_mut().for_each(|layer| *layer = mips::half(layer, averaging));
        if coverages.is_empty() {
            each(&layers);
        } else {
            let mut masks = layers.clone();
            for (mask, wanted) in masks.iter_mut().zip(&coverages) {
                mips::keep_coverage(mask, *wanted);
            }
            each(&masks);
        }
    }
}
