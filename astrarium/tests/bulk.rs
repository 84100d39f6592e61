//! Bulk data in a running game: resident for the world, by blocks for presentation, and that of earlier versions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use astrarium::base::build_identity;
use astrarium::bulk_reader::BulkReader;
use astrarium::content::{BlockHandle, BlockKind};
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Layout, Plan, Settings, Single, Workers, World};
use astrarium::tags::bulk::{BLOCK_BYTES, BulkWriter};
use astrarium::tags::{Bulk, Classes, Key, Library, Tag, TagId};
use astrarium::view::{BulkKind, BulkSource, PartState};
use astrarium::{Game, GameEntry, StepInput, TagsEntry, saves, tag_tree};
use testing::Folder;

/// How long a test waits for an expected event. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(20);

/// A hill.
#[derive(Tag)]
#[repr(C)]
struct Hill {
    /// What bodies touch: the world reads it.
    #[tag(resident)]
    ground: Bulk,
    /// What is shown.
    picture: Bulk,
}

const HILL: TagId<Hill> = TagId::at("a.hill");

/// Adds up the ground.
struct Sum {
    plan: Arc<Plan>,
    sum: Single<u64>,
}

impl Game for Sum {
    fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    fn set_up(&self, _world: &mut World, _content: &Library) {}

    fn step(&self, world: &mut World, input: &StepInput<'_>, workers: &dyn Workers) {
        world.simulate(workers, &[]);
        let ground = input.content.get(HILL).map_or(0, |hill| ground_of(input.content, &hill.ground));
        *self.sum.get_mut(world) += ground;
        world.rest();
    }
}

fn ground_of(library: &Library, ground: &Bulk) -> u64 {
    library.bulk(ground).iter().map(|byte| u64::from(*byte)).sum()
}

const ENTRY: GameEntry = GameEntry {
    name: "hill",
    about: "it adds up its ground",
    build: build_identity!(),
    levels: &["hill"],
    tags: TagsEntry {
        classes: || Classes::new().with::<Hill>(),
        texts: &[("a.hill", "@hill\n")],
        containers: &[],
        folder: None,
        mods: &[],
        roots: |_level| vec!["a.hill".into()],
    },
    make: |_entry, _level, _content| {
        let mut layout = Layout::of_world("hill");
        layout.system("sum");
        let sum = layout.single("sum");
        Arc::new(Sum { plan: layout.finish(), sum })
    },
};

/// Writes a hill, and the files that it names. Returns the digest of the picture.
fn put(folder: &Folder, number: u8) -> Key {
    let tags = folder.join("tags");
    std::fs::create_dir_all(&tags).expect("the folder can be written");
    let mut writer = BulkWriter::new();
    writer.add_part("pixels", &vec![number; BLOCK_BYTES + 5]).expect("it is small");
    let (ground, picture) = (vec![number; 10], writer.finish());
    let mut text = "@hill\n".to_string();
    for (field, bytes) in [("ground", &ground), ("picture", &picture)] {
        std::fs::write(tags.join(format!("a.{field}")), bytes).expect("the folder can be written");
        let (length, hash) = (bytes.len(), shelf::content_key::of(bytes));
        text += &format!("!set {field} {{ file \"a.{field}\", bytes {length}, hash \"{hash}\" }}\n");
    }
    std::fs::write(tags.join("a.hill"), text).expect("the folder can be written");
    shelf::content_key::of(&picture)
}

fn begin(folder: &Folder) -> Session {
    let (content, told) = tag_tree::open(&ENTRY, "hill", &folder.join("tags")).expect("the tree is there");
    assert!(told.is_empty(), "{told:?}");
    let start = Start { level: "hill".into(), seed: 1, players: 0, settings: Settings::default() };
    Session::begin(&ENTRY, content, &start, &Heap).expect("it can begin")
}

/// The last block of a picture, as presentation reads it.
fn read(session: &Session, digest: Key) -> Option<Vec<u8>> {
    let cache = session.content().blocks();
    let bulk = cache.open(&Bulk { digest: digest.0, bytes: 0 }, BlockKind::Texture).expect("it is named");
    let block = BlockHandle { bulk, block: 1 };
    let _ = cache.request(block, 0);
    cache.finish();
    cache.request(block, 0).map(|bytes| bytes.to_vec())
}

fn step_until(session: &mut Session, what: &str, mut is_so: impl FnMut(&mut Session) -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so(session) {
        assert!(Instant::now() < end, "never: {what}; {:?}", session.content_mut().take_lines());
        session.step(&Alone);
    }
}

