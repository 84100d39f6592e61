//! Upgrades: a class changes, and no value is lost.
#![allow(clippy::unwrap_used, reason = "a failing test shows the line")]

use crate::generate;

use std::collections::BTreeMap;

use forge::upgrade::{Upgrade, upgrade};
use generate::Dice;
use proptest::prelude::*;
use tags::Class;
use tags::class::{Field, Former, Kind, Named, Number, Record};
use tags::former::{self, Converter};

fn former(name: &str, before: u32, convert: &str) -> Former {
    Former { name: name.into(), before, convert: (!convert.is_empty()).then(|| convert.into()) }
}

fn number(name: &str, formers: Vec<Former>) -> Field {
    Field { former: formers, ..Field::new(name, Kind::Number(Number::F64)) }
}

fn class(version: u32, fields: Vec<Field>) -> Class {
    let mut class = Class::new("ship");
    class.version = version;
    class.records[0].fields = fields;
    class
}

fn up(class: &Class, source: &str) -> Upgrade {
    let done = upgrade(source, class).expect("it is of this class");
    let again = upgrade(&done.text, class).expect("it still is");
    assert_eq!(again.text, done.text);
    assert!(again.done.is_empty(), "{again:?}");
    done
}

fn check(class: &Class, source: &str, expected: &str, left: &[&str]) {
    let done = up(class, source);
    let found: Vec<String> = done.left.iter().map(|left| format!("{}: {}", left.place, left.why)).collect();
    assert_eq!(done.text, expected);
    assert_eq!(found, left);
}

#[test]
fn names_and_values_are_upgraded() {
    let ship = class(
        2,
        vec![
            number("weight", vec![former("mass", 0, "")]),
            number("size", vec![former("size", 2, "Lambda(old, old * 10)")]),
        ],
    );
    check(&ship, "@ship // x\n!set mass   1 // y\n", "@ship 2 // x\n!set weight   1 // y\n", &[]);
    check(&ship, "@ship\n!set size 3 * 2 // y\n", "@ship 2\n!set size 60 // y\n", &[]);
    check(&ship, "@ship 1\r\n!set size 3\r\n", "@ship 2\r\n!set size 30\r\n", &[]);
    check(&ship, "@ship 2\n!set size 3\n!set mass 1\n", "@ship 2\n!set size 3\n!set weight 1\n", &[]);
    check(&ship, "!set size 3\n", "@ship 2\n!set size 30\n", &[]);
    check(&ship, "@ship\n!set odd { a [1] }\n!Log(1)\n", "@ship 2\n!set odd { a [1] }\n!Log(1)\n", &[]);
    check(&ship, "@ship\n!set size (3 + // three\n 4)\n", "@ship 2\n// three\n!set size 70\n", &[]);
}

#[test]
fn both_names_stay_and_todays_counts() {
    let ship = class(2, vec![number("weight", vec![former("mass", 0, "")])]);
    let source = "@ship 2\n!set mass 1\n!set weight 2\n";
    check(&ship, source, source, &["mass: `weight` is also set, and takes precedence"]);
}

#[test]
fn values_that_cannot_be_converted_stay_readable() {
    let tens = "Lambda(old, old * 10)";
    let ship =
        class(3, vec![number("weight", vec![former("mass", 3, tens)]), number("size", vec![former("size", 2, tens)])]);
    check(
        &ship,
        "@ship\n!set mass hull * 2\n!set size 3\n",
        "@ship\n!set mass hull * 2\n!set size 3\n",
        &[
            "mass: the value is a formula that reads `hull`",
            "size: it stays until everything of its version can be upgraded",
        ],
    );
    check(
        &ship,
        "@ship\n!set mass 2\n!set hull mass * 2\n",
        "@ship\n!set mass 2\n!set hull mass * 2\n",
        &["mass: a formula reads `mass`, and would change its meaning"],
    );
    check(
        &ship,
        "@ship 2\n!set mass Lambda(3)\n!set size 3\n",
        "@ship 2\n!set mass Lambda(3)\n!set size 3\n",
        &["mass: the value is a lambda"],
    );
    check(
        &ship,
        "@ship 2\n!set mass \"x\"\n",
        "@ship 2\n!set mass \"x\"\n",
        &["mass: expected a number, found string"],
    );
}

