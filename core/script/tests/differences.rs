//! Differential test: objects of random programs run in lockstep with every cache policy, with and without kernels,
//! with corrupt rows. All configurations must agree.

#[path = "differences/source.rs"]
mod source;

use base::{Handle, StringId, Vec3};
use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use proptest::prelude::*;
use script::cache::{Cache, Policy};
use script::compile::compile;
use script::environment::{Callee, evaluate};
use script::library::Library;
use script::machine::{EvaluationContext, Limits, Outside, Scratch};
use script::message::{CALLBACK, Message};
use script::parse::parse;
use script::program::Program;
use script::row::{Row64, RowView};
use script::stage::{Act, SendRefusal, Stage, deliver, next_due, perform, tick};
use script::value::Value;
use script::write::parts;

use source::{Choices, HANDLERS, LAMBDAS, MESSAGES, programs};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The program of each object.
const OBJECTS: [u32; 6] = [0, 0, 0, 0, 0, 1];
/// The limits of one step: timers, and queued messages.
const TICKS_MAX: usize = 4;
const QUEUE_MAX: usize = 8;
/// The longest text of a value.
const WRITTEN_MAX: usize = 400;
const SEED: u64 = 11;

const GENEROUS: Limits = Limits { fuel: 4_000, depth: 24, values: 600, effects: 20 };

/// One configuration.
struct Way {
    name: &'static str,
    is_fast: bool,
    /// Whether every step begins with an unused scratch.
    is_fresh: bool,
    scratch: Scratch,
    rows: [Row64; OBJECTS.len()],
    queue: Queue,
}

/// Records the effects of an evaluation.
#[derive(Default)]
struct Queue {
    messages: Vec<(usize, Message)>,
    log: Vec<String>,
    from: usize,
}

struct Frozen<'a>(&'a Library, &'a [Row64]);

#[derive(Clone, Debug)]
enum Step {
    Send { to: usize, name: usize, arguments: Vec<Value> },
    Deliver,
    Tick { object: usize, wait: u16 },
    Call { object: usize, variable: usize, arguments: Vec<Value> },
    Write { object: usize, place: usize, value: Value },
    Restrict(Limits),
}

impl Outside for Frozen<'_> {
    fn object(&self, handle: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
        let number = usize::from(handle.slot());
        Some((self.0.get(*OBJECTS.get(number)?)?, self.1.get(number)?.view()))
    }
}

impl Stage for Queue {
    fn send(&mut self, to: Value, message: &Message) {
        let to = to.as_handle().map_or(usize::MAX, |(handle, _)| usize::from(handle.slot()));
        self.log.push(format!("{to} {:?}", message));
        if to < OBJECTS.len() && self.messages.len() < QUEUE_MAX {
            self.messages.push((to, *message));
        }
    }

    fn act(&mut self, act: Act<'_>) {
        let written = act.arguments.iter().map(|argument| written(*argument, &|value| act.parts(value)));
        self.log.push(format!("{:?} {:?}", act.name, written.collect::<Vec<_>>()));
        let back = Message::new(CALLBACK, Value::NOTHING).with_atoms(act.arguments.get(1..2).unwrap_or(&[]));
        if let (true, Ok(back)) = (act.name == StringId::new("Spawn") && self.messages.len() < QUEUE_MAX, back) {
            self.messages.push((self.from, back));
        }
    }

    fn refuse(&mut self, refusal: SendRefusal) {
        self.log.push(format!("{refusal:?}"));
    }
}

/// A value with all its parts, without offsets. The bits of a NaN are omitted.
fn written<'a>(value: Value, parts: &dyn Fn(Value) -> &'a [Value]) -> String {
    fn write<'a>(value: Value, parts: &dyn Fn(Value) -> &'a [Value], depth: u32, out: &mut String) {
        if out.len() > WRITTEN_MAX || depth > 12 {
            return;
        }
        if !has_parts(value) {
            *out += &format!("{:?} ", value.canonical());
            return;
        }
        *out += &format!("{:?} {} [", value.kind(), words(value).0 >> 32);
        parts(value).iter().for_each(|part| write(*part, parts, depth + 1, out));
        *out += "] ";
    }
    let mut out = String::new();
    write(value, parts, 0, &mut out);
    out
}

