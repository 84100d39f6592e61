//! Effects, sounds, interface events, animations and formulas in frames.

use crate::common;

use base::{StringId, Vec3};
use common::Scene;
use state::Heap;
use view::{Atom, Frame, Moment};
use world::limits::{CUES_MAX, VIEW_FAULTS_MAX};

const BOOM: &str = "@effect\n!set duration 0.5\n!set particles [{ name \"sparks\", lifetime vec(0.1, 0.2), rate Lambda(~this.heat * 2) }]\n\
    !set sounds [{ name \"bang\", sound \"bang.sound\", volume 2, start { delay 0.1 } }]\n";
const BANG: &str = "@sound\n!set sample_rate 1000\n!set frames 300\n";
const GUN: &str = "@object\n!set velocity vec(1, 0, 0)\n!set heat 0\n!set markers [{ name \"nose\", offset vec(2, 0, 0) }]\n\
    !set OnShoot Lambda(!Play(\"boom.effect\", { marker \"nose\", target vec(9, 0, 0), scale 3 }))\n\
    !set OnBang Lambda(!Play(\"bang.sound\", { volume 0.5, pitch 2 }))\n\
    !set OnOdd Lambda(let how = { wrong 1 } in !Play(\"bang.sound\", how))\n\
    !set OnTell Lambda(!GUIFire(\"hit\", 3, ~this, \"hard\", vec(1, 2, 3)))\n\
    !set OnGlow Lambda(!set heat 50)\n!set OnEnd Lambda(!Destroy(~this))\n!set OnRun Lambda(!Animate(\"run\", 100))\n\
    !set effects [{ name \"smoke\", effect \"boom.effect\", when Lambda(heat > 10) }]\n\
    !set sounds [{ name \"hum\", sound \"bang.sound\", marker \"nose\", volume 0.25 }]\n\
    !set graph \"gun.animation_graph\"\n!set model \"gun.model\"\n";
const GRAPH: &str = "@animation_graph\n!set clips [{ name \"a\", animation \"a.animation\" }, { name \"b\", animation \"b.animation\" }]\n\
    !set layers [{ name \"body\", states [{ name \"idle\", clip \"a\", loops true }, { name \"run\", clip \"b\", speed 2 }] }]\n";
const MODEL: &str = "@model\n!set materials [{ name \"hull\", material \"hull.material\" }, { name \"lamp\", material \"lamp.material\" }]\n";
const HULL: &str = "@material\n!set roughness 0.5\n!set emissive_strength Lambda(~this.heat / 10)\n\
    !set base_colour { red Lambda(~this.heat) }\n!set parameters [{ name \"wear\", value Lambda(~this.nothing_such) }]\n";

fn tags() -> Vec<(&'static str, &'static str)> {
    let level = "@scenario\n!set objects_max 256\n!set music \"bang.sound\"\n!set players [{ object \"gun.object\" }]\n\
        !set OnSing Lambda(!Play(\"bang.sound\"))\n\
        !set is_battle false\n!set OnFight Lambda(!set is_battle true)\n\
        !set music_states [{ sound \"battle.sound\", when Lambda(is_battle) }]\n";
    vec![
        (common::SCENARIO, level),
        ("gun.object", GUN),
        ("boom.effect", BOOM),
        ("bang.sound", BANG),
        ("battle.sound", BANG),
        ("gun.animation_graph", GRAPH),
        ("a.animation", "@animation\n!set duration 2\n"),
        ("b.animation", "@animation\n!set duration 4\n"),
        ("gun.model", MODEL),
        ("hull.material", HULL),
        ("lamp.material", "@material\n!set roughness 1\n"),
    ]
}

fn scene() -> Scene {
    let mut scene = Scene::new(&[], &tags());
    scene.run(2);
    scene
}

fn frame(scene: &Scene) -> Frame {
    let mut frame = Frame::new(0);
    let cycle = scene.world.cycle();
    let moment = Moment { cycle, seconds: cycle as f64 * 0.01, cycle_seconds: 0.01, speed: 1.0, epoch: 1 };
    scene.rules.extract(&scene.world, &moment, &mut frame);
    frame
}

fn send(scene: &mut Scene, name: &str) {
    let object = scene.one("gun.object");
    tell(scene, object, name);
}

/// Delivers a message, as another object would send it.
fn tell(scene: &mut Scene, target: base::Handle<world::Object>, name: &str) {
    let parts = &scene.rules.parts;
    let message = script::message::Message::new(StringId::from(name), script::value::Value::NOTHING);
    let (messages, address) = (parts.messages, parts.objects.address(target));
    scene.world.set_up(|world| messages.queue(world, address, &message));
    scene.run(1);
}

