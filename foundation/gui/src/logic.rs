//! Logic objects: the variables and handlers behind an interface, evaluated on the side of presentation.
//!
//! Laws
//! 1. A logic object reads and sets only its own variables. Of the world it knows handles; what it shows of the world is read
//!    by bindings.
//! 2. Its effects are collected and performed when the evaluation has ended. If it is halted, its sets and effects are dropped.
//! 3. Every evaluation has limits; what is wrong is reported with its file and line.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::Cell;

use base::{Handle, StringId};
use script::arena::Arena;
use script::environment::{Callee, Environment, EvaluationError, evaluate, run};
use script::machine::{EvaluationContext, Halt, Machine, Outside, Scratch};
use script::message::Message;
use script::program::{Operation, Program};
use script::row::{RowEdit, RowView};
use script::stage::{Act, Delivery, SendRefusal, Stage, deliver, perform, tick};
use script::types::ARGUMENTS_MAX;
use script::value::Value;
use tags::Library;

use crate::answer::{Answer, ValueSpaces, object_value};
use crate::classes::interface::Interface;
use crate::effects::GuiEffect;
use crate::limits::{EVALUATION, TIMERS_PER_UPDATE};
use crate::report::Reports;

/// The number of the array whose handles name logic objects.
pub const LOGIC_ARRAY: u16 = 0x4755;

/// A logic object.
#[derive(Clone, Debug)]
pub struct Logic {
    /// Its interface tag.
    pub tag: StringId,
    /// The path of the tag, for messages.
    pub path: String,
    /// Its program.
    pub program: Arc<Program>,
    environment: Environment,
    this: Value,
    places: Places,
    /// A copy of the environment for bindings, until a variable changes.
    snapshot: Option<Arc<Environment>>,
}

/// The numbers of the variables that the interface sets.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    player: Option<u32>,
    object: Option<u32>,
    selection: Option<u32>,
    settings: Option<u32>,
    controls: Option<u32>,
    item: Option<u32>,
    index: Option<u32>,
}

/// An effect that a logic object requested.
#[derive(Clone, Debug, PartialEq)]
pub enum Requested {
    /// A message to a widget, an interface or a logic object.
    Message(Value, Box<Message>),
    /// Another effect, with its arguments.
    Effect(GuiEffect, Vec<Answer>),
}

/// The memory of evaluations, shared by all logic objects.
pub struct Workspace {
    scratch: Scratch,
    made: Arena,
    spare: Vec<Value>,
    fault: Option<BindingFault>,
}

impl Default for Workspace {
    fn default() -> Workspace {
        let made = Arena::new(EVALUATION.values as usize);
        Workspace { scratch: Scratch::new(EVALUATION), made, spare: Vec::new(), fault: None }
    }
}

impl Workspace {
    /// What was wrong in the last evaluation of a binding.
    pub fn take_fault(&mut self) -> Option<BindingFault> {
        self.fault.take()
    }
}

/// What was wrong in a binding that the world evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingFault {
    /// The line in the interface tag, from 1.
    pub line: u32,
    /// What was expected, and what was found.
    pub message: String,
}

/// What an evaluation is about.
#[derive(Clone, Copy, Debug, Default)]
pub struct About<'a> {
    /// The object; 0 if there is none.
    pub object: u32,
    /// The item of a list, and its index.
    pub item: Option<(&'a Answer, u32)>,
}

/// What evaluations need, besides their logic object.
pub struct LogicContext<'a> {
    /// The memory.
    pub workspace: &'a mut Workspace,
    /// What is wrong.
    pub reports: &'a mut Reports,
    /// The effects that were requested.
    pub requested: &'a mut Vec<Requested>,
    /// The time, in milliseconds, from which timers count.
    pub now: f64,
}

/// A world that is not there, and remembers that it was asked.
struct Absent {
    is_asked: Cell<bool>,
}

impl Outside for Absent {
    fn object(&self, _: Handle<()>, array: u16) -> Option<(&Program, RowView<'_>)> {
        self.is_asked.set(self.is_asked.get() || array != LOGIC_ARRAY);
        None
    }

    fn query(&self, number: u32, _: &[Value; ARGUMENTS_MAX], machine: &mut Machine<'_>) -> Result<Value, Halt> {
        self.is_asked.set(true);
        machine.find_nothing(number)
    }
}

