//! The shadows of the sun: one map of heights towards the sun, around what the eye sees.

use base::number::{clamp, floor, sqrt};
use base::{Mat3, Vec3};

use crate::colour::within_unit;
use crate::software::draws::Draws;
use crate::software::eye::Eye;
use crate::software::threads::for_each;
use crate::software::whole::whole;

/// The width and height of the map, in texels.
const SIDE: usize = 1536;
/// The rows that are drawn at once.
const BAND: usize = 192;
/// Casters smaller than this are left out, in texels.
const CASTER_MIN: f32 = 0.6;
/// The height of a texel on which nothing lies.
const NOTHING: f32 = -1e30;

/// A map of the heights of what lies towards the sun.
pub struct ShadowMap {
    /// Across the map, down the map, and towards the sun.
    axes: [Vec3; 3],
    /// The place of the first texel along the two axes, relative to the eye.
    corner: [f32; 2],
    /// Texels per metre.
    density: f32,
    heights: Vec<f32>,
}

impl ShadowMap {
    /// An empty map.
    pub fn new() -> ShadowMap {
        ShadowMap { axes: [Vec3::X, Vec3::Y, Vec3::Z], corner: [0.0; 2], density: 1.0, heights: Vec::new() }
    }

    /// Draws the map of what lies within a range of the eye.
    pub fn draw(&mut self, eye: &Eye, draws: &Draws, sun: Vec3, range: f32, threads: usize) {
        let across = sun.perpendicular();
        let down = sun.cross(across);
        self.axes = [across, down, sun];
        let radius = range * 0.75;
        self.density = SIDE as f32 / (2.0 * radius);
        let centre = eye.forward * (range * 0.5);
        // At whole texels of the world, so that shadows do not swim when the eye moves.
        self.corner = [across, down].map(|axis| {
            let world = (eye.position + centre).dot(axis) - radius;
            floor(world * self.density) / self.density - eye.position.dot(axis)
        });
        self.heights.resize(SIDE * SIDE, NOTHING);
        let casters = self.casters(draws);
        let (axes, corner, density) = (self.axes, self.corner, self.density);
        let mut bands: Vec<&mut [f32]> = self.heights.chunks_mut(SIDE * BAND).collect();
        for_each(threads, &mut bands, |index, heights| {
            heights.fill(NOTHING);
            let mut band = Band { first: (index * BAND) as f32, heights, places: Vec::new() };
            for (caster, top, bottom) in &casters {
                if *bottom >= band.first && *top <= band.first + BAND as f32 {
                    band.draw(draws, *caster, axes, corner, density);
                }
            }
        });
    }

    /// The draws that cast a shadow on the map, with the rows they cover.
    fn casters(&self, draws: &Draws) -> Vec<(u32, f32, f32)> {
        let mut casters = Vec::new();
        for (index, draw) in draws.list.iter().enumerate() {
            let radius = draw.radius * self.density;
            let [x, y] = [0, 1].map(|at| (draw.centre.dot(self.axes[at]) - self.corner[at]) * self.density);
            let is_on = x + radius > 0.0 && x - radius < SIDE as f32 && y + radius > 0.0 && y - radius < SIDE as f32;
            if is_on && radius > CASTER_MIN && draw.casts_shadow() {
                casters.push((index as u32, y - radius, y + radius));
            }
        }
        casters
    }

    /// The part of the sun's light that reaches a point, relative to the eye.
    #[inline]
    pub fn light_at(&self, point: Vec3, normal: Vec3, cosine: f32) -> f32 {
        let texel = 1.0 / self.density;
        // Offset along the normal, more where the light grazes (normal offset shadows, Holbert 2011).
        let slope = sqrt(within_unit(1.0 - cosine * cosine));
        let point = point + normal * (texel * (0.6 + 1.6 * slope));
        let x = (point.dot(self.axes[0]) - self.corner[0]) * self.density - 0.5;
        let y = (point.dot(self.axes[1]) - self.corner[1]) * self.density - 0.5;
        let most = SIDE as f32 - 3.0;
        if !(x > 2.0 && x < most && y > 2.0 && y < most) {
            return 1.0;
        }
        let height = point.dot(self.axes[2]) + texel * 0.5;
        let (column, row) = (x as usize, y as usize);
        let (part_x, part_y) = (x - column as f32, y - row as f32);
        let weights = |part: f32| [1.0 - part, 1.0, 1.0, part];
        let (across, down) = (weights(part_x), weights(part_y));
        let mut light = 0.0;
        for (step, weight) in down.into_iter().enumerate() {
            let start = (row + step - 1) * SIDE + column - 1;
            let heights = &self.heights[start..start + 4];
            let lit = |at: usize| if heights[at] <= height { across[at] } else { 0.0 };
            light += (lit(0) + lit(1) + lit(2) + lit(3)) * weight;
        }
        // Shadows fade towards the border of the map.
        let edge = |value: f32| clamp((if value < most - value { value } else { most - value }) * 0.02, 0.0, 1.0);
        let fade = if edge(x) < edge(y) { edge(x) } else { edge(y) };
        1.0 + (light * (1.0 / 9.0) - 1.0) * fade
    }
}

