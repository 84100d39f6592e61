//! The accessibility tree of the open interfaces, and what assistive technology asks of them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::hash::mix;
use relay::access::{AccessAction, AccessNode, AccessRole, AccessTree, AccessValue, ROOT};

use super::Gui;
use crate::classes::interface::WidgetKind;
use crate::node::{Node, children, is_within};
use crate::open::OpenInterface;
use crate::surroundings::{Surroundings, say_string};
use crate::text_edit::TextEdit;

impl Gui {
    /// What assistive technology is told. While a modal panel is open, only that is there. Cost: proportional to the widgets
    /// that are shown.
    pub fn access_tree(&self, around: &Surroundings<'_>) -> AccessTree {
        let mut tree = AccessTree::empty();
        let nodes = &mut tree.nodes;
        nodes[0].bounds = [0.0, 0.0, self.window.x, self.window.y];
        let (mut roots, modal) = (Vec::new(), self.modal());
        for (place, open) in self.opens.iter().enumerate().filter(|(_, open)| open.is_in(self.stage)) {
            for number in 0..open.nodes.len() as u32 {
                let is_reached =
                    modal.is_none_or(|(of, it)| of < place || of == place && is_within(&open.nodes, number, it));
                let node = &open.nodes[number as usize];
                if !node.state.is_visible || !is_reached || open.layout.rects.len() <= number as usize {
                    continue;
                }
                let is_root = node.parent == crate::tree::NONE || modal == Some((place, number));
                roots.extend(is_root.then(|| id_of(open, node)));
                nodes.push(self.access_node(open, number, around));
            }
        }
        nodes[0].children = roots;
        let focus = self.focus.and_then(|widget| self.resolve(widget));
        let focus = focus.map_or(ROOT, |(open, number)| id_of(open, &open.nodes[number as usize]));
        if nodes.iter().any(|node| node.id == focus) {
            tree.focus = focus;
        }
        tree
    }

    fn access_node(&self, open: &OpenInterface, number: u32, around: &Surroundings<'_>) -> AccessNode {
        let node = &open.nodes[number as usize];
        let definition = &node.definition;
        let (rect, scale) = (open.layout.rect(number), self.scale());
        let inside = children(&open.nodes, number).map(|child| &open.nodes[child as usize]);
        let of_list = open.nodes.get(node.parent as usize).is_some_and(|it| it.definition.kind == WidgetKind::List);
        let role = match definition.kind {
            WidgetKind::Text => AccessRole::Label,
            WidgetKind::Button => AccessRole::Button,
            WidgetKind::Image => AccessRole::Image,
            WidgetKind::Bar => AccessRole::ProgressIndicator,
            WidgetKind::List => AccessRole::List,
            WidgetKind::Scroll => AccessRole::ScrollView,
            WidgetKind::TextInput => AccessRole::TextInput,
            WidgetKind::Slider => AccessRole::Slider,
            WidgetKind::Toggle => AccessRole::Switch,
            _ if definition.is_modal => AccessRole::Dialog,
            _ if definition.on_click.is_some() => AccessRole::Button,
            _ if of_list => AccessRole::ListItem,
            _ => AccessRole::Group,
        };
        let value = match definition.kind {
            WidgetKind::Bar | WidgetKind::Slider => {
                Some(AccessValue::Number { value: node.state.value, range: definition.range, step: definition.step })
            }
            WidgetKind::Toggle => Some(AccessValue::Truth(node.state.value != 0.0)),
            WidgetKind::TextInput => Some(AccessValue::Text(node.state.edit.text().to_string())),
            _ => None,
        };
        AccessNode {
            id: id_of(open, node),
            role,
            name: self.access_name(open, number),
            description: say_string(definition.hint, &[], around.texts, &self.strings),
            value,
            bounds: [rect.min.x, rect.min.y, rect.max.x, rect.max.y].map(|side| side * scale),
            is_enabled: node.state.is_enabled,
            is_focusable: definition.is_focusable(),
            children: inside.filter(|it| it.state.is_visible).map(|it| id_of(open, it)).collect(),
        }
    }

    /// What a widget is called: its text; if it has none and can be used or shows a value, the text before it, or its own name.
    fn access_name(&self, open: &OpenInterface, number: u32) -> String {
        let node = &open.nodes[number as usize];
        let definition = &node.definition;
        if definition.kind != WidgetKind::TextInput && !node.state.text.is_empty() {
            return node.state.text.clone();
        }
        if !definition.is_focusable() && definition.kind != WidgetKind::Bar {
            return String::new();
        }
        let before = children(&open.nodes, node.parent).take_while(|other| *other < number);
        let label = before.last().map(|other| &open.nodes[other as usize]);
        match label.filter(|it| it.definition.kind == WidgetKind::Text && it.state.is_visible) {
            Some(label) => label.state.text.clone(),
            None => self.strings.text(definition.name).unwrap_or("").to_string(),
        }
    }

    /// Does what assistive technology asks of a node. False if the node is gone, or cannot do it.
    pub fn perform_access(&mut self, id: u64, action: &AccessAction, around: &mut Surroundings<'_>) -> bool {
        let found = self.opens.iter().enumerate().find_map(|(place, open)| {
            let number = open.nodes.iter().position(|node| id_of(open, node) == id)?;
            Some((place, number as u32))
        });
        let Some((place, number)) = found.filter(|(place, number)| self.can_focus(*place, *number)) else {
            return false;
        };
        let node = &self.opens[place].nodes[number as usize];
        let (kind, value, range) = (node.definition.kind, node.state.value, node.definition.range);
        let step = if node.definition.step > 0.0 { node.definition.step } else { (range.1 - range.0) * USUAL_STEP };
        let is_done = match (action, kind) {
            (AccessAction::Click, _) => {
                self.click(place, number, around);
                true
            }
            (AccessAction::Focus, _) => {
                self.is_focus_shown = true;
                self.set_focus(place, number);
                true
            }
            (AccessAction::ScrollIntoView, _) => {
                self.scroll_into_view(place, number);
                true
            }
            (AccessAction::Increment, WidgetKind::Slider) => self.slide_to(place, number, value + step),
            (AccessAction::Decrement, WidgetKind::Slider) => self.slide_to(place, number, value - step),
            (AccessAction::SetNumber(wanted), WidgetKind::Slider) => self.slide_to(place, number, *wanted),
            (AccessAction::SetText(text), WidgetKind::TextInput) => {
                let node = &mut self.opens[place].nodes[number as usize];
                node.state.edit = TextEdit::new(text, node.definition.length_max);
                self.typed_into(place, number);
                true
            }
            _ => false,
        };
        self.settle(around);
        is_done
    }

    fn slide_to(&mut self, place: usize, number: u32, value: f32) -> bool {
        self.slide(place, number, value);
        true
    }
}

/// The share of its range by which a slider without steps is moved.
const USUAL_STEP: f32 = 0.05;

/// The id of a widget: the same while it is shown, and never that of the screen.
fn id_of(open: &OpenInterface, node: &Node) -> u64 {
    mix(u64::from(open.serial), node.key).max(ROOT + 1)
}
