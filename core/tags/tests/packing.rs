//! Packing: valid values are packed, errors are reported, and nothing breaks.

use script::readable::Readable;
use tags::class::{Class, Field, Kind, Named, Number, Record};
use tags::pack::{PackOutcome, Prepared};
use tags::packed::{Packed, Reflected, write_text};

fn series(of: Kind) -> Kind {
    Kind::Series(Box::new(of))
}

fn ship() -> Class {
    let mut class = Class::new("ship");
    class.version = 2;
    let mut mass = Field::new("mass", Kind::Number(Number::F32));
    (mass.range, mass.default, mass.unit) = (Some((1.0, 1e6)), Some("1200".to_string()), "t".to_string());
    let size = ["small", "large"].map(Named::new).to_vec();
    let flags = ["fast", "armed", "hidden"].map(Named::new).to_vec();
    class.records[0].fields = vec![
        mass,
        Field::new("name", Kind::StringId),
        Field::new("words", Kind::Text),
        Field::new("crew", Kind::Number(Number::U8)),
        Field::new("docked", Kind::Truth),
        Field::new("code", Kind::Identifier),
        Field::new("nose", Kind::Vector(3)),
        Field::new("turn", Kind::Angle),
        Field::new("paint", Kind::Colour),
        Field::new("size", Kind::Choice(size)),
        Field::new("traits", Kind::Flags(flags)),
        Field::new("model", Kind::Reference("model".to_string())),
        Field::new("weapons", series(Kind::Record(1))),
        Field::new("numbers", series(Kind::Number(Number::F64))),
        Field::new("pixels", Kind::Bulk),
        Field::new("OnDamage", Kind::Lambda("Lambda(number, string, number)".to_string())),
        Field::new("speed", Kind::Formula),
        Field::new("shield", Kind::Optional(Box::new(Kind::Number(Number::F32)))),
        Field::new("engine", Kind::Record(2)),
    ];
    let mut delay = Field::new("delay", Kind::Number(Number::F32));
    delay.default = Some("0.5".to_string());
    let weapon = vec![
        Field::new("marker", Kind::StringId),
        Field::new("weapon", Kind::Reference("weapon".to_string())),
        delay,
        Field::new("OnFire", Kind::Lambda(String::new())),
    ];
    class.records.push(Record { name: "mount".to_string(), fields: weapon, key: Some(0), ..Record::default() });
    let engine = vec![Field::new("thrust", Kind::Number(Number::F32)), Field::new("parts", series(Kind::Text))];
    class.records.push(Record { name: "engine".to_string(), fields: engine, ..Record::default() });
    class.finish().expect("a valid class")
}

fn pack(text: &str) -> PackOutcome {
    Prepared::new(ship()).pack_text(text)
}

fn shown(made: &PackOutcome, class: &Class, name: &str) -> String {
    let mut out = String::new();
    write_text(&made.packed.reflect(class).get(name), &mut out);
    out
}

/// A valid value of a field, and how it is written back.
fn check(field: &str, written: &str, expected: &str) {
    let made = pack(&format!("@ship 2\n!set {field} {written}\n"));
    let messages: Vec<&str> = made.reports.iter().map(|report| report.message.as_str()).collect();
    assert_eq!(messages, [""; 0], "{field} {written}");
    assert_eq!(shown(&made, &ship(), field), expected, "{field} {written}");
}

/// An invalid value of a field: its report, and the value used instead.
fn check_wrong(field: &str, written: &str, message: &str, used: &str) {
    let made = pack(&format!("@ship 2\n!set {field} {written}\n"));
    let messages: Vec<&str> = made.reports.iter().map(|report| report.message.as_str()).collect();
    assert!(messages.iter().any(|found| found.contains(message)), "{field} {written}: {messages:?}");
    assert_eq!(shown(&made, &ship(), field), used, "{field} {written}");
}

