//! A key mapping: the actions of a controls tag and their bindings, and how players change them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use base::StringId;
use script::report::closest;
use tags::Library;
use tags::packed::{Packed, View};

use crate::classes::controls::{ActionMode, ActionRow, BindingRow, Controls, FieldSource, SendTime};
use crate::definition::name_in;
use crate::input::{Chord, Input};
use crate::limits::{ACTIONS_MAX, CONTEXTS_MAX, CONTROLS_MAX};
use crate::report::Reports;

/// The actions of a game and their bindings.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// The contexts, from the lowest to the highest.
    pub contexts: Vec<Context>,
    /// The actions.
    pub actions: Vec<Action>,
    /// The bindings of all actions.
    pub controls: Vec<Control>,
    /// The names of inputs for people that replace the usual ones.
    pub prompts: Vec<(Input, String)>,
    /// The actions whose bindings a player has changed.
    changed: Vec<u16>,
}

/// A group of actions that are switched on and off together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the class `controls` say what they are")]
pub struct Context {
    pub name: StringId,
    pub starts_on: bool,
    pub blocks: bool,
}

/// Something that a player can do.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields of the class `controls` say what they are")]
pub struct Action {
    pub name: StringId,
    /// The name as it is written.
    pub text: String,
    /// The id of its name for people, as it is written; empty: it has none.
    pub title: String,
    /// The number of its context; none: it is always on.
    pub context: Option<u16>,
    pub mode: ActionMode,
    pub repeat: f32,
    pub sends: StringId,
    pub when: SendTime,
    pub fields: Vec<ActionField>,
}

/// A field of the event that an action sends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields of the class `controls` say what they are")]
pub struct ActionField {
    pub name: StringId,
    pub from: FieldSource,
    /// The number of the action whose value is taken.
    pub action: u16,
    pub number: f32,
    pub string: StringId,
}

/// A binding of an action.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields of the class `controls` say what they are")]
pub struct Control {
    /// The number of the action.
    pub action: u16,
    pub chord: Chord,
    pub value: f32,
    pub dead_zone: f32,
    pub curve: f32,
    pub invert: bool,
    pub player: u8,
}

/// Why a binding cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RebindRefusal {
    /// There is no action of this name.
    UnknownAction,
    /// There are too many bindings.
    TooMany,
    /// Other actions have the same binding.
    Conflict {
        /// Their names.
        actions: Vec<String>,
    },
}

impl Mapping {
    /// The mapping of a controls tag; empty if there is none. What is wrong in it is reported and left out.
    pub fn read(content: &Library, tag: StringId, reports: &mut Reports) -> Mapping {
        if tag.is_none() {
            // A game need not have controls.
            return Mapping::default();
        }
        let path = content.path(tag).map_or_else(|| format!("{tag}"), |path| path.as_str().to_string());
        let Some(view) = content.get_as::<Controls>(tag) else {
            reports.add(&path, 0, "expected controls at this path, found none; no key does anything");
            return Mapping::default();
        };
        let mut reading =
            MappingReader { view, packed: content.packed(tag), path, reports, mapping: Mapping::default() };
        reading.read();
        reading.mapping
    }

    /// Whether inputs do with both what they do with one; only names for people may differ.
    pub fn does_the_same(&self, other: &Mapping) -> bool {
        (&self.contexts, &self.actions, &self.controls) == (&other.contexts, &other.actions, &other.controls)
    }

    /// The number of an action.
    pub fn action(&self, name: StringId) -> Option<u16> {
        self.actions.iter().position(|action| action.name == name).map(|number| number as u16)
    }

    /// The chords of an action, in order.
    pub fn chords(&self, name: StringId) -> Vec<&Chord> {
        let action = self.action(name);
        self.controls.iter().filter(|control| Some(control.action) == action).map(|control| &control.chord).collect()
    }

    /// The other actions that a chord would use too: those of the same context, and those that are always on.
    pub fn conflicts(&self, name: StringId, chord: &Chord) -> Vec<&Action> {
        let Some(number) = self.action(name) else { return Vec::new() };
        let context = self.actions[number as usize].context;
        let mut found: Vec<&Action> = Vec::new();
        for control in self.controls.iter().filter(|control| control.action != number && control.chord == *chord) {
            let other = &self.actions[control.action as usize];
            let is_together = other.context == context || other.context.is_none() || context.is_none();
            if is_together && !found.iter().any(|known| known.name == other.name) {
                found.push(other);
            }
        }
        found
    }

