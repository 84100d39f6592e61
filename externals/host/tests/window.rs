//! A real window on a virtual display (Xvfb), with synthetic input (XTEST). Each test runs in a process of its own, because a
//! process can run one window.
#![cfg(target_os = "linux")]

#[path = "../src/testing.rs"]
mod child_test;

use std::mem;
use std::process::Command;
use std::time::{Duration, Instant};

use host::window::{self, Flow, Painter, PointerMode, Window, WindowClient, WindowError, WindowSettings};
use relay::device::{DeviceEvent, Key, MouseButton};
use testing::display::{Person, Server, keys};

/// How long a test waits for what it expects.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn input_arrives_in_order() {
    on_a_display("input_arrives_in_order", |display| {
        let window = display.window;
        display.wait_for(|event| *event == DeviceEvent::Focus(true));
        display.events.clear();
        display.person.key(keys::A, true);
        display.person.key(keys::A, false);
        for button in [1, 4] {
            display.person.button(button, true);
            display.person.button(button, false);
        }
        display.wait_for(|event| matches!(event, DeviceEvent::Wheel { .. }));
        let is_input = |event: &&DeviceEvent| {
            !matches!(
                event,
                DeviceEvent::PointerMoved { .. } | DeviceEvent::MouseMotion { .. } | DeviceEvent::PointerLeft
            )
        };
        let got: Vec<DeviceEvent> = display.events.iter().filter(is_input).cloned().collect();
        let expected = [
            DeviceEvent::KeySign { key: Key::A, sign: 'a' },
            DeviceEvent::Key { key: Key::A, is_down: true, is_repeat: false },
            DeviceEvent::Text("a".into()),
            DeviceEvent::Key { key: Key::A, is_down: false, is_repeat: false },
            DeviceEvent::MouseButton { button: MouseButton::Left, is_down: true },
            DeviceEvent::MouseButton { button: MouseButton::Left, is_down: false },
            DeviceEvent::Wheel { x: -0.0, y: 1.0 },
        ];
        assert_eq!(got, expected);

        display.person.move_to(200, 150);
        display.wait_for(|event| *event == DeviceEvent::PointerMoved { x: 200.0, y: 150.0 });
        let root = display.person.root;
        display.person.focus(root);
        display.wait_for(|event| *event == DeviceEvent::Focus(false));
        assert_ne!(window, root);
    });
}

#[test]
fn a_captured_pointer_reports_its_motion_once_and_without_end() {
    on_a_display("a_captured_pointer_reports_its_motion_once_and_without_end", |display| {
        display.wait_for(|event| *event == DeviceEvent::Focus(true));
        let motion = |display: &mut Display| {
            display.events.clear();
            let mut sum = [0.0, 0.0];
            // Farther than the window is wide.
            for _ in 0..20 {
                display.person.move_by(40, -10);
                display.wait_for(|event| matches!(event, DeviceEvent::MouseMotion { .. }));
                // Between two orders the window has read what the server sent before the first.
                display.act(|_| {});
                display.act(|_| {});
                for event in mem::take(&mut display.events) {
                    match event {
                        DeviceEvent::MouseMotion { x, y } => sum = [sum[0] + x, sum[1] + y],
                        DeviceEvent::PointerMoved { .. } => panic!("a captured pointer has no position"),
                        _ => {}
                    }
                }
            }
            sum
        };
        display.act(|window| window.set_pointer_mode(PointerMode::Captured));
        display.frames(3);
        assert_eq!(motion(display), [800.0, -200.0]);
        display.act(|window| window.set_pointer_mode(PointerMode::Free));
        display.frames(3);
        display.person.move_to(10, 10);
        display.wait_for(|event| *event == DeviceEvent::PointerMoved { x: 10.0, y: 10.0 });
    });
}

#[test]
fn a_new_size_is_told_once_and_pictures_are_shown() {
    on_a_display("a_new_size_is_told_once_and_pictures_are_shown", |display| {
        display.frames(5);
        display.events.clear();
        display.act(|window| window.request_size([320, 200]));
        let resized = DeviceEvent::Resized { width: 320, height: 200, scale: 1.0 };
        display.wait_for(|event| *event == resized);
        display.frames(5);
        let sizes = display.events.iter().filter(|event| matches!(event, DeviceEvent::Resized { .. })).count();
        assert_eq!(sizes, 1);

        let (red, blue) = ([255, 0, 0, 255], [0, 0, 255, 255]);
        display.show(&[red, blue].concat(), [2, 1]);
        // The server may ask for the picture later than for the pixels.
        display.wait_until(|display| (display.pixel(5, 100), display.pixel(315, 100)) == (0xff_00_00, 0x00_00_ff));
        // A picture of the wrong size is refused, and the one before stays.
        display.show(&[7, 7, 7], [2, 1]);
        display.frames(2);
        display.wait_until(|display| display.pixel(5, 5) == 0xff_00_00);
        assert!(matches!(display.failures[..], [WindowError::PictureSize { expected: 8, found: 3 }]));
    });
}

