//! The interface of contenders in the script scenes.

use std::time::Duration;

use cpu_time::ThreadTime;

use super::load::Source;

/// A contender that runs a scene.
pub trait Contender {
    /// Its name.
    fn name(&self) -> String;
    /// Runs the calls from an index on; returns the processor time and the sum of all results.
    fn run(&mut self, start: u64, count: u64) -> (Duration, f64);
}

/// Runs an operation; returns its processor time.
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

/// Whether a scene of this source has a reference implementation in Rust.
pub fn is_native(source: Source) -> bool {
    source != Source::Object
}
