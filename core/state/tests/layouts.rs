//! A derived layout reserves exactly what the same calls by hand reserve.

use std::sync::Arc;

use base::{Handle, Plain};
use state::pool::PoolBlock;
use state::{Brush, Class, Datums, Entities, Heap, Layout, List, Plan, Pool, Settings, Single, World};

#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
struct Crab {
    weight: f32,
    friend: Handle<Crab>,
    diary: Handle<PoolBlock>,
}

struct Limits {
    crabs: u32,
}

#[derive(Layout)]
#[layout(world = "beach", system = "life", limits = Limits)]
struct Beach {
    plan: Arc<Plan>,
    #[datums(limits.crabs)]
    crabs: Datums<Crab>,
    #[datums(2 * limits.crabs, 64)]
    eggs: Datums<Crab>,
    #[system("memory")]
    #[pool(4096, limits.crabs)]
    diaries: Pool,
    #[class(diaries)]
    diary: Class<u64>,
    #[list(10)]
    tides: List<f32>,
    #[single]
    tally: Single<u64>,
    #[system("objects")]
    #[entities(8, 64, 64)]
    objects: Entities<Crab, f64>,
    #[reserve(Wind::reserve(layout))]
    wind: Wind,
    #[brush(32)]
    pinch: Brush<f32>,
}

/// A nested struct of keys.
#[derive(Layout)]
struct Wind {
    #[single]
    gust: Single<f32>,
}

fn by_hand(limits: &Limits) -> Arc<Plan> {
    let mut layout = Layout::of_world("beach");
    layout.system("life");
    layout.datums::<Crab>("crabs", limits.crabs);
    layout.datums_in_chunks::<Crab>("eggs", 2 * limits.crabs, 64);
    layout.system("memory");
    let diaries = layout.pool("diaries", 4096, limits.crabs);
    layout.class::<u64>(diaries, "diary");
    layout.list::<f32>("tides", 10);
    layout.single::<u64>("tally");
    layout.system("objects");
    layout.entities::<Crab, f64>("objects", 8, 64, 64);
    layout.single::<f32>("gust");
    layout.brush::<f32>("pinch", 32);
    layout.finish()
}

#[test]
fn a_derived_layout_is_the_one_written_by_hand() {
    for crabs in [1, 100] {
        let limits = Limits { crabs };
        assert_eq!(Beach::lay_out(&limits).plan.hash(), by_hand(&limits).hash());
    }
    assert_ne!(by_hand(&Limits { crabs: 1 }).hash(), by_hand(&Limits { crabs: 2 }).hash());
}

#[test]
fn derived_keys_find_their_regions() {
    let beach = Beach::lay_out(&Limits { crabs: 3 });
    let mut world = World::new(&beach.plan, &Heap, Settings::default(), 1);
    let crab =
        beach.crabs.create_with(&mut world, Crab { weight: 2.0, ..Crab::default() }).expect("three slots are free");
    let egg = beach.eggs.create_with(&mut world, Crab { friend: crab, ..Crab::default() }).expect("six slots are free");
    let diary = beach.diary.create(&mut world).expect("the pool is empty");
    beach.crabs.get_mut(&mut world, crab).diary = diary;
    assert!(beach.tides.push(&mut world, 0.5));
    *beach.tally.get_mut(&mut world) = 7;
    *beach.wind.gust.get_mut(&mut world) = 9.0;
    assert!(beach.objects.create(&mut world, 4).is_some());
    let friend = beach.eggs.get(&world, egg).friend;
    assert_eq!(beach.crabs.find(&world, friend).map(|crab| crab.weight), Some(2.0));
    assert_eq!((beach.tides.get(&world), *beach.tally.get(&world), *beach.wind.gust.get(&world)), (&[0.5][..], 7, 9.0));
    assert!(beach.diaries.is_living(&world, diary));
    world.simulate(&state::Alone, &[]);
    beach.pinch.paint(&mut world, |_, _| unreachable!("nothing was queued"));
}
