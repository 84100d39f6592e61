//! The pointer: hovering, pressing, dragging, the wheel, and fingers.

use alloc::vec::Vec;

use base::number::{clamp, max, min, round};
use base::{StringId, Vec2};
use relay::device::{MouseButton, TouchPhase};
use script::value::Value;

use super::{Gui, Waiting, WidgetId};
use crate::answer::Answer;
use crate::classes::interface::WidgetKind;
use crate::geometry::{holds, inner, size};
use crate::layout::{field_style, text_rect};
use crate::limits::{DRAG_DISTANCE, FINGERS_MAX, WHEEL_STEP};
use crate::logic::message;
use crate::node::is_within;
use crate::surroundings::Surroundings;
use crate::tree::NONE;

/// The pointer, and the finger that acts as one.
#[derive(Clone, Debug, Default)]
pub struct PointerState {
    /// Where it is, in physical pixels; none: outside of the window.
    place: Option<Vec2>,
    hovered: Option<WidgetId>,
    press: Option<Press>,
    /// The finger that acts as the pointer.
    finger: Option<u64>,
    /// The fingers that touch something else.
    others: Vec<u64>,
}

/// A press that has not ended.
#[derive(Clone, Copy, Debug)]
struct Press {
    /// The widget; none: the empty part of a modal panel.
    widget: Option<WidgetId>,
    /// Where it began and where the last drag was, in logical pixels.
    start: Vec2,
    last: Vec2,
    is_drag: bool,
    is_touch: bool,
}

/// The message of a click, as the thesis calls it.
const CLICK: StringId = StringId::new("guiclick");
const CHANGE: StringId = StringId::new("guichange");
const DRAG: StringId = StringId::new("guidrag");

impl PointerState {
    /// The widget under it.
    pub fn hovered(&self) -> Option<WidgetId> {
        self.hovered
    }

    /// The widget that is held down.
    pub fn pressed(&self) -> Option<WidgetId> {
        self.press.and_then(|press| press.widget)
    }

    /// Whether a widget is being dragged.
    pub fn is_dragging(&self) -> bool {
        self.press.is_some_and(|press| press.is_drag)
    }

    /// It left the window.
    pub fn leave(&mut self) {
        (self.place, self.hovered) = (None, None);
    }

    /// Nothing is pressed any more.
    pub fn release(&mut self) {
        (self.press, self.finger) = (None, None);
        self.others.clear();
    }
}

impl Gui {
    pub(super) fn pointer_moved(&mut self, place: Vec2, around: &mut Surroundings<'_>) -> bool {
        if !place.is_finite() {
            return false;
        }
        self.pointer.place = Some(place);
        self.follow_pointer();
        self.drag(place, around);
        self.pointer.press.is_some() || self.pointer.hovered.is_some()
    }

    /// The widget under the pointer, after it or the widgets have moved.
    pub(super) fn follow_pointer(&mut self) {
        let at = self.pointer.place.map(|place| place * (1.0 / self.scale()));
        let hit = at.and_then(|at| self.hit(at));
        self.pointer.hovered = hit.map(|(place, number)| self.id(place, self.interactive(place, number)));
    }

    pub(super) fn mouse_button(&mut self, button: MouseButton, is_down: bool, around: &mut Surroundings<'_>) -> bool {
        let Some(place) = self.pointer.place else { return false };
        if button != MouseButton::Left {
            let is_over = self.hit(place * (1.0 / self.scale())).is_some() || self.modal().is_some();
            return is_over && is_down;
        }
        if is_down { self.press(place, false, around) } else { self.lift(place, around) }
    }

    pub(super) fn touch(&mut self, finger: u64, phase: TouchPhase, place: Vec2, around: &mut Surroundings<'_>) -> bool {
        if !place.is_finite() {
            return false;
        }
        let is_pointer = self.pointer.finger == Some(finger);
        match phase {
            TouchPhase::Began if self.pointer.finger.is_none() && self.pointer.press.is_none() => {
                self.pointer.place = Some(place);
                self.follow_pointer();
                let is_used = self.press(place, true, around);
                if is_used {
                    self.pointer.finger = Some(finger);
                }
                is_used
            }
            TouchPhase::Began => {
                if self.pointer.others.len() < FINGERS_MAX {
                    self.pointer.others.push(finger);
                }
                false
            }
            TouchPhase::Moved if is_pointer => self.pointer_moved(place, around) || is_pointer,
            TouchPhase::Ended if is_pointer => {
                let is_used = self.lift(place, around);
                self.pointer.finger = None;
                // A finger that is lifted hovers over nothing.
                self.pointer.leave();
                is_used
            }
            TouchPhase::Cancelled if is_pointer => {
                self.pointer.release();
                self.pointer.leave();
                true
            }
            _ => {
                if phase != TouchPhase::Moved {
                    self.pointer.others.retain(|other| *other != finger);
                }
                false
            }
        }
    }