/// Some rows of the map.
struct Band<'a> {
    first: f32,
    heights: &'a mut [f32],
    places: Vec<Vec3>,
}

impl Band<'_> {
    fn draw(&mut self, draws: &Draws, caster: u32, axes: [Vec3; 3], corner: [f32; 2], density: f32) {
        let draw = &draws.list[caster as usize];
        let lod = draw.shadow_lod();
        let positions = draw.skin.as_ref().map_or(&lod.positions, |skin| &skin.positions);
        // Texel coordinates within the band, and the height.
        let turn = Mat3::from_columns(axes[0], axes[1], axes[2]).transpose();
        let scale = Mat3::from_diagonal(Vec3::new(density, density, 1.0));
        let matrix = scale * turn * draw.place.matrix;
        let at = turn * draw.place.origin - Vec3::new(corner[0], corner[1], 0.0);
        let origin = Vec3::new(at.x * density - 0.5, at.y * density - 0.5 - self.first, at.z);
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend(positions.iter().map(|position| matrix * *position + origin));
        // What faces away from the sun lies under what faces it, but for single sheets.
        let culls = !draws.surfaces[draw.surface as usize].is_double_sided;
        let facing = if draw.is_mirrored { -1.0 } else { 1.0 };
        for corners in lod.indices.as_chunks::<3>().0 {
            self.triangle(corners.map(|corner| places[corner as usize]), culls, facing);
        }
        self.places = places;
    }

    fn triangle(&mut self, [a, b, c]: [Vec3; 3], culls: bool, facing: f32) {
        let (u, v) = (b - a, c - a);
        let area = u.x * v.y - u.y * v.x;
        if area.is_nan() || (-1e-6..=1e-6).contains(&area) || (culls && area * facing < 0.0) {
            return;
        }
        let least = |x: f32, y: f32, z: f32| base::number::min(x, base::number::min(y, z));
        let most = |x: f32, y: f32, z: f32| base::number::max(x, base::number::max(y, z));
        let (x0, x1) = (least(a.x, b.x, c.x), most(a.x, b.x, c.x));
        let (y0, y1) = (least(a.y, b.y, c.y), most(a.y, b.y, c.y));
        if !(x1 >= 0.0 && y1 >= 0.0 && x0 < SIDE as f32 && y0 < BAND as f32) {
            return;
        }
        let scale = 1.0 / area;
        let first_x = if x0 > 0.0 { -whole(-x0) as usize } else { 0 };
        let last_x = if x1 < SIDE as f32 - 1.0 { x1 as usize } else { SIDE - 1 };
        let first_y = if y0 > 0.0 { -whole(-y0) as usize } else { 0 };
        let last_y = if y1 < BAND as f32 - 1.0 { y1 as usize } else { BAND - 1 };
        if first_x > last_x || first_y > last_y {
            return;
        }
        for y in first_y..=last_y {
            let py = y as f32 - a.y;
            let row = &mut self.heights[y * SIDE + first_x..=y * SIDE + last_x];
            for (step, height) in row.iter_mut().enumerate() {
                let px = (first_x + step) as f32 - a.x;
                let second = (px * v.y - py * v.x) * scale;
                let third = (u.x * py - u.y * px) * scale;
                let is_inside = (second >= 0.0) & (third >= 0.0) & (second + third <= 1.0);
                let here = a.z + u.z * second + v.z * third;
                if is_inside & (here > *height) {
                    *height = here;
                }
            }
        }
    }
}

/// The range within which shadows are drawn: where most of what the eye sees is.
pub fn range_of(eye: &Eye, positions: impl Iterator<Item = Vec3>) -> f32 {
    let mut distances: Vec<f32> = positions
        .map(|position| position - eye.position)
        .filter(|offset| offset.is_finite() && eye.sees(*offset, 1.0))
        .map(|offset| offset.length())
        .take(8192)
        .collect();
    distances.sort_by(f32::total_cmp);
    let most = distances.get(distances.len() * 4 / 5).copied().unwrap_or(20.0);
    clamp(most * 1.25, 8.0, 5000.0)
}
