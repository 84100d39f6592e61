//! Messages, handlers, timers and callbacks, on a stage that is a list of objects.

use crate::rows;

use base::{Handle, StringId};
use script::environment::EvaluationError;
use script::library::Library;
use script::machine::{EvaluationContext, Limits, Outside, Scratch};
use script::message::{CALLBACK, Message};
use script::program::Program;
use script::row::{Row64, RowView};
use script::stage::{Act, Delivery, SendRefusal, Stage, deliver, next_due, perform, tick};
use script::value::Value;

/// A world of a few objects.
struct Objects {
    library: Library,
    rows: Vec<Row64>,
    scratch: Scratch,
    queue: Queue,
    now: f64,
}

#[derive(Default)]
struct Queue {
    messages: Vec<(usize, Message)>,
    acts: Vec<(String, Vec<Value>)>,
    refused: Vec<SendRefusal>,
    names: Vec<&'static str>,
    from: usize,
}

/// The objects as they were when the cycle began.
struct Frozen<'a>(&'a Library, &'a [Row64]);

impl Outside for Frozen<'_> {
    fn object(&self, handle: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
        let row = self.1.get(usize::from(handle.slot()))?;
        Some((self.0.get(row.head.program)?, row.view()))
    }
}

impl Stage for Queue {
    fn send(&mut self, to: Value, message: &Message) {
        let to = to.as_handle().expect("messages go to objects").0;
        self.messages.push((usize::from(to.slot()), *message));
    }

    fn act(&mut self, act: Act<'_>) {
        let name = self.names.iter().find(|name| StringId::new(name) == act.name).copied().unwrap_or("?");
        if name == "Spawn" {
            // A spawn replies with the callback's number and the new object.
            let number = act.arguments[1];
            let answer = Message::new(CALLBACK, Value::NOTHING)
                .with_atoms(&[number, Value::number(42.0)])
                .expect("the test made it");
            self.messages.push((self.from, answer));
        }
        self.acts.push((name.to_string(), act.arguments.to_vec()));
    }

    fn refuse(&mut self, refusal: SendRefusal) {
        self.refused.push(refusal);
    }
}

fn handle(number: usize) -> Value {
    Value::handle(Handle::new(number as u16, 0xaaaa), 1)
}

impl Objects {
    fn new(sources: &[&str]) -> Objects {
        let queue = Queue { names: vec!["Log", "Spawn"], ..Queue::default() };
        let scratch = Scratch::new(Limits::default());
        let mut objects = Objects { library: Library::new(), rows: Vec::new(), scratch, queue, now: 0.0 };
        for source in sources {
            objects.library.add(rows::program(source));
            objects.rows.push(Row64::default());
        }
        for number in 0..sources.len() {
            objects.with(number, |place, row, scratch| rows::begin(place, row.edit(), number as u32, scratch));
        }
        objects
    }

