//! Bevy's asset processor, headless. Textures are decoded and saved by `CompressedImageSaver` (UASTC of Basis Universal with mip levels),
//! the only processor that Bevy has; all other files it copies and hashes: its loaders of sounds and scenes run in the game. So that it does
//! not ignore them, a loader is registered for their extensions, which is never run.

use std::time::{Duration, Instant};

use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin, TaskPoolThreadAssignmentPolicy};
use bevy_asset::io::Reader;
use bevy_asset::processor::{AssetProcessor, FileTransactionLogFactory, ProcessStatus, ProcessorState};
use bevy_asset::{Asset, AssetApp, AssetLoader, AssetMode, AssetPlugin, LoadContext};
use bevy_image::{CompressedImageFormats, ImageLoader, ImagePlugin};
use bevy_reflect::TypePath;
use bevy_tasks::block_on;

use crate::KINDS;
use crate::project::Project;

/// Its name in the table.
pub const NAME: &str = if cfg!(feature = "compressing") {
    "bevy 0.19.1, textures to UASTC, the rest copied"
} else {
    "bevy 0.19.1, everything copied"
};

/// The timeout.
const LONGEST: Duration = Duration::from_secs(1800);

/// The polling interval.
const PAUSE: Duration = Duration::from_millis(20);

/// Processes the project.
pub fn import(project: &Project) -> Result<(), String> {
    let processed = project.folder.join("bevy");
    std::fs::create_dir_all(&processed).map_err(|error| error.to_string())?;
    let mut app = App::new();
    let io = TaskPoolThreadAssignmentPolicy { min_threads: 4, ..TaskPoolOptions::default().io };
    app.add_plugins(TaskPoolPlugin { task_pool_options: TaskPoolOptions { io, ..TaskPoolOptions::default() } });
    app.add_plugins(AssetPlugin {
        file_path: project.data().to_string_lossy().into_owned(),
        processed_file_path: processed.join("assets").to_string_lossy().into_owned(),
        mode: AssetMode::Processed,
        watch_for_changes_override: Some(false),
        use_asset_processor_override: Some(true),
        ..AssetPlugin::default()
    });
    app.add_plugins(ImagePlugin::default()).init_asset::<Copied>().register_asset_loader(CopiedLoader);
    // The renderer registers it otherwise, and until then the processor waits for it.
    app.register_asset_loader(ImageLoader::new(CompressedImageFormats::NONE));
    app.finish();
    app.cleanup();
    let processor = app.world().resource::<AssetProcessor>().clone();
    let log = FileTransactionLogFactory { file_path: processed.join("log") };
    processor.data().set_log_factory(Box::new(log)).map_err(|error| error.to_string())?;
    app.update();
    let deadline = Instant::now() + LONGEST;
    while block_on(processor.get_state()) != ProcessorState::Finished {
        if Instant::now() > deadline {
            return Err(format!("not finished after {} s", LONGEST.as_secs()));
        }
        std::thread::sleep(PAUSE);
    }
    let mut failed = 0;
    for (kind, count, _) in project.shape() {
        debug_assert!(KINDS.contains(&kind));
        for number in 0..count {
            let path = project.path(kind, number);
            let path = path.strip_prefix(project.data()).map_err(|error| error.to_string())?.to_path_buf();
            failed +=
                usize::from(block_on(processor.data().wait_until_processed(path.into())) != ProcessStatus::Processed);
        }
    }
    if failed > 0 { Err(format!("{failed} files failed")) } else { Ok(()) }
}

/// A file that is only copied.
#[derive(Asset, TypePath)]
struct Copied;

#[derive(TypePath)]
struct CopiedLoader;

impl AssetLoader for CopiedLoader {
    type Asset = Copied;
    type Settings = ();
    type Error = std::io::Error;

    async fn load(&self, _: &mut dyn Reader, _: &(), _: &mut LoadContext<'_>) -> Result<Copied, Self::Error> {
        Ok(Copied)
    }

    fn extensions(&self) -> &[&str] {
        if cfg!(feature = "compressing") { &["wav", "glb", "ftl"] } else { &["wav", "glb", "ftl", "png"] }
    }
}
