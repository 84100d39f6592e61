//! Containers answer as a linear scan does, after any changes.

use crate::common;

use base::{Handle, StringId, Vec3};
use common::stage::{Request, meeting, naive, puppets};
use common::{Scene, cases};
use proptest::prelude::*;
use state::Settings;
use world::Object;
use world::question::{Filter, Question, Want};

const CELL: f32 = 16.0;

/// A coordinate: on borders of cells, beside them, coincident, huge, or arbitrary.
fn coordinate() -> BoxedStrategy<f32> {
    let coordinate = prop_oneof![
        4 => (-4_i32..=4).prop_map(|cells| cells as f32 * CELL),
        2 => (-4_i32..=4, any::<bool>()).prop_map(|(cells, up)| {
            let border = cells as f32 * CELL;
            if up { border.next_up() } else { border.next_down() }
        }),
        2 => prop_oneof![Just(0.0_f32), Just(1.0), Just(-1.0), Just(5.0)],
        6 => -80.0_f32..80.0,
        1 => prop_oneof![Just(16_777_216.0_f32), Just(-16_777_216.0), Just(1e6), Just(-123_456.7)],
    ];
    coordinate.boxed()
}

fn place() -> BoxedStrategy<Vec3> {
    (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z)).boxed()
}

fn placed() -> impl Strategy<Value = Vec<(usize, Vec3, u32)>> {
    prop::collection::vec((0..4_usize, place(), 0..32_u32), 0..40)
}

fn radius() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(16.0),
        Just(32.0),
        Just(f64::INFINITY),
        Just(1e30),
        0.0..5.0,
        0.0..200.0,
        Just(-3.0),
        Just(f64::NAN)
    ]
}

fn question() -> BoxedStrategy<Question> {
    let want = prop_oneof![Just(Want::First), Just(Want::Any), Just(Want::All)];
    let count = prop_oneof![1..4_u32, Just(0), Just(100), Just(u32::MAX)];
    let question = prop_oneof![
        (place(), radius()).prop_map(|(centre, radius)| Question::Within { centre, radius }),
        (place(), place()).prop_map(|(one, other)| Question::Box { least: one.min(other), most: one.max(other) }),
        (place(), place()).prop_map(|(least, most)| Question::Box { least, most }),
        (place(), radius(), count).prop_map(|(centre, radius_max, count)| Question::Nearest {
            centre,
            radius_max,
            count
        }),
        (place(), place(), want).prop_map(|(from, to, want)| Question::Ray { from, to, want }),
        Just(Question::All),
        Just(Question::Count),
    ];
    question.boxed()
}

/// A filter whose handles are still numbers of objects.
fn filter() -> BoxedStrategy<FilterParts> {
    let class = prop_oneof![
        Just("object"),
        Just("thing"),
        Just("puppet"),
        Just("doll"),
        Just("rock"),
        Just("scenario"),
        Just("nonsense")
    ];
    let team = || prop_oneof![0..32_i32, prop_oneof![Just(-1), Just(32), Just(99), Just(i32::MIN)]];
    let parts = (
        prop::option::weighted(0.4, class),
        prop::option::weighted(0.3, team()),
        prop::option::weighted(0.3, team()),
        prop::option::weighted(0.2, 0..60_usize),
        prop::option::weighted(0.2, prop_oneof![Just("armed"), Just("marked"), Just("nothing")]),
        0..60_usize,
    );
    parts.boxed()
}

type FilterParts = (Option<&'static str>, Option<i32>, Option<i32>, Option<usize>, Option<&'static str>, usize);

fn filter_of(scene: &Scene, (class, team, other_than_team, owner, flag, except): FilterParts) -> Filter {
    let all_objects = scene.all_objects();
    let who = |number: usize| all_objects.get(number).map_or(Handle::NONE, |(handle, _)| handle.cast());
    Filter {
        class: class.map_or(StringId::NONE, StringId::from),
        team,
        other_than_team,
        owner: owner.map(who),
        flag: flag.map_or(StringId::NONE, StringId::from),
        except: [who(except), Handle::NONE],
        layers: None,
    }
}

