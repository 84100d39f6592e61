//! Notices: short lines over the picture that vanish by themselves, and the badge that says that time stands still.
//!
//! Laws
//! 1. Each message of a world is noticed once, the newest lowest; a few are shown at a time, each for some seconds of machine time.
//! 2. A notice is one line. The whole text is in the developer panels and on the terminal.

use std::collections::VecDeque;

use base::{StringId, Vec2};
use view::{Canvas, CanvasItem, Rect, Rgba, TextStyle};

use crate::status::{LineKind, LogLine, Status};

/// How long a notice is shown, and for how long at the end it fades, in seconds.
const SECONDS: f32 = 6.0;
const FADING: f32 = 1.0;

/// The notices that are shown at a time.
const SHOWN_MAX: usize = 5;

/// The longest notice, in characters.
const LETTERS_MAX: usize = 110;

/// The room below the newest notice.
const BOTTOM: f32 = 56.0;

const LINE: f32 = 26.0;
const LETTER: f32 = 15.0;

/// The notices of a window.
#[derive(Debug, Default)]
pub struct Notices {
    shown: VecDeque<ShownNotice>,
    /// The number of the last message that was noticed.
    seen: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct ShownNotice {
    text: String,
    is_fault: bool,
    age: f32,
}

impl Notices {
    /// Takes the new messages of a world. They come back whole, for a terminal.
    pub fn follow(&mut self, status: &Status) -> Vec<String> {
        let seen = self.seen;
        let new = status.lines.iter().filter(|line| line.serial > seen && is_for_people(line));
        let told: Vec<String> = new.clone().map(|line| line.text.clone()).collect();
        for line in new {
            self.add(&line.text, matches!(line.kind, LineKind::Trouble | LineKind::Refusal));
        }
        self.seen = status.lines.last().map_or(seen, |line| line.serial.max(seen));
        told
    }

    /// Adds a line: of a window itself, or of a world.
    pub fn add(&mut self, text: &str, is_fault: bool) {
        let text = one_line(text);
        self.shown.retain(|notice| notice.text != text);
        if self.shown.len() == SHOWN_MAX {
            self.shown.pop_front();
        }
        self.shown.push_back(ShownNotice { text, is_fault, age: 0.0 });
    }

    /// Moves on by some machine time.
    pub fn advance(&mut self, seconds: f32) {
        self.shown.iter_mut().for_each(|notice| notice.age += seconds.max(0.0));
        self.shown.retain(|notice| notice.age < SECONDS);
    }

    /// The texts that are shown, the oldest first.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.shown.iter().map(|notice| notice.text.as_str())
    }

    /// Draws them at the lower left.
    pub fn draw(&self, canvas: &mut Canvas) {
        // Above the hint that many games have at the lower edge.
        let bottom = canvas.size.y - BOTTOM;
        for (index, notice) in self.shown.iter().rev().enumerate() {
            let strength = ((SECONDS - notice.age) / FADING).clamp(0.0, 1.0);
            let colour = if notice.is_fault { [255, 176, 112] } else { [214, 224, 238] };
            let top = bottom - LINE * (index + 1) as f32;
            bar(canvas, &notice.text, Vec2::new(24.0, top), colour, strength);
        }
    }
}

/// Draws the badge of stopped or past time at the upper edge, if there is something to say.
pub fn draw_badge(canvas: &mut Canvas, status: &Status) {
    if let Some(text) = badge(status) {
        let left = (canvas.size.x - width_of(&text)) * 0.5;
        bar(canvas, &text, Vec2::new(left.max(0.0), 12.0), [255, 216, 144], 1.0);
    }
}

/// The badge for the time that is shown: paused, or in the past.
pub fn badge(status: &Status) -> Option<String> {
    if status.is_review {
        let brush = if status.cycle > 0 { status.seconds / status.cycle as f64 } else { 0.01 };
        let (at, whole) = (status.seconds, status.span.1 as f64 * brush);
        let paused = if status.is_paused { ", paused" } else { "" };
        return Some(format!("the past: {at:.1} of {whole:.1} s{paused} · F10 plays on from here"));
    }
    let is_stopped = status.is_paused && status.ending.is_none();
    is_stopped.then(|| String::from("paused · F5 continues"))
}

