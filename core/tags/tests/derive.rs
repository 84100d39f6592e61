//! Derived classes, records and names have all their attributes.

use core::mem::{align_of, offset_of};

use base::{StringId, Truth, Vec2, Vec3, Vec4};
use tags::class::{Class, Field, Former, Kind, Named, Number};
use tags::{
    Angle, Bulk, Choice, Colour, Flags, Formula, Identifier, Lambda, Maybe, Names, Record, Reference, Series, Tag, Text,
};

/// The least it can carry.
const LEAST: f32 = -0.5;

/// A ship,
/// or something   like one.
///
/// It flies.
#[derive(Tag)]
#[tag(class = "ship", version = 3, not_recoverable)]
#[tag(reads(Model, Ship), postprocess = 7)]
#[repr(C)]
struct Ship {
    /// What it weighs when empty.
    #[tag(unit = "t", range(0.1, 1e6), step = 0.1, default = 1_200)]
    mass: f32,
    #[tag(range(LEAST, 3), default = -0.25, hidden, read_only, expert)]
    lift: f64,
    #[tag(runtime, state, replicated)]
    hull: i8,
    a: i16,
    b: i32,
    c: i64,
    #[tag(key)]
    d: u8,
    e: u16,
    f: u32,
    g: u64,
    #[tag(default = true)]
    is_armed: Truth,
    #[tag(default = "#3")]
    index: Identifier,
    #[tag(default = "\"nose\"")]
    marker: StringId,
    title: Text,
    #[tag(default = "vec( 1,2 )")]
    flat: Vec2,
    #[tag(default = "vec(0, 0, 1)")]
    up: Vec3,
    four: Vec4,
    turn: Angle,
    paint: Colour,
    size: Choice<Size>,
    sizes: Flags<Size>,
    model: Reference<Model>,
    #[tag(resident)]
    pixels: Bulk,
    #[tag(name = "OnDamage", signature = "Lambda(number,string, number)")]
    on_damage: Lambda,
    #[tag(signature = "lambda(number)")]
    steps: Series<Maybe<Lambda>>,
    #[tag(
        former("velocity"),
        former("speed", before = 3, convert = "Lambda(old, all, old / 3.6)"),
        former("pace", before = 2)
    )]
    #[tag(former("hurry", convert = "Lambda(old, old)"))]
    speed: Formula,
    nose: Part,
    parts: Series<Part>,
    spare: Maybe<Part>,
    numbers: Series<f32>,
    r#type: Maybe<f64>,
}

/// A part of a part.
#[derive(Record)]
#[repr(C)]
struct Part {
    weight: f32,
    #[tag(key)]
    marker: StringId,
    parts: Series<Part>,
}

#[derive(Tag)]
#[repr(C)]
struct Model {}

#[derive(Tag)]
#[repr(C)]
struct BigHTTPModel2 {
    truth: Truth,
}

#[derive(Clone, Copy, Debug, PartialEq, Names)]
enum Size {
    /// Fits
    /// a hand.
    Small,
    #[tag(name = "XL", former("huge", "vast"))]
    VeryLarge,
    ExtraWide,
}

fn field(name: &str) -> Field {
    Ship::class().root().field(name).unwrap_or_else(|| panic!("{name}")).1.clone()
}

#[test]
fn a_class_has_its_attributes() {
    let class = Ship::class();
    assert_eq!((class.name.as_str(), class.version, class.is_recoverable), ("ship", 3, false));
    assert_eq!(class.help, "A ship, or something like one. It flies.");
    assert_eq!((class.reads, class.postprocess, class.origin.as_str()), (vec!["model".into(), "ship".into()], 7, ""));
    assert_eq!((class.records[0].name.as_str(), class.records[0].key), ("ship", Some(6)));
    assert_eq!(Model::class(), Class::new("model").finish().unwrap());
    assert_eq!(BigHTTPModel2::CLASS, "big_http_model2");
}

