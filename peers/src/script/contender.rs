//! Somebody who runs scenes.

use std::time::Duration;

use cpu_time::ThreadTime;

use super::load::Source;

/// Somebody who runs a scene.
pub trait Contender {
    /// Who it is.
    fn name(&self) -> String;
    /// Runs the calls from an index on; says how long the processor took, and the sum of all results.
    fn run(&mut self, start: u64, count: u64) -> (Duration, f64);
}

/// Does something; says how long the processor took.
pub fn timed<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let start = ThreadTime::now();
    let result = std::hint::black_box(work());
    (start.elapsed(), result)
}

/// The source of a scene in a language.
macro_rules! source {
    ($source:expr, $extension:literal) => {
        match $source {
            $crate::script::load::Source::Damage => include_str!(concat!("sources/damage.", $extension)),
            $crate::script::load::Source::Unit => include_str!(concat!("sources/unit.", $extension)),
            $crate::script::load::Source::Object => include_str!(concat!("sources/object.", $extension)),
        }
    };
}
pub(crate) use source;

/// Whether a scene of this source has a yardstick in Rust.
pub fn is_native(source: Source) -> bool {
    source != Source::Object
}
