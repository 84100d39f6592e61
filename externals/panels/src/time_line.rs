//! The time line: pause, step, speed, and any moment of the film.

use astrarium::film::Moment;
use astrarium::runner::Command;
use astrarium::status::Status;
use egui::{Slider, Ui};

/// The state of the time line between frames.
#[derive(Debug, Default)]
pub struct TimeLine {
    /// The text of the next mark.
    mark: String,
}

/// Speeds on offer, in thousandths.
const SPEEDS: [(u32, &str); 6] = [(100, "0.1×"), (250, "¼×"), (500, "½×"), (1000, "1×"), (2000, "2×"), (8000, "8×")];

impl TimeLine {
    /// Draws it.
    pub fn draw(&mut self, ui: &mut Ui, status: &Status, commands: &mut Vec<Command>) {
        ui.horizontal(|ui| {
            let label = if status.is_paused { "run" } else { "pause" };
            if ui.button(label).on_hover_text("F5").clicked() {
                commands.push(if status.is_paused { Command::Resume } else { Command::Pause });
            }
            for (count, label) in [(1, "+1"), (5, "+5"), (100, "+100")] {
                if ui.button(label).on_hover_text(format!("{count} brush cycles, then stand still")).clicked() {
                    commands.push(Command::Step(count));
                }
            }
            ui.separator();
            for (speed, label) in SPEEDS {
                if ui.selectable_label(status.speed == speed, label).clicked() {
                    commands.push(Command::Speed(speed));
                }
            }
            ui.separator();
            let (first, last) = status.span;
            for (back, label) in [(1000, "−10 s"), (100, "−1 s")] {
                if ui.button(label).clicked() {
                    commands.push(Command::Seek(Moment::at(status.cycle.saturating_sub(back).max(first))));
                }
            }
            if ui.add_enabled(status.is_review, egui::Button::new("to the present")).clicked() {
                commands.push(Command::ToPresent);
            }
            let branch = ui.add_enabled(status.is_review, egui::Button::new("continue from here"));
            if branch.on_hover_text("a new take of the film begins at the moment that is shown").clicked() {
                commands.push(Command::Branch);
            }
            if status.is_review {
                for player in 0..status.players.min(8) {
                    if ui.button(format!("play as {player}")).clicked() {
                        commands.push(Command::TakeOver(player));
                    }
                }
            }
            ui.separator();
            ui.label(format!("cycle {} of {first} to {last}, take {}", status.cycle, status.take));
        });
        self.scrub(ui, status, commands);
    }

    /// The slider over the whole film, and the marks.
    fn scrub(&mut self, ui: &mut Ui, status: &Status, commands: &mut Vec<Command>) {
        let (first, last) = status.span;
        ui.horizontal(|ui| {
            let mut cycle = status.cycle.clamp(first, last.max(first));
            ui.spacing_mut().slider_width = (ui.available_width() - 420.0).max(120.0);
            let slider = ui.add(Slider::new(&mut cycle, first..=last.max(first + 1)).show_value(false));
            if slider.changed() && cycle != status.cycle {
                commands.push(Command::Seek(Moment::at(cycle)));
            }
            ui.menu_button(format!("marks ({})", status.marks.len()), |ui| {
                for (cycle, text) in status.marks.iter().rev().take(30) {
                    if ui.button(format!("{cycle}: {text}")).clicked() {
                        commands.push(Command::Seek(Moment::at(*cycle)));
                    }
                }
            });
            let text = ui.add(egui::TextEdit::singleline(&mut self.mark).hint_text("mark").desired_width(120.0));
            let is_entered = text.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            if (ui.button("add").clicked() || is_entered) && !self.mark.is_empty() {
                commands.push(Command::Mark(std::mem::take(&mut self.mark)));
            }
            if let Some(film) = &status.film {
                ui.label(film.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()));
            }
        });
    }
}