#[test]
fn a_covered_window_has_beats_in_place_of_frames() {
    on_a_display("a_covered_window_has_beats_in_place_of_frames", |display| {
        display.frames(3);
        let cover = display.person.cover([800, 600]);
        display.wait_until(|display| display.hidden >= 2);
        let frames = display.count;
        display.wait_until(|display| display.hidden >= 5);
        assert_eq!(display.count, frames, "a hidden window draws nothing");
        display.person.uncover(cover);
        display.frames(3);
    });
}

#[test]
fn without_a_display_there_is_a_clear_error() {
    if !child_test::is_child() {
        let mut child = child_test::again("without_a_display_there_is_a_clear_error");
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            child.env_remove(name);
        }
        return succeed(&mut child);
    }
    let error = window::run(&WindowSettings::default(), &mut Absent).expect_err("there is no display");
    assert_eq!(error, WindowError::NoDisplay);
    assert!(error.to_string().contains("WAYLAND_DISPLAY"), "{error}");
}

#[test]
fn an_unreachable_display_is_a_clear_error() {
    if !child_test::is_child() {
        let mut child = child_test::again("an_unreachable_display_is_a_clear_error");
        child.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET").env("DISPLAY", ":4321");
        return succeed(&mut child);
    }
    let error = window::run(&WindowSettings::default(), &mut Absent).expect_err("nothing listens there");
    assert!(matches!(error, WindowError::Desktop { .. }), "{error}");
    let error = window::run(&WindowSettings::default(), &mut Absent).expect_err("it was tried before");
    assert_eq!(error, WindowError::SecondWindow);
}

/// A client that is never called.
struct Absent;

impl WindowClient for Absent {
    fn opened(&mut self, _: &Window) -> Flow {
        panic!("there is no window")
    }
    fn event(&mut self, _: DeviceEvent) {}
    fn frame(&mut self, _: &Window) -> Flow {
        Flow::Exit
    }
    fn hidden(&mut self, _: &Window) -> Flow {
        Flow::Exit
    }
    fn closed(&mut self) {}
}

/// Runs a story in a child process with a display of its own, and checks that closing the window ends it.
fn on_a_display(name: &str, story: fn(&mut Display)) {
    if child_test::is_child() {
        return tell(story);
    }
    let Some(server) = Server::start([800, 600]) else { return };
    let mut child = child_test::again(name);
    server.show(&mut child);
    succeed(&mut child);
}

fn succeed(child: &mut Command) {
    let output = child.output().expect("the test binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
}

/// Runs a story on a thread beside a window, and ends the window with it.
fn tell(story: fn(&mut Display)) {
    let (to_story, from_window) = std::sync::mpsc::channel();
    let (to_window, from_story) = std::sync::mpsc::channel();
    let teller = std::thread::spawn(move || {
        let Ok(Report::Opened(window)) = from_window.recv() else { panic!("the window opens first") };
        let mut display = Display::open(window, from_window, to_window);
        story(&mut display);
        display.close();
    });
    let mut client =
        Reporter { reports: to_story, orders: from_story, painter: None, picture: None, ends: false, is_closed: false };
    let settings = WindowSettings { size: [400, 300], frames_per_second_max: Some(200), ..WindowSettings::default() };
    window::run(&settings, &mut client).expect("there is a display");
    assert!(client.is_closed);
    drop(client);
    teller.join().expect("the story ends well");
    let error = window::run(&settings, &mut Absent).expect_err("a process runs one window");
    assert_eq!(error, WindowError::SecondWindow);
}

/// What the window tells the story.
enum Report {
    Opened(u32),
    Event(DeviceEvent),
    Frame,
    Hidden,
    Failure(WindowError),
    /// An order was carried out.
    Obeyed,
}

/// What the story asks of the window.
enum Order {
    Act(fn(&Window)),
    Show(Vec<u8>, [u32; 2]),
}

/// The client of the window: passes everything on.
struct Reporter {
    reports: std::sync::mpsc::Sender<Report>,
    orders: std::sync::mpsc::Receiver<Order>,
    painter: Option<Painter>,
    /// Shown in every frame, as a renderer would: the server may clear what was shown before.
    picture: Option<(Vec<u8>, [u32; 2])>,
    ends: bool,
    is_closed: bool,
}

impl Reporter {
    fn report(&mut self, report: Report) {
        // A story that has failed hears nothing more.
        self.ends |= self.reports.send(report).is_err();
    }

    fn flow(&self) -> Flow {
        if self.ends { Flow::Exit } else { Flow::Continue }
    }
}

impl WindowClient for Reporter {
    fn opened(&mut self, window: &Window) -> Flow {
        use host::window::raw_window_handle::{HasWindowHandle, RawWindowHandle};
        let id = match window.window_handle().expect("it is open").as_raw() {
            RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).expect("ids have 32 bits"),
            other => panic!("not a window of X11: {other:?}"),
        };
        assert_eq!(window.monitors().len(), 1);
        self.report(Report::Opened(id));
        self.flow()
    }

    fn event(&mut self, event: DeviceEvent) {
        self.ends |= event == DeviceEvent::CloseRequested;
        self.report(Report::Event(event));
    }

    fn frame(&mut self, window: &Window) -> Flow {
        for order in self.orders.try_iter().collect::<Vec<_>>() {
            match order {
                Order::Act(act) => act(window),
                Order::Show(picture, size) => {
                    let painter = self.painter.get_or_insert_with(|| Painter::new(window).expect("X11 shows pictures"));
                    match painter.show(&picture, size) {
                        Ok(()) => self.picture = Some((picture, size)),
                        Err(failure) => self.report(Report::Failure(failure)),
                    }
                }
            }
            self.report(Report::Obeyed);
        }
        if let (Some(painter), Some((picture, size))) = (&mut self.painter, &self.picture) {
            painter.show(picture, *size).expect("it was shown before");
        }
        self.report(Report::Frame);
        self.flow()
    }

    fn hidden(&mut self, _: &Window) -> Flow {
        self.report(Report::Hidden);
        self.flow()
    }

    fn closed(&mut self) {
        self.painter = None;
        self.is_closed = true;
    }
}

