//! Keys and gamepads: moving the focus, using widgets, and typing.

use alloc::vec::Vec;

use base::{StringId, Vec2};
use relay::device::{Key, PadAxis, PadButton};
use view::Rect;

use super::{Gui, WidgetId};
use crate::answer::Answer;
use crate::classes::interface::WidgetKind;
use crate::focus::{Direction, best, wrapped};
use crate::geometry::{inner, overlap, size};
use crate::limits::{DIAGONAL_TIME, REPEAT_DELAY, REPEAT_PERIOD, STICK_DIRECTION};
use crate::node::is_within;
use crate::open::OpenInterface;
use crate::surroundings::Surroundings;
use crate::text_edit::CaretMove;

/// The keys and directions that are held.
#[derive(Clone, Debug, Default)]
pub struct Navigation {
    /// The direction that is held, and the time until it repeats.
    held: Option<(Direction, f32)>,
    /// The directions of the stick.
    stick: [f32; 2],
    shift: [bool; 2],
    control: [bool; 2],
    /// The last move: its direction, where it began, and when, in seconds.
    last: Option<(Direction, WidgetId, f64)>,
}

const SUBMIT: StringId = StringId::new("guisubmit");
const CANCEL: StringId = StringId::new("guicancel");

impl Navigation {
    /// Nothing is held any more.
    pub fn release(&mut self) {
        *self = Navigation::default();
    }

    /// Whether a shift key is held.
    pub fn has_shift(&self) -> bool {
        self.shift.contains(&true)
    }

    fn has_control(&self) -> bool {
        self.control.contains(&true)
    }
}

impl Gui {
    /// The topmost interface that takes keys. Those below a modal panel do not.
    pub(super) fn key_interface(&self) -> Option<usize> {
        let lowest = self.modal().map_or(0, |(place, _)| place);
        let takes = |place: &usize| {
            let open = &self.opens[*place];
            open.takes_keys && open.is_in(self.stage) && open.nodes.iter().any(|node| node.state.is_visible)
        };
        (lowest..self.opens.len()).rev().find(takes)
    }

    /// The text field that has the focus.
    pub(super) fn focused_input(&self) -> Option<(&OpenInterface, u32)> {
        let (open, number) = self.resolve(self.focus?)?;
        let node = &open.nodes[number as usize];
        let is_input = node.definition.kind == WidgetKind::TextInput && node.state.is_visible && node.state.is_enabled;
        is_input.then_some((open, number))
    }

    pub(super) fn input_place(&self) -> Option<(usize, u32)> {
        let (open, number) = self.focused_input()?;
        Some((self.place_of(open.serial)?, number))
    }

    pub(super) fn key(&mut self, key: Key, is_down: bool, is_repeat: bool, around: &mut Surroundings<'_>) -> bool {
        let modifier = match key {
            Key::LeftShift => Some(&mut self.navigation.shift[0]),
            Key::RightShift => Some(&mut self.navigation.shift[1]),
            Key::LeftControl | Key::LeftSuper => Some(&mut self.navigation.control[0]),
            Key::RightControl | Key::RightSuper => Some(&mut self.navigation.control[1]),
            _ => None,
        };
        if let Some(modifier) = modifier {
            *modifier = is_down;
            // The game may use them as well.
            return false;
        }
        if self.focused_input().is_some() && is_down && self.edit_key(key, around) {
            return true;
        }
        let is_typing = self.focused_input().is_some();
        let direction = match key {
            Key::Left => Some(Direction::Left),
            Key::Right => Some(Direction::Right),
            Key::Up => Some(Direction::Up),
            Key::Down => Some(Direction::Down),
            _ => None,
        };
        if let Some(direction) = direction {
            return self.direction(direction, is_down, is_repeat, around) || is_typing;
        }
        if self.key_interface().is_none() || !is_down {
            return false;
        }
        match key {
            _ if is_repeat => true,
            Key::Tab => {
                self.step_focus(if self.navigation.has_shift() { -1 } else { 1 });
                true
            }
            Key::Enter | Key::PadEnter | Key::Space => self.accept(around),
            Key::Escape => self.cancel(around),
            _ => false,
        }
    }

