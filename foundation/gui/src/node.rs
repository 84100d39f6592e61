//! Nodes: the widgets that are shown, with the items of lists copied out, and their state.
//!
//! Nodes lie in the order in which they are drawn: a node, then all that lies in it. So what lies in a node is a run of nodes.
//!
//! Laws
//! 1. A node has a key that depends on its place in the tree and on the items around it. Its state is kept by key when items
//!    come and go.
//! 2. A parent's number is less than those of its children.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use base::hash::mix;
use base::{StringId, Vec2};
use view::Rgba;

use crate::answer::Answer;
use crate::classes::interface::WidgetKind;
use crate::classes::look::StateName;
use crate::definition::{BOUND, Definition};
use crate::limits::{ITEMS_MAX, WIDGETS_MAX};
use crate::look::Look;
use crate::text_edit::TextEdit;
use crate::tree::{NONE, Tree};

/// A widget that is shown.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its number in the tree.
    pub draft: u32,
    /// What the tag says about it.
    pub definition: Arc<Definition>,
    /// Its logic object.
    pub logic: u32,
    /// Identifies it.
    pub key: u64,
    /// The node it lies in; [`NONE`]: the screen.
    pub parent: u32,
    /// The number after the last node in it.
    pub end: u32,
    /// The sibling beside which it is placed; [`NONE`]: its parent.
    pub reference: u32,
    /// The number of siblings that must be placed before it.
    pub rank: u32,
    /// The node that shows the item of a list around it, or itself; [`NONE`]: there is none.
    pub item: u32,
    /// Of such a node: the index of its item.
    pub item_index: u32,
    /// Its state.
    pub state: WidgetState,
}

/// The state of a widget.
#[derive(Clone, Debug, Default)]
pub struct WidgetState {
    /// The value of a bar or slider; of a toggle 0 or 1.
    pub value: f32,
    /// Whether it is hidden or shown by a script.
    pub is_shown: bool,
    /// Whether it is enabled by a script.
    pub is_usable: bool,
    /// Whether it and all around it are visible.
    pub is_visible: bool,
    /// Whether it and all around it are enabled.
    pub is_enabled: bool,
    /// The text it shows.
    pub text: String,
    /// The version of the texts of which it is; 0: it was not looked up yet.
    pub text_version: u32,
    /// The text that a script gave it, in place of the tag's.
    pub given_text: Option<Answer>,
    /// The text field.
    pub edit: TextEdit,
    /// How far it is scrolled down.
    pub scroll: f32,
    /// How far the text of an input field is scrolled to the left, so that its caret is seen.
    pub text_scroll: f32,
    /// The last answers of its bindings.
    pub answers: [Answer; BOUND],
    /// The last answers of its text's parameters.
    pub arguments: Vec<Answer>,
    /// Its colour by a binding.
    pub colour: Option<Rgba>,
    /// The object it is about; 0 if there is none.
    pub object: u32,
    /// Where a marker is on the screen, in logical pixels; none: it is not visible.
    pub marker: Option<MarkerPlace>,
    /// How it changes from one look to another.
    pub blend: LookBlend,
}

/// Where a marker is on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerPlace {
    /// The place, in logical pixels.
    pub place: Vec2,
    /// The direction in which the object lies, if it is outside of the screen.
    pub arrow: Option<Vec2>,
}

/// The change from one look to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LookBlend {
    /// The state whose look it changes to.
    pub to: StateName,
    /// The look at the beginning of the change; none: it has not changed yet.
    pub from: Option<Look>,
    /// The part of the change that is done.
    pub part: f32,
}

impl WidgetState {
    /// The state at the beginning.
    pub fn new(definition: &Definition) -> WidgetState {
        WidgetState {
            value: definition.value,
            is_shown: !definition.is_hidden,
            is_usable: !definition.is_disabled,
            is_visible: !definition.is_hidden,
            is_enabled: !definition.is_disabled,
            blend: LookBlend { part: 1.0, ..LookBlend::default() },
            ..WidgetState::default()
        }
    }
}

