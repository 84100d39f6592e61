//! hecs, with an optimised hand-written copy: saved column by column, restored in one batch.
//!
//! Entity ids survive, and so does the list of free ids: later spawns get the same ids. The order of rows does not survive.

use astrarium::base::Plain;
use hecs::{ColumnBatchBuilder, ColumnBatchType, Entity, World};

use super::columns::Columns;
use super::contender::Contender;
use super::scene::{Mind, Motion, Object, Tally, Transform, Vitals, touch};

/// A world of hecs.
pub struct Hecs {
    world: World,
    roster: Vec<Option<Entity>>,
    kept: Kept,
}

/// The ids, the components, and the free ids.
#[derive(Default)]
struct Kept {
    entities: Vec<Entity>,
    columns: Columns,
    free: Vec<Entity>,
}

impl Hecs {
    /// A world with these objects.
    pub fn new(objects: &[Object]) -> Hecs {
        let mut hecs = Hecs { world: World::new(), roster: vec![None; objects.len()], kept: Kept::default() };
        hecs.churn(objects);
        hecs
    }
}

impl Contender for Hecs {
    fn name(&self) -> &'static str {
        "hecs 0.11.2, copied by hand"
    }

    fn churn(&mut self, births: &[Object]) {
        let mut dying = Vec::with_capacity(births.len());
        for Object { transform, motion, vitals, mind } in births {
            let entity = self.world.spawn((*transform, *motion, *vitals, *mind));
            dying.extend(self.roster[mind.place as usize].replace(entity));
        }
        for entity in dying {
            self.world.despawn(entity).expect("the roster lists living entities");
        }
    }

    fn touch(&mut self, places: &[u32]) {
        let mut view = self.world.view_mut::<(&mut Transform, &Motion, &mut Mind)>();
        for entity in places.iter().filter_map(|place| self.roster[*place as usize]) {
            let (transform, motion, mind) = view.get_mut(entity).expect("the roster lists living entities");
            touch(transform, motion, mind);
        }
    }

    fn save(&mut self) {
        let Kept { entities, columns, free } = &mut self.kept;
        entities.clear();
        columns.clear();
        free.clear();
        entities.extend(self.world.query::<Entity>().iter());
        append(&self.world, &mut columns.transforms);
        append(&self.world, &mut columns.motions);
        append(&self.world, &mut columns.vitals);
        append(&self.world, &mut columns.minds);
        free.extend(self.world.freelist());
    }

    fn save_and_hash(&mut self) -> u64 {
        self.save();
        self.kept.columns.hash()
    }

    /// All entities are removed, and spawned again in the order of their ids: in any other order hecs searches its list of
    /// free ids for each of them.
    fn restore(&mut self) {
        let Kept { entities, columns, free } = &self.kept;
        let names = entities.iter().map(|entity| entity.id() + 1).max().unwrap_or(0);
        let mut rows = vec![u32::MAX; names as usize];
        for (row, entity) in entities.iter().enumerate() {
            rows[entity.id() as usize] = row as u32;
        }
        rows.retain(|row| *row != u32::MAX);
        let in_order: Vec<Entity> = rows.iter().map(|row| entities[*row as usize]).collect();

        let mut kind = ColumnBatchType::new();
        kind.add::<Transform>().add::<Motion>().add::<Vitals>().add::<Mind>();
        let batch = kind.into_batch(rows.len() as u32);
        gather(&batch, &columns.transforms, &rows);
        gather(&batch, &columns.motions, &rows);
        gather(&batch, &columns.vitals, &rows);
        gather(&batch, &columns.minds, &rows);
        self.world.clear();
        self.world.spawn_column_batch_at(&in_order, batch.build().expect("all four columns are full"));
        self.world.set_freelist(free);
    }

    fn find_again(&mut self) {
        for (entity, mind) in self.world.query::<(Entity, &Mind)>().iter() {
            self.roster[mind.place as usize] = Some(entity);
        }
    }

    fn tally(&mut self) -> Tally {
        let mut tally = Tally::default();
        for (transform, motion, vitals, mind) in self.world.query::<(&Transform, &Motion, &Vitals, &Mind)>().iter() {
            tally.add(transform, motion, vitals, mind);
        }
        tally
    }
}

fn append<T: Plain>(world: &World, column: &mut Vec<T>) {
    for archetype in world.archetypes() {
        if let Some(values) = archetype.get::<&T>() {
            column.extend_from_slice(&values);
        }
    }
}

fn gather<T: Plain>(batch: &ColumnBatchBuilder, column: &[T], rows: &[u32]) {
    let mut writer = batch.writer::<T>().expect("the column is part of the batch");
    for row in rows {
        let _ = writer.push(column[*row as usize]);
    }
}