    /// What a key does in a text field; false: it is not for text.
    fn edit_key(&mut self, key: Key, around: &mut Surroundings<'_>) -> bool {
        let Some((place, number)) = self.input_place() else { return false };
        let (shift, control) = (self.navigation.has_shift(), self.navigation.has_control());
        let definition = self.opens[place].nodes[number as usize].definition.clone();
        let key = if control { self.signs.key(key) } else { key };
        let edit = &mut self.opens[place].nodes[number as usize].state.edit;
        let mut has_changed = false;
        match key {
            Key::Left => edit.move_caret(if control { CaretMove::WordLeft } else { CaretMove::Left }, shift),
            Key::Right => edit.move_caret(if control { CaretMove::WordRight } else { CaretMove::Right }, shift),
            Key::Home => edit.move_caret(CaretMove::Start, shift),
            Key::End => edit.move_caret(CaretMove::End, shift),
            Key::Backspace => has_changed = edit.delete(false),
            Key::Delete => has_changed = edit.delete(true),
            Key::A if control => edit.select_all(),
            Key::C if control => around.clipboard.write(edit.selected_text()),
            Key::X if control => {
                around.clipboard.write(edit.selected_text());
                has_changed = !edit.selected().is_empty() && edit.delete(false);
            }
            Key::V if control => has_changed = edit.insert(&around.clipboard.read(), definition.length_max),
            Key::Enter | Key::PadEnter => self.submit(place, number),
            Key::Escape => self.focus = None,
            Key::Up | Key::Down | Key::Tab => return false,
            // Function keys are the game's; all others type.
            key => return !(Key::F1..=Key::F12).contains(&key),
        }
        if has_changed {
            self.typed_into(place, number);
        }
        true
    }

    fn submit(&mut self, place: usize, number: u32) {
        let node = &self.opens[place].nodes[number as usize];
        let (name, function) = (node.definition.name, node.definition.on_submit);
        let text = node.state.edit.text().into();
        let text: alloc::string::String = text;
        let value = Answer::String(self.keep_typed(&text));
        if let Some(function) = function {
            self.call(place, number, function, core::slice::from_ref(&value));
        }
        self.tell(place, number, SUBMIT, &[Answer::String(name), value]);
    }

    pub(super) fn typed_into(&mut self, place: usize, number: u32) {
        let text: alloc::string::String = self.opens[place].nodes[number as usize].state.edit.text().into();
        let value = Answer::String(self.keep_typed(&text));
        self.changed(place, number, value);
    }

    pub(super) fn type_text(&mut self, text: &str) -> bool {
        let Some((place, number)) = self.input_place() else { return false };
        let node = &mut self.opens[place].nodes[number as usize];
        node.state.edit.compose("", None);
        if node.state.edit.insert(text, node.definition.length_max) {
            self.typed_into(place, number);
        }
        true
    }

    pub(super) fn compose(&mut self, text: &str, cursor: Option<(usize, usize)>) -> bool {
        let Some((place, number)) = self.input_place() else { return false };
        self.opens[place].nodes[number as usize].state.edit.compose(text, cursor);
        true
    }

    pub(super) fn pad_button(&mut self, button: PadButton, is_down: bool, around: &mut Surroundings<'_>) -> bool {
        let direction = match button {
            PadButton::Left => Some(Direction::Left),
            PadButton::Right => Some(Direction::Right),
            PadButton::Up => Some(Direction::Up),
            PadButton::Down => Some(Direction::Down),
            _ => None,
        };
        if let Some(direction) = direction {
            return self.direction(direction, is_down, false, around);
        }
        if self.key_interface().is_none() || !is_down {
            return false;
        }
        match button {
            PadButton::South => self.accept(around),
            PadButton::East => self.cancel(around),
            PadButton::LeftShoulder => {
                self.step_focus(-1);
                true
            }
            PadButton::RightShoulder => {
                self.step_focus(1);
                true
            }
            _ => false,
        }
    }

    pub(super) fn pad_axis(&mut self, axis: PadAxis, value: f32, around: &mut Surroundings<'_>) -> bool {
        let (place, less, more) = match axis {
            PadAxis::LeftX => (0, Direction::Left, Direction::Right),
            PadAxis::LeftY => (1, Direction::Down, Direction::Up),
            _ => return false,
        };
        let value = if value.is_finite() { value } else { 0.0 };
        let before = core::mem::replace(&mut self.navigation.stick[place], value);
        let mut is_used = false;
        for (direction, was, is) in [(less, -before, -value), (more, before, value)] {
            if (was > STICK_DIRECTION) != (is > STICK_DIRECTION) {
                is_used |= self.direction(direction, is > STICK_DIRECTION, false, around);
            }
        }
        is_used || self.key_interface().is_some()
    }

