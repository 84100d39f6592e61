//! Flats: particles, ribbons and lines as triangles with colours, blended over the surfaces of a tile.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::number::{abs, clamp, max, sin_cos, sqrt};
use base::{StringId, Vec2, Vec3};
use view::classes::material::TextureWrap;
use view::{Blend, Drawing, Ribbon, Sprite, Visuals};

use crate::colour::{linear, within_unit};
use crate::limits::SPRITES_MAX;
use crate::software::bins::{Bins, TILE, TileGrid};
use crate::software::eye::Eye;
use crate::software::geometry::STEPS;
use crate::software::texture::SampledTexture;
use crate::software::tile::TileSamples;
use crate::software::whole::whole;

/// The half width of lines, in pixels.
const LINE_WIDTH: f32 = 1.1;
/// The greatest half size of a particle, in pixels.
const SIZE_MAX: f32 = 4000.0;
/// Coordinates beyond this are not drawn, in pixels.
const OUTSIDE: f32 = 8000.0;

/// All flats of an eye.
#[derive(Default)]
pub struct Flats {
    triangles: Vec<FlatTriangle>,
    /// The triangles by tile.
    pub bins: Bins,
    textures: Vec<Arc<SampledTexture>>,
    numbers: BTreeMap<StringId, u16>,
}

struct FlatTriangle {
    corners: [[i32; 2]; 3],
    inverse: [f32; 3],
    uvs: [Vec2; 3],
    colours: [[f32; 4]; 3],
    paint: Paint,
    blend: Blend,
    /// The depth over which it fades where it meets a surface, in metres.
    softness: f32,
}

/// What is drawn on a flat. Texture coordinates are from 0 to 1.
#[derive(Clone, Copy)]
enum Paint {
    /// A disc that fades outwards.
    Disc,
    /// A strip that fades towards its sides, where v is 0 and 1.
    Strip,
    /// A line with sharp sides.
    Stroke,
    /// A layer of a texture; along a strip it is repeated.
    Image { texture: u16, layer: u16, is_repeated: bool },
}

/// A corner of a flat.
#[derive(Clone, Copy)]
struct FlatCorner {
    place: [f32; 2],
    depth: f32,
    uv: Vec2,
    colour: [f32; 4],
}

/// How a quadrilateral is drawn.
#[derive(Clone, Copy)]
struct Style {
    paint: Paint,
    blend: Blend,
    softness: f32,
}

/// What flats are made of.
pub struct FlatSource<'a> {
    /// The eye.
    pub eye: &'a Eye,
    /// The tiles.
    pub grid: TileGrid,
    /// Gives the texture of a bitmap.
    pub texture: &'a mut dyn FnMut(StringId) -> Arc<SampledTexture>,
}

