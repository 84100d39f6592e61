//! Baked programs compute what the programs of their tags compute; the values of fields are shared, never moved into
//! rows.

use crate::source;

use base::{Handle, StringId};
use proptest::prelude::*;
use script::arena::Full;
use script::bake::{Baking, SHARED_MAX, Shared, bake};
use script::compile::{begin, extend};
use script::environment::{Callee, Environment, evaluate};
use script::library::Library;
use script::machine::{EvaluationContext, Limits, Nowhere, Outside, Scratch};
use script::message::Message;
use script::migration::matching;
use script::parse::parse;
use script::program::Program;
use script::query::Query;
use script::row::{Head, Row16, Row64, Row256, RowEdit, RowView};
use script::stage::{Act, Delivery, SendRefusal, Stage, deliver, handler_of, next_due, perform, tick};
use script::value::{Kind, Value};
use script::write::write;

use source::{Choices, HANDLERS, LAMBDAS, MESSAGES, programs};

const THIS: Value = Value::handle(Handle::new(7, 1), 3);
const OTHER: Value = Value::handle(Handle::new(8, 1), 3);

/// An evaluated tag: its program, and the shared values of its fields.
/// The query by which an object finds its target.
static QUERIES: &[Query] =
    &[Query::new("nearest_target", "nearest_target(vector, number) handle", 8, "A target.", ("", ""))];

struct Tag {
    program: Program,
    environment: Environment,
    fields: Vec<(String, Value)>,
    shared: Shared,
}

impl Tag {
    fn of(source: &str) -> Tag {
        Tag::with(source, &[])
    }

    /// A tag some of whose fields may hold a formula.
    fn with(source: &str, formulas: &[&str]) -> Tag {
        let declared: Vec<&str> = ["this"].into_iter().chain(formulas.iter().copied()).collect();
        let (program, reports) = extend(begin(&declared, formulas, QUERIES), source, &parse(source));
        assert!(reports.is_empty(), "{reports:?}");
        let mut environment = Environment::new(&program, 4096);
        let mut scratch = Scratch::new(Limits::default());
        environment.set(program.variable("this").expect("it is declared"), THIS);
        for statement in &program.statements {
            let place = EvaluationContext { this: THIS, ..nowhere(&program) };
            let _ = evaluate(place, environment.edit(), Callee::Function(*statement), &[], &mut scratch);
        }
        let (mut fields, mut shared) = (Vec::new(), Shared::new());
        for (number, name) in (0..).zip(&program.variables) {
            let value = share(environment.view(), environment.get(number), &mut shared);
            if !["this", "sender", "~waiting"].contains(&name.as_str()) {
                fields.push((name.clone(), value));
            }
        }
        Tag { program, environment, fields, shared }
    }

    fn baked(&self, first: &[&str], state: &[&str]) -> Program {
        let (fields, shared) = (self.fields.clone(), self.shared.clone());
        bake(&self.program, Baking { first, state, fields, shared })
    }
}

fn share(row: RowView<'_>, value: Value, shared: &mut Shared) -> Value {
    let mut parts = row.parts(value).iter().map(|part| share(row, *part, shared)).collect::<Vec<_>>();
    match value.kind() {
        Kind::List => shared.list(&parts).expect("there is room"),
        Kind::Record => {
            let pairs: Vec<_> = parts
                .as_chunks::<2>()
                .0
                .iter()
                .map(|[name, value]| (name.as_string().unwrap_or_default(), *value))
                .collect();
            shared.record(&pairs).expect("there is room")
        }
        Kind::Lambda => {
            parts.clear();
            value.as_function().map_or(Value::NOTHING, Value::function)
        }
        _ => value,
    }
}

fn nowhere(program: &Program) -> EvaluationContext<'_> {
    EvaluationContext { program, this: Value::NOTHING, outside: &Nowhere, now: 0.0, seed: 0 }
}

