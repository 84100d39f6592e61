//! Query built-ins against a world that is a list of points.

use base::{Handle, StringId, Vec3};
use proptest::prelude::*;
use script::bake::{Baking, bake};
use script::check::{Setting, check};
use script::compile::compile;
use script::environment::{Callee, Environment, EvaluationError, evaluate};
use script::machine::{EvaluationContext, Halt, Limits, Outside, Scratch};
use script::parse::parse;
use script::program::Program;
use script::query::{Asked, Filter, Form, Hit, Hits, Joined, JointFound, JointKind, Joints, Question, Want};
use script::row::{Row16, RowView};
use script::value::Value;
use script::write::write;

/// The number of the array of all handles.
const ARRAY: u16 = 4;

/// Objects at integer positions along x, numbered by slot; even ones belong to team 0, odd ones to team 1. Each is
/// joined to the next by a rope and, if it is even, by a hinge.
struct Line {
    count: u16,
    program: Program,
    rows: Vec<Row16>,
    /// Whether it returns its hits in reverse order.
    is_reversed: bool,
}

impl Line {
    fn new(count: u16) -> Line {
        let fields = vec![("mass".to_string(), Value::number(7.0))];
        let program = bake(&Program::default(), Baking { first: &["position", "team"], fields, ..Baking::default() });
        let row = |slot: u16| {
            let mut row = Row16::default();
            row.edit().set(0, Value::vector(place(slot)));
            row.edit().set(1, Value::number(f64::from(slot % 2)));
            row
        };
        Line { count, program, rows: (0..count).map(row).collect(), is_reversed: false }
    }

    fn is_meant(slot: u16, filter: &Filter) -> bool {
        let team = i32::from(slot % 2);
        let is_other = filter.other_than_team.is_none_or(|other| team != other);
        let is_class = [StringId::NONE, StringId::new("point")].contains(&filter.class);
        let is_owned = filter.owner.is_none_or(|owner| owner.is_none() == (slot != 5));
        let is_flagged = filter.flag == StringId::NONE || (filter.flag == StringId::new("far") && slot > 7);
        let is_left = !filter.except.contains(&handle(slot));
        let is_layer = filter.layers.is_none_or(|layers| layers >> slot & 1 == 1);
        filter.team.is_none_or(|of| of == team) && is_other && is_class && is_owned && is_flagged && is_left && is_layer
    }
}

fn handle(slot: u16) -> Handle<()> {
    Handle::new(slot, 9)
}

fn place(slot: u16) -> Vec3 {
    Vec3::new(f32::from(slot), 0.0, 0.0)
}

impl Outside for Line {
    fn object(&self, found: Handle<()>, array: u16) -> Option<(&Program, RowView<'_>)> {
        let row = self.rows.get(usize::from(found.slot()))?;
        (found.generation() == 9 && array == ARRAY).then(|| (&self.program, row.view()))
    }

