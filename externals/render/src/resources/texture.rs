//! Textures: mip levels in the format of their tag, or as 8-bit texels.

use std::sync::Arc;

use base::StringId;
use view::classes::Bitmap;
use view::classes::bitmap::{AlphaKind, BitmapFilter, BitmapKind, BitmapWrap, ColourSpace, TexelFormat};
use view::texels::layer_bytes;
use view::{BulkKind, PartState};

/// A texture in memory.
#[derive(Clone, Debug)]
pub struct TextureResource {
    /// Differs between all resources and versions of them.
    pub serial: u64,
    /// What its texels are.
    pub kind: BitmapKind,
    /// The encoding of its colours.
    pub colour_space: ColourSpace,
    /// The meaning of its alpha channel.
    pub alpha: AlphaKind,
    /// The format of its texels.
    pub format: TexelFormat,
    /// The number of its layers, at least 1.
    pub layers: u32,
    /// Its mip levels, the largest first; never empty. The largest ones may be missing: they were beyond the side that was
    /// asked for, or are still being loaded.
    pub levels: Vec<TextureLevel>,
    /// Its average colour in linear light and its average alpha.
    pub average: [f32; 4],
    /// Whether every texel is opaque.
    pub is_opaque: bool,
    /// How texels are filtered.
    pub filter: BitmapFilter,
    /// What lies beyond its edges.
    pub wrap: BitmapWrap,
    /// Added to the mip level.
    pub lod_bias: f32,
    /// The speed at which a sequence is played.
    pub frames_per_second: f32,
}

/// One mip level.
#[derive(Clone, Debug)]
pub struct TextureLevel {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// The texels of all layers, one layer after the other, of exactly the length that format and size give.
    pub bytes: Arc<[u8]>,
}

use crate::resources::ContentSource;
use crate::resources::cache::Step;

impl TextureResource {
    /// Reads the levels that are there, from the smallest on. `Partial` while larger ones are being loaded.
    pub(super) fn load(
        tag: StringId,
        source: ContentSource<'_>,
        side_max: u32,
        former: Option<&TextureResource>,
        serial: impl FnOnce() -> u64,
    ) -> Step<TextureResource> {
        let Some(bitmap) = source.content.get_as::<Bitmap>(tag) else {
            return Step::Failed("no bitmap tag: a checker pattern is shown".to_string());
        };
        let (format, layers) = (bitmap.format.get(), bitmap.layers.max(1));
        let all = bitmap.each(&bitmap.levels);
        let is_small = |index: usize| all[index].width.max(all[index].height) <= side_max || index + 1 == all.len();
        let mut levels = Vec::new();
        let mut is_whole = true;
        for level in (0..all.len()).rev().filter(|index| is_small(*index)).map(|index| &all[index]) {
            let bytes = match source.bulk.part(&bitmap.data, level.part, BulkKind::Texture) {
                PartState::Ready(bytes) => bytes,
                PartState::Loading => {
                    is_whole = false;
                    break;
                }
                PartState::Failed => {
                    return Step::Failed(format!(
                        "part {} of its bulk data cannot be read: a checker pattern is shown",
                        level.part
                    ));
                }
            };
            let expected =
                layer_bytes(format, level.width, level.height).and_then(|layer| layer.checked_mul(layers as usize));
            if expected != Some(bytes.len()) || level.width == 0 || level.height == 0 {
                return Step::Failed(format!(
                    "a level of {} × {} texels and {layers} layers has {} bytes: a checker pattern is shown",
                    level.width,
                    level.height,
                    bytes.len()
                ));
            }
            levels.push(TextureLevel { width: level.width, height: level.height, bytes });
        }
        levels.reverse();
        let is_new = former.is_none_or(|former| former.levels.len() != levels.len());
        match (levels.is_empty(), is_whole) {
            (true, true) => return Step::Failed("it has no levels: a checker pattern is shown".to_string()),
            (true, false) => return Step::Loading,
            (false, false) if !is_new => return Step::Loading,
            (false, _) => {}
        }
        let colour = bitmap.average;
        let read = TextureResource {
            serial: serial(),
            kind: bitmap.kind.get(),
            colour_space: bitmap.colour_space.get(),
            alpha: bitmap.alpha.get(),
            format,
            layers,
            levels,
            average: [colour.red, colour.green, colour.blue, colour.opacity],
            is_opaque: bitmap.opaque.is_true(),
            filter: bitmap.filter.get(),
            wrap: bitmap.wrap.get(),
            lod_bias: if bitmap.lod_bias.is_finite() { bitmap.lod_bias } else { 0.0 },
            frames_per_second: bitmap.frames_per_second,
        };
        if is_whole { Step::Ready(read) } else { Step::Partial(read) }
    }

    /// The layer that is shown when it has been played for so many seconds: that of a sequence, which repeats; the first one of
    /// anything else.
    pub fn layer_at(&self, seconds: f64) -> u32 {
        let frame = base::number::double::floor(seconds * f64::from(self.frames_per_second));
        if self.kind != BitmapKind::Sequence || !frame.is_finite() {
            return 0;
        }
        // A float that is too large for the integer becomes the largest one.
        (frame as i64).rem_euclid(i64::from(self.layers.max(1))) as u32
    }

    /// The bytes of its levels.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.bytes.len()).sum()
    }
}
