//! The event loop of winit, and the one place where its callbacks arrive.

use std::time::{Duration, Instant};

use relay::device::DeviceEvent;
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::error::EventLoopError;
use winit::event::{DeviceEvent as RawEvent, DeviceId, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::window::{Fullscreen, WindowId};

use super::assistance::Assistance;
use super::handle::{choose, clean_title};
use super::pace::{Beat, Pace};
use super::translation::Translation;
use super::{Flow, Window, WindowClient, WindowError, WindowSettings};
use crate::limits::{HIDDEN_BEAT, WINDOW_SIDE_MAX};

pub(super) fn run(settings: &WindowSettings, client: &mut dyn WindowClient) -> Result<(), WindowError> {
    let event_loop = open_loop()?;
    let mut desktop = Desktop {
        settings,
        client,
        window: None,
        assistance: None,
        translation: Translation::default(),
        pace: Pace::default(),
        opened: Instant::now(),
        visibility: Visibility::default(),
        told: None,
        failure: None,
    };
    let outcome = event_loop.run_app(&mut desktop);
    match desktop.failure {
        Some(failure) => Err(failure),
        None => outcome.map_err(|error| failure("running the window", &error)),
    }
}

fn open_loop() -> Result<EventLoop<()>, WindowError> {
    let mut builder = EventLoop::builder();
    #[cfg(all(unix, not(target_vendor = "apple")))]
    {
        use winit::platform::wayland::EventLoopBuilderExtWayland;
        use winit::platform::x11::EventLoopBuilderExtX11;
        // Otherwise winit panics outside of the main thread.
        EventLoopBuilderExtX11::with_any_thread(&mut builder, true);
        EventLoopBuilderExtWayland::with_any_thread(&mut builder, true);
    }
    builder.build().map_err(|error| match error {
        EventLoopError::RecreationAttempt => WindowError::SecondWindow,
        error => failure("connecting to the desktop", &error),
    })
}

fn failure(doing: &'static str, error: &dyn std::fmt::Display) -> WindowError {
    WindowError::Desktop { doing, cause: error.to_string() }
}

struct Desktop<'a> {
    settings: &'a WindowSettings,
    client: &'a mut dyn WindowClient,
    window: Option<Window>,
    assistance: Option<Assistance>,
    translation: Translation,
    pace: Pace,
    opened: Instant,
    visibility: Visibility,
    /// The size and the scale that the client knows.
    told: Option<([u32; 2], f32)>,
    failure: Option<WindowError>,
}

#[derive(Default)]
struct Visibility {
    /// The first frame was presented.
    is_shown: bool,
    is_occluded: bool,
    is_minimised: bool,
    /// Asking whether a window is minimised is a round trip to the X server.
    asked: Option<Duration>,
}

impl ApplicationHandler for Desktop<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.window.is_none() && self.failure.is_none() {
            self.open(event_loop);
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, report: WindowEvent) {
        let Some(window) = self.window.clone() else { return };
        if let Some(assistance) = &mut self.assistance {
            assistance.follow(window.inner(), &report);
        }
        match &report {
            WindowEvent::RedrawRequested => return self.draw(event_loop, &window),
            WindowEvent::Occluded(is_occluded) => self.visibility.is_occluded = *is_occluded,
            WindowEvent::Focused(has_focus) => window.hold_pointer(*has_focus),
            WindowEvent::CursorEntered { .. } => window.hold_pointer(window.inner().has_focus()),
            // A captured pointer has no position.
            WindowEvent::CursorMoved { .. } if window.is_captured() => return,
            _ => {}
        }
        let scale = f64::from(window.scale());
        self.translation.translate(&report, scale, &mut |event| self.client.event(event));
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, report: RawEvent) {
        let Some(window) = &self.window else { return };
        if let RawEvent::MouseMotion { delta: (x, y) } = report
            && window.inner().has_focus()
        {
            let factor = window.motion_factor();
            let (x, y) = (x as f32 * factor, y as f32 * factor);
            if x.is_finite() && y.is_finite() {
                self.client.event(DeviceEvent::MouseMotion { x, y });
            }
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(window) = self.window.clone() else { return };
        if event_loop.exiting() {
            return;
        }
        if let Some(assistance) = &self.assistance {
            assistance.requests().for_each(|request| self.client.event(request));
        }
        if !self.visibility.is_shown {
            // Some systems send no request to redraw to an invisible window.
            self.draw(event_loop, &window);
        }
        let now = self.opened.elapsed();
        let is_hidden = self.is_hidden(&window, now);
        let until = match self.pace.next(now, is_hidden) {
            Beat::Ask => {
                window.request_redraw();
                now + HIDDEN_BEAT
            }
            Beat::Hidden => {
                let flow = self.client.hidden(&window);
                Desktop::obey(flow, event_loop);
                now + HIDDEN_BEAT
            }
            Beat::Wait(until) => until,
        };
        event_loop.set_control_flow(ControlFlow::WaitUntil(self.opened + until));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        if self.window.is_some() {
            self.client.closed();
            (self.assistance, self.window) = (None, None);
        }
    }
}

