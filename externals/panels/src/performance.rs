//! Where time and memory go: stages, physics phases, passes of the renderer, and the regions of the block.

use std::collections::VecDeque;

use astrarium::profile::ProfileSummary;
use astrarium::render::PassTime;
use astrarium::runner::Command;
use astrarium::status::Status;
use egui::{Grid, ProgressBar, RichText, ScrollArea, Ui};
use egui_plot::{Line, Plot, PlotPoints};

/// The number of frames in the plot.
const FRAMES_KEPT: usize = 240;

/// The rows of tags, and of script lines, that are shown.
const ROWS_SHOWN: usize = 10;

/// The recent times of frames and steps.
#[derive(Debug, Default)]
pub struct Performance {
    frames: VecDeque<[f64; 2]>,
    is_measuring: bool,
}

impl Performance {
    /// Takes note of a frame: its own time and the mean time of a step, in milliseconds.
    pub fn add_frame(&mut self, frame_millis: f32, step_nanos: u64) {
        if self.frames.len() == FRAMES_KEPT {
            self.frames.pop_front();
        }
        self.frames.push_back([f64::from(frame_millis), step_nanos as f64 / 1e6]);
    }

    /// Draws the profiler. Measuring begins when it is first shown.
    pub fn draw(&mut self, ui: &mut Ui, status: &Status, passes: &[PassTime], commands: &mut Vec<Command>) {
        if !self.is_measuring {
            self.is_measuring = true;
            commands.push(Command::Measure(true));
        }
        let costs = status.costs;
        let mean = self.frames.iter().map(|frame| frame[0]).sum::<f64>() / self.frames.len().max(1) as f64;
        ui.label(format!(
            "frame {mean:.2} ms ({:.0} per second)   step {:.3} ms   publishing {:.1} µs   dropped {:.1} s",
            1000.0 / mean.max(0.001),
            costs.step_nanos as f64 / 1e6,
            costs.publish_nanos as f64 / 1e3,
            costs.forgotten_nanos as f64 / 1e9
        ));
        let points = |index: usize| -> PlotPoints<'_> {
            let times = self.frames.iter().enumerate();
            times.map(|(number, frame)| [number as f64, frame[index]]).collect()
        };
        Plot::new("times")
            .height(90.0)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .show_x(false)
            .include_y(0.0)
            .show(ui, |plot| {
                plot.line(Line::new("frame, ms", points(0)));
                plot.line(Line::new("step, ms", points(1)));
            });
        ScrollArea::vertical().id_salt("profile").show(ui, |ui| {
            stages(ui, &status.profile, passes);
            costs_by_tag(ui, &status.profile);
            spikes(ui, &status.profile);
            if !status.conditions.is_empty() {
                ui.separator();
                for (text, count) in status.conditions.iter() {
                    let times = if *count == 1 { "time" } else { "times" };
                    ui.label(format!("{count} {times}: {text}"));
                }
            }
        });
    }

    /// Draws the memory of the world, by region.
    pub fn memory(&mut self, ui: &mut Ui, status: &Status, commands: &mut Vec<Command>) {
        if !self.is_measuring {
            self.is_measuring = true;
            commands.push(Command::Measure(true));
        }
        let bytes: usize = status.memory.iter().map(|row| row.bytes).sum();
        ui.label(format!("{:.1} MB in {} regions", bytes as f64 / 1e6, status.memory.len()));
        ScrollArea::vertical().id_salt("memory").show(ui, |ui| {
            Grid::new("regions").num_columns(5).striped(true).show(ui, |ui| {
                for row in status.memory.iter() {
                    ui.label(&row.system);
                    ui.label(&row.region);
                    ui.monospace(format!("{:9.1} kB", row.bytes as f64 / 1e3));
                    let full = row.used_max as f32 / row.capacity.max(1) as f32;
                    let text = format!("{} of {} {} (most {})", row.used, row.capacity, row.unit, row.used_max);
                    ui.add(ProgressBar::new(full).text(text).desired_width(260.0));
                    if row.refused > 0 {
                        ui.colored_label(egui::Color32::LIGHT_RED, format!("{} refused", row.refused));
                    }
                    ui.end_row();
                }
            });
        });
    }

    /// The panel was closed: measuring ends.
    pub fn close(&mut self, commands: &mut Vec<Command>) {
        if std::mem::take(&mut self.is_measuring) {
            commands.push(Command::Measure(false));
        }
    }
}

/// The stages of the step and the passes of the renderer.
fn stages(ui: &mut Ui, profile: &ProfileSummary, passes: &[PassTime]) {
    Grid::new("stages").num_columns(4).striped(true).show(ui, |ui| {
        for row in &profile.rows {
            let (indent, share) = (if row.is_phase { "    " } else { "" }, profile.share(row.nanos));
            ui.label(format!("{indent}{}", row.name));
            ui.monospace(format!("{:9.1} µs", row.nanos as f64 / row.calls.max(1) as f64 / 1e3));
            ui.add(ProgressBar::new(share as f32).desired_width(120.0));
            ui.monospace(format!("{:5.1} %", share * 100.0));
            ui.end_row();
        }
        for pass in passes {
            ui.label(RichText::new(format!("draw: {}", pass.name)).weak());
            ui.monospace(format!("{:9.1} µs", pass.milliseconds * 1000.0));
            ui.end_row();
        }
    });
}

/// The tags and the script lines that cost most.
fn costs_by_tag(ui: &mut Ui, profile: &ProfileSummary) {
    if profile.tags.is_empty() {
        return;
    }
    ui.separator();
    let measured = profile.measured.max(1) as f64;
    Grid::new("tags").num_columns(3).striped(true).show(ui, |ui| {
        for row in profile.tags.iter().take(ROWS_SHOWN) {
            ui.label(&row.path);
            ui.monospace(format!("{:9.1} µs a step", row.cost.nanos as f64 / measured / 1e3));
            ui.monospace(format!("fuel {}", row.cost.fuel));
            ui.end_row();
        }
        for line in profile.lines.iter().take(ROWS_SHOWN) {
            ui.label(RichText::new(format!("{}:{}", line.path, line.line)).monospace());
            let nanos = profile.line_nanos(line).unwrap_or_default();
            ui.monospace(format!("{:9.1} µs a step", nanos as f64 / measured / 1e3));
            ui.monospace(format!("fuel {}", line.fuel));
            ui.end_row();
        }
    });
}

/// The slowest steps.
fn spikes(ui: &mut Ui, profile: &ProfileSummary) {
    for step in profile.slowest.iter().take(3) {
        let parts: Vec<String> = step.tags.iter().map(|(path, nanos)| format!("{path} {} µs", nanos / 1000)).collect();
        ui.label(format!("slow: cycle {}, {:.2} ms  {}", step.cycle, step.nanos as f64 / 1e6, parts.join(", ")));
    }
}
