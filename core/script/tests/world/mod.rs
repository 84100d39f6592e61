//! Sample effects of a world, beside those of the machine.

use script::check::Setting;
use script::effect::{EFFECTS, Effect};

static OF_WORLD: &[Effect] = &[
    Effect::new("Spawn", "Spawn(string, record?, lambda?)", "Creates an object."),
    Effect::new("Destroy", "Destroy(handle)", "Removes an object."),
    Effect::new("Damage", "Damage(handle, number, string?)", "Hits an object."),
    Effect::new("GUIFire", "GUIFire(string, any…)", "Sends an event to the interface."),
];

/// No classes, and the effects of a world.
pub fn setting() -> Setting<'static> {
    static TABLES: [&[Effect]; 2] = [EFFECTS, OF_WORLD];
    Setting { effects: &TABLES, ..Setting::default() }
}
