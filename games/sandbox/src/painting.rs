//! The painters of the brushes, in the order in which they paint.

use astrarium::StepInput;
use astrarium::base::number::max;
use astrarium::base::{Handle, Random, StringId, Truth, Vec2};
use astrarium::relay::Event;
use astrarium::state::{Address, Stroke, World};

use crate::cells::{agents_in, cell_at, link, unlink};
use crate::level::Level;
use crate::parts::{Agent, Birth, Command, CommandKind, Memory, Message, News, Parts};

/// The kind of a player's event: a position, a team and a command.
pub const WANT: StringId = StringId::new("want");

/// The most rounds of messages in a cycle.
const ROUNDS_MAX: u32 = 4;
/// The most agents that a strike damages.
const STRUCK_MAX: usize = 32;

/// Paints everything that was queued.
pub fn paint(parts: &Parts, level: &Level, world: &mut World, input: &StepInput<'_>) {
    for (player, event) in input.events {
        queue_command(parts, level, world, *player, event);
    }
    parts.commands.paint(world, |world, stroke| follow_command(parts, level, world, &stroke.payload));
    parts.moves.paint(world, |world, stroke| {
        if let Some(agent) = living(parts, world, stroke.target) {
            unlink(parts, world, agent);
            link(parts, world, agent, stroke.payload as u16);
        }
    });
    parts.meals.paint(world, |world, stroke| feed(parts, world, &stroke));
    parts.damage.paint(world, |world, stroke| hurt(parts, world, &stroke));
    parts.messages.paint_in_rounds(world, ROUNDS_MAX, |world, stroke| read(parts, world, &stroke));
    parts.births.paint(world, |world, stroke| give_birth(parts, level, world, &stroke.payload));
    parts.deaths.paint(world, |world, stroke| bury(parts, world, stroke.target));
}

/// An event may hold any numbers: they are brought into range.
fn queue_command(parts: &Parts, level: &Level, world: &mut World, player: u16, event: &Event) {
    if event.kind != WANT {
        return;
    }
    let position = Vec2::new(event.float(0), event.float(1)).clamp(Vec2::ZERO, Vec2::new(level.side, level.side));
    let kind = if event.words[3].is_multiple_of(2) { CommandKind::Plant } else { CommandKind::Strike };
    let command = Command { position, team: event.words[2] % 3, kind: kind.into() };
    parts.commands.queue_from(world, Address::WORLD, Address::player(player), &command);
}

fn follow_command(parts: &Parts, level: &Level, world: &mut World, command: &Command) {
    count(&mut parts.tally.get_mut(world).commands);
    if command.kind == CommandKind::Plant {
        let heading = world.random().between(-3.0, 3.0);
        let Command { position, team, .. } = *command;
        let birth = Birth { position, heading, energy: 0.8, parent: Handle::NONE, team };
        parts.births.queue(world, Address::WORLD, &birth);
        return;
    }
    let cell = cell_at(command.position, level.side);
    let mut struck = [Handle::<Agent>::NONE; STRUCK_MAX];
    let found = agents_in(parts, world, cell, STRUCK_MAX);
    let count = struck.iter_mut().zip(found).map(|(place, (handle, _))| *place = handle).count();
    for agent in &struck[..count] {
        parts.damage.queue(world, parts.agents.address(*agent), &0.3);
    }
}

/// A plant gives the food it has; the agent that bit it gets a message.
fn feed(parts: &Parts, world: &mut World, stroke: &Stroke<f32>) {
    let Some(handle) = parts.plants.handle(stroke.target) else { return };
    let Some(mut plant) = parts.plants.find_mut(world, handle) else { return };
    let given = if plant.food > stroke.payload { stroke.payload } else { plant.food };
    plant.food -= given;
    drop(plant);
    parts.plants.set_awake(world, handle, true);
    let message = Message { from: Handle::NONE, news: News::Fed.into(), hops: 0, energy: given };
    parts.messages.queue(world, stroke.source, &message);
}