fn is_for_people(line: &LogLine) -> bool {
    match line.kind {
        LineKind::Trouble | LineKind::Content | LineKind::Refusal | LineKind::Runner => true,
        LineKind::Write | LineKind::Answer(_) | LineKind::NoAnswer(_) => false,
    }
}

fn one_line(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(LETTERS_MAX).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}

/// About how wide a line is: it is drawn on a bar that may be a little wider than the text.
fn width_of(text: &str) -> f32 {
    text.chars().count() as f32 * LETTER * 0.56 + 24.0
}

fn bar(canvas: &mut Canvas, text: &str, at: Vec2, [red, green, blue]: [u8; 3], strength: f32) {
    let alpha = |full: f32| (full * strength) as u8;
    let rect = Rect { min: at, max: at + Vec2::new(width_of(text), LINE - 2.0) };
    let fill = Rgba { red: 8, green: 12, blue: 20, alpha: alpha(200.0) };
    canvas.items.push(CanvasItem::Quad { rect, fill, border: fill, border_width: 0.0, radius: 4.0 });
    let style = TextStyle { font: StringId::NONE, size: LETTER, align: 0.0, wraps: false };
    let text_rect = Rect { min: rect.min + Vec2::new(10.0, 3.0), max: rect.max };
    canvas.text(text_rect, text, style, Rgba { red, green, blue, alpha: alpha(255.0) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(serial: u64, kind: LineKind, text: &str) -> LogLine {
        LogLine { serial, cycle: serial, kind, text: text.to_string(), count: 1 }
    }

    #[test]
    fn messages_are_noticed_once_and_vanish() {
        let mut notices = Notices::default();
        let lines = [
            line(1, LineKind::Runner, "saved to a.save"),
            line(2, LineKind::Write, "hull = 3"),
            line(3, LineKind::Content, "a.ship line 4: expected a number\n  remedy"),
        ];
        let status = Status { lines: lines.into(), ..Status::default() };
        let told = notices.follow(&status);
        assert_eq!(told, ["saved to a.save", "a.ship line 4: expected a number\n  remedy"]);
        let shown: Vec<&str> = notices.texts().collect();
        assert_eq!(shown, ["saved to a.save", "a.ship line 4: expected a number…"]);
        assert!(notices.follow(&status).is_empty(), "they are not new any more");
        let mut canvas = Canvas::default();
        notices.draw(&mut canvas);
        assert_eq!(canvas.items.len(), 4);
        notices.advance(SECONDS);
        assert_eq!(notices.texts().count(), 0);
    }

    #[test]
    fn a_flood_leaves_the_newest_and_equal_lines_are_one() {
        let mut notices = Notices::default();
        (0..100).for_each(|number| notices.add(&format!("trouble {number}"), true));
        notices.add("trouble 98", true);
        let shown: Vec<&str> = notices.texts().collect();
        assert_eq!(shown, ["trouble 95", "trouble 96", "trouble 97", "trouble 99", "trouble 98"]);
    }

    #[test]
    fn stopped_and_past_time_is_said_and_the_end_of_a_level_is_not_a_pause() {
        let running = Status { cycle: 320, seconds: 3.2, span: (0, 1000), ..Status::default() };
        assert_eq!(badge(&running), None);
        let paused = Status { is_paused: true, ..running.clone() };
        assert_eq!(badge(&paused).as_deref(), Some("paused · F5 continues"));
        assert_eq!(badge(&Status { ending: Some("over".into()), ..paused.clone() }), None);
        let past = Status { is_review: true, ..paused };
        assert_eq!(badge(&past).as_deref(), Some("the past: 3.2 of 10.0 s, paused · F10 plays on from here"));
    }
}