#[test]
fn every_kind_of_field_is_packed_as_it_is_written() {
    check("mass", "1500.25", "1500.25");
    check("mass", "3 * 400", "1200");
    check("name", "\"ship.corvette\"", "\"ship.corvette\"");
    check("words", "\"say \"\"hi\"\"\"", "\"say \"\"hi\"\"\"");
    check("crew", "255", "255");
    check("docked", "true", "true");
    check("code", "#-3", "#-3");
    check("nose", "vec(1, -2, 0.5)", "vec(1, -2, 0.5)");
    check("nose", "vec(1, 2, 3) * 2", "vec(2, 4, 6)");
    check("turn", "33.3", "33.3");
    check("paint", "\"#ffffff\"", "[1, 1, 1, 1]");
    check("paint", "[1, 0.5, 0]", "[1, 0.5, 0, 1]");
    check("size", "\"large\"", "\"large\"");
    check("traits", "[\"fast\", \"hidden\"]", "[\"fast\", \"hidden\"]");
    check("model", "\"ships\\corvette.model\"", "\"ships/corvette.model\"");
    check("numbers", "[1, 2, 3.5]", "[1, 2, 3.5]");
    check("numbers", "map([1, 2], Lambda(n, n * 10))", "[10, 20]");
    check("speed", "12", "12");
    check("shield", "nothing", "nothing");
    check("shield", "4", "4");
    check("engine", "{ thrust 9, parts [\"a\", \"bc\"] }", "{ thrust 9, parts [\"a\", \"bc\"] }");
    check(
        "weapons",
        "[{ marker \"nose\", weapon \"w/laser.weapon\" }, { marker \"tail\", delay 2 }]",
        "[{ marker \"nose\", weapon \"w/laser.weapon\", delay 0.5, OnFire nothing }, { marker \"tail\", weapon \"\", delay 2, OnFire nothing }]",
    );
}

#[test]
fn errors_are_reported_and_the_best_value_is_used() {
    check_wrong("mass", "\"heavy\"", "`mass`: expected a number, found a text in quotes", "1200");
    check_wrong("mass", "0", "expected 1 to 1000000 t, found 0", "1");
    check_wrong("mass", "1 / 0", "expected a divisor that is not zero", "1");
    check_wrong("crew", "2.5", "expected a whole number", "2");
    check_wrong("crew", "300", "expected 0 to 255", "255");
    check_wrong("size", "\"larg\"", "expected one of \"small\", \"large\"", "\"small\"");
    check_wrong("traits", "[\"fast\", \"quick\"]", "found \"quick\"", "[\"fast\"]");
    check_wrong("model", "\"../model.model\"", "is not the path of a tag", "\"\"");
    check_wrong("weapons", "3", "expected a list", "[]");
    check_wrong(
        "pixels",
        "{ file \"../x\" }",
        "expected the name of a file",
        &format!("{{ bytes 0, hash \"{}\" }}", "0".repeat(64)),
    );
    check_wrong("OnDamage", "3", "expected a lambda", "nothing");
    check_wrong("numbers", "[1, \"two\", 3]", "expected a number", "[1, 0, 3]");
    check_wrong(
        "weapons",
        "[{ marker \"a\" }, 3]",
        "expected a record",
        "[{ marker \"a\", weapon \"\", delay 0.5, OnFire nothing }, { marker \"\", weapon \"\", delay 0.5, OnFire nothing }]",
    );
}

