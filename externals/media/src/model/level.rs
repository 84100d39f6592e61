//! The scenario of a level, and the objects that are made of its structure.

use base::number::abs;
use base::{Quat, Vec3};
use tags::TagPath;

use super::family::{Family, Role};
use super::names::NameTable;
use super::vertices::Extent;
use crate::limits::WARNINGS_MAX;
use crate::lscript::{self, RecordText};
use crate::product::{Product, Warning};
use crate::scene::surface::MeshSurface;
use crate::scene::transform::Affine;

/// The largest team of an object.
const TEAM_MAX: f64 = 31.0;

/// The names that a remark lists.
const NAMES_SHOWN: usize = 5;

/// What programs leave of a whole number when they write transformations.
const ROUNDING: f32 = 1e-3;

/// The scenario: placements, trigger volumes and markers, each with the name of its node.
pub fn scenario(family: &Family, objects: &[Product]) -> Product {
    let mut made = Product { class: "scenario", ..Product::default() };
    let mut placements = Vec::new();
    let mut volumes = Vec::new();
    let mut markers = Vec::new();
    for Product { name, .. } in objects {
        let object = lscript::beside(&family.path(&format!("{name}.object")));
        placements.push(RecordText::new().with("name", lscript::text(name)).with("object", object).finish());
    }
    let extents = extents(family);
    let mut lost = Lost::default();
    let [mut volume_names, mut marker_names] = [NameTable::default(), NameTable::default()];
    for (number, role) in family.roles.iter().enumerate() {
        let place = &family.places[number];
        let position = lscript::vector(place.origin);
        match role {
            Role::Object(path) => match TagPath::new(&with_class(path)) {
                Ok(whole) => {
                    placements.push(placement(family, number, whole.as_str(), &mut lost));
                    if whole.as_str() != path && !made.classless.contains(path) {
                        made.classless.push(path.clone());
                    }
                }
                Err(error) if made.warnings.len() < WARNINGS_MAX => {
                    let name = &family.node_names[number];
                    made.warnings.push(Warning { message: format!("the object \"{name}\" is left out: {error}") });
                }
                Err(_) => {}
            },
            Role::Marker(name) => {
                let name = marker_names.unique(name, "marker", ".");
                let facing = place.axes[0].normal_or(Vec3::X);
                let (is_faced, is_rolled) = (facing != Vec3::X, is_rolled(place, facing));
                let marker = RecordText::new().with("name", lscript::text(&name)).with("offset", position);
                let marker = marker.with_if(is_faced || is_rolled, "facing", lscript::vector(facing));
                let up = lscript::vector(place.axes[2].normal_or(Vec3::Z));
                markers.push(marker.with_if(is_rolled, "up", up).finish());
            }
            Role::Volume(name) => {
                let name = volume_names.unique(name, "volume", ".");
                volumes.push(volume(family, number, &name, &extents, &mut lost));
            }
            Role::Structure | Role::Collision | Role::Part(_) => {}
        }
    }
    let mut field = |name: &str, value: String| made.fields.push((name.to_string(), value));
    field("placements", lscript::list(placements));
    field("trigger_volumes", lscript::list(volumes));
    field("markers", lscript::list(markers));
    made.warnings.extend(lost.warnings());
    made
}

/// What placements and trigger volumes cannot hold, by the names of the nodes.
#[derive(Default)]
struct Lost {
    scales: Vec<String>,
    teams: Vec<String>,
    rotations: Vec<String>,
}

impl Lost {
    fn warnings(self) -> Vec<Warning> {
        let rows = [
            (self.scales, "objects have a scale, which is left out; scale the model of the tag"),
            (self.teams, "objects have a `team` that is left out; expected a whole number from 0 to 31"),
            (self.rotations, "trigger volumes are rotated; the box around each, along the axes, is used"),
        ];
        let warning = |(names, what): (Vec<String>, &str)| {
            let rest = if names.len() > NAMES_SHOWN { " …" } else { "" };
            let shown: Vec<String> = names.iter().take(NAMES_SHOWN).map(|name| format!("\"{name}\"")).collect();
            Warning { message: format!("{} {what}: {}{rest}", names.len(), shown.join(", ")) }
        };
        rows.into_iter().filter(|(names, _)| !names.is_empty()).map(warning).collect()
    }
}

/// Whether a transformation scales by more than rounding.
fn is_scaled(place: &Affine) -> bool {
    place.axes.iter().any(|axis| abs(axis.length() - 1.0) > ROUNDING) || place.is_mirrored()
}