    fn ask(&self, question: &Question, filter: &Filter, hits: &mut Hits, budget: u64) -> Asked {
        let mut asked = Asked::default();
        for index in 0..self.count {
            if asked.cost == budget {
                return Asked { is_cut: true, ..asked };
            }
            asked.cost += 1;
            let slot = if self.is_reversed { self.count - 1 - index } else { index };
            let at = place(slot);
            let hit = |distance: f32| {
                let (distance, normal) = (distance.into(), Vec3::new(-1.0, 0.0, 0.0));
                Hit { handle: handle(slot), array: ARRAY, distance, at, normal }
            };
            let ball = |form: Form| match form {
                Form::Ball(radius) | Form::Capsule { radius, .. } => radius,
                Form::Box { half, .. } => half.x,
                Form::Object(of) => f32::from(of.slot()),
            };
            if !Line::is_meant(slot, filter) {
                continue;
            }
            let has_room = match *question {
                Question::Within { centre, radius } if f64::from(at.distance(centre)) <= radius => {
                    hits.push(hit(at.distance(centre)))
                }
                Question::Box { least, most } if at.x >= least.x && at.x <= most.x => hits.push(hit(0.0)),
                Question::Nearest { centre, radius_max, count } if f64::from(at.distance(centre)) <= radius_max => {
                    hits.push_nearest(hit(at.distance(centre)), count)
                }
                Question::Ray { from, to, want } if at.x >= from.x && at.x <= to.x => match want {
                    Want::First => hits.push_nearest(hit(at.distance(from)), 1),
                    Want::Any => return if hits.push(hit(0.0)) { asked } else { Asked { is_cut: true, ..asked } },
                    Want::All => hits.push(hit(at.distance(from))),
                },
                Question::Sweep { form, from, to, want } if at.x >= from.x && at.x <= to.x + ball(form) => {
                    let distance = base::number::max(at.x - from.x - ball(form), 0.0);
                    hits.push_nearest(hit(distance), if want == Want::All { u32::MAX } else { 1 })
                }
                Question::Overlap { form, at: place, .. } if at.distance(place) <= ball(form) => hits.push(hit(0.0)),
                Question::Surface { centre, radius_max, want } if f64::from(at.distance(centre)) <= radius_max => {
                    hits.push_nearest(hit(at.distance(centre)), if want == Want::All { u32::MAX } else { 1 })
                }
                Question::All => hits.push(hit(0.0)),
                Question::Count => {
                    asked.count += 1;
                    true
                }
                _ => true,
            };
            if !has_room {
                return Asked { is_cut: true, ..asked };
            }
        }
        asked
    }

    fn joint(&self, joints: &Joints, budget: u64) -> JointFound {
        let mut found = JointFound { next: u32::MAX, ..JointFound::default() };
        for place in joints.from..u32::from(self.count - 1) * 2 {
            if found.cost == budget {
                return JointFound { is_cut: true, ..found };
            }
            found.cost += 1;
            let ends = [handle((place / 2) as u16), handle((place / 2) as u16 + 1)];
            let far = ends.iter().find(|end| **end != joints.of);
            let is_between = ends.contains(&joints.of) && joints.other.is_none_or(|other| ends.contains(&other));
            let kind = if place % 2 == 0 { JointKind::Distance } else { JointKind::Hinge };
            if is_between && (place % 4 != 3) {
                let (way, speed, force, torque, strain) = (place as f32, 0.5, 40.0, 3.0, 0.25);
                let joint =
                    Joined { object: *far.expect("two ends"), array: ARRAY, kind, way, speed, force, torque, strain };
                return JointFound { joint: Some(joint), next: place + 1, ..found };
            }
        }
        found
    }
}

fn run(line: &Line, source: &str, scratch: &mut Scratch) -> Result<String, EvaluationError> {
    let (program, reports) = compile(source, &parse(source), &["this", "position", "team"]);
    assert!(reports.is_empty(), "{source}: {reports:?}");
    let mut environment = Environment::new(&program, 100);
    let this = Value::handle(handle(3), ARRAY);
    environment.set(0, this);
    environment.set(1, Value::vector(place(3)));
    environment.set(2, Value::number(1.0));
    let here = EvaluationContext { program: &program, this, outside: line, now: 0.0, seed: 0 };
    let mut last = Value::NOTHING;
    for statement in &program.statements {
        last = evaluate(here, environment.edit(), Callee::Function(*statement), &[], scratch)?;
    }
    Ok(write(last, &program, scratch.region(), environment.kept()))
}

