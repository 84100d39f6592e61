//! What a window calls back: one frame after the other.

use std::sync::Arc;

use base::{StringId, Vec2, Vec3};
use gui::classes::interface::CursorName;
use gui::{Answer, Request, Settings};
use host::clock::Clock;
use host::gamepad::{Gamepads, MappingTable};
use host::window::{Flow, MonitorChoice, PointerKind, PointerMode, TextArea, Window, WindowClient};
use relay::access::AccessTree;
use relay::device::{DeviceEvent, Key};
use render::RenderError;
use sound::{HeardScene, MixerSettings, Output, OutputKind};
use view::{Canvas, RunningSound};

use crate::bindings::{BindingReader, bindings};
use crate::bulk_reader::BulkReader;
use crate::extractor::Latest;
use crate::film::Moment;
use crate::local_players::{InterfaceUpdate, LocalPlayers};
use crate::notices::{self, Notices};
use crate::presenter::{PictureInput, Presenter, ViewPreferences, Viewpoint, bulk_of, scene_of};
use crate::publication::Publication;
use crate::runner::{Command, Commander, NotAccepted, Runner};
use crate::screenshot;
use crate::viewpoint::FreeCamera;

use super::flying::Flying;
use super::help::{self, PANELS_KEY};
use super::keys::{KeyAction, action_of};
use super::overlay_source::{OverlayInput, OverlaySource};
use super::screen::Screen;
use super::words::{Asked, WordArguments, asked};
use super::{Tell, WindowOptions};

/// The longest time that one frame accounts for, in seconds: after a stall, cameras do not jump.
const FRAME_SECONDS_MAX: f32 = 0.25;

/// How long a sound of an interface is heard at most, in seconds of machine time, and how many at once.
const INTERFACE_SECONDS: f64 = 20.0;
const INTERFACE_SOUNDS_MAX: usize = 64;

/// The time between two looks at the player's settings, in seconds of machine time.
const SETTINGS_SECONDS: f32 = 1.0;

/// The most pictures of one cycle.
const PICTURES_MAX: u32 = 1000;

/// The brush cycles of a second, for the keys that go a second back or on.
const SECOND: u64 = 100;

/// The state of a window.
pub struct Client<'a> {
    options: &'a WindowOptions,
    tell: Tell<'a>,
    commander: Commander,
    latest: Latest,
    clock: Clock,
    presenter: Presenter,
    screen: Option<Screen>,
    failure: Option<RenderError>,
    sound: Option<Output>,
    pads: Gamepads,
    overlay: Option<Box<dyn OverlaySource>>,
    bulk: Option<BulkReader>,
    events: Vec<DeviceEvent>,
    players: LocalPlayers,
    notices: Notices,
    bindings: BindingReader,
    /// The sounds of interfaces, with the machine time since each began, in seconds.
    interface_sounds: Vec<(f64, RunningSound)>,
    flying: Flying,
    /// The viewpoint before the free camera.
    before_flight: Option<Viewpoint>,
    last_nanos: Option<u64>,
    frame_seconds: f32,
    has_shift: bool,
    cursor: Option<CursorName>,
    /// Whether the pointer is held and hidden, so that the mouse only moves things.
    is_pointer_held: bool,
    /// Counts the sounds of interfaces.
    serial: u64,
    is_help_shown: bool,
    is_menu_open: bool,
    /// Whether time stands still because the menu is open.
    is_paused_by_menu: bool,
    is_screenshot_wanted: bool,
    is_over: bool,
    /// The text of the settings in force, and the time until it is read again, in seconds.
    settings_text: String,
    settings_due: f32,
    /// The size of the window that was asked for last.
    resolution: Option<[u32; 2]>,
    /// The monitor that the settings covered last; none: the window was an ordinary one for them.
    covered: Option<MonitorChoice>,
}

