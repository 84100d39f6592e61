//! Force fields: accelerations besides the gravity of the settings. Planets, zones with their own gravity, water, wind.
//!
//! | kind | direction | magnitude |
//! |---|---|---|
//! | planet | to its center | its strength at its radius; inverse square beyond, proportional to the distance within |
//! | center | to its center | its strength at any distance |
//! | linear | to its center | its strength at its radius, proportional to the distance everywhere |
//! | zone | uniform | the length of its acceleration |
//!
//! Laws
//! 1. Fields lie in the block, and are summed in the order in which they were set. So the step stays a function of the block, the
//!    shapes and the settings.
//! 2. A field is evaluated at the midpoint of the step, of the free motion of the body and of the field (leapfrog integration, which
//!    is symplectic): orbits close, and keep their energy in the long run. Evaluated at the start of the step, an orbit of ten seconds
//!    would gain 2 % per revolution.
//! 3. Inside a replacing field, gravity and other fields do not act; replacing fields add up. Drag acts all the same.
//! 4. A medium drags velocities towards its flow and angular velocities to zero, proportionally to the difference. Drag is integrated
//!    implicitly, so it is stable at any strength.
//! 5. The acceleration of a body is finite and bounded: a field that is not finite has no effect, others are clamped.
//! 6. A body is not affected by fields of its own owner.

use base::number::{clamp, max, sqrt};
use base::{Plain, Quat, Vec3};

use crate::body::Body;
use crate::limits::{ACCELERATION_MAX, DRAG_MAX, FLOW_SPEED_MAX, POSITION_MAX, SIZE_MIN};
use crate::settings::Settings;

/// A force field.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct ForceField {
    /// Its center.
    pub center: Vec3,
    /// The distance at which it has its strength.
    pub radius: f32,
    /// Its velocity, in metres per second.
    pub velocity: Vec3,
    /// Its strength, in metres per second squared; negative repels.
    pub strength: f32,
    /// The acceleration of a zone.
    pub acceleration: Vec3,
    /// The radius of the sphere in which it acts; 0: unbounded, or a box.
    pub range: f32,
    /// The half extents of the box in which it acts; zero: not a box.
    pub half_extents: Vec3,
    /// The drag of its medium, per second.
    pub drag: f32,
    /// The velocity of its medium.
    pub flow: Vec3,
    /// Its kind: see [`ForceFieldKind`].
    pub kind: u32,
    /// The rotation of its box.
    pub rotation: Quat,
    /// 1 if it replaces gravity and non-replacing fields.
    pub replaces: u32,
    /// Bodies of this owner are not affected. 0: no owner.
    pub owner: u32,
}

/// The kinds of force fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ForceFieldKind {
    /// To its center, by Newton's law of gravitation.
    Planet = 0,
    /// To its center, of constant magnitude.
    Center = 1,
    /// To its center, proportional to the distance.
    Linear = 2,
    /// Uniform.
    Zone = 3,
}

/// The effect of gravity and all fields on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternalAcceleration {
    /// The acceleration of a body at rest.
    pub acceleration: Vec3,
    /// The damping of its linear and angular velocity, per second.
    pub drag: f32,
}

impl ForceField {
    /// A planet with this strength at its radius.
    pub fn planet(center: Vec3, radius: f32, strength: f32) -> ForceField {
        ForceField { center, radius, strength, ..ForceField::NONE }
    }

    /// An unbounded uniform field; [`ForceField::in_box`] and [`ForceField::in_sphere`] bound it.
    pub fn zone(acceleration: Vec3) -> ForceField {
        ForceField { acceleration, kind: ForceFieldKind::Zone as u32, ..ForceField::NONE }
    }

    /// Bounded by a box.
    #[must_use]
    pub fn in_box(self, center: Vec3, half_extents: Vec3, rotation: Quat) -> ForceField {
        ForceField { center, half_extents, rotation, ..self }
    }

    /// Bounded by a sphere.
    #[must_use]
    pub fn in_sphere(self, center: Vec3, range: f32) -> ForceField {
        ForceField { center, range, ..self }
    }

    /// Replacing gravity and non-replacing fields.
    #[must_use]
    pub fn replacing(self) -> ForceField {
        ForceField { replaces: 1, ..self }
    }

    /// With a medium of this drag and flow.
    #[must_use]
    pub fn with_medium(self, drag: f32, flow: Vec3) -> ForceField {
        ForceField { drag, flow, ..self }
    }

    /// A field without effect.
    pub const NONE: ForceField = ForceField {
        center: Vec3::ZERO,
        radius: 1.0,
        velocity: Vec3::ZERO,
        strength: 0.0,
        acceleration: Vec3::ZERO,
        range: 0.0,
        half_extents: Vec3::ZERO,
        drag: 0.0,
        flow: Vec3::ZERO,
        kind: ForceFieldKind::Planet as u32,
        rotation: Quat::IDENTITY,
        replaces: 0,
        owner: 0,
    };