    /// Scrolls what lies under the pointer.
    pub(super) fn wheel(&mut self, lines: f32) -> bool {
        let Some(at) = self.pointer.place.map(|place| place * (1.0 / self.scale())) else { return false };
        if !lines.is_finite() {
            return false;
        }
        for place in (0..self.opens.len()).rev() {
            let open = &self.opens[place];
            if !open.is_in(self.stage) {
                continue;
            }
            let under = |number: &u32| {
                let node = &open.nodes[*number as usize];
                let is_scroll = node.definition.kind == WidgetKind::Scroll && node.state.is_visible;
                is_scroll && holds(open.layout.rect(*number), at) && holds(open.layout.clips[*number as usize], at)
            };
            let is_laid_out = open.layout.rects.len() == open.nodes.len();
            let count = if is_laid_out { open.nodes.len() as u32 } else { 0 };
            // The innermost that can move takes it.
            for number in (0..count).rev().filter(under).collect::<Vec<u32>>() {
                if self.scroll_by(place, number, -lines * WHEEL_STEP) {
                    return true;
                }
            }
        }
        self.hit(at).is_some()
    }

    /// Scrolls a widget down; false if it is at its end.
    pub(super) fn scroll_by(&mut self, place: usize, number: u32, way: f32) -> bool {
        let open = &mut self.opens[place];
        let most = open.layout.scroll_max(&open.nodes, number);
        let state = &mut open.nodes[number as usize].state;
        let before = state.scroll;
        state.scroll = clamp(before + way, 0.0, max(most, 0.0));
        let has_moved = state.scroll != before;
        open.is_dirty |= has_moved;
        has_moved
    }

    /// The innermost modal panel that is visible, and lies over all others.
    pub(super) fn modal(&self) -> Option<(usize, u32)> {
        for (place, open) in self.opens.iter().enumerate().rev().filter(|(_, open)| open.is_in(self.stage)) {
            let is_modal = |number: &u32| {
                let node = &open.nodes[*number as usize];
                node.definition.is_modal && node.state.is_visible
            };
            if let Some(number) = (0..open.nodes.len() as u32).rev().find(is_modal) {
                return Some((place, number));
            }
        }
        None
    }

    /// The topmost widget at a point that the pointer does not pass through.
    pub(super) fn hit(&self, at: Vec2) -> Option<(usize, u32)> {
        let modal = self.modal();
        for (place, open) in self.opens.iter().enumerate().rev().filter(|(_, open)| open.is_in(self.stage)) {
            if modal.is_some_and(|(of, _)| place < of) {
                return None;
            }
            let is_reached =
                |number: u32| modal.is_none_or(|(of, it)| of != place || is_within(&open.nodes, number, it));
            // Nodes that were added since the last layout have no place yet.
            let count = open.nodes.len().min(open.layout.rects.len());
            for number in (0..count as u32).rev() {
                let node = &open.nodes[number as usize];
                let is_there = node.state.is_visible && node.definition.stops_pointer() && is_reached(number);
                let (area, clip) = (open.layout.rects[number as usize], open.layout.clips[number as usize]);
                if is_there && holds(area, at) && holds(clip, at) {
                    return Some((place, number));
                }
            }
        }
        None
    }

    /// The widget itself, or the innermost around it that can be used.
    fn interactive(&self, place: usize, number: u32) -> u32 {
        let nodes = &self.opens[place].nodes;
        let mut at = number;
        while let Some(node) = nodes.get(at as usize) {
            if node.definition.is_interactive() {
                return at;
            }
            at = node.parent;
        }
        number
    }

    fn press(&mut self, place: Vec2, is_touch: bool, around: &mut Surroundings<'_>) -> bool {
        let at = place * (1.0 / self.scale());
        self.is_focus_shown = false;
        let hit = self.hit(at).map(|(place, number)| (place, self.interactive(place, number)));
        let Some((place, number)) = hit else {
            let is_modal = self.modal().is_some();
            if is_modal {
                self.pointer.press = Some(Press { widget: None, start: at, last: at, is_drag: false, is_touch });
            } else {
                self.focus = None;
            }
            return is_modal;
        };
        let widget = Some(self.id(place, number));
        self.pointer.press = Some(Press { widget, start: at, last: at, is_drag: false, is_touch });
        if self.can_focus(place, number) {
            self.set_focus(place, number);
        } else if !self.opens[place].takes_keys {
            self.focus = None;
        }
        self.point_at(place, number, at, false, around);
        true
    }

    /// Whether the press was the interface's.
    fn lift(&mut self, place: Vec2, around: &mut Surroundings<'_>) -> bool {
        let Some(press) = self.pointer.press.take() else { return false };
        let at = place * (1.0 / self.scale());
        let hit = self.hit(at).map(|(place, number)| (place, self.interactive(place, number)));
        if let Some((place, number)) = hit
            && press.widget == Some(self.id(place, number))
            // A finger that has scrolled has not clicked.
            && !(press.is_drag && press.is_touch)
        {
            self.click(place, number, around);
        }
        true
    }

