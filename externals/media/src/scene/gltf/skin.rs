//! The skins of a glTF.

use base::Vec3;

use super::super::json::Json;
use super::super::transform::Affine;
use super::super::{Scene, SceneSkin};
use super::accessor::Buffers;
use super::budget::Budget;
use super::nodes::NodeNumbers;
use super::{items, short};
use crate::error::ImportError;

/// Reads all skins. One whose joints are not all in the scene has none, and its meshes stand still.
pub fn read(
    root: Json<'_>,
    buffers: &Buffers<'_>,
    numbers: &NodeNumbers,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<(), ImportError> {
    for skin in items(root, "skins")? {
        let mut made = SceneSkin {
            name: skin.get("name").text().map(|name| short(&name)).unwrap_or_default(),
            ..SceneSkin::default()
        };
        let joints: Vec<Json<'_>> = skin.get("joints").elements().collect();
        budget.take_samples(joints.len())?;
        let found: Option<Vec<usize>> = joints.iter().map(|joint| numbers.get(&joint.index()?).copied()).collect();
        match found {
            Some(joints) => made.joints = joints,
            None => {
                scene.warn(format!("the skin \"{}\" has joints that are not in the scene, and is left out", made.name))
            }
        }
        made.inverse_bind = vec![Affine::IDENTITY; made.joints.len()];
        if let Some(accessor) = skin.get("inverseBindMatrices").index() {
            let matrices = buffers.numbers(accessor, &[("MAT4", 16)])?;
            if matrices.count < made.joints.len() {
                return Err(ImportError::Damaged("a skin has fewer matrices than joints".into()));
            }
            for (number, affine) in made.inverse_bind.iter_mut().enumerate() {
                let matrix = matrices.get(number, [0.0; 16]);
                let column = |index: usize| Vec3::new(matrix[4 * index], matrix[4 * index + 1], matrix[4 * index + 2]);
                let found = Affine { axes: [column(0), column(1), column(2)], origin: column(3) };
                if !found.is_finite() {
                    return Err(ImportError::Damaged("a skin has a matrix that is not finite".into()));
                }
                *affine = found;
            }
        }
        scene.skins.push(made);
    }
    // A joint index of a vertex beyond its skin moves nothing: the first joint is taken.
    let skins: Vec<(usize, usize)> = scene.nodes.iter().filter_map(|node| Some((node.mesh?, node.skin?))).collect();
    let mut joints_of: Vec<Option<usize>> = vec![None; scene.meshes.len()];
    for (mesh, skin) in skins {
        let Some((joints, own)) = scene.skins.get(skin).map(|skin| skin.joints.len()).zip(joints_of.get_mut(mesh))
        else {
            continue;
        };
        *own = Some(own.map_or(joints, |own| own.min(joints)));
    }
    let mut wrong = 0;
    for (mesh, joints) in scene.meshes.iter_mut().zip(joints_of) {
        for surface in &mut mesh.surfaces {
            match joints.filter(|joints| *joints > 0) {
                None => (surface.joints, surface.weights) = (Vec::new(), Vec::new()),
                Some(joints) => {
                    for joint in surface.joints.iter_mut().flatten().filter(|joint| usize::from(**joint) >= joints) {
                        (*joint, wrong) = (0, wrong + 1);
                    }
                }
            }
        }
    }
    if wrong > 0 {
        scene.warn(format!("{wrong} joints of vertices are not in their skin; the first joint is taken"));
    }
    Ok(())
}