#[test]
fn lambdas_are_kept_as_functions_of_the_tags_program() {
    let made = pack(
        "@ship 2\n!set mass 100\n!set OnDamage Lambda(damage, kind, if kind = \"emp\" then damage * mass else damage)\n!set speed Lambda(mass / 2)\n!set weapons [{ marker \"nose\", OnFire Lambda(power, power + mass) }]\n",
    );
    let messages: Vec<&str> = made.reports.iter().map(|report| report.message.as_str()).collect();
    assert_eq!(messages, [""; 0]);
    let program = script::binary::decode(made.packed.program(), &[]).unwrap();
    let class = ship();
    let seen = made.packed.reflect(&class);
    let Reflected::Lambda(function) = seen.get("OnDamage") else { panic!("{:?}", seen.get("OnDamage")) };
    assert_eq!(program.functions[function as usize].parameters, 2);
    let Reflected::Lambda(function) = seen.get("speed") else { panic!("{:?}", seen.get("speed")) };
    assert_eq!(program.functions[function as usize].parameters, 0);
    let Reflected::Series(weapons) = seen.get("weapons") else { panic!() };
    let Some(Reflected::Record(weapon)) = weapons.each().next() else { panic!() };
    let Reflected::Lambda(function) = weapon.get("OnFire") else { panic!() };
    assert_eq!(program.functions[function as usize].parameters, 1);
}

#[test]
fn formulas_use_other_fields_and_defaults() {
    let made = pack("@ship 2\n!set crew 3\n!set numbers [crew * 2, mass]\n");
    assert_eq!((made.reports.len(), shown(&made, &ship(), "numbers")), (0, "[6, 1200]".to_string()));
}

#[test]
fn misspelt_names_have_suggestions_and_newer_files_are_read_as_far_as_possible() {
    let made = pack("@ship 2\n!set mas 3\n");
    assert_eq!(made.reports[0].message, "`ship` has no field `mas`");
    assert_eq!(made.reports[0].help, "did you mean `mass`? It is kept as it is");
    let made = pack("@ship 7\n!set mass 7\n!set warp 9\n");
    assert!(made.is_sound(), "{:?}", made.reports);
    assert_eq!((made.reports.len(), shown(&made, &ship(), "mass")), (2, "7".to_string()));
    // Unknown parts of a newer file are not errors.
    let made = pack("@ship 7\n!set size \"huge\"\n!set mass \"light\"\n!set weapons [{ marker \"a\", aim 3 }]\n");
    assert!(made.is_sound() && made.reports.len() == 4, "{:?}", made.reports);
    assert!(!pack("@ship 7\n!set size\n").is_sound());
    assert!(!pack("@boat\n").is_sound());
    assert!(!pack("!set mass 3").is_sound());
    assert!(!pack("@ship\n!Send(1)\n").is_sound());
    assert!(!pack("@ship\n!set mass 3\n!set weapons [{ marker \"a\" }, { marker \"a\" }]\n").is_sound());
}

#[test]
fn packed_tags_are_valid_and_other_bytes_are_not() {
    let class = ship();
    let made = pack(
        "@ship 2\n!set weapons [{ marker \"nose\" }, { marker \"tail\" }]\n!set words \"abc\"\n!set engine { parts [\"x\"] }\n!set speed Lambda(1)",
    );
    let bytes = made.packed.bytes();
    assert_eq!(Packed::check(bytes, &class), Ok(made.packed.clone()));
    for at in 0..bytes.len() {
        let mut damaged = bytes.to_vec();
        damaged[at] ^= 0x41;
        assert!(Packed::check(&damaged, &class).is_err(), "byte {at}");
        assert!(Packed::check(&bytes[..at], &class).is_err(), "cut at {at}");
    }
    // Another default gives no other layout; another field does.
    let mut other = ship();
    other.records[0].fields[0].default = None;
    assert!(Packed::check(bytes, &other).is_ok());
    other.records[0].fields[0].name.push('x');
    assert!(Packed::check(bytes, &other).is_err());
}

