//! An open interface: its tree, the widgets that are shown, their logic and their layout.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use base::hash::mix;
use base::string_id::StringTable;
use tags::Library;

use crate::answer::Answer;
use crate::classes::interface::{Interface, WidgetKind};
use crate::definition::{BOUND, Bound, name_in};
use crate::layout::{Layout, LayoutContext};
use crate::limits::BINDINGS_MAX;
use crate::logic::{About, Binding, Logic, LogicContext};
use crate::look::parse;
use crate::node::{Node, flatten, item_of, items_of, named};
use crate::surroundings::{Texts, filled, parameter, say, say_string};
use crate::text_edit::TextEdit;
use crate::tree::{NONE, Tree};

/// An open interface.
#[derive(Clone, Debug)]
pub struct OpenInterface {
    /// Its own number.
    pub serial: u32,
    /// Its tag.
    pub tag: StringId,
    /// Its tree.
    pub tree: Tree,
    /// The widgets that are shown.
    pub nodes: Vec<Node>,
    /// The nodes by key.
    keys: BTreeMap<u64, u32>,
    /// The logic objects.
    pub logics: Vec<Logic>,
    /// The rectangles.
    pub layout: Layout,
    /// Where it lies among open interfaces.
    pub layer: i32,
    /// Whether keys and gamepads move the focus in it.
    pub takes_keys: bool,
    /// The widget that is focused first.
    pub first_focus: StringId,
    /// The stages in which it is shown.
    stages: Vec<StringId>,
    /// Whether its layout must be computed again.
    pub is_dirty: bool,
    /// The version of the texts: another one after the language has changed. A widget looks its text up once for each, when it is
    /// visible.
    pub text_version: u32,
    /// The numbers of items of its lists for which the nodes were made.
    counts: Vec<(u64, usize)>,
    /// The bindings that the world answers: of each its node's key, and the number of the binding or, behind those, of the
    /// text's parameter.
    asked: BTreeMap<u64, (u64, usize)>,
}

/// What an update of an open interface needs.
pub struct OpenContext<'a> {
    /// For evaluations.
    pub logic: LogicContext<'a>,
    /// The texts in the player's language.
    pub texts: &'a dyn Texts,
    /// The texts of strings.
    pub strings: &'a StringTable,
    /// The bindings that the world answers: those of all interfaces, at most [`BINDINGS_MAX`].
    pub bindings: &'a mut Vec<Binding>,
    /// Whether it was reported that there are more.
    pub is_excess_reported: &'a mut bool,
}

impl OpenInterface {
    /// Opens an interface. Its logic is started by [`OpenInterface::start`]. `serials` is the number of the last logic object.
    pub fn new(
        content: &Library,
        tag: StringId,
        tree: Tree,
        strings: &mut StringTable,
        serials: &mut u32,
    ) -> OpenInterface {
        let mut next = || {
            *serials = serials.wrapping_add(1).max(1);
            *serials
        };
        let serial = next();
        let logics: Vec<Logic> = tree.logics.iter().map(|plan| Logic::new(content, plan.tag, next())).collect();
        for plan in &tree.logics {
            let packed = content.packed(plan.tag);
            // Of two texts with one id the first is kept.
            packed.into_iter().flat_map(|packed| packed.names()).for_each(|name| drop(strings.add(name.text)));
        }
        for logic in &logics {
            logic.program.strings.iter().for_each(|(_, text)| drop(strings.add(text)));
        }
        let view = content.get_as::<Interface>(tag);
        let mut open = OpenInterface {
            serial,
            tag,
            nodes: Vec::new(),
            keys: BTreeMap::new(),
            logics,
            layout: Layout::default(),
            layer: view.map_or(0, |view| view.layer),
            takes_keys: view.is_some_and(|view| view.keys.is_true()),
            first_focus: view.map_or(StringId::NONE, |view| view.first_focus),
            stages: view.map_or_else(Vec::new, |view| view.each(&view.stages).to_vec()),
            is_dirty: true,
            text_version: 1,
            counts: Vec::new(),
            asked: BTreeMap::new(),
            tree,
        };
        open.flatten();
        open
    }