#[test]
fn fields_have_their_attributes() {
    let mass = field("mass");
    assert_eq!(mass.help, "What it weighs when empty.");
    assert_eq!(
        (mass.unit.as_str(), mass.range, mass.step, mass.default.as_deref()),
        ("t", Some((0.1, 1e6)), Some(0.1), Some("1200"))
    );
    assert!(!(mass.is_hidden || mass.is_read_only || mass.is_expert || mass.is_runtime || mass.is_state));
    let lift = field("lift");
    assert_eq!((lift.range, lift.default.as_deref()), (Some((-0.5, 3.0)), Some("-0.25")));
    assert!(lift.is_hidden && lift.is_read_only && lift.is_expert && !lift.is_runtime);
    let hull = field("hull");
    assert!(hull.is_runtime && hull.is_state && hull.is_replicated && !hull.is_hidden);
    assert!(field("pixels").is_resident && !hull.is_resident);
    for (name, default) in
        [("is_armed", "true"), ("index", "#3"), ("marker", "\"nose\""), ("flat", "vec(1, 2)"), ("up", "vec(0, 0, 1)")]
    {
        assert_eq!(field(name).default.as_deref(), Some(default));
    }
    let former = |name: &str, before, convert: Option<&str>| Former {
        name: name.into(),
        before,
        convert: convert.map(Into::into),
    };
    assert_eq!(
        field("speed").former,
        [
            former("velocity", 0, None),
            former("speed", 3, Some("Lambda(old, all, old / 3.6)")),
            former("pace", 2, None),
            former("hurry", 0, Some("Lambda(old, old)")),
        ]
    );
}

#[test]
fn every_kind_of_field_has_its_kind() {
    let names = || {
        let mut names = vec![Named::new("small"), Named::new("XL"), Named::new("extra_wide")];
        names[0].help = "Fits a hand.".into();
        names[1].former = vec!["huge".into(), "vast".into()];
        names
    };
    let series = |kind| Kind::Series(Box::new(kind));
    let optional = |kind| Kind::Optional(Box::new(kind));
    let lambda = |text: &str| Kind::Lambda(text.into());
    let expected = [
        ("mass", Kind::Number(Number::F32)),
        ("lift", Kind::Number(Number::F64)),
        ("hull", Kind::Number(Number::I8)),
        ("a", Kind::Number(Number::I16)),
        ("b", Kind::Number(Number::I32)),
        ("c", Kind::Number(Number::I64)),
        ("d", Kind::Number(Number::U8)),
        ("e", Kind::Number(Number::U16)),
        ("f", Kind::Number(Number::U32)),
        ("g", Kind::Number(Number::U64)),
        ("is_armed", Kind::Truth),
        ("index", Kind::Identifier),
        ("marker", Kind::StringId),
        ("title", Kind::Text),
        ("flat", Kind::Vector(2)),
        ("up", Kind::Vector(3)),
        ("four", Kind::Vector(4)),
        ("turn", Kind::Angle),
        ("paint", Kind::Colour),
        ("size", Kind::Choice(names())),
        ("sizes", Kind::Flags(names())),
        ("model", Kind::Reference("model".into())),
        ("pixels", Kind::Bulk),
        ("OnDamage", lambda("Lambda(number, string, number)")),
        ("steps", series(optional(lambda("Lambda(number)")))),
        ("speed", Kind::Formula),
        ("nose", Kind::Record(1)),
        ("parts", series(Kind::Record(1))),
        ("spare", optional(Kind::Record(1))),
        ("numbers", series(Kind::Number(Number::F32))),
        ("type", optional(Kind::Number(Number::F64))),
    ];
    let class = Ship::class();
    let found: Vec<(&str, Kind)> =
        class.root().fields.iter().map(|field| (field.name.as_str(), field.kind.clone())).collect();
    assert_eq!(found, expected);
    let part = &class.records[1];
    assert_eq!((part.name.as_str(), part.help.as_str(), part.key), ("part", "A part of a part.", Some(1)));
    assert_eq!(part.fields[2].kind, series(Kind::Record(1)), "a record may have a series of itself");
}

