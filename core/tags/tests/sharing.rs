//! What tags share: defaults that are lambdas, libraries, and tags made from others.

use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::report::Severity;
use script::value::Value;
use tags::Classes;
use tags::compose::{Layer, Parent};
use tags::header_set::{Header, read_all_with};
use tags::pack::{PackOutcome, Prepared};
use tags::packed::{Reflected, ReflectedRecord};

const COMBAT: &str = "// What all ships know.
!set mitigate Lambda(damage, damage * (1 - armour / 100))
!set unused Lambda(x, x)
!set tick_ms 250
!set OnHit Lambda(damage, mitigate(damage))
";

const SHIP: &str = r#"@EnvironmentHeader
!set Namespace "ship"
!set Open true
!set Use "lib/combat.lscript"
!set Attributes [
    { name "armour", type "f32", default 20, range [0, 100] },
    { name "hull", type "f32", default 100 },
    { name "hull_max", type "f32", default hull * 2 },
    { name "twice", type "lambda", default Lambda(x, x * 2) },
    { name "speed", type "formula", default Lambda(load, hull - load) },
    { name "OnSpawn", default Lambda(nobody, twice(hull)) },
    { name "body", type "record", fields [{ name "mass", type "f32", default 3 }, { name "size", type "f32", default 1 }] }
]
"#;

fn classes(headers: &[&str]) -> Classes {
    let headers: Vec<Header<'_>> = headers.iter().map(|source| Header { origin: "x.header", source }).collect();
    let mut classes = Classes::new();
    let libraries = |path: &str| match path {
        "lib/combat.lscript" => Ok(String::from(COMBAT)),
        "testgame/h_testobject_init.lsc" => Ok(String::from("!set MaxHealth 100\n!set CurHealth MaxHealth\n")),
        _ => Err(String::from("there are others")),
    };
    for declared in read_all_with(&headers, &Classes::new(), &Classes::new(), &libraries) {
        assert!(declared.reports.is_empty(), "{:?}", declared.reports);
        classes.add_table(declared.class.expect("a class")).expect("it is sound");
    }
    classes
}

fn field<'a>(record: ReflectedRecord<'a>, name: &str) -> Reflected<'a> {
    record.fields().find(|(field, _)| field.name == name).expect("a field").1
}

fn number(prepared: &Prepared, made: &PackOutcome, name: &str) -> f64 {
    match field(made.packed.reflect(prepared.class()), name) {
        Reflected::Number(number) => number,
        other => panic!("{name}: {other:?}"),
    }
}

/// Calls the lambda that a field or a name holds.
fn call(prepared: &Prepared, made: &PackOutcome, name: &str, argument: f64) -> f64 {
    let program = script::binary::decode(made.packed.program(), &[]).expect("it was packed");
    let (mut environment, mut scratch) = (Environment::new(&program, 256), Scratch::new(Limits::default()));
    for statement in &program.statements {
        environment.evaluate(&program, *statement, &[], &mut scratch).expect("it ends");
    }
    // As the world does: the fields have the values of the tag.
    for (field, value) in made.packed.reflect(prepared.class()).fields() {
        if let (Reflected::Number(number), Some(variable)) = (value, program.variable(&field.name)) {
            environment.set(variable, Value::number(number));
        }
    }
    let lambda = environment.get(program.variable(name).expect("a name"));
    let function = lambda.as_function().expect("a lambda");
    let result = environment.evaluate(&program, function, &[Value::number(argument)], &mut scratch);
    result.expect("it ends").as_number().expect("a number")
}

fn pack(prepared: &Prepared, source: &str, parents: &[(&str, &str)]) -> PackOutcome {
    let trees: Vec<_> = parents.iter().map(|(_, text)| parse(text)).collect();
    let parents: Vec<Parent<'_>> =
        parents.iter().zip(&trees).map(|((path, source), tree)| Parent { path, source, tree }).collect();
    prepared.pack_from(source, &parse(source), &parents)
}

