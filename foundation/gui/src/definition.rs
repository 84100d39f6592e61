//! Definitions: what a tag says about a widget, read once and kept while tags change.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::number::max;
use base::{StringId, Vec2, Vec3};
use script::program::Program;
use script::template::holes;
use tags::packed::{Packed, View};

use crate::classes::interface::{Alignment, Arrangement, CursorName, Interface, WidgetKind, WidgetRecord};
use crate::classes::look::{StateName, StateRow, StyleRow};
use crate::geometry::{anchor, tame};
use crate::look::{Look, LookChange, usual};

/// What a tag says about a widget. Functions are numbers in the program of its interface.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields of the class `interface` say what they are")]
pub struct Definition {
    pub name: StringId,
    pub kind: WidgetKind,
    pub anchor: Vec2,
    pub reference: StringId,
    pub reference_anchor: Vec2,
    pub offset: Vec2,
    pub size: Vec2,
    pub share: Vec2,
    pub between: Option<Between>,
    pub size_min: Vec2,
    pub size_max: Vec2,
    pub grow: f32,
    pub padding: Vec2,
    pub gap: f32,
    pub columns: usize,
    pub arrange: Arrangement,
    pub align: Alignment,
    /// The looks in each state, by its number.
    pub looks: [Look; STATES],
    /// The time of a blend to each state, in seconds.
    pub blends: [f32; STATES],
    pub text: String,
    pub string: StringId,
    pub arguments: Vec<(StringId, u32)>,
    pub decimals: usize,
    pub wraps: bool,
    pub prompt: StringId,
    pub hint: StringId,
    pub range: (f32, f32),
    pub step: f32,
    pub value: f32,
    pub length_max: usize,
    pub is_hidden: bool,
    pub is_disabled: bool,
    pub is_modal: bool,
    pub passes: bool,
    /// The explicit focus links: left, right, up, down.
    pub focus: [StringId; 4],
    pub cursor: CursorName,
    pub stays: bool,
    pub action: StringId,
    pub raise: Vec3,
    /// The functions of bindings, by [`Bound`].
    pub bind: [Option<u32>; BOUND],
    pub on_click: Option<u32>,
    pub on_change: Option<u32>,
    pub on_submit: Option<u32>,
    pub on_drag: Option<u32>,
    pub template: StringId,
    pub with_values: Option<u32>,
}

/// The number of states.
pub const STATES: usize = 5;

/// An area of the reference: shares of its size, and the room kept free.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields of the class `interface` say what they are")]
pub struct Between {
    pub from: Vec2,
    pub to: Vec2,
    pub inset: Vec2,
    pub inset_end: Vec2,
}

/// What a binding gives to its widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the fields of the record `bind` say what they are")]
pub enum Bound {
    Object,
    Value,
    Visible,
    Enabled,
    Text,
    Items,
    Colour,
}

/// The number of bindings of a widget.
pub const BOUND: usize = 7;

impl Bound {
    /// All of them, by number.
    pub const ALL: [Bound; BOUND] =
        [Bound::Object, Bound::Value, Bound::Visible, Bound::Enabled, Bound::Text, Bound::Items, Bound::Colour];
}

/// The styles that an interface knows, by name.
pub type Styles = BTreeMap<StringId, Style>;

/// A look that several widgets share.
#[derive(Clone, Debug, Default)]
pub struct Style {
    look: LookChange,
    states: Vec<(StateName, LookChange, bool)>,
}

impl Style {
    /// The style of a row.
    pub fn of(view: View<'_, Interface>, row: &StyleRow) -> Style {
        Style { look: LookChange::of(&row.look), states: states_of(view.each(&row.states)) }
    }
}

fn states_of(rows: &[StateRow]) -> Vec<(StateName, LookChange, bool)> {
    rows.iter().map(|row| (row.state.get(), LookChange::of(&row.look), row.at_once.is_true())).collect()
}