const SHIP: &str = "
!set mass 10
!set plates [1, 2, 3]
!set crew { captain \"Ahab\", mates [\"Starbuck\", \"Stubb\"] }
!set hull 100
!set loss Lambda(damage, max(damage - sum(plates), 0) / mass)
!set OnHit Lambda(damage, !set hull hull - loss(damage))
!set OnTake Lambda(!set cargo crew)
!set OnTell Lambda(!Send(~this, \"told\", plates, crew.mates))
!set OnWait Lambda(!After(10, [ !set hull hull + mass ]))
!set peek Lambda(who, who.crew)
!set mates Lambda(count(crew.mates) + plates[#1])
";

/// An object of a baked program.
struct Object {
    program: Program,
    row: Row64,
}

impl Object {
    fn of(program: Program) -> Object {
        let mut row = Row64::default();
        program.begin_row(&[], &mut row.values).expect("there is room");
        let this = program.this();
        this.into_iter().for_each(|this| row.edit().set(this, THIS));
        Object { program, row }
    }

    fn send(&mut self, name: &str, arguments: &[Value], scratch: &mut Scratch) -> Delivery {
        let message = Message::new(name.into(), OTHER).with_atoms(arguments).expect("there is room");
        let place = EvaluationContext { this: THIS, ..nowhere(&self.program) };
        let delivery = deliver(place, self.row.edit(), &message, scratch).expect("it ends");
        assert!(scratch.complaints().is_empty(), "{:?}", scratch.complaints());
        delivery
    }

    fn get(&self, name: &str) -> String {
        let value = self.row.view().named(&self.program, name.into()).expect("the test made it");
        let empty = script::arena::Arena::new(0);
        write(value, &self.program, &empty, &self.row.values)
    }
}

#[test]
fn a_row_has_only_per_object_variables() {
    let program = Tag::of(SHIP).baked(&["position", "team"], &["hull"]);
    let variables: Vec<&str> = program.variables.iter().map(String::as_str).collect();
    assert_eq!(variables, ["position", "team", "hull", "cargo", "this", "~waiting"]);
    assert_eq!(program.baked("mass".into()), Some(Value::number(10.0)));
    assert_eq!(program.parts(program.baked("plates".into()).unwrap()).len(), 3);
    assert_eq!(program.baked("hull".into()), None);
    assert_eq!(program.baked("nobody".into()), None);
    assert_eq!(program.verify(), Ok(()));
}

#[test]
fn lambdas_in_tag_fields_handle_messages() {
    let mut object = Object::of(Tag::of(SHIP).baked(&[], &["hull"]));
    let mut scratch = Scratch::new(Limits::default());
    object.send("hit", &[Value::number(106.0)], &mut scratch);
    assert_eq!(object.get("hull"), "90");
    assert_eq!(object.send("unknown", &[], &mut scratch), Delivery::Unhandled);
    assert!(object.program.has_handler("hit".into()) && object.program.has_handler("Hit".into()));
    assert!(!object.program.has_handler("message".into()));
    let found = handler_of(&object.program, object.row.view(), "hit".into());
    assert_eq!(found.and_then(Value::as_function), object.program.baked("OnHit".into()).and_then(Value::as_function));
    let place = EvaluationContext { this: THIS, ..nowhere(&object.program) };
    evaluate(place, object.row.edit(), Callee::Lambda(found.unwrap()), &[Value::number(106.0)], &mut scratch).unwrap();
    assert_eq!(object.get("hull"), "80");
}

#[test]
fn field_values_are_copied_when_set_or_sent() {
    let mut object = Object::of(Tag::of(SHIP).baked(&[], &["hull"]));
    let mut scratch = Scratch::new(Limits::default());
    object.send("take", &[], &mut scratch);
    let cargo = object.row.view().named(&object.program, "cargo".into()).unwrap();
    assert_eq!(object.row.view().parts(cargo).len(), 4, "the list lies in the row itself");
    assert_eq!(object.get("cargo"), r#"{ captain "Ahab", mates ["Starbuck", "Stubb"] }"#);
    object.send("tell", &[], &mut scratch);
    struct Told(Vec<usize>);
    impl Stage for Told {
        fn send(&mut self, _: Value, message: &Message) {
            let parts = message.arguments().iter().map(|argument| message.view().parts(*argument).len());
            self.0.extend(parts);
        }
        fn act(&mut self, _: Act<'_>) {}
        fn refuse(&mut self, refusal: SendRefusal) {
            panic!("{refusal:?}");
        }
    }
    let mut told = Told(Vec::new());
    perform(EvaluationContext { this: THIS, ..nowhere(&object.program) }, object.row.view(), &scratch, &mut told);
    assert_eq!(told.0, [3, 2]);
}

#[test]
fn fields_of_other_objects_are_read_like_variables() {
    let (here, there) = (Tag::of(SHIP).baked(&[], &[]), Tag::of("!set x 1\n!set crew [7, [8, 9]]").baked(&[], &[]));
    struct One<'a>(&'a Program, Row16);
    impl Outside for One<'_> {
        fn object(&self, handle: Handle<()>, array: u16) -> Option<(&Program, RowView<'_>)> {
            (Value::handle(handle, array) == OTHER).then(|| (self.0, self.1.view()))
        }
    }
    let outside = One(&there, Row16::default());
    let mut object = Object::of(here);
    let mut scratch = Scratch::new(Limits::default());
    let place = EvaluationContext { this: THIS, outside: &outside, ..nowhere(&object.program) };
    let peek = object.program.baked("peek".into()).unwrap();
    let found = evaluate(place, object.row.edit(), Callee::Lambda(peek), &[OTHER], &mut scratch).unwrap();
    assert_eq!(write(found, &object.program, scratch.region(), &object.row.values), "[7, [8, 9]]");
    let found = evaluate(place, object.row.edit(), Callee::Lambda(peek), &[THIS], &mut scratch).unwrap();
    assert_eq!(object.program.parts(found).len(), 4, "its own");
}

#[test]
fn a_tag_without_lambdas_can_be_baked() {
    let mut shared = Shared::new();
    let list = shared.list(&[Value::TRUE]).unwrap();
    let fields = vec![("hull".into(), list), ("mass".into(), Value::number(2.0))];
    let program = bake(&Program::default(), Baking { first: &["position"], state: &["hull"], fields, shared });
    assert_eq!(program.variables, ["position", "hull"]);
    assert_eq!(program.baked("mass".into()), Some(Value::number(2.0)));
    let mut row = [Value::NOTHING; 4];
    assert_eq!(program.begin_row(&[(0, Value::number(5.0))], &mut row), Ok(3));
    assert_eq!(row[0], Value::number(5.0));
    assert_eq!(row[2], Value::TRUE);
    assert_eq!(program.begin_row(&[], &mut row[..2]), Err(Full));
    assert_eq!(program.begin_row(&[], &mut row[..1]), Err(Full));
    assert_eq!(program.begin_row(&[(1, Value::FALSE), (9, list)], &mut row[..2]), Ok(2));
}

#[test]
fn shared_values_contain_neither_cycles_nor_dangling_parts() {
    let (mut one, mut other) = (Shared::new(), Shared::new());
    let long = one.list(&[Value::TRUE; 8]).unwrap();
    let wrong = other.list(&[long, Value::FALSE]).unwrap();
    let right = other.list(&[wrong]).unwrap();
    let fields = vec![("a".into(), right), ("b".into(), long)];
    let program = bake(&Program::default(), Baking { fields, shared: other, ..Baking::default() });
    assert_eq!(program.verify(), Ok(()));
    let [inner] = program.parts(program.baked("a".into()).unwrap()) else { panic!() };
    assert_eq!(program.parts(*inner), [Value::NOTHING, Value::FALSE]);
    assert_eq!(program.baked("b".into()), Some(Value::NOTHING));
    assert!(one.list(&vec![Value::TRUE; SHARED_MAX]).is_err());
}

#[test]
fn equal_code_with_different_fields_has_different_cache_keys() {
    let source = |list: &str| format!("!set plates {list}\n!set f Cached Lambda(n, sum(plates) + sum(range(n)))");
    let mut library = Library::new();
    let numbers = ["[1, 2]", "[3, 4]", "[1, 2]"].map(|list| library.add(Tag::of(&source(list)).baked(&[], &[])));
    let mut scratch = Scratch::new(Limits::default());
    for (number, expected) in numbers.into_iter().zip([3.0, 7.0, 3.0]).cycle().take(30) {
        let program = library.get(number).unwrap();
        let mut row = Row16::default();
        let f = program.baked("f".into()).unwrap();
        let found = evaluate(nowhere(program), row.edit(), Callee::Lambda(f), &[Value::number(1.0)], &mut scratch);
        assert_eq!(found, Ok(Value::number(expected)));
    }
    let kept: u32 = (0..6).map(|function| scratch.cache().usage(function).entries).sum();
    assert!(kept > 0, "results are memoised all the same");
}

#[test]
fn lambdas_of_a_changed_tag_are_matched_by_source() {
    let mut object = Object::of(Tag::of(SHIP).baked(&[], &["hull"]));
    let mut scratch = Scratch::new(Limits::default());
    object.send("wait", &[], &mut scratch);
    object.send("take", &[], &mut scratch);
    let changed = SHIP.replace("mass 10", "mass 25").replace("!set hull 100", "!set armour 1\n!set hull 1");
    let changed = format!("!set OnNew Lambda(!set other {{ a plates }})\n!set other [5]\n{changed}");
    let new = Tag::of(&changed).baked(&["team"], &["hull"]);
    let functions = matching(&object.program, &new);
    let mut row = Row64::default();
    let places = (&object.program, &new);
    object.row.view().move_variables(places, &functions, &[(0, Value::number(4.0))], &mut row.values).unwrap();
    let mut moved = Object { program: new, row };
    assert_eq!(["team", "hull", "other"].map(|name| moved.get(name)), ["4", "100", "[5]"]);
    assert_eq!(moved.get("cargo"), r#"{ captain "Ahab", mates ["Starbuck", "Stubb"] }"#);
    let place = EvaluationContext { this: THIS, now: 50.0, ..nowhere(&moved.program) };
    tick(place, moved.row.edit(), &mut scratch).unwrap().unwrap();
    assert_eq!(moved.get("hull"), "125", "the timer adds the new mass");

    object.send("wait", &[], &mut scratch);
    let gone = Tag::of("!set hull 1\n!set OnHit Lambda(!After(1, [ !set hull 2 ]))").baked(&[], &["hull"]);
    let functions = matching(&object.program, &gone);
    let mut row = Row64::default();
    object.row.view().move_variables((&object.program, &gone), &functions, &[], &mut row.values).unwrap();
    assert_eq!(next_due(&gone, row.view()), None, "timers of a removed lambda are dropped");
}

#[test]
fn fields_formulas_and_vectors_use_the_fast_paths() {
    let source = "!set hull 100\n!set mass Lambda(hull * 2)\n!set plain 3\n!set muzzle vec(0, 0, 2)\n!set place vec(1, 2, 3)\n\
        !set OnHit Lambda(damage, [ !set hull hull - damage / mass - plain, !set place place + muzzle * plain ]())\n\
        !set bad Lambda(!set hull 1)\n!set OnBad Lambda(!set hull value(bad))";
    let begun = begin(&["bad", "hull", "mass", "muzzle", "place", "plain", "OnHit", "OnBad"], &["mass", "plain"], &[]);
    let (program, reports) = extend(begun, source, &parse(source));
    assert!(reports.is_empty(), "{reports:?}");
    let function = |name: &str| program.functions.iter().position(|function| function.name == name).unwrap() as u32;
    let mut fields: Vec<(String, Value)> =
        ["mass", "OnHit", "OnBad", "bad"].map(|name| (name.into(), Value::function(function(name)))).into();
    fields.push(("plain".into(), Value::number(3.0)));
    fields.push(("muzzle".into(), Value::vector(base::Vec3::new(0.0, 0.0, 2.0))));
    let baking = Baking { state: &["hull", "place"], fields, ..Baking::default() };
    let mut library = Library::new();
    let number = library.add(bake(&program, baking));
    let mut row = Row16::default();
    let baked = library.get(number).unwrap();
    let place = Value::vector(base::Vec3::new(1.0, 2.0, 3.0));
    baked.begin_row(&[(0, Value::number(100.0)), (1, place)], &mut row.values).unwrap();
    let mut scratch = Scratch::new(Limits::default());
    let mut ends = |library: &Library, name: &str| {
        let program = library.get(number).unwrap();
        let mut row = row;
        let lambda = handler_of(program, row.view(), name.into()).unwrap();
        evaluate(nowhere(program), row.edit(), Callee::Lambda(lambda), &[Value::number(50.0)], &mut scratch).unwrap();
        let sets = scratch.sets(program).count();
        ((row.values[0], row.values[1]), sets)
    };
    let slow = ends(&library, "hit");
    let bad = ends(&library, "bad");
    library.specialise(number, row.view());
    let fast = ends(&library, "hit");
    assert_eq!(slow.0, (Value::number(96.75), Value::vector(base::Vec3::new(1.0, 2.0, 9.0))));
    assert_eq!((slow.1, fast.1), (2, 0), "the second time a kernel ran, which records no sets");
    assert_eq!(slow.0, fast.0);
    assert_eq!(ends(&library, "bad"), bad, "a formula with effects is left to the virtual machine");
}

#[test]
fn message_values_are_copied_into_the_row() {
    let program = Tag::of(SHIP).baked(&["gift"], &["hull"]);
    let mut object = Object::of(program);
    let mut scratch = Scratch::new(Limits::default());
    object.send("take", &[], &mut scratch);
    let source = object.row;
    let gift = source.view().named(&object.program, "cargo".into()).unwrap();
    let mut other = Object::of(object.program.clone());
    let sets = [(0, gift), (1, Value::number(5.0)), (99, gift)];
    scratch.set_copied(&mut other.row.edit(), &other.program, &sets, source.view()).unwrap();
    assert_eq!(other.get("gift"), r#"{ captain "Ahab", mates ["Starbuck", "Stubb"] }"#);
    assert_eq!(other.get("hull"), "5");
    let mut small = Row16::default();
    small.values[0] = Value::TRUE;
    let sets = [(0, gift), (1, gift), (2, gift)];
    assert_eq!(scratch.set_copied(&mut small.edit(), &other.program, &sets, source.view()), Err(Full));
    assert_eq!(small.values[0], Value::TRUE);
}

/// This many random cases, unless the environment sets a number.
fn cases(count: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    config.cases = if config.cases == 256 { count } else { config.cases };
    config.failure_persistence = None;
    config
}

const LIMITS: Limits = Limits { fuel: 4_000, depth: 24, values: 600, effects: 20 };

/// The result of an evaluation, as text.
fn told(result: Value, program: &Program, row: &[Value], scratch: &Scratch) -> String {
    let text = |value| write(value, program, scratch.region(), row).chars().take(300).collect::<String>();
    let effects: Vec<String> =
        scratch.effects().iter().map(|effect| format!("{} {}", effect.name, text(effect.arguments))).collect();
    let complaints: Vec<String> = scratch.complaints().iter().map(ToString::to_string).collect();
    format!("{} {effects:?} {complaints:?}", text(result))
}

/// The variables that both programs have, as text.
fn variables(baked: &Program, program: &Program, row: &[Value]) -> String {
    let head = Head::default();
    let row = RowView { head: &head, values: row };
    let names = baked.variables.iter().filter(|name| *name != "~waiting");
    let empty = script::arena::Arena::new(0);
    let values = names
        .map(|name| write(row.named(program, StringId::new(name)).unwrap_or_default(), program, &empty, row.values));
    values.map(|text| text.chars().take(200).collect()).collect::<Vec<String>>().join("; ")
}

fn no_row_holds_shared(row: &[Value]) {
    // A row view resolves only kept parts, never shared ones.
    let head = Head::default();
    let view = RowView { head: &head, values: row };
    for value in row {
        if let Kind::List | Kind::Record = value.kind() {
            assert!(!value.is_shared(), "{value:?} of {:?}", view.parts(*value));
        }
    }
}

/// Fields that may hold a formula.
const FIELDS: [&str; 6] = ["n", "m", "v", "l", "t", "f"];

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn baked_programs_compute_what_tag_programs_compute(
        numbers in prop::collection::vec(any::<u16>(), 20..200),
        states in any::<u16>(),
        formulas in prop_oneof![Just(0), any::<u16>()],
        steps in prop::collection::vec((0_usize..12, -3_i32..9), 1..12),
    ) {
        let mut choices = Choices::new(&numbers);
        let sources = programs(&mut choices);
        let formulas: Vec<&str> = FIELDS.iter().enumerate().filter(|(index, _)| formulas >> index & 1 == 1).map(|(_, name)| *name).collect();
        let tags = sources.map(|source| Tag::with(&source, &formulas));
        let names: Vec<&str> = tags[0].fields.iter().map(|(name, _)| name.as_str()).collect();
        let state: Vec<&str> = names.iter().enumerate().filter(|(index, _)| states >> (index % 16) & 1 == 1).map(|(_, name)| *name).collect();
        let mut library = Library::new();
        let number = library.add(tags[0].baked(&["position"], &state));
        let mut row = vec![Value::NOTHING; 1024];
        let program = library.get(number).unwrap();
        program.begin_row(&[], &mut row).unwrap();
        let mut head = Head::default();
        if let Some(this) = program.this() {
            row[this as usize] = THIS;
        }
        library.specialise(number, RowView { head: &head, values: &row });
        let (program, tag) = (library.get(number).unwrap(), &tags[0]);
        prop_assert_eq!(program.verify(), Ok(()));
        let mut plain = tag.environment.clone();
        // Timers that the statements started belong to the tag, not to its objects.
        if let Some(waiting) = tag.program.variable("~waiting") {
            plain.set(waiting, Value::NOTHING);
        }
        plain.edit().head.tickets = 0;
        let (mut scratch, mut other) = (Scratch::new(LIMITS), Scratch::new(LIMITS));
        for (what, argument) in steps {
            let arguments = [Value::number(f64::from(argument)), Value::identifier(argument)];
            let names: Vec<&str> = LAMBDAS.into_iter().chain(HANDLERS).chain(MESSAGES).collect();
            let name = names[what];
            let (baked_place, plain_place) = (EvaluationContext { this: THIS, ..nowhere(program) }, EvaluationContext { this: THIS, ..nowhere(&tag.program) });
            let ours = RowEdit { head: &mut head, values: &mut row };
            let (ours, theirs) = if what < LAMBDAS.len() + HANDLERS.len() {
                let lambda = ours.view().named(program, name.into()).unwrap();
                let ours = evaluate(baked_place, ours, Callee::Lambda(lambda), &arguments, &mut scratch);
                let lambda = plain.get(tag.program.variable(name).unwrap());
                (ours, evaluate(plain_place, plain.edit(), Callee::Lambda(lambda), &arguments, &mut other))
            } else {
                let message = Message::new(name.into(), OTHER).with_atoms(&arguments).unwrap();
                let result = |delivery| match delivery { Delivery::Handled(value) => value, Delivery::Unhandled => Value::NOTHING };
                let ours = deliver(baked_place, ours, &message, &mut scratch).map(result);
                (ours, deliver(plain_place, plain.edit(), &message, &mut other).map(result))
            };
            match (ours, theirs) {
                (Ok(ours), Ok(theirs)) => {
                    let ours = told(ours, program, &row, &scratch);
                    prop_assert_eq!(ours, told(theirs, &tag.program, plain.kept(), &other));
                }
                // Both fail, perhaps at different limits: the baked program copies values that the tag's row already
                // holds.
                (ours, theirs) => {
                    prop_assert_eq!(ours.is_err(), theirs.is_err());
                    break;
                }
            }
            no_row_holds_shared(&row);
            prop_assert_eq!(variables(program, program, &row), variables(program, &tag.program, plain.kept()));
        }
    }

    #[test]
    fn rows_migrate_to_any_other_program(
        numbers in prop::collection::vec(any::<u16>(), 20..200),
        bytes in prop::collection::vec((any::<u64>(), 0_u64..12, any::<u8>()), 0..40),
        states in any::<u16>(),
    ) {
        let mut choices = Choices::new(&numbers);
        let tags = programs(&mut choices).map(|source| Tag::of(&source));
        let state = |tag: &Tag, by: u16| -> Vec<String> {
            let names = tag.fields.iter().map(|(name, _)| name.clone()).enumerate();
            names.filter(|(index, _)| by >> (index % 16) & 1 == 1).map(|(_, name)| name).collect()
        };
        let [old, new] = [(&tags[0], states), (&tags[1], !states)].map(|(tag, by)| {
            let state = state(tag, by);
            tag.baked(&[], &state.iter().map(String::as_str).collect::<Vec<_>>())
        });
        let functions = matching(&old, &new);
        prop_assert_eq!(functions.len(), old.functions.len());
        prop_assert!(functions.iter().flatten().all(|number| (*number as usize) < new.functions.len()));
        prop_assert_eq!(matching(&old, &old).into_iter().flatten().count(), old.functions.len());
        let mut row = Row256::default();
        old.begin_row(&[], &mut row.values).unwrap();
        for (bits, kind, place) in bytes {
            let bits = if kind == 7 { bits & 0x1f_0000_00ff | 1 << 31 } else { bits & 0xc000_00ff };
            row.values[usize::from(place)] = base::plain::pod_read_unaligned(&[bits.to_le_bytes(), (kind | u64::from(place % 9) << 32).to_le_bytes()].concat());
        }
        let mut into = Row256::default();
        if row.view().move_variables((&old, &new), &functions, &[], &mut into.values).is_ok() {
            no_row_holds_shared(&into.values);
            let known = |value: &Value| value.as_function().is_none_or(|function| (function as usize) < new.functions.len());
            prop_assert!(into.values.iter().all(known));
        }
        row.edit().remap_lambdas(&old, &functions);
        let mut scratch = Scratch::new(LIMITS);
        while let Some(Ok(_)) = tick(EvaluationContext { now: 1e9, ..nowhere(&new) }, into.edit(), &mut scratch) {}
    }
}

#[test]
fn fast_paths_read_other_objects_identically() {
    let source = "!set hull 100\n!set place vec(0, 0, 0)\n!set seen 0\n!set is_there false\n!set gun { range 50, kind \"laser\" }\n\
        !set OnLook Lambda(!set target nearest_target(place, 9))\n\
        !set OnUpdate Lambda(step, let far = distance(target.place, place), with = step * 2 in [\n\
            !set is_there is_living(target),\n\
            !set seen if far < gun.range and gun.kind = \"laser\" then target.hull + with + target.mass else far,\n\
            !set place place + target.place * with\n\
        ]())\n!set mass 3";
    let tag = Tag::of(source);
    let mut library = Library::new();
    let number = library.add(tag.baked(&["place"], &["hull", "seen", "is_there"]));
    let program = library.get(number).unwrap();
    let begun = Object::of(program.clone()).row;
    library.specialise(number, begun.view());
    let program = library.get(number).unwrap();
    struct Others<'a>(&'a Program, Vec<Row64>);
    impl Outside for Others<'_> {
        fn object(&self, handle: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
            Some((self.0, self.1.get(usize::from(handle.slot()))?.view()))
        }
    }
    let variable = |name: &str| program.variable(name).unwrap();
    let mut rows = vec![begun; 5];
    rows[1].edit().set(variable("hull"), Value::NOTHING);
    rows[2].edit().set(variable("place"), Value::number(5.0));
    rows[3].edit().set(variable("place"), Value::vector(base::Vec3::new(90.0, 0.0, 0.5)));
    let outside = Others(program, rows);
    let update = program.baked("OnUpdate".into()).unwrap();
    let mut scratches = [true, false].map(|is_exact| {
        let mut scratch = Scratch::new(Limits::default());
        scratch.set_exact(is_exact);
        scratch
    });
    let mut was_fast = 0;
    let handles = (0..9).map(|slot| Value::handle(Handle::new(slot, 1), 3));
    for target in handles.chain([Value::NOTHING, Value::number(1.0), THIS]) {
        let [slow, fast] = scratches.each_mut().map(|scratch| {
            let mut row = begun;
            row.edit().set(variable("target"), target);
            let place = EvaluationContext { this: THIS, outside: &outside, ..nowhere(program) };
            let result = evaluate(place, row.edit(), Callee::Lambda(update), &[Value::number(0.5)], scratch);
            (row.values, result, scratch.complaints().to_vec(), scratch.sets(program).count())
        });
        assert_eq!((slow.0, slow.1, slow.2), (fast.0, fast.1, fast.2), "{target:?}");
        was_fast += usize::from(slow.3 > 0 && fast.3 == 0);
    }
    assert_eq!(was_fast, 3, "kernels ran for objects whose target has the expected kinds");
    // Captured values count towards the memory limit, in kernels too.
    for values in 0..4 {
        let limits = Limits { values, ..Limits::default() };
        let [slow, fast] = [true, false].map(|is_exact| {
            let mut scratch = Scratch::new(limits);
            scratch.set_exact(is_exact);
            let mut row = begun;
            row.edit().set(variable("target"), Value::handle(Handle::new(0, 1), 3));
            let place = EvaluationContext { this: THIS, outside: &outside, ..nowhere(program) };
            (evaluate(place, row.edit(), Callee::Lambda(update), &[Value::number(0.5)], &mut scratch), row.values)
        });
        assert_eq!(slow, fast, "{values}");
    }
}
