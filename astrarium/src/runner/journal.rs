//! The messages of a running world of late.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::status::{LineKind, LogLine};

/// The number of messages kept.
pub const LINES_MAX: usize = 256;

/// The longest message, in bytes.
const LINE_BYTES_MAX: usize = 2048;

/// The messages of late. Its list is made again only when a message was added.
#[derive(Default)]
pub struct Journal {
    lines: VecDeque<LogLine>,
    serial: u64,
    shared: Option<Arc<[LogLine]>>,
}

impl Journal {
    /// Adds a message.
    pub fn add(&mut self, cycle: u64, kind: LineKind, mut text: String) {
        text.truncate(text.floor_char_boundary(LINE_BYTES_MAX));
        self.serial += 1;
        if self.lines.len() == LINES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(LogLine { serial: self.serial, cycle, kind, text });
        self.shared = None;
    }

    /// The messages, oldest first.
    pub fn lines(&mut self) -> Arc<[LogLine]> {
        let lines = &self.lines;
        Arc::clone(self.shared.get_or_insert_with(|| lines.iter().cloned().collect()))
    }
}