impl Logic {
    /// The logic object of an interface tag. `serial` is its own number.
    pub fn new(content: &Library, tag: StringId, serial: u32) -> Logic {
        let program = content.program(tag).cloned().unwrap_or_default();
        let storage = content.get_as::<Interface>(tag).map_or(0, |view| view.storage as usize);
        let place = |name: &str| program.variable(name);
        Logic {
            tag,
            path: content.path(tag).map_or_else(String::new, |path| path.as_str().to_string()),
            environment: Environment::new(&program, storage),
            this: Value::handle(Handle::from_raw(serial), LOGIC_ARRAY),
            places: Places {
                player: place("player"),
                object: place("object"),
                selection: place("selection"),
                settings: place("settings"),
                controls: place("controls"),
                item: place("item"),
                index: place("index"),
            },
            program: Arc::new(program),
            snapshot: None,
        }
    }

    /// Its handle: `~this`.
    pub fn this(&self) -> Value {
        self.this
    }

    /// Runs the statements of its tag: they set its variables and install its handlers. Fields of the class that the engine
    /// reads from the tag are not set.
    pub fn start(&mut self, context: &mut LogicContext<'_>) {
        if let Some(this) = self.program.this() {
            self.environment.set(this, self.this);
        }
        let program = self.program.clone();
        const READ: [&str; 4] = ["widgets", "styles", "use", "stages"];
        for statement in &program.statements {
            let code =
                program.functions.get(*statement as usize).map(|function| &function.code[..]).unwrap_or_default();
            let is_read = code.iter().any(|instruction| {
                let name = program.variables.get(instruction.number as usize);
                instruction.operation == Operation::SetVariable
                    && name.is_some_and(|name| READ.contains(&name.as_str()))
            });
            if !is_read {
                self.work(context, None, |place, row, scratch| {
                    Some(evaluate(place, row, Callee::Function(*statement), &[], scratch))
                });
            }
        }
    }