/// Whether a rotation is another one than the shortest that turns the x axis there, which is all that `facing` says.
fn is_rolled(place: &Affine, facing: Vec3) -> bool {
    let up = place.axes[2].normal_or(Vec3::Z);
    let shortest = Quat::between(Vec3::X, facing);
    shortest.rotate(Vec3::Z).distance(up) > ROUNDING * 4.0
}

/// Whether boxes stay boxes along the axes.
fn is_along_axes(place: &Affine) -> bool {
    place.axes.iter().all(|axis| axis.normal_or(Vec3::X).abs().max_component() > 1.0 - ROUNDING * ROUNDING)
}

/// A path with a class; without one, it is an `object` until the tag is looked up.
fn with_class(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or("");
    if file.contains('.') { path.to_string() } else { format!("{path}.object") }
}

/// An object for each collision shape of the structure, which stands still where the level is.
pub fn objects(family: &Family, shapes: &[Product]) -> Vec<Product> {
    let object = |shape: &Product| {
        let geometry = lscript::beside(&family.path(&format!("{}.geometry", shape.name)));
        let body =
            RecordText::new().with("shape", lscript::text("geometry")).with("geometry", geometry).with("fixed", true);
        let name = if shape.name == "collision" { "structure" } else { "structure_mesh" };
        Product {
            name: name.into(),
            class: "object",
            fields: vec![("body".to_string(), body.finish())],
            ..Product::default()
        }
    };
    shapes.iter().map(object).collect()
}

/// The boxes around the meshes, each once however often it is used.
fn extents(family: &Family) -> Vec<Extent> {
    let points =
        |surfaces: &[MeshSurface]| surfaces.iter().flat_map(|surface| surface.positions.clone()).collect::<Vec<Vec3>>();
    family.scene.meshes.iter().map(|mesh| Extent::around(points(&mesh.surfaces))).collect()
}

fn placement(family: &Family, number: usize, path: &str, lost: &mut Lost) -> String {
    let place = &family.places[number];
    let facing = place.axes[0].normal_or(Vec3::X);
    let node = &family.scene.nodes[number];
    let is_team = |team: &f64| (0.0..=TEAM_MAX).contains(team) && *team == base::number::double::floor(*team);
    let team = node.number("team").filter(is_team);
    let has_team = node.properties.iter().any(|(name, _)| name == "team");
    for (is_lost, names) in [(is_scaled(place), &mut lost.scales), (has_team && team.is_none(), &mut lost.teams)] {
        if is_lost {
            names.push(family.node_names[number].clone());
        }
    }
    RecordText::new()
        .with("name", lscript::text(&family.node_names[number]))
        .with("object", lscript::text(path))
        .with("position", lscript::vector(place.origin))
        .with_if(facing != Vec3::X, "facing", lscript::vector(facing))
        .with_if(is_rolled(place, facing), "up", lscript::vector(place.axes[2].normal_or(Vec3::Z)))
        .with_if(team.is_some(), "team", team.unwrap_or(0.0) as u32)
        .finish()
}

/// A trigger volume: the box around its mesh, or the unit cube of half extents 1; a sphere, if its property `shape` says so.
fn volume(family: &Family, number: usize, name: &str, extents: &[Extent], lost: &mut Lost) -> String {
    let node = &family.scene.nodes[number];
    let place = &family.places[number];
    let unit = Extent { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) };
    let own = node.mesh.map_or(unit, |mesh| extents[mesh]);
    let corners = (0..8).map(|corner: u32| {
        let pick = |axis: u32| if corner >> axis & 1 == 1 { own.max[axis as usize] } else { own.min[axis as usize] };
        place.point(Vec3::new(pick(0), pick(1), pick(2)))
    });
    let extent = Extent::around(corners);
    let half = (extent.max - extent.min) * 0.5;
    let is_sphere = node.text("shape") == Some("sphere");
    if !is_sphere && !is_along_axes(place) {
        lost.rotations.push(name.to_string());
    }
    RecordText::new()
        .with("name", lscript::text(name))
        .with("centre", lscript::vector(extent.centre()))
        .with_if(!is_sphere, "half", lscript::vector(half))
        .with_if(is_sphere, "radius", lscript::number(half.max_component()))
        .with_if(node.is_on("closed"), "closed", true)
        .finish()
}
