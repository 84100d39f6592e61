//! Draws: what an eye sees of a picture, as meshes with transforms and surfaces.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::number::{max, sqrt};
use base::{Mat3, Quat, StringId, Vec2, Vec3};
use view::classes::material::{AlphaMode, TextureWrap};
use view::classes::model::LightKind;
use view::instance::look;
use view::{Instance, Light, Picture};

use crate::colour::linear;
use crate::limits::{LIGHTS_MAX, PICTURE_TRIANGLES_MAX};
use crate::resources::{
    ContentSource, Loaded, MaterialConstants, MaterialMap, MaterialResource, MeshLod, ModelResource, Resources,
};
use crate::software::eye::Eye;
use crate::software::skin::{Placement, SkinnedVertices, node_placements, skinned};
use crate::software::texture::{SampledTexture, SampledTextures};

/// A mesh at its place.
pub struct Draw {
    model: Arc<ModelResource>,
    mesh: u32,
    lod: u32,
    /// The level of detail for shadows.
    shadow_lod: u32,
    /// The vertices of a skinned mesh, in the frame of the instance.
    pub skin: Option<Box<SkinnedVertices>>,
    /// From the mesh to the world, relative to the eye.
    pub place: Placement,
    /// From normals of the mesh to those of the world, not of unit length.
    pub normals: Mat3,
    /// Its surface, in `Draws::surfaces`.
    pub surface: u32,
    /// The colour of its instance in linear light.
    pub colour: Vec3,
    /// The bits of `Instance::look`.
    pub look: u16,
    /// Its bounding sphere, relative to the eye.
    pub centre: Vec3,
    /// The radius of the sphere.
    pub radius: f32,
    /// Whether its winding is reversed by a mirroring scale.
    pub is_mirrored: bool,
    /// Whether the eye may see it; otherwise it only casts a shadow.
    pub is_seen: bool,
}

/// A material with its textures, as one or more draws use it.
pub struct Surface {
    /// The values.
    pub constants: MaterialConstants,
    /// The textures of the maps.
    pub maps: [Option<SurfaceMap>; 5],
    /// What opacity means.
    pub alpha: AlphaMode,
    /// The opacity below which a mask is not drawn.
    pub alpha_cutoff: f32,
    /// Whether back faces are drawn.
    pub is_double_sided: bool,
    /// Whether it has no light.
    pub is_unlit: bool,
    /// Whether the colour of the instance counts.
    pub takes_colour: bool,
    /// Whether it is the default material, on which scenery shows grain.
    pub is_default: bool,
}

/// A map of a surface.
pub struct SurfaceMap {
    /// The texture.
    pub texture: Arc<SampledTexture>,
    /// Its layer.
    pub layer: u32,
    /// How it is applied.
    pub map: MaterialMap,
}

/// All draws of one eye.
#[derive(Default)]
pub struct Draws {
    /// The draws, in the order of the instances.
    pub list: Vec<Draw>,
    /// The surfaces of the draws.
    pub surfaces: Vec<Surface>,
    /// The lights of the models, relative to the eye.
    pub lights: Vec<Light>,
    /// The surfaces by material, for instances without parameters.
    known: BTreeMap<StringId, u32>,
}

/// What draws are gathered from.
pub struct Gathering<'a> {
    /// The picture.
    pub picture: &'a Picture<'a>,
    /// Where content comes from.
    pub source: ContentSource<'a>,
    /// The resources.
    pub resources: &'a mut Resources,
    /// The decoded textures.
    pub textures: &'a mut SampledTextures,
}

/// Beyond this distance and size, the arithmetic of the rasteriser loses its precision.
const FAR: f32 = 1e8;
/// Instances smaller than this are not drawn, in pixels.
const RADIUS_MIN: f32 = 0.3;
/// The error of a level of detail that is not seen, in pixels.
const ERROR_MAX: f32 = 0.4;

impl Draw {
    /// The vertices and triangles that are drawn.
    pub fn lod(&self) -> &MeshLod {
        &self.model.meshes[self.mesh as usize].lods[self.lod as usize]
    }

    /// The level of detail for shadows. A skinned mesh has one level alone.
    pub fn shadow_lod(&self) -> &MeshLod {
        let lod = if self.skin.is_some() { self.lod } else { self.shadow_lod };
        &self.model.meshes[self.mesh as usize].lods[lod as usize]
    }