#[test]
fn formulas_follow_a_renamed_field() {
    let ship = class(2, vec![number("weight", vec![former("mass", 2, "")])]);
    check(
        &ship,
        "@ship\n!set mass 2\n!set hull [mass * 2, { mass (mass) }, Lambda(mass, mass), Lambda(x, mass)]\n",
        "@ship 2\n!set weight 2\n!set hull [weight * 2, { mass (weight) }, Lambda(mass, mass), Lambda(x, weight)]\n",
        &[],
    );
}

#[test]
fn fields_may_be_split_and_names_swapped() {
    let vector = |name: &str, convert: &str| number(name, vec![former("size", 2, convert)]);
    let ship = class(2, vec![vector("width", "Lambda(old, old.x)"), vector("height", "Lambda(old, old.y)")]);
    check(&ship, "@ship\n!set size vec(2, 3) // s\n", "@ship 2\n!set width 2 // s\n!set height 3\n", &[]);
    check(
        &ship,
        "@ship\n!set size vec(2, 3)\n!set width 9\n",
        "@ship 2\n!set size vec(2, 3)\n!set height 3\n!set width 9\n",
        &["size: `width` is also set, and takes precedence"],
    );
    let swapped = class(2, vec![number("a", vec![former("b", 2, "")]), number("b", vec![former("a", 2, "")])]);
    check(&swapped, "@ship\n!set a 1\n!set b a\n", "@ship 2\n!set b 1\n!set a b\n", &[]);
    let joined = class(2, vec![number("area", vec![former("width", 2, "Lambda(old, record, old * record.height)")])]);
    check(&joined, "@ship\n!set width 2\n!set height 3\n", "@ship 2\n!set area 6\n!set height 3\n", &[]);
}

#[test]
fn elements_and_choices_are_upgraded_too() {
    let mut ship = class(2, vec![Field::new("weapons", Kind::Series(Box::new(Kind::Record(1))))]);
    let named = |name: &str, former: &str| Named { former: vec![former.into()], ..Named::new(name) };
    let names = vec![named("small", "tiny"), Named::new("large")];
    let fields = vec![
        Field { former: vec![former("id", 0, "")], ..Field::new("name", Kind::StringId) },
        number("count", vec![former("count", 2, "Lambda(old, record, old * record.times)")]),
        Field::new("size", Kind::Choice(names.clone())),
        Field::new("sizes", Kind::Flags(names)),
    ];
    ship.records.push(Record { name: "weapon".into(), fields, key: Some(0), ..Record::default() });
    let source = "@ship\n!set weapons [\n  // a\n  { id \"a\", count 2, times 3 },\n  { name \"b\", size \"tiny\", sizes [\"tiny\", \"large\"] },\n]\n";
    let expected = "@ship 2\n!set weapons [\n  // a\n  { name \"a\", count 6, times 3 },\n  { name \"b\", size \"small\", sizes [\"small\", \"large\"] },\n]\n";
    check(&ship, source, expected, &[]);
    let places: Vec<String> =
        up(&ship, source).done.iter().map(|done| format!("{} {}", done.from, done.place)).collect();
    assert_eq!(places[0], "weapons[a].id weapons[a].name");
    assert_eq!(places[3], "weapons[b].sizes[#0] weapons[b].sizes[#0]");
}

#[test]
fn newer_and_broken_files_are_left_alone() {
    let ship = class(2, vec![]);
    assert!(upgrade("@ship 3\n", &ship).unwrap_err().message.contains("version 3"));
    assert!(upgrade("@tank\n", &ship).unwrap_err().message.contains("class `tank`"));
    assert!(upgrade("@ship\n!set a [\n", &ship).unwrap_err().message.contains("syntax error"));
    assert!(upgrade("@ship 0\n", &ship).unwrap_err().message.contains("version"));
}

/// A class over time: for each version, the table.
fn evolve(dice: &mut Dice, versions: u32) -> Vec<Class> {
    let fields = |prefix: &str| (0..4).map(|index| number(&format!("{prefix}{index}"), vec![])).collect::<Vec<Field>>();
    let mut now = class(1, fields("f"));
    now.records[0].fields.push(Field::new("series", Kind::Series(Box::new(Kind::Record(1)))));
    let mut inner = fields("g");
    inner.insert(0, Field::new("name", Kind::StringId));
    now.records.push(Record { name: "inner".into(), fields: inner, key: Some(0), ..Record::default() });
    let mut all = vec![now.clone()];
    for version in 2..=versions {
        now.version = version;
        for record in 0..2 {
            for _ in 0..dice.roll(3) {
                change(dice, &mut now.records[record], version);
            }
        }
        all.push(now.clone().finish().expect("it is sound"));
    }
    all
}

