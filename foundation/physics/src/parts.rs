//! What physics has in the block.

use base::Plain;
use state::{Datums, Layout, List, One};

use crate::body::Body;
use crate::contact::{Contact, Touch};
use crate::joint::Joint;
use crate::limits::{ENDS_MAX, PULLS_MAX};
use crate::pull::Pull;

/// How much there is room for. It comes from the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// Bodies.
    pub bodies: u32,
    /// Contacts: about three for each body that lies in a heap.
    pub contacts: u32,
    /// Pairs whose boxes touch; about seven for each body in a heap. Not in the block: they are found anew in every step.
    pub pairs: u32,
    /// Joints: about one for each body of a ragdoll or a vehicle.
    pub joints: u32,
    /// What is told of one step.
    pub touches: u32,
}

/// How often something had to be left out, in the whole life of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Counts {
    /// Steps in which pairs were left out, for want of room.
    pub pairs_refused: u64,
    /// Contacts that were left out.
    pub contacts_refused: u64,
    /// Touches that were not told.
    pub touches_refused: u64,
    /// Bodies that were quarantined.
    pub quarantined: u64,
    /// Impacts of fast bodies.
    pub impacts: u64,
    /// Joints that were taken out because something about them was not finite or made no sense.
    pub joints_dropped: u64,
    /// Joints that broke.
    pub joints_broken: u64,
    /// Joints that found no room.
    pub joints_refused: u64,
}

/// One end of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Plain)]
#[repr(C)]
pub struct End {
    /// The slot of its body and one; 0 is the world.
    pub body: u32,
    /// The slot of the joint.
    pub joint: u32,
}

/// The keys into a world's physics.
#[derive(Clone, Copy)]
pub struct Parts {
    /// All bodies.
    pub bodies: Datums<Body>,
    /// Who touches whom, in the order of keys.
    pub contacts: List<Contact>,
    /// All joints.
    pub joints: Datums<Joint>,
    /// Who is joined by them: see [`ends`](crate::ends).
    pub ends: List<End>,
    /// What pulls besides gravity: see [`Physics::set_pulls`](crate::Physics::set_pulls).
    pub pulls: List<Pull>,
    /// What happened in the last step.
    pub touches: List<Touch>,
    /// What had to be left out.
    pub counts: One<Counts>,
    /// How much room there is.
    pub capacities: Capacities,
}

impl Capacities {
    /// For so many bodies, with the usual number of contacts.
    pub fn for_bodies(bodies: u32) -> Capacities {
        let bodies = bodies.clamp(1, 1 << 16);
        Capacities {
            bodies,
            contacts: bodies * 4 + 64,
            pairs: bodies * 12 + 256,
            joints: bodies / 4 + 16,
            touches: bodies + 64,
        }
    }
}

impl Parts {
    /// Reserves room in a layout. The caller has begun a system.
    pub fn new(layout: &mut Layout, capacities: Capacities) -> Parts {
        Parts {
            bodies: layout.datums("bodies", capacities.bodies),
            contacts: layout.list("contacts", capacities.contacts),
            joints: layout.datums("joints", capacities.joints),
            ends: layout.list("ends", capacities.joints * ENDS_MAX),
            pulls: layout.list("pulls", PULLS_MAX as u32),
            touches: layout.list("touches", capacities.touches),
            counts: layout.one("physics counts"),
            capacities,
        }
    }
}
