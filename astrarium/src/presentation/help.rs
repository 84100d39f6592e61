//! The list of keys that F1 shows: those of the engine, and those of the game.

use base::{StringId, Vec2};
use view::{Canvas, CanvasItem, Rect, Rgba, TextStyle};

use super::keys::KEYS;

/// The key of the developer panels, which the overlay itself handles.
pub const PANELS_KEY: (&str, &str) = ("F12", "opens or closes the developer panels");

/// The keys of a game that are listed.
const OWN_MAX: usize = 24;

const LINE: f32 = 22.0;
const LETTER: f32 = 15.0;
/// Where the right column begins.
const COLUMN: f32 = 190.0;

/// Draws the list. `panels` is the key of the developer panels, if there are any; `own` are the actions of the game with their inputs; they come
/// first.
pub fn draw(canvas: &mut Canvas, panels: Option<(&str, &str)>, own: &[(String, String)]) {
    let rows = rows(panels, own);
    let longest = rows.iter().map(|(_, about)| about.chars().count()).max().unwrap_or(0);
    // About how wide the text is; a little more room does no harm.
    let width = COLUMN + longest as f32 * LETTER * 0.56 + 28.0;
    let corner = Vec2::splat(24.0);
    let rect = Rect { min: corner, max: corner + Vec2::new(width, LINE * rows.len() as f32 + 24.0) };
    let fill = Rgba { red: 10, green: 16, blue: 26, alpha: 220 };
    let border = Rgba { red: 60, green: 90, blue: 130, alpha: 255 };
    canvas.items.push(CanvasItem::Quad { rect, fill, border, border_width: 1.0, radius: 6.0 });
    let style = TextStyle { font: StringId::NONE, size: LETTER, align: 0.0, wraps: false };
    let bright = Rgba { red: 242, green: 165, blue: 65, alpha: 255 };
    let plain = Rgba { red: 205, green: 214, blue: 227, alpha: 255 };
    for (index, (key, about)) in rows.iter().enumerate() {
        let top = rect.min.y + 12.0 + LINE * index as f32;
        let place = |left: f32| Rect { min: Vec2::new(left, top), max: Vec2::new(rect.max.x, top + LINE) };
        canvas.text(place(rect.min.x + 14.0), key, style, bright);
        canvas.text(place(rect.min.x + COLUMN), about, style, plain);
    }
}

/// The rows: key and what it does.
fn rows(panels: Option<(&str, &str)>, own: &[(String, String)]) -> Vec<(String, String)> {
    let engine = KEYS.iter().map(|row| (spoken(row.key.name()), row.about.to_string()));
    let panels = panels.map(|(key, about)| (key.to_string(), about.to_string()));
    let own = own.iter().take(OWN_MAX).map(|(action, inputs)| (inputs.clone(), action.clone()));
    own.chain(engine).chain(panels).collect()
}

/// The name of a key as it is said: `print_screen` is Print Screen.
fn spoken(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    name.split('_').map(capital).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_the_panels_and_the_keys_of_the_game_and_fits_its_frame() {
        let found = rows(Some(PANELS_KEY), &[(String::from("Fly there"), String::from("Left mouse button"))]);
        let has = |key: &str, about: &str| found.iter().any(|row| row.0 == key && row.1.contains(about));
        assert!(has("F12", "developer panels") && has("Left mouse button", "Fly there") && has("F1", "list"));
        assert!(has("Print Screen", "picture"), "{found:?}");
        let mut canvas = Canvas::default();
        draw(&mut canvas, Some(PANELS_KEY), &[]);
        let Some(CanvasItem::Quad { rect, .. }) = canvas.items.first().copied() else { panic!("a frame comes first") };
        let longest = KEYS.iter().map(|row| row.about.len()).max().unwrap_or(0) as f32;
        assert!(rect.max.x - rect.min.x > COLUMN + longest * LETTER * 0.5);
    }
}