#[test]
fn a_default_may_be_a_lambda_or_a_formula() {
    let classes = classes(&[SHIP]);
    let ship = classes.get("ship").expect("a class");
    assert_eq!(ship.check_shared().0, []);
    let made = ship.pack_text("@ship\n!set hull 30\n");
    assert!(made.reports.is_empty() && made.inherited.is_empty(), "{:?} {:?}", made.reports, made.inherited);
    assert_eq!((number(ship, &made, "hull"), number(ship, &made, "hull_max")), (30.0, 60.0));
    assert_eq!((call(ship, &made, "twice", 4.0), call(ship, &made, "OnSpawn", 0.0)), (8.0, 60.0));
    assert_eq!(call(ship, &made, "speed", 10.0), 20.0);
    let own = ship.pack_text("@ship\n!set twice Lambda(x, x * 3)\n!set hull_max 7\n");
    assert_eq!((call(ship, &own, "twice", 4.0), number(ship, &own, "hull_max")), (12.0, 7.0));
    assert_eq!(number(ship, &ship.pack_text("@ship\n"), "hull_max"), 200.0);
}

#[test]
fn the_tags_of_a_class_see_the_names_of_its_libraries() {
    let classes = classes(&[SHIP]);
    let ship = classes.get("ship").expect("a class");
    let made = ship.pack_text("@ship\n!set armour 50\n!set weak Lambda(x, mitigate(x) + tick_ms)\n");
    assert!(made.reports.is_empty(), "{:?}", made.reports);
    assert_eq!((call(ship, &made, "weak", 10.0), call(ship, &made, "OnHit", 10.0)), (255.0, 5.0));
    let program = script::binary::decode(made.packed.program(), &[]).expect("it was packed");
    assert!(program.variable("unused").is_none(), "nothing mentions it");
    // The place of a library's lambda is in the library.
    let of = |name: &str| program.functions.iter().find(|function| function.name == name).expect("a function").span;
    let place = program.place(of("mitigate").start);
    assert_eq!((place.path, place.place.line, place.place.column), (Some("lib/combat.lscript"), 2, 15));
    let own = program.place(of("weak").start);
    assert_eq!((own.path, own.place.line), (None, 3));
    let again = script::binary::encode(&program);
    assert_eq!(again, made.packed.program(), "the table of origins is read as it was written");
}

#[test]
fn a_mistake_in_a_library_is_found_with_the_class() {
    let header = SHIP.replace("lib/combat.lscript", "lib/wrong.lscript");
    let headers = [Header { origin: "ship.header", source: &header }];
    let wrong = "!set good Lambda(x, x)\n!set bad Lambda(x, x + armor)\n!Log(1)\n";
    let declared = read_all_with(&headers, &Classes::new(), &Classes::new(), &|_| Ok(String::from(wrong)));
    let ship = Prepared::new(declared[0].class.clone().expect("a class"));
    let (reports, _) = ship.check_shared();
    let found: Vec<(Layer, &str, &str)> = reports
        .iter()
        .map(|found| (found.layer, found.report.message.as_str(), found.report.span.text(wrong)))
        .collect();
    assert!(
        found.iter().any(|(layer, message, text)| {
            *layer == Layer::Library(0) && message.contains("armor") && *text == "armor"
        }),
        "{found:?}"
    );
    assert!(found.iter().any(|(.., text)| *text == "!Log(1)"), "{found:?}");
    // A tag is not told again.
    assert!(ship.pack_text("@ship\n").reports.is_empty());
}

