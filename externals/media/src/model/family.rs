//! What each node of a scene is for, and the names of everything.
//!
//! | name | property | role |
//! |---|---|---|
//! | `COL_*`, `UCX_*`, `*-col`, `*-convcol` | `collision`: `hull`, `mesh`, `parts` | a collision shape |
//! | `marker.*`, `marker_*`, `MK_*` | `marker` | a marker |
//! | `NAME@path` | `tag`: a path | in a level: an object |
//! | `trigger.*`, `TV_*` | `trigger` | in a level: a trigger volume |
//!
//! Everything below a collision shape, a trigger volume or an object belongs to it. All else is structure.

use super::names::{NameTable, path_name};
use crate::scene::transform::Affine;
use crate::scene::{Scene, SceneNode};

/// What a node is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is drawn.
    Structure,
    /// It is a collision shape.
    Collision,
    /// It is a marker of this name.
    Marker(String),
    /// It is an object of this tag, whose path may lack a class.
    Object(String),
    /// It is a trigger volume of this name.
    Volume(String),
    /// It belongs to the node of this number, which is not structure.
    Part(usize),
}

/// A scene with the roles and names of what is in it.
pub struct Family {
    /// The scene.
    pub scene: Scene,
    /// Whether it is a level.
    pub is_level: bool,
    /// The name of the source without its extension: the folder of its tags.
    pub stem: String,
    /// The transformations of the nodes to the scene.
    pub places: Vec<Affine>,
    /// The roles of the nodes.
    pub roles: Vec<Role>,
    /// The names of the nodes.
    pub node_names: Vec<String>,
    /// The names of the meshes.
    pub mesh_names: Vec<String>,
    /// The names of the material slots.
    pub material_names: Vec<String>,
    /// The names of the tags of materials.
    pub material_paths: Vec<String>,
    /// The names of the tags of images inside the file.
    pub image_paths: Vec<String>,
    /// The names of the tags of animations.
    pub clip_names: Vec<String>,
}

impl Family {
    /// Finds all names and roles.
    pub fn new(scene: Scene, stem: &str, is_level: bool) -> Family {
        let mut roles: Vec<Role> = Vec::with_capacity(scene.nodes.len());
        for node in &scene.nodes {
            let above = node.parent.map(|parent| (parent, &roles[parent]));
            let role = match above {
                Some((_, Role::Part(owner))) => Role::Part(*owner),
                Some((parent, Role::Collision | Role::Object(_) | Role::Volume(_))) => Role::Part(parent),
                _ => role(node, is_level),
            };
            roles.push(role);
        }
        fn named<'a>(names: impl Iterator<Item = &'a str>, otherwise: &str) -> Vec<String> {
            let mut table = NameTable::default();
            names.map(|name| table.unique(name, otherwise, ".")).collect()
        }
        fn paths<'a>(names: impl Iterator<Item = &'a str>, otherwise: &str) -> Vec<String> {
            let mut table = NameTable::default();
            names.map(|name| table.unique(&path_name(name), otherwise, "_")).collect()
        }
        // A mesh without a name is called as the first node that draws it.
        let mut node_of: Vec<Option<usize>> = vec![None; scene.meshes.len()];
        for (number, node) in scene.nodes.iter().enumerate().rev() {
            if let Some(mesh) = node.mesh {
                node_of[mesh] = Some(number);
            }
        }
        let mesh_name = |(mesh, node): (usize, &Option<usize>)| {
            let own = scene.meshes[mesh].name.as_str();
            if own.is_empty() { node.map_or("", |node| scene.nodes[node].name.as_str()) } else { own }
        };
        // The further surfaces of a mesh have a slash in their names.
        let own_names: Vec<String> = node_of.iter().enumerate().map(|pair| mesh_name(pair).replace('/', "_")).collect();
        let mesh_names = named(own_names.iter().map(String::as_str), "mesh");
        Family {
            is_level,
            stem: stem.chars().filter(|letter| !letter.is_control() && *letter != '"').collect(),
            places: scene.places(),
            roles,
            node_names: named(scene.nodes.iter().map(|node| node.name.as_str()), "node"),
            mesh_names,
            material_names: named(scene.materials.iter().map(|material| material.name.as_str()), "material"),
            material_paths: paths(scene.materials.iter().map(|material| material.name.as_str()), "material"),
            image_paths: paths(scene.images.iter().map(|image| image.name.as_str()), "texture"),
            clip_names: paths(scene.clips.iter().map(|clip| clip.name.as_str()), "animation"),
            scene,
        }
    }

    /// The nodes of the family that are a node or belong to it.
    pub fn with_parts(&self, node: usize) -> impl Iterator<Item = usize> {
        // Descendants come behind their ancestors, without others between them, as readers walk depth first.
        let parts = (node + 1..self.roles.len()).take_while(move |at| self.roles[*at] == Role::Part(node));
        std::iter::once(node).chain(parts)
    }

    /// The name of a tag of the family, as products have it in references.
    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.stem)
    }
}

fn role(node: &SceneNode, is_level: bool) -> Role {
    let name = node.name.as_str();
    if is_level {
        if let Some(tag) = node.text("tag").map(str::to_string).or_else(|| tag_of(name)) {
            return Role::Object(tag);
        }
        let volume = name.strip_prefix("trigger.").or(name.strip_prefix("TV_"));
        if volume.is_some() || node.is_on("trigger") {
            return Role::Volume(volume.unwrap_or(name).to_string());
        }
    }
    let is_shape = ["COL_", "UCX_"].iter().any(|start| name.starts_with(start))
        || name.ends_with("-col")
        || name.ends_with("-convcol");
    if node.mesh.is_some() && (is_shape || node.text("collision").is_some()) {
        return Role::Collision;
    }
    let marker = ["marker.", "marker_", "MK_"].iter().find_map(|start| name.strip_prefix(start));
    if node.mesh.is_none() && (marker.is_some() || node.is_on("marker")) {
        return Role::Marker(marker.unwrap_or(name).to_string());
    }
    Role::Structure
}

/// The path of a tag in the name of a node: `crate@props/crate`, also with the number that programs put behind the names of
/// copies. It may lack a class.
fn tag_of(name: &str) -> Option<String> {
    let (_, path) = name.split_once('@')?;
    let path = match path.rsplit_once('.') {
        Some((path, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => path,
    };
    Some(path.to_string())
}

#[cfg(test)]
mod tests {
    use super::tag_of;

    #[test]
    fn names_of_nodes_name_tags() {
        assert_eq!(tag_of("crate@props/crate").as_deref(), Some("props/crate"));
        assert_eq!(tag_of("crate@props/crate.001").as_deref(), Some("props/crate"));
        assert_eq!(tag_of("ship@ships/a.ship.012").as_deref(), Some("ships/a.ship"));
        assert_eq!(tag_of("crate"), None);
    }
}
