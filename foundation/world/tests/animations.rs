//! Animation graphs: transitions, speeds, weights and keyframe events follow the object's variables, and lie in the block.

use crate::common;

use base::StringId;
use common::Scene;
use state::Heap;
use view::{ClipPlay, Frame, Moment};

const WALKER: &str = "@object\n!set speed 0\n!set aim 0\n!set steps 0\n!set foot \"\"\n!set graph \"walker.animation_graph\"\n\
    !set OnGo Lambda(!set speed 4)\n!set OnStop Lambda(!set speed 0)\n!set OnAim Lambda(!set aim 0.25)\n\
    !set OnStep Lambda(marker, [ !set steps steps + 1, !set foot marker ]())\n\
    !set OnJump Lambda(!Animate(\"jump\", 100))\n!set OnOdd Lambda(!Animate(\"swim\"))\n";
const GRAPH: &str = "@animation_graph\n!set speed 0\n!set aim 0\n!set slow 0\n\
    !set parameters [{ name \"speed\" }, { name \"slow\", default 3, smoothing 1 }]\n\
    !set clips [{ name \"idle\", animation \"idle.animation\" }, { name \"walk\", animation \"walk.animation\" },\n\
    { name \"jump\", animation \"jump.animation\" }]\n\
    !set layers [{ name \"body\", states [{ name \"idle\", clip \"idle\", loops true },\n\
    { name \"walk\", clip \"walk\", loops true, speed Lambda(speed / 2) }, { name \"jump\", clip \"jump\" }],\n\
    transitions [{ name \"start\", from \"idle\", to \"walk\", when Lambda(speed > 1), duration 0.1, synchronised true },\n\
    { name \"stop\", from \"walk\", to \"idle\", when Lambda(~this.speed < 1), duration 0 },\n\
    { name \"land\", from \"jump\", to \"idle\", duration 0 }] },\n\
    { name \"arms\", blend \"add\", weight Lambda(aim * 2), states [{ name \"hold\", clip \"idle\" }] }]\n";

fn tags() -> Vec<(&'static str, &'static str)> {
    vec![
        (common::SCENARIO, "@scenario\n!set objects_max 256\n!set players [{ object \"walker.object\" }]\n"),
        ("walker.object", WALKER),
        ("walker.animation_graph", GRAPH),
        ("idle.animation", "@animation\n!set duration 2\n"),
        ("walk.animation", "@animation\n!set duration 1\n!set events [{ name \"Step\", time 0.5, marker \"left\" }]\n"),
        ("jump.animation", "@animation\n!set duration 0.5\n"),
    ]
}

fn frame(scene: &Scene) -> Frame {
    let mut frame = Frame::new(0);
    scene.rules.extract(&scene.world, &Moment::default(), &mut frame);
    frame
}

fn clips(scene: &Scene, layer: u16) -> Vec<ClipPlay> {
    frame(scene).clips.into_iter().filter(|clip| clip.layer == layer).collect()
}

fn send(scene: &mut Scene, name: &str) {
    let walker = scene.one("walker.object");
    let parts = &scene.rules.parts;
    let message = script::message::Message::new(StringId::from(name), script::value::Value::NOTHING);
    let (messages, address) = (parts.messages, parts.objects.address(walker));
    scene.world.set_up(|world| messages.queue(world, address, &message));
    scene.run(1);
}

fn number(scene: &Scene, name: &str) -> f64 {
    let walker = scene.one("walker.object");
    scene.get(walker, name).as_number().unwrap_or(f64::NAN)
}

#[test]
fn a_condition_over_a_variable_changes_the_state_with_a_cross_fade() {
    let mut scene = Scene::new(&[], &tags());
    scene.run(50);
    let [idle] = clips(&scene, 0)[..] else { panic!("{:?}", clips(&scene, 0)) };
    assert_eq!((idle.animation, idle.seconds, idle.weight), (StringId::from("idle.animation"), 0.5, 1.0));
    send(&mut scene, "Go");
    scene.run(6);
    let [before, walk] = clips(&scene, 0)[..] else { panic!("{:?}", clips(&scene, 0)) };
    assert_eq!((before.animation, walk.animation), (idle.animation, StringId::from("walk.animation")));
    assert!(walk.weight > 0.3 && walk.weight < 0.7 && (walk.weight + before.weight - 1.0).abs() < 1e-6, "{walk:?}");
    assert_eq!(walk.speed, 2.0, "the speed is a lambda over the same variable");
    assert!(walk.seconds > 0.25 && walk.seconds < 0.45, "it began at the phase of the clip before: {walk:?}");
    scene.run(20);
    assert_eq!(clips(&scene, 0).len(), 1);
    send(&mut scene, "Stop");
    scene.run(3);
    let [idle] = clips(&scene, 0)[..] else { panic!("{:?}", clips(&scene, 0)) };
    assert_eq!((idle.animation, idle.speed), (StringId::from("idle.animation"), 1.0), "a fade of 0 is a cut");
}

