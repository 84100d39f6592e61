//! The primitives of meshes. Only the vertices that triangles use are decoded.

use base::{Vec2, Vec3, Vec4};

use super::super::json::Json;
use super::super::surface::MeshSurface;
use super::accessor::{Buffers, Numbers};
use super::budget::Budget;
use crate::error::ImportError;

const TRIANGLES: usize = 4;
const STRIP: usize = 5;
const FAN: usize = 6;

/// The triangles of a primitive; none if it has points, lines or no positions.
pub fn surface(
    primitive: Json<'_>,
    buffers: &Buffers<'_>,
    budget: &mut Budget,
    materials: usize,
) -> Result<Option<MeshSurface>, ImportError> {
    let mode = primitive.get("mode");
    let mode = if mode.is_there() { mode.index().unwrap_or(usize::MAX) } else { TRIANGLES };
    let attributes = primitive.get("attributes");
    let Some(position) = attributes.get("POSITION").index() else { return Ok(None) };
    if !(TRIANGLES..=FAN).contains(&mode) {
        return Ok(None);
    }
    let positions = buffers.numbers(position, &[("VEC3", 3)])?;
    let indices = match primitive.get("indices").index() {
        Some(indices) => Some(buffers.numbers(indices, &[("SCALAR", 1)])?),
        None => None,
    };
    if indices.is_some_and(|indices| !indices.is_index()) {
        return Err(ImportError::Damaged("expected whole numbers as indices of a mesh".into()));
    }
    let count = indices.map_or(positions.count, |indices| indices.count);
    let corners = triangles(mode, count);
    budget.take_corners(corners.len().saturating_mul(3))?;
    let corner = |at: usize| indices.map_or(at as u32, |indices| indices.wholes(at)[0]);
    let mut triangles: Vec<[u32; 3]> = corners.map(|triangle| triangle.map(corner)).collect();
    if triangles.iter().flatten().any(|corner| *corner as usize >= positions.count) {
        return Err(ImportError::Damaged("expected triangles over existing points, found another index".into()));
    }
    let used = renumber(&mut triangles);
    let material = primitive.get("material").index();
    if material.is_some_and(|material| material >= materials) {
        return Err(ImportError::Damaged("a mesh names a material that is not there".into()));
    }
    let mut surface = MeshSurface { material, triangles, ..MeshSurface::default() };
    decode(&mut surface, attributes, buffers, positions, &used, budget)?;
    Ok(Some(surface))
}

/// The corners of the triangles among this many.
fn triangles(mode: usize, count: usize) -> impl ExactSizeIterator<Item = [usize; 3]> {
    let triangles = if mode == TRIANGLES { count / 3 } else { count.saturating_sub(2) };
    (0..triangles).map(move |number| match mode {
        TRIANGLES => [3 * number, 3 * number + 1, 3 * number + 2],
        // Every second triangle of a strip is reversed.
        STRIP if number % 2 == 1 => [number + 1, number, number + 2],
        STRIP => [number, number + 1, number + 2],
        _ => [0, number + 1, number + 2],
    })
}

/// Numbers the used vertices from 0 in their order, and returns them.
fn renumber(triangles: &mut [[u32; 3]]) -> Vec<u32> {
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    for corner in triangles.iter_mut().flatten() {
        *corner = used.binary_search(corner).expect("it was collected from the same corners") as u32;
    }
    used
}

fn decode(
    surface: &mut MeshSurface,
    attributes: Json<'_>,
    buffers: &Buffers<'_>,
    positions: Numbers<'_>,
    used: &[u32],
    budget: &mut Budget,
) -> Result<(), ImportError> {
    let mut attribute = |name: &str, kinds: &[(&str, usize)]| -> Result<Option<Numbers<'_>>, ImportError> {
        let Some(accessor) = attributes.get(name).index() else { return Ok(None) };
        let numbers = buffers.numbers(accessor, kinds)?;
        if numbers.count < positions.count {
            return Err(ImportError::Damaged(format!("{name} has fewer elements than there are positions")));
        }
        budget.take_bytes(used.len() as u64 * 16)?;
        Ok(Some(numbers))
    };
    let vectors = |numbers: Option<Numbers<'_>>| {
        gathered(numbers, used, |numbers, at| Vec3::from_array(numbers.get(at, [0.0; 3])))
    };
    let pairs = |numbers: Option<Numbers<'_>>| {
        gathered(numbers, used, |numbers, at| Vec2::from_array(numbers.get(at, [0.0; 2])))
    };
    let fours = |numbers: Option<Numbers<'_>>| {
        gathered(numbers, used, |numbers, at| Vec4::from_array(numbers.get(at, [0.0, 0.0, 0.0, 1.0])))
    };
    surface.positions = vectors(Some(positions));
    surface.normals = vectors(attribute("NORMAL", &[("VEC3", 3)])?);
    surface.tangents = fours(attribute("TANGENT", &[("VEC4", 4)])?);
    surface.uvs[0] = pairs(attribute("TEXCOORD_0", &[("VEC2", 2)])?);
    surface.uvs[1] = pairs(attribute("TEXCOORD_1", &[("VEC2", 2)])?);
    surface.colours = fours(attribute("COLOR_0", &[("VEC4", 4), ("VEC3", 3)])?);
    let joints = attribute("JOINTS_0", &[("VEC4", 4)])?;
    let weights = attribute("WEIGHTS_0", &[("VEC4", 4)])?;
    if let (Some(joints), Some(_)) = (joints, weights) {
        if !joints.is_index() {
            return Err(ImportError::Damaged("expected whole numbers as joints of a mesh".into()));
        }
        surface.joints =
            gathered(Some(joints), used, |joints, at| joints.wholes(at).map(|joint| joint.min(0xffff) as u16));
        surface.weights = gathered(weights, used, |weights, at| weights.get(at, [0.0; 4]));
    }
    Ok(())
}

/// The elements of the used vertices; none without an accessor.
fn gathered<T>(numbers: Option<Numbers<'_>>, used: &[u32], element: impl Fn(&Numbers<'_>, usize) -> T) -> Vec<T> {
    let Some(numbers) = numbers else { return Vec::new() };
    used.iter().map(|at| element(&numbers, *at as usize)).collect()
}
