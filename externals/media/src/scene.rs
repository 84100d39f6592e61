//! A scene: what the files of 3D programs hold, whatever their format.
//!
//! Readers check everything: nodes come parents first, and every index names something.
//!
//! | format | reader | notes |
//! |---|---|---|
//! | glTF 2.0 (`.gltf`, `.glb`) | [`gltf`] | no mesh compression |
//! | Wavefront (`.obj`, `.mtl`) | [`obj`] | no hierarchy, no animation |
//! | FBX | [`fbx`] | not on WebAssembly |
//!
//! Cost: reading takes time and memory in proportion to the files: at most 400 bytes of heap for each byte. Held by
//! `tests/growth.rs` of the tool.

pub mod json;
pub mod transform;

pub mod material;
pub mod surface;

pub mod gltf;

pub mod obj;

pub mod fbx;

use base::Vec3;
use view::classes::animation::ChannelTarget;
use view::classes::model::LightKind;

use crate::error::ImportError;
use crate::importer::Source;
use crate::limits::WARNINGS_MAX;
use crate::product::Warning;
use material::SceneMaterial;
use surface::SceneMesh;
use transform::{Affine, Transform};

/// The contents of a file.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The program that wrote it, as it says.
    pub generator: String,
    /// The nodes, parents first.
    pub nodes: Vec<SceneNode>,
    /// The meshes.
    pub meshes: Vec<SceneMesh>,
    /// The materials.
    pub materials: Vec<SceneMaterial>,
    /// The images inside the file that its materials may use.
    pub images: Vec<SceneImage>,
    /// The skins.
    pub skins: Vec<SceneSkin>,
    /// The animations.
    pub clips: Vec<SceneClip>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

/// An image inside a file.
#[derive(Clone, Debug, Default)]
pub struct SceneImage {
    /// Its name; perhaps empty, perhaps not unique.
    pub name: String,
    /// The extension that its bytes should have.
    pub extension: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A node of a scene.
#[derive(Clone, Debug, Default)]
pub struct SceneNode {
    /// Its name as in the file; perhaps empty, perhaps not unique.
    pub name: String,
    /// Its parent, which comes before it.
    pub parent: Option<usize>,
    /// Its transformation in its parent's frame.
    pub place: Transform,
    /// Its mesh.
    pub mesh: Option<usize>,
    /// The skin of its mesh.
    pub skin: Option<usize>,
    /// Its light.
    pub light: Option<SceneLight>,
    /// Its custom properties.
    pub properties: Vec<(String, Property)>,
}

/// The value of a custom property.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// A truth value.
    Truth(bool),
}

/// A light.
#[derive(Clone, Copy, Debug)]
pub struct SceneLight {
    /// Its kind.
    pub kind: LightKind,
    /// Its colour, in linear light.
    pub colour: Vec3,
    /// Candela, or lux for a directional light.
    pub intensity: f32,
    /// How far it reaches, in metres; 0: everywhere.
    pub range: f32,
    /// The direction in which it shines, in the frame of its node.
    pub direction: Vec3,
    /// The angles at which a spot light begins to fade, and at which it is dark, in radians.
    pub cone: [f32; 2],
}

/// A skin.
#[derive(Clone, Debug, Default)]
pub struct SceneSkin {
    /// Its name.
    pub name: String,
    /// The nodes that are its joints.
    pub joints: Vec<usize>,
    /// The inverse bind matrix of each joint.
    pub inverse_bind: Vec<Affine>,
}

/// An animation.
#[derive(Clone, Debug, Default)]
pub struct SceneClip {
    /// Its name.
    pub name: String,
    /// Its curves, at most one for a node and a target.
    pub curves: Vec<SceneCurve>,
}

/// The curve of one property of one node.
#[derive(Clone, Debug)]
pub struct SceneCurve {
    /// The node.
    pub node: usize,
    /// The property.
    pub target: ChannelTarget,
    /// How it is interpolated.
    pub interpolation: Interpolation,
    /// The times of its keys in seconds, ascending.
    pub times: Vec<f32>,
    /// The values: three numbers, or a quaternion. One for each key, or for a cubic spline three: in-tangent, value,
    /// out-tangent.
    pub values: Vec<[f32; 4]>,
}

