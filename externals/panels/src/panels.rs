//! The panels together: which are open, their input, and their overlay.

use astrarium::presentation::{OverlayInput, OverlaySource};
use astrarium::relay::device::{DeviceEvent, Key};
use astrarium::runner::Command;
use astrarium::view::{Overlay, Topic, Topics};
use egui::{Context, Frame as Box, Panel, Ui, Window};

use crate::console::Console;
use crate::input::PanelInput;
use crate::inspector::Inspector;
use crate::messages::Messages;
use crate::paint::{self, Textures};
use crate::performance::Performance;
use crate::time_line::TimeLine;

/// Developer panels.
#[derive(Default)]
pub struct Panels {
    context: Context,
    input: PanelInput,
    open: Open,
    time_line: TimeLine,
    inspector: Inspector,
    performance: Performance,
    messages: Messages,
    console: Console,
    topics: Topics,
    overlay: Overlay,
    textures: Textures,
    /// Whether the next overlay tells all textures.
    tells_again: bool,
    is_overlay_empty: bool,
    commands: Vec<Command>,
}

/// Which panels are open.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    any: bool,
    inspector: bool,
    profiler: bool,
    memory: bool,
    messages: bool,
    console: bool,
}

impl Panels {
    /// Closed panels.
    pub fn new() -> Panels {
        let open = Open { inspector: true, ..Open::default() };
        Panels { open, ..Panels::default() }
    }

    /// Whether they are shown.
    pub fn is_open(&self) -> bool {
        self.open.any
    }

    /// Shows or closes them.
    pub fn set_open(&mut self, is_open: bool) {
        self.open.any = is_open;
    }

    /// Gives them an event; returns whether they take it, so that the game should not see it. F12 opens and closes them, and
    /// the key left of 1 opens the console.
    pub fn event(&mut self, event: &DeviceEvent) -> bool {
        if let DeviceEvent::Key { key, is_down, .. } = event {
            let is_toggle = matches!(key, Key::F12 | Key::Backquote);
            match key {
                Key::F12 if *is_down => self.open.any = !self.open.any,
                Key::Backquote if *is_down => {
                    self.open.console = !(self.open.any && self.open.console);
                    self.open.any |= self.open.console;
                }
                _ => {}
            }
            if is_toggle {
                return true;
            }
        }
        if !self.open.any {
            return false;
        }
        self.input.add(event);
        match event {
            // Moves from one button or value to the next.
            DeviceEvent::Key { key: Key::Tab, .. } => true,
            DeviceEvent::Key { is_down: true, .. } | DeviceEvent::Text(_) | DeviceEvent::Composition { .. } => {
                self.context.egui_wants_keyboard_input()
            }
            DeviceEvent::MouseButton { is_down: true, .. } | DeviceEvent::Wheel { .. } => {
                self.context.is_pointer_over_egui()
            }
            _ => false,
        }
    }

    /// Draws the panels that are open, and adds what they want to be done.
    pub fn draw(&mut self, view: &OverlayInput<'_>, commands: &mut Vec<Command>) -> &Overlay {
        self.performance.add_frame(view.frame_seconds * 1000.0, view.status.costs.step_nanos);
        if !self.open.any {
            self.performance.close(commands);
            if !self.is_overlay_empty {
                self.overlay.meshes.clear();
                self.overlay.changed.clear();
                self.overlay.freed.clear();
                self.is_overlay_empty = true;
            }
            return &self.overlay;
        }
        self.is_overlay_empty = false;
        let scale = if view.scale.is_finite() && view.scale > 0.0 { view.scale } else { 1.0 };
        let input = self.input.take(view.size, scale, view.seconds);
        let context = self.context.clone();
        let mut output = context.run_ui(input, |ui| self.lay_out(ui, view, commands));
        let primitives = context.tessellate(std::mem::take(&mut output.shapes), output.pixels_per_point);
        paint::fill(&mut self.overlay, &output.textures_delta, primitives, output.pixels_per_point);
        self.textures.follow(&self.overlay);
        if std::mem::take(&mut self.tells_again) {
            self.overlay.changed = self.textures.all();
        }
        output.textures_delta.clear();
        &self.overlay
    }

