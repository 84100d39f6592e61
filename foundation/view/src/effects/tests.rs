use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use base::{Quat, number};
use tags::library::Ready;
use tags::pack::Prepared;
use tags::{Key, Tag, TagPath};

use super::*;
use crate::classes::Model;
use crate::colour::Colour;
use crate::instance::{Instance, NodePose, Shape, look};
use crate::limits::{RIBBONS_MAX, SPRITES_MAX};
use crate::moment::Span;

fn ready<T: Tag>(path: &str, text: &str) -> Ready {
    let packed = Prepared::new(T::class()).pack_text(text);
    assert!(packed.reports.is_empty(), "{:?}", packed.reports);
    Ready { path: TagPath::new(path).unwrap(), key: Key::default(), packed: Arc::new(packed.packed) }
}

/// A library with one effect.
fn library(effect: &str) -> Library {
    let mut library = Library::new();
    library.apply([ready::<Effect>("a.effect", &format!("@effect\n{effect}\n"))]);
    library
}

fn running(id: u64, started: f64) -> RunningEffect {
    RunningEffect {
        id,
        effect: StringId::new("a.effect"),
        object: 0,
        marker: StringId::NONE,
        marker_place: None,
        position: Vec3::new(10.0, 0.0, 0.0),
        orientation: Quat::IDENTITY,
        velocity: Vec3::ZERO,
        target: None,
        started,
        stopped: f64::INFINITY,
        seed: id * 77,
        scale: 1.0,
        parameters: Span::default(),
    }
}

fn frame_of(effects: Vec<RunningEffect>, seconds: f64) -> Frame {
    let mut frame = Frame::new(0);
    frame.moment.seconds = seconds;
    frame.effects = effects;
    frame
}

/// The visuals of a frame, seen from the origin.
fn seen(frame: &Frame, ahead: f32, content: &Library, history: &mut EffectHistory) -> Visuals {
    let mut index = ObjectIndex::default();
    index.update(frame);
    let placement = FramePlacement { frame, index: &index, content, ahead, shown: &[] };
    let mut out = Visuals::default();
    let scene = EffectScene { frame, ahead, placement: &placement, content, eyes: &[Vec3::ZERO], particles: 1.0 };
    evaluate(&scene, history, &mut out);
    out
}

fn once(frame: &Frame, content: &Library) -> Visuals {
    seen(frame, 0.0, content, &mut EffectHistory::default())
}

/// All numbers of visuals, as they are.
fn bits(visuals: &Visuals) -> String {
    format!("{visuals:?}")
}

const EVERYTHING: &str = "!set duration 2\n!set distance_max 0\n\
    !set particles [{ name \"fire\", burst 20, burst_interval 0.5, rate 100, lifetime vec(0.2, 1), speed vec(1, 5), spread 180,\n\
      radius 1, extent vec(1, 2, 3), spin vec(-1, 1), gravity 1, drag 2, turbulence 0.5, shape \"streak\", frames 8,\n\
      random_frame true, brightness_spread 0.5, size_curve [{ at 0 }, { at 1, factor 3 }],\n\
      colour_curve [{ at 0, colour \"#ffffff\", strength 10 }, { at 1, colour \"#ff000000\" }] },\n\
      { name \"smoke\", start { delay 0.3 }, rate 20, blend \"alpha\", shell true, radius 2 }]\n\
    !set beams [{ name \"beam\", jitter 1 }, { name \"bolt\", speed 100, end_fade 0 }]\n\
    !set rings [{ name \"wave\", lifetime 1, radius_curve [{ at 0, factor 0 }, { at 1, factor 9 }], random_axis true }]\n\
    !set decals [{ name \"burn\", random_rotation true }]\n\
    !set lights [{ name \"flash\", lifetime 1, flicker 1 }]\n!set shakes [{ name \"kick\" }]";

