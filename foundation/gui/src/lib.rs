//! What can be read and pressed?
//!
//! Interfaces of games: trees of widgets in tags, with their logic in LScript. A [`Gui`] shows the open interfaces of one local
//! player, handles what devices report, and draws on a canvas. What it shows of the world are bindings, which the world's side
//! evaluates; what it wants from the world are events. A [`Mapper`] turns keys, buttons and axes into actions, and [`Settings`]
//! are what a player prefers.
//!
//! Never: touches the world, a window or a device; reads a file or a clock.
//!
//! Laws
//! 1. Only named events enter the world, never a coordinate of the screen: so layouts may differ between machines.
//! 2. Whatever devices report and tags say, nothing panics, and every tree, list and queue is bounded by [`limits`].
//! 3. What is wrong in a tag or a script is reported once, with its file and line where they are known; the rest works.
//! 4. Logic reads and sets its own variables only; its evaluations have limits, and count whole or not at all.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod effects;

pub mod input;
pub mod key_signs;

pub mod capture;

pub mod touch;

pub mod words;

pub mod classes;

pub mod answer;
pub mod geometry;
pub mod look;
pub mod report;

pub mod definition;

pub mod text_edit;
pub mod tree;

pub mod node;

pub mod layout;
pub mod logic;

pub mod outgoing;
pub mod surroundings;

pub mod focus;
pub mod pick;

pub mod open;

pub mod gui;

pub mod mapping;

pub mod mapper;
pub mod prompt;
pub mod settings;

pub use answer::Answer;
pub use gui::{Gui, Preferences, UpdateInput};
pub use key_signs::KeySigns;
pub use logic::{Binding, BindingFault, Workspace};
pub use mapper::{Mapper, Situation};
pub use mapping::Mapping;
pub use outgoing::{OutgoingEvent, Request};
pub use prompt::DeviceKind;
pub use report::GuiReport;
pub use settings::Settings;
pub use surroundings::{Clipboard, Surroundings, TextParameter, Texts};
pub use touch::Fingers;
