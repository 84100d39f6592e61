//! What the logic of interfaces does: messages are delivered and effects performed, in their order.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::StringId;
use script::value::Value;

use super::{Gui, Waiting};
use crate::answer::Answer;
use crate::classes::Interface;
use crate::classes::interface::WidgetKind;
use crate::effects::GuiEffect;
use crate::limits::{MESSAGES_MAX, SELECTED_MAX};
use crate::logic::{About, LOGIC_ARRAY, Requested};
use crate::outgoing::{OutgoingEvent, Request};
use crate::surroundings::{NoTexts, Surroundings, say};
use crate::text_edit::TextEdit;

impl Gui {
    /// Delivers messages and performs effects until none are left, or too many.
    pub(super) fn settle(&mut self, around: &mut Surroundings<'_>) {
        for _ in 0..MESSAGES_MAX {
            let Some(next) = self.waiting.pop_front() else { return };
            match next {
                Waiting::Message { open, logic, message } => {
                    let Some(place) = self.place_of(open) else { continue };
                    self.with_logic(place, logic, |logic, context| logic.deliver(&message, About::default(), context));
                }
                Waiting::Effect { open, logic, requested: Requested::Message(to, message) } => {
                    self.send_on((open, logic), to, *message);
                }
                Waiting::Effect { open, logic, requested: Requested::Effect(effect, arguments) } => {
                    self.perform((open, logic), effect, &arguments, around);
                }
            }
        }
        if !self.waiting.is_empty() {
            self.waiting.clear();
            let message = "interfaces answer each other without end; the rest of their messages is dropped";
            self.reports.add("", 0, message);
        }
    }

    /// Sends a message to a logic object by its handle, to the template of a widget by its name, or to an interface by its path.
    fn send_on(&mut self, (open, logic): (u32, u32), to: Value, message: script::message::Message) {
        let target = match (to.as_handle(), to.as_string()) {
            (Some((_, LOGIC_ARRAY)), _) => self.opens.iter().find_map(|other| {
                let found = other.logics.iter().position(|logic| logic.this() == to)?;
                Some((other.serial, found as u32))
            }),
            (_, Some(name)) => self.target_named(open, logic, name),
            _ => None,
        };
        match target {
            Some((open, logic)) => self.waiting.push_back(Waiting::Message { open, logic, message }),
            None => {
                self.complain((open, logic), "a message to a widget or interface that does not exist; it is dropped")
            }
        }
    }

    fn target_named(&self, open: u32, logic: u32, name: StringId) -> Option<(u32, u32)> {
        let here = self.opens.iter().find(|other| other.serial == open)?;
        if let Some(number) = here.named(logic, name) {
            let draft = here.nodes[number as usize].draft;
            let template = here.tree.logics.iter().position(|plan| plan.host == draft);
            return Some((open, template.map_or(here.nodes[number as usize].logic, |found| found as u32)));
        }
        let other = self.opens.iter().find(|other| other.tag == name)?;
        Some((other.serial, 0))
    }

    fn complain(&mut self, (open, logic): (u32, u32), message: &str) {
        let found = self.opens.iter().find(|other| other.serial == open);
        let path = found.and_then(|open| open.logics.get(logic as usize)).map_or(String::new(), |it| it.path.clone());
        self.reports.add(&path, 0, message);
    }

    /// Performs an effect.
    fn perform(&mut self, from: (u32, u32), effect: GuiEffect, arguments: &[Answer], around: &mut Surroundings<'_>) {
        let name = match arguments.first() {
            Some(Answer::String(id)) => *id,
            _ => StringId::NONE,
        };
        let second = arguments.get(1).unwrap_or(&Answer::Nothing);
        match effect {
            GuiEffect::Fire => {
                let fields = arguments.iter().skip(1).map(|value| (StringId::NONE, value.clone())).collect();
                let local_player = self.local_player;
                self.request(Request::Event(OutgoingEvent { local_player, name, fields }));
            }
            // Messages come as messages.
            GuiEffect::Send => {}
            GuiEffect::Show | GuiEffect::Hide | GuiEffect::Enable => self.switch(from, effect, name, second.is_true()),
            GuiEffect::Focus if name.is_none() => self.focus = None,
            GuiEffect::Focus => self.focus_named(from, name, around),
            GuiEffect::Open => {
                let values = match second {
                    Answer::Record(values) => &values[..],
                    _ => &[],
                };
                if around.content.get_as::<Interface>(name).is_none() {
                    let path = self.word(name);
                    return self.complain(from, &format!("`!Open(\"{path}\")`: expected an interface, found none"));
                }
                self.open_with(name, values, around);
            }
            GuiEffect::Close => {
                let own = self.opens.iter().find(|open| open.serial == from.0).map(|open| open.tag);
                if let Some(tag) = if name.is_none() { own } else { Some(name) } {
                    self.close_now(tag, around);
                }
            }
            GuiEffect::Stage => self.set_stage(name),
            GuiEffect::Put => self.set_widget(from, name, second),
            GuiEffect::Scroll => self.scroll_to(from, name, second.number().unwrap_or(0.0) as f32),
            GuiEffect::Play => self.request(Request::Play(name)),
            GuiEffect::Setting => {
                let (name, value) = (self.word(name), self.worded(second));
                self.request(Request::Setting { name, value });
            }
            GuiEffect::Command => {
                let arguments = arguments.iter().skip(1).map(|value| self.worded(value)).collect();
                let name = self.word(name);
                self.request(Request::Command { name, arguments });
            }
            GuiEffect::Context => self.request(Request::Context { name, is_on: second.is_true() }),
            GuiEffect::Select => {
                let mut objects = Vec::new();
                arguments.iter().for_each(|argument| add_objects(argument, &mut objects));
                self.set_selection(&objects);
            }
            GuiEffect::Log => {
                let words: Vec<String> = arguments.iter().map(|value| say(value, 3, &NoTexts, &self.strings)).collect();
                self.request(Request::Log(words.join(" ")));
            }
        }
    }