#[test]
fn old_files_are_read_under_former_names_and_converted() {
    let mut class = Class::new("thing");
    class.version = 3;
    let former = |name: &str, before, convert: &str| tags::class::Former {
        name: name.to_string(),
        before,
        convert: (!convert.is_empty()).then(|| convert.to_string()),
    };
    let mut health = Field::new("health", Kind::Number(Number::F32));
    health.former = vec![former("hp", 0, "")];
    let mut speed = Field::new("speed", Kind::Number(Number::F32));
    speed.former = vec![former("speed", 3, "Lambda(old, old / 4)")];
    let mut size = Field::new("size", Kind::Vector(2));
    size.former = vec![former("width", 2, "Lambda(old, record, [old, record.height])")];
    class.records[0].fields = vec![health, speed, size, Field::new("twice", Kind::Number(Number::F32))];
    let class = class.finish().unwrap();
    let prepared = Prepared::new(class.clone());
    let check = |text: &str, expected: [&str; 3], reports: &[&str]| {
        let made = prepared.pack_text(text);
        let messages: Vec<&str> = made.reports.iter().map(|report| report.message.as_str()).collect();
        assert_eq!(messages, reports, "{text}");
        assert_eq!(["health", "speed", "size"].map(|name| shown(&made, &class, name)), expected, "{text}");
    };
    check("@thing\n!set hp 5\n!set speed 8\n", ["5", "2", "vec(0, 0)"], &[]);
    check("@thing 3\n!set hp 5\n!set speed 8\n", ["5", "8", "vec(0, 0)"], &[]);
    check("@thing\n!set hp 5\n!set twice hp * 2\n", ["5", "0", "vec(0, 0)"], &[]);
    let made = prepared.pack_text("@thing\n!set hp 5\n!set twice hp * 2\n");
    assert_eq!(shown(&made, &class, "twice"), "10");
    check(
        "@thing 1\n!set width 3\n!set height 2\n",
        ["0", "0", "vec(3, 2)"],
        &["`height` is superseded: its value is part of another field of `thing`"],
    );
    let wrong =
        "`size` cannot be converted: the conversion gives `[3, nothing]`, expected a vector such as `vec(1, 2)`";
    check("@thing 1\n!set width 3\n!set speed 2 * 8\n", ["0", "4", "vec(0, 0)"], &[wrong]);
    let both = "`hp` is the former name of `health`, and both are set";
    check("@thing 3\n!set hp 3\n!set health 4\n", ["4", "0", "vec(0, 0)"], &[both]);
    assert!(prepared.pack_text("@thing 1\n!set width 3\n!set height 2\n").is_sound());
    // The same after an upgrade.
    assert!(prepared.pack_text("@thing 3\n!set size vec(3, 2)\n!set height 2\n").is_sound());
    assert!(!prepared.pack_text("@thing 3\n!set size vec(3, 2)\n!set hight 2\n").is_sound());
}

#[test]
fn a_default_that_does_not_fit_its_field_is_found() {
    let check = |kind: Kind, range, default: &str, expected: Option<&str>| {
        let mut class = Class::new("thing");
        let mut field = Field::new("field", kind);
        (field.default, field.range) = (Some(default.to_string()), range);
        class.records[0].fields = vec![field];
        let found = Prepared::new(class.finish().unwrap()).wrong_default();
        assert_eq!(found.as_deref(), expected, "{default}");
    };
    let sizes = || Kind::Choice(["small", "large"].map(Named::new).to_vec());
    check(sizes(), None, "\"large\"", None);
    let wrong = "the default of `thing.field`: `large` is not known here";
    check(sizes(), None, "large", Some(wrong));
    check(Kind::Number(Number::F32), None, "3", None);
    let wrong = "the default of `thing.field`: `field`: expected a number, found a text in quotes";
    check(Kind::Number(Number::F32), None, "\"hot\"", Some(wrong));
    let wrong = "the default of `thing.field`: `field`: expected 0 to 1, found 3 1 is used";
    check(Kind::Number(Number::F32), Some((0.0, 1.0)), "3", Some(wrong));
}

/// A class with one field `a`, and a record with a field `a`.
fn nest(default: Option<&str>) -> Class {
    let mut class = Class::new("thing");
    class.records[0].fields = vec![Field::new("a", series(Kind::Record(1)))];
    let mut inner = Field::new("a", series(Kind::Record(1)));
    inner.default = default.map(str::to_string);
    class.records.push(Record { name: "node".to_string(), fields: vec![inner], ..Record::default() });
    class.finish().expect("a valid class")
}

