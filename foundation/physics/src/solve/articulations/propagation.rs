//! Impulse propagation through a tree: the response of each body to an impulse with everything joined to it
//! (Featherstone 1983; for impulses, Mirtich 1996).

use jobs::NONE as NO_BODY;

use crate::solve::block::single_contact::{Six, add, times};

/// The response matrices of a body, and its state during a sweep over the static contacts of the tree.
#[derive(Clone, Copy)]
pub struct ImpulsePropagation {
    /// Index of the first link of its tree.
    pub tree_start: u32,
    /// Whether it is on the path of the sweep: bodies without a static contact in their subtree are not.
    pub is_on_path: bool,
    /// Its number in depth-first order, and the next body.
    pub order: u32,
    /// See above.
    pub next: u32,
    /// The number of static contacts of the tree; valid at its first link.
    pub static_contacts: u32,
    /// The number of the factorization from which the matrices of the tree were computed; valid at its first link.
    pub factorization: u32,
    /// Maps an impulse on the body to the impulse that arrives at its parent. Its transpose maps velocity changes back.
    pub propagator: [Six; 6],
    /// The articulated inverse inertia: velocity change per impulse, with the whole tree attached.
    pub inverse_inertia: [Six; 6],
    /// Change of velocity since the sweep began.
    pub velocity_change: Six,
    /// Sum of the impulses that arrived from its subtree during the sweep.
    pub accumulated_impulse: Six,
    /// Impulses of its own contacts.
    pub applied_impulse: Six,
}

impl ImpulsePropagation {
    /// A body without static contacts.
    pub const NONE: ImpulsePropagation = ImpulsePropagation {
        tree_start: 0,
        is_on_path: false,
        order: 0,
        next: NO_BODY,
        static_contacts: 0,
        factorization: 0,
        propagator: [[0.0; 6]; 6],
        inverse_inertia: [[0.0; 6]; 6],
        velocity_change: [0.0; 6],
        accumulated_impulse: [0.0; 6],
        applied_impulse: [0.0; 6],
    };

    /// Adds an impulse, and the change of velocity that it causes.
    pub fn accumulate(&mut self, impulse: &Six) {
        add(&mut self.accumulated_impulse, impulse);
        let response = times(&self.inverse_inertia, impulse);
        add(&mut self.velocity_change, &response);
    }
}
