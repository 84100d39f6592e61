//! Updating: events of the world, markers, bindings, layout, and the blending of looks.

use alloc::vec;
use alloc::vec::Vec;

use base::Vec2;
use base::number::{max, min};
use script::value::Value;
use view::Frame;

use super::{Gui, UpdateInput, WidgetId, drawing};
use crate::answer::Answer;
use crate::classes::interface::WidgetKind;
use crate::classes::look::StateName;
use crate::geometry::{inner, size};
use crate::layout::{LayoutContext, field_style};
use crate::logic::{LogicContext, message};
use crate::node::MarkerPlace;
use crate::open::OpenContext;
use crate::pick::mark;
use crate::surroundings::Surroundings;

impl Gui {
    /// Tells the logic of all interfaces the player and the selection.
    pub(super) fn tell_player(&mut self) {
        let player = self.player;
        let selection = Answer::List(self.selection.iter().map(|object| Answer::Object(*object)).collect());
        for place in 0..self.opens.len() {
            self.with_logics(place, |logic, context| logic.set_player(player, &selection, context));
        }
    }

    /// Hands the events of a frame that are new to the logic of all interfaces.
    pub(super) fn hear(&mut self, frame: &Frame, player: u16) {
        let me = frame.players.iter().find(|known| known.player == player);
        let player = me.map_or(0, |me| me.object);
        if player != self.player {
            self.player = player;
            self.tell_player();
        }
        let epoch = frame.moment.epoch;
        // After a jump in time, what was sent before it is not new.
        let since = if self.heard.0 == epoch { self.heard.1 } else { frame.moment.cycle };
        for event in frame.interface_events.iter().filter(|event| event.cycle > since) {
            if event.player.is_none_or(|player| me.is_some_and(|me| me.player == player)) {
                let mut arguments = vec![Answer::Object(event.object), Answer::Vector(event.position)];
                arguments.extend(event.arguments.iter().map(|atom| Answer::from(*atom)));
                self.broadcast(&message(event.name, Value::NOTHING, &arguments));
            }
        }
        let newest = frame.interface_events.iter().map(|event| event.cycle).max().unwrap_or(0);
        self.heard = (epoch, newest.max(since).max(frame.moment.cycle));
    }

    pub(super) fn place_markers(&mut self, input: &UpdateInput<'_>) {
        let (screen, area) = (self.screen(), self.area());
        for open in &mut self.opens {
            for node in open.nodes.iter_mut().filter(|node| node.definition.kind == WidgetKind::Marker) {
                let found = input.frame.zip(input.camera).and_then(|(frame, camera)| {
                    let instance = frame.instance_of(node.state.object)?;
                    let place = instance.position + instance.velocity * input.ahead + node.definition.raise;
                    let edge = node.definition.stays.then(|| inner(area, Vec2::splat(MARKER_EDGE)));
                    mark(camera, screen, place, edge)
                });
                node.state.marker = found.map(|(place, arrow)| MarkerPlace { place, arrow });
            }
        }
    }

    /// Evaluates bindings and texts.
    pub(super) fn show(&mut self, around: &mut Surroundings<'_>) {
        let mut bindings = core::mem::take(&mut self.bindings);
        bindings.clear();
        let mut requested = Vec::new();
        for open in &mut self.opens {
            if !open.is_in(self.stage) {
                continue;
            }
            let logic = LogicContext {
                workspace: &mut self.workspace,
                reports: &mut self.reports,
                requested: &mut requested,
                now: self.now,
            };
            let strings = &self.strings;
            let is_excess_reported = &mut self.is_excess_reported;
            let bindings = &mut bindings;
            open.update(&mut OpenContext { logic, texts: around.texts, strings, bindings, is_excess_reported });
        }
        self.bindings = bindings;
        self.forget_hidden();
    }

    pub(super) fn lay_out(&mut self, around: &mut Surroundings<'_>) {
        let (area, text_scale) = (self.area(), self.preferences.text_scale);
        for open in self.opens.iter_mut().filter(|open| open.is_in(self.stage)) {
            open.lay_out(&mut LayoutContext { area, measure: around.measure, text_scale });
        }
    }

    /// Scrolls the text of the field that has the focus as far as its caret needs; that of the field before is seen from its
    /// beginning again.
    pub(super) fn follow_caret(&mut self, around: &mut Surroundings<'_>) {
        let current = self.input_place();
        let field = current.map(|(place, number)| self.id(place, number));
        if let Some(before) = self.scrolled_field.filter(|before| field != Some(*before))
            && let Some((serial, number)) = self.resolve(before).map(|(open, number)| (open.serial, number))
            && let Some(place) = self.place_of(serial)
        {
            self.opens[place].nodes[number as usize].state.text_scroll = 0.0;
        }
        self.scrolled_field = field;
        let Some((place, number)) = current else { return };
        let text_scale = self.preferences.text_scale;
        let open = &mut self.opens[place];
        let width = size(inner(open.layout.rect(number), open.nodes[number as usize].definition.padding)).x;
        let node = &mut open.nodes[number as usize];
        let style = field_style(&node.definition, text_scale);
        let (text, caret) = node.state.edit.shown();
        let caret = around.measure.caret(&text, &style, f32::INFINITY, caret).0.x;
        let most = max(around.measure.measure(&text, &style, f32::INFINITY).x - width, 0.0);
        let scroll = min(max(min(node.state.text_scroll, most), caret - width), caret);
        node.state.text_scroll = if scroll.is_finite() { max(scroll, 0.0) } else { 0.0 };
    }

    /// The state of a widget.
    pub(super) fn state_of(&self, place: usize, number: u32) -> StateName {
        let open = &self.opens[place];
        let node = &open.nodes[number as usize];
        let widget = Some(WidgetId { open: open.serial, key: node.key });
        let is_on = node.definition.kind == WidgetKind::Toggle && node.state.value != 0.0;
        let is_focused = self.focus == widget;
        let is_input = node.definition.kind == WidgetKind::TextInput;
        match () {
            () if !node.state.is_enabled => StateName::Disabled,
            () if self.pointer.pressed() == widget => StateName::Pressed,
            () if is_focused && (self.is_focus_shown || is_input) => StateName::Focused,
            () if is_on => StateName::Pressed,
            () if self.pointer.hovered() == widget => StateName::Hovered,
            () => StateName::Normal,
        }
    }

    pub(super) fn blend(&mut self, seconds: f32) {
        for place in 0..self.opens.len() {
            for number in 0..self.opens[place].nodes.len() as u32 {
                let to = self.state_of(place, number);
                let node = &mut self.opens[place].nodes[number as usize];
                let time = node.definition.blends[to as usize];
                if node.state.blend.to != to {
                    let look = drawing::look_of(node);
                    node.state.blend.from = Some(look);
                    (node.state.blend.to, node.state.blend.part) = (to, 0.0);
                }
                let step = if time > 0.0 { seconds / time } else { 1.0 };
                node.state.blend.part = min(node.state.blend.part + step, 1.0);
            }
        }
    }
}

/// How far markers stay from the edge of the screen, in logical pixels.
const MARKER_EDGE: f32 = 40.0;
