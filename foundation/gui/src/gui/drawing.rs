//! Drawing: from widgets to the items of a canvas.

use alloc::vec::Vec;

use base::Vec2;
use base::number::{clamp, max, min};
use view::{Canvas, CanvasItem, Rect, Rgba, TextStyle};

use super::Gui;
use crate::classes::interface::WidgetKind;
use crate::geometry::{centre, inner, moved, nearest, rect, size};
use crate::layout::{TOGGLE_GAP, TOGGLE_SIDE, field_style, text_rect, text_style};
use crate::look::{ACCENT, Look, faded, usual};
use crate::node::Node;
use crate::open::OpenInterface;
use crate::surroundings::{Surroundings, say_string};

/// The look of a widget between two states.
pub fn look_of(node: &Node) -> Look {
    let blend = &node.state.blend;
    let to = &node.definition.looks[blend.to as usize];
    let mut look = match &blend.from {
        // Smoothstep: the change begins and ends slowly.
        Some(from) => from.between(to, blend.part * blend.part * (3.0 - 2.0 * blend.part)),
        None => *to,
    };
    look.colour = node.state.colour.unwrap_or(look.colour);
    look
}

/// What is inherited by what lies in a widget.
#[derive(Clone, Copy)]
struct Inherited {
    /// The node after the last to which it applies.
    end: u32,
    opacity: f32,
    shift: Vec2,
    is_clip: bool,
    /// The bar of what can be scrolled, which lies over its content.
    bar: Option<CanvasItem>,
}

/// Draws all interfaces that are shown.
pub fn draw(gui: &Gui, canvas: &mut Canvas, around: &mut Surroundings<'_>) {
    canvas.clear();
    (canvas.size, canvas.scale) = (gui.screen(), gui.scale());
    for open in gui.opens.iter().filter(|open| open.is_in(gui.stage)) {
        draw_open(gui, open, canvas, around);
    }
    draw_hint(gui, canvas, around);
}

fn draw_open(gui: &Gui, open: &OpenInterface, canvas: &mut Canvas, around: &mut Surroundings<'_>) {
    let mut stack: Vec<Inherited> = Vec::new();
    let count = open.nodes.len().min(open.layout.rects.len()) as u32;
    let mut number = 0;
    while number < count {
        while let Some(top) = stack.pop_if(|top| top.end <= number) {
            if top.is_clip {
                canvas.items.push(CanvasItem::Unclip);
            }
            canvas.items.extend(top.bar);
        }
        let node = &open.nodes[number as usize];
        if !node.state.is_visible {
            number = node.end;
            continue;
        }
        let (opacity, shift) = stack.last().map_or((1.0, Vec2::new(0.0, 0.0)), |top| (top.opacity, top.shift));
        let look = look_of(node);
        let (opacity, shift) = (opacity * look.opacity, shift + look.shift);
        let mut place = moved(open.layout.rects[number as usize], shift);
        if node.definition.kind == WidgetKind::DragBox {
            let Some(dragged) = gui.drag_box(node.definition.action) else {
                number = node.end;
                continue;
            };
            place = dragged;
        }
        if opacity > 0.0 {
            Brush { gui, node, look, opacity, place, canvas, around }.widget();
        }
        let is_clip = node.definition.kind == WidgetKind::Scroll;
        if is_clip {
            canvas.items.push(CanvasItem::Clip { rect: place });
        }
        let bar = if is_clip { scroll_bar(open, number, place, faded(look.colour, opacity)) } else { None };
        stack.push(Inherited { end: node.end, opacity, shift, is_clip, bar });
        number += 1;
    }
    for top in stack.into_iter().rev() {
        canvas.items.extend(top.is_clip.then_some(CanvasItem::Unclip));
        canvas.items.extend(top.bar);
    }
}

