//! Contacts: what is remembered from step to step of who touches whom.
//!
//! Laws
//! 1. Contacts lie in the order of their keys: the lower slot, the higher slot, the children. So whoever looks for one finds it by
//!    halving, and a merge of two steps is one walk along both.
//! 2. A contact holds the impulses that held its bodies apart in the last step: the solver begins with them.

use base::{Handle, Plain, Vec3};

use crate::body::Body;
use crate::limits::POINTS_MAX;

/// A contact in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
pub struct Contact {
    /// Which children touch: see [`Manifold::child`](crate::manifold::Manifold::child).
    pub child: u64,
    /// The slot of the first body, which is the lower one.
    pub first: u16,
    /// The slot of the second.
    pub second: u16,
    /// How many points there are, and whether they touch or only will: see [`TOUCHING`].
    pub state: u32,
    /// From the first to the second.
    pub normal: Vec3,
    /// What friction held back, along the axes of the world.
    pub friction: Vec3,
    /// What rolling friction held back.
    pub rolling: Vec3,
    /// What kept them from turning on the spot.
    pub twist: f32,
    /// What touches what, at each point.
    pub features: [u32; POINTS_MAX],
    /// What held each point apart.
    pub impulses: [f32; POINTS_MAX],
    /// Where the middle of its points was, seen from the centre of mass of each, when both came to rest: see
    /// [`Touching`](crate::touching::Touching).
    pub levers: [Vec3; 2],
}

/// The bit of [`Contact::state`] that says that the surfaces really touch.
pub const TOUCHING: u32 = 1 << 8;

/// Two bodies began to touch, or ceased to. It is there for one step.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Touch {
    /// The first body.
    pub first: Handle<Body>,
    /// The second.
    pub second: Handle<Body>,
    /// What happened: see [`TouchKind`].
    pub kind: u32,
    /// How fast they met, in metres per second along the normal.
    pub speed: f32,
    /// Where.
    pub point: Vec3,
    /// How hard they were held apart, in newton seconds.
    pub impulse: f32,
    /// From the first to the second.
    pub normal: Vec3,
}

/// What happened between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TouchKind {
    /// They began to touch.
    Began = 0,
    /// They ceased to.
    Ended = 1,
    /// One came into the other, which is a trigger.
    Entered = 2,
    /// It left it.
    Left = 3,
    /// One hit the other in flight, and may be far away by now.
    Struck = 4,
    /// A joint between them broke.
    Broke = 5,
    /// The first is quarantined: something about it was not finite.
    Quarantined = 6,
}

impl Contact {
    /// None.
    pub const NONE: Contact = Contact {
        child: 0,
        first: 0,
        second: 0,
        state: 0,
        normal: Vec3::ZERO,
        friction: Vec3::ZERO,
        rolling: Vec3::ZERO,
        twist: 0.0,
        features: [0; POINTS_MAX],
        impulses: [0.0; POINTS_MAX],
        levers: [Vec3::ZERO; 2],
    };

    /// What it is found by.
    #[inline]
    pub fn key(&self) -> Key {
        (self.first, self.second, self.child)
    }

    /// The slots of both bodies.
    #[inline]
    pub fn pair(&self) -> (u16, u16) {
        (self.first, self.second)
    }

    /// How many points it has.
    #[inline]
    pub fn count(&self) -> usize {
        ((self.state & 0xff) as usize).min(POINTS_MAX)
    }

    /// Whether the surfaces touch.
    #[inline]
    pub fn is_touching(&self) -> bool {
        self.state & TOUCHING != 0
    }

    /// Whether every number of it is finite.
    #[inline]
    pub fn is_sound(&self) -> bool {
        // Zero times what is not finite is not zero.
        let levers = self.levers[0] * 0.0 + self.levers[1] * 0.0;
        let vectors = self.normal * 0.0 + self.friction * 0.0 + self.rolling * 0.0 + levers;
        let numbers = self.impulses.iter().fold(self.twist * 0.0, |sum, impulse| sum + impulse * 0.0);
        vectors.x + vectors.y + vectors.z + numbers == 0.0
    }

    /// The same without anything that was held back or apart.
    #[must_use]
    pub fn forgotten(self) -> Contact {
        let Contact { child, first, second, state, features, .. } = self;
        Contact { child, first, second, state, features, ..Contact::default() }
    }

    /// The impulse at the point where this touched, if it did in the last step.
    #[inline]
    pub fn impulse_of(&self, feature: u32) -> Option<f32> {
        let features = &self.features[..self.count()];
        features.iter().position(|other| *other == feature).map(|index| self.impulses[index])
    }

    /// What held all those points apart that are not among these.
    pub fn impulse_beside(&self, features: &[u32]) -> f32 {
        let points = self.features[..self.count()].iter().zip(&self.impulses);
        points.filter(|(feature, _)| !features.contains(feature)).fold(0.0, |sum, (_, impulse)| sum + impulse)
    }
}

impl Touch {
    /// Something happened between two.
    pub fn of(first: Handle<Body>, second: Handle<Body>, kind: TouchKind) -> Touch {
        let (point, normal) = (Vec3::ZERO, Vec3::ZERO);
        Touch { first, second, kind: kind as u32, speed: 0.0, point, impulse: 0.0, normal }
    }

    /// Whether this is what happened.
    pub fn is(&self, kind: TouchKind) -> bool {
        self.kind == kind as u32
    }
}

/// What a contact is found by: the lower slot, the higher slot, the children.
pub type Key = (u16, u16, u64);
