//! What can be said only when more is known: products, fields, and values that may be either of two.

use alloc::vec::Vec;

use super::{ANY, Cell, DEPTH_MAX, Misfit, NOTHING, NUMBER, SOME_LAMBDA, STEPS_MAX, Solver, Term, VECTOR};
use crate::source::Span;

/// Joins that wait for each other, at most.
const CIRCLES_MAX: usize = 32;
/// Fields that a record joined of several is known to have, at most: each join makes a new row of them.
const FIELDS_MAX: usize = 128;
/// Rounds over the open questions.
const ROUNDS_MAX: usize = 8;

/// Something that can be said only when more is known.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    pub kind: QuestionKind,
    pub left: Term,
    pub right: Term,
    pub result: Term,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// `left * right`
    Multiply,
    /// Either of two.
    Join,
    /// The field of `left` whose name has the number `right`.
    Field,
}

impl Solver {
    /// What a value is that may be either of two.
    pub fn join(&mut self, left: Term, right: Term, span: Span) -> Term {
        self.steps = STEPS_MAX;
        self.join_at(left, right, span, 0)
    }

    fn join_at(&mut self, left: Term, right: Term, span: Span, depth: u32) -> Term {
        if depth > DEPTH_MAX || self.steps == 0 {
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
                self.questions.push(Question { kind: QuestionKind::Join, left, right, result, span });
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

    /// All fields of both: one that is in only one of them is nothing in the other.
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

    pub fn ask(&mut self, question: Question) {
        if !self.answer(question) {
            self.questions.push(question);
        }
    }

    /// Answers the questions from a number on, as far as they can be.
    pub fn solve(&mut self, from: usize) {
        for _ in 0..ROUNDS_MAX {
            let open: Vec<Question> = self.questions.drain(from..).collect();
            let before = open.len();
            let left: Vec<Question> = open.into_iter().filter(|question| !self.answer(*question)).collect();
            let is_done = left.len() == before && self.questions.len() == from;
            self.questions.extend(left);
            if self.questions.len() == from || is_done && !self.close_circles(from) {
                return;
            }
        }
    }

    /// Lambdas that call each other give what their other branches give: answers questions that wait only for each
    /// other. Whether there were any.
    fn close_circles(&mut self, from: usize) -> bool {
        let joins: Vec<Question> =
            self.questions[from..].iter().copied().filter(|question| question.kind == QuestionKind::Join).collect();
        let mut is_any = false;
        for question in joins.iter().take(CIRCLES_MAX) {
            let Some(known) = self.known_in_circle(*question, &joins) else { continue };
            let Some(joined) = known.into_iter().reduce(|one, two| self.join(one, two, question.span)) else {
                continue;
            };
            if matches!(self.cell(question.result), Cell::Unknown { .. }) {
                self.give(joined, question.result, question.span);
                is_any = true;
            }
        }
        is_any
    }

    /// What is known on the way round a circle of joins; none if something else is waited for.
    fn known_in_circle(&self, first: Question, joins: &[Question]) -> Option<Vec<Term>> {
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

    /// Questions from a number on that could not be answered: their results are anything.
    pub fn give_up(&mut self, from: usize) {
        self.solve(from);
        for question in self.questions.split_off(from) {
            let is_unknown = matches!(self.cell(question.result), Cell::Unknown { .. });
            if is_unknown {
                self.settle(question.result);
            }
        }
    }

    fn answer(&mut self, question: Question) -> bool {
        let Question { kind, left, right, result, span } = question;
        match kind {
            QuestionKind::Multiply => self.answer_multiply(question),
            QuestionKind::Join => {
                let (one, two, both) = (self.root(left), self.root(right), self.root(result));
                let is_unknown = |term: Term| matches!(self.cells[term as usize], Cell::Unknown { .. });
                // `either this or the result itself` is this: a lambda that calls itself in one branch.
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
            QuestionKind::Field => {
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

    fn answer_multiply(&mut self, question: Question) -> bool {
        let Question { left, right, result, span, .. } = question;
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
