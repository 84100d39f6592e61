//! What the checker knows about types while it works: terms that are found out by and by.
//!
//! Laws
//! 1. `any` and `nothing` fit everything, and a term that would contain itself is `any`.
//! 2. What is found out from the uses of a name in branches that exclude each other may differ: then the name is `any`.
//! 3. All work is bounded: what would take more steps, or lie deeper, counts as fitting.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::source::Span;
use crate::types::{Lambda, Record, Type};

/// The number of a term.
pub(super) type Term = u32;

pub(super) const ANY: Term = 0;
pub(super) const NOTHING: Term = 1;
pub(super) const NUMBER: Term = 2;
pub(super) const IDENTIFIER: Term = 3;
pub(super) const TRUTH: Term = 4;
pub(super) const STRING: Term = 5;
pub(super) const VECTOR: Term = 6;
pub(super) const HANDLE: Term = 7;
pub(super) const SOME_LAMBDA: Term = 8;
const ATOMS: [Type; 9] = [
    Type::Any,
    Type::Nothing,
    Type::Number,
    Type::Identifier,
    Type::Truth,
    Type::String,
    Type::Vector,
    Type::Handle,
    Type::SomeLambda,
];

/// Which kinds a term may still be: one bit each, by the number of the atom.
pub(super) type Mask = u16;
pub(super) const fn mask(atoms: &[Term]) -> Mask {
    let (mut mask, mut index) = (0, 0);
    while index < atoms.len() {
        mask |= 1 << atoms[index];
        index += 1;
    }
    mask
}
pub(super) const MASK_ALL: Mask = Mask::MAX;
pub(super) const MASK_LAMBDA: Mask = mask(&[SOME_LAMBDA]);
pub(super) const MASK_LIST: Mask = 1 << 9;
pub(super) const MASK_RECORD: Mask = 1 << 10;
pub(super) const MASK_REFERENCE: Mask = 1 << 11;

/// Terms looked at for one question, at most.
const STEPS_MAX: u32 = 500;
/// How deep terms are looked into.
const DEPTH_MAX: u32 = 32;
/// Terms copied for one use of a lambda, at most.
const COPY_MAX: usize = 200;
/// Open questions a lambda takes along, at most.
const QUESTIONS_MAX: usize = 16;
/// Joins that wait for each other, at most.
const CIRCLES_MAX: usize = 32;
/// Rounds over the open questions.
const ROUNDS_MAX: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    /// Not found out yet. `path` is where it was last narrowed.
    Unknown {
        mask: Mask,
        level: u32,
        is_soft: bool,
        path: u32,
    },
    /// The same as another term, found out at a path. A soft one is widened rather than found wrong.
    Bound {
        to: Term,
        path: u32,
        is_soft: bool,
    },
    /// One of the atoms above.
    Atom,
    /// The name's number.
    Reference(u32),
    List(Term),
    /// Fields in `Solver::fields`.
    Record {
        start: u32,
        count: u32,
        is_open: bool,
    },
    /// Parameters in `Solver::parameters`.
    Lambda {
        start: u32,
        count: u32,
        result: Term,
        effect: u32,
        is_guessed: bool,
    },
}

/// Something that can be said only when more is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub kind: QuestionKind,
    pub left: Term,
    pub right: Term,
    pub result: Term,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionKind {
    /// `left * right`
    Multiply,
    /// Either of two.
    Join,
    /// The field of `left` whose name has the number `right`.
    Field,
}

/// What does not fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Misfit {
    pub span: Span,
    pub found: Term,
    pub expected: Term,
}

/// A term that stands for a new copy wherever it is used.
#[derive(Clone, Debug)]
pub(super) struct Scheme {
    pub term: Term,
    level: u32,
    questions: Vec<Question>,
    is_closed: bool,
}

pub(super) struct Solver {
    cells: Vec<Cell>,
    pub fields: Vec<(u32, Term)>,
    pub parameters: Vec<Term>,
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
    pub questions: Vec<Question>,
    pub misfits: Vec<Misfit>,
    /// For each effect number: whether it does something, whether it is unknown what it does, and which follow from it.
    pub effects: Vec<Does>,
    pub level: u32,
    /// The branch that is being looked at, and for each branch the one around it.
    pub path: u32,
    paths: Vec<u32>,
    steps: u32,
    /// What copying may still cost, in this file.
    copies: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Does {
    pub is_effectful: bool,
    pub is_unknown: bool,
    /// Whether it is handed to a built-in.
    pub must_be_pure: bool,
    pub follow: Vec<u32>,
}

impl Solver {
    pub fn new(copies: usize) -> Solver {
        Solver {
            cells: alloc::vec![Cell::Atom; ATOMS.len()],
            fields: Vec::new(),
            parameters: Vec::new(),
            names: Vec::new(),
            numbers: BTreeMap::new(),
            questions: Vec::new(),
            misfits: Vec::new(),
            effects: Vec::new(),
            level: 0,
            path: 0,
            paths: alloc::vec![0],
            steps: 0,
            copies,
        }
    }

