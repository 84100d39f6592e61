//! The vocabulary of a world's tags: the classes that every world knows, and the effects and queries their scripts may use.

use tags::Classes;

use crate::classes::{Events, Geometry, Globals, ObjectTag, Scenario};
use crate::tag_checks::{check_geometry, check_globals, check_object, check_scenario};
use crate::{effects, queries};

/// The messages that a world sends to its objects, besides those of players.
pub static EVENTS: [&str; 10] =
    ["Spawn", "Update", "Message", "Damage", "Destroy", "Collide", "Separate", "Break", "Enter", "Leave"];

/// The classes that every world knows.
pub fn classes() -> Classes {
    let classes = Classes::new().with_effects(&effects::SIGNATURES).with_queries(&queries::SIGNATURES);
    let classes = classes.with_events(&EVENTS);
    let classes = classes.with::<ObjectTag>().with::<Scenario>().with::<Events>().with::<Globals>().with::<Geometry>();
    let classes = classes.with_check::<ObjectTag>(check_object).with_check::<Scenario>(check_scenario);
    let classes = classes.with_check::<Geometry>(check_geometry).with_check::<Globals>(check_globals);
    view::classes::add_to(classes)
}