#[test]
fn fields_have_the_offsets_of_the_struct() {
    let class = Ship::class();
    let root = class.root();
    assert_eq!((root.bytes as usize, root.align as usize), (size_of::<Ship>(), align_of::<Ship>()));
    assert_eq!(field("mass").offset as usize, offset_of!(Ship, mass));
    assert_eq!(field("g").offset as usize, offset_of!(Ship, g));
    assert_eq!(field("nose").offset as usize, offset_of!(Ship, nose));
    assert_eq!(field("type").offset as usize, offset_of!(Ship, r#type));
    assert_eq!(class.records[1].fields[2].offset as usize, offset_of!(Part, parts));
}

#[test]
fn a_header_says_the_same_as_the_struct() {
    let class = Ship::class();
    let header = tags::header::write(&class);
    let (again, reports) = tags::header::read(&header, &script::parse::parse(&header), "");
    assert_eq!((again.as_ref(), reports), (Some(&class), Vec::new()), "{header}");
    assert_eq!(again.map(|again| again.fingerprint()), Some(class.fingerprint()));
}

#[test]
fn names_are_numbered_in_order() {
    assert_eq!(Size::ALL, [Size::Small, Size::VeryLarge, Size::ExtraWide]);
    assert!(Size::ALL.iter().enumerate().all(|(index, size)| size.index() as usize == index));
}

mod wrong {
    use super::*;

    #[derive(Tag)]
    #[repr(C)]
    struct BadDefault {
        #[tag(default = "1 +")]
        a: f32,
    }

    #[derive(Tag)]
    #[repr(C)]
    struct BadConversion {
        #[tag(former("b", convert = "old * 2"))]
        a: f32,
    }

    #[derive(Tag)]
    #[repr(C)]
    struct BadSignature {
        #[tag(signature = "Lambda(nubmer)")]
        a: Lambda,
    }

    #[derive(Tag)]
    #[repr(C)]
    struct NoLambda {
        #[tag(signature = "Lambda(number)")]
        a: f32,
    }

    #[derive(Tag)]
    #[repr(C)]
    struct BadRange {
        #[tag(range(1, 0))]
        a: f32,
    }

    #[derive(Tag)]
    #[tag(class = "if")]
    #[repr(C)]
    struct BadName {}

    #[derive(Tag)]
    #[repr(C)]
    struct Twice {
        #[tag(name = "b")]
        a: f32,
        b: f32,
    }

    #[test]
    #[should_panic(expected = "the field `a` of `bad_default`: its default: `1 +`: ")]
    fn an_invalid_default_panics_when_the_table_is_made() {
        BadDefault::class();
    }

    #[test]
    #[should_panic(
        expected = "the field `a` of `bad_conversion`: `b` before: expected a lambda with one or two parameters"
    )]
    fn a_conversion_that_is_not_a_lambda_panics_when_the_table_is_made() {
        BadConversion::class();
    }

    #[test]
    #[should_panic(expected = "the signature `Lambda(nubmer)`: expected a type, found `nubmer)`")]
    fn an_invalid_signature_panics_when_the_table_is_made() {
        BadSignature::class();
    }

    #[test]
    #[should_panic(expected = "only a lambda has a signature, and this is a number")]
    fn only_a_lambda_has_a_signature() {
        NoLambda::class();
    }

    #[test]
    #[should_panic(expected = "its range 1 to 0 is empty or not finite")]
    fn an_empty_range_is_refused() {
        BadRange::class();
    }

    #[test]
    #[should_panic(expected = "`if` cannot be the name of a class")]
    fn a_keyword_cannot_be_the_name_of_a_class() {
        BadName::class();
    }

    #[test]
    #[should_panic(expected = "the field `b` of `twice` is declared twice")]
    fn a_field_cannot_be_declared_twice() {
        Twice::class();
    }
}