#[test]
fn the_same_frame_and_time_give_the_same_visuals() {
    let content = library(EVERYTHING);
    let frame = frame_of(vec![running(1, 0.0), running(2, 0.5)], 0.9);
    let mut history = EffectHistory::default();
    let first = seen(&frame, 0.0, &content, &mut history);
    assert!(first.sprites.len() > 100 && first.ribbons.len() == 10, "{} {}", first.sprites.len(), first.ribbons.len());
    assert_eq!((first.decals.len(), first.lights.len(), first.shakes.len(), first.refused), (2, 2, 1, 0));
    assert_eq!(bits(&seen(&frame, 0.0, &content, &mut history)), bits(&first), "while paused");
    // Time runs on, back, and to the same moment by another way.
    let later = seen(&frame, 0.5, &content, &mut history);
    assert_ne!(bits(&later), bits(&first));
    assert_eq!(bits(&seen(&frame, 0.0, &content, &mut history)), bits(&first), "after running backwards");
    let other = frame_of(vec![running(1, 0.0), running(2, 0.5)], 1.4);
    assert_eq!(bits(&once(&other, &content)), bits(&later), "another frame of the same time");
}

#[test]
fn particles_move_along_closed_paths() {
    let content = library(
        "!set particles [{ name \"a\", rate 0, burst 50, lifetime vec(10, 10), speed vec(2, 2), spread 0, drag 1.5, gravity 1 }]",
    );
    // The path by small steps is the path by the closed form.
    let (mut position, mut velocity) = (Vec3::new(10.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0));
    let step = 1e-4;
    for _ in 0..10_000 {
        velocity += (Vec3::new(0.0, 0.0, -9.81) - velocity * 1.5) * step;
        position += velocity * step;
    }
    let visuals = once(&frame_of(vec![running(1, 0.0)], 1.0), &content);
    assert_eq!(visuals.sprites.len(), 50);
    for sprite in &visuals.sprites {
        assert!(sprite.position.distance(position) < 2e-3, "{:?} {position:?}", sprite.position);
    }
}

#[test]
fn a_part_of_the_particles_is_shown_and_the_same_ones_each_time() {
    let content = library("!set particles [{ name \"a\", rate 0, burst 400, lifetime vec(10, 10), size vec(1, 1) }]");
    let frame = frame_of(vec![running(1, 0.0)], 1.0);
    let mut index = ObjectIndex::default();
    index.update(&frame);
    let placement = FramePlacement { frame: &frame, index: &index, content: &content, ahead: 0.0, shown: &[] };
    let shown = |particles: f32| {
        let mut out = Visuals::default();
        let scene =
            EffectScene { frame: &frame, ahead: 0.0, placement: &placement, content: &content, eyes: &[], particles };
        evaluate(&scene, &mut EffectHistory::default(), &mut out);
        out.sprites
    };
    let (all, some) = (shown(1.0), shown(crate::Quality::Low.particles()));
    assert_eq!(all.len(), 400);
    assert!((100..180).contains(&some.len()), "{}", some.len());
    let is_one_of_all = |sprite: &crate::Sprite| all.iter().any(|other| other.position == sprite.position);
    assert!(some.iter().all(is_one_of_all) && some.iter().any(|sprite| sprite.size > 1.0), "larger for those left out");
    assert!(!shown(f32::NAN).is_empty());
}

#[test]
fn ended_effects_show_nothing() {
    let content = library(EVERYTHING);
    // The last particles live for a second after the emission of two.
    let at = |seconds| once(&frame_of(vec![running(1, 0.0)], seconds), &content);
    assert!(at(2.5).sprites.len() > 10);
    let over = at(40.0);
    assert!(over.sprites.is_empty() && over.ribbons.is_empty() && over.lights.is_empty() && over.decals.is_empty());
    assert!(over.shakes.is_empty() && over.refused == 0);
    let before = once(&frame_of(vec![running(1, 5.0)], 4.0), &content);
    assert!(before.sprites.is_empty() && before.ribbons.is_empty(), "an effect of the future shows nothing");
}

#[test]
fn a_stopped_effect_emits_nothing_new() {
    let content = library("!set duration 0\n!set particles [{ name \"a\", rate 100, lifetime vec(1, 1) }]");
    let mut effect = running(1, 0.0);
    let count = |effect, seconds| once(&frame_of(vec![effect], seconds), &content).sprites.len();
    assert!(
        (99..=101).contains(&count(effect, 1e6)),
        "an endless effect is as full after days: {}",
        count(effect, 1e6)
    );
    effect.stopped = 5.0;
    assert!((49..=51).contains(&count(effect, 5.5)));
    assert_eq!(count(effect, 6.1), 0);
}

