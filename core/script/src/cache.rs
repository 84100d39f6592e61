//! The result cache: memoisation of pure lambdas, keyed by their body, arguments and required variables.
//!
//! Four-way set-associative, one for each worker, outside the world; all objects whose lambdas have equal bodies share
//! it.
//!
//! Laws
//! 1. It never changes a result. Keys are the values themselves, compared bit by bit; a hit is charged the fuel and
//!    memory of the evaluation it replaces, and if these are not left, the function is evaluated and halts where it
//!    would have halted.
//! 2. Only results that depend on the key alone are stored: no effects, no sets, no random numbers, no complaints, no
//!    field of an object (not even of `~this`), and only atoms in arguments, requirements and result.
//! 3. Keys are values, never counters: after a rewind they mean what they meant before, and the cache stays warm.
//! 4. The requirements of a lambda include those of the lambdas in the variables it reads. They are recomputed when
//!    such a variable holds another lambda, not when numbers or strings change.
//! 5. A lambda whose hit rate does not pay skips the cache for a while, then tries again. That changes speed, nothing
//!    else.
//! 6. It is bounded, and allocates only for programs it has not seen.

use alloc::vec::Vec;

use crate::facts::{ATOMS_MAX, Cacheability, HIT_NANOSECONDS, INSTRUCTION_NANOSECONDS, MISS_NANOSECONDS};
use crate::program::Program;
use crate::value::Value;

/// Which results are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// None.
    Off,
    /// Those for which the cost model and the measured hit rate say that it pays.
    #[default]
    Paying,
    /// All that can be stored. For measurements.
    Forced,
}

/// Statistics of one function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Lookups.
    pub lookups: u64,
    /// Hits.
    pub hits: u64,
    /// Calls without a lookup, because lookups had not paid.
    pub rests: u64,
    /// How often its requirements were recomputed.
    pub refreshes: u64,
    /// Results that are stored now.
    pub entries: u32,
    /// The estimated time saved, in nanoseconds; negative if lost.
    pub saved: f64,
}

/// The resources of an evaluation, which a hit is charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Price {
    pub fuel: u32,
    pub values: u32,
    pub depth: u32,
    pub building: u32,
}

/// A cache key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub body: u32,
    pub count: u32,
    pub atoms: [Value; ATOMS_MAX],
}

impl Key {
    /// Whether two keys are equal. Only the atoms in use are compared: most keys have few.
    #[inline]
    fn is(&self, other: &Key) -> bool {
        let count = (self.count as usize).min(ATOMS_MAX);
        (self.body, self.count) == (other.body, other.count) && self.atoms[..count] == other.atoms[..count]
    }
}

/// The variables that a function requires, and the lambdas in them for which that holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requirements {
    pub count: u8,
    pub variables: [u32; ATOMS_MAX],
    /// The function of each variable that held a lambda.
    pub lambdas: [Option<u32>; ATOMS_MAX],
}

/// The state of one function.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FunctionRecord {
    pub requirements: Option<Requirements>,
    usage: Usage,
    window: Window,
    /// Calls before the next lookup.
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
    /// Its function plus one; zero if the entry is empty.
    function: u32,
    /// Whether it was hit since the last eviction in its set (second chance).
    was_found: bool,
}

const WAYS: usize = 4;
const WINDOW: u32 = 128;
const REST_MIN: u32 = 1024;
const REST_MAX: u32 = 1 << 20;
const EMPTY: Entry = Entry {
    key: Key { body: 0, count: 0, atoms: [Value::NOTHING; ATOMS_MAX] },
    result: Value::NOTHING,
    price: Price { fuel: 0, values: 0, depth: 0, building: 0 },
    function: 0,
    was_found: false,
};

/// The results of one worker.
pub struct Cache {
    entries: Vec<Entry>,
    functions: Vec<FunctionRecord>,
    stamp: u64,
    policy: Policy,
}

impl Cache {
    /// An empty cache for about this many results, some hundred bytes each.
    pub fn new(policy: Policy, entries: usize) -> Cache {
        let count = if policy == Policy::Off { 0 } else { entries.max(WAYS).next_power_of_two() };
        assert!(count == 0 || count.is_power_of_two() && count >= WAYS, "sets are selected by a mask");
        Cache { entries: alloc::vec![EMPTY; count], functions: Vec::new(), stamp: 0, policy }
    }

    /// Allocates for a program and its library, before they run.
    pub fn ready_for(mut self, program: &Program) -> Cache {
        self.serve(program.stamp, program.all);
        self
    }

    /// The statistics of a function; `number` counts from the first function of the library.
    pub fn usage(&self, number: u32) -> Usage {
        let Some(record) = self.functions.get(number as usize) else { return Usage::default() };
        let entries = self.entries.iter().filter(|entry| entry.function == number + 1).count() as u32;
        Usage { entries, ..record.usage }
    }

    /// Which results are stored.
    pub(crate) fn policy(&self) -> Policy {
        self.policy
    }

    /// The lowest cacheability whose results are stored; none if no results are.
    pub(crate) fn threshold(&self) -> Option<Cacheability> {
        match self.policy {
            Policy::Off => None,
            Policy::Paying => Some(Cacheability::Kept),
            Policy::Forced => Some(Cacheability::Possible),
        }
    }

    /// Prepares for the programs of a stamp: entries of others are dropped.
    pub(crate) fn serve(&mut self, stamp: u64, functions: u32) {
        if self.stamp != stamp || self.functions.len() < functions as usize {
            self.stamp = stamp;
            self.functions.clear();
            self.functions.resize(functions as usize, FunctionRecord::default());
            self.entries.fill(EMPTY);
        }
    }

    /// Whether a function skips the cache at present. Counts one call.
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

    /// The state of a function.
    pub(crate) fn record(&mut self, number: u32) -> Option<&mut FunctionRecord> {
        self.functions.get_mut(number as usize)
    }

    /// The result of a key, and its price.
    #[inline]
    pub(crate) fn find(&mut self, number: u32, key: &Key) -> Option<(Value, Price)> {
        let set = self.set(key);
        let entries = self.entries.get_mut(set..set + WAYS)?;
        let found = entries.iter_mut().find(|entry| entry.function != 0 && entry.key.is(key));
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

    /// Stores a result.
    pub(crate) fn keep(&mut self, number: u32, key: Key, result: Value, price: Price) {
        debug_assert!(result.parts().is_none(), "only atoms are stored");
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

    /// The first entry of the set of a key.
    #[inline]
    fn set(&self, key: &Key) -> usize {
        debug_assert!(key.count as usize <= ATOMS_MAX, "a key has at most {ATOMS_MAX} atoms");
        // Weak hashes fail on floats, whose low bits are mostly zero: one wide multiplication per word.
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

impl FunctionRecord {
    /// Counts a lookup, and decides at the end of each window whether lookups pay.
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

    /// Sets the requirements of the function.
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
    fn stored_results_are_found_by_their_key_only() {
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
    fn functions_without_hits_skip_the_cache_and_try_again() {
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
    fn frequently_used_results_stay() {
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
