//! The graphical user interface of one local player: the open interfaces, pointer, focus, and what leaves them.
//!
//! For each picture: [`Gui::handle`] for each report of a device, [`Gui::answer`] for each answer of the world, [`Gui::update`],
//! [`Gui::draw`]; then [`Gui::bindings`] go to the world, and [`Gui::take_requests`] to the program.

mod accessing;
mod drawing;
mod keys;
mod performing;
mod pointer;
mod updating;

use alloc::collections::BTreeMap;
use alloc::collections::vec_deque::VecDeque;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::number::{clamp, max, min};
use base::string_id::StringTable;
use base::{StringId, Vec2};
use relay::device::DeviceEvent;
use script::message::Message;
use script::value::Value;
use view::{CameraView, Canvas, Frame, Rect};

use crate::answer::Answer;
use crate::classes::interface::{CursorName, WidgetKind};
use crate::geometry::inner;
use crate::key_signs::KeySigns;
use crate::limits::{DRAG_DISTANCE, OPEN_MAX, REFERENCE_SIZE, REQUESTS_MAX, SCALES, TYPED_MAX};
use crate::logic::{About, Binding, BindingFault, LogicContext, Requested, Workspace, message};
use crate::open::OpenInterface;
use crate::outgoing::Request;
use crate::report::{GuiReport, Reports};
use crate::surroundings::Surroundings;
use crate::tree::Tree;

use keys::Navigation;
use pointer::PointerState;

/// A widget, whatever happens to those around it: its interface's number and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WidgetId {
    open: u32,
    key: u64,
}

/// The graphical user interface of one local player.
#[derive(Default)]
pub struct Gui {
    /// In the order in which they are drawn.
    opens: Vec<OpenInterface>,
    local_player: u8,
    stage: StringId,
    add_ons: Vec<StringId>,
    preferences: Preferences,
    /// The size of the window, in physical pixels.
    window: Vec2,
    player: u32,
    selection: Vec<u32>,
    settings: Answer,
    controls: Answer,
    pointer: PointerState,
    navigation: Navigation,
    signs: KeySigns,
    focus: Option<WidgetId>,
    /// The text field whose text is scrolled to its caret.
    scrolled_field: Option<WidgetId>,
    /// The actions that are used while the pointer moves, and the corners between which it did, in physical pixels.
    drags: Vec<(StringId, [Vec2; 2])>,
    /// The widget that was focused last in each container.
    remembered: BTreeMap<WidgetId, WidgetId>,
    /// Whether the focus was moved last by keys or a gamepad, so that it is shown.
    is_focus_shown: bool,
    /// In milliseconds.
    now: f64,
    strings: StringTable,
    typed: usize,
    requests: Vec<Request>,
    reports: Reports,
    workspace: Workspace,
    serials: u32,
    bindings: Vec<Binding>,
    /// Whether it was reported that there are too many bindings.
    is_excess_reported: bool,
    /// The epoch and the cycle of the last events from the world.
    heard: (u32, u64),
    waiting: VecDeque<Waiting>,
}

/// What a player prefers about interfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preferences {
    /// The factor on the size of the interface.
    pub interface_scale: f32,
    /// The factor on the size of text.
    pub text_scale: f32,
    /// The share of the screen that is kept free at each edge.
    pub safe_area: f32,
}

impl Default for Preferences {
    fn default() -> Preferences {
        Preferences { interface_scale: 1.0, text_scale: 1.0, safe_area: 0.0 }
    }
}

/// What an update needs.
pub struct UpdateInput<'a> {
    /// The time since the last update, in seconds.
    pub seconds: f32,
    /// The number of the player in the world.
    pub player: u16,
    /// The frame that is shown; none: there is no world.
    pub frame: Option<&'a Frame>,
    /// The time since the frame, in seconds of the world.
    pub ahead: f32,
    /// The camera of the player.
    pub camera: Option<&'a CameraView>,
}

/// Something that is still to be done for an event.
enum Waiting {
    /// A message for a logic object.
    Message { open: u32, logic: u32, message: Message },
    /// An effect of a logic object.
    Effect { open: u32, logic: u32, requested: Requested },
}

impl Gui {
    /// No interface is open. `local_player` is the number of the player on this machine, from 0.
    pub fn new(local_player: u8) -> Gui {
        let window = Vec2::from_array(REFERENCE_SIZE);
        let mut gui = Gui { local_player, window, ..Gui::default() };
        // The name of a button that no tag names.
        let _ = gui.strings.add("button");
        gui
    }

