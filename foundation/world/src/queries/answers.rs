//! The answers to queries about objects: their arguments become a question, and its hits the result.

use base::{Handle, Vec3};
use script::machine::{Halt, Machine};
use script::value::Value;

use super::QueryContext;
use super::arguments::{filter_of, form_of, handle_of, number_of, string_of};
use crate::object::{Object, value_of};
use crate::question::{Asked, Filter, QueryHit, Question, Want};

/// The fields of a hit.
pub(super) const HIT: [&str; 4] = ["object", "distance", "at", "normal"];

impl<'m> QueryContext<'_, 'm> {
    /// Asks a question and charges its fuel. `give` makes the result from its hits.
    fn ask(
        &mut self,
        question: &Question,
        filter: &Filter,
        give: impl FnOnce(&mut Machine<'m>, &[QueryHit], Asked) -> Result<Value, Halt>,
    ) -> Result<Value, Halt> {
        let asker: Handle<Object> = self.machine.this().as_handle().map_or(Handle::NONE, |(this, _)| this.cast());
        let (sight, machine) = (self.sight, &mut *self.machine);
        sight.workspaces.with_hits(asker, |hits| {
            hits.begin(machine.values_max());
            let asked = sight.ask(question, filter, hits, machine.fuel());
            machine.burn(asked.cost)?;
            if asked.is_cut {
                return Err(if hits.is_full() { Halt::Memory } else { Halt::Fuel });
            }
            hits.sort();
            machine.burn(hits.as_slice().len() as u64)?;
            give(machine, hits.as_slice(), asked)
        })
    }

    /// The same for arguments that may describe no question: that has no hits.
    fn ask_if(
        &mut self,
        question: Option<Question>,
        filter: &Filter,
        give: impl FnOnce(&mut Machine<'m>, &[QueryHit], Asked) -> Result<Value, Halt>,
    ) -> Result<Value, Halt> {
        match question {
            Some(question) => self.ask(&question, filter, give),
            None => give(self.machine, &[], Asked::default()),
        }
    }

    fn ray(&mut self, want: Want) -> (Option<Question>, Filter) {
        let [from, to] = self.machine.vectors(&self.arguments);
        (Some(Question::Ray { from, to, want }), filter_of(self.machine, self.arguments[2]))
    }

    fn sweep(&mut self, want: Want) -> (Option<Question>, Filter) {
        let [form, from, to, filter] = self.arguments;
        let [from, to] = self.machine.vectors(&[from, to, Value::NOTHING, Value::NOTHING]);
        let (form, filter) = (form_of(self.machine, form), filter_of(self.machine, filter));
        (form.map(|form| Question::Sweep { form, from, to, want }), filter)
    }

    fn overlap(&mut self, want: Want) -> (Option<Question>, Filter) {
        let [form, at, filter, _] = self.arguments;
        let [at] = self.machine.vectors(&[at, Value::NOTHING, Value::NOTHING, Value::NOTHING]);
        let (form, filter) = (form_of(self.machine, form), filter_of(self.machine, filter));
        (form.map(|form| Question::Overlap { form, at, want }), filter)
    }

    fn surface(&mut self, want: Want) -> (Option<Question>, Filter) {
        let (centre, radius_max, filter) = self.around();
        ((radius_max >= 0.0).then_some(Question::Surface { centre, radius_max, want }), filter)
    }

    /// A point, a number and a filter.
    fn around(&mut self) -> (Vec3, f64, Filter) {
        let [centre] = self.machine.vectors(&self.arguments);
        let number = number_of(self.machine, self.arguments[1]);
        (centre, number, filter_of(self.machine, self.arguments[2]))
    }
}

/// The fields of a marker.
pub(super) const MARKER: [&str; 3] = ["position", "facing", "up"];

pub(super) fn now(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let sight = context.sight;
    Ok(Value::number(sight.block.cycle() as f64 * sight.settings.milliseconds()))
}

pub(super) fn named(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let name = string_of(context.machine, context.arguments[0]);
    let names = context.sight.keys.names.get(context.sight.block);
    context.machine.burn(names.len() as u64 / 8)?;
    Ok(context.sight.named(name).map_or(Value::NOTHING, value_of))
}

pub(super) fn marker_of(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let handle = handle_of(context.machine, context.arguments[0]);
    let name = string_of(context.machine, context.arguments[1]);
    let Some((position, orientation)) = context.sight.marker(handle.cast(), name) else { return Ok(Value::NOTHING) };
    let values = [position, orientation.rotate(Vec3::X), orientation.rotate(Vec3::Z)];
    context.machine.make_record(MARKER, values.map(|vector| Value::vector(vector.canonical())))
}

pub(super) fn within(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (centre, radius, filter) = context.around();
    // A negative or NaN radius finds nothing.
    context.ask_if((radius >= 0.0).then_some(Question::Within { centre, radius }), &filter, handles)
}

pub(super) fn within_box(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let [one, other] = context.machine.vectors(&context.arguments);
    let filter = filter_of(context.machine, context.arguments[2]);
    let sorted = |one: f32, other: f32| if other < one { (other, one) } else { (one, other) };
    let [x, y, z] = [sorted(one.x, other.x), sorted(one.y, other.y), sorted(one.z, other.z)];
    let question = Question::Box { least: Vec3::new(x.0, y.0, z.0), most: Vec3::new(x.1, y.1, z.1) };
    context.ask(&question, &filter, handles)
}

pub(super) fn nearest_object(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (centre, radius_max, filter) = context.around();
    let question = (radius_max >= 0.0).then_some(Question::Nearest { centre, radius_max, count: 1 });
    context.ask_if(question, &filter, |_, hits, _| Ok(hits.first().map_or(Value::NOTHING, handle)))
}

pub(super) fn nearest_objects(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (centre, count, filter) = context.around();
    let count = count as u32;
    let question = (count > 0).then_some(Question::Nearest { centre, radius_max: f64::INFINITY, count });
    context.ask_if(question, &filter, handles)
}

pub(super) fn ray_first(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.ray(Want::First);
    context.ask_if(question, &filter, first_hit)
}

pub(super) fn ray_any(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.ray(Want::Any);
    context.ask_if(question, &filter, is_any)
}

pub(super) fn ray_all(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.ray(Want::All);
    context.ask_if(question, &filter, all_hits)
}

pub(super) fn objects(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let filter = filter_of(context.machine, context.arguments[0]);
    context.ask(&Question::All, &filter, handles)
}

pub(super) fn count_objects(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let filter = filter_of(context.machine, context.arguments[0]);
    context.ask(&Question::Count, &filter, |_, _, asked| Ok(Value::number(asked.count as f64)))
}

pub(super) fn sweep_first(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.sweep(Want::First);
    context.ask_if(question, &filter, first_hit)
}

pub(super) fn sweep_any(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.sweep(Want::Any);
    context.ask_if(question, &filter, is_any)
}

pub(super) fn sweep_all(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.sweep(Want::All);
    context.ask_if(question, &filter, all_hits)
}

pub(super) fn overlap_any(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.overlap(Want::Any);
    context.ask_if(question, &filter, is_any)
}

pub(super) fn overlap_all(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.overlap(Want::All);
    context.ask_if(question, &filter, handles)
}

pub(super) fn surface_first(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.surface(Want::First);
    context.ask_if(question, &filter, first_hit)
}

pub(super) fn surface_all(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let (question, filter) = context.surface(Want::All);
    context.ask_if(question, &filter, all_hits)
}

fn handle(hit: &QueryHit) -> Value {
    Value::handle(hit.handle, hit.array)
}

fn handles(machine: &mut Machine<'_>, hits: &[QueryHit], _: Asked) -> Result<Value, Halt> {
    machine.build(|machine| hits.iter().try_for_each(|hit| machine.push(handle(hit))))
}

fn is_any(_: &mut Machine<'_>, hits: &[QueryHit], _: Asked) -> Result<Value, Halt> {
    Ok(Value::truth(!hits.is_empty()))
}

fn first_hit(machine: &mut Machine<'_>, hits: &[QueryHit], _: Asked) -> Result<Value, Halt> {
    hits.first().map_or(Ok(Value::NOTHING), |hit| record(machine, hit))
}

fn all_hits(machine: &mut Machine<'_>, hits: &[QueryHit], _: Asked) -> Result<Value, Halt> {
    machine.build(|machine| {
        for hit in hits {
            let record = record(machine, hit)?;
            machine.push(record)?;
        }
        Ok(())
    })
}

/// The record of a hit.
fn record(machine: &mut Machine<'_>, hit: &QueryHit) -> Result<Value, Halt> {
    let values = [handle(hit), Value::number(hit.distance), Value::vector(hit.at), Value::vector(hit.normal)];
    machine.make_record(HIT, values)
}
