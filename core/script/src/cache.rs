//! The result cache: what a lambda gave for the same arguments and requirements is given again.
//!
//! A worker has one, outside the world; all objects whose lambdas have equal bodies share it.
//!
//! Laws
//! 1. It never changes a result. Keys are the values themselves, compared bit by bit; a hit is charged the fuel and memory
//!    of the evaluation it replaces, and if these are not left, the evaluation is done, to end where it would have ended.
//! 2. Only what depends on its key alone is kept: no effects, no sets, no luck, no complaints, no field of an object (not
//!    even of `~this`), and nothing but atoms in arguments, requirements and result.
//! 3. Keys are values, never counters: after a rewind they mean what they meant before, and the cache stays warm.
//! 4. What a lambda requires follows the lambdas in the variables it reads. The list is made anew when one of them is another
//!    than the list was made for, and not when numbers, strings and the like change.
//! 5. A lambda whose results are not found often enough to pay stops asking for a while, then tries again. That changes
//!    speed, nothing else.
//! 6. It is bounded, and takes memory only when it meets programs it has not seen.

use alloc::vec::Vec;

use crate::facts::{ATOMS_MAX, HIT_NANOSECONDS, INSTRUCTION_NANOSECONDS, MISS_NANOSECONDS, Worth};
use crate::program::Program;
use crate::value::Value;

/// Whose results are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Nobody's.
    Off,
    /// Those for which it seems to pay, and does.
    #[default]
    Paying,
    /// Everybody's that can be, whether it pays or not. For measuring.
    Forced,
}

/// How a lambda has fared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// How often a result was looked for.
    pub lookups: u64,
    /// How often it was found.
    pub hits: u64,
    /// How often nobody looked, because it had not paid.
    pub rests: u64,
    /// How often what it requires was worked out.
    pub refreshes: u64,
    /// How many results are kept now.
    pub entries: u32,
    /// About how much time was saved, in nanoseconds; lost, if negative.
    pub saved: f64,
}

/// What an evaluation used, so that a hit can be charged for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Price {
    pub fuel: u32,
    pub values: u32,
    pub depth: u32,
    pub building: u32,
}

/// What a result is kept under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub body: u32,
    pub count: u32,
    pub atoms: [Value; ATOMS_MAX],
}

/// What a function requires, for the lambdas that were in its variables when it was worked out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requirements {
    pub count: u8,
    pub variables: [u32; ATOMS_MAX],
    /// The function each variable held, if it held a lambda.
    pub lambdas: [Option<u32>; ATOMS_MAX],
}

/// What the cache knows of one function.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    pub requirements: Option<Requirements>,
    usage: Usage,
    window: Window,
    /// Evaluations to go before it is asked again.
    rest: u32,
    rest_next: u32,
    fuel_kept: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Window {
    lookups: u32,
    hits: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    result: Value,
    price: Price,
    /// Whose it is, counting from one; zero if it is empty.
    function: u32,
    /// Whether it was found since somebody last looked for room.
    was_found: bool,
}

const WAYS: usize = 4;
const WINDOW: u32 = 128;
const REST_MIN: u32 = 1024;
const REST_MAX: u32 = 1 << 20;
const NOBODY: Entry = Entry {
    key: Key { body: 0, count: 0, atoms: [Value::NOTHING; ATOMS_MAX] },
    result: Value::NOTHING,
    price: Price { fuel: 0, values: 0, depth: 0, building: 0 },
    function: 0,
    was_found: false,
};

/// The results of one worker.
pub struct Cache {
    entries: Vec<Entry>,
    functions: Vec<Record>,
    stamp: u64,
    policy: Policy,
}

impl Cache {
    /// An empty cache for about so many results: some hundred bytes each.
    pub fn new(policy: Policy, entries: usize) -> Cache {
        let count = if policy == Policy::Off { 0 } else { entries.max(WAYS).next_power_of_two() };
        Cache { entries: alloc::vec![NOBODY; count], functions: Vec::new(), stamp: 0, policy }
    }