impl<'a> Client<'a> {
    /// The client of a window for a running world.
    pub fn new(
        runner: &Runner,
        options: &'a WindowOptions,
        overlay: Option<Box<dyn OverlaySource>>,
        tell: Tell<'a>,
    ) -> Result<Client<'a>, NotAccepted> {
        let latest = runner.watch()?;
        let (extractor, bindings) = bindings();
        runner.connect(extractor)?;
        let players = match &options.viewpoint {
            Viewpoint::Players(players) => players.clone(),
            _ => Vec::new(),
        };
        let settings_text = (options.read_settings)();
        let settings = read_settings(&settings_text, tell);
        let pads = Gamepads::open(gamepad_mappings(options, tell));
        let commander = runner.commander().ok_or(NotAccepted)?;
        let kind = if options.is_silent { OutputKind::Null } else { OutputKind::Device };
        let sound = Output::open(&kind, MixerSettings::default()).ok();
        Ok(Client {
            options,
            tell,
            commander,
            latest,
            clock: runner.clock(),
            presenter: Presenter::new(options.viewpoint.clone()),
            screen: None,
            failure: None,
            sound,
            pads,
            overlay,
            bulk: None,
            events: Vec::new(),
            players: LocalPlayers::new(&players, settings),
            notices: Notices::default(),
            bindings,
            interface_sounds: Vec::new(),
            flying: Flying::default(),
            before_flight: None,
            last_nanos: None,
            frame_seconds: 0.0,
            has_shift: false,
            cursor: None,
            is_pointer_held: false,
            serial: 0,
            is_help_shown: false,
            is_menu_open: false,
            is_paused_by_menu: false,
            is_screenshot_wanted: false,
            is_over: false,
            settings_text,
            settings_due: SETTINGS_SECONDS,
            resolution: None,
            covered: None,
        })
    }

    /// Why nothing could be drawn, if that ended the window.
    pub fn take_failure(&mut self) -> Option<RenderError> {
        self.failure.take()
    }

    fn send(&mut self, command: Command) {
        // A world that has ended, or is flooded, is seen by the next frame.
        let _ = self.commander.send(command);
    }

    fn handle_events(&mut self, window: &Window) {
        let mut events = std::mem::take(&mut self.events);
        self.pads.poll(&mut |event| events.push(event));
        for event in events.drain(..) {
            self.handle(&event, window);
        }
        self.events = events;
        let commands = self.overlay.as_mut().map(|overlay| overlay.take_commands()).unwrap_or_default();
        commands.into_iter().for_each(|command| self.send(command));
    }

    fn handle(&mut self, event: &DeviceEvent, window: &Window) {
        if matches!(event, DeviceEvent::CloseRequested) {
            self.is_over = true;
            return;
        }
        match event {
            DeviceEvent::Key { key: Key::LeftShift | Key::RightShift, is_down, .. } => self.has_shift = *is_down,
            DeviceEvent::PadConnected { name, .. } => self.say(&format!("gamepad: {name}"), false),
            DeviceEvent::PadDisconnected { .. } => self.say("a gamepad was disconnected", true),
            _ => {}
        }
        if self.overlay.as_mut().is_some_and(|overlay| overlay.handle(event)) {
            return;
        }
        if let DeviceEvent::Key { key, is_down: true, is_repeat } = event
            && let Some(action) = action_of(*key).filter(|action| *action != KeyAction::Menu)
        {
            let repeats = matches!(action, KeyAction::Back | KeyAction::Forward);
            if repeats || !is_repeat {
                self.act(action, window);
            }
            return;
        }
        if matches!(self.presenter.viewpoint, Viewpoint::Free(_)) && self.flying.handle(event) {
            return;
        }
        let (Some(publication), Some(screen)) = (self.latest.get(), &mut self.screen) else { return };
        self.players.handle(event, &publication.content, screen.renderer().text());
    }

    fn act(&mut self, action: KeyAction, window: &Window) {
        let status = self.latest.get().map(|seen| seen.status.clone()).unwrap_or_default();
        let step = if self.has_shift { SECOND } else { 1 };
        match action {
            // The game may use the key: the players' interfaces and controls see it first, and open the menu.
            KeyAction::Menu => {}
            KeyAction::Help => self.is_help_shown = !self.is_help_shown,
            KeyAction::Screenshot => self.is_screenshot_wanted = true,
            KeyAction::Pause => self.send(if status.is_paused { Command::Resume } else { Command::Pause }),
            KeyAction::Back => {
                self.send(Command::Pause);
                let cycle = status.cycle.saturating_sub(step).max(status.span.0);
                self.send(Command::Seek(Moment { take: Some(status.take), cycle: Some(cycle) }));
            }
            KeyAction::Forward => self.send(Command::Step(step as u32)),
            KeyAction::FreeCamera => self.toggle_flight(),
            KeyAction::NextViewpoint => self.next_viewpoint(status.players),
            KeyAction::TakeOver => {
                if let Some(player) = self.shown_player() {
                    self.send(Command::TakeOver(player));
                }
            }
            KeyAction::Fullscreen => {
                let covered = (!window.is_fullscreen()).then(|| monitor_of(self.players.settings()));
                window.set_fullscreen(covered.as_ref());
                // The settings say what the window does: the menu shows it, and the next game begins with it.
                self.players.set("fullscreen", &Answer::Truth(covered.is_some()));
                self.covered = covered;
            }
        }
    }

    fn toggle_flight(&mut self) {
        self.flying.release();
        if let Some(before) = self.before_flight.take() {
            self.presenter.viewpoint = before;
            return;
        }
        let Some(publication) = self.latest.get() else { return };
        let Some(view) = self.presenter.views().first() else { return };
        let free = FreeCamera::new(*view, &publication.frame);
        let before = std::mem::replace(&mut self.presenter.viewpoint, Viewpoint::Free(free));
        self.before_flight = Some(before);
    }

    fn next_viewpoint(&mut self, players: u16) {
        self.before_flight = None;
        let own = match &self.options.viewpoint {
            Viewpoint::Players(own) => own.as_slice(),
            _ => &[],
        };
        let next = self.presenter.viewpoint.next(own, players);
        let shown = if let Viewpoint::Players(shown) = &next { shown.clone() } else { Vec::new() };
        self.presenter.viewpoint = next;
        self.players.set_players(&shown);
    }

    /// The machine time since the last frame, in seconds.
    fn advance_clock(&mut self) -> u64 {
        let now = self.clock.now();
        let elapsed = now.saturating_sub(self.last_nanos.replace(now).unwrap_or(now)) as f64 / 1e9;
        self.frame_seconds = (elapsed as f32).min(FRAME_SECONDS_MAX);
        now
    }

    fn present(&mut self, publication: &Arc<Publication>, now: u64, window: &Window) {
        if let Viewpoint::Free(free) = &mut self.presenter.viewpoint {
            let flight = self.flying.take(self.frame_seconds);
            free.fly(&flight, publication.frame.up);
        }
        let is_same =
            |bulk: &BulkReader| publication.blocks.as_ref().is_some_and(|blocks| Arc::ptr_eq(blocks, bulk.blocks()));
        if !self.bulk.as_ref().is_some_and(is_same) {
            self.bulk = bulk_of(publication);
        }
        let (Some(bulk), Some(screen)) = (&self.bulk, &mut self.screen) else { return };
        let (size, scale) = (window.size(), window.scale());
        let scene = scene_of(publication, bulk, now);
        let aspect = size[0] as f32 / size[1].max(1) as f32;
        let cameras = self.players.cameras();
        self.presenter.advance(&scene, &PictureInput { seconds: self.frame_seconds, aspect, cameras });
        if let Some(answers) = self.bindings.take() {
            self.players.answer(answers);
        }
        let input = InterfaceUpdate {
            content: &publication.content,
            shown: self.presenter.shown(),
            meshes: self.presenter.meshes(),
            views: self.presenter.views(),
            seconds: self.frame_seconds,
            size,
        };
        self.players.update(&input, bulk, screen.renderer().text());
        let result = publication.status.result.as_deref();
        self.players.follow_ending(result, &publication.content, screen.renderer().text());
        for line in self.notices.follow(&publication.status) {
            (self.tell)(&line);
        }
        self.notices.advance(self.frame_seconds);
        let events = self.players.take_events(publication, &input, scene.ahead);
        self.bindings.want(self.players.bindings());
        let canvas = self.presenter.canvas();
        prepare(canvas, size, scale);
        self.players.draw(canvas, &publication.content, screen.renderer().text());
        if !self.players.is_menu_open() {
            notices::draw_badge(canvas, &publication.status);
        }
        self.notices.draw(canvas);
        if self.is_help_shown {
            let panels = self.overlay.as_ref().map(|_| PANELS_KEY);
            help::draw(canvas, panels, &self.players.keys());
        }
        if let Some(source) = &mut self.overlay {
            let overlay = source.overlay(&OverlayInput {
                status: &publication.status,
                content: &publication.content,
                frame: &publication.frame,
                size,
                scale,
                seconds: now as f64 / 1e9,
                frame_seconds: self.frame_seconds,
                passes: screen.renderer().pass_times(),
                pointed: self.players.pointed().object,
            });
            self.presenter.set_overlay(overlay);
        }
        let drawn = self.presenter.draw(&scene, size, screen.renderer());
        let shown = drawn.and_then(|()| screen.show());
        if let Some(sound) = &mut self.sound {
            let listeners = self.presenter.listeners(self.frame_seconds);
            // Interfaces live in machine time: their sounds go on while the world is paused, rewound or loaded.
            let now = self.presenter.shown().moment.seconds;
            self.interface_sounds.iter_mut().for_each(|(age, sound)| {
                *age += f64::from(self.frame_seconds);
                sound.started = now - *age;
            });
            self.interface_sounds.retain(|(age, _)| *age < INTERFACE_SECONDS);
            let interface: Vec<RunningSound> = self.interface_sounds.iter().map(|(_, sound)| *sound).collect();
            let walls = self.presenter.obstacles();
            let heard = HeardScene::new(self.presenter.shown(), &listeners, &publication.content, bulk);
            sound.hear(&HeardScene { interface: &interface, walls: Some(&walls), ..heard });
        }
        for (player, events) in events {
            self.send(Command::Deliver { player, events });
        }
        self.after_drawing(shown, window);
        self.fulfil_requests(publication, window);
        self.hold_pointer(publication, window);
        self.follow_pointer(window);
        self.take_screenshot(publication);
        self.tell_reports(publication);
    }

    fn after_drawing(&mut self, shown: Result<(), RenderError>, window: &Window) {
        match shown {
            // A lost device is opened again with the next picture, and the renderer says so. It keeps the settings, and what the overlay
            // told only once.
            Ok(()) | Err(RenderError::DeviceLost { .. }) => {}
            Err(RenderError::NoDevice { why }) if matches!(self.screen, Some(Screen::Gpu(_))) => {
                self.say(&format!("the graphics processor is gone: {why}"), true);
                self.open_screen(window);
                if let Some(overlay) = &mut self.overlay {
                    overlay.tell_again();
                }
            }
            // A window of no size is drawn when it has one again.
            Err(RenderError::Size { .. }) => {}
            Err(error) => {
                self.failure = Some(error);
                self.is_over = true;
            }
        }
    }

    /// Does what interfaces asked for.
    fn fulfil_requests(&mut self, publication: &Publication, window: &Window) {
        for (_, request) in self.players.take_requests() {
            match request {
                Request::Command { name, arguments } => self.command(&name, &arguments, publication, window),
                Request::Play(sound) => self.play(sound, publication),
                Request::Log(line) => (self.tell)(&line),
                // Events have left before, contexts were switched, and settings changed.
                Request::Event(_) | Request::Context { .. } | Request::Setting { .. } => {}
            }
        }
        if self.players.take_settings_change() {
            self.apply_settings(window);
            self.settings_text = self.players.settings().to_text();
            (self.options.keep_settings)(&self.settings_text);
        }
        self.follow_settings(window);
        self.follow_menu(publication);
    }

    /// Follows the player's file of settings while it is edited.
    fn follow_settings(&mut self, window: &Window) {
        self.settings_due -= self.frame_seconds;
        if self.settings_due > 0.0 {
            return;
        }
        self.settings_due = SETTINGS_SECONDS;
        let text = (self.options.read_settings)();
        // An editor may leave the file empty for a moment.
        if text.is_empty() || text == self.settings_text {
            return;
        }
        let settings = read_settings(&text, self.tell);
        self.settings_text = text;
        self.players.replace_settings(settings);
        self.apply_settings(window);
    }

    /// Time stands still while the menu is open.
    fn follow_menu(&mut self, publication: &Publication) {
        let is_open = self.players.is_menu_open();
        if std::mem::replace(&mut self.is_menu_open, is_open) == is_open {
            return;
        }
        if is_open {
            self.is_paused_by_menu = !publication.status.is_paused;
        }
        if self.is_paused_by_menu {
            self.send(if is_open { Command::Pause } else { Command::Resume });
        }
    }

    /// A command of an interface, as in `!Command("pause")`.
    fn command(&mut self, name: &str, arguments: &[Answer], publication: &Publication, window: &Window) {
        let first = arguments.first();
        let words = WordArguments {
            number: first.and_then(Answer::number),
            is_other: first.is_some_and(is_other),
            player: self.shown_player(),
        };
        let slot = format!("{}-{}.save", publication.status.game, slot_of(first));
        match asked(name, &words, &publication.status) {
            Some(Asked::World(commands)) => commands.into_iter().for_each(|command| self.send(command)),
            Some(Asked::Play(player)) => self.play_as(player, publication.status.players),
            Some(Asked::Save) => self.send(Command::Save(self.options.saves.join(slot))),
            Some(Asked::Load) => self.send(Command::Load(self.options.saves.join(slot))),
            Some(Asked::Screenshot) => self.act(KeyAction::Screenshot, window),
            Some(Asked::Fullscreen) => self.act(KeyAction::Fullscreen, window),
            Some(Asked::Menu) => {
                if let Some(screen) = &mut self.screen {
                    self.players.open_menu(&publication.content, screen.renderer().text());
                }
            }
            Some(Asked::Quit) => self.is_over = true,
            None => (self.tell)(&format!("an interface asked for the command \"{name}\", which does not exist")),
        }
    }

    /// The first player whose view is shown.
    fn shown_player(&self) -> Option<u16> {
        match &self.presenter.viewpoint {
            Viewpoint::Players(players) => players.first().copied(),
            _ => None,
        }
    }

    /// Plays on from what is shown as this player. The one that was shown before is left to a robot.
    fn play_as(&mut self, player: u16, players: u16) {
        let before = self.shown_player();
        self.send(Command::TakeOver(player));
        if player >= players || before == Some(player) {
            return;
        }
        if let Some(before) = before {
            self.send(Command::Leave(before));
        }
        self.before_flight = None;
        self.presenter.viewpoint = Viewpoint::Players(vec![player]);
        self.players.set_players(&[player]);
    }

    /// A sound of an interface is heard without a place.
    fn play(&mut self, sound: StringId, publication: &Publication) {
        let seconds = publication.frame.moment.seconds;
        self.serial += 1;
        let running = RunningSound {
            id: u64::MAX - self.serial,
            sound,
            object: 0,
            position: None,
            velocity: Vec3::ZERO,
            started: seconds,
            loops: false,
            seed: self.serial,
            volume: 1.0,
            pitch: 1.0,
        };
        if self.interface_sounds.len() < INTERFACE_SOUNDS_MAX {
            self.interface_sounds.push((0.0, running));
        }
    }

    fn apply_settings(&mut self, window: &Window) {
        let settings = self.players.settings();
        if let Some(sound) = &mut self.sound {
            for bus in ["master", "music", "effects", "speech", "interface"] {
                sound.director().set_volume(StringId::new(bus), settings.number(bus));
            }
        }
        let picture = settings.picture();
        self.presenter.preferences = ViewPreferences {
            fov: settings.number("fov").to_radians(),
            shake: settings.number("shake"),
            flash: settings.number("flash"),
            particles: picture.quality.particles(),
        };
        let covered = settings.is_on("fullscreen").then(|| monitor_of(settings));
        // Only if the setting is another one now: the command line may have asked for more.
        if self.covered != covered {
            window.set_fullscreen(covered.as_ref());
            self.covered = covered;
        }
        window.set_frames_per_second_max(settings.frames_per_second_max());
        if let Some(screen) = &mut self.screen {
            screen.set_waiting(settings.is_on("vsync"));
            screen.set_settings(picture);
        }
        // Asked for once: a window that the player resizes by hand keeps its size until the setting is another one.
        let wanted = settings.resolution();
        if !settings.is_on("fullscreen") && wanted != self.resolution {
            self.resolution = wanted;
            wanted.into_iter().for_each(|size| window.request_pixels(size));
        }
    }

    /// Holds the pointer while the mouse turns or moves something, unless it is needed for panels or a free camera.
    fn hold_pointer(&mut self, publication: &Publication, window: &Window) {
        let is_needed = self.overlay.as_ref().is_some_and(|overlay| overlay.wants_pointer());
        let is_player = matches!(self.presenter.viewpoint, Viewpoint::Players(_));
        let is_held = is_player && !is_needed && self.players.holds_pointer();
        if std::mem::replace(&mut self.is_pointer_held, is_held) == is_held {
            return;
        }
        window.set_pointer_mode(if is_held { PointerMode::Captured } else { PointerMode::Free });
        if let Some(screen) = self.screen.as_mut().filter(|_| is_held) {
            // It is over nothing any more.
            self.players.handle(&DeviceEvent::PointerLeft, &publication.content, screen.renderer().text());
        }
    }

    /// The look of the pointer, and where text is typed.
    fn follow_pointer(&mut self, window: &Window) {
        let Some(gui) = self.players.first() else { return };
        let (cursor, area) = (gui.cursor(), gui.text_area());
        let cursor = if self.is_pointer_held { CursorName::Hidden } else { cursor };
        if self.cursor != Some(cursor) {
            self.cursor = Some(cursor);
            window.set_pointer_visible(cursor != CursorName::Hidden);
            window.set_pointer_kind(match cursor {
                CursorName::Hand => PointerKind::Hand,
                CursorName::Text => PointerKind::Text,
                CursorName::Cross => PointerKind::Cross,
                CursorName::Move => PointerKind::Move,
                CursorName::Refused => PointerKind::Forbidden,
                CursorName::Busy => PointerKind::Busy,
                CursorName::Automatic | CursorName::Arrow | CursorName::Hidden => PointerKind::Arrow,
            });
        }
        let scale = window.scale();
        window.set_text_area(area.map(|area| TextArea {
            x: area.min.x / scale,
            y: area.min.y / scale,
            width: (area.max.x - area.min.x) / scale,
            height: (area.max.y - area.min.y) / scale,
        }));
    }

    fn take_screenshot(&mut self, publication: &Publication) {
        let Some(screen) = self.screen.as_mut().filter(|_| std::mem::take(&mut self.is_screenshot_wanted)) else {
            return;
        };
        let status = &publication.status;
        let name = format!("{}-{}-{:08}", status.game, status.level.replace('/', "-"), status.cycle);
        let numbered = |number: u32| match number {
            1 => self.options.screenshots.join(format!("{name}.png")),
            number => self.options.screenshots.join(format!("{name}-{number}.png")),
        };
        // Several pictures of one cycle are kept, as from a free camera.
        let Some(path) = (1..PICTURES_MAX).map(numbered).find(|path| !path.exists()) else { return };
        let pixels = screen.renderer().read_pixels();
        let written = pixels
            .map_err(|error| error.to_string())
            .and_then(|pixels| screenshot::write(&path, &pixels).map_err(|error| error.to_string()));
        let (line, is_fault) = match written {
            Ok(()) => (format!("picture: {}", path.display()), false),
            Err(error) => (error, true),
        };
        self.say(&line, is_fault);
    }

    /// Says a line on the screen and on the terminal.
    fn say(&mut self, line: &str, is_fault: bool) {
        self.notices.add(line, is_fault);
        (self.tell)(line);
    }

    fn tell_reports(&mut self, publication: &Publication) {
        let mut reports = self.screen.as_mut().map(|screen| screen.renderer().take_reports()).unwrap_or_default();
        reports.extend(self.sound.as_mut().map(Output::take_reports).unwrap_or_default());
        reports.extend(self.pads.take_reports());
        reports.extend(self.players.take_reports());
        reports.extend(self.presenter.take_reports(&publication.content));
        reports.iter().for_each(|report| self.say(report, true));
    }

    fn open_screen(&mut self, window: &Window) {
        // The old one first: two surfaces of one window are refused by some systems.
        self.screen = None;
        match Screen::open(window, (self.options.renderer, &self.options.gpu), self.tell) {
            Ok(mut screen) => {
                screen.set_settings(self.players.settings().picture());
                screen.set_waiting(self.players.settings().is_on("vsync"));
                self.screen = Some(screen);
            }
            Err(error) => {
                self.failure = Some(error);
                self.is_over = true;
            }
        }
    }

    fn flow(&self) -> Flow {
        if self.is_over || self.latest.is_ended() { Flow::Exit } else { Flow::Continue }
    }
}