#[test]
fn an_effect_runs_from_its_cue_until_its_last_particle() {
    let mut scene = scene();
    send(&mut scene, "Shoot");
    let begun = scene.world.cycle() - 1;
    let first = frame(&scene);
    let [effect] = first.effects[..] else { panic!("{:?}", first.effects) };
    assert_eq!((effect.effect, effect.marker), (StringId::from("boom.effect"), StringId::from("nose")));
    assert_eq!((effect.target, effect.scale), (Some(Vec3::new(9.0, 0.0, 0.0)), 3.0));
    assert_eq!((effect.started, effect.object), (begun as f64 / 100.0, scene.one("gun.object").raw()));
    assert_eq!(effect.velocity, Vec3::X);
    scene.run(30);
    let later = frame(&scene);
    assert_eq!(
        (later.effects[0].id, later.effects[0].seed, later.effects[0].started),
        (effect.id, effect.seed, effect.started)
    );
    assert!(later.effects[0].position.x > effect.position.x, "it follows its object");
    scene.run(35);
    assert_eq!(frame(&scene).effects.len(), 1, "0.5 s, and 0.2 s of the last particle");
    scene.run(10);
    assert_eq!(frame(&scene).effects.len(), 0);
}

#[test]
fn an_effect_stays_where_it_began_if_its_object_is_gone() {
    let mut scene = scene();
    send(&mut scene, "Shoot");
    send(&mut scene, "End");
    scene.run(2);
    let after = frame(&scene);
    assert_eq!((after.effects.len(), after.effects[0].object), (1, 0));
    assert_eq!(after.effects[0].velocity, Vec3::ZERO);
}

#[test]
fn sounds_have_their_length_and_effects_bring_their_own() {
    let mut scene = scene();
    let lasting: Vec<_> =
        frame(&scene).sounds.iter().map(|sound| (sound.loops, sound.volume, sound.position)).collect();
    let nose = Vec3::new(2.0 + frame(&scene).instances[0].position.x, 0.0, 0.0);
    assert_eq!(
        lasting,
        [(true, 1.0, None), (true, 0.25, Some(nose))],
        "music, and the hum of the object at its marker"
    );
    send(&mut scene, "Bang");
    let heard = frame(&scene);
    assert_eq!((heard.sounds.len(), heard.sounds[1].volume, heard.sounds[1].pitch), (3, 0.5, 2.0));
    scene.run(20);
    assert_eq!(frame(&scene).sounds.len(), 2, "0.3 s at twice the pitch");
    send(&mut scene, "Shoot");
    assert_eq!(frame(&scene).sounds.len(), 2, "the sound of the effect is delayed");
    scene.run(15);
    let heard = frame(&scene);
    assert_eq!((heard.sounds.len(), heard.sounds[1].volume), (3, 2.0));
    tell(&mut scene, world::LEVEL, "Sing");
    assert_eq!(
        frame(&scene).sounds.iter().filter(|sound| sound.position.is_none()).count(),
        2,
        "the level has no place"
    );
}

#[test]
fn the_music_is_that_of_the_situation() {
    let mut scene = scene();
    let music = |scene: &Scene| {
        let frame = frame(scene);
        let found: Vec<_> = frame.sounds.iter().filter(|sound| sound.position.is_none()).copied().collect();
        let [only] = found[..] else { panic!("{found:?}") };
        only
    };
    let calm = music(&scene);
    assert_eq!((calm.sound, calm.loops, calm.started), (StringId::from("bang.sound"), true, 0.0));
    tell(&mut scene, world::LEVEL, "Fight");
    let battle = music(&scene);
    assert_eq!((battle.sound, battle.loops, battle.started), (StringId::from("battle.sound"), true, 0.0));
    assert_ne!(battle.id, calm.id, "it is another sound");
}

#[test]
fn conditions_are_evaluated_without_changing_the_world() {
    let mut scene = scene();
    assert!(frame(&scene).effects.is_empty(), "it is cold");
    send(&mut scene, "Glow");
    let before = scene.world.hash();
    let hot = frame(&scene);
    assert_eq!((hot.effects.len(), hot.effects[0].started), (1, 0.0));
    assert_eq!(scene.world.hash(), before);
    let parameters: Vec<_> = hot.parameters.iter().map(|parameter| (parameter.name, parameter.value)).collect();
    let named = |name: &str, value: f32| (StringId::from(name), value);
    let of_hull = [named("base_colour.red", 1.0), named("emissive_strength", 5.0), named("wear", 0.0)];
    assert_eq!((&parameters[..1], &parameters[1..]), (&[named("rate", 100.0)][..], &of_hull[..]));
    assert_eq!(hot.effects[0].parameters.of(&hot.parameters), &hot.parameters[..1]);
    let instance = hot.instances[0];
    assert_eq!(instance.parameters.of(&hot.parameters).len(), 3);
    assert!(
        instance
            .parameters
            .of(&hot.parameters)
            .iter()
            .all(|parameter| parameter.material == StringId::from("hull.material"))
    );
}

