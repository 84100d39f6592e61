//! Derived classes: their layout, their headers, and errors in them.

use std::sync::Arc;

use base::{StringId, Vec3};
use tags::class::{Class, Kind};
use tags::header_set::{Declaration, Header, read_all};
use tags::library::Ready;
use tags::{Classes, Key, Lambda, Library, Record, Reference, Series, Tag, TagPath, header};

/// What lives in a world.
#[derive(Tag)]
#[tag(class = "object")]
#[repr(C)]
struct Object {
    /// How often it acts.
    #[tag(default = 2, range(0, 10), unit = "cycles")]
    period: f64,
    #[tag(name = "OnUpdate")]
    on_update: Lambda,
    parts: Series<Part>,
    #[tag(state, former("hp"))]
    hull: u8,
}

#[derive(Record)]
#[repr(C)]
struct Part {
    #[tag(key)]
    name: StringId,
}

#[derive(Tag)]
#[repr(C)]
struct Vessel {
    #[tag(base)]
    object: Object,
    is_sealed: u8,
}

/// What flies.
#[derive(Tag)]
#[repr(C)]
struct Ship {
    #[tag(base)]
    vessel: Vessel,
    #[tag(default = 5)]
    mass: u16,
    position: Vec3,
    escort: Reference<Object>,
}

