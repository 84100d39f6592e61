//! The scene: the instances of a frame as tables for the graphics processor.
//!
//! An instance has an item for each mesh of each node of its model. Items that draw the same mesh by the same pipeline are
//! in one bucket; a bucket has a slot, which is one indirect draw, for each level of detail. What decides the tables is
//! compared with the last picture: usually only places have changed, and only they are written.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::number::max;
use base::{StringId, Vec3};
use view::instance::look;
use view::{Frame, Instance, Picture, Shape};

use crate::gpu::blocks::{
    BucketBlock, CASCADES_MAX, DrawBlock, InstanceBlock, ItemBlock, LEVELS_MAX, MatrixRows, NONE, PartBlock, part,
};
use crate::gpu::geometry::{Geometry, PooledMesh};
use crate::gpu::materials::{ChangedRow, Materials, Variant};
use crate::gpu::poses::{IDENTITY, add_matrices, matrix_count, skin_offset};
use crate::gpu::textures::Upload;
use crate::limits::ITEMS_MAX;
use crate::resources::{ModelResource, Resources};

/// The tables of a scene.
#[derive(Default)]
pub struct SceneTables {
    /// The instances.
    pub instances: Vec<InstanceBlock>,
    /// The items.
    pub items: Vec<ItemBlock>,
    /// The parts of models.
    pub parts: Vec<PartBlock>,
    /// The buckets.
    pub buckets: Vec<BucketBlock>,
    /// Poses and joints.
    pub matrices: Vec<MatrixRows>,
    /// The arguments of all draws with no instances yet: view after view.
    pub draws: Vec<DrawBlock>,
    /// The slots of the pipelines for opaque, double-sided and masked materials: first and count.
    pub slots: [(u32, u32); 3],
    /// The entries of the list of visible items of one view.
    pub list_length: u32,
    /// The materials.
    pub materials: Materials,
    /// Blended items.
    pub blended: Vec<DirectItem>,
    /// Items of things with an outline.
    pub outlined: Vec<DirectItem>,
    /// Whether the tables but for instances were made anew.
    pub is_new: bool,
    /// Whether instances have changed.
    pub has_moved: bool,
    /// Whether matrices have changed.
    pub has_posed: bool,
    /// The middle of everything.
    pub middle: Vec3,
    /// The radius around it.
    pub radius: f32,
    /// Lamps of models, each with its instance and the row of its place.
    pub lamps: Vec<ModelLampPlace>,
    keys: Vec<ThingKey>,
    radii: Vec<f32>,
    models: BTreeMap<StringId, u64>,
    posed: Vec<Posed>,
    catalogue: u64,
}

/// An item that is drawn by itself.
#[derive(Clone, Debug)]
pub struct DirectItem {
    /// The item.
    pub item: u32,
    /// Its instance.
    pub instance: u32,
    /// Its mesh.
    pub mesh: PooledMesh,
}

/// A lamp of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelLampPlace {
    /// The instance.
    pub instance: u32,
    /// The lamp in the frame of the instance.
    pub light: view::Light,
}

/// What decides the items of an instance.
#[derive(Clone, Copy, PartialEq)]
struct ThingKey {
    model: StringId,
    shape: Shape,
    look: u16,
    has_pose: bool,
    has_parameters: bool,
}

/// An instance whose matrices follow its pose.
struct Posed {
    instance: u32,
    model: Arc<ModelResource>,
    first: u32,
}

/// With what scenes are made.
pub struct SceneWork<'a> {
    /// Bitmaps and their content.
    pub upload: &'a Upload<'a>,
    /// The resources.
    pub resources: &'a mut Resources,
    /// The geometry pool.
    pub geometry: &'a mut Geometry,
}

/// The part of an instance's look that decides its items.
const LOOK_KEPT: u16 = look::SELECTED | look::HOVERED | look::HIDDEN;

