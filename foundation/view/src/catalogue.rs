//! The meshes of shapes that no model describes: hulls, meshes and height fields of bodies. They follow from the content.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use base::{StringId, Vec3};

/// A triangle mesh, for shapes without a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeMesh {
    /// The corners.
    pub points: Vec<Vec3>,
    /// Three indices for each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The shape meshes of a level, by the names that instances use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeCatalogue {
    /// The meshes.
    pub meshes: BTreeMap<StringId, ShapeMesh>,
    /// Differs between catalogues with different content.
    pub version: u64,
}
