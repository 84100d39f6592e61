//! The battle as a Bevy app: components, and the systems of a cycle in their order.

use std::collections::VecDeque;

use bevy_app::{App, FixedUpdate};
use bevy_ecs::batching::BatchingStrategy;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_math::Vec3;
use bevy_utils::Parallel;

use crate::grid::{Found, Grid};
use crate::mind::{Around, Mind, Ship};
use crate::rules::{CALM, CYCLE, CYCLE_SECONDS, HULL, LOOK_PERIOD, SHIELD, buoys, starts};

/// A running battle.
pub struct Field(App);

/// Counters of events, and the current ships.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Hits.
    pub hits: u64,
    /// Ships lost.
    pub deaths: u64,
    /// Ships alive.
    pub ships: u64,
    /// The sum of their hull values.
    pub hull: f64,
}

impl Field {
    /// A battle at its start.
    pub fn new<M: Mind>(places: u32, buoy_count: u32) -> Field {
        let mut app = App::empty();
        app.init_schedule(FixedUpdate);
        // Systems run one after the other; within each, ships are distributed among threads.
        app.edit_schedule(FixedUpdate, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
        });
        app.insert_resource(Grid::new(places));
        app.init_resource::<Seen>().init_resource::<Hits>().init_resource::<Lost>();
        app.add_systems(FixedUpdate, (replace, fill_grid, update::<M>, damage::<M>, travel).chain());
        let world = app.world_mut();
        world.spawn_batch(starts(places).into_iter().map(|start| {
            let [x, y] = start.home;
            let ship = Ship {
                hull: start.hull,
                shield: start.shield,
                heat: start.heat,
                calm: start.calm,
                cooldown: start.cooldown,
                look: start.look,
                weapon: start.weapon,
                team: start.team,
                is_fleeing: false,
            };
            begin(Vec3::new(x, y, 0.0), ship)
        }));
        world.spawn_batch(buoys(places, buoy_count).into_iter().map(|[x, y]| (Buoy, Position(Vec3::new(x, y, 0.0)))));
        Field(app)
    }

    /// One cycle.
    pub fn step(&mut self) {
        self.0.world_mut().run_schedule(FixedUpdate);
    }

    /// The counters since the last call.
    pub fn look(&mut self) -> Seen {
        let world = self.0.world_mut();
        let mut seen = std::mem::take(&mut *world.resource_mut::<Seen>());
        let mut ships = world.query::<&Ship>();
        for ship in ships.iter(world) {
            seen.ships += 1;
            seen.hull += f64::from(ship.hull);
        }
        seen
    }
}

#[derive(Component, Clone, Copy)]
struct Position(Vec3);

#[derive(Component, Clone, Copy)]
struct Velocity(Vec3);

#[derive(Component, Clone, Copy)]
struct Home(Vec3);

/// The target of a ship.
#[derive(Component, Clone, Copy)]
struct Target(Option<Entity>);

#[derive(Component, Clone, Copy)]
struct Buoy;

/// Ships that were hit in this cycle, one list per thread.
#[derive(Resource, Default)]
struct Hits(Parallel<Vec<Hit>>);

struct Hit {
    target: Entity,
    amount: f32,
    weapon: u8,
}

/// Lost ships that wait to be replaced, the next one first.
#[derive(Resource, Default)]
struct Lost {
    cycle: u64,
    waiting: VecDeque<(u64, Vec3, Ship)>,
}

/// A ship to be spawned.
fn begin(home: Vec3, ship: Ship) -> (Position, Velocity, Home, Target, Ship) {
    (Position(home), Velocity(Vec3::ZERO), Home(home), Target(None), ship)
}

fn replace(mut commands: Commands, mut lost: ResMut<Lost>) {
    lost.cycle += 1;
    while let Some(&(cycle, home, ship)) = lost.waiting.front()
        && cycle <= lost.cycle
    {
        lost.waiting.pop_front();
        let ship = Ship {
            hull: HULL,
            shield: SHIELD,
            heat: 0.0,
            calm: CALM,
            cooldown: 0.0,
            look: LOOK_PERIOD,
            is_fleeing: false,
            ..ship
        };
        commands.spawn(begin(home, ship));
    }
}

fn fill_grid(mut grid: ResMut<Grid>, ships: Query<(Entity, &Position, &Ship)>) {
    grid.fill(ships.iter().map(|(ship, position, Ship { team, .. })| Found {
        ship,
        team: *team,
        position: position.0,
    }));
}

fn update<M: Mind>(
    mut ships: Query<(&Position, &mut Velocity, &Home, &mut Target, &mut Ship)>,
    positions: Query<&Position>,
    grid: Res<Grid>,
    hits: Res<Hits>,
) {
    let batches = BatchingStrategy::new().batches_per_thread(8);
    ships.par_iter_mut().batching_strategy(batches).for_each_init(
        || hits.0.borrow_local_mut(),
        |hits, (position, mut velocity, home, mut target, mut ship)| {
            M::with(|mind| {
                ship.look -= CYCLE;
                if ship.look <= 0.0 {
                    ship.look += LOOK_PERIOD;
                    let radius = mind.look(&ship);
                    target.0 = grid.nearest_enemy(position.0, radius, ship.team);
                }
                let seen = target.0.and_then(|target| positions.get(target).ok());
                let around = Around { position: position.0, home: home.0, target: seen.map(|position| position.0) };
                let amount = mind.update(&mut ship, &mut velocity.0, &around);
                if let (Some(amount), Some(target)) = (amount, target.0) {
                    hits.push(Hit { target, amount, weapon: ship.weapon });
                }
            });
        },
    );
}

fn damage<M: Mind>(
    mut commands: Commands,
    mut ships: Query<(&mut Ship, &Home)>,
    mut hits: ResMut<Hits>,
    mut lost: ResMut<Lost>,
    mut seen: ResMut<Seen>,
) {
    M::with(|mind| {
        for hits in hits.0.iter_mut() {
            seen.hits += hits.len() as u64;
            for Hit { target, amount, weapon } in hits.drain(..) {
                let Ok((mut ship, home)) = ships.get_mut(target) else { continue };
                // The target was lost in this cycle.
                if ship.hull <= 0.0 {
                    continue;
                }
                if let Some(delay) = mind.damage(&mut ship, amount, weapon) {
                    seen.deaths += 1;
                    let cycle = lost.cycle + (delay / CYCLE) as u64;
                    lost.waiting.push_back((cycle, home.0, *ship));
                    commands.entity(target).despawn();
                }
            }
        }
    });
}

fn travel(mut ships: Query<(&mut Position, &Velocity)>) {
    for (mut position, velocity) in &mut ships {
        position.0 += velocity.0 * CYCLE_SECONDS;
    }
}