/// Copies the tree out into nodes. `before` are the nodes until now: those with the same key keep their state, and lists have
/// as many items as their last answer says.
pub fn flatten(tree: &Tree, before: Vec<Node>) -> Vec<Node> {
    let mut states: BTreeMap<u64, WidgetState> = before.into_iter().map(|node| (node.key, node.state)).collect();
    let mut flat = Flattening { tree, states: &mut states, nodes: Vec::new(), places: Vec::new() };
    flat.places.resize(tree.drafts.len(), NONE);
    let screen = Around { parent: NONE, key: 0, item: NONE };
    flat.siblings(&tree.roots, screen);
    flat.nodes
}

/// The items of a list.
pub fn items_of(state: &WidgetState) -> &[Answer] {
    match &state.answers[crate::definition::Bound::Items as usize] {
        Answer::List(items) => &items[..items.len().min(ITEMS_MAX)],
        _ => &[],
    }
}

#[derive(Clone, Copy)]
struct Around {
    parent: u32,
    key: u64,
    item: u32,
}

struct Flattening<'a> {
    tree: &'a Tree,
    states: &'a mut BTreeMap<u64, WidgetState>,
    nodes: Vec<Node>,
    /// The last node of each draft.
    places: Vec<u32>,
}

impl Flattening<'_> {
    /// Adds widgets of one parent. The tree's depth bounds the recursion.
    fn siblings(&mut self, drafts: &[u32], around: Around) {
        for draft in drafts {
            self.node(*draft, around, None);
        }
        for draft in drafts {
            let Some(found) = self.tree.drafts.get(*draft as usize) else { continue };
            let (place, reference) = (self.places[*draft as usize], found.reference);
            if let Some(node) = self.nodes.get_mut(place as usize)
                && reference != NONE
            {
                node.reference = self.places[reference as usize];
            }
        }
    }

    fn node(&mut self, number: u32, around: Around, item_index: Option<u32>) {
        let Some(draft) = self.tree.drafts.get(number as usize) else { return };
        if self.nodes.len() >= WIDGETS_MAX {
            return;
        }
        let place = self.nodes.len() as u32;
        let key = mix(mix(around.key, u64::from(number) + 1), u64::from(item_index.map_or(0, |index| index + 1)));
        let state = self.states.remove(&key).unwrap_or_else(|| WidgetState::new(&draft.definition));
        let item = if item_index.is_some() { place } else { around.item };
        self.places[number as usize] = place;
        self.nodes.push(Node {
            draft: number,
            definition: draft.definition.clone(),
            logic: draft.logic,
            key,
            parent: around.parent,
            end: place + 1,
            reference: NONE,
            rank: draft.rank,
            item,
            item_index: item_index.unwrap_or(0),
            state,
        });
        let inside = Around { parent: place, key, item };
        if draft.definition.kind == WidgetKind::List {
            let count = items_of(&self.nodes[place as usize].state).len() as u32;
            if let Some(pattern) = draft.children.first() {
                (0..count).for_each(|index| self.node(*pattern, inside, Some(index)));
            }
        } else {
            self.siblings(&draft.children, inside);
        }
        self.nodes[place as usize].end = self.nodes.len() as u32;
    }
}

/// The nodes that lie directly in a node, or on the screen.
pub fn children(nodes: &[Node], parent: u32) -> impl Iterator<Item = u32> + '_ {
    let (mut at, end) = match nodes.get(parent as usize) {
        Some(node) => (parent + 1, node.end),
        None => (0, nodes.len() as u32),
    };
    core::iter::from_fn(move || {
        let node = nodes.get(at as usize).filter(|_| at < end)?;
        let found = at;
        // A run is never empty, so this advances.
        at = node.end.max(at + 1);
        Some(found)
    })
}

/// The item of the list around a node, and its index: the arguments of its lambdas.
pub fn item_of(nodes: &[Node], number: u32) -> Option<(&Answer, u32)> {
    let node = nodes.get(nodes.get(number as usize)?.item as usize)?;
    let list = nodes.get(node.parent as usize)?;
    Some((items_of(&list.state).get(node.item_index as usize)?, node.item_index))
}

/// Whether a node lies in another one, or is it.
pub fn is_within(nodes: &[Node], number: u32, around: u32) -> bool {
    number >= around && nodes.get(around as usize).is_some_and(|node| number < node.end)
}

/// The first node with this name of a logic object.
pub fn named(nodes: &[Node], tree: &Tree, logic: u32, name: StringId) -> Option<u32> {
    let draft = tree.find(logic, name)?;
    nodes.iter().position(|node| node.draft == draft).map(|found| found as u32)
}
