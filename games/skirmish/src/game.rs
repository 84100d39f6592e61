//! The game: its start and its step.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use astrarium::base::hash::hash;
use astrarium::base::number::clamp;
use astrarium::base::random::Draw;
use astrarium::base::{Handle, Random, StringId, Vec2};
use astrarium::relay::Event;
use astrarium::script::message::{CALLBACK, Message};
use astrarium::script::value::Value;
use astrarium::state::prediction::Prediction;
use astrarium::state::{Address, Block, Desks, Item, Plan, Stroke, Workers, World, each};
use astrarium::tags::Library;
use astrarium::{Game, GameEntry, Given, TagsEntry};

use crate::level::{GLOBALS, Level, TEXTS, classes, scenario};
use crate::minds::{DESKS, Minds, SCRIPTS, Sight, Tale, Wish, desk_of, handle_of};
use crate::parts::{Order, Parts, Ship, Tally};

/// The skirmish as the command line knows it.
pub const ENTRY: GameEntry = GameEntry {
    name: "skirmish",
    about: "ships whose minds are LScript, some of them hostile to the world itself",
    levels: &["skirmish", "fleet", "hostile"],
    tags: TagsEntry {
        classes,
        texts: TEXTS,
        folder: None,
        roots: |level| alloc::vec![String::from("globals.globals"), scenario(level)],
    },
    make: |_, level, content| Arc::new(Skirmish::new(Level::of(content, level))),
};

/// A player wants a ship: a place and a team.
const WANT: StringId = StringId::new("want");
const SECONDS: f32 = 0.01;
const MILLISECONDS: f64 = 10.0;
const LOOKS: usize = 6;
const ROUNDS_MAX: u32 = 3;
/// A mind has no more wishes at once: its script has about as many statements, each with its own limit of effects.
const WISHES_MAX: usize = 512;

/// How ships behave this cycle, from the globals.
#[derive(Clone, Copy)]
struct Manner {
    speed: f32,
    look_cycles: u64,
}

impl Manner {
    fn of(content: &Library) -> Manner {
        let globals = content.get(GLOBALS);
        globals.map_or(Manner { speed: 30.0, look_cycles: 50 }, |globals| Manner {
            speed: globals.speed,
            look_cycles: u64::from(globals.look_cycles.max(1)),
        })
    }
}

/// The skirmish on one level.
pub struct Skirmish {
    level: Level,
    parts: Parts,
    minds: Minds,
    /// Where wishes lie until they are granted.
    wishes: Desks<Vec<Wish>>,
}

impl Skirmish {
    fn new(level: Level) -> Skirmish {
        let wishes = Desks::new(DESKS, || Vec::with_capacity(WISHES_MAX));
        Skirmish { level, parts: Parts::new(&level), minds: Minds::new(), wishes }
    }

    /// One cycle of a ship: it looks, it thinks, it moves.
    fn update(&self, ship: &mut Item<'_, Ship>, manner: Manner) {
        let now = ship.now();
        let target = self.look(ship, now, manner);
        let other = self.parts.ships.try_get(ship.frozen, target).map(|other| other.position);
        let distance = other.map_or(f32::MAX, |other| (other - now.position).length());
        let luck = f64::from(ship.random(1).unit());
        let shown = if other.is_some() { handle_of(target) } else { Value::NOTHING };
        let arguments = [Value::number(luck), shown, Value::number(f64::from(distance))];
        let sight = self.sight(ship.frozen, ship.handle, ship.cycle());
        let mut velocity = now.velocity;
        self.wishes.with(desk_of(ship.handle), |wishes| {
            let tale = self.minds.update(&sight, &mut ship.next.mind, &arguments, &mut |wish| wishes.push(wish));
            note(ship.next, tale);
            for wish in wishes.drain(..) {
                match wish {
                    Wish::Send(to, message) => {
                        ship.queue(self.parts.messages, self.parts.ships.address(to), &message);
                    }
                    Wish::Steer(way) => {
                        let towards = other.map_or(now.velocity, |other| other - now.position);
                        velocity = towards.normal() * (manner.speed * clamp(way, -1.0, 1.0));
                    }
                    Wish::Build(callback) => {
                        ship.queue(self.parts.orders, Address::WORLD, &order(now, ship.handle, callback));
                    }
                    Wish::End => {
                        ship.queue(self.parts.losses, ship.address(), &0);
                    }
                }
            }
        });
        let next = &mut *ship.next;
        (next.velocity, next.target) = (velocity, target);
        next.position =
            (now.position + velocity * SECONDS).clamp(Vec2::ZERO, Vec2::new(self.level.side, self.level.side));
    }