const SHIP: &str = "@EnvironmentHeader
!set Namespace \"ship\"
!set Base \"vessel\"
!set Help \"What flies.\"
!set Attributes [
    { name \"mass\", type \"u16\", default 5 },
    { name \"position\", type \"vec3\" },
    { name \"escort\", type \"@object\" }
]
";

const VESSEL: &str = "@EnvironmentHeader
!set Namespace \"vessel\"
!set Base \"object\"
!set Attributes [{ name \"is_sealed\", type \"u8\" }]
";

fn all(texts: &[&str], before: &Classes) -> Vec<Declaration> {
    let headers: Vec<Header<'_>> = texts.iter().map(|source| Header { origin: "", source }).collect();
    read_all(&headers, before, &Classes::new())
}

fn messages_of(declaration: &Declaration) -> String {
    let lines = declaration.reports.iter().map(|report| format!("{} {}", report.message, report.help));
    lines.collect::<Vec<String>>().join("\n")
}

fn made(class: Class) -> Class {
    Class { origin: String::new(), ..class }
}

#[test]
fn a_header_and_a_struct_with_the_same_base_are_one_class() {
    let known = Classes::new().with::<Object>();
    // The base of the first is in the last.
    let found = all(&[SHIP, VESSEL], &known);
    assert!(found.iter().all(|found| found.reports.is_empty()), "{found:?}");
    let [ship, vessel] = [&found[0], &found[1]].map(|found| found.class.clone().unwrap());
    assert_eq!((made(ship.clone()), made(vessel)), (Ship::class(), Vessel::class()));
    assert_eq!(ship.fingerprint(), Ship::class().fingerprint());
    assert_eq!((ship.base.as_str(), ship.bases.len(), ship.root().fields.len()), ("vessel", 2, 8));
    assert!(ship.is_a("ship") && ship.is_a("vessel") && ship.is_a("object") && !ship.is_a("weapon"));
    assert_eq!(
        [3, 4, 5].map(|field| ship.base_of(field).map(|base| &*base.name)),
        [Some("object"), Some("vessel"), None]
    );
}

#[test]
fn a_packed_tag_can_be_read_as_its_bases() {
    let classes = Arc::new(Classes::new().with::<Object>().with::<Vessel>().with::<Ship>());
    let mut library = Library::with_classes(Arc::clone(&classes));
    let texts = [
        (
            "b.ship",
            "@ship\n!set hp 7\n!set period 3\n!set parts [{ name \"nose\" }]\n!set mass 9\n!set escort \"a.ship\"\n",
        ),
        ("a.ship", "@ship\n!set is_sealed 1\n"),
        ("c.object", "@object\n"),
    ];
    library.apply(texts.map(|(path, text)| {
        let path = TagPath::new(path).unwrap();
        let made = classes.get(path.class()).unwrap().pack_text(text);
        assert!(made.reports.is_empty() && classes.check_links(&made.packed).is_empty(), "{:?}", made.reports);
        Ready { path, key: Key::default(), packed: Arc::new(made.packed) }
    }));
    let id = StringId::new("b.ship");
    let object = library.get_as::<Object>(id).unwrap();
    assert_eq!((object.period, object.hull, object.each(&object.parts)[0].name), (3.0, 7, StringId::new("nose")));
    assert!(object.on_update.function().is_none());
    let ship = library.get_as::<Ship>(id).unwrap();
    assert_eq!((ship.mass, ship.vessel.object.hull, ship.position), (9, 7, Vec3::ZERO));
    assert_eq!(library.follow(&ship.escort).map(|escort| escort.period), Some(2.0));
    assert_eq!(library.get_as::<Vessel>(StringId::new("a.ship")).map(|vessel| vessel.is_sealed), Some(1));
    assert!(library.get_as::<Ship>(StringId::new("c.object")).is_none());
    assert_eq!(library.of_base("object"), ["a.ship", "b.ship", "c.object"].map(StringId::new));
    assert_eq!(library.of_base("vessel"), ["a.ship", "b.ship"].map(StringId::new));
    assert_eq!(library.class_of(id).map(|class| class.name.as_str()), Some("ship"));
    library.set_classes(Arc::new(Classes::new().with::<Object>()));
    assert!(library.class_of(id).is_none() && library.get_as::<Object>(id).is_none());
}

#[test]
fn a_field_of_the_base_can_be_given_another_default_but_no_other_type() {
    let known = Classes::new().with::<Object>();
    let fast = "@EnvironmentHeader
!set Namespace \"fast\"
!set Base \"object\"
!set Attributes [
    { name \"period\", default 1, range [0, 4], help \"Often.\" },
    { name \"hull\", type \"u8\", default 3, state false },
    { name \"OnUpdate\", type \"number\" },
    { name \"extra\", type \"list of record part\" }
]
";
    let found = all(&[fast], &known);
    let class = found[0].class.clone().unwrap();
    assert!(
        messages_of(&found[0]).contains("`OnUpdate` of the base `object` is a lambda, which cannot change"),
        "{found:?}"
    );
    let field = |name: &str| class.root().field(name).map(|(number, field)| (number, field.clone())).unwrap();
    let (number, period) = field("period");
    assert_eq!((number, period.default.as_deref(), period.range), (0, Some("1"), Some((0.0, 4.0))));
    assert_eq!((period.help.as_str(), period.unit.as_str(), period.is_inherited), ("Often.", "cycles", false));
    assert!(!field("hull").1.is_state && field("hull").1.former.len() == 1 && field("OnUpdate").1.is_inherited);
    assert_eq!(field("extra").1.kind, Kind::Series(Box::new(Kind::Record(1))));
    let again = all(&[&header::write(&class)], &known);
    assert_eq!(again[0].class.as_ref(), Some(&class), "{}\n{}", header::write(&class), messages_of(&again[0]));
}

#[test]
fn a_written_header_of_a_derived_class_reads_as_the_same_class() {
    let known = Classes::new().with::<Object>().with::<Vessel>();
    let written = header::write(&Ship::class());
    assert!(!written.contains("OnUpdate") && written.contains("!set Base"), "{written}");
    assert_eq!(all(&[&written], &known)[0].class, Some(Ship::class()));
    let text = header::write(&Vessel::class());
    assert_eq!(
        all(&[&written, &text, &header::write(&Object::class())], &Classes::new())[0].class,
        Some(Ship::class())
    );
}

#[test]
fn invalid_bases_are_reported_by_name() {
    let of = |name: &str, base: &str| format!("@EnvironmentHeader\n!set Namespace \"{name}\"\n!set Base {base}\n");
    let check = |texts: &[String], parts: &[&str]| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = all(&texts, &Classes::new().with::<Object>());
        for (declaration, part) in found.iter().zip(parts) {
            assert!(messages_of(declaration).contains(part), "{part}: {}", messages_of(declaration));
            assert_eq!(declaration.class.is_none(), !part.is_empty(), "{part}");
        }
    };
    check(&[of("ship", "\"objct\"")], &["there is no class `objct` did you mean \"object\"?"]);
    check(&[of("ship", "\"zzz\"")], &["there is no class `zzz`"]);
    check(&[of("ship", "\"ship\"")], &["form a cycle: `ship` → `ship`"]);
    check(
        &[of("d", "\"a\""), of("a", "\"b\""), of("b", "\"c\""), of("c", "\"a\"")],
        &["`a` has errors", "`b` has errors", "`c` has errors", "`b` → `c` → `a` → `b`"],
    );
    check(&[of("ship", "3")], &["expected the name of a class in quotes"]);
    check(&[of("ship", "\"object\" + \"\"")], &["expected the name of a class in quotes"]);
    let chain: Vec<String> = (0..12)
        .rev()
        .map(|number| match number {
            0 => of("c0", "\"object\""),
            _ => of(&format!("c{number}"), &format!("\"c{}\"", number - 1)),
        })
        .collect();
    let wrong = ["errors"; 3].into_iter().chain(["at most 8 bases"]).chain([""; 8]).collect::<Vec<_>>();
    check(&chain, &wrong);
}

#[test]
fn a_reference_to_a_base_accepts_derived_classes() {
    let classes = Classes::new().with::<Object>().with::<Vessel>().with::<Ship>();
    let links = |text: &str| {
        let made = classes.get("ship").unwrap().pack_text(text);
        assert!(made.reports.is_empty(), "{:?}", made.reports);
        classes.check_links(&made.packed)
    };
    assert!(links("@ship\n!set escort \"a.vessel\"\n").is_empty());
    let wrong = links("@ship\n!set escort \"a.weapon\"\n");
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].message.contains("expected the path of a `object`, found one of a `weapon`"), "{wrong:?}");
    assert_eq!(wrong[0].span.start, 18);
    assert!(classes.is_a("ship", "object") && !classes.is_a("object", "ship") && classes.is_a("weapon", "weapon"));
}

#[test]
fn a_class_with_another_layout_than_its_base_is_refused() {
    let mut other = Object::class();
    other.records[0].fields.pop();
    let mut classes = Classes::new();
    classes.add_table(other.finish().unwrap()).unwrap();
    let why = classes.add_table(Vessel::class()).unwrap_err();
    assert!(why.contains("`vessel` claims to be derived from `object`, which has 3 fields, not 4"), "{why}");
    let mut classes = Classes::new();
    classes.add_table(Ship::class()).unwrap();
    let mut other = Object::class();
    other.records[0].fields[0].kind = Kind::Truth;
    assert!(classes.add_table(other.finish().unwrap()).is_err() && classes.add_table(Object::class()).is_ok());
}

#[test]
fn former_meanings_of_a_base_do_not_apply_to_derived_classes() {
    let base = "@EnvironmentHeader
!set Namespace \"object\"
!set Version 3
!set Attributes [{ name \"speed\", type \"f32\", former [{ name \"pace\", before 2 }, { name \"speed\", before 3, convert Lambda(old, old / 3.6) }] }]
";
    let found = all(&[base, VESSEL], &Classes::new());
    let former = |at: usize| found[at].class.as_ref().unwrap().root().fields[0].former.clone();
    assert_eq!((former(0).len(), former(1).len()), (2, 1));
    assert_eq!((former(1)[0].name.as_str(), former(1)[0].before), ("pace", 0));
}

#[test]
fn a_lambda_that_sets_a_field_of_the_tag_is_reported() {
    let classes = Classes::new().with::<Object>().with::<Vessel>();
    let messages_of = |text: &str| {
        let made = classes.get("vessel").unwrap().pack_text(text);
        assert!(made.is_sound(), "{:?}", made.reports);
        made.reports.iter().map(|report| report.message.clone()).collect::<Vec<String>>()
    };
    assert_eq!(messages_of("@vessel\n!set OnUpdate Lambda(!set hull hull - 1)\n!set period 3\n"), [""; 0]);
    let made = classes.get("vessel").unwrap().pack_text("@vessel\n!set OnUpdate Lambda(cold + 1)\n");
    assert!(!made.is_sound(), "an unset name is unknown");
    assert_eq!(
        messages_of("@vessel\n!set period 3\n!set OnUpdate Lambda([!set // why\n period 1, !set period 2])\n"),
        ["`period` belongs to the tag; an object that sets it gets its own copy"]
    );
}

proptest::proptest! {
    #[test]
    fn headers_with_any_bases_are_read_or_reported(links in proptest::collection::vec((0..8_usize, 0..10_usize, 0..4_usize), 0..12)) {
        let header = |(name, base, kind): &(usize, usize, usize)| {
            let base = match base {
                9 => String::new(),
                base => format!("!set Base \"c{base}\"\n"),
            };
            let kind = ["u8", "f64", "vec3", "list of record { a text }"][*kind];
            let own = format!("!set Attributes [{{ name \"f{name}\", type \"{kind}\" }}, {{ name \"f0\", default 1 }}]\n");
            format!("@EnvironmentHeader\n!set Namespace \"c{name}\"\n{base}{own}")
        };
        let texts: Vec<String> = links.iter().map(header).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = all(&texts, &Classes::new());
        let mut classes = Classes::new();
        for declaration in found {
            match declaration.class {
                Some(class) => {
                    let again = class.clone().finish().unwrap();
                    proptest::prop_assert_eq!(&again, &class);
                    let written = header::write(&class);
                    if classes.add_table(class.clone()).is_ok() && class.bases.iter().all(|base| classes.get(&base.name).is_some()) {
                        proptest::prop_assert_eq!(all(&[&written], &classes)[0].class.as_ref().map(Class::fingerprint), Some(class.fingerprint()));
                    }
                }
                None => proptest::prop_assert!(!declaration.reports.is_empty()),
            }
        }
    }
}

#[test]
fn an_unused_variable_that_resembles_a_field_is_reported() {
    #[derive(tags::Tag)]
    #[tag(class = "loose", open)]
    #[repr(C)]
    struct Loose {
        mass: f32,
        #[tag(name = "OnHit")]
        on_hit: tags::Lambda,
    }
    let classes = Classes::new().with::<Loose>();
    let messages_of = |text: &str| {
        let made = classes.get("loose").unwrap().pack_text(text);
        assert!(made.is_sound(), "{:?}", made.reports);
        made.reports.iter().map(|report| format!("{} {}", report.message, report.help)).collect::<Vec<String>>()
    };
    assert_eq!(
        messages_of("@loose\n!set mas 3\n"),
        ["`mas` is not a field of `loose`, and is unused here did you mean `mass`?"]
    );
    assert_eq!(messages_of("@loose\n!set mas 3\n!set OnHit Lambda(x, mas * 2)\n!set OnHut Lambda(x, 1)\n"), [""; 0]);
}

#[test]
fn derived_classes_take_no_more_room_than_their_texts_justify() {
    let fields: String = (0..1000).map(|number| format!("{{ name \"f{number}\", type \"f32\" }},\n")).collect();
    let long = format!("@EnvironmentHeader\n!set Namespace \"long\"\n!set Attributes [\n{fields}]\n");
    let short = |number: usize| format!("@EnvironmentHeader\n!set Namespace \"k{number}\"\n!set Base \"long\"\n");
    let sources: Vec<String> = std::iter::once(long).chain((0..200).map(short)).collect();
    let headers: Vec<Header<'_>> = sources.iter().map(|source| Header { origin: "a.header", source }).collect();
    let declared = read_all(&headers, &Classes::new(), &Classes::new());
    let count = declared.iter().filter(|declared| declared.class.is_some()).count();
    assert!((20..100).contains(&count), "{count}");
    let last = &declared.last().expect("there are headers").reports;
    assert_eq!(last.len(), 1, "{last:?}");
    assert!(last[0].message.contains("too large, alone or with the headers before it"), "{last:?}");
    // Fewer have room.
    let few = read_all(&headers[..20], &Classes::new(), &Classes::new());
    assert!(few.iter().all(|declared| declared.class.is_some() && declared.reports.is_empty()));
}
