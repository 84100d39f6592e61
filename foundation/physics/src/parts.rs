//! The regions of physics in the block, and their capacities.

use base::Plain;
use state::{Datums, Layout, List, Single};

use crate::body::Body;
use crate::contact::{Contact, ContactEvent};
use crate::force_field::ForceField;
use crate::joint::Joint;
use crate::limits::{ENDS_MAX, FORCE_FIELDS_MAX};

/// Capacities, from the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// Bodies.
    pub bodies: u32,
    /// Contacts: about three per body in a pile.
    pub contacts: u32,
    /// Pairs of overlapping AABBs: about seven per body in a pile. Not in the block: found anew in every step.
    pub pairs: u32,
    /// Joints: about one per body of a ragdoll or a vehicle.
    pub joints: u32,
    /// Contact events of one step.
    pub events: u32,
}

/// Counters of dropped and exceptional things, over the whole life of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Counts {
    /// Steps in which pairs exceeded the capacity.
    pub pairs_refused: u64,
    /// Contacts beyond the capacity.
    pub contacts_refused: u64,
    /// Events beyond the capacity.
    pub events_refused: u64,
    /// Bodies that were quarantined.
    pub quarantined: u64,
    /// Impacts of fast bodies.
    pub impacts: u64,
    /// Joints removed because they were invalid.
    pub joints_dropped: u64,
    /// Joints that broke.
    pub joints_broken: u64,
    /// Joints beyond the capacity.
    pub joints_refused: u64,
}

/// One end of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Plain)]
#[repr(C)]
pub struct End {
    /// The slot of its body plus one; 0 is the world.
    pub body: u32,
    /// The slot of the joint.
    pub joint: u32,
}

/// The keys to physics in a block.
#[derive(Clone, Copy)]
pub struct Parts {
    /// All bodies.
    pub bodies: Datums<Body>,
    /// All contacts, in key order.
    pub contacts: List<Contact>,
    /// All joints.
    pub joints: Datums<Joint>,
    /// The index from bodies to joints: see [`ends`](crate::ends).
    pub ends: List<End>,
    /// Force fields: see [`Physics::set_force_fields`](crate::Physics::set_force_fields).
    pub force_fields: List<ForceField>,
    /// Contact events of the last step.
    pub events: List<ContactEvent>,
    /// The counters.
    pub counts: Single<Counts>,
    /// The capacities.
    pub capacities: Capacities,
}

impl Capacities {
    /// The usual capacities for this many bodies.
    pub fn for_bodies(bodies: u32) -> Capacities {
        let bodies = bodies.clamp(1, 1 << 16);
        Capacities {
            bodies,
            contacts: bodies * 4 + 64,
            pairs: bodies * 12 + 256,
            joints: bodies / 4 + 16,
            events: bodies + 64,
        }
    }
}

impl Parts {
    /// Reserves the regions in a layout, in which the caller has begun a system.
    pub fn new(layout: &mut Layout, capacities: Capacities) -> Parts {
        Parts {
            bodies: layout.datums("bodies", capacities.bodies),
            contacts: layout.list("contacts", capacities.contacts),
            joints: layout.datums("joints", capacities.joints),
            ends: layout.list("ends", capacities.joints * ENDS_MAX),
            force_fields: layout.list("force_fields", FORCE_FIELDS_MAX as u32),
            events: layout.list("contact events", capacities.events),
            counts: layout.single("physics counts"),
            capacities,
        }
    }
}
