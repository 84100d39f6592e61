//! Shading: the light that a point of a surface sends to the eye.
//!
//! The sun and point lights by a microfacet model (GGX: Walter et al. 2007, with the visibility of Karis 2014), a hemisphere of
//! ambient light for the diffuse part and for reflections (Karis' approximation of the environment), and a faint rim.

use base::number::{exp, max, sqrt};
use base::{Vec2, Vec3};
use view::Light;
use view::classes::material::AlphaMode;
use view::instance::look;

use crate::colour::within_unit;
use crate::resources::{MapSlot, SkyResource};
use crate::software::decals::PlacedDecal;
use crate::software::draws::{Draw, Draws, Surface, SurfaceMap};
use crate::software::eye::Eye;
use crate::software::geometry::{Chunk, STEPS, Triangle};
use crate::software::grain::grain;
use crate::software::shadow::ShadowMap;

/// What all points of a view share.
pub struct Shading<'a> {
    /// The eye.
    pub eye: &'a Eye,
    /// The draws.
    pub draws: &'a Draws,
    /// The sky.
    pub sky: &'a SkyResource,
    /// The up direction of the level.
    pub up: Vec3,
    /// The shadows of the sun.
    pub shadow: Option<&'a ShadowMap>,
    /// The lights, relative to the eye.
    pub lights: &'a [Light],
    /// The decals, relative to the eye.
    pub decals: &'a [PlacedDecal],
}

/// What of a view concerns a tile: the indices of its lights and decals.
#[derive(Default)]
pub struct Nearby {
    /// The lights.
    pub lights: Vec<u16>,
    /// The decals.
    pub decals: Vec<u16>,
}

/// A point of a surface.
struct SurfacePoint {
    /// Relative to the eye.
    position: Vec3,
    /// Towards the eye.
    to_eye: Vec3,
    normal: Vec3,
    base: Vec3,
    roughness: f32,
    metallic: f32,
    occlusion: f32,
    emitted: Vec3,
    opacity: f32,
}

/// The weights of the vertices of a triangle at a pixel coordinate.
struct Weights {
    vertices: [f32; 3],
    depth: f32,
}

const PI: f32 = base::number::PI;