/// The states in the order of their numbers.
const STATE_NAMES: [StateName; STATES] =
    [StateName::Normal, StateName::Hovered, StateName::Pressed, StateName::Focused, StateName::Disabled];

impl Definition {
    /// What a record says. `styles` are the styles that its interface knows, `program` are its lambdas.
    pub fn of(view: View<'_, Interface>, record: &WidgetRecord, styles: &Styles, program: &Program) -> Definition {
        let kind = record.kind.get();
        let anchored = record.anchor_at.get().copied().unwrap_or(anchor(record.anchor.get()));
        let named = record.reference_anchor.get().map_or(anchored, |name| anchor(name.get()));
        let own = Style { look: LookChange::of(&record.look), states: states_of(view.each(&record.states)) };
        let (looks, blends) = looks_of(kind, styles.get(&record.style), &own, record.blend);
        let bind = &record.bind;
        let text = view.text(&record.text);
        let lambdas = [bind.object, bind.value, bind.visible, bind.enabled, bind.text, bind.items, bind.colour];
        let mut bind = lambdas.map(|lambda| lambda.function());
        if bind[Bound::Text as usize].is_none() && holes(text).next().is_some() {
            // It is a lambda, which has the name of the text.
            let made = program.functions.iter().position(|function| function.name == text);
            bind[Bound::Text as usize] = made.map(|function| function as u32);
        }
        Definition {
            name: record.name,
            kind,
            anchor: tame(anchored),
            reference: record.reference,
            reference_anchor: tame(record.reference_at.get().copied().unwrap_or(named)),
            offset: tame(record.offset),
            size: tame(record.size),
            share: tame(record.share),
            between: record.between.get().map(|between| Between {
                from: anchor(between.from.get()),
                to: anchor(between.to.get()),
                inset: tame(between.inset),
                inset_end: tame(between.inset_end),
            }),
            size_min: tame(record.size_min),
            size_max: tame(record.size_max),
            grow: max(record.grow, 0.0),
            padding: tame(record.padding.get().copied().unwrap_or(usual_padding(kind))),
            gap: max(record.gap, 0.0),
            columns: (record.columns as usize).max(1),
            arrange: record.arrange.get(),
            align: record.align.get(),
            looks,
            blends,
            text: text.to_string(),
            string: record.string,
            arguments: view
                .each(&record.arguments)
                .iter()
                .filter_map(|row| Some((row.name, row.value.function()?)))
                .collect(),
            decimals: (record.decimals as usize).min(9),
            wraps: record.wraps.is_true(),
            prompt: record.prompt,
            hint: record.hint,
            range: (record.min, record.max),
            step: max(record.step, 0.0),
            value: record.value,
            length_max: (record.length_max as usize).max(1),
            is_hidden: record.hidden.is_true(),
            is_disabled: record.disabled.is_true(),
            is_modal: record.modal.is_true(),
            passes: record.passes.is_true(),
            focus: [record.focus.left, record.focus.right, record.focus.up, record.focus.down],
            cursor: record.cursor.get(),
            stays: record.stays.is_true(),
            action: record.action,
            raise: record.raise,
            bind,
            on_click: record.on_click.function(),
            on_change: record.on_change.function(),
            on_submit: record.on_submit.function(),
            on_drag: record.on_drag.function(),
            template: record.template.id(),
            with_values: record.with_values.function(),
        }
    }

