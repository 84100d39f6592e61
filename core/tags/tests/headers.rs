//! Headers declare classes, and classes write headers.

use proptest::prelude::*;
use script::check::{Setting, check};
use script::parse::parse;
use tags::class::{Class, Field, Former, Kind, Named, Number, Record};
use tags::header::{read, schema_of, write};

const SHIP: &str = "@EnvironmentHeader
!set Namespace   \"ship\"
!set Version     2
!set Help        \"What flies.\"
!set Recoverable false
!set Reads       [\"model\"]
!set Postprocess 1
!set Attributes  [
    { name \"mass\", type \"f32\", default 1200, range [0.1, 1000000], step 0.1, unit \"t\", help \"What it weighs when empty.\" },
    { name \"size\", type \"choice\", names [\"small\", { name \"large\", help \"Not small.\", former [\"big\"] }], default \"small\" },
    { name \"weapons\", type \"list of record weapon\" },
    { name \"model\", type \"@model or nothing\", hidden true, expert true },
    { name \"OnDamage\", type \"Lambda(number, string, number)\" },
    { name \"speed\", type \"formula\", state true, replicated true, former [\"pace\", { name \"speed\", before 2, convert Lambda(old, old / 3.6) }] }
]
!set Records [
    { name \"weapon\", help \"What is mounted where.\", fields [
        { name \"marker\", type \"string id\", key true },
        { name \"parts\", type \"list of record weapon\", help [\"Weapons\", \"of weapons.\"] }
    ] }
]
";

fn class(source: &str) -> Class {
    let (class, reports) = read(source, &parse(source), "ship.header");
    assert_eq!(reports, [], "{source}");
    class.expect("it has a name")
}

fn with_attributes(attributes: &str) -> String {
    format!("@EnvironmentHeader\n!set Namespace \"a\"\n!set Attributes {attributes}")
}

fn kind_of(attribute: &str) -> Kind {
    class(&with_attributes(&format!("[{attribute}]"))).root().fields[0].kind.clone()
}

#[test]
fn a_class_is_declared_without_rust() {
    let class = class(SHIP);
    assert_eq!((class.name.as_str(), class.version, class.help.as_str()), ("ship", 2, "What flies."));
    assert_eq!((class.is_recoverable, class.postprocess, class.origin.as_str()), (false, 1, "ship.header"));
    assert_eq!(class.reads, ["model"]);
    let field = |name: &str| class.root().field(name).unwrap().1.clone();
    let mass = field("mass");
    assert_eq!(
        (mass.kind, mass.default.as_deref(), mass.range, mass.step, mass.unit.as_str(), mass.help.as_str()),
        (Kind::Number(Number::F32), Some("1200"), Some((0.1, 1e6)), Some(0.1), "t", "What it weighs when empty.")
    );
    let large = Named { name: "large".into(), help: "Not small.".into(), former: vec!["big".into()] };
    assert_eq!(field("size").kind, Kind::Choice(vec![Named::new("small"), large]));
    assert_eq!(field("weapons").kind, Kind::Series(Box::new(Kind::Record(1))));
    assert!(field("model").is_hidden && field("model").is_expert && !field("model").is_read_only);
    let former = [
        Former { name: "pace".into(), before: 0, convert: None },
        Former { name: "speed".into(), before: 2, convert: Some("Lambda(old, old / 3.6)".into()) },
    ];
    assert_eq!(field("speed").former, former);
    let weapon = &class.records[1];
    assert_eq!((weapon.name.as_str(), weapon.help.as_str(), weapon.key), ("weapon", "What is mounted where.", Some(0)));
    assert_eq!(weapon.fields[1].help, "Weapons\nof weapons.");
    assert_eq!(write(&class), SHIP);
}

#[test]
fn types_are_words_of_scripts_or_of_tags() {
    let number = |number| Kind::Number(number);
    assert_eq!(kind_of("{ name \"a\", type \"number\" }"), number(Number::F64));
    assert_eq!(kind_of("{ name \"a\", type \"u8\" }"), number(Number::U8));
    assert_eq!(kind_of("{ name \"a\", type \"number\", formula true }"), Kind::Formula);
    assert_eq!(kind_of("{ name \"a\", type \"string\" }"), Kind::Text);
    assert_eq!(kind_of("{ name \"a\", type \"vector\" }"), Kind::Vector(3));
    assert_eq!(kind_of("{ name \"a\", default 5 }"), number(Number::F64));
    assert_eq!(kind_of("{ name \"a\", default \"x\" }"), Kind::Text);
    assert_eq!(kind_of("{ name \"a\", default false }"), Kind::Truth);
    assert_eq!(kind_of("{ name \"a\", type \"flags\", names [] }"), Kind::Flags(Vec::new()));
    assert_eq!(
        kind_of("{ name \"a\", type \"list of choice or nothing\", names [\"x\"] }"),
        Kind::Optional(Box::new(Kind::Series(Box::new(Kind::Choice(vec![Named::new("x")])))))
    );
    assert_eq!(kind_of("{ name \"a\", type \"tag\" }"), Kind::Reference(String::new()));
}

#[test]
fn records_are_declared_where_they_are_used_or_by_name() {
    let check = |attribute: &str| {
        let class = class(&with_attributes(&format!("[{attribute}]")));
        let record = &class.records[1];
        assert_eq!(class.root().fields[0].kind, Kind::Series(Box::new(Kind::Record(1))), "{attribute}");
        assert_eq!((record.name.as_str(), record.fields.len()), ("a", 2), "{attribute}");
    };
    check("{ name \"a\", type \"list of { marker string, weapon @weapon or nothing }\" }");
    check(
        "{ name \"a\", type \"list of record\", fields [{ name \"b\", type \"u8\", key true }, { name \"c\", default 1 }] }",
    );
    let inner = class(&with_attributes("[{ name \"a\", fields [{ name \"b\", fields [] }] }]"));
    assert_eq!(inner.records.len(), 3);
    assert_eq!(inner.records[1].fields[0].kind, Kind::Record(2));
}

#[test]
fn formulas_work_and_defaults_are_kept_as_they_are_written() {
    let source = "@EnvironmentHeader\n!set Most 500 * 2\n!set Named Lambda(n, { name n, type \"number\" })\n\
        !set Namespace \"a\"\n!set Version 1 + 1\n!set Attributes [\n\
        { name \"a\", default Most / 10, range [-Most, Most * 2], type \"number\" },\n\
        { name \"b\", default  a*2, type \"number\" },\n\
        { name \"c\", default { x 1, y [ vec(1,2,3) ] }, type \"record\", fields [] },\n\
        { name \"d\", default Lambda(x,x), type \"lambda\", former { name \"e\", convert Lambda(old, old) } },\n\
        { name \"f\", default Version + 1, type \"number\" },\n\
        Named(\"g\"), { name \"h\", type if Most > 3 then \"u8\" else \"u16\", default vec(0, 0, Most) }\n]";
    let (class, reports) = read(source, &parse(source), "");
    assert_eq!(reports, []);
    let class = class.unwrap();
    assert_eq!(class.version, 2);
    let root = class.root();
    let defaults: Vec<Option<&str>> = root.fields.iter().map(|field| field.default.as_deref()).collect();
    assert_eq!(
        defaults,
        [
            Some("100"),
            Some("a * 2"),
            Some("{ x 1, y [vec(1, 2, 3)] }"),
            Some("Lambda(x, x)"),
            Some("Version + 1"),
            None,
            Some("vec(0, 0, 1000)"),
        ]
    );
    assert_eq!(root.fields[0].range, Some((-1000.0, 2000.0)));
    assert_eq!((root.fields[5].name.as_str(), root.fields[6].kind.clone()), ("g", Kind::Number(Number::U8)));
}

#[test]
fn errors_are_reported_and_the_rest_counts() {
    let check = |attributes: &str, place: &str, message: &str, help: &str, count: usize| {
        let source = with_attributes(attributes);
        let (class, reports) = read(&source, &parse(&source), "");
        let found: Vec<(&str, &str, &str)> = reports
            .iter()
            .map(|report| (report.span.text(&source), report.message.as_str(), report.help.as_str()))
            .collect();
        assert_eq!(found, [(place, message, help)], "{source}");
        assert_eq!(class.unwrap().root().fields.len(), count, "{source}");
    };
    check(
        "[\"a\"]",
        "\"a\"",
        "the attribute `a` has no type",
        "declare its type: `{ name \"a\", type \"number\" }`",
        0,
    );
    check("[5]", "5", "this attribute: expected a record such as `{ name \"mass\", type \"number\" }`", "", 0);
    check(
        "[{ type \"u8\" }]",
        "{ type \"u8\" }",
        "this attribute has no name",
        "give it one: `{ name \"mass\", … }`",
        0,
    );
    check("7", "7", "`Attributes`: expected a list of attributes such as `{ name \"mass\", type \"number\" }`", "", 0);
    let attribute = |field: &str, place: &str, message: &str, help: &str, count: usize| {
        check(&format!("[{{ name \"a\", {field} }}]"), place, message, help, count);
    };
    attribute(
        "type \"nubmer\", default 3",
        "\"nubmer\"",
        "the type of the attribute `a`: expected a type, found `nubmer`",
        "did you mean `number`?",
        1,
    );
    attribute(
        "type \"any\"",
        "\"any\"",
        "the type of the attribute `a`: only objects can have such a value",
        "declare it with `state true`, or name a class of tags: `@ship`",
        0,
    );
    attribute("type \"u8\", hiden true", "hiden", "an attribute has no field `hiden`", "did you mean `hidden`?", 1);
    attribute(
        "type \"u8\", range 5",
        "5",
        "`range` of the attribute `a`: expected the smallest and the largest number, such as `[0, 100]`",
        "",
        1,
    );
    attribute(
        "type \"u8\", range [5, 1]",
        "[5, 1]",
        "`range` of the attribute `a`: expected the smallest and the largest number, such as `[0, 100]`",
        "",
        1,
    );
    attribute("type \"u8\", step 0", "0", "`step` of the attribute `a`: expected a number above 0", "", 1);
    attribute("type \"u8\", key 1", "1", "`key` of the attribute `a`: expected true or false", "", 1);
    attribute("type \"u8\", unit 1", "1", "`unit` of the attribute `a`: expected a text in quotes", "", 1);
    attribute(
        "type 5, default 3",
        "5",
        "`type` of the attribute `a`: expected a type in quotes, such as \"number\"",
        "",
        1,
    );
    attribute(
        "type \"u8\", default \"x\"",
        "\"x\"",
        "the default of `a`: expected a whole number",
        "change it, or the type",
        1,
    );
    attribute(
        "type \"u8\", default 7, range [0, 5]",
        "7",
        "the default of `a` is outside its range 0 to 5",
        "change one of the two",
        1,
    );
    attribute(
        "type \"choice\", names [\"red\"], default \"rde\"",
        "\"rde\"",
        "the default of `a`: expected one of \"red\"",
        "did you mean \"red\"?",
        1,
    );
    attribute(
        "type \"choice\"",
        "\"choice\"",
        "the choice `a` has no names",
        "list them: `names [\"small\", \"large\"]`",
        0,
    );
    attribute(
        "type \"flags\", names [\"x\", \"x\"]",
        "\"x\"",
        "the name \"x\" is declared twice",
        "remove one of the two",
        1,
    );
    attribute(
        "type \"flags\", names [5]",
        "5",
        "`names` of the attribute `a`: expected a name in quotes, or a record such as `{ name \"small\", help \"…\" }`",
        "",
        1,
    );
    attribute(
        "type \"record wepon\"",
        "\"record wepon\"",
        "there is no record `wepon` in `Records`",
        "`!set Records [{ name \"weapon\", fields […] }]` declares records",
        0,
    );
    attribute(
        "type \"record\"",
        "\"record\"",
        "the record of `a` is not declared",
        "list its fields: `fields [{ … }]`, or name one of `Records`: \"record weapon\"",
        0,
    );
    attribute(
        "type \"{ b choice }\"",
        "\"{ b choice }\"",
        "the field `b` needs more than a type in `{ … }`",
        "give the attribute `fields [{ … }]` instead",
        1,
    );
    attribute(
        "type \"u8\", former 5",
        "5",
        "`former` of the attribute `a`: expected a name in quotes, or a record such as `{ name \"speed\", before 3 }`",
        "",
        1,
    );
    attribute(
        "type \"u8\", former { name \"b\", convert 5 }",
        "5",
        "`former` of the attribute `a`: expected a lambda with one or two parameters, such as `Lambda(old, old * 10)`, found `5`",
        "",
        1,
    );
    attribute(
        "type \"u8\", former { name \"b\", befor 5 }",
        "befor",
        "a former meaning has no field `befor`",
        "did you mean `before`?",
        1,
    );
    attribute(
        "type \"text\", formula true",
        "{ name \"a\", type \"text\", formula true }",
        "the attribute `a` is not a number, so it cannot have a formula",
        "remove `formula`, or make it a number",
        1,
    );
    attribute(
        "default [1]",
        "[1]",
        "the type of `a` does not follow from its default",
        "declare its type: `{ name \"a\", type \"list of number\", … }`",
        0,
    );
    let twice = "{ name \"a\", type \"u8\" }";
    check(&format!("[{twice}, {twice}]"), twice, "the attribute `a` is declared twice", "remove one of the two", 1);
}

#[test]
fn errors_of_the_class_are_reported() {
    let check = |source: &str, place: &str, message: &str, is_class: bool| {
        let source = format!("@EnvironmentHeader\n{source}");
        let (class, reports) = read(&source, &parse(&source), "");
        let found: Vec<(&str, &str)> =
            reports.iter().map(|report| (report.span.text(&source), report.message.as_str())).collect();
        assert_eq!((found, class.is_some()), (vec![(place, message)], is_class), "{source}");
    };
    check("!set Attributes []", "EnvironmentHeader", "this header has no `Namespace`", false);
    check("!set Namespace \"a\"", "EnvironmentHeader", "this header has no `Attributes`", false);
    check("!set Namespace \"if\"\n!set Attributes []", "\"if\"", "`if` cannot be the name of a class", false);
    check("!set Namespace 5\n!set Attributes []", "5", "`Namespace`: expected a name in quotes", false);
    let base = "!set Namespace \"a\"\n!set Attributes []\n";
    check(&format!("{base}!set Version 0"), "0", "`Version`: expected a whole number from 1 on", true);
    check(&format!("{base}!set Version 1.5"), "1.5", "`Version`: expected a whole number from 1 on", true);
    check(&format!("{base}!set Recoverable 5"), "5", "`Recoverable`: expected true or false", true);
    check(&format!("{base}!set Reads [5]"), "5", "`Reads`: expected the name of a class in quotes", true);
    check(&format!("{base}!set Records [{{ name \"b\" }}]"), "{ name \"b\" }", "this record has no `fields`", true);
    check(&format!("{base}!set Versoin 3"), "Versoin", "`Versoin` is not a variable of headers, and is unused", true);
    let endless = "!set Namespace \"a\"\n!set Attributes []\n!set Records [{ name \"b\", fields [{ name \"c\", type \"record b\" }] }]";
    check(endless, "\"a\"", "`b` contains itself; only a series of it may", false);
    check(&format!("{base}!set Help"), "", "expected a value, found the end of the file", true);
}

#[test]
fn the_result_of_a_formula_is_bounded() {
    let mut source = "@EnvironmentHeader\n!set Namespace \"a\"\n!set F0 [{ name \"x\", type \"u8\" }]\n".to_string();
    for index in 1..40 {
        let before = index - 1;
        source += &format!("!set F{index} [{{ name \"l\", fields F{before} }}, {{ name \"r\", fields F{before} }}]\n");
    }
    source += "!set Attributes F39";
    let (_, reports) = read(&source, &parse(&source), "");
    assert!(!reports.is_empty());
}

#[test]
fn lambdas_of_tags_are_checked_against_the_fields() {
    let schema = schema_of(&class(SHIP));
    let setting = Setting { schema: Some(&schema), ..Setting::default() };
    let check = |source: &str, expected: &[&str]| {
        let source = format!("@ship 2\n{source}");
        let found = check(&source, &parse(&source), &setting);
        let found: Vec<&str> = found.reports.iter().map(|report| report.message.as_str()).collect();
        assert_eq!(found, expected, "{source}");
    };
    check("!set OnDamage Lambda(damage, kind, mass - damage)", &[]);
    check("!set OnDamage Lambda(damage, kind, masss - damage)", &[]);
    check("!set mass \"heavy\"", &["expected a number, found a string"]);
    check("!set speed Lambda(mass * 2)", &[]);
    check("!set weapons [{ marker \"nose\", parts [{ marker \"tip\" }] }]", &[]);
    check("!set weapons [{ markr \"nose\" }]", &["this record has no field `markr`"]);
    check("!set OnDamage Lambda(damage, kind, weapons[#0].prts)", &["this record has no field `prts`"]);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 2 => "[ -~]{0,20}", 1 => "(?s).{0,20}"]
}

fn named() -> impl Strategy<Value = Vec<Named>> {
    let named = (text(), text(), prop::collection::vec(text(), 0..3)).prop_map(|(name, help, former)| Named {
        name,
        help,
        former,
    });
    prop::collection::vec(named, 1..5).prop_map(|mut names| {
        names.sort_by(|a, b| a.name.cmp(&b.name));
        names.dedup_by(|a, b| a.name == b.name);
        names
    })
}

/// A kind of a field of the record `own` of `count`.
fn kind(own: u32, count: u32) -> impl Strategy<Value = Kind> {
    let leaf = prop_oneof![
        prop::sample::select(Number::ALL.to_vec()).prop_map(Kind::Number),
        prop::sample::select(vec![
            Kind::Truth,
            Kind::Identifier,
            Kind::StringId,
            Kind::Text,
            Kind::Vector(2),
            Kind::Vector(3),
            Kind::Vector(4),
            Kind::Angle,
            Kind::Colour,
            Kind::Bulk,
            Kind::Own(true),
            Kind::Own(false),
            Kind::Formula,
            Kind::Reference(String::new()),
            Kind::Reference("weapon".into()),
            Kind::Lambda(String::new()),
            Kind::Lambda("lambda".into()),
            Kind::Lambda("lambda( number,!Lambda(string, nothing) )".into()),
            Kind::Lambda("Lambda({ a list of { b truth, … } }, @c)".into()),
        ]),
        named().prop_map(Kind::Choice),
        named().prop_map(Kind::Flags),
        (0..count.max(1)).prop_map(move |number| match number {
            0 => Kind::Truth,
            number if number > own => Kind::Record(number),
            number => Kind::Series(Box::new(Kind::Record(number))),
        }),
    ];
    leaf.prop_recursive(5, 6, 1, |of| {
        let of = of.prop_map(Box::new);
        prop_oneof![of.clone().prop_map(Kind::Series), of.prop_map(Kind::Optional)]
    })
}

/// Whether only objects have a value of it.
fn has_own(kind: &Kind) -> bool {
    match kind {
        Kind::Own(_) => true,
        Kind::Series(of) | Kind::Optional(of) => has_own(of),
        _ => false,
    }
}

const EXPRESSIONS: [&str; 14] = [
    "3",
    "-0.5",
    "1e-7*2",
    "true",
    "\"say \"\"hi\"\"\"",
    "[ 1,2,\n 3 ] // three",
    "{a 1, b [ {c -2} ]}",
    "vec(0, 0, 1)",
    "Version + 1",
    "Attributes",
    "Lambda(x, y, if x > y then x else let z = y, w = 1 in z + w)",
    "(1 + 2) * 3",
    "[ !Send(~this, \"x\") ]",
    "nothing",
];

fn field(own: u32, count: u32) -> impl Strategy<Value = Field> {
    let default = prop::option::of(prop::sample::select(EXPRESSIONS.to_vec()).prop_map(String::from));
    let range =
        prop::option::of((-1e300_f64..1e300, -10.0_f64..10.0).prop_map(|(a, b)| if a < b { (a, b) } else { (b, a) }));
    let step = prop::option::of(prop_oneof![Just(0.1), Just(1e-9), Just(5.0), Just(1e21)]);
    let convert = prop::option::of(prop::sample::select(vec!["Lambda(old,old/3.6)", "Lambda(a, b, b.c\n- a)"]));
    let former =
        (prop::sample::select(vec!["hp", "Speed", "_9"]), any::<u32>(), convert).prop_map(|(name, before, convert)| {
            Former { name: name.into(), before: before % 3 * 7, convert: convert.map(String::from) }
        });
    let words = (text(), text(), default, range, step);
    (kind(own, count), words, any::<[bool; 7]>(), prop::collection::vec(former, 0..3)).prop_map(
        |(kind, (unit, help, default, range, step), flags, former)| Field {
            default,
            unit,
            range,
            step,
            help,
            is_hidden: flags[0],
            is_read_only: flags[1],
            is_expert: flags[2],
            is_runtime: flags[3],
            is_state: flags[4] || has_own(&kind),
            is_replicated: flags[5],
            is_resident: flags[6] && kind == Kind::Bulk,
            former,
            ..Field::new("", kind)
        },
    )
}

fn record(own: u32, count: u32) -> impl Strategy<Value = Record> {
    let names = prop::sample::select(vec!["part", "part", "if", "", "two words", "x"]);
    (names, text(), prop::collection::vec(field(own, count), 0..5), any::<u32>()).prop_map(
        |(name, help, mut fields, key)| {
            for (index, field) in fields.iter_mut().enumerate() {
                field.name = format!("{}{index}", ["f", "Help", "_"][index % 3]);
            }
            let key = Some(key % 8).filter(|key| (*key as usize) < fields.len());
            Record { name: name.into(), help, fields, key, ..Record::default() }
        },
    )
}

fn any_class() -> impl Strategy<Value = Class> {
    let head = (text(), 1..4_u32, any::<bool>(), 0..3_u32, prop::collection::vec("[a-h]{1,3}", 0..3));
    (1..5_u32, head).prop_flat_map(|(count, head)| {
        let records: Vec<_> = (0..count).map(|own| record(own, count)).collect();
        (Just(head), records).prop_map(|((help, version, is_recoverable, postprocess, reads), records)| Class {
            base: String::new(),
            bases: Vec::new(),
            is_open: version == 2,
            name: "thing".into(),
            help,
            version,
            is_recoverable,
            postprocess,
            libraries: Vec::new(),
            reads,
            records,
            origin: "a.header".into(),
        })
    })
}

proptest! {
    #[test]
    fn a_written_class_is_read_as_the_same(class in any_class()) {
        let Ok(class) = class.finish() else { return Err(TestCaseError::reject("it has no layout")) };
        let header = write(&class);
        let tree = parse(&header);
        prop_assert_eq!(&tree.reports, &[], "{}", header);
        let (again, reports) = read(&header, &tree, "a.header");
        prop_assert_eq!(again.as_ref(), Some(&class), "{}\n{:#?}", header, reports);
        prop_assert_eq!(again.map(|class| class.fingerprint()), Some(class.fingerprint()));
        prop_assert_eq!(&write(&class), &header);
        schema_of(&class);
    }

    #[test]
    fn any_text_is_read(source in "(?s).{0,200}") {
        read(&source, &parse(&source), "");
    }

    #[test]
    fn any_header_is_read(
        parts in prop::collection::vec(prop::sample::select(vec![
            "!set ", "Namespace ", "Attributes ", "Records ", "Help ", "\"a\" ", "[", "]", "{", "}", ", ", "\n", "name ",
            "type ", "\"list of record b\" ", "\"choice\" ", "names ", "fields ", "default ", "former ", "convert ", "5 ",
            "Lambda(", ")", "x ", "-", "true ", "range ", "key ", "§", "\"{ b u8, c { d u8 } }\"", "map(", "Most ",
        ]), 0..60)
    ) {
        let source = format!("@EnvironmentHeader\n!set Namespace \"a\"\n!set Most [{{ name \"m\" }}]\n{}", parts.concat());
        read(&source, &parse(&source), "");
        let source = with_attributes(&parts.concat());
        read(&source, &parse(&source), "");
    }
}