    /// Sets variables by name, as a template's user or `!Open` gives them. Unknown names are reported.
    pub fn set_all(&mut self, values: &[(StringId, Answer)], context: &mut LogicContext<'_>) {
        for (name, value) in values {
            match self.program.variable_of(*name) {
                Some(variable) => self.set_variable(variable, value, context),
                None => context.reports.add(&self.path, 0, "a variable that it is opened with is unknown here"),
            }
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Answer {
        let Some(variable) = self.program.variable(name) else { return Answer::Nothing };
        let spaces = ValueSpaces { program: &self.program, made: &Arena::new(0), kept: self.environment.kept() };
        Answer::of(self.environment.get(variable), spaces)
    }

    /// Takes over the variables of an earlier version of itself, by name: after its tag has changed.
    pub fn inherit(&mut self, before: &Logic, context: &mut LogicContext<'_>) {
        for (number, name) in before.program.variables.iter().enumerate() {
            let is_set = before.program.functions.iter().flat_map(|function| &function.code).any(|instruction| {
                instruction.operation == Operation::SetVariable && instruction.number as usize == number
            });
            if let Some(variable) = self.program.variable(name)
                && is_set
                && before.environment.get(number as u32).as_function().is_none()
                && !name.starts_with('~')
            {
                self.set_variable(variable, &before.get(name), context);
            }
        }
    }

    /// Tells it who the player is, and what is selected.
    pub fn set_player(&mut self, player: u32, selection: &Answer, context: &mut LogicContext<'_>) {
        if let Some(variable) = self.places.player {
            self.set_plain(variable, object_value(player));
        }
        if let Some(variable) = self.places.selection {
            self.set_variable(variable, selection, context);
        }
    }

    /// Tells it the settings.
    pub fn set_settings(&mut self, settings: &Answer, context: &mut LogicContext<'_>) {
        if let Some(variable) = self.places.settings.filter(|_| self.reads("settings")) {
            self.set_variable(variable, settings, context);
        }
    }

    /// Tells it the actions of the controls.
    pub fn set_controls(&mut self, controls: &Answer, context: &mut LogicContext<'_>) {
        if let Some(variable) = self.places.controls.filter(|_| self.reads("controls")) {
            self.set_variable(variable, controls, context);
        }
    }

    /// Whether one of its lambdas reads a variable.
    fn reads(&self, name: &str) -> bool {
        let number = self.program.variable(name);
        number.is_some_and(|number| self.program.functions.iter().any(|function| function.reads.contains(&number)))
    }

    /// Calls a lambda of its tag.
    pub fn call(
        &mut self,
        function: u32,
        arguments: &[Answer],
        about: About<'_>,
        context: &mut LogicContext<'_>,
    ) -> Option<Answer> {
        self.set_about(about, context);
        let values = atoms(arguments);
        self.work(context, None, |place, row, scratch| {
            Some(run(place, row, Value::function(function), &values, scratch))
        })
    }

    /// Delivers a message to its handler. False if there is none.
    pub fn deliver(&mut self, message: &Message, about: About<'_>, context: &mut LogicContext<'_>) -> bool {
        self.set_about(about, context);
        let mut is_handled = false;
        self.work(context, None, |place, row, scratch| match deliver(place, row, message, scratch) {
            Ok(Delivery::Handled(value)) => {
                is_handled = true;
                Some(Ok(value))
            }
            Ok(Delivery::Unhandled) => None,
            Err(trouble) => {
                is_handled = true;
                Some(Err(trouble))
            }
        });
        is_handled
    }

    /// Whether it has a handler of a message.
    pub fn hears(&self, message: StringId) -> bool {
        script::stage::handler_of(&self.program, self.environment.view(), message).is_some()
    }

    /// Fires the timers that are due.
    pub fn tick(&mut self, context: &mut LogicContext<'_>) {
        for _ in 0..TIMERS_PER_UPDATE {
            let due = script::stage::next_due(&self.program, self.environment.view());
            if due.is_none_or(|due| due > context.now) {
                return;
            }
            self.set_about(About::default(), context);
            self.work(context, None, tick);
        }
    }

    /// The value of a binding without the world; none if it asks the world.
    pub fn ask(&mut self, function: u32, about: About<'_>, context: &mut LogicContext<'_>) -> Option<Answer> {
        self.set_about(about, context);
        self.work(context, Some(function), |place, row, scratch| {
            Some(evaluate(place, row, Callee::Lambda(Value::function(function)), &[], scratch))
        })
    }

    /// Whether there is no player, object or item: then what is read from them is nothing, which is no mistake.
    fn lacks_values(&self, function: u32) -> bool {
        let reads =
            self.program.functions.get(function as usize).map(|function| &function.reads[..]).unwrap_or_default();
        let places = [self.places.player, self.places.object, self.places.item];
        let mut read = places.iter().flatten().filter(|variable| reads.contains(variable));
        read.any(|variable| self.environment.get(*variable) == Value::NOTHING)
    }

    /// Whether a lambda has effects or sets variables.
    pub fn is_effectful(&self, function: u32) -> bool {
        self.program.functions.get(function as usize).is_some_and(|function| function.is_effectful)
    }

    /// The line of a lambda.
    pub fn line(&self, function: u32) -> u32 {
        self.program.functions.get(function as usize).map_or(0, |function| self.program.line(function.span.start))
    }

    /// Its variables as they are now, for a binding that the world answers.
    pub fn snapshot(&mut self) -> Arc<Environment> {
        self.snapshot.get_or_insert_with(|| Arc::new(self.environment.clone())).clone()
    }

    fn set_about(&mut self, about: About<'_>, context: &mut LogicContext<'_>) {
        prepare(&mut self.environment, &self.places, about, context.workspace);
    }

    fn set_plain(&mut self, variable: u32, value: Value) {
        if self.environment.get(variable) != value {
            self.environment.set(variable, value);
            self.snapshot = None;
        }
    }

    fn set_variable(&mut self, variable: u32, answer: &Answer, context: &mut LogicContext<'_>) {
        if !store(&mut self.environment, variable, answer, context.workspace) {
            let name = self.program.variables.get(variable as usize).map_or("", |name| name.as_str());
            let message = format!("the value of `{name}` does not fit in the interface; raise its `storage`");
            context.reports.add(&self.path, 0, message);
        }
        self.snapshot = None;
    }

    /// Evaluates something. A pure evaluation that asks the world has no result.
    fn work(
        &mut self,
        context: &mut LogicContext<'_>,
        binding: Option<u32>,
        work: impl FnOnce(EvaluationContext<'_>, RowEdit<'_>, &mut Scratch) -> Option<Result<Value, EvaluationError>>,
    ) -> Option<Answer> {
        let program = self.program.clone();
        let outside = Absent { is_asked: Cell::new(false) };
        let place =
            EvaluationContext { program: &program, this: self.this, outside: &outside, now: context.now, seed: 0 };
        let scratch = &mut context.workspace.scratch;
        let result = work(place, self.environment.edit(), scratch)?;
        if binding.is_some() && outside.is_asked.get() {
            return None;
        }
        if !scratch.is_quiet() || binding.is_none() {
            self.snapshot = None;
        }
        let is_reported = binding.is_none_or(|function| !self.lacks_values(function));
        for complaint in scratch.complaints().iter().filter(|_| is_reported) {
            let line = program.line(program.span_of(complaint.function, complaint.instruction).start);
            context.reports.add(&self.path, line, complaint.to_string());
        }
        match result {
            Ok(value) => {
                if outside.is_asked.get() {
                    let help = "a handler cannot read objects of the world: read them in a `bind`, or send an event and let the object do it";
                    context.reports.add(&self.path, 0, help);
                }
                let mut stage = LogicStage {
                    path: &self.path,
                    program: &program,
                    line: 0,
                    reports: context.reports,
                    requested: context.requested,
                };
                perform(place, self.environment.view(), scratch, &mut stage);
                let kept = self.environment.kept();
                Some(Answer::of(value, ValueSpaces { program: &program, made: scratch.region(), kept }))
            }
            Err(trouble) => {
                let line = program.line(trouble.span.start);
                context.reports.add(&self.path, line, format!("the script was halted: {trouble}"));
                Some(Answer::Nothing)
            }
        }
    }
}

/// Sets the variables that say what an evaluation is about.
fn prepare(environment: &mut Environment, places: &Places, about: About<'_>, workspace: &mut Workspace) {
    if let Some(variable) = places.object {
        environment.set(variable, object_value(about.object));
    }
    if let Some(variable) = places.item {
        // An item that does not fit reads as nothing.
        if !store(environment, variable, about.item.map_or(&Answer::Nothing, |(item, _)| item), workspace) {
            environment.set(variable, Value::NOTHING);
        }
    }
    if let Some(variable) = places.index {
        let index = about.item.map_or(Value::NOTHING, |(_, index)| Value::number(f64::from(index)));
        environment.set(variable, index);
    }
}

/// Sets a variable; false if its parts do not fit.
fn store(environment: &mut Environment, variable: u32, answer: &Answer, workspace: &mut Workspace) -> bool {
    workspace.made.clear();
    match answer {
        Answer::List(_) | Answer::Record(_) => answer
            .value(&mut workspace.made)
            .and_then(|value| environment.set_made(&[(variable, value)], &workspace.made, &mut workspace.spare))
            .is_ok(),
        plain => {
            // It has no parts, so nothing is made.
            let value = plain.value(&mut workspace.made).unwrap_or_default();
            environment.set(variable, value);
            true
        }
    }
}

/// The values without parts; others are nothing.
fn atoms(arguments: &[Answer]) -> Vec<Value> {
    let mut none = Arena::new(0);
    arguments.iter().map(|argument| argument.value(&mut none).unwrap_or_default()).collect()
}

/// A message with these arguments; those with parts, and those that are too many, are left out.
pub fn message(name: StringId, from: Value, arguments: &[Answer]) -> Message {
    let values = atoms(arguments);
    let count = values.len().min(script::message::MESSAGE_VALUES);
    Message::new(name, from).with_atoms(&values[..count]).unwrap_or_else(|_| Message::new(name, from))
}

/// Collects the effects of an evaluation.
struct LogicStage<'a> {
    path: &'a str,
    program: &'a Program,
    line: u32,
    reports: &'a mut Reports,
    requested: &'a mut Vec<Requested>,
}

impl Stage for LogicStage<'_> {
    fn begin(&mut self, (function, instruction): (u32, u32)) {
        self.line = self.program.line(self.program.span_of(function, instruction).start);
    }

