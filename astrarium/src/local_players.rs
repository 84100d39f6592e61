//! The players of this machine: their interfaces, controls, cameras and settings.
//!
//! Devices report; interfaces see a report first, then the controls. What they make of it are events for the world, movements of
//! cameras, and requests to the program.
//!
//! Laws
//! 1. Only named events of the level's table leave for the world.
//! 2. Controls send once per safe cycle, as late as possible before it; so an input waits at most one safe cycle.

use std::collections::BTreeMap;

use base::{StringId, Vec2, Vec3};
use gui::report::Reports;
use gui::{
    Answer, Binding, Gui, Mapper, Mapping, OutgoingEvent, Request, Settings, Situation, Surroundings, UpdateInput,
};
use relay::Event;
use relay::device::{DeviceEvent, MouseButton};
use tags::{Library, Tag};
use view::{CameraInput, CameraView, Canvas, CanvasItem, Frame, TextMeasure};

use crate::bindings::BindingAnswer;
use crate::game_texts::GameTexts;
use crate::picking::{self, Pointed};
use crate::publication::Publication;

/// The actions of controls that move a camera. If controls have no action to look, the right mouse button turns the camera; if they
/// have none to zoom, the wheel does.
pub const CAMERA_ACTIONS: [&str; 9] = [
    "camera_look_x",
    "camera_look_y",
    "camera_turn_x",
    "camera_turn_y",
    "camera_forward",
    "camera_left",
    "camera_up",
    "camera_zoom",
    "camera_hurry",
];

/// The frames before a safe cycle in which controls send.
const FRAMES_BEFORE: f32 = 1.5;

/// The players of this machine.
pub struct LocalPlayers {
    players: Vec<LocalView>,
    mapper: Mapper,
    /// The content that mapping and interfaces were read from.
    identity: Option<u64>,
    settings: Settings,
    texts: GameTexts,
    clipboard: String,
    reports: Reports,
    pointer: Option<Vec2>,
    is_turning: bool,
    turned: Vec2,
    zoomed: f32,
    pointed: Pointed,
    size: [u32; 2],
    /// The safe cycle for which controls have sent.
    sent_for: Option<u64>,
    requests: Vec<(u16, Request)>,
}

/// One player of this machine.
struct LocalView {
    player: u16,
    gui: Gui,
    interface: StringId,
    /// The part of the picture: left, top, right, bottom in physical pixels.
    part: [f32; 4],
    canvas: Canvas,
}

/// What interfaces and controls are moved on by.
#[derive(Clone, Copy)]
pub struct InterfaceUpdate<'a> {
    /// The tags.
    pub content: &'a Library,
    /// The frame as it is shown.
    pub shown: &'a Frame,
    /// The cameras of the players, in their order.
    pub views: &'a [CameraView],
    /// The machine time since the last call, in seconds.
    pub seconds: f32,
    /// The size of the picture in physical pixels.
    pub size: [u32; 2],
}

impl LocalPlayers {
    /// These players of the world, with these settings.
    pub fn new(players: &[u16], settings: Settings) -> LocalPlayers {
        let texts = GameTexts::new(settings.word("language"));
        let mut locals = LocalPlayers {
            players: Vec::new(),
            mapper: Mapper::new(Mapping::default(), players.len().max(1)),
            identity: None,
            settings,
            texts,
            clipboard: String::new(),
            reports: Reports::default(),
            pointer: None,
            is_turning: false,
            turned: Vec2::ZERO,
            zoomed: 0.0,
            pointed: Pointed::default(),
            size: [0; 2],
            sent_for: None,
            requests: Vec::new(),
        };
        locals.set_players(players);
        locals
    }

