//! Impulse propagation through a tree: the response of each body to an impulse with everything joined to it
//! (Featherstone 1983; for impulses, Mirtich 1996).

use jobs::NONE as NO_BODY;

use crate::solve::block::single_contact::{Six, add, times};

/// The response matrices of a body, and its state during a sweep over the tree contacts of the tree.
#[derive(Clone, Copy)]
pub struct ImpulsePropagation {
    /// Whether it is on the path of the sweep: bodies without a tree contact in their subtree are not.
    pub is_on_path: bool,
    /// Its number in depth-first order, and the next body.
    pub order: u32,
    /// See above.
    pub next: u32,
    /// The number of links of the group, and of its tree contacts; valid at its first link.
    pub group_links: u32,
    /// See above.
    pub group_contacts: u32,
    /// The immovable bodies that the tree touches; valid at its first link.
    pub ground: Ground,
    /// Where the sweep is in the tree; valid at its first link.
    pub here: u32,
    /// The next body on the way down to where the sweep goes.
    pub down: u32,
    /// The number of the factorization from which the matrices of the tree were computed; valid at its first link.
    pub factorization: u32,
    /// Maps an impulse on the body to the impulse that arrives at its parent. Its transpose maps velocity changes back.
    pub propagator: [Six; 6],
    /// The articulated inverse inertia: velocity change per impulse, with the whole tree attached.
    pub inverse_inertia: [Six; 6],
    /// The same with its parent held fixed.
    pub local_inverse_inertia: [Six; 6],
    /// Change of velocity since the sweep began; up to date only where the sweep is.
    pub velocity_change: Six,
    /// The part of it that impulses on its subtree cause with its parent held fixed.
    pub local_change: Six,
    /// Sum of the impulses that arrived from its subtree, and are not yet propagated to its parent.
    pub accumulated_impulse: Six,
    /// Impulses of its own contacts.
    pub applied_impulse: Six,
}

/// The immovable bodies that a tree touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// There are none.
    None,
    /// All are at rest.
    Resting,
    /// One moves.
    Moving,
}

impl ImpulsePropagation {
    /// A body without tree contacts.
    pub const NONE: ImpulsePropagation = ImpulsePropagation {
        is_on_path: false,
        order: 0,
        next: NO_BODY,
        group_links: 0,
        group_contacts: 0,
        ground: Ground::None,
        here: 0,
        down: NO_BODY,
        factorization: NO_BODY,
        propagator: [[0.0; 6]; 6],
        inverse_inertia: [[0.0; 6]; 6],
        local_inverse_inertia: [[0.0; 6]; 6],
        velocity_change: [0.0; 6],
        local_change: [0.0; 6],
        accumulated_impulse: [0.0; 6],
        applied_impulse: [0.0; 6],
    };

    /// Adds an impulse, and the change of velocity that it causes.
    pub fn accumulate(&mut self, impulse: &Six) {
        add(&mut self.accumulated_impulse, impulse);
        add(&mut self.velocity_change, &times(&self.inverse_inertia, impulse));
        add(&mut self.local_change, &times(&self.local_inverse_inertia, impulse));
    }

    /// Begins a sweep.
    pub fn begin_sweep(&mut self) {
        (self.velocity_change, self.local_change) = ([0.0; 6], [0.0; 6]);
        (self.accumulated_impulse, self.applied_impulse) = ([0.0; 6], [0.0; 6]);
    }
}
