//! The players of this machine: their interfaces, controls, cameras and settings.
//!
//! Devices report; interfaces see a report first, then the controls. What they make of it are events for the world, movements of
//! cameras, and requests to the program.
//!
//! Laws
//! 1. Only named events of the level's table leave for the world.
//! 2. Controls send once per safe cycle, as late as possible before it; so an input waits at most one safe cycle.

mod part;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{StringId, Vec2, Vec3};
use gui::capture::{Capture, Captured};
use gui::input::{Chord, Input, Motion};
use gui::prompt::{self, DeviceKind, InputNames};
use gui::report::Reports;
use gui::touch::{FingerClick, FingerMotion, Fingers};
use gui::{
    Answer, Binding, Gui, KeySigns, Mapper, Mapping, OutgoingEvent, Request, Settings, Situation, Surroundings,
    TextParameter, Texts, UpdateInput,
};
use relay::Event;
use relay::access::AccessTree;
use relay::device::{DeviceEvent, Key, MouseButton, PadButton, PadFamily};
use relay::table::EventRefusal;
use tags::{Library, Tag};
use view::{CameraInput, CameraView, Canvas, Frame, ObstacleMeshes, Surfaces, TextMeasure};

use crate::bindings::BindingAnswer;
use crate::game_texts::GameTexts;
use crate::menu::{self, GAME_MENU, Menu, OVER};
use crate::picking::{self, Pointed};
use crate::publication::Publication;

use part::{append, share, within};

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

/// The actions that select the object under the pointer, alone or with others.
const SELECT: StringId = StringId::new("select");
const SELECT_MORE: StringId = StringId::new("select_more");

/// The frames before a safe cycle in which controls send.
const FRAMES_BEFORE: f32 = 1.5;

/// The players of this machine.
pub struct LocalPlayers {
    players: Vec<LocalView>,
    mapper: Mapper,
    /// The content that mapping and interfaces were read from.
    identity: Option<u64>,
    /// Whether the mapping is to be read again, though the content is the same.
    is_mapping_due: bool,
    /// The tag of the controls.
    controls: StringId,
    settings: Settings,
    has_new_settings: bool,
    /// The names of the monitors.
    monitors: Vec<String>,
    texts: GameTexts,
    /// What is printed on the keys.
    signs: KeySigns,
    /// Whose names the buttons of connected gamepads have.
    families: Vec<(u8, PadFamily)>,
    /// The action whose next binding is awaited, and what was pressed for it.
    rebinding: Option<(StringId, Capture)>,
    menu: Menu,
    /// The result with which the last level has ended.
    ended: Option<String>,
    clipboard: String,
    reports: Reports,
    pointer: Option<Vec2>,
    /// Where the pointer was when a button was last pressed since the last picture.
    pressed: Option<Vec2>,
    /// The actions that the first player uses, and where the pointer was when each was pressed.
    drags: Vec<(StringId, Vec2)>,
    /// Whether a finger was the last to point: it is nowhere once it is lifted.
    is_finger: bool,
    fingers: Fingers,
    is_turning: bool,
    turned: Vec2,
    zoomed: f32,
    /// What the fingers did that no action uses.
    touched: FingerMotion,
    size: [u32; 2],
    /// Physical pixels per logical one.
    scale: f32,
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
    /// What lies under the pointer, or in the middle of its view.
    pointed: Pointed,
    canvas: Canvas,
    /// The device that this player used last.
    device: DeviceKind,
    /// Whose names the buttons of the gamepad have that this player used last.
    family: PadFamily,
    /// What the inputs of actions are called on it.
    prompts: Arc<BTreeMap<String, String>>,
}

