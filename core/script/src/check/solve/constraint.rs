//! Deferred constraints: products, fields and joins, whose types depend on terms that are still unknown.

use alloc::vec::Vec;

use super::{ANY, Cell, DEPTH_MAX, Misfit, NOTHING, NUMBER, SOME_LAMBDA, STEPS_MAX, Solver, Term, VECTOR};
use crate::source::Span;

/// The most joins in one cycle.
const CIRCLES_MAX: usize = 32;
/// The most fields of a joined record: each join copies them.
const FIELDS_MAX: usize = 128;
/// The most passes over the open constraints.
const ROUNDS_MAX: usize = 8;

/// A deferred constraint.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    pub kind: ConstraintKind,
    pub left: Term,
    pub right: Term,
    pub result: Term,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// `left * right`
    Multiply,
    /// The join of two types: a value of either.
    Join,
    /// The field of `left` whose name has the number `right`.
    Field,
}

impl Solver {
    /// The join of two types.
    pub fn join(&mut self, left: Term, right: Term, span: Span) -> Term {
        self.steps = STEPS_MAX;
        self.join_at(left, right, span, 0)
    }

    fn join_at(&mut self, left: Term, right: Term, span: Span, depth: u32) -> Term {
        if depth > DEPTH_MAX || self.steps == 0 || self.cells.len() > self.cells_max {
            return ANY;
        }
        self.steps -= 1;
        let (left, right) = (self.root(left), self.root(right));
        if left == right || right == NOTHING {
            return left;
        }
        if left == NOTHING {
            return right;
        }
        match (self.cells[left as usize], self.cells[right as usize]) {
            _ if left == ANY || right == ANY => ANY,
            (Cell::Unknown { .. }, _) | (_, Cell::Unknown { .. }) => {
                let result = self.unknown();
                self.constraints.push(Constraint { kind: ConstraintKind::Join, left, right, result, span });
                result
            }
            (Cell::Reference(one), Cell::Reference(other)) if one == other => left,
            (Cell::List(one), Cell::List(other)) => {
                let of = self.join_at(one, other, span, depth + 1);
                if self.root(one) == self.root(of) { left } else { self.add(Cell::List(of)) }
            }
            (Cell::Record { .. }, Cell::Record { .. }) => self.join_records(left, right, span, depth),
            (Cell::Lambda { .. }, Cell::Lambda { .. }) => self.join_lambdas(left, right, span, depth),
            _ => ANY,
        }
    }

    /// The join of two records: all fields of both; a missing field is nothing.
    fn join_records(&mut self, left: Term, right: Term, span: Span, depth: u32) -> Term {
        let (Cell::Record { start, count, is_open }, Cell::Record { start: first, count: others, is_open: may_more }) =
            (self.cells[left as usize], self.cells[right as usize])
        else {
            return ANY;
        };
        let mut fields: Vec<(u32, Term)> = self.fields[start as usize..(start + count) as usize].to_vec();
        let mut is_new = may_more && !is_open;
        for index in 0..others {
            let (name, term) = self.fields[(first + index) as usize];
            // Records of one list mostly have the same fields in the same order.
            let same = fields.get(index as usize).filter(|(known, _)| *known == name).map(|_| index as usize);
            self.steps = self.steps.saturating_sub(1);
            match same.or_else(|| fields.iter().position(|(known, _)| *known == name)) {
                Some(place) => {
                    let joined = self.join_at(fields[place].1, term, span, depth + 1);
                    is_new |= self.root(joined) != self.root(fields[place].1);
                    fields[place].1 = joined;
                }
                None if self.steps == 0 => return self.record(&[], true),
                None => {
                    fields.push((name, term));
                    is_new = true;
                }
            }
        }
        match is_new {
            true if fields.len() > FIELDS_MAX => self.record(&[], true),
            true => self.record(&fields, is_open || may_more),
            false => left,
        }
    }

    fn join_lambdas(&mut self, left: Term, right: Term, span: Span, depth: u32) -> Term {
        let (
            Cell::Lambda { start, count, result, effect, .. },
            Cell::Lambda { start: first, count: others, result: other, effect: also, .. },
        ) = (self.cells[left as usize], self.cells[right as usize])
        else {
            return ANY;
        };
        if count != others {
            return SOME_LAMBDA;
        }
        let parameters: Vec<Term> = (0..count)
            .map(|index| {
                let (one, two) = (self.parameter(start, index), self.parameter(first, index));
                if self.root(one) == self.root(two) { one } else { ANY }
            })
            .collect();
        let result = self.join_at(result, other, span, depth + 1);
        let either = self.effect();
        self.follows(effect, either);
        self.follows(also, either);
        self.lambda(&parameters, result, either, false)
    }

    pub fn ask(&mut self, constraint: Constraint) {
        if !self.answer(constraint) {
            self.constraints.push(constraint);
        }
    }

