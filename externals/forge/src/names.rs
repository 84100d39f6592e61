//! Name resolution: every name of a source, and what it refers to.
//!
//! A name refers to the innermost parameter or `let` in scope, otherwise to a variable, otherwise to a built-in, as in
//! the compiler.
//!
//! Laws
//! 1. Every name, string and class of the syntax tree is listed once, by position.
//! 2. The recursion is as deep as the tree, which the parser limits.

use std::collections::{BTreeMap, BTreeSet};

use script::ast::{Expression, GivenName, Items, NodeId, Tree};
use script::builtin;
use script::query::{self, Query};
use script::source::Span;

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A parameter or a `let`, by its number.
    Local(u32),
    /// A variable that is read.
    Variable,
    /// A variable that is set by the statement itself.
    Set,
    /// A variable that is set within a lambda or a body.
    InnerSet,
    /// A built-in.
    Builtin,
    /// An effect; the span is without its mark.
    Effect,
    /// An object, with its mark.
    Object,
    /// A field in a record.
    Field,
    /// A field of a value, after a dot.
    Access,
    /// The class of the file, without its mark.
    Class,
    /// A string, with its quotes.
    Text,
}

/// A resolved name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Where.
    pub span: Span,
    /// What it means.
    pub meaning: Meaning,
}

/// A parameter or a `let`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// The span of its declaration.
    pub given: GivenName,
    /// Whether it is a parameter.
    pub is_parameter: bool,
    /// Its scope.
    pub scope: Span,
    /// Of a `let`: its value.
    pub value: Option<NodeId>,
    /// Of a parameter: its lambda, and its index.
    pub lambda: Option<(NodeId, u32)>,
}

/// All names of a source.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By place.
    pub names: Vec<Name>,
    /// All parameters and `let`s.
    pub locals: Vec<Local>,
}

impl Names {
    /// Resolves the names of a tree. `declared` are the variables of its class, `queries` those of the world.
    pub fn of<'a>(
        source: &'a str,
        tree: &'a Tree,
        declared: impl IntoIterator<Item = &'a str>,
        queries: &'static [Query],
    ) -> Names {
        let mut walk = NameWalk {
            source,
            tree,
            found: Names::default(),
            bound: BTreeMap::new(),
            variables: declared.into_iter().collect(),
            queries,
            lambdas: 0,
        };
        if let Some(class) = tree.class {
            walk.add(class, Meaning::Class);
        }
        for statement in &tree.statements {
            walk.gather(*statement);
        }
        for statement in &tree.statements {
            walk.walk(*statement);
        }
        let mut found = walk.found;
        found.names.sort_by_key(|name| (name.span.start, name.span.end));
        found
    }

    /// The name at a position, or directly before it.
    pub fn at(&self, byte: u32) -> Option<Name> {
        let end = self.names.partition_point(|name| name.span.start <= byte);
        let near = self.names[..end].iter().rev().take(4);
        near.copied().filter(|name| byte <= name.span.end).max_by_key(|name| name.span.start)
    }

    /// All occurrences of a variable.
    pub fn variable<'a>(&'a self, source: &'a str, name: &'a str) -> impl Iterator<Item = Name> + 'a {
        self.names.iter().copied().filter(move |other| {
            matches!(other.meaning, Meaning::Variable | Meaning::Set | Meaning::InnerSet)
                && other.span.text(source) == name
        })
    }

    /// All occurrences of a parameter or `let`, its declaration first.
    pub fn local(&self, number: u32) -> impl Iterator<Item = Name> + '_ {
        self.names.iter().copied().filter(move |name| name.meaning == Meaning::Local(number))
    }

    /// The parameters and `let`s in scope at a position, innermost first.
    pub fn locals_at(&self, byte: u32) -> Vec<&Local> {
        let mut found: Vec<&Local> =
            self.locals.iter().filter(|local| local.scope.start <= byte && byte <= local.scope.end).collect();
        found.sort_by_key(|local| std::cmp::Reverse(local.scope.start));
        found
    }
}

