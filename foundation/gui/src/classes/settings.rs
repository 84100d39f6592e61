//! The class `settings`: what a player prefers.

use base::{StringId, Truth, Vec2};
use tags::{Choice, Record, Series, Tag, Text};
use view::{ColourVision, Quality};

/// The settings of a player. The host keeps them in a file of the player.
#[derive(Tag)]
#[tag(class = "settings")]
#[repr(C)]
pub struct SettingsTag {
    /// The picture.
    pub picture: PictureRecord,
    /// The volumes of sound.
    pub sound: SoundRecord,
    /// The language of texts, as in `de` or `de-AT`. Empty: that of the system.
    pub language: Text,
    /// What is printed on the keys of the keyboard, where it differs from an American one, as in `y=z z=y`. It is learned when they are
    /// pressed.
    pub keyboard: Text,
    /// What makes the game easier to see, hear and use.
    pub access: AccessRecord,
    /// The bindings that replace those of the controls, for each action.
    pub keys: Series<KeyRow>,
    /// The add-ons of interfaces.
    pub add_ons: Series<AddOnRow>,
}

/// The picture.
#[derive(Record)]
#[repr(C)]
pub struct PictureRecord {
    /// The size of the window in physical pixels. 0: as it is opened. It waits while the window fills the screen.
    #[tag(unit = "px")]
    pub resolution: Vec2,
    /// Whether the window fills the screen.
    pub fullscreen: Truth,
    /// The monitor that the window fills: its name, its number from 1, or `primary`. Empty: the one that the window is on.
    pub monitor: Text,
    /// The most pictures in a second. 0: as many as the screen shows.
    #[tag(unit = "1/s", range(0, 1000))]
    pub frames_per_second: u32,
    /// Whether pictures wait for the screen.
    #[tag(default = true)]
    pub vsync: Truth,
    /// How much work goes into pictures.
    #[tag(default = "\"high\"")]
    pub quality: Choice<Quality>,
    /// The factor on the resolution in which the world is drawn.
    #[tag(range(0.25, 2), default = 1)]
    pub render_scale: f32,
    /// The angle of view from top to bottom. 0: as the camera says.
    #[tag(unit = "degrees", range(0, 150))]
    pub fov: f32,
    /// The brightness: the factor on all light of the world before the tone curve.
    #[tag(range(0.5, 2), default = 1)]
    pub brightness: f32,
}

/// The volumes of sound.
#[derive(Record)]
#[repr(C)]
pub struct SoundRecord {
    /// That of everything.
    #[tag(range(0, 1), default = 1)]
    pub master: f32,
    /// That of music.
    #[tag(range(0, 1), default = 0.8)]
    pub music: f32,
    /// That of effects.
    #[tag(range(0, 1), default = 1)]
    pub effects: f32,
    /// That of speech.
    #[tag(range(0, 1), default = 1)]
    pub speech: f32,
    /// That of the interface.
    #[tag(range(0, 1), default = 0.8)]
    pub interface: f32,
}

/// What makes the game easier to see, hear and use.
#[derive(Record)]
#[repr(C)]
pub struct AccessRecord {
    /// The factor on the size of the interface.
    #[tag(range(0.75, 2), default = 1)]
    pub interface_scale: f32,
    /// The factor on the size of text.
    #[tag(range(0.75, 2), default = 1)]
    pub text_scale: f32,
    /// The colours of the whole picture are changed for this kind of colour vision, so that what it cannot tell apart differs.
    #[tag(default = "\"usual\"")]
    pub colour_vision: Choice<ColourVision>,
    /// How much the camera shakes.
    #[tag(range(0, 1), default = 1)]
    pub shake: f32,
    /// How bright flashes are: the light of effects beyond white, and of their lamps. 0: explosions do not flash.
    #[tag(range(0, 1), default = 1)]
    pub flash: f32,
    /// Whether one press switches an action on and the next one off, where a game allows it, instead of holding.
    pub toggles: Truth,
    /// The share of the screen's width and height that is kept free at each edge.
    #[tag(range(0, 0.2))]
    pub safe_area: f32,
    /// The speed of the pointer and of looking around with the mouse.
    #[tag(range(0.05, 20), default = 1)]
    pub mouse_speed: f32,
    /// Whether looking up and down with the mouse is reversed.
    pub mouse_inverted: Truth,
}

/// The bindings that a player has chosen for an action.
#[derive(Record)]
#[repr(C)]
pub struct KeyRow {
    /// The action.
    #[tag(key)]
    pub action: StringId,
    /// The inputs, each as "key w", "mouse left", "pad south" or "axis left_x", with the keys held with it before a `+`: "key
    /// left_control + key s".
    pub inputs: Series<Text>,
}

/// An add-on of interfaces.
#[derive(Record)]
#[repr(C)]
pub struct AddOnRow {
    /// The path of its interface tag.
    #[tag(key)]
    pub interface: StringId,
    /// Whether it is used.
    #[tag(default = true)]
    pub used: Truth,
}
