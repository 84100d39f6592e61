//! Ours: a world with nothing but physics.

use std::time::Instant;

use ::physics::{Body, Contact, Parts, Physics, Settings, Shapes, flag};
use astrarium::host::thread_pool::ThreadPool;
use astrarium::host::pages::Pages;
use astrarium::state::{self, Layout, World};
use cpu_time::ProcessTime;

use super::contender::{Contender, Kept, Played, Steps, Way};
use super::our_scene::{build, capacities, joints, settings};
use super::scene::{Moving, Scene, Tally};

/// Our physics.
pub struct Ours;

impl Contender for Ours {
    fn name(&self) -> String {
        "astrarium".to_owned()
    }

    fn play(&mut self, scene: &str, threads: u32, steps: Steps) -> Played {
        let mut stage = Stage::new(scene, threads);
        (0..steps.before).for_each(|_| stage.step());
        let first = stage.tally();
        let mut played = Played {
            tallies: [first, first],
            bodies: Vec::new(),
            processor: Vec::with_capacity(steps.measured),
            wall: Vec::with_capacity(steps.measured),
            cycle: Vec::with_capacity(steps.measured),
        };
        for _ in 0..steps.measured {
            let cycle = ProcessTime::now();
            stage.world.simulate(&stage.crew, &[]);
            let (processor, wall) = (ProcessTime::now(), Instant::now());
            stage.physics.step(&mut stage.world, &stage.shapes, &stage.settings, &stage.crew);
            played.processor.push(processor.elapsed().as_nanos() as u64);
            played.wall.push(wall.elapsed().as_nanos() as u64);
            stage.world.rest();
            played.cycle.push(cycle.elapsed().as_nanos() as u64);
        }
        stage.complain();
        played.tallies[1] = stage.tally();
        played.bodies = stage.bodies();
        played
    }

    fn watch(&mut self, scene: &str, steps: usize, every: usize) -> Vec<Vec<Moving>> {
        let mut stage = Stage::new(scene, 1);
        let mut watched = Vec::new();
        for step in 1..=steps {
            stage.step();
            if step % every == 0 {
                watched.push(stage.bodies());
            }
        }
        stage.complain();
        watched
    }

    fn keep(&mut self, scene: &str, steps: usize, turns: usize) -> Kept {
        let mut stage = Stage::new(scene, 1);
        (0..steps).for_each(|_| stage.step());
        let mut way = Way { name: "", save: Vec::new(), restore: Vec::new() };
        let mut snapshot = stage.world.snapshot(&Pages);
        for _ in 0..turns {
            // So that all of it was written since the last copy.
            stage.step();
            let start = ProcessTime::now();
            stage.world.save(&mut snapshot);
            way.save.push(start.elapsed().as_nanos() as u64);
            let expected = stage.after_some_steps();
            let start = ProcessTime::now();
            stage.world.restore(&snapshot);
            way.restore.push(start.elapsed().as_nanos() as u64);
            assert_eq!(stage.after_some_steps(), expected, "what is restored goes on the same way");
        }
        stage.complain();
        Kept { bytes: stage.bytes(), ways: vec![way] }
    }
}

/// A scene that is played.
struct Stage {
    world: World,
    physics: Physics,
    shapes: Shapes,
    settings: Settings,
    crew: ThreadPool,
    /// Where the lowest could be.
    lowest: f64,
}

impl Stage {
    /// At the start of a scene. Everything is as it is by default, but that nothing sleeps.
    fn new(name: &str, threads: u32) -> Stage {
        let scene = Scene::named(name).expect("there is such a scene");
        let mut layout = Layout::of_world("peers");
        layout.system("physics");
        let physics = Physics::new(&mut layout, capacities(&scene));
        let checks = state::Settings { is_checked: false, ..state::Settings::default() };
        let mut world = World::new(&layout.finish(), &Pages, checks, 1);
        let mut shapes = Vec::new();
        world.set_up(|world| {
            let mut bodies = Vec::new();
            shapes = build(&scene, |body| bodies.push(physics.add(world, body).expect("the capacity suffices")));
            for joint in joints(&scene, &bodies) {
                physics.add_joint(world, &joint).expect("the capacity suffices");
            }
        });
        let (shapes, settings) = (Shapes::new(shapes), settings(&scene));
        let lowest = scene.bodies.iter().filter(|body| body.density > 0.0).map(|body| f64::from(body.position[2]));
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        Stage { world, physics, shapes, settings, crew: ThreadPool::new(threads), lowest }
    }

    /// A brush cycle.
    fn step(&mut self) {
        self.world.simulate(&self.crew, &[]);
        self.physics.step(&mut self.world, &self.shapes, &self.settings, &self.crew);
        self.world.rest();
    }

    fn moving(&self) -> impl Iterator<Item = &Body> {
        self.physics.parts.bodies.iterate(&self.world).map(|(_, body)| body).filter(|body| !body.is(flag::STATIC))
    }

    fn bodies(&self) -> Vec<Moving> {
        let bodies = self.moving();
        bodies
            .map(|body| Moving {
                position: body.position.to_array(),
                velocity: body.velocity.to_array(),
                orientation: [body.rotation.x, body.rotation.y, body.rotation.z, body.rotation.w],
            })
            .collect()
    }

    fn tally(&self) -> Tally {
        let mut pairs: Vec<(u16, u16)> = self.contacts().iter().map(Contact::pair).collect();
        pairs.dedup();
        let energy = self.moving().map(energy).sum();
        let height: f64 = self.moving().map(|body| f64::from(body.position.z) - self.lowest).sum();
        Tally { pairs: pairs.len() as u32, energy, height: height / self.moving().count() as f64 }
    }

    fn contacts(&self) -> &[Contact] {
        self.physics.parts.contacts.get(&self.world)
    }

    /// How many bytes of the block are in use by what physics has in it.
    fn bytes(&self) -> u64 {
        let Parts { bodies, contacts, events, .. } = self.physics.parts;
        let bytes = bodies.count(&self.world) as usize * size_of::<Body>()
            + size_of_val(contacts.get(&self.world))
            + size_of_val(events.get(&self.world));
        bytes as u64
    }

    /// Where everything is after a few steps.
    fn after_some_steps(&mut self) -> u64 {
        (0..3).for_each(|_| self.step());
        Scene::hash(&self.bodies())
    }

    /// Stops the run if anything found no room: that would be less work.
    fn complain(&self) {
        let counts = self.physics.parts.counts.get(&self.world);
        let refused = counts.pairs_refused + counts.contacts_refused + counts.quarantined;
        assert_eq!(refused, 0, "no capacity is exceeded: {counts:?}");
    }
}

/// Its linear and angular kinetic energy, in joules.
fn energy(body: &Body) -> f64 {
    let turn = (body.rotation * body.principal_axes).rotate_back(body.angular_velocity);
    let turning = turn.times(turn);
    let each = [
        (body.velocity.length_squared(), body.inverse_mass),
        (turning.x, body.inverse_inertia.x),
        (turning.y, body.inverse_inertia.y),
        (turning.z, body.inverse_inertia.z),
    ];
    each.into_iter()
        .filter(|(_, inverse)| *inverse > 0.0)
        .map(|(square, inverse)| f64::from(square / inverse) * 0.5)
        .sum()
}
