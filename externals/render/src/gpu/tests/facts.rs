//! Single facts about pictures.

use base::{Quat, StringId, Vec3};
use view::instance::look;
use view::{Overlay, OverlayMesh, OverlayTexture, OverlayVertex, Shape};

use super::*;

fn empty() -> Scene {
    Scene::with_tags(&[], Vec3::new(-10.0, 0.0, 0.0), Vec3::ZERO, 1.0)
}

fn ball(scene: &mut Scene, position: Vec3) -> &mut view::Instance {
    scene.add(Shape::Sphere { radius: 1.0 }, position, 0xe0e0e0)
}

#[test]
fn every_shape_covers_its_pixels() {
    with_renderer(|renderer| {
        let mut scene = empty();
        let nothing = drawn(renderer, &scene);
        let shapes = [
            (Shape::Sphere { radius: 1.0 }, 700..1100),
            (Shape::Box { half: Vec3::splat(1.0) }, 1000..1500),
            (Shape::Capsule { radius: 0.5, length: 2.0 }, 500..1000),
            (Shape::Marker { radius: 1.0 }, 40..1200),
            (Shape::None, 0..1),
        ];
        for (shape, expected) in shapes {
            scene.frame.instances.clear();
            scene.add(shape, Vec3::ZERO, 0xe0e0e0);
            let covered = changed(&drawn(renderer, &scene), &nothing, 12);
            assert!(expected.contains(&covered), "{shape:?} covers {covered} pixels");
        }
    });
}

#[test]
fn instances_are_where_the_camera_sees_them() {
    with_renderer(|renderer| {
        let mut scene = empty();
        // y is left, z is up.
        ball(&mut scene, Vec3::new(0.0, 3.0, 2.0));
        let pixels = drawn(renderer, &scene);
        let bright = |x: u32, y: u32| u32::from(pixels.at(x, y).unwrap()[0]);
        assert!(bright(110, 58) > 45, "{}", bright(110, 58));
        assert!(bright(210, 122) < 40, "{}", bright(210, 122));
    });
}

#[test]
fn what_lies_outside_of_the_view_is_not_drawn() {
    with_renderer(|renderer| {
        let mut scene = empty();
        let nothing = drawn(renderer, &scene);
        for position in [Vec3::new(-20.0, 0.0, 0.0), Vec3::new(0.0, 40.0, 0.0), Vec3::new(0.0, 0.0, -40.0)] {
            ball(&mut scene, position);
        }
        ball(&mut scene, Vec3::ZERO).look = look::HIDDEN;
        ball(&mut scene, Vec3::new(f32::NAN, 0.0, 0.0));
        ball(&mut scene, Vec3::ZERO).scale = f32::INFINITY;
        assert_eq!(changed(&drawn(renderer, &scene), &nothing, 4), 0);
    });
}

#[test]
fn instances_are_moved_on_by_their_velocities() {
    with_renderer(|renderer| {
        let mut scene = empty();
        let half = Vec3::new(1.0, 0.4, 0.3);
        let moved = scene.add(Shape::Box { half }, Vec3::new(0.0, 1.0, 0.5), 0x80c0ff);
        moved.orientation = Quat::from_axis_angle(Vec3::Z, 0.7);
        let there = drawn(renderer, &scene);
        let moving = &mut scene.frame.instances[0];
        (moving.position, moving.orientation) = (Vec3::new(0.0, 0.0, 0.5), Quat::IDENTITY);
        (moving.velocity, moving.angular_velocity) = (Vec3::new(0.0, 10.0, 0.0), Vec3::new(0.0, 0.0, 7.0));
        let before = drawn(renderer, &scene);
        scene.ahead = 0.1;
        let predicted = drawn(renderer, &scene);
        assert!(changed(&before, &there, 24) > 200);
        assert!(changed(&predicted, &there, 24) < 12, "{}", changed(&predicted, &there, 24));
    });
}

#[test]
fn things_cast_shadows_on_each_other() {
    with_renderer(|renderer| {
        let tags = [("skies/noon.sky", "@sky\n!set sun_direction vec(0, 0, 1)\n")];
        let mut scene = Scene::with_tags(&tags, Vec3::new(-8.0, 0.0, 6.0), Vec3::ZERO, 1.0);
        scene.frame.sky = StringId::from("skies/noon.sky");
        scene.add(Shape::Box { half: Vec3::new(20.0, 20.0, 0.5) }, Vec3::new(0.0, 0.0, -0.5), 0xc0c0c0);
        let lit = drawn(renderer, &scene);
        let caster = scene.add(Shape::Box { half: Vec3::new(1.5, 1.5, 0.1) }, Vec3::new(0.0, 0.0, 40.0), 0xffffff);
        caster.look = look::FIXED;
        let shaded = drawn(renderer, &scene);
        let darker = changed(&lit, &shaded, 40);
        assert!((800..6000).contains(&darker), "{darker} pixels are in the shadow");
        assert!(shaded.at(160, 90).unwrap()[1] + 40 < lit.at(160, 90).unwrap()[1]);
    });
}