/// The world answers as a linear scan does. Rays are computed in single precision: grazing hits may go either way.
fn check(scene: &Scene, question: &Question, filter: &Filter) {
    let answer = scene.ask(question, filter);
    let truth = naive(scene, question, filter);
    assert!(!answer.is_cut, "{question:?}");
    let capacity = u64::from(scene.rules.parts.objects.capacity());
    assert!(answer.cost <= 64 * capacity + 64, "{question:?} cost {}", answer.cost);
    match *question {
        Question::Count => {
            assert_eq!((answer.count, answer.found.len()), (truth.len() as u64, 0), "{filter:?}");
        }
        Question::Ray { from, to, want } => {
            let length = f64::from((to - from).length());
            let all_objects = scene.all_objects();
            let object = |handle: Handle<Object>| {
                all_objects.iter().find(|(other, _)| *other == handle).expect("the object exists").1
            };
            for pair in answer.found.windows(2) {
                let order = pair[0].1.total_cmp(&pair[1].1).then(pair[0].0.slot().cmp(&pair[1].0.slot()));
                assert!(order.is_lt(), "{question:?}: {:?}", answer.found);
            }
            // A hit of a slightly smaller sphere is certain, and so is a miss of a slightly larger one.
            let slack = 1e-5 * (length + 1.0) as f32;
            let sized =
                |object: Object, by: f32| Object { radius: base::number::max(object.radius + by, 0.0), ..object };
            for (handle, _) in &answer.found {
                assert!(
                    meeting(&sized(object(*handle), slack), from, to).is_some(),
                    "{question:?} reports {handle:?}, which it does not hit"
                );
            }
            if want == Want::All {
                for (handle, distance) in &truth {
                    let smaller = sized(object(*handle), -slack);
                    let is_sure = meeting(&smaller, from, to).is_some_and(|at| at < length - f64::from(slack))
                        && *distance < length - f64::from(slack);
                    let is_found = answer.found.iter().any(|(other, _)| other == handle);
                    assert!(
                        is_found || !is_sure || smaller.radius == 0.0,
                        "{question:?} misses {handle:?} at {distance}"
                    );
                }
            } else {
                assert!(answer.found.len() <= 1);
                let all = scene.ask(&Question::Ray { from, to, want: Want::All }, filter);
                assert_eq!(answer.found.first(), all.found.first(), "{question:?}");
            }
        }
        _ => assert_eq!(answer.found, truth, "{question:?} {filter:?}"),
    }
}

const REQUESTS: [&str; 14] =
    ["go", "move", "speed", "face", "team", "join", "own", "give", "attach", "detach", "flag", "mark", "end", "make"];

const PLAIN: Settings = Settings { is_checked: false, garbage: 0xdd, shuffle: 0 };

proptest! {
    #![proptest_config(cases(40, 40))]

    #[test]
    fn queries_match_a_linear_scan(
        placed in placed(),
        questions in prop::collection::vec((question(), filter()), 24),
    ) {
        let mut scene = puppets(&placed, CELL, PLAIN);
        scene.run(1);
        scene.assert_containers_hold();
        for (question, parts) in questions {
            check(&scene, &question, &filter_of(&scene, parts));
            check(&scene, &question, &Filter::default());
        }
    }

    #[test]
    fn a_cut_query_reports_it_and_stays_within_its_budget(
        placed in placed(),
        question in question(),
        room in 0..6_usize,
        budget in 0..40_u64,
    ) {
        let mut scene = puppets(&placed, CELL, PLAIN);
        scene.run(1);
        let whole = scene.ask(&question, &Filter::default());
        let cut = scene.ask_with(&question, &Filter::default(), room, u64::MAX);
        prop_assert_eq!(cut.is_cut, whole.found.len() > room, "{:?}", question);
        let poor = scene.ask_with(&question, &Filter::default(), usize::MAX, budget);
        prop_assert!(poor.is_cut || (poor.found == whole.found && poor.count == whole.count), "{:?}", question);
        prop_assert!(poor.is_cut == (whole.cost > budget), "{:?}: {} of {}", question, whole.cost, budget);
        prop_assert!(poor.cost <= whole.cost);
    }
}

