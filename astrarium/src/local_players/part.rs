//! The part of a picture that a player has: places and canvases within it.

use base::Vec2;
use relay::device::DeviceEvent;
use view::{Canvas, CanvasItem, Rect, TextStyle};

/// A point of the picture, from 0 to 1 within a part of it.
pub fn share(point: Vec2, [left, top, right, bottom]: [f32; 4]) -> Vec2 {
    Vec2::new((point.x - left) / (right - left).max(1.0), (point.y - top) / (bottom - top).max(1.0))
}

/// A report with its place counted from the corner of a part of the picture.
pub fn within(event: &DeviceEvent, [left, top, ..]: [f32; 4]) -> DeviceEvent {
    match event {
        DeviceEvent::PointerMoved { x, y } => DeviceEvent::PointerMoved { x: x - left, y: y - top },
        DeviceEvent::Touch { finger, phase, x, y } => {
            DeviceEvent::Touch { finger: *finger, phase: *phase, x: x - left, y: y - top }
        }
        other => other.clone(),
    }
}

/// Adds the items of a canvas to another one of another scale, moved by some physical pixels.
pub fn append(canvas: &mut Canvas, other: &Canvas, by: Vec2) {
    let factor = if canvas.scale > 0.0 { other.scale / canvas.scale } else { 1.0 };
    let by = by * (1.0 / canvas.scale.max(0.01));
    let place = |at: Vec2| at * factor + by;
    let moved = |rect: Rect| Rect { min: place(rect.min), max: place(rect.max) };
    for item in &other.items {
        match *item {
            CanvasItem::Text { rect, text, style, colour } => {
                let style = TextStyle { size: style.size * factor, ..style };
                canvas.text(moved(rect), other.text_of(text), style, colour);
            }
            CanvasItem::Quad { rect, fill, border, border_width, radius } => canvas.items.push(CanvasItem::Quad {
                rect: moved(rect),
                fill,
                border,
                border_width: border_width * factor,
                radius: radius * factor,
            }),
            CanvasItem::Image { rect, bitmap, part, tint } => {
                canvas.items.push(CanvasItem::Image { rect: moved(rect), bitmap, part, tint });
            }
            CanvasItem::Line { from, to, width, colour } => {
                let (from, to) = (place(from), place(to));
                canvas.items.push(CanvasItem::Line { from, to, width: width * factor, colour });
            }
            CanvasItem::Clip { rect } => canvas.items.push(CanvasItem::Clip { rect: moved(rect) }),
            CanvasItem::Unclip => canvas.items.push(CanvasItem::Unclip),
        }
    }
}
