//! Import of meshes as shapes.
//!
//! | as | result | for |
//! |---|---|---|
//! | hull | the convex hull of all points | moving convex things: stones, crates |
//! | mesh | the triangles themselves | static geometry: levels |
//! | parts | a convex decomposition: a compound of a few hulls | moving concave things: tables, rings, ships |
//!
//! Laws
//! 1. The same bytes and options give the same text, on every machine.
//! 2. Any input gives a tag that can be loaded, or an error message. Memory and time are bounded by the limits of this
//!    crate.
//! 3. Files are only read, and only the file itself and files beside or below it.

pub mod gltf;
pub mod obj;
pub mod soup;

mod decompose;
mod text;

use base::Vec3;
use physics::hull::Hull;

use crate::limits::PARTS_MAX;
use soup::MeshFaults;

/// The kind of shape to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportAs {
    /// The convex hull of all points.
    Hull,
    /// The triangles themselves.
    Mesh,
    /// A convex decomposition into at most this many hulls.
    Parts(usize),
}

/// The up axis of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// The y axis, with z to the front, as in glTF: y becomes z, and z becomes x.
    Y,
    /// The z axis: nothing is rotated.
    Z,
}

/// The options of an import.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions<'a> {
    /// The kind of shape.
    pub what: ImportAs,
    /// Only this node or object of the file, with its descendants.
    pub name: Option<&'a str>,
    /// The up axis.
    pub up: UpAxis,
    /// Metres per unit of the file.
    pub scale: f32,
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The text of the tag.
    pub text: String,
    /// Defects of the mesh.
    pub faults: MeshFaults,
    /// The number of vertices.
    pub points: usize,
    /// The number of triangles, without degenerate ones.
    pub triangles: usize,
    /// The number of hulls; 0 for a mesh.
    pub hulls: usize,
    /// How far points lie outside the hulls, in metres, because the number of vertices is limited.
    pub left_out: f32,
}

/// Reads a file that the imported file names.
pub type ReadBeside<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Imports a file. The extension of `name` decides the format.
pub fn import(name: &str, bytes: &[u8], wish: &ImportOptions<'_>, beside: ReadBeside<'_>) -> Result<Imported, String> {
    let ending = name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase());
    let soup = match ending.as_str() {
        "glb" | "gltf" => gltf::read(bytes, wish.name, beside)?,
        "obj" => obj::read(bytes, wish.name)?,
        _ => return Err(format!("expected a file that ends in .glb, .gltf or .obj, found \"{name}\"")),
    };
    let (soup, faults) = soup.settled(wish.up, wish.scale)?;
    let (hulls, left_out) = match wish.what {
        ImportAs::Mesh => (Vec::new(), 0.0),
        ImportAs::Hull => around(&soup.points).map(|(corners, left_out)| (vec![corners], left_out))?,
        ImportAs::Parts(most) => decompose::decompose(&soup, most.clamp(1, PARTS_MAX))?,
    };
    let text = text::write(name, wish.what, &soup, &hulls)?;
    let points = if hulls.is_empty() { soup.points.len() } else { hulls.iter().map(Vec::len).sum() };
    Ok(Imported { text, faults, points, triangles: soup.triangles.len(), hulls: hulls.len(), left_out })
}

/// The vertices of the convex hull, and how far points lie outside of it.
fn around(points: &[Vec3]) -> Result<(Vec<Vec3>, f32), String> {
    let hull = Hull::new(points).map_err(|error| format!("it has no convex hull: {error}"))?;
    Ok((hull.vertices().to_vec(), hull.simplification_error()))
}

#[cfg(test)]
mod tests;