impl Flats {
    /// Makes the flats of an eye, from back to front; lines come last.
    pub fn gather(&mut self, visuals: &Visuals, drawing: &Drawing, source: &mut FlatSource<'_>) {
        self.triangles.clear();
        self.textures.clear();
        self.numbers.clear();
        self.bins.clear();
        let eye = source.eye;
        let depth_of = |position: Vec3| (position - eye.position).dot(eye.forward);
        let mut order: Vec<(f32, u32, bool)> = Vec::new();
        for (index, sprite) in visuals.sprites.iter().take(SPRITES_MAX).enumerate() {
            let depth = depth_of(sprite.position);
            if depth > eye.near && is_sound_sprite(sprite) {
                order.push((depth, index as u32, false));
            }
        }
        for (index, ribbon) in visuals.ribbons.iter().take(SPRITES_MAX).enumerate() {
            let points = ribbon.points.of(&visuals.ribbon_points);
            let is_sound = points.iter().all(|point| {
                point.position.is_finite()
                    && point.width.is_finite()
                    && point.colour.iter().all(|part| part.is_finite())
            });
            if let Some(middle) = points.get(points.len() / 2).filter(|_| is_sound) {
                order.push((depth_of(middle.position), index as u32, true));
            }
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        for (depth, index, is_ribbon) in order {
            if is_ribbon {
                self.ribbon(&visuals.ribbons[index as usize], visuals, source);
            } else {
                self.sprite(&visuals.sprites[index as usize], depth, source);
            }
        }
        for line in drawing.lines() {
            let [red, green, blue] = linear(line.colour);
            self.line([line.from, line.to], [red, green, blue, 1.0], source);
        }
        self.bins.sort(source.grid);
    }

    fn paint(&mut self, bitmap: StringId, frame: f32, otherwise: Paint, source: &mut FlatSource<'_>) -> Paint {
        if bitmap.is_none() {
            return otherwise;
        }
        let number = match self.numbers.get(&bitmap) {
            Some(number) => *number,
            None if self.textures.len() >= usize::from(u16::MAX) => return otherwise,
            None => {
                self.textures.push((source.texture)(bitmap));
                let number = self.textures.len() as u16 - 1;
                self.numbers.insert(bitmap, number);
                number
            }
        };
        let layers = self.textures[usize::from(number)].layers();
        let layer = (max(frame, 0.0) as u32 % layers) as u16;
        Paint::Image { texture: number, layer, is_repeated: matches!(otherwise, Paint::Strip) }
    }

    fn sprite(&mut self, sprite: &Sprite, depth: f32, source: &mut FlatSource<'_>) {
        let eye = source.eye;
        let seen = eye.view_of(sprite.position - eye.position);
        let scale = eye.focal / depth;
        let size = clamp(sprite.size * scale, 0.0, SIZE_MAX);
        let [x, y] = eye.pixel_of(seen);
        let mut colour = sprite.colour;
        // A particle smaller than a pixel is drawn as one, and fainter.
        let least = 0.7;
        let drawn = if size < least { least } else { size };
        colour[3] *= (size / drawn) * (size / drawn);
        let (mut along, mut across) = (Vec2::new(drawn, 0.0), Vec2::new(0.0, drawn));
        if sprite.stretch != Vec3::ZERO {
            let end = eye.view_of(sprite.position + sprite.stretch - eye.position);
            if end.z > eye.near {
                let [end_x, end_y] = eye.pixel_of(end);
                let offset = Vec2::new(end_x - x, end_y - y);
                let length = clamp(offset.length(), drawn, SIZE_MAX);
                let direction = offset.normal_or(Vec2::X);
                (along, across) = (direction * length, direction.turned_left() * drawn);
            }
        } else if sprite.rotation != 0.0 {
            let (sine, cosine) = sin_cos(sprite.rotation);
            (along, across) = (Vec2::new(cosine, -sine) * drawn, Vec2::new(sine, cosine) * drawn);
        }
        let paint = self.paint(sprite.bitmap, sprite.frame, Paint::Disc, source);
        let corner = |u: f32, v: f32| {
            let offset = along * (u * 2.0 - 1.0) + across * (v * 2.0 - 1.0);
            FlatCorner { place: [x + offset.x, y + offset.y], depth, uv: Vec2::new(u, v), colour }
        };
        let corners = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
        let style = Style { paint, blend: sprite.blend, softness: sprite.size * 0.6 };
        self.quadrilateral(corners, style, source);
    }

    fn ribbon(&mut self, ribbon: &Ribbon, visuals: &Visuals, source: &mut FlatSource<'_>) {
        let paint = self.paint(ribbon.bitmap, 0.0, Paint::Strip, source);
        let points = ribbon.points.of(&visuals.ribbon_points);
        let eye = source.eye;
        let place = |at: usize| {
            let seen = eye.view_of(points.get(at)?.position - eye.position);
            (seen.z > eye.near).then(|| Vec2::from_array(eye.pixel_of(seen)))
        };
        // Across the ribbon at a point: between its two segments, so that they meet without a gap.
        let across = |at: usize| {
            let before = at.checked_sub(1).and_then(place);
            let (here, after) = (place(at)?, place(at + 1));
            let direction = after.unwrap_or(here) - before.unwrap_or(here);
            Some(direction.normal_or(Vec2::X).turned_left())
        };
        let mut along = 0.0;
        for (index, pair) in points.windows(2).enumerate() {
            let [from, to] = [pair[0], pair[1]];
            let length = (to.position - from.position).length();
            let next = along + length / max(2.0 * max(from.width, to.width), 1e-6);
            let ends = [(from.position, from.width, from.colour, along), (to.position, to.width, to.colour, next)];
            along = next;
            let Some(ends) = clipped_segment(ends, eye) else { continue };
            let style = Style { paint, blend: ribbon.blend, softness: 0.3 * from.width };
            self.segment(ends, [across(index), across(index + 1)], style, source);
        }
    }

    fn line(&mut self, ends: [Vec3; 2], colour: [f32; 4], source: &mut FlatSource<'_>) {
        let eye = source.eye;
        let ends = [(ends[0], 0.0, colour, 0.0), (ends[1], 0.0, colour, 1.0)];
        let Some(mut ends) = clipped_segment(ends, eye) else { return };
        for end in &mut ends {
            end.1 = LINE_WIDTH * end.0.z / eye.focal;
        }
        let style = Style { paint: Paint::Stroke, blend: Blend::Alpha, softness: 0.0 };
        self.segment(ends, [None; 2], style, source);
    }

    /// A strip between two ends, as the eye sees them, with the directions across it at its ends; none: square ones.
    fn segment(&mut self, ends: [SegmentEnd; 2], across: [Option<Vec2>; 2], style: Style, source: &mut FlatSource<'_>) {
        let eye = source.eye;
        let places = ends.map(|(seen, ..)| Vec2::from_array(eye.pixel_of(seen)));
        let square = (places[1] - places[0]).normal_or(Vec2::X).turned_left();
        let across = across.map(|across| across.unwrap_or(square));
        let corner = |at: usize, side: f32| {
            let (seen, width, mut colour, u) = ends[at];
            let pixels = width * eye.focal / seen.z;
            let drawn = clamp(pixels, 0.8, SIZE_MAX);
            colour[3] *= clamp(pixels / drawn, 0.0, 1.0);
            let place = places[at] + across[at] * (drawn * side);
            FlatCorner { place: place.to_array(), depth: seen.z, uv: Vec2::new(u, side * 0.5 + 0.5), colour }
        };
        let corners = [corner(0, -1.0), corner(1, -1.0), corner(1, 1.0), corner(0, 1.0)];
        self.quadrilateral(corners, style, source);
    }

    fn quadrilateral(&mut self, corners: [FlatCorner; 4], style: Style, source: &FlatSource<'_>) {
        let is_inside =
            |corner: &FlatCorner| corner.place.iter().all(|value| *value > -OUTSIDE && *value < 2.0 * OUTSIDE);
        if !corners.iter().all(is_inside) {
            return;
        }
        let [left, top, right, bottom] = source.eye.area.map(|side| side as i32);
        for indices in [[0, 1, 2], [0, 2, 3]] {
            let mut corners = indices.map(|index: usize| corners[index]);
            let fixed = |corner: &FlatCorner| corner.place.map(|value| whole(value * STEPS as f32 + 0.5));
            let [a, b, c] = corners.each_ref().map(fixed);
            let area =
                i64::from(b[0] - a[0]) * i64::from(c[1] - a[1]) - i64::from(b[1] - a[1]) * i64::from(c[0] - a[0]);
            if area == 0 {
                continue;
            }
            if area < 0 {
                corners.swap(1, 2);
            }
            let places = corners.each_ref().map(fixed);
            let bounds = |axis: usize| {
                let [a, b, c] = places.map(|place| place[axis]);
                (a.min(b).min(c) >> 4, a.max(b).max(c) >> 4)
            };
            let ((x0, x1), (y0, y1)) = (bounds(0), bounds(1));
            let area = [x0.max(left), y0.max(top), x1.min(right - 1), y1.min(bottom - 1)];
            if area[0] > area[2] || area[1] > area[3] {
                continue;
            }
            self.bins.add(self.triangles.len() as u32, area, source.grid);
            self.triangles.push(FlatTriangle {
                corners: places,
                inverse: corners.map(|corner| 1.0 / corner.depth),
                uvs: corners.map(|corner| corner.uv),
                colours: corners.map(|corner| corner.colour),
                paint: style.paint,
                blend: style.blend,
                softness: style.softness,
            });
        }
    }

    /// Blends the flats of a tile over its light.
    pub fn blend(&self, tile: usize, origin: [i32; 2], area: [u32; 4], samples: &TileSamples, light: &mut [[f32; 3]]) {
        for index in self.bins.tile(tile) {
            self.blend_one(&self.triangles[*index as usize], origin, area, samples, light);
        }
    }

    fn blend_one(
        &self,
        flat: &FlatTriangle,
        origin: [i32; 2],
        area: [u32; 4],
        samples: &TileSamples,
        light: &mut [[f32; 3]],
    ) {
        let [a, b, c] = flat.corners;
        let bounds = |axis: usize| {
            let (low, high) = (area[axis] as i32, area[axis + 2] as i32 - 1);
            let min = (a[axis].min(b[axis]).min(c[axis]) >> 4).max(low).max(origin[axis]);
            let max = (a[axis].max(b[axis]).max(c[axis]) >> 4).min(high).min(origin[axis] + TILE - 1);
            (min, max)
        };
        let ((x0, x1), (y0, y1)) = (bounds(0), bounds(1));
        let whole = edge(a, b, c[0], c[1]) as f32;
        // Where a pixel centre lies on an edge, it belongs to the triangle to the right of it or below.
        let bias = |from: [i32; 2], to: [i32; 2]| {
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            i64::from(!(dy < 0 || dy == 0 && dx > 0))
        };
        let biases = [bias(b, c), bias(c, a), bias(a, b)];
        for y in y0..=y1 {
            for x in x0..=x1 {
                let (px, py) = (x * STEPS + STEPS / 2, y * STEPS + STEPS / 2);
                let edges = [edge(b, c, px, py), edge(c, a, px, py), edge(a, b, px, py)];
                if (0..3).any(|at| edges[at] < biases[at]) {
                    continue;
                }
                let weights = edges.map(|value| value as f32 / whole);
                let at = ((y - origin[1]) * TILE + x - origin[0]) as usize;
                let Some((colour, cover)) = self.colour(flat, weights, &samples.inverse[at]) else { continue };
                let pixel = &mut light[at];
                for channel in 0..3 {
                    let kept = match flat.blend {
                        Blend::Additive => pixel[channel],
                        Blend::Alpha => pixel[channel] * (1.0 - cover),
                    };
                    pixel[channel] = kept + colour[channel] * cover;
                }
            }
        }
    }

    /// The colour of a flat and its cover, where it is in front of a sample at least.
    #[inline]
    fn colour(&self, flat: &FlatTriangle, weights: [f32; 3], surfaces: &[f32; 4]) -> Option<([f32; 3], f32)> {
        let mix = |values: [f32; 3]| values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2];
        let inverse = mix(flat.inverse);
        let mut visible = 0.0;
        for surface in surfaces {
            if inverse >= *surface * 0.9999 {
                // Farther surfaces hide less of a soft particle.
                let gap = if *surface > 0.0 && flat.softness > 0.0 {
                    within_unit((1.0 / *surface - 1.0 / inverse) / flat.softness)
                } else {
                    1.0
                };
                visible += 0.25 * gap;
            }
        }
        if visible <= 0.0 {
            return None;
        }
        let uv = flat.uvs[0] * weights[0] + flat.uvs[1] * weights[1] + flat.uvs[2] * weights[2];
        let [red, green, blue, opacity] = std::array::from_fn(|at| mix(flat.colours.map(|colour| colour[at])));
        let mut colour = [red, green, blue];
        let cover = match flat.paint {
            Paint::Disc => {
                let (x, y) = (uv.x * 2.0 - 1.0, uv.y * 2.0 - 1.0);
                let rest = max(1.0 - x * x - y * y, 0.0);
                rest * rest
            }
            Paint::Strip => {
                let side = uv.y * 2.0 - 1.0;
                let rest = max(1.0 - side * side, 0.0);
                rest * rest
            }
            Paint::Stroke => within_unit((1.0 - abs(uv.y * 2.0 - 1.0)) * 2.0 * LINE_WIDTH),
            Paint::Image { texture, layer, is_repeated } => {
                let texture = &self.textures[usize::from(texture)];
                let along = if is_repeated { TextureWrap::Repeat } else { TextureWrap::Clamp };
                let [r, g, b, a] = texture.sample(uv, [along, TextureWrap::Clamp], 0.0, u32::from(layer), true);
                let a = if texture.has_alpha { a } else { 1.0 };
                let unmultiplied = if texture.is_premultiplied && a > 0.0 { 1.0 / a } else { 1.0 };
                colour = [red * r * unmultiplied, green * g * unmultiplied, blue * b * unmultiplied];
                a
            }
        };
        Some((colour, clamp(cover * opacity * visible, 0.0, 1.0)))
    }
}