    /// Replaces the binding of an action at a place among its bindings, or adds one behind the last. Refused if another action
    /// has the same.
    pub fn rebind(&mut self, name: StringId, place: usize, chord: Chord) -> Result<(), RebindRefusal> {
        let number = self.action(name).ok_or(RebindRefusal::UnknownAction)?;
        let conflicts = self.conflicts(name, &chord);
        if !conflicts.is_empty() {
            let actions = conflicts.iter().map(|action| action.text.clone()).collect();
            return Err(RebindRefusal::Conflict { actions });
        }
        let own = self.controls.iter().enumerate().filter(|(_, control)| control.action == number);
        let found = own.map(|(index, _)| index).nth(place);
        match found {
            Some(index) => self.controls[index].chord = chord,
            None if self.controls.len() >= CONTROLS_MAX => return Err(RebindRefusal::TooMany),
            None => self.controls.push(Control::new(number, chord)),
        }
        self.note_change(number);
        Ok(())
    }

    /// Removes the binding of an action at a place among its bindings.
    pub fn unbind(&mut self, name: StringId, place: usize) {
        let Some(number) = self.action(name) else { return };
        let mut seen = 0;
        self.controls.retain(|control| {
            let is_it = control.action == number && seen == place;
            seen += usize::from(control.action == number);
            !is_it
        });
        self.note_change(number);
    }

    /// The bindings that a player has changed, for the settings: each action with its chords.
    pub fn overrides(&self) -> Vec<(String, Vec<String>)> {
        let changed = self.changed.iter().filter_map(|number| self.actions.get(*number as usize));
        changed.map(|it| (it.text.clone(), self.chords(it.name).iter().map(|chord| chord.text()).collect())).collect()
    }

    /// Replaces the bindings of actions by those of the settings. Values, dead zones and curves of replaced bindings stay. Unknown
    /// actions and inputs are reported and left out.
    pub fn apply_overrides(&mut self, overrides: &[(String, Vec<String>)], reports: &mut Reports) {
        for (name, chords) in overrides {
            let Some(number) = self.action(StringId::from(name.as_str())) else {
                reports.add("", 0, format!("the settings bind keys to the unknown action `{name}`; they are left out"));
                continue;
            };
            let mut earlier: Vec<Control> = Vec::new();
            self.controls.retain(|control| {
                let is_own = control.action == number;
                if is_own {
                    earlier.push(control.clone());
                }
                !is_own
            });
            for (place, text) in chords.iter().enumerate().take(CONTROLS_MAX.saturating_sub(self.controls.len())) {
                let Some(chord) = Chord::parse(text) else {
                    reports.add(
                        "",
                        0,
                        format!("the settings bind `{name}` to the unknown input `{text}`; it is left out"),
                    );
                    continue;
                };
                let like = earlier.get(place).cloned().unwrap_or_else(|| Control::new(number, chord.clone()));
                self.controls.push(Control { chord, ..like });
            }
            self.note_change(number);
        }
    }

    fn note_change(&mut self, number: u16) {
        if !self.changed.contains(&number) {
            self.changed.push(number);
        }
    }
}

impl Control {
    /// A binding with the usual values.
    pub fn new(action: u16, chord: Chord) -> Control {
        Control { action, chord, value: 1.0, dead_zone: 0.15, curve: 1.0, invert: false, player: 0 }
    }
}

struct MappingReader<'a> {
    view: View<'a, Controls>,
    packed: Option<&'a Packed>,
    path: String,
    reports: &'a mut Reports,
    mapping: Mapping,
}

