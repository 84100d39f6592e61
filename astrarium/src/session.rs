//! The loop, on one page.
//!
//! A session is a world being played: at the start of a safe cycle the players' batches are sealed and written to the
//! black box; the game steps; the cycle is counted; after a safe cycle the world's hash joins the chain.
//!
//! Laws
//! 1. The chain is a number over the hashes of all safe cycles: two sessions with equal chains went the same way.
//! 2. Inputs reach the black box before they reach the world.
//! 3. A step takes nothing from the heap, from the first one on. (A checked world does, to hash everything anew; and so
//!    does a robot with more to do than a batch can hold.)

use std::path::Path;
use std::sync::Arc;

use base::hash::mix;
use base::random::Draw;
use host::allocation;
use host::files::FileError;
use host::mapped::MappedFile;
use relay::black_box::{BlackBox, Purpose};
use relay::limits::EVENTS_PER_BATCH_MAX;
use relay::relay::Refusal;
use relay::{Event, Relay, Sealed};
use state::backups::Schedule;
use state::memory::MemorySource;
use state::pacer::Lengths;
use state::{Settings, Workers, World};

use crate::game::Game;

/// What a session starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// The level's name, for saves and reports.
    pub level: String,
    /// What all random draws follow from.
    pub seed: u64,
    /// How many players there are. Those nobody plays are robots.
    pub players: u16,
    /// How carefully the world is run.
    pub settings: Settings,
}

/// A world being played.
pub struct Session {
    game: Arc<dyn Game>,
    world: World,
    lengths: Lengths,
    relay: Relay,
    sealed: Sealed,
    players: u16,
    chain: u64,
    level: String,
    events: Vec<Event>,
    recorder: Option<Recorder>,
}

struct Recorder {
    file: MappedFile,
    black_box: BlackBox,
}

impl Session {
    /// A new world with the level in it.
    pub fn new(game: Arc<dyn Game>, start: &Start, memory: &dyn MemorySource) -> Session {
        let mut world = World::new(game.plan(), memory, start.settings, start.seed);
        world.set_up(|world| game.set_up(world));
        let players: Vec<u16> = (0..start.players).collect();
        Session {
            game,
            world,
            lengths: Lengths::default(),
            relay: Relay::new(&players, 0),
            sealed: Sealed::with_room_for(start.players),
            players: start.players,
            chain: 0,
            level: start.level.clone(),
            events: Vec::with_capacity(EVENTS_PER_BATCH_MAX),
            recorder: None,
        }
    }

    /// One brush cycle.
    pub fn step(&mut self, workers: &dyn Workers) {
        let is_safe = self.lengths.is_safe(self.world.cycle());
        if is_safe {
            self.seal();
            self.record_inputs();
        }
        let inputs = is_safe.then_some(&self.sealed);
        allocation::forbid(|| self.game.step(&mut self.world, inputs, workers));
        self.after_step();
    }

    /// What a person at this machine, or somebody far away, did as this player: it enters with the next safe cycle, or a
    /// later one. Until then more cannot be delivered for that cycle. Players for whom nothing was delivered are robots.
    pub fn deliver(&mut self, player: u16, safe_cycle: u64, events: &[Event]) -> Result<(), Refusal> {
        self.follow_world();
        self.relay.handle_batch(player, safe_cycle, events)
    }

    /// The next safe cycle whose inputs are not sealed yet.
    pub fn next_safe_cycle(&self) -> u64 {
        let cycle = self.world.cycle();
        self.lengths.safe_cycle(cycle) + u64::from(!self.lengths.is_safe(cycle))
    }

    /// After a load the relay goes on where the world is.
    fn follow_world(&mut self) {
        let next = self.next_safe_cycle();
        if self.relay.next() != next {
            let players: Vec<u16> = (0..self.players).collect();
            self.relay = Relay::new(&players, next);
        }
    }

    /// One brush cycle with inputs that were sealed before.
    pub fn replay(&mut self, inputs: Option<&Sealed>, workers: &dyn Workers) {
        self.game.step(&mut self.world, inputs, workers);
        self.after_step();
    }

    fn after_step(&mut self) {
        if self.lengths.is_safe(self.world.cycle()) {
            self.chain = mix(self.chain, self.world.hash());
        }
        if let Some(Recorder { file, black_box }) = &mut self.recorder {
            black_box.complete(file.bytes_mut(), &mut self.world);
        }
    }

    /// Gathers a batch from every player and seals the cycle.
    fn seal(&mut self) {
        let cycle = self.lengths.safe_cycle(self.world.cycle());
        self.follow_world();
        // The world's own, so that a world that was loaded is played on as it was.
        let seed = self.world.time().seed;
        for player in 0..self.players {
            let mut random = Draw::new(seed, cycle, ROBOTS, u32::from(player));
            self.events.clear();
            self.game.play_robot(&mut random, &mut self.events);
            self.events.truncate(EVENTS_PER_BATCH_MAX);
            match self.relay.handle_batch(player, cycle, &self.events) {
                // Whoever delivered needs no robot.
                Ok(()) | Err(Refusal::Twice) => {}
                Err(refusal) => panic!("a robot's batch was refused: {refusal}"),
            }
        }
        assert!(self.relay.poll_sealed(&mut self.sealed), "all batches are there");
    }

    fn record_inputs(&mut self) {
        if let Some(Recorder { file, black_box }) = &mut self.recorder {
            let hash = self.world.hash();
            black_box.record_inputs(file.bytes_mut(), &mut self.world, hash, &self.sealed);
        }
    }

    /// From now on a black box is kept in this file.
    pub fn record_to(&mut self, path: &Path, schedule: Schedule) -> Result<(), FileError> {
        let purpose = Purpose::of(&self.world, self.game.content(), &self.level, schedule);
        let begin = |bytes: &mut [u8]| BlackBox::new(&purpose, bytes, &mut self.world);
        let (file, black_box) = MappedFile::create_prepared(path, purpose.bytes(), begin)?;
        self.recorder = Some(Recorder { file, black_box });
        Ok(())
    }

    /// The world was loaded over: what the black box holds cannot lead to it.
    pub(crate) fn begin_recording_anew(&mut self) {
        if let Some(Recorder { file, black_box }) = &mut self.recorder {
            black_box.begin_anew(file.bytes_mut(), &mut self.world);
        }
    }

    /// Writes into the black box why the program stops.
    pub fn write_last_words(&mut self, words: &str) {
        if let Some(Recorder { file, .. }) = &mut self.recorder {
            BlackBox::last_words(file.bytes_mut(), words);
        }
    }

    /// The game.
    pub fn game(&self) -> &dyn Game {
        &*self.game
    }

    /// The level's name.
    pub fn level(&self) -> &str {
        &self.level
    }

    /// The world, to look at.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be loaded over, copied or hashed. Only the game's step changes what happens in it.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// How long its cycles are.
    pub fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// The number over the hashes of all safe cycles so far.
    pub fn chain(&self) -> u64 {
        self.chain
    }

    /// Goes on with a chain that another session began.
    pub fn set_chain(&mut self, chain: u64) {
        self.chain = chain;
    }

    /// The hash of the world.
    pub fn hash(&mut self) -> u64 {
        self.world.hash()
    }
}

/// The domain of the robots' draws; arrays have numbers far below.
const ROBOTS: u32 = u32::MAX;
