//! Every kind of camera looks where it should, and nothing makes a view that is not finite.

use alloc::vec::Vec;

use super::*;
use crate::classes::camera::CameraKind::{Chase, Death, FirstPerson, Free, Orbit, Strategy};
use crate::picture::CameraView;
use base::number::{abs, cos};
use base::{Pcg, Random, StringId};

const KINDS: [CameraKind; 6] = [FirstPerson, Chase, Orbit, Strategy, Free, Death];

fn target(x: f32) -> CameraTarget {
    CameraTarget { position: Vec3::new(x, 0.0, 0.0), orientation: Quat::IDENTITY, velocity: Vec3::ZERO }
}

struct Stage {
    rig: CameraRig,
    frame: Frame,
    input: CameraInput,
}

impl Stage {
    fn new(kind: CameraKind) -> Stage {
        let rig = CameraRig::new(StringId::NONE, CameraSettings::new(kind));
        Stage { rig, frame: Frame::new(0), input: CameraInput::default() }
    }

    fn see(&mut self, target: Option<CameraTarget>, seconds: f32) -> CameraView {
        let scene = CameraScene { frame: &self.frame, target, shakes: &[], path: None };
        self.rig.update(&self.input, &scene, seconds)
    }

    fn wait(&mut self, target: Option<CameraTarget>, pictures: u32) -> CameraView {
        (0..pictures).map(|_| self.see(target, 1.0 / 60.0)).last().expect("a picture")
    }
}

/// Whether a view looks at a point.
fn looks_at(view: &CameraView, point: Vec3) -> bool {
    view.orientation.rotate(Vec3::X).dot((point - view.position).normal()) > cos(0.01)
}

#[test]
fn a_chase_camera_is_behind_and_above_and_follows_turns() {
    let mut stage = Stage::new(Chase);
    let view = stage.see(Some(target(5.0)), 0.0);
    assert!(looks_at(&view, Vec3::new(5.0, 0.0, 0.0)), "{view:?}");
    assert!(view.position.x < -5.0 && view.position.z > 3.0 && abs(view.position.y) < 0.01, "{view:?}");
    let left = CameraTarget { orientation: Quat::from_axis_angle(Vec3::Z, 1.5), ..target(5.0) };
    let view = stage.wait(Some(left), 240);
    assert!(view.position.y < -5.0 && looks_at(&view, left.position), "{view:?}");
}

#[test]
fn a_chase_camera_follows_steady_motion_without_lag() {
    let mut stage = Stage::new(Chase);
    let mut view = stage.see(Some(target(0.0)), 0.0);
    let first = view.position.x;
    for picture in 1..200 {
        let moving = CameraTarget { velocity: Vec3::new(60.0, 0.0, 0.0), ..target(picture as f32) };
        view = stage.see(Some(moving), 1.0 / 60.0);
    }
    assert!(abs(view.position.x - 199.0 - first) < 0.05, "{view:?}");
}

#[test]
fn a_first_person_camera_is_at_the_eye() {
    let mut stage = Stage::new(FirstPerson);
    let rolled = CameraTarget { orientation: Quat::from_axis_angle(Vec3::X, 1.0), ..target(3.0) };
    let view = stage.see(Some(rolled), 0.0);
    assert_eq!(view.position, rolled.position);
    assert!(view.orientation.angle_to(Quat::IDENTITY) < 1e-3, "it stays upright");
    let settings = CameraSettings { rolls: true, offset: Vec3::Z, ..CameraSettings::new(FirstPerson) };
    stage.rig = CameraRig::new(StringId::NONE, settings);
    let view = stage.see(Some(rolled), 0.0);
    assert!(view.orientation.angle_to(rolled.orientation) < 1e-3);
    assert!((view.position - (rolled.position + rolled.orientation.rotate(Vec3::Z))).length() < 1e-5);
}

#[test]
fn looking_around_goes_back_behind_the_object() {
    let mut stage = Stage::new(Chase);
    stage.see(Some(target(0.0)), 0.0);
    stage.input.look = Vec2::new(0.5, 0.0);
    let turned = stage.see(Some(target(0.0)), 0.016);
    assert!(turned.position.y > 2.0, "to the right: it is on the left of the object: {turned:?}");
    stage.input.look = Vec2::ZERO;
    let back = stage.wait(Some(target(0.0)), 600);
    assert!(abs(back.position.y) < 0.1, "{back:?}");
}

#[test]
fn an_orbit_camera_turns_and_zooms_within_its_limits() {
    let mut stage = Stage::new(Orbit);
    stage.see(Some(target(0.0)), 0.0);
    stage.input = CameraInput { look: Vec2::new(0.0, 9.0), zoom: 100.0, ..CameraInput::default() };
    let view = stage.wait(Some(target(0.0)), 60);
    assert!(abs(view.position.length() - 2.0) < 0.05, "{view:?}");
    assert!(view.position.z > 1.9 && looks_at(&view, Vec3::ZERO), "from above: {view:?}");
    stage.input = CameraInput { zoom: -100.0, ..CameraInput::default() };
    assert!(abs(stage.wait(Some(target(0.0)), 60).position.length() - 400.0) < 1.0);
}

