//! Frames of worlds: what is shown of every object, and that nothing but the block decides it.

use crate::common;

use base::{StringId, Vec3};
use common::Scene;
use state::Heap;
use view::instance::look;
use view::{Colour, Frame, Instance, Moment, Shape};

const LEVEL: &str = "@scenario\n!set objects_max 256\n!set camera \"cameras/top.camera\"\n!set sky \"skies/dark.sky\"\n!set mix \"loud.mix\"\n\
    !set physics { gravity vec(0, 0, -10) }\n!set players [{ object \"ship.object\", team 3 }]\n\
    !set placements [{ object \"ball.object\", position vec(0, 0, 50), team 1 },\n\
    { object \"rock.object\", position vec(5, 0, 0) }, { object \"ghost.object\", position vec(9, 0, 0) },\n\
    { object \"mast.object\" }, { object \"spy.object\", team 2 }]\n";

const SHIP: &str = "@object\n!set velocity vec(2, 0, 0)\n!set radius 3\n!set markers [{ name \"top\", offset vec(0, 0, 2) }]\n\
    !set interface \"hud.interface\"\n!set scale 2\n!set OnJump Lambda(!Move(vec(70, 0, 0)))\n";
const BALL: &str = "@object\n!set body { shape \"sphere\", radius 0.5 }\n";
const ROCK: &str = "@object\n!set body { shape \"geometry\", geometry \"rock.geometry\", fixed true }\n\
    !set colour \"#ff0000\"\n!set model \"rock.model\"\n";
const GHOST: &str = "@object\n!set hidden true\n!set OnShow Lambda([ !set hidden false, !set scale 0.25 ]())\n";
const SPY: &str = "@object\n!set unseen true\n!set effects [{ name \"trail\", effect \"trail.effect\" }]\n\
    !set OnShow Lambda(!set unseen false)\n";
const GEOMETRY: &str = "@geometry\n!set points [vec(1, 1, 0), vec(1, -1, 0), vec(-1, 0, 0), vec(0, 0, 2)]\n";

fn scene() -> Scene {
    Scene::new(
        &[],
        &[
            (common::SCENARIO, LEVEL),
            ("ship.object", SHIP),
            ("ball.object", BALL),
            ("rock.object", ROCK),
            ("ghost.object", GHOST),
            ("mast.object", "@object\n"),
            ("spy.object", SPY),
            ("trail.effect", "@effect\n!set duration 0\n"),
            ("rock.geometry", GEOMETRY),
        ],
    )
}

fn frame(scene: &Scene) -> Frame {
    let mut frame = Frame::new(0);
    let cycle = scene.world.cycle();
    let moment = Moment { cycle, seconds: cycle as f64 * 0.01, cycle_seconds: 0.01, speed: 1.0, epoch: 1 };
    scene.rules.extract(&scene.world, &moment, &mut frame);
    frame
}

fn instance(scene: &Scene, frame: &Frame, path: &str) -> Instance {
    *frame.instance_of(scene.one(path).raw()).expect(path)
}

#[test]
fn every_object_but_the_level_is_shown_by_model_body_or_marker() {
    let mut scene = scene();
    scene.run(20);
    let frame = frame(&scene);
    assert_eq!((frame.instances.len(), frame.refused), (6, 0));
    let (ship, ball) = (instance(&scene, &frame, "ship.object"), instance(&scene, &frame, "ball.object"));
    assert_eq!((ship.shape, ship.scale, ship.team), (Shape::Marker { radius: 3.0 }, 2.0, 3));
    assert_eq!((ship.velocity, ship.look), (Vec3::new(2.0, 0.0, 0.0), 0));
    assert_eq!(ball.shape, Shape::Sphere { radius: 0.5 });
    assert!(ball.velocity.z < -1.0, "it falls: {:?}", ball.velocity);
    assert_ne!(ball.colour, ship.colour, "teams have colours of their own");
    let rock = instance(&scene, &frame, "rock.object");
    assert_eq!((rock.model, rock.look), (StringId::from("rock.model"), look::FIXED));
    assert_eq!(
        (rock.shape, rock.colour),
        (Shape::Mesh { name: StringId::from("rock.geometry") }, Colour::of(0xff0000))
    );
    assert_eq!(instance(&scene, &frame, "ghost.object").look, look::HIDDEN);
    assert_eq!((frame.up, frame.sky), (Vec3::Z, StringId::from("skies/dark.sky")));
    assert_eq!(frame.mix, StringId::from("loud.mix"));
}

#[test]
fn what_is_unseen_is_seen_by_its_own_team_and_by_who_has_none() {
    let mut scene = scene();
    scene.run(20);
    let spy = scene.one("spy.object").raw();
    let seen_by = |players: &[u16], team: u8| {
        let mut frame = frame(&scene);
        frame.players[0].team = team;
        frame.hide_unseen(players);
        let is_there = frame.instance_of(spy).is_some_and(|spy| spy.look & look::HIDDEN == 0);
        assert_eq!(frame.effects.iter().any(|effect| effect.object == spy), is_there, "its trail is seen as it is");
        assert_eq!(frame.instance_of(scene.one("ball.object").raw()).map(|ball| ball.look), Some(0));
        is_there
    };
    assert_eq!(instance(&scene, &frame(&scene), "spy.object").look, look::UNSEEN);
    assert!(!seen_by(&[0], 3));
    assert!(seen_by(&[0], 2));
    assert!(seen_by(&[0], 0), "who watches sees both");
    assert!(seen_by(&[], 3), "a free camera is no player's");
}

