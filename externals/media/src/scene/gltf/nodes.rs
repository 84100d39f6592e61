//! The nodes of the scene: a tree, walked without recursion, each node at most once.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Quat, Vec3};
use view::classes::model::LightKind;

use super::super::json::Json;
use super::super::transform::{Affine, Transform};
use super::super::{Property, Scene, SceneLight, SceneNode};
use super::{items, short};
use crate::error::ImportError;
use crate::limits::{COORDINATE_MAX, NODE_DEPTH_MAX, NODES_MAX};

/// The most custom properties of a node that are kept.
const PROPERTIES_MAX: usize = 64;

/// The place in the scene of each node of the file that is in it.
pub type NodeNumbers = BTreeMap<usize, usize>;

/// Reads the nodes of the default scene.
pub fn read(root: Json<'_>, scene: &mut Scene) -> Result<NodeNumbers, ImportError> {
    let nodes: Vec<Json<'_>> = root.get("nodes").elements().take(NODES_MAX + 1).collect();
    if nodes.len() > NODES_MAX {
        let found = root.get("nodes").elements().count() as u64;
        return Err(ImportError::TooLarge { what: "nodes", found, limit: NODES_MAX as u64 });
    }
    let lights = lights(root)?;
    let mut numbers = NodeNumbers::new();
    // The last is next: node, parent, depth.
    let mut stack: Vec<(usize, Option<usize>, usize)> =
        roots(root, &nodes)?.into_iter().rev().map(|node| (node, None, 0)).collect();
    let mut sheared = 0;
    while let Some((number, parent, depth)) = stack.pop() {
        if depth >= NODE_DEPTH_MAX {
            let limit = NODE_DEPTH_MAX as u64;
            return Err(ImportError::TooLarge { what: "levels of nested nodes", found: limit + 1, limit });
        }
        let node = *nodes.get(number).ok_or_else(|| ImportError::Damaged("expected nodes that are there".into()))?;
        if numbers.insert(number, scene.nodes.len()).is_some() {
            return Err(ImportError::Damaged(format!("expected a tree of nodes, found node {number} twice in it")));
        }
        let own = scene.nodes.len();
        let (made, is_exact) = read_node(node, parent, &lights)?;
        sheared += usize::from(!is_exact);
        scene.nodes.push(made);
        let first = stack.len();
        for child in node.get("children").elements() {
            // More children than nodes are in it twice.
            if stack.len() > 2 * nodes.len() {
                return Err(ImportError::Damaged("expected a tree of nodes, found one of them twice in it".into()));
            }
            stack.push((child.index().unwrap_or(usize::MAX), Some(own), depth + 1));
        }
        stack[first..].reverse();
    }
    if sheared > 0 {
        scene.warn(format!("{sheared} nodes have a shear, which is left out; apply their transformations"));
    }
    Ok(numbers)
}

fn roots(root: Json<'_>, nodes: &[Json<'_>]) -> Result<Vec<usize>, ImportError> {
    let number = root.get("scene").index().unwrap_or(0);
    if let Some(scene) = items(root, "scenes")?.get(number) {
        return Ok(scene
            .get("nodes")
            .elements()
            .take(nodes.len() + 1)
            .map(|node| node.index().unwrap_or(usize::MAX))
            .collect());
    }
    // Without a scene, all root nodes are meant.
    let mut is_child = vec![false; nodes.len()];
    for child in nodes.iter().flat_map(|node| node.get("children").elements()) {
        if let Some(is_child) = child.index().and_then(|child| is_child.get_mut(child)) {
            *is_child = true;
        }
    }
    Ok((0..nodes.len()).filter(|node| !is_child[*node]).collect())
}

fn read_node(
    node: Json<'_>,
    parent: Option<usize>,
    lights: &[Rc<SceneLight>],
) -> Result<(SceneNode, bool), ImportError> {
    let (place, is_exact) = transform(node)?;
    let light = node.get("extensions").get("KHR_lights_punctual").get("light").index();
    let light = light.and_then(|light| lights.get(light)).map(|light| **light);
    let mut properties = Vec::new();
    for (name, value) in node.get("extras").members().take(PROPERTIES_MAX) {
        let value = value
            .text()
            .map(|text| Property::Text(text.chars().take(1000).collect()))
            .or(value.number().map(Property::Number))
            .or(value.truth().map(Property::Truth));
        properties.extend(value.map(|value| (short(&name), value)));
    }
    let made = SceneNode {
        name: node.get("name").text().map(|name| short(&name)).unwrap_or_default(),
        parent,
        place,
        mesh: node.get("mesh").index(),
        skin: node.get("skin").index(),
        light,
        properties,
    };
    Ok((made, is_exact))
}

fn transform(node: Json<'_>) -> Result<(Transform, bool), ImportError> {
    let vector = |numbers: &[f32]| Vec3::new(numbers[0], numbers[1], numbers[2]);
    if node.get("matrix").is_there() {
        let found = numbers(node, "matrix", [0.0; 16])?;
        let column = |index: usize| vector(&found[4 * index..]);
        let (transform, is_exact) =
            Transform::of(&Affine { axes: [column(0), column(1), column(2)], origin: column(3) });
        return Ok((transform, is_exact));
    }
    let [x, y, z, w] = numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0])?;
    let rotation = Quat::new(x, y, z, w).normal();
    let scale = vector(&numbers(node, "scale", [1.0; 3])?);
    let position = vector(&numbers(node, "translation", [0.0; 3])?);
    Ok((Transform { position, rotation, scale }, true))
}

fn numbers<const N: usize>(node: Json<'_>, name: &str, otherwise: [f32; N]) -> Result<[f32; N], ImportError> {
    if !node.get(name).is_there() {
        return Ok(otherwise);
    }
    let found: Vec<f32> = node.get(name).elements().take(N + 1).filter_map(Json::float).collect();
    let is_sound = found.iter().all(|number| number.abs() <= COORDINATE_MAX);
    let found: Option<[f32; N]> = if is_sound { found.try_into().ok() } else { None };
    found.ok_or_else(|| ImportError::Damaged(format!("expected {N} numbers as the {name} of a node")))
}

fn lights(root: Json<'_>) -> Result<Vec<Rc<SceneLight>>, ImportError> {
    let lights = items(root.get("extensions").get("KHR_lights_punctual"), "lights")?;
    let number =
        |json: Json<'_>, otherwise: f32| json.float().map_or(otherwise, |number| base::number::clamp(number, 0.0, 1e9));
    Ok(lights
        .into_iter()
        .map(|light| {
            let colour: Vec<f32> = light.get("color").elements().take(3).map(|part| number(part, 1.0)).collect();
            let colour = if colour.len() == 3 { Vec3::new(colour[0], colour[1], colour[2]) } else { Vec3::splat(1.0) };
            let spot = light.get("spot");
            Rc::new(SceneLight {
                kind: match light.get("type").word() {
                    Some("spot") => LightKind::Spot,
                    Some("directional") => LightKind::Directional,
                    _ => LightKind::Point,
                },
                colour,
                intensity: number(light.get("intensity"), 1.0),
                range: base::number::min(number(light.get("range"), 0.0), COORDINATE_MAX),
                direction: -Vec3::Z,
                cone: [
                    number(spot.get("innerConeAngle"), 0.0),
                    number(spot.get("outerConeAngle"), std::f32::consts::FRAC_PI_4),
                ],
            })
        })
        .collect())
}
