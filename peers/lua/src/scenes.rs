//! The scenes in Lua: an object is a table.

#[path = "../../src/script/load.rs"]
#[expect(dead_code, reason = "the batch size is decided by the parent process")]
pub mod load;
#[path = "../../src/script/tags.rs"]
#[expect(dead_code, reason = "this program needs only the Lua sources")]
pub mod tags;

use std::marker::PhantomData;

use load::{Scene, Source};
use mlua::{Function, Lua, RegistryKey, Table};

/// A new Lua state. Luau compiles with all its optimisations, as its games do.
pub fn state() -> Lua {
    let lua = Lua::new();
    #[cfg(feature = "luau")]
    lua.set_compiler(mlua::chunk::Compiler::new().set_optimization_level(2).set_debug_level(1));
    lua
}

/// A scene that can be run.
pub trait Runner {
    /// Runs the calls from an index on; returns the sum of all results.
    fn run(&mut self, start: u64, count: u64) -> f64;
}

/// A scene with its own Lua state.
pub struct Loaded<S> {
    /// The Lua state.
    pub lua: Lua,
    /// The functions.
    pub handlers: Vec<Function>,
    /// The objects, as registry keys: mlua holds at most 8,000 tables in LuaJIT.
    pub objects: Vec<RegistryKey>,
    /// The same objects in a Lua table.
    pub all: Table,
    scene: PhantomData<S>,
}

impl<S: Scene> Loaded<S> {
    /// A scene at its start.
    pub fn new() -> Loaded<S> {
        Loaded::load().expect("Lua accepts the source")
    }

    fn load() -> mlua::Result<Loaded<S>> {
        let lua = state();
        let source = match S::SOURCE {
            Source::Damage => include_str!("../../src/script/sources/damage.lua"),
            Source::Unit => include_str!("../../src/script/sources/unit.lua"),
            Source::Object => include_str!("../../src/script/sources/object.lua"),
        };
        lua.load(source).exec()?;
        let all = lua.create_table()?;
        let mut objects = Vec::new();
        for object in 0..S::OBJECTS {
            let numbers = S::VARIABLES.iter().enumerate().map(|(index, name)| (*name, S::first(object, index)));
            let table = lua.create_table_from(numbers)?;
            all.raw_push(&table)?;
            objects.push(lua.create_registry_value(table)?);
        }
        lua.globals().set("objects", &all)?;
        let handlers = S::HANDLERS.iter().map(|(name, _)| lua.globals().get(*name)).collect::<mlua::Result<_>>()?;
        Ok(Loaded { lua, handlers, objects, all, scene: PhantomData })
    }
}
