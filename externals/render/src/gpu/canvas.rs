//! The canvas as a list of shapes: all of it is one draw.

use base::Vec2;
use view::{Canvas, CanvasItem, Rect, Rgba};

use crate::gpu::blocks::{NONE, ShapeBlock};
use crate::gpu::textures::{BitmapWish, TextureArrays, Upload, code};
use crate::limits::CANVAS_SHAPES_MAX;
use crate::resources::Resources;
use crate::text::{GlyphQuad, Text};

/// The values of `ShapeBlock::kind`.
mod kind {
    pub const RECTANGLE: u32 = 0;
    pub const IMAGE: u32 = 1;
    pub const GLYPH: u32 = 2;
    pub const LINE: u32 = 3;
}

/// The deepest nesting of clips; deeper ones are those of this depth.
const CLIPS_MAX: usize = 64;

/// Lists the shapes of a canvas in physical pixels.
pub struct CanvasList<'a> {
    /// The text.
    pub text: &'a mut Text,
    /// The bitmaps.
    pub arrays: &'a mut TextureArrays,
    /// The resources.
    pub resources: &'a mut Resources,
    /// How bitmaps are written.
    pub upload: &'a Upload<'a>,
    /// Reused for the glyphs of one text.
    pub glyphs: &'a mut Vec<GlyphQuad>,
}

impl CanvasList<'_> {
    /// Lists all shapes of a canvas over a picture of this size.
    pub fn list(&mut self, canvas: &Canvas, size: [u32; 2], out: &mut Vec<ShapeBlock>) {
        out.clear();
        let scale = if canvas.scale.is_finite() && canvas.scale > 0.0 { canvas.scale } else { 1.0 };
        let whole = [0.0, 0.0, size[0] as f32, size[1] as f32];
        let mut clips = vec![whole];
        let mut depth = 0_usize;
        for item in &canvas.items {
            if out.len() >= CANVAS_SHAPES_MAX {
                break;
            }
            let clip = clips[clips.len() - 1];
            match *item {
                CanvasItem::Clip { rect } => {
                    depth += 1;
                    if clips.len() < CLIPS_MAX {
                        clips.push(both(clip, scaled(rect, scale)));
                    }
                }
                CanvasItem::Unclip => {
                    depth = depth.saturating_sub(1);
                    clips.truncate((depth + 1).max(1));
                }
                _ if clip[0] >= clip[2] || clip[1] >= clip[3] => {}
                _ => self.push(canvas, item, scale, clip, out),
            }
        }
    }

    fn push(&mut self, canvas: &Canvas, item: &CanvasItem, scale: f32, clip: [f32; 4], out: &mut Vec<ShapeBlock>) {
        let shape = ShapeBlock {
            rect: [0.0; 4],
            uv: [0.0, 0.0, 1.0, 1.0],
            clip,
            fill: 0,
            border: 0,
            border_width: 0.0,
            radius: 0.0,
            kind: kind::RECTANGLE,
            texture: NONE,
            pad: [0; 2],
        };
        match *item {
            CanvasItem::Quad { rect, fill, border, border_width, radius } => out.push(ShapeBlock {
                rect: scaled(rect, scale),
                fill: packed(fill),
                border: packed(border),
                border_width: border_width * scale,
                radius: radius * scale,
                ..shape
            }),
            CanvasItem::Image { rect, bitmap, part, tint } => {
                let texture = self.arrays.code(self.upload, self.resources, BitmapWish::first(bitmap));
                let texture = if texture == NONE { NONE } else { texture | code::CLAMP_U | code::CLAMP_V };
                let uv = [part.min.x, part.min.y, part.max.x, part.max.y];
                let fill = packed(tint);
                out.push(ShapeBlock { rect: scaled(rect, scale), uv, fill, kind: kind::IMAGE, texture, ..shape });
            }
            CanvasItem::Line { from, to, width, colour } => out.push(ShapeBlock {
                rect: scaled(Rect { min: from, max: to }, scale),
                fill: packed(colour),
                border_width: width * scale,
                kind: kind::LINE,
                ..shape
            }),
            CanvasItem::Text { rect, text, style, colour } => {
                self.glyphs.clear();
                self.text.place(canvas.text_of(text), &style, rect, scale, self.glyphs);
                let room = CANVAS_SHAPES_MAX - out.len();
                out.extend(self.glyphs.iter().take(room).map(|quad| glyph(quad, packed(colour), &shape)));
            }
            CanvasItem::Clip { .. } | CanvasItem::Unclip => {}
        }
    }
}

fn glyph(quad: &GlyphQuad, fill: u32, shape: &ShapeBlock) -> ShapeBlock {
    let (left, top) = (quad.left as f32, quad.top as f32);
    let (width, height) = (f32::from(quad.glyph.width), f32::from(quad.glyph.height));
    let (u, v) = (f32::from(quad.glyph.x), f32::from(quad.glyph.y));
    ShapeBlock {
        rect: [left, top, left + width, top + height],
        uv: [u, v, u + width, v + height],
        fill,
        kind: kind::GLYPH,
        ..*shape
    }
}

fn scaled(rect: Rect, scale: f32) -> [f32; 4] {
    let Rect { min: Vec2 { x: left, y: top }, max: Vec2 { x: right, y: bottom } } = rect;
    [left, top, right, bottom].map(|value| if value.is_finite() { value * scale } else { 0.0 })
}

fn both(first: [f32; 4], second: [f32; 4]) -> [f32; 4] {
    use base::number::{max, min};
    [max(first[0], second[0]), max(first[1], second[1]), min(first[2], second[2]), min(first[3], second[3])]
}

fn packed(colour: Rgba) -> u32 {
    u32::from_le_bytes([colour.red, colour.green, colour.blue, colour.alpha])
}
