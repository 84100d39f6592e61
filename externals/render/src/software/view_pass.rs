//! The pass over tiles: visibility, shading, blending.

use base::Vec3;
use view::classes::material::AlphaMode;
use view::instance::look;

use crate::colour::LUMINANCE;
use crate::limits::{TILE_DECALS_MAX, TILE_LIGHTS_MAX};
use crate::software::background::EyeBackground;
use crate::software::bins::{TILE, TileGrid};
use crate::software::eye::Eye;
use crate::software::flats::Flats;
use crate::software::geometry::{Chunk, Triangle};
use crate::software::shade::{Nearby, Shading};
use crate::software::threads::for_each;
use crate::software::tile::{NOTHING, TILE_PIXELS, TileSamples, TileTriangle};

/// All that is needed to draw the tiles of a view.
pub struct ViewPass<'a> {
    /// How surfaces are shaded.
    pub shading: &'a Shading<'a>,
    /// What lies behind them.
    pub background: &'a EyeBackground<'a>,
    /// The triangles that hide what lies behind.
    pub opaque: &'a [Chunk],
    /// The triangles that are blended, from back to front.
    pub blended: &'a [Chunk],
    /// Particles, ribbons and lines.
    pub flats: &'a Flats,
    /// The tiles.
    pub grid: TileGrid,
}

/// Where a view is drawn to.
pub struct ViewTarget<'a> {
    /// The light of all pixels.
    pub light: &'a mut [[f32; 3]],
    /// The samples of all pixels that are selected and under the pointer.
    pub marks: &'a mut [[u8; 2]],
    /// The size of the picture.
    pub size: [u32; 2],
}

/// The rows of pixels of a row of tiles.
struct TileRow<'a> {
    light: &'a mut [[f32; 3]],
    marks: &'a mut [[u8; 2]],
}

/// What a thread needs for a tile.
struct Bench {
    samples: TileSamples,
    light: Vec<[f32; 3]>,
    stars: Vec<Vec3>,
    nearby: Nearby,
}

