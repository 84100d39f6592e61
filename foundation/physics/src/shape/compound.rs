//! Several shapes that move as one.
//!
//! Laws
//! 1. A compound has no compounds in it: the children of one that is put into another become the other's own, in their order.
//! 2. Children are known by their number. Where one of them has triangles, its number and the triangle's are told as one.
//! 3. A field is no child: it is ground, and ground is a body of its own.

use alloc::vec::Vec;
use core::fmt;

use crate::bounds::Bounds;
use crate::limits::{CHILDREN_MAX, MESH_TRIANGLES_MAX, SIZE_MOST};
use crate::pose::Pose;
use crate::shape::Shape;
use crate::tree::Tree;

#[cfg(test)]
mod tests;

/// Several shapes at places of their own.
#[derive(Clone, Debug)]
pub struct Compound {
    children: Vec<Child>,
    tree: Tree,
}

/// A shape of a compound.
#[derive(Clone, Debug)]
pub struct Child {
    /// Where it is in the compound.
    pub pose: Pose,
    /// What it is.
    pub shape: Shape,
}

/// Why there is no compound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompoundError {
    /// It has no children.
    Empty,
    /// It has more than [`CHILDREN_MAX`], with those of the compounds in it.
    TooMany,
    /// This child lies nowhere, or farther out than [`SIZE_MOST`].
    Pose(u32),
    /// This child is a field.
    Field(u32),
}

const TRIANGLE_BITS: u32 = MESH_TRIANGLES_MAX.trailing_zeros();
const _: () = assert!(MESH_TRIANGLES_MAX.is_power_of_two(), "triangles fill whole bits of a child's number");
const _: () =
    assert!(CHILDREN_MAX as u64 * MESH_TRIANGLES_MAX as u64 <= 1 << 32, "child and triangle fit into 32 bits");

impl Compound {
    /// From shapes and where they are.
    pub fn new(parts: impl IntoIterator<Item = (Pose, Shape)>) -> Result<Compound, CompoundError> {
        let mut children = Vec::new();
        for (index, (pose, shape)) in (0..).zip(parts) {
            let is_sound = pose.axes.columns.iter().all(|axis| axis.is_finite())
                && pose.position.is_finite()
                && pose.position.abs().max_component() <= SIZE_MOST;
            if !is_sound {
                return Err(CompoundError::Pose(index));
            }
            match shape {
                Shape::Field(_) => return Err(CompoundError::Field(index)),
                Shape::Compound(inner) => children.extend(
                    inner
                        .children
                        .iter()
                        .map(|child| Child { pose: pose.inner(&child.pose), shape: child.shape.clone() }),
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
        let boxes: Vec<Bounds> = children.iter().map(|child| child.shape.bounds(&child.pose)).collect();
        Ok(Compound { children, tree: Tree::new(&boxes) })
    }

    /// Its shapes.
    pub fn children(&self) -> &[Child] {
        &self.children
    }

    /// The tree over their boxes.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The number under which something of a child is told: the child's own, with that of a triangle if it has any.
    #[inline]
    pub fn number(child: u32, triangle: u32) -> u32 {
        child << TRIANGLE_BITS | triangle
    }

    /// The child and the triangle of such a number.
    #[inline]
    pub fn parts(number: u32) -> (u32, u32) {
        (number >> TRIANGLE_BITS, number & ((1 << TRIANGLE_BITS) - 1))
    }
}

impl fmt::Display for CompoundError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompoundError::Empty => write!(out, "expected shapes, found none"),
            CompoundError::TooMany => write!(out, "expected at most {CHILDREN_MAX} shapes, found more"),
            CompoundError::Pose(index) => {
                write!(out, "expected places within {SIZE_MOST} m, found another for shape {index}")
            }
            CompoundError::Field(index) => write!(out, "expected no field in a compound, found one as shape {index}"),
        }
    }
}

impl core::error::Error for CompoundError {}
