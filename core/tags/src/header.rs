//! A class as the checker of scripts knows it.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use script::class::Variable;
use script::types::Type;

use crate::class::{Class, Field, Kind};

/// The fields of a tag as variables of its lambdas.
pub fn as_script_class(class: &Class) -> script::class::Class {
    let variables: Vec<Variable> = class.root().fields.iter().map(variable).collect();
    script::class::Class { name: class.name.clone(), variables, init: None }
}

fn variable(field: &Field) -> Variable {
    let mut variable = Variable::new(&field.name);
    variable.kind = type_of(&field.kind);
    variable.default = field.default.clone();
    variable.range = field.range;
    variable.is_replicated = field.is_replicated;
    variable.allows_formula = field.kind == Kind::Formula;
    variable.help = field.help.clone();
    variable
}

fn type_of(kind: &Kind) -> Type {
    match kind {
        Kind::Number(_) | Kind::Angle | Kind::Formula => Type::Number,
        Kind::Truth => Type::Truth,
        Kind::Identifier => Type::Identifier,
        Kind::StringId | Kind::Text | Kind::Choice(_) => Type::String,
        Kind::Reference(class) if class.is_empty() => Type::String,
        Kind::Reference(class) => Type::Reference(class.to_string()),
        Kind::Vector(3) => Type::Vector,
        Kind::Flags(_) => Type::List(Box::new(Type::String)),
        Kind::Lambda(signature) => Type::parse(signature).unwrap_or(Type::SomeLambda),
        Kind::Series(of) => Type::List(Box::new(type_of(of))),
        _ => Type::Any,
    }
}
