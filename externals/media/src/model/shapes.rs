//! The collision shapes of a family.
//!
//! Hulls and parts of all nodes become one compound, `collision`. Nodes that are meshes become one mesh: `collision` too, or
//! `collision_mesh` if there are hulls, since a compound holds no mesh.

use physics::limits::{CHILDREN_MAX, MESH_TRIANGLES_MAX};

use super::family::{Family, Role};
use super::kept;
use crate::collision::soup::TriangleSoup;
use crate::collision::{self, Shape, ShapeKind};
use crate::error::ImportError;
use crate::limits::WARNINGS_MAX;
use crate::product::{Product, Warning};
use crate::result_cache::ResultCache;

/// The most nodes of a file that are cut into parts, each of which takes long.
const CUT_MAX: usize = 64;

/// The product of a shape.
pub fn product(name: String, shape: Shape) -> Product {
    let mut warnings = Vec::new();
    if shape.faults.dropped > 0 {
        let message = format!("{} triangles of the collision shape had no area and are left out", shape.faults.dropped);
        warnings.push(Warning { message });
    }
    Product { name, class: "geometry", fields: shape.fields, warnings, ..Product::default() }
}

/// The products of all shapes, and what went wrong.
pub fn products(
    family: &Family,
    kind: ShapeKind,
    parts_max: usize,
    cache: &dyn ResultCache,
) -> (Vec<Product>, Vec<Warning>) {
    let mut meshes = vec![false; family.roles.len()];
    let mut hulls = Vec::new();
    let mut warnings = Vec::new();
    for (number, node) in family.scene.nodes.iter().enumerate() {
        if family.roles[number] != Role::Collision {
            continue;
        }
        let own = match node.text("collision") {
            Some("hull") => ShapeKind::Hull,
            Some("mesh") => ShapeKind::Mesh,
            Some("parts") => ShapeKind::Parts(parts_max),
            _ if node.name.starts_with("UCX_") || node.name.ends_with("-convcol") => ShapeKind::Hull,
            _ if node.name.ends_with("-col") => ShapeKind::Mesh,
            _ => kind,
        };
        if own == ShapeKind::Mesh {
            family.with_parts(number).for_each(|node| meshes[node] = true);
        } else {
            hulls.push((number, own));
        }
    }
    let mut products = Vec::new();
    let mut warn = |error: ImportError, name: &str| {
        if warnings.len() < WARNINGS_MAX {
            warnings.push(Warning { message: format!("the collision shape \"{name}\" is left out: {error}") });
        }
    };
    // Nodes may share a mesh: the sum of their triangles is limited as those of one shape are.
    let triangles_of: Vec<usize> = (family.scene.meshes.iter())
        .map(|mesh| mesh.surfaces.iter().map(|surface| surface.triangles.len()).sum())
        .collect();
    let (mut triangles, mut cut) = (0, 0);
    let mut shapes: Vec<Shape> = Vec::new();
    for (number, kind) in hulls {
        let nodes = family.with_parts(number);
        triangles += nodes.filter_map(|node| Some(triangles_of[family.scene.nodes[node].mesh?])).sum::<usize>();
        cut += usize::from(matches!(kind, ShapeKind::Parts(_)));
        let limits = [
            ("triangles of collision shapes", triangles, MESH_TRIANGLES_MAX),
            ("collision shapes", shapes.len() + 1, CHILDREN_MAX),
            ("collision shapes that are cut into parts", cut, CUT_MAX),
        ];
        if let Some((what, found, limit)) = limits.into_iter().find(|(_, found, limit)| found > limit) {
            warn(ImportError::TooLarge { what, found: found as u64, limit: limit as u64 }, &family.node_names[number]);
            break;
        }
        let soup = TriangleSoup::of(&family.scene, &family.places, family.with_parts(number));
        match soup.and_then(|soup| kept::shape(cache, soup, kind)) {
            Ok(shape) => shapes.push(shape),
            Err(error) => warn(error, &family.node_names[number]),
        }
    }
    if let Some(compound) = collision::compound(&shapes) {
        products.push(product("collision".into(), compound));
    }
    if meshes.contains(&true) {
        let name = if products.is_empty() { "collision" } else { "collision_mesh" };
        let nodes = (0..meshes.len()).filter(|node| meshes[*node]);
        let soup = TriangleSoup::of(&family.scene, &family.places, nodes);
        match soup.and_then(|soup| collision::shape(soup, ShapeKind::Mesh)) {
            Ok(shape) => products.push(product(name.into(), shape)),
            Err(error) => warn(error, name),
        }
    }
    (products, warnings)
}
