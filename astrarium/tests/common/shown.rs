//! A world as a window shows it, with a clock of its own.

use std::fs;
use std::sync::Arc;

use astrarium::extractor::Latest;
use astrarium::host::exchange::CommandSender;
use astrarium::host::pages::Pages;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::project;
use astrarium::publication::Publication;
use astrarium::runner::{Command, RunnerOptions, Stage, WorldLoop, connect_here};
use astrarium::session::{Session, Start};
use astrarium::state::Settings;

use super::Folder;

const MS: u64 = 1_000_000;

/// The level `a` of a game, with one local player.
pub struct Shown {
    pub world: WorldLoop,
    pub commands: CommandSender<Command>,
    pub latest: Latest,
    now: u64,
}

impl Shown {
    /// A game of these tags, which have no mistakes.
    pub fn new(folder: &Folder, tags: &[(&str, &str)]) -> Shown {
        for (path, text) in tags {
            let file = folder.join("demo/tags").join(path);
            fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("folders can be made");
            fs::write(file, text).expect("files can be written");
        }
        let entry = project::open(&folder.join("demo")).expect("it can be played").0;
        let settings = Settings { is_checked: false, ..Settings::default() };
        let start = Start { level: String::from("a"), seed: 7, players: 1, settings };
        let mut content = entry.content("a").expect("the tree is there");
        assert_eq!(content.take_lines(), Vec::<String>::new());
        let mut session = Session::begin(&entry, content, &start, &Pages).expect("the level is there");
        session.film_to(&folder.join("a.film"), None).expect("the folder can be written");
        let options = RunnerOptions { locals: vec![0], ..RunnerOptions::default() };
        let (mut world, commands) = WorldLoop::new(Stage::live(session), ThreadPool::new(2), options);
        let latest = connect_here(&mut world);
        let mut shown = Shown { world, commands, latest, now: 1_000 * MS };
        shown.turn(0);
        shown
    }

    pub fn turn(&mut self, milliseconds: u64) {
        self.now += milliseconds * MS;
        self.world.turn(self.now);
        self.latest.update();
    }

    pub fn run_to(&mut self, cycle: u64) {
        for _ in 0..1_000 {
            if self.publication().status.cycle >= cycle {
                return;
            }
            self.turn(10);
        }
        panic!("the world stands at {}", self.publication().status.cycle);
    }

    pub fn send(&mut self, command: Command) {
        self.commands.send(command).expect("there is room");
        self.turn(0);
    }

    pub fn publication(&self) -> Arc<Publication> {
        Arc::clone(self.latest.get().expect("it was published"))
    }
}
