//! Who wrote this? The last change of a variable of an object before a moment of a film.

use state::Workers;

use super::{Moment, Player};
use crate::game::Writing;

/// So many cycles are looked through at a time, from the moment backwards.
const CYCLES: u64 = 500;

/// What last wrote a variable of an object before a moment; none if nothing did in that take.
pub fn who(
    player: &mut Player,
    (object, variable): (u32, &str),
    moment: Moment,
    workers: &dyn Workers,
) -> Result<Option<Writing>, String> {
    let (take, mut end) = player.film().find(moment)?;
    let first = player.film().reel().take(take).map_or(0, |take| take.start);
    while end > first {
        let start = end.saturating_sub(CYCLES).max(first);
        player.seek(Moment { take: Some(take), cycle: Some(start) }, workers)?;
        let mut last = None;
        while player.place() < (take, end) {
            // Where tags change, another game goes on: it is told each time whom to watch.
            if let Some(session) = player.session() {
                session.game().watch(object);
            }
            let has_more = player.step(workers).map_err(|halt| halt.tell())?;
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
