//! Memoisation: cache lookups before calls, and storing of results after them.

use super::Machine;
use crate::cache::{Key, Price, Requirements};
use crate::facts::ATOMS_MAX;
use crate::meter::WHOLE;
use crate::value::{Elements, Value};

/// The outcome of a lookup.
pub(super) enum CacheLookup {
    /// The call is not memoised.
    Unasked,
    /// A hit. The call was charged.
    Found(Value),
    /// A miss: the result is to be stored.
    Missed,
}

/// A call whose result is to be stored, and the counters before it.
pub(super) struct PendingResult {
    function: u32,
    key: Key,
    fuel: u64,
    values: usize,
    depth: u32,
    building: u32,
    depth_peak: u32,
    building_peak: u32,
    complained: u32,
    effects: usize,
    sets: usize,
    tickets: u32,
    has_looked: bool,
}

impl Machine<'_> {
    /// Looks up the result of a call.
    #[inline]
    pub(super) fn recall(&mut self, number: u32, arguments: &[Value]) -> CacheLookup {
        let (Some(threshold), Some(function)) = (self.threshold, self.program.functions.get(number as usize)) else {
            return CacheLookup::Unasked;
        };
        if function.facts.worth < threshold {
            return CacheLookup::Unasked;
        }
        if self.scratch.cache.is_resting(self.program.first + number) {
            return CacheLookup::Unasked;
        }
        self.look_up(number, arguments)
    }

    #[inline(never)]
    fn look_up(&mut self, number: u32, arguments: &[Value]) -> CacheLookup {
        let global = self.program.first + number;
        let Some(record) = self.scratch.cache.record(global) else { return CacheLookup::Unasked };
        let known = record.requirements;
        let Some(key) = self.key(number, arguments, known) else { return CacheLookup::Unasked };
        if let Some((result, price)) = self.scratch.cache.find(global, &key) {
            if !self.charge(price) {
                return CacheLookup::Unasked;
            }
            if self.is_metered {
                self.meter((number, WHOLE), price.fuel.into());
            }
            return CacheLookup::Found(result);
        }
        // Tail calls may leave more results pending than calls are nested.
        if self.scratch.pending.len() == self.scratch.pending.capacity() {
            return CacheLookup::Unasked;
        }
        self.scratch.pending.push(PendingResult {
            function: global,
            key,
            fuel: self.fuel,
            values: self.scratch.region.used(),
            depth: self.depth,
            building: self.scratch.building.len() as u32,
            depth_peak: self.depth_peak,
            building_peak: self.building_peak,
            complained: self.complained,
            effects: self.scratch.effects.len(),
            sets: self.scratch.sets.len(),
            tickets: self.tickets,
            has_looked: self.has_looked,
        });
        self.depth_peak = self.depth;
        self.building_peak = self.scratch.building.len() as u32;
        self.has_looked = false;
        CacheLookup::Missed
    }

    /// Stores the result of the last call that was a miss.
    pub(super) fn remember(&mut self, result: Value) {
        let Some(before) = self.scratch.pending.pop() else { return };
        assert!(self.fuel <= before.fuel && before.depth <= self.depth_peak, "a call uses fuel and depth");
        let price = Price {
            fuel: u32::try_from(before.fuel - self.fuel).unwrap_or(u32::MAX),
            values: (self.scratch.region.used() - before.values) as u32,
            depth: self.depth_peak - before.depth,
            building: self.building_peak - before.building,
        };
        let is_clean = self.complained == before.complained
            && self.scratch.effects.len() == before.effects
            && self.scratch.sets.len() == before.sets
            && self.tickets == before.tickets
            && !self.has_looked;
        self.depth_peak = self.depth_peak.max(before.depth_peak);
        self.building_peak = self.building_peak.max(before.building_peak);
        self.has_looked |= before.has_looked;
        if is_clean && result.parts().is_none() && price.fuel < u32::MAX {
            self.scratch.cache.keep(before.function, before.key, result, price);
        }
    }

    /// Charges the resources of an evaluation. False, without charging, if they are not left.
    fn charge(&mut self, price: Price) -> bool {
        let limits = self.scratch.limits;
        let building = self.scratch.building.len() as u32 + price.building;
        let is_there = u64::from(price.fuel) <= self.fuel
            && self.depth + price.depth <= limits.depth
            && building <= limits.values
            && self.scratch.region.charge(price.values as usize);
        if is_there {
            self.fuel -= u64::from(price.fuel);
            self.depth_peak = self.depth_peak.max(self.depth + price.depth);
            self.building_peak = self.building_peak.max(building);
        }
        is_there
    }

    /// The key of a call: its arguments and required variables. None if one of them is not an atom.
    fn key(&mut self, number: u32, arguments: &[Value], known: Option<Requirements>) -> Option<Key> {
        let function = self.program.functions.get(number as usize)?;
        let parameters = usize::from(function.parameters);
        let mut key = Key { body: function.facts.body, count: 0, atoms: [Value::NOTHING; ATOMS_MAX] };
        for (index, place) in key.atoms.get_mut(..parameters)?.iter_mut().enumerate() {
            *place = arguments.get(index).copied().unwrap_or_default();
            if place.parts().is_some() {
                return None;
            }
        }
        let requirements = match known {
            Some(known) if self.still_holds(&known) => known,
            _ => self.refresh(number)?,
        };
        let count = usize::from(requirements.count);
        let places = key.atoms.get_mut(parameters..parameters + count)?;
        for (place, variable) in places.iter_mut().zip(requirements.variables) {
            let value = self.variable(variable);
            *place = match value.as_lambda() {
                // Lambdas of equal bodies are equal, in any program.
                Some((lambda, _)) => {
                    let body = self.program.functions.get(lambda as usize)?.facts.body;
                    Value::lambda(body, Elements::default())
                }
                None if value.parts().is_some() => return None,
                None => value,
            };
        }
        key.count = (parameters + count) as u32;
        Some(key)
    }

    /// Whether the variables still hold the lambdas for which the requirements were computed.
    fn still_holds(&self, requirements: &Requirements) -> bool {
        let pairs = requirements.variables.iter().zip(requirements.lambdas);
        pairs.take(usize::from(requirements.count)).all(|(variable, lambda)| {
            let held = self.variable(*variable).as_lambda();
            held.map(|held| held.0) == lambda && held.is_none_or(|(_, captured)| captured.count == 0)
        })
    }

    /// Recomputes the requirements of a function, including those of the lambdas in its variables.
    #[cold]
    fn refresh(&mut self, number: u32) -> Option<Requirements> {
        let requirements = self.requirements_of(number);
        let global = self.program.first + number;
        if let Some(record) = self.scratch.cache.record(global) {
            record.refresh(requirements);
        }
        requirements
    }

    fn requirements_of(&self, number: u32) -> Option<Requirements> {
        let program = self.program;
        let mut found = Requirements::default();
        let functions = &program.functions;
        let add = |found: &mut Requirements, variables: &[u32]| {
            for variable in variables {
                let count = usize::from(found.count);
                if !found.variables[..count].contains(variable) {
                    *found.variables.get_mut(count)? = *variable;
                    found.count += 1;
                }
            }
            Some(())
        };
        add(&mut found, &functions.get(number as usize)?.facts.requirements)?;
        // Each variable is visited once, so that cycles of lambdas end.
        let mut visited = 0;
        while visited < usize::from(found.count) {
            if let Some((lambda, captured)) = self.variable(found.variables[visited]).as_lambda() {
                let facts = &functions.get(lambda as usize)?.facts;
                if captured.count > 0 || facts.has_effect {
                    return None;
                }
                found.lambdas[visited] = Some(lambda);
                add(&mut found, &facts.requirements)?;
            }
            visited += 1;
        }
        let parameters = usize::from(functions.get(number as usize)?.parameters);
        (parameters + usize::from(found.count) <= ATOMS_MAX).then_some(found)
    }
}