    pub fn name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.names.push(name.to_string());
        let number = self.names.len() as u32 - 1;
        self.numbers.insert(name.to_string(), number);
        number
    }

    pub fn text(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", String::as_str)
    }

    /// Enters a branch of the one being looked at; gives the one to return to.
    pub fn enter_branch(&mut self) -> u32 {
        self.paths.push(self.path);
        core::mem::replace(&mut self.path, self.paths.len() as u32 - 1)
    }

    pub fn add(&mut self, cell: Cell) -> Term {
        self.cells.push(cell);
        self.cells.len() as Term - 1
    }

    pub fn unknown(&mut self) -> Term {
        self.unknown_of(MASK_ALL)
    }

    pub fn unknown_of(&mut self, mask: Mask) -> Term {
        self.add(Cell::Unknown { mask, level: self.level, is_soft: false, path: self.path })
    }

    pub fn effect(&mut self) -> u32 {
        self.effects.push(Does::default());
        self.effects.len() as u32 - 1
    }

    /// What does `from` is then done by `to` too.
    pub fn follows(&mut self, from: u32, to: u32) {
        if from != to && self.effects[from as usize].follow.last() != Some(&to) {
            self.effects[from as usize].follow.push(to);
        }
    }

    /// Carries what does something over to all that follow.
    pub fn spread_effects(&mut self) {
        let marked = |does: &Does| does.is_effectful || does.is_unknown;
        let mut queue: Vec<u32> =
            (0..self.effects.len() as u32).filter(|e| marked(&self.effects[*e as usize])).collect();
        while let Some(from) = queue.pop() {
            let Does { is_effectful, is_unknown, follow, .. } = self.effects[from as usize].clone();
            for to in follow {
                let does = &mut self.effects[to as usize];
                let before = (does.is_effectful, does.is_unknown);
                does.is_effectful |= is_effectful;
                does.is_unknown |= is_unknown;
                if before != (does.is_effectful, does.is_unknown) {
                    queue.push(to);
                }
            }
        }
    }

    pub fn lambda(&mut self, parameters: &[Term], result: Term, effect: u32, is_guessed: bool) -> Term {
        let start = self.parameters.len() as u32;
        self.parameters.extend_from_slice(parameters);
        self.add(Cell::Lambda { start, count: parameters.len() as u32, result, effect, is_guessed })
    }

    pub fn record(&mut self, fields: &[(u32, Term)], is_open: bool) -> Term {
        let start = self.fields.len() as u32;
        self.fields.extend_from_slice(fields);
        self.add(Cell::Record { start, count: fields.len() as u32, is_open })
    }

    pub fn root(&self, mut term: Term) -> Term {
        while let Cell::Bound { to, .. } = self.cells[term as usize] {
            term = to;
        }
        term
    }

    /// Shortens the way from a term to what it is, where that was all found out at one path.
    fn shorten(&mut self, mut term: Term) {
        while let Cell::Bound { to, path, is_soft: false } = self.cells[term as usize]
            && let Cell::Bound { to: further, path: same, is_soft: false } = self.cells[to as usize]
        {
            if path == same {
                self.cells[term as usize] = Cell::Bound { to: further, path, is_soft: false };
            }
            term = to;
        }
    }

    /// What a term is, as far as it is known.
    pub fn cell(&self, term: Term) -> Cell {
        self.cells[self.root(term) as usize]
    }

    pub fn parameter(&self, start: u32, index: u32) -> Term {
        self.parameters[(start + index) as usize]
    }

    pub fn field(&self, start: u32, count: u32, name: u32) -> Option<Term> {
        let fields = &self.fields[start as usize..(start + count) as usize];
        fields.iter().find(|(known, _)| *known == name).map(|(_, term)| *term)
    }

