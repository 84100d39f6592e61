//! A stage for interfaces: tags from texts, a font in which every character is as wide as half its height, and no window.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::Arc;

use base::{StringId, Vec2};
use gui::answer::Answer;
use gui::gui::{Gui, UpdateInput};
use gui::outgoing::Request;
use gui::surroundings::{Surroundings, TextParameter, Texts};
use relay::device::{DeviceEvent, Key, MouseButton, PadButton};
use tags::library::Ready;
use tags::{Classes, Key as TagKey, Library, TagPath};
use view::{CameraView, Canvas, Frame, Rect, TextMeasure, TextStyle};

/// Every character is half as wide as the font is high.
pub struct Typewriter;

impl TextMeasure for Typewriter {
    fn measure(&mut self, text: &str, style: &TextStyle, width: f32) -> Vec2 {
        let letter = style.size * 0.5;
        let most = if width.is_finite() { ((width / letter) as usize).max(1) } else { usize::MAX };
        let (mut lines, mut widest) = (0, 0);
        for line in text.split('\n') {
            let count = line.chars().count().max(1);
            lines += count.div_ceil(most);
            widest = widest.max(line.chars().count().min(most));
        }
        Vec2::new(widest as f32 * letter, lines as f32 * style.size)
    }

    fn caret(&mut self, text: &str, style: &TextStyle, _: f32, byte: usize) -> (Vec2, f32) {
        let before = text.get(..byte).map_or(0, |before| before.chars().count());
        (Vec2::new(before as f32 * style.size * 0.5, 0.0), style.size)
    }

    fn byte_at(&mut self, text: &str, style: &TextStyle, _: f32, point: Vec2) -> usize {
        let letter = base::number::max(point.x / (style.size * 0.5) + 0.5, 0.0) as usize;
        text.char_indices().nth(letter).map_or(text.len(), |(byte, _)| byte)
    }
}

/// German, of which two texts are known.
pub struct German;

impl Texts for German {
    fn text(&self, id: StringId, parameters: &[(String, TextParameter)]) -> Option<String> {
        if id == StringId::new("menu.play") {
            return Some("Spielen".into());
        }
        let hit = || match parameters.first() {
            Some((name, TextParameter::Number(number))) => format!("{name}: {number} Treffer"),
            _ => "?".into(),
        };
        (id == StringId::new("ship.hit")).then(hit)
    }
}

/// A query, as worlds have: for bindings that ask.
pub static QUERIES: &[script::query::Query] = &[script::query::Query::new(
    "count_objects",
    "count_objects(record?) number",
    1,
    "The number of objects.",
    ("count_objects()", "0"),
)];

pub fn classes() -> Classes {
    gui::classes::add_to(view::classes::add_to(Classes::new().with_queries(QUERIES)))
}

/// Tags from texts; with reports about them.
pub fn content(tags: &[(&str, &str)]) -> (Library, Vec<String>) {
    let classes = Arc::new(classes());
    let mut library = Library::with_classes(classes.clone());
    let mut reports = Vec::new();
    library.apply(tags.iter().map(|(path, text)| ready(&classes, path, text, &mut reports)));
    (library, reports)
}

pub fn ready(classes: &Classes, path: &str, text: &str, reports: &mut Vec<String>) -> Ready {
    let class = path.rsplit('.').next().expect("a path has an extension");
    let made = classes.get(class).expect("the class exists").pack_text(text);
    reports.extend(made.reports.iter().map(|report| format!("{path}: {}", report.message)));
    let mut key = [0; 32];
    key[..8].copy_from_slice(&base::hash::hash(text.as_bytes()).to_le_bytes());
    Ready { path: TagPath::new(path).expect("it is a path"), key: TagKey(key), packed: Arc::new(made.packed) }
}

pub struct Stage {
    pub gui: Gui,
    pub content: Library,
    pub clipboard: String,
    pub player: u16,
    pub frame: Option<Frame>,
    pub camera: Option<CameraView>,
}

pub const MAIN: &str = "main.interface";

impl Stage {
    /// A stage with these tags, which have no mistakes, and the interface `main.interface` open.
    pub fn new(tags: &[(&str, &str)]) -> Stage {
        let (content, reports) = content(tags);
        assert_eq!(reports, [] as [String; 0]);
        Stage::with(content)
    }

