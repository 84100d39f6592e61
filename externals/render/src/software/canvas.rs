//! The canvas and the overlay: what is drawn flat over a picture, by bands of rows.

use std::sync::Arc;

use base::number::{abs, ceil, clamp, floor, max, min, sqrt};
use base::{StringId, Vec2};
use view::{Canvas, CanvasItem, OverlayMesh, Rect, Rgba};

use crate::limits::ATLAS_SIDE;
use crate::software::draws::CLAMPED;
use crate::software::overlay::OverlayPixels;
use crate::software::texture::SampledTexture;
use crate::text::{GlyphQuad, Text};

/// The most clips within one another.
const CLIPS_MAX: usize = 64;

/// Something to be drawn, in physical pixels.
pub struct FlatItem {
    /// Only what lies within is drawn: left, top, right, bottom.
    clip: [f32; 4],
    kind: FlatKind,
}

enum FlatKind {
    Quad { rect: [f32; 4], fill: Rgba, border: Rgba, border_width: f32, radius: f32 },
    Image { rect: [f32; 4], part: Rect, tint: Rgba, texture: Arc<SampledTexture> },
    Line { from: Vec2, to: Vec2, width: f32, colour: Rgba },
    Glyphs { quads: Vec<GlyphQuad>, colour: Rgba },
}

/// Makes items of a canvas; `texture` gives the texture of a bitmap.
pub fn items(
    canvas: &Canvas,
    size: [u32; 2],
    text: &mut Text,
    texture: &mut dyn FnMut(StringId) -> Arc<SampledTexture>,
) -> Vec<FlatItem> {
    let scale = if canvas.scale > 0.0 && canvas.scale.is_finite() { clamp(canvas.scale, 0.125, 16.0) } else { 1.0 };
    let whole = [0.0, 0.0, size[0] as f32, size[1] as f32];
    let mut clips = vec![whole];
    let mut items = Vec::with_capacity(canvas.items.len());
    let scaled = |rect: &Rect| [rect.min.x, rect.min.y, rect.max.x, rect.max.y].map(|side| side * scale);
    for item in &canvas.items {
        let clip = clips.last().copied().unwrap_or(whole);
        let kind = match item {
            CanvasItem::Quad { rect, fill, border, border_width, radius } => FlatKind::Quad {
                rect: scaled(rect),
                fill: *fill,
                border: *border,
                border_width: border_width * scale,
                radius: radius * scale,
            },
            CanvasItem::Image { rect, bitmap, part, tint } => {
                FlatKind::Image { rect: scaled(rect), part: *part, tint: *tint, texture: texture(*bitmap) }
            }
            CanvasItem::Line { from, to, width, colour } => {
                FlatKind::Line { from: *from * scale, to: *to * scale, width: width * scale, colour: *colour }
            }
            CanvasItem::Text { rect, text: span, style, colour } => {
                let mut quads = Vec::new();
                text.place(canvas.text_of(*span), style, *rect, scale, &mut quads);
                FlatKind::Glyphs { quads, colour: *colour }
            }
            CanvasItem::Clip { rect } => {
                let [left, top, right, bottom] = scaled(rect);
                if clips.len() < CLIPS_MAX {
                    let inner = [max(clip[0], left), max(clip[1], top), min(clip[2], right), min(clip[3], bottom)];
                    clips.push(inner);
                }
                continue;
            }
            CanvasItem::Unclip => {
                if clips.len() > 1 {
                    clips.pop();
                }
                continue;
            }
        };
        items.push(FlatItem { clip, kind });
    }
    items
}

/// Some rows of the picture.
pub struct Rows<'a> {
    /// The first row.
    pub first: i32,
    /// The width of the picture.
    pub width: i32,
    /// The pixels, four bytes each.
    pub pixels: &'a mut [u8],
}

