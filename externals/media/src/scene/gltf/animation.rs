//! The animations of a glTF.

use std::collections::BTreeSet;

use view::classes::animation::ChannelTarget;

use super::super::json::Json;
use super::super::{Interpolation, Scene, SceneClip, SceneCurve};
use super::accessor::{Buffers, Numbers};
use super::budget::Budget;
use super::nodes::NodeNumbers;
use super::{items, short};
use crate::error::ImportError;
use crate::limits::SCENE_ITEMS_MAX;

/// Reads all animations.
pub fn read(
    root: Json<'_>,
    buffers: &Buffers<'_>,
    numbers: &NodeNumbers,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<(), ImportError> {
    let mut left_out = 0;
    for animation in items(root, "animations")? {
        let name = animation.get("name").text().map(|name| short(&name)).unwrap_or_default();
        let samplers: Vec<Json<'_>> = animation.get("samplers").elements().take(SCENE_ITEMS_MAX).collect();
        let mut clip = SceneClip { name, curves: Vec::new() };
        let mut seen: BTreeSet<(usize, ChannelTarget)> = BTreeSet::new();
        for channel in animation.get("channels").elements() {
            let target = channel.get("target");
            let node = target.get("node").index().and_then(|node| numbers.get(&node)).copied();
            let path = match target.get("path").word() {
                Some("translation") => Some(ChannelTarget::Position),
                Some("rotation") => Some(ChannelTarget::Rotation),
                Some("scale") => Some(ChannelTarget::Scale),
                _ => None,
            };
            let (Some(node), Some(target)) = (node, path) else {
                left_out += 1;
                continue;
            };
            let sampler = channel.get("sampler").index().and_then(|sampler| samplers.get(sampler));
            let sampler =
                sampler.ok_or_else(|| ImportError::Damaged("an animation names a sampler that is not there".into()))?;
            if seen.insert((node, target)) {
                clip.curves.push(curve(*sampler, buffers, budget, node, target)?);
            }
        }
        scene.clips.push(clip);
    }
    if left_out > 0 {
        scene.warn(format!(
            "{left_out} curves of animations are left out: of morph targets, or of nodes that are not in the scene"
        ));
    }
    Ok(())
}

fn curve(
    sampler: Json<'_>,
    buffers: &Buffers<'_>,
    budget: &mut Budget,
    node: usize,
    target: ChannelTarget,
) -> Result<SceneCurve, ImportError> {
    let damaged = |what: &str| ImportError::Damaged(what.to_string());
    let accessor = |name: &str| sampler.get(name).index().ok_or_else(|| damaged("a sampler has no keys"));
    let input = buffers.numbers(accessor("input")?, &[("SCALAR", 1)])?;
    let output = buffers.numbers(
        accessor("output")?,
        if target == ChannelTarget::Rotation { &[("VEC4", 4)] } else { &[("VEC3", 3)] },
    )?;
    let interpolation = match sampler.get("interpolation").word() {
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        _ => Interpolation::Linear,
    };
    let values = input.count.saturating_mul(if interpolation == Interpolation::Cubic { 3 } else { 1 });
    budget.take_samples(values)?;
    if output.count < values || input.count == 0 {
        return Err(damaged("a sampler has fewer values than keys"));
    }
    let times: Vec<f32> = (0..input.count).map(|key| input.get(key, [0.0])[0]).collect();
    let is_sound = times.iter().all(|time| (0.0..=86400.0).contains(time)) && times.is_sorted();
    if !is_sound {
        return Err(damaged("expected ascending times of keys between 0 and a day"));
    }
    let value = |numbers: &Numbers<'_>, at: usize| numbers.get(at, [0.0; 4]);
    let values: Vec<[f32; 4]> = (0..values).map(|at| value(&output, at)).collect();
    if values.iter().flatten().any(|number| !number.is_finite() || number.abs() > crate::limits::COORDINATE_MAX) {
        return Err(damaged("an animation has values that are not finite"));
    }
    Ok(SceneCurve { node, target, interpolation, times, values })
}
