//! The records of the last cycles, with gaps where messages were lost.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::record::{Kinds, Record};
use crate::limits::LOG_CYCLES_MAX;

/// The known records.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// The cycle of the first entry.
    first: u64,
    records: VecDeque<Option<Record>>,
    /// The first cycle that is missing.
    end: u64,
}

/// How far beyond the first missing cycle records are stored.
const AHEAD_MAX: u64 = LOG_CYCLES_MAX as u64 / 2;

impl Log {
    /// A log that begins with a cycle.
    pub fn from_cycle(first: u64) -> Log {
        Log { first, records: VecDeque::new(), end: first }
    }

    /// The first cycle that is missing: all before are known.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Whether later cycles than the first missing one are known.
    pub fn has_gap(&self) -> bool {
        self.first + self.records.len() as u64 > self.end
    }

    /// Forgets what lies behind a gap: it came from a host that is not followed any more.
    pub fn cut_at_gap(&mut self) {
        self.records.truncate((self.end - self.first) as usize);
    }

    /// Stores a record. One that is known already, or too far ahead, is ignored.
    pub fn insert(&mut self, cycle: u64, record: Record) {
        if cycle < self.end || cycle >= self.end + AHEAD_MAX {
            return;
        }
        let place = (cycle - self.first) as usize;
        while self.records.len() <= place {
            self.records.push_back(None);
        }
        if self.records[place].is_none() {
            self.records[place] = Some(record);
        }
        while self.records.get((self.end - self.first) as usize).is_some_and(Option::is_some) {
            self.end += 1;
        }
    }

    pub fn get(&self, cycle: u64) -> Option<&Record> {
        self.records.get(usize::try_from(cycle.checked_sub(self.first)?).ok()?)?.as_ref().filter(|_| cycle < self.end)
    }

    /// Forgets old cycles, but none from `keep` on.
    pub fn trim(&mut self, keep: u64) {
        while self.records.len() > LOG_CYCLES_MAX && self.first < keep.min(self.end) {
            self.records.pop_front();
            self.first += 1;
        }
    }

    /// The bytes of all records from a cycle on.
    pub fn bytes_from(&self, first: u64, kinds: &Kinds) -> usize {
        let mut encoded = Vec::new();
        (first..self.end).filter_map(|cycle| self.get(cycle)).for_each(|record| record.write(kinds, &mut encoded));
        encoded.len()
    }

    /// The records from a cycle on that fit into `bytes`.
    pub fn from(&self, first: u64, bytes: usize, kinds: &Kinds) -> Vec<Record> {
        let mut found = Vec::new();
        let mut encoded = Vec::new();
        for cycle in first..self.end {
            let Some(record) = self.get(cycle) else { break };
            record.write(kinds, &mut encoded);
            if encoded.len() > bytes && !found.is_empty() {
                break;
            }
            found.push(record.clone());
        }
        found
    }
}