#[test]
fn a_transition_without_a_condition_waits_for_the_end_of_the_clip() {
    let mut scene = Scene::new(&[], &tags());
    scene.run(10);
    send(&mut scene, "Jump");
    scene.run(40);
    assert_eq!(clips(&scene, 0)[0].animation, StringId::from("jump.animation"));
    scene.run(14);
    assert_eq!(clips(&scene, 0)[0].animation, StringId::from("idle.animation"));
}

#[test]
fn the_weight_of_a_layer_follows_a_variable_also_in_an_additive_layer() {
    let mut scene = Scene::new(&[], &tags());
    scene.run(10);
    assert_eq!(clips(&scene, 1)[0].layer_weight, 0.0);
    send(&mut scene, "Aim");
    assert_eq!(clips(&scene, 1)[0].layer_weight, 0.5);
}

#[test]
fn keyframe_events_are_messages_each_time_their_frame_is_passed() {
    let mut scene = Scene::new(&[], &tags());
    scene.run(10);
    assert_eq!(number(&scene, "steps"), 0.0);
    send(&mut scene, "Go");
    // Two seconds at double speed are four rounds of the clip.
    scene.run(200);
    assert_eq!(number(&scene, "steps"), 4.0);
    assert_eq!(scene.get(scene.one("walker.object"), "foot").as_string(), Some(StringId::from("left")));
    send(&mut scene, "Stop");
    scene.run(100);
    assert_eq!(number(&scene, "steps"), 4.0);
}

#[test]
fn after_a_rewind_the_graph_is_where_it_was() {
    let mut scene = Scene::new(&[], &tags());
    scene.run(10);
    send(&mut scene, "Go");
    scene.run(5);
    let (kept, shown, hash) = (scene.world.snapshot(&Heap), frame(&scene), scene.world.hash());
    scene.run(33);
    let later = (frame(&scene), scene.world.hash());
    assert_ne!(later.0, shown);
    scene.world.restore(&kept);
    assert_eq!((frame(&scene), scene.world.hash()), (shown, hash));
    scene.run(33);
    assert_eq!((frame(&scene), scene.world.hash()), later, "the abandoned future leaves nothing behind");
}

#[test]
fn a_changed_graph_is_bound_by_name_again() {
    let mut scene = Scene::new(&[], &tags());
    scene.run(10);
    send(&mut scene, "Go");
    scene.run(30);
    let before = clips(&scene, 0)[0];
    // A layer less, and the states in another order.
    let graph = "@animation_graph\n!set clips [{ name \"walk\", animation \"walk.animation\" }, { name \"idle\", animation \"idle.animation\" }]\n\
        !set layers [{ name \"body\", states [{ name \"idle\", clip \"idle\" }, { name \"walk\", clip \"walk\", loops true, speed 2 }] }]\n";
    scene.change(&[("walker.animation_graph", graph)]);
    scene.run(2);
    let shown = frame(&scene);
    let [after] = shown.clips[..] else { panic!("{:?}", shown.clips) };
    assert_eq!((after.animation, after.speed), (before.animation, 2.0));
    let passed = (after.seconds - before.seconds).rem_euclid(1.0);
    assert!((0.0..0.1).contains(&passed), "its time went on: {before:?} {after:?}");
}

#[test]
fn a_state_that_no_layer_has_is_reported_and_a_failing_condition_counts_as_false() {
    let mut scene = Scene::new(&[], &tags());
    scene.run(10);
    let before = scene.count(world::Condition::NotGiven);
    send(&mut scene, "Odd");
    assert_eq!(scene.count(world::Condition::NotGiven), before + 1);
    let endless = GRAPH
        .replace("Lambda(speed > 1)", "Lambda(f(0))")
        .replace("!set aim 0", "!set aim 0\n!set f Lambda(n, f(n + 1))");
    let mut texts = tags();
    texts[2].1 = Box::leak(endless.into_boxed_str());
    let mut scene = Scene::new(&[], &texts);
    scene.run(10);
    send(&mut scene, "Go");
    scene.run(10);
    assert_eq!(clips(&scene, 0)[0].animation, StringId::from("idle.animation"));
    assert!(scene.count(world::Condition::Halted) > 0);
}

#[test]
fn an_object_whose_graph_never_changes_by_itself_sleeps() {
    let still = "@animation_graph\n!set clips [{ name \"a\", animation \"idle.animation\" }]\n\
        !set layers [{ name \"body\", states [{ name \"a\", clip \"a\" }] }]\n";
    let mut texts = tags();
    texts[2].1 = still;
    let mut scene = Scene::new(&[], &texts);
    scene.run(20);
    assert!(!scene.rules.parts.objects.is_awake(&scene.world, scene.one("walker.object")));
    let mut scene = Scene::new(&[], &tags());
    scene.run(20);
    assert!(scene.rules.parts.objects.is_awake(&scene.world, scene.one("walker.object")));
}
