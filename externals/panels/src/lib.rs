//! What happens inside?
//!
//! Developer panels over a running game: the time line of its film, the object under the pointer with its variables, the time
//! of every stage, memory, messages, and a console. They are drawn with egui, become an [`Overlay`](astrarium::view::Overlay)
//! that any renderer draws, and act only by commands to the runner. A shipped game does not contain them.
//!
//! Never: changes a world itself; knows a renderer or a window.
//!
//! Laws
//! 1. Panels that are closed take no events, draw nothing and cost nothing.
//! 2. What panels change goes through the runner's commands, so films stay exact.

pub mod input;
pub mod paint;

pub mod console;
pub mod inspector;
pub mod messages;
pub mod performance;
pub mod time_line;

pub mod panels;

pub use panels::Panels;
