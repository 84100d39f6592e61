//! A rate limiter for the lines that a running world prints.
//!
//! Laws
//! 1. Lines that differ only in cycle and object are printed once per second, with the number left out since the last.
//! 2. At most [`LINES_MAX`] lines are printed per second, and as many are remembered.
//! 3. With `--log all`, every line is printed.

use std::collections::BTreeMap;

use astrarium::status::gist_of;

/// The maximum number of lines per second.
pub const LINES_MAX: usize = 32;

/// The time after which the same line is printed again.
const PAUSE_NANOS: u64 = 1_000_000_000;

/// Limits the number of printed lines.
#[derive(Debug, Default)]
pub struct LineLimiter {
    /// Whether nothing is left out.
    is_unlimited: bool,
    /// The printed lines, without cycle and object.
    printed: BTreeMap<String, PrintedLine>,
    /// The number of lines dropped because of the limit.
    left_out: u64,
}

#[derive(Debug)]
struct PrintedLine {
    at: u64,
    left_out: u64,
}

impl LineLimiter {
    /// A limiter, or one that lets every line pass.
    pub fn new(is_unlimited: bool) -> LineLimiter {
        LineLimiter { is_unlimited, ..LineLimiter::default() }
    }

    /// The lines to print, at a time in nanoseconds of any clock.
    pub fn sort_out(&mut self, now: u64, lines: Vec<String>) -> Vec<String> {
        if self.is_unlimited {
            return lines;
        }
        let mut lines_to_print = Vec::new();
        for line in lines {
            let gist = gist_of(&line);
            if !self.printed.contains_key(&gist) && !self.has_room(now) {
                self.left_out = self.left_out.saturating_add(1);
                continue;
            }
            match self.printed.get_mut(&gist) {
                Some(printed) if now.saturating_sub(printed.at) < PAUSE_NANOS => {
                    printed.left_out = printed.left_out.saturating_add(1);
                }
                printed => {
                    lines_to_print.push(match printed.map_or(0, |printed| printed.left_out) {
                        0 => line,
                        count => format!("{line} (and {count} more since the last such line)"),
                    });
                    self.printed.insert(gist, PrintedLine { at: now, left_out: 0 });
                }
            }
        }
        lines_to_print
    }

    /// A line about the dropped lines that were not reported yet, if there are any.
    pub fn rest(&mut self) -> Option<String> {
        let of_each: u64 = std::mem::take(&mut self.printed).into_values().map(|printed| printed.left_out).sum();
        match of_each.saturating_add(std::mem::take(&mut self.left_out)) {
            0 => None,
            1 => Some(String::from("and 1 more such line; `--log all` prints every line")),
            count => Some(format!("and {count} more such lines; `--log all` prints every line")),
        }
    }

    /// Whether another line can be remembered. Old lines are forgotten for it.
    fn has_room(&mut self, now: u64) -> bool {
        if self.printed.len() >= LINES_MAX {
            let (old, young): (Vec<_>, Vec<_>) = std::mem::take(&mut self.printed)
                .into_iter()
                .partition(|(_, printed)| now.saturating_sub(printed.at) >= PAUSE_NANOS);
            self.left_out = old.iter().fold(self.left_out, |sum, (_, printed)| sum.saturating_add(printed.left_out));
            self.printed = young.into_iter().collect();
        }
        self.printed.len() < LINES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cycle: u64, object: u32, text: &str) -> String {
        format!("cycle {cycle}: a.thing:5 #{object:08x}: {text}")
    }

    #[test]
    fn lines_that_differ_only_in_cycle_and_object_are_printed_once_per_second() {
        let mut troubles = LineLimiter::default();
        let printed = troubles.sort_out(0, (0..50).map(|number| line(number, number as u32, "it hurts")).collect());
        assert_eq!(printed, [line(0, 0, "it hurts")]);
        assert!(troubles.sort_out(PAUSE_NANOS - 1, vec![line(99, 1, "it hurts")]).is_empty());
        let printed = troubles.sort_out(PAUSE_NANOS, vec![line(100, 1, "it hurts"), line(100, 1, "it burns")]);
        let again = format!("{} (and 50 more since the last such line)", line(100, 1, "it hurts"));
        assert_eq!(printed, [again, line(100, 1, "it burns")]);
        assert_eq!(troubles.rest(), None);
    }

    #[test]
    fn a_flood_is_limited_and_counted() {
        let mut troubles = LineLimiter::default();
        let flood = (0..10_000).map(|number| format!("trouble {number}")).collect();
        assert_eq!(troubles.sort_out(5, flood).len(), LINES_MAX);
        assert_eq!(troubles.sort_out(PAUSE_NANOS + 5, vec![String::from("another")]), ["another"]);
        assert_eq!(
            troubles.rest(),
            Some(format!("and {} more such lines; `--log all` prints every line", 10_000 - LINES_MAX))
        );
    }

    #[test]
    fn nothing_is_left_out_if_all_is_asked_for() {
        let mut troubles = LineLimiter::new(true);
        let flood: Vec<String> = (0..1_000).map(|number| line(number, 7, "it hurts")).collect();
        assert_eq!(troubles.sort_out(5, flood.clone()), flood);
        assert_eq!(troubles.rest(), None);
    }
}
