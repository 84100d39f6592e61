//! The minds: the scripts, how they are asked, and what their effects are.

use alloc::string::String;
use alloc::vec::Vec;

use astrarium::base::{Handle, StringId};
use astrarium::script::cache::{Cache, Policy};
use astrarium::script::check::{Setting, check};
use astrarium::script::compile::compile;
use astrarium::script::effect::{EFFECTS, Effect};
use astrarium::script::environment::{Callee, Trouble, evaluate};
use astrarium::script::library::Library;
use astrarium::script::machine::{Limits, Nowhere, Outside, Place, Scratch};
use astrarium::script::message::Message;
use astrarium::script::parse::parse;
use astrarium::script::program::Program;
use astrarium::script::report::{Report, Severity};
use astrarium::script::row::{Row64, RowView};
use astrarium::script::source::Lines;
use astrarium::script::stage::{Act, Stage, deliver, perform, tick};
use astrarium::script::value::Value;
use astrarium::state::{Block, Datums, Desks};

use crate::parts::Ship;

/// The scripts, by number.
pub const SCRIPTS: [(&str, &str); 2] = [
    ("scripts/ship.lsc", include_str!("../scripts/ship.lsc")),
    ("scripts/hostile.lsc", include_str!("../scripts/hostile.lsc")),
];
const LIMITS: Limits = Limits { fuel: 20_000, depth: 48, values: 4096, effects: 32 };
/// More desks than any machine here has processors.
pub const DESKS: usize = 64;
/// Results that each of them keeps.
const RESULTS_MAX: usize = 4096;
/// Timers of one ship that go off in one cycle.
const TIMERS_MAX: usize = 8;

/// The effects of this world, besides those that every world has.
#[rustfmt::skip]
pub static OURS: &[Effect] = &[
    Effect { name: "Steer", signature: "Steer(number)", help: "Goes towards the target it was shown, or away from it if the number is negative." },
];

const STEER: StringId = StringId::new("Steer");
const SPAWN: StringId = StringId::new("Spawn");
const DESTROY: StringId = StringId::new("Destroy");

/// What a mind wants from the world.
#[expect(clippy::large_enum_variant, reason = "most wishes are messages, and none outlives its cycle")]
pub enum Wish {
    /// A message is to reach somebody.
    Send(Handle<Ship>, Message),
    /// It wants to go towards its target, or away from it.
    Steer(f32),
    /// It wants a ship, and to be called back under this number.
    Build(i32),
    /// It wants to be gone.
    End,
}

/// What asking a mind came to.
#[derive(Clone, Copy, Default)]
pub struct Tale {
    /// How often its scripts were stopped.
    pub stopped: u32,
    /// How often they complained.
    pub complaints: u32,
}

/// All minds' scripts, and the desks they are asked at.
pub struct Minds {
    library: Library,
    desks: Desks<Desk>,
}

struct Desk {
    scratch: Scratch,
    /// What went wrong last, for people.
    trouble: Option<(u32, Trouble)>,
}

/// What a mind may see: itself, and the others as they were.
pub struct Sight<'a> {
    /// All ships.
    pub ships: Datums<Ship>,
    /// The world it may look at.
    pub block: &'a Block,
    /// Which ship it is.
    pub this: Handle<Ship>,
    /// When, in milliseconds.
    pub now: f64,
    /// The world's seed.
    pub seed: u64,
}

impl Minds {
    /// Checks and compiles the scripts.
    ///
    /// # Panics
    /// If one of them has a mistake: they are part of this program.
    pub fn new() -> Minds {
        let mut library = Library::new();
        for (name, source) in SCRIPTS {
            let (program, reports) = read(source);
            let errors = reports.iter().filter(|report| report.severity == Severity::Error);
            let mistakes: Vec<String> = errors.map(|report| report.render(name, source, &Lines::of(source))).collect();
            assert!(mistakes.is_empty(), "{}", mistakes.concat());
            let number = library.add(program);
            prepare(&mut library, number);
        }
        let desks = Desks::new(DESKS, || {
            let cache = Cache::new(Policy::Paying, RESULTS_MAX);
            // Nothing may be allocated while stepping, also not by a desk that is used for the first time.
            let cache = if let Some(program) = library.get(0) { cache.ready_for(program) } else { cache };
            Desk { scratch: Scratch::with_cache(LIMITS, cache), trouble: None }
        });
        Minds { library, desks }
    }

