//! The inspector: an object, its variables, and what wrote them.

use astrarium::presentation::OverlayInput;
use astrarium::runner::Command;
use astrarium::status::LineKind;
use astrarium::tags::Library;
use astrarium::view::{Frame, Instance, Shape};
use egui::{Grid, RichText, ScrollArea, TextEdit, Ui};

/// The state of the inspector between frames.
#[derive(Debug, Default)]
pub struct Inspector {
    /// The variable that is being edited, and its text.
    edited: Option<(String, String)>,
    /// Shows only variables whose names contain this.
    filter: String,
    /// The object that was last asked for by pointing at it.
    asked: u32,
    /// The variable that has the keyboard's focus.
    focused: String,
}

impl Inspector {
    /// The variable whose value has the keyboard's focus; empty if none has.
    pub fn focused(&self) -> &str {
        &self.focused
    }

    /// Draws it.
    pub fn draw(&mut self, ui: &mut Ui, view: &OverlayInput<'_>, commands: &mut Vec<Command>) {
        let OverlayInput { status, frame, content, pointed: hovered, .. } = *view;
        let watched = &status.watched;
        let name = |object: u32| frame.instance_of(object).map_or(String::new(), |instance| name_of(instance, content));
        ui.horizontal(|ui| {
            ui.label(RichText::new("object").strong());
            match watched.object {
                0 => ui.label("none"),
                object => ui.monospace(format!("#{object:08x} {}", name(object))),
            };
            if watched.object != 0 && ui.button("leave").clicked() {
                commands.push(Command::Watch(0));
            }
        });
        // The line is there also without an object, so that what lies below it does not jump.
        match hovered {
            0 => ui.weak("under the pointer: none"),
            object => ui.label(format!("under the pointer: {} #{object:08x}", name(object))),
        };
        if hovered != 0 && hovered != watched.object {
            if ui.input(|input| input.modifiers.ctrl) && self.asked != hovered {
                self.asked = hovered;
                commands.push(Command::Watch(hovered));
            }
        } else {
            self.asked = 0;
        }
        if watched.object == 0 {
            ui.weak("Point at one and press Ctrl, or choose one:");
            return choose(ui, frame, content, commands);
        }
        if let Some(instance) = frame.instance_of(watched.object) {
            let place = instance.position;
            ui.label(format!(
                "at {:.2}, {:.2}, {:.2}; {:.2} m/s",
                place.x,
                place.y,
                place.z,
                instance.velocity.length()
            ));
        } else {
            ui.label("it does not exist at this moment");
        }
        ui.horizontal(|ui| {
            ui.add(TextEdit::singleline(&mut self.filter).hint_text("filter").desired_width(140.0));
            if !self.focused().is_empty() {
                ui.weak(format!("Enter sets {}", self.focused()));
            }
        });
        self.focused.clear();
        ScrollArea::vertical().id_salt("variables").max_height(ui.available_height() * 0.6).show(ui, |ui| {
            Grid::new("variables").num_columns(2).striped(true).show(ui, |ui| {
                for (name, value, can_be_set) in watched.variables.iter() {
                    if !self.filter.is_empty() && !name.contains(&self.filter) {
                        continue;
                    }
                    ui.label(name);
                    self.value(ui, (watched.object, name), value, *can_be_set, commands);
                    ui.end_row();
                }
            });
        });
        ui.separator();
        ui.label(RichText::new("written by").strong());
        ScrollArea::vertical().id_salt("writes").stick_to_bottom(true).show(ui, |ui| {
            let writes = status.lines.iter().filter(|line| line.kind == LineKind::Write);
            for line in writes.rev().take(60).collect::<Vec<_>>().into_iter().rev() {
                ui.monospace(&line.text);
            }
        });
    }

    /// A value; a click on one that can be set edits it.
    fn value(
        &mut self,
        ui: &mut Ui,
        (object, name): (u32, &str),
        value: &str,
        can_be_set: bool,
        commands: &mut Vec<Command>,
    ) {
        match &mut self.edited {
            Some((edited, text)) if edited == name => {
                let field = ui.add(TextEdit::singleline(text));
                if field.lost_focus() {
                    if ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                        let (variable, text) = (name.to_string(), std::mem::take(text));
                        commands.push(Command::Set { object, variable, text });
                    }
                    self.edited = None;
                } else {
                    field.request_focus();
                }
            }
            _ => {
                let text = RichText::new(value).monospace();
                if !can_be_set {
                    ui.label(text);
                    return;
                }
                // A button, so that it looks like something that can be pressed, and Tab reaches it.
                let button = ui.add(egui::Button::new(text).frame(false));
                if button.has_focus() {
                    self.focused = name.to_string();
                }
                if button.on_hover_text("click to set it at the next safe cycle").clicked() {
                    self.edited = Some((name.to_string(), value.to_string()));
                }
            }
        }
    }
}

/// What an instance is: the name of its model, or its shape.
fn name_of(instance: &Instance, content: &Library) -> String {
    let model = content.path(instance.model).map(|path| path.as_str());
    let stem = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.split('.').next().unwrap_or(file).to_string()
    };
    model.map(stem).unwrap_or_else(|| {
        let shape = match instance.shape {
            Shape::None => "nothing",
            Shape::Marker { .. } => "marker",
            _ => "body",
        };
        shape.to_string()
    })
}

/// A list of objects to choose from.
fn choose(ui: &mut Ui, frame: &Frame, content: &Library, commands: &mut Vec<Command>) {
    ui.label(format!("{} objects are shown", frame.instances.len()));
    let row = ui.text_style_height(&egui::TextStyle::Body);
    ScrollArea::vertical().id_salt("objects").show_rows(ui, row, frame.instances.len(), |ui, rows| {
        for instance in frame.instances.get(rows).unwrap_or_default() {
            let text = format!("#{:08x}  team {}  {}", instance.object, instance.team, name_of(instance, content));
            if ui.selectable_label(false, RichText::new(text).monospace()).clicked() {
                commands.push(Command::Watch(instance.object));
            }
        }
    });
}