/// The bar at the right of what can be scrolled: how much of it is seen, and where. None: all is seen.
fn scroll_bar(open: &OpenInterface, number: u32, place: Rect, colour: Rgba) -> Option<CanvasItem> {
    let node = &open.nodes[number as usize];
    let most = open.layout.scroll_max(&open.nodes, number);
    let height = size(place).y;
    if most < 1.0 || height < BAR_MIN {
        return None;
    }
    let length = max(height * height / (height + most), BAR_MIN);
    let top = place.min.y + (height - length) * clamp(node.state.scroll / most, 0.0, 1.0);
    let rect = rect(Vec2::new(place.max.x - BAR_WIDTH, top), Vec2::new(BAR_WIDTH, length));
    let fill = faded(colour, 0.45);
    Some(CanvasItem::Quad { rect, fill, border: Rgba::default(), border_width: 0.0, radius: BAR_WIDTH * 0.5 })
}

/// The width of the bar of what can be scrolled, and its least length, in logical pixels.
const BAR_WIDTH: f32 = 6.0;
const BAR_MIN: f32 = 16.0;

/// Draws one widget.
struct Brush<'a, 'b> {
    gui: &'a Gui,
    node: &'a Node,
    look: Look,
    opacity: f32,
    place: Rect,
    canvas: &'a mut Canvas,
    around: &'a mut Surroundings<'b>,
}

impl Brush<'_, '_> {
    fn widget(&mut self) {
        self.quad(self.place, self.look.fill, self.look.border, self.look.border_width, self.look.radius);
        self.image();
        match self.node.definition.kind {
            WidgetKind::Bar => self.bar(),
            WidgetKind::Slider => self.slider(),
            WidgetKind::Toggle => self.toggle(),
            WidgetKind::TextInput => self.text_input(),
            WidgetKind::Marker => self.arrow(),
            WidgetKind::Text | WidgetKind::Button => {
                let place = inner(self.place, self.node.definition.padding);
                self.text(&self.node.state.text, place, self.look.colour);
            }
            _ => {}
        }
    }

    fn quad(&mut self, place: Rect, fill: Rgba, border: Rgba, border_width: f32, radius: f32) {
        let (fill, border) = (faded(fill, self.opacity), faded(border, self.opacity));
        let has_border = border.alpha > 0 && border_width > 0.0;
        if fill.alpha > 0 || has_border {
            let border_width = if has_border { border_width } else { 0.0 };
            self.canvas.items.push(CanvasItem::Quad { rect: place, fill, border, border_width, radius });
        }
    }

    /// The image; while the state changes, that of the earlier state fades out over it.
    fn image(&mut self) {
        let blend = &self.node.state.blend;
        let to = self.look;
        if to.bitmap.is_none() {
            return;
        }
        let tint = faded(to.colour, self.opacity);
        self.canvas.items.push(CanvasItem::Image { rect: self.place, bitmap: to.bitmap, part: to.part, tint });
        if let Some(from) = blend.from.filter(|from| blend.part < 1.0 && !from.bitmap.is_none())
            && (from.bitmap, from.part) != (to.bitmap, to.part)
        {
            let tint = faded(tint, 1.0 - blend.part);
            self.canvas.items.push(CanvasItem::Image { rect: self.place, bitmap: from.bitmap, part: from.part, tint });
        }
    }

    /// The share of a value in its range.
    fn share(&self) -> f32 {
        let (from, to) = self.node.definition.range;
        let share = if from == to { 0.0 } else { (self.node.state.value - from) / (to - from) };
        if share.is_finite() { clamp(share, 0.0, 1.0) } else { 0.0 }
    }

    fn bar(&mut self) {
        let inside = inner(self.place, Vec2::splat(self.look.border_width));
        let filled = rect(inside.min, Vec2::new(size(inside).x * self.share(), size(inside).y));
        if size(filled).x > 0.0 {
            let radius = max(self.look.radius - self.look.border_width, 0.0);
            self.quad(filled, self.look.colour, Rgba::default(), 0.0, radius);
        }
    }

