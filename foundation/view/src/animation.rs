//! Poses of models from the animations that their instances play.
//!
//! Laws
//! 1. A pose follows from the clips of an instance, the tags and the bytes of the keys alone.
//! 2. Any bytes give finite poses: a key that is missing or damaged leaves its node where it was.
//! 3. Nodes that no clip moves keep their rest pose. Until the keys of a clip are loaded it moves nothing.

use alloc::vec::Vec;

use base::number::{abs, clamp, floor, max, sqrt};
use base::{Quat, StringId, Vec3};
use tags::Library;
use tags::packed::View;

use crate::bulk_source::{BulkKind, BulkSource, PartState};
use crate::classes::animation::{Animation, AnimationChannel, ChannelTarget};
use crate::classes::animation_graph::{AnimationGraph, GraphBlend};
use crate::classes::model::Model;
use crate::frame::Frame;
use crate::instance::{ClipPlay, NodePose};
use crate::limits::POSES_MAX;
use crate::moment::Span;

/// The bytes of a key: the frame and three numbers of 16 bits each.
const KEY_BYTES: usize = 8;

/// Computes the poses of all instances that play clips, this many seconds after the frame's moment. The frame's poses are replaced.
/// Costs nothing for other instances.
pub fn pose(frame: &mut Frame, content: &Library, bulk: &dyn BulkSource, ahead: f32) {
    frame.poses.clear();
    for instance in &mut frame.instances {
        instance.pose = Span::default();
        let clips = instance.clips.of(&frame.clips);
        if clips.is_empty() {
            continue;
        }
        let Some(model) = content.get_as::<Model>(instance.model) else { continue };
        let (first, count) = (frame.poses.len(), model.each(&model.nodes).len());
        if first + count > POSES_MAX {
            frame.refused += 1;
            continue;
        }
        rest_pose(&model, &mut frame.poses);
        add_layers(&model, clips, (content, bulk), ahead, &mut frame.poses[first..]);
        instance.pose = Span { first: first as u32, count: count as u32 };
    }
}

/// Appends the rest pose of a model.
pub fn rest_pose(model: &View<'_, Model>, poses: &mut Vec<NodePose>) {
    poses.extend(model.each(&model.nodes).iter().map(|node| {
        let rotation = Quat::new(node.rotation.x, node.rotation.y, node.rotation.z, node.rotation.w);
        NodePose { position: node.position, rotation: rotation.normal(), scale: node.scale }
    }));
}

/// Blends the clips of an instance over a pose, layer by layer.
fn add_layers(
    model: &View<'_, Model>,
    clips: &[ClipPlay],
    (content, bulk): (&Library, &dyn BulkSource),
    ahead: f32,
    poses: &mut [NodePose],
) {
    for layer in clips.chunk_by(|one, other| (one.graph, one.layer) == (other.graph, other.layer)) {
        let of_graph = Layer::of(content, &layer[0]);
        let is_ready = |clip: &&ClipPlay| {
            let animation = content.get_as::<Animation>(clip.animation);
            animation.is_some_and(|animation| {
                matches!(bulk.part(&animation.data, 0, BulkKind::Animation), PartState::Ready(_))
            })
        };
        let weight = |clip: &ClipPlay| clamp(clip.weight, 0.0, 1.0);
        let total: f32 = layer.iter().filter(is_ready).map(weight).sum();
        if total <= 0.0 {
            continue;
        }
        let mut later = clamp(layer[0].layer_weight, 0.0, 1.0);
        for clip in layer {
            let Some(animation) = content.get_as::<Animation>(clip.animation) else { continue };
            let PartState::Ready(keys) = bulk.part(&animation.data, 0, BulkKind::Animation) else { continue };
            let share = weight(clip) / total * clamp(clip.layer_weight, 0.0, 1.0);
            later = max(later - share, 0.0);
            let seconds = clip_time(clip.seconds + clip.speed * ahead, animation.duration, clip.loops);
            let blend = Blending { layer: &of_graph, share, later };
            blend.add(model, &animation, &keys, seconds, poses);
        }
    }
}