#[test]
fn a_strategy_camera_pans_at_the_edges_and_stays_in_its_range() {
    let mut stage = Stage::new(Strategy);
    let settings = CameraSettings { range: 50.0, ..CameraSettings::new(Strategy) };
    stage.rig = CameraRig::new(StringId::NONE, settings);
    let before = stage.see(Some(target(0.0)), 0.0);
    stage.input.pointer = Some(Vec2::new(0.5, 0.0));
    let after = stage.wait(Some(target(0.0)), 30);
    assert!(after.position.x > before.position.x + 10.0 && abs(after.position.z - before.position.z) < 0.01);
    stage.input = CameraInput { push: Vec3::new(0.0, 1.0, 0.0), is_hurried: true, ..CameraInput::default() };
    let far = stage.wait(Some(target(0.0)), 600);
    assert!(far.position.y <= 50.1, "{far:?}");
}

#[test]
fn the_ground_of_a_strategy_camera_follows_a_finger_and_others_turn() {
    let mut stage = Stage::new(Strategy);
    let before = stage.see(Some(target(0.0)), 0.0);
    // Half the height of the view to the right: so much of the ground at the focus.
    stage.input = CameraInput { drag: Vec2::new(0.5, 0.0), ..CameraInput::default() };
    let after = stage.see(Some(target(0.0)), 0.016);
    let height = 2.0 * before.position.length() * base::number::tan(before.fov * 0.5);
    assert!(abs(after.position.y - before.position.y - height * 0.5) < 0.01, "to the left: {after:?}");
    assert_eq!(after.orientation, before.orientation);
    stage.input = CameraInput { drag: Vec2::new(0.0, 0.5), ..CameraInput::default() };
    assert!(stage.see(Some(target(0.0)), 0.016).position.x > after.position.x + height * 0.5, "forward");
    stage.input = CameraInput { pinch: 1.0, ..CameraInput::default() };
    stage.see(Some(target(0.0)), 0.016);
    stage.input.pinch = 0.0;
    let near = stage.wait(Some(target(0.0)), 60);
    assert!(abs(near.position.z * 2.0 - before.position.z) < 0.01, "half the distance: {near:?}");
    let mut stage = Stage::new(Orbit);
    let before = stage.see(Some(target(0.0)), 0.0);
    stage.input = CameraInput { drag: Vec2::new(0.2, 0.0), ..CameraInput::default() };
    assert!(stage.see(Some(target(0.0)), 0.016).orientation.angle_to(before.orientation) > 0.1);
}

#[test]
fn a_free_camera_flies_where_it_looks() {
    let mut stage = Stage::new(Free);
    let mut settings = CameraSettings::new(Free);
    settings.pitch = 0.0;
    stage.rig = CameraRig::new(StringId::NONE, settings);
    stage.see(None, 0.0);
    stage.input.push = Vec3::X;
    let view = stage.wait(None, 60);
    assert!((view.position - Vec3::new(20.0, 0.0, 0.0)).length() < 0.1, "{view:?}");
}

#[test]
fn without_its_object_a_camera_circles_the_place() {
    let mut stage = Stage::new(Chase);
    stage.see(Some(target(7.0)), 0.0);
    let first = stage.see(None, 0.1);
    let later = stage.wait(None, 300);
    let place = Vec3::new(7.0, 0.0, 0.0);
    assert!(looks_at(&first, place) && looks_at(&later, place));
    assert!((later.position - first.position).length() > 3.0);
}

#[test]
fn a_change_of_cameras_takes_its_time() {
    let mut stage = Stage::new(Chase);
    let before = stage.wait(Some(target(0.0)), 3);
    let settings = CameraSettings { distance: 100.0, transition: 1.0, ..CameraSettings::new(Orbit) };
    stage.rig.switch(StringId::from("other.camera"), settings);
    let first = stage.see(Some(target(0.0)), 0.0);
    assert!((first.position - before.position).length() < 0.5, "no jump: {first:?}");
    let middle = stage.wait(Some(target(0.0)), 30).position.length();
    let end = stage.wait(Some(target(0.0)), 60).position.length();
    assert!(middle > 20.0 && middle < 90.0 && abs(end - 100.0) < 0.1, "{middle} {end}");
}

struct Wall;

impl FreePath for Wall {
    fn free_distance(&self, _: Vec3, _: Vec3, distance: f32, radius: f32) -> f32 {
        base::number::min(distance, 3.0 - radius)
    }
}

#[test]
fn a_wall_brings_the_camera_nearer() {
    let mut stage = Stage::new(Orbit);
    let scene = |path| CameraScene { frame: &stage.frame, target: Some(target(0.0)), shakes: &[], path };
    let view = stage.rig.update(&stage.input, &scene(Some(&Wall as &dyn FreePath)), 0.1);
    assert!(abs(view.position.length() - 2.7) < 1e-3);
    let view = stage.rig.update(&stage.input, &scene(None), 0.05);
    assert!(view.position.length() > 2.7 && view.position.length() < 12.0, "it goes back slowly");
}