/// Conversions are multiplications, so they commute and can be combined.
fn times(convert: Option<&String>, factor: usize) -> Option<String> {
    let before: usize =
        convert.map_or(1, |text| text.trim_matches(|letter: char| !letter.is_ascii_digit()).parse().expect("a factor"));
    Some(format!("Lambda(old, old * {})", before * factor))
}

fn change(dice: &mut Dice, record: &mut Record, version: u32) {
    let numbers: Vec<usize> =
        (0..record.fields.len()).filter(|index| matches!(record.fields[*index].kind, Kind::Number(_))).collect();
    let index = numbers[dice.roll(numbers.len())];
    let name = record.fields[index].name.clone();
    let fresh = |part: &str| format!("{name}_{part}{version}");
    if record.fields.iter().any(|field| field.name == fresh("r") || field.name == fresh("x")) || name.len() > 24 {
        return;
    }
    // A field changes at most once per version.
    if record.fields[index].former.iter().any(|former| former.before == version) {
        return;
    }
    let convert = |field: &mut Field, factor: usize, name: &str| {
        for former in &mut field.former {
            former.convert = times(former.convert.as_ref(), factor);
        }
        field.former.push(Former { name: name.into(), before: version, convert: times(None, factor) });
    };
    match dice.roll(4) {
        0 => {
            let field = &mut record.fields[index];
            field.former.push(former(&name, version * dice.roll(2) as u32, ""));
            field.name = fresh("r");
        }
        1 => convert(&mut record.fields[index], 10, &name),
        2 => {
            convert(&mut record.fields[index], 2, &name);
            record.fields[index].name = fresh("r");
        }
        _ => {
            let mut second = record.fields[index].clone();
            convert(&mut record.fields[index], 3, &name);
            convert(&mut second, 5, &name);
            record.fields[index].name = fresh("x");
            second.name = fresh("y");
            record.fields.push(second);
        }
    }
}

fn write(dice: &mut Dice, class: &Class) -> String {
    let mut out = format!("@ship {}\n", class.version);
    if class.version == 1 && dice.roll(2) == 0 {
        out = "@ship\n".into();
    }
    let mut fields: Vec<String> = class.root().fields.iter().map(|field| field.name.clone()).collect();
    fields.push("unknown".into());
    for name in fields {
        if dice.roll(4) == 0 {
            continue;
        }
        if dice.roll(3) == 0 {
            out += "// above\n\n//? note\n";
        }
        if name == "series" {
            out += "!set series [\n";
            for element in 0..dice.roll(4) {
                let fields =
                    class.records[1].fields.iter().skip(1).filter(|_| dice.roll(3) > 0).map(|field| field.name.clone());
                let fields: Vec<String> = fields.collect();
                let fields: Vec<String> = fields.iter().map(|name| format!(", {name} {}", dice.roll(50))).collect();
                out += &format!("  {{ name \"n{element}\"{} }}, // e{element}\n", fields.concat());
            }
            out += "]\n";
        } else {
            let value = match dice.roll(12) {
                0 => "f0 + 1".into(),
                1 => "Lambda(x, x)".into(),
                2 => "2 * 3".into(),
                _ => dice.roll(100).to_string(),
            };
            out += &format!("!set {name} {value} // {name}\n");
        }
    }
    out
}

/// The value of each field as read by today's class.
fn read(source: &str, class: &Class) -> BTreeMap<String, String> {
    let tree = script::parse::parse(source);
    assert!(tree.reports.is_empty(), "{source}\n{:?}", tree.reports);
    let version = tree.version.map_or(1, |version| version.text(source).parse().expect("a version"));
    let mut found = BTreeMap::new();
    let statements: Vec<(String, String)> = tree
        .statements
        .iter()
        .filter_map(|statement| match tree.node(*statement).expression {
            script::ast::Expression::Set(name, value) => {
                Some((name.text(source).into(), tree.node(value).span.text(source).into()))
            }
            _ => None,
        })
        .collect();
    read_record(class, 0, version, &statements, "", &mut found);
    found
}

