//! The classes of tags that every game knows.

use tags::Classes;

/// The classes of worlds, media and interfaces.
#[must_use]
pub fn classes() -> Classes {
    gui::classes::add_to(world::classes())
}
