//! How heavy shapes are, and how hard to turn.
//!
//! Laws
//! 1. Everything is worked out in double precision, exactly: no samples, no grids.
//! 2. What is told is sound: the mass and all three moments are positive, neither they nor their inverses overflow, and no moment
//!    is larger than the other two together. What cannot be told so is an error.
//! 3. Moments are about the centre of mass, along axes that are turned against those of the shape so that none disturbs another.
//!    Shapes that are even about their axes are not turned.

use alloc::vec::Vec;

use base::number::double;
use base::{Mat3, Quat, Vec3};

use crate::error::ShapeError;
use crate::pose::Pose;
use crate::shape::{Child, Compound, Shape};

mod tensor;
#[cfg(test)]
mod tests;

use tensor::{Tensor, Wide};

/// How much matter there is in a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// Kilograms in a cubic metre.
    Density(f32),
    /// Kilograms in all.
    Total(f32),
}

/// How a body resists forces and torques.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// In kilograms.
    pub mass: f32,
    /// The centre of mass, in the space of the shape.
    pub centre: Vec3,
    /// The moments of inertia about three axes through the centre, in kilogram square metres.
    pub moments: Vec3,
    /// How those axes are turned against those of the shape.
    pub turn: Quat,
}

impl Mass {
    /// That of what nothing can move.
    pub const NONE: Mass = Mass { mass: 0.0, centre: Vec3::ZERO, moments: Vec3::ZERO, turn: Quat::IDENTITY };

    /// One over the mass; zero if nothing can move it.
    pub fn inverse_mass(&self) -> f32 {
        inverse(self.mass)
    }

    /// One over the moments; zero where nothing can turn it.
    pub fn inverse_moments(&self) -> Vec3 {
        Vec3::new(inverse(self.moments.x), inverse(self.moments.y), inverse(self.moments.z))
    }

    /// Of a shape. A mesh must be closed; ground has no mass. The children of a compound all have the same density.
    pub fn of(shape: &Shape, weight: Weight) -> Result<Mass, ShapeError> {
        let tensor = match shape {
            &Shape::Sphere(radius) => sphere(radius.into()),
            &Shape::Capsule { half, radius } => capsule(half.into(), radius.into()),
            &Shape::Box(half) => cuboid(half.to_array().map(f64::from)),
            Shape::Hull(hull) => return Mass::of_triangles(hull.triangles(), weight),
            Shape::Mesh(mesh) => return Mass::of_triangles(mesh.triangles(), weight),
            Shape::Field(_) => return Err(ShapeError::NotClosed),
            Shape::Compound(compound) => return of_children(compound, weight),
        };
        finish(tensor, weight)
    }

    /// Of what a closed surface of triangles is around; their corners go around against the clock, seen from outside.
    ///
    /// Refused if it is inside out, or if sides are missing so that it is not closed. The converse is not checked: whether it
    /// passes through itself.
    pub fn of_triangles(triangles: impl IntoIterator<Item = [Vec3; 3]>, weight: Weight) -> Result<Mass, ShapeError> {
        let mut from: Option<Wide> = None;
        let mut tensor = Tensor::default();
        let mut open = [0.0; 3];
        let mut area = 0.0;
        for triangle in triangles {
            let wide = triangle.map(|corner| corner.to_array().map(f64::from));
            // Seen from a corner of the first, so that what is far from the origin is as exact as what is near it.
            let from = *from.get_or_insert(wide[0]);
            let corners = wide.map(|corner| tensor::minus(corner, from));
            let normal = tensor::cross(tensor::minus(corners[1], corners[0]), tensor::minus(corners[2], corners[0]));
            area += double::sqrt(tensor::dot(normal, normal));
            open = tensor::plus(open, normal);
            tensor.add_corner(corners);
        }
        // The sides of a closed surface point in all directions alike.
        let closed = double::sqrt(tensor::dot(open, open)) <= 1e-3 * area;
        if !(closed && tensor.volume > 0.0) {
            return Err(ShapeError::NotClosed);
        }
        let mut told = finish(tensor, weight)?;
        let centre = told.centre.to_array().map(f64::from);
        told.centre = narrow(tensor::plus(centre, from.unwrap_or_default()));
        Ok(told)
    }

    /// Of several bodies that are fixed to each other, each with its pose in the whole.
    pub fn sum(parts: impl IntoIterator<Item = (Pose, Mass)>) -> Result<Mass, ShapeError> {
        let parts: Vec<(Pose, Mass)> = parts.into_iter().collect();
        let mut total = Tensor::default();
        for (pose, part) in &parts {
            let axes = Mat3 { columns: part.turn.matrix().columns.map(|axis| pose.direction(axis)) };
            total.add_part(part.mass.into(), wide(pose.point(part.centre)), wide(part.moments), axes.columns.map(wide));
        }
        finish(total, Weight::Density(1.0))
    }

    /// The same with another mass, spread in the same way.
    pub fn with_mass(self, mass: f32) -> Result<Mass, ShapeError> {
        Mass { mass, moments: self.moments * (mass / self.mass), ..self }.checked()
    }

    /// The moments as a matrix along the axes of the shape.
    pub fn matrix(&self) -> Mat3 {
        let axes = self.turn.matrix();
        axes * Mat3::from_diagonal(self.moments) * axes.transpose()
    }

    /// The same, if it is sound.
    pub fn checked(self) -> Result<Mass, ShapeError> {
        let moments = self.moments.to_array();
        let is_sound = |value: f32| value > 0.0 && value.is_normal() && (1.0 / value).is_normal();
        let sum = moments[0] + moments[1] + moments[2];
        let balanced = moments.iter().all(|&moment| moment <= (sum - moment) * 1.001);
        let finite = self.centre.is_finite() && self.turn.is_finite();
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

/// From integrals over a body of density one to its mass.
fn finish(tensor: Tensor, weight: Weight) -> Result<Mass, ShapeError> {
    let density = match weight {
        Weight::Density(density) => f64::from(density),
        Weight::Total(mass) => f64::from(mass) / tensor.volume,
    };
    let (moments, axes) = tensor.moments();
    let turn = Quat::from_matrix(Mat3 { columns: axes.map(narrow) });
    let told = Mass {
        mass: (tensor.volume * density) as f32,
        centre: narrow(tensor.centre()),
        moments: narrow(moments.map(|moment| moment * density)),
        turn,
    };
    told.checked()
}

fn sphere(radius: f64) -> Tensor {
    let volume = 4.0 / 3.0 * double::PI * radius * radius * radius;
    Tensor::even(volume, [volume * radius * radius / 5.0; 3])
}

fn capsule(half: f64, radius: f64) -> Tensor {
    let squared = radius * radius;
    let (middle, ends) = (double::PI * squared * 2.0 * half, 4.0 / 3.0 * double::PI * squared * radius);
    let across = middle * squared / 4.0 + ends * squared / 5.0;
    // The ends are half balls, each three eighths of a radius from its flat side.
    let along = middle * half * half / 3.0 + ends * (squared / 5.0 + half * half + 0.75 * half * radius);
    Tensor::even(middle + ends, [across, across, along])
}

fn cuboid(half: Wide) -> Tensor {
    let volume = 8.0 * half[0] * half[1] * half[2];
    Tensor::even(volume, half.map(|half| volume * half * half / 3.0))
}

fn wide(vector: Vec3) -> Wide {
    vector.to_array().map(f64::from)
}

fn narrow(vector: Wide) -> Vec3 {
    Vec3::from_array(vector.map(|part| part as f32))
}
