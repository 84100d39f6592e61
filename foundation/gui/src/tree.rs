//! The tree of an interface: its widgets, those of its add-ons and templates, with parents and references resolved.
//!
//! Laws
//! 1. Parents come before what lies in them, and widgets before those placed beside them: [`Draft::rank`].
//! 2. What names a missing widget, closes a cycle or lies too deep is reported, and placed on the screen or left out.
//! 3. Cost: proportional to the number of widgets, with a logarithmic search for each name.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use base::StringId;
use script::program::Program;
use tags::packed::View;
use tags::{Library, TagId};

use crate::classes::interface::{GuiButton, Interface, WidgetKind, WidgetRecord};
use crate::definition::{Definition, Style, Styles, name_in};
use crate::limits::{DEPTH_MAX, LOGICS_MAX, TEMPLATE_DEPTH_MAX, WIDGETS_MAX};
use crate::report::Reports;

/// No widget.
pub const NONE: u32 = u32::MAX;

/// A widget of the tree.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What the tag says about it.
    pub definition: Arc<Definition>,
    /// The number of its logic object.
    pub logic: u32,
    /// The widget it lies in; [`NONE`]: the screen.
    pub parent: u32,
    /// The sibling beside which it is placed; [`NONE`]: its parent.
    pub reference: u32,
    /// The number of siblings that must be placed before it.
    pub rank: u32,
    /// The widgets in it, in order.
    pub children: Vec<u32>,
    /// The name of its parent, if the tag gives one.
    named_parent: StringId,
}

/// A logic object of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct LogicPlan {
    /// Its interface tag.
    pub tag: StringId,
    /// The widget that uses it as a template; [`NONE`]: it is the interface itself or an add-on.
    pub host: u32,
    /// The logic object of that widget, and the lambda with its first values.
    pub with_values: Option<(u32, u32)>,
    /// The logic object whose names it knows too: an add-on knows those of its interface.
    pub scope: Option<u32>,
}

/// The widgets and logic objects of an interface.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The widgets.
    pub drafts: Vec<Draft>,
    /// The widgets that lie on the screen itself, in order.
    pub roots: Vec<u32>,
    /// The logic objects; the first is that of the interface.
    pub logics: Vec<LogicPlan>,
    /// For each logic object, its widgets by name.
    pub names: Vec<BTreeMap<StringId, u32>>,
}

impl Tree {
    /// The tree of an interface with these add-ons of the player.
    pub fn build(content: &Library, interface: StringId, add_ons: &[StringId], reports: &mut Reports) -> Tree {
        let mut growth = Growth { content, reports, tree: Tree::default(), using: Vec::new(), is_full: false };
        let plan = LogicPlan { tag: interface, host: NONE, with_values: None, scope: None };
        growth.interface(plan, &Styles::new(), 0);
        for add_on in add_ons {
            let fits = content
                .get_as::<Interface>(*add_on)
                .is_none_or(|found| found.extends.is_none() || found.extends.id() == interface);
            if fits && !growth.tree.logics.is_empty() {
                let plan = LogicPlan { tag: *add_on, host: NONE, with_values: None, scope: Some(0) };
                growth.interface(plan, &Styles::new(), 0);
            }
        }
        growth.connect();
        growth.cut_cycles();
        growth.cut_depth();
        growth.rank();
        growth.tree
    }

    /// The widget that a name means for a logic object.
    pub fn find(&self, logic: u32, name: StringId) -> Option<u32> {
        let mut logic = Some(logic);
        for _ in 0..=TEMPLATE_DEPTH_MAX {
            let number = logic? as usize;
            if let Some(found) = self.names.get(number)?.get(&name) {
                return Some(*found);
            }
            logic = self.logics.get(number)?.scope;
        }
        None
    }
}

struct Growth<'a> {
    content: &'a Library,
    reports: &'a mut Reports,
    tree: Tree,
    /// The interfaces that are being read, the outermost first.
    using: Vec<StringId>,
    is_full: bool,
}

