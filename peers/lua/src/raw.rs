//! Calls with `lua_pcall`, as a C program would: the cost of Lua without mlua.
#![expect(unsafe_code, reason = "this is the C interface of Lua")]

use mlua::{Value, Variadic, ffi};

use crate::scenes::load::Scene;
use crate::scenes::{Loaded, Runner};

/// Every call is made from Rust, bypassing mlua.
pub struct Raw<S>(pub Loaded<S>);

impl<S: Scene> Runner for Raw<S> {
    fn run(&mut self, start: u64, count: u64) -> f64 {
        let Loaded { lua, handlers, all, .. } = &self.0;
        let table = Value::Table(all.clone());
        let values: Variadic<Value> =
            std::iter::once(table).chain(handlers.iter().cloned().map(Value::Function)).collect();
        // SAFETY: the stack begins with the table of all objects and the handlers, in order; `run_calls` leaves one number
        // instead of them.
        let sum = unsafe { lua.exec_raw(values, |state| run_calls::<S>(state, start, count)) };
        sum.expect("Lua runs its source")
    }
}

/// # Safety
/// The stack must begin with the table of all objects, if there are any, and the handlers.
unsafe fn run_calls<S: Scene>(state: *mut ffi::lua_State, start: u64, count: u64) {
    let mut sum = 0.0;
    // SAFETY: at most five values are pushed, and all are popped again.
    unsafe { ffi::luaL_checkstack(state, 8, std::ptr::null()) };
    for index in start..start + count {
        let call = S::call(index);
        let arguments = S::HANDLERS[call.handler].1;
        // SAFETY: the stack is as required above; a call pops the function and its arguments and pushes one result.
        unsafe {
            ffi::lua_pushvalue(state, 2 + call.handler as std::ffi::c_int);
            if S::OBJECTS > 0 {
                ffi::lua_rawgeti(state, 1, call.object as ffi::lua_Integer + 1);
            }
            for argument in &call.arguments[..arguments] {
                ffi::lua_pushnumber(state, *argument);
            }
            let given = arguments + usize::from(S::OBJECTS > 0);
            let status = ffi::lua_pcall(state, given as std::ffi::c_int, 1, 0);
            assert_eq!(status, ffi::LUA_OK, "Lua runs its source");
            sum += ffi::lua_tonumber(state, -1);
            ffi::lua_settop(state, -2);
        }
    }
    // SAFETY: the values on the stack are no longer needed, and there is space, as above.
    unsafe {
        ffi::lua_settop(state, 0);
        ffi::lua_pushnumber(state, sum);
    }
}