    /// A direction was pressed or released.
    fn direction(&mut self, way: Direction, is_down: bool, is_repeat: bool, around: &mut Surroundings<'_>) -> bool {
        if !is_down {
            if self.navigation.held.is_some_and(|(held, _)| held == way) {
                self.navigation.held = None;
            }
            return false;
        }
        if self.key_interface().is_none() {
            return false;
        }
        // The system's repetition is at another rate than that of gamepads; here both are the same.
        if !is_repeat {
            self.navigation.held = Some((way, REPEAT_DELAY));
            self.go(way, around);
        }
        true
    }

    pub(super) fn repeat_navigation(&mut self, seconds: f32, around: &mut Surroundings<'_>) {
        let Some((way, left)) = self.navigation.held else { return };
        if self.key_interface().is_none() {
            self.navigation.held = None;
            return;
        }
        let left = left - seconds;
        let is_due = left <= 0.0;
        self.navigation.held = Some((way, if is_due { left + REPEAT_PERIOD } else { left }));
        if is_due {
            self.go(way, around);
        }
    }

    /// Moves the focus, or changes the slider that has it.
    fn go(&mut self, way: Direction, around: &mut Surroundings<'_>) {
        self.is_focus_shown = true;
        let Some(top) = self.key_interface() else { return };
        let Some((place, number)) = self.focused_in(top) else { return self.focus_first(top) };
        let node = &self.opens[place].nodes[number as usize];
        if node.definition.kind == WidgetKind::Slider && way.vector().y == 0.0 {
            let (from, to) = node.definition.range;
            let step = if node.definition.step > 0.0 { node.definition.step } else { (to - from) * 0.05 };
            let value = node.state.value + step * way.vector().x;
            self.slide(place, number, value);
            return self.settle(around);
        }
        let now = self.now / 1000.0;
        let from = self.id(place, number);
        // Two directions at almost the same time are a diagonal from where the first began.
        let last = self.navigation.last.replace((way, from, now));
        if let Some((before, start, time)) = last
            && now - time < f64::from(DIAGONAL_TIME)
            && before.vector().dot(way.vector()) == 0.0
            && let Some((_, number)) = self.resolve(start).filter(|(open, _)| open.serial == from.open)
        {
            let diagonal = (before.vector() + way.vector()).normal();
            let found =
                best(self.opens[place].layout.rect(number), diagonal, self.candidates(place, number).into_iter());
            if let Some(found) = found {
                return self.set_focus(place, found);
            }
        }
        if let Some(found) = self.next_focus(place, number, way) {
            self.set_focus(place, found);
            self.scroll_into_view(place, found);
        }
    }

    /// The focus, if it is in this interface.
    fn focused_in(&self, place: usize) -> Option<(usize, u32)> {
        let (open, number) = self.resolve(self.focus?)?;
        (self.place_of(open.serial)? == place && self.can_focus(place, number)).then_some((place, number))
    }

    /// Whether a widget can have the focus now.
    pub(super) fn can_focus(&self, place: usize, number: u32) -> bool {
        self.can_focus_with(place, number, self.modal())
    }

    /// The same, for many widgets: the modal panel is found once.
    fn can_focus_with(&self, place: usize, number: u32, modal: Option<(usize, u32)>) -> bool {
        let open = &self.opens[place];
        let Some(node) = open.nodes.get(number as usize) else { return false };
        let is_reached = modal.is_none_or(|(of, it)| of < place || of == place && is_within(&open.nodes, number, it));
        node.definition.is_focusable() && node.state.is_visible && node.state.is_enabled && is_reached
    }