proptest! {
    #![proptest_config(cases(24, 40))]

    #[test]
    fn containers_stay_consistent_after_any_changes(
        placed in placed(),
        requests in prop::collection::vec(prop::collection::vec((0..REQUESTS.len(), 0..60_usize, 0..60_usize, place(), 0..34_u32), 0..12), 12),
        questions in prop::collection::vec((question(), filter()), 12),
    ) {
        let mut scene = puppets(&placed, CELL, PLAIN);
        for requests in requests {
            let all_objects = scene.all_objects();
            let who = |number: usize| all_objects.get(number).map_or(Handle::NONE, |(handle, _)| *handle);
            for (name, one, other, place, number) in requests {
                // The director is the first object.
                let one = if one == 0 { 1 } else { one };
                scene.request(Request { name: REQUESTS[name], who: who(one), other: who(other), place, number });
            }
            scene.run(1);
            scene.assert_containers_hold();
            // A moved object arrives with its next cycle; a spawned one is created in that cycle, and settles in the
            // one after.
            for _ in 0..2 {
                scene.run(1);
                scene.assert_containers_hold();
            }
            scene.assert_settled();
        }
        for (question, parts) in questions {
            check(&scene, &question, &filter_of(&scene, parts));
        }
    }
}

#[test]
fn the_nearest_object_is_found_at_any_distance() {
    for few in 1..20 {
        let placed: Vec<_> = (0..few).map(|number| (0, Vec3::new(100.0 * (number + 1) as f32, 0.0, 0.0), 1)).collect();
        let mut scene = puppets(&placed, CELL, PLAIN);
        scene.run(1);
        for radius_max in [150.0, 1000.0, f64::INFINITY] {
            let question = Question::Nearest { centre: Vec3::ZERO, radius_max, count: 3 };
            let filter = Filter { team: Some(1), ..Filter::default() };
            check(&scene, &question, &filter);
        }
    }
}

#[test]
fn objects_without_an_owner_can_be_queried() {
    let mut scene = puppets(&[(0, Vec3::ZERO, 1), (1, Vec3::X, 2)], CELL, PLAIN);
    scene.run(1);
    let filter = Filter { owner: Some(Handle::NONE), ..Filter::default() };
    check(&scene, &Question::All, &filter);
    assert_eq!(scene.ask(&Question::Count, &filter).count, 3);
}

#[test]
fn excluding_an_unknown_team_excludes_nothing() {
    let mut scene = puppets(&[(0, Vec3::ZERO, 31), (1, Vec3::X, 2)], CELL, PLAIN);
    scene.run(1);
    for team in [-1, 32, 99] {
        check(&scene, &Question::All, &Filter { other_than_team: Some(team), ..Filter::default() });
    }
}

#[test]
fn an_inverted_box_is_empty() {
    let mut scene = puppets(&[(0, Vec3::ZERO, 1)], CELL, PLAIN);
    scene.run(1);
    let (least, most) = (Vec3::new(-1e7, -1e7, 100.0), Vec3::new(1e7, 1e7, -100.0));
    let answer = scene.ask(&Question::Box { least, most }, &Filter::default());
    assert_eq!((answer.found, answer.cost), (vec![], 0));
}

#[test]
fn a_long_ray_hits_only_objects_in_its_path() {
    let placed: Vec<_> =
        (0..30).map(|number| (1, Vec3::new(9000.0 + 100.0 * number as f32, 3.0 + number as f32, 0.0), 1)).collect();
    let mut scene = puppets(&placed, CELL, PLAIN);
    scene.run(1);
    let question = Question::Ray { from: Vec3::ZERO, to: Vec3::new(20_000.0, 0.0, 0.0), want: Want::All };
    assert_eq!(scene.ask(&question, &Filter::default()).found, []);
}
