//! The accessibility tree: what assistive technology, such as a screen reader, is told about a screen, and what it asks for.
//!
//! Plain values between an interface, which makes the tree, and the system. The names of roles and actions are those of AccessKit and
//! ARIA.

use alloc::string::String;
use alloc::vec::Vec;

/// The id of the whole screen.
pub const ROOT: u64 = 1;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessRole {
    /// The whole screen.
    Window,
    /// A dialog: nothing outside of it can be used.
    Dialog,
    /// A group of others.
    Group,
    /// Text.
    Label,
    /// A button.
    Button,
    /// An image.
    Image,
    /// A value that is shown.
    ProgressIndicator,
    /// A list.
    List,
    /// An item of a list.
    ListItem,
    /// A field for text.
    TextInput,
    /// A value that is set.
    Slider,
    /// Something that is on or off.
    Switch,
    /// An area that is scrolled.
    ScrollView,
}

/// The value of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum AccessValue {
    /// A number, and its range.
    Number {
        /// The value.
        value: f32,
        /// The least and the greatest.
        range: (f32, f32),
        /// The step; 0: any value.
        step: f32,
    },
    /// Whether it is on.
    Truth(bool),
    /// A text.
    Text(String),
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessNode {
    /// Its id, the same while it is shown.
    pub id: u64,
    /// What it is.
    pub role: AccessRole,
    /// What it is called.
    pub name: String,
    /// More about it.
    pub description: String,
    /// Its value.
    pub value: Option<AccessValue>,
    /// Its place in physical pixels: left, top, right, bottom.
    pub bounds: [f32; 4],
    /// Whether it can be used.
    pub is_enabled: bool,
    /// Whether it can have the focus.
    pub is_focusable: bool,
    /// The nodes in it.
    pub children: Vec<u64>,
}

/// All nodes, and the one that has the focus.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessTree {
    /// The nodes; the first is the screen.
    pub nodes: Vec<AccessNode>,
    /// The node that has the focus.
    pub focus: u64,
}

/// What a person asks of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum AccessAction {
    /// Uses it.
    Click,
    /// Moves the focus to it.
    Focus,
    /// Raises its value by a step.
    Increment,
    /// Lowers it.
    Decrement,
    /// Sets its number.
    SetNumber(f32),
    /// Sets its text.
    SetText(String),
    /// Scrolls until it is seen.
    ScrollIntoView,
}

impl AccessTree {
    /// The tree of an empty screen.
    #[must_use]
    pub fn empty() -> AccessTree {
        let screen = AccessNode {
            id: ROOT,
            role: AccessRole::Window,
            name: String::new(),
            description: String::new(),
            value: None,
            bounds: [0.0; 4],
            is_enabled: true,
            is_focusable: false,
            children: Vec::new(),
        };
        AccessTree { nodes: alloc::vec![screen], focus: ROOT }
    }

    /// The node of an id.
    pub fn node(&self, id: u64) -> Option<&AccessNode> {
        self.nodes.iter().find(|node| node.id == id)
    }
}
