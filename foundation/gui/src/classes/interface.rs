//! The class `interface`: a tree of widgets and its logic.

use base::{StringId, Truth, Vec2, Vec3};
use tags::{Choice, Lambda, Maybe, Names, OwnHandle, OwnValue, Record, Reference, Series, Tag, Text};

use super::look::{LookRecord, StateRow, StyleRow};

/// An interface: a tree of widgets, and the logic behind it. Its lambdas are evaluated over its own variables: the names that
/// the tag sets. Events from the world call its `OnName`. Statements such as `!EventHandler(~this, "guiclick", [ … ])` are
/// run when it is opened.
#[derive(Tag)]
#[tag(class = "interface", open)]
#[repr(C)]
pub struct Interface {
    /// Its widgets. Later ones lie over earlier ones.
    pub widgets: Series<WidgetRecord>,
    /// Looks that several widgets share. Interfaces that use this one know them too.
    pub styles: Series<StyleRow>,
    /// Other interfaces whose widgets and logic are added to it: parts and add-ons. Their widgets may name this interface's
    /// widgets as parents.
    #[tag(name = "use")]
    pub add_ons: Series<Reference<Interface>>,
    /// Of an add-on that a player lists in the settings: the interface it is added to. None: each that is open.
    pub extends: Reference<Interface>,
    /// The stages of the game in which it is shown and handles events. Empty: all.
    pub stages: Series<StringId>,
    /// Where it lies among open interfaces: higher ones lie over lower ones.
    #[tag(range(-1000, 1000))]
    pub layer: i32,
    /// Whether keys and gamepads move the focus in it, as in menus. If not, they are the game's.
    pub keys: Truth,
    /// The widget that is focused when it is opened. None: the first that can be.
    pub first_focus: StringId,
    /// How many values the lists, records, timers and handlers of its logic can hold.
    #[tag(unit = "values", range(0, 4096), default = 256)]
    pub storage: u32,
    /// The object of the player who sees it.
    #[tag(state)]
    pub player: OwnHandle,
    /// The object that a widget is about: that of its `bind.object`, or of the nearest widget around it that has one.
    #[tag(state)]
    pub object: OwnHandle,
    /// The selected objects, a list.
    #[tag(state)]
    pub selection: OwnValue,
    /// The player's settings, a record.
    #[tag(state)]
    pub settings: OwnValue,
    /// The actions of the controls, a list of `{ action, title, inputs, waits }`: the name, the name for people, the keys and
    /// buttons, and whether the next key that is pressed becomes its binding.
    #[tag(state)]
    pub controls: OwnValue,
    /// In the pattern of a list: the item.
    #[tag(state)]
    pub item: OwnValue,
    /// In the pattern of a list: the index of the item, from 0.
    #[tag(state)]
    pub index: OwnValue,
    /// Called when it is opened.
    #[tag(name = "OnOpen")]
    pub on_open: Lambda,
    /// Called when it is closed.
    #[tag(name = "OnClose")]
    pub on_close: Lambda,
    /// Called with the name and the arguments of a message for which there is no `OnName`.
    #[tag(name = "OnMessage")]
    pub on_message: Lambda,
}

/// A button with its own logic, as a template for widgets. Without widgets of its own it is one button.
#[derive(Tag)]
#[tag(class = "guibutton")]
#[repr(C)]
pub struct GuiButton {
    #[tag(base)]
    interface: Interface,
    /// The text of the button, if it has no widgets of its own.
    pub caption: StringId,
}

