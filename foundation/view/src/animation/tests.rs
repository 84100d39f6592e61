//! Keys give poses, blends lie between their clips, and no bytes do harm.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::*;
use crate::instance::{Instance, Shape};
use tags::library::{Key, Ready};
use tags::{Bulk, TagPath};

/// Gives the same bytes for every part.
struct Keys(Arc<[u8]>);

impl BulkSource for Keys {
    fn part(&self, _: &Bulk, _: u32, _: BulkKind) -> PartState {
        PartState::Ready(self.0.clone())
    }
}

const MODEL: &str = "@model\n!set nodes [{ name \"root\" }, { name \"arm\", parent 0, position vec(1, 0, 0) }]\n";
const WAVE: &str = "@animation\n!set duration 2\n!set rate 10\n!set loops true\n\
    !set tracks [{ node \"arm\", channels [{ target \"position\", keys 2, min vec(0, 0, 0), size vec(10, 0, 0) },\n\
    { target \"rotation\", offset 16, keys 2 },\n\
    { target \"scale\", stepped true, keys 2, min vec(1, 1, 1), size vec(1, 0, 0) }] }]\n";
const GRAPH: &str = "@animation_graph\n!set clips [{ name \"wave\", animation \"wave.animation\" }]\n\
    !set layers [{ name \"body\", states [{ name \"wave\", clip \"wave\" }] },\n\
    { name \"other\", mask [{ node \"leg\" }], states [{ name \"wave\", clip \"wave\" }] },\n\
    { name \"more\", blend \"add\", states [{ name \"wave\", clip \"wave\" }] }]\n";

fn content() -> Library {
    let classes = crate::classes::add_to(tags::Classes::new());
    let mut ready = Vec::new();
    for (path, text) in [("a.model", MODEL), ("wave.animation", WAVE), ("a.animation_graph", GRAPH)] {
        let path = TagPath::new(path).expect("a path");
        let made = classes.get(path.class()).expect("a class").pack_text(text);
        assert!(made.is_sound(), "{:?}", made.reports);
        ready.push(Ready { path, key: Key([0; 32]), packed: Arc::new(made.packed) });
    }
    let mut content = Library::with_classes(Arc::new(classes));
    content.apply(ready);
    content
}

/// Positions from 0 to 10 at the frames 0 and 20; rotations: none, and half a turn about z.
fn keys() -> Keys {
    let key = |frame: u16, numbers: [u16; 3]| [[frame].as_slice(), &numbers].concat();
    let still = [16384, 16384, 16384];
    // The largest component is w (index 3) for no rotation, and z (index 2) for half a turn.
    let none = [still[0] | 1 << 15, still[1] | 1 << 15, still[2]];
    let half = [still[0] | 1 << 15, still[1], still[2]];
    let words = [key(0, [0, 0, 0]), key(20, [65535, 0, 0]), key(0, none), key(20, half)].concat();
    Keys(words.into_iter().flat_map(u16::to_le_bytes).collect())
}

fn clip(seconds: f32) -> ClipPlay {
    ClipPlay {
        animation: StringId::from("wave.animation"),
        seconds,
        speed: 1.0,
        weight: 1.0,
        loops: true,
        graph: StringId::NONE,
        layer: 0,
        layer_weight: 1.0,
    }
}

fn posed(clips: &[ClipPlay], keys: &Keys, ahead: f32) -> Vec<NodePose> {
    let mut frame = Frame::new(0);
    frame.clips.extend_from_slice(clips);
    let mut instance = Instance::new(1, Shape::None, Vec3::ZERO);
    instance.model = StringId::from("a.model");
    instance.clips = Span { first: 0, count: clips.len() as u32 };
    frame.push_instance(instance);
    pose(&mut frame, &content(), keys, ahead);
    frame.instances[0].pose.of(&frame.poses).to_vec()
}

#[test]
fn a_clip_moves_its_nodes_and_no_others() {
    let poses = posed(&[clip(0.5)], &keys(), 0.0);
    assert_eq!(poses.len(), 2);
    assert_eq!(poses[0].position, Vec3::ZERO);
    assert!((poses[1].position.x - 2.5).abs() < 1e-3, "{poses:?}");
    let angle = poses[1].rotation.angle_to(Quat::IDENTITY);
    assert!(angle > 0.3 && angle < 1.2, "{angle}");
}