/// How a curve is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// A value holds until the next key.
    Step,
    /// Linear; rotations along the shorter arc.
    Linear,
    /// Cubic Hermite spline.
    Cubic,
}

/// The up axis of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// The y axis, with z to the front, as in glTF: y becomes z, and z becomes x.
    Y,
    /// The z axis: nothing is rotated.
    Z,
}

impl Scene {
    /// Reads a file; the extension of its name decides the format.
    pub fn read(source: &Source<'_>) -> Result<Scene, ImportError> {
        match source.extension().as_str() {
            "glb" | "gltf" => gltf::read(source),
            "obj" => obj::read(source),
            "fbx" => fbx::read(source),

            _ => {
                let message =
                    format!("expected a file that ends in .glb, .gltf, .obj or .fbx, found \"{}\"", source.name);
                Err(ImportError::Unsupported(message))
            }
        }
    }

    /// The program that wrote a file, and its version, as the file says; only glTF files are asked, as others would have to be
    /// read as a whole.
    #[must_use]
    pub fn exporter(source: &Source<'_>) -> Option<(String, String)> {
        let is_gltf = matches!(source.extension().as_str(), "glb" | "gltf");
        let generator = if is_gltf { gltf::generator(source.bytes)? } else { return None };
        let number = |word: &str| word.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_digit());
        match generator.rsplit_once(' ') {
            Some((program, version)) if number(version) => {
                Some((program.to_string(), version.trim_start_matches('v').to_string()))
            }
            _ => Some((generator, String::new())),
        }
    }

    /// In our axes and units: metres, x to the front, z up.
    pub fn convert(&mut self, up: UpAxis, scale: f32) -> Result<(), ImportError> {
        if !(scale.is_finite() && scale > 0.0) {
            return Err(ImportError::Option {
                name: "scale",
                reason: format!("expected a scale above 0, found {scale}"),
            });
        }
        let turn = |vector: Vec3| match up {
            UpAxis::Y => Vec3::new(vector.z, vector.x, vector.y),
            UpAxis::Z => vector,
        };
        for node in &mut self.nodes {
            node.place = node.place.converted(&turn, scale);
            if let Some(light) = &mut node.light {
                light.direction = turn(light.direction);
                light.range *= scale;
            }
        }
        for surface in self.meshes.iter_mut().flat_map(|mesh| &mut mesh.surfaces) {
            surface.positions.iter_mut().for_each(|position| *position = turn(*position) * scale);
            surface.normals.iter_mut().for_each(|normal| *normal = turn(*normal));
            surface.tangents.iter_mut().for_each(|tangent| *tangent = turn(tangent.xyz()).with_w(tangent.w));
        }
        for affine in self.skins.iter_mut().flat_map(|skin| &mut skin.inverse_bind) {
            *affine = affine.converted(up, scale);
        }
        for curve in self.clips.iter_mut().flat_map(|clip| &mut clip.curves) {
            let factor = if curve.target == ChannelTarget::Position { scale } else { 1.0 };
            for value in &mut curve.values {
                let turned = turn(Vec3::new(value[0], value[1], value[2])) * factor;
                *value = [turned.x, turned.y, turned.z, value[3]];
            }
        }
        Ok(())
    }

    /// The transformation of every node to the scene.
    #[must_use]
    pub fn places(&self) -> Vec<Affine> {
        let mut places: Vec<Affine> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let own = Affine::from(&node.place);
            let place = node.parent.map_or(own, |parent| places[parent].then(&own));
            places.push(place);
        }
        places
    }

    /// Adds a warning, unless there are too many.
    pub fn warn(&mut self, message: impl Into<String>) {
        if self.warnings.len() < WARNINGS_MAX {
            self.warnings.push(Warning { message: message.into() });
        }
    }
}

impl SceneNode {
    /// The text of a custom property.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.properties.iter().find_map(|(own, value)| match value {
            Property::Text(text) if own == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// The number of a custom property.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.properties.iter().find_map(|(own, value)| match value {
            Property::Number(number) if own == name => Some(*number),
            _ => None,
        })
    }

    /// Whether a custom property is on.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        let is_on = |value: &Property| match value {
            Property::Truth(truth) => *truth,
            Property::Number(number) => *number != 0.0,
            Property::Text(_) => false,
        };
        self.properties.iter().any(|(own, value)| own == name && is_on(value))
    }
}