    /// Takes the memory for a program, and those it shares a library with, before they are run.
    pub fn ready_for(mut self, program: &Program) -> Cache {
        self.serve(program.stamp, program.all);
        self
    }

    /// How a function of a program has fared; `number` counts from the first function of the library.
    pub fn usage(&self, number: u32) -> Usage {
        let Some(record) = self.functions.get(number as usize) else { return Usage::default() };
        let entries = self.entries.iter().filter(|entry| entry.function == number + 1).count() as u32;
        Usage { entries, ..record.usage }
    }

    /// Whose results are kept.
    pub(crate) fn policy(&self) -> Policy {
        self.policy
    }

    /// From which worth on results are kept, or nothing if none are.
    pub(crate) fn threshold(&self) -> Option<Worth> {
        match self.policy {
            Policy::Off => None,
            Policy::Paying => Some(Worth::Kept),
            Policy::Forced => Some(Worth::Possible),
        }
    }

    /// Forgets what it knows of other programs than these.
    pub(crate) fn serve(&mut self, stamp: u64, functions: u32) {
        if self.stamp != stamp || self.functions.len() < functions as usize {
            self.stamp = stamp;
            self.functions.clear();
            self.functions.resize(functions as usize, Record::default());
            self.entries.fill(NOBODY);
        }
    }

    /// Whether a function is resting: then nobody looks for its result, and its rest is one evaluation shorter.
    #[inline]
    pub(crate) fn is_resting(&mut self, number: u32) -> bool {
        let Some(record) = self.functions.get_mut(number as usize) else { return true };
        if record.rest == 0 {
            return false;
        }
        record.rest -= 1;
        record.usage.rests += 1;
        true
    }

    /// What it knows of a function.
    pub(crate) fn record(&mut self, number: u32) -> Option<&mut Record> {
        self.functions.get_mut(number as usize)
    }

    /// The result under a key, and what it is charged.
    #[inline]
    pub(crate) fn find(&mut self, number: u32, key: &Key) -> Option<(Value, Price)> {
        let set = self.set(key);
        let entries = self.entries.get_mut(set..set + WAYS)?;
        let found = entries.iter_mut().find(|entry| entry.function != 0 && entry.key == *key);
        let found = found.map(|entry| {
            entry.was_found = true;
            (entry.result, entry.price)
        });
        let fuel = found.map(|(_, price)| price.fuel);
        if let Some(record) = self.functions.get_mut(number as usize) {
            record.count(fuel, self.policy);
        }
        found
    }

    /// Keeps a result.
    pub(crate) fn keep(&mut self, number: u32, key: Key, result: Value, price: Price) {
        let set = self.set(&key);
        let Some(entries) = self.entries.get_mut(set..set + WAYS) else { return };
        let empty = entries.iter().position(|entry| entry.function == 0);
        let place = empty.or_else(|| entries.iter().position(|entry| !entry.was_found)).unwrap_or_else(|| {
            entries.iter_mut().for_each(|entry| entry.was_found = false);
            (key.atoms[0].words().0 >> 7) as usize % WAYS
        });
        entries[place] = Entry { key, result, price, function: number + 1, was_found: false };
        if let Some(record) = self.functions.get_mut(number as usize) {
            record.fuel_kept += (f64::from(price.fuel) - record.fuel_kept) / 16.0;
        }
    }

    /// Where the entries under a key would be.
    #[inline]
    fn set(&self, key: &Key) -> usize {
        // Weak mixers fail on floats, whose low bits are mostly zero: one wide multiplication per word.
        let mut hash = u64::from(key.body) ^ 0x9e37_79b9_7f4a_7c15;
        for atom in &key.atoms[..(key.count as usize).min(ATOMS_MAX)] {
            let (bits, tag) = atom.words();
            let wide = u128::from(bits ^ hash) * u128::from(tag.rotate_left(32) ^ 0xd6e8_feb8_6659_fd93);
            hash = wide as u64 ^ (wide >> 64) as u64;
        }
        let sets = self.entries.len() / WAYS;
        (hash as usize & sets.wrapping_sub(1)) * WAYS
    }
}

