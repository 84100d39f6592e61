//! Bevy's battle: separate programs, one for each Lua.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::contender::{Contender, Played, Scene};
use crate::program::Program;

/// All available variants: with each Lua, and without. A missing one is reported in a line.
pub fn all() -> Vec<Box<dyn Contender>> {
    let mut all: Vec<Box<dyn Contender>> = Vec::new();
    for (feature, name) in [("luajit", "LuaJIT"), ("lua54", "Lua 5.4"), ("", "Rust")] {
        let program = match Program::start("battle", feature) {
            Ok(program) => program,
            Err(reason) => {
                eprintln!("skipped: Bevy with {name}, because {reason}");
                continue;
            }
        };
        // The first line alternates back ends and their display names.
        let words: Vec<String> = program.greeting.split('\t').map(str::to_owned).collect();
        let program = Rc::new(RefCell::new(program));
        all.extend(words.chunks_exact(2).map(|words| {
            let name = format!("Bevy 0.19.1, {}", words[1]);
            Box::new(Bevy { program: Rc::clone(&program), mind: words[0].clone(), name }) as Box<dyn Contender>
        }));
    }
    all
}

/// One AI back end of a program.
struct Bevy {
    program: Rc<RefCell<Program>>,
    mind: String,
    name: String,
}

impl Contender for Bevy {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn is_scripted(&self) -> bool {
        self.mind == "through"
    }

    fn play(&mut self, scene: Scene, cycles: u32) -> Played {
        let question = format!("{}\t{}\t{}\t{cycles}", self.mind, scene.places(), scene.buoys);
        let answer = self.program.borrow_mut().ask(&question);
        let words: Vec<&str> = answer.split('\t').collect();
        let number = |index: usize| -> u64 {
            words.get(index).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("Bevy answered {answer:?}"))
        };
        Played {
            wall: Duration::from_nanos(number(0)),
            processor: Duration::from_nanos(number(1)),
            hits: number(2),
            deaths: number(3),
            ships: number(4),
            hull: number(5) as f64 / 1000.0,
        }
    }

    fn end(&mut self) {
        self.program.borrow_mut().ask("end");
    }
}