    fn send(&mut self, to: Value, message: &Message) {
        self.requested.push(Requested::Message(to, Box::new(*message)));
    }

    fn act(&mut self, act: Act<'_>) {
        let Some(effect) = GuiEffect::named(act.name) else {
            let name = self.program.strings.text(act.name).unwrap_or("?");
            let message = format!("an interface has no effect `!{name}`; nothing is done");
            return self.reports.add(self.path, self.line, message);
        };
        let arguments = act.arguments.iter().map(|value| Answer::with_parts(*value, &|value| act.parts(value)));
        self.requested.push(Requested::Effect(effect, arguments.collect()));
    }

    fn refuse(&mut self, refusal: SendRefusal) {
        let message = match refusal {
            SendRefusal::Incomplete => "`!Send` needs a target and the name of a message; nothing is sent",
            SendRefusal::NoName => "the name of a message is a string; nothing is sent",
            SendRefusal::TooLong => "a message has at most 12 values; nothing is sent",
        };
        self.reports.add(self.path, self.line, message);
    }
}

/// A value of the world that an interface shows. The world's side evaluates it with [`Binding::evaluate`].
#[derive(Clone, Debug)]
pub struct Binding {
    /// Its number, by which it is answered.
    pub id: u64,
    /// The interface tag whose lambda it is.
    pub tag: StringId,
    /// The number of the lambda in the program.
    pub function: u32,
    /// The object it is about; 0 if there is none.
    pub object: u32,
    /// The item of a list and its index.
    pub item: Option<(Answer, u32)>,
    program: Arc<Program>,
    environment: Arc<Environment>,
    places: Places,
    this: Value,
}

