//! Ship AI in LuaJIT with FFI pointers to the components, which it reads and writes in place. Faster than passing numbers, but
//! nothing protects the engine from a mistake in a script. Rare calls go through mlua, as in `through`.
#![allow(unsafe_code, reason = "mlua offers the FFI library only through an unsafe constructor")]

use bevy_math::Vec3;
use mlua::{Function, Lua};

use crate::mind::{Around, Mind, Ship};
use crate::through::Through;

/// The functions of a Lua state.
pub struct Direct {
    update: Function,
    seldom: Through,
    /// Kept alive as long as its functions are called.
    _lua: Lua,
}

thread_local! {
    static MIND: Direct = Direct::new();
}

impl Direct {
    fn new() -> Direct {
        // SAFETY: the source below is ours, and uses C types only on pointers that `update` passes to it, during the call.
        let lua = unsafe { Lua::unsafe_new() };
        lua.load(include_str!("../../src/battle/sources/ship_direct.lua")).exec().expect("LuaJIT accepts the source");
        let update = lua.globals().get("update").expect("the source has this function");
        Direct { update, seldom: Through::new(), _lua: lua }
    }
}

impl Mind for Direct {
    fn with<R>(work: impl FnOnce(&Self) -> R) -> R {
        MIND.with(work)
    }

    fn look(&self, ship: &Ship) -> f32 {
        self.seldom.look(ship)
    }

    fn update(&self, ship: &mut Ship, velocity: &mut Vec3, around: &Around) -> Option<f32> {
        // LuaJIT compiles operations on numbers, not on mlua's light userdata. All addresses are exact as numbers.
        let around_at = |place: &Vec3| std::ptr::from_ref(place).addr() as f64;
        let ship = std::ptr::from_mut(ship).expose_provenance() as f64;
        let velocity = std::ptr::from_mut(velocity).expose_provenance() as f64;
        let target = around.target.as_ref().map(around_at);
        let arguments = (ship, velocity, around_at(&around.position), around_at(&around.home), target);
        self.update.call(arguments).expect("Lua runs its source")
    }

    fn damage(&self, ship: &mut Ship, amount: f32, weapon: u8) -> Option<f32> {
        self.seldom.damage(ship, amount, weapon)
    }
}