    /// Opens an interface over those of its layer. One that is open stays as it is.
    pub fn open(&mut self, interface: StringId, around: &mut Surroundings<'_>) {
        self.open_with(interface, &[], around);
        self.settle(around);
    }

    /// Closes an interface, if it is open.
    pub fn close(&mut self, interface: StringId, around: &mut Surroundings<'_>) {
        self.close_now(interface, around);
        self.settle(around);
    }

    /// Whether an interface is open.
    pub fn is_open(&self, interface: StringId) -> bool {
        self.opens.iter().any(|open| open.tag == interface)
    }

    /// Switches to a stage of the game: interfaces that are not of it are hidden, and handle no events.
    pub fn set_stage(&mut self, stage: StringId) {
        self.stage = stage;
        self.forget_hidden();
    }

    /// The stage of the game.
    pub fn stage(&self) -> StringId {
        self.stage
    }

    /// The add-ons of the player: interfaces opened from now on have them.
    pub fn set_add_ons(&mut self, add_ons: &[StringId]) {
        self.add_ons = add_ons.to_vec();
    }

    /// What the player prefers.
    pub fn set_preferences(&mut self, preferences: Preferences) {
        if self.preferences != preferences {
            self.preferences = preferences;
            self.opens.iter_mut().for_each(|open| open.is_dirty = true);
        }
    }

    /// The settings, as the variable `settings` of interfaces.
    pub fn set_settings(&mut self, settings: Vec<(String, Answer)>) {
        let mut fields = Vec::with_capacity(settings.len());
        for (name, value) in settings {
            self.keep_words(&name);
            self.keep_answer(&value);
            fields.push((StringId::from(name.as_str()), value));
        }
        self.settings = Answer::Record(fields);
        let settings = self.settings.clone();
        (0..self.opens.len()).for_each(|place| {
            self.with_logics(place, |logic, context| logic.set_settings(&settings, context));
        });
    }

    /// The actions of the controls, as the variable `controls` of interfaces. See [`crate::prompt::actions`].
    pub fn set_controls(&mut self, controls: Answer) {
        self.keep_answer(&controls);
        ["action", "title", "inputs", "waits"].iter().for_each(|name| self.keep_words(name));
        self.controls = controls.clone();
        (0..self.opens.len()).for_each(|place| {
            self.with_logics(place, |logic, context| logic.set_controls(&controls, context));
        });
    }

    /// Keeps the words of an answer, so that they can be shown.
    fn keep_answer(&mut self, answer: &Answer) {
        match answer {
            Answer::Words(words) => self.keep_words(words),
            Answer::List(list) => list.iter().for_each(|part| self.keep_answer(part)),
            Answer::Record(fields) => fields.iter().for_each(|(_, part)| self.keep_answer(part)),
            _ => {}
        }
    }

    fn keep_words(&mut self, words: &str) {
        // Of two texts with one id the first is kept.
        let _ = self.strings.add(words);
    }

    /// The selected objects, as the variable `selection` of interfaces.
    pub fn set_selection(&mut self, objects: &[u32]) {
        self.selection = objects.to_vec();
        self.tell_player();
    }

    /// The selected objects.
    pub fn selection(&self) -> &[u32] {
        &self.selection
    }

    /// Builds interfaces whose tags have changed anew. Their variables and the state of their widgets are kept by name.
    pub fn reload(&mut self, changed: &[StringId], around: &mut Surroundings<'_>) {
        self.reports.forget();
        self.is_excess_reported = false;
        for place in 0..self.opens.len() {
            let is_concerned = self.opens[place].tree.logics.iter().any(|plan| changed.contains(&plan.tag));
            if !is_concerned {
                continue;
            }
            let tag = self.opens[place].tag;
            let tree = Tree::build(around.content, tag, &self.add_ons, &mut self.reports);
            let open = OpenInterface::new(around.content, tag, tree, &mut self.strings, &mut self.serials);
            let before = core::mem::replace(&mut self.opens[place], open);
            let serial = before.serial;
            self.start(place, &[]);
            self.with_open(place, 0, |open, context| open.inherit(before, context));
            self.waiting.retain(|waiting| !matches!(waiting, Waiting::Message { open, .. } if *open == serial));
        }
        self.tell_player();
        let (settings, controls) = (self.settings.clone(), self.controls.clone());
        for place in 0..self.opens.len() {
            self.with_logics(place, |logic, context| {
                logic.set_settings(&settings, context);
                logic.set_controls(&controls, context);
            });
        }
        self.forget_hidden();
        self.settle(around);
    }