    /// Whom a ship is shown: from time to time the nearest of a few others of another team.
    fn look(&self, ship: &Item<'_, Ship>, now: &Ship, manner: Manner) -> Handle<Ship> {
        let is_time = (ship.cycle() + u64::from(ship.handle.slot())).is_multiple_of(manner.look_cycles);
        if !is_time && self.parts.ships.try_get(ship.frozen, now.target).is_some() {
            return now.target;
        }
        let mut random = ship.random(0);
        let mut nearest = (f32::MAX, now.target);
        for _ in 0..LOOKS {
            let slot = random.below(self.level.ships_max) as u16;
            if let Some((handle, other)) = self.parts.ships.get_absolute(ship.frozen, slot)
                && other.team != now.team
            {
                let squared = (other.position - now.position).length_squared();
                if squared < nearest.0 {
                    nearest = (squared, handle);
                }
            }
        }
        nearest.1
    }

    fn read(&self, world: &mut World, stroke: &Stroke<Message>) {
        let Some(handle) = self.parts.ships.handle(stroke.target) else { return };
        let Some((_, ship)) = self.parts.ships.get_untrusted(world, handle.raw()) else { return };
        let mut mind = ship.mind;
        self.wishes.with(0, |wishes| {
            let sight = self.sight(world.frozen(), handle, world.cycle());
            let tale = self.minds.deliver(&sight, &mut mind, &stroke.payload, &mut |wish| wishes.push(wish));
            let mut ship = self.parts.ships.edit(world, handle);
            ship.mind = mind;
            note(&mut ship, tale);
            drop(ship);
            self.parts.tally.edit(world).messages += 1;
            self.grant(world, handle, wishes);
        });
    }

    /// Queues what a mind wished while the world was painted.
    fn grant(&self, world: &mut World, handle: Handle<Ship>, wishes: &mut Vec<Wish>) {
        let (parts, from) = (&self.parts, self.parts.ships.address(handle));
        for wish in wishes.drain(..) {
            match wish {
                Wish::Send(to, message) => {
                    parts.messages.queue_from(world, parts.ships.address(to), from, &message);
                }
                Wish::Build(callback) => {
                    let order = order(parts.ships.get(world, handle), handle, callback);
                    parts.orders.queue_from(world, Address::WORLD, from, &order);
                }
                Wish::End => {
                    parts.losses.queue_from(world, from, from, &0);
                }
                Wish::Steer(_) => {}
            }
        }
    }

    /// Builds a ship, and tells whoever ordered it.
    fn build(&self, world: &mut World, order: &Order) {
        let Some((handle, mut ship)) = self.parts.ships.create(world) else { return };
        (ship.position, ship.target, ship.team) = (order.position, Handle::NONE, order.team % 3);
        drop(ship);
        self.wishes.with(0, |wishes| {
            let sight = self.sight(world.frozen(), handle, world.cycle());
            let (mind, tale) = self.minds.begin(&sight, order.program, &mut |wish| wishes.push(wish));
            let mut ship = self.parts.ships.edit(world, handle);
            ship.mind = mind;
            note(&mut ship, tale);
            drop(ship);
            self.grant(world, handle, wishes);
        });
        if order.callback != 0 {
            let arguments = [Value::identifier(order.callback), handle_of(handle)];
            if let Ok(message) = Message::new(CALLBACK, Value::NOTHING).with_atoms(&arguments) {
                let to = self.parts.ships.address(order.owner);
                self.parts.messages.queue(world, to, &message);
            }
        }
    }

