//! Layout: from sizes and anchors to rectangles.
//!
//! A widget in a panel is placed by anchors: the reference point (a point of the parent or of a sibling) plus the offset, less
//! the own size times the own anchor. Rows, columns, grids, lists and scrolled columns arrange what lies in them in its order.
//!
//! Laws
//! 1. Lengths are logical pixels; every rectangle is finite and has no negative size.
//! 2. What is not visible takes no room.
//! 3. Where a column does not fit on the screen, what can be scrolled in it gives way; in a row that is too long, texts that wrap.
//! 4. A widget is measured at most three times for different widths in each layout of its parent, so a layout costs the number of
//!    widgets, and in the worst case times their depth.

use alloc::vec::Vec;

use base::Vec2;
use base::number::{max, min};
use view::{Rect, TextMeasure, TextStyle};

use crate::classes::interface::{Alignment, Arrangement, WidgetKind};
use crate::definition::Definition;
use crate::geometry::{anchor, inner, moved, overlap, point, rect, size, tame};
use crate::node::{Node, children};
use crate::tree::NONE;

/// The rectangles of all nodes.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Of each node, its rectangle.
    pub rects: Vec<Rect>,
    /// Of each node, the area in which it can be seen.
    pub clips: Vec<Rect>,
    /// Of each node, the height of its content, if it can be scrolled.
    pub content_heights: Vec<f32>,
    /// Of each node, the last sizes that were measured, with their widths.
    measured: Vec<[(f32, Vec2); 3]>,
}

/// What a layout depends on besides the nodes.
pub struct LayoutContext<'a> {
    /// The area of the screen, in logical pixels.
    pub area: Rect,
    /// Measures texts.
    pub measure: &'a mut dyn TextMeasure,
    /// The player's factor on the size of text.
    pub text_scale: f32,
}

const NEVER: (f32, Vec2) = (f32::NAN, Vec2::new(0.0, 0.0));
/// The size of an image without a size.
const IMAGE: Vec2 = Vec2::new(64.0, 64.0);
const BAR: Vec2 = Vec2::new(160.0, 16.0);
const SLIDER: Vec2 = Vec2::new(200.0, 28.0);
const INPUT_WIDTH: f32 = 240.0;
/// The side of a toggle's box in sizes of its text.
pub const TOGGLE_SIDE: f32 = 1.2;
/// The room behind that box.
pub const TOGGLE_GAP: f32 = 10.0;

impl Layout {
    /// Places all nodes.
    pub fn compute(&mut self, nodes: &mut [Node], context: &mut LayoutContext<'_>) {
        let count = nodes.len();
        for list in [&mut self.rects, &mut self.clips] {
            list.clear();
            list.resize(count, Rect::default());
        }
        self.content_heights.clear();
        self.content_heights.resize(count, 0.0);
        self.measured.clear();
        self.measured.resize(count, [NEVER; 3]);
        let area = context.area;
        self.place_anchored(nodes, NONE, area, context);
        self.clip(nodes, area);
    }

    /// The rectangle of a node; empty if there is none.
    pub fn rect(&self, number: u32) -> Rect {
        self.rects.get(number as usize).copied().unwrap_or_default()
    }

    /// How far a node can be scrolled.
    pub fn scroll_max(&self, nodes: &[Node], number: u32) -> f32 {
        let Some(node) = nodes.get(number as usize) else { return 0.0 };
        let height = size(inner(self.rect(number), node.definition.padding)).y;
        max(self.content_heights.get(number as usize).copied().unwrap_or(0.0) - height, 0.0)
    }

    /// What lies in a scrolled widget is seen only within it.
    fn clip(&mut self, nodes: &[Node], area: Rect) {
        // The safe area is as far from each edge.
        let screen = Rect { min: Vec2::new(0.0, 0.0), max: area.max + area.min };
        for (number, node) in nodes.iter().enumerate() {
            let around = self.clips.get(node.parent as usize).copied();
            let around = match (around, nodes.get(node.parent as usize)) {
                (Some(clip), Some(parent)) if parent.definition.kind == WidgetKind::Scroll => {
                    overlap(clip, self.rects[node.parent as usize])
                }
                (Some(clip), _) => clip,
                _ => screen,
            };
            self.clips[number] = around;
        }
    }