impl MappingReader<'_> {
    fn name(&self, id: StringId) -> String {
        name_in(self.packed, id)
    }

    fn read(&mut self) {
        let view = self.view;
        let contexts = view.each(&view.contexts).iter().take(CONTEXTS_MAX).map(|row| Context {
            name: row.name,
            starts_on: row.starts_on.is_true(),
            blocks: row.blocks.is_true(),
        });
        self.mapping.contexts = contexts.collect();
        let rows = view.each(&view.actions);
        if rows.len() > ACTIONS_MAX || view.contexts.count() as usize > CONTEXTS_MAX {
            let message =
                format!("expected at most {ACTIONS_MAX} actions and {CONTEXTS_MAX} contexts; the rest is left out");
            self.reports.add(&self.path, 0, message);
        }
        let rows = &rows[..rows.len().min(ACTIONS_MAX)];
        for row in rows {
            self.action(row, rows);
        }
        for row in view.each(&view.prompts).iter().take(CONTROLS_MAX) {
            let written = self.name(row.input);
            match Chord::parse(&written).filter(|chord| chord.with.is_empty()) {
                Some(chord) => self.mapping.prompts.push((chord.input, view.text(&row.text).to_string())),
                None => {
                    let message = format!("expected an input such as \"pad south\" in `prompts`, found \"{written}\"");
                    self.reports.add(&self.path, 0, message);
                }
            }
        }
        for (number, row) in rows.iter().enumerate() {
            for binding in view.each(&row.bindings) {
                self.binding(number as u16, row, binding);
            }
        }
    }

    fn action(&mut self, row: &ActionRow, rows: &[ActionRow]) {
        let text = self.name(row.name);
        let context = self.mapping.contexts.iter().position(|context| context.name == row.context);
        if context.is_none() && !row.context.is_none() {
            let message =
                format!("the action `{text}` has the unknown context `{}`; it is always on", self.name(row.context));
            self.reports.add(&self.path, 0, message);
        }
        let own = self.mapping.actions.len() as u16;
        let mut fields = Vec::new();
        for field in self.view.each(&row.fields) {
            let named = rows.iter().position(|other| other.name == field.action);
            if named.is_none() && !field.action.is_none() {
                let message = format!(
                    "a field of the action `{text}` takes the value of the unknown action `{}`; its own is used",
                    self.name(field.action)
                );
                self.reports.add(&self.path, 0, message);
            }
            fields.push(ActionField {
                name: field.name,
                from: field.from.get(),
                action: named.map_or(own, |number| number as u16),
                number: field.number,
                string: field.string,
            });
        }
        self.mapping.actions.push(Action {
            name: row.name,
            text,
            title: if row.string.is_none() { String::new() } else { self.name(row.string) },
            context: context.map(|number| number as u16),
            mode: row.mode.get(),
            repeat: row.repeat,
            sends: row.sends,
            when: row.when.get(),
            fields,
        });
    }

    fn binding(&mut self, action: u16, of: &ActionRow, row: &BindingRow) {
        let given =
            [("key", row.key), ("mouse", row.mouse), ("pad", row.pad), ("axis", row.axis), ("motion", row.motion)];
        let mut inputs = given.iter().filter(|(_, name)| !name.is_none());
        let action_name = self.name(of.name);
        let (Some((device, name)), None) = (inputs.next(), inputs.next()) else {
            let message = format!(
                "expected one of `key`, `mouse`, `pad`, `axis` and `motion` in each binding of the action `{action_name}`; it is left out"
            );
            return self.reports.add(&self.path, 0, message);
        };
        let Some(input) = self.input(device, *name) else { return };
        let mut with = Vec::new();
        for held in self.view.each(&row.with) {
            let text = self.name(*held);
            match Input::named("key", &text).or_else(|| Input::named("pad", &text)) {
                Some(input) => with.push(input),
                None => {
                    let message = format!(
                        "`{text}` is neither a key nor a gamepad button; the binding of `{action_name}` is left out"
                    );
                    return self.reports.add(&self.path, 0, message);
                }
            }
        }
        if self.mapping.controls.len() >= CONTROLS_MAX {
            let message = format!("expected at most {CONTROLS_MAX} bindings; the rest is left out");
            return self.reports.add(&self.path, 0, message);
        }
        self.mapping.controls.push(Control {
            action,
            chord: Chord { input, with },
            value: row.value,
            dead_zone: row.dead_zone,
            curve: row.curve,
            invert: row.invert.is_true(),
            player: row.player.min(crate::limits::PLAYERS_MAX as u32 - 1) as u8,
        });
    }

    fn input(&mut self, device: &str, name: StringId) -> Option<Input> {
        let text = self.name(name);
        let found = Input::named(device, &text);
        if found.is_none() {
            let like = closest(&text, Input::names(device));
            let help = like.map_or(String::new(), |like| format!("; did you mean `{like}`?"));
            let message = format!("`{text}` is the name of no {device} input, and is left out{help}");
            self.reports.add(&self.path, 0, message);
        }
        found
    }
}

impl fmt::Display for RebindRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RebindRefusal::UnknownAction => formatter.write_str("there is no such action"),
            RebindRefusal::TooMany => write!(formatter, "there are at most {CONTROLS_MAX} bindings"),
            RebindRefusal::Conflict { actions } => write!(formatter, "it is used for {} already", actions.join(", ")),
        }
    }
}

impl core::error::Error for RebindRefusal {}