impl WindowClient for Client<'_> {
    fn opened(&mut self, window: &Window) -> Flow {
        self.open_screen(window);
        self.players.set_monitors(window.monitors().into_iter().map(|monitor| monitor.name));
        self.apply_settings(window);
        self.flow()
    }

    fn event(&mut self, event: DeviceEvent) {
        self.events.push(event);
    }

    fn frame(&mut self, window: &Window) -> Flow {
        self.handle_events(window);
        self.latest.update();
        let now = self.advance_clock();
        if let Some(publication) = self.latest.get().cloned() {
            self.present(&publication, now, window);
        }
        self.flow()
    }

    fn hidden(&mut self, window: &Window) -> Flow {
        self.handle_events(window);
        self.latest.update();
        self.advance_clock();
        self.flow()
    }

    fn access_tree(&mut self) -> AccessTree {
        let (Some(publication), Some(screen)) = (self.latest.get(), &mut self.screen) else {
            return AccessTree::empty();
        };
        self.players.access_tree(&publication.content, screen.renderer().text())
    }

    fn closed(&mut self) {
        self.screen = None;
    }
}

/// The settings of a text; what is wrong in it is told.
fn read_settings(text: &str, tell: Tell<'_>) -> Settings {
    if text.is_empty() {
        return Settings::default();
    }
    let (settings, reports) = Settings::from_text(text);
    for report in reports {
        let line = text.get(..report.span.start as usize).unwrap_or(text).matches('\n').count() + 1;
        tell(&format!("the player's settings, line {line}: {}", report.message));
    }
    settings
}

