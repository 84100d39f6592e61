//! The background: the sky behind everything, its sun and its stars.

use base::number::{abs, clamp, max, sqrt};
use base::{Pcg, Random, Vec2, Vec3};
use std::sync::Arc;
use view::classes::sky::SkyKind;

use crate::colour::within_unit;
use crate::limits::STARS_MAX;
use crate::resources::SkyResource;
use crate::software::bins::{Bins, TILE, TileGrid};
use crate::software::draws::CLAMPED;
use crate::software::eye::Eye;
use crate::software::texture::SampledTexture;
use crate::software::threads::for_each;
use crate::software::whole::whole;

/// The widths of a face of the nebula's cube map, and the greatest side of pictures for which each is enough.
const FACES: [(usize, u32); 3] = [(48, 400), (112, 1000), (208, u32::MAX)];
/// The stars of a clear night.
const STARS: f32 = 4500.0;

/// What is computed once for a sky.
#[derive(Default)]
pub struct Background {
    sky: Option<SkyResource>,
    /// The width of a face of the cube map.
    face: usize,
    /// The faces of a cube map of the nebulae, one after the other.
    nebula: Vec<Vec3>,
    stars: Vec<Star>,
}

/// The background as one eye sees it.
pub struct EyeBackground<'a> {
    background: &'a Background,
    sky: &'a SkyResource,
    eye: &'a Eye,
    up: Vec3,
    cube: Option<Arc<SampledTexture>>,
    /// The stars in the picture: column, row and light.
    spots: Vec<(f32, f32, Vec3)>,
    bins: Bins,
}

#[derive(Clone, Copy)]
struct Star {
    direction: Vec3,
    light: Vec3,
}

impl Background {
    /// Computes what is needed for a sky, unless it is the one of the last picture.
    pub fn prepare(&mut self, sky: &SkyResource, size: [u32; 2], threads: usize) {
        let side = size[0].max(size[1]);
        let face = FACES.iter().find(|(_, side_max)| side <= *side_max).map_or(FACES[0].0, |(face, _)| *face);
        if self.face == face && self.sky.as_ref() == Some(sky) {
            return;
        }
        (self.sky, self.face) = (Some(sky.clone()), face);
        (self.nebula, self.stars) = (Vec::new(), Vec::new());
        if sky.kind != SkyKind::Stars {
            return;
        }
        self.stars = stars(sky);
        if !sky.nebulae.is_empty() {
            self.nebula = vec![Vec3::ZERO; 6 * face * face];
            let mut rows: Vec<&mut [Vec3]> = self.nebula.chunks_mut(face).collect();
            for_each(threads, &mut rows, |row, texels| {
                for (column, texel) in texels.iter_mut().enumerate() {
                    let part = |at: usize| (at as f32 + 0.5) / face as f32 * 2.0 - 1.0;
                    *texel = nebula(sky, cube_direction(row / face, part(column), part(row % face)));
                }
            });
        }
    }

    /// The light of the nebulae in a direction.
    #[inline]
    fn nebula_at(&self, direction: Vec3) -> Vec3 {
        let (face, u, v) = cube_place(direction);
        let side = self.face;
        let [x, y] = [u, v].map(|part| clamp((part * 0.5 + 0.5) * side as f32 - 0.5, 0.0, side as f32 - 1.001));
        let (column, row) = (x as usize, y as usize);
        let (part_x, part_y) = (x - column as f32, y - row as f32);
        let at = face * side * side + row * side + column;
        let (below, right) = (at + side, 1);
        let above = self.nebula[at] + (self.nebula[at + right] - self.nebula[at]) * part_x;
        let under = self.nebula[below] + (self.nebula[below + right] - self.nebula[below]) * part_x;
        above + (under - above) * part_y
    }
}