    fn sight<'a>(&self, block: &'a Block, this: Handle<Ship>, cycle: u64) -> Sight<'a> {
        Sight { ships: self.parts.ships, block, this, now: cycle as f64 * MILLISECONDS, seed: block.time().seed }
    }
}

impl Game for Skirmish {
    fn plan(&self) -> &Arc<Plan> {
        &self.parts.plan
    }

    fn content(&self) -> u64 {
        let scripts: Vec<&str> = SCRIPTS.iter().map(|(_, source)| *source).collect();
        hash(scripts.concat().as_bytes())
    }

    fn set_up(&self, world: &mut World, _: &Library) {
        for number in 0..self.level.ships {
            let side = self.level.side;
            let mut random = world.random();
            let position = Vec2::new(random.between(0.0, side), random.between(0.0, side));
            drop(random);
            let is_hostile = self.level.hostile_every > 0 && number.is_multiple_of(self.level.hostile_every);
            let program = u32::from(is_hostile);
            self.build(world, &Order { position, owner: Handle::NONE, callback: 0, team: number, program });
        }
    }

    fn step(&self, world: &mut World, given: &Given<'_>, workers: &dyn Workers) {
        let (parts, manner) = (&self.parts, Manner::of(given.content));
        world.simulate(workers, &[&each(parts.ships, |ship| self.update(ship, manner))]);
        for (player, event) in given.events() {
            if event.kind == WANT {
                let side = self.level.side;
                let position = Vec2::new(event.float(0), event.float(1)).clamp(Vec2::ZERO, Vec2::new(side, side));
                let order = Order { position, owner: Handle::NONE, callback: 0, team: event.words[2] % 3, program: 0 };
                parts.orders.queue_from(world, Address::WORLD, Address::player(*player), &order);
            }
        }
        parts.messages.paint_in_rounds(world, ROUNDS_MAX, |world, stroke| self.read(world, &stroke));
        parts.orders.paint(world, |world, stroke| {
            parts.tally.edit(world).built += 1;
            self.build(world, &stroke.payload);
        });
        parts.losses.paint(world, |world, stroke| {
            let Some(handle) = parts.ships.handle(stroke.target) else { return };
            let Some(ship) = parts.ships.try_get(world, handle).copied() else { return };
            let mut tally = parts.tally.edit(world);
            tally.lost += 1;
            tally.stopped += u64::from(ship.stopped);
            tally.complaints += u64::from(ship.complaints);
            drop(tally);
            parts.ships.delete(world, handle);
        });
        world.rest();
    }

    fn play_robot(&self, random: &mut Draw, events: &mut Vec<Event>) {
        if random.chance(0.3) {
            let side = self.level.side;
            let (x, y) = (random.between(0.0, side), random.between(0.0, side));
            events.push(Event::new(WANT, &[x.to_bits(), y.to_bits(), random.below(3)]));
        }
    }

    fn show(&self, world: &Block, prediction: &mut Prediction) {
        let ships = self.parts.ships.iterate(world);
        prediction.set(ships.map(|(_, ship)| (ship.position.with_z(0.0), ship.velocity.with_z(0.0))));
    }

    fn describe(&self, world: &Block) -> String {
        let tally = self.parts.tally.get(world);
        let ships = self.parts.ships.iterate(world);
        let (count, stopped) = ships
            .fold((0, tally.stopped), |(count, stopped), (_, ship)| (count + 1, stopped + u64::from(ship.stopped)));
        let Tally { messages, built, lost, .. } = *tally;
        let trouble = self.minds.trouble().map_or(String::new(), |trouble| format!("; last {trouble}"));
        format!(
            "{count} ships, {built} built, {lost} lost; {messages} messages; scripts stopped {stopped} times{trouble}"
        )
    }
}

fn order(ship: &Ship, owner: Handle<Ship>, callback: i32) -> Order {
    Order { position: ship.position, owner, callback, team: ship.team, program: ship.mind.head.program }
}

fn note(ship: &mut Ship, tale: Tale) {
    ship.stopped = ship.stopped.saturating_add(tale.stopped);
    ship.complaints = ship.complaints.saturating_add(tale.complaints);
}