fn ground(session: &Session) -> u64 {
    let library = session.content().library();
    library.get(HILL).map_or(0, |hill| ground_of(library, &hill.ground))
}

#[test]
fn the_world_reads_resident_data_and_presentation_reads_blocks() {
    let folder = Folder::new();
    let digest = put(&folder, 3);
    let session = begin(&folder);
    assert_eq!(ground(&session), 30);
    let library = session.content().library();
    let hill = library.get(HILL).expect("it is there");
    assert!(library.bulk(&hill.picture).is_empty(), "what is not resident is not in the library");
    assert_eq!(hill.picture.digest, digest.0);
    assert_eq!(read(&session, digest), Some(vec![3; 5]));
}

#[test]
fn parts_are_put_together_from_blocks_without_waiting() {
    let folder = Folder::new();
    let digest = put(&folder, 3);
    let session = begin(&folder);
    let bulk = Bulk { digest: digest.0, bytes: 0 };
    let blocks = || Arc::clone(session.content().blocks());
    let reader = BulkReader::new(blocks());
    // The part is loaded in the background: wait until it arrives.
    while matches!(reader.part(&bulk, 0, BulkKind::Texture), PartState::Loading) {
        session.content().blocks().finish();
    }
    let PartState::Ready(bytes) = reader.part(&bulk, 0, BulkKind::Texture) else { panic!("it is there") };
    assert_eq!(bytes.len(), BLOCK_BYTES + 5);
    assert!(bytes.iter().all(|byte| *byte == 3));
    let patient = BulkReader::patient(blocks());
    assert!(matches!(patient.part(&bulk, 0, BulkKind::Sound), PartState::Ready(_)));
    assert!(matches!(patient.part(&bulk, 1, BulkKind::Texture), PartState::Failed), "there is one part");
    let missing = Bulk { digest: [9; 32], bytes: 0 };
    assert!(matches!(patient.part(&missing, 0, BulkKind::Geometry), PartState::Failed));
    assert!(matches!(reader.part(&Bulk { digest: [0; 32], bytes: 0 }, 0, BulkKind::Texture), PartState::Failed));
}

#[test]
fn what_presentation_has_loaded_does_not_change_the_world() {
    let folder = Folder::new();
    let digest = put(&folder, 3);
    let (mut with, mut without) = (begin(&folder), begin(&folder));
    for cycle in 0..50 {
        if cycle % 10 == 0 {
            assert!(read(&with, digest).is_some());
        }
        with.step(&Alone);
        without.step(&Alone);
    }
    assert_eq!((with.hash(), with.chain()), (without.hash(), without.chain()));
}

#[test]
fn a_loaded_world_finds_the_bulk_data_of_its_time() {
    let folder = Folder::new();
    let first = put(&folder, 3);
    let mut session = begin(&folder);
    for _ in 0..20 {
        session.step(&Alone);
    }
    let save = folder.join("hill.save");
    saves::write(&mut session, &save).expect("the folder can be written");
    let stored = |digest: &Key| folder.join(format!(".astrarium/bulk/{digest}.bulk")).exists();
    step_until(&mut session, "the picture is stored", |_| stored(&first));
    let second = put(&folder, 4);
    step_until(&mut session, "the new ground", |session| ground(session) == 40);
    assert_eq!(read(&session, first), Some(vec![3; 5]), "a film or a rewind in this program");
    assert_eq!(read(&session, second), Some(vec![4; 5]));
    drop(session);
    // Another program, which never had the first version.
    let mut session = begin(&folder);
    assert_eq!(ground(&session), 40);
    saves::load(&mut session, &save).expect("its content is stored");
    assert_eq!(ground(&session), 30);
    assert_eq!(read(&session, first), Some(vec![3; 5]));
    // The files of today enter like an edit.
    step_until(&mut session, "the files of today", |session| ground(session) == 40);
}

#[test]
fn missing_bulk_data_is_a_notice_and_the_world_goes_on() {
    let folder = Folder::new();
    put(&folder, 3);
    let mut session = begin(&folder);
    let missing = Key([9; 32]);
    assert_eq!(read(&session, missing), None);
    let before = session.world().cycle();
    for _ in 0..10 {
        assert_eq!(read(&session, missing), None);
        session.step(&Alone);
    }
    assert_eq!(session.world().cycle(), before + 10);
    let lines = session.content_mut().take_lines();
    let line = format!("bulk data {missing}: no file has the hash {missing}; import the data again");
    assert_eq!(lines.iter().filter(|told| **told == line).count(), 1, "{lines:?}");
}