#[test]
fn lamps_light_what_is_near_them() {
    with_renderer(|renderer| {
        let tags = [("skies/night.sky", "@sky\n!set sun_strength 0\n!set ambient_strength 0.1\n!set stars 0\n")];
        let mut scene = Scene::with_tags(&tags, Vec3::new(-8.0, 0.0, 5.0), Vec3::ZERO, 1.0);
        scene.frame.sky = StringId::from("skies/night.sky");
        scene.add(Shape::Box { half: Vec3::new(20.0, 20.0, 0.5) }, Vec3::new(0.0, 0.0, -0.5), 0xc0c0c0);
        let dark = drawn(renderer, &scene);
        scene.frame.lights.push(view::Light {
            position: Vec3::new(0.0, 0.0, 1.0),
            direction: Vec3::ZERO,
            intensity: Vec3::new(0.0, 4.0, 0.0),
            range: 4.0,
            cone: -1.0,
        });
        let lit = drawn(renderer, &scene);
        assert!(lit.at(160, 90).unwrap()[1] > dark.at(160, 90).unwrap()[1] + 60);
        assert!(changed(&lit, &dark, 6) < 20_000, "beyond its range it lights nothing");
    });
}

#[test]
fn selected_things_have_an_outline() {
    with_renderer(|renderer| {
        let mut scene = empty();
        ball(&mut scene, Vec3::ZERO);
        let plain = drawn(renderer, &scene);
        scene.frame.instances[0].look = look::SELECTED;
        let selected = drawn(renderer, &scene);
        let edge = changed(&plain, &selected, 30);
        assert!((120..600).contains(&edge), "{edge} pixels of outline");
        scene.frame.instances[0].look = look::HOVERED;
        let hovered = drawn(renderer, &scene);
        assert!(changed(&plain, &hovered, 30) > 60 && changed(&hovered, &selected, 30) > 60);
    });
}

#[test]
fn a_split_screen_shows_each_view_in_its_part() {
    with_renderer(|renderer| {
        let mut scene = empty();
        ball(&mut scene, Vec3::ZERO);
        let behind = Vec3::new(-30.0, 0.0, 0.0);
        scene.views = vec![
            view::CameraView {
                viewport: [0.0, 0.0, 0.5, 1.0],
                ..scenes::looking(Vec3::new(-10.0, 0.0, 0.0), Vec3::ZERO)
            },
            view::CameraView { viewport: [0.5, 0.0, 1.0, 1.0], ..scenes::looking(Vec3::new(-10.0, 0.0, 0.0), behind) },
        ];
        let pixels = drawn(renderer, &scene);
        assert!(pixels.at(80, 80).unwrap()[0] > 45);
        assert!(pixels.at(240, 80).unwrap()[0] < 40);
    });
}

#[test]
fn overlays_lie_over_everything() {
    with_renderer(|renderer| {
        let mut scene = empty();
        let vertex = |x: f32, y: f32| OverlayVertex { position: [x, y], uv: [0.5, 0.5], colour: [0, 255, 0, 255] };
        scene.overlay = Overlay {
            changed: vec![OverlayTexture { texture: 3, corner: None, size: [1, 1], pixels: vec![255; 4] }],
            meshes: vec![OverlayMesh {
                clip: [0.0, 0.0, 320.0, 50.0],
                texture: 3,
                vertices: vec![vertex(10.0, 10.0), vertex(110.0, 10.0), vertex(10.0, 110.0)],
                indices: vec![0, 1, 2],
            }],
            freed: vec![],
        };
        let pixels = drawn(renderer, &scene);
        assert_eq!(pixels.at(20, 20), Some([0, 255, 0, 255]));
        assert_ne!(pixels.at(20, 60), Some([0, 255, 0, 255]), "outside of its clip");
        // The texture is still there with the next picture, which does not send it again.
        scene.overlay.changed.clear();
        assert_eq!(drawn(renderer, &scene).at(20, 20), Some([0, 255, 0, 255]));
        // A lost device is replaced without being told again; noticed while drawing, it costs one picture.
        renderer.lose_device();
        let _ = renderer.draw(&scene.picture_at(SIZE), &scene.content, &NoBulk);
        assert_eq!(drawn(renderer, &scene).at(20, 20), Some([0, 255, 0, 255]));
    });
}

#[test]
fn lines_are_drawn_and_hidden_behind_things() {
    with_renderer(|renderer| {
        let mut scene = empty();
        let line = |z: f32| view::Line {
            from: Vec3::new(3.0, -4.0, z),
            to: Vec3::new(3.0, 4.0, z),
            colour: view::Colour::of(0x00_ff_00),
            kind: view::Kind::Awake,
            owner: 0,
        };
        ball(&mut scene, Vec3::ZERO);
        let nothing = drawn(renderer, &scene);
        scene.frame.drawing.push(line(0.0));
        let behind = changed(&nothing, &drawn(renderer, &scene), 60);
        scene.frame.drawing.clear();
        scene.frame.drawing.push(line(3.0));
        let free = changed(&nothing, &drawn(renderer, &scene), 60);
        assert!(behind > 20 && free > behind + 10, "{behind} and {free} pixels");
    });
}

#[test]
fn a_coarse_shadow_map_gets_a_coarse_mesh() {
    with_renderer(|renderer| {
        let mut scene = Scene::with_tags(&[], Vec3::new(-1.3, 0.0, 0.0), Vec3::ZERO, 1.0);
        scene.add(Shape::Sphere { radius: 1.0 }, Vec3::ZERO, 0xe0e0e0);
        let mut counts = |shadow_side: u32| {
            renderer.set_options(GpuOptions { cascades: 1, shadow_side, ..GpuOptions::small() });
            drawn(renderer, &scene);
            let counts = renderer.read_counts().unwrap();
            assert_eq!((counts[0].instances, counts[1].instances), (1, 1));
            (counts[0].triangles, counts[1].triangles)
        };
        let (fine, coarse) = (counts(2048), counts(64));
        assert_eq!(fine.0, coarse.0, "the camera's own level stays");
        assert!(fine.1 > coarse.1 * 4, "{fine:?} {coarse:?}");
    });
}
