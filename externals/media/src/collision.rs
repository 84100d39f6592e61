//! Import of meshes as shapes of physics: tags of the class `geometry`.
//!
//! | as | result | for |
//! |---|---|---|
//! | hull | the convex hull of all points | moving convex things: stones, crates |
//! | mesh | the triangles themselves | static geometry: levels |
//! | parts | a convex decomposition: a compound of a few hulls | moving concave things: tables, rings, ships |

pub mod soup;

mod decompose;

use base::Vec3;
use physics::hull::Hull;

use crate::error::ImportError;
use crate::importer::Source;
use crate::limits::PARTS_MAX;
use crate::lscript;
use crate::scene::{Scene, UpAxis};
use soup::{MeshFaults, TriangleSoup};

/// The kind of shape to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// The convex hull of all points.
    Hull,
    /// The triangles themselves.
    Mesh,
    /// A convex decomposition into at most this many hulls.
    Parts(usize),
}

/// The options of an import.
#[derive(Clone, Copy, Debug)]
pub struct ShapeOptions<'a> {
    /// The kind of shape.
    pub kind: ShapeKind,
    /// Only this node or object of the file, with its descendants.
    pub name: Option<&'a str>,
    /// The up axis.
    pub up: UpAxis,
    /// Metres per unit of the file.
    pub scale: f32,
}

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The fields of its tag: name, and value as LScript.
    pub fields: Vec<(String, String)>,
    /// Defects of the mesh.
    pub faults: MeshFaults,
    /// The number of vertices.
    pub points: usize,
    /// The number of triangles, without degenerate ones.
    pub triangles: usize,
    /// The vertices of its hulls; none for a mesh.
    pub hulls: Vec<Vec<Vec3>>,
    /// How far points lie outside the hulls, in metres, because the number of vertices is limited.
    pub left_out: f32,
}

/// Imports a file as one shape.
pub fn import(source: &Source<'_>, options: &ShapeOptions<'_>) -> Result<Shape, ImportError> {
    let mut scene = Scene::read(source)?;
    scene.convert(options.up, options.scale)?;
    let is_in = nodes_below(&scene, options.name)?;
    let nodes = (0..is_in.len()).filter(|node| is_in[*node]);
    let soup = TriangleSoup::of(&scene, &scene.places(), nodes)?;
    shape(soup, options.kind)
}

/// The shape of some triangles.
pub fn shape(soup: TriangleSoup, kind: ShapeKind) -> Result<Shape, ImportError> {
    let (soup, faults) = soup.settled()?;
    let (hulls, left_out) = match kind {
        ShapeKind::Mesh => (Vec::new(), 0.0),
        ShapeKind::Hull => around(&soup.points).map(|(corners, left_out)| (vec![corners], left_out))?,
        ShapeKind::Parts(most) => decompose::decompose(&soup, most.clamp(1, PARTS_MAX))?,
    };
    let fields = fields(kind, &soup, &hulls);
    let points = if hulls.is_empty() { soup.points.len() } else { hulls.iter().map(Vec::len).sum() };
    Ok(Shape { fields, faults, points, triangles: soup.triangles.len(), hulls, left_out })
}

/// One shape of the hulls of all.
#[must_use]
pub fn compound(shapes: &[Shape]) -> Option<Shape> {
    let hulls: Vec<Vec<Vec3>> = shapes.iter().flat_map(|shape| shape.hulls.iter().cloned()).collect();
    let kind = match hulls.len() {
        0 => return None,
        1 => ShapeKind::Hull,
        _ => ShapeKind::Parts(hulls.len()),
    };
    let count = |part: fn(&Shape) -> usize| shapes.iter().map(part).sum();
    let mut faults = MeshFaults::default();
    shapes.iter().for_each(|shape| faults.dropped += shape.faults.dropped);
    Some(Shape {
        fields: fields(kind, &TriangleSoup::default(), &hulls),
        faults,
        points: count(|shape| shape.points),
        triangles: count(|shape| shape.triangles),
        left_out: shapes.iter().fold(0.0, |most, shape| base::number::max(most, shape.left_out)),
        hulls,
    })
}

/// Which nodes are meant: all, or the named ones with their descendants.
fn nodes_below(scene: &Scene, name: Option<&str>) -> Result<Vec<bool>, ImportError> {
    let mut is_in: Vec<bool> = Vec::with_capacity(scene.nodes.len());
    for node in &scene.nodes {
        let is_below = node.parent.is_some_and(|parent| is_in[parent]);
        is_in.push(is_below || name.is_none_or(|name| node.name == name));
    }
    if let (Some(name), false) = (name, is_in.contains(&true)) {
        let names: Vec<&str> =
            scene.nodes.iter().map(|node| node.name.as_str()).filter(|name| !name.is_empty()).take(8).collect();
        let found = if names.is_empty() { String::from("nodes without names") } else { names.join(", ") };
        return Err(ImportError::Option {
            name: "name",
            reason: format!("expected a node called \"{name}\", found {found}"),
        });
    }
    Ok(is_in)
}

/// The vertices of the convex hull, and how far points lie outside of it.
fn around(points: &[Vec3]) -> Result<(Vec<Vec3>, f32), ImportError> {
    let hull =
        Hull::new(points).map_err(|error| ImportError::Unsupported(format!("it has no convex hull: {error}")))?;
    Ok((hull.vertices().to_vec(), hull.simplification_error()))
}

const POINTS_IN_LINE: usize = 4;
const TRIANGLES_IN_LINE: usize = 8;

fn fields(kind: ShapeKind, soup: &TriangleSoup, hulls: &[Vec<Vec3>]) -> Vec<(String, String)> {
    let field = |name: &str, value: String| (name.to_string(), value);
    let points = |points: &[Vec3]| lscript::lines(points.iter().map(|point| lscript::vector(*point)), POINTS_IN_LINE);
    match kind {
        ShapeKind::Hull => vec![field("points", points(hulls.first().map_or(&[], Vec::as_slice)))],
        ShapeKind::Mesh => {
            let triangles = soup.triangles.iter().map(|[a, b, c]| format!("{a}, {b}, {c}"));
            vec![
                field("kind", lscript::text("mesh")),
                field("points", points(&soup.points)),
                field("triangles", lscript::lines(triangles, TRIANGLES_IN_LINE)),
            ]
        }
        ShapeKind::Parts(_) => {
            let parts = hulls.iter().map(|hull| {
                lscript::RecordText::new().with("shape", lscript::text("hull")).with("points", points(hull)).finish()
            });
            vec![field("kind", lscript::text("compound")), field("parts", lscript::list(parts))]
        }
    }
}

#[cfg(test)]
mod tests;
