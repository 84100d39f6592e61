//! The messages of a running world: faults in content, reloaded tags, refused events.

use astrarium::status::{LineKind, LogLine, Status};
use egui::{Color32, RichText, ScrollArea, TextEdit, Ui};

/// The state of the message log between frames.
#[derive(Debug, Default)]
pub struct Messages {
    filter: String,
    only_content: bool,
}

impl Messages {
    /// Draws it.
    pub fn draw(&mut self, ui: &mut Ui, status: &Status) {
        ui.horizontal(|ui| {
            ui.add(TextEdit::singleline(&mut self.filter).hint_text("filter"));
            ui.checkbox(&mut self.only_content, "only reloaded tags");
        });
        ScrollArea::vertical().id_salt("messages").stick_to_bottom(true).auto_shrink(false).show(ui, |ui| {
            for line in status.lines.iter().filter(|line| self.shows(line)) {
                let count = if line.count > 1 { format!("  ×{}", line.count) } else { String::new() };
                let text = format!("{:>7}  {}{count}", line.cycle, line.text);
                ui.label(RichText::new(text).monospace().color(colour(line.kind)));
            }
        });
    }

    fn shows(&self, line: &LogLine) -> bool {
        let is_kind = match line.kind {
            LineKind::Write | LineKind::Answer(_) | LineKind::NoAnswer(_) => false,
            LineKind::Content => true,
            _ => !self.only_content,
        };
        is_kind && (self.filter.is_empty() || line.text.contains(&self.filter))
    }
}

fn colour(kind: LineKind) -> Color32 {
    match kind {
        LineKind::Trouble | LineKind::NoAnswer(_) => Color32::from_rgb(0xff, 0x9a, 0x7a),
        LineKind::Content => Color32::from_rgb(0x9a, 0xe0, 0x9a),
        LineKind::Refusal => Color32::from_rgb(0xff, 0xd0, 0x70),
        LineKind::Write | LineKind::Answer(_) | LineKind::Runner => Color32::from_gray(0xc8),
    }
}