#[test]
fn shakes_are_felt_nearby_and_bounded() {
    let mut stage = Stage::new(Orbit);
    let still = stage.see(Some(target(0.0)), 0.1);
    let mut felt = |strength: f32, range: f32| {
        let shakes = [Shake { position: still.position, strength, range }];
        let scene = CameraScene { frame: &stage.frame, target: Some(target(0.0)), shakes: &shakes, path: None };
        let moved = (0..20).map(|_| stage.rig.update(&stage.input, &scene, 0.01).position - still.position);
        moved.map(Vec3::length).fold(0.0, base::number::max)
    };
    assert!(felt(0.2, 10.0) > 0.05);
    assert!(felt(1e30, 10.0) < 4.0);
    assert_eq!((felt(f32::NAN, 10.0), felt(1.0, 0.0), felt(1.0, f32::NAN)), (0.0, 0.0, 0.0));
}

#[test]
fn a_new_epoch_is_seen_without_going_over() {
    let mut stage = Stage::new(Chase);
    stage.wait(Some(target(0.0)), 10);
    stage.frame.moment.epoch = 4;
    let view = stage.see(Some(target(1000.0)), 0.016);
    assert!(looks_at(&view, Vec3::new(1000.0, 0.0, 0.0)) && view.position.x > 980.0, "{view:?}");
}

#[test]
fn the_rate_of_pictures_does_not_matter() {
    for kind in KINDS {
        let ends: Vec<Vec3> = [10_u16, 300]
            .into_iter()
            .map(|pictures| {
                let mut stage = Stage::new(kind);
                stage.see(Some(target(0.0)), 0.0);
                let steps = f32::from(pictures);
                (0..pictures).map(|_| stage.see(Some(target(4.0)), 1.0 / steps)).last().expect("a picture").position
            })
            .collect();
        assert!((ends[0] - ends[1]).length() < 0.05, "{kind:?}: {ends:?}");
    }
}

#[test]
fn any_input_gives_a_finite_view() {
    let mut random = Pcg::new(11, 3);
    const WILD: [f32; 8] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, -1e38, 0.0, 1e-40, 1.0];
    let mut wild = || WILD[random.below(8) as usize];
    for round in 0..2000_usize {
        let mut stage = Stage::new(KINDS[round % KINDS.len()]);
        stage.frame.up = Vec3::new(wild(), wild(), wild());
        for _ in 0..4 {
            stage.input = CameraInput {
                look: Vec2::new(wild(), wild()),
                drag: Vec2::new(wild(), wild()),
                pinch: wild(),
                turn: Vec2::new(wild(), wild()),
                push: Vec3::new(wild(), wild(), wild()),
                zoom: wild(),
                pointer: Some(Vec2::new(wild(), wild())),
                is_hurried: true,
            };
            let target = CameraTarget {
                position: Vec3::new(wild(), wild(), wild()),
                orientation: Quat::new(wild(), wild(), wild(), wild()),
                velocity: Vec3::new(wild(), wild(), wild()),
            };
            let view = stage.see(Some(target), wild());
            assert!(view.position.is_finite() && view.orientation.is_finite(), "{:?}: {view:?}", stage.rig);
            assert!(abs(view.orientation.dot(view.orientation) - 1.0) < 0.01 && view.fov > 0.0 && view.near > 0.0);
        }
    }
}

#[test]
fn a_tag_gives_settings_and_the_default_tag_the_default_ones() {
    let classes = crate::classes::add_to(tags::Classes::new());
    let made = classes.get("camera").expect("a class").pack_text("@camera\n!set fov 90\n");
    let view = made.packed.view::<Camera>().expect("a camera");
    let settings = CameraSettings::of(&view);
    assert!(abs(settings.fov - core::f32::consts::FRAC_PI_2) < 1e-5);
    let default = CameraSettings::new(Chase);
    assert!(abs(settings.pitch - default.pitch) < 1e-6 && settings.distance == default.distance);
    assert_eq!((settings.kind, settings.collides, settings.zoom_step), (Chase, true, default.zoom_step));
}

#[test]
fn views_share_the_picture() {
    assert_eq!(viewports(1, 1.6), [[0.0, 0.0, 1.0, 1.0]]);
    assert_eq!(viewports(2, 1.6), [[0.0, 0.0, 0.5, 1.0], [0.5, 0.0, 1.0, 1.0]]);
    assert_eq!(viewports(2, 0.6), [[0.0, 0.0, 1.0, 0.5], [0.0, 0.5, 1.0, 1.0]]);
    assert_eq!(viewports(4, 1.6)[3], [0.5, 0.5, 1.0, 1.0]);
    assert_eq!((viewports(0, f32::NAN).len(), viewports(99, 1.0).len()), (1, VIEWS_MAX));
}
