//! Sampled textures: mip chains of 8-bit texels, filtered in software.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Vec2;
use view::classes::bitmap::{AlphaKind, BitmapFilter, BitmapWrap, ColourSpace};
use view::classes::material::TextureWrap;
use view::texels;

use crate::colour::{LINEAR_FROM_SRGB, fast_log2};
use crate::limits::TEXTURE_BYTES_MAX;
use crate::resources::TextureResource;
use crate::software::whole::whole;

/// A texture that can be sampled.
#[derive(Debug)]
pub struct SampledTexture {
    levels: Vec<SampledLevel>,
    layers: u32,
    /// The linear value of each code.
    values: [f32; 256],
    is_smooth: bool,
    /// How coordinates beyond the image are continued, unless a material says otherwise.
    pub wrap: [TextureWrap; 2],
    lod_bias: f32,
    /// Whether colours have been multiplied by opacity.
    pub is_premultiplied: bool,
    /// Whether texels may be transparent.
    pub has_alpha: bool,
}

#[derive(Debug)]
struct SampledLevel {
    width: i32,
    height: i32,
    texels: Vec<[u8; 4]>,
}

/// The decoded textures, by the serials of their resources.
#[derive(Debug, Default)]
pub struct SampledTextures {
    decoded: BTreeMap<u64, (Arc<SampledTexture>, u64)>,
    picture: u64,
}

impl SampledTextures {
    /// Drops those that were not used in the last picture, if there is too much.
    pub fn begin_picture(&mut self) {
        let bytes: usize = self.decoded.values().map(|(texture, _)| texture.bytes()).sum();
        if bytes > TEXTURE_BYTES_MAX {
            self.decoded.retain(|_, (_, used)| *used == self.picture);
        }
        self.picture += 1;
    }

    /// The decoded texture of a resource.
    pub fn get(&mut self, resource: &TextureResource) -> Arc<SampledTexture> {
        let make = || (Arc::new(SampledTexture::of(resource)), 0);
        let (texture, used) = self.decoded.entry(resource.serial).or_insert_with(make);
        *used = self.picture;
        Arc::clone(texture)
    }
}

impl SampledTexture {
    fn of(resource: &TextureResource) -> SampledTexture {
        let is_float = texels::is_float(resource.format);
        let is_linear = resource.colour_space == ColourSpace::Linear || is_float;
        let wrap = match resource.wrap {
            BitmapWrap::Repeat => TextureWrap::Repeat,
            BitmapWrap::Clamp => TextureWrap::Clamp,
            BitmapWrap::Mirror => TextureWrap::Mirror,
        };
        let mut levels = Vec::new();
        for level in &resource.levels {
            let layer = level.bytes.len() / resource.layers as usize;
            let mut all = Vec::new();
            for bytes in level.bytes.chunks_exact(layer.max(1)) {
                all.extend(texels::decode(bytes, level.width, level.height, resource.format).unwrap_or_default());
            }
            if all.len() == level.width as usize * level.height as usize * resource.layers as usize {
                levels.push(SampledLevel { width: level.width as i32, height: level.height as i32, texels: all });
            }
        }
        if levels.is_empty() {
            return SampledTexture::checker();
        }
        SampledTexture {
            levels,
            layers: resource.layers,
            values: values(is_linear),
            is_smooth: resource.filter != BitmapFilter::Point,
            wrap: [wrap; 2],
            lod_bias: resource.lod_bias,
            is_premultiplied: resource.alpha == AlphaKind::Premultiplied,
            has_alpha: resource.alpha != AlphaKind::None && !resource.is_opaque,
        }
    }

    /// The checker pattern that is shown for what is missing.
    pub fn checker() -> SampledTexture {
        let square =
            |at: i32| if (at % 8 / 4 + at / 8 / 4) % 2 == 0 { [150, 150, 155, 255] } else { [95, 95, 102, 255] };
        SampledTexture {
            levels: vec![SampledLevel { width: 8, height: 8, texels: (0..64).map(square).collect() }],
            layers: 1,
            values: values(false),
            is_smooth: false,
            wrap: [TextureWrap::Repeat; 2],
            lod_bias: 0.0,
            is_premultiplied: false,
            has_alpha: false,
        }
    }

    fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.texels.len() * 4).sum()
    }

    /// The mip level at which a step of one pixel is a step of one texel.
    #[inline]
    pub fn level_for(&self, steps: [Vec2; 2]) -> f32 {
        let size = Vec2::new(self.levels[0].width as f32, self.levels[0].height as f32);
        let [a, b] = steps.map(|step| step.times(size).length_squared());
        let square = if a > b { a } else { b };
        let level = if square > 1.0 { 0.5 * fast_log2(square) } else { 0.0 };
        level + self.lod_bias
    }

    /// Its size in texels.
    pub fn size(&self) -> [i32; 2] {
        [self.levels[0].width, self.levels[0].height]
    }

    /// The number of its layers.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// Red, green, blue in linear light and alpha, at a place of a layer.
    #[inline]
    pub fn sample(&self, uv: Vec2, wrap: [TextureWrap; 2], level: f32, layer: u32, is_smooth: bool) -> [f32; 4] {
        let index = (level + 0.5) as usize;
        let level = &self.levels[index.min(self.levels.len() - 1)];
        let (width, height) = (level.width, level.height);
        let first = (layer % self.layers) as usize * (width * height) as usize;
        let texel = |x: i32, y: i32| {
            let at = first + (y * width + x) as usize;
            let [red, green, blue, alpha] = level.texels[at];
            let value = |code: u8| self.values[usize::from(code)];
            [value(red), value(green), value(blue), f32::from(alpha) * (1.0 / 255.0)]
        };
        let (x, y) = (uv.x * width as f32, uv.y * height as f32);
        if !is_smooth || !self.is_smooth {
            return texel(wrapped(whole(x), width, wrap[0]), wrapped(whole(y), height, wrap[1]));
        }
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, top) = (whole(x), whole(y));
        let (part_x, part_y) = (x - left as f32, y - top as f32);
        let columns = [wrapped(left, width, wrap[0]), wrapped(left.saturating_add(1), width, wrap[0])];
        let rows = [wrapped(top, height, wrap[1]), wrapped(top.saturating_add(1), height, wrap[1])];
        let [a, b] = [texel(columns[0], rows[0]), texel(columns[1], rows[0])];
        let [c, d] = [texel(columns[0], rows[1]), texel(columns[1], rows[1])];
        std::array::from_fn(|at| {
            let above = a[at] + (b[at] - a[at]) * part_x;
            let below = c[at] + (d[at] - c[at]) * part_x;
            above + (below - above) * part_y
        })
    }
}

fn values(is_linear: bool) -> [f32; 256] {
    if is_linear { std::array::from_fn(|code| code as f32 / 255.0) } else { *LINEAR_FROM_SRGB }
}

/// The column or row of a coordinate in texels.
#[inline]
fn wrapped(at: i32, side: i32, wrap: TextureWrap) -> i32 {
    match wrap {
        TextureWrap::Repeat => at.rem_euclid(side),
        TextureWrap::Clamp => at.clamp(0, side - 1),
        TextureWrap::Mirror => {
            let place = at.rem_euclid(2 * side);
            if place < side { place } else { 2 * side - 1 - place }
        }
    }
}
