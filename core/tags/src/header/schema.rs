//! The schema of a class: its fields as the type checker of scripts sees them.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use script::schema::{DeclaredVariable, Schema};
use script::types::{Record, Type};

use crate::class::{Class, Field, Kind};

/// The depth to which records are described; deeper ones are open records.
const DEPTH_MAX: u32 = 4;

/// The most types described: records may contain each other many times over.
const TYPES_MAX: u32 = 10_000;

/// The fields of a tag as variables of its lambdas.
pub fn schema_of(class: &Class) -> Schema {
    let mut writer = SchemaWriter { class, left: TYPES_MAX };
    let variables: Vec<DeclaredVariable> = class.root().fields.iter().map(|field| writer.variable(field)).collect();
    Schema { name: class.name.clone(), variables }
}

struct SchemaWriter<'a> {
    class: &'a Class,
    left: u32,
}

impl SchemaWriter<'_> {
    fn variable(&mut self, field: &Field) -> DeclaredVariable {
        let mut variable = DeclaredVariable::new(&field.name);
        variable.kind = match field.kind {
            Kind::Formula => Type::Number,
            _ => self.type_of(&field.kind, 0),
        };
        variable.range = field.range;
        variable.allows_formula = field.kind == Kind::Formula;
        variable
    }

    /// A kind that can be written in several forms is `any`: the checker has one type per variable.
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
