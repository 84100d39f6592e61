//! bevy_ecs, with a hand-written copy: saved column by column, restored row by row.
//!
//! Living entities are overwritten, entities spawned since are despawned, and entities despawned since are spawned again,
//! under new ids, because old ids cannot be restored. Other references to such ids would need repair; that is not measured.

use bevy::ecs::entity::Entity;
use bevy::ecs::query::QueryState;
use bevy::ecs::world::World;

use super::columns::Columns;
use super::contender::Contender;
use super::scene::{Mind, Motion, Object, Tally, Transform, Vitals, touch};

type Everything = (Entity, &'static Transform, &'static Motion, &'static Vitals, &'static Mind);
type EverythingMut = (Entity, &'static mut Transform, &'static mut Motion, &'static mut Vitals, &'static mut Mind);

/// A world of bevy_ecs.
pub struct BevyEcs {
    world: World,
    everything: QueryState<Everything>,
    everything_mut: QueryState<EverythingMut>,
    roster: Vec<Option<Entity>>,
    /// The copy: ids and components.
    entities: Vec<Entity>,
    columns: Columns,
}

impl BevyEcs {
    /// A world with these objects.
    pub fn new(objects: &[Object]) -> BevyEcs {
        let mut world = World::new();
        let (everything, everything_mut) = (world.query(), world.query());
        let roster = vec![None; objects.len()];
        let (entities, columns) = (Vec::new(), Columns::default());
        let mut bevy_ecs = BevyEcs { world, everything, everything_mut, roster, entities, columns };
        bevy_ecs.churn(objects);
        bevy_ecs
    }
}

impl Contender for BevyEcs {
    fn name(&self) -> &'static str {
        "bevy_ecs 0.19.1, copied by hand"
    }

    fn churn(&mut self, births: &[Object]) {
        let mut dying = Vec::with_capacity(births.len());
        for Object { transform, motion, vitals, mind } in births {
            let entity = self.world.spawn((*transform, *motion, *vitals, *mind)).id();
            dying.extend(self.roster[mind.place as usize].replace(entity));
        }
        for entity in dying {
            assert!(self.world.despawn(entity), "the roster lists living entities");
        }
    }

    fn touch(&mut self, places: &[u32]) {
        for entity in places.iter().filter_map(|place| self.roster[*place as usize]) {
            let found = self.everything_mut.get_mut(&mut self.world, entity);
            let (_, mut transform, motion, _, mut mind) = found.expect("the roster lists living entities");
            touch(&mut transform, &motion, &mut mind);
        }
    }

    fn save(&mut self) {
        let BevyEcs { world, everything, entities, columns, .. } = self;
        entities.clear();
        columns.clear();
        for table in everything.contiguous_iter(world).expect("all four components are in table storage") {
            entities.extend_from_slice(table.0);
            columns.transforms.extend_from_slice(table.1);
            columns.motions.extend_from_slice(table.2);
            columns.vitals.extend_from_slice(table.3);
            columns.minds.extend_from_slice(table.4);
        }
    }

    fn save_and_hash(&mut self) -> u64 {
        self.save();
        self.columns.hash()
    }

    fn restore(&mut self) {
        let BevyEcs { world, everything_mut, entities, columns, .. } = self;
        let names = entities.iter().map(|entity| entity.index_u32() + 1).max().unwrap_or(0);
        let mut rows = vec![None; names as usize];
        for (row, entity) in entities.iter().enumerate() {
            rows[entity.index_u32() as usize] = Some(row);
        }
        let mut is_missing = vec![true; entities.len()];
        let mut born_since = Vec::new();
        for (entity, mut transform, mut motion, mut vitals, mut mind) in everything_mut.iter_mut(world) {
            let row = rows.get(entity.index_u32() as usize).copied().flatten();
            match row.filter(|row| entities[*row] == entity) {
                Some(row) => {
                    (*transform, *motion, *vitals, *mind) = columns.row(row);
                    is_missing[row] = false;
                }
                None => born_since.push(entity),
            }
        }
        for entity in born_since {
            world.despawn(entity);
        }
        let missing = (0..entities.len()).filter(|row| is_missing[*row]);
        let revived: Vec<(Transform, Motion, Vitals, Mind)> = missing.map(|row| columns.row(row)).collect();
        world.spawn_batch(revived).for_each(drop);
    }

    fn find_again(&mut self) {
        for (entity, _, _, _, mind) in self.everything.iter(&self.world) {
            self.roster[mind.place as usize] = Some(entity);
        }
    }

    fn tally(&mut self) -> Tally {
        let mut tally = Tally::default();
        for (_, transform, motion, vitals, mind) in self.everything.iter(&self.world) {
            tally.add(transform, motion, vitals, mind);
        }
        tally
    }
}
