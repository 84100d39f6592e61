//! Event tables: valid events round trip, all others are refused with a reason.

mod common;

use base::handle::GENERATION_MIN;
use base::{Handle, StringId, Vec3};
use common::cases;
use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use proptest::collection::vec;
use proptest::prelude::*;
use relay::event::EVENT_WORDS;
use relay::limits::{CONTENT_PLAYER, EVENTS_PER_BATCH_MAX, KINDS_MAX, REFUSALS_MAX};
use relay::table::{EventField, EventKind, EventRefusal, EventTable, FieldKind, FieldValue, TableMistake};
use relay::{Event, Relay, Sealed};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const MOVE: StringId = StringId::new("move");
const FIRE: StringId = StringId::new("fire");

fn field(name: &str, kind: FieldKind, range: Option<(f32, f32)>) -> EventField {
    EventField { name: StringId::from(name), kind, range }
}

fn kind(name: StringId, fields: &[EventField]) -> EventKind {
    EventKind { name, fields: fields.to_vec(), per_batch_max: 2 }
}

fn table() -> EventTable {
    let to = [field("to", FieldKind::Vector, Some((-100.0, 100.0))), field("fast", FieldKind::Truth, None)];
    let at = [
        field("at", FieldKind::Object, Some((0.0, 0.0))),
        field("power", FieldKind::Number, Some((0.0, 1.0))),
        field("slot", FieldKind::Identifier, Some((-3.0, 3.0))),
        field("mode", FieldKind::String, None),
    ];
    EventTable::new(vec![kind(MOVE, &to), kind(FIRE, &at)]).expect("it has no mistakes")
}

fn fire(object: u32, power: f32, slot: i32) -> Event {
    let mode = StringId::new("burst").number();
    let words = [object, power.to_bits(), slot.cast_unsigned(), mode as u32, (mode >> 32) as u32];
    Event::new(FIRE, &words)
}

#[test]
fn events_round_trip() {
    let values = [
        FieldValue::Object(Handle::new(3, GENERATION_MIN)),
        FieldValue::Number(0.5),
        FieldValue::Identifier(-3),
        FieldValue::String(StringId::new("burst")),
    ];
    let event = table().make(FIRE, &values).unwrap();
    assert_eq!(event, fire(Handle::<()>::new(3, GENERATION_MIN).raw(), 0.5, -3));
    let read: Vec<(StringId, FieldValue)> = table().read(&event).collect();
    assert_eq!(read.iter().map(|(_, value)| *value).collect::<Vec<_>>(), values);
    assert_eq!(read[1].0, StringId::new("power"));
    let moved = table().make(MOVE, &[FieldValue::Vector(Vec3::new(1.0, -0.0, 3.0)), FieldValue::Truth(true)]).unwrap();
    assert_eq!(moved.words, [1.0_f32.to_bits(), 0, 3.0_f32.to_bits(), 1, 0, 0], "there is one zero");
    assert_eq!(table().kinds()[0].name, MOVE);
}

#[test]
fn invalid_events_are_refused_with_the_field() {
    let check = |event: Event, words: &str| {
        let refusal = table().check(&event).unwrap_err();
        assert!(refusal.to_string().contains(words), "{words}: {refusal}");
    };
    let none = u32::MAX;
    check(Event::new(StringId::new("cheat"), &[]), "found an unknown one");
    check(fire(none, f32::NAN, 0), "a finite number");
    check(fire(none, f32::INFINITY, 0), "a finite number");
    check(fire(none, 1.5, 0), "expected 0 to 1");
    check(fire(none, 1.0, 4), "expected -3 to 3");
    check(fire(7, 1.0, 0), "expected a handle");
    check(fire(0, 1.0, 0), "expected a handle");
    check(Event { words: [none, 0, 0, 0, 0, 9], ..fire(none, 0.0, 0) }, "the unused word 5, found 9");
    check(Event::new(MOVE, &[0, 0, 101.0_f32.to_bits()]), "expected -100 to 100");
    check(Event::new(MOVE, &[0, 0, 0, 2]), "expected 0 or 1");
    let make = |values: &[FieldValue]| table().make(MOVE, values).unwrap_err();
    assert_eq!(make(&[]), EventRefusal::Count { expected: 2, found: 0 });
    assert!(make(&[FieldValue::Truth(true); 2]).to_string().contains("expected a vector"));
    assert_eq!(table().make(StringId::new("cheat"), &[]), Err(EventRefusal::UnknownKind));
    assert!(EventTable::default().check(&fire(none, 0.0, 0)).is_err());
}

#[test]
fn all_errors_of_a_table_are_reported_together() {
    let number = |name, range| field(name, FieldKind::Number, range);
    let kinds = vec![
        kind(MOVE, &[number("a", Some((1.0, 0.0))), number("a", None)]),
        kind(MOVE, &[field("b", FieldKind::Vector, None); 3]),
        kind(
            StringId::NONE,
            &[number("c", Some((0.0, f32::INFINITY))), field("d", FieldKind::Truth, Some((1.0, 0.0)))],
        ),
        EventKind { per_batch_max: 0, ..kind(FIRE, &[]) },
    ];
    let found = EventTable::new(kinds).unwrap_err();
    let words: Vec<String> = found.iter().map(ToString::to_string).collect();
    let wanted = ["from 1 to 0", "twice", "twice", "carry 9 words", "no name", "to inf", "expected 1 to 64"];
    assert_eq!(words.len(), wanted.len(), "{words:?}");
    assert!(words.iter().zip(wanted).all(|(found, wanted)| found.contains(wanted)), "{words:?}");
    let many = vec![kind(MOVE, &[]); KINDS_MAX + 1];
    assert_eq!(EventTable::new(many).unwrap_err(), [TableMistake::TooManyKinds { found: KINDS_MAX + 1 }]);
}