#[test]
fn hits_have_one_order() {
    let mut line = Line::new(10);
    let slots = |list: &str| format!("map({list}, Lambda(each, each.position.x))");
    let here = "vec(3.25, 0, 0)";
    for (source, expected) in [
        (slots(&format!("within({here}, 1.5)")), "[3, 4, 2]"),
        (slots(&format!("within({here}, 1.5, {{ team 0 }})")), "[4, 2]"),
        (slots("within(vec(3, 0, 0), 1)"), "[3, 2, 4]"),
        (slots("within(vec(3, 0, 0), 0 - 1)"), "[]"),
        (slots("within_box(vec(6, 0, 0), vec(4, 0, 0))"), "[4, 5, 6]"),
        (slots(&format!("nearest_objects({here}, 2, {{ except ~this }})")), "[4, 2]"),
        (slots(&format!("nearest_objects({here}, 2.9, {{ enemy_of 0 }})")), "[3, 5]"),
        (slots("nearest_objects(vec(0, 0, 0), 0)"), "[]"),
        (slots("objects({ flag \"far\" })"), "[8, 9]"),
        (slots("objects({ class \"ship\" })"), "[]"),
        (slots("objects({ class \"point\", owner ~this })"), "[5]"),
        ("count_objects({ owner nothing })".into(), "9"),
        ("count_objects({ except [~this, nearest_object(vec(0, 0, 0), 1)] })".into(), "8"),
        (format!("nearest_object({here}, 9).position.x"), "3"),
        ("nearest_object(vec(-9, 0, 0), 5)".into(), "nothing"),
        ("nearest_object(vec(-9, 0, 0), 5).position.x".into(), "nothing"),
        ("ray_first(vec(2.5, 0, 0), vec(9, 0, 0)).distance".into(), "0.5"),
        ("ray_first(vec(2.5, 0, 0), vec(9, 0, 0), { team 0 }).object.team".into(), "0"),
        ("ray_first(vec(9.5, 0, 0), vec(9.7, 0, 0))".into(), "nothing"),
        ("ray_any(vec(2.5, 0, 0), vec(9, 0, 0))".into(), "true"),
        ("map(ray_all(vec(6.5, 0, 0), vec(9, 0, 0)), Lambda(met, met.at.x))".into(), "[7, 8, 9]"),
        ("sweep_first(0.25, vec(2.5, 0, 0), vec(9, 0, 0)).distance".into(), "0.25"),
        ("sweep_first(vec(0.25, 1, 1), vec(2.5, 0, 0), vec(9, 0, 0), { team 0 }).distance".into(), "1.25"),
        ("sweep_first({ radius 0.25, length 2 }, vec(9.5, 0, 0), vec(9.7, 0, 0))".into(), "nothing"),
        ("sweep_any({ half vec(0.5, 1, 1), facing vec(0, 1, 0) }, vec(8.2, 0, 0), vec(8.6, 0, 0))".into(), "true"),
        ("sweep_any({ radius 0.5, length 0 }, vec(8.2, 0, 0), vec(8.4, 0, 0))".into(), "false"),
        ("map(sweep_all(0, vec(6.5, 0, 0), vec(9, 0, 0)), Lambda(met, met.at.x))".into(), "[7, 8, 9]"),
        ("sweep_first(0, vec(6.5, 0, 0), vec(9, 0, 0)).normal.x".into(), "-1"),
        (slots("overlap_all(1.5, vec(4.2, 0, 0))"), "[3, 4, 5]"),
        (slots("overlap_all(~this, vec(0, 0, 0), { layer [1, 3, 40] })"), "[1, 3]"),
        (slots("objects({ layer #4 })"), "[4]"),
        ("overlap_any(0.1, vec(4.2, 0, 0))".into(), "false"),
        ("surface_first(vec(4.2, 0, 0), 3).object.position.x".into(), "4"),
        ("surface_first(vec(4.2, 0, 0), 0 - 1)".into(), "nothing"),
        ("map(surface_all(vec(4.25, 0, 0), 1), Lambda(met, met.distance))".into(), "[0.25, 0.75]"),
        ("joint_between(~this, nearest_object(vec(2, 0, 0), 0)).kind = \"hinge\"".into(), "true"),
        ("joint_between(~this, nearest_object(vec(4, 0, 0), 0)).kind = \"distance\"".into(), "true"),
        ("joint_between(~this, nearest_object(vec(5, 0, 0), 0))".into(), "nothing"),
        ("joint_between(~this, nothing)".into(), "nothing"),
        ("map(joints_of(~this), Lambda(joint, joint.way))".into(), "[4, 5, 6]"),
        ("map(joints_of(~this), Lambda(joint, joint.object.position.x))".into(), "[2, 2, 4]"),
        ("is_living(~this) and is_living(nearest_object(vec(0, 0, 0), 1))".into(), "true"),
        ("nearest_object(vec(0, 0, 0), 1).mass".into(), "7"),
    ] {
        for is_reversed in [false, true] {
            line.is_reversed = is_reversed;
            let mut scratch = Scratch::new(Limits::default());
            assert_eq!(run(&line, &source, &mut scratch).as_deref(), Ok(expected), "{source}");
            assert!(scratch.complaints().is_empty(), "{source}: {:?}", scratch.complaints());
        }
    }
}

