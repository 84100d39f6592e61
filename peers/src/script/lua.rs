//! Lua 5.4, LuaJIT and Luau: separate programs, built when they are needed and controlled through pipes.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::time::Duration;

use super::contender::Contender;
use super::load::Scene;
use crate::program::Program;

/// A running Lua program.
pub struct Lua {
    name: String,
    program: Program,
}

/// The ways of calling functions, and their display names.
pub const WAYS: [(&str, &str); 3] = [("mlua", "mlua 0.12.2"), ("raw", "lua_pcall"), ("inside", "loop in Lua")];

impl Lua {
    /// All available programs. A missing one is reported in a line.
    pub fn all() -> Vec<Rc<RefCell<Lua>>> {
        let mut all = Vec::new();
        for (feature, name) in [("lua54", "Lua 5.4"), ("luajit", "LuaJIT"), ("luau", "Luau")] {
            match Program::start("lua", feature) {
                Ok(program) => {
                    // LuaJIT's version ends in a timestamp, which is cut off.
                    let name = program.greeting.split('.').take(2).collect::<Vec<_>>().join(".");
                    all.push(Rc::new(RefCell::new(Lua { name, program })));
                }
                Err(reason) => eprintln!("skipped: {name}, because {reason}"),
            }
        }
        all
    }

    /// Compiles the texts of all tags; returns the processor time.
    pub fn parse(&mut self) -> Duration {
        self.ask("parse").0
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn ask(&mut self, question: &str) -> (Duration, u64) {
        let answer = self.program.ask(question);
        let numbers = answer.split_once('\t').and_then(|(time, other)| Some((time.parse().ok()?, other.parse().ok()?)));
        let (nanoseconds, other) = numbers.unwrap_or_else(|| panic!("{} answered {answer:?}", self.name));
        (Duration::from_nanos(nanoseconds), other)
    }
}

/// A Lua program with a scene, called in one of these ways.
pub struct Way<S> {
    lua: Rc<RefCell<Lua>>,
    way: (&'static str, &'static str),
    scene: PhantomData<S>,
}

impl<S: Scene> Way<S> {
    /// A scene at its start.
    pub fn new(lua: &Rc<RefCell<Lua>>, way: (&'static str, &'static str)) -> Way<S> {
        Way { lua: Rc::clone(lua), way, scene: PhantomData }
    }
}

impl<S: Scene> Contender for Way<S> {
    fn name(&self) -> String {
        format!("{}, {}", self.lua.borrow().name, self.way.1)
    }

    fn run(&mut self, start: u64, count: u64) -> (Duration, f64) {
        let question = format!("{}\t{}\t{start}\t{count}", self.way.0, S::NAME);
        let (time, bits) = self.lua.borrow_mut().ask(&question);
        (time, f64::from_bits(bits))
    }
}
