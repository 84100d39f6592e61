//! How does a view become pixels?
//!
//! A renderer draws a [`view::Picture`]: a frame seen by cameras, the looks of its effects, the interface and the overlay. Two
//! renderers share the [`resources`] that content becomes, the [`text`] and the colours: the software renderer, whose pictures
//! are equal on every machine, and the one for graphics processors.
//!
//! Never: touches a world; waits for content; decides what is shown.
//!
//! Laws
//! 1. Missing or broken content is drawn as a visible default, and reported once per tag and version.
//! 2. Every cache, pool and list is bounded by [`limits`].
//! 3. The software renderer is bit-exact: one picture has the same pixels on every machine, with any number of threads.

pub mod limits;

pub mod colour;
pub mod reports;
pub mod vision;

pub mod resources;

pub mod text;

pub mod renderer;

pub mod software;

#[cfg(feature = "gpu")]
pub mod gpu;

pub mod files;
pub mod scenes;

pub use renderer::{PassTime, Pixels, RenderError, Renderer};
pub use resources::Resources;
pub use software::SoftwareRenderer;
pub use text::Text;
