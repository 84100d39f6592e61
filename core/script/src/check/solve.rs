//! The constraint solver of the type checker: type terms, unified in a union-find structure.
//!
//! Laws
//! 1. `any` and `nothing` fit everything, and a term that would contain itself is `any`.
//! 2. Uses of a name in branches that exclude each other may have different types: then the name is `any`.
//! 3. All work is bounded: terms that would take more steps, or are nested deeper, are accepted.

mod constraint;
mod scheme;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::source::Span;
use crate::types::{Lambda, Record, Type};

pub(super) use constraint::{Constraint, ConstraintKind};
pub(super) use scheme::Scheme;

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

/// The kinds that a term may still be: one bit for each atom.
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

/// The most terms that one constraint visits.
const STEPS_MAX: u32 = 500;
/// The deepest nesting of terms that is visited.
const DEPTH_MAX: u32 = 32;

#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    /// A type variable. `path` is the branch in which it was last narrowed.
    Unknown {
        mask: Mask,
        level: u32,
        is_soft: bool,
        path: u32,
    },
    /// Unified with another term, in a branch. A soft one is widened instead of reported.
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

/// A type error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Misfit {
    pub span: Span,
    pub found: Term,
    pub expected: Term,
}

pub(super) struct Solver {
    cells: Vec<Cell>,
    pub fields: Vec<(u32, Term)>,
    pub parameters: Vec<Term>,
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
    pub constraints: Vec<Constraint>,
    pub misfits: Vec<Misfit>,
    /// For each effect variable: whether it has an effect, whether that is unknown, and the variables it implies.
    pub effects: Vec<Does>,
    pub level: u32,
    /// The current branch, and the parent of each branch.
    pub path: u32,
    paths: Vec<u32>,
    steps: u32,
    /// The remaining budget for copies of terms.
    copies: usize,
    /// From this number of cells on, joins are `any`: lambdas that all call each other have joins of joins.
    cells_max: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Does {
    pub is_effectful: bool,
    pub is_unknown: bool,
    /// Whether it is passed to a built-in.
    pub must_be_pure: bool,
    pub follow: Vec<u32>,
}

impl Solver {
    /// A solver for a source of this many nodes.
    pub fn new(nodes: usize) -> Solver {
        Solver {
            cells: alloc::vec![Cell::Atom; ATOMS.len()],
            fields: Vec::new(),
            parameters: Vec::new(),
            names: Vec::new(),
            numbers: BTreeMap::new(),
            constraints: Vec::new(),
            misfits: Vec::new(),
            effects: Vec::new(),
            level: 0,
            path: 0,
            paths: alloc::vec![0],
            steps: 0,
            copies: nodes * 16 + 10_000,
            cells_max: nodes * 16 + 10_000,
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

    /// Enters a child of the current branch; returns the branch to go back to.
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

    /// Effects of `from` imply effects of `to`.
    pub fn follows(&mut self, from: u32, to: u32) {
        if from != to && self.effects[from as usize].follow.last() != Some(&to) {
            self.effects[from as usize].follow.push(to);
        }
    }

    /// Propagates effects along all implications.
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

    /// Path compression, within one branch.
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

    /// The cell at the root of a term.
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

    /// Narrows a term to these kinds. Whether that is possible.
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
        self.mask(root) & allowed != 0 || self.widen_exclusive(term)
    }

    /// Whether a value of one type is accepted where another is expected; unifies variables on the way.
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
            (Cell::Unknown { .. }, Cell::Unknown { .. }) => self.unify(left, right),
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
        fits || self.widen_exclusive(found) || self.widen_exclusive(expected)
    }

    /// A soft term between a term and its root, if it was unified already.
    fn soft(&self, mut term: Term) -> Option<Term> {
        while let Cell::Bound { to, is_soft, .. } = self.cells[term as usize] {
            if is_soft {
                return Some(term);
            }
            term = to;
        }
        None
    }

    /// Fixes soft terms: those of a signature, once all arguments were inferred.
    pub fn fix_soft_terms(&mut self, letters: &[(u32, Term)]) {
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

    /// Widens a term to `any` if it was unified in a branch that excludes the current one.
    fn widen_exclusive(&mut self, mut term: Term) -> bool {
        while let Cell::Bound { to, path, is_soft } = self.cells[term as usize] {
            if self.excludes(path) {
                self.cells[term as usize] = Cell::Bound { to: ANY, path, is_soft };
                return true;
            }
            term = to;
        }
        false
    }

    /// Whether the current branch and another exclude each other.
    fn excludes(&self, other: u32) -> bool {
        let is_within = |mut inner: u32, outer: u32| {
            while inner > outer {
                inner = self.paths[inner as usize];
            }
            inner == outer
        };
        !is_within(self.path, other) && !is_within(other, self.path)
    }

    fn unify(&mut self, left: Term, right: Term) -> bool {
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
        // Soft terms point to hard ones and new ones to old ones, which keeps paths short.
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

    /// Occurs check. Also lowers the level of all variables in the term to that of this one.
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

    /// Turns all variables of a term into `any`.
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

    /// The type of a term. Variables are numbered in the order in which they occur.
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

    /// Whether two terms are known to be equal.
    pub fn is_same(&mut self, left: Term, right: Term) -> bool {
        self.root(left) == self.root(right) || self.type_of(left) == self.type_of(right)
    }
}
