//! The handle of an open window: size, pointer, text input, monitors.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use winit::dpi::{LogicalPosition, LogicalSize, PhysicalPosition, PhysicalSize};
use winit::monitor::MonitorHandle;
use winit::raw_window_handle::{
    DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, RawWindowHandle, WindowHandle,
};
use winit::window::{CursorGrabMode, CursorIcon, Fullscreen};

use crate::limits::{TITLE_BYTES_MAX, WINDOW_SIDE_MAX};

/// An open window. Clones are the same window; it is closed when the last one is dropped, and clones should not outlive
/// [`run`](super::run).
#[derive(Clone)]
pub struct Window {
    shared: Arc<WindowState>,
}

struct WindowState {
    window: winit::window::Window,
    /// 0: no limit.
    frames_per_second_max: AtomicU32,
    pointer: Mutex<Pointer>,
    text_area: Mutex<Option<TextArea>>,
}

/// What the pointer may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointerMode {
    /// It moves freely.
    #[default]
    Free,
    /// It stays within the window, where the system allows it.
    Confined,
    /// It does not move: only `MouseMotion` is reported. Where the system cannot hold it, it is put back after each frame.
    Captured,
}

/// What the pointer looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointerKind {
    /// The usual arrow.
    #[default]
    Arrow,
    /// A hand, over what can be pressed.
    Hand,
    /// A bar, over text.
    Text,
    /// A cross, for aiming.
    Cross,
    /// Something is being moved.
    Move,
    /// Something can be grabbed.
    Grab,
    /// Something is grabbed.
    Grabbing,
    /// An edge moves left and right.
    ResizeWidth,
    /// An edge moves up and down.
    ResizeHeight,
    /// A corner moves between top left and bottom right.
    ResizeFalling,
    /// A corner moves between bottom left and top right.
    ResizeRising,
    /// Something is not allowed.
    Forbidden,
    /// Something takes time.
    Busy,
}

/// Where text is being edited, in logical pixels from the top left corner: input methods show their lists beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextArea {
    /// From the left.
    pub x: f32,
    /// From the top.
    pub y: f32,
    /// The width.
    pub width: f32,
    /// The height.
    pub height: f32,
}

/// A monitor.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    /// Its name, as a person may choose it.
    pub name: String,
    /// Its size in physical pixels.
    pub size: [u32; 2],
    /// The place of its top left corner in physical pixels.
    pub position: [i32; 2],
    /// Physical pixels per logical pixel; a whole number on Wayland, where only a window knows its own scale.
    pub scale: f32,
    /// Its refresh rate in thousandths of a hertz, if known.
    pub refresh_millihertz: Option<u32>,
    /// Whether the system calls it the primary one.
    pub is_primary: bool,
}

/// Which monitor a window covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MonitorChoice {
    /// The one it is on.
    #[default]
    Current,
    /// The primary one.
    Primary,
    /// The one of this name; the current one if there is none.
    Named(String),
    /// The one at this place of the list; the current one if there is none.
    Number(usize),
}

/// What was asked of the pointer, and what the system does.
#[derive(Clone, Copy, Debug, Default)]
struct Pointer {
    mode: PointerMode,
    grip: Grip,
}

/// How the system holds the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Grip {
    #[default]
    None,
    Confined,
    Locked,
}

impl Window {
    pub(super) fn of(window: winit::window::Window, frames_per_second_max: Option<u32>) -> Window {
        let shared = WindowState {
            window,
            frames_per_second_max: AtomicU32::new(frames_per_second_max.unwrap_or(0)),
            pointer: Mutex::default(),
            text_area: Mutex::default(),
        };
        Window { shared: Arc::new(shared) }
    }

    pub(super) fn inner(&self) -> &winit::window::Window {
        &self.shared.window
    }