/// A place as the eye sees it, half the width, colour, and the coordinate along the strip.
type SegmentEnd = (Vec3, f32, [f32; 4], f32);

/// The part of a segment that lies before the eye and near the picture; its places become those that the eye sees.
fn clipped_segment(ends: [SegmentEnd; 2], eye: &Eye) -> Option<[SegmentEnd; 2]> {
    let [mut from, mut to] = ends;
    (from.0, to.0) = (eye.view_of(from.0 - eye.position), eye.view_of(to.0 - eye.position));
    let reach = OUTSIDE * 0.5 / eye.focal;
    let distances: [&dyn Fn(Vec3) -> f32; 5] = [
        &|seen| seen.z - eye.near,
        &|seen| seen.z * reach + seen.x,
        &|seen| seen.z * reach - seen.x,
        &|seen| seen.z * reach + seen.y,
        &|seen| seen.z * reach - seen.y,
    ];
    for distance in distances {
        let (here, there) = (distance(from.0), distance(to.0));
        if here < 0.0 && there < 0.0 {
            return None;
        }
        let part = here / (here - there);
        let middle = || {
            (
                from.0 + (to.0 - from.0) * part,
                from.1 + (to.1 - from.1) * part,
                mixed(from.2, to.2, part),
                from.3 + (to.3 - from.3) * part,
            )
        };
        if here < 0.0 {
            from = middle();
        } else if there < 0.0 {
            to = middle();
        }
    }
    (from.0.is_finite() && to.0.is_finite() && from.0.z > 0.0 && to.0.z > 0.0).then_some([from, to])
}

fn mixed(from: [f32; 4], to: [f32; 4], part: f32) -> [f32; 4] {
    std::array::from_fn(|at| from[at] + (to[at] - from[at]) * part)
}

#[inline]
fn edge(from: [i32; 2], to: [i32; 2], x: i32, y: i32) -> i64 {
    i64::from(to[0] - from[0]) * i64::from(y - from[1]) - i64::from(to[1] - from[1]) * i64::from(x - from[0])
}

fn is_sound_sprite(sprite: &Sprite) -> bool {
    let is_finite = sprite.position.is_finite()
        && sprite.stretch.is_finite()
        && sprite.rotation.is_finite()
        && sprite.frame.is_finite()
        && sprite.colour.iter().all(|part| part.is_finite());
    is_finite && sprite.size > 0.0 && sprite.size.is_finite() && sprite.colour[3] > 0.0 && sqrt(sprite.size) > 0.0
}
