//! Our contender: two datum arrays of whole objects in one block.

use astrarium::base::Handle;
use astrarium::host::pages::Pages;
use astrarium::state::{Datums, Layout, Settings, Snapshot, World};

use super::contender::Contender;
use super::scene::{Object, Tally, touch};

/// Our world.
pub struct Ours {
    world: World,
    /// An array has at most 65,535 slots: even places are in the first, odd ones in the second.
    halves: [Datums<Object>; 2],
    roster: Vec<Handle<Object>>,
    snapshot: Snapshot,
}

impl Ours {
    /// A world with these objects, and capacity for the spawns of a cycle, a fifth of all, which come before the removals. They
    /// are drawn from all places, so one array may get slightly more than the other.
    pub fn new(objects: &[Object]) -> Ours {
        let count = objects.len() as u32;
        let capacity = (count + count / 5 + count / 50).div_ceil(2);
        let mut layout = Layout::of_world("peers");
        layout.system("objects");
        let halves = [layout.datums("even", capacity), layout.datums("odd", capacity)];
        let settings = Settings { is_checked: false, ..Settings::default() };
        let mut world = World::new(&layout.finish(), &Pages, settings, 1);
        let snapshot = world.snapshot(&Pages);
        let mut ours = Ours { world, halves, roster: vec![Handle::NONE; objects.len()], snapshot };
        ours.churn(objects);
        ours
    }

    /// The bytes of its block.
    pub fn bytes(&self) -> &[u8] {
        self.world.bytes()
    }

    /// Adopts the bytes of a block.
    pub fn adopt(&mut self, bytes: &[u8]) {
        self.world.adopt(&bytes[..self.world.bytes().len()]).expect("the bytes come from this world");
    }

    /// The hash of the world.
    pub fn hash(&mut self) -> u64 {
        self.world.hash()
    }
}

impl Contender for Ours {
    fn name(&self) -> &'static str {
        "astrarium"
    }

    fn churn(&mut self, births: &[Object]) {
        let Ours { world, halves, roster, .. } = self;
        world.set_up(|world| {
            let dying: Vec<(Datums<Object>, Handle<Object>)> = births
                .iter()
                .map(|birth| {
                    let half = halves[birth.mind.place as usize % 2];
                    let (handle, mut object) = half.create(world).expect("the capacity includes the spawns of a cycle");
                    *object = *birth;
                    (half, std::mem::replace(&mut roster[birth.mind.place as usize], handle))
                })
                .collect();
            for (half, handle) in dying.into_iter().filter(|(_, handle)| !handle.is_none()) {
                half.delete(world, handle);
            }
        });
    }

    fn touch(&mut self, places: &[u32]) {
        let Ours { world, halves, roster, .. } = self;
        world.set_up(|world| {
            for place in places {
                let mut object = halves[*place as usize % 2].get_mut(world, roster[*place as usize]);
                let Object { transform, motion, mind, .. } = &mut *object;
                touch(transform, motion, mind);
            }
        });
    }

    fn save(&mut self) {
        self.world.save(&mut self.snapshot);
    }

    fn save_and_hash(&mut self) -> u64 {
        self.world.save(&mut self.snapshot);
        self.world.hash()
    }

    fn restore(&mut self) {
        self.world.restore(&self.snapshot);
    }

    fn find_again(&mut self) {
        for (handle, object) in self.halves.iter().flat_map(|half| half.iterate(&self.world)) {
            self.roster[object.mind.place as usize] = handle;
        }
    }

    fn tally(&mut self) -> Tally {
        let mut tally = Tally::default();
        for (_, object) in self.halves.iter().flat_map(|half| half.iterate(&self.world)) {
            let Object { transform, motion, vitals, mind } = object;
            tally.add(transform, motion, vitals, mind);
        }
        tally
    }
}
