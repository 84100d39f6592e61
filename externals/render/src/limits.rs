//! The limits of renderers.

/// The greatest width and height of a picture, in pixels. Beyond it, the coordinates of the rasteriser would not be exact.
pub const PICTURE_SIDE_MAX: u32 = 8192;
/// The most views of a picture.
pub const VIEWS_MAX: usize = 8;
/// The most models in memory.
pub const MODELS_MAX: usize = 4096;
/// The most textures in memory.
pub const TEXTURES_MAX: usize = 8192;
/// The most materials in memory.
pub const MATERIALS_MAX: usize = 16384;
/// The most skies in memory.
pub const SKIES_MAX: usize = 64;
/// The most memory of all models, in bytes; the ones unused for longest are dropped.
pub const MODEL_BYTES_MAX: usize = 1 << 30;
/// The most memory of all textures, in bytes; the ones unused for longest are dropped.
pub const TEXTURE_BYTES_MAX: usize = 1 << 30;
/// The most vertices of one level of detail.
pub const VERTICES_MAX: u32 = 1 << 24;
/// The most triangles of one level of detail.
pub const TRIANGLES_MAX: u32 = 1 << 24;
/// The most nodes of a model.
pub const NODES_MAX: usize = 4096;
/// The most levels of detail of a mesh.
pub const LODS_MAX: usize = 16;
/// The most shapes of different proportions whose meshes are kept.
pub const SHAPES_MAX: usize = 1024;
/// The most reports that wait to be taken.
pub const REPORTS_MAX: usize = 1024;
/// The most sprites that are drawn.
pub const SPRITES_MAX: usize = view::limits::SPRITES_MAX;
/// The most triangles of a picture, over all views, after culling and clipping.
pub const PICTURE_TRIANGLES_MAX: usize = 1 << 23;
/// The most stars of a sky.
pub const STARS_MAX: u32 = 16384;

/// The most textures of overlays.
pub const OVERLAY_TEXTURES_MAX: usize = 1024;
/// The most lights that are drawn.
pub const LIGHTS_MAX: usize = 1024;
/// The most lights that shine on one tile.
pub const TILE_LIGHTS_MAX: usize = 24;
/// The most decals that lie on one tile.
pub const TILE_DECALS_MAX: usize = 64;

/// The longest text that is laid out, in bytes; the rest is left out.
pub const TEXT_BYTES_MAX: usize = 1 << 17;
/// The greatest size of a glyph, in physical pixels per em.
pub const TEXT_SIZE_MAX: f32 = 512.0;
/// The most layouts that are kept.
pub const LAYOUTS_MAX: usize = 2048;
/// The most bytes of text of all layouts that are kept.
pub const LAYOUT_TEXT_BYTES_MAX: usize = 1 << 21;
/// The most fonts in memory.
pub const FONTS_MAX: usize = 256;
/// The most bytes of a font file.
pub const FONT_BYTES_MAX: usize = 64 << 20;
/// The width and height of the glyph atlas, in texels.
pub const ATLAS_SIDE: u32 = 2048;
/// The most glyphs in the atlas.
pub const GLYPHS_MAX: usize = 16384;

/// The most shapes of a canvas, glyphs among them, that a graphics processor draws.
pub const CANVAS_SHAPES_MAX: usize = 1 << 17;
/// The most decals that a graphics processor draws.
pub const DECALS_DRAWN_MAX: usize = view::limits::DECALS_MAX;
/// The greatest side of a texture of an overlay.
pub const OVERLAY_SIDE_MAX: u32 = 8192;
/// The most vertices of an overlay.
pub const OVERLAY_VERTICES_MAX: usize = 1 << 22;
/// The most meshes of all instances that a graphics processor draws; further instances are left out.
pub const ITEMS_MAX: usize = 1 << 20;