impl Binding {
    /// The binding of a logic object's lambda.
    pub fn new(id: u64, logic: &mut Logic, function: u32, about: About<'_>) -> Binding {
        Binding {
            id,
            tag: logic.tag,
            function,
            object: about.object,
            item: about.item.map(|(item, index)| (item.clone(), index)),
            program: logic.program.clone(),
            environment: logic.snapshot(),
            places: logic.places,
            this: logic.this,
        }
    }

    /// Its value in a world: `outside` gives the objects as they were when the cycle began. `now` is the time of the world in
    /// milliseconds. Effects do not count. What is wrong is kept for [`Workspace::take_fault`]. Cost: an evaluation within
    /// [`EVALUATION`], and a copy of the logic object's variables.
    pub fn evaluate(&self, outside: &dyn Outside, now: f64, workspace: &mut Workspace) -> Answer {
        let mut environment = (*self.environment).clone();
        let item = self.item.as_ref().map(|(item, index)| (item, *index));
        prepare(&mut environment, &self.places, About { object: self.object, item }, workspace);
        let place = EvaluationContext { program: &self.program, this: self.this, outside, now, seed: 0 };
        let callee = Callee::Lambda(Value::function(self.function));
        let result = evaluate(place, environment.edit(), callee, &[], &mut workspace.scratch);
        workspace.fault = self.fault(&result, &environment, outside, &workspace.scratch);
        match result {
            Ok(value) => {
                let made = workspace.scratch.region();
                Answer::of(value, ValueSpaces { program: &self.program, made, kept: environment.kept() })
            }
            // A binding that does not end shows nothing.
            Err(_) => Answer::Nothing,
        }
    }

    /// What is wrong, if anything. That an object it is about does not exist any more, or not yet, is no mistake.
    fn fault(
        &self,
        result: &Result<Value, EvaluationError>,
        environment: &Environment,
        outside: &dyn Outside,
        scratch: &Scratch,
    ) -> Option<BindingFault> {
        let reads = self.program.functions.get(self.function as usize).map_or(&[][..], |function| &function.reads);
        let is_missing = |value: Value| match value.as_handle() {
            Some((handle, array)) => !outside.is_there(handle, array),
            None => value == Value::NOTHING,
        };
        let places = [self.places.player, self.places.object, self.places.item];
        let mut about = places.into_iter().flatten().filter(|variable| reads.contains(variable));
        if about.any(|variable| is_missing(environment.get(variable))) {
            return None;
        }
        match result {
            Err(trouble) => {
                let line = self.program.line(trouble.span.start);
                Some(BindingFault { line, message: format!("a binding was halted: {trouble}") })
            }
            Ok(_) => scratch.complaints().first().map(|complaint| {
                let span = self.program.span_of(complaint.function, complaint.instruction);
                BindingFault { line: self.program.line(span.start), message: complaint.to_string() }
            }),
        }
    }
}
