//! The mixer: a director and its engine in one hand, for output in world time and for tests.

use crate::command::connect;
use crate::director::{Director, HeardScene, MixerSettings};
use crate::engine::Engine;

/// A director and its engine.
#[derive(Debug)]
pub struct Mixer {
    /// The side that hears frames.
    pub director: Director,
    /// The side that makes samples.
    pub engine: Engine,
}

impl Mixer {
    /// Silent.
    #[must_use]
    pub fn new(settings: MixerSettings) -> Mixer {
        let (director, engine) = connect();
        Mixer { director: Director::new(director, settings), engine: Engine::new(engine) }
    }

    /// Hears a frame: see [`Director::hear`].
    pub fn hear(&mut self, scene: &HeardScene<'_>) {
        self.director.hear(scene);
    }

    /// Fills interleaved stereo samples: see [`Engine::mix`].
    pub fn mix(&mut self, out: &mut [f32]) {
        self.engine.mix(out);
    }

    /// Both sides, for two threads.
    #[must_use]
    pub fn split(self) -> (Director, Engine) {
        (self.director, self.engine)
    }
}