#[test]
fn ray_hits_are_records() {
    let found = run(&Line::new(3), "ray_first(vec(0.5, 0, 0), vec(2, 0, 0))", &mut Scratch::new(Limits::default()));
    let found = found.unwrap();
    assert!(found.starts_with("{ at vec(1, 0, 0), distance 0.5, normal vec(-1, 0, 0), object ~"), "{found}");
    let found = run(&Line::new(5), "joints_of(~this)[0]", &mut Scratch::new(Limits::default())).unwrap();
    assert!(found.starts_with("{ force 40, kind \"distance\", object ~"), "{found}");
    assert!(found.ends_with(", speed 0.5, strain 0.25, torque 3, way 4 }"), "{found}");
}

#[test]
fn invalid_arguments_are_reported_and_ignored() {
    for (source, expected, complaint) in [
        (
            "count_objects({ tema 1 })",
            "10",
            "expected a field of a filter: class, team, enemy_of, owner, flag, except or layer, found string",
        ),
        ("count_objects({ team \"red\" })", "10", "expected the number of a team, found string"),
        ("count_objects({ layer \"high\" })", "0", "expected the number of a layer, found string"),
        (
            "overlap_all(\"ball\", vec(0, 0, 0))",
            "[]",
            "expected a shape: a radius, a vector of half the sides of a box, an object, or a record of radius, length, half and facing, found string",
        ),
        (
            "overlap_any({ radius 1, width 3 }, vec(0, 0, 0))",
            "true",
            "expected a field of a shape: radius, length, half or facing, found string",
        ),
        ("sweep_any({ half 3 }, vec(0, 0, 0), vec(0, 0, 0))", "true", "expected vector, found number"),
        ("joints_of(3)", "[]", "expected an object's handle, found number"),
        ("count_objects({ class 3 })", "10", "expected a string, found number"),
        ("count_objects({ owner 3 })", "9", "expected an object's handle, found number"),
        ("count_objects(3)", "10", "expected a filter such as `{ class \"ship\" }`, found number"),
        ("within(3, 4)", "[", "expected vector, found number"),
        ("is_living(3)", "false", "expected handle, found number"),
    ] {
        let mut scratch = Scratch::new(Limits::default());
        let found = run(&Line::new(10), source, &mut scratch).unwrap();
        assert!(found.starts_with(expected), "{source}: {found}");
        assert_eq!(scratch.complaints().iter().map(ToString::to_string).collect::<Vec<_>>(), [complaint], "{source}");
    }
}

#[test]
fn a_query_beyond_its_budget_ends_the_evaluation() {
    let line = Line::new(6000);
    let halt =
        |source: &str, limits: Limits| run(&line, source, &mut Scratch::new(limits)).map_err(|trouble| trouble.halt);
    let limits = Limits::default();
    assert_eq!(halt("count_objects()", limits), Ok("6000".into()));
    assert_eq!(halt("count(objects())", limits), Err(Halt::Memory));
    assert_eq!(halt("count(objects({ team 1 }))", limits), Ok("3000".into()));
    assert_eq!(halt("count_objects()", Limits { fuel: 5_000, ..limits }), Err(Halt::Fuel));
    assert_eq!(halt("count(objects({ team 1 }))", Limits { fuel: 8_000, ..limits }), Err(Halt::Fuel));
    assert_eq!(halt("ray_any(vec(0, 0, 0), vec(9, 9, 9))", Limits { fuel: 50, ..limits }), Ok("true".into()));
    assert_eq!(halt("count(joints_of(~this))", Limits { fuel: 500, ..limits }), Err(Halt::Fuel));
    assert_eq!(halt("joint_between(~this, nothing)", Limits { fuel: 500, ..limits }), Err(Halt::Fuel));
    assert_eq!(halt("sweep_any(1, vec(0, 0, 0), vec(9, 0, 0))", Limits { fuel: 500, ..limits }), Err(Halt::Fuel));
    let mut scratch = Scratch::new(limits);
    scratch.restrict(Limits { values: 100, ..limits });
    assert_eq!(run(&line, "count(objects())", &mut scratch).map_err(|trouble| trouble.halt), Err(Halt::Memory));
}

