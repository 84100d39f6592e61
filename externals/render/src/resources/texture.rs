//! Textures: mip levels in the format of their tag, or as 8-bit texels.

use std::sync::Arc;

use view::classes::bitmap::{AlphaKind, BitmapFilter, BitmapKind, BitmapWrap, ColourSpace, TexelFormat};

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

impl TextureResource {
    /// The bytes of its levels.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.bytes.len()).sum()
    }
}
