//! The material table: one row for each material in use, and one for each instance that changes one.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::StringId;
use base::number::max;
use view::Parameter;
use view::classes::material::{AlphaMode, TextureWrap};

use crate::gpu::blocks::{MapBlock, MaterialBlock, NONE};
use crate::gpu::textures::{BitmapWish, LayerWish, TextureArrays, Upload, code};
use crate::resources::{MaterialMap, MaterialResource, Resources};

/// By which pipeline a material is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// Front faces.
    Opaque,
    /// Both faces.
    Double,
    /// Both faces, where opacity reaches the cutoff.
    Masked,
    /// Blended, from back to front.
    Blended,
}

/// The materials in use.
pub struct Materials {
    rows: Vec<MaterialRow>,
    by_tag: BTreeMap<StringId, u32>,
    overrides: Vec<Override>,
    blocks: Vec<MaterialBlock>,
}

struct MaterialRow {
    tag: StringId,
    resource: Arc<MaterialResource>,
}

/// A row for an instance that changes a material.
struct Override {
    instance: u32,
    material: u32,
}

/// The row of shapes and of meshes without a material.
pub const DEFAULT: u32 = 0;

impl Default for Materials {
    fn default() -> Materials {
        let rows = vec![MaterialRow { tag: StringId::NONE, resource: Arc::default() }];
        Materials { rows, by_tag: BTreeMap::new(), overrides: Vec::new(), blocks: Vec::new() }
    }
}

impl Materials {
    /// Forgets all rows but the default.
    pub fn clear(&mut self) {
        *self = Materials::default();
    }

    /// The row of a material.
    pub fn row(&mut self, tag: StringId, resources: &mut Resources, upload: &Upload<'_>) -> u32 {
        if tag.is_none() {
            return DEFAULT;
        }
        if let Some(row) = self.by_tag.get(&tag) {
            return *row;
        }
        let resource = resources.material(tag, upload.source).ready().unwrap_or_default();
        let row = self.rows.len() as u32;
        self.rows.push(MaterialRow { tag, resource });
        self.by_tag.insert(tag, row);
        row
    }

    /// A row for an instance that changes a material; its place is known once all rows are.
    pub fn changed_row(&mut self, material: u32, instance: u32) -> ChangedRow {
        self.overrides.push(Override { instance, material });
        ChangedRow(self.overrides.len() as u32 - 1)
    }

    /// The place of such a row.
    pub fn place_of(&self, row: ChangedRow) -> u32 {
        self.rows.len() as u32 + row.0
    }

    /// By which pipeline a row is drawn.
    pub fn variant(&self, row: u32) -> Variant {
        let Some(row) = self.rows.get(row as usize) else { return Variant::Opaque };
        match row.resource.alpha {
            AlphaMode::Blend => Variant::Blended,
            AlphaMode::Mask => Variant::Masked,
            AlphaMode::Opaque if row.resource.is_double_sided => Variant::Double,
            AlphaMode::Opaque => Variant::Opaque,
        }
    }

    /// Whether a material has become another one since its row was made: then everything that uses it is made again.
    pub fn has_changed(&self, resources: &mut Resources, upload: &Upload<'_>) -> bool {
        self.rows.iter().skip(1).any(|row| {
            let now = resources.material(row.tag, upload.source).ready();
            now.map_or(0, |now| now.serial) != row.resource.serial
        })
    }

    /// The rows as shaders read them, with the bitmaps that are there by now; sequences are shown as they
    /// are at this time of the world.
    pub fn blocks<'a>(
        &mut self,
        parameters_of: impl Fn(u32) -> &'a [Parameter],
        arrays: &mut TextureArrays,
        resources: &mut Resources,
        upload: &Upload<'_>,
        seconds: f64,
    ) -> &[MaterialBlock] {
        self.blocks.clear();
        for row in &self.rows {
            let offset = row.resource.constants.texture_offset;
            let maps = row.resource.maps.map(|map| map_block(&map, arrays, resources, upload, seconds).moved(offset));
            self.blocks.push(material_block(&row.resource, &row.resource.constants, maps));
        }
        for changed in &self.overrides {
            let row = &self.rows[changed.material as usize];
            let constants = row.resource.constants.with(row.tag, parameters_of(changed.instance));
            let (before, after) = (row.resource.constants.texture_offset, constants.texture_offset);
            let by = [after[0] - before[0], after[1] - before[1]];
            let maps = self.blocks[changed.material as usize].maps.map(|map| map.moved(by));
            self.blocks.push(material_block(&row.resource, &constants, maps));
        }
        &self.blocks
    }
}

/// A row whose place is not known yet.
#[derive(Clone, Copy)]
pub struct ChangedRow(u32);

fn material_block(
    resource: &MaterialResource,
    constants: &crate::resources::MaterialConstants,
    maps: [MapBlock; 5],
) -> MaterialBlock {
    let is_default = resource.tag.is_none();
    let [red, green, blue] = constants.emissive.map(|part| part * constants.emissive_strength);
    let has_maps = maps.iter().any(|map| map.texture != NONE);
    MaterialBlock {
        base: constants.base_colour,
        emissive: [red, green, blue, if resource.takes_colour { 1.0 } else { 0.0 }],
        // Stone is duller than the default of models.
        factors: [
            constants.metallic,
            if is_default { max(constants.roughness, 0.72) } else { constants.roughness },
            constants.normal_scale,
            constants.occlusion_strength,
        ],
        cutoff: resource.alpha_cutoff,
        team: if resource.takes_colour { 1.0 } else { 0.0 },
        grain: if is_default { 0.8 } else { 0.0 },
        flags: u32::from(resource.is_unlit) | u32::from(resource.is_double_sided) << 1 | u32::from(has_maps) << 2,
        maps,
    }
}

fn map_block(
    map: &MaterialMap,
    arrays: &mut TextureArrays,
    resources: &mut Resources,
    upload: &Upload<'_>,
    seconds: f64,
) -> MapBlock {
    let [u, v, offset] = map.columns;
    let wish = BitmapWish { bitmap: map.bitmap, layer: LayerWish::Played(seconds), is_smooth: map.is_smooth };
    let mut texture = arrays.code(upload, resources, wish);
    if texture != NONE {
        let bits = [(code::MIRROR_U, code::CLAMP_U), (code::MIRROR_V, code::CLAMP_V)];
        for (wrap, (mirror, clamp)) in map.wrap.iter().zip(bits) {
            texture |= match wrap {
                TextureWrap::Repeat => 0,
                TextureWrap::Mirror => mirror,
                TextureWrap::Clamp => clamp,
            };
        }
    }
    MapBlock { matrix: [u.x, v.x, u.y, v.y], offset: offset.to_array(), texture, flags: u32::from(map.set == 1) }
}