struct NameWalk<'a> {
    queries: &'static [Query],
    source: &'a str,
    tree: &'a Tree,
    found: Names,
    /// The locals in scope by name, innermost last.
    bound: BTreeMap<&'a str, Vec<u32>>,
    variables: BTreeSet<&'a str>,
    /// The number of enclosing lambdas and bodies.
    lambdas: u32,
}

impl<'a> NameWalk<'a> {
    fn add(&mut self, span: Span, meaning: Meaning) {
        if span.start < span.end {
            self.found.names.push(Name { span, meaning });
        }
    }

    /// The variables that are set anywhere.
    fn gather(&mut self, id: NodeId) {
        if let Some(name) = self.tree.set_by(self.tree.node(id)) {
            self.variables.insert(name.text(self.source));
        }
        for child in children(self.tree, id) {
            self.gather(child);
        }
    }

    fn walk(&mut self, id: NodeId) {
        let node = self.tree.node(id);
        match node.expression {
            Expression::Name => {
                let meaning = self.meaning(node.span.text(self.source));
                self.add(node.span, meaning);
            }
            Expression::String => self.add(node.span, Meaning::Text),
            Expression::Object => self.add(node.span, Meaning::Object),
            Expression::Effect(name, items) => {
                self.add(name, Meaning::Effect);
                self.all(items);
            }
            Expression::Set(name, value) => {
                self.add(name, if self.lambdas == 0 { Meaning::Set } else { Meaning::InnerSet });
                self.walk(value);
            }
            Expression::Update(target, _, value) => {
                self.target(target);
                self.walk(value);
            }
            Expression::Record(names, items) => {
                for name in self.tree.names(names) {
                    self.add(name.span, Meaning::Field);
                }
                self.all(items);
            }
            Expression::Field(value, name) => {
                self.walk(value);
                self.add(name, Meaning::Access);
            }
            Expression::Lambda { parameters, body, .. } => {
                let parameters = self.tree.names(parameters);
                let scope = Span::new(node.span.start, node.span.end);
                for (index, given) in parameters.iter().enumerate() {
                    let lambda = Some((id, index as u32));
                    self.bind(Local { given: *given, is_parameter: true, scope, value: None, lambda });
                }
                self.lambdas += 1;
                self.walk(body);
                self.lambdas -= 1;
                parameters.iter().for_each(|given| self.unbind(given));
            }
            Expression::Let(names, values, body) => {
                let names = self.tree.names(names);
                for (given, value) in names.iter().zip(self.tree.items(values)) {
                    self.walk(*value);
                    let scope = Span::new(self.tree.node(*value).span.end, node.span.end);
                    let value = Some(*value);
                    self.bind(Local { given: *given, is_parameter: false, scope, value, lambda: None });
                }
                self.walk(body);
                names.iter().for_each(|given| self.unbind(given));
            }
            Expression::Body(items) => {
                self.lambdas += 1;
                self.all(items);
                self.lambdas -= 1;
            }
            _ => children(self.tree, id).into_iter().for_each(|child| self.walk(child)),
        }
    }

    /// The part of a variable that a `!set` changes.
    fn target(&mut self, id: NodeId) {
        let node = self.tree.node(id);
        match node.expression {
            Expression::Group(inner) => self.target(inner),
            Expression::Field(of, name) => {
                self.target(of);
                self.add(name, Meaning::Access);
            }
            Expression::Index(of, index) => {
                self.target(of);
                self.walk(index);
            }
            _ => self.add(node.span, if self.lambdas == 0 { Meaning::Set } else { Meaning::InnerSet }),
        }
    }

    fn all(&mut self, items: Items) {
        for item in self.tree.items(items) {
            self.walk(*item);
        }
    }

    fn bind(&mut self, local: Local) {
        let number = self.found.locals.len() as u32;
        self.found.locals.push(local);
        self.add(local.given.span, Meaning::Local(number));
        self.bound.entry(local.given.span.text(self.source)).or_default().push(number);
    }

