//! A feed of events for any number of browsers (server-sent events).

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::{WEB_FEED_BEAT, WEB_FEED_BYTES_MAX, WEB_FEED_EVENTS_MAX};

/// A feed of events. Clones are the same feed.
///
/// Sending never waits for a browser. A browser that is too slow misses the oldest events.
#[derive(Clone, Default)]
pub struct WebFeed {
    shared: Arc<FeedState>,
}

#[derive(Default)]
struct FeedState {
    recent: Mutex<Recent>,
    sent: Condvar,
}

#[derive(Default)]
struct Recent {
    /// The number of the event after the last one.
    next: u64,
    events: VecDeque<Arc<[u8]>>,
}

impl WebFeed {
    /// An empty feed.
    #[must_use]
    pub fn new() -> WebFeed {
        WebFeed::default()
    }

    /// Sends an event of this name. False if it is too large.
    pub fn send(&self, name: &str, text: &str) -> bool {
        let Some(event) = encode(name, text) else { return false };
        let mut recent = self.lock();
        if recent.events.len() >= WEB_FEED_EVENTS_MAX {
            recent.events.pop_front();
        }
        recent.events.push_back(event);
        recent.next += 1;
        drop(recent);
        self.shared.sent.notify_all();
        true
    }

    /// The number of events sent so far.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.lock().next
    }

    /// Writes the events after this number of them as they come, and a comment when none came for a while, so that a client that has gone is noticed.
    pub(super) fn follow<E>(
        &self,
        mut seen: u64,
        is_over: &AtomicBool,
        write: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut last = Instant::now();
        while !is_over.load(Ordering::Relaxed) {
            match self.after(&mut seen) {
                Some(event) => write(&event)?,
                None if last.elapsed() < WEB_FEED_BEAT => continue,
                None => write(b":\n\n")?,
            }
            last = Instant::now();
        }
        Ok(())
    }

    /// The event after the one that was seen; waits a moment if there is none.
    fn after(&self, seen: &mut u64) -> Option<Arc<[u8]>> {
        const MOMENT: Duration = Duration::from_millis(100);
        let mut recent = self.lock();
        if recent.next == *seen {
            recent = self.shared.sent.wait_timeout(recent, MOMENT).unwrap_or_else(PoisonError::into_inner).0;
        }
        let oldest = recent.next - recent.events.len() as u64;
        *seen = (*seen).max(oldest);
        let event = recent.events.get((*seen - oldest) as usize).cloned()?;
        *seen += 1;
        Some(event)
    }

    fn lock(&self) -> MutexGuard<'_, Recent> {
        self.shared.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for WebFeed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebFeed").field("sent", &self.sent()).finish_non_exhaustive()
    }
}

/// An event as bytes: a line per line of its text. None if it is too large.
fn encode(name: &str, text: &str) -> Option<Arc<[u8]>> {
    if name.len() + text.len() > WEB_FEED_BYTES_MAX {
        return None;
    }
    let mut event = String::with_capacity(name.len() + text.len() + 32);
    let name: String = name.chars().filter(|letter| !letter.is_control()).collect();
    // Writing into a string cannot fail.
    let _ = writeln!(event, "event: {name}");
    for line in text.split(['\n', '\r']) {
        let _ = writeln!(event, "data: {line}");
    }
    event.push('\n');
    Some(event.into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_a_line_per_line_and_no_text_ends_it_early() {
        assert_eq!(encode("tick", "1\n\n2").as_deref(), Some(&b"event: tick\ndata: 1\ndata: \ndata: 2\n\n"[..]));
        assert_eq!(encode("a\nb", "x").as_deref(), Some(&b"event: ab\ndata: x\n\n"[..]));
        assert_eq!(encode("a", &"x".repeat(WEB_FEED_BYTES_MAX)), None);
    }

    #[test]
    fn a_slow_reader_misses_the_oldest_events_only() {
        let feed = WebFeed::new();
        let mut seen = 0;
        for number in 0..WEB_FEED_EVENTS_MAX + 5 {
            assert!(feed.send("n", &number.to_string()));
        }
        let first = feed.after(&mut seen).expect("there are events");
        assert_eq!(&*first, b"event: n\ndata: 5\n\n");
        for _ in 1..WEB_FEED_EVENTS_MAX {
            feed.after(&mut seen).expect("there are more");
        }
        assert_eq!(feed.after(&mut seen), None);
    }
}
