//! The records of looks: colours, borders, fonts, and how they differ by state.

use base::{StringId, Truth, Vec2, Vec4};
use tags::{Choice, Colour, Maybe, Names, Record, Reference};
use view::classes::{Bitmap, Font};

/// How a widget looks. A field that is not given is taken from the style, and then from the kind of the widget.
#[derive(Record)]
#[repr(C)]
pub struct LookRecord {
    /// The colour that fills it.
    pub fill: Maybe<Colour>,
    /// The colour of text, of images and of the filled part of bars.
    pub colour: Maybe<Colour>,
    /// The colour of the border.
    pub border: Maybe<Colour>,
    /// The width of the border.
    #[tag(unit = "px", range(0, 1000))]
    pub border_width: Maybe<f32>,
    /// The radius of the corners.
    #[tag(unit = "px", range(0, 10000))]
    pub radius: Maybe<f32>,
    /// The font of text.
    pub font: Reference<Font>,
    /// The size of text.
    #[tag(unit = "px", range(1, 1000))]
    pub font_size: Maybe<f32>,
    /// Where lines of text lie in their width.
    pub text_align: Maybe<Choice<TextAlign>>,
    /// The image.
    pub bitmap: Reference<Bitmap>,
    /// The part of the image that is shown: left, top, right, bottom from 0 to 1.
    pub part: Maybe<Vec4>,
    /// The opacity of everything in it.
    #[tag(range(0, 1))]
    pub opacity: Maybe<f32>,
    /// By how much it is shifted, without moving its neighbours.
    #[tag(unit = "px")]
    pub shift: Maybe<Vec2>,
}

/// Where lines of text lie in their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum TextAlign {
    /// At the left.
    Left,
    /// In the middle.
    #[tag(former("center"))]
    Centre,
    /// At the right.
    Right,
}

/// A look with a name, which several widgets share.
#[derive(Record)]
#[repr(C)]
pub struct StyleRow {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The look.
    pub look: LookRecord,
    /// The looks in certain states.
    pub states: tags::Series<StateRow>,
}

/// How a look differs in a state.
#[derive(Record)]
#[repr(C)]
pub struct StateRow {
    /// The state.
    #[tag(key, default = "\"normal\"")]
    pub state: Choice<StateName>,
    /// What differs.
    pub look: LookRecord,
    /// Whether the change to this state takes no time.
    pub at_once: Truth,
}

/// A state of a widget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Names)]
pub enum StateName {
    /// None of the others.
    #[default]
    Normal,
    /// The pointer is over it.
    Hovered,
    /// It is held down, or a toggle is on.
    Pressed,
    /// It has the focus of keys and gamepads.
    Focused,
    /// It cannot be used.
    Disabled,
}