impl ViewPass<'_> {
    /// Draws all tiles of the view.
    pub fn draw(&self, target: ViewTarget<'_>, threads: usize) {
        let wide = target.size[0] as usize * TILE as usize;
        let rows = target.light.chunks_mut(wide).zip(target.marks.chunks_mut(wide));
        let mut rows: Vec<TileRow<'_>> = rows.map(|(light, marks)| TileRow { light, marks }).collect();
        for_each(threads, &mut rows, |row, pixels| {
            let mut bench = Bench {
                samples: TileSamples::new(),
                light: vec![[0.0; 3]; TILE_PIXELS],
                stars: vec![Vec3::ZERO; TILE_PIXELS],
                nearby: Nearby::default(),
            };
            let [left, top, right, bottom] = self.shading.eye.area.map(|side| side as i32);
            if (row as i32 + 1) * TILE <= top || row as i32 * TILE >= bottom {
                return;
            }
            for column in left / TILE..=(right - 1) / TILE {
                self.draw_tile([column * TILE, row as i32 * TILE], &mut bench, pixels, target.size[0] as i32);
            }
        });
    }

    fn draw_tile(&self, origin: [i32; 2], bench: &mut Bench, pixels: &mut TileRow<'_>, width: i32) {
        let tile = (origin[1] / TILE * self.grid.columns + origin[0] / TILE) as usize;
        let area = self.shading.eye.area;
        bench.samples.clear();
        for (number, chunk) in self.opaque.iter().enumerate() {
            for index in chunk.bins.tile(tile) {
                self.draw_triangle(chunk, number as u32, *index, origin, &mut bench.samples);
            }
        }
        nearby(self.shading, origin, &mut bench.nearby);
        bench.stars.fill(Vec3::ZERO);
        self.background.add_stars(tile, origin, &mut bench.stars);
        let [left, top, right, bottom] = area.map(|side| side as i32);
        for y in (top - origin[1]).max(0)..(bottom - origin[1]).min(TILE) {
            for x in (left - origin[0]).max(0)..(right - origin[0]).min(TILE) {
                self.shade_pixel(x, y, origin, bench, pixels, width);
            }
        }
        for chunk in self.blended {
            for index in chunk.bins.tile(tile) {
                self.blend_triangle(chunk, &chunk.triangles[*index as usize], origin, bench);
            }
        }
        self.flats.blend(tile, origin, area, &bench.samples, &mut bench.light);
        for y in (top - origin[1]).max(0)..(bottom - origin[1]).min(TILE) {
            let (from, to) = ((left - origin[0]).max(0), (right - origin[0]).min(TILE));
            let source = &bench.light[(y * TILE + from) as usize..(y * TILE + to) as usize];
            let start = (y * width + origin[0] + from) as usize;
            pixels.light[start..start + source.len()].copy_from_slice(source);
        }
    }

    fn draw_triangle(&self, chunk: &Chunk, number: u32, index: u32, origin: [i32; 2], samples: &mut TileSamples) {
        let triangle = &chunk.triangles[index as usize];
        let Some(set_up) = TileTriangle::of(triangle, origin, self.shading.eye.area) else { return };
        let id = number << 16 | index;
        let draws = self.shading.draws;
        let surface = &draws.surfaces[draws.list[triangle.draw as usize].surface as usize];
        if surface.alpha == AlphaMode::Mask {
            samples.draw(&set_up, id, |x, y| self.shading.keeps(chunk, triangle, origin[0] + x, origin[1] + y));
        } else {
            samples.draw(&set_up, id, |_, _| true);
        }
    }

    /// The light of a pixel: each of its surfaces shaded once, weighted by samples.
    fn shade_pixel(&self, x: i32, y: i32, origin: [i32; 2], bench: &mut Bench, pixels: &mut TileRow<'_>, width: i32) {
        let at = (y * TILE + x) as usize;
        let (px, py) = (origin[0] + x, origin[1] + y);
        let nearest = bench.samples.nearest[at];
        let mut sum = [0.0; 3];
        let mut weight_sum = 0.0;
        let mut is_done = [false; 4];
        for sample in 0..4 {
            if is_done[sample] {
                continue;
            }
            let id = nearest[sample];
            let mut count = 0;
            for other in sample..4 {
                if !is_done[other] && (nearest[other] == id || self.is_same_surface(id, nearest[other])) {
                    is_done[other] = true;
                    count += 1;
                }
            }
            let light = if id == NOTHING {
                let behind = self.background.light_at(px as f32 + 0.5, py as f32 + 0.5);
                (behind + bench.stars[at]).to_array()
            } else {
                let (chunk, triangle) = self.triangle(id);
                let draw = &self.shading.draws.list[triangle.draw as usize];
                let mark = &mut pixels.marks[(y * width + px) as usize];
                mark[0] += if draw.look & look::SELECTED != 0 { count } else { 0 };
                mark[1] += if draw.look & look::HOVERED != 0 { count } else { 0 };
                self.shading.light_at(chunk, triangle, px, py, &bench.nearby).0
            };
            if count == 4 {
                bench.light[at] = light;
                return;
            }
            // Bright samples weigh less, so that edges against them stay smooth after the tone curve (Karis 2013).
            let luminance = light[0] * LUMINANCE[0] + light[1] * LUMINANCE[1] + light[2] * LUMINANCE[2];
            let weight = f32::from(count) / (1.0 + luminance);
            (0..3).for_each(|channel| sum[channel] += light[channel] * weight);
            weight_sum += weight;
        }
        bench.light[at] = sum.map(|value| value / weight_sum);
    }

    fn triangle(&self, id: u32) -> (&Chunk, &Triangle) {
        let chunk = &self.opaque[(id >> 16) as usize];
        (chunk, &chunk.triangles[(id & 0xffff) as usize])
    }

    /// Whether two triangles are neighbours on a smooth surface, so that one colour does for both.
    #[inline]
    fn is_same_surface(&self, one: u32, other: u32) -> bool {
        if one == NOTHING || other == NOTHING {
            return false;
        }
        let ((_, one), (_, other)) = (self.triangle(one), self.triangle(other));
        one.draw == other.draw && one.vertices.iter().filter(|vertex| other.vertices.contains(vertex)).count() >= 2
    }

    fn blend_triangle(&self, chunk: &Chunk, triangle: &Triangle, origin: [i32; 2], bench: &mut Bench) {
        let Some(set_up) = TileTriangle::of(triangle, origin, self.shading.eye.area) else { return };
        let Bench { samples, light, nearby, .. } = bench;
        set_up.for_each_pixel(|x, y, covered, inverse| {
            let at = (y * TILE + x) as usize;
            let behind = &samples.inverse[at];
            let count = (0..4).filter(|sample| covered[*sample] && inverse[*sample] > behind[*sample]).count();
            if count > 0 {
                let (colour, opacity) = self.shading.light_at(chunk, triangle, origin[0] + x, origin[1] + y, nearby);
                let cover = crate::colour::within_unit(opacity) * count as f32 * 0.25;
                let pixel = &mut light[at];
                (0..3).for_each(|channel| pixel[channel] += (colour[channel] - pixel[channel]) * cover);
            }
        });
    }
}

/// Finds the lights and decals that may reach a tile.
fn nearby(shading: &Shading<'_>, origin: [i32; 2], nearby: &mut Nearby) {
    let planes = tile_planes(shading.eye, origin);
    let touches = |centre: Vec3, radius: f32| planes.iter().all(|plane| centre.dot(*plane) + radius > 0.0);
    nearby.lights.clear();
    for (index, light) in shading.lights.iter().enumerate() {
        if nearby.lights.len() < TILE_LIGHTS_MAX && touches(light.position, light.range) {
            nearby.lights.push(index as u16);
        }
    }
    nearby.decals.clear();
    for (index, decal) in shading.decals.iter().enumerate() {
        if nearby.decals.len() < TILE_DECALS_MAX && touches(decal.centre, decal.radius) {
            nearby.decals.push(index as u16);
        }
    }
}

/// The normals of the four planes through the eye and the sides of a tile, which point inwards.
fn tile_planes(eye: &Eye, origin: [i32; 2]) -> [Vec3; 4] {
    let [left, top] = origin.map(|side| side as f32);
    let (right, bottom) = (left + TILE as f32, top + TILE as f32);
    let middle = eye.ray((left + right) * 0.5, (top + bottom) * 0.5);
    let corners = [eye.ray(left, top), eye.ray(right, top), eye.ray(right, bottom), eye.ray(left, bottom)];
    std::array::from_fn(|at| {
        let normal = corners[at].cross(corners[(at + 1) % 4]).normal();
        if normal.dot(middle) < 0.0 { -normal } else { normal }
    })
}