    fn unbind(&mut self, given: &GivenName) {
        if let Some(bound) = self.bound.get_mut(given.span.text(self.source)) {
            bound.pop();
        }
    }

    fn meaning(&self, name: &str) -> Meaning {
        match self.bound.get(name).and_then(|bound| bound.last()) {
            Some(local) => Meaning::Local(*local),
            None if self.variables.contains(name) => Meaning::Variable,
            None if builtin::find(name).is_some() || query::find(self.queries, name).is_some() => Meaning::Builtin,
            None => Meaning::Variable,
        }
    }
}

/// The direct children of an expression, in order.
pub fn children(tree: &Tree, id: NodeId) -> Vec<NodeId> {
    match tree.node(id).expression {
        Expression::Number(_)
        | Expression::Identifier(_)
        | Expression::String
        | Expression::Truth(_)
        | Expression::Nothing
        | Expression::Name
        | Expression::Object
        | Expression::Missing => Vec::new(),
        Expression::List(items)
        | Expression::Body(items)
        | Expression::Do(items)
        | Expression::Text(items)
        | Expression::Record(_, items)
        | Expression::Effect(_, items) => tree.items(items).to_vec(),
        Expression::Call(callee, items) => std::iter::once(callee).chain(tree.items(items).iter().copied()).collect(),
        Expression::Let(_, items, body) => tree.items(items).iter().copied().chain([body]).collect(),
        Expression::Lambda { body, .. } => vec![body],
        Expression::Set(_, inner)
        | Expression::Field(inner, _)
        | Expression::Negate(inner)
        | Expression::Not(inner)
        | Expression::Group(inner) => vec![inner],
        Expression::Index(left, right) | Expression::Binary(_, left, right) | Expression::Update(left, _, right) => {
            vec![left, right]
        }
        Expression::If(condition, then, otherwise) => {
            [Some(condition), Some(then), otherwise].into_iter().flatten().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use script::parse::parse;

    use super::*;

    fn meanings(source: &str) -> Vec<(String, Meaning)> {
        let tree = parse(source);
        let names = Names::of(source, &tree, ["hull"], &[]);
        names.names.iter().map(|name| (name.span.text(source).to_string(), name.meaning)).collect()
    }

    #[test]
    fn a_name_refers_to_the_innermost_declaration() {
        use Meaning::{Builtin, Class, Effect, Local, Object, Set, Variable};
        let found = meanings("@ship\n!set f Lambda(a, let b = a in max(a + b, hull))\n!Log(~this, f, a)");
        let found: Vec<(&str, Meaning)> = found.iter().map(|(name, meaning)| (name.as_str(), *meaning)).collect();
        assert_eq!(
            found,
            [
                ("ship", Class),
                ("f", Set),
                ("a", Local(0)),
                ("b", Local(1)),
                ("a", Local(0)),
                ("max", Builtin),
                ("a", Local(0)),
                ("b", Local(1)),
                ("hull", Variable),
                ("Log", Effect),
                ("~this", Object),
                ("f", Variable),
                ("a", Variable),
            ]
        );
    }

    #[test]
    fn a_let_of_the_same_name_hides_the_one_around_it() {
        let found = meanings("let a = 1, a = a + 1 in Lambda(a, a)");
        let numbers: Vec<u32> = found
            .iter()
            .filter_map(|(_, meaning)| match meaning {
                Meaning::Local(number) => Some(*number),
                _ => None,
            })
            .collect();
        assert_eq!(numbers, [0, 1, 0, 2, 2]);
    }

    #[test]
    fn sets_within_bodies_are_distinguished() {
        let found = meanings("!set a 1\n!set b Lambda(x, [ !set a x ])");
        assert_eq!(found.iter().filter(|(_, meaning)| *meaning == Meaning::InnerSet).count(), 1);
    }
}
