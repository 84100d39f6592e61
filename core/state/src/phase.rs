//! The phases of a world and the access that each allows.
//!
//! | phase | read | edit, create, delete | how it is entered |
//! |---|---|---|---|
//! | setting up | all | yes | `World::new`, `World::set_up` |
//! | resting | all | no | `World::rest`, at the end of a cycle |
//! | simulating | the frozen block | each item its own next state | `World::simulate` |
//! | painting | all | yes | when all simulation is done |
//!
//! Law: an access that the phase does not allow panics with the names of the phase, the region and the access.

use core::fmt;

use crate::plan::Plan;

/// The phase of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A level is being set up: everything may be written.
    SettingUp,
    /// Between cycles: read-only.
    Resting,
    /// Items compute their own next state, in parallel.
    Simulating,
    /// Brushes apply queued entries, in order.
    Painting,
}

impl Phase {
    /// Panics unless this phase allows writing.
    #[inline]
    #[track_caller]
    pub(crate) fn require_writing(self, access: Access, plan: &Plan, region: u16) {
        if !matches!(self, Phase::SettingUp | Phase::Painting) {
            refuse(self, access, &plan.regions()[usize::from(region)].name);
        }
    }
}

/// A kind of write access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Edit,
    Create,
    Delete,
    Queue,
    Withdraw,
}

#[cold]
#[track_caller]
fn refuse(phase: Phase, access: Access, region: &str) -> ! {
    let access = match access {
        Access::Edit => "edit",
        Access::Create => "create in",
        Access::Delete => "delete from",
        Access::Queue => "queue at",
        Access::Withdraw => "withdraw from",
    };
    panic!("cannot {access} \"{region}\" while the world is {phase}: only setting up and painting may write");
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
