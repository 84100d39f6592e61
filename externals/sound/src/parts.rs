//! The cache of decoded parts. It asks the source of bulk data, which never waits, and decodes what has arrived.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tags::Library;
use view::{BulkKind, BulkSource, PartState};

use crate::decode::{PartForm, Samples, decode};
use crate::limits::{DECODES_MAX, PARTS_BYTES_MAX};
use crate::plan::{SoundPlan, Take};
use crate::reports::Reports;

type PartKey = ([u8; 32], u32);

/// Decoded parts.
#[derive(Debug, Default)]
pub struct PartCache {
    parts: BTreeMap<PartKey, CachedPart>,
    failed: BTreeSet<PartKey>,
    bytes: usize,
    clock: u64,
    decodes_left: u32,
    /// Whether something was asked for that is not there yet.
    is_waiting: bool,
}

#[derive(Debug)]
struct CachedPart {
    samples: Arc<Samples>,
    used: u64,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub enum Fetched {
    /// The samples.
    Ready(Arc<Samples>),
    /// Not there yet.
    Loading,
    /// Never.
    Failed,
}

impl PartCache {
    /// Begins a new frame of the view, with its own limit of decoded parts.
    pub fn begin(&mut self) {
        self.decodes_left = DECODES_MAX;
        self.is_waiting = false;
        self.clock += 1;
    }

    /// Whether something was asked for since `begin` that is not there yet.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Forgets what failed: content has changed.
    pub fn retry(&mut self) {
        self.failed.clear();
    }

    /// The part of a take with a number from 0 on.
    pub fn fetch(
        &mut self,
        plan: &SoundPlan,
        take: &Take,
        part: u32,
        content: &Library,
        bulk: &dyn BulkSource,
        reports: &mut Reports,
    ) -> Fetched {
        let Some(number) = take.first_part.checked_add(part) else { return Fetched::Failed };
        let key = (plan.bulk.digest, number);
        if let Some(cached) = self.parts.get_mut(&key) {
            cached.used = self.clock;
            return Fetched::Ready(Arc::clone(&cached.samples));
        }
        if self.failed.contains(&key) {
            return Fetched::Failed;
        }
        if self.decodes_left == 0 {
            self.is_waiting = true;
            return Fetched::Loading;
        }
        let bytes = match bulk.part(&plan.bulk, number, BulkKind::Sound) {
            PartState::Ready(bytes) => bytes,
            PartState::Loading => {
                self.is_waiting = true;
                return Fetched::Loading;
            }
            PartState::Failed => {
                reports.tell(content, plan.tag, "its samples cannot be read: there is silence instead", "");
                self.failed.insert(key);
                return Fetched::Failed;
            }
        };
        self.decodes_left -= 1;
        let frames = take.frames.saturating_sub(part.saturating_mul(plan.part_frames)).min(plan.part_frames);
        match decode(&bytes, &PartForm { format: plan.format, channels: plan.channels, frames }) {
            Ok(samples) => Fetched::Ready(self.keep(key, Arc::new(samples))),
            Err(wrong) => {
                let found = format!("part {number}: expected {} bytes, found {}", wrong.expected, wrong.found);
                reports.tell(content, plan.tag, "its samples are damaged; import it again: ", &found);
                self.failed.insert(key);
                Fetched::Failed
            }
        }
    }

    /// Keeps a part, and forgets those that were not used for longest.
    fn keep(&mut self, key: PartKey, samples: Arc<Samples>) -> Arc<Samples> {
        self.bytes += samples.samples.len() * 2;
        self.parts.insert(key, CachedPart { samples: Arc::clone(&samples), used: self.clock });
        while self.bytes > PARTS_BYTES_MAX && self.parts.len() > 1 {
            let others = self.parts.iter().filter(|(other, _)| **other != key);
            let Some(oldest) = others.min_by_key(|(_, part)| part.used).map(|(key, _)| *key) else { break };
            if let Some(gone) = self.parts.remove(&oldest) {
                self.bytes -= gone.samples.samples.len() * 2;
            }
        }
        samples
    }
}
