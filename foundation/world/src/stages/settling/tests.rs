//! What a cycle looks at, with much room and with little.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use base::StringId;
use state::world::Settings;
use state::{Alone, Heap, World};
use tags::library::{Changed, Key, Ready};
use tags::{Library, TagPath};

use super::{SettlingVisit, apply_seen};
use crate::rules::Rules;
use crate::stages::StepInput;

const LEVEL: &str = "levels/test.scenario";
const CURVE: &str = "settling { slope 20, curve [{ seconds 0, friction 0.02 }, { seconds 3, friction 1 }] }";

/// How often a cycle visits what, after this many cycles of a ball with a curve, three without, and a box that is at rest, on a ground.
fn visits(bodies_max: u32, cycles: u32) -> BTreeMap<String, u32> {
    let classes = crate::classes();
    let level = format!(
        "@scenario\n!set objects_max 16\n!set bodies_max {bodies_max}\n!set physics {{ gravity vec(0, 0, -10) }}
!set placements [{{ object \"ground.object\", position vec(0, 0, -1) }}, {{ object \"a.object\", position vec(0, 0, 0.5), velocity vec(5, 0, 0) }},
{{ object \"b.object\", position vec(0, 9, 0.5), velocity vec(1, 0, 0) }}, {{ object \"b.object\", position vec(0, 6, 0.5), velocity vec(1, 0, 0) }},
{{ object \"b.object\", position vec(0, 3, 0.5), velocity vec(1, 0, 0) }}, {{ object \"c.object\", position vec(0, -9, 0.5) }}]\n"
    );
    let texts = [
        (LEVEL, level),
        ("ground.object", "@object\n!set body { shape \"box\", half vec(99, 99, 1), fixed true }\n".into()),
        ("a.object", format!("@object\n!set body {{ shape \"sphere\", radius 0.5, {CURVE} }}\n")),
        ("b.object", "@object\n!set body { shape \"sphere\", radius 0.5, never_sleeps true }\n".into()),
        ("c.object", format!("@object\n!set body {{ shape \"box\", {CURVE} }}\n")),
    ];
    let ready: Vec<Ready> = texts
        .iter()
        .zip(0..)
        .map(|((path, text), number)| {
            let path = TagPath::new(path).expect("a path");
            let made = classes.get(path.class()).expect("a class").pack_text(text);
            assert!(made.is_sound(), "{path:?}: {:?}", made.reports);
            Ready { path, key: Key([number; 32]), packed: Arc::new(made.packed) }
        })
        .collect();
    let mut content = Library::with_classes(Arc::new(classes));
    content.apply(ready);
    let rules = Rules::new("test", &content, StringId::from(LEVEL));
    let mut world = World::new(&rules.parts.plan, &Heap, Settings::default(), 7);
    world.set_up(|world| rules.set_up(world, &content));
    let changed = Changed::default();
    for _ in 0..cycles {
        rules.step(&mut world, &StepInput { content: &content, changed: &changed, events: &[] }, &Alone);
    }
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    let mut seen = |visit: SettlingVisit| *found.entry(format!("{visit:?}")).or_default() += 1;
    world.set_up(|world| apply_seen(&rules.cycle(&content, &changed), world, &mut seen));
    found
}

#[test]
fn a_cycle_visits_the_bodies_in_use_and_no_owner_for_a_contact() {
    let counts = |rows: &[(&str, u32)]| -> BTreeMap<String, u32> {
        rows.iter().map(|(what, count)| (String::from(*what), *count)).collect()
    };
    for room in [16, 16_384] {
        // Six slots twice. Owners: of the four balls and, while it is awake, the box; then of those with a curve. Contacts: one for each.
        let rolling = counts(&[("Slot", 12), ("Prototype", 7), ("Contact", 5), ("Ground", 2)]);
        assert_eq!(visits(room, 20), rolling, "room for {room}");
        // The box sleeps.
        let asleep = counts(&[("Slot", 12), ("Prototype", 5), ("Contact", 5), ("Ground", 1)]);
        assert_eq!(visits(room, 150), asleep, "room for {room}");
        // All that have a curve sleep: one look at the bodies.
        let rest = counts(&[("Slot", 6), ("Prototype", 3)]);
        assert_eq!(visits(room, 600), rest, "room for {room}");
    }
}