/// One widget.
#[derive(Record)]
#[repr(C)]
pub struct WidgetRecord {
    /// Its name, by which scripts, other widgets and imports know it.
    #[tag(key)]
    pub name: StringId,
    /// What it is.
    #[tag(default = "\"panel\"")]
    pub kind: Choice<WidgetKind>,
    /// The widget it lies in. None: the one around it in the text, or the screen.
    pub parent: StringId,
    /// The point of it that is placed.
    #[tag(default = "\"top_left\"")]
    pub anchor: Choice<AnchorName>,
    /// The same as a share of its size: `vec(0.5, 1)` is the middle of its lower edge.
    pub anchor_at: Maybe<Vec2>,
    /// The widget beside which it is placed. None: its parent.
    pub reference: StringId,
    /// The point of the reference at which it is placed. None: the same as `anchor`.
    pub reference_anchor: Maybe<Choice<AnchorName>>,
    /// The same as a share of the reference's size.
    pub reference_at: Maybe<Vec2>,
    /// The way from the reference point to its own: to the right and down.
    #[tag(unit = "px")]
    pub offset: Vec2,
    /// Its width and height. 0: as its content needs.
    #[tag(unit = "px")]
    pub size: Vec2,
    /// Its width and height as a share of the reference's. 0: `size` says.
    pub share: Vec2,
    /// The area of the reference that it fills, in place of anchors and sizes.
    pub between: Maybe<BetweenRecord>,
    /// The least width and height.
    #[tag(unit = "px")]
    pub size_min: Vec2,
    /// The greatest width and height. 0: no limit.
    #[tag(unit = "px")]
    pub size_max: Vec2,
    /// In a row or column: its part of the room that is left. 0: none.
    #[tag(range(0, 1000))]
    pub grow: f32,
    /// The room between its edge and what lies in it: at the sides, and above and below. None: as its kind has it.
    #[tag(unit = "px")]
    pub padding: Maybe<Vec2>,
    /// In rows, columns, grids and lists: the room between neighbours.
    #[tag(unit = "px", range(0, 10000), default = 8)]
    pub gap: f32,
    /// Of a grid: the number of columns.
    #[tag(range(1, 1000), default = 2)]
    pub columns: u32,
    /// In rows and columns: where its content lies, if there is room left.
    #[tag(default = "\"start\"")]
    pub arrange: Choice<Arrangement>,
    /// In rows, columns and grids: where its content lies across its direction.
    #[tag(default = "\"stretch\"")]
    pub align: Choice<Alignment>,
    /// The name of its style.
    pub style: StringId,
    /// Its look, over that of its style.
    pub look: LookRecord,
    /// How its look differs in certain states.
    pub states: Series<StateRow>,
    /// The time in which it changes from the look of one state to that of another.
    #[tag(unit = "s", range(0, 60), default = 0.12)]
    pub blend: f32,
    /// Its text as it is. For texts in the player's language see `string`.
    pub text: Text,
    /// The id of its text in the player's language.
    pub string: StringId,
    /// The parameters of that text.
    pub arguments: Series<ArgumentRow>,
    /// The number of decimals of a number that is shown as text.
    #[tag(range(0, 9), default = 0)]
    pub decimals: u32,
    /// Whether text is broken into lines.
    pub wraps: Truth,
    /// Of an input field: what is shown while it is empty, as the id of a text.
    pub prompt: StringId,
    /// What is shown when the pointer rests on it, as the id of a text.
    pub hint: StringId,
    /// Of bars and sliders: the value at the left end.
    pub min: f32,
    /// Of bars and sliders: the value at the right end.
    #[tag(default = 1)]
    pub max: f32,
    /// Of sliders: the step between two values. 0: any value.
    #[tag(range(0, 1000000))]
    pub step: f32,
    /// Of bars, sliders and toggles: the value at the start; a toggle is on if it is not 0.
    pub value: f32,
    /// Of an input field: the greatest number of characters.
    #[tag(unit = "characters", range(1, 65536), default = 256)]
    pub length_max: u32,
    /// Whether it is hidden at the start.
    pub hidden: Truth,
    /// Whether it is disabled at the start.
    pub disabled: Truth,
    /// Whether nothing outside of it can be used while it is visible.
    pub modal: Truth,
    /// Whether the pointer passes through it, to what lies behind.
    pub passes: Truth,
    /// The widgets to which the focus moves, if not to the nearest ones.
    pub focus: FocusLinks,
    /// The cursor over it.
    #[tag(default = "\"automatic\"")]
    pub cursor: Choice<CursorName>,
    /// Of a marker: whether it stays at the edge of the screen with an arrow when its object is outside.
    pub stays: Truth,
    /// Of a drag box: the action of the controls that draws it.
    pub action: StringId,
    /// Of a marker: its place above its object, in the world.
    #[tag(unit = "m")]
    pub raise: Vec3,
    /// What it shows of the world and of the interface's variables.
    pub bind: BindRecord,
    /// Called when it is clicked, or used with a key or a gamepad.
    #[tag(name = "OnClick")]
    pub on_click: Lambda,
    /// Called with its new value: a number of a slider, a truth of a toggle, a string of an input field.
    #[tag(name = "OnChange")]
    pub on_change: Lambda,
    /// Called with the text of an input field when it is entered.
    #[tag(name = "OnSubmit")]
    pub on_submit: Lambda,
    /// Called while it is dragged, with the way in pixels to the right and down since the last call.
    #[tag(name = "OnDrag")]
    pub on_drag: Lambda,
    /// The interface whose widgets and logic fill it: a template.
    #[tag(name = "use")]
    pub template: Reference<Interface>,
    /// A record of the variables that the template's logic begins with.
    #[tag(name = "with")]
    pub with_values: Lambda,
    /// The widgets in it. Of a list: the first is the pattern of each item.
    pub children: Series<WidgetRecord>,
}

