//! A cache of resources by tag, with budgets.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::StringId;
use tags::{Key, Library};

use crate::reports::Reports;
use crate::resources::Loaded;

/// Resources of one kind.
#[derive(Debug)]
pub struct Cache<T> {
    entries: BTreeMap<StringId, Entry<T>>,
    count_max: usize,
    bytes_max: usize,
    picture: u64,
}

/// What an attempt to make a resource came to.
pub enum Step<T> {
    /// It is made.
    Ready(T),
    /// A version with less detail is made; there will be more.
    Partial(T),
    /// Nothing new yet.
    Loading,
    /// It cannot be made, and why.
    Failed(String),
}

#[derive(Debug)]
struct Entry<T> {
    /// The version that was made or has failed; none while it is being loaded.
    version: Option<Option<Key>>,
    /// The version that parts were made of, while there is more to come.
    partial: Option<Option<Key>>,
    current: Option<Arc<T>>,
    bytes: usize,
    used: u64,
}

impl<T> Cache<T> {
    pub fn new(count_max: usize, bytes_max: usize) -> Cache<T> {
        Cache { entries: BTreeMap::new(), count_max, bytes_max, picture: 0 }
    }

    /// Drops the longest unused until the budgets are kept.
    pub fn begin_picture(&mut self) {
        self.picture += 1;
        let bytes: usize = self.entries.values().map(|entry| entry.bytes).sum();
        if self.entries.len() <= self.count_max && bytes <= self.bytes_max {
            return;
        }
        let mut by_use: Vec<(u64, StringId)> = self.entries.iter().map(|(tag, entry)| (entry.used, *tag)).collect();
        by_use.sort_unstable();
        let mut bytes = bytes;
        for (_, tag) in by_use {
            // To three quarters, so that this does not happen with every picture.
            if self.entries.len() <= self.count_max / 4 * 3 && bytes <= self.bytes_max / 4 * 3 {
                break;
            }
            bytes -= self.entries.remove(&tag).map_or(0, |entry| entry.bytes);
        }
    }

    /// A resource; `make` is called if it is new, changed or not yet whole, with what is there of the same version.
    pub fn get(
        &mut self,
        tag: StringId,
        content: &Library,
        make: impl FnOnce(Option<&T>) -> Step<T>,
        bytes: impl Fn(&T) -> usize,
        reports: &mut Reports,
        loading: &mut usize,
    ) -> Loaded<T> {
        let version = content.key(tag);
        let picture = self.picture;
        let entry = self.entries.entry(tag).or_insert_with(|| Entry {
            version: None,
            partial: None,
            current: None,
            bytes: 0,
            used: 0,
        });
        // Asked for again within a picture: what is still being loaded is not tried twice.
        let is_tried = entry.used == picture && picture > 0;
        entry.used = picture;
        if entry.version != Some(version) && !is_tried {
            let former = entry.current.as_deref().filter(|_| entry.partial == Some(version));
            match make(former) {
                Step::Ready(made) => {
                    (entry.bytes, entry.current) = (bytes(&made), Some(Arc::new(made)));
                    (entry.version, entry.partial) = (Some(version), None);
                }
                Step::Partial(made) => {
                    (entry.bytes, entry.current) = (bytes(&made), Some(Arc::new(made)));
                    (entry.version, entry.partial) = (None, Some(version));
                    *loading += 1;
                }
                Step::Loading => *loading += 1,
                Step::Failed(why) => {
                    reports.about(content, tag, || why);
                    (entry.version, entry.partial, entry.current, entry.bytes) = (Some(version), None, None, 0);
                }
            }
        }
        match (&entry.current, entry.version) {
            (Some(current), _) => Loaded::Ready(Arc::clone(current)),
            (None, Some(made)) if made == version => Loaded::Failed,
            (None, _) => Loaded::Loading,
        }
    }
}