    /// Runs the statements of a logic object; that of a template gets the values its user gives, and the first one those that
    /// the interface is opened with. They are started in order.
    pub fn start(&mut self, number: usize, given: &[(StringId, Answer)], context: &mut LogicContext<'_>) {
        self.logics[number].start(context);
        let values = match self.tree.logics[number].with_values {
            // Users of templates are listed, and started, before them.
            Some((user, function)) => self.logics[user as usize].call(function, &[], About::default(), context),
            None => None,
        };
        if let Some(Answer::Record(values)) = values {
            self.logics[number].set_all(&values, context);
        }
        if number == 0 {
            self.logics[0].set_all(given, context);
        }
    }

    /// Whether it is shown in a stage of the game.
    pub fn is_in(&self, stage: StringId) -> bool {
        self.stages.is_empty() || self.stages.contains(&stage)
    }

    /// The node with a key.
    pub fn find(&self, key: u64) -> Option<u32> {
        self.keys.get(&key).copied()
    }

    /// The node that a name means for a logic object.
    pub fn named(&self, logic: u32, name: StringId) -> Option<u32> {
        named(&self.nodes, &self.tree, logic, name)
    }

    /// What the lambdas of a node are about.
    pub fn about(&self, number: u32) -> About<'_> {
        let object = self.nodes.get(number as usize).map_or(0, |node| node.state.object);
        About { object, item: item_of(&self.nodes, number) }
    }

    /// Takes the answer of the world to a binding.
    pub fn answer(&mut self, id: u64, answer: &Answer) -> bool {
        let Some((key, number)) = self.asked.get(&id).copied() else { return false };
        if let Some(node) = self.find(key) {
            self.put(node, number, answer.clone());
        }
        true
    }

    /// The path of the tag whose binding is asked with a number.
    pub fn path_of_binding(&self, id: u64) -> Option<&str> {
        let (key, _) = self.asked.get(&id)?;
        let node = &self.nodes[self.find(*key)? as usize];
        self.logics.get(node.logic as usize).map(|logic| logic.path.as_str())
    }

    fn flatten(&mut self) {
        self.nodes = flatten(&self.tree, core::mem::take(&mut self.nodes));
        self.keys = self.nodes.iter().zip(0..).map(|(node, number)| (node.key, number)).collect();
        self.is_dirty = true;
        self.counts = self.item_counts();
    }

    fn put(&mut self, number: u32, place: usize, answer: Answer) {
        let state = &mut self.nodes[number as usize].state;
        if place < BOUND {
            state.answers[place] = answer;
            return;
        }
        let place = place - BOUND;
        if state.arguments.len() <= place {
            state.arguments.resize(place + 1, Answer::Nothing);
        }
        state.arguments[place] = answer;
    }

    /// Evaluates the bindings of all widgets that are shown, and lists those that only the world can answer; then takes over
    /// what they gave.
    pub fn update(&mut self, context: &mut OpenContext<'_>) {
        self.asked.clear();
        let mut number = 0;
        while let Some(node) = self.nodes.get(number as usize) {
            let (end, parent) = (node.end, node.parent);
            self.bind(number, Bound::Object as usize, context);
            self.bind(number, Bound::Visible as usize, context);
            self.settle(number, parent);
            if !self.nodes[number as usize].state.is_visible {
                self.hide(number, end);
                number = end;
                continue;
            }
            for bound in [Bound::Value, Bound::Enabled, Bound::Text, Bound::Items, Bound::Colour] {
                self.bind(number, bound as usize, context);
            }
            for argument in 0..self.nodes[number as usize].definition.arguments.len() {
                self.bind(number, BOUND + argument, context);
            }
            self.show(number, context);
            number += 1;
        }
        if self.counts != self.item_counts() {
            self.flatten();
            // The new items are filled in with what is known without the world.
            if self.nodes.len() < crate::limits::WIDGETS_MAX {
                self.update_new(context);
            }
        }
    }

    /// Shows the nodes that were just added.
    fn update_new(&mut self, context: &mut OpenContext<'_>) {
        context.bindings.retain(|binding| !self.asked.contains_key(&binding.id));
        self.asked.clear();
        for number in 0..self.nodes.len() as u32 {
            let parent = self.nodes[number as usize].parent;
            for place in 0..BOUND {
                self.bind(number, place, context);
            }
            for argument in 0..self.nodes[number as usize].definition.arguments.len() {
                self.bind(number, BOUND + argument, context);
            }
            self.settle(number, parent);
            self.show(number, context);
        }
        if self.counts != self.item_counts() {
            // Lists within lists are filled one level for each update.
            self.flatten();
        }
    }

    fn item_counts(&self) -> Vec<(u64, usize)> {
        let lists = self.nodes.iter().filter(|node| node.definition.kind == WidgetKind::List);
        lists.map(|node| (node.key, items_of(&node.state).len())).collect()
    }

    /// Evaluates one binding, or lists it for the world.
    fn bind(&mut self, number: u32, place: usize, context: &mut OpenContext<'_>) {
        let node = &self.nodes[number as usize];
        let function = match node.definition.bind.get(place) {
            Some(function) => *function,
            None => node.definition.arguments.get(place - BOUND).map(|(_, function)| *function),
        };
        let Some(function) = function else { return };
        let logic = node.logic as usize;
        if self.logics[logic].is_effectful(function) {
            let (path, line) = (&self.logics[logic].path, self.logics[logic].line(function));
            context.logic.reports.add(path, line, "a binding has no effects and sets nothing; it is left out");
            return;
        }
        // The borrow of the item ends before the logic object is changed.
        let about = self.about(number);
        let (object, item) = (about.object, about.item.map(|(item, index)| (item.clone(), index)));
        let about = About { object, item: item.as_ref().map(|(item, index)| (item, *index)) };
        match self.logics[logic].ask(function, about, &mut context.logic) {
            Some(answer) => self.put(number, place, answer),
            None if context.bindings.len() >= BINDINGS_MAX => {
                if !core::mem::replace(context.is_excess_reported, true) {
                    let (path, line) = (&self.logics[logic].path, self.logics[logic].line(function));
                    let message = format!(
                        "the interfaces of a player show at most {BINDINGS_MAX} values of the world (BINDINGS_MAX); this one and those after it are left out"
                    );
                    context.logic.reports.add(path, line, message);
                }
            }
            None => {
                let key = self.nodes[number as usize].key;
                let id = mix(mix(u64::from(self.serial), key), place as u64);
                self.asked.insert(id, (key, place));
                context.bindings.push(Binding::new(id, &mut self.logics[logic], function, about));
            }
        }
    }

    /// Whether a node is visible and enabled, and which object it is about.
    fn settle(&mut self, number: u32, parent: u32) {
        let around = self.nodes.get(parent as usize).map(|node| &node.state);
        let (is_seen, is_enabled, object) =
            around.map_or((true, true, 0), |around| (around.is_visible, around.is_enabled, around.object));
        let node = &mut self.nodes[number as usize];
        let is_true = |bound: Bound| {
            node.definition.bind[bound as usize].is_none() || node.state.answers[bound as usize].is_true()
        };
        let own = node.state.answers[Bound::Object as usize].object();
        let has_own = node.definition.bind[Bound::Object as usize].is_some();
        let is_marked = node.definition.kind != WidgetKind::Marker || node.state.marker.is_some();
        let is_visible = is_seen && node.state.is_shown && is_true(Bound::Visible) && is_marked;
        let is_enabled = is_enabled && node.state.is_usable && is_true(Bound::Enabled);
        self.is_dirty |= is_visible != node.state.is_visible;
        node.state.object = if has_own { own } else { object };
        (node.state.is_visible, node.state.is_enabled) = (is_visible, is_enabled);
    }

    /// All nodes in a hidden one are hidden.
    fn hide(&mut self, number: u32, end: u32) {
        for node in &mut self.nodes[number as usize + 1..end as usize] {
            self.is_dirty |= node.state.is_visible;
            node.state.is_visible = false;
        }
        // The objects of markers within it are still followed.
        for inside in number + 1..end {
            let parent = self.nodes[inside as usize].parent;
            let object = self.nodes.get(parent as usize).map_or(0, |node| node.state.object);
            self.nodes[inside as usize].state.object = object;
        }
    }

    /// Takes over the value, the colour and the text of a node.
    fn show(&mut self, number: u32, context: &OpenContext<'_>) {
        let node = &mut self.nodes[number as usize];
        let definition = node.definition.clone();
        if let Some(value) = node.state.answers[Bound::Value as usize].number()
            && definition.bind[Bound::Value as usize].is_some()
        {
            node.state.value = value as f32;
        }
        if definition.bind[Bound::Colour as usize].is_some() {
            node.state.colour = match &node.state.answers[Bound::Colour as usize] {
                Answer::Vector(colour) => {
                    let byte = |share: f32| crate::look::byte(share * 255.0);
                    Some(view::Rgba { red: byte(colour.x), green: byte(colour.y), blue: byte(colour.z), alpha: 255 })
                }
                Answer::String(id) => context.strings.text(*id).and_then(parse),
                _ => None,
            };
        }
        let can_change = definition.bind[Bound::Text as usize].is_some() || !definition.arguments.is_empty();
        let is_stale = core::mem::replace(&mut node.state.text_version, self.text_version) != self.text_version;
        if !can_change && node.state.given_text.is_none() && !is_stale {
            return;
        }
        let text = match (&node.state.given_text, definition.bind[Bound::Text as usize].is_some()) {
            (_, true) => {
                say(&node.state.answers[Bound::Text as usize], definition.decimals, context.texts, context.strings)
            }
            (Some(given), _) => say(given, definition.decimals, context.texts, context.strings),
            _ if !definition.string.is_none() => {
                let arguments = definition.arguments.iter().enumerate().map(|(index, (name, _))| {
                    let value = node.state.arguments.get(index).unwrap_or(&Answer::Nothing);
                    let name = context.strings.text(*name).unwrap_or("?");
                    (String::from(name), parameter(value, context.texts, context.strings))
                });
                let arguments: Vec<_> = arguments.collect();
                say_string(definition.string, &arguments, context.texts, context.strings)
            }
            _ => filled(&definition.text, &[], context.texts),
        };
        if definition.kind == WidgetKind::TextInput {
            // The tag's text is the first text of the field.
            let has_new = definition.bind[Bound::Text as usize].is_some() || node.state.given_text.is_some();
            if node.state.text != text && (has_new || node.state.edit == TextEdit::default()) {
                node.state.edit = TextEdit::new(&text, definition.length_max);
                node.state.text = text;
            }
            return;
        }
        if node.state.text != text {
            node.state.text = text;
            self.is_dirty = true;
        }
    }

    /// Computes the layout, if something has changed.
    pub fn lay_out(&mut self, context: &mut LayoutContext<'_>) {
        if core::mem::take(&mut self.is_dirty) || self.nodes.iter().any(|node| node.state.marker.is_some()) {
            self.layout.compute(&mut self.nodes, context);
        }
    }

    /// Takes over the state of an earlier version of itself: after a tag has changed.
    pub fn inherit(&mut self, before: OpenInterface, context: &mut LogicContext<'_>) {
        for (number, logic) in self.logics.iter_mut().enumerate() {
            if let Some(earlier) = before.logics.get(number).filter(|earlier| earlier.tag == logic.tag) {
                logic.inherit(earlier, context);
            }
        }
        let (serial, tree) = (before.serial, before.tree);
        self.serial = serial;
        let places: BTreeMap<u32, &Node> = before.nodes.iter().map(|node| (node.draft, node)).collect();
        // Widgets keep their state by name, since their numbers may have changed.
        for node in &mut self.nodes {
            let name = node.definition.name;
            let earlier = tree.names.get(node.logic as usize).and_then(|names| names.get(&name));
            let earlier = earlier.and_then(|draft| places.get(draft));
            let found = earlier.filter(|other| other.definition.kind == node.definition.kind);
            if let Some(found) = found.filter(|_| !name.is_none() && node.item == NONE) {
                let definition = &node.definition;
                let was = &found.definition;
                node.state.scroll = found.state.scroll;
                node.state.edit = found.state.edit.clone();
                if was.value == definition.value {
                    node.state.value = found.state.value;
                }
                if was.is_hidden == definition.is_hidden {
                    node.state.is_shown = found.state.is_shown;
                }
            }
        }
    }

    /// The name of a node, for messages.
    pub fn name_of(&self, content: &Library, number: u32) -> String {
        match self.nodes.get(number as usize) {
            Some(node) => name_in(content.packed(self.tree.logics[node.logic as usize].tag), node.definition.name),
            None => format!("{number}"),
        }
    }
}