    /// The size a node wants, at most this wide if its content can be narrower. Shares are of this size.
    fn measure(&mut self, nodes: &[Node], number: u32, room: Vec2, context: &mut LayoutContext<'_>) -> Vec2 {
        let known = self.measured[number as usize];
        // The height of the room matters for shares only.
        let definition = &*nodes[number as usize].definition;
        if let Some((_, found)) = known.iter().find(|(width, _)| *width == room.x).filter(|_| definition.share.y <= 0.0)
        {
            return *found;
        }
        let limit = |value: f32, least: f32, most: f32| max(if most > 0.0 { min(value, most) } else { value }, least);
        let own = |size: f32, share: f32, room: f32| match (share > 0.0, size > 0.0) {
            (true, _) => Some(room * share),
            (false, true) => Some(size),
            _ => None,
        };
        let width = own(definition.size.x, definition.share.x, room.x);
        let height = own(definition.size.y, definition.share.y, room.y);
        let (least, most) = (definition.size_min, definition.size_max);
        let mut wanted = Vec2::new(width.unwrap_or(0.0), height.unwrap_or(0.0));
        if width.is_none() || height.is_none() {
            let outer = limit(width.unwrap_or(room.x), least.x, most.x);
            let inside = Vec2::new(max(outer - definition.padding.x * 2.0, 0.0), room.y);
            let content = self.content(nodes, number, inside, context) + definition.padding * 2.0;
            wanted = Vec2::new(width.unwrap_or(content.x), height.unwrap_or(content.y));
        }
        let found = tame(Vec2::new(limit(wanted.x, least.x, most.x), limit(wanted.y, least.y, most.y)));
        self.measured[number as usize] = [(room.x, found), known[0], known[1]];
        found
    }

    /// The size of what lies in a node. The depth of the tree bounds the recursion.
    fn content(&mut self, nodes: &[Node], number: u32, room: Vec2, context: &mut LayoutContext<'_>) -> Vec2 {
        let node = &nodes[number as usize];
        let definition = &*node.definition;
        let inside = match definition.kind {
            WidgetKind::Row => self.run(nodes, number, room, 0, context),
            WidgetKind::Column | WidgetKind::List | WidgetKind::Scroll => self.run(nodes, number, room, 1, context),
            WidgetKind::Grid => self.grid_size(nodes, number, room, context),
            _ => self.anchored_size(nodes, number, room, context),
        };
        let own = match definition.kind {
            WidgetKind::Text | WidgetKind::Button => self.text_size(node, room.x, context),
            WidgetKind::Toggle => {
                let mark = definition.looks[0].font_size * context.text_scale * TOGGLE_SIDE;
                let text = self.text_size(node, max(room.x - mark - TOGGLE_GAP, 0.0), context);
                let side = max(text.y, definition.looks[0].font_size * context.text_scale);
                let gap = if text.x > 0.0 { TOGGLE_GAP } else { 0.0 };
                Vec2::new(min(side, mark) + gap + text.x, side)
            }
            WidgetKind::TextInput => {
                let style = field_style(definition, context.text_scale);
                Vec2::new(INPUT_WIDTH, context.measure.measure("X", &style, f32::INFINITY).y)
            }
            WidgetKind::Image if inside == Vec2::new(0.0, 0.0) => IMAGE,
            WidgetKind::Bar => BAR,
            WidgetKind::Slider => SLIDER,
            _ => Vec2::new(0.0, 0.0),
        };
        own.max(inside)
    }

    fn text_size(&mut self, node: &Node, width: f32, context: &mut LayoutContext<'_>) -> Vec2 {
        if node.state.text.is_empty() {
            return Vec2::new(0.0, 0.0);
        }
        let style = text_style(&node.definition, context.text_scale);
        let width = if style.wraps { width } else { f32::INFINITY };
        tame(context.measure.measure(&node.state.text, &style, width))
    }

    /// The size of a row (axis 0) or column (axis 1).
    fn run(&mut self, nodes: &[Node], number: u32, room: Vec2, axis: usize, context: &mut LayoutContext<'_>) -> Vec2 {
        let gap = nodes[number as usize].definition.gap;
        let shown: Vec<u32> = flowing(nodes, number).collect();
        let (mut along, mut across) = (gap * max(shown.len() as f32 - 1.0, 0.0), 0.0);
        for size in self.run_sizes(nodes, &shown, room, (axis, gap), context) {
            along += size[axis];
            across = max(across, size[1 - axis]);
        }
        if axis == 0 { Vec2::new(along, across) } else { Vec2::new(across, along) }
    }

