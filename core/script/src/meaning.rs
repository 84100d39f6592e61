//! What the arguments of effects and queries mean, beyond their types: paths of tags, classes, flags, names of messages.
//!
//! The tables of effects and queries say it for each parameter, and the checker collects the places: [`Mention`]. What a
//! table lists itself is checked at once; the rest is checked, found, renamed and completed by the tools that know the whole
//! tree of tags.

use alloc::string::String;

use crate::source::Span;

/// The meaning of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The path of a tag of this class, or of one derived from it; of any class if that is empty.
    Path(&'static str),
    /// The name of a class.
    Class,
    /// The name of a flag, which the globals list.
    Flag,
    /// The name of a marker.
    Marker,
    /// The name of a message that is sent.
    Message,
    /// The name of a message that is handled.
    Handler,
    /// The name of a variable of another object.
    Variable,
    /// The name of a variable with which an object is made from the tag whose path is the first argument.
    State,
    /// One of some words. The first text says what they are, with its article.
    Choice(&'static str, &'static [&'static str]),
    /// An input as settings write it: "key left_control + key s". Each device has its names.
    Chord(&'static [(&'static str, &'static [&'static str])]),
    /// A word that a tag declares for itself and others. An empty one says that more are declared, which are not written there.
    Declares(Word),
    /// A word that must be declared.
    Names(Word),
    /// Names in braces that begin with this text: the rest must be declared.
    Holes(&'static str, Word),
    /// A value that has no effects; only places that have one are mentioned.
    Pure,
    /// A record with some of these fields. The first text says what it is, with its article.
    Record(&'static str, &'static [&'static str], &'static [(&'static str, Meaning)]),
}

/// A kind of word that tags declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// The name of a widget.
    Widget,
    /// A context of controls.
    Context,
    /// An action of controls.
    Action,
    /// An event that players can send.
    Event,
    /// A field of an event.
    EventField,
}

impl Word {
    /// The class whose tags declare such words.
    pub fn class(self) -> &'static str {
        match self {
            Word::Widget => "interface",
            Word::Context | Word::Action => "controls",
            Word::Event | Word::EventField => "events",
        }
    }
}

/// A place in a source that means something outside of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// What it means.
    pub meaning: Meaning,
    /// Its place: the string with its quotes, or the name.
    pub span: Span,
    /// The word itself.
    pub text: String,
    /// For [`Meaning::State`], the path of the tag, if it is written there. For a field of an event, the event. For a handler in a variable, its prefix `On`.
    pub of: String,
}

impl Mention {
    /// The same in a text in which the byte `from` of this one is the byte `to`.
    #[must_use]
    pub fn moved(&self, from: u32, to: u32) -> Mention {
        let moved = |byte: u32| (byte - from) + to;
        Mention { span: Span::new(moved(self.span.start), moved(self.span.end)), ..self.clone() }
    }
}
