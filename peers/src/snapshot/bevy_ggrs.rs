//! bevy_ggrs, used as documented, with every choice in its favour: components are stored by `Copy`, hashed with our hash,
//! and snapshots older than the last confirmed cycle are dropped at once.
//!
//! Its list of all entities that ever existed only grows, and is part of every snapshot: with many spawns it becomes slower in
//! every cycle. Worlds are therefore recreated after a few rounds; the minimum times are those of the first rounds.

use astrarium::base::{Plain, hash, plain};
use bevy::MinimalPlugins;
use bevy::app::App;
use bevy::ecs::component::{Component, Mutable};
use bevy::ecs::entity::Entity;
use bevy::ecs::query::QueryState;
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::Res;
use bevy_ggrs::prelude::{Checksum, Rollback, RollbackApp, RollbackDespawnCommandExtension};
use bevy_ggrs::{
    AdvanceWorld, ChecksumPlugin, ConfirmedFrameCount, EntityChecksumPlugin, LoadWorld, RollbackFrameCount, SaveWorld,
    SaveWorldSystems, SnapshotPlugin,
};

use super::contender::Contender;
use super::scene::{Mind, Motion, Object, Tally, Transform, Vitals, touch};

type Everything = (Entity, &'static Transform, &'static Motion, &'static Vitals, &'static Mind);

/// An app of bevy_ggrs.
pub struct BevyGgrs {
    app: App,
    everything: QueryState<Everything>,
    moving: QueryState<(&'static mut Transform, &'static Motion, &'static mut Mind)>,
    roster: Vec<Option<Entity>>,
    saved_frame: i32,
}

/// Whether the next save computes a checksum.
#[derive(Resource)]
struct IsHashing(bool);

impl BevyGgrs {
    /// An app with these objects.
    pub fn new(objects: &[Object]) -> BevyGgrs {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SnapshotPlugin, ChecksumPlugin, EntityChecksumPlugin));
        register::<Transform>(&mut app);
        register::<Motion>(&mut app);
        register::<Vitals>(&mut app);
        register::<Mind>(&mut app);
        app.insert_resource(IsHashing(false));
        app.configure_sets(SaveWorld, SaveWorldSystems::Checksum.run_if(|is_hashing: Res<IsHashing>| is_hashing.0));
        app.update();
        let (everything, moving) = (app.world_mut().query(), app.world_mut().query());
        let roster = vec![None; objects.len()];
        let mut bevy_ggrs = BevyGgrs { app, everything, moving, roster, saved_frame: 0 };
        bevy_ggrs.churn(objects);
        bevy_ggrs
    }

    fn save_world(&mut self, is_hashing: bool) {
        let world = self.app.world_mut();
        world.resource_mut::<IsHashing>().0 = is_hashing;
        self.saved_frame = world.resource::<RollbackFrameCount>().0;
        world.run_schedule(SaveWorld);
    }
}

impl Contender for BevyGgrs {
    fn name(&self) -> &'static str {
        "bevy_ggrs 0.22.0"
    }

    fn churn(&mut self, births: &[Object]) {
        let world = self.app.world_mut();
        let last = world.resource::<RollbackFrameCount>().0;
        world.insert_resource(ConfirmedFrameCount(last));
        world.insert_resource(RollbackFrameCount(last + 1));
        world.run_schedule(AdvanceWorld);
        let mut dying = Vec::with_capacity(births.len());
        for Object { transform, motion, vitals, mind } in births {
            let entity = world.spawn((*transform, *motion, *vitals, *mind, Rollback)).id();
            dying.extend(self.roster[mind.place as usize].replace(entity));
        }
        let mut commands = world.commands();
        for entity in dying {
            commands.entity(entity).despawn_rollback();
        }
        world.flush();
    }

    fn touch(&mut self, places: &[u32]) {
        for entity in places.iter().filter_map(|place| self.roster[*place as usize]) {
            let found = self.moving.get_mut(self.app.world_mut(), entity);
            let (mut transform, motion, mut mind) = found.expect("the roster lists living entities");
            touch(&mut transform, motion, &mut mind);
        }
    }

    fn save(&mut self) {
        self.save_world(false);
    }

    fn save_and_hash(&mut self) -> u64 {
        self.save_world(true);
        self.app.world().resource::<Checksum>().0 as u64
    }

    fn restore(&mut self) {
        let world = self.app.world_mut();
        world.insert_resource(RollbackFrameCount(self.saved_frame));
        world.run_schedule(LoadWorld);
    }

    fn find_again(&mut self) {
        for (entity, _, _, _, mind) in self.everything.iter(self.app.world()) {
            self.roster[mind.place as usize] = Some(entity);
        }
    }

    fn tally(&mut self) -> Tally {
        let mut tally = Tally::default();
        for (_, transform, motion, vitals, mind) in self.everything.iter(self.app.world()) {
            tally.add(transform, motion, vitals, mind);
        }
        tally
    }
}

fn register<T: Plain + Component<Mutability = Mutable>>(app: &mut App) {
    app.rollback_component_with_copy::<T>();
    app.checksum_component::<T>(|value| hash::hash(plain::bytes_of(value)));
}
