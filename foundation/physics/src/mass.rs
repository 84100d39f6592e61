//! Mass properties: mass, center of mass, principal moments and axes of inertia.
//!
//! Polyhedra are integrated exactly as a sum of signed tetrahedra (Tonon 2004; compare Mirtich 1996), spheres, capsules and boxes
//! by their closed forms.
//!
//! Laws
//! 1. Everything is computed in double precision, without sampling.
//! 2. A result is sound: the mass and all three moments are positive, neither they nor their inverses overflow, and no moment
//!    exceeds the sum of the other two. Otherwise it is an error.
//! 3. Moments are about the center of mass, along the principal axes. Shapes symmetric about their own axes keep those.

use alloc::vec::Vec;

use base::number::double;
use base::{Mat3, Quat, Vec3};

use crate::error::ShapeError;
use crate::pose::Pose;
use crate::shape::{Child, Compound, Shape};
use crate::vector64::{Vector64, add, cross, dot, narrow, subtract, widen};

mod integrals;
#[cfg(test)]
mod tests;

use integrals::MassIntegrals;

/// How the mass of a shape is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// Kilograms per cubic metre.
    Density(f32),
    /// Kilograms in total.
    Total(f32),
}

/// The mass properties of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// In kilograms.
    pub mass: f32,
    /// The center of mass, in the space of the shape.
    pub center_of_mass: Vec3,
    /// The principal moments of inertia about the center of mass, in kilogram square metres.
    pub moments: Vec3,
    /// The rotation from the principal axes to the axes of the shape.
    pub principal_axes: Quat,
}

impl Mass {
    /// The mass of a static body: zero stands for infinite.
    pub const NONE: Mass =
        Mass { mass: 0.0, center_of_mass: Vec3::ZERO, moments: Vec3::ZERO, principal_axes: Quat::IDENTITY };

    /// The inverse mass; zero for an immovable body.
    pub fn inverse_mass(&self) -> f32 {
        inverse(self.mass)
    }

    /// The inverse moments; zero where nothing can rotate the body.
    pub fn inverse_moments(&self) -> Vec3 {
        Vec3::new(inverse(self.moments.x), inverse(self.moments.y), inverse(self.moments.z))
    }

    /// Of a shape. A mesh must be closed; a height field has no mass. All children of a compound have the same density.
    pub fn of(shape: &Shape, weight: Weight) -> Result<Mass, ShapeError> {
        let integrals = match shape {
            &Shape::Sphere(radius) => sphere(radius.into()),
            &Shape::Capsule { half, radius } => capsule(half.into(), radius.into()),
            &Shape::Box(half) => cuboid(half.to_array().map(f64::from)),
            Shape::Hull(hull) => return Mass::of_triangles(hull.triangles(), weight),
            Shape::Mesh(mesh) => return Mass::of_triangles(mesh.triangles(), weight),
            Shape::HeightField(_) => return Err(ShapeError::NotClosed),
            Shape::Compound(compound) => return of_children(compound, weight),
        };
        finish(integrals, weight)
    }

    /// Of the volume inside a closed triangle surface, counter-clockwise seen from outside.
    ///
    /// Refused if it is inside out or if missing triangles leave it open. Self-intersection is not checked.
    pub fn of_triangles(triangles: impl IntoIterator<Item = [Vec3; 3]>, weight: Weight) -> Result<Mass, ShapeError> {
        let mut reference: Option<Vector64> = None;
        let mut integrals = MassIntegrals::default();
        let mut area_vector = [0.0; 3];
        let mut area = 0.0;
        for triangle in triangles {
            let widen = triangle.map(|vertex| vertex.to_array().map(f64::from));
            // Relative to a vertex, so that a surface far from the origin is as exact as one near it.
            let reference = *reference.get_or_insert(widen[0]);
            let vertices = widen.map(|vertex| subtract(vertex, reference));
            let normal = cross(subtract(vertices[1], vertices[0]), subtract(vertices[2], vertices[0]));
            area += double::sqrt(dot(normal, normal));
            area_vector = add(area_vector, normal);
            integrals.add_tetrahedron(vertices);
        }
        // The area vectors of a closed surface add up to zero.
        let closed = double::sqrt(dot(area_vector, area_vector)) <= 1e-3 * area;
        if !(closed && integrals.volume > 0.0) {
            return Err(ShapeError::NotClosed);
        }
        let mut mass = finish(integrals, weight)?;
        let center_of_mass = mass.center_of_mass.to_array().map(f64::from);
        mass.center_of_mass = narrow(add(center_of_mass, reference.unwrap_or_default()));
        Ok(mass)
    }

