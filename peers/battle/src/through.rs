//! Ship AI in Lua, called through mlua with plain numbers. Each thread has its own Lua state, so that none waits for another.

use bevy_math::Vec3;
use mlua::{Function, Lua};

use crate::mind::{Around, Mind, Ship};

/// The functions of a Lua state.
pub struct Through {
    look: Function,
    update: Function,
    damage: Function,
    /// Kept alive as long as its functions are called.
    _lua: Lua,
}

thread_local! {
    static MIND: Through = Through::new();
}

/// The version of Lua.
pub fn version() -> String {
    let version: String =
        Lua::new().load("return jit and jit.version or _VERSION").eval().expect("every Lua version evaluates this");
    // LuaJIT's version ends in a timestamp, which is cut off.
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

impl Through {
    /// A Lua state with the source loaded.
    pub fn new() -> Through {
        let lua = Lua::new();
        lua.load(include_str!("../../src/battle/sources/ship.lua")).exec().expect("Lua accepts the source");
        let find = |name: &str| lua.globals().get::<Function>(name).expect("the source has this function");
        Through { look: find("look"), update: find("update"), damage: find("damage"), _lua: lua }
    }
}

impl Mind for Through {
    fn with<R>(work: impl FnOnce(&Self) -> R) -> R {
        MIND.with(work)
    }

    fn look(&self, ship: &Ship) -> f32 {
        self.look.call(ship.is_fleeing).expect("Lua runs its source")
    }

    fn update(&self, ship: &mut Ship, velocity: &mut Vec3, around: &Around) -> Option<f32> {
        let Around { position, home, target } = *around;
        let hit;
        (ship.hull, ship.shield, ship.heat, ship.calm, ship.cooldown, ship.is_fleeing, velocity.x, velocity.y, hit) =
            self.update
                .call((
                    ship.hull,
                    ship.shield,
                    ship.heat,
                    ship.calm,
                    ship.cooldown,
                    ship.is_fleeing,
                    ship.weapon + 1,
                    position.x,
                    position.y,
                    velocity.x,
                    velocity.y,
                    home.x,
                    home.y,
                    target.map(|target| target.x),
                    target.map(|target| target.y),
                ))
                .expect("Lua runs its source");
        hit
    }

    fn damage(&self, ship: &mut Ship, amount: f32, weapon: u8) -> Option<f32> {
        let replaced;
        (ship.hull, ship.shield, ship.heat, ship.calm, replaced) =
            self.damage.call((ship.hull, ship.shield, ship.heat, amount, weapon + 1)).expect("Lua runs its source");
        replaced
    }
}
