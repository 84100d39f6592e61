//! The abstract syntax tree (AST) of a source, with the span of every node.
//!
//! Nodes lie in one array and refer to each other by index, children before parents. Tools that change a file replace
//! the text of a span, and so lose neither a comment nor a blank line.

use alloc::vec::Vec;

use crate::report::Report;
use crate::source::Span;
use crate::token::Token;

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

/// One node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Its expression.
    pub expression: Expression,
    /// Its place in the source.
    pub span: Span,
    /// Whether evaluating it can have an effect: call a `!` function or set a variable. Creating a lambda or a body
    /// does not.
    pub has_effect: bool,
}

/// A range of child nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Items {
    pub(crate) start: u32,
    pub(crate) count: u32,
}

/// A range of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub(crate) start: u32,
    pub(crate) count: u32,
}

/// A name that is declared: of a parameter, a `let` or a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenName {
    /// The name.
    pub span: Span,
    /// The type after a colon.
    pub written_type: Option<Span>,
}

/// Whether the results of a lambda are memoised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caching {
    /// The engine decides.
    #[default]
    Unsaid,
    /// `Cached`.
    Cached,
    /// `Uncached`.
    Uncached,
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "the names say it")]
pub enum Operator {
    Or, And, Equal, Unequal, Less, Greater, LessEqual, GreaterEqual, Add, Subtract, Multiply, Divide, Remainder,
}

/// The expression of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expression {
    /// `3`
    Number(f64),
    /// `#3`
    Identifier(i32),
    /// `"text"`; its text is between the quotes.
    String,
    /// `true`, `false`
    Truth(bool),
    /// `nothing`
    Nothing,
    /// `name`
    Name,
    /// `~this`
    Object,
    /// `[a, b]`
    List(Items),
    /// `[ !Call(), … ]`: runs when it is called.
    Body(Items),
    /// `do [ a, b ]`: evaluates its elements in order, now, and has the value of the last.
    Do(Items),
    /// `"{hull} of {hull_max}"` where people read it: the text is in the span, the items are the names in braces.
    Text(Items),
    /// `{ name value, … }`
    Record(Names, Items),
    /// `Lambda(a, b, body)`
    Lambda {
        /// Whether its results are memoised.
        caching: Caching,
        /// Its parameters.
        parameters: Names,
        /// The expression of its result.
        body: NodeId,
    },
    /// `f(a, b)`
    Call(NodeId, Items),
    /// `!Name(a, b)`; the name without its mark is in the span.
    Effect(Span, Items),
    /// `!set name value`
    Set(Span, NodeId),
    /// `!set ship.hull value`, `!set xs[#0] value`, `!set hull += value`: the part of a variable that changes, the
    /// operator before `=`, and the value.
    Update(NodeId, Option<Operator>, NodeId),
    /// `xs[#2]`
    Index(NodeId, NodeId),
    /// `ship.hull`
    Field(NodeId, Span),
    /// `-a`
    Negate(NodeId),
    /// `not a`
    Not(NodeId),
    /// `a + b`
    Binary(Operator, NodeId, NodeId),
    /// `if a then b else c`
    If(NodeId, NodeId, Option<NodeId>),
    /// `let a = b in c`
    Let(Names, Items, NodeId),
    /// `(a)`
    Group(NodeId),
    /// An expression that is missing or malformed. There is a report about it.
    Missing,
}

/// The syntax tree of a source, parsed as far as possible.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) items: Vec<NodeId>,
    pub(crate) names: Vec<GivenName>,
    /// All tokens of the source, including comments and ends of lines.
    pub tokens: Vec<Token>,
    /// The class that the header names, without its mark.
    pub class: Option<Span>,
    /// The version that the header names: `@ship 2`.
    pub version: Option<Span>,
    /// The path of the tag that it is made from, a string: `!from "ships/corvette.ship"`.
    pub from: Option<NodeId>,
    /// The statements in order.
    pub statements: Vec<NodeId>,
    /// The strings of which `Readable` made lambdas.
    pub texts: Vec<Span>,
    /// Its syntax errors.
    pub reports: Vec<Report>,
}

impl Tree {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The nodes of a range.
    pub fn items(&self, items: Items) -> &[NodeId] {
        &self.items[items.start as usize..(items.start + items.count) as usize]
    }

    /// The names of a range.
    pub fn names(&self, names: Names) -> &[GivenName] {
        &self.names[names.start as usize..(names.start + names.count) as usize]
    }

    /// The path of the tag that it is made from, with its quotes.
    pub fn from_path(&self) -> Option<Span> {
        self.from.map(|path| self.node(path).span)
    }

    /// The name of the variable that a node is a part of, for the target of an [`Expression::Update`].
    pub fn variable_of(&self, mut id: NodeId) -> Span {
        loop {
            match self.node(id).expression {
                Expression::Field(of, _) | Expression::Index(of, _) | Expression::Group(of) => id = of,
                _ => return self.node(id).span,
            }
        }
    }

    /// The name of the variable that a node sets, if it sets one.
    pub fn set_by(&self, node: &Node) -> Option<Span> {
        match node.expression {
            Expression::Set(name, _) => Some(name),
            Expression::Update(target, ..) => Some(self.variable_of(target)),
            _ => None,
        }
    }

    /// The number of nodes.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }
}

impl Operator {
    /// Its spelling.
    pub fn text(self) -> &'static str {
        match self {
            Operator::Or => "or",
            Operator::And => "and",
            Operator::Equal => "=",
            Operator::Unequal => "<>",
            Operator::Less => "<",
            Operator::Greater => ">",
            Operator::LessEqual => "<=",
            Operator::GreaterEqual => ">=",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
        }
    }
}