#[test]
fn invalid_events_are_dropped_and_the_rest_of_the_batch_counts() {
    let mut relay = Relay::new(&[1, 2, CONTENT_PLAYER], 5).with_table(table());
    let (good, bad) = (fire(u32::MAX, 0.5, 1), fire(u32::MAX, 9.0, 1));
    relay.handle_batch(1, 5, &[bad, good, good, good]).unwrap();
    relay.handle_batch(2, 5, &[good]).unwrap();
    // Content changes are not events of the game.
    let change = Event::new(StringId::new("tag"), &[1, 2, 3]);
    relay.handle_batch(CONTENT_PLAYER, 5, &[change]).unwrap();
    let mut sealed = Sealed::default();
    assert!(relay.poll_sealed(&mut sealed));
    assert_eq!(sealed.events(), [(1, good), (1, good), (2, good), (CONTENT_PLAYER, change)]);
    assert_eq!((relay.refused(1), relay.refused(2), relay.refused(9)), (2, 0, 0));
    let refusals: Vec<(u16, u64, EventRefusal)> =
        relay.refusals().iter().map(|refused| (refused.player, refused.cycle, refused.why)).collect();
    let range = EventRefusal::OutOfRange { field: StringId::new("power"), found: 9.0, range: (0.0, 1.0) };
    assert_eq!(refusals, [(1, 5, range), (1, 5, EventRefusal::TooMany { max: 2 })]);
    relay.forget_refusals();
    assert!(relay.refusals().is_empty() && relay.refused(1) == 2);
}

#[test]
fn early_batches_are_checked_against_the_table_of_their_cycle() {
    let good = fire(u32::MAX, 0.5, 1);
    let sealed_with = |is_ahead: bool| {
        let mut relay = Relay::new(&[1], 0).with_table(EventTable::default());
        let mut sealed = Sealed::default();
        relay.handle_batch(1, 0, &[good]).unwrap();
        if is_ahead {
            relay.handle_batch(1, 1, &[good]).unwrap();
        }
        assert!(relay.poll_sealed(&mut sealed) && sealed.events().is_empty());
        relay.set_table(Some(table()));
        if !is_ahead {
            relay.handle_batch(1, 1, &[good]).unwrap();
        }
        assert!(relay.poll_sealed(&mut sealed));
        (sealed.events().to_vec(), relay.refused(1), relay.refusals()[0].why)
    };
    assert_eq!(sealed_with(true), (vec![(1, good)], 1, EventRefusal::UnknownKind));
    assert_eq!(sealed_with(false), sealed_with(true));
}

#[test]
fn checking_does_not_allocate_and_stores_a_bounded_number_of_refusals() {
    let mut relay = Relay::new(&[1], 0).with_table(table());
    let mut sealed = Sealed::with_room_for(1);
    let before = allocations_while_forbidden();
    forbid(|| {
        for cycle in 0..10 {
            relay.handle_batch(1, cycle, &[Event::default(); EVENTS_PER_BATCH_MAX]).unwrap();
            assert!(relay.poll_sealed(&mut sealed) && sealed.events().is_empty());
        }
    });
    assert_eq!(allocations_while_forbidden() - before, 0);
    assert_eq!((relay.refusals().len(), relay.refused(1)), (REFUSALS_MAX, 10 * EVENTS_PER_BATCH_MAX as u64));
}

fn any_field() -> impl Strategy<Value = EventField> {
    let kinds = [
        FieldKind::Number,
        FieldKind::Identifier,
        FieldKind::Truth,
        FieldKind::Object,
        FieldKind::String,
        FieldKind::Vector,
    ];
    let range = prop::option::of((any::<f32>(), any::<f32>()));
    ("[a-c]", 0..kinds.len(), range).prop_map(move |(name, kind, range)| field(&name, kinds[kind], range))
}

fn any_event() -> impl Strategy<Value = Event> {
    let word = prop_oneof![Just(0), Just(1), Just(u32::MAX), any::<u32>(), any::<f32>().prop_map(f32::to_bits)];
    (0..4_u32, vec(word, EVENT_WORDS)).prop_map(|(kind, words)| {
        let kind = [MOVE, FIRE, StringId::NONE, StringId::new("other")][kind as usize];
        Event::new(kind, &words)
    })
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn any_words_are_refused_or_round_trip(
        fields in vec(any_field(), 0..5), limit in 0..70_u16, events in vec(any_event(), 0..20),
    ) {
        let kinds = vec![EventKind { name: MOVE, fields, per_batch_max: limit }];
        let table = EventTable::new(kinds).unwrap_or_else(|mistakes| {
            assert!(!mistakes.is_empty() && mistakes.iter().all(|mistake| mistake.to_string().len() > 10));
            table()
        });
        for event in &events {
            let read: Vec<FieldValue> = table.read(event).map(|(_, value)| value).collect();
            match table.check(event) {
                Ok(()) => {
                    let made = table.make(event.kind, &read).unwrap();
                    let again: Vec<FieldValue> = table.read(&made).map(|(_, value)| value).collect();
                    prop_assert_eq!(read, again);
                }
                Err(refusal) => prop_assert!(refusal.to_string().starts_with("expected "), "{}", refusal),
            }
        }
        let mut relay = Relay::new(&[0], 0).with_table(table.clone());
        relay.handle_batch(0, 0, &events).unwrap();
        let mut sealed = Sealed::default();
        prop_assert!(relay.poll_sealed(&mut sealed));
        prop_assert!(sealed.events().iter().all(|(_, event)| table.check(event).is_ok()));
        prop_assert_eq!(sealed.events().len() as u64 + relay.refused(0), events.len() as u64);
    }
}