#[test]
fn a_million_particles_are_cut_at_the_limit_and_counted() {
    let content = library(
        "!set particles_max 1000000\n!set particles [{ name \"a\", burst 100000, rate 0, particles_max 1000000, lifetime vec(9, 9) }]",
    );
    let mut effects = Vec::new();
    for id in 1..=10 {
        let mut effect = running(id, 0.0);
        effect.position = Vec3::new(11.0 - id as f32, 0.0, 0.0);
        effects.push(effect);
    }
    let visuals = once(&frame_of(effects, 1.0), &content);
    assert_eq!(visuals.sprites.len(), SPRITES_MAX);
    assert_eq!(visuals.refused, 1_000_000 - SPRITES_MAX as u64);
    // The nearest effect is the last of the frame.
    assert!(visuals.sprites.iter().all(|sprite| sprite.position.x < 5.0));
}

#[test]
fn important_effects_come_first() {
    let mut content = library(
        "!set particles_max 1000000\n\
        !set particles [{ name \"a\", burst 60000, rate 0, particles_max 1000000, lifetime vec(9, 9), gravity 0 }]",
    );
    content.apply([ready::<Effect>(
        "b.effect",
        "@effect\n!set importance 50\n!set particles_max 60000\n!set particles [{ name \"a\", burst 60000, rate 0, particles_max 60000, blend \"alpha\" }]\n",
    )]);
    let mut far = running(2, 0.0);
    (far.effect, far.position) = (StringId::new("b.effect"), Vec3::new(15.0, 0.0, 0.0));
    let visuals = once(&frame_of(vec![running(1, 0.0), far], 0.5), &content);
    let smoke = visuals.sprites.iter().filter(|sprite| sprite.blend == Blend::Alpha).count();
    assert_eq!((smoke, visuals.sprites.len()), (60_000, SPRITES_MAX));
}

#[test]
fn distant_effects_have_fewer_particles_and_then_none() {
    let content =
        library("!set distance_max 1000\n!set particles [{ name \"a\", burst 500, rate 0, lifetime vec(9, 9) }]");
    let at = |distance: f32| {
        let mut effect = running(1, 0.0);
        effect.position = Vec3::new(distance, 0.0, 0.0);
        once(&frame_of(vec![effect], 1.0), &content).sprites.len()
    };
    let counts = [50.0, 200.0, 500.0, 899.0, 1001.0].map(at);
    assert_eq!(counts[0], 500);
    assert!(counts.is_sorted_by(|near, far| near > far), "{counts:?}");
    assert_eq!(counts[4], 0);
}

#[test]
fn numbers_that_are_none_are_left_out_and_counted() {
    let content = library(EVERYTHING);
    let break_it: [fn(&mut RunningEffect); 7] = [
        |effect| effect.position.x = f32::NAN,
        |effect| effect.orientation.w = f32::INFINITY,
        |effect| effect.velocity.y = f32::NAN,
        |effect| effect.scale = f32::NAN,
        |effect| effect.started = f64::NAN,
        |effect| effect.stopped = f64::NAN,
        |effect| effect.target = Some(Vec3::splat(f32::INFINITY)),
    ];
    for change in break_it {
        let mut effect = running(1, 0.0);
        change(&mut effect);
        let visuals = once(&frame_of(vec![effect], 1.0), &content);
        assert_eq!((visuals.sprites.len(), visuals.ribbons.len(), visuals.refused), (0, 0, 1));
    }
    let visuals = once(&frame_of(vec![running(1, 0.0)], f64::NAN), &content);
    assert_eq!((visuals.sprites.len(), visuals.refused), (0, 1));
    // Huge but finite: what overflows on the way is left out.
    let mut huge = running(1, 0.0);
    huge.position = Vec3::splat(f32::MAX);
    huge.scale = f32::MAX;
    let visuals = once(&frame_of(vec![huge], 1.0), &content);
    assert!(visuals.sprites.iter().all(|sprite| sprite.position.is_finite() && sprite.size.is_finite()));
    assert!(visuals.ribbon_points.iter().all(|point| point.position.is_finite()));
}

