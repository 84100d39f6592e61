//! Proxies: what the broad phase knows of a body.

use base::Vec3;

use crate::aabb::Aabb;
use crate::body::{Body, flag};

/// The AABB and the collision filter of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proxy {
    /// The box around everything it may touch in this step.
    pub aabb: Aabb,
    layers: u32,
    meets: u32,
    group: u32,
    /// Its displacement in a step without contacts.
    pub displacement: Vec3,
    is_moving: bool,
    slot: u16,
    is_trigger: bool,
    has_mass: bool,
    is_static: bool,
}

impl Proxy {
    /// An empty slot: overlaps nothing.
    pub const NONE: Proxy = Proxy {
        aabb: Aabb::EMPTY,
        layers: 0,
        meets: 0,
        group: 0,
        displacement: Vec3::ZERO,
        is_moving: false,
        slot: 0,
        is_trigger: false,
        has_mass: false,
        is_static: false,
    };

    /// The proxy of a body with this box.
    pub fn new(slot: u16, body: &Body, aabb: Aabb, is_moving: bool) -> Proxy {
        Proxy {
            aabb,
            layers: body.layers,
            meets: body.mask,
            group: body.group,
            displacement: Vec3::ZERO,
            is_moving,
            slot,
            is_trigger: body.is(flag::TRIGGER),
            has_mass: body.inverse_mass > 0.0,
            is_static: !body.is_dynamic(),
        }
    }

    /// The slot of its body.
    pub fn slot(&self) -> u16 {
        self.slot
    }

    /// Whether it moves in this step.
    #[inline]
    pub fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// Whether it is static.
    pub fn is_static(&self) -> bool {
        self.is_static
    }

    /// Whether the filters of both let them collide, and whether a contact or a trigger event could follow.
    #[inline]
    pub fn can_collide(&self, other: &Proxy) -> bool {
        (self.layers & other.meets != 0)
            & (other.layers & self.meets != 0)
            & ((self.group == 0) | (self.group != other.group))
            & (self.has_mass | other.has_mass | (self.is_trigger != other.is_trigger))
            & !(self.is_trigger & other.is_trigger)
    }
}