    /// A button that fills its parent, with the text of this id.
    pub fn button(name: StringId, caption: StringId) -> Definition {
        let (looks, blends) = looks_of(WidgetKind::Button, None, &Style::default(), 0.12);
        let whole = Between {
            from: Vec2::new(0.0, 0.0),
            to: Vec2::new(1.0, 1.0),
            inset: Vec2::new(0.0, 0.0),
            inset_end: Vec2::new(0.0, 0.0),
        };
        Definition {
            name,
            kind: WidgetKind::Button,
            anchor: Vec2::new(0.0, 0.0),
            reference: StringId::NONE,
            reference_anchor: Vec2::new(0.0, 0.0),
            offset: Vec2::new(0.0, 0.0),
            size: Vec2::new(0.0, 0.0),
            share: Vec2::new(0.0, 0.0),
            between: Some(whole),
            size_min: Vec2::new(0.0, 0.0),
            size_max: Vec2::new(0.0, 0.0),
            grow: 0.0,
            padding: usual_padding(WidgetKind::Button),
            gap: 0.0,
            columns: 1,
            arrange: Arrangement::Start,
            align: Alignment::Stretch,
            looks,
            blends,
            text: String::new(),
            string: caption,
            arguments: Vec::new(),
            decimals: 0,
            wraps: false,
            prompt: StringId::NONE,
            hint: StringId::NONE,
            range: (0.0, 1.0),
            step: 0.0,
            value: 0.0,
            length_max: 1,
            is_hidden: false,
            is_disabled: false,
            is_modal: false,
            passes: false,
            focus: [StringId::NONE; 4],
            cursor: CursorName::Automatic,
            stays: false,
            action: StringId::NONE,
            raise: Vec3::ZERO,
            bind: [None; BOUND],
            on_click: None,
            on_change: None,
            on_submit: None,
            on_drag: None,
            template: StringId::NONE,
            with_values: None,
        }
    }

    /// Whether it can be pressed, changed or typed into.
    pub fn is_interactive(&self) -> bool {
        let is_used =
            matches!(self.kind, WidgetKind::Button | WidgetKind::TextInput | WidgetKind::Slider | WidgetKind::Toggle);
        is_used || self.on_click.is_some() || self.on_drag.is_some()
    }

    /// Whether keys and gamepads can focus it.
    pub fn is_focusable(&self) -> bool {
        matches!(self.kind, WidgetKind::Button | WidgetKind::TextInput | WidgetKind::Slider | WidgetKind::Toggle)
            || self.on_click.is_some()
    }

    /// Whether the pointer stops at it, so that what lies behind is not reached.
    pub fn stops_pointer(&self) -> bool {
        let is_filled = self.looks[0].fill.alpha > 0 || self.kind == WidgetKind::Scroll;
        !self.passes && self.kind != WidgetKind::DragBox && (self.is_interactive() || self.is_modal || is_filled)
    }

    /// Whether what lies in it is arranged in its order, and not placed by anchors.
    pub fn flows(&self) -> bool {
        use WidgetKind::{Column, Grid, List, Row, Scroll};
        matches!(self.kind, Row | Column | Grid | List | Scroll)
    }
}

/// The looks in all states: of the kind, then of the style, then of the widget itself, each first in general and then
/// for the state.
fn looks_of(kind: WidgetKind, style: Option<&Style>, own: &Style, blend: f32) -> ([Look; STATES], [f32; STATES]) {
    let mut blends = [max(blend, 0.0); STATES];
    let looks = STATE_NAMES.map(|state| {
        let mut look = usual(kind, state);
        for style in style.into_iter().chain([own]) {
            style.look.apply(&mut look);
            for (_, change, at_once) in style.states.iter().filter(|(named, ..)| *named == state) {
                change.apply(&mut look);
                if *at_once {
                    blends[state as usize] = 0.0;
                }
            }
        }
        look
    });
    (looks, blends)
}

fn usual_padding(kind: WidgetKind) -> Vec2 {
    match kind {
        WidgetKind::Button => Vec2::new(16.0, 10.0),
        WidgetKind::TextInput => Vec2::new(10.0, 8.0),
        _ => Vec2::new(0.0, 0.0),
    }
}

/// The text of a name in a tag, for messages.
pub fn name_in(packed: Option<&Packed>, id: StringId) -> String {
    match packed.and_then(|packed| packed.name(id)) {
        Some(text) => text.to_string(),
        None => alloc::format!("{id}"),
    }
}