    fn with<R>(&mut self, number: usize, work: impl FnOnce(EvaluationContext<'_>, &mut Row64, &mut Scratch) -> R) -> R {
        let frozen = self.rows.clone();
        let outside = Frozen(&self.library, &frozen);
        let program = self.library.get(number as u32).expect("the test made it");
        let place = EvaluationContext { program, this: handle(number), outside: &outside, now: self.now, seed: 7 };
        let result = work(place, &mut self.rows[number], &mut self.scratch);
        self.queue.from = number;
        perform(place, self.rows[number].view(), &self.scratch, &mut self.queue);
        result
    }

    fn deliver(&mut self, number: usize, message: &Message) -> Result<Delivery, EvaluationError> {
        self.with(number, |place, row, scratch| deliver(place, row.edit(), message, scratch))
    }

    fn send(&mut self, number: usize, name: &str, arguments: &[Value]) -> Result<Delivery, EvaluationError> {
        let message =
            Message::new(StringId::new(name), Value::NOTHING).with_atoms(arguments).expect("the test made it");
        self.deliver(number, &message)
    }

    /// Delivers queued messages and their consequences, up to a limit. Returns the number of deliveries.
    fn settle(&mut self, limit: usize) -> usize {
        for delivered in 0..limit {
            if self.queue.messages.is_empty() {
                return delivered;
            }
            let (to, message) = self.queue.messages.remove(0);
            self.deliver(to, &message).expect("the test made it");
        }
        limit
    }

    /// Advances the time and fires all due timers.
    fn wait_until(&mut self, now: f64) {
        self.now = now;
        for number in 0..self.rows.len() {
            while self.with(number, |place, row, scratch| tick(place, row.edit(), scratch)).is_some() {}
        }
    }

    fn get(&self, number: usize, variable: &str) -> Value {
        let variable =
            self.library.get(number as u32).expect("the test made it").variable(variable).expect("the test made it");
        self.rows[number].view().get(variable)
    }

    fn number(&self, number: usize, variable: &str) -> f64 {
        self.get(number, variable).as_number().expect("the test made it")
    }
}

#[test]
fn messages_reach_their_handlers() {
    let mut objects = Objects::new(&["!set hull 100\n!set OnHit Lambda(damage, !set hull hull - damage)"]);
    assert!(matches!(objects.send(0, "hit", &[Value::number(30.0)]), Ok(Delivery::Handled(_))));
    assert_eq!(objects.send(0, "heal", &[Value::number(30.0)]), Ok(Delivery::Unhandled));
    assert_eq!(objects.number(0, "hull"), 70.0);
}

#[test]
fn an_installed_handler_precedes_the_class_handler() {
    let source = "!set clicks 0\n!EventHandler(~this, \"guiclick\", [ !set clicks clicks + 1, !Log(clicks) ])";
    let mut objects = Objects::new(&[source]);
    assert_eq!(objects.queue.acts, []);
    objects.send(0, "guiclick", &[]).expect("the test made it");
    objects.send(0, "guiclick", &[]).expect("the test made it");
    assert_eq!(objects.number(0, "clicks"), 2.0);
    assert_eq!(objects.queue.acts.len(), 2);
}

#[test]
fn lists_and_records_can_be_sent() {
    let sender = "!set peer nothing\n!set OnGo Lambda(to, !Send(to, \"order\", { kind \"move\", at [1, 2, 3] }, 7))";
    let receiver = "!set sum 0\n!set n 0\n!set OnOrder Lambda(order, extra, [ !set sum fold(order.at, 0, Lambda(a, b, a + b)), !set n extra ]())";
    let mut objects = Objects::new(&[sender, receiver]);
    objects.send(0, "go", &[handle(1)]).expect("the test made it");
    assert_eq!(objects.settle(10), 1);
    assert_eq!((objects.number(1, "sum"), objects.number(1, "n")), (6.0, 7.0));
    assert_eq!(objects.queue.refused, []);
}

#[test]
fn an_object_sees_its_own_new_values_and_others_frozen_ones() {
    let source = "!set hull 5\n!set seen 0\n!set OnLook Lambda(other, [ !set hull hull + 1, !set seen ~this.hull * 100 + other.hull ]())";
    let mut objects = Objects::new(&[source, source]);
    objects.send(0, "look", &[handle(1)]).expect("the test made it");
    assert_eq!(objects.number(0, "seen"), 605.0);
    objects.send(0, "look", &[handle(9)]).expect("the test made it");
    assert_eq!(objects.number(0, "seen"), 700.0, "a stale handle has nothing, which counts as zero");
}

#[test]
fn timers_fire_once_or_repeatedly_and_can_be_cancelled() {
    let source = "!set once 0\n!set often 0\n!set timer !Every(100, [ !set often often + 1 ])\n!After(250, [ !set once once + 1 ])\n!set OnStop Lambda(x, !Cancel(timer))";
    let mut objects = Objects::new(&[source]);
    assert_eq!(next_due(objects.library.get(0).expect("the test made it"), objects.rows[0].view()), Some(100.0));
    objects.wait_until(99.0);
    assert_eq!(objects.number(0, "often"), 0.0);
    for time in [100.0, 200.0, 260.0, 300.0] {
        objects.wait_until(time);
    }
    assert_eq!((objects.number(0, "often"), objects.number(0, "once")), (3.0, 1.0));
    objects.wait_until(1000.0);
    assert_eq!(objects.number(0, "often"), 4.0, "missed periods are skipped");
    objects.send(0, "stop", &[]).expect("the test made it");
    objects.wait_until(5000.0);
    assert_eq!(objects.number(0, "often"), 4.0);
    assert_eq!(next_due(objects.library.get(0).expect("the test made it"), objects.rows[0].view()), None);
}

#[test]
fn a_timer_that_restarts_itself_does_not_block_the_world() {
    let mut objects = Objects::new(&["!set n 0\n!set again [ !set n n + 1, !After(0, again) ]\n!After(0, again)"]);
    for time in 1..=5 {
        objects.wait_until(f64::from(time));
    }
    assert_eq!(objects.number(0, "n"), 5.0);
}

#[test]
fn a_callback_is_invoked_once() {
    let source = "!set made 0\n!set k 2\n!set OnGo Lambda(x, let extra = x in !Spawn(\"ship\", Lambda(new, !set made made + new + extra)))";
    let mut objects = Objects::new(&[source]);
    objects.send(0, "go", &[Value::number(3.0)]).expect("the test made it");
    let answer = objects.queue.messages[0].1;
    objects.settle(5);
    assert_eq!(objects.number(0, "made"), 45.0);
    assert_eq!(objects.deliver(0, &answer), Ok(Delivery::Unhandled), "it was called once");
}

#[test]
fn a_failed_evaluation_leaves_no_timer_and_no_effect() {
    let source = "!set f Lambda(n, f(n + 1))\n!set OnGo Lambda(x, [ !After(1, [ !Log(1) ]), !Log(2), f(0) ]())";
    let mut objects = Objects::new(&[source]);
    let before = objects.rows[0];
    assert!(objects.send(0, "go", &[]).is_err());
    assert_eq!(objects.rows[0], before);
    assert_eq!(objects.queue.acts, []);
}

#[test]
fn values_that_are_both_stored_and_sent_stay_intact() {
    let source = "!set old [1, 2, 3]\n!set log []\n!set OnGo Lambda(x, [ !set log [9, 9, 9, 9], !set old [4], !Log(x), old ]())\n!set before old\n!set OnKeep Lambda(x, let was = before in [ !set before [7, 7, 7, 7, 7], !Send(~this, \"got\", was) ]())\n!set got 0\n!set OnGot Lambda(list, !set got fold(list, 0, Lambda(a, b, a * 10 + b)))";
    let mut objects = Objects::new(&[source]);
    objects.send(0, "keep", &[]).expect("the test made it");
    objects.settle(3);
    assert_eq!(objects.number(0, "got"), 123.0, "the list was sent as it was before the row changed");
}

#[test]
fn unhandled_messages_reach_on_message_with_their_name_first() {
    let source = "!set OnHit Lambda(x, [!set last x]())\n!set last nothing\n!set OnMessage Lambda(name, a, b, [!set last [name, a, b]]())";
    let mut objects = Objects::new(&[source]);
    let last = |objects: &Objects| {
        let program = objects.library.get(0).expect("the test made it");
        let row = objects.rows[0].view();
        let last = row.get(program.variable("last").expect("the test made it"));
        (last, row.parts(last).to_vec())
    };
    assert!(objects.send(0, "hit", &[Value::number(3.0)]).is_ok());
    assert_eq!(last(&objects).0, Value::number(3.0));
    assert!(objects.send(0, "wave", &[Value::number(1.0), Value::TRUE]).is_ok());
    assert_eq!(last(&objects).1, [Value::string(StringId::new("wave")), Value::number(1.0), Value::TRUE]);
    let full = [Value::number(7.0); script::message::MESSAGE_VALUES];
    assert!(objects.send(0, "all", &full).is_ok(), "a message with the most values still has space for its name");
    assert_eq!(last(&objects).1[1], Value::number(7.0));
}

#[test]
fn a_forged_lambda_without_captures_gives_the_same_result_in_a_kernel() {
    let source = "!set make Lambda(a, Lambda(b, a * 2 + b))\n!set f 0\n!set OnGo Lambda(x, !set f make(x))\n!set OnAsk Lambda(x, f(x))";
    let program = rows::program(source);
    let mut objects = Objects::new(&[source]);
    objects.send(0, "go", &[Value::number(5.0)]).expect("it is cheap");
    let example = objects.rows[0];
    objects.library.specialise(0, example.view());
    let variable = program.variable("f").expect("the variable exists") as usize;
    assert_eq!(objects.send(0, "ask", &[Value::number(1.0)]), Ok(Delivery::Handled(Value::number(11.0))));
    // The forged lambda claims no captures: its captured value reads as nothing, which counts as zero.
    let mut bytes = [0; 16];
    bytes.copy_from_slice(base::plain::bytes_of(&objects.rows[0].values[variable]));
    bytes[12..].fill(0);
    objects.rows[0].values[variable] = base::plain::pod_read_unaligned(&bytes);
    for _ in 0..2 {
        assert_eq!(objects.send(0, "ask", &[Value::number(1.0)]), Ok(Delivery::Handled(Value::number(1.0))));
    }
}

#[test]
fn random_numbers_are_uniform_restored_with_the_row_and_per_object() {
    let source = "!set sum 0\n!set hits 0\n!set last 0\n!set OnRoll Lambda(x, [ !set last !Random(10, 20), !set sum sum + last, if !Chance(0.25) then !set hits hits + 1, !Pick([1, 2, 3]) ]())\n!set f Lambda(n, f(n + 1))\n!set OnFail Lambda(x, [ !set last !Random(0, 1), f(0) ]())";
    let mut objects = Objects::new(&[source, source]);
    let start = objects.rows[0];
    let roll = |objects: &mut Objects, number: usize| match objects.send(number, "roll", &[]) {
        Ok(Delivery::Handled(value)) => value.as_number().expect("it is one of three"),
        other => panic!("{other:?}"),
    };
    let picks: Vec<f64> = (0..1000).map(|_| roll(&mut objects, 0)).collect();
    let (sum, hits) = (objects.number(0, "sum"), objects.number(0, "hits"));
    assert!((14_700.0..15_300.0).contains(&sum) && (200.0..300.0).contains(&hits), "{sum} {hits}");
    assert!([1.0, 2.0, 3.0].iter().all(|wanted| picks.iter().filter(|pick| *pick == wanted).count() > 280));
    let end = objects.rows[0];
    objects.rows[0] = start;
    let again: Vec<f64> = (0..1000).map(|_| roll(&mut objects, 0)).collect();
    assert_eq!((again, objects.rows[0]), (picks.clone(), end), "a rewind gives the same random numbers");
    assert!(objects.send(0, "fail", &[]).is_err());
    assert_eq!(objects.rows[0], end, "a halted evaluation has drawn no number");
    let others: Vec<f64> = (0..1000).map(|_| roll(&mut objects, 1)).collect();
    assert_ne!(others, picks);
}