/// The time within a clip.
pub fn clip_time(seconds: f32, duration: f32, loops: bool) -> f32 {
    if !seconds.is_finite() || duration <= 0.0 {
        return 0.0;
    }
    if loops { seconds - floor(seconds / duration) * duration } else { clamp(seconds, 0.0, duration) }
}

/// What a graph says of a layer.
struct Layer {
    adds: bool,
    /// Nodes with their weights; empty: all.
    mask: Vec<(StringId, f32)>,
}

impl Layer {
    fn of(content: &Library, clip: &ClipPlay) -> Layer {
        let whole = Layer { adds: false, mask: Vec::new() };
        let Some(graph) = content.get_as::<AnimationGraph>(clip.graph) else { return whole };
        let Some(layer) = graph.each(&graph.layers).get(usize::from(clip.layer)) else { return whole };
        let mask = graph.each(&layer.mask).iter().map(|mask| (mask.node, clamp(mask.weight, 0.0, 1.0))).collect();
        Layer { adds: layer.blend.get() == GraphBlend::Add, mask }
    }

    /// The weight of a node: that of the nearest node of the mask on the way to the root.
    fn weight(&self, model: &View<'_, Model>, node: usize) -> f32 {
        if self.mask.is_empty() {
            return 1.0;
        }
        let nodes = model.each(&model.nodes);
        let mut at = node;
        // Parents come before their children, so the way up ends.
        while let Some(found) = nodes.get(at) {
            if let Some((_, weight)) = self.mask.iter().find(|(name, _)| *name == found.name) {
                return *weight;
            }
            match usize::try_from(found.parent) {
                Ok(parent) if parent < at => at = parent,
                _ => return 0.0,
            }
        }
        0.0
    }
}

/// One clip that is blended over a pose.
struct Blending<'a> {
    layer: &'a Layer,
    /// Its part of the result, from 0 to 1.
    share: f32,
    /// The parts of the clips of its layer that come after it.
    later: f32,
}

impl Blending<'_> {
    /// How far a node is moved towards the clip, so that after the later clips of the layer the clip has its share.
    fn part(&self, weight: f32) -> f32 {
        let share = self.share * weight;
        if self.layer.adds {
            return share;
        }
        let left = 1.0 - self.later * weight;
        if left > share { share / left } else { 1.0 }
    }

    fn add(
        &self,
        model: &View<'_, Model>,
        animation: &View<'_, Animation>,
        keys: &[u8],
        seconds: f32,
        poses: &mut [NodePose],
    ) {
        let nodes = model.each(&model.nodes);
        let frame = max(seconds, 0.0) * animation.rate;
        for track in animation.each(&animation.tracks) {
            let Some(node) = nodes.iter().position(|node| node.name == track.node) else { continue };
            let Some(pose) = poses.get_mut(node) else { continue };
            let part = self.part(self.layer.weight(model, node));
            for channel in animation.each(&track.channels) {
                let Some(value) = sample(channel, keys, frame) else { continue };
                let first = if self.layer.adds { sample(channel, keys, 0.0) } else { None };
                mix(pose, channel.target.get(), (value, first), part);
            }
        }
    }
}