#[test]
fn a_formula_that_fails_is_reported_once() {
    let scene = scene();
    scene.rules.log.take(&scene.rules.prototypes);
    for _ in 0..VIEW_FAULTS_MAX {
        frame(&scene);
    }
    let lines = scene.rules.log.take(&scene.rules.prototypes);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(scene.conditions(), [], "the counters of the world are its own");
}

#[test]
fn interface_events_have_arguments_texts_and_players() {
    let mut scene = scene();
    send(&mut scene, "Tell");
    let told = frame(&scene);
    let [event] = told.interface_events[..] else { panic!("{:?}", told.interface_events) };
    assert_eq!((event.name, event.player), (StringId::from("hit"), Some(0)));
    let gun = Atom::Object(scene.one("gun.object").raw());
    let hard = Atom::Name(StringId::from("hard"));
    assert_eq!(event.arguments, [Atom::Number(3.0), gun, hard, Atom::Vector(Vec3::new(1.0, 2.0, 3.0))]);
    assert_eq!((told.text(event.name), told.text(StringId::from("hard"))), (Some("hit"), Some("hard")));
    send(&mut scene, "Tell");
    let again = frame(&scene);
    assert!(again.interface_events.len() == 2 && again.interface_events[1].id > event.id);
    scene.run(120);
    assert!(frame(&scene).interface_events.is_empty());
}

#[test]
fn an_unknown_name_in_a_record_is_a_warning_and_the_sound_is_played() {
    let mut scene = scene();
    let before = frame(&scene).sounds.len();
    send(&mut scene, "Odd");
    assert_eq!(frame(&scene).sounds.len(), before + 1);
    assert_eq!(scene.count(world::Condition::NotGiven), 1);
}

#[test]
fn the_ring_overwrites_the_oldest() {
    let level = "@scenario\n!set OnFill Lambda([ !Play(\"long.effect\") ]())\n";
    let effect = "@effect\n!set duration 20\n";
    let mut scene = Scene::new(&[], &[(common::SCENARIO, level), ("long.effect", effect)]);
    scene.run(1);
    let mut played = 0;
    while played <= u64::from(CUES_MAX) {
        tell(&mut scene, world::LEVEL, "Fill");
        let total = scene.rules.parts.cue_ring.get(&scene.world).total;
        assert!(total > played, "it plays: {:?}", scene.rules.log.take(&scene.rules.prototypes));
        played = total;
        assert_eq!(frame(&scene).effects.len() as u64, played.min(CUES_MAX.into()));
    }
    let full = frame(&scene);
    assert_eq!(full.effects.last().map(|effect| effect.id), Some(played));
    assert_eq!(full.effects.first().map(|effect| effect.id), Some(played - u64::from(CUES_MAX) + 1));
}

#[test]
fn a_restored_world_shows_what_it_showed() {
    let mut scene = scene();
    for name in ["Shoot", "Bang", "Tell", "Glow", "Run"] {
        send(&mut scene, name);
    }
    let (kept, shown) = (scene.world.snapshot(&Heap), frame(&scene));
    assert!(shown.effects.len() == 2 && shown.interface_events.len() == 1 && !shown.clips.is_empty());
    scene.run(300);
    scene.world.restore(&kept);
    assert_eq!(frame(&scene), shown);
}

#[test]
fn animations_are_set_and_cross_fade() {
    let mut scene = scene();
    scene.run(98);
    let idle = frame(&scene);
    let [clip] = idle.clips[..] else { panic!("{:?}", idle.clips) };
    assert_eq!((clip.animation, clip.seconds, clip.weight), (StringId::from("a.animation"), 1.0, 1.0));
    assert!(clip.loops && clip.graph == StringId::from("gun.animation_graph"));
    send(&mut scene, "Run");
    scene.run(4);
    let fading = frame(&scene);
    let weights: Vec<f32> = fading.clips.iter().map(|clip| clip.weight).collect();
    assert_eq!(weights, [0.5, 0.5]);
    assert_eq!((fading.clips[1].speed, fading.clips[1].seconds), (2.0, 0.1));
    send(&mut scene, "Run");
    scene.run(300);
    let run = frame(&scene);
    assert_eq!(run.clips.len(), 1, "the state it is in goes on: {:?}", run.clips);
    assert_eq!((run.clips[0].seconds, run.clips[0].loops), (4.0, false), "it holds its end");
}
