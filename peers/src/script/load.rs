//! The workload of all contenders. This file is shared with the program that runs Lua.
//!
//! Laws
//! 1. A scene is a sequence of calls, and the call at an index is always the same: equal ranges are equal work.
//! 2. Every call returns a number. Their sum, in order, must be bit-identical for all contenders.

/// One call of a script's function.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The index of its object, if the scene has objects.
    pub object: usize,
    /// The index of the function.
    pub handler: usize,
    /// The arguments; the function uses the first few.
    pub arguments: [f64; 3],
}

/// A scene.
pub trait Scene: 'static {
    /// Its name.
    const NAME: &'static str;
    /// The name of its source files.
    const SOURCE: Source;
    /// The number of objects. Without objects, functions are called without one.
    const OBJECTS: usize;
    /// The names of an object's numbers.
    const VARIABLES: &'static [&'static str];
    /// The functions, and their numbers of arguments.
    const HANDLERS: &'static [(&'static str, usize)];
    /// Calls per batch.
    const BATCH: u64;
    /// The initial value of an object's number.
    fn first(object: usize, variable: usize) -> f64;
    /// The call at an index.
    fn call(index: u64) -> Call;
}

/// One of the sources in `sources/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// One function of fifteen operations.
    Damage,
    /// A unit's update.
    Unit,
    /// The objects of the thesis's scenarios.
    Object,
}

/// A function of fifteen operations; the kinds alternate, so that its branches are predictable.
pub struct Damage;

impl Scene for Damage {
    const NAME: &'static str = "damage";
    const SOURCE: Source = Source::Damage;
    const OBJECTS: usize = 0;
    const VARIABLES: &'static [&'static str] = &[];
    const HANDLERS: &'static [(&'static str, usize)] = &[("damage", 3)];
    const BATCH: u64 = 50_000;

    fn first(_: usize, _: usize) -> f64 {
        0.0
    }

    #[inline]
    fn call(index: u64) -> Call {
        Call { object: 0, handler: 0, arguments: [index % 100, index % 4, index % 50].map(|part| part as f64) }
    }
}

/// The same with random kinds, so that its branches are unpredictable.
pub struct RandomDamage;

impl Scene for RandomDamage {
    const NAME: &'static str = "damage, random kinds";
    const SOURCE: Source = Source::Damage;
    const OBJECTS: usize = 0;
    const VARIABLES: &'static [&'static str] = &[];
    const HANDLERS: &'static [(&'static str, usize)] = &[("damage", 3)];
    const BATCH: u64 = 50_000;

    fn first(_: usize, _: usize) -> f64 {
        0.0
    }

    #[inline]
    fn call(index: u64) -> Call {
        let kind = mixed(index) >> 62;
        Call { object: 0, handler: 0, arguments: [index % 100, kind, index % 50].map(|part| part as f64) }
    }
}

/// The update of a unit, one unit after the other.
pub struct Unit;

impl Scene for Unit {
    const NAME: &'static str = "unit";
    const SOURCE: Source = Source::Unit;
    const OBJECTS: usize = 10_000;
    const VARIABLES: &'static [&'static str] = &["hull", "mass", "shield", "heat", "energy"];
    const HANDLERS: &'static [(&'static str, usize)] = &[("update", 0)];
    const BATCH: u64 = 10_000;

    fn first(object: usize, variable: usize) -> f64 {
        let random = below(100, [object as u64, variable as u64, 1]) as f64;
        [50.0 + random / 2.0, 500.0 + random * 10.0, random, random / 4.0, random][variable]
    }

    #[inline]
    fn call(index: u64) -> Call {
        Call { object: index as usize % Self::OBJECTS, handler: 0, arguments: [0.0; 3] }
    }
}

/// The number of objects in the demo scene of the thesis.
const CROWD: usize = 250;
const NUMBERS: &[&str] = &["hull", "hull_max", "shield", "shield_max", "armour", "level", "morale"];

const STATUS: usize = 0;
const SPEED: usize = 1;
const UPDATE: usize = 2;
const AIM: usize = 3;
const HIT: usize = 4;
const SPELL: usize = 5;
const MESSAGE: usize = 6;
const HANDLERS: &[(&str, usize)] =
    &[("status", 0), ("speed", 0), ("update", 0), ("aim", 1), ("hit", 2), ("spell", 3), ("message", 2)];