/// Moves a pose towards a value, or by the difference of a value from the first.
fn mix(pose: &mut NodePose, target: ChannelTarget, (value, first): ([f32; 4], Option<[f32; 4]>), part: f32) {
    let vector = |value: [f32; 4]| Vec3::new(value[0], value[1], value[2]);
    let turn = |value: [f32; 4]| Quat::new(value[0], value[1], value[2], value[3]);
    let moved = match (target, first) {
        (ChannelTarget::Position, None) => NodePose { position: pose.position.lerp(vector(value), part), ..*pose },
        (ChannelTarget::Scale, None) => NodePose { scale: pose.scale.lerp(vector(value), part), ..*pose },
        (ChannelTarget::Rotation, None) => NodePose { rotation: pose.rotation.nlerp(turn(value), part), ..*pose },
        (ChannelTarget::Position, Some(first)) => {
            NodePose { position: pose.position + (vector(value) - vector(first)) * part, ..*pose }
        }
        (ChannelTarget::Scale, Some(first)) => {
            NodePose { scale: pose.scale + (vector(value) - vector(first)) * part, ..*pose }
        }
        (ChannelTarget::Rotation, Some(first)) => {
            let difference = turn(first).conjugate() * turn(value);
            let rotation = (pose.rotation * Quat::IDENTITY.nlerp(difference, part)).normal();
            NodePose { rotation, ..*pose }
        }
    };
    if moved.position.is_finite() && moved.scale.is_finite() && moved.rotation.is_finite() {
        *pose = moved;
    }
}

/// The value of a channel at a frame; none if it has no keys there. A rotation has unit length.
pub fn sample(channel: &AnimationChannel, keys: &[u8], frame: f32) -> Option<[f32; 4]> {
    let start = channel.offset as usize;
    let bytes = (channel.keys as usize).checked_mul(KEY_BYTES)?;
    let (keys, _) = keys.get(start..start.checked_add(bytes)?)?.as_chunks::<KEY_BYTES>();
    let at = |key: &[u8; KEY_BYTES]| f32::from(u16::from_le_bytes([key[0], key[1]]));
    let next = keys.partition_point(|key| at(key) <= frame);
    let (before, after) = (keys.get(next.saturating_sub(1))?, keys.get(next));
    let from = decode(channel, before);
    let Some(after) = after.filter(|_| next > 0 && !channel.stepped.is_true()) else { return Some(from) };
    let length = at(after) - at(before);
    let part = if length > 0.0 { clamp((frame - at(before)) / length, 0.0, 1.0) } else { 0.0 };
    let to = decode(channel, after);
    if channel.target.get() == ChannelTarget::Rotation {
        let [one, other] = [from, to].map(|value| Quat::new(value[0], value[1], value[2], value[3]));
        return Some(one.nlerp(other, part).to_vector().to_array());
    }
    Some([0, 1, 2, 3].map(|axis| from[axis] + (to[axis] - from[axis]) * part))
}

/// The value of a key: see the class `animation`.
fn decode(channel: &AnimationChannel, key: &[u8; KEY_BYTES]) -> [f32; 4] {
    let numbers = [1, 2, 3].map(|number| u16::from_le_bytes([key[2 * number], key[2 * number + 1]]));
    if channel.target.get() == ChannelTarget::Rotation {
        return decode_rotation(numbers).to_vector().to_array();
    }
    let value = |axis: usize| channel.min[axis] + channel.size[axis] * (f32::from(numbers[axis]) / 65535.0);
    let value = [value(0), value(1), value(2), 0.0];
    if value.iter().all(|number| number.is_finite()) { value } else { [0.0; 4] }
}

/// The rotation of three numbers: the three smallest components, 15 bits each, and the index of the largest in the highest bits of
/// the first two.
fn decode_rotation(numbers: [u16; 3]) -> Quat {
    let largest = usize::from(numbers[0] >> 15) << 1 | usize::from(numbers[1] >> 15);
    let part = |number: u16| (f32::from(number & 0x7fff) / 32767.0 * 2.0 - 1.0) * core::f32::consts::FRAC_1_SQRT_2;
    let small = numbers.map(part);
    let rest = small.iter().fold(1.0, |rest, part| rest - part * part);
    let mut others = small.into_iter();
    let parts = [0, 1, 2, 3].map(|at| {
        let value = if at == largest { sqrt(max(rest, 0.0)) } else { others.next().unwrap_or(0.0) };
        if abs(value) <= 1.0 { value } else { 0.0 }
    });
    Quat::new(parts[0], parts[1], parts[2], parts[3]).normal()
}

#[cfg(test)]
mod tests;