impl Rows<'_> {
    fn end(&self) -> i32 {
        self.first + self.pixels.len() as i32 / (self.width * 4)
    }

    /// The pixels of an area that lie in these rows: left, top, right, bottom, without the last.
    fn within(&self, area: [f32; 4]) -> [i32; 4] {
        let [left, top, right, bottom] = area;
        let inside = |value: f32, low: i32, high: i32| clamp(value, low as f32, high as f32) as i32;
        [
            inside(floor(left), 0, self.width),
            inside(floor(top), self.first, self.end()),
            inside(ceil(right), 0, self.width),
            inside(ceil(bottom), self.first, self.end()),
        ]
    }

    #[inline]
    fn blend(&mut self, x: i32, y: i32, colour: [u8; 3], cover: f32) {
        let at = ((y - self.first) * self.width + x) as usize * 4;
        // In 256ths, so that nothing depends on the rounding of a division.
        let part = (cover * 256.0 + 0.5) as i32;
        for (pixel, above) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            let below = i32::from(*pixel);
            *pixel = (below + (((i32::from(above) - below) * part + 128) >> 8)) as u8;
        }
    }

    /// Draws an item.
    pub fn draw(&mut self, item: &FlatItem, atlas: &[u8]) {
        let clip = item.clip;
        match &item.kind {
            FlatKind::Quad { rect, fill, border, border_width, radius } => {
                self.quad(*rect, clip, [*fill, *border], *border_width, *radius);
            }
            FlatKind::Image { rect, part, tint, texture } => self.image(*rect, clip, *part, *tint, texture),
            FlatKind::Line { from, to, width, colour } => self.line(*from, *to, clip, *width, *colour),
            FlatKind::Glyphs { quads, colour } => {
                quads.iter().for_each(|quad| self.glyph(quad, clip, *colour, atlas));
            }
        }
    }

    fn quad(&mut self, rect: [f32; 4], clip: [f32; 4], [fill, border]: [Rgba; 2], border_width: f32, radius: f32) {
        let [left, top, right, bottom] = rect;
        if !(rect.iter().all(|side| side.is_finite()) && right > left && bottom > top) {
            return;
        }
        let half = [(right - left) * 0.5, (bottom - top) * 0.5];
        let centre = [left + half[0], top + half[1]];
        let radius = clamp(radius, 0.0, min(half[0], half[1]));
        let border_width = if border.alpha == 0 { 0.0 } else { max(border_width, 0.0) };
        let [x0, y0, x1, y1] = self.within(intersection(rect, clip));
        for y in y0..y1 {
            for x in x0..x1 {
                let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
                // The distance to the border of a rectangle with round corners; negative inside.
                let (qx, qy) = (abs(px - centre[0]) - half[0] + radius, abs(py - centre[1]) - half[1] + radius);
                let outside = sqrt(max(qx, 0.0) * max(qx, 0.0) + max(qy, 0.0) * max(qy, 0.0));
                let distance = outside + min(max(qx, qy), 0.0) - radius;
                let cover = clamp(0.5 - distance, 0.0, 1.0) * clip_cover(clip, px, py);
                if cover <= 0.0 {
                    continue;
                }
                let edge = clamp(distance + border_width + 0.5, 0.0, 1.0) * if border_width > 0.0 { 1.0 } else { 0.0 };
                if edge < 1.0 && fill.alpha > 0 {
                    self.blend(x, y, rgb(fill), cover * (1.0 - edge) * opacity(fill));
                }
                if edge > 0.0 {
                    self.blend(x, y, rgb(border), cover * edge * opacity(border));
                }
            }
        }
    }

    fn image(&mut self, rect: [f32; 4], clip: [f32; 4], part: Rect, tint: Rgba, texture: &SampledTexture) {
        let [left, top, right, bottom] = rect;
        let is_sound = rect.iter().all(|side| side.is_finite()) && part.min.is_finite() && part.max.is_finite();
        if !(is_sound && right > left && bottom > top) {
            return;
        }
        let scale = Vec2::new((part.max.x - part.min.x) / (right - left), (part.max.y - part.min.y) / (bottom - top));
        let level = max(texture.level_for([Vec2::new(scale.x, 0.0), Vec2::new(0.0, scale.y)]), 0.0);
        let [x0, y0, x1, y1] = self.within(intersection(rect, clip));
        for y in y0..y1 {
            for x in x0..x1 {
                let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
                let uv = part.min + Vec2::new(px - left, py - top).times(scale);
                let texel = texture.sample(uv, CLAMPED, level, 0, true);
                let sides = clip_cover(clip, px, py) * clip_cover(rect, px, py);
                let colour = [(texel[0], tint.red), (texel[1], tint.green), (texel[2], tint.blue)]
                    .map(|(light, tint)| ((encoded(light) * i32::from(tint) + 127) / 255) as u8);
                self.blend(x, y, colour, clamp(texel[3] * opacity(tint) * sides, 0.0, 1.0));
            }
        }
    }

    fn line(&mut self, from: Vec2, to: Vec2, clip: [f32; 4], width: f32, colour: Rgba) {
        if !from.is_finite() || !to.is_finite() || !width.is_finite() {
            return;
        }
        // A line thinner than a pixel is drawn as one, and fainter.
        let half = max(width, 1.0) * 0.5;
        let strength = clamp(width, 0.0, 1.0) * opacity(colour);
        let along = to - from;
        let square = max(along.length_squared(), 1e-12);
        let reach = half + 1.0;
        let rect = [
            min(from.x, to.x) - reach,
            min(from.y, to.y) - reach,
            max(from.x, to.x) + reach,
            max(from.y, to.y) + reach,
        ];
        let [x0, y0, x1, y1] = self.within(intersection(rect, clip));
        for y in y0..y1 {
            for x in x0..x1 {
                let point = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let part = clamp((point - from).dot(along) / square, 0.0, 1.0);
                let distance = (point - from - along * part).length();
                let cover = clamp(half + 0.5 - distance, 0.0, 1.0) * clip_cover(clip, point.x, point.y);
                if cover > 0.0 {
                    self.blend(x, y, rgb(colour), cover * strength);
                }
            }
        }
    }

    fn glyph(&mut self, quad: &GlyphQuad, clip: [f32; 4], colour: Rgba, atlas: &[u8]) {
        let (width, height) = (i32::from(quad.glyph.width), i32::from(quad.glyph.height));
        let (left, top) = (quad.left as f32, quad.top as f32);
        let [x0, y0, x1, y1] = self.within(intersection([left, top, left + width as f32, top + height as f32], clip));
        for y in y0..y1 {
            let row =
                (i32::from(quad.glyph.y) + y - quad.top) * ATLAS_SIDE as i32 + i32::from(quad.glyph.x) - quad.left;
            for x in x0..x1 {
                let coverage = atlas[(row + x) as usize];
                if coverage > 0 {
                    let cover = f32::from(coverage) * (1.0 / 255.0) * clip_cover(clip, x as f32 + 0.5, y as f32 + 0.5);
                    self.blend(x, y, rgb(colour), cover * opacity(colour));
                }
            }
        }
    }

    /// Draws a mesh of an overlay.
    pub fn overlay(&mut self, mesh: &OverlayMesh, texture: Option<&OverlayPixels>) {
        for corners in mesh.indices.as_chunks::<3>().0 {
            let [Some(a), Some(b), Some(c)] = corners.map(|corner| mesh.vertices.get(corner as usize)) else {
                continue;
            };
            let places = [a, b, c].map(|vertex| Vec2::from_array(vertex.position));
            let is_sound = places.iter().all(|place| place.is_finite() && place.abs().max_component() < 1e6);
            let whole = (places[1] - places[0]).cross(places[2] - places[0]);
            if !is_sound || whole == 0.0 {
                continue;
            }
            let [first, second, third] = places;
            let (low, high) = (first.min(second).min(third), first.max(second).max(third));
            let rect = [low.x, low.y, high.x, high.y];
            let [x0, y0, x1, y1] = self.within(intersection(rect, mesh.clip));
            for row in y0..y1 {
                for column in x0..x1 {
                    let point = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
                    let inside = |from: usize, to: usize| {
                        let (along, offset) = (places[to] - places[from], point - places[from]);
                        let (along, offset) = if whole < 0.0 { (-along, offset) } else { (along, offset) };
                        let value = along.cross(offset);
                        let is_top_left = along.y < 0.0 || along.y == 0.0 && along.x > 0.0;
                        (value > 0.0 || value == 0.0 && is_top_left).then_some(value / abs(whole))
                    };
                    let (Some(first), Some(second), Some(third)) = (inside(1, 2), inside(2, 0), inside(0, 1)) else {
                        continue;
                    };
                    if clip_cover(mesh.clip, point.x, point.y) < 0.5 {
                        continue;
                    }
                    let mix = |pick: &dyn Fn(&view::OverlayVertex) -> f32| {
                        pick(a) * first + pick(b) * second + pick(c) * third
                    };
                    let uv = [mix(&|vertex| vertex.uv[0]), mix(&|vertex| vertex.uv[1])];
                    let texel = texture.map_or([255.0; 4], |texture| texture.sample(uv));
                    let colour: [f32; 4] = std::array::from_fn(|channel| {
                        mix(&|vertex| f32::from(vertex.colour[channel])) * texel[channel] * (1.0 / 255.0)
                    });
                    self.blend_premultiplied(column, row, colour);
                }
            }
        }
    }

    fn blend_premultiplied(&mut self, x: i32, y: i32, colour: [f32; 4]) {
        let at = ((y - self.first) * self.width + x) as usize * 4;
        let kept = 1.0 - clamp(colour[3], 0.0, 255.0) * (1.0 / 255.0);
        for (pixel, above) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            *pixel = clamp(f32::from(*pixel) * kept + above + 0.5, 0.0, 255.0) as u8;
        }
    }
}

fn intersection(rect: [f32; 4], clip: [f32; 4]) -> [f32; 4] {
    [max(rect[0], clip[0]), max(rect[1], clip[1]), min(rect[2], clip[2]), min(rect[3], clip[3])]
}

/// The part of a pixel around a point that lies within a rectangle.
#[inline]
fn clip_cover(clip: [f32; 4], x: f32, y: f32) -> f32 {
    let across = clamp(min(x + 0.5, clip[2]) - max(x - 0.5, clip[0]), 0.0, 1.0);
    let down = clamp(min(y + 0.5, clip[3]) - max(y - 0.5, clip[1]), 0.0, 1.0);
    across * down
}

fn rgb(colour: Rgba) -> [u8; 3] {
    [colour.red, colour.green, colour.blue]
}

fn opacity(colour: Rgba) -> f32 {
    f32::from(colour.alpha) * (1.0 / 255.0)
}

/// The code of linear light in sRGB, by a search in the table.
fn encoded(light: f32) -> i32 {
    let codes = &*crate::colour::LINEAR_FROM_SRGB;
    let above = codes.partition_point(|code| *code < light).min(255);
    let is_nearer = above > 0 && light - codes[above - 1] < codes[above] - light;
    above as i32 - i32::from(is_nearer)
}
