//! What is drawn over everything else: the seam for developer panels.

use relay::device::DeviceEvent;
use render::PassTime;
use tags::Library;
use view::{Frame, Overlay};

use crate::runner::Command;
use crate::status::Status;

/// What an overlay is made of.
#[derive(Clone, Copy)]
pub struct OverlayInput<'a> {
    /// The world.
    pub status: &'a Status,
    /// The tags.
    pub content: &'a Library,
    /// The frame that is shown.
    pub frame: &'a Frame,
    /// The size of the window in physical pixels.
    pub size: [u32; 2],
    /// Physical pixels per logical pixel.
    pub scale: f32,
    /// Machine time since the window was opened, in seconds.
    pub seconds: f64,
    /// The machine time of the last frame, in seconds.
    pub frame_seconds: f32,
    /// The times of the renderer's passes.
    pub passes: &'a [PassTime],
    /// The raw handle of the object under the pointer; 0 if there is none.
    pub pointed: u32,
}

/// Makes an overlay for every frame, and commands for the world.
pub trait OverlaySource {
    /// Sees an event before the game does. True: the game does not see it.
    fn handle(&mut self, event: &DeviceEvent) -> bool;

    /// Whether the pointer is needed for it, so that a game must not hold it.
    fn wants_pointer(&self) -> bool {
        false
    }

    /// The overlay of this frame. Textures are told once, when they change.
    fn overlay(&mut self, input: &OverlayInput<'_>) -> Overlay;

    /// Another renderer draws, which knows no textures: the next overlay tells all of them.
    fn tell_again(&mut self);

    /// The commands since the last call.
    fn take_commands(&mut self) -> Vec<Command>;
}
