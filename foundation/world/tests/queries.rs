//! Every query of a world by the example in its row, and how queries take their arguments.

use crate::common;

use common::{SCENARIO, Scene};
use script::builtin;
use script::check::{Setting, check};
use script::compile::{begin, extend};
use script::effect::STANDARD;
use script::environment::{Callee, Environment, EvaluationError, evaluate};
use script::machine::{EvaluationContext, Halt, Limits, Scratch};
use script::parse::parse;
use script::value::Value;
use script::write::write;
use world::object::value_of;
use world::queries::{QUERIES, SIGNATURES};

/// Two balls that are joined by a hinge, a metre in radius, five metres apart.
fn pair() -> Scene {
    let level = "@scenario\n!set objects_max 64\n!set bodies_max 32\n!set placements [{ object \"this.object\" }, { object \"other.object\", position vec(5, 0, 0), team 2 }]\n";
    let ball = "@object\n!set body { shape \"sphere\", radius 1, gravity 0, layer 3 }\n";
    let this = format!(
        "{ball}!set OnSpawn Lambda(unused, [ !Connect(~this, nearest_object(vec(5, 0, 0), 1), \"hinge\"), !Flag(\"armed\", true) ]())\n"
    );
    let globals = "@globals\n!set flags [\"armed\"]\n";
    let texts =
        [("this.object", this.as_str()), ("other.object", ball), ("globals.globals", globals), (SCENARIO, level)];
    let mut scene = Scene::new(&[], &texts);
    scene.run(4);
    assert_eq!(scene.conditions(), []);
    scene
}

/// Evaluates an expression that asks a world about two of its objects.
fn ask(scene: &Scene, source: &str, scratch: &mut Scratch) -> Result<String, EvaluationError> {
    let tree = parse(source);
    let (program, reports) = extend(begin(&["this", "other"], &[], &SIGNATURES), source, &tree);
    assert_eq!([tree.reports, reports].concat(), [], "{source}");
    let mut environment = Environment::new(&program, 100);
    for (variable, path) in ["this.object", "other.object"].into_iter().enumerate() {
        environment.set(variable as u32, scene.all(path).first().map_or(Value::NOTHING, |found| value_of(*found)));
    }
    let sight = scene.rules.sight(&scene.world);
    let place = EvaluationContext { program: &program, this: Value::NOTHING, outside: &sight, now: 0.0, seed: 0 };
    let result = evaluate(place, environment.edit(), Callee::Function(program.statements[0]), &[], scratch)?;
    Ok(write(result, &program, scratch.region(), environment.kept()))
}

fn told(source: &str) -> Vec<String> {
    let setting = Setting { effects: STANDARD, queries: &SIGNATURES, ..Setting::default() };
    let reports = check(source, &parse(source), &setting).reports;
    reports.into_iter().map(|report| format!("{} ({})", report.message, report.help)).collect()
}

#[test]
fn the_example_of_every_query_gives_its_result() {
    let scene = pair();
    for row in &QUERIES {
        let (example, expected) = row.query.example;
        let mut scratch = Scratch::new(Limits::default());
        assert_eq!(ask(&scene, example, &mut scratch).as_deref(), Ok(expected), "{example}");
        assert_eq!(scratch.complaints(), [], "{example}");
        assert_eq!(told(example), [""; 0], "{example}");
    }
}

#[test]
fn every_row_has_a_signature_help_and_a_name_of_its_own() {
    for (number, query) in SIGNATURES.iter().enumerate() {
        let signature = query.signature().expect(query.name);
        assert_eq!(signature.name, query.name);
        (0..6).for_each(|count| assert_eq!(signature.takes(count), query.takes(count), "{} with {count}", query.name));
        assert!(!query.help.is_empty() && query.cost > 0, "{}", query.name);
        assert!(builtin::find(query.name).is_none(), "{} is built in", query.name);
        assert_eq!(SIGNATURES.iter().position(|other| other.name == query.name), Some(number));
        for record in query.records {
            assert!(signature.parameter(record.index).is_some(), "{}: {}", query.name, record.what);
        }
    }
}

#[test]
fn filters_and_shapes_are_written_as_records() {
    let scene = pair();
    for (source, expected) in [
        ("count(within(vec(0, 0, 0), 0 - 1))", "0"),
        ("count(within_box(vec(6, 1, 1), vec(4, -1, -1)))", "1"),
        ("count(nearest_objects(vec(0, 0, 0), 1.9, { except ~this }))", "1"),
        ("nearest_objects(vec(0, 0, 0), 0)", "[]"),
        ("nearest_object(vec(0, 0, 0), 3, { except ~this })", "nothing"),
        ("nearest_object(vec(0, 0, 0), 9, { except [~this] }) = other", "true"),
        ("nearest_object(vec(0, 0, 0), 9, { except [~this, other] })", "nothing"),
        ("count(objects({ flag \"armed\" }))", "1"),
        ("objects({ class \"ship\" })", "[]"),
        ("objects({ owner ~this })", "[]"),
        ("count_objects({ enemy_of 2, class \"object\" }) = count_objects({ class \"object\" }) - 1", "true"),
        ("count(objects({ layer [1, 3, 40] }))", "2"),
        ("count(objects({ layer #3, team #2 }))", "1"),
        ("ray_first(vec(0, 9, 0), vec(5, 9, 0))", "nothing"),
        ("sweep_first({ radius 0.5, length 0 }, vec(2, 0, 0), vec(9, 0, 0)).object = other", "true"),
        ("sweep_any({ half vec(0.5, 1, 1), facing vec(0, 1, 0) }, vec(2, 0, 0), vec(9, 0, 0))", "true"),
        ("sweep_any(nothing, vec(2, 0, 0), vec(9, 0, 0))", "false"),
        ("overlap_all(~this, vec(4, 0, 0))[#0] = other", "true"),
        ("overlap_all(nothing, vec(4, 0, 0))", "[]"),
        ("surface_first(vec(3, 0, 0), 0 - 1)", "nothing"),
        ("map(surface_all(vec(3, 0, 0), 9), Lambda(met, met.distance))", "[1, 2]"),
        ("joint_between(~this, nothing)", "nothing"),
        ("joint_between(other, ~this).object = ~this", "true"),
        ("joints_of(~this)[#0].object = other", "true"),
        ("joints_of(nothing)", "[]"),
    ] {
        let mut scratch = Scratch::new(Limits::default());
        assert_eq!(ask(&scene, source, &mut scratch).as_deref(), Ok(expected), "{source}");
        assert_eq!(scratch.complaints(), [], "{source}");
    }
}

