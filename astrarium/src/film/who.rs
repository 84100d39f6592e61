//! The last write to a variable of an object before a moment of a film.

use state::Workers;

use super::{Moment, Player};
use crate::error::Error;
use crate::game::Writing;

/// The number of cycles searched at a time, backwards from the moment.
const CYCLES: u64 = 500;

/// The last write to a variable of an object before a moment; none if that take has none.
pub fn who(
    player: &mut Player,
    (object, variable): (u32, &str),
    moment: Moment,
    workers: &dyn Workers,
) -> Result<Option<Writing>, Error> {
    let (take, mut end) = player.film().find(moment)?;
    let first = player.film().index().take(take).map_or(0, |take| take.start);
    while end > first {
        let start = end.saturating_sub(CYCLES).max(first);
        player.seek(Moment { take: Some(take), cycle: Some(start) }, workers)?;
        let mut last = None;
        while player.place() < (take, end) {
            // Changed tags replace the game, so the watch is set before each step.
            if let Some(session) = player.session() {
                session.game().watch(object);
            }
            let has_more = player.step(workers)?;
            let Some(session) = player.session() else { break };
            let written = session.game().written(session.world());
            session.game().watch(0);
            last = written.into_iter().rfind(|writing| writing.variable == variable).or(last);
            if !has_more {
                break;
            }
        }
        if last.is_some() {
            return Ok(last);
        }
        end = start;
    }
    Ok(None)
}