    /// Looks all texts up again: the language has changed.
    pub fn refresh_texts(&mut self) {
        self.opens.iter_mut().for_each(|open| open.text_version = open.text_version.wrapping_add(1).max(1));
    }

    /// The factor from logical to physical pixels.
    pub fn scale(&self) -> f32 {
        let [width, height] = REFERENCE_SIZE;
        let fit = min(self.window.x / width, self.window.y / height);
        clamp(fit * self.preferences.interface_scale, SCALES.0, SCALES.1)
    }

    /// The size of the screen in logical pixels.
    pub fn screen(&self) -> Vec2 {
        self.window * (1.0 / self.scale())
    }

    /// The area of the screen in which interfaces are placed.
    pub fn area(&self) -> Rect {
        let screen = self.screen();
        let share = clamp(self.preferences.safe_area, 0.0, 0.2);
        inner(Rect { min: Vec2::new(0.0, 0.0), max: screen }, screen * share)
    }

    /// Handles a report of a device. Whether the interface has used it: then it is not the game's. Releases are to be handed to
    /// the game too, which ignores those of keys that it does not know as held.
    pub fn handle(&mut self, event: &DeviceEvent, around: &mut Surroundings<'_>) -> bool {
        let is_used = match event {
            DeviceEvent::Key { key, is_down, is_repeat } => self.key(*key, *is_down, *is_repeat, around),
            DeviceEvent::Text(text) => self.type_text(text),
            DeviceEvent::Composition { text, cursor } => self.compose(text, *cursor),
            DeviceEvent::PointerMoved { x, y } => self.pointer_moved(Vec2::new(*x, *y), around),
            DeviceEvent::PointerLeft => {
                self.pointer.leave();
                false
            }
            DeviceEvent::MouseMotion { .. } => self.pointer.is_dragging(),
            DeviceEvent::MouseButton { button, is_down } => self.mouse_button(*button, *is_down, around),
            DeviceEvent::Wheel { y, .. } => self.wheel(*y),
            DeviceEvent::Touch { finger, phase, x, y } => self.touch(*finger, *phase, Vec2::new(*x, *y), around),
            DeviceEvent::PadButton { button, is_down, .. } => self.pad_button(*button, *is_down, around),
            DeviceEvent::PadAxis { axis, value, .. } => self.pad_axis(*axis, *value, around),
            DeviceEvent::Access { node, action } => self.perform_access(*node, action, around),
            DeviceEvent::KeySign { .. } | DeviceEvent::PadConnected { .. } | DeviceEvent::CloseRequested => false,
            DeviceEvent::PadDisconnected { .. } => {
                self.navigation.release();
                false
            }
            DeviceEvent::Resized { width, height, .. } => {
                self.resize(*width, *height);
                false
            }
            DeviceEvent::Focus(has_focus) => {
                if !has_focus {
                    self.navigation.release();
                    self.pointer.release();
                    self.compose("", None);
                }
                false
            }
        };
        self.settle(around);
        is_used
    }