    /// Clamps every number to its range. A field that is not finite becomes one without effect.
    #[must_use]
    pub fn sanitized(self) -> ForceField {
        let vectors = [self.center, self.velocity, self.acceleration, self.half_extents, self.flow];
        let numbers = [self.radius, self.strength, self.range, self.drag];
        let is_finite = vectors.iter().all(|vector| vector.is_finite())
            && numbers.iter().all(|number| number.is_finite())
            && self.rotation.is_finite();
        if !is_finite {
            return ForceField { owner: self.owner, ..ForceField::NONE };
        }
        // Per axis first: the square of a huge length would overflow.
        let within = |vector: Vec3, most: f32| vector.clamp(Vec3::splat(-most), Vec3::splat(most));
        ForceField {
            center: within(self.center, POSITION_MAX),
            radius: max(self.radius, SIZE_MIN),
            velocity: within(self.velocity, FLOW_SPEED_MAX),
            strength: clamp(self.strength, -ACCELERATION_MAX, ACCELERATION_MAX),
            acceleration: within(self.acceleration, ACCELERATION_MAX).limit_length(ACCELERATION_MAX),
            range: max(self.range, 0.0),
            half_extents: self.half_extents.max(Vec3::ZERO),
            drag: clamp(self.drag, 0.0, DRAG_MAX),
            flow: within(self.flow, FLOW_SPEED_MAX),
            rotation: self.rotation.normal(),
            ..self
        }
    }

    /// Its acceleration at a point, this many seconds after the step began; `None` outside of its bounds.
    fn at(&self, place: Vec3, seconds: f32) -> Option<Vec3> {
        const PLANET: u32 = ForceFieldKind::Planet as u32;
        const CENTER: u32 = ForceFieldKind::Center as u32;
        const LINEAR: u32 = ForceFieldKind::Linear as u32;
        let inward = self.center + self.velocity * seconds - place;
        let square = inward.length_squared();
        if self.half_extents != Vec3::ZERO {
            let away = self.rotation.rotate_back(inward).abs();
            if away.x > self.half_extents.x || away.y > self.half_extents.y || away.z > self.half_extents.z {
                return None;
            }
        } else if self.range > 0.0 && square > self.range * self.range {
            return None;
        }
        let vector = match self.kind {
            // strength · (radius / distance)² · inward / distance beyond the radius; strength · inward / radius within.
            PLANET if square > self.radius * self.radius => {
                let distance = sqrt(square);
                let part = self.radius / distance;
                inward * (self.strength * part * part / distance)
            }
            PLANET | LINEAR => inward * (self.strength / self.radius),
            CENTER if square > 0.0 => inward * (self.strength / sqrt(square)),
            CENTER => Vec3::ZERO,
            _ => self.acceleration,
        };
        Some(vector.limit_length(ACCELERATION_MAX))
    }
}

/// The external acceleration of a body in a step: gravity and all fields.
pub fn external_acceleration_of(body: &Body, settings: &Settings, force_fields: &[ForceField]) -> ExternalAcceleration {
    if body.inverse_mass == 0.0 {
        return ExternalAcceleration { acceleration: Vec3::ZERO, drag: 0.0 };
    }
    if force_fields.is_empty() {
        return ExternalAcceleration { acceleration: settings.gravity * body.gravity_scale, drag: 0.0 };
    }
    let half = settings.seconds * 0.5;
    let place = body.world_center_of_mass() + body.velocity * half;
    let others = force_fields.iter().filter(|field| field.owner == 0 || field.owner != body.owner);
    let FieldSum { acceleration, drag, flow } = sum(place, half, settings, others);
    ExternalAcceleration { acceleration: acceleration * body.gravity_scale + flow, drag }
}

/// Gravity and all fields at a point at the start of a step, without drag.
pub fn external_acceleration_at(place: Vec3, settings: &Settings, force_fields: &[ForceField]) -> Vec3 {
    sum(place, 0.0, settings, force_fields.iter()).acceleration
}

/// A sum of fields.
struct FieldSum {
    acceleration: Vec3,
    drag: f32,
    flow: Vec3,
}

/// The sum of gravity and fields at a point, this many seconds after the step began.
#[inline]
fn sum<'a>(
    place: Vec3,
    seconds: f32,
    settings: &Settings,
    force_fields: impl Iterator<Item = &'a ForceField>,
) -> FieldSum {
    let (mut added, mut instead, mut is_replaced) = (settings.gravity, Vec3::ZERO, false);
    let (mut drag, mut flow) = (0.0, Vec3::ZERO);
    for field in force_fields {
        let Some(vector) = field.at(place, seconds) else { continue };
        match field.replaces {
            0 => added += vector,
            _ => (instead, is_replaced) = (instead + vector, true),
        }
        (drag, flow) = (drag + field.drag, flow + field.flow * field.drag);
    }
    FieldSum { acceleration: if is_replaced { instead } else { added }.limit_length(ACCELERATION_MAX), drag, flow }
}

/// Whether the external acceleration of a sleeping body changed enough to wake it: more than a passing moon causes.
pub fn has_changed(before: Vec3, now: Vec3) -> bool {
    let threshold =
        WAKE_FRACTION * WAKE_FRACTION * before.length_squared() + WAKE_ACCELERATION_MIN * WAKE_ACCELERATION_MIN;
    (now - before).length_squared() > threshold
}

/// The relative change that wakes a sleeping body: less than makes a resting body slide.
const WAKE_FRACTION: f32 = 0.02;
/// The absolute change that wakes it, in metres per second squared: in five seconds it gives the default sleep speed.
const WAKE_ACCELERATION_MIN: f32 = 0.01;

#[cfg(test)]
mod tests;
