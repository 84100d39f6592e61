//! Sample effects and queries of a world, beside the effects of the machine.
#![allow(dead_code, reason = "not every test uses everything")]

use script::check::Setting;
use script::effect::{EFFECTS, Effect};
use script::query::{Query, RecordArgument};

static OF_WORLD: &[Effect] = &[
    Effect::new("Spawn", "Spawn(string, record?, lambda?)", "Creates an object."),
    Effect::new("Destroy", "Destroy(handle)", "Removes an object."),
    Effect::new("Damage", "Damage(handle, number, string?)", "Hits an object."),
    Effect::new("GUIFire", "GUIFire(string, any…)", "Sends an event to the interface."),
];

/// The queries of a world that is a row of points along x.
pub static QUERIES: &[Query] = &[
    Query::new(
        "near",
        "near(number, number, record?) list of handle",
        8,
        "The points within a distance.",
        ("near(0, 1)", "[]"),
    )
    .with_records(&[RecordArgument {
        index: 2,
        what: "a choice of points",
        fields: &["even", "above"],
        means: &[],
    }]),
    Query::new("next", "next(number) handle", 8, "The next point.", ("next(0)", "nothing")),
    Query::new("meets", "meets(number, number) truth", 8, "Whether there is a point.", ("meets(0, 1)", "false")),
    Query::new("tally", "tally() number", 8, "The number of points.", ("tally()", "0")),
    Query::new("mark", "mark(number) { point handle, sort string }", 9, "A point.", ("mark(0)", "nothing"))
        .with_words(&["point", "sort", "peak"]),
];

/// No classes, and the effects and queries of a world.
pub fn setting() -> Setting<'static> {
    static TABLES: [&[Effect]; 2] = [EFFECTS, OF_WORLD];
    Setting { effects: &TABLES, queries: QUERIES, ..Setting::default() }
}
