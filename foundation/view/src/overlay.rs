//! An overlay: textured triangles over everything else. Developer panels are drawn as one.

use alloc::vec::Vec;

/// A vertex of an overlay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OverlayVertex {
    /// Its position in physical pixels.
    pub position: [f32; 2],
    /// Its texture coordinates.
    pub uv: [f32; 2],
    /// Its colour in sRGB, multiplied by its opacity, and the opacity.
    pub colour: [u8; 4],
}

/// Triangles with one texture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverlayMesh {
    /// Only what lies within is drawn: left, top, right, bottom in physical pixels.
    pub clip: [f32; 4],
    /// The texture.
    pub texture: u64,
    /// The vertices.
    pub vertices: Vec<OverlayVertex>,
    /// Three indices for each triangle.
    pub indices: Vec<u32>,
}

/// A change of a texture.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlayTexture {
    /// Its name.
    pub texture: u64,
    /// The top left corner of the part that changes; none: the texture is new, and this is all of it.
    pub corner: Option<[u32; 2]>,
    /// The size of the part.
    pub size: [u32; 2],
    /// Its pixels: sRGB multiplied by opacity, and opacity.
    pub pixels: Vec<u8>,
}

/// Textured triangles over everything else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Textures that changed since the last overlay; applied first.
    pub changed: Vec<OverlayTexture>,
    /// The meshes, in order.
    pub meshes: Vec<OverlayMesh>,
    /// Textures that are not used any more after this overlay.
    pub freed: Vec<u64>,
}