    /// Of several bodies fixed to each other, each with its pose in the whole.
    pub fn sum(parts: impl IntoIterator<Item = (Pose, Mass)>) -> Result<Mass, ShapeError> {
        let parts: Vec<(Pose, Mass)> = parts.into_iter().collect();
        let mut total = MassIntegrals::default();
        for (pose, part) in &parts {
            let axes = Mat3 { columns: part.principal_axes.matrix().columns.map(|axis| pose.direction(axis)) };
            total.add_rigid_part(
                part.mass.into(),
                widen(pose.point(part.center_of_mass)),
                widen(part.moments),
                axes.columns.map(widen),
            );
        }
        finish(total, Weight::Density(1.0))
    }

    /// Scaled to another mass with the same distribution.
    pub fn with_mass(self, mass: f32) -> Result<Mass, ShapeError> {
        Mass { mass, moments: self.moments * (mass / self.mass), ..self }.checked()
    }

    /// The inertia tensor along the axes of the shape.
    pub fn matrix(&self) -> Mat3 {
        let axes = self.principal_axes.matrix();
        axes * Mat3::from_diagonal(self.moments) * axes.transpose()
    }

    /// Checks law 2.
    pub fn checked(self) -> Result<Mass, ShapeError> {
        let moments = self.moments.to_array();
        let is_sound = |value: f32| value > 0.0 && value.is_normal() && (1.0 / value).is_normal();
        let sum = moments[0] + moments[1] + moments[2];
        let balanced = moments.iter().all(|&moment| moment <= (sum - moment) * 1.001);
        let finite = self.center_of_mass.is_finite() && self.principal_axes.is_finite();
        let sound = is_sound(self.mass) && moments.into_iter().all(is_sound) && balanced && finite;
        if sound { Ok(self) } else { Err(ShapeError::Mass) }
    }
}

fn inverse(value: f32) -> f32 {
    let inverse = 1.0 / value;
    if value > 0.0 && inverse.is_finite() { inverse } else { 0.0 }
}

fn of_children(compound: &Compound, weight: Weight) -> Result<Mass, ShapeError> {
    let density = if let Weight::Density(density) = weight { density } else { 1.0 };
    let of_child = |child: &Child| Ok((child.pose, Mass::of(&child.shape, Weight::Density(density))?));
    let parts: Vec<(Pose, Mass)> = compound.children().iter().map(of_child).collect::<Result<_, ShapeError>>()?;
    let sum = Mass::sum(parts)?;
    if let Weight::Total(mass) = weight { sum.with_mass(mass) } else { Ok(sum) }
}

/// From integrals at density one to mass properties.
fn finish(integrals: MassIntegrals, weight: Weight) -> Result<Mass, ShapeError> {
    let density = match weight {
        Weight::Density(density) => f64::from(density),
        Weight::Total(mass) => f64::from(mass) / integrals.volume,
    };
    let (moments, axes) = integrals.principal_moments();
    let principal_axes = Quat::from_matrix(Mat3 { columns: axes.map(narrow) });
    let mass = Mass {
        mass: (integrals.volume * density) as f32,
        center_of_mass: narrow(integrals.center_of_mass()),
        moments: narrow(moments.map(|moment| moment * density)),
        principal_axes,
    };
    mass.checked()
}

fn sphere(radius: f64) -> MassIntegrals {
    let volume = 4.0 / 3.0 * double::PI * radius * radius * radius;
    MassIntegrals::symmetric(volume, [volume * radius * radius / 5.0; 3])
}

fn capsule(half: f64, radius: f64) -> MassIntegrals {
    let squared = radius * radius;
    let (cylinder, sphere) = (double::PI * squared * 2.0 * half, 4.0 / 3.0 * double::PI * squared * radius);
    let across = cylinder * squared / 4.0 + sphere * squared / 5.0;
    // The ends are half spheres, whose centroids are three eighths of a radius from their flat sides.
    let along = cylinder * half * half / 3.0 + sphere * (squared / 5.0 + half * half + 0.75 * half * radius);
    MassIntegrals::symmetric(cylinder + sphere, [across, across, along])
}

fn cuboid(half: Vector64) -> MassIntegrals {
    let volume = 8.0 * half[0] * half[1] * half[2];
    MassIntegrals::symmetric(volume, half.map(|half| volume * half * half / 3.0))
}
