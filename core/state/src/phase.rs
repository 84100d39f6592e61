//! What may be done to a world, and when.
//!
//! | phase | read | edit, create, delete | how it is entered |
//! |---|---|---|---|
//! | setting up | all | yes | `World::new`, `World::set_up` |
//! | resting | all | no | `World::rest`, at the end of a cycle |
//! | simulating | the frozen block | each item its own next state | `World::simulate` |
//! | painting | all | yes | when all simulation is done |
//!
//! Law: what a phase does not allow stops the program with the names of the phase, the region and the deed.

use core::fmt;

use crate::plan::Plan;

/// What a world is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A level is being made: everything may be written.
    SettingUp,
    /// Between cycles: everybody may look, nobody may write.
    Resting,
    /// Items work on their own next state, in parallel.
    Simulating,
    /// Brushes apply what was queued, in order.
    Painting,
}

impl Phase {
    /// Stops the program unless this phase allows writing.
    #[inline]
    #[track_caller]
    pub(crate) fn require_writing(self, deed: Deed, plan: &Plan, region: u16) {
        if !matches!(self, Phase::SettingUp | Phase::Painting) {
            refuse(self, deed, &plan.regions()[usize::from(region)].name);
        }
    }
}

/// What somebody wants to do to a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Edit,
    Create,
    Delete,
    Queue,
    Withdraw,
}

#[cold]
#[track_caller]
fn refuse(phase: Phase, deed: Deed, region: &str) -> ! {
    let deed = match deed {
        Deed::Edit => "edit",
        Deed::Create => "create in",
        Deed::Delete => "delete from",
        Deed::Queue => "queue at",
        Deed::Withdraw => "withdraw from",
    };
    panic!("cannot {deed} \"{region}\" while the world is {phase}: only setting up and painting may write");
}

impl fmt::Display for Phase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Phase::SettingUp => "setting up",
            Phase::Resting => "resting",
            Phase::Simulating => "simulating",
            Phase::Painting => "painting",
        })
    }
}
