//! Lambdas that presentation evaluates about an object, without any effect on the world: conditions of the object's own tag, formulas of
//! materials and effects.
//!
//! Laws
//! 1. An evaluation reads the block between two cycles and changes nothing in it: its sets go to a copy of the row, its effects are
//!    dropped, and what its queries cost is not counted.
//! 2. It is bounded by [`VIEW_FUEL`](crate::limits::VIEW_FUEL).

use base::Handle;
use script::environment::{Callee, EvaluationError, evaluate};
use script::machine::{EvaluationContext, Outside, Scratch};
use script::program::Program;
use script::row::{Head, RowEdit, RowView};
use script::value::{Kind, Value};
use state::Block;
use view::Atom;

use crate::object::{Object, value_of};
use crate::query::Sight;
use crate::rules::Rules;
use crate::tag_program::TagProgram;

impl Rules {
    /// Evaluates a function of a tag's program about an object, and reads the result while its parts are there.
    pub(crate) fn evaluate_about<R: Default>(
        &self,
        block: &Block,
        program: &TagProgram,
        object: Handle<Object>,
        (function, arguments): (u32, &[Value]),
        read: impl FnOnce(Value, &Scratch, &[Value]) -> R,
    ) -> Result<R, EvaluationError> {
        let Some((handle, found, values)) = self.parts.objects.find_values(block, object.raw()) else {
            return Ok(R::default());
        };
        let from = RowView { head: &found.mind, values };
        let of_object = self.prototypes.programs().get(found.mind.program);
        self.presentation.workspaces.with_row(|spare| {
            let mut used = program.row.len().min(spare.len());
            spare[..used].copy_from_slice(&program.row[..used]);
            let mut head = Head::default();
            let mut row = RowEdit { head: &mut head, values: spare };
            for (variable, name) in &program.own {
                let Some(of_object) = of_object else { continue };
                let known = self.observe(block).known(handle.cast(), 0, *name);
                if let Some(value) = known.or_else(|| from.named(of_object, *name)) {
                    // A list that does not fit stays as the tag has it.
                    let _ = row.append_from(&mut used, *variable, value, (from, of_object));
                }
            }
            if let Some(this) = program.program.variable("this") {
                row.set(this, value_of(handle));
            }
            // The machine reads the fields of the evaluated object itself from the row, which here is another's.
            let this = (handle, Value::NOTHING);
            self.evaluate_copy(block, &program.program, this, (&mut head, spare), (function, arguments), read)
        })
    }

    /// Evaluates a function of an object's own program over a copy of its row, and reads the result. Default if it has no program.
    pub(crate) fn evaluate_own<R: Default>(
        &self,
        block: &Block,
        object: Handle<Object>,
        function: u32,
        read: impl FnOnce(Value, &Scratch, &[Value]) -> R,
    ) -> Result<R, EvaluationError> {
        let Some((handle, found, values)) = self.parts.objects.find_values(block, object.raw()) else {
            return Ok(R::default());
        };
        let Some(program) = self.prototypes.programs().get(found.mind.program) else { return Ok(R::default()) };
        self.presentation.workspaces.with_row(|spare| {
            let (count, mut head) = (values.len().min(spare.len()), found.mind);
            spare[..count].copy_from_slice(&values[..count]);
            let this = (handle, value_of(handle));
            self.evaluate_copy(block, program, this, (&mut head, &mut spare[..count]), (function, &[]), read)
        })
    }

    /// Evaluates a function over a row that is a copy, and reads the result.
    pub(crate) fn evaluate_copy<R>(
        &self,
        block: &Block,
        program: &Program,
        (handle, this): (Handle<Object>, Value),
        (head, values): (&mut Head, &mut [Value]),
        (function, arguments): (u32, &[Value]),
        read: impl FnOnce(Value, &Scratch, &[Value]) -> R,
    ) -> Result<R, EvaluationError> {
        let workspaces = &self.presentation.workspaces;
        let sight = Sight { workspaces, ..self.sight(block) };
        let time = block.time();
        let place = EvaluationContext {
            program,
            this,
            outside: &sight,
            now: time.cycle as f64 * self.milliseconds(),
            seed: time.seed,
        };
        let callee = Callee::Lambda(Value::function(function));
        workspaces.with(handle, |scratch| {
            let value = evaluate(place, RowEdit { head, values }, callee, arguments, scratch)?;
            Ok(read(value, scratch, values))
        })
    }
}

/// A value without parts; nothing for any other.
pub(crate) fn atom(value: Value) -> Atom {
    match value.kind() {
        Kind::Number => value.as_number().filter(|number| number.is_finite()).map_or(Atom::Nothing, Atom::Number),
        Kind::Identifier => value.as_identifier().map_or(Atom::Nothing, |number| Atom::Number(f64::from(number))),
        Kind::Truth => value.as_truth().map_or(Atom::Nothing, Atom::Truth),
        Kind::String => value.as_string().map_or(Atom::Nothing, Atom::Name),
        Kind::Vector => value.as_vector().filter(|it| it.is_finite()).map_or(Atom::Nothing, Atom::Vector),
        Kind::Handle => value.as_handle().map_or(Atom::Nothing, |(handle, _)| Atom::Object(handle.raw())),
        Kind::Nothing | Kind::Lambda | Kind::List | Kind::Record => Atom::Nothing,
    }
}