impl SceneTables {
    /// Brings the tables up to date with a picture.
    pub fn update(&mut self, picture: &Picture<'_>, work: &mut SceneWork<'_>) {
        let frame = picture.frame;
        self.is_new = self.has_changed(picture, work);
        if self.is_new {
            self.rebuild(picture, work);
        }
        self.place(frame);
        self.has_posed = self.is_new || !self.posed.is_empty();
        for posed in &self.posed {
            let pose =
                frame.instances.get(posed.instance as usize).map_or(&[][..], |instance| instance.pose.of(&frame.poses));
            let mut own = Vec::with_capacity(matrix_count(&posed.model));
            add_matrices(&posed.model, pose, &mut own);
            let first = posed.first as usize;
            self.matrices[first..first + own.len()].copy_from_slice(&own);
        }
    }

    fn has_changed(&self, picture: &Picture<'_>, work: &mut SceneWork<'_>) -> bool {
        let instances = &picture.frame.instances;
        let is_same = self.catalogue == picture.catalogue.version
            && self.keys.len() == instances.len()
            && !self.draws_nothing_yet()
            && self.keys.iter().zip(instances).all(|(key, instance)| *key == key_of(instance));
        !is_same
            || self.models.iter().any(|(tag, serial)| model_serial(*tag, work) != *serial)
            || self.materials.has_changed(work.resources, work.upload)
            || work.geometry.is_full()
    }

    fn draws_nothing_yet(&self) -> bool {
        self.matrices.is_empty()
    }

    /// Writes the places of all instances, and finds the sphere around them.
    fn place(&mut self, frame: &Frame) {
        let count = frame.instances.len();
        self.has_moved = self.is_new || self.instances.len() != count;
        if self.has_moved {
            self.instances.clear();
            self.instances.extend(frame.instances.iter().map(instance_block));
        } else {
            for (block, instance) in self.instances.iter_mut().zip(&frame.instances) {
                let now = instance_block(instance);
                self.has_moved |= *block != now;
                *block = now;
            }
        }
        if !self.has_moved {
            return;
        }
        let (mut low, mut high) = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
        for (instance, radius) in frame.instances.iter().zip(&self.radii).filter(|(_, radius)| **radius > 0.0) {
            let reach = Vec3::splat(radius * instance.scale);
            (low, high) = (low.min(instance.position - reach), high.max(instance.position + reach));
        }
        let is_empty = low.x > high.x;
        self.middle = if is_empty { Vec3::ZERO } else { (low + high) * 0.5 };
        self.radius = if is_empty { 1.0 } else { (high - low).length() * 0.5 };
    }

    fn rebuild(&mut self, picture: &Picture<'_>, work: &mut SceneWork<'_>) {
        if work.geometry.is_full() {
            work.geometry.clear();
        }
        self.catalogue = picture.catalogue.version;
        self.materials.clear();
        let mut builder = Builder::new(picture.frame);
        self.models.clear();
        self.keys.clear();
        self.radii.clear();
        for (index, instance) in (0..).zip(&picture.frame.instances) {
            self.keys.push(key_of(instance));
            let radius = builder.add(index, instance, picture, work, &mut self.models, &mut self.materials);
            self.radii.push(radius);
        }
        builder.finish(self);
    }
}

fn key_of(instance: &Instance) -> ThingKey {
    ThingKey {
        model: instance.model,
        shape: instance.shape,
        look: instance.look & LOOK_KEPT,
        has_pose: instance.pose.count > 0,
        has_parameters: instance.parameters.count > 0,
    }
}

fn model_serial(tag: StringId, work: &mut SceneWork<'_>) -> u64 {
    work.resources.model(tag, work.upload.source).ready().map_or(0, |model| model.serial)
}

fn instance_block(instance: &Instance) -> InstanceBlock {
    let colour = instance.colour;
    InstanceBlock {
        position: instance.position.to_array(),
        scale: instance.scale,
        orientation: instance.orientation.to_vector().to_array(),
        velocity: instance.velocity.to_array(),
        tint: u32::from_le_bytes([colour.red, colour.green, colour.blue, 255]),
        spin: instance.angular_velocity.to_array(),
        look: u32::from(instance.look),
    }
}

