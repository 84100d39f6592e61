//! Every limit of interfaces, in one place.

use script::machine::Limits;

/// The most widgets of one open interface, those of its templates and lists included.
pub const WIDGETS_MAX: usize = 1 << 16;
/// The greatest depth of widgets within widgets.
pub const DEPTH_MAX: u32 = 256;
/// The greatest depth of templates within templates.
pub const TEMPLATE_DEPTH_MAX: usize = 16;
/// The most logic objects of one open interface: itself, its add-ons and the templates it uses.
pub const LOGICS_MAX: usize = 4096;
/// The most interfaces that are open at a time.
pub const OPEN_MAX: usize = 64;
/// The most items that a list shows.
pub const ITEMS_MAX: usize = 4096;
/// The deepest nesting of a list in an answer.
pub const ANSWER_DEPTH_MAX: u32 = 4;
/// The most values of an answer.
pub const ANSWER_VALUES_MAX: usize = 8192;
/// The most values of the world that the interfaces of a player show: ten thousand widgets with six bindings each.
pub const BINDINGS_MAX: usize = 1 << 16;
/// The most requests that wait for the front door.
pub const REQUESTS_MAX: usize = 4096;
/// The most reports that wait for the front door.
pub const REPORTS_MAX: usize = 256;
/// The most messages that one message can lead to: a widget that answers itself does not stall a picture.
pub const MESSAGES_MAX: usize = 1024;
/// The most timers of a logic object that fire in one update.
pub const TIMERS_PER_UPDATE: usize = 8;
/// The longest text of an input field, in bytes.
pub const INPUT_BYTES_MAX: usize = 64 << 10;
/// The most texts that players typed and scripts know.
pub const TYPED_MAX: usize = 4096;
/// The most fingers that are followed.
pub const FINGERS_MAX: usize = 16;

/// The beginning of names in braces that are keys of actions: `{key_fire}`.
pub const PROMPT: &str = "key_";

/// The size for which interfaces are designed, in logical pixels.
pub const REFERENCE_SIZE: [f32; 2] = [1920.0, 1080.0];
/// The least and the greatest number of physical pixels per logical one.
pub const SCALES: (f32, f32) = (0.1, 16.0);
/// The greatest coordinate of a layout, in logical pixels: beyond it nothing is visible.
pub const COORDINATE_MAX: f32 = 1_000_000.0;

/// The delay before a held direction repeats, in seconds.
pub const REPEAT_DELAY: f32 = 0.4;
/// The time between two repetitions, in seconds.
pub const REPEAT_PERIOD: f32 = 0.08;
/// The time within which two directions count as a diagonal, in seconds.
pub const DIAGONAL_TIME: f32 = 0.05;
/// The deflection of a stick that counts as a direction.
pub const STICK_DIRECTION: f32 = 0.5;
/// The distance that the pointer moves before a press becomes a drag, in logical pixels.
pub const DRAG_DISTANCE: f32 = 4.0;
/// The way that one line of the wheel scrolls, in logical pixels.
pub const WHEEL_STEP: f32 = 48.0;

/// The most actions of a controls tag.
pub const ACTIONS_MAX: usize = 1024;
/// The most bindings of a controls tag.
pub const CONTROLS_MAX: usize = 4096;
/// The most actions that interfaces are told of.
pub const PROMPTED_MAX: usize = 200;
/// The most selected objects.
pub const SELECTED_MAX: usize = 1024;
/// The most local players of one machine.
pub const PLAYERS_MAX: usize = 8;
/// The most contexts on the stack of a mapper.
pub const CONTEXTS_MAX: usize = 32;
/// The most inputs of one binding.
pub const CHORD_MAX: usize = 8;
/// The most inputs that are held at a time.
pub const HELD_MAX: usize = 256;

/// The limits of one evaluation of interface logic.
pub const EVALUATION: Limits = Limits { fuel: 50_000, depth: 64, values: 16 * 1024, effects: 64 };

const _: () = assert!(DEPTH_MAX as usize <= WIDGETS_MAX && TEMPLATE_DEPTH_MAX < DEPTH_MAX as usize);
const _: () = assert!(LOGICS_MAX * OPEN_MAX <= 1 << 20, "the numbers of logic objects fit in a handle");