/// The side of the story: a person at the display, and what the window has reported.
struct Display {
    person: Person,
    window: u32,
    reports: std::sync::mpsc::Receiver<Report>,
    orders: std::sync::mpsc::Sender<Order>,
    events: Vec<DeviceEvent>,
    failures: Vec<WindowError>,
    count: usize,
    hidden: usize,
    obeyed: usize,
}

impl Display {
    fn open(
        window: u32,
        reports: std::sync::mpsc::Receiver<Report>,
        orders: std::sync::mpsc::Sender<Order>,
    ) -> Display {
        let (events, failures) = (Vec::new(), Vec::new());
        let person = Person::at(None);
        let mut display = Display { person, window, reports, orders, events, failures, count: 0, hidden: 0, obeyed: 0 };
        display.frames(1);
        // The window is shown after its first frame. There is no window manager, which would give it the focus.
        display.wait_until(|display| display.person.is_visible(display.window));
        assert!(matches!(display.events[..], [DeviceEvent::Resized { width: 400, height: 300, .. }, ..]));
        display.person.move_to(100, 100);
        display.person.focus(window);
        display
    }

    fn step(&mut self) {
        match self.reports.recv_timeout(PATIENCE).expect("the window runs") {
            Report::Opened(_) => panic!("it was open already"),
            Report::Event(event) => self.events.push(event),
            Report::Frame => self.count += 1,
            Report::Hidden => self.hidden += 1,
            Report::Failure(failure) => self.failures.push(failure),
            Report::Obeyed => self.obeyed += 1,
        }
    }

    fn wait_until(&mut self, is_done: impl Fn(&Display) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_done(self) {
            assert!(Instant::now() < end, "it does not happen: {:?}", self.events);
            self.step();
        }
    }

    fn wait_for(&mut self, is_it: impl Fn(&DeviceEvent) -> bool) {
        self.wait_until(|display| display.events.iter().any(&is_it));
    }

    fn frames(&mut self, more: usize) {
        let until = self.count + more;
        self.wait_until(|display| display.count >= until);
    }

    fn act(&mut self, act: fn(&Window)) {
        self.order(Order::Act(act));
    }

    fn show(&mut self, picture: &[u8], size: [u32; 2]) {
        self.order(Order::Show(picture.to_vec(), size));
    }

    /// Gives an order, and waits until it is carried out: frames that are reported before may be older than it.
    fn order(&mut self, order: Order) {
        let before = self.obeyed;
        self.orders.send(order).expect("the window runs");
        self.wait_until(|display| display.obeyed > before);
    }

    fn pixel(&self, x: i16, y: i16) -> u32 {
        self.person.pixel(self.window, x, y)
    }

    /// Asks the window to close, as the button of a title bar does.
    fn close(&mut self) {
        self.person.close(self.window);
        self.wait_for(|event| *event == DeviceEvent::CloseRequested);
    }
}