    /// Begins a mind: runs the statements of its script.
    pub fn begin(&self, sight: &Sight<'_>, number: u32, wish: &mut dyn FnMut(Wish)) -> (Row64, Tale) {
        let mut mind = Row64::default();
        let Some(program) = self.library.get(number) else { return (mind, Tale::default()) };
        if mind.edit().begin(program, number, handle_of(sight.this)).is_err() {
            return (mind, Tale { stopped: 1, ..Tale::default() });
        }
        let tale = self.ask(sight, &mut mind, wish, |place, mind, scratch, then| {
            for statement in &place.program.statements {
                then(evaluate(place, mind.edit(), Callee::Function(*statement), &[], scratch), mind, scratch);
            }
        });
        (mind, tale)
    }

    /// One cycle of a mind: its timers, then its update.
    pub fn update(&self, sight: &Sight<'_>, mind: &mut Row64, arguments: &[Value], wish: &mut dyn FnMut(Wish)) -> Tale {
        self.ask(sight, mind, wish, |place, mind, scratch, then| {
            for _ in 0..TIMERS_MAX {
                let Some(result) = tick(place, mind.edit(), scratch) else { break };
                then(result, mind, scratch);
            }
            if let Some(update) = place.program.variable("OnUpdate") {
                then(evaluate(place, mind.edit(), Callee::Variable(update), arguments, scratch), mind, scratch);
            }
        })
    }

    /// Lets a mind handle a message.
    pub fn deliver(&self, sight: &Sight<'_>, mind: &mut Row64, message: &Message, wish: &mut dyn FnMut(Wish)) -> Tale {
        self.ask(sight, mind, wish, |place, mind, scratch, then| {
            let result = deliver(place, mind.edit(), message, scratch);
            then(result.map(|_| Value::NOTHING), mind, scratch);
        })
    }

    /// What went wrong last on some desk, in a line for people.
    pub fn trouble(&self) -> Option<String> {
        (0..DESKS).find_map(|desk| {
            let (program, trouble) = self.desks.with(desk, |desk| desk.trouble.clone())?;
            let (name, source) = SCRIPTS.get(program as usize)?;
            let place = Lines::of(source).place(source, trouble.span.start);
            let function = self.library.get(program)?.functions.get(trouble.function as usize)?;
            let lambda = if function.name.is_empty() { "a lambda" } else { function.name.as_str() };
            Some(alloc::format!("{name}:{}:{}: {lambda}: {trouble}", place.line, place.column))
        })
    }