    /// Which kinds a term may be.
    pub fn mask(&self, term: Term) -> Mask {
        let root = self.root(term);
        match self.cells[root as usize] {
            Cell::Unknown { mask, .. } => mask,
            Cell::Bound { .. } => MASK_ALL,
            Cell::Atom if root <= NOTHING => MASK_ALL,
            Cell::Atom => 1 << root,
            Cell::Reference(_) => MASK_REFERENCE | mask(&[STRING, HANDLE]),
            Cell::List(_) => MASK_LIST,
            Cell::Record { .. } => MASK_RECORD,
            Cell::Lambda { .. } => MASK_LAMBDA,
        }
    }

    /// Makes sure that a term is of one of these kinds. Whether it can be.
    pub fn restrict(&mut self, term: Term, allowed: Mask) -> bool {
        let root = self.root(term);
        if let Cell::Unknown { mask, level, is_soft, path } = self.cells[root as usize] {
            let narrowed = mask & allowed;
            if narrowed == 0 {
                if self.excludes(path) {
                    self.cells[root as usize] = Cell::Bound { to: ANY, path: self.path, is_soft };
                    return true;
                }
                return false;
            }
            let is_atom = narrowed.is_power_of_two() && (NUMBER..=HANDLE).contains(&narrowed.trailing_zeros());
            self.cells[root as usize] = match is_atom {
                true => Cell::Bound { to: narrowed.trailing_zeros(), path: self.path, is_soft },
                false if narrowed == mask => Cell::Unknown { mask, level, is_soft, path },
                false => Cell::Unknown { mask: narrowed, level, is_soft, path: self.path },
            };
            return true;
        }
        self.mask(root) & allowed != 0 || self.forgive(term)
    }

    /// Whether a value of one term may stand where the other is expected; finds out what it can on the way.
    pub fn accept(&mut self, found: Term, expected: Term) -> bool {
        self.steps = STEPS_MAX;
        self.accept_at(found, expected, 0)
    }

    fn accept_at(&mut self, found: Term, expected: Term, depth: u32) -> bool {
        if depth > DEPTH_MAX || self.steps == 0 {
            return true;
        }
        self.steps -= 1;
        self.shorten(found);
        self.shorten(expected);
        let (left, right) = (self.root(found), self.root(expected));
        if left == right || right == ANY || left == NOTHING || right == NOTHING {
            return true;
        }
        if let Some(soft) = self.soft(expected) {
            self.widen(soft, found);
            return true;
        }
        if left == ANY {
            self.forget(right, 0);
            return true;
        }
        let fits = match (self.cells[left as usize], self.cells[right as usize]) {
            (Cell::Unknown { .. }, Cell::Unknown { .. }) => self.unite(left, right),
            (Cell::Unknown { .. }, _) => self.bind(left, right),
            (_, Cell::Unknown { .. }) => self.bind(right, left),
            (Cell::Reference(left), Cell::Reference(right)) => left == right,
            (Cell::Reference(_), Cell::Atom) => right == STRING || right == HANDLE,
            (Cell::Atom, Cell::Reference(_)) => left == STRING || left == HANDLE,
            (Cell::Atom, Cell::Lambda { .. }) if left == SOME_LAMBDA => {
                self.forget(right, depth);
                true
            }
            (Cell::Lambda { .. }, Cell::Atom) => right == SOME_LAMBDA,
            (Cell::List(left), Cell::List(right)) => self.accept_at(left, right, depth + 1),
            (Cell::Record { start, count, .. }, Cell::Record { start: first, count: wanted, .. }) => {
                (first..first + wanted).all(|index| {
                    let (name, expected) = self.fields[index as usize];
                    let found = self.field(start, count, name);
                    found.is_none_or(|found| self.accept_at(found, expected, depth + 1))
                })
            }
            (
                Cell::Lambda { start, count, result, effect, .. },
                Cell::Lambda { start: first, count: given, result: wanted, effect: into, .. },
            ) => {
                self.follows(effect, into);
                let fits_parameters = (0..count.min(given)).all(|index| {
                    let (given, takes) = (self.parameter(first, index), self.parameter(start, index));
                    self.accept_at(given, takes, depth + 1)
                });
                given <= count && fits_parameters && self.accept_at(result, wanted, depth + 1)
            }
            _ => false,
        };
        fits || self.forgive(found) || self.forgive(expected)
    }

    /// A soft term on the way from a term to what it is, if one was found out already.
    fn soft(&self, mut term: Term) -> Option<Term> {
        while let Cell::Bound { to, is_soft, .. } = self.cells[term as usize] {
            if is_soft {
                return Some(term);
            }
            term = to;
        }
        None
    }

