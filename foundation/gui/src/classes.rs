//! The classes of interface tags: interfaces, controls and settings.

pub mod look;

pub mod interface;

pub mod controls;
pub mod settings;

use tags::Classes;
use tags::pack::Dialect;

use crate::effects::SIGNATURES;

pub use controls::Controls;
pub use interface::{GuiButton, Interface, WidgetRecord};
pub use settings::SettingsTag;

/// The script vocabulary of interfaces.
pub static DIALECTS: &[Dialect] = &[Dialect { class: "interface", effects: &SIGNATURES }];

/// Adds all classes of interfaces, with the effects their scripts may use.
#[must_use]
pub fn add_to(classes: Classes) -> Classes {
    let classes = classes.with_dialects(DIALECTS);
    classes.with::<Interface>().with::<GuiButton>().with::<Controls>().with::<SettingsTag>()
}
