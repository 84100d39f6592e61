//! Scenes for tests, measurements and demonstrations: pictures that need no content.

mod dice;

mod meshes;
mod scene;

mod crowd;
mod quarry;
mod space;
mod still;

pub use crowd::crowd;
pub use quarry::{QUARRY_SKY, quarry};
pub use scene::{NoBulk, Scene, library, looking};
pub use space::space;
pub use still::{fleet, heap, still_life};
