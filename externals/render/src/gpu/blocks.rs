//! The values that processor and shaders share, byte for byte. Each struct has its like in the shaders.

use base::Plain;

/// The most shadow cascades.
pub const CASCADES_MAX: usize = 4;
/// The most levels of detail that are drawn; of a mesh with more, the last is kept and some between are left out.
pub const LEVELS_MAX: usize = 4;
/// Stands for no texture, no matrices.
pub const NONE: u32 = u32::MAX;

/// Three rows of a matrix whose fourth is 0, 0, 0, 1.
pub type MatrixRows = [[f32; 4]; 3];

/// `Cascade`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct CascadeBlock {
    pub matrix: [[f32; 4]; 4],
    pub metric: [f32; 4],
}

/// `View`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct ViewBlock {
    pub projection: [[f32; 4]; 4],
    pub right: [f32; 4],
    pub up: [f32; 4],
    pub forward: [f32; 4],
    pub eye: [f32; 4],
    pub size: [f32; 4],
    pub planes: [[f32; 4]; 5],
    pub cascades: [CascadeBlock; CASCADES_MAX],
    pub sun: [f32; 4],
    pub sun_colour: [f32; 4],
    pub fog: [f32; 4],
    pub level_up: [f32; 4],
    pub detail: [f32; 4],
    pub counts: [u32; 4],
    pub strength: [f32; 4],
    pub stars: [f32; 4],
    pub ambient_above: [f32; 4],
    pub ambient_below: [f32; 4],
    pub post_curve: [f32; 4],
    pub post_tint: [f32; 4],
    pub post_vignette: [f32; 4],
    pub post_fade: [f32; 4],
}

/// A vertex of the pool.
#[derive(Clone, Copy, Default, Plain)]
#[repr(C)]
pub struct VertexBlock {
    pub position: [f32; 3],
    pub normal: [i16; 2],
    pub tangent: [i16; 2],
    pub uv: [f32; 2],
    pub uv1: [u16; 2],
    pub colour: [u8; 4],
    pub joints: [u16; 4],
    pub weights: [u8; 4],
}

/// `Instance`.
#[derive(Clone, Copy, PartialEq, Plain)]
#[repr(C)]
pub struct InstanceBlock {
    pub position: [f32; 3],
    pub scale: f32,
    pub orientation: [f32; 4],
    pub velocity: [f32; 3],
    pub tint: u32,
    pub spin: [f32; 3],
    pub look: u32,
}

/// `Item`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct ItemBlock {
    pub instance: u32,
    pub part: u32,
    pub material: u32,
    pub matrices: u32,
    pub size: [f32; 3],
    pub pad: u32,
}

/// `Part`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct PartBlock {
    pub rest: MatrixRows,
    pub sphere: [f32; 4],
    pub bucket: u32,
    pub flags: u32,
    pub lod_factor: f32,
    pub pad: u32,
}

/// The bits of `PartBlock::flags`.
pub mod part {
    /// It casts shadows.
    pub const CASTS: u32 = 1;
    /// Shadows fall on it.
    pub const RECEIVES: u32 = 2;
    /// Its vertices follow joints.
    pub const SKINNED: u32 = 4;
}

/// `Bucket`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct BucketBlock {
    pub slot: u32,
    pub lods: u32,
    pub first: u32,
    pub capacity: u32,
    pub errors: [f32; LEVELS_MAX],
}

/// The arguments of an indexed draw.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct DrawBlock {
    pub index_count: u32,
    pub instance_count: u32,
    pub first_index: u32,
    pub base_vertex: i32,
    pub first_instance: u32,
}

/// `Final`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct FinalBlock {
    pub rows: [[f32; 4]; 3],
    pub area: [f32; 4],
}

/// `Map`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct MapBlock {
    pub matrix: [f32; 4],
    pub offset: [f32; 2],
    pub texture: u32,
    pub flags: u32,
}

impl MapBlock {
    /// The same with moved texture coordinates.
    pub fn moved(mut self, by: [f32; 2]) -> MapBlock {
        self.offset = [self.offset[0] + by[0], self.offset[1] + by[1]];
        self
    }
}

/// `Material`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct MaterialBlock {
    pub base: [f32; 4],
    pub emissive: [f32; 4],
    pub factors: [f32; 4],
    pub cutoff: f32,
    pub team: f32,
    pub grain: f32,
    pub flags: u32,
    pub maps: [MapBlock; 5],
}

/// `Lamp`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct LampBlock {
    pub position: [f32; 3],
    pub range: f32,
    pub intensity: [f32; 3],
    pub cone: f32,
    pub direction: [f32; 3],
    pub pad: f32,
}

/// `Sky`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct SkyBlock {
    pub zenith: [f32; 4],
    pub horizon: [f32; 4],
    pub ground: [f32; 4],
    pub nebula_a: [f32; 4],
    pub nebula_b: [f32; 4],
    pub nebula_c: [f32; 4],
    pub up: [f32; 4],
    pub sun: [f32; 4],
    pub sun_light: [f32; 4],
    pub step: [f32; 4],
    pub flags: [u32; 4],
}

/// `Decal`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct DecalBlock {
    pub rows: MatrixRows,
    pub colour: [f32; 4],
    pub position: [f32; 3],
    pub texture: u32,
    pub orientation: [f32; 4],
    pub half: [f32; 3],
    pub pad: u32,
}

/// `Sprite`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct SpriteBlock {
    pub position: [f32; 3],
    pub size: f32,
    pub stretch: [f32; 3],
    pub rotation: f32,
    pub colour: [f32; 4],
    pub texture: u32,
    pub flags: u32,
    pub pad: [u32; 2],
}

/// `RibbonCorner`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct RibbonBlock {
    pub position: [f32; 3],
    pub width: f32,
    pub colour: [f32; 4],
    pub direction: [f32; 3],
    pub along: f32,
    pub texture: u32,
    pub flags: u32,
    pub pad: [u32; 2],
}

/// `Line`.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct LineBlock {
    pub from: [f32; 3],
    pub colour: u32,
    pub to: [f32; 3],
    pub width: f32,
}

/// `Shape` of the canvas.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct ShapeBlock {
    pub rect: [f32; 4],
    pub uv: [f32; 4],
    pub clip: [f32; 4],
    pub fill: u32,
    pub border: u32,
    pub border_width: f32,
    pub radius: f32,
    pub kind: u32,
    pub texture: u32,
    pub pad: [u32; 2],
}

/// `Step` of bloom.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub struct BloomBlock {
    pub size: [f32; 2],
    pub is_first: f32,
    pub weight: f32,
}
