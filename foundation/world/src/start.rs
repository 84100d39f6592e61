//! The start of a level: an empty world is filled from its scenario.

use base::Random;
use state::World;
use tags::Library;
use tags::library::Changed;

use crate::level::LevelPlacement;
use crate::object::Object;
use crate::parts::{NamedObject, Progress, SETS, SettlingState};
use crate::rules::{Cycle, LEVEL, Rules};
use crate::stages::{SpawnOrder, make};
use crate::way_building;
use base::{Handle, StringId, Vec3};

impl Rules {
    /// Fills an empty world.
    pub fn set_up(&self, world: &mut World, content: &Library) {
        let changed = Changed::default();
        let cycle = &self.cycle(content, &changed);
        *self.parts.progress.get_mut(world) = Progress {
            result: StringId::default(),
            next: StringId::default(),
            messages: 0,
            hits: 0,
            spawned: 0,
            destroyed: 0,
            refused: 0,
            level: LEVEL,
            is_over: 0,
        };
        *self.parts.lengths.get_mut(world) = self.level.settings.lengths;
        self.sets.begin(world, SETS);
        self.space.begin(world);
        self.parts.bodies.rewrite(world, &state::Alone, self.level.objects_max, |_| Handle::NONE);
        let bodies_max = self.level.room_for_bodies.bodies;
        self.parts.settling.rewrite(world, &state::Alone, bodies_max, |_| SettlingState::default());
        let level = place(cycle, world, &LevelPlacement::level(self.level.scenario));
        debug_assert!(
            level.is_none_or(|level| level == LEVEL),
            "law 4 of the world: the level is the first object, not {level:?}"
        );
        for placed in &self.level.players {
            let object = place(cycle, world, placed).unwrap_or(Handle::NONE);
            self.parts.players.push(world, object);
        }
        for placed in &self.level.placements {
            for _ in 0..placed.count {
                let object = place(cycle, world, placed);
                if let Some(object) = object.filter(|_| !placed.name.is_none()) {
                    self.parts.names.push(world, NamedObject { name: placed.name, object, spare: 0 });
                }
            }
        }
        way_building::set_up(self, world);
    }
}

/// Makes an object of a placement.
pub(crate) fn place(cycle: &Cycle<'_>, world: &mut World, placed: &LevelPlacement) -> Option<Handle<Object>> {
    let LevelPlacement { tag, position, pose, velocity, team, spread, .. } = *placed;
    let mut random = world.random();
    let away = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0));
    drop(random);
    let away = Vec3::new(away.x * spread.x, away.y * spread.y, away.z * spread.z);
    let velocity = (velocity != Vec3::ZERO).then_some(velocity);
    let order = SpawnOrder { tag, asker: Handle::NONE, given: None, position: position + away, team, velocity, pose };
    make(cycle, world, &order)
}