impl Shading<'_> {
    /// The light and opacity of a triangle at the centre of a pixel.
    pub fn light_at(&self, chunk: &Chunk, triangle: &Triangle, x: i32, y: i32, nearby: &Nearby) -> ([f32; 3], f32) {
        let draw = &self.draws.list[triangle.draw as usize];
        let surface = &self.draws.surfaces[draw.surface as usize];
        let weights = weights_at(chunk, triangle, [x * STEPS + STEPS / 2, y * STEPS + STEPS / 2]);
        let ray = self.eye.ray(x as f32 + 0.5, y as f32 + 0.5);
        let mut point = self.point(chunk, triangle, (x, y), ray, &weights, draw, surface);
        if surface.is_default && draw.look & look::FIXED != 0 {
            point.base = point.base.times(self.grain_at(&point));
        }
        for decal in &nearby.decals {
            self.decals[usize::from(*decal)].apply(point.position, point.normal, &mut point.base);
        }
        let light = if surface.is_unlit { point.base + point.emitted } else { self.lit(&point, draw, nearby) };
        let light = self.through_fog(light, sqrt(point.position.length_squared()));
        (light.to_array(), point.opacity)
    }

    /// Whether a pixel of a surface with a mask is drawn.
    pub fn keeps(&self, chunk: &Chunk, triangle: &Triangle, x: i32, y: i32) -> bool {
        let draw = &self.draws.list[triangle.draw as usize];
        let surface = &self.draws.surfaces[draw.surface as usize];
        let Some(map) = &surface.maps[MapSlot::BaseColour as usize] else {
            return surface.constants.base_colour[3] >= surface.alpha_cutoff;
        };
        let at = |x: i32, y: i32| weights_at(chunk, triangle, [x * STEPS + STEPS / 2, y * STEPS + STEPS / 2]);
        let coordinates =
            [at(x, y), at(x + 1, y), at(x, y + 1)].map(|weights| uv(draw, triangle, &weights, map.map.set));
        let texel = sampled(map, coordinates);
        texel[3] * surface.constants.base_colour[3] >= surface.alpha_cutoff
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "all of them are needed for each map, and a struct would be built per pixel"
    )]
    fn point(
        &self,
        chunk: &Chunk,
        triangle: &Triangle,
        (x, y): (i32, i32),
        ray: Vec3,
        weights: &Weights,
        draw: &Draw,
        surface: &Surface,
    ) -> SurfacePoint {
        let position = ray * weights.depth;
        let to_eye = -ray.normal_or(self.eye.forward);
        let lod = draw.lod();
        let normals = draw.skin.as_ref().map_or(&lod.normals, |skin| &skin.normals);
        let local = blended(normals, triangle.vertices, &weights.vertices);
        let mut normal = (draw.normals * local).normal_or(to_eye);
        let constants = &surface.constants;
        let [red, green, blue, opacity] = constants.base_colour;
        let mut point = SurfacePoint {
            position,
            to_eye,
            normal,
            base: Vec3::new(red, green, blue),
            roughness: constants.roughness,
            metallic: constants.metallic,
            occlusion: 1.0,
            emitted: Vec3::from_array(constants.emissive) * constants.emissive_strength,
            opacity,
        };
        if surface.takes_colour {
            point.base = point.base.times(draw.colour);
            point.emitted = point.emitted.times(draw.colour);
        }
        if !lod.colours.is_empty() {
            let colours = triangle.vertices.map(|vertex| lod.colours[vertex as usize]);
            let [a, b, c] = weights.vertices;
            let colour = colours[0] * a + colours[1] * b + colours[2] * c;
            point.base = point.base.times(colour.xyz());
            point.opacity *= colour.w;
        }
        if surface.maps.iter().any(|map| map.is_some()) {
            let at = |x: i32, y: i32| weights_at(chunk, triangle, [x * STEPS + STEPS / 2, y * STEPS + STEPS / 2]);
            let near = [at(x, y), at(x + 1, y), at(x, y + 1)];
            let sets = [0, 1].map(|set| near.each_ref().map(|weights| uv(draw, triangle, weights, set)));
            normal = apply_maps(&mut point, surface, sets, |bent| {
                let tangents = triangle.vertices.map(|vertex| lod.tangents.get(vertex as usize).copied());
                bent_normal(draw, tangents, normal, bent)
            });
        }
        if surface.is_double_sided && normal.dot(to_eye) < 0.0 {
            normal = -normal;
        }
        point.normal = normal;
        if surface.alpha != AlphaMode::Blend {
            point.opacity = 1.0;
        }
        point
    }

    /// The light of a point that reflects.
    fn lit(&self, point: &SurfacePoint, draw: &Draw, nearby: &Nearby) -> Vec3 {
        let sky = self.sky;
        let normal_eye = max(point.normal.dot(point.to_eye), 0.02);
        let diffuse = point.base * (1.0 - point.metallic);
        let specular = Vec3::splat(0.04) + (point.base - Vec3::splat(0.04)) * point.metallic;
        let roughness = if point.roughness < 0.08 { 0.08 } else { within_unit(point.roughness) };
        let gloss = Gloss { roughness, normal_eye, specular, diffuse };

        let mut light = Vec3::ZERO;
        let normal_sun = point.normal.dot(sky.sun_direction);
        if normal_sun > 0.0 {
            let shade = match self.shadow {
                Some(shadow) if draw.receives_shadow() => shadow.light_at(point.position, point.normal, normal_sun),
                _ => 1.0,
            };
            if shade > 0.0 {
                light += gloss.reflected(point, sky.sun_direction, normal_sun).times(sky.sun_light) * shade;
            }
        }
        for index in &nearby.lights {
            light += self.light_of(&self.lights[usize::from(*index)], point, &gloss);
        }
        let above = point.normal.dot(self.up) * 0.5 + 0.5;
        let hemisphere = |above: f32| sky.ambient[1] + (sky.ambient[0] - sky.ambient[1]) * above;
        let mirrored = point.normal * (2.0 * normal_eye) - point.to_eye;
        let mirrored_above = mirrored.dot(self.up);
        // A mirror shows the light from above; a rough surface a mixture.
        let sharp = (1.0 - roughness) * 2.0 + 0.8;
        let reflected = hemisphere(within_unit(mirrored_above * sharp * 0.5 + 0.5)) * 1.35;
        let [scale, bias] = gloss.environment();
        let ambient = hemisphere(above).times(diffuse) + reflected.times(specular * scale + Vec3::splat(bias));
        let grazing = 1.0 - normal_eye;
        let rim = sky.ambient[0] * (grazing * grazing * grazing * 0.35 * (0.4 + 0.6 * above));
        light + (ambient + rim.times(point.base * 0.5 + Vec3::splat(0.5))) * point.occlusion + point.emitted
    }

    /// The factor of the grain of scenery without a material, so that its size can be seen.
    fn grain_at(&self, point: &SurfacePoint) -> Vec3 {
        // The size of a pixel there: smaller features are left out, or they would flicker.
        let depth = point.position.dot(self.eye.forward);
        let width = depth / (self.eye.focal * max(point.normal.dot(point.to_eye), 0.05));
        grain(point.position + self.eye.position, width)
    }

    fn light_of(&self, light: &Light, point: &SurfacePoint, gloss: &Gloss) -> Vec3 {
        let towards = light.position - point.position;
        let square = towards.length_squared();
        if square >= light.range * light.range {
            return Vec3::ZERO;
        }
        let direction = towards * (1.0 / sqrt(max(square, 1e-12)));
        let normal_light = point.normal.dot(direction);
        if normal_light <= 0.0 {
            return Vec3::ZERO;
        }
        let part = square / (light.range * light.range);
        let window = (1.0 - part * part) * (1.0 - part * part);
        let mut strength = window / (square + 0.01);
        if light.cone > -1.0 {
            let cosine = -direction.dot(light.direction);
            strength *= within_unit((cosine - light.cone) / max((1.0 - light.cone) * 0.3, 1e-3));
        }
        gloss.reflected(point, direction, normal_light).times(light.intensity) * strength
    }

    /// What remains of light after a distance of fog.
    #[inline]
    pub fn through_fog(&self, light: Vec3, distance: f32) -> Vec3 {
        if self.sky.fog_density <= 0.0 {
            return light;
        }
        let clear = exp(-max(self.sky.fog_density * distance, 0.0));
        self.sky.fog_colour + (light - self.sky.fog_colour) * clear
    }
}