#[test]
fn a_header_of_the_thesis_is_a_class() {
    let header = "//test object for collision tests 1.2\n@EnvironmentHeader\n!set Namespace \"test\"\n\
                  !set Attributes [\"MaxHealth\", \"CurHealth\"]\n!set Init \"testgame\\h_testobject_init.lsc\"";
    let headers = [Header { origin: "t.header", source: header }];
    let init = |path: &str| match path {
        "testgame/h_testobject_init.lsc" => Ok(String::from("!set MaxHealth 100\n!set CurHealth MaxHealth * 1\n")),
        _ => Err(String::new()),
    };
    let declared = read_all_with(&headers, &Classes::new(), &Classes::new(), &init);
    assert!(declared[0].reports.is_empty(), "{:?}", declared[0].reports);
    let test = Prepared::new(declared[0].class.clone().expect("a class"));
    assert!(test.class().root().fields.iter().all(|field| field.is_state));
    let made = test.pack_text("@test\n!set MaxHealth 40\n");
    assert!(made.reports.is_empty(), "{:?}", made.reports);
    assert_eq!((number(&test, &made, "MaxHealth"), number(&test, &made, "CurHealth")), (40.0, 40.0));
    // What is written down is read as the same class.
    let written = tags::header::write(test.class());
    let again = tags::header::read(&written, &parse(&written), "t.header");
    assert_eq!(again.0.expect("a class").fingerprint(), test.fingerprint(), "{written}\n{:?}", again.1);
}

#[test]
fn a_tag_made_from_another_has_what_it_does_not_set() {
    let classes = classes(&[SHIP]);
    let ship = classes.get("ship").expect("a class");
    let parent = "@ship\n!set armour 10\n!set hull 50\n!set body { mass 8, size 2 }\n!set own Lambda(x, x + hull)\n";
    let grand = "@ship\n!set armour 90\n!set twice Lambda(x, x * 5)\n";
    let child = "@ship\n!from \"a.ship\"\n!set hull 70\n!set body.mass 9\n";
    let made = pack(ship, child, &[("a.ship", parent), ("b.ship", grand)]);
    assert!(made.reports.is_empty() && made.inherited.is_empty(), "{:?} {:?}", made.reports, made.inherited);
    assert_eq!((number(ship, &made, "armour"), number(ship, &made, "hull")), (10.0, 70.0));
    assert_eq!(
        (number(ship, &made, "hull_max"), call(ship, &made, "own", 1.0), call(ship, &made, "twice", 1.0)),
        (140.0, 71.0, 5.0)
    );
    let Reflected::Record(body) = field(made.packed.reflect(ship.class()), "body") else { panic!("a record") };
    let part = |name: &str| match field(body, name) {
        Reflected::Number(number) => number,
        other => panic!("{other:?}"),
    };
    assert_eq!((part("mass"), part("size")), (9.0, 2.0));
    // Without a parent, a part of the class's value is changed.
    let alone = pack(ship, "@ship\n!set body.size 4\n", &[]);
    assert!(alone.reports.is_empty(), "{:?}", alone.reports);
    let Reflected::Record(body) = field(alone.packed.reflect(ship.class()), "body") else { panic!("a record") };
    assert_eq!(format!("{:?} {:?}", field(body, "mass"), field(body, "size")), "Number(3.0) Number(4.0)");
}

#[test]
fn mistakes_in_a_parent_point_into_it() {
    let classes = classes(&[SHIP]);
    let ship = classes.get("ship").expect("a class");
    let parent = "@ship\n!set armour 400\n";
    let made = pack(ship, "@ship\n!from \"a.ship\"\n!set hull \"x\"\n", &[("a.ship", parent)]);
    assert!(made.reports.iter().all(|report| report.severity == Severity::Error && report.span.start > 20));
    let inherited = made.inherited.iter().find(|found| found.layer == Layer::Parent(0)).expect("a report");
    assert_eq!((inherited.layer, inherited.report.span.text(parent)), (Layer::Parent(0), "400"));
}

#[test]
fn values_are_evaluated_behind_those_they_read() {
    let classes = classes(&[SHIP]);
    let ship = classes.get("ship").expect("a class");
    let made = ship.pack_text("@ship\n!set hull armour + 1\n!set armour base * 2\n!set base 4\n");
    assert!(made.reports.is_empty(), "{:?}", made.reports);
    assert_eq!((number(ship, &made, "hull"), number(ship, &made, "armour")), (9.0, 8.0));
    let cycle = ship.pack_text("@ship\n!set hull_max hull + 1\n!set hull hull_max + 1\n");
    let messages: Vec<&str> = cycle.reports.iter().map(|report| report.message.as_str()).collect();
    assert!(messages.contains(&"the values of `hull_max` and `hull` need each other"), "{messages:?}");
}