fn words(value: Value) -> (u64, u64) {
    let [bits, tag]: [u64; 2] = base::plain::pod_read_unaligned(base::plain::bytes_of(&value));
    (bits, tag)
}

fn value_of(bits: u64, tag: u64) -> Value {
    base::plain::pod_read_unaligned(&[bits.to_le_bytes(), tag.to_le_bytes()].concat())
}

fn has_parts(value: Value) -> bool {
    (7..=9).contains(&(words(value).1 as u32))
}

fn handle(number: usize) -> Value {
    Value::handle(Handle::new(number as u16, 0xaaaa), 1)
}

fn compiled(source: &str) -> Program {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{source}: {:#?}", tree.reports);
    let (program, reports) = compile(source, &tree, &["this", "sender"]);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
    assert_eq!(program.verify(), Ok(()));
    program
}

impl Way {
    /// The results of a step, except for the rows.
    fn does(&mut self, library: &Library, step: &Step, now: f64) -> Vec<String> {
        let mut log = Vec::new();
        if self.is_fresh {
            let limits = self.scratch.limits();
            let program = library.get(0).expect("it was added");
            self.scratch = Scratch::with_cache(limits, Cache::new(Policy::Off, 0).ready_for(program));
        }
        match step {
            Step::Send { to, name, arguments } => {
                let message = Message::new(StringId::new(MESSAGES[*name]), handle(*to));
                let message = message.with_atoms(arguments).expect("the number of programs is small");
                self.deliver(library, *to, &message, now, &mut log);
            }
            Step::Deliver => {
                if !self.queue.messages.is_empty() {
                    let (to, message) = self.queue.messages.remove(0);
                    self.deliver(library, to, &message, now, &mut log);
                }
            }
            Step::Tick { object, .. } => {
                for _ in 0..TICKS_MAX {
                    let program = library.get(OBJECTS[*object]).expect("it was added");
                    log.push(format!("{:?}", next_due(program, self.rows[*object].view())));
                    let mut is_over = false;
                    self.with(library, *object, now, &mut log, |place, row, scratch| {
                        let result = forbid(|| tick(place, row.edit(), scratch));
                        is_over = result.is_none();
                        result.map_or("none due".into(), |result| finished(result, row, scratch))
                    });
                    if is_over {
                        break;
                    }
                }
            }
            Step::Call { object, variable, arguments } => {
                self.with(library, *object, now, &mut log, |place, row, scratch| {
                    let variable = called(place.program, *variable);
                    let callee = Callee::Variable(variable);
                    let result = forbid(|| evaluate(place, row.edit(), callee, arguments, scratch));
                    finished(result, row, scratch)
                });
            }
            Step::Write { object, place, value } => self.rows[*object].values[*place] = *value,
            Step::Restrict(limits) => self.scratch.restrict(*limits),
        }
        log.append(&mut self.queue.log);
        log
    }

    fn deliver(&mut self, library: &Library, to: usize, message: &Message, now: f64, log: &mut Vec<String>) {
        self.with(library, to, now, log, |place, row, scratch| {
            match forbid(|| deliver(place, row.edit(), message, scratch)) {
                Ok(script::stage::Delivery::Handled(value)) => finished(Ok(value), row, scratch),
                Ok(script::stage::Delivery::Unhandled) => "unhandled".into(),
                Err(trouble) => finished(Err(trouble), row, scratch),
            }
        });
    }

    fn with(
        &mut self,
        library: &Library,
        object: usize,
        now: f64,
        log: &mut Vec<String>,
        work: impl FnOnce(EvaluationContext<'_>, &mut Row64, &mut Scratch) -> String,
    ) {
        let frozen = self.rows;
        let outside = Frozen(library, &frozen);
        let program = library.get(OBJECTS[object]).expect("it was added");
        let place = EvaluationContext { program, this: handle(object), outside: &outside, now, seed: SEED };
        let come = work(place, &mut self.rows[object], &mut self.scratch);
        self.queue.from = object;
        if come != "unhandled" && come != "none due" {
            perform(place, self.rows[object].view(), &self.scratch, &mut self.queue);
        }
        log.push(come);
    }
}

type Outcome = Result<Value, script::environment::EvaluationError>;

fn finished(result: Outcome, row: &Row64, scratch: &Scratch) -> String {
    let result = result.map(|value| written(value, &|value| parts(value, scratch.region(), &row.values)));
    format!("{result:?} {:?}", scratch.complaints())
}

fn called(program: &Program, number: usize) -> u32 {
    let name = LAMBDAS.iter().chain(&HANDLERS).nth(number).expect("there is an object for each number");
    program.variable(name).expect("every program has it")
}

/// Runs all steps in every configuration and compares.
fn compare(choices: &[u16], steps: &[Step]) -> Result<(), TestCaseError> {
    let sources = programs(&mut Choices::new(choices));
    let mut plain = Library::new();
    sources.iter().for_each(|source| {
        plain.add(compiled(source));
    });
    let mut rows = [Row64::default(); OBJECTS.len()];
    let mut scratch = Scratch::with_cache(Limits::default(), Cache::new(Policy::Off, 0));
    for (object, row) in rows.iter_mut().enumerate() {
        let program = plain.get(OBJECTS[object]).expect("it was added");
        let place = EvaluationContext {
            program,
            this: handle(object),
            outside: &script::machine::Nowhere,
            now: 0.0,
            seed: SEED,
        };
        row.edit().begin(program, OBJECTS[object], place.this).expect("the row is long enough");
        for statement in &program.statements {
            evaluate(place, row.edit(), Callee::Function(*statement), &[], &mut scratch)
                .expect("preludes stay within their limits");
        }
    }
    let mut fast = plain.clone();
    fast.specialise(0, rows[0].view());
    fast.specialise(1, rows[OBJECTS.len() - 1].view());
    let way = |name, policy, is_fast, is_fresh| Way {
        name,
        is_fast,
        is_fresh,
        scratch: Scratch::with_cache(GENEROUS, Cache::new(policy, 64).ready_for(plain.get(0).expect("it was added"))),
        rows,
        queue: Queue::default(),
    };
    let mut ways = [
        way("fresh", Policy::Off, false, true),
        way("used", Policy::Off, false, false),
        way("paying", Policy::Paying, false, false),
        way("forced", Policy::Forced, false, false),
        way("fast", Policy::Off, true, false),
        way("fast and paying", Policy::Paying, true, false),
        way("fast and forced", Policy::Forced, true, false),
    ];
    let taken = allocations_while_forbidden();
    let mut now = 0.0;
    for (at, step) in steps.iter().enumerate() {
        if let Step::Tick { wait, .. } = step {
            now += f64::from(*wait);
        }
        let (first, others) = ways.split_first_mut().expect("there are some");
        let expected = first.does(&plain, step, now);
        for way in others {
            let library = if way.is_fast { &fast } else { &plain };
            let found = way.does(library, step, now);
            let name = way.name;
            prop_assert_eq!(allocations_while_forbidden(), taken, "{} takes memory", name);
            prop_assert_eq!(&found, &expected, "{}, step {} {:?}\n{}\n{}", name, at, step, sources[0], sources[1]);
            for (object, (found, expected)) in way.rows.iter().zip(&first.rows).enumerate() {
                let program = plain.get(OBJECTS[object]).expect("it was added");
                let places = found.values.iter().zip(&expected.values).enumerate();
                let unlike: Vec<_> = places
                    .filter(|(_, (found, expected))| found != expected)
                    .map(|(place, values)| (place, program.variables.get(place), values))
                    .collect();
                prop_assert!(
                    unlike.is_empty() && found.head == expected.head,
                    "{name}, step {at} {step:?}: object {object} {unlike:?}\n{}\n{}",
                    sources[0],
                    sources[1]
                );
            }
        }
    }
    Ok(())
}

fn atom() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (-2..6_i32).prop_map(|number| Value::number(f64::from(number))),
        1 => any::<f64>().prop_map(Value::number),
        2 => (0..OBJECTS.len() + 1).prop_map(handle),
        1 => (-1..4_i32).prop_map(Value::identifier),
        1 => any::<bool>().prop_map(Value::truth),
        1 => Just(Value::string(StringId::new("a"))),
        1 => Just(Value::vector(Vec3::new(1.0, -2.0, 0.0))),
        1 => Just(Value::NOTHING),
    ]
}