    /// Whether it casts a shadow.
    pub fn casts_shadow(&self) -> bool {
        self.model.casts_shadow
    }

    /// Whether shadows fall on it.
    pub fn receives_shadow(&self) -> bool {
        self.model.receives_shadow
    }
}

impl Draws {
    /// Gathers what an eye sees. What is not seen is kept within `shadow_range`, for its shadows.
    pub fn gather(eye: &Eye, shadow_range: f32, gathering: &mut Gathering<'_>) -> Draws {
        let mut draws = Draws::default();
        let mut triangles = 0;
        let picture = gathering.picture;
        for instance in &picture.frame.instances {
            if instance.look & look::HIDDEN != 0 || !is_sound(instance) {
                continue;
            }
            let position = instance.position + instance.velocity * picture.ahead - eye.position;
            let turn = instance.orientation.normal().turned(instance.angular_velocity, picture.ahead);
            if !(position.length_squared() < FAR * FAR && turn.is_finite()) {
                continue;
            }
            triangles += draws.add(eye, instance, (position, turn), shadow_range, gathering);
            if triangles > PICTURE_TRIANGLES_MAX {
                break;
            }
        }
        draws
    }

    /// Adds the meshes of an instance, and returns the number of their triangles.
    fn add(
        &mut self,
        eye: &Eye,
        instance: &Instance,
        (position, turn): (Vec3, Quat),
        shadow_range: f32,
        gathering: &mut Gathering<'_>,
    ) -> usize {
        let model = match instance.model.is_none() {
            true => Loaded::Failed,
            false => gathering.resources.model(instance.model, gathering.source),
        };
        let (model, scale) = match model.ready() {
            Some(model) => (model, Vec3::splat(instance.scale)),
            None => match gathering.resources.shape(&instance.shape, gathering.picture.catalogue) {
                Some(shape) => (shape.model, shape.scale * instance.scale),
                None => return 0,
            },
        };
        let largest = scale.abs().max_component();
        let placement = Placement::new(position, turn.matrix() * Mat3::from_diagonal(scale));
        let poses = instance.pose.of(&gathering.picture.frame.poses);
        // A pose moves nodes beyond the bounds of the rest pose.
        let slack = if poses.is_empty() { 1.0 } else { 1.6 };
        let (centre, radius) = (placement.point(model.bounds.centre), model.bounds.radius * largest * slack);
        let depth = max(centre.dot(eye.forward), eye.near);
        let is_seen = eye.sees(centre, radius) && radius * eye.focal > RADIUS_MIN * depth;
        let casts = model.casts_shadow && centre.length_squared() < shadow_range * shadow_range;
        let is_bounded = centre.is_finite() && radius < FAR;
        if !(is_seen || casts) || !is_bounded {
            return 0;
        }
        let parameters = instance.parameters.of(&gathering.picture.frame.parameters);
        let nodes = node_placements(&model, poses);
        let colour = Vec3::from_array(linear(instance.colour));
        self.add_lights(&model, &placement, &nodes);
        let mut triangles = 0;
        for (index, node) in model.nodes.iter().enumerate() {
            for mesh in node.first_mesh..node.first_mesh + node.mesh_count {
                let resource = &model.meshes[mesh as usize];
                let slot = resource.slot.and_then(|slot| model.slots.get(slot as usize)).copied();
                let surface = self.surface(slot.unwrap_or_default(), parameters, gathering);
                let skin = node.skin.filter(|_| !resource.lods[0].joints.is_empty());
                let place = if skin.is_some() { placement } else { placement.then(&nodes[index]) };
                let detail = Detail { eye, depth, distance: sqrt(centre.length_squared()), scale: largest };
                let lod = detail.level(&model, mesh, ERROR_MAX);
                let skin = skin.map(|skin| Box::new(skinned(&model, skin, &resource.lods[lod as usize], &nodes)));
                triangles += resource.lods[lod as usize].triangles();
                self.list.push(Draw {
                    shadow_lod: detail.level(&model, mesh, ERROR_MAX * 2.5),
                    model: Arc::clone(&model),
                    mesh,
                    lod,
                    skin,
                    normals: place.normals(),
                    is_mirrored: place.matrix.determinant() < 0.0,
                    place,
                    surface,
                    colour,
                    look: instance.look,
                    centre,
                    radius,
                    is_seen,
                });
            }
        }
        triangles
    }