    /// From now on these are what they are. For the letters of a signature, once all arguments were looked at.
    pub fn harden(&mut self, letters: &[(u32, Term)]) {
        for (_, term) in letters {
            let cell = &mut self.cells[*term as usize];
            if let Cell::Unknown { is_soft, .. } | Cell::Bound { is_soft, .. } = cell {
                *is_soft = false;
            }
        }
    }

    fn widen(&mut self, soft: Term, found: Term) {
        if let Cell::Bound { to, path, .. } = self.cells[soft as usize] {
            let to = self.join(to, found, Span::default());
            if self.root(to) != soft {
                self.cells[soft as usize] = Cell::Bound { to, path, is_soft: true };
            }
        }
    }

    /// If a term was found out in a branch that excludes this one, it is anything from now on.
    fn forgive(&mut self, mut term: Term) -> bool {
        while let Cell::Bound { to, path, is_soft } = self.cells[term as usize] {
            if self.excludes(path) {
                self.cells[term as usize] = Cell::Bound { to: ANY, path, is_soft };
                return true;
            }
            term = to;
        }
        false
    }

    /// Whether this branch is never taken together with another.
    fn excludes(&self, other: u32) -> bool {
        let is_within = |mut inner: u32, outer: u32| {
            while inner > outer {
                inner = self.paths[inner as usize];
            }
            inner == outer
        };
        !is_within(self.path, other) && !is_within(other, self.path)
    }

    fn unite(&mut self, left: Term, right: Term) -> bool {
        let (
            Cell::Unknown { mask, level, is_soft, path },
            Cell::Unknown { mask: other, level: outer, is_soft: both, path: narrowed },
        ) = (self.cells[left as usize], self.cells[right as usize])
        else {
            return true;
        };
        if mask & other == 0 {
            let is_other_branch = self.excludes(path) || self.excludes(narrowed);
            if is_other_branch {
                self.cells[left as usize] = Cell::Bound { to: ANY, path: self.path, is_soft };
                self.cells[right as usize] = Cell::Bound { to: ANY, path: self.path, is_soft: both };
            }
            return is_other_branch;
        }
        let level = level.min(outer);
        // A soft one follows the other, a new one the old: so the ways stay short.
        let is_left = if is_soft == both { left > right } else { is_soft };
        let (from, to, is_soft_from) = if is_left { (left, right, is_soft) } else { (right, left, both) };
        self.cells[from as usize] = Cell::Bound { to, path: self.path, is_soft: is_soft_from };
        self.cells[to as usize] =
            Cell::Unknown { mask: mask & other, level, is_soft: is_soft && both, path: self.path };
        self.restrict(to, mask & other)
    }

    fn bind(&mut self, unknown: Term, to: Term) -> bool {
        let Cell::Unknown { mask, level, is_soft, path } = self.cells[unknown as usize] else { return true };
        let is_other_branch = self.excludes(path);
        let fits = self.mask(to) & mask != 0;
        if !fits && !is_other_branch {
            return false;
        }
        let to = if !fits || self.occurs(unknown, to, level, 0) { ANY } else { to };
        self.cells[unknown as usize] = Cell::Bound { to, path: self.path, is_soft };
        true
    }

    /// Whether a term contains an unknown one. Brings the level of all unknown ones in it down to this one's.
    fn occurs(&mut self, unknown: Term, term: Term, level: u32, depth: u32) -> bool {
        if depth > DEPTH_MAX || self.steps == 0 {
            return true;
        }
        self.steps -= 1;
        let root = self.root(term);
        match self.cells[root as usize] {
            _ if root == unknown => true,
            Cell::Unknown { mask, level: own, is_soft, path } => {
                self.cells[root as usize] = Cell::Unknown { mask, level: own.min(level), is_soft, path };
                false
            }
            Cell::List(of) => self.occurs(unknown, of, level, depth + 1),
            Cell::Record { start, count, .. } => (start..start + count)
                .any(|index| self.occurs(unknown, self.fields[index as usize].1, level, depth + 1)),
            Cell::Lambda { start, count, result, .. } => {
                let parts = (start..start + count)
                    .any(|index| self.occurs(unknown, self.parameters[index as usize], level, depth + 1));
                parts || self.occurs(unknown, result, level, depth + 1)
            }
            _ => false,
        }
    }

    /// Whatever is unknown in a term is anything from now on.
    pub fn settle(&mut self, term: Term) {
        self.steps = STEPS_MAX;
        self.forget(term, 0);
    }

