//! Playing at the pace of the world: brush cycles when they are due, and prediction cycles all the time between.
//!
//! Law: how often and when it is told the time changes what is shown, never what happens.

use state::pacer::{Pacer, Stopwatch};
use state::prediction::Prediction;

use crate::session::Session;

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paced {
    /// How many prediction cycles there were.
    pub predictions: u64,
    /// Machine time that was too much at once and is forgotten.
    pub forgotten_nanos: u64,
}

/// Runs a session up to a brush cycle, or until there is nothing more to play. `speed` is world time per machine time, in thousandths; `now` tells the time in
/// nanoseconds; `step` runs one brush cycle.
pub fn run(
    session: &mut Session,
    end: u64,
    speed: u32,
    now: &mut dyn FnMut() -> u64,
    step: &mut dyn FnMut(&mut Session) -> Result<(), String>,
) -> Result<Paced, String> {
    let mut watch = Stopwatch::default();
    let mut pacer = Pacer::new(session.lengths());
    pacer.set_speed(speed);
    let mut prediction = Prediction::default();
    let mut predictions = 0;
    session.game().show(session.world(), &mut prediction);
    while session.world().cycle() < end && session.last_ending().is_none() {
        let due = pacer.advance(watch.elapsed(now()));
        for _ in 0..u64::from(due.cycles).min(end - session.world().cycle()) {
            step(session)?;
            if session.last_ending().is_some() {
                break;
            }
        }
        if due.cycles > 0 {
            session.game().show(session.world(), &mut prediction);
        }
        std::hint::black_box(prediction.at(due.ahead_seconds));
        predictions += 1;
    }
    Ok(Paced { predictions, forgotten_nanos: pacer.forgotten_nanos() })
}