#[test]
fn a_missing_tag_is_a_spark_and_is_reported_once() {
    let content = Library::new();
    let frame = frame_of(vec![running(1, 0.0), running(2, 0.0)], 0.1);
    let mut history = EffectHistory::default();
    assert_eq!(seen(&frame, 0.0, &content, &mut history).sprites.len(), 2);
    assert_eq!(history.take_missing(), [StringId::new("a.effect")]);
    assert_eq!(seen(&frame, 0.0, &content, &mut history).sprites.len(), 2);
    assert_eq!(history.take_missing(), []);
    assert!(seen(&frame, 9.0, &content, &mut history).sprites.is_empty());
}

/// A ship at x = 100 that flies along y, with a marker behind it.
fn ship() -> (Library, Instance) {
    let mut content = library(
        "!set duration 0\n!set distance_max 0\n!set trails [{ name \"t\", lifetime 1, width 0.5, points_max 32, team_colour true }]\n\
         !set particles [{ name \"a\", start { attached false }, rate 100, speed vec(0, 0), lifetime vec(0.5, 0.5) }]",
    );
    let model = "@model\n!set nodes [{ name \"root\", position vec(1, 0, 0) }, { name \"gun\", parent 0, position vec(0, 0, 2) }]\n\
        !set markers [{ name \"engine\", node 1, position vec(-5, 0, 0) }]\n";
    content.apply([ready::<Model>("ship.model", model)]);
    let mut ship = Instance::new(7, Shape::None, Vec3::new(100.0, 0.0, 0.0));
    (ship.model, ship.velocity, ship.colour) =
        (StringId::new("ship.model"), Vec3::new(0.0, 50.0, 0.0), Colour::of(0xff_00_00));
    (content, ship)
}

fn ship_frame(ship: Instance, seconds: f64) -> Frame {
    let mut effect = running(1, 0.0);
    (effect.object, effect.marker) = (7, StringId::new("engine"));
    effect.position = ship.position;
    let mut frame = frame_of(vec![effect], seconds);
    frame.instances = vec![ship];
    frame
}

/// The ship a moment later.
fn flown(mut ship: Instance, seconds: f64) -> Frame {
    ship.position += ship.velocity * seconds as f32;
    ship_frame(ship, seconds)
}

#[test]
fn effects_are_at_the_markers_of_models() {
    let (content, ship) = ship();
    let visuals = once(&ship_frame(ship, 9.0), &content);
    let head = visuals.ribbon_points[0];
    assert_eq!(head.position, Vec3::new(96.0, 0.0, 2.0));
    assert_eq!(head.colour, [1.0, 0.0, 0.0, 1.0], "in the colour of the team");
    // Particles that are left behind lie along the path.
    assert!(visuals.sprites.iter().all(|sprite| sprite.position.y <= 0.01 && sprite.position.y > -26.0));
    assert!(visuals.sprites.iter().any(|sprite| sprite.position.y < -20.0));
    // A pose moves the marker; a scale moves it outwards; a turn turns it.
    let mut frame = ship_frame(ship, 9.0);
    let pose = |position| NodePose { position, rotation: Quat::IDENTITY, scale: Vec3::splat(1.0) };
    frame.poses = vec![pose(Vec3::ZERO), pose(Vec3::new(0.0, 0.0, 3.0))];
    frame.instances[0].pose = Span { first: 0, count: 2 };
    frame.instances[0].scale = 2.0;
    frame.instances[0].orientation = Quat::from_axis_angle(Vec3::Z, core::f32::consts::PI);
    let visuals = once(&frame, &content);
    assert!(visuals.ribbon_points[0].position.distance(Vec3::new(110.0, 0.0, 6.0)) < 1e-4);
    // Where presentation shows it counts.
    let (mut index, mut out) = (ObjectIndex::default(), Visuals::default());
    index.update(&frame);
    let shown = [(Vec3::ZERO, Quat::IDENTITY)];
    let placement = FramePlacement { frame: &frame, index: &index, content: &content, ahead: 0.0, shown: &shown };
    let scene =
        EffectScene { frame: &frame, ahead: 0.0, placement: &placement, content: &content, eyes: &[], particles: 1.0 };
    evaluate(&scene, &mut EffectHistory::default(), &mut out);
    assert_eq!(out.ribbon_points[0].position, Vec3::new(-10.0, 0.0, 6.0));
}