    fn slider(&mut self) {
        let inside = inner(self.place, self.node.definition.padding);
        let (middle, knob) = (centre(inside), min(size(inside).y, 24.0));
        let track = rect(Vec2::new(inside.min.x, middle.y - 3.0), Vec2::new(size(inside).x, 6.0));
        self.quad(track, faded(self.look.border, 0.8), Rgba::default(), 0.0, 3.0);
        let x = inside.min.x + size(inside).x * self.share();
        let filled = rect(track.min, Vec2::new(x - track.min.x, 6.0));
        self.quad(filled, self.look.colour, Rgba::default(), 0.0, 3.0);
        let place = rect(Vec2::new(x - knob * 0.5, middle.y - knob * 0.5), Vec2::splat(knob));
        self.quad(place, self.look.colour, self.look.border, 2.0, knob * 0.5);
    }

    fn toggle(&mut self) {
        let inside = inner(self.place, self.node.definition.padding);
        let style = text_style(&self.node.definition, self.gui.preferences.text_scale);
        let side = min(size(inside).y, style.size * TOGGLE_SIDE);
        let corner = Vec2::new(inside.min.x, centre(inside).y - side * 0.5);
        let mark = rect(corner, Vec2::splat(side));
        self.quad(mark, self.look.fill, self.look.border, 2.0, 4.0);
        if self.node.state.value != 0.0 {
            self.quad(inner(mark, Vec2::splat(side * 0.25)), ACCENT, Rgba::default(), 0.0, 2.0);
        }
        let left = Vec2::new(side + TOGGLE_GAP, 0.0);
        let place = Rect { min: inside.min + left, max: inside.max };
        self.text(&self.node.state.text, place, self.look.colour);
    }

    fn style(&self) -> TextStyle {
        let style = text_style(&self.node.definition, self.gui.preferences.text_scale);
        TextStyle { font: self.look.font, align: self.look.text_align, ..style }
    }

    /// A text in an area: a text begins at its top, in other widgets it is centred from top to bottom.
    fn text(&mut self, text: &str, area: Rect, colour: Rgba) {
        if text.is_empty() {
            return;
        }
        let style = self.style();
        let mut place = area;
        if self.node.definition.kind != WidgetKind::Text {
            let width = if style.wraps { size(area).x } else { f32::INFINITY };
            let height = self.around.measure.measure(text, &style, width).y;
            // Around the middle of the widget: one that is lower than its padding and its text is still centred.
            let top = centre(self.place).y - height * 0.5;
            place = rect(Vec2::new(area.min.x, top), Vec2::new(size(area).x, height));
        }
        self.canvas.text(place, text, style, faded(colour, self.opacity));
    }

    fn text_input(&mut self) {
        let definition = &self.node.definition;
        let style = TextStyle { font: self.look.font, ..field_style(definition, self.gui.preferences.text_scale) };
        let height = self.around.measure.measure("X", &style, f32::INFINITY).y;
        let area = text_rect(definition, self.place, height);
        self.canvas.items.push(CanvasItem::Clip { rect: inner(self.place, Vec2::splat(self.look.border_width)) });
        let edit = &self.node.state.edit;
        let (shown, caret) = edit.shown();
        let is_focused = self.gui.focus.and_then(|widget| self.gui.resolve(widget));
        let is_focused = is_focused.is_some_and(|(open, number)| open.nodes[number as usize].key == self.node.key);
        let x_of =
            |around: &mut Surroundings<'_>, byte: usize| around.measure.caret(&shown, &style, f32::INFINITY, byte).0.x;
        let corner = area.min - Vec2::new(self.node.state.text_scroll, 0.0);
        if is_focused {
            let selected = if edit.composed().is_some() { 0..0 } else { edit.selected() };
            if !selected.is_empty() {
                let ends = [selected.start, selected.end].map(|byte| x_of(self.around, byte));
                let place = rect(corner + Vec2::new(ends[0], 0.0), Vec2::new(ends[1] - ends[0], height));
                self.quad(place, faded(ACCENT, 0.35), Rgba::default(), 0.0, 0.0);
            }
        }
        if shown.is_empty() && !is_focused {
            let hint = say_string(definition.prompt, &[], self.around.texts, &self.gui.strings);
            let colour = faded(self.look.colour, 0.5 * self.opacity);
            if !hint.is_empty() {
                self.canvas.text(area, &hint, style, colour);
            }
        } else {
            let place = Rect { min: corner, max: area.max };
            self.canvas.text(place, &shown, style, faded(self.look.colour, self.opacity));
        }
        if let Some(composed) = edit.composed().filter(|_| is_focused) {
            let ends = [composed.start, composed.end].map(|byte| corner.x + x_of(self.around, byte));
            let (from, to) = (Vec2::new(ends[0], area.max.y), Vec2::new(ends[1], area.max.y));
            let colour = faded(self.look.colour, self.opacity);
            self.canvas.items.push(CanvasItem::Line { from, to, width: 1.0, colour });
        }
        // The caret blinks once a second.
        if is_focused && self.gui.now % 1000.0 < 600.0 {
            let x = corner.x + x_of(self.around, caret);
            let (from, to) = (Vec2::new(x, area.min.y), Vec2::new(x, area.min.y + height));
            let colour = faded(self.look.colour, self.opacity);
            self.canvas.items.push(CanvasItem::Line { from, to, width: 2.0, colour });
        }
        self.canvas.items.push(CanvasItem::Unclip);
    }