impl<'a> EyeBackground<'a> {
    /// The background of an eye, with its stars in place.
    pub fn of(
        background: &'a Background,
        sky: &'a SkyResource,
        eye: &'a Eye,
        up: Vec3,
        cube: Option<Arc<SampledTexture>>,
        grid: TileGrid,
    ) -> EyeBackground<'a> {
        let mut made = EyeBackground { background, sky, eye, up, cube, spots: Vec::new(), bins: Bins::default() };
        let [left, top, right, bottom] = eye.area.map(|side| side as i32);
        // Stars are as bright in a narrow view as in a wide one, and of the same size in pixels.
        for star in &background.stars {
            let seen = eye.view_of(star.direction);
            if seen.z < 0.05 {
                continue;
            }
            let [x, y] = eye.pixel_of(seen);
            let area = [(x - 1.5) as i32, (y - 1.5) as i32, (x + 1.5) as i32, (y + 1.5) as i32];
            let [x0, y0, x1, y1] =
                [area[0].max(left), area[1].max(top), area[2].min(right - 1), area[3].min(bottom - 1)];
            if x >= 0.0 && y >= 0.0 && x0 <= x1 && y0 <= y1 {
                made.bins.add(made.spots.len() as u32, [x0, y0, x1, y1], grid);
                made.spots.push((x, y, star.light));
            }
        }
        made.bins.sort(grid);
        made
    }

    /// The light of the background at a pixel coordinate, without stars.
    pub fn light_at(&self, x: f32, y: f32) -> Vec3 {
        let direction = self.eye.ray(x, y).normal_or(self.eye.forward);
        let sky = self.sky;
        let mut light = sky.gradient(direction, self.up);
        if let Some(cube) = &self.cube {
            light = cube_light(cube, direction) * sky.brightness;
        } else if !self.background.nebula.is_empty() {
            light += self.background.nebula_at(direction);
        }
        if sky.sun_radius > 0.0 {
            light += self.sun(direction.dot(sky.sun_direction));
        }
        light
    }

    /// The disc of the sun and the glow around it, by the cosine of the angle to its centre.
    #[inline]
    fn sun(&self, cosine: f32) -> Vec3 {
        let sky = self.sky;
        if cosine <= 0.0 {
            return Vec3::ZERO;
        }
        // The square of the angle, nearly.
        let square = 2.0 * (1.0 - cosine);
        let radius = sky.sun_radius;
        let edge = max(1.5 / self.eye.focal, radius * 0.06);
        let disc = within_unit((radius + edge * 0.5 - sqrt(max(square, 0.0))) / edge);
        let near = 1.0 / (1.0 + square / (radius * radius * 6.0));
        let far = 1.0 / (1.0 + square * 40.0);
        let haze = if sky.kind == SkyKind::Day { 0.05 } else { 0.006 };
        sky.sun_light * (disc * 12.0 + near * near * 0.55 + far * far * haze) * sky.brightness
    }

    /// Adds the stars of a tile to a buffer of its pixels. True if there are any.
    pub fn add_stars(&self, tile: usize, origin: [i32; 2], buffer: &mut [Vec3]) -> bool {
        let stars = self.bins.tile(tile);
        for star in stars {
            let (x, y, light) = self.spots[*star as usize];
            for row in (y - 1.5) as i32..=(y + 1.5) as i32 {
                for column in (x - 1.5) as i32..=(x + 1.5) as i32 {
                    let (tile_x, tile_y) = (column - origin[0], row - origin[1]);
                    let cover = |at: f32, centre: f32| max(1.0 - abs(at + 0.5 - centre), 0.0);
                    let part = cover(column as f32, x) * cover(row as f32, y);
                    if (0..TILE).contains(&tile_x) && (0..TILE).contains(&tile_y) {
                        buffer[(tile_y * TILE + tile_x) as usize] += light * part;
                    }
                }
            }
        }
        !stars.is_empty()
    }
}

/// The stars of a sky: many faint ones, few bright ones, some reddish and some bluish, denser along a band.
fn stars(sky: &SkyResource) -> Vec<Star> {
    let mut random = Pcg::new(u64::from(sky.seed) ^ 0x51a5, 3);
    let count = clamp(sky.stars * STARS, 0.0, STARS_MAX as f32) as u32;
    let pole = random.on_sphere();
    let star = |_| {
        let mut direction = random.on_sphere();
        if random.next_u32() & 1 == 0 {
            direction = (direction - pole * (direction.dot(pole) * 0.75)).normal_or(direction);
        }
        let part = (random.next_u32() >> 8) as f32 / 16_777_216.0;
        let rare = part * part * part;
        let strength = (0.03 + 0.35 * rare + 3.2 * rare * rare * rare * rare) * sky.brightness;
        let warm = (random.next_u32() >> 8) as f32 / 16_777_216.0;
        let tint = Vec3::new(0.78 + 0.34 * warm, 0.92, 1.14 - 0.42 * warm);
        Star { direction, light: tint * strength }
    };
    (0..count).map(star).collect()
}