fn one(kind: Kind) -> Class {
    let mut class = Class::new("thing");
    class.records[0].fields = vec![Field::new("a", kind)];
    class.finish().expect("a valid class")
}

/// Packs a text, checks that the result is accepted, and compares the value of `a`.
fn check_whole(class: Class, value: &str, expected: &str) -> PackOutcome {
    let made = Prepared::new(class.clone()).pack_text(&format!("@thing\n!set a {value}\n"));
    assert_eq!(Packed::check(made.packed.bytes(), &class).as_ref(), Ok(&made.packed), "{value}");
    assert_eq!(shown(&made, &class, "a"), expected, "{value}");
    made
}

#[test]
fn records_of_the_greatest_depth_are_valid() {
    for depth in 0..=32 {
        let text = format!("{}[]{}", "[{ a ".repeat(depth), " }]".repeat(depth));
        assert!(check_whole(nest(None), &text, &text).is_sound());
    }
    let text = format!("{}[]{}", "[{ a ".repeat(33), " }]".repeat(33));
    let made = Prepared::new(nest(None)).pack_text(&format!("@thing\n!set a {text}\n"));
    assert!(made.reports.iter().any(|report| report.message == "records are nested at most 32 deep"));
    assert!(Packed::check(made.packed.bytes(), &nest(None)).is_ok());
}

/// A ship with engines in many places. An engine has a thrust of 9 and its own fuel.
fn engines() -> Class {
    let number = |name: &str, default: &str| {
        let mut field = Field::new(name, Kind::Number(Number::F32));
        field.default = Some(default.to_string());
        field
    };
    let mut class = Class::new("thing");
    let mut given = Field::new("given", Kind::Record(1));
    given.default = Some("{ thrust 3 }".to_string());
    let mut wrong = Field::new("wrong", Kind::Record(1));
    wrong.default = Some("7".to_string());
    class.records[0].fields = vec![
        Field::new("a", Kind::Record(1)),
        Field::new("many", series(Kind::Record(2))),
        Field::new("maybe", Kind::Optional(Box::new(Kind::Record(1)))),
        given,
        wrong,
    ];
    let mut spare = Field::new("spare", Kind::Reference("thing".to_string()));
    spare.default = Some("\"spares/pump.thing\"".to_string());
    let engine = vec![number("thrust", "9"), Field::new("fuel", Kind::Record(3)), Field::new("hot", Kind::Truth)];
    let pod = vec![number("side", "1"), Field::new("engine", Kind::Record(1))];
    let fuel = vec![number("litres", "40"), spare];
    for (name, fields) in [("engine", engine), ("pod", pod), ("fuel", fuel)] {
        class.records.push(Record { name: name.to_string(), fields, ..Record::default() });
    }
    class.finish().expect("a valid class")
}

#[test]
fn a_missing_record_has_the_defaults_of_its_fields() {
    let class = engines();
    let check = |text: &str, field: &str, expected: &str| {
        let made = Prepared::new(class.clone()).pack_text(&format!("@thing\n{text}\n"));
        assert_eq!(Packed::check(made.packed.bytes(), &class).as_ref(), Ok(&made.packed), "{text}");
        assert_eq!(shown(&made, &class, field), expected, "{text}");
        made
    };
    let whole = "{ thrust 9, fuel { litres 40, spare \"spares/pump.thing\" }, hot false }";
    assert!(check("", "a", whole).is_sound());
    assert!(check("!set a { }", "a", whole).is_sound());
    assert!(check("!set a { hot true }", "a", &whole.replace("false", "true")).is_sound());
    assert!(check("!set a { fuel { litres 2 } }", "a", &whole.replace("40", "2")).is_sound());
    // Within a list.
    let pod = format!("[{{ side 1, engine {whole} }}, {{ side 2, engine {whole} }}]");
    assert!(check("!set many [{ }, { side 2 }]", "many", &pod).is_sound());
    assert!(check("", "many", "[]").is_sound());
    // An optional value may be missing.
    assert!(check("", "maybe", "nothing").is_sound());
    assert!(check("!set maybe nothing", "maybe", "nothing").is_sound());
    assert!(check("!set maybe { }", "maybe", whole).is_sound());
    // A default of the record takes precedence over those of its fields.
    assert!(check("", "given", &whole.replace('9', "3")).is_sound());
    assert!(check("", "wrong", whole).is_sound());
    // An invalid value is replaced by them, with a report.
    let made = check("!set a 5", "a", whole);
    assert_eq!(made.reports[0].help, "the defaults of its fields are used");
    assert_eq!(check("!set many [3]", "many", &format!("[{{ side 1, engine {whole} }}]")).reports.len(), 1);
    assert_eq!(check("!set maybe 3", "maybe", "nothing").reports.len(), 1);
}

