//! Bitmaps: the class of textures.

use base::Truth;
use tags::{Bulk, Choice, Colour, Names, Record, Series, Tag};

use crate::classes::source::SourceRecord;

/// A texture: texels with all mip levels, in a format that graphics processors read.
#[derive(Tag)]
#[tag(class = "bitmap")]
#[repr(C)]
pub struct Bitmap {
    /// The file it was imported from.
    pub source: SourceRecord,
    /// What its texels are.
    #[tag(read_only, default = "\"2d\"")]
    pub kind: Choice<BitmapKind>,
    /// The encoding of its red, green and blue channels. Alpha is always linear.
    #[tag(read_only, default = "\"srgb\"")]
    pub colour_space: Choice<ColourSpace>,
    /// The meaning of its alpha channel.
    #[tag(read_only, default = "\"none\"")]
    pub alpha: Choice<AlphaKind>,
    /// The format of its texels.
    #[tag(read_only, default = "\"rgba8\"")]
    pub format: Choice<TexelFormat>,
    /// The width of its largest mip level.
    #[tag(read_only, unit = "px", range(0, 16384))]
    pub width: u32,
    /// The height of its largest mip level.
    #[tag(read_only, unit = "px", range(0, 16384))]
    pub height: u32,
    /// The number of its layers: 6 faces of a cube map (+x, −x, +y, −y, +z, −z), the frames of a sequence, otherwise 1.
    #[tag(read_only, range(1, 2048), default = 1)]
    pub layers: u32,
    /// Its mip levels, the largest first.
    #[tag(read_only)]
    pub levels: Series<BitmapLevel>,
    /// Its average colour in linear light, weighted by alpha, and its average alpha: what is shown until it is loaded.
    #[tag(read_only)]
    pub average: Colour,
    /// Whether every texel is opaque.
    #[tag(read_only, default = true)]
    pub opaque: Truth,
    /// Its texels.
    #[tag(read_only)]
    pub data: Bulk,
    /// What it is used for: by this, renderers decide what is loaded first and at which resolution.
    #[tag(default = "\"world\"")]
    pub usage: Choice<BitmapUsage>,
    /// How texels are filtered.
    #[tag(default = "\"anisotropic\"")]
    pub filter: Choice<BitmapFilter>,
    /// What lies beyond its edges.
    #[tag(default = "\"repeat\"")]
    pub wrap: Choice<BitmapWrap>,
    /// Added to the mip level that the renderer chooses: negative is sharper, positive softer.
    #[tag(unit = "levels", range(-8, 8), step = 0.25, default = 0)]
    pub lod_bias: f32,
    /// The speed at which a sequence is played.
    #[tag(unit = "1/s", range(0, 240), default = 30)]
    pub frames_per_second: f32,
}

/// One mip level. Its part has the texels of all layers, one layer after the other, each of the same size. The rows of a
/// layer run from top to bottom; in block-compressed formats, rows of blocks of 4 × 4 texels, the last row and column of
/// blocks padded.
#[derive(Record)]
#[repr(C)]
pub struct BitmapLevel {
    /// Its width.
    #[tag(unit = "px")]
    pub width: u32,
    /// Its height.
    #[tag(unit = "px")]
    pub height: u32,
    /// The part of the bulk data that has its texels.
    pub part: u32,
}

/// What the texels of a bitmap are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum BitmapKind {
    /// Colours or other values on a plane.
    #[tag(name = "2d")]
    Flat,
    /// Tangent-space normals: red is x, green is y (up), each mapped from −1…1 to 0…1; z is √(1 − x² − y²).
    NormalMap,
    /// The six faces of a cube map.
    Cube,
    /// The frames of an animated texture.
    Sequence,
}

/// The encoding of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum ColourSpace {
    /// sRGB: a renderer samples it through an sRGB view, which gives linear light.
    Srgb,
    /// Linear: values are used as they are.
    Linear,
}

/// The meaning of an alpha channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum AlphaKind {
    /// No alpha.
    None,
    /// A mask: texels with alpha below one half are cut out. Mip levels preserve the covered area.
    Mask,
    /// Opacity; the colours are not multiplied by it.
    Blend,
    /// Opacity; the colours have been multiplied by it, in linear light.
    Premultiplied,
}

/// The format of texels. The block-compressed formats have blocks of 4 × 4 texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum TexelFormat {
    /// BC1: opaque colours, half a byte per texel.
    Bc1,
    /// BC3: colours and alpha, one byte per texel.
    Bc3,
    /// BC4: one channel, half a byte per texel.
    Bc4,
    /// BC5: two channels, one byte per texel.
    Bc5,
    /// BC7: colours and alpha in high quality, one byte per texel.
    Bc7,
    /// BC6H: unsigned half floats without alpha, one byte per texel.
    Bc6h,
    /// Four bytes per texel: red, green, blue, alpha.
    Rgba8,
    /// Four half floats per texel: red, green, blue, alpha.
    Rgba16f,
}

/// What a bitmap is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum BitmapUsage {
    /// Surfaces of levels and objects: loaded by distance.
    World,
    /// Effects: particles, beams, decals.
    Effect,
    /// Interface: always at full resolution.
    Interface,
    /// Sky: always at full resolution.
    Sky,
}

/// How texels are filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum BitmapFilter {
    /// The nearest texel.
    Point,
    /// Bilinear within a mip level.
    Bilinear,
    /// Bilinear, and linear between mip levels.
    Trilinear,
    /// Anisotropic, as far as the player's settings allow.
    Anisotropic,
}

/// What lies beyond the edges of a bitmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum BitmapWrap {
    /// It repeats.
    Repeat,
    /// Its edge texels.
    Clamp,
    /// It repeats mirrored.
    Mirror,
}