    /// The widgets of a run of nodes that can have the focus.
    pub(super) fn focusable(&self, place: usize, run: core::ops::Range<u32>) -> impl Iterator<Item = u32> + '_ {
        let modal = self.modal();
        run.filter(move |number| self.can_focus_with(place, *number, modal))
    }

    fn candidates(&self, place: usize, except: u32) -> Vec<(u32, Rect)> {
        let open = &self.opens[place];
        // Nodes that were added since the last layout have no place yet.
        let count = open.nodes.len().min(open.layout.rects.len()) as u32;
        let all = self.focusable(place, 0..count).filter(|number| *number != except);
        all.map(|number| (number, open.layout.rect(number))).collect()
    }

    /// Where the focus moves: by an explicit link, else within the same container, else anywhere in the interface.
    fn next_focus(&self, place: usize, number: u32, way: Direction) -> Option<u32> {
        let open = &self.opens[place];
        let node = &open.nodes[number as usize];
        let link = node.definition.focus[way as usize];
        if !link.is_none()
            && let Some(found) = open.named(node.logic, link).filter(|found| self.can_focus(place, *found))
        {
            return Some(found);
        }
        let (from, direction) = (open.layout.rect(number), way.vector());
        let all = self.candidates(place, number);
        let container = self.container(place, number);
        let is_inside =
            |(other, _): &(u32, Rect)| container.is_some_and(|around| is_within(&open.nodes, *other, around));
        let near = all.iter().copied().filter(is_inside);
        if let Some(found) = best(from, direction, near.clone()) {
            return Some(found);
        }
        let is_list = container.is_some_and(|around| open.nodes[around as usize].definition.kind == WidgetKind::List);
        if is_list && let Some(found) = wrapped(from, direction, near) {
            return Some(found);
        }
        let found = best(from, direction, all.iter().copied())?;
        // Into a container the focus returns to where it was.
        let remembered = self.container(place, found).filter(|around| Some(*around) != container);
        let remembered = remembered.and_then(|around| self.remembered.get(&self.id(place, around)));
        let remembered = remembered.and_then(|widget| open.find(widget.key)).filter(|it| self.can_focus(place, *it));
        Some(remembered.unwrap_or(found))
    }

    /// The innermost row, column, grid, list or scrolled widget around a widget.
    fn container(&self, place: usize, number: u32) -> Option<u32> {
        let nodes = &self.opens[place].nodes;
        let mut at = nodes.get(number as usize)?.parent;
        while let Some(node) = nodes.get(at as usize) {
            if node.definition.flows() {
                return Some(at);
            }
            at = node.parent;
        }
        None
    }

    pub(super) fn set_focus(&mut self, place: usize, number: u32) {
        let widget = self.id(place, number);
        self.focus = Some(widget);
        let mut around = self.container(place, number);
        while let Some(container) = around {
            self.remembered.insert(self.id(place, container), widget);
            around = self.container(place, container);
        }
    }

    /// Focuses the widget that the interface names, or the first that can be.
    pub(super) fn focus_first(&mut self, place: usize) {
        let open = &self.opens[place];
        if !open.takes_keys || !open.is_in(self.stage) {
            return;
        }
        let named = open.named(0, open.first_focus).filter(|number| self.can_focus(place, *number));
        let first = named.or_else(|| self.focusable(place, 0..open.nodes.len() as u32).next());
        if let Some(number) = first {
            self.set_focus(place, number);
        }
    }

    /// Moves the focus to the next or the previous widget in the order of the tree.
    fn step_focus(&mut self, step: isize) {
        self.is_focus_shown = true;
        let Some(place) = self.key_interface() else { return };
        let all: Vec<u32> = self.focusable(place, 0..self.opens[place].nodes.len() as u32).collect();
        let Some((_, number)) = self.focused_in(place) else { return self.focus_first(place) };
        let Some(at) = all.iter().position(|other| *other == number) else { return };
        let next = (at as isize + step).rem_euclid(all.len() as isize) as usize;
        self.set_focus(place, all[next]);
        self.scroll_into_view(place, all[next]);
    }

    /// Uses the widget that has the focus.
    fn accept(&mut self, around: &mut Surroundings<'_>) -> bool {
        self.is_focus_shown = true;
        let Some(top) = self.key_interface() else { return false };
        match self.focused_in(top) {
            Some((place, number)) => self.click(place, number, around),
            None => self.focus_first(top),
        }
        true
    }

    /// Tells the interface that the player wants to leave it.
    fn cancel(&mut self, around: &mut Surroundings<'_>) -> bool {
        let Some(place) = self.key_interface() else { return false };
        self.queue_to_open(place, CANCEL, &[]);
        self.settle(around);
        true
    }

    /// Scrolls so that a widget is seen.
    pub(super) fn scroll_into_view(&mut self, place: usize, number: u32) {
        let open = &self.opens[place];
        let area = open.layout.rect(number);
        let mut at = open.nodes[number as usize].parent;
        while let Some(node) = self.opens[place].nodes.get(at as usize) {
            let (parent, definition) = (node.parent, node.definition.clone());
            if definition.kind == WidgetKind::Scroll {
                let inside = inner(self.opens[place].layout.rect(at), definition.padding);
                let is_seen = size(overlap(area, inside)) == size(area);
                let way = if area.min.y < inside.min.y { area.min.y - inside.min.y } else { area.max.y - inside.max.y };
                if !is_seen && Vec2::new(way, 0.0).is_finite() {
                    self.scroll_by(place, at, way);
                }
            }
            at = parent;
        }
    }
}
