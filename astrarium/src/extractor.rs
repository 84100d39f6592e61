//! Extractors: the ways in which data leaves a running world.
//!
//! A synchronous extractor is called on the world's thread in the synchronous window between two cycles: it sees one instant, and
//! its time is the world's time. An asynchronous one has a thread and a rate of its own and always gets the newest whole
//! publication. Connecting one is one statement: `runner.connect(extractor)`.
//!
//! Laws
//! 1. An extractor reads; it cannot change a world.
//! 2. The world never waits for an asynchronous extractor: publications that it was too slow for are skipped.
//! 3. An extractor that returns false is disconnected.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use host::exchange::{Publisher, Subscriber, exchange};

use crate::publication::Publication;
use crate::session::Session;

/// The longest pause of an asynchronous extractor before it looks for the end of the world, …
const PAUSE_MAX: Duration = Duration::from_millis(50);

/// … and the shortest between two calls.
const PAUSE_MIN: Duration = Duration::from_millis(1);

/// A way in which data leaves a running world.
pub trait Extractor: Send {
    /// Called after each brush cycle, in the synchronous window. False: it is no longer needed.
    fn after_cycle(&mut self, session: &Session) -> bool {
        let _ = session;
        true
    }

    /// Called with each publication, in the synchronous window; there may be several cycles between two. The session is the one
    /// that is shown. False: it is no longer needed.
    fn publish(&mut self, publication: &Arc<Publication>, session: &Session) -> bool {
        let _ = (publication, session);
        true
    }
}

/// A function that is called with each publication is an extractor.
impl<F: FnMut(&Arc<Publication>, &Session) -> bool + Send> Extractor for F {
    fn publish(&mut self, publication: &Arc<Publication>, session: &Session) -> bool {
        self(publication, session)
    }
}

/// The receiving end of a connection: the newest publication.
pub struct Latest {
    subscriber: Subscriber<Option<Arc<Publication>>>,
    newest: Option<Arc<Publication>>,
}

/// The sending end of a connection.
pub struct LatestExtractor {
    publisher: Publisher<Option<Arc<Publication>>>,
}

/// The two ends of a connection: the extractor, and where its thread finds the newest publication.
pub fn latest() -> (LatestExtractor, Latest) {
    let (publisher, subscriber) = exchange(|| None);
    (LatestExtractor { publisher }, Latest { subscriber, newest: None })
}

impl LatestExtractor {
    fn hand_over(&mut self, publication: &Arc<Publication>) -> bool {
        *self.publisher.back() = Some(Arc::clone(publication));
        self.publisher.publish();
        !self.publisher.is_alone()
    }
}

impl Extractor for LatestExtractor {
    fn publish(&mut self, publication: &Arc<Publication>, _: &Session) -> bool {
        self.hand_over(publication)
    }
}

impl Latest {
    /// Takes over the newest publication. False if there is no newer one.
    pub fn update(&mut self) -> bool {
        let is_new = self.subscriber.update();
        if is_new {
            // Taken out, so that the exchange keeps no old publication in use.
            self.newest = self.subscriber.value_mut().take();
        }
        is_new
    }

    /// The newest publication of the last update; none before the first.
    pub fn get(&self) -> Option<&Arc<Publication>> {
        self.newest.as_ref()
    }

    /// Whether the world has ended, so that nothing new comes.
    pub fn is_ended(&self) -> bool {
        self.subscriber.is_alone()
    }
}

/// An extractor with a thread of its own. Dropping it waits for the end of the call that is running.
pub struct Asynchronous {
    sender: Option<LatestExtractor>,
    thread: Option<JoinHandle<()>>,
}

impl Asynchronous {
    /// Calls `read` with the newest publication, at most once in this time. It ends when `read` returns false. Where there are
    /// no threads it is never called.
    pub fn new(
        name: &str,
        period: Duration,
        mut read: impl FnMut(&Publication) -> bool + Send + 'static,
    ) -> Asynchronous {
        let (sender, mut latest) = latest();
        let work = move || {
            loop {
                if latest.update()
                    && let Some(publication) = latest.get()
                    && !read(publication)
                {
                    return;
                }
                let mut left = period.max(PAUSE_MIN);
                while !left.is_zero() && !latest.is_ended() {
                    let pause = left.min(PAUSE_MAX);
                    thread::sleep(pause);
                    left -= pause;
                }
                if latest.is_ended() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name(name.to_string()).spawn(work).ok();
        Asynchronous { sender: Some(sender), thread }
    }
}

impl Extractor for Asynchronous {
    fn publish(&mut self, publication: &Arc<Publication>, _: &Session) -> bool {
        self.sender.as_mut().is_some_and(|sender| sender.hand_over(publication))
    }
}

impl Drop for Asynchronous {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