    /// The size of its contents in physical pixels. May be 0 while it is minimised.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        let size = self.inner().inner_size();
        [size.width.min(WINDOW_SIDE_MAX), size.height.min(WINDOW_SIDE_MAX)]
    }

    /// Physical pixels per logical pixel.
    #[must_use]
    pub fn scale(&self) -> f32 {
        let scale = self.inner().scale_factor() as f32;
        if scale.is_finite() { scale.clamp(0.1, 16.0) } else { 1.0 }
    }

    /// Asks for a size in logical pixels. The answer is a `Resized` event, or nothing if the desktop refuses.
    pub fn request_size(&self, size: [u32; 2]) {
        let [width, height] = size.map(|side| side.clamp(1, WINDOW_SIDE_MAX));
        // Some systems answer at once; the size is read before every frame anyway.
        let _ = self.inner().request_inner_size(LogicalSize::new(width, height));
    }

    /// The same in physical pixels.
    pub fn request_pixels(&self, size: [u32; 2]) {
        let [width, height] = size.map(|side| side.clamp(1, WINDOW_SIDE_MAX));
        let _ = self.inner().request_inner_size(PhysicalSize::new(width, height));
    }

    /// Asks for a frame even if none is due.
    pub fn request_redraw(&self) {
        self.inner().request_redraw();
    }

    /// Must be called just before a frame is presented: Wayland then lets frames through when they can be seen.
    pub fn about_to_present(&self) {
        self.inner().pre_present_notify();
    }

    /// The most frames per second; none: as many as presenting them lets through.
    pub fn set_frames_per_second_max(&self, frames: Option<u32>) {
        self.shared.frames_per_second_max.store(frames.unwrap_or(0), Ordering::Relaxed);
    }

    pub(super) fn frames_per_second_max(&self) -> Option<u32> {
        Some(self.shared.frames_per_second_max.load(Ordering::Relaxed)).filter(|frames| *frames > 0)
    }

    /// Sets the title.
    pub fn set_title(&self, title: &str) {
        self.inner().set_title(&clean_title(title));
    }

    /// The monitors, in the order of the system.
    #[must_use]
    pub fn monitors(&self) -> Vec<Monitor> {
        let primary = self.inner().primary_monitor();
        let describe = |monitor: MonitorHandle| Monitor {
            name: monitor.name().unwrap_or_default(),
            size: monitor.size().into(),
            position: monitor.position().into(),
            scale: monitor.scale_factor() as f32,
            refresh_millihertz: monitor.refresh_rate_millihertz(),
            is_primary: primary.as_ref() == Some(&monitor),
        };
        self.inner().available_monitors().map(describe).collect()
    }

    /// Covers a monitor, or becomes an ordinary window.
    pub fn set_fullscreen(&self, choice: Option<&MonitorChoice>) {
        let fullscreen = choice.map(|choice| Fullscreen::Borderless(self.chosen(choice)));
        self.inner().set_fullscreen(fullscreen);
    }

    /// Whether it covers a monitor.
    #[must_use]
    pub fn is_fullscreen(&self) -> bool {
        self.inner().fullscreen().is_some()
    }

    fn chosen(&self, choice: &MonitorChoice) -> Option<MonitorHandle> {
        choose(choice, self.inner().primary_monitor(), self.inner().available_monitors())
    }

    /// Says what the pointer may do. It is free while the window has no focus.
    pub fn set_pointer_mode(&self, mode: PointerMode) {
        if self.pointer().mode != mode {
            self.pointer().mode = mode;
            self.hold_pointer(self.inner().has_focus());
        }
    }

    /// Shows or hides the pointer.
    pub fn set_pointer_visible(&self, is_visible: bool) {
        self.inner().set_cursor_visible(is_visible);
    }

    /// Sets the look of the pointer.
    pub fn set_pointer_kind(&self, kind: PointerKind) {
        self.inner().set_cursor(match kind {
            PointerKind::Arrow => CursorIcon::Default,
            PointerKind::Hand => CursorIcon::Pointer,
            PointerKind::Text => CursorIcon::Text,
            PointerKind::Cross => CursorIcon::Crosshair,
            PointerKind::Move => CursorIcon::Move,
            PointerKind::Grab => CursorIcon::Grab,
            PointerKind::Grabbing => CursorIcon::Grabbing,
            PointerKind::ResizeWidth => CursorIcon::EwResize,
            PointerKind::ResizeHeight => CursorIcon::NsResize,
            PointerKind::ResizeFalling => CursorIcon::NwseResize,
            PointerKind::ResizeRising => CursorIcon::NeswResize,
            PointerKind::Forbidden => CursorIcon::NotAllowed,
            PointerKind::Busy => CursorIcon::Wait,
        });
    }

    /// Says where text is edited: input methods work there. None: no text field has focus, and keys are keys.
    pub fn set_text_area(&self, area: Option<TextArea>) {
        let mut current = lock(&self.shared.text_area);
        if *current == area {
            return;
        }
        if current.is_some() != area.is_some() {
            self.inner().set_ime_allowed(area.is_some());
        }
        if let Some(area) = area {
            let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
            let position = LogicalPosition::new(finite(area.x), finite(area.y));
            self.inner().set_ime_cursor_area(
                position,
                LogicalSize::new(finite(area.width).max(1.0), finite(area.height).max(1.0)),
            );
        }
        *current = area;
    }

    /// Holds or frees the pointer as asked. A system may refuse it at times (Wayland while the pointer is outside), so this is
    /// tried again when the pointer enters.
    pub(super) fn hold_pointer(&self, has_focus: bool) {
        let mut pointer = self.pointer();
        let wanted: &[(CursorGrabMode, Grip)] = match pointer.mode {
            _ if !has_focus => &[],
            PointerMode::Free => &[],
            PointerMode::Confined => &[(CursorGrabMode::Confined, Grip::Confined)],
            PointerMode::Captured => {
                &[(CursorGrabMode::Locked, Grip::Locked), (CursorGrabMode::Confined, Grip::Confined)]
            }
        };
        if wanted.is_empty() && pointer.grip == Grip::None {
            return;
        }
        let held = wanted.iter().find(|(mode, _)| self.inner().set_cursor_grab(*mode).is_ok());
        pointer.grip = held.map_or(Grip::None, |(_, grip)| *grip);
        if held.is_none() {
            // Freeing a pointer that is not held is refused by some systems.
            let _ = self.inner().set_cursor_grab(CursorGrabMode::None);
        }
    }

    /// Puts a captured pointer that the system cannot lock back to the middle.
    pub(super) fn centre_pointer(&self) {
        if self.is_captured() && self.pointer().grip != Grip::Locked && self.inner().has_focus() {
            let PhysicalSize { width, height } = self.inner().inner_size();
            // Systems that can neither lock nor move the pointer let it go on; motion is still reported.
            let _ = self.inner().set_cursor_position(PhysicalPosition::new(width / 2, height / 2));
        }
    }

    /// Whether only the motion of the pointer counts.
    pub(super) fn is_captured(&self) -> bool {
        self.pointer().mode == PointerMode::Captured
    }

    /// The factor of reported motion: X11 reports it twice while the pointer is confined (winit issue 2846).
    pub(super) fn motion_factor(&self) -> f32 {
        let is_x11 = self
            .inner()
            .window_handle()
            .is_ok_and(|handle| matches!(handle.as_raw(), RawWindowHandle::Xlib(_) | RawWindowHandle::Xcb(_)));
        if is_x11 && self.pointer().grip == Grip::Confined { 0.5 } else { 1.0 }
    }

    fn pointer(&self) -> MutexGuard<'_, Pointer> {
        lock(&self.shared.pointer)
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Window").field("size", &self.size()).field("scale", &self.scale()).finish()
    }
}