/// The light of the nebulae in a direction: noise, folded so that it has filaments, and gone over large parts of the sky.
fn nebula(sky: &SkyResource, direction: Vec3) -> Vec3 {
    let mut light = Vec3::ZERO;
    for (index, colour) in sky.nebulae.iter().enumerate() {
        let shift = Vec3::splat((u64::from(sky.seed % 1024) * 7 + index as u64 * 19) as f32 * 1.37);
        let warp = Vec3::new(
            fractal_noise(direction * 1.7 + shift + Vec3::X * 5.0, 3),
            fractal_noise(direction * 1.7 + shift + Vec3::Y * 9.0, 3),
            fractal_noise(direction * 1.7 + shift + Vec3::Z * 3.0, 3),
        );
        let place = direction * 1.5 + shift + warp * 0.9;
        let cloud = fractal_noise(place, 5);
        let body = within_unit((cloud - 0.46) * 3.2);
        let ridge = 1.0 - abs(fractal_noise(place * 2.6 + Vec3::splat(11.0), 5) - 0.5) * 2.0;
        let filament = within_unit((ridge - 0.72) * 3.6);
        // Dust hides parts of the cloud, so that it has depth.
        let dust = within_unit((fractal_noise(place * 1.9 + Vec3::splat(31.0), 4) - 0.36) * 4.0);
        light += *colour * (body * (0.25 + 0.75 * body) * (0.55 + 1.6 * filament * filament) * (0.25 + 0.75 * dust));
    }
    light * sky.brightness
}

/// Value noise of several octaves, from 0 to 1.
fn fractal_noise(place: Vec3, octaves: u32) -> f32 {
    let (mut sum, mut weight, mut scale, mut total) = (0.0, 1.0, 1.0, 0.0);
    for _ in 0..octaves {
        sum += value_noise(place * scale) * weight;
        total += weight;
        weight *= 0.5;
        scale *= 2.03;
    }
    sum / total
}

/// Value noise: hashes of the corners of a lattice, interpolated smoothly.
fn value_noise(place: Vec3) -> f32 {
    let [x, y, z] = place.to_array().map(whole);
    let part = [(place.x, x), (place.y, y), (place.z, z)].map(|(value, cell)| {
        let part = value - cell as f32;
        part * part * (3.0 - 2.0 * part)
    });
    let corner = |dx: i32, dy: i32, dz: i32| {
        let mut hash = (x.wrapping_add(dx) as u32).wrapping_mul(0x8da6_b343)
            ^ (y.wrapping_add(dy) as u32).wrapping_mul(0xd816_3841)
            ^ (z.wrapping_add(dz) as u32).wrapping_mul(0xcb1a_b31f);
        hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
        hash = (hash ^ hash >> 12).wrapping_mul(0x297a_2d39);
        ((hash ^ hash >> 15) >> 8) as f32 / 16_777_216.0
    };
    let mix = |a: f32, b: f32, part: f32| a + (b - a) * part;
    let row = |dy: i32, dz: i32| mix(corner(0, dy, dz), corner(1, dy, dz), part[0]);
    let plane = |dz: i32| mix(row(0, dz), row(1, dz), part[1]);
    mix(plane(0), plane(1), part[2])
}

/// The direction of a place on a face of a cube, from −1 to 1; the faces are +x, −x, +y, −y, +z, −z.
fn cube_direction(face: usize, u: f32, v: f32) -> Vec3 {
    let direction = match face {
        0 => Vec3::new(1.0, -v, -u),
        1 => Vec3::new(-1.0, -v, u),
        2 => Vec3::new(u, 1.0, v),
        3 => Vec3::new(u, -1.0, -v),
        4 => Vec3::new(u, -v, 1.0),
        _ => Vec3::new(-u, -v, -1.0),
    };
    direction.normal_or(Vec3::X)
}

/// The face of a cube in a direction, and the place on it.
#[inline]
fn cube_place(direction: Vec3) -> (usize, f32, f32) {
    let Vec3 { x, y, z } = direction.abs();
    let Vec3 { x: dx, y: dy, z: dz } = direction;
    if x >= y && x >= z {
        if dx > 0.0 { (0, -dz / x, -dy / x) } else { (1, dz / x, -dy / x) }
    } else if y >= z {
        if dy > 0.0 { (2, dx / y, dz / y) } else { (3, dx / y, -dz / y) }
    } else if dz > 0.0 {
        (4, dx / z, -dy / z)
    } else {
        (5, -dx / z, -dy / z)
    }
}

/// The light of a cube map, or of an equirectangular map of one layer.
fn cube_light(cube: &SampledTexture, direction: Vec3) -> Vec3 {
    let [red, green, blue, _] = if cube.layers() >= 6 {
        let (face, u, v) = cube_place(direction);
        cube.sample(Vec2::new(u * 0.5 + 0.5, v * 0.5 + 0.5), CLAMPED, 0.0, face as u32, true)
    } else {
        let around = base::number::atan2(direction.y, direction.x) * (0.5 / base::number::PI) + 0.5;
        let down = 0.5 - base::number::asin(clamp(direction.z, -1.0, 1.0)) * (1.0 / base::number::PI);
        cube.sample(Vec2::new(around, down), cube.wrap, 0.0, 0, true)
    };
    Vec3::new(red, green, blue)
}