#[test]
fn a_trail_is_rebuilt_from_the_velocity_and_then_follows_the_path() {
    let (content, ship) = ship();
    let mut history = EffectHistory::default();
    let first = seen(&flown(ship, 2.0), 0.0, &content, &mut history);
    let last = |visuals: &Visuals| visuals.ribbon_points[visuals.ribbon_points.len() - 1].position;
    assert_eq!(first.ribbons[0].points.count, 32);
    assert!((last(&first).y - 50.0).abs() < 0.1, "a second behind it: {:?}", last(&first));
    // Another pilot takes over: the trail shows the corner.
    let mut turned = ship;
    turned.position = ship.position + ship.velocity * 2.0;
    turned.velocity = Vec3::new(50.0, 0.0, 0.0);
    for step in 1..=50 {
        let seconds = f64::from(step) * 0.01;
        let mut now = turned;
        now.position += now.velocity * seconds as f32;
        let visuals = seen(&ship_frame(now, 2.0 + seconds), 0.0, &content, &mut history);
        let points = &visuals.ribbon_points;
        assert!(points.len() <= 32 && points.len() > 20, "{}", points.len());
        let corner = Vec3::new(96.0, 100.0, 2.0);
        assert!(points.iter().any(|point| point.position.distance(corner) < 4.0), "at {seconds}");
    }
    // A rewind without a path of that time: straight again.
    let mut rewound = flown(ship, 1.0);
    rewound.moment.epoch = 1;
    let again = seen(&rewound, 0.0, &content, &mut history);
    assert!(again.ribbon_points.iter().all(|point| (point.position.x - 96.0).abs() < 0.01));
    assert_eq!(bits(&again), bits(&seen(&rewound, 0.0, &content, &mut history)));
}

#[test]
fn time_may_run_backwards_under_a_trail() {
    let (content, ship) = ship();
    let mut history = EffectHistory::default();
    for step in (0..300).chain((0..300).rev()).chain([100_000, 5, -7]) {
        let seconds = f64::from(step) * 0.01;
        let visuals = seen(&flown(ship, seconds), 0.0, &content, &mut history);
        let newest = 50.0 * seconds as f32 + 0.1;
        assert!(visuals.ribbon_points.iter().all(|point| point.position.y <= newest), "at {seconds}");
        assert!(visuals.ribbons.len() <= 1);
    }
}

#[test]
fn a_teleported_emitter_leaves_no_streak() {
    let (content, mut ship) = ship();
    let mut history = EffectHistory::default();
    seen(&flown(ship, 2.0), 0.0, &content, &mut history);
    ship.position.x = 9000.0;
    ship.look |= look::TELEPORTED;
    let visuals = seen(&flown(ship, 2.01), 0.0, &content, &mut history);
    assert!(visuals.ribbon_points.iter().all(|point| point.position.x > 8000.0));
}

#[test]
fn a_trail_fades_when_its_ship_is_gone() {
    let (content, ship) = ship();
    let mut history = EffectHistory::default();
    seen(&flown(ship, 2.0), 0.0, &content, &mut history);
    let counts: Vec<usize> = [2.1, 2.5, 2.9, 3.1]
        .map(|seconds| seen(&frame_of(vec![], seconds), 0.0, &content, &mut history).ribbon_points.len())
        .into();
    assert!(counts[0] > counts[1] && counts[1] > counts[2] && counts[2] > 0 && counts[3] == 0, "{counts:?}");
    let mut epoch = frame_of(vec![], 2.1);
    seen(&flown(ship, 2.0), 0.0, &content, &mut history);
    epoch.moment.epoch = 9;
    assert!(seen(&epoch, 0.0, &content, &mut history).ribbons.is_empty(), "nothing of another epoch");
}