    /// The window has this size, in physical pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        let window = Vec2::new(max(width as f32, 1.0), max(height as f32, 1.0));
        if self.window != window {
            self.window = window;
            self.opens.iter_mut().for_each(|open| open.is_dirty = true);
        }
    }

    /// Takes the world's answer to a binding. One that is not asked any more is ignored.
    pub fn answer(&mut self, id: u64, answer: &Answer) {
        let _ = self.opens.iter_mut().any(|open| open.answer(id, answer));
    }

    /// Reports what the world found wrong in a binding.
    pub fn answer_fault(&mut self, id: u64, fault: &BindingFault) {
        if let Some(path) = self.opens.iter().find_map(|open| open.path_of_binding(id)) {
            self.reports.add(path, fault.line, fault.message.as_str());
        }
    }

    /// The values that only the world knows, as the last update found them.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// Moves on in time: events of the world, timers, bindings, texts, layout and blends.
    pub fn update(&mut self, input: &UpdateInput<'_>, around: &mut Surroundings<'_>) {
        let seconds = if input.seconds.is_finite() { clamp(input.seconds, 0.0, 1.0) } else { 0.0 };
        self.now += f64::from(seconds) * 1000.0;
        if let Some(frame) = input.frame {
            self.hear(frame, input.player);
        }
        for place in 0..self.opens.len() {
            if self.opens[place].is_in(self.stage) {
                self.with_logics(place, |logic, context| logic.tick(context));
            }
        }
        self.settle(around);
        self.repeat_navigation(seconds, around);
        self.settle(around);
        self.place_markers(input);
        self.show(around);
        self.lay_out(around);
        self.follow_caret(around);
        self.follow_pointer();
        self.blend(seconds);
    }

    /// What is printed on the keys: shortcuts for text go by it.
    pub fn set_signs(&mut self, signs: &KeySigns) {
        self.signs = signs.clone();
    }

    /// The actions of the controls that are used now, each with the place where the pointer was when it was pressed and where it is
    /// now, in physical pixels: what drag boxes show.
    pub fn set_drags(&mut self, drags: &[(StringId, [Vec2; 2])]) {
        self.drags.clear();
        self.drags.extend(drags.iter().filter(|(_, corners)| corners.iter().all(|corner| corner.is_finite())));
    }

    /// The box of an action, in logical pixels; none while it is not dragged.
    pub fn drag_box(&self, action: StringId) -> Option<Rect> {
        let (_, corners) = self.drags.iter().find(|(known, _)| *known == action)?;
        let [from, to] = corners.map(|corner| corner * (1.0 / self.scale()));
        let far = from.distance(to) >= DRAG_DISTANCE;
        far.then(|| Rect { min: from.min(to), max: from.max(to) })
    }

    /// What leaves the interface.
    pub fn take_requests(&mut self) -> Vec<Request> {
        core::mem::take(&mut self.requests)
    }

    /// What is wrong in tags and scripts; each is reported once.
    pub fn take_reports(&mut self) -> Vec<GuiReport> {
        self.reports.take()
    }

    /// Draws all interfaces. The canvas is emptied first.
    pub fn draw(&self, canvas: &mut Canvas, around: &mut Surroundings<'_>) {
        drawing::draw(self, canvas, around);
    }

    /// The cursor that is to be shown.
    pub fn cursor(&self) -> CursorName {
        let Some((open, number)) = self.pointer.hovered().and_then(|widget| self.resolve(widget)) else {
            return CursorName::Arrow;
        };
        let node = &open.nodes[number as usize];
        match (node.definition.cursor, node.definition.kind) {
            (CursorName::Automatic, WidgetKind::TextInput) => CursorName::Text,
            (CursorName::Automatic, _) if !node.state.is_enabled => CursorName::Arrow,
            (CursorName::Automatic, _) if node.definition.is_interactive() => CursorName::Hand,
            (CursorName::Automatic, _) => CursorName::Arrow,
            (cursor, _) => cursor,
        }
    }

    /// The rectangle of the text field that has the focus, in physical pixels: where an input method shows its candidates. None:
    /// no text is expected.
    pub fn text_area(&self) -> Option<Rect> {
        let (open, number) = self.focused_input()?;
        let (place, scale) = (open.layout.rect(number), self.scale());
        Some(Rect { min: place.min * scale, max: place.max * scale })
    }

    /// Whether the pointer is over an interface, and not over the world.
    pub fn has_pointer(&self) -> bool {
        self.pointer.hovered().is_some() || self.pointer.is_dragging() || self.modal().is_some()
    }

    /// Whether an interface wants to be pointed at: a menu, a modal panel, a text field with the focus.
    pub fn wants_pointer(&self) -> bool {
        self.has_keys() || self.modal().is_some()
    }

    /// Whether keys and gamepads belong to an interface.
    pub fn has_keys(&self) -> bool {
        self.key_interface().is_some() || self.focused_input().is_some()
    }

    /// The rectangle of a widget that is visible, in logical pixels, by the name of the widget and the path of its interface.
    pub fn rect_of(&self, interface: StringId, widget: &str) -> Option<Rect> {
        let open = self.opens.iter().find(|open| open.tag == interface)?;
        let number = (0..open.logics.len() as u32).find_map(|logic| open.named(logic, StringId::from(widget)))?;
        open.nodes[number as usize].state.is_visible.then(|| open.layout.rect(number))
    }

    /// All widgets that are visible, with their names, rectangles and texts, in the order in which they are drawn: for tests and
    /// for assistive technology.
    pub fn visible(&self) -> Vec<(String, Rect, String)> {
        let shown = self.opens.iter().filter(|open| open.is_in(self.stage));
        let mut found = Vec::new();
        for open in shown {
            let nodes = open.nodes.iter().enumerate().filter(|(_, node)| node.state.is_visible);
            found.extend(nodes.map(|(number, node)| {
                let name = self.strings.text(node.definition.name).unwrap_or("").to_string();
                let text = match node.definition.kind {
                    WidgetKind::TextInput => node.state.edit.text().to_string(),
                    _ => node.state.text.clone(),
                };
                (name, open.layout.rects[number], text)
            }));
        }
        found
    }

    /// The name of the widget that has the focus; empty if none has.
    pub fn focused(&self) -> String {
        let found = self.focus.and_then(|widget| self.resolve(widget));
        let name = found.and_then(|(open, number)| self.strings.text(open.nodes[number as usize].definition.name));
        name.unwrap_or("").to_string()
    }

    /// The variable of an open interface's logic, for tests and panels.
    pub fn variable(&self, interface: StringId, name: &str) -> Answer {
        let open = self.opens.iter().find(|open| open.tag == interface);
        open.and_then(|open| open.logics.first()).map_or(Answer::Nothing, |logic| logic.get(name))
    }

    /// Sends a message to the logic of all interfaces that are shown: an action of the player, a result of the program.
    pub fn send(&mut self, name: StringId, arguments: &[Answer], around: &mut Surroundings<'_>) {
        arguments.iter().for_each(|argument| self.keep_answer(argument));
        self.broadcast(&message(name, Value::NOTHING, arguments));
        self.settle(around);
    }

    /// The text of an id that an interface has named.
    pub fn text_of(&self, id: StringId) -> Option<&str> {
        self.strings.text(id)
    }

    /// Whether an interface that is shown has a handler of a message.
    pub fn hears(&self, message: StringId) -> bool {
        let shown = self.opens.iter().filter(|open| open.is_in(self.stage));
        shown.flat_map(|open| &open.logics).any(|logic| logic.hears(message))
    }

    /// Keeps a text that a player typed, so that scripts and requests can name it.
    pub(crate) fn keep_typed(&mut self, text: &str) -> StringId {
        let id = StringId::from(text);
        if self.strings.text(id).is_none() && self.typed < TYPED_MAX {
            self.typed += 1;
            // Of two texts with one id the first is kept.
            let _ = self.strings.add(text);
        }
        id
    }

    fn request(&mut self, request: Request) {
        if self.requests.len() < REQUESTS_MAX {
            self.requests.push(request);
        } else {
            self.reports.add("", 0, "an interface makes more requests than are taken; the rest is dropped");
        }
    }

    fn open_with(&mut self, interface: StringId, values: &[(StringId, Answer)], around: &mut Surroundings<'_>) {
        if self.is_open(interface) {
            return;
        }
        if self.opens.len() >= OPEN_MAX {
            return self.reports.add(
                "",
                0,
                alloc::format!("at most {OPEN_MAX} interfaces are open; no further one is opened"),
            );
        }
        let tree = Tree::build(around.content, interface, &self.add_ons, &mut self.reports);
        if tree.logics.is_empty() {
            return;
        }
        let open = OpenInterface::new(around.content, interface, tree, &mut self.strings, &mut self.serials);
        let place = self.opens.partition_point(|other| other.layer <= open.layer);
        self.opens.insert(place, open);
        self.start(place, values);
        self.tell_player();
        let (settings, controls) = (self.settings.clone(), self.controls.clone());
        self.with_logics(place, |logic, context| {
            logic.set_settings(&settings, context);
            logic.set_controls(&controls, context);
        });
        self.queue_to_open(place, StringId::new("Open"), &[]);
        self.show(around);
        self.lay_out(around);
        self.focus_first(place);
    }

    fn close_now(&mut self, interface: StringId, around: &mut Surroundings<'_>) {
        let Some(place) = self.opens.iter().position(|open| open.tag == interface) else { return };
        self.queue_to_open(place, StringId::new("Close"), &[]);
        self.settle(around);
        // Its handler may have closed others.
        self.opens.retain(|open| open.tag != interface);
        self.forget_hidden();
    }

    /// The interface and the node of a widget.
    fn resolve(&self, widget: WidgetId) -> Option<(&OpenInterface, u32)> {
        let open = self.opens.iter().find(|open| open.serial == widget.open)?;
        Some((open, open.find(widget.key)?))
    }

    fn place_of(&self, serial: u32) -> Option<usize> {
        self.opens.iter().position(|open| open.serial == serial)
    }

    fn id(&self, place: usize, number: u32) -> WidgetId {
        let open = &self.opens[place];
        WidgetId { open: open.serial, key: open.nodes[number as usize].key }
    }

    /// Forgets the pointer and the focus of what is not shown any more.
    fn forget_hidden(&mut self) {
        let is_shown = |gui: &Gui, widget: WidgetId| {
            let found = gui.resolve(widget);
            found.is_some_and(|(open, number)| open.is_in(gui.stage) && open.nodes[number as usize].state.is_visible)
        };
        if self.focus.is_some_and(|widget| !is_shown(self, widget)) {
            self.focus = None;
        }
        let stale: Vec<WidgetId> = self.remembered.keys().copied().filter(|it| self.resolve(*it).is_none()).collect();
        for widget in stale {
            self.remembered.remove(&widget);
        }
        if self.pointer.pressed().is_some_and(|widget| !is_shown(self, widget)) {
            self.pointer.release();
        }
    }

    /// Starts the logic of an interface.
    fn start(&mut self, place: usize, values: &[(StringId, Answer)]) {
        for number in 0..self.opens[place].logics.len() {
            self.with_open(place, number as u32, |open, context| open.start(number, values, context));
        }
    }

    /// Does something with an interface on behalf of one of its logic objects.
    fn with_open<T>(
        &mut self,
        place: usize,
        number: u32,
        work: impl FnOnce(&mut OpenInterface, &mut LogicContext<'_>) -> T,
    ) -> T {
        let mut requested = Vec::new();
        let mut context = LogicContext {
            workspace: &mut self.workspace,
            reports: &mut self.reports,
            requested: &mut requested,
            now: self.now,
        };
        let open = &mut self.opens[place];
        let result = work(open, &mut context);
        let serial = open.serial;
        self.queue_effects(serial, number, requested);
        result
    }

    fn with_logics(&mut self, place: usize, mut work: impl FnMut(&mut crate::logic::Logic, &mut LogicContext<'_>)) {
        for number in 0..self.opens[place].logics.len() as u32 {
            self.with_logic(place, number, &mut work);
        }
    }

    fn with_logic<T>(
        &mut self,
        place: usize,
        number: u32,
        work: impl FnOnce(&mut crate::logic::Logic, &mut LogicContext<'_>) -> T,
    ) -> Option<T> {
        let mut requested = Vec::new();
        let mut context = LogicContext {
            workspace: &mut self.workspace,
            reports: &mut self.reports,
            requested: &mut requested,
            now: self.now,
        };
        let open = self.opens.get_mut(place)?;
        let result = work(open.logics.get_mut(number as usize)?, &mut context);
        let serial = open.serial;
        self.queue_effects(serial, number, requested);
        Some(result)
    }

    /// Calls a lambda of a widget.
    fn call(&mut self, place: usize, number: u32, function: u32, arguments: &[Answer]) {
        let open = &self.opens[place];
        let logic = open.nodes[number as usize].logic;
        let about = open.about(number);
        let (object, item) = (about.object, about.item.map(|(item, index)| (item.clone(), index)));
        self.with_logic(place, logic, |logic, context| {
            let item = item.as_ref().map(|(item, index)| (item, *index));
            logic.call(function, arguments, About { object, item }, context)
        });
    }

    fn queue_effects(&mut self, open: u32, logic: u32, requested: Vec<Requested>) {
        self.waiting.extend(requested.into_iter().map(|requested| Waiting::Effect { open, logic, requested }));
    }

    fn queue_to_open(&mut self, place: usize, name: StringId, arguments: &[Answer]) {
        let open = self.opens[place].serial;
        for logic in 0..self.opens[place].logics.len() as u32 {
            let message = message(name, Value::NOTHING, arguments);
            self.waiting.push_back(Waiting::Message { open, logic, message });
        }
    }

    fn broadcast(&mut self, message: &Message) {
        for place in 0..self.opens.len() {
            let open = &self.opens[place];
            if open.is_in(self.stage) {
                let serial = open.serial;
                for logic in 0..open.logics.len() as u32 {
                    self.waiting.push_back(Waiting::Message { open: serial, logic, message: *message });
                }
            }
        }
    }
}
