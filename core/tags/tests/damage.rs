//! Packed tags of any text and class are valid, and damage at any byte is refused or harmless.

use crate::dice;

use base::hash::hash;
use dice::Dice;
use proptest::prelude::*;
use tags::class::{Class, Field, Former, Kind, Named, Number, Record};
use tags::pack::Prepared;
use tags::packed::{Packed, Reflected, ReflectedRecord, write_text};

const WORDS: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h"];

fn kind(dice: &mut Dice, depth: usize) -> Kind {
    let names = || WORDS.iter().map(|name| Named::new(name)).collect::<Vec<_>>();
    match dice.roll(if depth > 3 { 13 } else { 17 }) {
        0 | 1 => Kind::Number(Number::ALL[dice.roll(10)]),
        2 => Kind::Truth,
        3 => Kind::Identifier,
        4 => Kind::StringId,
        5 => Kind::Text,
        6 => Kind::Vector(2 + dice.roll(3) as u8),
        7 => Kind::Angle,
        8 => Kind::Colour,
        9 => Kind::Choice(names()),
        10 => Kind::Flags(names()),
        11 => Kind::Reference(["", "thing"][dice.roll(2)].to_string()),
        12 => [Kind::Bulk, Kind::Lambda(String::new()), Kind::Formula][dice.roll(3)].clone(),
        13 => Kind::Record(1 + dice.roll(3) as u32),
        14 | 15 => Kind::Series(Box::new(kind(dice, depth + 1))),
        _ => Kind::Optional(Box::new(kind(dice, depth + 1))),
    }
}

/// A random class, if it is valid.
fn class(dice: &mut Dice) -> Option<Class> {
    let mut class = Class::new("thing");
    class.version = 1 + dice.roll(3) as u32;
    for number in 0..4 {
        let mut fields = Vec::new();
        for name in &WORDS[..dice.roll(WORDS.len())] {
            let mut field = Field::new(name, kind(dice, 0));
            field.range = (dice.roll(4) == 0).then_some((-1.0, 300.0));
            field.default = (dice.roll(3) == 0).then(|| value(dice, 3));
            field.is_runtime = dice.roll(9) == 0;
            if dice.roll(5) == 0 {
                let convert = ["Lambda(old, old * 2)", "Lambda(old, all, [old, all.b])"][dice.roll(2)];
                let convert = (dice.roll(2) == 0).then(|| convert.to_string());
                let name = dice.pick(&["x", "y", name]).to_string();
                field.former.push(Former { name, before: dice.roll(4) as u32, convert });
            }
            fields.push(field);
        }
        let key = (!fields.is_empty() && dice.roll(3) == 0).then_some(0);
        if number == 0 {
            class.records[0].fields = fields;
        } else {
            class.records.push(Record { name: format!("r{number}"), fields, key, ..Record::default() });
        }
    }
    class.finish().ok()
}

fn value(dice: &mut Dice, depth: usize) -> String {
    const LEAVES: &[&str] = &[
        "0",
        "-0",
        "3",
        "0.1",
        "-7.5",
        "1 / 0",
        "0 / 0",
        "2 ^ 9",
        "a * 2",
        "b",
        "c.d",
        "true",
        "false",
        "nothing",
        "#3",
        "#-2147483648",
        "\"\"",
        "\"a\"",
        "\"h\"",
        "\"ü – 漢\"",
        "\"x/y.thing\"",
        "\"../z\"",
        "\"#ff8800\"",
        "\"#FF880080\"",
        "vec(1, 2)",
        "vec(1, -2, 3)",
        "vec(a, 1, 1)",
        "Lambda(3)",
        "Lambda(x, x * a)",
        "(Lambda(x, x))",
        "sqrt(0 - 1)",
        "{ file \"p.q\", bytes 12, hash \"00\" }",
        "map([1, 2, 3], Lambda(n, n * n))",
        "let q = 2 in q * q",
        "!Log(1)",
        "[",
        "99999999999999999999999999999999999999999999999999",
        "0.00000000000000000000000000000000000000000000000001",
        "~this",
    ];
    match dice.roll(if depth > 5 { 6 } else { 10 }) {
        0..6 => dice.pick(LEAVES).to_string(),
        6 | 7 => {
            let items: Vec<String> = (0..dice.roll(5)).map(|_| value(dice, depth + 1)).collect();
            format!("[{}]", items.join(", "))
        }
        8 => format!("({})", value(dice, depth + 1)),
        _ => {
            let fields: Vec<String> =
                (0..dice.roll(5)).map(|_| format!("{} {}", dice.pick(WORDS), value(dice, depth + 1))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
    }
}

fn text(dice: &mut Dice) -> String {
    let mut text = format!("@thing {}\n", 1 + dice.roll(4));
    for _ in 0..dice.roll(12) {
        text += &format!("!set {} {}\n", dice.pick(&["a", "b", "c", "d", "e", "f", "g", "x", "y"]), value(dice, 0));
    }
    text
}

/// Reads all values; panics if there are more than `left`.
fn look(record: ReflectedRecord<'_>, left: &mut usize) {
    for (_, value) in record.fields() {
        look_at(value, left);
    }
}

fn look_at(seen: Reflected<'_>, left: &mut usize) {
    *left = left.checked_sub(1).expect("law 2 of packed: checked data has no cycle");
    match seen {
        Reflected::Record(record) => look(record, left),
        Reflected::Series(series) => series.each().for_each(|element| look_at(element, left)),
        Reflected::Number(number) => assert!(!number.is_nan() && (number != 0.0 || number.is_sign_positive())),
        Reflected::Numbers(numbers, _) => assert!(numbers.iter().all(|number| number.to_bits() != 1 << 31)),
        _ => {}
    }
}

fn check(seed: u64) {
    let dice = &mut Dice(seed);
    let Some(class) = class(dice) else { return };
    let prepared = Prepared::new(class.clone());
    let text = text(dice);
    let made = prepared.pack_text(&text);
    let bytes = made.packed.bytes();
    assert_eq!(Packed::check(bytes, &class).as_ref(), Ok(&made.packed), "seed {seed}\n{text}\n{class:#?}");
    assert_eq!(prepared.pack_text(&text).packed.bytes(), bytes, "seed {seed}");
    look(made.packed.reflect(&class), &mut 1_000_000);
    for _ in 0..20 {
        let mut damaged = bytes.to_vec();
        for _ in 0..1 + dice.roll(4) {
            let at = dice.roll(damaged.len());
            damaged[at] = [0, 1, 4, 8, 0x7f, 0x80, 0xff, dice.roll(256) as u8][dice.roll(8)];
        }
        let checksum = hash(&damaged[16..]);
        damaged[8..16].copy_from_slice(&checksum.to_le_bytes());
        if let Ok(packed) = Packed::check_parts(&damaged) {
            let mut out = String::new();
            if Packed::check(&damaged, &class).is_ok() {
                (0..class.root().fields.len()).for_each(|field| {
                    let field = &class.root().fields[field];
                    write_text(&packed.reflect(&class).value(field), &mut out);
                });
            }
            let _ = (packed.links().count(), packed.files().count(), packed.names().count());
            let _ = script::binary::decode(packed.program(), &[]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn packed_tags_are_valid_and_damage_is_harmless(seed in any::<u64>()) {
        check(seed);
    }
}