impl Growth<'_> {
    fn path(&self, tag: StringId) -> String {
        self.content.path(tag).map_or_else(|| format!("{tag}"), |path| path.as_str().to_string())
    }

    fn report(&mut self, tag: StringId, message: String) {
        let path = self.path(tag);
        self.reports.add(&path, 0, message);
    }

    fn name(&self, tag: StringId, name: StringId) -> String {
        name_in(self.content.packed(tag), name)
    }

    /// Reads an interface with its add-ons.
    fn interface(&mut self, plan: LogicPlan, known: &Styles, depth: u32) {
        let tag = plan.tag;
        let Some(view) = self.content.get_as::<Interface>(tag) else {
            let path = self.path(tag);
            self.reports.add(&path, 0, "expected an interface at this path, found none; nothing is shown for it");
            return;
        };
        if self.using.contains(&tag) {
            return self.report(tag, "the interface uses itself; it is left out there".to_string());
        }
        if self.using.len() >= TEMPLATE_DEPTH_MAX || self.tree.logics.len() >= LOGICS_MAX {
            let limits = format!("{TEMPLATE_DEPTH_MAX} templates within each other and {LOGICS_MAX} in all");
            return self.report(tag, format!("expected at most {limits}; further ones are left out"));
        }
        self.using.push(tag);
        let logic = self.tree.logics.len() as u32;
        let host = plan.host;
        self.tree.logics.push(plan);
        self.tree.names.push(BTreeMap::new());
        let mut styles = known.clone();
        self.styles(view, &mut styles, 0);
        for record in view.each(&view.widgets) {
            self.widget(view, record, (logic, host), &styles, depth);
        }
        if let Some(button) = self.content.get::<GuiButton>(TagId::of(tag))
            && view.widgets.count() == 0
        {
            let definition = Definition::button(StringId::new("button"), button.caption);
            self.add(definition, (logic, host), StringId::NONE);
        }
        for add_on in view.each(&view.add_ons) {
            let plan = LogicPlan { tag: add_on.id(), host, with_values: None, scope: Some(logic) };
            self.interface(plan, &styles, depth);
        }
        self.using.pop();
    }

    /// Adds the styles of an interface and of those it uses; its own count more.
    fn styles(&self, view: View<'_, Interface>, styles: &mut Styles, depth: usize) {
        if depth < TEMPLATE_DEPTH_MAX {
            for used in view.each(&view.add_ons).iter().filter_map(|used| self.content.follow(used)) {
                self.styles(used, styles, depth + 1);
            }
        }
        for row in view.each(&view.styles) {
            styles.insert(row.name, Style::of(view, row));
        }
    }

    fn widget(
        &mut self,
        view: View<'_, Interface>,
        record: &WidgetRecord,
        (logic, parent): (u32, u32),
        styles: &Styles,
        depth: u32,
    ) {
        let tag = self.tree.logics[logic as usize].tag;
        if !record.style.is_none() && !styles.contains_key(&record.style) {
            let (name, style) = (self.name(tag, record.name), self.name(tag, record.style));
            self.report(tag, format!("the widget `{name}` has the unknown style `{style}`; it is drawn without it"));
        }
        let definition = match self.content.program(tag) {
            Some(program) => Definition::of(view, record, styles, program),
            None => Definition::of(view, record, styles, &Program::default()),
        };
        let (template, with_values) = (definition.template, definition.with_values);
        let Some(number) = self.add(definition, (logic, parent), record.parent) else { return };
        // Texts nest less deep; a damaged tag might not.
        if depth >= DEPTH_MAX {
            return;
        }
        for child in view.each(&record.children) {
            self.widget(view, child, (logic, number), styles, depth + 1);
        }
        if !template.is_none() {
            let with_values = with_values.map(|function| (logic, function));
            let plan = LogicPlan { tag: template, host: number, with_values, scope: None };
            self.interface(plan, styles, depth + 1);
        }
    }

    fn add(&mut self, definition: Definition, (logic, parent): (u32, u32), named_parent: StringId) -> Option<u32> {
        let tag = self.tree.logics[logic as usize].tag;
        if self.tree.drafts.len() >= WIDGETS_MAX {
            if !core::mem::replace(&mut self.is_full, true) {
                self.report(tag, format!("expected at most {WIDGETS_MAX} widgets; further ones are left out"));
            }
            return None;
        }
        let number = self.tree.drafts.len() as u32;
        let name = definition.name;
        if !name.is_none() && self.tree.names[logic as usize].insert(name, number).is_some() {
            let name = self.name(tag, name);
            self.report(tag, format!("two widgets are named `{name}`; scripts find the later one"));
        }
        let definition = Arc::new(definition);
        let children = Vec::new();
        self.tree.drafts.push(Draft { definition, logic, parent, reference: NONE, rank: 0, children, named_parent });
        Some(number)
    }

    /// Resolves the names of parents and references, and lists what lies in each widget.
    fn connect(&mut self) {
        for number in 0..self.tree.drafts.len() {
            let draft = &self.tree.drafts[number];
            let (logic, name, named) = (draft.logic, draft.definition.name, draft.named_parent);
            if named.is_none() {
                continue;
            }
            match self.tree.find(logic, named) {
                Some(parent) => self.tree.drafts[number].parent = parent,
                None => {
                    let tag = self.tree.logics[logic as usize].tag;
                    let (name, parent) = (self.name(tag, name), self.name(tag, named));
                    self.report(
                        tag,
                        format!(
                            "the parent `{parent}` of the widget `{name}` is unknown; it stays where it is written"
                        ),
                    );
                }
            }
        }
        self.list_children();
    }

    fn list_children(&mut self) {
        self.tree.roots.clear();
        self.tree.drafts.iter_mut().for_each(|draft| draft.children.clear());
        for number in 0..self.tree.drafts.len() as u32 {
            let parent = self.tree.drafts[number as usize].parent;
            match self.tree.drafts.get_mut(parent as usize) {
                Some(parent) => parent.children.push(number),
                None => self.tree.roots.push(number),
            }
        }
    }

    /// Places widgets on the screen that lie in themselves by way of others.
    fn cut_cycles(&mut self) {
        // 0: not seen; otherwise the number of the walk that saw it.
        let mut seen = alloc::vec![0_u32; self.tree.drafts.len()];
        let mut cut = Vec::new();
        for start in 0..self.tree.drafts.len() as u32 {
            let (walk, mut at) = (start + 1, start);
            while let Some(mark) = seen.get_mut(at as usize).filter(|mark| **mark == 0) {
                *mark = walk;
                at = self.tree.drafts[at as usize].parent;
            }
            if seen.get(at as usize) == Some(&walk) {
                cut.push(at);
                self.tree.drafts[at as usize].parent = NONE;
            }
        }
        for number in &cut {
            let draft = &self.tree.drafts[*number as usize];
            let tag = self.tree.logics[draft.logic as usize].tag;
            let name = self.name(tag, draft.definition.name);
            self.report(tag, format!("the widget `{name}` lies in itself by its parents; it is placed on the screen"));
        }
        if !cut.is_empty() {
            self.list_children();
        }
    }

    /// Leaves out what lies too deep.
    fn cut_depth(&mut self) {
        let mut waiting: Vec<(u32, u32)> = self.tree.roots.iter().map(|root| (*root, 1)).collect();
        let mut reached = 0;
        while let Some((number, depth)) = waiting.pop() {
            reached += 1;
            if depth < DEPTH_MAX {
                waiting.extend(self.tree.drafts[number as usize].children.iter().map(|child| (*child, depth + 1)));
                continue;
            }
            self.tree.drafts[number as usize].children.clear();
        }
        let left_out = self.tree.drafts.len() - reached;
        if left_out > 0 {
            let tag = self.tree.logics[0].tag;
            let message = format!("expected widgets at most {DEPTH_MAX} deep; {left_out} deeper ones are left out");
            self.report(tag, message);
        }
    }

    /// Resolves references to siblings, and counts how many must be placed before each.
    fn rank(&mut self) {
        for number in 0..self.tree.drafts.len() {
            let draft = &self.tree.drafts[number];
            let (logic, reference, name) = (draft.logic, draft.definition.reference, draft.definition.name);
            if reference.is_none() {
                continue;
            }
            let parent = draft.parent;
            let in_flow = self
                .tree
                .drafts
                .get(parent as usize)
                .is_some_and(|parent| parent.definition.flows() || parent.definition.kind == WidgetKind::Spacer);
            let found = self.tree.find(logic, reference);
            let is_sibling = |found: &u32| self.tree.drafts[*found as usize].parent == parent;
            match found.filter(is_sibling).filter(|_| !in_flow) {
                Some(found) => self.tree.drafts[number].reference = found,
                None => {
                    let tag = self.tree.logics[logic as usize].tag;
                    let (name, reference) = (self.name(tag, name), self.name(tag, reference));
                    let message = format!(
                        "expected a widget of the same parent as reference of `{name}`, and no row or column around both; found `{reference}`; its parent is used"
                    );
                    self.report(tag, message);
                }
            }
        }
        self.rank_chains();
    }

    /// Follows the chains of references; a chain that returns to itself is cut.
    fn rank_chains(&mut self) {
        const UNKNOWN: u32 = u32::MAX;
        let mut ranks = alloc::vec![UNKNOWN; self.tree.drafts.len()];
        let mut chain = Vec::new();
        let mut is_waiting = alloc::vec![false; self.tree.drafts.len()];
        for start in 0..self.tree.drafts.len() as u32 {
            let mut at = start;
            while at != NONE && ranks[at as usize] == UNKNOWN && !is_waiting[at as usize] {
                is_waiting[at as usize] = true;
                chain.push(at);
                at = self.tree.drafts[at as usize].reference;
            }
            if at != NONE && is_waiting[at as usize] {
                let draft = &self.tree.drafts[at as usize];
                let tag = self.tree.logics[draft.logic as usize].tag;
                let name = self.name(tag, draft.definition.name);
                self.report(
                    tag,
                    format!("the widget `{name}` is placed beside itself by its references; its parent is used"),
                );
                // It is the last of the chain from now on.
                self.tree.drafts[at as usize].reference = NONE;
                ranks[at as usize] = 0;
            }
            while let Some(number) = chain.pop() {
                is_waiting[number as usize] = false;
                if ranks[number as usize] == UNKNOWN {
                    let reference = self.tree.drafts[number as usize].reference;
                    ranks[number as usize] = if reference == NONE { 0 } else { ranks[reference as usize] + 1 };
                }
                self.tree.drafts[number as usize].rank = ranks[number as usize];
            }
        }
    }
}