#[test]
fn references_in_missing_records_are_listed() {
    let made = Prepared::new(engines()).pack_text("@thing\n");
    let paths: Vec<String> = made.packed.links().map(|link| link.path.to_string()).collect();
    assert_eq!(paths, ["spares/pump.thing"; 3], "the references of `a`, `given` and `wrong`");
}

#[test]
fn nested_records_without_fields_terminate() {
    let mut class = Class::new("thing");
    class.records[0].fields = vec![Field::new("a", Kind::Record(1))];
    for next in 2..33 {
        let fields = ["a", "b", "c"].map(|name| Field::new(name, Kind::Record(next))).to_vec();
        class.records.push(Record { name: format!("node {next}"), fields, ..Record::default() });
    }
    class.records.push(Record { name: "leaf".to_string(), ..Record::default() });
    let class = class.finish().expect("a valid class");
    let made = Prepared::new(class.clone()).pack_text("@thing\n");
    assert_eq!(Packed::check(made.packed.bytes(), &class).as_ref(), Ok(&made.packed));
}

#[test]
fn a_default_that_contains_its_own_record_terminates() {
    let class = nest(Some("[{}]"));
    let made = Prepared::new(class.clone()).pack_text("@thing\n!set a [{}]\n");
    assert!(Packed::check(made.packed.bytes(), &class).is_ok());
    assert!(made.packed.bytes().len() < 1000);
}

#[test]
fn a_series_of_records_without_fields_is_empty() {
    let mut class = one(series(Kind::Truth));
    class.records[0].fields[0].kind = series(Kind::Record(1));
    class.records.push(Record { name: "empty".to_string(), ..Record::default() });
    check_whole(class.finish().expect("a valid class"), "[{}, {}]", "[]");
}

#[test]
fn numbers_are_clamped_to_their_kind() {
    let huge = format!("1{}", "0".repeat(200));
    for (kind, value) in [
        (Kind::Angle, huge.clone()),
        (Kind::Number(Number::F32), huge.clone()),
        (Kind::Vector(3), format!("[{huge}, -{huge}, 0]")),
        (Kind::Colour, format!("[{huge}, {huge}, -0]")),
    ] {
        let class = one(kind);
        let made = Prepared::new(class.clone()).pack_text(&format!("@thing\n!set a {value}\n"));
        assert!(!made.is_sound());
        let text = shown(&made, &class, "a");
        assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
    }
}

#[test]
fn brackets_around_a_lambda_change_nothing() {
    let made = Prepared::new(one(Kind::Lambda(String::new()))).pack_text("@thing\n!set a ((Lambda(x, x)))\n");
    assert!(made.is_sound(), "{:?}", made.reports);
    assert!(matches!(made.packed.reflect(&one(Kind::Lambda(String::new()))).get("a"), Reflected::Lambda(_)));
}