    /// The sizes of what lies in a row or column. If a row is too long, texts that wrap have the width that the others leave.
    fn run_sizes(
        &mut self,
        nodes: &[Node],
        shown: &[u32],
        room: Vec2,
        (axis, gap): (usize, f32),
        context: &mut LayoutContext<'_>,
    ) -> Vec<[f32; 2]> {
        let mut sizes: Vec<[f32; 2]> = Vec::with_capacity(shown.len());
        for child in shown {
            sizes.push(self.measure(nodes, *child, room, context).to_array());
        }
        if axis == 1 {
            return sizes;
        }
        let wraps = |child: u32| {
            let definition = &nodes[child as usize].definition;
            definition.wraps && definition.size.x <= 0.0 && definition.share.x <= 0.0
        };
        let used = sizes.iter().fold(gap * max(shown.len() as f32 - 1.0, 0.0), |sum, size| sum + size[0]);
        let wrapping = shown.iter().zip(&sizes).filter(|(child, _)| wraps(**child));
        let (over, whole) = (used - room.x, wrapping.fold(0.0, |sum, (_, size)| sum + size[0]));
        if over > 0.0 && whole > 0.0 {
            for (child, size) in shown.iter().zip(&mut sizes).filter(|(child, _)| wraps(**child)) {
                let width = max(size[0] - over * size[0] / whole, 0.0);
                *size = self.measure(nodes, *child, Vec2::new(width, room.y), context).to_array();
            }
        }
        sizes
    }

    fn grid_size(&mut self, nodes: &[Node], number: u32, room: Vec2, context: &mut LayoutContext<'_>) -> Vec2 {
        let definition = &*nodes[number as usize].definition;
        let (columns, gap) = (definition.columns, definition.gap);
        let cell = Vec2::new(max((room.x - gap * (columns as f32 - 1.0)) / columns as f32, 0.0), room.y);
        let (mut widest, mut rows) = (0.0, Vec::new());
        for (index, child) in flowing(nodes, number).enumerate() {
            let wanted = self.measure(nodes, child, cell, context);
            widest = max(widest, wanted.x);
            if index % columns == 0 {
                rows.push(0.0);
            }
            if let Some(row) = rows.last_mut() {
                *row = max(*row, wanted.y);
            }
        }
        let height: f32 = rows.iter().fold(0.0, |sum, row| sum + row);
        let height = height + gap * max(rows.len() as f32 - 1.0, 0.0);
        Vec2::new(widest * columns as f32 + gap * (columns as f32 - 1.0), height)
    }

    /// The room that widgets placed by anchors need, if they have their own size.
    fn anchored_size(&mut self, nodes: &[Node], number: u32, room: Vec2, context: &mut LayoutContext<'_>) -> Vec2 {
        let mut needed = Vec2::new(0.0, 0.0);
        for child in children(nodes, number).filter(|child| nodes[*child as usize].state.is_visible) {
            let definition = nodes[child as usize].definition.clone();
            if definition.kind == WidgetKind::Marker {
                continue;
            }
            let mut wanted = self.measure(nodes, child, room, context);
            if let Some(between) = definition.between {
                wanted = wanted + between.inset + between.inset_end;
            } else {
                wanted += definition.offset.abs();
                // A share of a size that depends on it would need any room.
                wanted.x = if definition.share.x > 0.0 { 0.0 } else { wanted.x };
                wanted.y = if definition.share.y > 0.0 { 0.0 } else { wanted.y };
            }
            needed = needed.max(wanted);
        }
        needed
    }

    fn place(&mut self, nodes: &mut [Node], number: u32, place: Rect, context: &mut LayoutContext<'_>) {
        self.rects[number as usize] = place;
        let definition = nodes[number as usize].definition.clone();
        let inside = inner(place, definition.padding);
        match definition.kind {
            WidgetKind::Row => {
                self.place_run(nodes, number, inside, 0, context);
            }
            WidgetKind::Column | WidgetKind::List => {
                self.place_run(nodes, number, inside, 1, context);
            }
            WidgetKind::Scroll => self.place_scrolled(nodes, number, inside, context),
            WidgetKind::Grid => self.place_grid(nodes, number, inside, context),
            _ => return self.place_anchored(nodes, number, inside, context),
        }
        let markers: Vec<u32> = children(nodes, number)
            .filter(|child| is_marker(nodes, *child) && nodes[*child as usize].state.is_visible)
            .collect();
        for marker in markers {
            self.place_marker(nodes, marker, context);
        }
    }

    /// Places a marker where its object is, whatever lies around it.
    fn place_marker(&mut self, nodes: &mut [Node], number: u32, context: &mut LayoutContext<'_>) {
        let node = &nodes[number as usize];
        let (definition, marker) = (node.definition.clone(), node.state.marker);
        let at = marker.map_or(Vec2::new(0.0, 0.0), |marker| marker.place);
        let wanted = self.measure(nodes, number, size(context.area), context);
        let place = rect(at + definition.offset - wanted.times(definition.anchor), wanted);
        self.place(nodes, number, place, context);
    }

