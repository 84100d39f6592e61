//! Contacts: the persistent state of a manifold, with accumulated impulses for warm starting.
//!
//! Laws
//! 1. Contacts are sorted by key: lower slot, higher slot, children. Lookup is a binary search, merging two steps one pass over both.
//! 2. A contact holds the accumulated impulses of the last sub-step: the solver warm starts with them.

use base::{Handle, Plain, Vec3};

use crate::body::Body;
use crate::limits::POINTS_MAX;

/// A contact in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
pub struct Contact {
    /// The children in contact: see [`Manifold::child`](crate::manifold::Manifold::child).
    pub child: u64,
    /// The slot of the first body, which is the lower one.
    pub first: u16,
    /// The slot of the second.
    pub second: u16,
    /// The number of points, and the bit [`TOUCHING`].
    pub state: u32,
    /// From the first to the second.
    pub normal: Vec3,
    /// The friction impulse, in world axes.
    pub friction_impulse: Vec3,
    /// The angular impulse of rolling resistance.
    pub rolling_impulse: Vec3,
    /// The angular impulse of torsional friction.
    pub twist_impulse: f32,
    /// The feature id of each point.
    pub features: [u32; POINTS_MAX],
    /// The normal impulse of each point.
    pub normal_impulses: [f32; POINTS_MAX],
    /// The lever arms from both centers of mass to the center of the points when the bodies came to rest: see
    /// [`ContactConstraint`](crate::narrow_phase::ContactConstraint).
    pub lever_arms: [Vec3; 2],
}

/// The bit of [`Contact::state`] that is set while the surfaces touch.
pub const TOUCHING: u32 = 1 << 8;

/// An event between two bodies. It lasts for one step.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct ContactEvent {
    /// The first body.
    pub first: Handle<Body>,
    /// The second.
    pub second: Handle<Body>,
    /// The kind: see [`ContactEventKind`].
    pub kind: u32,
    /// The approach speed along the normal, in metres per second.
    pub speed: f32,
    /// The contact point: on the surface of a body that cannot move, or where both surfaces meet.
    pub point: Vec3,
    /// The normal impulse, in newton seconds.
    pub impulse: f32,
    /// From the first to the second.
    pub normal: Vec3,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ContactEventKind {
    /// They began to touch.
    Began = 0,
    /// They ceased to touch.
    Ended = 1,
    /// One entered the other, which is a trigger.
    Entered = 2,
    /// It left it.
    Left = 3,
    /// Continuous collision detection found a hit; the bodies may be far apart by the end of the step.
    Hit = 4,
    /// A joint between them broke.
    JointBroke = 5,
    /// The first is quarantined: something about it was not finite.
    Quarantined = 6,
}

impl Contact {
    /// A contact without points.
    pub const NONE: Contact = Contact {
        child: 0,
        first: 0,
        second: 0,
        state: 0,
        normal: Vec3::ZERO,
        friction_impulse: Vec3::ZERO,
        rolling_impulse: Vec3::ZERO,
        twist_impulse: 0.0,
        features: [0; POINTS_MAX],
        normal_impulses: [0.0; POINTS_MAX],
        lever_arms: [Vec3::ZERO; 2],
    };

    /// Its key.
    #[inline]
    pub fn key(&self) -> ContactKey {
        (self.first, self.second, self.child)
    }

    /// The slots of both bodies.
    #[inline]
    pub fn pair(&self) -> (u16, u16) {
        (self.first, self.second)
    }

    /// The number of points.
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
    pub fn is_valid(&self) -> bool {
        // Zero times a number that is not finite is NaN.
        let lever_arms = self.lever_arms[0] * 0.0 + self.lever_arms[1] * 0.0;
        let vectors = self.normal * 0.0 + self.friction_impulse * 0.0 + self.rolling_impulse * 0.0 + lever_arms;
        let numbers = self.normal_impulses.iter().fold(self.twist_impulse * 0.0, |sum, impulse| sum + impulse * 0.0);
        vectors.x + vectors.y + vectors.z + numbers == 0.0
    }

    /// The same without impulses.
    #[must_use]
    pub fn without_impulses(self) -> Contact {
        let Contact { child, first, second, state, features, .. } = self;
        Contact { child, first, second, state, features, ..Contact::default() }
    }

    /// The normal impulse of the point with this feature id, if there is one.
    #[inline]
    pub fn normal_impulse_of(&self, feature: u32) -> Option<f32> {
        let features = &self.features[..self.count()];
        features.iter().position(|other| *other == feature).map(|index| self.normal_impulses[index])
    }

    /// The sum of the normal impulses of points without these feature ids.
    pub fn normal_impulse_beside(&self, features: &[u32]) -> f32 {
        let points = self.features[..self.count()].iter().zip(&self.normal_impulses);
        points.filter(|(feature, _)| !features.contains(feature)).fold(0.0, |sum, (_, impulse)| sum + impulse)
    }
}

impl ContactEvent {
    /// An event of this kind, with zeros elsewhere.
    pub fn of(first: Handle<Body>, second: Handle<Body>, kind: ContactEventKind) -> ContactEvent {
        let (point, normal) = (Vec3::ZERO, Vec3::ZERO);
        ContactEvent { first, second, kind: kind as u32, speed: 0.0, point, impulse: 0.0, normal }
    }

    /// Whether it is of this kind.
    pub fn is(&self, kind: ContactEventKind) -> bool {
        self.kind == kind as u32
    }
}

/// The key of a contact: the lower slot, the higher slot, the children.
pub type ContactKey = (u16, u16, u64);