/// Any sixteen bytes as a value.
fn wild() -> impl Strategy<Value = Value> {
    let offset = prop_oneof![0..64_u64, any::<u32>().prop_map(u64::from)];
    let count = prop_oneof![0..20_u64, any::<u32>().prop_map(u64::from)];
    prop_oneof![
        3 => atom(),
        1 => (any::<u64>(), any::<u64>()).prop_map(|(bits, tag)| value_of(bits, tag)),
        2 => (any::<u64>(), 0..11_u64, 0..3_u64).prop_map(|(bits, kind, extra)| value_of(bits, extra << 32 | kind)),
        // NaNs with different payloads.
        2 => (1..9_u64, any::<bool>()).prop_map(|(low, sign)| value_of(0x7ff0 << 48 | low | u64::from(sign) << 63, 1)),
        4 => (offset, count, 7..10_u64, prop_oneof![9 => 0..12_u64, 1 => 90..99_u64], any::<bool>()).prop_map(|(offset, count, kind, function, kept)| {
            value_of(function << 32 | offset | u64::from(kept) << 31, count << 32 | kind)
        }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let object = || 0..OBJECTS.len();
    let arguments = || prop::collection::vec(atom(), 0..4);
    let callee = 0..LAMBDAS.len() + HANDLERS.len();
    let limits = (
        prop_oneof![Just(GENEROUS.fuel), 0..400_u64],
        prop_oneof![Just(GENEROUS.depth), 0..6_u32],
        prop_oneof![Just(GENEROUS.values), 0..60_u32],
        prop_oneof![Just(GENEROUS.effects), 0..6_u32],
    );
    prop_oneof![
        6 => (object(), 0..MESSAGES.len(), arguments())
            .prop_map(|(to, name, arguments)| Step::Send { to, name, arguments }),
        3 => Just(Step::Deliver),
        3 => (object(), 0..12_u16).prop_map(|(object, wait)| Step::Tick { object, wait }),
        8 => (object(), callee.clone(), arguments())
            .prop_map(|(object, variable, arguments)| Step::Call { object, variable, arguments }),
        2 => (object(), prop_oneof![2..16_usize, 0..64_usize], wild()).prop_map(|(object, place, value)| Step::Write { object, place, value }),
        2 => limits.prop_map(|(fuel, depth, values, effects)| Step::Restrict(Limits { fuel, depth, values, effects })),
    ]
}

/// This many random cases, unless the environment sets a number.
fn cases(count: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    config.cases = if config.cases == 256 { count } else { config.cases };
    config.failure_persistence = None;
    config
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn all_configurations_agree(
        choices in prop::collection::vec(any::<u16>(), 0..400),
        steps in prop::collection::vec(step(), 1..30),
    ) {
        compare(&choices, &steps)?;
    }
}
