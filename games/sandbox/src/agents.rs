//! The update of an agent. It reads the frozen world and changes itself; every other effect is queued.

use astrarium::base::number::{abs, atan2, clamp, exp, max, min, sin_cos, sqrt, wrap_angle};
use astrarium::base::{Handle, Random, Truth, Vec2};
use astrarium::state::{Address, Item};

use crate::cells::{agents_in, cell_at, plants_in};
use crate::level::Level;
use crate::parts::{Agent, Birth, Message, News, Parts};

const SECONDS: f32 = 0.01;
const REACH: f32 = 1.5;
const AGE_MAX: u32 = 6000;
/// The most neighbours that an agent considers.
const NEIGHBOURS_MAX: usize = 12;

/// One cycle of an agent.
pub fn update(parts: &Parts, level: &Level, agent: &mut Item<'_, Agent>) {
    let now = *agent.now();
    agent.next.age = now.age.saturating_add(1);
    if now.health <= 0.0 || now.energy <= 0.0 || now.age > AGE_MAX {
        agent.queue(parts.deaths, agent.address(), &now.age);
        return;
    }
    let nearest = nearest_agent(parts, agent, &now);
    steer(parts, agent, &now, nearest);
    walk(parts, level, agent, &now);
    if let Some((other, distance)) = nearest
        && distance < REACH
    {
        meet(parts, agent, &now, other);
    }
    graze(parts, agent, &now);
    breed(parts, agent, &now);
}

/// The nearest of the neighbours it considers, with its distance.
fn nearest_agent(parts: &Parts, agent: &Item<'_, Agent>, now: &Agent) -> Option<(Handle<Agent>, f32)> {
    let mut nearest: Option<(Handle<Agent>, f32)> = None;
    for (handle, other) in agents_in(parts, agent.frozen, now.cell, NEIGHBOURS_MAX) {
        let squared = (other.position - now.position).length_squared();
        if handle != agent.handle && nearest.is_none_or(|(_, best)| squared < best) {
            nearest = Some((handle, squared));
        }
    }
    nearest.map(|(handle, squared)| (handle, sqrt(squared)))
}

/// Turns towards prey, away from hunters, and a little at random.
fn steer(parts: &Parts, agent: &mut Item<'_, Agent>, now: &Agent, nearest: Option<(Handle<Agent>, f32)>) {
    let mut random = agent.random(0);
    let mut turn = random.between(-0.2, 0.2);
    let other = nearest.and_then(|(handle, _)| parts.agents.find(agent.frozen, handle));
    if let Some(other) = other {
        let towards = other.position - now.position;
        let bearing = wrap_angle(atan2(towards.y, towards.x) - now.heading);
        turn += match (other.team + 3 - now.team) % 3 {
            0 => bearing * 0.02,
            1 => bearing * 0.1,
            _ => -bearing * 0.1,
        };
    }
    let fear = if now.is_hurt.is_true() { 1.8 } else { 1.0 };
    agent.next.heading = wrap_angle(now.heading + clamp(turn, -0.3, 0.3));
    agent.next.is_hurt = Truth::FALSE;
    let (sine, cosine) = sin_cos(agent.next.heading);
    let speed = now.speed * fear * exp(-0.5 * max(now.energy - 1.0, 0.0));
    agent.next.velocity = Vec2::new(cosine, sine) * speed;
}

/// Moves, turning back at the edge of the square; queues a move when it enters another cell.
fn walk(parts: &Parts, level: &Level, agent: &mut Item<'_, Agent>, now: &Agent) {
    let mut position = now.position + agent.next.velocity * SECONDS;
    let inside = Vec2::new(clamp(position.x, 0.0, level.side), clamp(position.y, 0.0, level.side));
    if inside != position {
        agent.next.heading = wrap_angle(agent.next.heading + core::f32::consts::PI);
        position = inside;
    }
    agent.next.position = position;
    agent.next.energy = now.energy - 0.00005 - abs(now.speed) * 0.000_002;
    let cell = cell_at(position, level.side);
    if cell != now.cell {
        agent.queue(parts.moves, agent.address(), &u32::from(cell));
    }
}

/// Bites the team it beats, greets its own.
fn meet(parts: &Parts, agent: &mut Item<'_, Agent>, now: &Agent, other: Handle<Agent>) {
    let Some(team) = parts.agents.find(agent.frozen, other).map(|other| other.team) else { return };
    let target = parts.agents.address(other);
    match (team + 3 - now.team) % 3 {
        1 => {
            let strength = 0.02 + agent.random(1).unit() * 0.05;
            agent.queue(parts.damage, target, &strength);
            agent.next.energy += strength * 0.02;
        }
        0 if agent.random(2).chance(0.05) => {
            let hops = agent.random(3).below(4);
            let message = Message { from: agent.handle, news: News::Greeting.into(), hops, energy: 0.001 };
            agent.queue(parts.messages, target, &message);
            agent.next.energy -= 0.001;
            agent.next.friend = other;
        }
        _ => {}
    }
}

/// Bites the first plant in reach, if it is hungry.
fn graze(parts: &Parts, agent: &mut Item<'_, Agent>, now: &Agent) {
    if now.energy > 1.2 {
        return;
    }
    let near = plants_in(parts, agent.frozen, now.cell, NEIGHBOURS_MAX)
        .find(|(_, plant)| plant.food > 0.1 && (plant.position - now.position).length_squared() < REACH * REACH * 4.0);
    if let Some((plant, _)) = near {
        agent.queue(parts.meals, parts.plants.address(plant), &min(0.05, 1.3 - now.energy));
    }
}

/// Has a child when it can afford one.
fn breed(parts: &Parts, agent: &mut Item<'_, Agent>, now: &Agent) {
    if now.energy < 0.9 || now.age < 300 || !agent.random(4).chance(0.01) {
        return;
    }
    let birth = Birth {
        position: now.position,
        heading: wrap_angle(now.heading + 2.0),
        energy: now.energy * 0.45,
        parent: agent.handle,
        team: u32::from(now.team),
    };
    if agent.queue(parts.births, Address::WORLD, &birth) {
        agent.next.energy = now.energy * 0.5;
    }
}
