//! Bindings: lambdas of tags that no object is made from, evaluated about an object, without any effect on the world. Interfaces show
//! values of the world by them.
//!
//! Laws
//! 1. An evaluation reads the block between two cycles and changes nothing in it: its sets go to a copy of the row, its effects are
//!    dropped, and what its queries cost is not counted.
//! 2. It is bounded by [`VIEW_FUEL`](crate::limits::VIEW_FUEL), its answer by [`ANSWER_VALUES_MAX`](crate::limits::ANSWER_VALUES_MAX).

use alloc::string::String;
use alloc::vec::Vec;

use base::{Handle, StringId};
use script::environment::{Callee, EvaluationError, evaluate};
use script::machine::{EvaluationContext, Outside, Scratch};
use script::program::Program;
use script::report::Report;
use script::row::{Head, RowEdit, RowView};
use script::value::{Kind, Value};
use script::write::{parts_of, text_of};
use state::Block;
use tags::Library;
use view::{Answer, Atom};

use crate::limits::ANSWER_VALUES_MAX;
use crate::object::{Object, value_of};
use crate::queries;
use crate::query::Sight;
use crate::rules::Rules;
use crate::tag_program::TagProgram;

impl TagProgram {
    /// The program of an expression about objects of a tag, as a person types it: it may use the names of their variables and fields,
    /// `~this`, and the queries of the world. Statements with effects have none.
    pub fn compile(content: &Library, tag: StringId, source: &str) -> Result<TagProgram, Vec<Report>> {
        let fields = content.class_of(tag).map(|class| &class.root().fields[..]).unwrap_or_default();
        let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        // Besides the fields: the names that the tag sets.
        let own = content.program(tag).into_iter().flat_map(|program| &program.variables).map(String::as_str);
        names.extend(own.filter(|name| !name.starts_with('~') && !["this", "sender"].contains(name)));
        names.sort_unstable();
        names.dedup();
        TagProgram::of_text(source, &names, &queries::SIGNATURES)
    }
}

impl Rules {
    /// The answer of a function of a tag's program about an object. An object that does not exist, and a function that does not, give
    /// nothing.
    pub fn evaluate(
        &self,
        block: &Block,
        program: &TagProgram,
        object: Handle<Object>,
        function: u32,
        arguments: &[Value],
    ) -> Result<Answer, EvaluationError> {
        if program.program.functions.len() <= function as usize {
            return Ok(Answer::Nothing);
        }
        self.evaluate_about(block, program, object, (function, arguments), |value, scratch, row| {
            let mut reader = Reader { rules: self, program: &program.program, scratch, row, left: ANSWER_VALUES_MAX };
            reader.answer(value, 0)
        })
    }

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

    fn evaluate_copy<R>(
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

/// Reads a value with its parts.
struct Reader<'a> {
    rules: &'a Rules,
    program: &'a Program,
    scratch: &'a Scratch,
    row: &'a [Value],
    /// How many more values the answer may have.
    left: u32,
}

impl<'a> Reader<'a> {
    /// The nesting of values is limited by the machine; the depth here guards against rows of foreign blocks.
    fn answer(&mut self, value: Value, depth: u32) -> Answer {
        const DEPTH_MAX: u32 = 8;
        if self.left == 0 || depth > DEPTH_MAX {
            return Answer::Nothing;
        }
        self.left -= 1;
        match (atom(value), value.kind()) {
            (Atom::Number(number), _) => Answer::Number(number),
            (Atom::Truth(truth), _) => Answer::Truth(truth),
            (Atom::Vector(vector), _) => Answer::Vector(vector),
            (Atom::Object(object), _) => Answer::Object(object),
            (Atom::Name(name), _) => {
                let text = text_of(name, self.program).or_else(|| self.rules.prototypes.text(name));
                text.map_or(Answer::Name(name), |text| Answer::Text(text.into()))
            }
            (Atom::Nothing, Kind::List) => {
                let (left, parts) = (self.left as usize, self.parts(value));
                Answer::List(parts.iter().take(left).map(|part| self.answer(*part, depth + 1)).collect())
            }
            (Atom::Nothing, Kind::Record) => {
                let (left, (pairs, _)) = (self.left as usize, self.parts(value).as_chunks::<2>());
                let field = |[name, value]: &[Value; 2]| Some((name.as_string()?, self.answer(*value, depth + 1)));
                Answer::Record(pairs.iter().take(left).filter_map(field).collect())
            }
            (Atom::Nothing, _) => Answer::Nothing,
        }
    }

    fn parts(&self, value: Value) -> &'a [Value] {
        parts_of(value, self.program, self.scratch.region(), self.row)
    }
}