impl Record {
    /// Counts a lookup, and decides from time to time whether looking pays.
    #[inline]
    fn count(&mut self, fuel_saved: Option<u32>, policy: Policy) {
        self.usage.lookups += 1;
        self.window.lookups += 1;
        match fuel_saved {
            Some(fuel) => {
                self.usage.hits += 1;
                self.window.hits += 1;
                self.usage.saved += f64::from(fuel) * INSTRUCTION_NANOSECONDS - HIT_NANOSECONDS;
            }
            None => self.usage.saved -= MISS_NANOSECONDS,
        }
        if self.window.lookups >= WINDOW {
            self.judge(policy);
        }
    }

    fn judge(&mut self, policy: Policy) {
        let cost = self.fuel_kept * INSTRUCTION_NANOSECONDS;
        let needed = MISS_NANOSECONDS / (cost + MISS_NANOSECONDS - HIT_NANOSECONDS);
        let pays = f64::from(self.window.hits) > needed * f64::from(self.window.lookups);
        if pays {
            self.rest_next = REST_MIN;
        } else if policy == Policy::Paying {
            self.rest = self.rest_next.max(REST_MIN);
            self.rest_next = self.rest.saturating_mul(4).min(REST_MAX);
        }
        self.window = Window::default();
    }

    /// Says what the function requires now.
    pub(crate) fn refresh(&mut self, requirements: Option<Requirements>) {
        self.usage.refreshes += 1;
        self.requirements = requirements;
        if requirements.is_none() {
            self.rest = REST_MIN;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(body: u32, number: f64) -> Key {
        let mut atoms = [Value::NOTHING; ATOMS_MAX];
        atoms[0] = Value::number(number);
        Key { body, count: 1, atoms }
    }

    #[test]
    fn what_was_kept_is_found_under_its_key_only() {
        let mut cache = Cache::new(Policy::Forced, 4096);
        cache.serve(1, 2);
        let price = Price { fuel: 90, ..Price::default() };
        for number in 0..500 {
            cache.keep(0, key(7, f64::from(number)), Value::number(f64::from(number * 2)), price);
        }
        let found =
            (0..500).filter_map(|number| cache.find(0, &key(7, f64::from(number))).map(|found| (number, found)));
        let found: Vec<_> = found.collect();
        assert!(found.len() > 450, "only {} are left", found.len());
        assert!(found.iter().all(|(number, (value, _))| *value == Value::number(f64::from(number * 2))));
        assert!(cache.find(0, &key(8, 1.0)).is_none(), "another body");
        assert!(cache.find(0, &key(7, -0.0)).is_none(), "minus zero is another key than zero");
        cache.serve(2, 2);
        assert!(cache.find(0, &key(7, 1.0)).is_none(), "other programs");
    }

    #[test]
    fn who_finds_nothing_rests_and_tries_again() {
        let mut cache = Cache::new(Policy::Paying, 64);
        cache.serve(1, 1);
        let mut lookups = 0;
        for number in 0..100_000 {
            if !cache.is_resting(0) {
                lookups += 1;
                cache.find(0, &key(1, f64::from(number)));
                cache.keep(0, key(1, f64::from(number)), Value::TRUE, Price { fuel: 100, ..Price::default() });
            }
        }
        assert!((2 * WINDOW..8 * WINDOW).contains(&lookups), "{lookups}");
        assert_eq!(cache.usage(0).hits, 0);
        assert!(cache.usage(0).saved < 0.0 && cache.usage(0).rests > 90_000);
    }

    #[test]
    fn what_the_same_few_ask_for_again_and_again_stays() {
        let mut cache = Cache::new(Policy::Paying, 64);
        cache.serve(1, 1);
        let mut hits = 0;
        for number in 0..10_000 {
            let key = key(1, f64::from(number % 8));
            if !cache.is_resting(0) && cache.find(0, &key).is_some() {
                hits += 1;
            } else {
                cache.keep(0, key, Value::TRUE, Price { fuel: 100, ..Price::default() });
            }
        }
        assert!(hits > 9_500, "{hits}");
        assert!(cache.usage(0).saved > 1_000_000.0 && cache.usage(0).entries <= 8);
    }
}
