//! Proxies: what the broad phase knows of a body.

use base::Vec3;

use crate::body::{Body, flag};
use crate::bounds::Bounds;

/// Who meets whom, and how large its box is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proxy {
    /// The box around all that it may touch.
    pub bounds: Bounds,
    layers: u32,
    meets: u32,
    group: u32,
    /// How far it goes in a step if nothing stops it.
    pub way: Vec3,
    moves: bool,
    slot: u16,
    is_trigger: bool,
    has_mass: bool,
    is_hard: bool,
}

impl Proxy {
    /// Nobody, nowhere.
    pub const NOBODY: Proxy = Proxy {
        bounds: Bounds::EMPTY,
        layers: 0,
        meets: 0,
        group: 0,
        way: Vec3::ZERO,
        moves: false,
        slot: 0,
        is_trigger: false,
        has_mass: false,
        is_hard: false,
    };

    /// That of a body with this box, which moves or does not.
    pub fn new(slot: u16, body: &Body, bounds: Bounds, moves: bool) -> Proxy {
        Proxy {
            bounds,
            layers: body.layers,
            meets: body.meets,
            group: body.group,
            way: Vec3::ZERO,
            moves,
            slot,
            is_trigger: body.is(flag::TRIGGER),
            has_mass: body.inverse_mass > 0.0,
            is_hard: !body.can_be_moved(),
        }
    }

    /// Whose it is.
    pub fn slot(&self) -> u16 {
        self.slot
    }

    /// Whether it moves in this step.
    #[inline]
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// Whether nobody can move it.
    pub fn is_hard(&self) -> bool {
        self.is_hard
    }

    /// Whether two meet at all, and whether anything could come of it.
    #[inline]
    pub fn meets(&self, other: &Proxy) -> bool {
        (self.layers & other.meets != 0)
            & (other.layers & self.meets != 0)
            & ((self.group == 0) | (self.group != other.group))
            & (self.has_mass | other.has_mass | (self.is_trigger != other.is_trigger))
            & !(self.is_trigger & other.is_trigger)
    }
}