    /// Other players of the world are played here.
    pub fn set_players(&mut self, players: &[u16]) {
        if self.players.iter().map(|local| local.player).eq(players.iter().copied()) {
            return;
        }
        let view = |(index, player): (usize, &u16)| LocalView {
            player: *player,
            gui: Gui::new(index as u8),
            interface: StringId::NONE,
            part: [0.0; 4],
            canvas: Canvas::default(),
        };
        self.players = players.iter().enumerate().map(view).collect();
        self.identity = None;
        self.apply_settings();
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes a setting. Whether it has another value now; a refusal is reported.
    pub fn set(&mut self, name: &str, value: &Answer) -> bool {
        match self.settings.set(name, value) {
            Ok(is_other) => {
                if is_other {
                    self.apply_settings();
                }
                is_other
            }
            Err(refusal) => {
                self.reports.add("", 0, refusal.to_string());
                false
            }
        }
    }

    fn apply_settings(&mut self) {
        let (preferences, all, add_ons) =
            (self.settings.preferences(), self.settings.all(), self.settings.used_add_ons());
        for local in &mut self.players {
            local.gui.set_preferences(preferences);
            local.gui.set_settings(all.clone());
            local.gui.set_add_ons(&add_ons);
        }
        self.mapper.set_prefers_toggles(self.settings.is_on("toggles"));
        self.texts.set_language(self.settings.word("language"));
    }

    /// A device reports something. Whether it was used.
    pub fn handle(&mut self, event: &DeviceEvent, content: &Library, measure: &mut dyn TextMeasure) -> bool {
        match event {
            DeviceEvent::PointerMoved { x, y } => self.pointer = Some(Vec2::new(*x, *y)),
            DeviceEvent::PointerLeft | DeviceEvent::Focus(false) => self.pointer = None,
            _ => {}
        }
        let local = self.local_of(event);
        let mut is_used = false;
        if let Some(local) = self.players.get_mut(local) {
            let mut around = Surroundings { content, measure, texts: &self.texts, clipboard: &mut self.clipboard };
            is_used = local.gui.handle(&within(event, local.part), &mut around);
        }
        let is_release = match event {
            DeviceEvent::Key { is_down, .. }
            | DeviceEvent::MouseButton { is_down, .. }
            | DeviceEvent::PadButton { is_down, .. } => !is_down,
            DeviceEvent::Focus(_) => true,
            _ => false,
        };
        if !is_used || is_release {
            self.mapper.handle(event);
            self.turn_camera(event);
        }
        is_used
    }

    /// The local player whom a report concerns: the keyboard and the mouse are the first one's.
    fn local_of(&self, event: &DeviceEvent) -> usize {
        let pad = match event {
            DeviceEvent::PadButton { pad, .. } | DeviceEvent::PadAxis { pad, .. } => *pad,
            _ => return 0,
        };
        self.mapper.player_of(pad).map_or(0, usize::from)
    }

    fn turn_camera(&mut self, event: &DeviceEvent) {
        match event {
            DeviceEvent::MouseButton { button: MouseButton::Right, is_down } => self.is_turning = *is_down,
            DeviceEvent::MouseMotion { x, y } if self.is_turning => self.turned += Vec2::new(*x, *y),
            DeviceEvent::Wheel { y, .. } => self.zoomed += y,
            DeviceEvent::Focus(false) => self.is_turning = false,
            _ => {}
        }
    }

    /// What the players do to their cameras since the last call.
    pub fn cameras(&mut self) -> BTreeMap<u16, CameraInput> {
        let height = self.size[1].max(1) as f32;
        let has = |action: &str| self.mapper.mapping().action(StringId::new(action)).is_some();
        let (has_look, has_zoom) = (has("camera_look_x") || has("camera_look_y"), has("camera_zoom"));
        let (turned, zoomed) = (std::mem::take(&mut self.turned), std::mem::take(&mut self.zoomed));
        let speed = self.settings.number("mouse_speed");
        let mapper = &mut self.mapper;
        let mut inputs = BTreeMap::new();
        for (index, local) in self.players.iter().enumerate() {
            let number = index as u8;
            let mut axis = |action: &str| {
                let action = StringId::new(action);
                (mapper.state(number, action).value, mapper.take_motion(number, action))
            };
            let [look_x, look_y, turn_x, turn_y, ahead, left, up, zoom, hurry] = CAMERA_ACTIONS.map(&mut axis);
            let mut input = CameraInput {
                look: Vec2::new(look_x.1, look_y.1) * (1.0 / height),
                turn: Vec2::new(turn_x.0, turn_y.0),
                push: Vec3::new(ahead.0, left.0, up.0),
                zoom: zoom.0 + zoom.1,
                pointer: None,
                is_hurried: hurry.0 > 0.0,
            };
            if index == 0 && !has_look {
                let factor = if speed > 0.0 { speed } else { 1.0 };
                input.look = turned * (factor / height);
            }
            if index == 0 && !has_zoom {
                input.zoom = zoomed;
            }
            if index == 0 && !self.is_turning && !local.gui.has_pointer() {
                input.pointer = self.pointer.map(|pointer| share(pointer, local.part));
            }
            inputs.insert(local.player, input);
        }
        inputs
    }

    /// Moves interfaces and controls on.
    pub fn update(&mut self, input: &InterfaceUpdate<'_>, bulk: &dyn view::BulkSource, measure: &mut dyn TextMeasure) {
        let content = input.content;
        self.size = input.size;
        self.texts.update(content, bulk);
        self.follow_content(content, measure);
        let [width, height] = input.size.map(|side| side as f32);
        for (index, local) in self.players.iter_mut().enumerate() {
            let [left, top, right, bottom] = input.views.get(index).map_or([0.0, 0.0, 1.0, 1.0], |view| view.viewport);
            local.part = [left * width, top * height, right * width, bottom * height];
            local.gui.resize((local.part[2] - local.part[0]) as u32, (local.part[3] - local.part[1]) as u32);
            let known = input.shown.players.iter().find(|known| known.player == local.player);
            let interface = known.map_or(StringId::NONE, |known| known.interface);
            let mut around = Surroundings { content, measure, texts: &self.texts, clipboard: &mut self.clipboard };
            if interface != local.interface {
                local.gui.close(local.interface, &mut around);
                if !interface.is_none() {
                    local.gui.open(interface, &mut around);
                }
                local.interface = interface;
            }
            let camera = input.views.get(index);
            let update = UpdateInput { seconds: input.seconds, frame: Some(input.shown), ahead: 0.0, camera };
            local.gui.update(&update, &mut around);
            let player = local.player;
            self.requests.extend(local.gui.take_requests().into_iter().map(|request| (player, request)));
            for report in local.gui.take_reports() {
                self.reports.add(&report.path, report.line, report.message);
            }
        }
        self.mapper.update(input.seconds);
        self.point(input, content);
    }

    /// Reads controls again, and reloads interfaces, when the content has changed.
    fn follow_content(&mut self, content: &Library, measure: &mut dyn TextMeasure) {
        if self.identity == Some(content.identity()) {
            return;
        }
        let is_first = self.identity.replace(content.identity()).is_none();
        let tag = content.of_base(gui::classes::Controls::CLASS).first().copied().unwrap_or(StringId::NONE);
        let mut mapping = Mapping::read(content, tag, &mut self.reports);
        mapping.apply_overrides(&self.settings.keys, &mut self.reports);
        self.mapper = Mapper::new(mapping, self.players.len().max(1));
        self.mapper.set_prefers_toggles(self.settings.is_on("toggles"));
        if is_first {
            return;
        }
        // It is not known which tags changed since: all interfaces are compared with what they are made of.
        let changed: Vec<StringId> = content.of_base(gui::classes::Interface::CLASS);
        for local in &mut self.players {
            let mut around =
                Surroundings { content, measure: &mut *measure, texts: &self.texts, clipboard: &mut self.clipboard };
            local.gui.reload(&changed, &mut around);
        }
    }

    fn point(&mut self, input: &InterfaceUpdate<'_>, content: &Library) {
        let first = self.players.first().filter(|local| !local.gui.has_pointer());
        self.pointed = match (first, self.pointer, input.views.first()) {
            (Some(local), Some(pointer), Some(view)) => {
                let [left, top, right, bottom] = local.part;
                let aspect = (right - left) / (bottom - top).max(1.0);
                picking::point_at(input.shown, content, view, share(pointer, local.part), aspect)
            }
            _ => Pointed::default(),
        };
    }

    /// What lies under the pointer.
    pub fn pointed(&self) -> Pointed {
        self.pointed
    }

    /// The events for the world that are due now, by player. `ahead` is the world time since the frame, in seconds.
    pub fn take_events(
        &mut self,
        publication: &Publication,
        input: &InterfaceUpdate<'_>,
        ahead: f32,
    ) -> BTreeMap<u16, Vec<Event>> {
        let mut events: BTreeMap<u16, Vec<Event>> = BTreeMap::new();
        let mut outgoing: Vec<OutgoingEvent> = Vec::new();
        self.requests.retain(|(_, request)| match request {
            Request::Event(event) => {
                outgoing.push(event.clone());
                false
            }
            _ => true,
        });
        if self.is_due(publication, input.seconds, ahead) {
            let objects: Vec<u32> = self.players.iter().map(|local| object_of(input.shown, local.player)).collect();
            let selection = self.players.first().map(|local| local.gui.selection().to_vec()).unwrap_or_default();
            let camera = input.views.first();
            let situation = Situation {
                pointed_object: self.pointed.object,
                pointed_place: self.pointed.place,
                pointed_direction: self.pointed.direction,
                camera_place: camera.map_or(Vec3::ZERO, |camera| camera.position),
                camera_direction: camera.map_or(Vec3::X, |camera| camera.orientation.rotate(Vec3::X)),
                selection: &selection,
                player_objects: &objects,
            };
            outgoing.extend(self.mapper.cycle(&situation));
        }
        for event in outgoing {
            let Some(local) = self.players.get(usize::from(event.local_player)) else { continue };
            let Some(table) = &publication.events else { continue };
            match event.encode(table) {
                Ok(encoded) => events.entry(local.player).or_default().push(encoded),
                Err(refusal) => self.reports.add("", 0, format!("an event was not sent: {refusal}")),
            }
        }
        events
    }

    /// Whether controls send in this frame: once per safe cycle, in the last frame before it.
    fn is_due(&mut self, publication: &Publication, frame_seconds: f32, ahead: f32) -> bool {
        let moment = publication.frame.moment;
        if moment.speed <= 0.0 {
            return false;
        }
        let per_safe = u64::from(publication.brushes_per_safe.max(1));
        let next = moment.cycle / per_safe + 1;
        let cycles_left = (next * per_safe - moment.cycle) as f32;
        let seconds_left = (cycles_left * moment.cycle_seconds - ahead) / moment.speed;
        let is_near = seconds_left <= frame_seconds * FRAMES_BEFORE;
        // Frames slower than safe cycles send in every frame.
        let is_behind = self.sent_for.is_none_or(|sent| sent + 1 < next);
        let is_due = self.sent_for != Some(next) && (is_near || is_behind);
        if is_due {
            self.sent_for = Some(next);
        }
        is_due
    }

    /// Draws the interfaces over a canvas that covers the whole picture.
    pub fn draw(&mut self, canvas: &mut Canvas, content: &Library, measure: &mut dyn TextMeasure) {
        for local in &mut self.players {
            let mut around =
                Surroundings { content, measure: &mut *measure, texts: &self.texts, clipboard: &mut self.clipboard };
            local.gui.draw(&mut local.canvas, &mut around);
            append(canvas, &local.canvas, Vec2::new(local.part[0], local.part[1]));
        }
    }

    /// The values of the world that interfaces want to show.
    pub fn bindings(&self) -> Vec<(u8, Binding)> {
        let of = |(index, local): (usize, &LocalView)| {
            local.gui.bindings().iter().map(move |binding| (index as u8, binding.clone())).collect::<Vec<_>>()
        };
        self.players.iter().enumerate().flat_map(of).collect()
    }

    /// Takes the world's answers.
    pub fn answer(&mut self, answers: &[BindingAnswer]) {
        for (player, id, answer) in answers {
            if let Some(local) = self.players.get_mut(usize::from(*player)) {
                local.gui.answer(*id, answer);
            }
        }
    }

    /// What interfaces want of the program, besides events; the contexts of controls are switched here.
    pub fn take_requests(&mut self) -> Vec<(u16, Request)> {
        let mut requests = Vec::new();
        for (player, request) in std::mem::take(&mut self.requests) {
            match request {
                Request::Context { name, is_on } => self.mapper.set_context(name, is_on),
                Request::Setting { name, value } => {
                    self.set(&name, &value);
                    requests.push((player, Request::Setting { name, value }));
                }
                other => requests.push((player, other)),
            }
        }
        requests
    }

    /// What is wrong in tags and scripts, a line each.
    pub fn take_reports(&mut self) -> Vec<String> {
        self.reports.take().iter().map(ToString::to_string).collect()
    }

    /// The interface of the first player, which has the keyboard and the pointer.
    pub fn first(&self) -> Option<&Gui> {
        self.players.first().map(|local| &local.gui)
    }
}

fn object_of(frame: &Frame, player: u16) -> u32 {
    frame.players.iter().find(|known| known.player == player).map_or(0, |known| known.object)
}

/// A point of the picture, from 0 to 1 within a part of it.
fn share(point: Vec2, [left, top, right, bottom]: [f32; 4]) -> Vec2 {
    Vec2::new((point.x - left) / (right - left).max(1.0), (point.y - top) / (bottom - top).max(1.0))
}

/// A report with its place counted from the corner of a part of the picture.
fn within(event: &DeviceEvent, [left, top, ..]: [f32; 4]) -> DeviceEvent {
    match event {
        DeviceEvent::PointerMoved { x, y } => DeviceEvent::PointerMoved { x: x - left, y: y - top },
        DeviceEvent::Touch { finger, phase, x, y } => {
            DeviceEvent::Touch { finger: *finger, phase: *phase, x: x - left, y: y - top }
        }
        other => other.clone(),
    }
}

/// Adds the items of a canvas to another one of another scale, moved by some physical pixels.
fn append(canvas: &mut Canvas, other: &Canvas, by: Vec2) {
    let factor = if canvas.scale > 0.0 { other.scale / canvas.scale } else { 1.0 };
    let by = by * (1.0 / canvas.scale.max(0.01));
    let place = |at: Vec2| at * factor + by;
    let moved = |rect: view::Rect| view::Rect { min: place(rect.min), max: place(rect.max) };
    for item in &other.items {
        match *item {
            CanvasItem::Text { rect, text, style, colour } => {
                let style = view::TextStyle { size: style.size * factor, ..style };
                canvas.text(moved(rect), other.text_of(text), style, colour);
            }
            CanvasItem::Quad { rect, fill, border, border_width, radius } => canvas.items.push(CanvasItem::Quad {
                rect: moved(rect),
                fill,
                border,
                border_width: border_width * factor,
                radius: radius * factor,
            }),
            CanvasItem::Image { rect, bitmap, part, tint } => {
                canvas.items.push(CanvasItem::Image { rect: moved(rect), bitmap, part, tint });
            }
            CanvasItem::Line { from, to, width, colour } => {
                let (from, to) = (place(from), place(to));
                canvas.items.push(CanvasItem::Line { from, to, width: width * factor, colour });
            }
            CanvasItem::Clip { rect } => canvas.items.push(CanvasItem::Clip { rect: moved(rect) }),
            CanvasItem::Unclip => canvas.items.push(CanvasItem::Unclip),
        }
    }
}