#[test]
fn query_results_are_not_memoised() {
    let source =
        "!set f Cached Lambda(n, count(within(vec(0, 0, 0), n)) + sum(range(20)))\n!set g Lambda(f(3))\nf(3) + g()";
    let mut scratch = Scratch::new(Limits::default());
    for count in [2_u16, 3, 4, 9] {
        let expected = 2 * (190 + count.min(4));
        assert_eq!(run(&Line::new(count), source, &mut scratch), Ok(expected.to_string()));
    }
}

#[test]
fn filters_are_checked_at_compile_time() {
    let told = |source: &str| {
        let reports = check(source, &parse(source), &Setting::default()).reports;
        reports.into_iter().map(|report| format!("{} ({})", report.message, report.help)).collect::<Vec<_>>()
    };
    assert_eq!(told("objects({ class \"ship\", team 1, except ~this })"), [""; 0]);
    assert_eq!(told("objects({ tema 1 })"), ["a filter has no field `tema` (did you mean `team`?)"]);
    assert_eq!(
        told("ray_any(vec(0, 0, 0), vec(1, 1, 1), { colour 1 })"),
        ["a filter has no field `colour` (a filter has class, team, enemy_of, owner, flag, except, layer)"]
    );
    assert_eq!(told("ray_first(vec(0, 0, 0), vec(1, 1, 1)).object.hull"), [""; 0]);
    assert_eq!(told("sweep_any({ radius 1, length 2 }, vec(0, 0, 0), vec(1, 1, 1), { layer [1] })"), [""; 0]);
    assert_eq!(
        told("overlap_any({ radios 1 }, vec(0, 0, 0))"),
        ["a shape has no field `radios` (did you mean `radius`?)"]
    );
    assert_eq!(told("joint_between(~this, ~this).strain > 0.8"), [""; 0]);
    assert_eq!(told("!set x joint_between(~this, ~this).strane").len(), 1);
    assert_eq!(told("!set x 3 + nearest_objects(vec(0, 0, 0), 3)").len(), 1);
}

proptest! {
    #[test]
    fn any_answer_of_the_world_is_handled(
        cost in prop_oneof![0..10_u64, any::<u64>()],
        is_cut in any::<bool>(),
        found in prop::collection::vec((any::<u32>(), any::<u16>(), any::<u64>()), 0..20),
    ) {
        struct Liar(Asked, Vec<Hit>);
        impl Outside for Liar {
            fn object(&self, _: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
                None
            }
            fn ask(&self, _: &Question, _: &Filter, hits: &mut Hits, _: u64) -> Asked {
                self.1.iter().for_each(|hit| assert!(hits.push(*hit)));
                self.0
            }
        }
        let hit = |(raw, array, bits)| Hit { handle: Handle::from_raw(raw), array, distance: f64::from_bits(bits), at: Vec3::default(), normal: Vec3::default() };
        let count = found.len();
        let liar = Liar(Asked { cost, is_cut, count: u64::MAX }, found.into_iter().map(hit).collect());
        let source = "count(ray_all(vec(0, 0, 0), vec(1, 0, 0))) + count(objects()) + count_objects() * 0";
        let (program, _) = compile(source, &parse(source), &[]);
        let mut environment = Environment::new(&program, 100);
        let place = EvaluationContext { program: &program, this: Value::NOTHING, outside: &liar, now: 0.0, seed: 0 };
        let mut scratch = Scratch::new(Limits::default());
        let result = evaluate(place, environment.edit(), Callee::Function(program.statements[0]), &[], &mut scratch);
        match result {
            Ok(value) => prop_assert_eq!(value.as_number(), Some(2.0 * count as f64)),
            Err(trouble) => prop_assert!(is_cut || cost > 10, "{:?}", trouble),
        }
    }
}