/// What interfaces and controls are moved on by.
#[derive(Clone, Copy)]
pub struct InterfaceUpdate<'a> {
    /// The tags.
    pub content: &'a Library,
    /// The frame as it is shown.
    pub shown: &'a Frame,
    /// The trees of the meshes of its shapes.
    pub meshes: &'a ObstacleMeshes,
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
            is_mapping_due: false,
            controls: StringId::NONE,
            settings,
            has_new_settings: false,
            monitors: Vec::new(),
            texts,
            signs: KeySigns::default(),
            families: Vec::new(),
            rebinding: None,
            menu: Menu::default(),
            ended: None,
            clipboard: String::new(),
            reports: Reports::default(),
            pointer: None,
            pressed: None,
            drags: Vec::new(),
            is_finger: false,
            fingers: Fingers::default(),
            is_turning: false,
            turned: Vec2::ZERO,
            zoomed: 0.0,
            touched: FingerMotion::default(),
            size: [0; 2],
            scale: 1.0,
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
            pointed: Pointed::default(),
            canvas: Canvas::default(),
            device: self.players.get(index).map(|local| local.device).unwrap_or_default(),
            family: self.players.get(index).map(|local| local.family).unwrap_or_default(),
            prompts: Arc::default(),
        };
        self.players = players.iter().enumerate().map(view).collect();
        self.is_mapping_due = true;
        self.apply_settings();
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Other settings, as when the player's file was edited: everything follows, and nothing is written back.
    pub fn replace_settings(&mut self, settings: Settings) {
        self.settings = settings;
        self.is_mapping_due = true;
        self.apply_settings();
    }

    /// Changes a setting. Whether it has another value now; a refusal is reported.
    pub fn set(&mut self, name: &str, value: &Answer) -> bool {
        match self.settings.set(name, value) {
            Ok(is_other) => {
                if is_other {
                    self.has_new_settings = true;
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

    /// The names of the monitors, from which the menu lets a player choose.
    pub fn set_monitors(&mut self, names: impl Iterator<Item = String>) {
        self.monitors = names.filter(|name| !name.is_empty()).collect();
        self.apply_settings();
    }

    /// Whether a setting or a binding was changed since the last call.
    pub fn take_settings_change(&mut self) -> bool {
        std::mem::take(&mut self.has_new_settings)
    }

    fn apply_settings(&mut self) {
        let (preferences, all, add_ons) =
            (self.settings.preferences(), self.settings.all(), self.settings.used_add_ons());
        self.menu.gui.set_preferences(preferences);
        let languages = self.texts.languages().into_iter().map(Answer::Words).collect();
        let monitors = self.monitors.iter().cloned().map(Answer::Words).collect();
        let more = [("languages", languages), ("monitors", monitors)];
        let more = more.map(|(name, choices)| (String::from(name), Answer::List(choices)));
        self.menu.gui.set_settings(all.iter().cloned().chain(more).collect());
        for local in &mut self.players {
            local.gui.set_preferences(preferences);
            local.gui.set_settings(all.clone());
            local.gui.set_add_ons(&add_ons);
        }
        self.mapper.set_prefers_toggles(self.settings.is_on("toggles"));
        self.signs = KeySigns::of_text(self.settings.word("keyboard"));
        self.menu.gui.set_signs(&self.signs);
        self.players.iter_mut().for_each(|local| local.gui.set_signs(&self.signs));
        if self.texts.set_language(self.settings.word("language")) {
            self.refresh_texts();
        }
    }

    fn refresh_texts(&mut self) {
        self.menu.gui.refresh_texts();
        self.players.iter_mut().for_each(|local| local.gui.refresh_texts());
    }

    /// Tells interfaces what the actions of the controls are, and what their inputs are called.
    fn tell_controls(&mut self) {
        let mapping = self.mapper.mapping();
        let family = self.players.first().map(|local| local.family).unwrap_or_default();
        let names = InputNames { mapping, signs: &self.signs, family };
        let actions = prompt::actions(names, self.rebinding.as_ref().map(|(action, _)| *action));
        self.menu.gui.set_controls(actions.clone());
        for local in &mut self.players {
            let named = mapping.actions.iter().filter_map(|action| {
                let names = InputNames { family: local.family, ..names };
                let prompt = prompt::prompt(names, action.name, local.device)?;
                Some((action.text.clone(), prompt))
            });
            local.prompts = Arc::new(named.collect());
            local.gui.set_controls(actions.clone());
        }
        self.refresh_texts();
    }

    /// What the inputs of actions are called for the first player, who has the menu.
    fn prompts(&self) -> Arc<BTreeMap<String, String>> {
        self.players.first().map(|local| Arc::clone(&local.prompts)).unwrap_or_default()
    }

    /// The actions of the controls as people call them, with all their inputs on the device that the first player used last.
    pub fn keys(&self) -> Vec<(String, String)> {
        let texts = PlayerTexts { texts: &self.texts, prompts: self.prompts() };
        let (device, family) = self.players.first().map(|local| (local.device, local.family)).unwrap_or_default();
        prompt::keys(InputNames { mapping: self.mapper.mapping(), signs: &self.signs, family }, device, &texts)
    }

    /// Notes which device a player uses now. A gamepad that nobody has is nobody's device.
    fn follow_device(&mut self, event: &DeviceEvent) {
        match event {
            DeviceEvent::PadConnected { pad, family, .. } => {
                self.families.retain(|(known, _)| known != pad);
                self.families.push((*pad, *family));
            }
            DeviceEvent::PadDisconnected { pad } => self.families.retain(|(known, _)| known != pad),
            DeviceEvent::KeySign { key, sign } if self.signs.learn(*key, *sign) => {
                let text = Answer::Words(self.signs.text());
                self.set("keyboard", &text);
                self.tell_controls();
            }
            _ => {}
        }
        let Some(device) = DeviceKind::used_by(event) else { return };
        let family = match event {
            DeviceEvent::PadButton { pad, .. } | DeviceEvent::PadAxis { pad, .. } => {
                self.families.iter().find(|(known, _)| known == pad).map(|(_, family)| *family).unwrap_or_default()
            }
            _ => PadFamily::default(),
        };
        let local = match event {
            DeviceEvent::PadButton { pad, is_down: true, .. } => {
                self.mapper.claim(*pad);
                self.local_of(event)
            }
            DeviceEvent::PadAxis { pad, .. } if self.players.len() > 1 && self.mapper.player_of(*pad).is_none() => {
                return;
            }
            _ => self.local_of(event),
        };
        let Some(local) = self.players.get_mut(local) else { return };
        // The menu goes on naming the buttons of the gamepad that was used last.
        let family = if device == DeviceKind::Pad { family } else { local.family };
        if (local.device, local.family) != (device, family) {
            (local.device, local.family) = (device, family);
            self.tell_controls();
        }
    }

    /// A device reports something. Whether it was used.
    pub fn handle(&mut self, event: &DeviceEvent, content: &Library, measure: &mut dyn TextMeasure) -> bool {
        match event {
            DeviceEvent::PointerMoved { x, y } => (self.pointer, self.is_finger) = (Some(Vec2::new(*x, *y)), false),
            DeviceEvent::PointerLeft | DeviceEvent::Focus(false) => {
                self.pointer = None;
                self.fingers.release();
            }
            DeviceEvent::Resized { scale, .. } => self.scale = *scale,
            _ => {}
        }
        if let DeviceEvent::PadDisconnected { pad } = event {
            self.lose_pad(*pad, content, measure);
        }
        self.follow_device(event);
        let is_captured = self.capture(event, content, measure);
        let is_used = is_captured || self.handle_by_interface(event, content, measure);
        let is_release = match event {
            DeviceEvent::Key { is_down, .. }
            | DeviceEvent::MouseButton { is_down, .. }
            | DeviceEvent::PadButton { is_down, .. } => !is_down,
            DeviceEvent::Focus(_) => true,
            _ => false,
        };
        let is_menu_key = is_menu_key(event) && !is_used && !self.is_bound(event);
        if is_menu_key {
            self.open_menu(content, measure);
            return true;
        }
        if !is_used || is_release {
            self.mapper.handle(event);
            self.turn_camera(event);
            if matches!(event, DeviceEvent::MouseButton { is_down: true, .. }) {
                self.pressed = self.pointer;
            }
        }
        if let DeviceEvent::Touch { finger, phase, x, y } = event
            && !is_used
        {
            let click = self.fingers.handle(*finger, *phase, Vec2::new(*x, *y), self.scale);
            self.click(click);
        }
        is_used
    }

    /// A gamepad is gone. If somebody was playing with it, the menu opens, as nobody can play on without a device.
    fn lose_pad(&mut self, pad: u8, content: &Library, measure: &mut dyn TextMeasure) {
        let owner = self.mapper.player_of(pad).and_then(|player| self.players.get_mut(usize::from(player)));
        let Some(local) = owner.filter(|local| local.device == DeviceKind::Pad) else { return };
        local.device = DeviceKind::default();
        self.tell_controls();
        if !self.is_menu_open() {
            self.open_menu(content, measure);
        }
    }

    /// A finger on the world has clicked: a button of the mouse is pressed and released there.
    fn click(&mut self, click: Option<FingerClick>) {
        let Some(FingerClick { button, place }) = click else { return };
        (self.pointer, self.is_finger) = (Some(place), true);
        for is_down in [true, false] {
            self.mapper.handle(&DeviceEvent::MouseButton { button, is_down });
        }
    }

    /// What fingers did becomes motions of actions, or else of the first camera.
    fn follow_fingers(&mut self, seconds: f32) {
        let click = self.fingers.update(seconds);
        self.click(click);
        let FingerMotion { drag, turn, pinch } = self.fingers.take_motion();
        for (motion, way) in [(Motion::DragX, drag.x), (Motion::DragY, drag.y), (Motion::Pinch, pinch)] {
            self.mapper.motion(motion, way);
        }
        if !self.mapper.uses(Motion::DragX) && !self.mapper.uses(Motion::DragY) {
            self.touched.drag += drag;
        }
        if !self.mapper.uses(Motion::Pinch) {
            self.touched.pinch += pinch;
        }
        self.touched.turn += turn;
    }

    /// Whether a window holds the pointer and hides it: the mouse turns or moves something whatever it points at, and no interface
    /// wants to be pointed at.
    pub fn holds_pointer(&self) -> bool {
        let is_free = self.players.first().is_none_or(|local| local.gui.wants_pointer());
        !is_free && !self.is_menu_open() && self.mapper.uses_mouse_motion()
    }

    /// The engine's menu sees reports first while it is open, and leaves nothing to the game.
    fn handle_by_interface(&mut self, event: &DeviceEvent, content: &Library, measure: &mut dyn TextMeasure) -> bool {
        let local = self.local_of(event);
        if self.menu.is_open() {
            let texts = PlayerTexts { texts: &self.texts, prompts: self.prompts() };
            let mut around = Surroundings { content, measure, texts: &texts, clipboard: &mut self.clipboard };
            self.menu.with(&mut around, |gui, around| gui.handle(event, around));
            return !matches!(event, DeviceEvent::Focus(_) | DeviceEvent::Resized { .. });
        }
        let Some(local) = self.players.get_mut(local) else { return false };
        let texts = PlayerTexts { texts: &self.texts, prompts: Arc::clone(&local.prompts) };
        let mut around = Surroundings { content, measure, texts: &texts, clipboard: &mut self.clipboard };
        local.gui.handle(&within(event, local.part), &mut around)
    }

    /// Whether the controls use a key or button.
    fn is_bound(&self, event: &DeviceEvent) -> bool {
        let input = match event {
            DeviceEvent::Key { key, .. } => Input::Key(*key),
            DeviceEvent::PadButton { button, .. } => Input::Pad(*button),
            _ => return false,
        };
        self.mapper.mapping().controls.iter().any(|control| control.chord.input == input)
    }

    /// Opens the menu: the game's own, if it has one.
    pub fn open_menu(&mut self, content: &Library, measure: &mut dyn TextMeasure) {
        let texts = PlayerTexts { texts: &self.texts, prompts: self.prompts() };
        let mut around = Surroundings { content, measure, texts: &texts, clipboard: &mut self.clipboard };
        match self.players.first_mut().filter(|_| content.get_as::<gui::classes::Interface>(GAME_MENU).is_some()) {
            Some(local) => local.gui.open(GAME_MENU, &mut around),
            None => self.menu.open(&mut around),
        }
    }

    /// What assistive technology is told: the interface that has the keyboard.
    pub fn access_tree(&mut self, content: &Library, measure: &mut dyn TextMeasure) -> AccessTree {
        let texts = PlayerTexts { texts: &self.texts, prompts: self.prompts() };
        let mut around = Surroundings { content, measure, texts: &texts, clipboard: &mut self.clipboard };
        if self.menu.is_open() {
            return self.menu.with(&mut around, |gui, around| gui.access_tree(around));
        }
        self.players.first().map_or_else(AccessTree::empty, |local| local.gui.access_tree(&around))
    }

    /// Whether the menu is open, the engine's or the game's.
    pub fn is_menu_open(&self) -> bool {
        self.menu.is_open() || self.players.first().is_some_and(|local| local.gui.is_open(GAME_MENU))
    }

    /// Follows the end of the last level: interfaces get the message `over` with the result. If none of them handles it, the engine
    /// opens its own panel, until there is a world again that has not ended.
    pub fn follow_ending(&mut self, result: Option<&str>, content: &Library, measure: &mut dyn TextMeasure) {
        if self.ended.as_deref() == result {
            return;
        }
        self.ended = result.map(String::from);
        let texts = PlayerTexts { texts: &self.texts, prompts: self.prompts() };
        let mut around = Surroundings { content, measure, texts: &texts, clipboard: &mut self.clipboard };
        let Some(result) = result else { return self.menu.close_over(&mut around) };
        let is_handled = self.players.iter().any(|local| local.gui.hears(OVER));
        for local in &mut self.players {
            local.gui.send(OVER, &[Answer::Words(result.to_string())], &mut around);
        }
        if !is_handled {
            self.menu.open_over(result, &mut around);
        }
    }

    /// While a binding is awaited, the next key, button or axis becomes one, with the modifiers that are held; Escape changes nothing.
    fn capture(&mut self, event: &DeviceEvent, content: &Library, measure: &mut dyn TextMeasure) -> bool {
        let Some((action, capture)) = &mut self.rebinding else { return false };
        let (action, chord) = match capture.handle(event) {
            Captured::Chord(chord) => (*action, Some(chord)),
            Captured::Cancelled => (*action, None),
            Captured::Awaited => return true,
            Captured::Other => return false,
        };
        self.rebinding = None;
        let refusal = chord.and_then(|chord| self.rebind(action, chord).err());
        self.tell_controls();
        let (name, arguments) = match refusal {
            Some(refusal) => (StringId::new("refused"), vec![Answer::Words(refusal.to_string())]),
            None => (StringId::new("bound"), Vec::new()),
        };
        let texts = PlayerTexts { texts: &self.texts, prompts: self.prompts() };
        let mut around = Surroundings { content, measure, texts: &texts, clipboard: &mut self.clipboard };
        self.menu.with(&mut around, |gui, around| gui.send(name, &arguments, around));
        if let Some(local) = self.players.first_mut() {
            local.gui.send(name, &arguments, &mut around);
        }
        true
    }

    /// Replaces the binding of an action on the same kind of device, or adds one.
    fn rebind(&mut self, action: StringId, chord: Chord) -> Result<(), gui::mapping::RebindRefusal> {
        let is_pad = chord.input.is_of_pad();
        let chords = self.mapper.mapping().chords(action);
        let place = chords.iter().position(|known| known.input.is_of_pad() == is_pad).unwrap_or(chords.len());
        self.mapper.change(|mapping| mapping.rebind(action, place, chord))?;
        self.settings.keys = self.mapper.mapping().overrides();
        self.has_new_settings = true;
        Ok(())
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
        let touched = std::mem::take(&mut self.touched);
        let speed = self.settings.number("mouse_speed");
        let (is_inverted, is_menu_open) = (self.settings.is_on("mouse_inverted"), self.is_menu_open());
        let mapper = &mut self.mapper;
        let mut inputs = BTreeMap::new();
        for (index, local) in self.players.iter().enumerate() {
            let number = index as u8;
            let mut axis = |action: &str| {
                let action = StringId::new(action);
                (mapper.state(number, action).value, mapper.take_motion(number, action))
            };
            let [look_x, look_y, turn_x, turn_y, ahead, left, up, zoom, hurry] = CAMERA_ACTIONS.map(&mut axis);
            let of_fingers = if index == 0 { touched } else { FingerMotion::default() };
            let mut input = CameraInput {
                look: Vec2::new(look_x.1, look_y.1) * (1.0 / height),
                drag: of_fingers.drag * (1.0 / height),
                pinch: of_fingers.pinch,
                turn: Vec2::new(turn_x.0, turn_y.0),
                push: Vec3::new(ahead.0, left.0, up.0),
                zoom: zoom.0 + zoom.1,
                pointer: None,
                is_hurried: hurry.0 > 0.0,
            };
            let factor = if speed > 0.0 { speed } else { 1.0 };
            if index == 0 && !has_look {
                input.look = turned * (1.0 / height);
            }
            input.look += of_fingers.turn * (1.0 / height);
            input.look = Vec2::new(input.look.x, input.look.y * if is_inverted { -1.0 } else { 1.0 }) * factor;
            if index == 0 && !has_zoom {
                input.zoom = zoomed;
            }
            let is_at_edge = !self.is_turning && !self.is_finger && !local.gui.has_pointer() && !is_menu_open;
            if index == 0 && is_at_edge {
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
        if self.texts.update(content, bulk) {
            // Which languages there are may have changed.
            self.apply_settings();
            self.refresh_texts();
        }
        self.follow_content(content, measure);
        self.update_menu(input, measure);
        let [width, height] = input.size.map(|side| side as f32);
        for (index, local) in self.players.iter_mut().enumerate() {
            let [left, top, right, bottom] = input.views.get(index).map_or([0.0, 0.0, 1.0, 1.0], |view| view.viewport);
            local.part = [left * width, top * height, right * width, bottom * height];
            local.gui.resize((local.part[2] - local.part[0]) as u32, (local.part[3] - local.part[1]) as u32);
            let known = input.shown.players.iter().find(|known| known.player == local.player);
            let interface = known.map_or(StringId::NONE, |known| known.interface);
            let texts = PlayerTexts { texts: &self.texts, prompts: Arc::clone(&local.prompts) };
            let mut around =
                Surroundings { content, measure: &mut *measure, texts: &texts, clipboard: &mut self.clipboard };
            if interface != local.interface {
                local.gui.close(local.interface, &mut around);
                if !interface.is_none() {
                    local.gui.open(interface, &mut around);
                }
                local.interface = interface;
            }
            let camera = input.views.get(index);
            let update = UpdateInput {
                seconds: input.seconds,
                player: local.player,
                frame: Some(input.shown),
                ahead: 0.0,
                camera,
            };
            local.gui.update(&update, &mut around);
            let player = local.player;
            self.requests.extend(local.gui.take_requests().into_iter().map(|request| (player, request)));
            for report in local.gui.take_reports() {
                self.reports.add(&report.path, report.line, report.message);
            }
        }
        self.follow_fingers(input.seconds);
        self.mapper.update(input.seconds);
        self.point(input, content);
        self.follow_edges();
    }

    /// Does what the actions to select ask for, and tells the interface what is dragged. The pointer is the first player's.
    fn follow_edges(&mut self) {
        let pressed = self.pressed.take().or(self.pointer);
        let edges = self.mapper.take_edges();
        let Some(local) = self.players.first_mut() else { return };
        for edge in edges.into_iter().filter(|edge| edge.player == 0) {
            self.drags.retain(|(action, _)| *action != edge.action);
            if !edge.is_down {
                continue;
            }
            self.drags.extend(pressed.map(|place| (edge.action, place)));
            let object = local.pointed.object;
            let mut selection = local.gui.selection().to_vec();
            match edge.action {
                SELECT => selection = if object == 0 { Vec::new() } else { vec![object] },
                SELECT_MORE if selection.contains(&object) => selection.retain(|other| *other != object),
                SELECT_MORE if object != 0 => selection.push(object),
                _ => continue,
            }
            local.gui.set_selection(&selection);
        }
        // Who points with the middle of the view draws no box.
        let pointer = self.pointer.filter(|_| local.device == DeviceKind::Keyboard);
        let corner = Vec2::new(local.part[0], local.part[1]);
        let drag = |(action, from): &(StringId, Vec2)| Some((*action, [*from - corner, pointer? - corner]));
        local.gui.set_drags(&self.drags.iter().filter_map(drag).collect::<Vec<_>>());
    }

    fn update_menu(&mut self, input: &InterfaceUpdate<'_>, measure: &mut dyn TextMeasure) {
        let texts = PlayerTexts { texts: &self.texts, prompts: self.prompts() };
        let content = input.content;
        let mut around = Surroundings { content, measure, texts: &texts, clipboard: &mut self.clipboard };
        let update = UpdateInput { seconds: input.seconds, player: 0, frame: None, ahead: 0.0, camera: None };
        self.menu.gui.resize(input.size[0], input.size[1]);
        self.menu.with(&mut around, |gui, around| gui.update(&update, around));
        let player = self.players.first().map_or(0, |local| local.player);
        self.requests.extend(self.menu.gui.take_requests().into_iter().map(|request| (player, request)));
        for report in self.menu.gui.take_reports() {
            self.reports.add(&report.path, report.line, report.message);
        }
    }

    /// Reads controls again, and reloads interfaces, when the content has changed.
    fn follow_content(&mut self, content: &Library, measure: &mut dyn TextMeasure) {
        let is_other = self.identity != Some(content.identity());
        if !is_other && !std::mem::take(&mut self.is_mapping_due) {
            return;
        }
        let is_reload = self.identity.replace(content.identity()).is_some() && is_other;
        self.is_mapping_due = false;
        let tag = content.of_base(gui::classes::Controls::CLASS).first().copied().unwrap_or(StringId::NONE);
        self.controls = tag;
        let mut mapping = Mapping::read(content, tag, &mut self.reports);
        mapping.apply_overrides(&self.settings.keys, &mut self.reports);
        menu::name_camera_actions(&mut mapping, &CAMERA_ACTIONS);
        self.mapper.replace(mapping, self.players.len().max(1));
        self.mapper.set_prefers_toggles(self.settings.is_on("toggles"));
        self.tell_controls();
        if !is_reload {
            return;
        }
        // It is not known which tags changed since: all interfaces are compared with what they are made of.
        let changed: Vec<StringId> = content.of_base(gui::classes::Interface::CLASS);
        for local in &mut self.players {
            let texts = PlayerTexts { texts: &self.texts, prompts: Arc::clone(&local.prompts) };
            let mut around =
                Surroundings { content, measure: &mut *measure, texts: &texts, clipboard: &mut self.clipboard };
            local.gui.reload(&changed, &mut around);
        }
    }

    /// The first player points with the pointer. The others, a player with a gamepad and one whose pointer is held point at the middle
    /// of their view.
    fn point(&mut self, input: &InterfaceUpdate<'_>, content: &Library) {
        let is_menu_open = self.is_menu_open();
        let is_held = self.holds_pointer();
        for (index, local) in self.players.iter_mut().enumerate() {
            let is_aimed = local.device == DeviceKind::Pad || is_held;
            let (pointer, is_free) = match index == 0 && !is_aimed {
                true => (self.pointer.map(|pointer| share(pointer, local.part)), !local.gui.has_pointer()),
                false => (Some(Vec2::splat(0.5)), !local.gui.wants_pointer()),
            };
            local.pointed = match (pointer, input.views.get(index)) {
                (Some(pointer), Some(view)) if is_free && !is_menu_open => {
                    let [left, top, right, bottom] = local.part;
                    let aspect = (right - left) / (bottom - top).max(1.0);
                    let surfaces = Surfaces { frame: input.shown, meshes: input.meshes, content };
                    picking::point_at(&surfaces, view, pointer, aspect)
                }
                _ => Pointed::default(),
            };
        }
    }

    /// What lies under the pointer of the first player.
    pub fn pointed(&self) -> Pointed {
        self.players.first().map(|local| local.pointed).unwrap_or_default()
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
            let mut situations: Vec<Situation<'_>> = Vec::new();
            for (index, local) in self.players.iter().enumerate() {
                let camera = input.views.get(index);
                situations.push(Situation {
                    pointed_object: local.pointed.object,
                    pointed_place: local.pointed.place,
                    pointed_direction: local.pointed.direction,
                    camera_place: camera.map_or(Vec3::ZERO, |camera| camera.position),
                    camera_direction: camera.map_or(Vec3::X, |camera| camera.orientation.rotate(Vec3::X)),
                    selection: local.gui.selection(),
                    player_object: object_of(input.shown, local.player),
                });
            }
            outgoing.extend(self.mapper.cycle(&situations));
        }
        for event in outgoing {
            let Some(local) = self.players.get(usize::from(event.local_player)) else { continue };
            let Some(table) = &publication.events else { continue };
            match event.encode(table) {
                Ok(encoded) => events.entry(local.player).or_default().push(encoded),
                Err(refusal) => {
                    let of_controls = input.content.packed(self.controls).and_then(|packed| packed.name(event.name));
                    let name = local.gui.text_of(event.name).or(of_controls).map(String::from);
                    let name = name.unwrap_or_else(|| event.name.to_string());
                    let path = of_controls.and(input.content.path(self.controls)).map_or("", |path| path.as_str());
                    let remedy = match refusal {
                        EventRefusal::UnknownKind => "; list it in the `events` of the level",
                        _ => "",
                    };
                    self.reports.add(path, 0, format!("the event `{name}` was not sent: {refusal}{remedy}"));
                }
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
            let texts = PlayerTexts { texts: &self.texts, prompts: Arc::clone(&local.prompts) };
            let mut around =
                Surroundings { content, measure: &mut *measure, texts: &texts, clipboard: &mut self.clipboard };
            local.gui.draw(&mut local.canvas, &mut around);
            append(canvas, &local.canvas, Vec2::new(local.part[0], local.part[1]));
        }
        if self.menu.is_open() {
            let texts = PlayerTexts { texts: &self.texts, prompts: self.prompts() };
            let mut around = Surroundings { content, measure, texts: &texts, clipboard: &mut self.clipboard };
            let mut own = Canvas::default();
            self.menu.with(&mut around, |gui, around| gui.draw(&mut own, around));
            append(canvas, &own, Vec2::ZERO);
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
        for BindingAnswer { player, id, answer, fault } in answers {
            if let Some(local) = self.players.get_mut(usize::from(*player)) {
                local.gui.answer(*id, answer);
                fault.iter().for_each(|fault| local.gui.answer_fault(*id, fault));
            }
        }
    }

    /// Adds a request, as if an interface of a player had made it.
    pub fn ask(&mut self, player: u16, request: Request) {
        self.requests.push((player, request));
    }

    /// What interfaces want of the program, besides events; the contexts of controls are switched here.
    pub fn take_requests(&mut self) -> Vec<(u16, Request)> {
        let mut requests = Vec::new();
        for (player, request) in std::mem::take(&mut self.requests) {
            match request {
                Request::Context { name, is_on } => self.mapper.set_context(name, is_on),
                Request::Setting { name, value } => {
                    self.set(&name, &value);
                }
                Request::Command { name, arguments } if name == "rebind" => self.await_binding(arguments.first()),
                Request::Command { name, .. } if name == "reset_keys" => self.reset_keys(),
                other => requests.push((player, other)),
            }
        }
        requests
    }

    fn await_binding(&mut self, action: Option<&Answer>) {
        let name = if let Some(Answer::Words(words)) = action { words.as_str() } else { "" };
        let found = self.mapper.mapping().action(StringId::from(name));
        match found {
            Some(_) => self.rebinding = Some((StringId::from(name), Capture::default())),
            None => self.reports.add("", 0, format!("`!Command(\"rebind\", …)`: there is no action `{name}`")),
        }
        self.tell_controls();
    }

    /// The bindings are those of the controls tag again.
    fn reset_keys(&mut self) {
        self.settings.keys.clear();
        (self.has_new_settings, self.is_mapping_due) = (true, true);
    }

    /// What is wrong in tags and scripts, a line each.
    pub fn take_reports(&mut self) -> Vec<String> {
        self.reports.take().iter().map(ToString::to_string).collect()
    }

    /// The interface that has the keyboard and the pointer: the engine's menu, or that of the first player.
    pub fn first(&self) -> Option<&Gui> {
        let own = self.menu.is_open().then_some(&self.menu.gui);
        own.or_else(|| self.players.first().map(|local| &local.gui))
    }
}

/// The texts of the game, those of the engine's menu, and the names of inputs.
struct PlayerTexts<'a> {
    texts: &'a GameTexts,
    prompts: Arc<BTreeMap<String, String>>,
}

impl Texts for PlayerTexts<'_> {
    fn text(&self, id: StringId, parameters: &[(String, TextParameter)]) -> Option<String> {
        let found = self.texts.text(id, parameters);
        found.or_else(|| menu::text(id, self.texts.language()).map(String::from))
    }

    fn number(&self, number: f64) -> String {
        self.texts.number(number)
    }

    fn prompt(&self, action: &str) -> Option<String> {
        self.prompts.get(action).cloned()
    }
}

/// Whether a report is the key or button that opens the menu.
fn is_menu_key(event: &DeviceEvent) -> bool {
    matches!(
        event,
        DeviceEvent::Key { key: Key::Escape, is_down: true, is_repeat: false }
            | DeviceEvent::PadButton { button: PadButton::Start, is_down: true, .. }
    )
}

fn object_of(frame: &Frame, player: u16) -> u32 {
    frame.players.iter().find(|known| known.player == player).map_or(0, |known| known.object)
}
