//! The importer of models and levels.
//!
//! One file makes a family of tags: a model or a scenario, its materials, animations and collision shapes. Each product
//! depends only on its own part of the file, so a change of one mesh leaves the tags of all others as they are. The work on a
//! mesh is one function of the mesh and the options, [`mesh::build`]; its result, and those for images, clips and hulls, are
//! kept in the cache of the source.

pub mod normals;
pub mod quadric;
pub mod vertex_cache;

pub mod simplify;
pub mod vertices;

pub mod mesh;

mod kept;

mod family;
mod level;
mod materials;
mod names;
mod shapes;
mod structure;
mod textures;

use crate::animation::{self, AnimationOptions};
use crate::collision::{self, ShapeKind, ShapeOptions};
use crate::error::ImportError;
use crate::importer::{Importer, Source, gathers_nothing};
use crate::limits::{LODS_MAX, PARTS_MAX, PRODUCTS_MAX};
use crate::options::{OptionRow, Options};
use crate::product::{Product, Warning};
use crate::scene::{Scene, UpAxis};
use family::{Family, Role};
use mesh::MeshOptions;

/// The row of the table.
pub const IMPORTER: Importer = Importer {
    name: "model",
    extensions: &["gltf", "glb", "obj", "fbx"],
    version: 1,
    options: OPTIONS,
    help: "Makes a model or a level of a scene: meshes with levels of detail, materials, animations, collision shapes.",
    gathers: gathers_nothing,
    import,
};

/// The folder of levels.
const LEVELS: &str = "levels";

/// The options of models.
pub const OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "as",
        default: "model",
        words: &["model", "level", "collision"],
        help: "What the file is: a model, a level with its objects, or one collision shape.",
    },
    OptionRow { name: "up", default: "y", words: &["y", "z"], help: "Which axis of the file is up." },
    OptionRow { name: "scale", default: "1", words: &[], help: "How many metres a unit of the file is." },
    OptionRow { name: "lods", default: "4", words: &[], help: "The most levels of detail of a mesh, 1 to 8." },
    OptionRow {
        name: "lod_error",
        default: "0.05",
        words: &[],
        help: "The largest error of a level of detail, relative to the size of its mesh.",
    },
    OptionRow {
        name: "normals",
        default: "flat",
        words: &["flat", "smooth"],
        help: "The normals of meshes without any.",
    },
    OptionRow {
        name: "tangents",
        default: "auto",
        words: &["auto", "none"],
        help: "Whether meshes without tangents get some where their material has a normal map.",
    },
    OptionRow {
        name: "collision",
        default: "auto",
        words: &["auto", "hull", "mesh", "parts"],
        help: "The shape of collision nodes that name none; auto: hulls of a model, the mesh of a level.",
    },
    OptionRow {
        name: "parts_max",
        default: "16",
        words: &[],
        help: "The most hulls of a collision shape of parts, 1 to 64.",
    },
    OptionRow { name: "animations", default: "true", words: &[], help: "Whether animations are imported." },
    OptionRow {
        name: "rate",
        default: "0",
        words: &[],
        help: "The frames per second of animations; 0: as in the file.",
    },
    OptionRow {
        name: "position_error",
        default: "0.0005",
        words: &[],
        help: "The tolerance of animated positions, in metres.",
    },
    OptionRow {
        name: "rotation_error",
        default: "0.0005",
        words: &[],
        help: "The tolerance of animated rotations, in radians.",
    },
    OptionRow { name: "scale_error", default: "0.0005", words: &[], help: "The tolerance of animated scales." },
];

/// Imports a file.
pub fn import(source: &Source<'_>, options: &Options) -> Result<Vec<Product>, ImportError> {
    let what = options.word("as");
    let parts_max = options.number("parts_max", 1.0, PARTS_MAX as f64)? as usize;
    let kind = match options.word("collision") {
        "mesh" => ShapeKind::Mesh,
        "parts" => ShapeKind::Parts(parts_max),
        "auto" if what == "level" => ShapeKind::Mesh,
        _ => ShapeKind::Hull,
    };
    let up = if options.word("up") == "z" { UpAxis::Z } else { UpAxis::Y };
    let scale = options.number("scale", 1e-6, 1e6)? as f32;
    if what == "collision" {
        let shape = collision::import(source, &ShapeOptions { kind, name: None, up, scale })?;
        return Ok(vec![shapes::product(String::new(), shape)]);
    }
    let mut scene = Scene::read(source)?;
    scene.convert(up, scale)?;
    let stem = source.name.rsplit_once('.').map_or(source.name, |(stem, _)| stem);
    let mut family = Family::new(scene, stem, what == "level");
    let textures = textures::products(&mut family, source.cache);
    let mesh_options = MeshOptions {
        lods: options.number("lods", 1.0, LODS_MAX as f64)? as usize,
        lod_error: options.number("lod_error", 0.0, 10.0)? as f32,
        has_smooth_normals: options.word("normals") == "smooth",
        has_tangents: options.word("tangents") == "auto",
    };
    let mut products = Vec::new();
    let (shapes, warnings) = shapes::products(&family, kind, parts_max, source.cache);
    if family.is_level {
        let objects = level::objects(&family, &shapes);
        products.push(level::scenario(&family, &objects));
        products.extend(objects);
        products.push(structure::product(&family, "structure", &mesh_options, source.cache));
    } else {
        products.push(structure::product(&family, "", &mesh_options, source.cache));
    }
    products.extend(shapes);
    products[0].warnings.extend(warnings);
    if family.is_level && source.folder.split('/').next() != Some(LEVELS) {
        let message = format!("`play` offers only the levels in data/{LEVELS}/; move the file there");
        products[0].warnings.push(Warning { message });
    }
    let has_content = family.roles.iter().any(|role| *role != Role::Structure) || !family.scene.clips.is_empty();
    if !has_content && family.scene.nodes.iter().all(|node| node.mesh.is_none() && node.light.is_none()) {
        return Err(ImportError::Empty("meshes, lights, markers or animations"));
    }
    products.extend(materials::products(&family));
    products.extend(textures);
    if options.is_on("animations") {
        let animation_options = AnimationOptions {
            rate: options.number("rate", 0.0, 1000.0)? as f32,
            position_error: options.number("position_error", 0.0, 1000.0)? as f32,
            rotation_error: options.number("rotation_error", 0.0, 4.0)? as f32,
            scale_error: options.number("scale_error", 0.0, 1000.0)? as f32,
        };
        for (clip, name) in family.scene.clips.iter().zip(&family.clip_names) {
            if !clip.curves.is_empty() {
                let compressed = kept::clip(source.cache, clip, &animation_options)?;
                products.push(animation::product(format!("animations/{name}"), &compressed, &family.node_names));
            }
        }
    }
    if products.len() > PRODUCTS_MAX {
        return Err(ImportError::TooLarge { what: "tags", found: products.len() as u64, limit: PRODUCTS_MAX as u64 });
    }
    let warnings = family.scene.warnings;
    products[0].warnings.extend(warnings);
    let exporter = Scene::exporter(source).unwrap_or_default();
    products.iter_mut().for_each(|product| product.exporter.clone_from(&exporter));
    Ok(products)
}

#[cfg(test)]
mod tests;