    /// Solves the constraints from an index on, as far as possible.
    pub fn solve(&mut self, from: usize) {
        for _ in 0..ROUNDS_MAX {
            let open: Vec<Constraint> = self.constraints.drain(from..).collect();
            let before = open.len();
            let left: Vec<Constraint> = open.into_iter().filter(|constraint| !self.answer(*constraint)).collect();
            let is_done = left.len() == before && self.constraints.len() == from;
            self.constraints.extend(left);
            if self.constraints.len() == from || is_done && !self.solve_join_cycles(from) {
                return;
            }
        }
    }

    /// Solves joins that depend only on each other, as those of mutually recursive lambdas. Whether there were any.
    fn solve_join_cycles(&mut self, from: usize) -> bool {
        let joins: Vec<Constraint> = self.constraints[from..]
            .iter()
            .copied()
            .filter(|constraint| constraint.kind == ConstraintKind::Join)
            .collect();
        let mut is_any = false;
        for constraint in joins.iter().take(CIRCLES_MAX) {
            let Some(known) = self.known_in_circle(*constraint, &joins) else { continue };
            let Some(joined) = known.into_iter().reduce(|one, two| self.join(one, two, constraint.span)) else {
                continue;
            };
            if matches!(self.cell(constraint.result), Cell::Unknown { .. }) {
                self.give(joined, constraint.result, constraint.span);
                is_any = true;
            }
        }
        is_any
    }

    /// The known terms in a cycle of joins; none if it depends on other unknowns.
    fn known_in_circle(&self, first: Constraint, joins: &[Constraint]) -> Option<Vec<Term>> {
        let (mut circle, mut known, mut next) = (alloc::vec![self.root(first.result)], Vec::new(), 0);
        while let Some(result) = circle.get(next).copied() {
            next += 1;
            let mut own = joins.iter().filter(|join| self.root(join.result) == result).peekable();
            own.peek()?;
            for side in own.flat_map(|join| [join.left, join.right]) {
                let side = self.root(side);
                if !matches!(self.cells[side as usize], Cell::Unknown { .. }) {
                    known.push(side);
                } else if !circle.contains(&side) {
                    circle.push(side);
                }
            }
            if circle.len() > CIRCLES_MAX || known.len() > CIRCLES_MAX {
                return None;
            }
        }
        Some(known)
    }

    /// Gives up the constraints from an index on: their results are `any`.
    pub fn give_up(&mut self, from: usize) {
        self.solve(from);
        for constraint in self.constraints.split_off(from) {
            let is_unknown = matches!(self.cell(constraint.result), Cell::Unknown { .. });
            if is_unknown {
                self.settle(constraint.result);
            }
        }
    }

    fn answer(&mut self, constraint: Constraint) -> bool {
        let Constraint { kind, left, right, result, span } = constraint;
        match kind {
            ConstraintKind::Multiply => self.answer_multiply(constraint),
            ConstraintKind::Join => {
                let (one, two, both) = (self.root(left), self.root(right), self.root(result));
                let is_unknown = |term: Term| matches!(self.cells[term as usize], Cell::Unknown { .. });
                // The join of a type and the result itself is that type: a lambda that calls itself in one branch.
                let known = match () {
                    () if one == two => one,
                    () if two == both => one,
                    () if one == both => two,
                    () if is_unknown(one) && two != ANY || is_unknown(two) && one != ANY => return false,
                    () => self.join(one, two, span),
                };
                self.give(known, result, span);
                true
            }
            ConstraintKind::Field => {
                let root = self.root(left);
                let given = match self.cells[root as usize] {
                    Cell::Unknown { .. } => return false,
                    Cell::Record { start, count, .. } => self.field(start, count, right).unwrap_or(ANY),
                    Cell::Atom if root == VECTOR => NUMBER,
                    _ => ANY,
                };
                self.give(given, result, span);
                true
            }
        }
    }

    fn answer_multiply(&mut self, constraint: Constraint) -> bool {
        let Constraint { left, right, result, span, .. } = constraint;
        let plain = |term: Term| if term == NOTHING { NUMBER } else { term };
        let (one, two) = (plain(self.root(left)), plain(self.root(right)));
        match (one, two) {
            (VECTOR, other) | (other, VECTOR) => {
                if !self.accept(other, NUMBER) {
                    self.misfits.push(Misfit { span, found: other, expected: NUMBER });
                }
                self.give(VECTOR, result, span);
            }
            (NUMBER, other) | (other, NUMBER) => self.give(other, result, span),
            (ANY, _) | (_, ANY) => self.give(ANY, result, span),
            _ if self.root(result) == NUMBER => {
                let _ = self.accept(one, NUMBER) && self.accept(two, NUMBER);
            }
            _ => return false,
        }
        true
    }

    fn give(&mut self, found: Term, result: Term, span: Span) {
        if !self.accept(found, result) {
            self.misfits.push(Misfit { span, found, expected: result });
        }
    }
}
