//! Held: joined bodies whose middle would pass into what nobody can move are held back, and their trees with them.
//!
//! Contacts and joints are worked out by turns, and where a heavy tree pulls, a light contact may lose. What it lost is made good
//! here: the body is shoved out along the surface's normal, and slides on. What others of its tree pass by that is looked at in the
//! next round; what is left after the last is stopped where it is, and its joints open (see the laws of `fast`).

use base::number::max;

use super::way::SKIN;
use super::{Fast, Ground, Runner};
use crate::mover::{Motion, Mover};
use crate::solve::joints::shove::{Shove, Trees};

/// How often all are looked at.
const ROUNDS: u32 = 8;

impl Fast {
    /// Holds all back whom joints would drag into what nobody can move.
    pub(super) fn hold(
        &mut self,
        ground: &Ground<'_>,
        trees: &mut Trees<'_>,
        movers: &mut [Mover],
        motions: &mut [Motion],
    ) {
        for _ in 0..ROUNDS {
            let mut is_any = false;
            for index in 0..self.who.len() {
                let Some(shove) = ground.passes(&self.who[index], movers, motions) else { continue };
                let meant = &mut self.meant;
                is_any |= trees.shove(&shove, (movers, motions), |mover| meant[mover as usize] = true);
            }
            if !is_any {
                break;
            }
            self.gather(ground, movers, motions);
        }
    }
}

impl Ground<'_> {
    /// How a joined body that would pass has to be shoved in order not to.
    fn passes(&self, runner: &Runner, movers: &[Mover], motions: &[Motion]) -> Option<Shove> {
        let (mover, motion) = (&movers[runner.mover as usize], &motions[runner.mover as usize]);
        if !mover.is_joined {
            return None;
        }
        let mut runner = Runner { translation: motion.moved(), ..*runner };
        self.look_ahead(&mut runner, movers, motions);
        let impact = runner.next?;
        let (_, other) = self.body(impact.slot).filter(|(_, other)| !other.can_be_moved())?;
        // What it meets goes on for the rest of the step, if it moves.
        let on = self.way_of(other, impact.slot, 0.0, movers, motions).translation;
        let beyond = (runner.translation - on) * (1.0 - impact.time);
        let far = beyond.dot(impact.normal) + SKIN * 0.5;
        let faster = max((motion.velocity() - on * (1.0 / self.settings.seconds)).dot(impact.normal), 0.0);
        (far > SKIN * 0.5).then_some(Shove { mover: runner.mover, direction: -impact.normal, far, faster })
    }
}
