//! The console: expressions of LScript over the watched object or the level. They change nothing.

use astrarium::runner::Command;
use astrarium::status::{LineKind, Status};
use egui::{Color32, Key, RichText, ScrollArea, TextEdit, Ui};

/// The most questions that are kept.
const ENTRIES_MAX: usize = 200;

/// The state of the console between frames.
#[derive(Debug, Default)]
pub struct Console {
    text: String,
    entries: Vec<Entry>,
    next_ticket: u64,
    /// How far the arrow keys went back in the entries.
    back: usize,
}

#[derive(Debug)]
struct Entry {
    ticket: u64,
    question: String,
    answer: Option<(String, bool)>,
}

impl Console {
    /// Draws it.
    pub fn draw(&mut self, ui: &mut Ui, status: &Status, commands: &mut Vec<Command>) {
        self.read(status);
        let height = ui.available_height() - 32.0;
        ScrollArea::vertical().id_salt("console").max_height(height).stick_to_bottom(true).auto_shrink(false).show(
            ui,
            |ui| {
                for entry in &self.entries {
                    ui.monospace(format!("> {}", entry.question));
                    if let Some((answer, is_error)) = &entry.answer {
                        let colour = if *is_error {
                            Color32::from_rgb(0xff, 0x9a, 0x7a)
                        } else {
                            Color32::from_rgb(0x9a, 0xd0, 0xff)
                        };
                        ui.label(RichText::new(answer).monospace().color(colour));
                    }
                }
            },
        );
        let hint = "an expression, as count_objects({ class \"ship\" }); the watched object is its environment";
        let field =
            ui.add(TextEdit::singleline(&mut self.text).hint_text(hint).desired_width(f32::INFINITY).code_editor());
        if field.has_focus() {
            let step = |key| ui.input(|input| input.key_pressed(key));
            let (older, newer) = (step(Key::ArrowUp), step(Key::ArrowDown));
            if older || newer {
                self.back = if older { (self.back + 1).min(self.entries.len()) } else { self.back.saturating_sub(1) };
                let entry = self.entries.len().checked_sub(self.back).and_then(|index| self.entries.get(index));
                self.text = entry.map_or_else(String::new, |entry| entry.question.clone());
            }
        }
        if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            self.ask(status.watched.object, commands);
            field.request_focus();
        }
    }

    fn ask(&mut self, object: u32, commands: &mut Vec<Command>) {
        let question = std::mem::take(&mut self.text);
        self.back = 0;
        if question.trim().is_empty() {
            return;
        }
        self.next_ticket += 1;
        let ticket = self.next_ticket;
        if self.entries.len() == ENTRIES_MAX {
            self.entries.remove(0);
        }
        self.entries.push(Entry { ticket, question: question.clone(), answer: None });
        commands.push(Command::Ask { ticket, object, text: question });
    }

    /// Takes answers from the messages.
    fn read(&mut self, status: &Status) {
        for entry in self.entries.iter_mut().filter(|entry| entry.answer.is_none()) {
            let answer = status.lines.iter().find_map(|line| match line.kind {
                LineKind::Answer(ticket) if ticket == entry.ticket => Some((line.text.clone(), false)),
                LineKind::NoAnswer(ticket) if ticket == entry.ticket => Some((line.text.clone(), true)),
                _ => None,
            });
            entry.answer = answer;
        }
    }
}