    /// Places a row or column. Returns the length of its content.
    fn place_run(
        &mut self,
        nodes: &mut [Node],
        number: u32,
        inside: Rect,
        axis: usize,
        context: &mut LayoutContext<'_>,
    ) -> f32 {
        let definition = nodes[number as usize].definition.clone();
        let room = size(inside);
        let shown: Vec<u32> = flowing(nodes, number).collect();
        let mut sizes = self.run_sizes(nodes, &shown, room, (axis, definition.gap), context);
        if axis == 1 && definition.kind != WidgetKind::Scroll {
            give_way(nodes, &shown, &mut sizes, room.y - definition.gap * max(shown.len() as f32 - 1.0, 0.0));
        }
        let gaps = definition.gap * max(shown.len() as f32 - 1.0, 0.0);
        let used = sizes.iter().fold(gaps, |sum, size| sum + size[axis]);
        let left = max(room.to_array()[axis] - used, 0.0);
        let grows = shown.iter().fold(0.0, |sum, child| sum + nodes[*child as usize].definition.grow);
        if grows > 0.0 {
            for (size, child) in sizes.iter_mut().zip(&shown) {
                size[axis] += left * nodes[*child as usize].definition.grow / grows;
            }
        }
        let free = if grows > 0.0 { 0.0 } else { left };
        let (mut at, between) = match definition.arrange {
            Arrangement::Start => (0.0, 0.0),
            Arrangement::Centre => (free * 0.5, 0.0),
            Arrangement::End => (free, 0.0),
            Arrangement::Spread => (0.0, free / max(shown.len() as f32 - 1.0, 1.0)),
        };
        for (size, child) in sizes.iter().zip(&shown) {
            let own = &*nodes[*child as usize].definition;
            let (offset, wide) = (own.offset, room.to_array()[1 - axis]);
            let (across, width) = across(definition.align, own, axis, size[1 - axis], wide);
            let (corner, whole) = if axis == 0 {
                (Vec2::new(at, across), Vec2::new(size[0], width))
            } else {
                (Vec2::new(across, at), Vec2::new(width, size[1]))
            };
            self.place(nodes, *child, rect(inside.min + corner + offset, whole), context);
            at += size[axis] + definition.gap + between;
        }
        max(used, 0.0)
    }

    fn place_scrolled(&mut self, nodes: &mut [Node], number: u32, inside: Rect, context: &mut LayoutContext<'_>) {
        let used = self.place_run(nodes, number, inside, 1, context);
        self.content_heights[number as usize] = used;
        let state = &mut nodes[number as usize].state;
        state.scroll = max(min(state.scroll, used - size(inside).y), 0.0);
        let way = Vec2::new(0.0, -state.scroll);
        let end = nodes[number as usize].end;
        for below in &mut self.rects[number as usize + 1..end as usize] {
            *below = moved(*below, way);
        }
    }

    fn place_grid(&mut self, nodes: &mut [Node], number: u32, inside: Rect, context: &mut LayoutContext<'_>) {
        let definition = nodes[number as usize].definition.clone();
        let (columns, gap) = (definition.columns, definition.gap);
        let width = max((size(inside).x - gap * (columns as f32 - 1.0)) / columns as f32, 0.0);
        let shown: Vec<u32> = flowing(nodes, number).collect();
        let mut top = 0.0;
        for row in shown.chunks(columns) {
            let mut sizes = Vec::with_capacity(row.len());
            for child in row {
                sizes.push(self.measure(nodes, *child, Vec2::new(width, size(inside).y), context));
            }
            let height = sizes.iter().fold(0.0, |height, size| max(height, size.y));
            for (column, (child, wanted)) in row.iter().zip(&sizes).enumerate() {
                let own = &*nodes[*child as usize].definition;
                let (x, wide) = across(definition.align, own, 1, wanted.x, width);
                let (y, high) = across(definition.align, own, 0, wanted.y, height);
                let corner = Vec2::new(column as f32 * (width + gap) + x, top + y) + own.offset;
                self.place(nodes, *child, rect(inside.min + corner, Vec2::new(wide, high)), context);
            }
            top += height + gap;
        }
    }