/// What a widget is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum WidgetKind {
    /// A rectangle; what lies in it is placed by anchors.
    Panel,
    /// Text.
    Text,
    /// A button.
    Button,
    /// An image.
    Image,
    /// A bar that is filled by its value.
    Bar,
    /// A column with a copy of its pattern for each item of `bind.items`.
    List,
    /// A row.
    Row,
    /// A column.
    Column,
    /// A grid.
    Grid,
    /// A column that can be scrolled.
    Scroll,
    /// A field for text.
    TextInput,
    /// A slider.
    Slider,
    /// A switch.
    Toggle,
    /// Empty room.
    Spacer,
    /// A panel that follows an object of the world.
    Marker,
    /// A frame from where the pointer was when its action was pressed to where it is now, while the action is used.
    DragBox,
}

/// A point of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum AnchorName {
    /// The top left corner.
    #[tag(former("TopLeft"))]
    TopLeft,
    /// The middle of the upper edge.
    #[tag(former("TopCenter"))]
    Top,
    /// The top right corner.
    #[tag(former("TopRight"))]
    TopRight,
    /// The middle of the left edge.
    #[tag(former("LeftCenter"))]
    Left,
    /// The centre.
    #[tag(former("Center"), former("center"))]
    Centre,
    /// The middle of the right edge.
    #[tag(former("RightCenter"))]
    Right,
    /// The bottom left corner.
    #[tag(former("BottomLeft"))]
    BottomLeft,
    /// The middle of the lower edge.
    #[tag(former("BottomCenter"))]
    Bottom,
    /// The bottom right corner.
    #[tag(former("BottomRight"))]
    BottomRight,
}

/// An area of a rectangle.
#[derive(Record)]
#[repr(C)]
pub struct BetweenRecord {
    /// The point at which its top left corner is.
    #[tag(default = "\"top_left\"")]
    pub from: Choice<AnchorName>,
    /// The point at which its bottom right corner is.
    #[tag(default = "\"bottom_right\"")]
    pub to: Choice<AnchorName>,
    /// The room that is kept free at the left and above.
    #[tag(unit = "px")]
    pub inset: Vec2,
    /// The room that is kept free at the right and below.
    #[tag(unit = "px")]
    pub inset_end: Vec2,
}

/// Where content lies along its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum Arrangement {
    /// At the start.
    Start,
    /// In the middle.
    #[tag(former("center"))]
    Centre,
    /// At the end.
    End,
    /// The room that is left is shared between neighbours.
    Spread,
}

/// Where content lies across its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum Alignment {
    /// From end to end, if it has no size of its own.
    Stretch,
    /// At the start.
    Start,
    /// In the middle.
    #[tag(former("center"))]
    Centre,
    /// At the end.
    End,
}

/// The cursor over a widget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Names)]
pub enum CursorName {
    /// By the kind of the widget.
    #[default]
    Automatic,
    /// An arrow.
    Arrow,
    /// A pointing hand.
    Hand,
    /// A text cursor.
    Text,
    /// A cross.
    Cross,
    /// A hand that moves something.
    Move,
    /// That something is refused.
    Refused,
    /// That the game is busy.
    Busy,
    /// None.
    Hidden,
}

/// A parameter of a text.
#[derive(Record)]
#[repr(C)]
pub struct ArgumentRow {
    /// Its name in the text.
    #[tag(key)]
    pub name: StringId,
    /// Its value.
    pub value: Lambda,
}

/// The widgets to which the focus moves.
#[derive(Record)]
#[repr(C)]
pub struct FocusLinks {
    /// To the left.
    pub left: StringId,
    /// To the right.
    pub right: StringId,
    /// Up.
    pub up: StringId,
    /// Down.
    pub down: StringId,
}

/// What a widget shows. The lambdas read `~player`, `~object`, `selection`, `settings` and the interface's variables; in the
/// pattern of a list also `item` and `index`. They are evaluated for each frame, and have no effects.
#[derive(Record)]
#[repr(C)]
pub struct BindRecord {
    /// The object it is about, and which a marker follows.
    pub object: Lambda,
    /// The value of a bar or slider, the truth of a toggle.
    pub value: Lambda,
    /// Whether it is visible.
    pub visible: Lambda,
    /// Whether it can be used.
    pub enabled: Lambda,
    /// Its text: a string (the id of a text), `text(id, { … })`, a number.
    pub text: Lambda,
    /// The items of a list.
    pub items: Lambda,
    /// Its colour: `vec(red, green, blue)` from 0 to 1, or a string such as "#ff8800".
    pub colour: Lambda,
}
