//! The messages of a running world of late.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::status::{LineKind, LogLine, gist_of};

/// The number of messages kept.
pub const LINES_MAX: usize = 256;

/// The longest message, in bytes.
const LINE_BYTES_MAX: usize = 2048;

/// The most messages about writes to the watched object: they must not push out what happens once.
const WRITES_MAX: usize = LINES_MAX / 2;

/// The messages of late. Its list is made again only when a message was added.
///
/// A fault that is reported again is counted in its first message; so one that repeats in every cycle leaves the others in sight.
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
        self.shared = None;
        let is_merged = matches!(kind, LineKind::Trouble | LineKind::Refusal);
        let gist = if is_merged { gist_of(&text) } else { String::new() };
        let is_same = |line: &&mut LogLine| is_merged && line.kind == kind && gist_of(&line.text) == gist;
        if let Some(line) = self.lines.iter_mut().rev().find(is_same) {
            (line.cycle, line.count) = (cycle, line.count.saturating_add(1));
            return;
        }
        self.serial += 1;
        let is_write = |line: &LogLine| line.kind == LineKind::Write;
        let has_writes =
            kind == LineKind::Write && self.lines.iter().filter(|line| is_write(line)).count() >= WRITES_MAX;
        if has_writes && let Some(oldest) = self.lines.iter().position(is_write) {
            self.lines.remove(oldest);
        }
        if self.lines.len() == LINES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(LogLine { serial: self.serial, cycle, kind, text, count: 1 });
    }

    /// The messages, oldest first.
    pub fn lines(&mut self) -> Arc<[LogLine]> {
        let lines = &self.lines;
        Arc::clone(self.shared.get_or_insert_with(|| lines.iter().cloned().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_faults_are_counted_and_writes_leave_room_for_other_messages() {
        let mut journal = Journal::default();
        journal.add(1, LineKind::Runner, String::from("saved"));
        for cycle in 1..=1000 {
            journal.add(
                cycle,
                LineKind::Trouble,
                format!("cycle {cycle}: a.ship:5 #{cycle:08x}: the target is gone -> #{:08x}", cycle * 7),
            );
            journal.add(cycle, LineKind::Write, format!("hull = {cycle}"));
        }
        let lines = journal.lines();
        assert_eq!(lines[0].text, "saved", "it is not pushed out");
        assert_eq!(
            (lines[1].text.as_str(), lines[1].cycle, lines[1].count),
            ("cycle 1: a.ship:5 #00000001: the target is gone -> #00000007", 1000, 1000)
        );
        assert_eq!(lines.len(), 2 + WRITES_MAX);
        assert_eq!(lines.last().map(|line| line.text.as_str()), Some("hull = 1000"));
        assert!(lines.windows(2).all(|pair| pair[0].serial < pair[1].serial));
    }
}