/// The reflection of a point.
struct Gloss {
    roughness: f32,
    normal_eye: f32,
    specular: Vec3,
    diffuse: Vec3,
}

impl Gloss {
    /// The part of the light from a direction that goes to the eye, times the cosine.
    #[inline]
    fn reflected(&self, point: &SurfacePoint, direction: Vec3, cosine: f32) -> Vec3 {
        let half = (direction + point.to_eye).normal_or(point.normal);
        let normal_half = max(point.normal.dot(half), 0.0);
        let eye_half = max(point.to_eye.dot(half), 0.0);
        let alpha = self.roughness * self.roughness;
        let square = alpha * alpha;
        let spread = normal_half * normal_half * (square - 1.0) + 1.0;
        let distribution = square / (PI * spread * spread);
        let k = (self.roughness + 1.0) * (self.roughness + 1.0) * 0.125;
        let visibility = 0.25 / ((cosine * (1.0 - k) + k) * (self.normal_eye * (1.0 - k) + k));
        let grazing = 1.0 - eye_half;
        let fresnel = grazing * grazing * grazing * grazing * grazing;
        let mirror = self.specular + (Vec3::ONE - self.specular) * fresnel;
        (self.diffuse * (1.0 / PI) + mirror * (distribution * visibility)) * cosine
    }

    /// The factor and the summand of the specular colour for the light from everywhere (Karis 2014).
    #[inline]
    fn environment(&self) -> [f32; 2] {
        let c0 = [-1.0, -0.0275, -0.572, 0.022];
        let c1 = [1.0, 0.0425, 1.04, -0.04];
        let r: [f32; 4] = std::array::from_fn(|at| self.roughness * c0[at] + c1[at]);
        // 2 to the power of −9.28·cosine, as a rational function: 1 ∕ (1 + x + x² ∕ 2)² is near enough.
        let x = self.normal_eye * 3.216;
        let fall = 1.0 / ((1.0 + x + x * x * 0.5) * (1.0 + x + x * x * 0.5));
        let smaller = if r[0] * r[0] < fall { r[0] * r[0] } else { fall };
        let a = smaller * r[0] + r[1];
        [-1.04 * a + r[2], 1.04 * a + r[3]]
    }
}