/// A scene of the thesis: in every cycle each object gets queries, and some get messages.
pub trait Thesis: 'static {
    /// Its name.
    const NAME: &'static str;
    /// The queries of each object per cycle.
    const QUERIES: &'static [usize];
    /// The number of messages per cycle.
    const MESSAGES: u64;
    /// Cycles per batch.
    const CYCLES: u64;
    /// The numbers of armour kinds and of levels.
    const VARIETY: (u64, u64);
    /// The message for a random number.
    fn message(random: u64) -> (usize, [f64; 3]);
}

impl<T: Thesis> Scene for T {
    const NAME: &'static str = T::NAME;
    const SOURCE: Source = Source::Object;
    const OBJECTS: usize = CROWD;
    const VARIABLES: &'static [&'static str] = NUMBERS;
    const HANDLERS: &'static [(&'static str, usize)] = HANDLERS;
    const BATCH: u64 = cycle_calls::<T>() * T::CYCLES;

    fn first(object: usize, variable: usize) -> f64 {
        let (armours, levels) = T::VARIETY;
        let class = below(armours, [object as u64, 2, 0]) as f64;
        let level = 1.0 + below(levels, [object as u64, 3, 0]) as f64;
        let hull = 400.0 + class * 50.0;
        [hull, hull, 50.0, 50.0, 5.0 + class * 3.0, level, 0.0][variable]
    }

    #[inline]
    fn call(index: u64) -> Call {
        let (cycle, at) = (index / cycle_calls::<T>(), index % cycle_calls::<T>());
        let asked = T::QUERIES.len() as u64;
        if at < asked * CROWD as u64 {
            let (object, handler) = ((at / asked) as usize, T::QUERIES[(at % asked) as usize]);
            // A position that did not occur before.
            let place = (mixed(index) >> 40) as f64 / 1024.0;
            return Call { object, handler, arguments: [place, 0.0, 0.0] };
        }
        let random = mixed(mixed(cycle) ^ at);
        let (handler, arguments) = T::message(random);
        Call { object: (random >> 32) as usize % CROWD, handler, arguments }
    }
}

/// Calls per cycle.
pub const fn cycle_calls<T: Thesis>() -> u64 {
    CROWD as u64 * T::QUERIES.len() as u64 + T::MESSAGES
}

/// No messages; every object is queried.
pub struct Idle;

impl Thesis for Idle {
    const NAME: &'static str = "idle";
    const QUERIES: &'static [usize] = &[STATUS, SPEED, UPDATE];
    const MESSAGES: u64 = 0;
    const CYCLES: u64 = 20;
    const VARIETY: (u64, u64) = (5, 4);

    fn message(_: u64) -> (usize, [f64; 3]) {
        (STATUS, [0.0; 3])
    }
}

/// Ships of five classes fire eight weapons at each other.
pub struct Battle;

impl Thesis for Battle {
    const NAME: &'static str = "battle";
    const QUERIES: &'static [usize] = &[STATUS, UPDATE, AIM];
    const MESSAGES: u64 = 250;
    const CYCLES: u64 = 20;
    const VARIETY: (u64, u64) = (5, 4);

    fn message(random: u64) -> (usize, [f64; 3]) {
        let weapon = random % 8;
        (HIT, [10.0 + weapon as f64 * 7.0, (weapon % 4) as f64, 0.0])
    }
}

/// Heroes of sixty levels in forty kinds of armour cast random spells.
pub struct Mmog;

impl Thesis for Mmog {
    const NAME: &'static str = "MMOG battle";
    const QUERIES: &'static [usize] = &[STATUS, UPDATE, AIM];
    const MESSAGES: u64 = 250;
    const CYCLES: u64 = 20;
    const VARIETY: (u64, u64) = (40, 60);

    fn message(random: u64) -> (usize, [f64; 3]) {
        let (strength, kind, caster) = (random % 200, random / 200 % 4, random / 800 % 60);
        (SPELL, [20.0 + strength as f64, kind as f64, 1.0 + caster as f64])
    }
}

/// The same eight messages, a thousand in every cycle.
pub struct Bombardment;

impl Thesis for Bombardment {
    const NAME: &'static str = "message bombardment";
    const QUERIES: &'static [usize] = &[STATUS];
    const MESSAGES: u64 = 1000;
    const CYCLES: u64 = 5;
    const VARIETY: (u64, u64) = (5, 4);

    fn message(random: u64) -> (usize, [f64; 3]) {
        (MESSAGE, [(random % 4) as f64, (1 + random / 4 % 2) as f64, 0.0])
    }
}

/// A pseudo-random number: Stafford's mixer.
#[inline]
const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

fn below(limit: u64, [a, b, c]: [u64; 3]) -> u64 {
    mixed(mixed(mixed(a) ^ b) ^ c) % limit
}
