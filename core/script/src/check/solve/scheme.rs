//! Type schemes: let-polymorphism by copying a lambda's type for each use.

use alloc::vec::Vec;

use super::constraint::{Constraint, ConstraintKind};
use super::{ANY, Cell, DEPTH_MAX, Solver, Term};
use crate::source::Span;

/// The most terms that one use copies.
const COPY_MAX: usize = 200;
/// The most open constraints of a scheme.
const QUESTIONS_MAX: usize = 16;

/// A type scheme: a term that is instantiated for each use.
#[derive(Clone, Debug)]
pub struct Scheme {
    pub term: Term,
    level: u32,
    constraints: Vec<Constraint>,
    is_closed: bool,
}

impl Solver {
    /// Generalises a term: variables above this level are quantified.
    pub fn generalise(&mut self, term: Term, from: usize) -> Scheme {
        self.solve(from);
        let level = self.level;
        let is_above = |solver: &Solver, term: Term| match solver.cell(term) {
            Cell::Unknown { level: own, .. } => own > level,
            _ => false,
        };
        let open = self.constraints.split_off(from);
        let is_own = |constraint: &Constraint| {
            let field = constraint.kind == ConstraintKind::Field;
            is_above(self, constraint.left)
                || is_above(self, constraint.result)
                || !field && is_above(self, constraint.right)
        };
        let (mut own, others): (Vec<Constraint>, Vec<Constraint>) = open.into_iter().partition(is_own);
        self.constraints.extend(others);
        if own.len() > QUESTIONS_MAX {
            let from = self.constraints.len();
            self.constraints.append(&mut own);
            self.give_up(from);
        }
        self.steps = COPY_MAX as u32;
        let is_closed = own.is_empty() && self.is_closed(term, level, 0);
        Scheme { term, level, constraints: own, is_closed }
    }

    /// Whether a term needs no copy: it has no variable above the level and no lambda parameter.
    fn is_closed(&mut self, term: Term, level: u32, depth: u32) -> bool {
        if depth > DEPTH_MAX || self.steps == 0 {
            return true;
        }
        self.steps -= 1;
        match self.cell(term) {
            Cell::Unknown { level: own, .. } => own <= level,
            Cell::List(of) => self.is_closed(of, level, depth + 1),
            Cell::Record { start, count, .. } => {
                (start..start + count).all(|index| self.is_closed(self.fields[index as usize].1, level, depth + 1))
            }
            Cell::Lambda { start, count, result, .. } => {
                let takes_none = (start..start + count).all(|index| {
                    let parameter = self.parameters[index as usize];
                    let is_lambda = matches!(self.cell(parameter), Cell::Lambda { .. });
                    !is_lambda && self.is_closed(parameter, level, depth + 1)
                });
                takes_none && self.is_closed(result, level, depth + 1)
            }
            _ => true,
        }
    }

    /// Instantiates a scheme for one use, with its constraints.
    pub fn instantiate(&mut self, scheme: &Scheme, span: Span) -> Term {
        if scheme.is_closed {
            return scheme.term;
        }
        let mut copies = Copies { level: scheme.level, terms: Vec::new(), effects: Vec::new() };
        let term = self.copy(scheme.term, &mut copies, 0);
        for constraint in &scheme.constraints {
            let is_field = constraint.kind == ConstraintKind::Field;
            let right = if is_field { constraint.right } else { self.copy(constraint.right, &mut copies, 0) };
            let (left, result) =
                (self.copy(constraint.left, &mut copies, 0), self.copy(constraint.result, &mut copies, 0));
            self.ask(Constraint { left, right, result, span, ..*constraint });
        }
        for (one, copied) in &copies.effects {
            self.follows(*one, *copied);
            self.effects[*copied as usize].must_be_pure = self.effects[*one as usize].must_be_pure;
            for (other, into) in &copies.effects {
                if one != other && self.reaches(*one, *other) {
                    self.follows(*copied, *into);
                }
            }
        }
        term
    }

    fn copy(&mut self, term: Term, copies: &mut Copies, depth: u32) -> Term {
        let root = self.root(term);
        if let Some((_, copied)) = copies.terms.iter().find(|(known, _)| *known == root) {
            return *copied;
        }
        if depth > DEPTH_MAX || copies.terms.len() > COPY_MAX || self.copies == 0 {
            return ANY;
        }
        self.copies -= 1;
        let copied = match self.cells[root as usize] {
            Cell::Unknown { mask, level, .. } if level > copies.level => self.unknown_of(mask),
            Cell::List(of) => {
                let copied = self.copy(of, copies, depth + 1);
                if copied == self.root(of) { root } else { self.add(Cell::List(copied)) }
            }
            Cell::Record { start, count, is_open } => {
                let fields: Vec<(u32, Term)> = (start..start + count)
                    .map(|index| {
                        let (name, term) = self.fields[index as usize];
                        (name, self.copy(term, copies, depth + 1))
                    })
                    .collect();
                let same = fields
                    .iter()
                    .zip(start..)
                    .all(|((_, copied), index)| *copied == self.root(self.fields[index as usize].1));
                if same { root } else { self.record(&fields, is_open) }
            }
            Cell::Lambda { start, count, result, effect, is_guessed } => {
                let parameters: Vec<Term> = (start..start + count)
                    .map(|index| self.copy(self.parameters[index as usize], copies, depth + 1))
                    .collect();
                let result = self.copy(result, copies, depth + 1);
                let known = copies.effects.iter().find(|(known, _)| *known == effect).map(|(_, copied)| *copied);
                let copied = known.unwrap_or_else(|| self.effect());
                if known.is_none() {
                    copies.effects.push((effect, copied));
                }
                self.lambda(&parameters, result, copied, is_guessed)
            }
            _ => root,
        };
        copies.terms.push((root, copied));
        copied
    }

    /// Whether one effect implies another, within a limited search.
    fn reaches(&self, from: u32, to: u32) -> bool {
        const LOOK_MAX: usize = 64;
        let (mut seen, mut next) = (alloc::vec![from], 0);
        while let Some(at) = seen.get(next).copied() {
            if at == to || seen.len() > LOOK_MAX {
                return true;
            }
            for follow in &self.effects[at as usize].follow {
                if !seen.contains(follow) {
                    seen.push(*follow);
                }
            }
            next += 1;
        }
        false
    }
}

struct Copies {
    level: u32,
    terms: Vec<(Term, Term)>,
    effects: Vec<(u32, u32)>,
}
