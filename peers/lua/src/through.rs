//! Calls through mlua, as most Rust programs would make them; and a variant with the loop in Lua.

use mlua::Function;

use crate::scenes::load::Scene;
use crate::scenes::{Loaded, Runner};

/// Every call is made from Rust.
pub struct Through<S>(pub Loaded<S>);

impl<S: Scene> Runner for Through<S> {
    fn run(&mut self, start: u64, count: u64) -> f64 {
        let mut sum = 0.0;
        for index in start..start + count {
            let call = S::call(index);
            let handler = &self.0.handlers[call.handler];
            let [a, b, c] = call.arguments;
            let result = match (self.0.objects.get(call.object), S::HANDLERS[call.handler].1) {
                (None, 3) => handler.call::<f64>((a, b, c)),
                (Some(object), 0) => handler.call(object),
                (Some(object), 1) => handler.call((object, a)),
                (Some(object), 2) => handler.call((object, a, b)),
                (Some(object), 3) => handler.call((object, a, b, c)),
                (_, count) => panic!("no scene has {count} arguments"),
            };
            sum += result.expect("Lua runs its source");
        }
        sum
    }
}

/// One call from Rust; the loop is in Lua.
pub struct Inside<S>(pub Loaded<S>);

impl<S: Scene> Runner for Inside<S> {
    fn run(&mut self, start: u64, count: u64) -> f64 {
        let inside: Function = self.0.lua.globals().get("inside").expect("this scene has its loop in Lua");
        inside.call((start, count)).expect("Lua runs its source")
    }
}