    fn drag(&mut self, place: Vec2, around: &mut Surroundings<'_>) {
        let at = place * (1.0 / self.scale());
        let Some(press) = &mut self.pointer.press else { return };
        if !press.is_drag && press.start.distance(at) < DRAG_DISTANCE {
            return;
        }
        press.is_drag = true;
        let (way, widget, is_touch) = (at - press.last, press.widget, press.is_touch);
        press.last = at;
        let Some(widget) = widget else { return };
        let Some((open, number)) = self.resolve(widget) else { return };
        let (serial, definition) = (open.serial, open.nodes[number as usize].definition.clone());
        let Some(place) = self.place_of(serial) else { return };
        self.point_at(place, number, at, true, around);
        if let Some(function) = definition.on_drag {
            let ways = [way.x, way.y].map(|way| Answer::Number(f64::from(way)));
            self.call(place, number, function, &ways);
            self.tell(place, number, DRAG, &ways);
        } else if is_touch && definition.kind != WidgetKind::Slider {
            self.scroll_around(place, number, -way.y);
        }
    }

    /// Scrolls the innermost scrolled widget around a widget.
    fn scroll_around(&mut self, place: usize, number: u32, way: f32) {
        let mut at = number;
        while let Some(node) = self.opens[place].nodes.get(at as usize) {
            let (parent, is_scroll) = (node.parent, node.definition.kind == WidgetKind::Scroll);
            if is_scroll && self.scroll_by(place, at, way) {
                return;
            }
            at = parent;
        }
    }

    /// What pressing and dragging at a point does to sliders and text fields.
    fn point_at(&mut self, place: usize, number: u32, at: Vec2, is_drag: bool, around: &mut Surroundings<'_>) {
        let text_scale = self.preferences.text_scale;
        let open = &mut self.opens[place];
        let area = open.layout.rect(number);
        let node = &mut open.nodes[number as usize];
        if !node.state.is_enabled {
            return;
        }
        let definition = node.definition.clone();
        match definition.kind {
            WidgetKind::Slider => {
                let inside = inner(area, definition.padding);
                let share = (at.x - inside.min.x) / max(size(inside).x, 1.0);
                let (from, to) = definition.range;
                self.slide(place, number, from + (to - from) * clamp(share, 0.0, 1.0));
            }
            WidgetKind::TextInput => {
                let style = field_style(&definition, text_scale);
                let (text, _) = node.state.edit.shown();
                let height = around.measure.measure("X", &style, f32::INFINITY).y;
                let corner = text_rect(&definition, area, height).min - Vec2::new(node.state.text_scroll, 0.0);
                let byte = around.measure.byte_at(&text, &style, f32::INFINITY, at - corner);
                node.state.edit.place_caret(byte, is_drag || self.navigation.has_shift());
            }
            _ => {}
        }
    }

    /// Gives a slider a value: that of the nearest step, within its range.
    pub(super) fn slide(&mut self, place: usize, number: u32, value: f32) {
        let node = &mut self.opens[place].nodes[number as usize];
        let (from, to) = node.definition.range;
        let step = node.definition.step;
        let value = if step > 0.0 { from + round((value - from) / step) * step } else { value };
        let value = clamp(value, min(from, to), max(from, to));
        if value.is_finite() && value != node.state.value {
            node.state.value = value;
            self.changed(place, number, Answer::Number(f64::from(value)));
        }
    }

    /// Uses a widget: by a click, a key or a gamepad.
    pub(super) fn click(&mut self, place: usize, number: u32, around: &mut Surroundings<'_>) {
        let node = &mut self.opens[place].nodes[number as usize];
        if !node.state.is_enabled {
            return;
        }
        let definition = node.definition.clone();
        if definition.kind == WidgetKind::Toggle {
            let is_on = node.state.value == 0.0;
            node.state.value = f32::from(u8::from(is_on));
            self.changed(place, number, Answer::Truth(is_on));
        }
        if let Some(function) = definition.on_click {
            self.call(place, number, function, &[]);
        }
        let is_used = matches!(definition.kind, WidgetKind::Button | WidgetKind::Toggle);
        if is_used || definition.on_click.is_some() {
            self.tell(place, number, CLICK, &[Answer::String(definition.name)]);
        }
        self.settle(around);
    }

    /// Tells the logic that a widget has a new value.
    pub(super) fn changed(&mut self, place: usize, number: u32, value: Answer) {
        if let Some(function) = self.opens[place].nodes[number as usize].definition.on_change {
            self.call(place, number, function, core::slice::from_ref(&value));
        }
        let name = self.opens[place].nodes[number as usize].definition.name;
        self.tell(place, number, CHANGE, &[Answer::String(name), value]);
    }

    /// Sends the logic of a widget a message about it.
    pub(super) fn tell(&mut self, place: usize, number: u32, name: StringId, arguments: &[Answer]) {
        let open = &self.opens[place];
        let Some(node) = open.nodes.get(number as usize).filter(|_| number != NONE) else { return };
        let message = message(name, Value::NOTHING, arguments);
        self.waiting.push_back(Waiting::Message { open: open.serial, logic: node.logic, message });
    }
}
