//! The order in which the statements of a tag are evaluated: each behind those it reads.
//!
//! Laws
//! 1. A statement that reads no later one stays in its place.
//! 2. All statements that change parts of a value are behind the one that sets it: first those that the tag inherits, the
//!    furthest first, then its own.
//! 3. A cycle of values that need each other is an error. A lambda needs nothing until a value calls it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use script::ast::{Expression, NodeId, Tree};
use script::report::Report;
use script::source::Span;

use super::push;
use crate::formula::Dependence;

/// The indices of the statements in their order of evaluation. What a tag inherits begins at byte `own`.
pub(super) fn of(source: &str, tree: &Tree, own: u32, reports: &mut Vec<Report>) -> Vec<usize> {
    let mut sets: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, statement) in tree.statements.iter().enumerate() {
        if let Some(name) = tree.set_by(tree.node(*statement)) {
            sets.entry(name.text(source)).or_default().push(index);
        }
    }
    let is_update = |index: &usize| matches!(expression(tree, *index), Expression::Update(..));
    for group in sets.values_mut() {
        group.sort_by_key(|index| {
            let is_own = span(tree, *index).start < own;
            (is_update(index), is_update(index) && is_own, *index)
        });
    }
    let mut before = alloc::vec![None; tree.statements.len()];
    for pair in sets.values().flat_map(|group| group.windows(2)) {
        before[pair[1]] = Some(pair[0]);
    }
    let mut walk = OrderWalk {
        before,
        source,
        tree,
        sets,
        states: alloc::vec![VisitState::New; tree.statements.len()],
        order: Vec::new(),
    };
    for index in 0..tree.statements.len() {
        walk.visit(index, &mut Vec::new(), reports);
    }
    walk.order
}

#[derive(Clone, Copy, PartialEq)]
enum VisitState {
    New,
    Open,
    Done,
}

struct OrderWalk<'a> {
    /// For each statement, the one of the same name that comes directly before it.
    before: Vec<Option<usize>>,
    source: &'a str,
    tree: &'a Tree,
    /// The statements of each name, in their order.
    sets: BTreeMap<&'a str, Vec<usize>>,
    states: Vec<VisitState>,
    order: Vec<usize>,
}

/// The longest chain of statements that is followed. Longer ones are evaluated in the order of the text.
const CHAIN_MAX: usize = 512;

impl OrderWalk<'_> {
    fn visit(&mut self, index: usize, path: &mut Vec<usize>, reports: &mut Vec<Report>) {
        if self.states[index] != VisitState::New || path.len() >= CHAIN_MAX {
            return;
        }
        self.states[index] = VisitState::Open;
        path.push(index);
        for needed in self.needed(index) {
            match self.states[needed] {
                VisitState::New => self.visit(needed, path, reports),
                VisitState::Open if needed != index => self.report_cycle(needed, path, reports),
                _ => {}
            }
        }
        path.pop();
        self.states[index] = VisitState::Done;
        self.order.push(index);
    }

    /// The statements that must be evaluated before another: those that it reads, itself or in the lambdas that it mentions. A
    /// lambda needs none. Of several of one name the last is enough, since each needs the one before it.
    fn needed(&self, index: usize) -> Vec<usize> {
        let name =
            self.tree.set_by(self.tree.node(self.tree.statements[index])).map_or("", |name| name.text(self.source));
        let mut needed: Vec<usize> = self.before[index].into_iter().collect();
        if self.is_lambda(index) {
            return needed;
        }
        let mut open = Vec::from([index]);
        let mut seen = BTreeSet::from([name]);
        while let Some(reader) = open.pop() {
            for read in self.names_in(reader) {
                if !seen.insert(read) {
                    continue;
                }
                let found = self.sets.get(read).map_or(&[][..], Vec::as_slice);
                needed.extend(found.last());
                open.extend(found.iter().filter(|other| self.is_lambda(**other)));
            }
        }
        needed
    }

    /// The free names of what a statement sets.
    fn names_in(&self, index: usize) -> Vec<&str> {
        let node = match expression(self.tree, index) {
            Expression::Set(_, value) => value,
            _ => self.tree.statements[index],
        };
        let names = Dependence::of(self.source, self.tree, node).names;
        names.into_iter().map(|name| name.text(self.source)).collect()
    }

    fn report_cycle(&self, first: usize, path: &[usize], reports: &mut Vec<Report>) {
        let start = path.iter().position(|index| *index == first).unwrap_or(0);
        let cycle = &path[start..];
        let name = |index: &usize| self.tree.set_by(self.tree.node(self.tree.statements[*index]));
        let names: Vec<String> =
            cycle.iter().filter_map(name).map(|name| format!("`{}`", name.text(self.source))).collect();
        let message = format!("the values of {} need each other", names.join(" and "));
        let report = Report::error(name(&first).unwrap_or_default(), message);
        push(reports, report.with_help("give one of them a value that does not read the other"));
    }

    fn is_lambda(&self, index: usize) -> bool {
        let Expression::Set(_, mut value) = expression(self.tree, index) else { return false };
        while let Expression::Group(inner) = self.tree.node(value).expression {
            value = inner;
        }
        matches!(self.tree.node(value).expression, Expression::Lambda { .. } | Expression::Body(_))
    }
}

fn node_of(tree: &Tree, index: usize) -> NodeId {
    tree.statements[index]
}

fn expression(tree: &Tree, index: usize) -> Expression {
    tree.node(node_of(tree, index)).expression
}

fn span(tree: &Tree, index: usize) -> Span {
    tree.node(node_of(tree, index)).span
}