    /// Adds the lights of a model. Those without a range reach as far as they are seen.
    fn add_lights(&mut self, model: &ModelResource, placement: &Placement, nodes: &[Placement]) {
        for lamp in model.lights.iter().filter(|lamp| lamp.kind != LightKind::Directional) {
            if self.lights.len() >= LIGHTS_MAX {
                return;
            }
            let place = placement.then(&nodes[lamp.node as usize]);
            let is_spot = lamp.kind == LightKind::Spot;
            let range = if lamp.range > 0.0 { lamp.range } else { sqrt(lamp.intensity.max_component() * 50.0) };
            self.lights.push(Light {
                position: place.origin,
                direction: if is_spot { (place.matrix * lamp.direction).normal() } else { Vec3::ZERO },
                intensity: lamp.intensity,
                range,
                cone: if is_spot { lamp.cone[1] } else { -1.0 },
            });
        }
    }

    /// The index of the surface of a material.
    fn surface(&mut self, tag: StringId, parameters: &[view::Parameter], gathering: &mut Gathering<'_>) -> u32 {
        let is_shared = parameters.is_empty();
        if is_shared && let Some(known) = self.known.get(&tag) {
            return *known;
        }
        let material = match tag.is_none() {
            true => None,
            false => gathering.resources.material(tag, gathering.source).ready(),
        };
        let surface = match &material {
            Some(material) => Surface::of(material, parameters, gathering),
            None => Surface::of(&MaterialResource::default(), parameters, gathering),
        };
        self.surfaces.push(surface);
        let index = self.surfaces.len() as u32 - 1;
        if is_shared {
            self.known.insert(tag, index);
        }
        index
    }
}

impl Surface {
    fn of(material: &MaterialResource, parameters: &[view::Parameter], gathering: &mut Gathering<'_>) -> Surface {
        let constants = material.constants.with(material.tag, parameters);
        let maps = material.maps.map(|mut map| {
            if map.bitmap.is_none() {
                return None;
            }
            map.columns[2] += Vec2::new(constants.texture_offset[0], constants.texture_offset[1]);
            let (texture, layer) = match gathering.resources.texture(map.bitmap, gathering.source) {
                Loaded::Ready(resource) => {
                    (gathering.textures.get(&resource), resource.layer_at(gathering.picture.seconds()))
                }
                Loaded::Loading | Loaded::Failed => (Arc::new(SampledTexture::checker()), 0),
            };
            Some(SurfaceMap { texture, layer, map })
        });
        // The checker pattern is a colour: as a map of anything else it would only be noise.
        let maps =
            maps.map(|map| map.filter(|map| map.texture.size() != [8, 8] || map.map.bitmap == material.maps[0].bitmap));
        Surface {
            constants,
            maps,
            alpha: material.alpha,
            alpha_cutoff: material.alpha_cutoff,
            is_double_sided: material.is_double_sided,
            is_unlit: material.is_unlit,
            takes_colour: material.takes_colour,
            is_default: material.tag.is_none(),
        }
    }
}

/// How near a model is, for the choice of its level of detail.
struct Detail<'a> {
    eye: &'a Eye,
    depth: f32,
    distance: f32,
    scale: f32,
}

impl Detail<'_> {
    /// The coarsest level whose error is not seen, or the one of its distance.
    fn level(&self, model: &ModelResource, mesh: u32, error_max: f32) -> u32 {
        let lods = &model.meshes[mesh as usize].lods;
        let last = lods.len() as u32 - 1;
        if !model.lod_distances.is_empty() {
            let distance = self.distance / model.lod_bias;
            return (model.lod_distances.iter().filter(|begin| **begin <= distance).count() as u32).min(last);
        }
        let pixels = self.scale * self.eye.focal / (self.depth * model.lod_bias);
        let is_fine = |lod: &MeshLod| lod.error * pixels < error_max;
        lods.iter().rposition(is_fine).unwrap_or(0) as u32
    }
}

fn is_sound(instance: &Instance) -> bool {
    instance.position.is_finite()
        && instance.orientation.is_finite()
        && instance.velocity.is_finite()
        && instance.angular_velocity.is_finite()
        && instance.scale.is_finite()
        && instance.scale != 0.0
}

/// How a bitmap without material is wrapped.
pub const CLAMPED: [TextureWrap; 2] = [TextureWrap::Clamp; 2];