    fn forget(&mut self, term: Term, depth: u32) {
        if depth > DEPTH_MAX || self.steps == 0 {
            return;
        }
        self.steps -= 1;
        let root = self.root(term);
        match self.cells[root as usize] {
            Cell::Unknown { is_soft, .. } => {
                self.cells[root as usize] = Cell::Bound { to: ANY, path: self.path, is_soft };
            }
            Cell::List(of) => self.forget(of, depth + 1),
            Cell::Record { start, count, .. } => {
                (start..start + count).for_each(|index| self.forget(self.fields[index as usize].1, depth + 1));
            }
            Cell::Lambda { start, count, result, .. } => {
                (start..start + count).for_each(|index| self.forget(self.parameters[index as usize], depth + 1));
                self.forget(result, depth + 1);
            }
            _ => {}
        }
    }

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
        if is_new { self.record(&fields, is_open || may_more) } else { left }
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

    /// The term of a written type. Its variables become soft terms, the same for the same letter.
    pub fn term(&mut self, of: &Type, letters: &mut Vec<(u32, Term)>) -> Term {
        match of {
            Type::List(of) => {
                let of = self.term(of, letters);
                self.add(Cell::List(of))
            }
            Type::Record(record) => {
                let fields: Vec<(u32, Term)> =
                    record.fields.iter().map(|(name, field)| (self.name(name), self.term(field, letters))).collect();
                self.record(&fields, record.is_open)
            }
            Type::Lambda(lambda) => {
                let parameters: Vec<Term> = lambda.parameters.iter().map(|of| self.term(of, letters)).collect();
                let result = self.term(&lambda.result, letters);
                let effect = self.effect();
                self.effects[effect as usize].is_effectful = lambda.is_effectful;
                self.lambda(&parameters, result, effect, false)
            }
            Type::Reference(class) => {
                let name = self.name(class);
                self.add(Cell::Reference(name))
            }
            Type::Variable(letter) => {
                if let Some((_, term)) = letters.iter().find(|(known, _)| known == letter) {
                    return *term;
                }
                let term =
                    self.add(Cell::Unknown { mask: MASK_ALL, level: self.level, is_soft: true, path: self.path });
                letters.push((*letter, term));
                term
            }
            atom => ATOMS.iter().position(|known| known == atom).unwrap_or(0) as Term,
        }
    }

    /// The type of a term. What is unknown gets a number by the order in which it comes.
    pub fn type_of(&mut self, term: Term) -> Type {
        self.steps = STEPS_MAX / 4;
        self.type_at(term, &mut Vec::new(), 0)
    }

    fn type_at(&mut self, term: Term, letters: &mut Vec<Term>, depth: u32) -> Type {
        if depth > crate::types::DEPTH_MAX || self.steps == 0 {
            return Type::Any;
        }
        self.steps -= 1;
        let root = self.root(term);
        match self.cells[root as usize] {
            Cell::Unknown { .. } | Cell::Bound { .. } => {
                let known = letters.iter().position(|known| *known == root);
                let number = known.unwrap_or_else(|| {
                    letters.push(root);
                    letters.len() - 1
                });
                Type::Variable(number as u32)
            }
            Cell::Atom => ATOMS[root as usize].clone(),
            Cell::Reference(name) => Type::Reference(self.text(name).to_string()),
            Cell::List(of) => Type::List(alloc::boxed::Box::new(self.type_at(of, letters, depth + 1))),
            Cell::Record { start, count, is_open } => {
                let fields = (start..start + count).map(|index| {
                    let (name, term) = self.fields[index as usize];
                    (self.text(name).to_string(), self.type_at(term, letters, depth + 1))
                });
                Type::Record(Record { fields: fields.collect(), is_open })
            }
            Cell::Lambda { start, count, result, effect, .. } => {
                let parameters = (start..start + count)
                    .map(|index| self.type_at(self.parameters[index as usize], letters, depth + 1))
                    .collect();
                let result = self.type_at(result, letters, depth + 1);
                let is_effectful = self.effects[effect as usize].is_effectful;
                Type::Lambda(alloc::boxed::Box::new(Lambda { parameters, result, is_effectful }))
            }
        }
    }

    /// Whether two terms are known to be the same.
    pub fn is_same(&mut self, left: Term, right: Term) -> bool {
        self.root(left) == self.root(right) || self.type_of(left) == self.type_of(right)
    }
}

struct Copies {
    level: u32,
    terms: Vec<(Term, Term)>,
    effects: Vec<(u32, u32)>,
}