impl Desktop<'_> {
    fn open(&mut self, event_loop: &ActiveEventLoop) {
        let [width, height] = self.settings.size.map(|side| side.clamp(1, WINDOW_SIDE_MAX));
        let fullscreen = self.settings.fullscreen.as_ref().map(|choice| {
            Fullscreen::Borderless(choose(choice, event_loop.primary_monitor(), event_loop.available_monitors()))
        });
        let attributes = winit::window::Window::default_attributes()
            .with_title(clean_title(&self.settings.title))
            .with_inner_size(LogicalSize::new(width, height))
            .with_fullscreen(fullscreen)
            .with_visible(false);
        match event_loop.create_window(attributes) {
            Ok(window) => {
                self.assistance = Some(Assistance::new(event_loop, &window));
                let window = Window::of(window, self.settings.frames_per_second_max);
                self.window = Some(window.clone());
                let flow = self.client.opened(&window);
                Desktop::obey(flow, event_loop);
            }
            Err(error) => {
                self.failure = Some(failure("opening a window", &error));
                event_loop.exit();
            }
        }
    }

    fn draw(&mut self, event_loop: &ActiveEventLoop, window: &Window) {
        let now = self.opened.elapsed();
        let [width, height] = window.size();
        if event_loop.exiting()
            || width == 0
            || height == 0
            || (self.visibility.is_shown && self.is_hidden(window, now))
        {
            return;
        }
        self.tell_size(window);
        self.pace.frame(now, window.frames_per_second_max());
        let flow = self.client.frame(window);
        if let Some(assistance) = &mut self.assistance {
            assistance.tell(|| self.client.access_tree());
        }
        window.centre_pointer();
        if !self.visibility.is_shown {
            self.visibility.is_shown = true;
            window.inner().set_visible(true);
        }
        Desktop::obey(flow, event_loop);
    }

    /// Tells the client a new size or scale. Read from the window, because not every system reports it in time.
    fn tell_size(&mut self, window: &Window) {
        let now = (window.size(), window.scale());
        if self.told != Some(now) {
            self.told = Some(now);
            let ([width, height], scale) = now;
            self.client.event(DeviceEvent::Resized { width, height, scale });
        }
    }

    fn is_hidden(&mut self, window: &Window, now: Duration) -> bool {
        if self.visibility.asked.is_none_or(|asked| now >= asked + HIDDEN_BEAT) {
            self.visibility.asked = Some(now);
            self.visibility.is_minimised = window.inner().is_minimized() == Some(true);
        }
        self.visibility.is_occluded || self.visibility.is_minimised || window.size().contains(&0)
    }

    fn obey(flow: Flow, event_loop: &ActiveEventLoop) {
        if flow == Flow::Exit {
            event_loop.exit();
        }
    }
}