/// The weights of the vertices at a place in sixteenths of pixels, perspective-correct, and the depth there. Outside of the
/// triangle, that of the nearest point or so.
#[inline]
fn weights_at(chunk: &Chunk, triangle: &Triangle, [x, y]: [i32; 2]) -> Weights {
    let [a, b, c] = triangle.corners;
    let edge = |from: [i32; 2], to: [i32; 2]| {
        let (dx, dy) = ((to[0] - from[0]) as f32, (to[1] - from[1]) as f32);
        let value = dx * (y - from[1]) as f32 - dy * (x - from[0]) as f32;
        if value > 0.0 { value } else { 0.0 }
    };
    let flat = [edge(b, c), edge(c, a), edge(a, b)];
    let sum = flat[0] + flat[1] + flat[2];
    let inverse: [f32; 3] = std::array::from_fn(|at| flat[at] * triangle.inverse[at]);
    let total = inverse[0] + inverse[1] + inverse[2];
    if total <= 0.0 || total.is_nan() {
        return Weights { vertices: [1.0, 0.0, 0.0], depth: 1.0 / triangle.inverse[0] };
    }
    let corners = inverse.map(|value| value / total);
    let vertices = match chunk.clipped.get((triangle.clipped as usize).wrapping_sub(1)) {
        None => corners,
        Some(clipped) => (clipped[0] * corners[0] + clipped[1] * corners[1] + clipped[2] * corners[2]).to_array(),
    };
    Weights { vertices, depth: sum / total }
}

#[inline]
fn blended(list: &[Vec3], vertices: [u32; 3], weights: &[f32; 3]) -> Vec3 {
    let [a, b, c] = vertices.map(|vertex| list[vertex as usize]);
    a * weights[0] + b * weights[1] + c * weights[2]
}

/// The texture coordinates of a point; those of a box if the mesh has none.
fn uv(draw: &Draw, triangle: &Triangle, weights: &Weights, set: u8) -> Vec2 {
    let lod = draw.lod();
    let list = if lod.uvs[usize::from(set)].is_empty() { &lod.uvs[0] } else { &lod.uvs[usize::from(set)] };
    if list.is_empty() {
        return Vec2::ZERO;
    }
    let [a, b, c] = triangle.vertices.map(|vertex| list[vertex as usize]);
    a * weights.vertices[0] + b * weights.vertices[1] + c * weights.vertices[2]
}

/// A texel of a map, given the coordinates at a pixel, at the next and at the one below.
fn sampled(map: &SurfaceMap, coordinates: [Vec2; 3]) -> [f32; 4] {
    let [columns_u, columns_v, offset] = map.map.columns;
    let [here, right, below] = coordinates.map(|uv| columns_u * uv.x + columns_v * uv.y + offset);
    let level = map.texture.level_for([right - here, below - here]);
    map.texture.sample(here, map.map.wrap, max(level, 0.0), map.layer, map.map.is_smooth)
}

/// Applies the maps of a surface to a point, and returns its normal.
fn apply_maps(
    point: &mut SurfacePoint,
    surface: &Surface,
    sets: [[Vec2; 3]; 2],
    bend: impl FnOnce(Vec2) -> Vec3,
) -> Vec3 {
    let at = |slot: MapSlot| {
        surface.maps[slot as usize].as_ref().map(|map| sampled(map, sets[usize::from(map.map.set & 1)]))
    };
    if let Some([red, green, blue, alpha]) = at(MapSlot::BaseColour) {
        point.base = point.base.times(Vec3::new(red, green, blue));
        point.opacity *= alpha;
    }
    if let Some([_, roughness, metallic, _]) = at(MapSlot::MetallicRoughness) {
        point.roughness *= roughness;
        point.metallic *= metallic;
    }
    if let Some([occlusion, ..]) = at(MapSlot::Occlusion) {
        point.occlusion = 1.0 + (occlusion - 1.0) * surface.constants.occlusion_strength;
    }
    if let Some([red, green, blue, _]) = at(MapSlot::Emissive) {
        point.emitted = point.emitted.times(Vec3::new(red, green, blue));
    }
    match at(MapSlot::Normal) {
        Some([x, y, ..]) => bend(Vec2::new(x * 2.0 - 1.0, y * 2.0 - 1.0) * surface.constants.normal_scale),
        None => point.normal,
    }
}

/// The normal of a normal map, in the world.
fn bent_normal(draw: &Draw, tangents: [Option<base::Vec4>; 3], normal: Vec3, bent: Vec2) -> Vec3 {
    let Some(tangent) = tangents[0] else { return normal };
    let along = (draw.place.matrix * tangent.xyz()).normal();
    let along = (along - normal * along.dot(normal)).normal();
    let across = normal.cross(along) * tangent.w;
    let rest = 1.0 - bent.x * bent.x - bent.y * bent.y;
    let z = if rest > 0.04 { sqrt(rest) } else { 0.2 };
    (along * bent.x + across * bent.y + normal * z).normal_or(normal)
}
