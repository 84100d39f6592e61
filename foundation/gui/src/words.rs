//! What the words in the fields of interfaces, controls, settings and events mean, one row each.
//!
//! `tag check` and the language server read this table: a key that no keyboard has, a widget that no interface has, an event that
//! no events tag lists are reported where they are written.

use relay::device::{Key, MouseButton, PadAxis, PadButton};
use script::meaning::{Meaning, Word};
use tags::pack::words::{ClassWords, FieldMeaning};

use crate::limits::PROMPT;

static MOUSE: [&str; MouseButton::NAMES.len() + 2] = joined(MouseButton::NAMES, &["wheel_up", "wheel_down"]);
static HELD: [&str; Key::NAMES.len() + PadButton::NAMES.len()] = joined(Key::NAMES, PadButton::NAMES);
static MOTIONS: [&str; 7] = ["x", "y", "wheel_x", "wheel_y", "drag_x", "drag_y", "pinch"];

static DEVICES: [(&str, &[&str]); 5] =
    [("key", Key::NAMES), ("mouse", &MOUSE), ("pad", PadButton::NAMES), ("axis", PadAxis::NAMES), ("motion", &MOTIONS)];

/// What the words in fields mean, for each class.
#[rustfmt::skip]
pub static WORDS: &[ClassWords] = &[
    ClassWords { class: "interface", fields: &[
        FieldMeaning::new("widgets.children*.name", Meaning::Declares(Word::Widget)),
        FieldMeaning::new("widgets.children*.parent", Meaning::Names(Word::Widget)),
        FieldMeaning::new("widgets.children*.reference", Meaning::Names(Word::Widget)),
        FieldMeaning::new("widgets.children*.focus.left", Meaning::Names(Word::Widget)),
        FieldMeaning::new("widgets.children*.focus.right", Meaning::Names(Word::Widget)),
        FieldMeaning::new("widgets.children*.focus.up", Meaning::Names(Word::Widget)),
        FieldMeaning::new("widgets.children*.focus.down", Meaning::Names(Word::Widget)),
        FieldMeaning::new("widgets.children*.action", Meaning::Names(Word::Action)),
        FieldMeaning::new("first_focus", Meaning::Names(Word::Widget)),
        FieldMeaning::new("widgets.children*.text", Meaning::Holes(PROMPT, Word::Action)),
        FieldMeaning::new("widgets.children*.bind.object", Meaning::Pure),
        FieldMeaning::new("widgets.children*.bind.value", Meaning::Pure),
        FieldMeaning::new("widgets.children*.bind.visible", Meaning::Pure),
        FieldMeaning::new("widgets.children*.bind.enabled", Meaning::Pure),
        FieldMeaning::new("widgets.children*.bind.text", Meaning::Pure),
        FieldMeaning::new("widgets.children*.bind.items", Meaning::Pure),
        FieldMeaning::new("widgets.children*.bind.colour", Meaning::Pure),
    ] },
    ClassWords { class: "controls", fields: &[
        FieldMeaning::new("contexts.name", Meaning::Declares(Word::Context)),
        FieldMeaning::new("actions.name", Meaning::Declares(Word::Action)),
        FieldMeaning::new("actions.context", Meaning::Names(Word::Context)),
        FieldMeaning::new("actions.sends", Meaning::Names(Word::Event)),
        FieldMeaning::new("actions.fields.name", Meaning::Names(Word::EventField)).of("sends"),
        FieldMeaning::new("actions.fields.action", Meaning::Names(Word::Action)),
        FieldMeaning::new("actions.bindings.key", Meaning::Choice("a key", Key::NAMES)),
        FieldMeaning::new("actions.bindings.mouse", Meaning::Choice("a mouse button", &MOUSE)),
        FieldMeaning::new("actions.bindings.pad", Meaning::Choice("a gamepad button", PadButton::NAMES)),
        FieldMeaning::new("actions.bindings.axis", Meaning::Choice("a gamepad axis", PadAxis::NAMES)),
        FieldMeaning::new("actions.bindings.motion", Meaning::Choice("a motion of the mouse or of fingers", &MOTIONS)),
        FieldMeaning::new("actions.bindings.with", Meaning::Choice("a key or a gamepad button", &HELD)),
        FieldMeaning::new("prompts.input", Meaning::Chord(&DEVICES)),
    ] },
    ClassWords { class: "settings", fields: &[
        FieldMeaning::new("keys.action", Meaning::Names(Word::Action)),
        FieldMeaning::new("keys.inputs", Meaning::Chord(&DEVICES)),
        FieldMeaning::new("add_ons.interface", Meaning::Path("interface")),
    ] },
    ClassWords { class: "events", fields: &[
        FieldMeaning::new("kinds.name", Meaning::Declares(Word::Event)),
        FieldMeaning::new("kinds.fields.name", Meaning::Declares(Word::EventField)).of("name"),
    ] },
];

/// Two lists of names in one.
const fn joined<const COUNT: usize>(first: &[&'static str], second: &[&'static str]) -> [&'static str; COUNT] {
    let mut all = [""; COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = if index < first.len() { first[index] } else { second[index - first.len()] };
        index += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;

    #[test]
    fn the_names_of_inputs_are_those_that_a_mapping_knows() {
        for (device, names) in DEVICES {
            assert_eq!(names, Input::names(device), "{device}");
        }
    }
}