/// Makes the tables of a scene.
struct Builder<'a> {
    frame: &'a Frame,
    entries: Vec<ModelEntry>,
    by_serial: BTreeMap<u64, usize>,
    by_tag: BTreeMap<StringId, usize>,
    /// The last shape and its entry: neighbours are often alike.
    last: Option<(Shape, usize, Vec3)>,
    parts: Vec<PartBlock>,
    buckets: Vec<BucketDraft>,
    items: Vec<ItemBlock>,
    changed: Vec<(u32, ChangedRow)>,
    matrices: Vec<MatrixRows>,
    posed: Vec<Posed>,
    blended: Vec<DirectItem>,
    outlined: Vec<DirectItem>,
    lamps: Vec<ModelLampPlace>,
}

/// A model of the scene.
struct ModelEntry {
    model: Arc<ModelResource>,
    pieces: Vec<ModelPiece>,
    /// The matrices of its rest pose; none if no mesh of it is skinned.
    rest: u32,
    radius: f32,
}

/// What is the same for a mesh of a node in all instances of a model.
#[derive(Clone, Copy)]
struct ModelPiece {
    part: u32,
    material: u32,
    /// The place of its matrices among those of the model.
    offset: u32,
    is_skinned: bool,
}

struct BucketDraft {
    variant: Variant,
    mesh: PooledMesh,
    count: u32,
}