    pub fn with(content: Library) -> Stage {
        let mut stage =
            Stage { gui: Gui::new(0), content, clipboard: String::new(), player: 0, frame: None, camera: None };
        stage.work(|gui, around| gui.open(StringId::new(MAIN), around));
        stage.update(0.0);
        stage
    }

    /// A stage whose main interface has these widgets.
    pub fn of(widgets: &str) -> Stage {
        Stage::new(&[(MAIN, &format!("@interface\n!set widgets [{widgets}]\n"))])
    }

    pub fn work<T>(&mut self, work: impl FnOnce(&mut Gui, &mut Surroundings<'_>) -> T) -> T {
        let mut around = Surroundings {
            content: &self.content,
            measure: &mut Typewriter,
            texts: &German,
            clipboard: &mut self.clipboard,
        };
        work(&mut self.gui, &mut around)
    }

    pub fn update(&mut self, seconds: f32) {
        let (frame, camera, player) = (self.frame.take(), self.camera, self.player);
        self.work(|gui, around| {
            let input = UpdateInput { seconds, player, frame: frame.as_ref(), ahead: 0.0, camera: camera.as_ref() };
            gui.update(&input, around);
        });
        self.frame = frame;
    }

    pub fn event(&mut self, event: DeviceEvent) -> bool {
        let is_used = self.work(|gui, around| gui.handle(&event, around));
        self.update(0.01);
        is_used
    }

    pub fn key(&mut self, key: Key) -> bool {
        let is_used = self.event(DeviceEvent::Key { key, is_down: true, is_repeat: false });
        self.event(DeviceEvent::Key { key, is_down: false, is_repeat: false });
        // A second direction at once would be a diagonal.
        self.update(0.1);
        is_used
    }

    pub fn pad(&mut self, button: PadButton) -> bool {
        let is_used = self.event(DeviceEvent::PadButton { pad: 0, button, is_down: true });
        self.event(DeviceEvent::PadButton { pad: 0, button, is_down: false });
        self.update(0.1);
        is_used
    }

    pub fn move_to(&mut self, x: f32, y: f32) -> bool {
        self.event(DeviceEvent::PointerMoved { x, y })
    }

    pub fn button(&mut self, is_down: bool) -> bool {
        self.event(DeviceEvent::MouseButton { button: MouseButton::Left, is_down })
    }

    pub fn click(&mut self, x: f32, y: f32) -> bool {
        self.move_to(x, y);
        let is_used = self.button(true);
        self.button(false);
        is_used
    }

    pub fn click_on(&mut self, name: &str) -> bool {
        let area = self.rect(name).unwrap_or_else(|| panic!("{name} is visible"));
        self.click((area.min.x + area.max.x) * 0.5, (area.min.y + area.max.y) * 0.5)
    }

    pub fn rect(&self, name: &str) -> Option<Rect> {
        self.gui.visible().into_iter().find(|(known, ..)| known == name).map(|(_, rect, _)| rect)
    }

    pub fn text(&self, name: &str) -> Option<String> {
        self.gui.visible().into_iter().find(|(known, ..)| known == name).map(|(.., text)| text)
    }

    /// All visible widgets as `name x y width height`.
    pub fn shown(&self) -> String {
        let rows = self.gui.visible().into_iter().map(|(name, rect, _)| {
            let (min, max) = (rect.min, rect.max);
            format!("{name} {} {} {} {}", min.x, min.y, max.x - min.x, max.y - min.y)
        });
        rows.collect::<Vec<String>>().join("\n")
    }

    pub fn requests(&mut self) -> Vec<Request> {
        self.gui.take_requests()
    }

    /// The names of the events that were sent, with their fields.
    pub fn events(&mut self) -> Vec<(StringId, Vec<Answer>)> {
        let events = self.requests().into_iter().filter_map(|request| match request {
            Request::Event(event) => Some((event.name, event.fields.into_iter().map(|(_, value)| value).collect())),
            _ => None,
        });
        events.collect()
    }

    pub fn reports(&mut self) -> Vec<String> {
        self.gui.take_reports().iter().map(ToString::to_string).collect()
    }

    pub fn variable(&self, name: &str) -> Answer {
        self.gui.variable(StringId::new(MAIN), name)
    }

    pub fn draw(&mut self) -> Canvas {
        let mut canvas = Canvas::default();
        self.work(|gui, around| gui.draw(&mut canvas, around));
        canvas
    }
}

pub fn id(text: &str) -> StringId {
    StringId::from(text)
}
