//! The vocabulary of a world's tags: the classes that every world knows, and the effects and queries their scripts may use.

use script::handler::Handler;
use tags::Classes;

use crate::classes::{Events, Geometry, Globals, ObjectTag, Scenario};
use crate::tag_checks::{check_geometry, check_globals, check_object, check_scenario};
use crate::{effects, queries};

/// The messages that a world sends to its objects, besides those of players.
pub static EVENTS: [&str; 11] =
    ["Spawn", "Update", "Message", "Damage", "Destroy", "Collide", "Separate", "Break", "Enter", "Leave", "MoveDenied"];

/// What a world calls its objects' handlers with. `OnMessage`, and the handlers of messages that scripts and players send, take what
/// was sent.
pub static HANDLERS: [Handler; 11] = [
    Handler { name: "OnSpawn", called: "Lambda(any)" },
    Handler { name: "OnUpdate", called: "Lambda(number, any)" },
    Handler { name: "OnDamage", called: "Lambda(number, string, any)" },
    Handler { name: "OnDestroy", called: "Lambda(any)" },
    Handler { name: "OnCollide", called: "Lambda(handle, number, number, vector, vector, any)" },
    Handler { name: "OnSeparate", called: "Lambda(handle, any)" },
    Handler { name: "OnBreak", called: "Lambda(handle, vector, any)" },
    Handler { name: "OnEnter", called: "Lambda(handle, any, any)" },
    Handler { name: "OnLeave", called: "Lambda(handle, any, any)" },
    Handler { name: "OnMoveDenied", called: "Lambda(vector, any, any)" },
    Handler { name: "triggers.when", called: "Lambda(truth)" },
];

/// The classes that every world knows.
pub fn classes() -> Classes {
    let classes = Classes::new().with_effects(&effects::SIGNATURES).with_queries(&queries::SIGNATURES);
    let classes = classes.with_events(&EVENTS).with_handlers(&HANDLERS);
    let classes = classes.with::<ObjectTag>().with::<Scenario>().with::<Events>().with::<Globals>().with::<Geometry>();
    let classes = classes.with_check::<ObjectTag>(check_object).with_check::<Scenario>(check_scenario);
    let classes = classes.with_check::<Geometry>(check_geometry).with_check::<Globals>(check_globals);
    view::classes::add_to(classes)
}