#[test]
fn time_goes_on_between_frames_and_loops() {
    let poses = posed(&[clip(1.9)], &keys(), 0.2);
    assert!((poses[1].position.x - 0.5).abs() < 1e-2, "{poses:?}");
    assert_eq!(clip_time(-0.5, 2.0, true), 1.5);
    assert_eq!(clip_time(9.0, 2.0, false), 2.0);
    assert_eq!((clip_time(f32::NAN, 2.0, true), clip_time(1.0, 0.0, true)), (0.0, 0.0));
}

#[test]
fn a_cross_fade_lies_between_both_clips() {
    let (before, after) = (ClipPlay { weight: 0.25, ..clip(0.0) }, ClipPlay { weight: 0.75, ..clip(1.0) });
    let poses = posed(&[before, after], &keys(), 0.0);
    assert!((poses[1].position.x - 3.75).abs() < 1e-2, "{poses:?}");
}

#[test]
fn layers_act_on_their_masks_and_may_add() {
    let graph = StringId::from("a.animation_graph");
    let masked = ClipPlay { graph, layer: 1, ..clip(1.0) };
    assert_eq!(posed(&[masked], &keys(), 0.0)[1].position, Vec3::X, "the mask has no such node");
    let added = ClipPlay { graph, layer: 2, ..clip(1.0) };
    assert!((posed(&[added], &keys(), 0.0)[1].position.x - 6.0).abs() < 1e-2, "1 of the rest pose, and 5");
}

#[test]
fn a_cross_fade_in_a_layer_leaves_the_layer_its_weight() {
    let graph = StringId::from("a.animation_graph");
    let half = |weight, seconds, layer| ClipPlay { weight, layer_weight: 0.5, graph, layer, ..clip(seconds) };
    let poses = posed(&[half(0.5, 1.0, 0), half(0.5, 1.0, 0)], &keys(), 0.0);
    assert!((poses[1].position.x - 3.0).abs() < 1e-2, "half of the rest pose, and half of 5: {poses:?}");
    let poses = posed(&[half(0.25, 0.0, 0), half(0.75, 1.0, 0)], &keys(), 0.0);
    assert!((poses[1].position.x - (0.5 + 0.5 * 3.75)).abs() < 1e-2, "{poses:?}");
    let poses = posed(&[half(0.5, 1.0, 2), half(0.5, 1.0, 2)], &keys(), 0.0);
    assert!((poses[1].position.x - 3.5).abs() < 1e-2, "1 of the rest pose, and half of 5: {poses:?}");
    let none = ClipPlay { layer_weight: 0.0, ..half(1.0, 1.0, 0) };
    assert_eq!(posed(&[none], &keys(), 0.0)[1].position, Vec3::X);
}

#[test]
fn damaged_keys_leave_nodes_where_they_were() {
    for bytes in [0, 7, 8, 15, 31] {
        let cut = Keys(keys().0[..bytes].into());
        let poses = posed(&[clip(1.0)], &cut, 0.0);
        assert!(poses.iter().all(|pose| pose.position.is_finite() && pose.rotation.is_finite()));
    }
    let wild = Keys([0xff; 32].as_slice().into());
    assert!(posed(&[clip(f32::INFINITY)], &wild, f32::NAN).iter().all(|pose| pose.rotation.is_finite()));
}

#[test]
fn a_stepped_channel_holds_its_value() {
    let content = content();
    let animation = content.find::<Animation>("wave.animation").expect("a tag");
    let channels = animation.each(&animation.each(&animation.tracks)[0].channels);
    let scale = |frame| sample(&channels[2], &keys().0, frame).expect("keys")[0];
    assert_eq!([scale(-1.0), scale(0.0), scale(19.9), scale(20.0), scale(99.0)], [1.0, 1.0, 1.0, 2.0, 2.0]);
    assert_eq!(sample(&channels[0], &keys().0, 10.0).expect("keys")[0], 5.0);
    assert_eq!(sample(&channels[0], &[], 10.0), None);
}