#[test]
fn players_have_the_camera_of_their_object_or_of_the_level() {
    let scene = scene();
    let frame = frame(&scene);
    assert_eq!(frame.players.len(), 1);
    let player = frame.players[0];
    assert_eq!((player.player, player.object, player.team), (0, scene.one("ship.object").raw(), 3));
    assert_eq!(player.camera, StringId::from("cameras/top.camera"));
    assert_eq!(player.interface, StringId::from("hud.interface"));
}

#[test]
fn equal_worlds_give_equal_frames_also_after_a_rewind() {
    let (mut one, mut other) = (scene(), scene());
    one.run(30);
    other.run(30);
    assert_eq!(frame(&one), frame(&other));
    let before = one.world.hash();
    let (kept, shown) = (one.world.snapshot(&Heap), frame(&one));
    assert_eq!(one.world.hash(), before, "extraction changes nothing");
    one.run(25);
    assert_ne!(frame(&one), shown);
    one.world.restore(&kept);
    assert_eq!(frame(&one), shown);
}

#[test]
fn what_scripts_set_takes_the_place_of_the_tag() {
    let mut scene = scene();
    scene.run(8);
    send(&mut scene, "ghost.object", "Show");
    let frame = frame(&scene);
    let ghost = instance(&scene, &frame, "ghost.object");
    assert_eq!((ghost.look, ghost.scale), (0, 0.25));
}

#[test]
fn new_and_moved_objects_are_not_blended_with_their_last_position() {
    let mut scene = scene();
    assert_eq!(instance(&scene, &frame(&scene), "ship.object").look, look::TELEPORTED);
    scene.run(8);
    assert_eq!(instance(&scene, &frame(&scene), "ship.object").look, 0);
    send(&mut scene, "ship.object", "Jump");
    scene.run(1);
    let moved = instance(&scene, &frame(&scene), "ship.object");
    assert!(moved.position.x > 60.0 && moved.look == look::TELEPORTED, "{moved:?}");
    scene.run(8);
    assert_eq!(instance(&scene, &frame(&scene), "ship.object").look, 0);
}

#[test]
fn numbers_that_are_not_finite_are_left_out() {
    let mut scene = scene();
    scene.run(2);
    let (objects, ship) = (scene.rules.parts.objects, scene.one("ship.object"));
    scene.world.set_up(|world| objects.get_mut(world, ship).position.x = f32::NAN);
    let frame = frame(&scene);
    assert_eq!((frame.instances.len(), frame.refused), (5, 1));
    assert!(frame.instance_of(ship.raw()).is_none());
}

#[test]
fn geometry_of_bodies_becomes_meshes() {
    let scene = scene();
    let catalogue = scene.rules.shape_catalogue();
    let mesh = &catalogue.meshes[&StringId::from("rock.geometry")];
    assert_eq!((mesh.triangles.len(), mesh.points.len()), (4, 12));
    for [a, b, c] in &mesh.triangles {
        let [a, b, c] = [a, b, c].map(|index| mesh.points[*index as usize]);
        let outward = (b - a).cross(c - a);
        assert!(outward.dot(a - Vec3::new(0.0, 0.0, 0.5)) > 0.0, "counter-clockwise seen from outside");
    }
}

#[test]
fn every_kind_of_geometry_becomes_closed_triangles() {
    let field = "@geometry\n!set kind \"height_field\"\n!set columns 3\n!set heights [0, 1, 0, 0, 2, 0]\n";
    let compound = "@geometry\n!set kind \"compound\"\n!set parts [{ shape \"box\" }, { shape \"sphere\", position vec(3, 0, 0) },\n\
        { shape \"capsule\", position vec(-3, 0, 0) }]\n";
    let of = |geometry: &str| {
        let object = "@object\n!set body { shape \"geometry\", geometry \"a.geometry\", fixed true }\n";
        let scene = Scene::new(&[], &[("a.object", object), ("a.geometry", geometry)]);
        scene.rules.shape_catalogue()
    };
    let (field, compound) = (of(field), of(compound));
    assert_ne!(field.version, compound.version);
    let field = &field.meshes[&StringId::from("a.geometry")];
    assert_eq!((field.points.len(), field.triangles.len()), (6, 4));
    let compound = &compound.meshes[&StringId::from("a.geometry")];
    assert_eq!(compound.triangles.len(), 12 + 2 * 288);
    // The volume of closed, outward triangles is that of the shapes: a cube, a ball and a capsule.
    let volume: f32 = compound
        .triangles
        .iter()
        .map(|corners| corners.map(|corner| compound.points[corner as usize]))
        .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
        .sum();
    let (ball, cylinder) = (core::f32::consts::FRAC_PI_6, core::f32::consts::FRAC_PI_4);
    let exact = 1.0 + 2.0 * ball + cylinder;
    assert!((volume - exact).abs() < 0.1, "{volume} is near {exact}");
}

/// Delivers a message, as another object would send it.
fn send(scene: &mut Scene, to: &str, name: &str) {
    let (parts, target) = (&scene.rules.parts, scene.one(to));
    let message = script::message::Message::new(StringId::from(name), script::value::Value::NOTHING);
    let (messages, address) = (parts.messages, parts.objects.address(target));
    scene.world.set_up(|world| messages.queue(world, address, &message));
    scene.run(1);
}