#[test]
fn hits_and_joints_are_records() {
    let scene = pair();
    let mut scratch = Scratch::new(Limits::default());
    let found = ask(&scene, "ray_first(vec(2, 0, 0), vec(9, 0, 0))", &mut scratch).unwrap();
    assert!(found.starts_with("{ at vec(4, 0, 0), distance 2, normal vec(-1, 0, 0), object ~"), "{found}");
    let found = ask(&scene, "joints_of(~this)[#0]", &mut scratch).unwrap();
    assert!(found.starts_with("{ force 0, kind \"hinge\", object ~"), "{found}");
    assert!(found.ends_with(", speed 0, strain 0, torque 0, way 0 }"), "{found}");
}

#[test]
fn invalid_arguments_are_complaints_and_ignored() {
    let scene = pair();
    let all = ask(&scene, "count_objects()", &mut Scratch::new(Limits::default())).unwrap();
    for (source, expected, complaint) in [
        (
            "count_objects({ tema 1 })",
            all.as_str(),
            "expected a field of a filter: class, team, enemy_of, owner, flag, except or layer, found string",
        ),
        ("count_objects({ team \"red\" })", &all, "expected the number of a team, found string"),
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
        ("sweep_any({ half 3 }, vec(0, 0, 0), vec(9, 0, 0))", "false", "expected vector, found number 3"),
        ("joints_of(3)", "[]", "expected an object's handle, found number 3"),
        ("count_objects({ class 3 })", &all, "expected a string, found number 3"),
        ("count_objects({ owner 3 })", &all, "expected an object's handle, found number 3"),
        ("count_objects(3)", &all, "expected a filter such as `{ class \"ship\" }`, found number 3"),
        ("count(within(3, 4))", "1", "expected vector, found number 3"),
    ] {
        let mut scratch = Scratch::new(Limits::default());
        assert_eq!(ask(&scene, source, &mut scratch).as_deref(), Ok(expected), "{source}");
        let complaints: Vec<String> = scratch.complaints().iter().map(ToString::to_string).collect();
        assert_eq!(complaints, [complaint], "{source}");
    }
}

#[test]
fn a_query_beyond_its_budget_ends_the_evaluation() {
    let placements: Vec<String> =
        (0..200).map(|number| format!("{{ object \"this.object\", position vec({number}, 0, 0) }}")).collect();
    let level = format!("@scenario\n!set objects_max 300\n!set placements [{}]\n", placements.join(", "));
    let mut scene = Scene::new(&[], &[("this.object", "@object\n"), (SCENARIO, &level)]);
    scene.run(2);
    let limits = Limits::default();
    let halt =
        |source: &str, limits: Limits| ask(&scene, source, &mut Scratch::new(limits)).map_err(|trouble| trouble.halt);
    let filter = "{ class \"object\", except nearest_object(vec(0, 0, 0), 0) }";
    assert_eq!(halt("count(within(vec(0, 0, 0), 99.5))", limits), Ok("100".into()));
    assert_eq!(halt("count(within(vec(0, 0, 0), 99.5))", Limits { fuel: 100, ..limits }), Err(Halt::Fuel));
    assert_eq!(halt("count(within(vec(0, 0, 0), 99.5))", Limits { values: 50, ..limits }), Err(Halt::Memory));
    assert_eq!(halt(&format!("count_objects({filter}) > 190"), limits), Ok("true".into()));
    assert_eq!(halt("count_objects()", Limits { fuel: 50, ..limits }), Err(Halt::Fuel));
    assert_eq!(halt("sweep_any(1, vec(0, 0, 0), vec(9, 0, 0))", Limits { fuel: 50, ..limits }), Err(Halt::Fuel));
    let mut scratch = Scratch::new(limits);
    scratch.restrict(Limits { values: 100, ..limits });
    assert_eq!(ask(&scene, "count(objects())", &mut scratch).map_err(|trouble| trouble.halt), Err(Halt::Memory));
    // The list of hits has its full capacity again.
    assert_eq!(halt("count(within(vec(0, 0, 0), 149.5))", limits), Ok("150".into()));
}

#[test]
fn fields_of_filters_and_shapes_are_checked() {
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
