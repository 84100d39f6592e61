//! Bevy's asset server, headless, used as documented, with every choice in its favour: a custom loader reads a compact binary
//! file, bulk data is not moved, no file is watched and no `.meta` is searched for.

use std::path::Path;
use std::time::{Duration, Instant};

use bevy::app::{App, TaskPoolOptions, TaskPoolPlugin, TaskPoolThreadAssignmentPolicy};
use bevy::reflect::TypePath;
use bevy_asset::io::Reader;
use bevy_asset::{
    Asset, AssetApp, AssetLoader, AssetMetaCheck, AssetPlugin, AssetServer, Assets, Handle, LoadContext, LoadState,
    RecursiveDependencyLoadState,
};

use super::binary;
use super::content::{Content, Tally};

/// An asset in Bevy.
#[derive(Asset, TypePath)]
pub struct Held {
    number: u32,
    name: String,
    numbers: [f32; 3],
    elements: Vec<(String, [f32; 4])>,
    #[dependency]
    references: Vec<Handle<Held>>,
    bulk: Vec<u8>,
}

/// The requested assets; the others are found by following references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The one asset from which all others are reached.
    First,
    /// Every asset.
    All,
}

/// Loads all assets of a folder, visits them, and returns their sums; or why that failed.
pub fn load(folder: &Path, content: &Content, asked: Asked) -> Result<Tally, String> {
    let mut app = app(AssetPlugin {
        file_path: folder.to_string_lossy().into_owned(),
        watch_for_changes_override: Some(false),
        meta_check: AssetMetaCheck::Never,
        ..AssetPlugin::default()
    });
    let count = if asked == Asked::First { 1 } else { content.shape.assets };
    let server = app.world().resource::<AssetServer>().clone();
    let handles: Vec<Handle<Held>> =
        (0..count).map(|number| server.load(format!("{}.{}", content.path(number), binary::EXTENSION))).collect();
    let deadline = Instant::now() + LONGEST;
    while !handles.iter().all(|handle| server.is_loaded_with_dependencies(handle)) {
        failure(&server, &handles)?;
        if Instant::now() > deadline {
            return Err(format!("not finished after {} s", LONGEST.as_secs()));
        }
        std::thread::sleep(PAUSE);
        app.update();
    }
    Ok(tally(app.world().resource::<Assets<Held>>()))
}

/// An app with the asset plugin only.
pub fn app(assets: AssetPlugin) -> App {
    let mut app = App::new();
    // The default is one I/O thread on a machine with two cores; with four, Bevy takes three quarters of the time.
    let io = TaskPoolThreadAssignmentPolicy { min_threads: 4, ..TaskPoolOptions::default().io };
    app.add_plugins(TaskPoolPlugin { task_pool_options: TaskPoolOptions { io, ..TaskPoolOptions::default() } });
    app.add_plugins(assets).init_asset::<Held>().register_asset_loader(Loader);
    app.finish();
    app.cleanup();
    app
}

/// The timeout.
const LONGEST: Duration = Duration::from_secs(60);

/// The polling interval. A game would poll every 16 ms; a shorter interval makes loading slower on two cores.
const PAUSE: Duration = Duration::from_millis(4);

#[derive(TypePath)]
struct Loader;

impl AssetLoader for Loader {
    type Asset = Held;
    type Settings = ();
    type Error = std::io::Error;

    async fn load(&self, reader: &mut dyn Reader, _: &(), context: &mut LoadContext<'_>) -> Result<Held, Self::Error> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let read = binary::read(&bytes).ok_or(std::io::ErrorKind::InvalidData)?;
        bytes.truncate(read.bulk_bytes);
        Ok(Held {
            number: read.number,
            name: read.name,
            numbers: read.numbers,
            elements: read.elements,
            references: read.references.into_iter().map(|path| context.load(path)).collect(),
            bulk: bytes,
        })
    }

    fn extensions(&self) -> &[&str] {
        &[binary::EXTENSION]
    }
}

/// The error, if one occurred.
fn failure(server: &AssetServer, handles: &[Handle<Held>]) -> Result<(), String> {
    for handle in handles {
        match server.get_load_states(handle) {
            Some((LoadState::Failed(error), ..)) => return Err(error.to_string()),
            Some((.., RecursiveDependencyLoadState::Failed(error))) => return Err(error.to_string()),
            _ => {}
        }
    }
    Ok(())
}

fn tally(assets: &Assets<Held>) -> Tally {
    let mut tally = Tally::default();
    for (_, held) in assets.iter() {
        tally.asset(held.number, &held.name, held.numbers);
        held.elements.iter().for_each(|(name, numbers)| tally.element(name, *numbers));
        for reference in held.references.iter().filter_map(|handle| assets.get(handle)) {
            tally.reference(held.number, reference.number);
        }
        tally.bulk(&held.bulk);
    }
    tally
}