    /// Places what lies in a panel or on the screen by anchors.
    fn place_anchored(&mut self, nodes: &mut [Node], parent: u32, inside: Rect, context: &mut LayoutContext<'_>) {
        let mut shown: Vec<u32> =
            children(nodes, parent).filter(|child| nodes[*child as usize].state.is_visible).collect();
        if shown.iter().any(|child| nodes[*child as usize].rank > 0) {
            shown.sort_by_key(|child| (nodes[*child as usize].rank, *child));
        }
        for child in shown {
            if is_marker(nodes, child) {
                self.place_marker(nodes, child, context);
                continue;
            }
            let node = &nodes[child as usize];
            let definition = node.definition.clone();
            let reference = nodes.get(node.reference as usize).filter(|other| other.state.is_visible);
            let around = if reference.is_some() { self.rects[node.reference as usize] } else { inside };
            let place = match definition.between {
                Some(between) => {
                    let from = point(around, between.from) + between.inset;
                    rect(from, point(around, between.to) - between.inset_end - from)
                }
                None => {
                    let mut wanted = self.measure(nodes, child, size(inside), context);
                    let room = size(inside).y - definition.offset.abs().y;
                    if wanted.y > room && reference.is_none() && gives_way(nodes, child) {
                        wanted.y = max(room, definition.size_min.y);
                    }
                    let at = point(around, definition.reference_anchor);
                    rect(at + definition.offset - wanted.times(definition.anchor), wanted)
                }
            };
            self.place(nodes, child, place, context);
        }
    }
}

/// The visible widgets in a row, column or grid that take room there: markers are where their objects are, drag boxes where the
/// pointer is.
fn flowing(nodes: &[Node], parent: u32) -> impl Iterator<Item = u32> + '_ {
    let takes_room = |kind: WidgetKind| !matches!(kind, WidgetKind::Marker | WidgetKind::DragBox);
    children(nodes, parent).filter(move |child| {
        nodes[*child as usize].state.is_visible && takes_room(nodes[*child as usize].definition.kind)
    })
}

/// Whether a widget can be lower than it wants to be: it can be scrolled, or is a column with something in it that can.
fn gives_way(nodes: &[Node], number: u32) -> bool {
    match nodes[number as usize].definition.kind {
        WidgetKind::Scroll => true,
        WidgetKind::Column => flowing(nodes, number).any(|child| gives_way(nodes, child)),
        _ => false,
    }
}

/// Makes what gives way in a column lower, in proportion, until all fits in a height.
fn give_way(nodes: &[Node], shown: &[u32], sizes: &mut [[f32; 2]], height: f32) {
    let over = sizes.iter().fold(-height, |sum, size| sum + size[1]);
    if over <= 0.0 {
        return;
    }
    let can: Vec<bool> = shown.iter().map(|child| gives_way(nodes, *child)).collect();
    let whole = sizes.iter().zip(&can).filter(|(_, can)| **can).fold(0.0, |sum, (size, _)| sum + size[1]);
    for (size, _) in sizes.iter_mut().zip(can).filter(|(_, can)| *can) {
        size[1] = max(size[1] - over * size[1] / max(whole, 1.0), 0.0);
    }
}

fn is_marker(nodes: &[Node], number: u32) -> bool {
    nodes[number as usize].definition.kind == WidgetKind::Marker
}

/// The place and the width of a widget across the direction of its row (axis 0) or column (axis 1).
fn across(align: Alignment, own: &Definition, axis: usize, wanted: f32, room: f32) -> (f32, f32) {
    let has_size = own.size.to_array()[1 - axis] > 0.0 || own.share.to_array()[1 - axis] > 0.0;
    let most = own.size_max.to_array()[1 - axis];
    match align {
        Alignment::Stretch if !has_size => (0.0, if most > 0.0 { min(room, most) } else { room }),
        Alignment::Stretch | Alignment::Start => (0.0, wanted),
        Alignment::Centre => ((room - wanted) * 0.5, wanted),
        Alignment::End => (room - wanted, wanted),
    }
}

/// How the text of a widget is set.
pub fn text_style(definition: &Definition, text_scale: f32) -> TextStyle {
    let look = &definition.looks[0];
    TextStyle { font: look.font, size: look.font_size * text_scale, align: look.text_align, wraps: definition.wraps }
}

/// How the text of an input field is set: in one line, whatever its look says.
pub fn field_style(definition: &Definition, text_scale: f32) -> TextStyle {
    TextStyle { align: 0.0, wraps: false, ..text_style(definition, text_scale) }
}

/// Where a text lies in its widget: its lines are centred from top to bottom, except in texts.
pub fn text_rect(definition: &Definition, place: Rect, height: f32) -> Rect {
    let inside = inner(place, definition.padding);
    if definition.kind == WidgetKind::Text {
        return inside;
    }
    let top = max((size(inside).y - height) * 0.5, 0.0);
    let corner = point(inside, anchor(crate::classes::interface::AnchorName::TopLeft)) + Vec2::new(0.0, top);
    rect(corner, Vec2::new(size(inside).x, height))
}