    fn lay_out(&mut self, ui: &mut Ui, view: &OverlayInput<'_>, commands: &mut Vec<Command>) {
        let status = view.status;
        Panel::top("bar").show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.strong(format!("{} · {}", status.game, status.level));
                ui.separator();
                ui.toggle_value(&mut self.open.inspector, "object");
                ui.toggle_value(&mut self.open.profiler, "profiler");
                ui.toggle_value(&mut self.open.memory, "memory");
                ui.toggle_value(&mut self.open.messages, format!("messages ({})", status.lines.len()));
                ui.toggle_value(&mut self.open.console, "console");
                ui.separator();
                ui.menu_button("draw", |ui| self.topics(ui, commands));
                if ui.button("restart").clicked() {
                    commands.push(Command::Restart);
                }
                if status.is_review {
                    ui.colored_label(egui::Color32::from_rgb(0xff, 0xd0, 0x70), "an earlier moment is shown");
                }
                if let Some(ending) = &status.ending {
                    ui.label(format!("over: {ending}"));
                }
            });
        });
        Panel::bottom("time").show(ui, |ui| self.time_line.draw(ui, status, commands));
        if self.open.inspector {
            let side = Panel::right("object").default_size(340.0).frame(Box::side_top_panel(ui.style()));
            side.show(ui, |ui| self.inspector.draw(ui, view, commands));
        }
        let context = ui.ctx().clone();
        let window = |title: &'static str, size: [f32; 2], place: [f32; 2]| {
            Window::new(title).default_size(size).default_pos(place).resizable(true)
        };
        let Open { profiler, memory, messages, console, .. } = &mut self.open;
        let performance = &mut self.performance;
        if *profiler {
            let window = window("profiler", [460.0, 420.0], [20.0, 50.0]).open(profiler);
            window.show(&context, |ui| performance.draw(ui, status, view.passes, commands));
        }
        if *memory {
            let window = window("memory", [620.0, 420.0], [60.0, 90.0]).open(memory);
            window.show(&context, |ui| performance.memory(ui, status, commands));
        }
        if *messages {
            let window = window("messages", [620.0, 260.0], [100.0, 130.0]).open(messages);
            window.show(&context, |ui| self.messages.draw(ui, status));
        }
        if *console {
            let window = window("console", [620.0, 260.0], [140.0, 170.0]).open(console);
            window.show(&context, |ui| self.console.draw(ui, status, commands));
        }
        if !self.open.profiler && !self.open.memory {
            self.performance.close(commands);
        }
    }

    /// The topics of debug drawing.
    fn topics(&mut self, ui: &mut Ui, commands: &mut Vec<Command>) {
        let mut chosen: Vec<Topic> = Topic::ALL.into_iter().filter(|topic| self.topics.has(*topic)).collect();
        for topic in Topic::ALL {
            let mut is_chosen = self.topics.has(topic);
            if ui.checkbox(&mut is_chosen, topic.name()).changed() {
                chosen.retain(|other| *other != topic);
                chosen.extend(is_chosen.then_some(topic));
                self.topics = chosen.iter().copied().collect();
                commands.push(Command::Topics(self.topics));
            }
        }
    }
}

impl OverlaySource for Panels {
    fn handle(&mut self, event: &DeviceEvent) -> bool {
        self.event(event)
    }

    fn wants_pointer(&self) -> bool {
        self.open.any
    }

    fn overlay(&mut self, input: &OverlayInput<'_>) -> Overlay {
        let mut commands = std::mem::take(&mut self.commands);
        let overlay = self.draw(input, &mut commands).clone();
        // Textures are told once.
        self.overlay.changed.clear();
        self.overlay.freed.clear();
        self.commands = commands;
        overlay
    }

    fn tell_again(&mut self) {
        self.tells_again = true;
    }

    fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }
}

#[cfg(test)]
mod tests;
