//! The classes of interface tags: interfaces, controls and settings.

pub mod look;

pub mod interface;

pub mod controls;
pub mod settings;

use script::readable::Readable;
use tags::Classes;
use tags::pack::Dialect;

use crate::effects::SIGNATURES;
use crate::limits::PROMPT;
use crate::words::WORDS;

pub use controls::Controls;
pub use interface::{GuiButton, Interface, WidgetRecord};
pub use settings::SettingsTag;

/// The script vocabulary of interfaces.
pub static DIALECTS: &[Dialect] = &[Dialect { class: "interface", effects: &SIGNATURES, texts: TEXTS }];

/// The fields of interfaces whose texts may have names in braces. The keys of actions are no variables.
const TEXTS: Readable = Readable { fields: &["text"], reserved: PROMPT };

/// Adds all classes of interfaces, with the effects their scripts may use.
#[must_use]
pub fn add_to(classes: Classes) -> Classes {
    let classes = classes.with_dialects(DIALECTS).with_words(WORDS);
    classes.with::<Interface>().with::<GuiButton>().with::<Controls>().with::<SettingsTag>()
}
