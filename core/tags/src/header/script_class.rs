//! A class as the checker of scripts knows it.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use script::class::Variable;
use script::types::{Record, Type};

use crate::class::{Class, Field, Kind};

/// Records are told of so deep; what lies deeper is any record.
const DEPTH_MAX: u32 = 4;

/// No more types are told of than this: records may hold each other many times over.
const TYPES_MAX: u32 = 10_000;

/// The fields of a tag as variables of its lambdas.
pub fn as_script_class(class: &Class) -> script::class::Class {
    let mut teller = Teller { class, left: TYPES_MAX };
    let variables: Vec<Variable> = class.root().fields.iter().map(|field| teller.variable(field)).collect();
    script::class::Class { name: class.name.clone(), variables, init: None }
}

struct Teller<'a> {
    class: &'a Class,
    left: u32,
}

impl Teller<'_> {
    fn variable(&mut self, field: &Field) -> Variable {
        let mut variable = Variable::new(&field.name);
        variable.kind = match field.kind {
            Kind::Formula => Type::Number,
            _ => self.type_of(&field.kind, 0),
        };
        variable.default = field.default.clone();
        variable.range = field.range;
        variable.is_replicated = field.is_replicated;
        variable.allows_formula = field.kind == Kind::Formula;
        variable.help = field.help.clone();
        variable
    }

    /// What may be written in several ways is anything: the checker knows one type.
    fn type_of(&mut self, kind: &Kind, depth: u32) -> Type {
        self.left = self.left.saturating_sub(1);
        match kind {
            Kind::Number(_) | Kind::Angle => Type::Number,
            Kind::Truth => Type::Truth,
            Kind::Identifier => Type::Identifier,
            Kind::StringId | Kind::Text | Kind::Choice(_) => Type::String,
            Kind::Reference(class) if class.is_empty() => Type::String,
            Kind::Reference(class) => Type::Reference(class.to_string()),
            Kind::Vector(3) => Type::Vector,
            Kind::Vector(_) | Kind::Colour | Kind::Formula | Kind::Bulk => Type::Any,
            Kind::Own(true) => Type::Handle,
            Kind::Own(false) => Type::Any,
            Kind::Flags(_) => Type::List(Box::new(Type::String)),
            Kind::Lambda(signature) => Type::parse(signature).unwrap_or(Type::SomeLambda),
            Kind::Record(number) => self.record(*number, depth),
            Kind::Series(of) => Type::List(Box::new(self.type_of(of, depth))),
            Kind::Optional(of) => self.type_of(of, depth),
        }
    }

    fn record(&mut self, number: u32, depth: u32) -> Type {
        let known = self.class.record(number).filter(|_| depth < DEPTH_MAX && self.left > 0);
        let Some(record) = known else {
            return Type::Record(Record { fields: Vec::new(), is_open: true });
        };
        let fields = record.fields.iter().map(|field| (field.name.clone(), self.type_of(&field.kind, depth + 1)));
        Type::Record(Record { fields: fields.collect(), is_open: false })
    }
}