impl HasWindowHandle for Window {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        self.inner().window_handle()
    }
}

impl HasDisplayHandle for Window {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        self.inner().display_handle()
    }
}

/// The chosen one of these monitors; none: the current one.
pub(super) fn choose(
    choice: &MonitorChoice,
    primary: Option<MonitorHandle>,
    mut all: impl Iterator<Item = MonitorHandle>,
) -> Option<MonitorHandle> {
    match choice {
        MonitorChoice::Current => None,
        MonitorChoice::Primary => primary,
        MonitorChoice::Named(name) => all.find(|monitor| monitor.name().as_ref() == Some(name)),
        MonitorChoice::Number(number) => all.nth(*number),
    }
}

/// A title without control characters (a zero byte makes winit panic), and of a bounded length.
pub(super) fn clean_title(title: &str) -> String {
    let title = &title[..title.floor_char_boundary(TITLE_BYTES_MAX)];
    title.chars().filter(|letter| !letter.is_control()).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_no_control_characters_and_an_end() {
        assert_eq!(clean_title("a\0b\nc"), "abc");
        assert!(clean_title(&"ä".repeat(5000)).len() <= TITLE_BYTES_MAX);
    }

    #[test]
    fn windows_are_shared_between_threads() {
        fn shared<T: Send + Sync + Clone + 'static>() {}
        shared::<Window>();
    }
}
