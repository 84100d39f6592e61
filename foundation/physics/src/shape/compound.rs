//! Compounds: several shapes that move as one.
//!
//! Laws
//! 1. Compounds are flat: the children of a nested compound become the outer one's, in their order.
//! 2. A child is named by its index. Where it has triangles, a sub-shape id packs its index and the triangle's.
//! 3. A height field is no child: ground is a body by itself.

use alloc::vec::Vec;
use core::fmt;

use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::limits::{CHILDREN_MAX, MESH_TRIANGLES_MAX, SIZE_MAX};
use crate::pose::Pose;
use crate::shape::Shape;

#[cfg(test)]
mod tests;

/// Several shapes, each with a pose.
#[derive(Clone, Debug)]
pub struct Compound {
    children: Vec<Child>,
    bvh: Bvh,
}

/// A shape of a compound.
#[derive(Clone, Debug)]
pub struct Child {
    /// Its pose in the compound.
    pub pose: Pose,
    /// Its shape.
    pub shape: Shape,
}

/// Why a compound was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompoundError {
    /// It has no children.
    Empty,
    /// It has more than [`CHILDREN_MAX`], counting those of nested compounds.
    TooMany,
    /// The pose of this child is not finite, or lies beyond [`SIZE_MAX`].
    Pose(u32),
    /// This child is a height field.
    HeightField(u32),
}

const TRIANGLE_BITS: u32 = MESH_TRIANGLES_MAX.trailing_zeros();
const _: () =
    assert!(MESH_TRIANGLES_MAX.is_power_of_two(), "a sub-shape id gives the triangle index a whole number of bits");
const _: () =
    assert!(CHILDREN_MAX as u64 * MESH_TRIANGLES_MAX as u64 <= 1 << 32, "child and triangle fit into 32 bits");

impl Compound {
    /// From shapes and their poses.
    pub fn new(parts: impl IntoIterator<Item = (Pose, Shape)>) -> Result<Compound, CompoundError> {
        let mut children = Vec::new();
        for (index, (pose, shape)) in (0..).zip(parts) {
            let is_valid = pose.axes.columns.iter().all(|axis| axis.is_finite())
                && pose.position.is_finite()
                && pose.position.abs().max_component() <= SIZE_MAX;
            if !is_valid {
                return Err(CompoundError::Pose(index));
            }
            match shape {
                Shape::HeightField(_) => return Err(CompoundError::HeightField(index)),
                Shape::Compound(nested) => children.extend(
                    nested
                        .children
                        .iter()
                        .map(|child| Child { pose: pose.compose(&child.pose), shape: child.shape.clone() }),
                ),
                shape => children.push(Child { pose, shape }),
            }
            if children.len() > CHILDREN_MAX {
                return Err(CompoundError::TooMany);
            }
        }
        if children.is_empty() {
            return Err(CompoundError::Empty);
        }
        let aabbs: Vec<Aabb> = children.iter().map(|child| child.shape.aabb(&child.pose)).collect();
        Ok(Compound { children, bvh: Bvh::new(&aabbs) })
    }

    /// Its children.
    pub fn children(&self) -> &[Child] {
        &self.children
    }

    /// The BVH over its children.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// The sub-shape id of a child and a triangle of it, or zero.
    #[inline]
    pub fn pack_id(child: u32, triangle: u32) -> u32 {
        debug_assert!(
            (child as usize) < CHILDREN_MAX && (triangle as usize) < MESH_TRIANGLES_MAX,
            "{child}, {triangle}"
        );
        child << TRIANGLE_BITS | triangle
    }

    /// The child and the triangle of a sub-shape id.
    #[inline]
    pub fn unpack_id(pack_id: u32) -> (u32, u32) {
        (pack_id >> TRIANGLE_BITS, pack_id & ((1 << TRIANGLE_BITS) - 1))
    }
}

impl fmt::Display for CompoundError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompoundError::Empty => write!(out, "expected shapes, found none"),
            CompoundError::TooMany => write!(out, "expected at most {CHILDREN_MAX} shapes, found more"),
            CompoundError::Pose(index) => {
                write!(out, "expected poses within {SIZE_MAX} m, found one outside or not finite for shape {index}")
            }
            CompoundError::HeightField(index) => {
                write!(out, "expected no height field in a compound, found one as shape {index}")
            }
        }
    }
}

impl core::error::Error for CompoundError {}
