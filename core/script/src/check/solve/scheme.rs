//! Lambdas that may be used with different types: each use is a copy.

use alloc::vec::Vec;

use super::question::{Question, QuestionKind};
use super::{ANY, Cell, DEPTH_MAX, Solver, Term};
use crate::source::Span;

/// Terms copied for one use of a lambda, at most.
const COPY_MAX: usize = 200;
/// Open questions a lambda takes along, at most.
const QUESTIONS_MAX: usize = 16;

/// A term that stands for a new copy wherever it is used.
#[derive(Clone, Debug)]
pub struct Scheme {
    pub term: Term,
    level: u32,
    questions: Vec<Question>,
    is_closed: bool,
}

impl Solver {
    /// Makes a scheme of a term: what is unknown in it above this level may be something else in every use.
    pub fn generalise(&mut self, term: Term, from: usize) -> Scheme {
        self.solve(from);
        let level = self.level;
        let is_above = |solver: &Solver, term: Term| match solver.cell(term) {
            Cell::Unknown { level: own, .. } => own > level,
            _ => false,
        };
        let open = self.questions.split_off(from);
        let is_own = |question: &Question| {
            let field = question.kind == QuestionKind::Field;
            is_above(self, question.left) || is_above(self, question.result) || !field && is_above(self, question.right)
        };
        let (mut own, others): (Vec<Question>, Vec<Question>) = open.into_iter().partition(is_own);
        self.questions.extend(others);
        if own.len() > QUESTIONS_MAX {
            let from = self.questions.len();
            self.questions.append(&mut own);
            self.give_up(from);
        }
        self.steps = COPY_MAX as u32;
        let is_closed = own.is_empty() && self.is_closed(term, level, 0);
        Scheme { term, level, questions: own, is_closed }
    }

    /// Whether a copy of a term would be as good as the term: nothing above the level is unknown, no lambda is taken.
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

    /// A term for one use of a scheme. Its questions are asked again, at this place.
    pub fn instantiate(&mut self, scheme: &Scheme, span: Span) -> Term {
        if scheme.is_closed {
            return scheme.term;
        }
        let mut copies = Copies { level: scheme.level, terms: Vec::new(), effects: Vec::new() };
        let term = self.copy(scheme.term, &mut copies, 0);
        for question in &scheme.questions {
            let is_field = question.kind == QuestionKind::Field;
            let right = if is_field { question.right } else { self.copy(question.right, &mut copies, 0) };
            let (left, result) = (self.copy(question.left, &mut copies, 0), self.copy(question.result, &mut copies, 0));
            self.ask(Question { left, right, result, span, ..*question });
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

    /// Whether what one does is done by another, looking at so many only.
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