impl<'a> Builder<'a> {
    fn new(frame: &'a Frame) -> Builder<'a> {
        Builder {
            frame,
            entries: Vec::new(),
            by_serial: BTreeMap::new(),
            by_tag: BTreeMap::new(),
            last: None,
            parts: Vec::new(),
            buckets: Vec::new(),
            items: Vec::with_capacity(frame.instances.len()),
            changed: Vec::new(),
            matrices: vec![IDENTITY],
            posed: Vec::new(),
            blended: Vec::new(),
            outlined: Vec::new(),
            lamps: Vec::new(),
        }
    }

    /// Adds the items of an instance, and returns the radius around them.
    fn add(
        &mut self,
        index: u32,
        instance: &Instance,
        picture: &Picture<'_>,
        work: &mut SceneWork<'_>,
        models: &mut BTreeMap<StringId, u64>,
        materials: &mut Materials,
    ) -> f32 {
        let is_sound = instance.position.is_finite()
            && instance.velocity.is_finite()
            && instance.orientation.is_finite()
            && instance.angular_velocity.is_finite()
            && instance.scale.is_finite();
        if instance.look & look::HIDDEN != 0 || !is_sound {
            return 0.0;
        }
        let by_model =
            if instance.model.is_none() { None } else { self.entry_of_tag(instance.model, work, models, materials) };
        let found = by_model.map(|entry| (entry, Vec3::ONE)).or_else(|| {
            let is_missing = instance.shape == Shape::None && !instance.model.is_none();
            let shape = if is_missing { Shape::Marker { radius: 1.0 } } else { instance.shape };
            self.entry_of_shape(&shape, picture, work, materials)
        });
        let Some((entry, size)) = found else { return 0.0 };
        self.add_items(index, instance, entry, size, materials);
        self.entries[entry].radius * size.max_component()
    }

    fn entry_of_tag(
        &mut self,
        tag: StringId,
        work: &mut SceneWork<'_>,
        models: &mut BTreeMap<StringId, u64>,
        materials: &mut Materials,
    ) -> Option<usize> {
        if let Some(entry) = self.by_tag.get(&tag) {
            return (*entry != usize::MAX).then_some(*entry);
        }
        let model = work.resources.model(tag, work.upload.source).ready();
        models.insert(tag, model.as_ref().map_or(0, |model| model.serial));
        let entry = model.and_then(|model| self.entry(model, work, materials));
        self.by_tag.insert(tag, entry.unwrap_or(usize::MAX));
        entry
    }

    fn entry_of_shape(
        &mut self,
        shape: &Shape,
        picture: &Picture<'_>,
        work: &mut SceneWork<'_>,
        materials: &mut Materials,
    ) -> Option<(usize, Vec3)> {
        if let Some((last, entry, size)) = self.last
            && last == *shape
        {
            return Some((entry, size));
        }
        let found = work.resources.shape(shape, picture.catalogue)?;
        let entry = self.entry(found.model, work, materials)?;
        self.last = Some((*shape, entry, found.scale));
        Some((entry, found.scale))
    }

    fn entry(
        &mut self,
        model: Arc<ModelResource>,
        work: &mut SceneWork<'_>,
        materials: &mut Materials,
    ) -> Option<usize> {
        if let Some(entry) = self.by_serial.get(&model.serial) {
            return Some(*entry);
        }
        let meshes = work.geometry.model(work.upload.device, work.upload.queue, &model)?.to_vec();
        let mut rows: Vec<u32> = Vec::with_capacity(meshes.len());
        let first_bucket = self.buckets.len() as u32;
        for (mesh, pooled) in model.meshes.iter().zip(meshes) {
            let tag = mesh.slot.and_then(|slot| model.slots.get(slot as usize)).copied().unwrap_or_default();
            let row = materials.row(tag, work.resources, work.upload);
            rows.push(row);
            self.buckets.push(BucketDraft { variant: materials.variant(row), mesh: pooled, count: 0 });
        }
        let rest = add_matrices(&model, &[], &mut self.matrices);
        let mut pieces = Vec::new();
        let mut radius = 0.0;
        for (index, node) in model.nodes.iter().enumerate() {
            for mesh in node.first_mesh..node.first_mesh.saturating_add(node.mesh_count) {
                let Some(resource) = model.meshes.get(mesh as usize) else { break };
                let is_skinned = node.skin.is_some_and(|skin| (skin as usize) < model.skins.len());
                let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
                let flags = flag(model.casts_shadow, part::CASTS)
                    | flag(model.receives_shadow, part::RECEIVES)
                    | flag(is_skinned, part::SKINNED);
                // Joints may reach far beyond the rest pose.
                let bounds = if is_skinned { &model.bounds } else { &resource.bounds };
                let reach = bounds.radius * if is_skinned { 1.6 } else { 1.0 };
                let own = self.matrices[rest as usize + index];
                radius = max(radius, reach_of(&own, bounds.centre, reach, is_skinned));
                self.parts.push(PartBlock {
                    rest: own,
                    sphere: bounds.centre.with_w(reach).to_array(),
                    bucket: first_bucket + mesh,
                    flags,
                    lod_factor: if model.lod_bias > 0.0 { model.lod_bias } else { 1.0 },
                    pad: 0,
                });
                pieces.push(ModelPiece {
                    part: self.parts.len() as u32 - 1,
                    material: rows[mesh as usize],
                    offset: node.skin.filter(|_| is_skinned).map_or(index as u32, |skin| skin_offset(&model, skin)),
                    is_skinned,
                });
            }
        }
        let entry = self.entries.len();
        self.by_serial.insert(model.serial, entry);
        self.entries.push(ModelEntry { model, pieces, rest, radius });
        Some(entry)
    }

    fn add_items(&mut self, index: u32, instance: &Instance, entry: usize, size: Vec3, materials: &mut Materials) {
        let entry = &self.entries[entry];
        if self.items.len() + entry.pieces.len() > ITEMS_MAX {
            return;
        }
        let has_pose = instance.pose.count > 0 && !instance.pose.of(&self.frame.poses).is_empty();
        let first = self.matrices.len() as u32;
        if has_pose {
            self.matrices.resize(self.matrices.len() + matrix_count(&entry.model), IDENTITY);
            self.posed.push(Posed { instance: index, model: Arc::clone(&entry.model), first });
        }
        for piece in &entry.pieces {
            let item = self.items.len() as u32;
            let mut material = piece.material;
            if instance.parameters.count > 0 {
                self.changed.push((item, materials.changed_row(material, index)));
                material = NONE;
            }
            let matrices = match (has_pose, piece.is_skinned) {
                (true, _) => first + piece.offset,
                (false, true) => entry.rest + piece.offset,
                (false, false) => NONE,
            };
            self.items.push(ItemBlock {
                instance: index,
                part: piece.part,
                material,
                matrices,
                size: size.to_array(),
                pad: 0,
            });
            let bucket = &mut self.buckets[self.parts[piece.part as usize].bucket as usize];
            let direct = || DirectItem { item, instance: index, mesh: bucket.mesh.clone() };
            if instance.look & (look::SELECTED | look::HOVERED) != 0 {
                self.outlined.push(direct());
            }
            if bucket.variant == Variant::Blended {
                self.blended.push(direct());
            } else {
                bucket.count += 1;
            }
        }
        for lamp in &entry.model.lights {
            let node = self.matrices.get((entry.rest + lamp.node) as usize).copied().unwrap_or(IDENTITY);
            let direction = Vec3::from_array(std::array::from_fn(|row| {
                Vec3::new(node[row][0], node[row][1], node[row][2]).dot(lamp.direction)
            }));
            let is_spot = lamp.kind == view::classes::model::LightKind::Spot;
            let range = if lamp.range > 0.0 { lamp.range } else { 30.0 };
            let light = view::Light {
                position: Vec3::new(node[0][3], node[1][3], node[2][3]),
                direction: if is_spot { direction } else { Vec3::ZERO },
                intensity: lamp.intensity,
                range,
                cone: if is_spot { lamp.cone[1] } else { -1.0 },
            };
            if lamp.kind != view::classes::model::LightKind::Directional {
                self.lamps.push(ModelLampPlace { instance: index, light });
            }
        }
    }

    /// Puts the buckets in the order of their pipelines, and gives each its slots and its room in the lists.
    fn finish(self, scene: &mut SceneTables) {
        let mut order: Vec<usize> = (0..self.buckets.len()).collect();
        order.sort_by_key(|index| self.buckets[*index].variant);
        let mut blocks = vec![
            BucketBlock { slot: 0, lods: 0, first: 0, capacity: 0, errors: [0.0; LEVELS_MAX] };
            self.buckets.len()
        ];
        let (mut slot, mut first) = (0, 0);
        let mut slots = [(0, 0); 3];
        let mut view_draws: Vec<DrawBlock> = Vec::new();
        for index in order {
            let draft = &self.buckets[index];
            if draft.variant == Variant::Blended || draft.count == 0 {
                continue;
            }
            let lods = draft.mesh.levels.len() as u32;
            let mut errors = [0.0; LEVELS_MAX];
            for (level, pooled) in draft.mesh.levels.iter().enumerate() {
                errors[level] = pooled.error;
                view_draws.push(DrawBlock {
                    index_count: pooled.index_count,
                    instance_count: 0,
                    first_index: pooled.first_index,
                    base_vertex: pooled.base_vertex,
                    first_instance: first + level as u32 * draft.count,
                });
            }
            blocks[index] = BucketBlock { slot, lods, first, capacity: draft.count, errors };
            let variant = &mut slots[draft.variant as usize];
            *variant = (if variant.1 == 0 { slot } else { variant.0 }, variant.1 + lods);
            slot += lods;
            first += lods * draft.count;
        }
        scene.list_length = first;
        scene.slots = slots;
        scene.draws.clear();
        for list in 0..=CASCADES_MAX as u32 {
            let own = |draw: &DrawBlock| DrawBlock { first_instance: draw.first_instance + list * first, ..*draw };
            scene.draws.extend(view_draws.iter().map(own));
        }
        scene.items = self.items;
        for (item, row) in self.changed {
            scene.items[item as usize].material = scene.materials.place_of(row);
        }
        (scene.parts, scene.buckets, scene.matrices) = (self.parts, blocks, self.matrices);
        (scene.posed, scene.blended, scene.outlined) = (self.posed, self.blended, self.outlined);
        scene.lamps = self.lamps;
    }
}

/// How far from the origin of the model a sphere around a mesh reaches.
fn reach_of(node: &MatrixRows, centre: Vec3, radius: f32, is_skinned: bool) -> f32 {
    if is_skinned {
        return centre.length() + radius;
    }
    let at = Vec3::from_array(node.map(|[x, y, z, w]| Vec3::new(x, y, z).dot(centre) + w));
    let scale = [0, 1, 2].map(|column| Vec3::new(node[0][column], node[1][column], node[2][column]).length());
    at.length() + radius * max(scale[0], max(scale[1], scale[2]))
}