#[test]
fn many_errors_and_references_take_no_longer_than_many_values() {
    // Each of these took minutes when every error was explained, whether it was reported or not.
    let names = (0..4096).map(|number| Named::new(&format!("some_long_name_{number}"))).collect();
    let wrong = vec!["\"some_long_nmae\""; 20_000].join(",");
    let made = Prepared::new(one(series(Kind::Choice(names)))).pack_text(&format!("@thing\n!set a [{wrong}]\n"));
    assert!(!made.is_sound());
    let mut class = Class::new("thing");
    class.records[0].fields =
        (0..1024).map(|number| Field::new(&format!("some_long_name_{number}"), Kind::Truth)).collect();
    let wrong: String = (0..20_000).map(|number| format!("!set some_long_nmae_{number} true\n")).collect();
    let made = Prepared::new(class.finish().expect("a valid class")).pack_text(&format!("@thing\n{wrong}"));
    assert!(!made.is_sound());
    let references = format!("[{}]", vec!["\"a.thing\""; 60_000].join(", "));
    check_whole(one(series(Kind::Reference("thing".to_string()))), &references, &references);
}

#[test]
fn a_packed_tag_says_which_bulk_data_is_resident() {
    let hash = "0123456789abcdef".repeat(4);
    let text = format!("@ship\n!set pixels {{ file \"a.bulk\", bytes 7, hash \"{hash}\" }}\n");
    for is_resident in [false, true] {
        let mut class = ship();
        let field = class.records[0].fields.iter_mut().find(|field| field.name == "pixels");
        field.expect("it is there").is_resident = is_resident;
        let made = Prepared::new(class).pack_text(&text);
        let file = made.packed.files().next().expect("it names one");
        assert_eq!((file.file, file.bytes, file.is_resident), ("a.bulk", 7, is_resident));
    }
    let huge = pack(&text.replace("bytes 7", "bytes 1e300"));
    assert!(huge.packed.files().all(|file| !file.is_resident), "no length can be taken for the flag");
}

#[test]
fn a_class_with_a_dialect_has_its_own_effects_and_runs_statements_later() {
    use script::effect::Effect;
    use tags::Classes;
    use tags::pack::Dialect;

    const TEXTS: Readable = Readable { fields: &[], reserved: "" };
    static WORLD: &[Effect] = &[Effect::new("Spawn", "Spawn(string)", "Makes something.")];
    static OURS: &[Effect] = &[Effect::new("Show", "Show(string)", "Shows something.")];
    static DIALECTS: &[Dialect] = &[Dialect { class: "panel", effects: OURS, texts: TEXTS }];
    let classes = || {
        let mut classes = Classes::new().with_effects(WORLD);
        for name in ["panel", "ship"] {
            let mut class = tags::Class::new(name);
            class.is_open = true;
            classes.add_table(class.finish().unwrap()).unwrap();
        }
        classes
    };
    let reports = |classes: &Classes, class: &str, statement: &str| {
        classes.get(class).unwrap().pack_text(&format!("@{class}\n!set size vec(1, 2)\n{statement}\n")).reports.len()
    };
    let (without, with) = (classes(), classes().with_dialects(DIALECTS));
    for (statement, expected) in [
        ("!Show(\"a\")", [1, 0, 1]),
        ("!EventHandler(~this, \"click\", [ !Show(\"a\") ])", [1, 0, 1]),
        ("!set f [ !Show(3) ]", [1, 1, 1]),
        ("!set f [ !Spawn(3) ]", [1, 1, 1]),
        ("!set f [ !Spawn(\"a\") ]", [0, 1, 0]),
    ] {
        let found = [
            reports(&without, "panel", statement),
            reports(&with, "panel", statement),
            reports(&with, "ship", statement),
        ];
        assert_eq!(found, expected, "{statement}");
    }
    let packed = with.get("panel").unwrap().pack_text("@panel\n!Show(\"a\")\n").packed;
    let program = script::binary::decode(packed.program(), &[]).unwrap();
    assert_eq!(program.statements.len(), 1, "its owner runs it");
}