    fn word(&self, id: StringId) -> String {
        self.strings.text(id).unwrap_or("").to_string()
    }

    /// A value whose strings are words, for the program.
    fn worded(&self, value: &Answer) -> Answer {
        match value {
            Answer::String(id) => Answer::Words(self.word(*id)),
            Answer::List(list) => Answer::List(list.iter().map(|value| self.worded(value)).collect()),
            other => other.clone(),
        }
    }

    /// The place of the interface and the node that a logic object names; reported if there is none.
    fn widget_named(&mut self, (open, logic): (u32, u32), name: StringId) -> Option<(usize, u32)> {
        let place = self.place_of(open)?;
        let found = self.opens[place].named(logic, name);
        if found.is_none() {
            let message = alloc::format!("there is no widget `{}` here; nothing is done", self.word(name));
            self.complain((open, logic), &message);
        }
        Some((place, found?))
    }

    fn switch(&mut self, from: (u32, u32), effect: GuiEffect, name: StringId, is_on: bool) {
        let Some((place, number)) = self.widget_named(from, name) else { return };
        let open = &mut self.opens[place];
        let draft = open.nodes[number as usize].draft;
        // All copies in a list are meant.
        for node in open.nodes.iter_mut().filter(|node| node.draft == draft) {
            match effect {
                GuiEffect::Show => node.state.is_shown = true,
                GuiEffect::Hide => node.state.is_shown = false,
                _ => node.state.is_usable = is_on,
            }
        }
        open.is_dirty = true;
    }

    fn focus_named(&mut self, from: (u32, u32), name: StringId, around: &mut Surroundings<'_>) {
        let Some((place, _)) = self.widget_named(from, name) else { return };
        // A widget that was just shown is visible after an update, which may also give it another number: items of lists come and go.
        self.show(around);
        self.lay_out(around);
        let number = self.opens[place].named(from.1, name);
        let Some(number) = number.and_then(|number| self.first_focusable(place, number)) else { return };
        self.is_focus_shown = true;
        self.set_focus(place, number);
    }

    /// The widget itself or the first in it that can be focused.
    fn first_focusable(&self, place: usize, number: u32) -> Option<u32> {
        let open = &self.opens[place];
        let end = open.nodes.get(number as usize)?.end;
        self.focusable(place, number..end).next()
    }

    fn set_widget(&mut self, from: (u32, u32), name: StringId, value: &Answer) {
        let Some((place, number)) = self.widget_named(from, name) else { return };
        let open = &mut self.opens[place];
        let node = &mut open.nodes[number as usize];
        match (node.definition.kind, value.number()) {
            (WidgetKind::TextInput, _) => {
                let text = say(value, 0, &NoTexts, &self.strings);
                node.state.edit = TextEdit::new(&text, node.definition.length_max);
            }
            (WidgetKind::Bar | WidgetKind::Slider | WidgetKind::Toggle, Some(number)) => {
                node.state.value = number as f32
            }
            _ => node.state.given_text = Some(value.clone()),
        }
        open.is_dirty = true;
    }

    fn scroll_to(&mut self, from: (u32, u32), name: StringId, share: f32) {
        let Some((place, number)) = self.widget_named(from, name) else { return };
        let open = &mut self.opens[place];
        let most = open.layout.scroll_max(&open.nodes, number);
        if open.nodes[number as usize].definition.kind == WidgetKind::Scroll {
            let share = base::number::clamp(if share.is_finite() { share } else { 0.0 }, 0.0, 1.0);
            open.nodes[number as usize].state.scroll = most * share;
            open.is_dirty = true;
        }
    }
}

/// Adds the objects of an answer: a handle, or a list of handles. Each is selected once.
fn add_objects(answer: &Answer, objects: &mut Vec<u32>) {
    match answer {
        Answer::Object(raw) if !objects.contains(raw) && objects.len() < SELECTED_MAX => objects.push(*raw),
        Answer::List(list) => list.iter().for_each(|part| add_objects(part, objects)),
        _ => {}
    }
}
