//! The class `material`: how a surface reflects and emits light.
//!
//! The model is that of glTF 2.0: metallic and roughness after Burley (2012), with the microfacet distribution of
//! Trowbridge and Reitz (1975). A value is a number or a lambda, so that a script can drive it.

use base::{StringId, Truth, Vec2};
use tags::{Angle, Bulk, Choice, Formula, Names, Record, Reference, Series, Tag};

use super::bitmap::Bitmap;
use super::source::SourceRecord;

/// How a surface reflects and emits light.
#[derive(Tag)]
#[repr(C)]
pub struct Material {
    /// Where it came from.
    pub source: SourceRecord,
    /// Its bulk data: what the importer last made of it.
    pub data: Bulk,
    /// Its base colour and opacity, by which the texture is multiplied.
    pub base_colour: MaterialColour,
    /// How metallic it is, from 0, a dielectric, to 1, a metal.
    #[tag(range(0, 1), default = 1)]
    pub metallic: Formula,
    /// Its perceptual roughness, from 0, a mirror, to 1.
    #[tag(range(0, 1), default = 1)]
    pub roughness: Formula,
    /// The colour it emits, by which the texture is multiplied.
    #[tag(default = "{ red 0, green 0, blue 0 }")]
    pub emissive: MaterialColour,
    /// The factor of the emitted light. Values above 1 are brighter than white.
    #[tag(range(0, 100000), default = 1)]
    pub emissive_strength: Formula,
    /// The factor of the x and y of its normal map.
    #[tag(range(-100, 100), default = 1)]
    pub normal_scale: Formula,
    /// The strength of its occlusion map.
    #[tag(range(0, 1), default = 1)]
    pub occlusion_strength: Formula,
    /// What opacity means.
    #[tag(default = "\"opaque\"")]
    pub alpha: Choice<AlphaMode>,
    /// With a mask: the opacity below which nothing is drawn.
    #[tag(range(0, 1), default = 0.5)]
    pub alpha_cutoff: f32,
    /// Whether back faces are drawn.
    pub double_sided: Truth,
    /// Whether it shows its base colour without light.
    pub unlit: Truth,
    /// The texture of the base colour, in sRGB.
    pub base_colour_map: MaterialTexture,
    /// The texture of roughness (green) and metallic (blue), linear.
    pub metallic_roughness_map: MaterialTexture,
    /// The tangent-space normal map, linear.
    pub normal_map: MaterialTexture,
    /// The texture of ambient occlusion (red), linear.
    pub occlusion_map: MaterialTexture,
    /// The texture of the emitted colour, in sRGB.
    pub emissive_map: MaterialTexture,
    /// Set by people: named values that scripts and effects of the game read, as `"wear"`.
    pub parameters: Series<MaterialParameter>,
    /// Set by people: what it is for footsteps, impacts and decals, as `"metal"`.
    pub surface: StringId,
    /// Set by people: what is added to the coordinates of all its textures, so that lambdas can choose the frame of an animated texture.
    pub texture_offset: MaterialOffset,
}

/// An offset of texture coordinates, each a number or a lambda.
#[derive(Record)]
#[repr(C)]
pub struct MaterialOffset {
    /// Along u, in widths of the image.
    #[tag(range(-1000000, 1000000))]
    pub u: Formula,
    /// Along v, in heights of the image.
    #[tag(range(-1000000, 1000000))]
    pub v: Formula,
}

/// A colour in linear light, each component a number or a lambda.
#[derive(Record)]
#[repr(C)]
pub struct MaterialColour {
    /// Red.
    #[tag(range(0, 1), default = 1)]
    pub red: Formula,
    /// Green.
    #[tag(range(0, 1), default = 1)]
    pub green: Formula,
    /// Blue.
    #[tag(range(0, 1), default = 1)]
    pub blue: Formula,
    /// Opacity.
    #[tag(range(0, 1), default = 1)]
    pub opacity: Formula,
}

/// A texture of a material.
#[derive(Record)]
#[repr(C)]
pub struct MaterialTexture {
    /// The image; none: the texture is white, or flat as a normal map.
    pub bitmap: Reference<Bitmap>,
    /// The set of texture coordinates: 0 or 1.
    #[tag(range(0, 1))]
    pub uv: u32,
    /// How coordinates beyond the image are continued along u.
    #[tag(default = "\"repeat\"")]
    pub wrap_u: Choice<TextureWrap>,
    /// How coordinates beyond the image are continued along v.
    #[tag(default = "\"repeat\"")]
    pub wrap_v: Choice<TextureWrap>,
    /// Whether neighbouring pixels are interpolated.
    #[tag(default = true)]
    pub smooth: Truth,
    /// The offset of the coordinates, after scale and rotation.
    pub offset: Vec2,
    /// The scale of the coordinates.
    #[tag(default = "vec(1, 1)")]
    pub scale: Vec2,
    /// The rotation of the coordinates about their origin, counter-clockwise.
    #[tag(unit = "degrees")]
    pub rotation: Angle,
}

/// A named value of a material.
#[derive(Record)]
#[repr(C)]
pub struct MaterialParameter {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// Its value.
    pub value: Formula,
}

/// What the opacity of a material means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum AlphaMode {
    /// Opacity is ignored.
    Opaque,
    /// Drawn where opacity reaches the cutoff.
    Mask,
    /// Blended with what lies behind.
    Blend,
}

/// How texture coordinates beyond an image are continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum TextureWrap {
    /// The image repeats.
    Repeat,
    /// The image repeats, every other one mirrored.
    Mirror,
    /// The pixels at the edge continue.
    Clamp,
}