fn read_record(
    class: &Class,
    number: usize,
    version: u32,
    items: &[(String, String)],
    at: &str,
    found: &mut BTreeMap<String, String>,
) {
    let record = &class.records[number];
    for field in &record.fields {
        let Some(supply) = former::find(record, field, version, |name| items.iter().rposition(|item| item.0 == name))
        else {
            continue;
        };
        let text = &items[supply.at].1;
        let here = format!("{at}{}", field.name);
        if matches!(field.kind, Kind::Series(_)) {
            let tree = script::parse::parse(text);
            let script::ast::Expression::List(elements) = tree.node(tree.statements[0]).expression else { continue };
            for (index, element) in tree.items(elements).iter().enumerate() {
                let script::ast::Expression::Record(names, values) = tree.node(*element).expression else { continue };
                let names = tree.names(names).iter().map(|name| name.span.text(text).to_string());
                let values = tree.items(values).iter().map(|value| tree.node(*value).span.text(text).to_string());
                let items: Vec<(String, String)> = names.zip(values).collect();
                read_record(class, 1, version, &items, &format!("{here}[{index}]."), found);
            }
            continue;
        }
        let convert = supply.former.and_then(|former| former.convert.as_ref());
        // A value that cannot be converted is still found.
        let now = convert.and_then(|convert| Converter::new().convert(convert, text, &[], &field.kind).ok());
        let constant = |text: &str| Converter::new().convert("Lambda(old, old)", text, &[], &field.kind);
        let now = now.unwrap_or_else(|| {
            constant(text).unwrap_or_else(|_| if text.starts_with("Lambda") { text.clone() } else { "formula".into() })
        });
        found.insert(here, now);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_value_is_lost_by_any_history_of_a_class(seed: u64) {
        let mut dice = Dice(seed);
        let classes = evolve(&mut dice, 3);
        let from = dice.roll(3);
        let source = write(&mut dice, &classes[from]);
        let last = &classes[2];
        let direct = up(last, &source);
        prop_assert_eq!(read(&direct.text, last), read(&source, last), "{}\n---\n{}", &source, &direct.text);
        // Upgrading step by step equals upgrading at once, unless a value could not be converted.
        let mut text = source.clone();
        let mut is_whole = direct.left.is_empty();
        for class in &classes[from..] {
            let step = up(class, &text);
            is_whole &= step.left.is_empty();
            text = step.text;
        }
        prop_assert_eq!(read(&text, last), read(&source, last), "{}\n---\n{}", &source, &text);
        if is_whole {
            prop_assert!(direct.text.starts_with("@ship 3\n"));
        }
        // Unknown fields and comments are untouched.
        for line in source.lines().filter(|line| line.starts_with("!set unknown") && !line.contains("f0") || line.starts_with("//")) {
            prop_assert!(direct.text.contains(line), "{line}\n{}", direct.text);
        }
        for element in 0..3 {
            let mark = format!("// e{element}\n");
            prop_assert_eq!(source.contains(&mark), direct.text.contains(&mark));
        }
    }

    #[test]
    fn any_text_is_upgraded_or_refused(source in ".{0,80}", tokens in generate::soup()) {
        let mut ship = generate::ship();
        ship.version = 2;
        ship.records[0].fields[1].former = vec![former("hull", 2, "Lambda(old, old * 2)"), former("mass", 2, "Lambda(old, old)")];
        for source in [&source, &tokens] {
            if let Ok(done) = upgrade(source, &ship) {
                prop_assert!(script::parse::parse(&done.text).reports.is_empty());
            }
        }
    }
}

#[test]
fn the_book_shows_what_an_upgrade_writes() {
    #[derive(tags::Tag)]
    #[tag(version = 2)]
    #[repr(C)]
    struct Ship {
        #[tag(former("hp"))]
        health: f32,
        #[tag(former("speed", before = 2, convert = "Lambda(old, old / 3.6)"))]
        speed: f32,
        #[tag(former("width", before = 2, convert = "Lambda(old, all, [old, all.height])"))]
        size: base::Vec2,
    }
    const CHAPTER: &str = include_str!("../../../docs/book/src/tags.md");
    let old = "@ship\n!set hp 250 // sturdy\n!set speed 72\n!set width 4\n!set height 3\n";
    let upgraded = upgrade(old, &<Ship as tags::Tag>::class()).unwrap();
    for (name, text) in [("old", old), ("upgraded", &upgraded.text)] {
        let line = format!("let {name} = {text:?};\n");
        assert!(CHAPTER.contains(&line), "the chapter lacks this line: {line}");
    }
}