#[test]
fn beams_reach_their_target_and_bolts_fly_there() {
    let content = library(
        "!set beams [{ name \"beam\", core 0, end_fade 0, width 0.2 }, { name \"bolt\", core 0, end_fade 0, speed 100, bolt_length 2 }]",
    );
    let mut effect = running(1, 0.0);
    effect.target = Some(Vec3::new(10.0, 40.0, 0.0));
    let visuals = once(&frame_of(vec![effect], 0.1), &content);
    let ends: Vec<Vec3> = visuals.ribbon_points.iter().map(|point| point.position).collect();
    let [from, to, tail, head] = ends[..] else { panic!("{ends:?}") };
    assert_eq!(from, effect.position);
    let near = |place: Vec3, y: f32| place.distance(Vec3::new(10.0, y, 0.0)) < 1e-3;
    assert!(near(to, 40.0) && near(tail, 8.0) && near(head, 10.0), "{ends:?}");
    assert_eq!(once(&frame_of(vec![effect], 0.5), &content).ribbons.len(), 1, "the bolt has arrived");
    effect.target = None;
    let visuals = once(&frame_of(vec![effect], 0.5), &content);
    assert_eq!(visuals.ribbon_points[1].position, Vec3::new(110.0, 0.0, 0.0), "its length along x");
}

#[test]
fn a_beam_fades_at_its_ends_and_has_a_core() {
    let content = library("!set beams [{ name \"beam\", jitter 1, segments 8, strength 5 }]");
    let visuals = once(&frame_of(vec![running(1, 0.0)], 0.1), &content);
    assert_eq!(visuals.ribbons.len(), 2);
    let [glow, core] = [0, 1].map(|ribbon: usize| visuals.ribbons[ribbon].points.of(&visuals.ribbon_points));
    assert_eq!((glow.len(), core.len()), (11, 11));
    assert!(glow[0].colour[3] == 0.0 && glow[10].colour[3] == 0.0 && glow[1].colour == [5.0, 5.0, 5.0, 1.0]);
    assert!(glow.iter().zip(core).all(|(glow, core)| glow.position == core.position && glow.width > core.width));
    let along: Vec<f32> = glow.iter().map(|point| point.position.x).collect();
    assert!(along.is_sorted(), "{along:?}");
}

#[test]
fn formulas_take_the_values_of_the_frame() {
    let content = library("!set particles [{ name \"a\", rate Lambda(100), lifetime [1, 1] }]");
    let mut frame = frame_of(vec![running(1, 0.0)], 0.99);
    assert_eq!(once(&frame, &content).sprites.len(), 0);
    frame.parameters =
        vec![crate::instance::Parameter { name: StringId::new("rate"), material: StringId::NONE, value: 50.0 }];
    frame.effects[0].parameters = Span { first: 0, count: 1 };
    assert_eq!(once(&frame, &content).sprites.len(), 50);
}

#[test]
fn too_many_ribbons_are_counted() {
    let content = library("!set distance_max 0\n!set beams [{ name \"beam\", core 0 }]");
    let effects = (1..=RIBBONS_MAX as u64 + 100).map(|id| running(id, 0.0)).collect();
    let visuals = once(&frame_of(effects, 0.1), &content);
    assert_eq!((visuals.ribbons.len(), visuals.refused), (RIBBONS_MAX, 100));
}

#[test]
fn a_particle_stays_itself_when_its_neighbours_are_cut() {
    let content = |limit: u32| {
        library(&format!(
            "!set particles [{{ name \"a\", burst 8, burst_interval 0.1, rate 0, particles_max {limit}, lifetime vec(1, 1) }}]"
        ))
    };
    let frame = frame_of(vec![running(1, 0.0)], 0.55);
    let (all, few) = (once(&frame, &content(500)), once(&frame, &content(5)));
    assert_eq!((all.sprites.len(), few.sprites.len()), (48, 5));
    assert!(few.sprites.iter().all(|sprite| all.sprites.contains(sprite)));
}

#[test]
fn large_rings_are_round_and_small_ones_have_few_pieces() {
    let ring = |radius: f32| {
        let content = library(&format!("!set rings [{{ name \"wave\", lifetime 1, radius {radius} }}]"));
        once(&frame_of(vec![running(1, 0.0)], 0.5), &content).ribbon_points
    };
    let large = ring(160.0);
    let gap = large
        .windows(2)
        .map(|pair| 160.0 - (pair[0].position + pair[1].position).distance(Vec3::new(20.0, 0.0, 0.0)) / 2.0);
    let gap = gap.fold(0.0, number::max);
    assert!(gap < 0.1, "{gap} m are missing between two points");
    assert!(large.len() < 256 && ring(7.0).len() == 49);
}