    /// The arrow of a marker at the edge of the screen.
    fn arrow(&mut self) {
        let Some(way) = self.node.state.marker.and_then(|marker| marker.arrow) else { return };
        let tip = centre(self.place) + way * (max(size(self.place).max_component() * 0.5, 10.0) + 14.0);
        // A wide marker at the edge does not push its arrow out of the picture.
        let tip = nearest(inner(self.gui.area(), Vec2::splat(ARROW_EDGE)), tip);
        let side = Vec2::new(-way.y, way.x);
        let colour = faded(self.look.colour, self.opacity);
        for end in [tip - way * 12.0 + side * 8.0, tip - way * 12.0 - side * 8.0] {
            self.canvas.items.push(CanvasItem::Line { from: end, to: tip, width: 3.0, colour });
        }
    }
}

/// Draws the hint of the widget under the pointer.
fn draw_hint(gui: &Gui, canvas: &mut Canvas, around: &mut Surroundings<'_>) {
    let hovered = gui.pointer.hovered().filter(|_| gui.pointer.pressed().is_none());
    let Some((open, number)) = hovered.and_then(|widget| gui.resolve(widget)) else { return };
    let node = &open.nodes[number as usize];
    // Blending to the hovered look takes a moment, and so does the hint.
    if node.definition.hint.is_none() || node.state.blend.part < 1.0 {
        return;
    }
    let text = say_string(node.definition.hint, &[], around.texts, &gui.strings);
    let look = usual(WidgetKind::TextInput, Default::default());
    let style = TextStyle { font: look.font, size: 18.0 * gui.preferences.text_scale, align: 0.0, wraps: true };
    let wanted = around.measure.measure(&text, &style, HINT_WIDTH);
    let (below, room) = (open.layout.rect(number), Vec2::new(10.0, 6.0));
    let whole = wanted + room * 2.0;
    let screen = gui.screen();
    let x = clamp(below.min.x, 0.0, max(screen.x - whole.x, 0.0));
    let is_high = below.max.y + 6.0 + whole.y > screen.y;
    let y = if is_high { below.min.y - 6.0 - whole.y } else { below.max.y + 6.0 };
    let place = rect(Vec2::new(x, y), whole);
    let fill = Rgba { alpha: 245, ..look.fill };
    canvas.items.push(CanvasItem::Quad { rect: place, fill, border: look.border, border_width: 1.0, radius: 4.0 });
    canvas.text(inner(place, room), &text, style, look.colour);
}

/// The least distance of an arrow's tip from the edge of the screen, in logical pixels.
const ARROW_EDGE: f32 = 10.0;

/// The greatest width of a hint, in logical pixels.
const HINT_WIDTH: f32 = 420.0;
