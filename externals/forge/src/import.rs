//! Import: meshes of other programs become shapes.
//!
//! | as | what is made | for |
//! |---|---|---|
//! | hull | the least convex body around all points | stones, crates: what moves |
//! | mesh | the triangles themselves | levels: what stands still |
//! | parts | a few hulls that fill it nearly: a compound | tables, rings, hulls of ships: what is concave and moves |
//!
//! Laws
//! 1. The same bytes and wishes give the same text, on every machine.
//! 2. Whatever comes in, what comes out is a tag that can be loaded, or a sentence that says why there is none. Memory and time are
//!    bounded by the limits of this crate.
//! 3. A file is only read. Of other files it may name those that lie beside it or below.

pub mod gltf;
pub mod obj;
pub mod soup;

mod parts;
mod text;

use base::Vec3;
use physics::hull::Hull;

use crate::limits::PARTS_MAX;
use soup::Faults;

/// What is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum As {
    /// The least convex body around all points.
    Hull,
    /// The triangles themselves.
    Mesh,
    /// At most so many hulls.
    Parts(usize),
}

/// Which axis of the file is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    /// Its y axis, with z to the front, as glTF has it: it becomes z, and the front x.
    Y,
    /// Its z axis: nothing is turned.
    Z,
}

/// How something is imported.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// What is to be made.
    pub what: As,
    /// Only this node or object of the file, with all below it.
    pub name: Option<&'a str>,
    /// Which axis is up.
    pub up: Up,
    /// How many metres a unit of the file is.
    pub scale: f32,
}

/// Something imported.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The tag.
    pub text: String,
    /// What was found to be odd.
    pub faults: Faults,
    /// How many corners there are in all.
    pub points: usize,
    /// How many triangles the file had, without those that have no area.
    pub triangles: usize,
    /// How many hulls were made; none of a mesh.
    pub hulls: usize,
    /// How far some of the points stand out of the hulls, in metres, because there was no room for more corners.
    pub left_out: f32,
}

/// Reads files that a file names, by the name it has there.
pub type Beside<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Makes a shape from a file. `name` is what the file is called: its ending says what it is.
pub fn import(name: &str, bytes: &[u8], wish: &Wish<'_>, beside: Beside<'_>) -> Result<Imported, String> {
    let ending = name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase());
    let soup = match ending.as_str() {
        "glb" | "gltf" => gltf::read(bytes, wish.name, beside)?,
        "obj" => obj::read(bytes, wish.name)?,
        _ => return Err(format!("expected a file that ends in .glb, .gltf or .obj, found \"{name}\"")),
    };
    let (soup, faults) = soup.settled(wish.up, wish.scale)?;
    let (hulls, left_out) = match wish.what {
        As::Mesh => (Vec::new(), 0.0),
        As::Hull => around(&soup.points).map(|(corners, left_out)| (vec![corners], left_out))?,
        As::Parts(most) => parts::decompose(&soup, most.clamp(1, PARTS_MAX))?,
    };
    let text = text::write(name, wish.what, &soup, &hulls)?;
    let points = if hulls.is_empty() { soup.points.len() } else { hulls.iter().map(Vec::len).sum() };
    Ok(Imported { text, faults, points, triangles: soup.triangles.len(), hulls: hulls.len(), left_out })
}

/// The corners of the hull around some points, and how far it leaves some of them out.
fn around(points: &[Vec3]) -> Result<(Vec<Vec3>, f32), String> {
    let hull = Hull::new(points).map_err(|error| format!("there is no hull around it: {error}"))?;
    Ok((hull.vertices().to_vec(), hull.left_out()))
}

#[cfg(test)]
mod tests;