    fn ask(
        &self,
        sight: &Sight<'_>,
        mind: &mut Row64,
        wish: &mut dyn FnMut(Wish),
        work: impl FnOnce(Place<'_>, &mut Row64, &mut Scratch, &mut dyn FnMut(Result<Value, Trouble>, &Row64, &Scratch)),
    ) -> Tale {
        let number = mind.head.program;
        let Some(program) = self.library.get(number) else { return Tale::default() };
        let outside = Others { library: &self.library, sight };
        let place = Place { program, this: handle_of(sight.this), outside: &outside, now: sight.now, seed: sight.seed };
        let mut tale = Tale::default();
        self.desks.with(desk_of(sight.this), |desk| {
            let trouble = &mut desk.trouble;
            work(place, mind, &mut desk.scratch, &mut |result, mind, scratch| {
                tale.complaints += scratch.complaints().len() as u32;
                match result {
                    Ok(_) => perform(place, mind.view(), scratch, &mut Wishes { wish: &mut *wish }),
                    Err(found) => {
                        tale.stopped += 1;
                        *trouble = Some((number, found));
                    }
                }
            });
        });
        tale
    }
}

/// Prepares the fast ways through a script, for ships that have just begun.
fn prepare(library: &mut Library, number: u32) {
    let (mut mind, mut scratch) = (Row64::default(), Scratch::new(LIMITS));
    let Some(program) = library.get(number) else { return };
    let place = Place { program, this: Value::NOTHING, outside: &Nowhere, now: 0.0, seed: 0 };
    if mind.edit().begin(program, number, Value::NOTHING).is_ok() {
        for statement in &program.statements {
            // A statement that ends early leaves the example as it was.
            let _ = evaluate(place, mind.edit(), Callee::Function(*statement), &[], &mut scratch);
        }
    }
    library.specialise(number, mind.view());
}

/// The program of a source, and everything that is wrong with it.
fn read(source: &str) -> (Program, Vec<Report>) {
    let tree = parse(source);
    let setting = Setting { effects: &[EFFECTS, OURS], ..Setting::default() };
    let checked = check(source, &tree, &setting);
    let (program, reports) = compile(source, &tree, &[]);
    (program, tree.reports.into_iter().chain(checked.reports).chain(reports).collect())
}

/// Where to look for a free desk first: ships of a chunk are one worker's.
pub fn desk_of(ship: Handle<Ship>) -> usize {
    usize::from(ship.slot()) / 64
}

/// A ship as a value.
pub fn handle_of(ship: Handle<Ship>) -> Value {
    Value::handle(Handle::from_raw(ship.raw()), 0)
}

/// A value as a ship. It may be stale.
fn ship_of(value: Value) -> Option<Handle<Ship>> {
    value.as_handle().map(|(handle, _)| Handle::from_raw(handle.raw()))
}

struct Others<'a> {
    library: &'a Library,
    sight: &'a Sight<'a>,
}

impl Outside for Others<'_> {
    fn object(&self, handle: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
        let (_, ship) = self.sight.ships.get_untrusted(self.sight.block, handle.raw())?;
        Some((self.library.get(ship.mind.head.program)?, ship.mind.view()))
    }
}

struct Wishes<'a> {
    wish: &'a mut dyn FnMut(Wish),
}

impl Stage for Wishes<'_> {
    fn send(&mut self, to: Value, message: &Message) {
        if let Some(ship) = ship_of(to) {
            (self.wish)(Wish::Send(ship, *message));
        }
    }

    fn act(&mut self, act: Act<'_>) {
        match (act.name, act.arguments) {
            (STEER, [way]) => (self.wish)(Wish::Steer(way.as_number().unwrap_or(0.0) as f32)),
            (SPAWN, [_, _, callback]) => (self.wish)(Wish::Build(callback.as_identifier().unwrap_or(0))),
            (DESTROY, _) => (self.wish)(Wish::End),
            _ => {}
        }
    }

    fn refuse(&mut self, _: StringId, _: &'static str) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(source: &str) -> Vec<String> {
        let (_, reports) = read(source);
        let errors = reports.into_iter().filter(|report| report.severity == Severity::Error);
        errors.map(|report| report.message).collect()
    }

    #[test]
    fn the_scripts_are_right_with_the_effects_of_this_world() {
        for (name, source) in SCRIPTS {
            assert_eq!(mistakes(source), [""; 0], "{name}");
        }
        assert_eq!(mistakes("!Steer(1)"), [""; 0]);
        assert_eq!(mistakes("!Steer(\"left\")"), ["expected a number, found a string"]);
        assert!(mistakes("!Stear(1)")[0].contains("`!Stear`"), "{:?}", mistakes("!Stear(1)"));
        assert_eq!(mistakes("!Spawn(\"ship\", 3)").len(), 1);
    }

    #[test]
    fn every_effect_of_this_world_says_what_it_takes() {
        for effect in OURS {
            assert_eq!(effect.signature().expect(effect.name).name, effect.name);
        }
    }
}