/// The mappings of odd gamepads and of joysticks, from the player's file.
fn gamepad_mappings(options: &WindowOptions, tell: Tell<'_>) -> MappingTable {
    let mut table = MappingTable::default();
    for error in table.add(&(options.read_gamepads)()) {
        tell(&format!("the player's gamepads, {error}"));
    }
    table
}

/// The monitor that is covered while the window fills a screen.
fn monitor_of(settings: &Settings) -> MonitorChoice {
    match settings.word("monitor") {
        "" => MonitorChoice::Current,
        "primary" => MonitorChoice::Primary,
        // People count from 1.
        name => name
            .parse::<usize>()
            .map_or(MonitorChoice::Named(name.to_string()), |number| MonitorChoice::Number(number.saturating_sub(1))),
    }
}

/// Whether it is the word for the next player.
fn is_other(argument: &Answer) -> bool {
    match argument {
        Answer::String(name) => *name == StringId::new("other"),
        Answer::Words(words) => words == "other",
        _ => false,
    }
}

/// The name of a save, as an interface gives it: letters, digits and `-` of a text, or a number.
fn slot_of(argument: Option<&Answer>) -> String {
    let text = match argument {
        Some(Answer::Words(words)) => words.clone(),
        Some(other) => other.number().map_or(String::new(), |number| format!("{number}")),
        None => String::new(),
    };
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
    let plain: String = text.replace(' ', "-").chars().filter(is_plain).take(40).collect();
    if plain.is_empty() { String::from("quick") } else { plain }
}

/// Empties the canvas for a picture of this size.
fn prepare(canvas: &mut Canvas, size: [u32; 2], scale: f32) {
    canvas.clear();
    canvas.scale = scale;
    canvas.size = Vec2::new(size[0] as f32 / scale, size[1] as f32 / scale);
}