fn hurt(parts: &Parts, world: &mut World, stroke: &Stroke<f32>) {
    let Some(handle) = living(parts, world, stroke.target) else { return };
    let mut agent = parts.agents.get_mut(world, handle);
    let was_alive = agent.health > 0.0;
    agent.health = max(agent.health - stroke.payload, 0.0);
    agent.is_hurt = Truth::TRUE;
    let Agent { health, friend, .. } = *agent;
    drop(agent);
    let mut tally = parts.tally.get_mut(world);
    count(&mut tally.bites);
    tally.damage += f64::from(stroke.payload);
    drop(tally);
    if was_alive && health <= 0.0 {
        parts.deaths.queue(world, stroke.target, &0);
    } else if parts.agents.find(world, friend).is_some() {
        let alarm = Message { from: handle, news: News::Alarm.into(), hops: 2, energy: 0.0 };
        parts.messages.queue(world, parts.agents.address(friend), &alarm);
    }
}

/// Reads a message, records it in the diary, and forwards it.
fn read(parts: &Parts, world: &mut World, stroke: &Stroke<Message>) {
    let Some(handle) = living(parts, world, stroke.target) else { return };
    let message = stroke.payload;
    count(&mut parts.tally.get_mut(world).messages);
    let mut agent = parts.agents.get_mut(world, handle);
    agent.energy += message.energy;
    if message.news == News::Born {
        agent.friend = message.from;
    }
    let Agent { friend, diary, .. } = *agent;
    drop(agent);
    let memory = Memory { cycle: world.cycle(), other: message.from, news: message.news };
    if message.news != News::Fed && parts.diaries.is_living(world, diary) {
        parts.diary.edit(world, diary, |lines| {
            let line = memory.cycle as usize % lines.len();
            lines[line] = memory;
        });
    }
    if message.hops > 0 && friend != message.from && parts.agents.find(world, friend).is_some() {
        let passed_on = Message { from: handle, hops: message.hops - 1, energy: 0.0, ..message };
        parts.messages.queue(world, parts.agents.address(friend), &passed_on);
    }
}

fn give_birth(parts: &Parts, level: &Level, world: &mut World, birth: &Birth) {
    let child = add_agent(parts, level, world, birth);
    if child.is_none() || parts.agents.find(world, birth.parent).is_none() {
        return;
    }
    let message = Message { from: child, news: News::Born.into(), hops: 0, energy: 0.0 };
    parts.messages.queue(world, parts.agents.address(birth.parent), &message);
}

/// Creates an agent, with a diary if the pool has memory for one. `NONE` if the capacity for agents is used up.
pub fn add_agent(parts: &Parts, level: &Level, world: &mut World, birth: &Birth) -> Handle<Agent> {
    let speed = world.random().between(4.0, 12.0);
    let lines = 1 + world.random().below(6);
    let Some((handle, mut agent)) = parts.agents.create(world) else { return Handle::NONE };
    agent.position = birth.position;
    agent.heading = birth.heading;
    agent.energy = birth.energy;
    agent.health = 1.0;
    agent.speed = speed;
    agent.team = birth.team as u8;
    (agent.friend, agent.diary) = (birth.parent, Handle::NONE);
    drop(agent);
    if let Some(diary) = parts.diary.create_many(world, lines) {
        parts.agents.get_mut(world, handle).diary = diary;
    }
    link(parts, world, handle, cell_at(birth.position, level.side));
    count(&mut parts.tally.get_mut(world).births);
    handle
}

fn bury(parts: &Parts, world: &mut World, target: Address) {
    let Some(handle) = living(parts, world, target) else { return };
    let diary = parts.agents.get(world, handle).diary;
    if parts.diaries.is_living(world, diary) {
        parts.diaries.delete(world, diary);
    }
    unlink(parts, world, handle);
    parts.agents.delete(world, handle);
    count(&mut parts.tally.get_mut(world).deaths);
}

/// The agent of an address, if it exists.
fn living(parts: &Parts, world: &World, address: Address) -> Option<Handle<Agent>> {
    let handle = parts.agents.handle(address)?;
    parts.agents.find(world, handle).map(|_| handle)
}

/// Counts one more, up to the largest number: a world that was loaded may hold it already.
fn count(tally: &mut u64) {
    *tally = tally.saturating_add(1);
}
